"""Whether what models learn is what a decoder asks for: which pairs, and which orientations.

Run: python -m benchmarks.derivations --source S --target T --alignment A [--toy]
     … --only hier-msd     models of these labels only

A model learns the orientation of a phrase pair from the alignment of its sentence; a decoder finds
it from the phrases that it has translated so far. For a tenth of the sentences, translations are
made of extracted phrase pairs that the other sentences have, too, and both orientations of each
step are compared. What is asked of models is how likely they hold those of the decoder: of models
that learnt from all phrase pairs, and of models that learnt from steps of sampled derivations. The
translations that judge them are not sampled: the largest phrase pairs come first.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from tests.oracles.decoder import block_orientation, next_orientation, orientation

from benchmarks.harness import Corpus, Measured, Settings, measure, print_table, run
from tartib import Bitext, OrientationModel, PhrasePairs, ReorderingModel, extract_phrases
from tartib.orientation import DIRECTIONS, MODEL_DIRECTIONS
from tartib.reordering.derivations import SOURCES, sample_derivations
from tartib.reordering.inputs import phrase_keys

CODES = {"mono": 0, "swap": 1, "dright": 2, "dleft": 3}
MODELS = ("hier-msd", "phrase-msd", "word-msd")
TRAINED = ("hier-msd", "hier-mslr")
# As the experiments calibrate them.
CLASSIFIERS = {"lexicalised": "temperature", "svm": "affine", "mlr": "temperature"}
DEV_SHARE = 0.05
TRIES = 3000  # after this many steps a sentence is given up
Span = tuple[int, int]
Ints = NDArray[np.int64]


def derive(pairs: list[tuple[int, Span, Span]], source: int, target: int) -> list[int]:
    """Cover a sentence with phrase pairs, large ones first; empty if none of the tries does."""
    by_start: dict[int, list[tuple[int, Span, Span]]] = {}
    for pair in sorted(pairs, key=lambda p: p[1][0] - p[1][1] + p[2][0] - p[2][1]):
        by_start.setdefault(pair[2][0], []).append(pair)
    tries = iter(range(TRIES))

    def extend(at: int, covered: frozenset[int]) -> list[int] | None:
        if at == target:
            return [] if len(covered) == source else None
        for number, span, into in by_start.get(at, ()):
            words = frozenset(range(*span))
            if words & covered or next(tries, None) is None:
                continue
            rest = extend(into[1], covered | words)
            if rest is not None:
                return [number, *rest]
        return None

    return extend(0, frozenset()) or []


def derivations(held_out: PhrasePairs, known: NDArray[np.bool_]) -> list[list[int]]:
    """Return the phrase pairs, by number, that translate each sentence that can be covered."""
    found = []
    records, offsets = held_out.records, held_out.offsets
    for s in np.flatnonzero(np.diff(offsets)).tolist():
        pairs = []
        for i in range(offsets[s], offsets[s + 1]):
            if known[i]:
                f, m, e, n = (
                    int(records[i][name])
                    for name in ("source_start", "source_length", "target_start", "target_length")
                )
                pairs.append((i, (f, f + m), (e, e + n)))
        source, target, _ = held_out.bitext[s]
        found.append(derive(pairs, len(source), len(target)))
    return [steps for steps in found if steps]


def decoder_codes(held_out: PhrasePairs, found: list[list[int]]) -> dict[str, tuple[Ints, Ints]]:
    """Return the steps that are judged, and what a decoder finds, for each of its questions."""
    asked: dict[str, list[tuple[int, int]]] = {
        name: [] for name in ("hier", "phrase", "hier forward", "phrase forward")
    }
    starts = held_out.records["source_start"].astype(int)
    ends = starts + held_out.records["source_length"]
    for steps in found:
        spans = [(int(starts[i]), int(ends[i])) for i in steps]
        for k, i in enumerate(steps):
            before, now = spans[:k], spans[k]
            last = before[-1] if before else (-1, 0)
            asked["hier"].append((i, CODES[block_orientation(before, now)]))
            asked["phrase"].append((i, CODES[orientation(last, now)]))
            if k:
                code = CODES[next_orientation(before, now)]
                asked["hier forward"].append((steps[k - 1], code))
                asked["phrase forward"].append((steps[k - 1], CODES[orientation(last, now)]))
    return {
        name: (np.array([i for i, _ in rows]), np.array([code for _, code in rows]))
        for name, rows in asked.items()
    }


def as_classes(codes: Ints, name: str) -> Ints:
    """Return the class of each code: three classes do not tell right from left."""
    return np.minimum(codes, len(OrientationModel.parse(name).labels) - 1)


def read(corpus: Corpus) -> tuple[PhrasePairs, PhrasePairs]:
    """Return the phrase pairs of nine tenths of the sentences, and of the rest."""
    phrases = extract_phrases(Bitext.read(corpus.source, corpus.target, corpus.alignment))
    return phrases.split(held_out=0.1, seed=0)


def agreement(settings: Settings) -> None:
    """Compare labels with what a decoder finds, and models by what they say of the latter."""
    corpus = settings.main_corpus(20_000)
    costs = [_cost(name, measure(_train, corpus, name)) for name in SOURCES]  # while we are small
    train, held_out = read(corpus)
    known = np.isin(phrase_keys(held_out), phrase_keys(train))
    found = derivations(held_out, known)
    codes = decoder_codes(held_out, found)
    rows = []
    for name in MODELS:
        neighbour = "hier" if name.startswith("hier") else "phrase"
        for direction in DIRECTIONS:
            key = neighbour if direction == "backward" else f"{neighbour} forward"
            steps, asked = codes[key]
            agree = held_out.labels(name, direction)[steps] == as_classes(asked, name)
            rows.append((name, direction, f"{100 * agree.mean():.1f}"))
    sentences = int(np.count_nonzero(np.diff(held_out.offsets)))
    title = f"{corpus.name}: {len(found):,} of {sentences:,} sentences covered"
    print_table(title, ("labels", "direction", "as a decoder finds, %"), rows)
    _shares(train, held_out, codes["hier"][1])
    _models(train, held_out, codes, settings.only or TRAINED)
    print_table(
        "SVM, S6 hier-msd, both directions, with extraction, in a process of its own",
        ("learns from", "seconds", "of all cores", "peak MB"),
        costs,
    )


def _shares(train: PhrasePairs, held_out: PhrasePairs, asked: Ints) -> None:
    """Print how often each class occurs in what is learnt from, and in what is asked."""
    steps = sample_derivations(train)
    found: list[tuple[str, NDArray[np.integer]]] = [
        ("all phrase pairs", train.labels("hier-mslr")),
        ("steps of sampled derivations", steps.labels("hier-mslr")),
        ("the same of held-out sentences", _steps(held_out, train).labels("hier-mslr")),
        ("steps that models are judged by", asked),
    ]
    rows = [
        (name, f"{len(codes):,}", *(f"{100 * (codes == code).mean():.1f}" for code in range(4)))
        for name, codes in found
    ]
    print_table("hier-mslr, backward, %", ("", "number", *CODES), rows)


def _steps(held_out: PhrasePairs, train: PhrasePairs) -> PhrasePairs:
    return sample_derivations(held_out, known=train)


def _models(
    train: PhrasePairs,
    held_out: PhrasePairs,
    codes: dict[str, tuple[Ints, Ints]],
    labels: tuple[str, ...],
) -> None:
    sampled = _steps(held_out, train)
    rows = []
    for name in labels:
        for classifier in CLASSIFIERS:
            models = {source: _fit(train, classifier, name, source) for source in SOURCES}
            for direction in MODEL_DIRECTIONS:
                steps, asked = codes["hier" if direction == "backward" else "hier forward"]
                for source, model in models.items():
                    said = model.predict_proba(held_out, direction)[steps]
                    judged = _judged(said, as_classes(asked, name))
                    own = model.predict_proba(sampled, direction)
                    other = _judged(own, sampled.labels(name, direction).astype(np.int64))
                    rows.append((name, direction, classifier, source, *judged, *other))
    columns = ("labels", "direction", "model", "learns from", "log-loss", "accuracy %")
    title = "Models, of what a decoder finds; and of labels of sampled steps"
    print_table(title, (*columns, "sampled: log-loss", "accuracy %"), rows)


def _fit(train: PhrasePairs, classifier: str, orientation: str, source: str) -> ReorderingModel:
    return ReorderingModel(
        "S6",
        classifier,
        "bidirectional",
        orientation=orientation,
        tune=() if classifier == "lexicalised" else None,
        calibrate=CLASSIFIERS[classifier],
        dev_share=DEV_SHARE,
        refit=False,
        learn_from=source,
    ).fit(train)


def _judged(said: NDArray[np.float64], asked: Ints) -> tuple[str, str]:
    """Return log-loss and accuracy."""
    right = np.maximum(said[np.arange(len(asked)), asked], 1e-9)
    accuracy = (said.argmax(axis=1) == asked).mean()
    return f"{-np.log(right).mean():.4f}", f"{100 * accuracy:.2f}"


def _train(corpus: Corpus, source: str) -> None:
    train, _ = read(corpus)
    _fit(train, "svm", "hier-msd", source)


def _cost(source: str, found: Measured[None]) -> tuple[str, ...]:
    return source, f"{found.wall:.1f}", f"{found.cpu:.1f}", f"{found.peak_mb:.0f}"


if __name__ == "__main__":
    run((agreement,), "Whether what models learn is what a decoder asks for")
