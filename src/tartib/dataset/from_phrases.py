"""Datasets from phrase pairs, block by block: neither pairs nor rows need to fit in memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tartib.dataset.rows import Dataset, DatasetSink, MemorySink, dataset_writer
from tartib.dataset.svmlight import write_svmlight
from tartib.features import FeatureEncoder, FeatureSet
from tartib.orientation import OrientationModel, check_direction
from tartib.phrases import PhrasePairs
from tartib.progress import progress_bar
from tartib.storage import check_free, new_folder, write_json

FORMAT = "tartib dataset with features"
VERSION = 1


def build_dataset(
    phrases: PhrasePairs,
    encoder: FeatureEncoder,
    *,
    orientation: str | OrientationModel | None = None,
    direction: str = "backward",
    out: str | Path | None = None,
    overwrite: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Dataset:
    """Encode phrase pairs, with their orientations as labels.

    Parameters
    ----------
    phrases
        Training or held-out pairs; `PhrasePairs.sample` gives a random part by sentence.
    encoder
        An encoder fitted on the training pairs.
    orientation
        Orientation model of the labels; by default that of ``phrases``.
    direction
        ``backward`` or ``forward``: orientation relative to the previous or the next phrase.
    out
        Folder to write to, in constant memory; None keeps the rows in memory.
    overwrite
        Replace ``out`` if it exists.
    n_jobs
        Number of threads; None means all cores. The result is the same for any number.
    progress
        Show a progress bar on a terminal.
    """
    model = OrientationModel.parse(orientation or phrases.orientation)
    signature = f"{phrases.signature}|{encoder.signature}|labels:{model}|direction:{direction}"

    def fill(sink: DatasetSink) -> None:
        sink.n_features, sink.signature = encoder.n_features, signature
        done = 0
        with progress_bar("Encoding", len(phrases), "pairs", shown=progress) as advance:
            for indptr, columns in encoder.encode(phrases, n_jobs):
                rows = len(indptr) - 1
                packed = phrases.records["orientations"][done : done + rows]
                sink.append(indptr, columns, model.read(packed, direction))
                done += rows
                advance(rows)

    if out is not None:
        with dataset_writer(out, classes=model.labels, overwrite=overwrite) as sink:
            fill(sink)
        return Dataset.load(out)
    rows = MemorySink()
    fill(rows)
    return rows.finish(model.labels)


@dataclass(frozen=True)
class MadeDataset:
    """A dataset with the encoder that made it."""

    dataset: Dataset
    encoder: FeatureEncoder


def write_dataset(
    phrases: PhrasePairs,
    features: FeatureSet | str,
    *,
    out: str | Path | None = None,
    svmlight: str | Path | None = None,
    cutoff: int = 10,
    hash_bits: int | None = None,
    orientation: str | OrientationModel | None = None,
    direction: str = "backward",
    collapse: bool = False,
    overwrite: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
) -> MadeDataset:
    """Make the feature dictionary and the rows of phrase pairs, and write them.

    Parameters
    ----------
    phrases
        The training pairs.
    features
        A feature set or its name.
    out
        Folder in which ``rows`` and ``features`` are written.
    svmlight
        File for the rows as text.
    cutoff, hash_bits
        As in `FeatureEncoder.fit` and `FeatureEncoder.hashed`.
    orientation, direction
        As in `build_dataset`.
    collapse
        Merge equal rows with equal labels; this needs the rows in memory.
    overwrite
        Replace outputs that exist.
    n_jobs
        Number of threads; None means all cores.
    progress
        Show progress bars on a terminal.
    """
    OrientationModel.parse(orientation or phrases.orientation)
    check_direction(direction)
    for target in (out, svmlight):
        if target is not None:
            check_free(Path(target), overwrite)
    if hash_bits is None:
        encoder = FeatureEncoder.fit(
            phrases, features, cutoff=cutoff, n_jobs=n_jobs, progress=progress
        )
    else:
        encoder = FeatureEncoder.hashed(features, hash_bits)
    build = partial(
        build_dataset,
        phrases,
        encoder,
        orientation=orientation,
        direction=direction,
        n_jobs=n_jobs,
        progress=progress,
    )
    if out is None:
        dataset = build().collapse() if collapse else build()
    else:
        with new_folder(out, FORMAT, overwrite=overwrite) as folder:
            encoder.save(folder / "features")
            if collapse:
                build().collapse().save(folder / "rows")
            else:
                build(out=folder / "rows")
            write_json(folder / "meta.json", {"format": FORMAT, "version": VERSION})
        dataset = Dataset.load(Path(out) / "rows")
    if svmlight is not None:
        write_svmlight(dataset, svmlight, overwrite=overwrite)
    return MadeDataset(dataset, encoder)
