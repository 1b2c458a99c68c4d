"""Folders of arrays that Tartib writes and maps into memory."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from tartib import Bitext, PhrasePairs, ReadOptions, phrases
from tartib.alignment import AlignmentModel, model_files
from tartib.dataset import Dataset, build_dataset, from_phrases, write_dataset
from tartib.dataset import rows as dataset_rows
from tartib.features import FeatureEncoder, encoder
from tartib.lm import LanguageModel
from tartib.lm import table as lm_table
from tartib.models import MaxEnt, MulticlassSVM
from tartib.phrase_table import PhraseTable
from tartib.phrase_table import table as phrase_table
from tartib.reordering import KINDS, Prior, ReorderingModel, saved
from tartib.storage import manifest
from tartib.synthetic import files as corpus_files
from tartib.text import TextModel, learn_text
from tartib.text import model as text_model
from tartib.textio import read_lines
from tests.campaign.formats.definition import Format
from tests.campaign.materials import Materials, loaded_phrases

_FEATURES = "S4"


def _make_phrases(sample: Path, materials: Materials) -> None:
    loaded_phrases(materials.phrases).save(sample / "phrases")


def _use_phrases(sample: Path, _: Materials) -> object:
    pairs = PhrasePairs.load(sample / "phrases")
    shown = [pairs[index] for index in range(0, len(pairs), 5)]
    found = pairs.find(line=2, words=pairs.bitext[0].source[:1])
    learnt = FeatureEncoder.fit(pairs, "S1", cutoff=0, n_jobs=1)
    rows = build_dataset(pairs, learnt, n_jobs=1)
    parts = pairs.split(held_out=0.5)
    return shown, found, rows.indices, rows.y, pairs.counts(), len(parts[0]), pairs.signature


def _make_table(sample: Path, materials: Materials) -> None:
    PhraseTable.load(materials.table).save(sample / "table")


def _use_table(sample: Path, materials: Materials) -> object:
    table = PhraseTable.load(sample / "table")
    table.write_moses(materials.folder / "written.txt", overwrite=True, n_jobs=1)
    text = (materials.folder / "written.txt").read_bytes()
    words = [table.frequent_words(side, 5) for side in ("source", "target")]
    return text, words, [table[row] for row in range(0, len(table), 20)], table.signature


def _make_lm(sample: Path, materials: Materials) -> None:
    LanguageModel.load(materials.lm).save(sample / "lm")


def _use_lm(sample: Path, materials: Materials) -> object:
    model = LanguageModel.load(sample / "lm")
    scores = model.score_block(materials.target.read_bytes())
    model.write_arpa(materials.folder / "written.arpa", overwrite=True)
    text = (materials.folder / "written.arpa").read_bytes()
    return scores, text, model.word_scores("the old house"), model.signature


def _make_rows(sample: Path, materials: Materials) -> None:
    pairs = loaded_phrases(materials.phrases)
    learnt = FeatureEncoder.fit(pairs, _FEATURES, cutoff=1, n_jobs=1)
    made = build_dataset(pairs, learnt, n_jobs=1).take(np.arange(40)).collapse()
    made.values = np.linspace(0.5, 2, len(made.indices)).astype(np.float32)
    made.save(sample / "rows")


def _use_rows(sample: Path, _: Materials) -> object:
    rows = Dataset.load(sample / "rows")
    trained = [kind(max_iter=1).fit(rows).weights_ for kind in (MulticlassSVM, MaxEnt)]
    collapsed = rows.collapse()
    return trained, collapsed.indices, collapsed.weights, rows.classes, rows.signature


def _make_rows_with_features(sample: Path, materials: Materials) -> None:
    pairs = loaded_phrases(materials.phrases)
    write_dataset(pairs, "S1", out=sample / "rows", cutoff=1, n_jobs=1)


def _use_rows_with_features(sample: Path, _: Materials) -> object:
    rows = Dataset.load(sample / "rows" / "rows")
    names = FeatureEncoder.load(sample / "rows" / "features")
    trained = MulticlassSVM(max_iter=1).fit(rows).weights_
    return trained, [names.name(column) for column in range(names.n_features)]


def _make_encoder(
    sample: Path, materials: Materials, hash_bits: int | None, features: str = _FEATURES
) -> None:
    if hash_bits is not None:
        FeatureEncoder.hashed(_FEATURES, hash_bits).save(sample / "features")
        return
    pairs = loaded_phrases(materials.phrases)
    FeatureEncoder.fit(pairs, features, cutoff=1, n_jobs=1).save(sample / "features")


def _use_encoder(sample: Path, materials: Materials) -> object:
    loaded = FeatureEncoder.load(sample / "features")
    pairs = loaded_phrases(materials.phrases)
    names = [loaded.name(column) for column in range(0, min(loaded.n_features, 100), 3)]
    return list(loaded.encode(pairs, 1)), names, loaded.signature


def _make_model(sample: Path, materials: Materials, kind: str, compact: bool) -> None:
    """Train as little as possible, with everything that a model can have."""
    pairs = loaded_phrases(materials.phrases)
    estimator = KINDS[kind].estimator
    options = {"max_iter": 3} if "max_iter" in estimator().get_params() else {}
    penalty = {"penalty": KINDS[kind].penalty} if KINDS[kind].penalty else {}
    model = ReorderingModel(
        "S1",
        estimator(**options, **penalty),
        direction="bidirectional",
        cutoff=1,
        calibrate="none" if kind == "lexicalised" else "affine",
        prior=Prior() if kind == "svm" else None,
        dev_share=0.4,
        n_jobs=1,
    )
    model.fit(pairs).save(sample / "model", compact=compact)


def _use_model(sample: Path, materials: Materials) -> object:
    model = ReorderingModel.load(sample / "model", n_jobs=1)
    pairs = loaded_phrases(materials.phrases)
    explained = model.explain(pairs, 3)
    return [model.predict_proba(pairs, d) for d in model.directions], explained, model.signature


def _make_corpus(sample: Path, _: Materials) -> None:
    corpus_files.write_corpus(sample / "corpus", 5, n_jobs=1)


def _use_corpus(sample: Path, _: Materials) -> object:
    files = (sample / "corpus" / name for name in corpus_files.FILES)
    bitext = Bitext.read(*files, options=ReadOptions(skip_empty=True))
    return [bitext[i] for i in range(len(bitext))]


def _make_aligner(sample: Path, materials: Materials) -> None:
    AlignmentModel.train(Bitext.read(materials.source, materials.target)).save(sample / "aligner")


def _use_aligner(sample: Path, materials: Materials) -> object:
    model = AlignmentModel.load(sample / "aligner")
    text = Bitext.read(materials.source, materials.target)
    found = model.align(text, n_jobs=1)
    helped = AlignmentModel.train(text, priors=model, n_jobs=1).align(text, n_jobs=1)
    return found.bitext.links, found.probabilities, helped.probabilities, model.signature


def _make_text(sample: Path, materials: Materials) -> None:
    lines = (read_lines(path) for path in (materials.source, materials.target))
    learn_text(zip(*lines, strict=True), ("ar", "en")).save(sample / "text")


def _use_text(sample: Path, materials: Materials) -> object:
    model = TextModel.load(sample / "text")
    found = []
    for side, path in zip(model, (materials.source, materials.target), strict=True):
        lines = read_lines(path)
        prepared = [side.prepare(line) for line in lines]
        found.append((prepared, [side.restore(line) for line in prepared], side.doubts(lines)))
    return found, model.source.doubts(["The House is OLD."], model.target)


STORES = (
    Format("text", _make_text, _use_text, (text_model.FORMAT,), sealed=True),
    Format("aligner", _make_aligner, _use_aligner, (model_files.FORMAT,), sealed=True),
    Format("phrases", _make_phrases, _use_phrases, (phrases.FORMAT, manifest._FORMAT), sealed=True),
    Format("table", _make_table, _use_table, (phrase_table.FORMAT,), sealed=True),
    Format("lm", _make_lm, _use_lm, (lm_table.FORMAT,), sealed=True),
    Format("rows", _make_rows, _use_rows, (dataset_rows.FORMAT,), sealed=True),
    Format(
        "rows-with-features",
        _make_rows_with_features,
        _use_rows_with_features,
        (from_phrases.FORMAT,),
        sealed=True,
    ),
    Format(
        "encoder",
        partial(_make_encoder, hash_bits=None),
        _use_encoder,
        (encoder.FORMAT,),
        sealed=True,
    ),
    Format(
        "encoder-of-classes",
        partial(_make_encoder, hash_bits=None, features=f"{_FEATURES}-classes"),
        _use_encoder,
        sealed=True,
    ),
    Format("hashed-encoder", partial(_make_encoder, hash_bits=6), _use_encoder, sealed=True),
    *(
        Format(
            f"model-{kind}",
            partial(_make_model, kind=kind, compact=kind == "mlr"),
            _use_model,
            (saved.FORMAT,),
            sealed=True,
        )
        for kind in KINDS
    ),
    Format("corpus", _make_corpus, _use_corpus, (corpus_files.FORMAT,)),
)
