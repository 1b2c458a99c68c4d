"""Moses' XML input: sentences with tags that give translations.

    das ist <n translation="a house||a home" prob="0.8||0.2">ein haus</n> .

What is between a tag and its end is translated as the tag says. A ``<`` that no letter and no ``/``
follows is a word like others, and so is an ``&`` that begins none of the escapes below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from tartib.decoder.marked_sentence import MAX_FORCED, Forced, MarkedSentence
from tartib.errors import DataError
from tartib.textio import split_words
from tartib.vocabulary import Vocabulary
from tartib.wording import counted

ToWords = Callable[[str], str]

_BEGIN = re.compile(r"<(?=[A-Za-z/])")
_VALUE = r'"[^"]*"|' + r"'[^']*'"
_NAME = r"[A-Za-z][\w.:-]*"
_ATTRIBUTE = re.compile(rf"\s+({_NAME})\s*=\s*({_VALUE})")
_TAG = re.compile(rf"<(/?)({_NAME})((?:{_ATTRIBUTE.pattern})*)\s*(/?)>")
_ESCAPE = re.compile("&(lt|gt|amp|quot|apos|#124|#91|#93);")
_LETTERS = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_LETTERS |= {"#124": "|", "#91": "[", "#93": "]"}
_WITH_MEANING = ("wall", "zone", "ne", "update", "weight-overwrite")  # to Moses
_SHOWN = 30  # letters of what is wrong


class Segment(NamedTuple):
    """Text between tags, with the translations that its tag gives it, if it has one."""

    text: str
    translations: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class MarkupReader:
    """Reads sentences with tags.

    Parameters
    ----------
    path
        Of the text, for errors.
    escaped
        Whether the system's words are escaped themselves, as those of Moses' tokeniser are
        (`has_escapes`): then escapes in the text stay.
    source
        Turns the texts between tags into words separated by spaces, all texts of a line at once;
        the default takes them for such.
    target
        The same for a translation.
    """

    path: str | Path = "-"
    escaped: bool = False
    source: Callable[[Sequence[str]], Sequence[str]] = tuple
    target: ToWords = str

    def read(self, line: str, number: int | None = None) -> MarkedSentence:
        """Return the sentence of a line, whose number is for errors."""
        words: list[str] = []
        forced: list[Forced] = []
        segments = self.segments(line, number)
        prepared = self.source([segment.text for segment in segments])
        for segment, text in zip(segments, prepared, strict=True):
            begin = len(words)
            words += split_words(text)
            size = len(words) - begin
            if segment.translations and not 0 < size <= MAX_FORCED:
                problem = f"{counted(size, 'word')} between a tag and its end"
                hint = f'write from 1 to {MAX_FORCED} words there: <x translation="house">haus</x>'
                raise DataError(self.path, number, problem, hint)
            for translation, probability in segment.translations:
                target = tuple(split_words(self.target(translation)))
                if not 0 < len(target) <= MAX_FORCED:
                    problem = f"a translation of {counted(len(target), 'word')}"
                    hint = f"give from 1 to {MAX_FORCED} words; || stands between alternatives"
                    raise DataError(self.path, number, problem, hint)
                forced.append(Forced(begin, len(words), target, probability))
        plain = "".join(segment.text for segment in segments)
        return MarkedSentence(tuple(words), tuple(forced), text=plain)

    def segments(self, line: str, number: int | None = None) -> list[Segment]:
        """Cut a line at its tags."""
        found: list[Segment] = []
        done, opened = 0, None
        for begin in _BEGIN.finditer(line):
            if begin.start() < done:  # inside an attribute
                continue
            tag = _TAG.match(line, begin.start())
            if tag is None:
                raise self._error(number, "a tag is not well-formed", line[begin.start() :])
            found.append(Segment(self._text(line[done : tag.start()]), self._given(opened, number)))
            opened, done = self._after(opened, tag, number), tag.end()
        if opened is not None:
            raise self._error(number, "a tag is not closed", opened[0])
        found.append(Segment(self._text(line[done:])))
        return [segment for segment in found if segment.text or segment.translations]

    def _after(
        self, opened: re.Match[str] | None, tag: re.Match[str], number: int | None
    ) -> re.Match[str] | None:
        """Return the tag that is open after another one."""
        closes, name, *_, alone = tag.groups()
        if name in _WITH_MEANING:
            problem = f"the tag <{name}> is not supported"
            hint = "only tags with a translation are: remove the others"
            raise DataError(self.path, number, problem, hint)
        if closes:
            if opened is None:
                raise self._error(number, "a tag is closed that is not open", tag[0])
            if opened[2] != name or alone or tag[3]:
                raise self._error(number, f"<{opened[2]}> is closed by another tag", tag[0])
            return None
        if opened is not None:
            raise self._error(number, f"a tag is inside of <{opened[2]}>", tag[0])
        if alone:
            raise self._error(number, "a tag has no words", tag[0])
        return tag

    def _given(
        self, opened: re.Match[str] | None, number: int | None
    ) -> tuple[tuple[str, float], ...]:
        if opened is None:
            return ()
        attributes = {name: value[1:-1] for name, value in _ATTRIBUTE.findall(opened[3])}
        texts = [
            self._text(text)
            for name in ("translation", "english")  # its old name
            if name in attributes
            for text in attributes[name].split("||")
        ]
        if not texts:
            raise self._error(number, "a tag has no translation", opened[0])
        if "span" in attributes:
            raise self._error(number, "the attribute span is not supported", opened[0])
        chances = attributes["prob"].split("||") if "prob" in attributes else ["1"] * len(texts)
        if len(chances) != len(texts):
            problem = f"{counted(len(texts), 'translation')}, but {len(chances)} probabilities"
            raise self._error(number, problem, opened[0])
        return tuple((t, self._chance(c, number)) for t, c in zip(texts, chances, strict=True))

    def _chance(self, text: str, number: int | None) -> float:
        try:
            chance = float(text)
        except ValueError:
            chance = -1.0
        if not 0 <= chance <= 1:
            problem = f"prob is not from 0 to 1: {text[:_SHOWN]!r}"
            raise DataError(
                self.path, number, problem, "give a number such as 0.8, or leave it out"
            )
        return chance

    def _text(self, text: str) -> str:
        return text if self.escaped else _ESCAPE.sub(lambda found: _LETTERS[found[1]], text)

    def _error(self, number: int | None, problem: str, where: str) -> DataError:
        shown = where if len(where) <= _SHOWN else f"{where[:_SHOWN]}…"
        hint = (
            'tags look like <x translation="house">haus</x>, and cannot contain each other; '
            "write &lt; for the letter <"
        )
        return DataError(self.path, number, f"{problem}: {shown}", hint)


def has_escapes(words: Vocabulary) -> bool:
    """Whether a text's words are escaped, as by Moses' tokeniser."""
    return any(words.id(f"&{name};{end}") is not None for name in _LETTERS for end in ("", "s"))
