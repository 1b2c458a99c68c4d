"""How good an alignment is: precision, recall, alignment error rate and F1 by gold links.

F. J. Och and H. Ney, "A systematic comparison of various statistical alignment models",
Computational Linguistics 29, 2003. With A the links that were found, S the sure gold links and P
the possible ones, S among them:

    precision = |A ∩ P| / |A|,   recall = |A ∩ S| / |S|,
    AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|),

and F1 is the harmonic mean of precision and recall. If all gold links are sure, AER = 1 - F1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tartib import ragged
from tartib.alignment.gold import GoldLinks
from tartib.alignment.links import Links
from tartib.bitext import Bitext
from tartib.engine import check_seed
from tartib.errors import DataError, OptionError
from tartib.evaluation import significance
from tartib.evaluation.metrics import Floats, ratio
from tartib.evaluation.significance import BootstrapDifference
from tartib.wording import counted

DEFAULT_SAMPLES = 1000
_FOUND, _SURE, _FOUND_SURE, _FOUND_POSSIBLE = range(4)  # columns of the sums


@dataclass(frozen=True)
class Measure:
    """One figure of an alignment.

    Attributes
    ----------
    score
        On all sentences.
    low, high
        Percentile interval by the bootstrap over sentences.
    difference
        From the first alignment, if several were compared; None for the first itself.
    """

    score: float
    low: float
    high: float
    difference: BootstrapDifference | None = None


@dataclass(frozen=True)
class AlignmentReport:
    """What gold links say of an alignment.

    Attributes
    ----------
    sentences
        How many have gold links, or were looked at and have none.
    found, sure, possible
        Numbers of links: |A|, |S|, |P|.
    precision, recall, aer, f1
        Shares from 0 to 1; of the AER, less is better.
    samples, seed, level
        Of the bootstrap.
    """

    sentences: int
    found: int
    sure: int
    possible: int
    precision: Measure
    recall: Measure
    aer: Measure
    f1: Measure
    samples: int
    seed: int
    level: float

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers and dictionaries, for JSON."""
        return asdict(self)


def evaluate(
    found: Bitext | Links,
    gold: GoldLinks,
    *,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 0,
    level: float = 0.95,
) -> AlignmentReport:
    """Compare an alignment with gold links.

    Parameters
    ----------
    found
        The links of the gold sentences; or an aligned text whose first lines they are. Sentences
        that were skipped when it was read have no links.
    gold
        What should have been found; see `GoldLinks.read`, and `GoldLinks.within` for links that do
        not fit the text.
    samples
        How often the sentences are drawn anew for the intervals.
    seed
        The same seed gives the same intervals.
    level
        Share of the samples inside an interval.
    """
    return compare({"": found}, gold, samples=samples, seed=seed, level=level)[""]


def compare(
    found: Mapping[str, Bitext | Links],
    gold: GoldLinks,
    *,
    samples: int = DEFAULT_SAMPLES,
    seed: int = 0,
    level: float = 0.95,
) -> dict[str, AlignmentReport]:
    """Compare several alignments, by name, with gold links, and with the first of them.

    The same sentences are drawn for all, so that differences are paired. The other parameters are
    those of `evaluate`.
    """
    if not found:
        raise OptionError("there are no alignments to evaluate")
    significance.check_options(samples, level)
    check_seed(seed)
    alignments = _same_sentences(found, gold)
    gold = gold.padded(len(next(iter(alignments.values()))))
    if not len(gold.possible.positions):
        raise DataError(gold.name, None, "has no links", "give links made by hand")
    rows = {name: _statistics(links, gold) for name, links in alignments.items()}
    parts: dict[str, list[Floats]] = {
        name: [statistics.sum(axis=0, keepdims=True)] for name, statistics in rows.items()
    }
    for counts in significance.sentence_draws(len(gold), samples, seed):
        for name, statistics in rows.items():
            parts[name].append(counts @ statistics)
    sums = {name: np.concatenate(drawn) for name, drawn in parts.items()}
    first = next(iter(sums))
    reports = {}
    for name, own in sums.items():
        measure = partial(_measure, own, None if name == first else sums[first], level)
        reports[name] = AlignmentReport(
            sentences=len(gold),
            found=int(own[0, _FOUND]),
            sure=int(own[0, _SURE]),
            possible=len(_keys(gold.possible)),
            precision=measure(precision),
            recall=measure(recall),
            aer=measure(aer),
            f1=measure(f1),
            samples=samples,
            seed=seed,
            level=level,
        )
    return reports


