"""Numbers with their nouns, for messages: "1 sentence", "1,204 sentences"."""

from __future__ import annotations


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number and what is counted, in the singular or in the plural.

    Parameters
    ----------
    number
        How many there are.
    noun
        What is counted, in the singular.
    plural
        The plural, where it is not the noun with an s.
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
