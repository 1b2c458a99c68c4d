"""How long the steps of a build take, roughly, told from the sizes of its files.

The rates are those of one ordinary machine; as steps are finished, their times correct them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tartib.build.options import BuildOptions
from tartib.build.plan import STEPS

_LINE = 150  # bytes of an ordinary sentence
_COMPRESSED = {".gz": 3, ".bz2": 4, ".xz": 4, ".zst": 3, ".zip": 3}
# Seconds for 1,000 sentence pairs, on two cores.
_BY_PAIRS = {
    "prepare": 0.15,
    "align": 0.2,
    "extract": 0.02,
    "phrase table": 0.15,
    "language model": 0.03,
    "reordering models": 1.0,
}
_START = 2.0  # seconds that every step takes
_SENTENCE = 0.01  # seconds of a sentence, with 400 pops


@dataclass(frozen=True)
class Expectation:
    """Seconds of each step, in their order."""

    seconds: tuple[float, ...]

    @classmethod
    def of(cls, options: BuildOptions) -> Expectation:
        """Estimate from the sizes of the training files."""
        pairs = _lines(options.train)
        prepare = options.prepare
        held_out = int(pairs * prepare.held_out_share)
        dev = _lines(options.dev) or min(prepare.dev_sentences, held_out)
        test = _lines(options.test) or min(prepare.test_sentences, held_out)
        thousands = pairs / 1000
        found = {step: _START + _BY_PAIRS.get(step, 0.0) * thousands for step in STEPS}
        choose, tune = options.choose, options.tune
        speed = _SENTENCE * max(tune.cube_pops, 1) / 400
        last = _SENTENCE * max(options.search.cube_pops, 1) / 400
        tunings = (len(choose.systems) if len(choose.systems) > 1 else 0) + (len(choose.limits) > 1)
        half = min(choose.sentences, dev) / 2
        found["choose"] = tunings * half * speed * (choose.iterations + 1)
        found["choose"] += len(choose.limits) * half * speed
        found["tune"] = min(tune.sentences, dev) * speed * tune.iterations * tune.runs
        found["test"] = (dev + test) * last
        return cls(tuple(found[step] for step in STEPS))

    def left(self, at: int, took: Mapping[str, float], running: float) -> float:
        """Return the seconds that are left, corrected by how long finished steps took.

        Parameters
        ----------
        at
            The place of the step that runs.
        took
            Seconds of the steps so far.
        running
            Seconds of the one that runs.
        """
        done = [place for place in range(at) if took[STEPS[place]] > 0]
        expected = sum(self.seconds[place] for place in done)
        real = sum(took[STEPS[place]] for place in done)
        # As much trust in the guess as in ten seconds of experience.
        rate = (real + 10) / (expected + 10)
        here = max(self.seconds[at] * rate - took[STEPS[at]] - running, 0.0)
        return here + rate * sum(self.seconds[at + 1 :])


def _lines(files: Sequence[Path]) -> int:
    """Return about how many sentence pairs there are in some files, by the size of the first."""
    if not files:
        return 0
    size = files[0].stat().st_size * _COMPRESSED.get(files[0].suffix, 1)
    return int(size / _LINE / (1 if len(files) > 1 else 2))
