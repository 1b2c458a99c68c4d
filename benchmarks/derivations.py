"""Whether orientations that models learn are those that a decoder asks for.

Run: python -m benchmarks.derivations --source S --target T --alignment A [--toy]

A model learns the orientation of a phrase pair from the alignment of its sentence; a decoder finds
it from the phrases that it has translated so far. For a tenth of the sentences, translations are
made of extracted phrase pairs that the other sentences have, too, and both orientations of each
step are compared. What is asked of models is how likely they hold those of the decoder.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from tests.oracles.decoder import block_orientation, next_orientation, orientation

from benchmarks.harness import Settings, print_table, run
from tartib import Bitext, DualMLR, PhrasePairs, ReorderingModel, extract_phrases
from tartib.orientation import DIRECTIONS
from tartib.reordering.inputs import phrase_keys

CODES = {"mono": 0, "swap": 1, "dright": 2, "dleft": 2}
MODELS = ("hier-msd", "phrase-msd", "word-msd")
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


def agreement(settings: Settings) -> None:
    """Compare labels with what a decoder finds, and models by what they say of the latter."""
    corpus = settings.main_corpus(20_000)
    phrases = extract_phrases(Bitext.read(corpus.source, corpus.target, corpus.alignment))
    train, held_out = phrases.split(held_out=0.1, seed=0)
    known = np.isin(phrase_keys(held_out), phrase_keys(train))
    found = derivations(held_out, known)
    codes = decoder_codes(held_out, found)
    rows = []
    for name in MODELS:
        neighbour = "hier" if name.startswith("hier") else "phrase"
        for direction in DIRECTIONS:
            key = neighbour if direction == "backward" else f"{neighbour} forward"
            steps, asked = codes[key]
            agree = (held_out.labels(name, direction)[steps] == asked).mean()
            rows.append((name, direction, f"{100 * agree:.1f}"))
    sentences = int(np.count_nonzero(np.diff(held_out.offsets)))
    title = f"{corpus.name}: {len(found):,} of {sentences:,} sentences covered"
    print_table(title, ("labels", "direction", "as a decoder finds, %"), rows)
    _models(train, held_out, codes)


def _models(train: PhrasePairs, held_out: PhrasePairs, codes: dict[str, tuple[Ints, Ints]]) -> None:
    rows = []
    for name in MODELS:
        steps, asked = codes["hier" if name.startswith("hier") else "phrase"]
        for title, classifier in (("lexicalised", "lexicalised"), ("S6", DualMLR(sigma=0.3))):
            model = ReorderingModel("S6", classifier, orientation=name).fit(train)
            said = model.predict_proba(held_out)[steps]
            right = said[np.arange(len(asked)), asked]
            accuracy = (said.argmax(axis=1) == asked).mean()
            rows.append((name, title, f"{-np.log(right).mean():.3f}", f"{100 * accuracy:.1f}"))
    columns = ("labels", "model", "log-loss of the decoder's", "accuracy %")
    print_table("Models, backward", columns, rows)


if __name__ == "__main__":
    run((agreement,), "Whether orientations that models learn are those a decoder asks for")
