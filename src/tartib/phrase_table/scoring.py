"""Phrase pairs counted, scored and pruned: the arrays of a phrase table."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from numpy.typing import NDArray

from tartib import _native
from tartib.engine import count_jobs
from tartib.errors import OptionError, native_refusals
from tartib.phrase_table.lexical_table import LexicalTable, is_whole
from tartib.phrases import PhrasePairs
from tartib.progress import progress_bar

DISCOUNTING = {
    "none": _native.NO_DISCOUNTING,
    "good-turing": _native.GOOD_TURING,
    "kneser-ney": _native.KNESER_NEY,
}
# Just above and just below log N, which is -log p of two phrases seen once, and together.
_RELATIVE = {"a+e": 1.0, "a-e": -1.0}
_STEPS = 4


@dataclass(frozen=True)
class ScoringOptions:
    """How phrase pairs are scored and which are kept.

    Attributes
    ----------
    discounting
        ``none``, ``good-turing`` or ``kneser-ney`` (Foster et al. 2006, with Moses' formulas).
    min_count
        Keep pairs extracted at least this often.
    significance_pruning
        Keep pairs whose -log p in Fisher's exact test is at least this number (Johnson et al.
        2007). ``a+e`` is just more than pairs of phrases have that occur once each, which may be
        chance; ``a-e`` is just less.
    table_limit
        Keep this many translations of each source phrase, those with the highest p(e|f).
    """

    discounting: str = "none"
    min_count: int = 1
    significance_pruning: float | str | None = None
    table_limit: int | None = None

    def __post_init__(self) -> None:
        if self.discounting not in DISCOUNTING:
            known = ", ".join(DISCOUNTING)
            raise OptionError(f"unknown discounting {self.discounting!r}: it is one of {known}")
        if self.min_count < 1:
            raise OptionError(f"min_count must be 1 or more, got {self.min_count}")
        if self.table_limit is not None and self.table_limit < 1:
            raise OptionError(f"the table limit must be 1 or more: {self.table_limit}")
        self.threshold()

    def threshold(self) -> tuple[float | None, bool]:
        """Return the least -log p, and whether it is one beside log N."""
        if self.significance_pruning is None:
            return None, False
        if self.significance_pruning in _RELATIVE:
            return _RELATIVE[str(self.significance_pruning)], True
        try:
            least = float(self.significance_pruning)
        except ValueError:
            least = math.nan
        if not math.isfinite(least):
            given = self.significance_pruning
            raise OptionError(f"significance pruning is a number, a+e or a-e: {given!r}")
        return least, False

    def parts(self) -> list[tuple[str, object]]:
        """Return what differs from the defaults, for a signature."""
        defaults = asdict(ScoringOptions())
        return [(name, value) for name, value in asdict(self).items() if value != defaults[name]]


def build_arrays(
    phrases: PhrasePairs,
    options: ScoringOptions,
    lexical: LexicalTable | None,
    n_jobs: int | None,
    progress: bool,
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a phrase table with four scores and three counts a row."""
    bitext = phrases.bitext
    if lexical is None:
        lexical = LexicalTable.count(phrases)
    with (
        native_refusals(),
        progress_bar("Scoring", _STEPS, "steps", shown=progress) as advance,
    ):
        scorer = _native.PhraseScorer(
            phrases.block(0, len(bitext)),
            lexical.native,
            bitext.source.vocabulary.native,
            bitext.target.vocabulary.native,
            is_whole(phrases),
            count_jobs(n_jobs),
        )
        for step in range(_STEPS - 1):
            scorer.prepare(step)
            advance(1)
        arrays = scorer.score(
            DISCOUNTING[options.discounting],
            options.min_count,
            options.table_limit or 0,
            *options.threshold(),
        )
        advance(1)
    return arrays
