"""Interpolated modified Kneser–Ney estimation, as KenLM's ``lmplz`` does it.

The definition is above ``native/lm/estimation.hpp``. The discounts of each order come from the
numbers n1 … n4 of its n-grams with adjusted counts of 1 … 4 (Chen and Goodman 1998, eq. 26):

    D(k) = k - (k + 1) Y n(k+1) / n(k),   Y = n1 / (n1 + 2 n2)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tartib import _native
from tartib.engine import count_jobs
from tartib.errors import DataError, OptionError
from tartib.lm.table import Table
from tartib.progress import progress_bar
from tartib.signature import signature
from tartib.textio import Text, count_lines, name_of_text, text_blocks
from tartib.vocabulary import Vocabulary

DEFAULT_FALLBACK = (0.5, 1.0, 1.5)
Discounts = tuple[float, float, float]


def estimate_table(
    text: Text,
    order: int,
    prune: Sequence[int],
    fallback: Sequence[float] | None,
    *,
    skip_symbols: bool = False,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Table:
    """Estimate a model; see `LanguageModel.estimate`."""
    if not 1 <= order <= _native.MAX_ORDER:
        raise OptionError(f"the order must be from 1 to {_native.MAX_ORDER}: {order}")
    thresholds = check_thresholds(prune, order)
    spare = None if fallback is None else check_fallback(fallback)
    threads = count_jobs(n_jobs)
    vocabulary, ids = _read(text, skip_symbols, progress)
    words, lines, skipped = len(ids) - 2 * ids.lines, ids.lines, ids.skipped
    estimated: list[Discounts] = []
    with progress_bar("estimating", order + 1, "orders", shown=progress) as advance:
        estimator = _native.LmEstimator(ids, order, threads)
        for n, threshold in enumerate(thresholds, 1):
            numbers = estimator.count(threshold)
            estimated.append(_discounts(n, numbers, spare, name_of_text(text)))
            estimator.estimate(*estimated[-1])
            advance(1)
        ngrams, reach, counts = estimator.finish()
        advance(1)
    made = signature(
        ("order", order),
        ("smoothing", "modified Kneser-Ney"),
        ("prune", ",".join(map(str, thresholds))),
        ("fallback", "no" if spare is None else ",".join(f"{d:g}" for d in spare)),
        ("lines", lines),
        ("words", words),
        *((("skipped-symbols", skipped),) if skipped else ()),
    )
    return Table(vocabulary, ngrams, reach, tuple(counts.tolist()), made)


def check_thresholds(prune: Sequence[int], order: int) -> tuple[int, ...]:
    """Return a threshold for each order; the last one given holds for all higher orders."""
    given = tuple(prune) or (0,)
    problem = None
    if len(given) > order:
        problem = f"more thresholds than orders, which are {order}"
    elif any(not 0 <= threshold < 1 << 32 for threshold in given):
        problem = "thresholds must be 0 or more"
    elif given[0] != 0:
        problem = "words cannot be pruned: the first threshold must be 0"
    elif list(given) != sorted(given):
        problem = "no threshold may be lower than the one before, or n-grams would lose their parts"
    if problem is not None:
        raise OptionError(f"pruning {','.join(map(str, prune))}: {problem}; such as 0,0,1")
    return given + given[-1:] * (order - len(given))


def check_fallback(fallback: Sequence[float]) -> Discounts:
    """Return discounts for adjusted counts of 1, 2, and 3 or more."""
    if len(fallback) != 3 or any(not 0 <= d <= k for k, d in enumerate(fallback, 1)):
        said = " ".join(f"{d:g}" for d in fallback)
        raise OptionError(
            f"fallback discounts {said}: give three, from 0 to 1, 2 and 3; such as 0.5 1 1.5"
        )
    one, two, more = fallback
    return one, two, more


def _discounts(
    n: int, numbers: Sequence[int], fallback: Discounts | None, path: str | Path
) -> Discounts:
    """Return D(1), D(2), D(3), or the fallback if they cannot be computed."""
    if all(numbers[1:4]):
        y = numbers[1] / (numbers[1] + 2 * numbers[2])
        one, two, more = (k - (k + 1) * y * numbers[k + 1] / numbers[k] for k in (1, 2, 3))
        if 0 <= one <= 1 and 0 <= two <= 2 and 0 <= more <= 3:
            return one, two, more
    if fallback is not None:
        return fallback
    seen = ", ".join(f"{numbers[k]:,} of count {k}" for k in (1, 2, 3, 4))
    problem = f"text too small or too regular for Kneser–Ney discounts of {n}-grams ({seen})"
    hint = (
        "take more text or a lower order, or set fixed discounts for such orders: "
        "--discount-fallback 0.5,1,1.5 (discount_fallback=True in Python)"
    )
    raise DataError(path, None, problem, hint)


def _read(text: Text, skip_symbols: bool, progress: bool) -> tuple[Vocabulary, _native.LmText]:
    vocabulary = Vocabulary()
    ids = _native.LmText(vocabulary.native, skip_symbols)
    with progress_bar("reading", None, "lines", shown=progress) as advance:
        for block in text_blocks(text):
            if (defect := ids.add(block)) is not None:
                _refuse(name_of_text(text), *defect)
            advance(count_lines(block))
    if len(ids) == 0:
        raise DataError(name_of_text(text), None, "the text is empty", "give at least one line")
    return vocabulary, ids


def _refuse(path: str | Path, line: int, problem: bytes) -> None:
    hint = "correct or remove the line"
    if b"symbol" in problem:
        hint = "correct the line, or leave such symbols out with --skip-symbols"
    raise DataError(path, line, problem.decode(errors="replace"), hint)
