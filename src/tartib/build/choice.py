"""What was tried on the development set, and what was taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from tartib.experiments.translation.stages import Tuned

# Differences below this are chance more often than not, on some hundred sentences.
ALIKE = 0.3
BLEU = "BLEU"


class Judged(Protocol):
    """A system with its score."""

    @property
    def system(self) -> str:
        """Its name."""
        ...

    @property
    def bleu(self) -> float:
        """Its score."""
        ...


@dataclass(frozen=True)
class Trial:
    """One comparison.

    Attributes
    ----------
    what
        What is compared: limits or systems.
    system, title
        Name of the system, and as tables show it.
    limit
        The distortion limit.
    bleu, low, high
        On the second half of the sentences, with the interval.
    seconds
        Of translating them.
    """

    what: Literal["limit", "system"]
    system: str
    title: str
    limit: int
    bleu: float
    low: float
    high: float
    seconds: float


@dataclass(frozen=True)
class Choice:
    """What was taken, and all that was tried; nothing is tried where there is no choice.

    ``start`` is the short tuning of what was taken, from which the last one starts.
    """

    system: str
    limit: int
    start: Tuned | None
    trials: tuple[Trial, ...]


def best_limit(trials: Sequence[Trial], usual: int) -> int:
    """Return the limit of the best trial, or the usual one if that is about as good."""
    best = max(trials, key=lambda trial: trial.bleu)
    good = [trial.limit for trial in trials if trial.bleu > best.bleu - ALIKE]
    return usual if usual in good else best.limit


def best_system(trials: Sequence[Judged]) -> str:
    """Return the last system that is about as good as the best one.

    Systems are listed from the simplest to the one that is best elsewhere.
    """
    best = max(trial.bleu for trial in trials)
    return [trial.system for trial in trials if trial.bleu > best - ALIKE][-1]
