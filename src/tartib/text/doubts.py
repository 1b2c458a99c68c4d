"""Warnings about lines that are not like those that a side was learnt from."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tartib.text.profile import Profile, Shape, shape_of
from tartib.text.scripts import UNSPACED
from tartib.text.segmentation import SEGMENTED

_LEAST_LETTERS = 20
_FEWEST_LETTERS = 2  # if all of them are in another script
_LONGEST_WORD = 8  # letters of a script without spaces
_LEAST_STOPS = 2
_LEAST_WORDS = 5
_SOME, _ALL = 0.2, 0.999
_FEW, _MANY = 0.1, 0.5
_NONE = 0.001  # share of capitals in letters
_SIDES = ("this side", "the other side")
_word = re.compile(r"[^\W\d_]+")


def doubts_about(
    lines: Sequence[str], own: Profile, other: Profile | None, names: tuple[str, str]
) -> list[str]:
    """Return warnings, each a sentence; ``names`` are those of both languages."""
    found = shape_of(lines)
    warnings = [
        _script(found, own.shape.scripts),
        _tokenised(found.apart, own.shape.apart, min(found.stops, own.shape.stops)),
    ]
    if found.letters >= _LEAST_LETTERS:
        warnings.append(_case(found.capitals, own.shape.capitals, "Latin" in found.scripts))
    warnings.append(_segmented(found, own.shape))
    if not warnings[0] and other is not None:
        warnings.append(_language(lines, own, other, names))
    return [warning for warning in warnings if warning]


def _script(found: Shape, known: dict[str, float]) -> str:
    unknown = {
        script: share for script, share in found.scripts.items() if known.get(script, 0) < 0.001
    }
    share = sum(unknown.values())
    few = found.letters < _LEAST_LETTERS
    if not known or share < (_ALL if few else _SOME) or found.letters < _FEWEST_LETTERS:
        return ""
    script, usual = max(unknown, key=lambda name: unknown[name]), next(iter(known))
    return f"{share:.0%} of the letters are {script}; the training text was {usual}"


def _tokenised(found: float, known: float, stops: int) -> str:
    if stops < _LEAST_STOPS:
        return ""
    if found > _MANY and known < _FEW:
        return (
            "it looks tokenised (spaces before commas and full stops), and the training text was "
            "not: give raw text"
        )
    if found < _FEW and known > _MANY:
        return (
            "it looks like raw text, and the training text was tokenised (spaces before commas "
            "and full stops): tokenise it in the same way, or only its signs are parted from words"
        )
    return ""


def _segmented(found: Shape, known: Shape) -> str:
    for shape, fewest in ((found, _LONGEST_WORD), (known, _LEAST_LETTERS)):
        share = sum(shape.scripts.get(script, 0) for script in UNSPACED)
        if share < _MANY or shape.letters < fewest:
            return ""
    if (found.gaps > SEGMENTED) == (known.gaps > SEGMENTED):
        return ""
    if known.gaps > SEGMENTED:
        return (
            "it has no spaces between words, and the training text had: segment it in the same way"
        )
    return "it has spaces between words, and the training text had none: give it as people write it"


def _case(found: float, known: float, has_case: bool) -> str:
    if found == 0 and known > _NONE * 10 and has_case:
        return "it has no capitals, and the training text had: give text as people write it"
    if found > _NONE * 10 and known < _NONE and has_case:
        return "it has capitals, and the training text had none; they are made small"
    return ""


def _language(lines: Sequence[str], own: Profile, other: Profile, names: tuple[str, str]) -> str:
    words = [word.lower() for line in lines for word in _word.findall(line)]
    if len(words) < _LEAST_WORDS:
        return ""
    ours, theirs = frozenset(own.frequent), frozenset(other.frequent)
    as_own = sum(word in ours for word in words) / len(words)
    as_other = sum(word in theirs for word in words) / len(words)
    if as_other < 0.2 or as_other < 2 * as_own:
        return ""
    name, wanted = (name or side for name, side in zip(names, _SIDES, strict=True))
    return f"it looks like {wanted}, not like {name}: are the languages swapped?"
