"""How near the word order of translations is to that of references.

The source words are put in the order in which their translations stand in an output, by its word
alignment, and compared with the order that the alignment of a reference gives. Nothing else about
the words counts: a wrong word in the right place does no harm, as in

A. Birch, M. Osborne, P. Blunsom, "Metrics for MT evaluation: evaluating reordering", Machine
Translation 24, 2010 (LRscore): Kendall's τ;
D. Talbot et al., "A lightweight evaluation framework for machine translation reordering", WMT
2011: the fuzzy reordering score.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import sqrt

from tartib.errors import DataError, OptionError
from tartib.evaluation.metrics import Floats, Metric, check_references, ratio
from tartib.signature import signature
from tartib.textio import split_words
from tartib.wording import counted

Order = tuple[int, ...]
_LINK = re.compile(r"(\d{1,18})-(\d{1,18})", re.ASCII)
_HINT = "links are source-target, counted from 0, as in 0-0 1-2: check that the files fit"


def source_orders(
    alignment: Sequence[str],
    source: Sequence[str],
    name: str = "alignment",
    target: Sequence[str] | None = None,
) -> list[Order]:
    """Return for each sentence its source words, by number, in the order of the other side.

    An alignment becomes a permutation much as in Birch et al., but without reorderings that no
    link shows: a word with several links stands where its first target word does; a word without
    any stands where the word before it does, or, at the beginning, the first one with links; words
    that stand at the same place keep their order. A line without links gives an empty order.

    Parameters
    ----------
    alignment
        Links in Pharaoh format, a line for each sentence, as `tartib translate --alignment-out`
        and `tartib align` write them.
    source
        The lines of the source text.
    name
        Of the alignment, for errors: that of its file.
    target
        The lines of the other side, where links are to be checked against them.
    """
    for side, text in (("source", source), ("target", target)):
        if text is not None and len(alignment) != len(text):
            problem = f"has {counted(len(alignment), 'line')}, and the {side} has {len(text):,}"
            raise DataError(name, None, problem, "line n of both must belong to the same sentence")
    lengths = [len(split_words(words)) for words in source]
    others = [None] * len(lengths) if target is None else [len(split_words(t)) for t in target]
    return [
        _order(line, length, other, name, number)
        for number, (line, length, other) in enumerate(
            zip(alignment, lengths, others, strict=True), 1
        )
    ]


def _order(line: str, length: int, target_length: int | None, name: str, number: int) -> Order:
    places: dict[int, int] = {}
    for text in split_words(line):
        link = _LINK.fullmatch(text)
        if link is None:
            raise DataError(name, number, f"not a link: {text!r}", _HINT)
        source, target = int(link[1]), int(link[2])
        if source >= length:
            problem = f"link {text} leaves the source sentence of {length} words"
            raise DataError(name, number, problem, _HINT)
        if target_length is not None and target >= target_length:
            problem = f"link {text} leaves the target sentence of {target_length} words"
            raise DataError(name, number, problem, _HINT)
        places[source] = min(target, places.get(source, target))
    if not places:
        return ()
    at = places[min(places)]
    keys = []
    for word in range(length):
        at = places.get(word, at)
        keys.append(at)
    return tuple(sorted(range(length), key=keys.__getitem__))


def kendall_tau(order: Order, reference: Order) -> float:
    """Return 1 - √d, where d is the share of pairs of words that are in the wrong order.

    This is LRscore's form of Kendall's τ: 1 for the same order, 0 for the reverse.
    """
    if len(order) < 2:
        return 1.0
    ranks = {word: rank for rank, word in enumerate(reference)}
    seen: list[int] = []
    wrong = 0
    for word in order:
        at = bisect(seen, ranks[word])
        wrong += len(seen) - at  # words that stand before it, and should not
        seen.insert(at, ranks[word])
    return 1 - sqrt(wrong / (len(order) * (len(order) - 1) / 2))


def fuzzy_reordering(order: Order, reference: Order) -> float:
    """Return 1 - (C - 1) / (M - 1), for M words that the reference has in C pieces.

    A piece is a sequence of words that follow each other in both orders.
    """
    if len(order) < 2:
        return 1.0
    following = dict(pairwise(reference))
    breaks = sum(following.get(a) != b for a, b in pairwise(order))
    return 1 - breaks / (len(order) - 1)


class OrderMetric(Metric[Order]):
    """The mean of a measure over the sentences, in percent.

    Sentences of one word have no order, and do not count, nor do those whose references have no
    links. An output without links is worth nothing. Each sentence is compared with the reference
    that is nearest to it: several references are several right orders.

    Parameters
    ----------
    name
        Of the metric.
    measure
        Compares an order with a reference's; 1 where they are the same.
    references
        One list of orders, or several of equal length.
    """

    def __init__(
        self,
        name: str,
        measure: Callable[[Order, Order], float],
        references: Sequence[Sequence[Order]],
    ) -> None:
        sentences = check_references(references)
        super().__init__(name, f"nrefs:{len(references)}|{signature()}", sentences)
        self._measure = measure
        self._references = references

    def _row(self, sentence: int, output: Order) -> tuple[float, float]:
        right = [orders[sentence] for orders in self._references if len(orders[sentence]) > 1]
        for order in right:
            if output and len(order) != len(output):
                raise OptionError(
                    f"sentence {sentence + 1} has {len(output)} source words in the output's "
                    f"alignment and {len(order)} in the reference's"
                )
        if not right:
            return 0.0, 0.0
        if not output:
            return 0.0, 1.0
        return max(self._measure(output, order) for order in right), 1.0

    def score(self, sums: Floats) -> Floats:
        """Return the mean."""
        return 100 * ratio(sums[:, 0], sums[:, 1])


def order_metrics(references: Sequence[Sequence[Order]]) -> list[OrderMetric]:
    """Return Kendall's τ and the fuzzy reordering score."""
    return [
        OrderMetric("tau", kendall_tau, references),
        OrderMetric("FRS", fuzzy_reordering, references),
    ]
