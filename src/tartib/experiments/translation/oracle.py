"""How much could perfect decisions on word order bring? Upper bounds for the baseline.

Each takes something from the references that no system can know:

- the n-best list's translation with the highest BLEU of its sentence: all that any re-ranking could
  bring;
- the one whose source words are in the order that is nearest to the first reference's (Kendall's
  τ; the best total among equals): what re-ranking by order alone could bring;
- decoding with a reordering model that knows the true orientations (`true_order`), at several costs
  of a wrong one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tartib import _native, ragged
from tartib.decoder import Decoder, Hypothesis, Translation
from tartib.evaluation import compare, source_orders
from tartib.evaluation.word_order import Order, kendall_tau
from tartib.experiments.run.stages import Stage
from tartib.experiments.run.workspace import Workspace
from tartib.experiments.translation.comparison import pharaoh
from tartib.experiments.translation.stages import Decoded, Text
from tartib.experiments.translation.true_order import TrueOrder
from tartib.experiments.translation.word_order import AlignedTest, GivenAlignment
from tartib.textio import split_words

# What a wrong orientation costs, as a share of the sum of all weights' absolute values.
COSTS = (0.03, 0.1, 0.3, 1.0)
AS_DECODED = "as decoded"
_SAMPLES = 1  # no differences are tested: these are bounds, not systems
_ORDER = 4


@dataclass(frozen=True)
class Oracle(Stage):
    """The bounds, for one tuned system and one test set.

    Attributes
    ----------
    decoded
        The system's translation.
    text
        The test set.
    aligned
        Its right word order.
    nbest_size
        Length of the n-best lists.
    """

    decoded: Decoded
    text: Text
    aligned: AlignedTest | GivenAlignment
    nbest_size: int

    @property
    def title(self) -> str:
        """What it does."""
        return f"{self.decoded.tuned.name}: oracle"

    def run(self, workspace: Workspace, n_jobs: int) -> None:
        """Translate again, choose by the references, and score what was chosen."""
        source, references = self.text.read()
        right = source_orders(pharaoh(workspace.require(self.aligned.key)["links"]), source)
        decoder = self.decoded.system(workspace).load()
        chosen: dict[str, list[Hypothesis]] = {AS_DECODED: []}
        by_bleu, by_order = (f"best {what} of {self.nbest_size:,}" for what in ("BLEU", "order"))
        chosen |= {by_bleu: [], by_order: []}
        lists = decoder.translate(source, nbest_size=self.nbest_size, distinct=True, n_jobs=n_jobs)
        for at, found in enumerate(lists):
            chosen[AS_DECODED].append(found.best)
            lines = [reference[at] for reference in references]
            chosen[by_bleu].append(highest(found, sentence_bleu(found, lines)))
            chosen[by_order].append(nearest(found, right[at]))
        for cost, forced in forced_decoders(decoder, TrueOrder(source, right)):
            name = f"true orientations, cost {cost:g}"
            translated = forced.translate(source, n_jobs=n_jobs)
            chosen[name] = [translation.best for translation in translated]
        workspace.write(self.key, {"rows": _scored(chosen, source, references, right)})


def _scored(
    chosen: dict[str, list[Hypothesis]],
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    right: Sequence[Order],
) -> list[dict[str, Any]]:
    """Return a row for each way to choose, with its scores."""
    made = compare(
        {name: [[one.text for one in found]] for name, found in chosen.items()},
        references,
        metrics=("bleu",),
        orders={
            name: [source_orders(pharaoh(one.alignment for one in found), source)]
            for name, found in chosen.items()
        },
        reference_orders=[right],
        samples=_SAMPLES,
    )
    return [
        {"title": name, "scores": {metric: figure.score for metric, figure in figures.items()}}
        for name, figures in made.systems.items()
    ]


def highest(found: Translation, scores: NDArray[np.float64]) -> Hypothesis:
    """Return the translation with the highest score, the first of equals."""
    return found.nbest[int(np.argmax(scores))]


def sentence_bleu(found: Translation, references: Sequence[str]) -> NDArray[np.float64]:
    """Return BLEU of each translation by itself, with 1 added to counts of longer n-grams."""
    numbers: dict[str, int] = {}

    def encoded(texts: Sequence[Sequence[str]]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        ids = [[numbers.setdefault(word, len(numbers)) for word in words] for words in texts]
        return ragged.stack([np.array(one, np.int32) for one in ids])

    statistics = _native.bleu_statistics(
        *encoded([one.words for one in found.nbest]),
        *encoded([split_words(line) for line in references]),
    )
    sums = statistics.reshape(len(found.nbest), -1).astype(np.float64)
    length, nearest_length = sums[:, 0], sums[:, 1]
    matches, possible = sums[:, 2 : 2 + _ORDER], sums[:, 2 + _ORDER :]
    more = np.arange(_ORDER) > 0
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = (matches + more) / np.maximum(possible + more, 1)
        score: NDArray[np.float64] = np.exp(
            np.log(precision).mean(axis=1) + np.minimum(0, 1 - nearest_length / length)
        )
    return np.where(np.isnan(score), 0.0, score)


def nearest(found: Translation, right: Order) -> Hypothesis:
    """Return the translation whose order is nearest to the right one, the best of equals."""
    if len(right) < 2:
        return found.best
    known: dict[Order, float] = {}

    def closeness(one: Hypothesis) -> float:
        (line,) = pharaoh([one.alignment])
        (order,) = source_orders([line], [" ".join(found.source)])
        if order not in known:
            known[order] = kendall_tau(order, right) if order else -1.0
        return known[order]

    return found.nbest[int(np.argmax([closeness(one) for one in found.nbest]))]


def forced_decoders(decoder: Decoder, truth: TrueOrder) -> Iterator[tuple[float, Decoder]]:
    """Yield the decoder with the true orientations beside its own models, for each cost."""
    total = float(np.abs(decoder.weights).sum())
    for cost in COSTS:
        classes = len(truth.orientation.labels) * len(truth.directions)
        yield cost, decoder.with_model(truth, [cost * total] * classes)
