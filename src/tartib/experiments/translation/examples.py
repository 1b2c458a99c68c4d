"""Sentences whose words the systems put in different orders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tartib.evaluation.translation import translation_metric
from tartib.evaluation.word_order import Order, kendall_tau
from tartib.experiments.translation.results import Move, MovedSentence, Output
from tartib.textio import split_words

# Longer sentences make pictures that nobody reads, and in shorter ones there is little to move.
_SHORTEST, _LONGEST = 5, 16

Scores = NDArray[np.float64]


def moved_sentences(
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    found: Mapping[str, Mapping[str, Any]],
    *,
    baseline: str,
    from_block: bool,
    count: int,
) -> list[MovedSentence]:
    """Return the sentences where a system's order and BLEU differ most from the baseline's.

    Better and worse are chosen alike: by the product of both differences, whatever its sign.

    Parameters
    ----------
    source, references
        The test set.
    found
        Output of each system, by its title: ``lines`` and ``steps``.
    baseline
        Title of the system to compare with.
    from_block
        Show the orientation towards the previous block instead of the previous phrase.
    count
        How many to return at most.
    """
    metric = translation_metric("bleu", references)
    bleu = {name: metric.score(metric.statistics(run["lines"])) for name, run in found.items()}
    words = [split_words(line) for line in source]
    gains = [
        (_gain(found, bleu, baseline, at), -at)
        for at in range(len(source))
        if _SHORTEST <= len(words[at]) <= _LONGEST
    ]
    chosen = sorted(gains, reverse=True)[:count]
    return [
        MovedSentence(
            line=at + 1,
            source=words[at],
            references=[lines[at] for lines in references],
            outputs=_outputs(found, bleu, baseline, at, from_block),
        )
        for gain, at in ((gain, -place) for gain, place in chosen)
        if gain > 0
    ]


def _gain(
    found: Mapping[str, Mapping[str, Any]], bleu: Mapping[str, Scores], baseline: str, at: int
) -> float:
    """Return how much the order of some system differs, times how much its BLEU does."""
    base = _order(found[baseline]["steps"][at])
    return max(
        (1 - kendall_tau(_order(run["steps"][at]), base))
        * abs(float(bleu[name][at] - bleu[baseline][at]))
        for name, run in found.items()
    )


def _order(steps: Sequence[Sequence[Any]]) -> Order:
    return tuple(word for step in steps for word in range(step[0], step[1]))


def _outputs(
    found: Mapping[str, Mapping[str, Any]],
    bleu: Mapping[str, Scores],
    baseline: str,
    at: int,
    from_block: bool,
) -> list[Output]:
    outputs: list[Output] = []
    for name in sorted(found, key=lambda name: name != baseline):
        moves = moves_of(found[name]["lines"][at], found[name]["steps"][at], from_block)
        same = next((output for output in outputs if output.moves == moves), None)
        if same is not None:
            same.systems.append(name)
        else:
            outputs.append(Output(systems=[name], bleu=float(bleu[name][at]), moves=moves))
    return outputs


def moves_of(line: str, steps: Sequence[Sequence[Any]], from_block: bool) -> list[Move]:
    """Return the phrases of a translation, with the orientation towards a block or a phrase."""
    words, moves, begin = split_words(line), [], 0
    for start, end, length, from_phrase, hierarchical in steps:
        moves.append(
            Move(
                start=start,
                end=end,
                words=words[begin : begin + length],
                orientation=hierarchical if from_block else from_phrase,
            )
        )
        begin += length
    return moves
