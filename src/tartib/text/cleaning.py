"""Pairs of sentences that nothing can be learnt from, left out and counted by reason."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import xxhash

from tartib.text.options import CleaningOptions
from tartib.text.scripts import (
    UNSPACED_CLASS,
    foreign_letters,
    letters_by_script,
    main_scripts,
    own_letters,
    scripts_of_language,
)

Pair = tuple[str, str]
REASONS = ("empty", "too long", "ratio", "script", "identical", "duplicate")
_SAMPLED = 2_000  # pairs whose scripts are those of the corpus
_LEAST_LETTERS = 8
_LEAST_OWN = 0.4
_RATIO_FROM = 10  # words
_unspaced = re.compile(f"[{UNSPACED_CLASS}]+")


@dataclass
class CleaningCounts:
    """What `clean_pairs` read, kept and left out, up to now.

    Attributes
    ----------
    read, kept
        Numbers of pairs.
    reasons
        Number of pairs that were left out for each of `REASONS`, which are tried in this order.
    """

    read: int = 0
    kept: int = 0
    reasons: dict[str, int] = field(default_factory=lambda: dict.fromkeys(REASONS, 0))

    @property
    def left_out(self) -> int:
        """Number of pairs that are not kept."""
        return self.read - self.kept


def clean_pairs(
    pairs: Iterable[Pair],
    options: CleaningOptions | None = None,
    *,
    languages: tuple[str, str] = ("", ""),
    counts: CleaningCounts | None = None,
) -> Iterator[Pair]:
    """Yield the pairs that are worth learning from, in their order and as they are.

    Parameters
    ----------
    pairs
        Raw lines of both sides.
    options
        What is left out.
    languages
        Where their script is known it is expected; otherwise, that of the first pairs.
    counts
        Is brought up to date while pairs are read.
    """
    options = options or CleaningOptions()
    counts = counts if counts is not None else CleaningCounts()
    pairs = iter(pairs)
    first = list(itertools.islice(pairs, _SAMPLED))
    scripts = tuple(
        _Scripts(language, [pair[side] for pair in first])
        for side, language in enumerate(languages)
    )
    seen = _Seen()
    for source, target in itertools.chain(first, pairs):
        counts.read += 1
        reason = _reason(source, target, options, scripts)
        if not reason and options.duplicates and seen.add(f"{source.strip()}\n{target.strip()}"):
            reason = "duplicate"
        if reason:
            counts.reasons[reason] += 1
            continue
        counts.kept += 1
        yield source, target


def words_of(line: str) -> int:
    """Return about how many words a raw line has."""
    words = len(line.split())
    if line.isascii():
        return words
    unspaced = _unspaced.findall(line)
    return max(words, words + sum(map(len, unspaced)) // 2 - len(unspaced))


def _reason(
    source: str, target: str, options: CleaningOptions, scripts: tuple[_Scripts, ...]
) -> str:
    """Return why a pair is left out; empty if it is not."""
    lengths = words_of(source), words_of(target)
    if not (source.strip() and target.strip()):
        return "empty"
    if max(lengths) > options.max_words:
        return "too long"
    if max(lengths) > _RATIO_FROM and max(lengths) > options.max_ratio * max(min(lengths), 1):
        return "ratio"
    if options.scripts and not (scripts[0].fits(source) and scripts[1].fits(target)):
        return "script"
    if lengths[0] > options.identical_words and source.strip() == target.strip():
        return "identical"
    return ""


class _Scripts:
    """Whether lines are in the scripts of a side."""

    def __init__(self, language: str, lines: list[str]) -> None:
        counts = letters_by_script(lines)
        known = scripts_of_language(language)
        # Lines in another script than the language's are not left out if all of them are.
        if not any(script in counts for script in known):
            known = ()
        expected = known or main_scripts(counts)
        self._foreign = foreign_letters(expected) if expected else None
        self._own = own_letters(expected) if expected else None

    def fits(self, line: str) -> bool:
        if self._foreign is None or self._own is None or not self._foreign.search(line):
            return True
        foreign = sum(map(len, self._foreign.findall(line)))
        own = sum(map(len, self._own.findall(line)))
        return foreign + own < _LEAST_LETTERS or own >= _LEAST_OWN * (foreign + own)


class _Seen:
    """64-bit hashes of what was seen: eight bytes each, and a set of the last ones."""

    _MOST = 1 << 17

    def __init__(self) -> None:
        self._sorted = np.zeros(0, np.uint64)
        self._new: set[int] = set()

    def add(self, text: str) -> bool:
        """Tell whether a text was seen before, and remember it."""
        key = xxhash.xxh3_64_intdigest(text.encode(errors="surrogatepass"))
        if key in self._new:
            return True
        if len(self._sorted):
            place = int(np.searchsorted(self._sorted, np.uint64(key)))
            if place < len(self._sorted) and int(self._sorted[place]) == key:
                return True
        self._new.add(key)
        if len(self._new) >= self._MOST:
            new = np.fromiter(self._new, np.uint64, len(self._new))
            self._sorted = np.sort(np.concatenate((self._sorted, new)))
            self._new.clear()
        return False
