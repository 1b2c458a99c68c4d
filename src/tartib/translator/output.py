"""Translations of raw text as lines; what is about tokens is `tartib.decoder.output`'s."""

from __future__ import annotations

from typing import Any

from tartib.decoder.output import as_data, as_line
from tartib.translator.results import Paragraph, Translated


def text_line(_: int, found: Translated | Paragraph) -> str:
    """Return the best translation."""
    return found.text + "\n"


def json_line(number: int, found: Translated | Paragraph) -> str:
    """Return a line and its translation as a line of JSON; of a paragraph all its sentences."""
    if isinstance(found, Translated):
        return as_line(_sentence(number, found))
    return as_line(
        {
            "paragraph": number,
            "source_text": found.source,
            "text": found.text,
            "sentences": [_sentence(i, sentence) for i, sentence in enumerate(found.sentences)],
        }
    )


def _sentence(number: int, found: Translated) -> dict[str, Any]:
    """Return what `tartib.decoder.output` says of the tokens, and raw text where there is some."""
    data = as_data(number, found.translation)
    if not found.is_raw:
        return data
    first, *others = found.nbest
    for other, text in zip(data.get("others", []), others, strict=True):
        other["text"] = text
    sentence = data.pop("sentence")
    return {"sentence": sentence, "source_text": found.source, "text": first, **data}