def precision(sums: Floats) -> Floats:
    """Return the share of the found links that are possible ones, for each row of sums."""
    return ratio(sums[:, _FOUND_POSSIBLE], sums[:, _FOUND])


def recall(sums: Floats) -> Floats:
    """Return the share of the sure links that were found."""
    return ratio(sums[:, _FOUND_SURE], sums[:, _SURE])


def aer(sums: Floats) -> Floats:
    """Return the alignment error rate; 0 where there is nothing to find and nothing was found."""
    wanted = sums[:, _FOUND] + sums[:, _SURE]
    right = sums[:, _FOUND_SURE] + sums[:, _FOUND_POSSIBLE]
    return np.where(wanted > 0, 1 - ratio(right, wanted), 0.0)


def f1(sums: Floats) -> Floats:
    """Return the harmonic mean of precision and recall."""
    p, r = precision(sums), recall(sums)
    return ratio(2 * p * r, p + r)


def _measure(
    sums: Floats, base: Floats | None, level: float, score: Callable[[Floats], Floats]
) -> Measure:
    """Make a figure of sums: those of all sentences in the first row, then those of the samples."""
    scores = score(sums)
    difference = None
    if base is not None:
        differences = scores - score(base)
        difference = BootstrapDifference(
            float(differences[0]),
            *significance.interval(differences[1:], level),
            significance.bootstrap_p_value(differences[1:]),
        )
    return Measure(float(scores[0]), *significance.interval(scores[1:], level), difference)


def _same_sentences(found: Mapping[str, Bitext | Links], gold: GoldLinks) -> dict[str, Links]:
    """Return the links of the gold sentences, of as many for each alignment."""
    links: dict[str, Links] = {}
    for name, given in found.items():
        if isinstance(given, Bitext):
            if not given.aligned:
                raise OptionError(
                    "the text has no word alignment: give one, or make one (tartib align)"
                )
            lines = Links.of_lines(given)
            links[name] = lines.slice(0, min(len(gold), len(lines)))
        else:
            links[name] = given
    sizes = {name: len(one) for name, one in links.items()}
    for name, size in sizes.items():
        if size != len(gold) and (gold.complete or size < len(gold)):
            sentences = counted(size, "sentence")
            who = f"the alignment {name!r}" if name else "the alignment"
            problem = f"has links of {len(gold):,}, and {who} has {sentences}"
            raise DataError(gold.name, None, problem, "both must be of the same sentences")
    if len(set(sizes.values())) > 1:
        given_sizes = ", ".join(f"{size:,} ({name})" for name, size in sizes.items())
        raise OptionError(f"the alignments differ in their number of sentences: {given_sizes}")
    return links


def _keys(links: Links) -> NDArray[np.uint64]:
    """Return a number for each link, which no other link of any sentence has; each once."""
    sentence = ragged.owners_of(links.offsets).astype(np.uint64)
    return np.unique(sentence << np.uint64(32) | links.packed)


def _statistics(found: Links, gold: GoldLinks) -> Floats:
    """Return a row for each sentence: |A|, |S|, |A ∩ S|, |A ∩ P|."""
    keys, sure, possible = map(_keys, (found, gold.sure, gold.possible))
    columns = (
        keys,
        sure,
        np.intersect1d(keys, sure, assume_unique=True),
        np.intersect1d(keys, possible, assume_unique=True),
    )
    counts = [
        np.bincount((c >> np.uint64(32)).astype(np.int64), minlength=len(gold)) for c in columns
    ]
    return np.column_stack(counts).astype(np.float64)
