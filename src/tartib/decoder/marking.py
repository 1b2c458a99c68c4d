"""`Marker`: where the forced translations of a text come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from tartib.decoder.copies import copies
from tartib.decoder.long_sentences import MAX_WORDS
from tartib.decoder.marked_sentence import MarkedSentence
from tartib.decoder.markup import MarkupReader, ToWords
from tartib.decoder.terms import Terms
from tartib.errors import DataError
from tartib.textio import split_words


@dataclass(frozen=True)
class Marker:
    """Gives sentences their forced translations; where two have the same words, the first counts.

    Parameters
    ----------
    markup
        Reads the tags of a line; None takes them for words.
    terms
        A glossary.
    copies
        Whether addresses and placeholders stay as they are.
    exclusive
        As in `MarkedSentence`.
    source
        Turns a line without tags into words separated by spaces; the default takes it for such.
    """

    markup: MarkupReader | None = None
    terms: Terms | None = None
    copies: bool = False
    exclusive: bool = True
    source: ToWords = str

    def mark(self, line: str, number: int | None = None) -> MarkedSentence:
        """Return the sentence of a line, whose number is for errors."""
        line = line.removesuffix("\n").removesuffix("\r")
        if self.markup is not None:
            sentence = self.markup.read(line, number)
        else:
            sentence = MarkedSentence(tuple(split_words(self.source(line))), text=line)
        if len(sentence.words) > MAX_WORDS:
            problem = f"becomes {len(sentence.words):,} words: at most {MAX_WORDS:,} are allowed"
            raise DataError("the input", number, problem, "give one sentence per line; cut it")
        forced = list(sentence.forced)
        if self.terms is not None:
            forced += self.terms.mark(sentence.words, [one.span for one in forced])
        if self.copies:
            forced += copies(sentence.words, [one.span for one in forced])
        return replace(sentence, forced=tuple(forced), exclusive=self.exclusive)

    def mark_all(self, lines: Iterable[str], first: int = 1) -> Iterator[MarkedSentence]:
        """Yield the sentence of each line; the first one has this number."""
        return (self.mark(line, number) for number, line in enumerate(lines, first))
