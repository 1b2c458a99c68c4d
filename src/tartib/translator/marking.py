"""Forced translations in raw text: tags, glossaries, and words that stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from tartib.decoder import Decoder, Marker, MarkupReader, Terms
from tartib.decoder.markup import has_escapes

if TYPE_CHECKING:
    from tartib.text import TextModel, TextSide

_MOST_LOOKED_AT = 1 << 22  # characters
_MARKS = "\uffed\u2581"  # of tokens: `tartib.text` is not imported for these two


def marker_of(
    decoder: Decoder,
    text: TextModel | None = None,
    *,
    markup: str | Path | None = None,
    terms: str | Path | None = None,
    ignore_case: bool = False,
    exclusive: bool = True,
) -> Marker:
    """Return what gives sentences their forced translations.

    Parameters
    ----------
    decoder
        Of the system.
    text
        Its text module: sentences, glossaries and tags are raw text then, and addresses and
        placeholders stay as they are.
    markup
        Name of the text, for errors, if it has tags.
    terms, ignore_case
        A glossary, as in `Terms`.
    exclusive
        As in `MarkedSentence`.
    """
    if text is None:
        escaped = markup is not None and has_escapes(decoder.table.source_vocabulary)
        return Marker(
            None if markup is None else MarkupReader(markup, escaped),
            None if terms is None else Terms.read(terms, ignore_case=ignore_case),
            exclusive=exclusive,
        )
    source, target = text.source, text.target

    def translation(raw: str) -> str:
        return _prepared_inside(target, raw)

    def term(raw: str) -> tuple[str, ...]:
        return source.prepare(raw), _prepared_inside(source, raw)

    tags = glossary = None
    if markup is not None:
        tags = MarkupReader(
            markup, source=lambda texts: _prepared_parts(source, texts), target=translation
        )
    if terms is not None:
        glossary = Terms.read(terms, ignore_case=ignore_case, source=term, target=translation)
    return Marker(tags, glossary, copies=True, exclusive=exclusive, source=source.prepare)


def _prepared_parts(side: TextSide, parts: Sequence[str]) -> list[str]:
    """Return the tokens of the parts of a text, which are those of the whole where possible.

    A part ends after as many tokens as the text up to there has by itself. If these are others,
    because a part ends inside a word, each part is a text of its own; so it is where there are so
    many parts that looking at what is before each of them would take long.
    """
    if len(parts) * sum(map(len, parts)) > _MOST_LOOKED_AT:
        return [side.prepare(part) for part in parts]
    tokens = side.prepare("".join(parts)).split(" ")
    ends = [0]
    for i in range(1, len(parts)):
        before = side.prepare("".join(parts[:i])).split()
        ends.append(len(before))
        if _letters(before) != _letters(tokens[: len(before)]) or ends[-1] < ends[-2]:
            return [side.prepare(part) for part in parts]
    ends.append(len(tokens))
    return [" ".join(tokens[a:b]) for a, b in pairwise(ends)]


def _letters(tokens: Sequence[str]) -> str:
    """Return what tokens consist of without marks, in whatever case."""
    return "\n".join(token.strip(_MARKS) for token in tokens).casefold()


def _prepared_inside(side: TextSide, raw: str) -> str:
    """Return the tokens of a text that does not begin a sentence: its letters keep their case."""
    letters = "".join(raw.split())
    prepared, i = [], 0
    for letter in side.prepare(raw):
        if letter in f" {_MARKS}":
            prepared.append(letter)
            continue
        same = i < len(letters) and letters[i].casefold() == letter.casefold()
        prepared.append(letters[i] if same else letter)
        i += 1
    return "".join(prepared)
