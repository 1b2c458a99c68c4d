"""Several systems, each tuned once or several times, by several metrics, against a baseline.

J. Clark, C. Dyer, A. Lavie, N. Smith, "Better hypothesis testing for statistical machine
translation: controlling for optimizer instability", ACL 2011: a tuner that is run again finds other
weights, and the score changes with them; one run a system says little about small differences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tartib.errors import OptionError
from tartib.evaluation import significance
from tartib.evaluation.metrics import Floats, Metric, Output, check_references
from tartib.evaluation.translation import translation_metric
from tartib.evaluation.word_order import Order, order_metrics
from tartib.progress import progress_bar

SIGNIFICANCE_TESTS = ("bootstrap", "randomisation")
DEFAULT_METRICS = ("bleu", "nist", "chrf")


@dataclass(frozen=True)
class Difference:
    """How much a system differs from the baseline.

    Attributes
    ----------
    score
        Mean of its runs minus mean of the baseline's.
    low, high
        Percentile interval by the bootstrap.
    p_value
        Two-sided, of the test that was asked for.
    """

    score: float
    low: float
    high: float
    p_value: float


@dataclass(frozen=True)
class Figure:
    """What a metric says of a system.

    Attributes
    ----------
    score
        Mean of the runs.
    low, high
        Percentile interval by the bootstrap.
    runs
        Score of each run.
    s_sel
        Standard deviation that comes from the choice of test sentences: that of the bootstrap, the
        mean over the runs (MultEval's name).
    s_opt
        Standard deviation of the runs' scores, which comes from tuning (s_test in the paper); None
        for a single run.
    difference
        From the baseline; None for the baseline itself.
    """

    score: float
    low: float
    high: float
    runs: tuple[float, ...]
    s_sel: float
    s_opt: float | None
    difference: Difference | None


@dataclass(frozen=True)
class MetricNote:
    """Name, signature and direction of a metric: see `Metric`."""

    signature: str
    higher_is_better: bool

    @classmethod
    def of(cls, metric: Metric[Any]) -> MetricNote:
        """Take the notes of a metric."""
        return cls(metric.signature, metric.higher_is_better)


@dataclass(frozen=True)
class Comparison:
    """Figures of all systems.

    Attributes
    ----------
    sentences
        How many were scored.
    baseline
        Name of the system that the others are compared with.
    significance_test, samples, seed, level
        As asked for.
    metrics
        By name, in order.
    systems
        By name of system and metric, in order.
    """

    sentences: int
    baseline: str
    significance_test: str
    samples: int
    seed: int
    level: float
    metrics: dict[str, MetricNote]
    systems: dict[str, dict[str, Figure]]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as plain numbers, lists and dictionaries, for JSON."""
        return asdict(self)

    def signature(self, metric: str) -> str:
        """Return all that the p-values and intervals of a metric depend on, in sacreBLEU's way."""
        short = {"bootstrap": "bs", "randomisation": "ar"}[self.significance_test]
        references, _, rest = self.metrics[metric].signature.partition("|")
        return f"{metric}|{references}|{short}:{self.samples}|seed:{self.seed}|{rest}"


def compare(
    systems: Mapping[str, Sequence[Sequence[str]]],
    references: Sequence[Sequence[str]],
    *,
    metrics: Sequence[str] = DEFAULT_METRICS,
    orders: Mapping[str, Sequence[Sequence[Order]]] | None = None,
    reference_orders: Sequence[Sequence[Order]] = (),
    baseline: str | None = None,
    significance_test: str = "bootstrap",
    samples: int = 1000,
    seed: int = 0,
    level: float = 0.95,
    tokenize: str = "none",
    lowercase: bool = False,
    progress: bool = False,
) -> Comparison:
    """Score systems, and compare them with one of them.

    Parameters
    ----------
    systems
        By name the runs of each system, each of them the lines of its output.
    references
        One list of lines, or several of equal length.
    metrics
        ``bleu``, ``nist``, ``chrf``, ``chrf++``, ``ter``. TER takes seconds to a minute a run.
    orders
        By name and run the order that the output implies, as `source_orders` finds it. With
        ``reference_orders`` Kendall's τ and the fuzzy reordering score are added to the metrics.
    reference_orders
        The same for each reference.
    baseline
        Name of the system to compare with; the first one by default.
    significance_test
        ``bootstrap``: p-values from samples of sentences, drawn with replacement, the same for all
        systems, and of each system's runs. ``randomisation``: from outputs dealt out anew among the
        systems; intervals are still those of the bootstrap.
    samples
        Of either test.
    seed
        The same seed gives the same result.
    level
        Share of the samples inside an interval.
    tokenize, lowercase
        As in `translation_metric`.
    progress
        Show a progress bar on a terminal.
    """
    sentences = check_references(references)
    against = _check_systems(systems, sentences, baseline)
    significance.check_options(samples, level)
    if significance_test not in SIGNIFICANCE_TESTS:
        known = ", ".join(SIGNIFICANCE_TESTS)
        raise OptionError(f"unknown significance test {significance_test!r}: it is one of {known}")
    texts = [
        translation_metric(name, references, tokenize=tokenize, lowercase=lowercase)
        for name in dict.fromkeys(metrics)
    ]
    if orders and not reference_orders:
        raise OptionError("orders need reference_orders to be compared with")
    moves = order_metrics(reference_orders) if reference_orders else []
    ordered = _check_orders(orders or {}, systems) if reference_orders else {}
    if moves and moves[0].sentences != sentences:
        given = f"{moves[0].sentences:,} sentences, and the references {sentences:,}"
        raise OptionError(f"alignments of references have {given}")
    if not texts and not moves:
        raise OptionError("give at least one metric")
    judged = [_judge(metric, systems, progress) for metric in texts]
    judged += [_judge(metric, ordered, progress) for metric in moves]
    drawn = _bootstrap(judged, samples, seed, progress)
    figures: dict[str, dict[str, Figure]] = {name: {} for name in systems}
    for one, scores in zip(judged, drawn, strict=True):
        p_values = None
        if significance_test == "randomisation":
            p_values = _randomisation(one, against, samples, seed, progress)
        for name in systems:
            figures[name][one.metric.name] = _figure(one, name, against, scores, level, p_values)
    notes = {j.metric.name: MetricNote.of(j.metric) for j in judged}
    return Comparison(sentences, against, significance_test, samples, seed, level, notes, figures)


@dataclass(frozen=True, eq=False)
class _Judged:
    """A metric and what it found: for each system runs × sentences × columns."""

    metric: Metric[Any]
    statistics: dict[str, Floats]

    def scores(self, name: str) -> Floats:
        """Return the score of each run."""
        return self.metric.score(self.statistics[name].sum(axis=1))


def _judge(
    metric: Metric[Output], systems: Mapping[str, Sequence[Sequence[Output]]], progress: bool
) -> _Judged:
    total = metric.sentences * sum(map(len, systems.values()))
    with progress_bar(f"Scoring by {metric.name}", total, "sentences", shown=progress) as advance:
        found = {
            name: np.stack([metric.statistics(run, advance) for run in runs])
            for name, runs in systems.items()
        }
    return _Judged(metric, found)


def _bootstrap(
    judged: Sequence[_Judged], samples: int, seed: int, progress: bool
) -> list[dict[str, Floats]]:
    """Return for each metric and system the mean and each run's score, samples × (1 + runs).

    The mean is that of as many runs as there are, drawn with replacement.
    """
    runs = {name: len(found) for name, found in judged[0].statistics.items()}
    ends = np.cumsum(list(runs.values()))
    tables = [np.concatenate(list(j.statistics.values())).swapaxes(0, 1) for j in judged]
    parts: list[list[Floats]] = [[] for _ in judged]
    with progress_bar("Drawing sentences", samples, "samples", shown=progress) as advance:
        for counts in significance.sentence_draws(len(tables[0]), samples, seed):
            for one, table, into in zip(judged, tables, parts, strict=True):
                sums = np.tensordot(counts, table, axes=1)  # samples × runs of all × columns
                flat = sums.reshape(-1, sums.shape[2])
                into.append(one.metric.score(flat).reshape(sums.shape[:2]))
            advance(len(counts))
    weights = {
        # Not from 0: a seed followed by zeros draws the same as the seed alone.
        name: _run_weights(count, samples, [seed, number])
        for number, (name, count) in enumerate(runs.items(), 1)
    }
    return [
        {
            name: np.column_stack(((scores * weights[name]).sum(axis=1), scores))
            for name, scores in zip(
                runs, np.split(np.concatenate(into), ends[:-1], axis=1), strict=True
            )
        }
        for into in parts
    ]


def _run_weights(runs: int, samples: int, seed: Sequence[int]) -> Floats:
    """Return the share that each run (column) has in each sample (row)."""
    drawn = np.random.default_rng(seed).multinomial(runs, np.full(runs, 1 / runs), samples)
    return drawn / runs


def _randomisation(
    judged: _Judged, baseline: str, samples: int, seed: int, progress: bool
) -> dict[str, float]:
    """Return the p-value of each system; those with the same number of runs share their samples."""
    score = judged.metric.score
    others = {name: found for name, found in judged.statistics.items() if name != baseline}
    base = judged.statistics[baseline]
    found: dict[str, float] = {}
    total = samples * len({len(runs) for runs in others.values()})
    label = f"Dealing out for {judged.metric.name}"
    with progress_bar(label, total, "samples", shown=progress) as advance:
        for count in sorted({len(runs) for runs in others.values()}):
            group = [name for name, runs in others.items() if len(runs) == count]
            first = np.concatenate([others[name] for name in group], axis=2)
            second = np.tile(base, len(group))
            drawn = []
            for sums in significance.dealt_sums(first, second, samples, seed):
                one, other = (
                    score(side.reshape(-1, base.shape[2])).reshape(-1, len(group)) for side in sums
                )
                drawn.append(one - other)
                advance(len(one))
            for name, differences in zip(group, np.concatenate(drawn).T, strict=True):
                pooled = np.stack([others[name].sum(axis=(0, 1)), base.sum(axis=(0, 1))])
                real, against = score(pooled)
                p_value = significance.randomisation_p_value(differences, real - against)
                found[name] = p_value
    return found


def _figure(
    judged: _Judged,
    name: str,
    baseline: str,
    drawn: dict[str, Floats],
    level: float,
    p_values: Mapping[str, float] | None,
) -> Figure:
    runs = judged.scores(name)
    difference = None
    if name != baseline:
        differences = drawn[name][:, 0] - drawn[baseline][:, 0]
        difference = Difference(
            float(runs.mean() - judged.scores(baseline).mean()),
            *significance.interval(differences, level),
            significance.bootstrap_p_value(differences) if p_values is None else p_values[name],
        )
    return Figure(
        float(runs.mean()),
        *significance.interval(drawn[name][:, 0], level),
        tuple(runs.tolist()),
        float(drawn[name][:, 1:].std(axis=0).mean()),
        float(runs.std(ddof=1)) if len(runs) > 1 else None,
        difference,
    )


def _check_systems(
    systems: Mapping[str, Sequence[Sequence[str]]], sentences: int, baseline: str | None
) -> str:
    """Return the name of the baseline."""
    if not systems:
        raise OptionError("there are no systems to score")
    for name, runs in systems.items():
        if not runs:
            raise OptionError(f"system {name!r} has no output")
        for number, lines in enumerate(runs, 1):
            if len(lines) != sentences:
                raise OptionError(
                    f"system {name!r}, run {number}: {len(lines):,} translations, but "
                    f"{sentences:,} lines in each reference"
                )
    if baseline is not None and baseline not in systems:
        raise OptionError(f"no system {baseline!r} to compare with: {', '.join(systems)} given")
    return next(iter(systems)) if baseline is None else baseline


def _check_orders(
    orders: Mapping[str, Sequence[Sequence[Order]]], systems: Mapping[str, Sequence[Sequence[str]]]
) -> dict[str, Sequence[Sequence[Order]]]:
    """Return orders for all systems, as theirs are ordered."""
    for name, runs in systems.items():
        given = len(orders.get(name, ()))
        if given != len(runs):
            raise OptionError(
                f"word order needs an alignment of each output: system {name!r} has "
                f"{len(runs)} and {given} alignments"
            )
    return {name: orders[name] for name in systems}
