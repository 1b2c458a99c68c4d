"""`Terms`: a glossary, whose translations are forced wherever its phrases occur."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from tartib.decoder.marked_sentence import MAX_FORCED, Forced
from tartib.errors import DataError, OptionError
from tartib.textio import read_lines, split_words
from tartib.wording import counted

Words = tuple[str, ...]
_COMMENT = "#"


class Terms:
    """Source phrases and their translations, in the tokens of a system.

    `mark` finds the phrases from left to right, at each place the longest one. Where a phrase has
    several translations, the decoder chooses.

    Parameters
    ----------
    ignore_case
        Whether phrases are found whatever the case of their letters.
    """

    def __init__(self, *, ignore_case: bool = False) -> None:
        self.ignore_case = ignore_case
        self._translations: dict[Words, dict[Words, None]] = {}
        self._lengths: dict[str, list[int]] = {}  # of the phrases that begin with a word

    @classmethod
    def of(cls, pairs: Iterable[tuple[str, str]], *, ignore_case: bool = False) -> Terms:
        """Make a glossary of pairs of phrases, their words separated by spaces."""
        terms = cls(ignore_case=ignore_case)
        for source, target in pairs:
            terms.add(source, target)
        return terms

    @classmethod
    def read(
        cls,
        path: str | Path,
        *,
        ignore_case: bool = False,
        source: Callable[[str], str | Iterable[str]] = str,
        target: Callable[[str], str] = str,
    ) -> Terms:
        """Read lines of a source phrase, a tab and its translation.

        Parameters
        ----------
        path
            The file, plain or compressed. Empty lines are skipped, and lines that are ``#`` or
            begin with ``#`` and a space: comments.
        ignore_case
            As above.
        source, target
            Turn phrases into words separated by spaces; the default takes them for such. A source
            phrase may become several, all of which are looked for.
        """
        terms = cls(ignore_case=ignore_case)
        for number, line in enumerate(read_lines(path), 1):
            if not line.strip() or line == _COMMENT or line.startswith(f"{_COMMENT} "):
                continue
            fields = line.split("\t")
            if len(fields) != 2:
                problem = f"{counted(len(fields) - 1, 'tab')} instead of one"
                hint = "write a source phrase, a tab and its translation on each line"
                raise DataError(path, number, problem, hint)
            try:
                found = source(fields[0])
                translation = target(fields[1])
                for phrase in (found,) if isinstance(found, str) else found:
                    terms.add(phrase, translation)
            except OptionError as error:
                hint = "write a source phrase, a tab and its translation on each line"
                raise DataError(path, number, str(error), hint) from None
        return terms

    def __len__(self) -> int:
        return len(self._translations)

    def __repr__(self) -> str:
        return f"<Terms: {counted(len(self), 'source phrase')}>"

    def add(self, source: str, target: str) -> None:
        """Add a translation, of a phrase that may have others."""
        phrase, translation = self._key(split_words(source)), tuple(split_words(target))
        for side, words in (("source", phrase), ("target", translation)):
            if not 0 < len(words) <= MAX_FORCED:
                count = counted(len(words), "word")
                raise OptionError(f"the {side} phrase has {count}, not from 1 to {MAX_FORCED}")
        self._translations.setdefault(phrase, {})[translation] = None
        lengths = self._lengths.setdefault(phrase[0], [])
        if len(phrase) not in lengths:
            lengths.append(len(phrase))
            lengths.sort(reverse=True)

    def mark(self, words: Sequence[str], taken: Iterable[tuple[int, int]] = ()) -> list[Forced]:
        """Return the translations of the phrases that occur in a sentence.

        Parameters
        ----------
        words
            The sentence.
        taken
            Spans [start, end) that have translations already.
        """
        keys = self._key(words)
        is_taken = {i for begin, end in taken for i in range(begin, end)}
        found: list[Forced] = []
        start = 0
        while start < len(keys):
            end = next(
                (e for e in self._ends(keys, start) if is_taken.isdisjoint(range(start, e))), start
            )
            for target in self._translations.get(keys[start:end], ()):
                found.append(Forced(start, end, target))
            start = max(end, start + 1)
        return found

    def _ends(self, keys: Words, start: int) -> Iterable[int]:
        """Return where the phrases that begin at a place end, the longest first."""
        ends = (start + length for length in self._lengths.get(keys[start], ()))
        return (end for end in ends if keys[start:end] in self._translations and end <= len(keys))

    def _key(self, words: Sequence[str]) -> Words:
        return tuple(word.casefold() for word in words) if self.ignore_case else tuple(words)
