"""Datasets from phrase pairs, block by block: neither pairs nor rows need to fit into memory."""

from __future__ import annotations

from pathlib import Path

from tartib.dataset.rows import Dataset, DatasetSink, dataset_writer, memory_sink
from tartib.features import FeatureEncoder
from tartib.orientation import OrientationModel
from tartib.phrases import PhrasePairs
from tartib.progress import progress_bar


def build_dataset(
    phrases: PhrasePairs,
    encoder: FeatureEncoder,
    *,
    orientation: str | OrientationModel | None = None,
    direction: str = "previous",
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
        Made on the training pairs.
    orientation
        What the labels are; by default the orientation model of ``phrases``.
    direction
        To the ``previous`` or to the ``next`` phrase.
    out
        Folder to write to, with flat memory; without it the rows stay in memory.
    overwrite
        Replace ``out`` if it exists.
    n_jobs
        Number of threads; None for all cores. The result is the same for any number.
    progress
        Show a progress bar on a terminal.
    """
    model = OrientationModel.parse(orientation or phrases.orientation)
    signature = f"{phrases.signature}|{encoder.signature}|labels:{model}|direction:{direction}"

    def fill(sink: DatasetSink) -> None:
        sink.n_features, sink.signature = encoder.n_features, signature
        done = 0
        with progress_bar("Encoding", len(phrases), "pairs", shown=progress) as advance:
            for ends, columns in encoder.encode(phrases, n_jobs):
                packed = phrases.records["orientations"][done : done + len(ends)]
                sink.append(ends, columns, model.read(packed, direction))
                done += len(ends)
                advance(len(ends))

    if out is not None:
        with dataset_writer(out, classes=model.labels, overwrite=overwrite) as sink:
            fill(sink)
        return Dataset.load(out)
    sink, buffers = memory_sink()
    fill(sink)
    indptr, indices, y = (buffer.finish() for buffer in buffers.values())
    return Dataset(
        indptr,
        indices,
        y,
        classes=model.labels,
        n_features=encoder.n_features,
        signature=signature,
    )
