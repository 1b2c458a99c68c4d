"""`FeatureSet`: which features represent a phrase pair (SVM paper, Tables 2 and 3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from tartib import _native
from tartib.errors import OptionError
from tartib.word_classes import DEFAULT_CLASSES, check_classes

PHRASE_TEMPLATES = {
    "all-words": _native.PhraseTemplate.ALL_WORDS,
    "boundaries": _native.PhraseTemplate.BOUNDARIES,
    "alignments": _native.PhraseTemplate.ALIGNMENTS,
}

# SVM paper, Table 2: phrase template, context words on each side, degrees of the ANOVA mapping.
_NAMED: dict[str, tuple[str, int, tuple[int, ...]]] = {
    "S1": ("all-words", 0, (1,)),
    "S2": ("boundaries", 0, (1,)),
    "S3": ("alignments", 0, (1,)),
    "S4": ("boundaries", 1, (1,)),
    "S5": ("boundaries", 1, (2,)),
    "S6": ("boundaries", 1, (1, 2)),
    "S7": ("alignments", 1, (1,)),
    "S8": ("alignments", 1, (2,)),
    "S9": ("alignments", 1, (1, 2)),
    "S10": ("boundaries", 3, (1,)),
    "S11": ("boundaries", 3, (2,)),
    "S12": ("boundaries", 3, (1, 2)),
    "S13": ("alignments", 3, (1,)),
    "S14": ("alignments", 3, (2,)),
    "S15": ("alignments", 3, (1, 2)),
}
# How a legend describes the parts of a set.
_PHRASE_WORDS = {
    "all-words": "all words of both phrases",
    "boundaries": "first and last words of both phrases",
    "alignments": "linked word pairs",
}
_DEGREE_WORDS = {1: "each by itself", 2: "in pairs", 3: "in threes", 4: "in fours"}
_NUMBERS = ("context", "phrase_factor", "context_factor", "classes")
# The MLR paper has one set: aligned words and the adjacent source words.
_ALIASES = {"MLR": "S7"}
_PAPER = "-paper"
_CLASSES = "-classes"


@dataclass(frozen=True, init=False)
class FeatureSet:
    """Which features represent a phrase pair.

    Parameters
    ----------
    name
        ``"S1"`` … ``"S15"`` of the SVM paper, or ``"MLR"``; with ``"-paper"`` appended, exactly as
        in the papers, without roles and edges. A string that ``str`` of a set returned works too.
        None to give the parts below instead.
    phrase
        ``"all-words"`` of both phrases, their ``"boundaries"`` (first and last words), or their
        ``"alignments"`` (linked word pairs); boundaries by default.
    context
        Number of source words on each side of the phrase, distinguished by side and distance.
    anova
        Degrees of the ANOVA mapping: 1 means the features themselves, d all conjunctions of d.
    roles
        Whether first and last words are distinguished (``boundaries`` only); they are by default,
        but not in the papers.
    edges
        Whether the sentence's start and end count as context words; they do by default, but not in
        the papers (MLR paper, Table 1).
    phrase_factor, context_factor
        For text with factors such as ``word|POS|class``: which factor to use, counted from 0. None
        uses the whole token.
    classes
        Number of word classes on each side, learnt from the training text: beside the features of
        words there are the same of their classes, and conjunctions of those. ``"-classes"``
        appended to a name asks for the usual number. 0 for none, the default.

    Notes
    -----
    No template uses target words outside the phrase: a decoder that writes from left to right has
    not written them yet.
    """

    phrase: str
    context: int
    anova: tuple[int, ...]
    roles: bool
    edges: bool
    phrase_factor: int | None
    context_factor: int | None
    classes: int

    def __init__(
        self,
        name: str | None = None,
        *,
        phrase: str | None = None,
        context: int | None = None,
        anova: Iterable[int] | None = None,
        roles: bool | None = None,
        edges: bool | None = None,
        phrase_factor: int | None = None,
        context_factor: int | None = None,
        classes: int | None = None,
    ) -> None:
        if name is not None:
            if (phrase, context, anova) != (None, None, None):
                raise OptionError("give a name, or phrase, context and anova, but not both")
            named = _parse(name)
            phrase, context, anova = named["phrase"], named["context"], named["anova"]
            roles = named["roles"] if roles is None else roles
            edges = named["edges"] if edges is None else edges
            phrase_factor = named["phrase_factor"] if phrase_factor is None else phrase_factor
            context_factor = named["context_factor"] if context_factor is None else context_factor
            classes = named["classes"] if classes is None else classes
        phrase = "boundaries" if phrase is None else phrase
        context = 0 if context is None else context
        degrees = tuple(sorted({1} if anova is None else set(anova)))
        _check(phrase, context, degrees, (phrase_factor, context_factor), (roles, edges))
        _check_classes(classes)
        values = (
            phrase,
            context,
            degrees,
            (roles is None or roles) and phrase == "boundaries",
            (edges is None or edges) and context > 0,
            phrase_factor,
            context_factor,
            classes or 0,
        )
        for field, value in zip(self.__dataclass_fields__, values, strict=True):
            object.__setattr__(self, field, value)

    def __str__(self) -> str:
        """Return the name; `FeatureSet` turns it back into the same set."""
        key = (self.phrase, self.context, self.anova)
        name = next((n for n, parts in _NAMED.items() if parts == key), None)
        if name is None:
            degrees = "+".join(map(str, self.anova))
            name = f"{self.phrase},context={self.context},anova={degrees}"
        less = []
        if self.phrase == "boundaries" and not self.roles:
            less.append("no-roles")
        if self.context and not self.edges:
            less.append("no-edges")
        possible = (self.phrase == "boundaries") + (self.context > 0)
        if less and len(less) == possible and name in _NAMED:
            name, less = f"{name}{_PAPER}", []
        if self.classes == DEFAULT_CLASSES and name.removesuffix(_PAPER) in _NAMED:
            name = f"{name}{_CLASSES}"
        elif self.classes:
            less.append(f"classes={self.classes}")
        for use in ("phrase", "context"):
            factor = getattr(self, f"{use}_factor")
            less += [] if factor is None else [f"{use}_factor={factor}"]
        return ",".join([name, *less])

    def describe(self) -> str:
        """Say in one line what the name stands for, as a legend."""
        parts = [_PHRASE_WORDS[self.phrase] + (" as different features" if self.roles else "")]
        if self.context:
            words = "one source word" if self.context == 1 else f"{self.context} source words"
            within = "" if self.edges else " within the sentence"
            parts.append(f"{words} before and after{within}")
        parts.append(" and ".join(_DEGREE_WORDS[degree] for degree in self.anova))
        for use in ("phrase", "context"):
            factor = getattr(self, f"{use}_factor")
            parts += [] if factor is None else [f"factor {factor} of {use} words"]
        if self.classes:
            parts.append(f"the same of {self.classes} classes of words on each side")
        return f"{self}: {'; '.join(parts)}"

    def as_dict(self) -> dict[str, Any]:
        """Return the parts, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, parts: dict[str, Any]) -> FeatureSet:
        """Make a set from what `as_dict` returned."""
        return cls(**parts)


def _parse(name: str) -> dict[str, Any]:
    """Return the parts that a name stands for; None for parts that it leaves open."""
    base, *others = name.split(",")
    parts: dict[str, Any] = dict.fromkeys(FeatureSet.__dataclass_fields__)
    known = base.upper()
    if known.endswith(_CLASSES.upper()):
        known = known.removesuffix(_CLASSES.upper())
        parts["classes"] = DEFAULT_CLASSES
    if known.endswith(_PAPER.upper()):
        known = known.removesuffix(_PAPER.upper())
        parts |= {"roles": False, "edges": False}
    known = _ALIASES.get(known, known)
    if known in _NAMED:
        parts["phrase"], parts["context"], parts["anova"] = _NAMED[known]
    elif base in PHRASE_TEMPLATES:
        parts["phrase"] = base
    else:
        raise OptionError(
            f"unknown feature set {name!r}: it is S1 … S15 or MLR, or one of these with "
            f"{_PAPER} or {_CLASSES}, such as S6{_PAPER}"
        )
    for other in others:
        key, _, value = other.partition("=")
        if other in ("no-roles", "no-edges"):
            parts[other.removeprefix("no-")] = False
        elif key in ("context", "anova") and known in _NAMED:
            raise OptionError(f"{base} already sets context and anova: {name!r}")
        elif key == "anova" and all(degree.isdecimal() for degree in value.split("+")):
            parts[key] = tuple(int(degree) for degree in value.split("+"))
        elif key in _NUMBERS and value.isdecimal():
            parts[key] = int(value)
        else:
            raise OptionError(f"unknown part {other!r} of the feature set {name!r}")
    return parts


def _check(
    phrase: str,
    context: int,
    degrees: tuple[int, ...],
    factors: tuple[int | None, int | None],
    flags: tuple[bool | None, bool | None],
) -> None:
    if phrase not in PHRASE_TEMPLATES:
        known = ", ".join(PHRASE_TEMPLATES)
        raise OptionError(f"unknown phrase template {phrase!r}: it is one of {known}")
    if not (isinstance(context, int) and 0 <= context <= _native.MAX_CONTEXT):
        raise OptionError(f"context must be 0 to {_native.MAX_CONTEXT} words, not {context}")
    if not degrees or not all(isinstance(d, int) and 1 <= d <= _native.MAX_DEGREE for d in degrees):
        raise OptionError(f"anova degrees must be 1 to {_native.MAX_DEGREE}, not {degrees}")
    for factor in factors:
        if factor is not None and (not isinstance(factor, int) or factor < 0):
            raise OptionError(f"factors are counted from 0, so {factor} is not possible")
    for name, flag in zip(("roles", "edges"), flags, strict=True):
        if flag is not None and not isinstance(flag, bool):
            raise OptionError(f"{name} must be true or false, not {flag!r}")


def _check_classes(classes: int | None) -> None:
    if classes is not None and (isinstance(classes, bool) or not isinstance(classes, int)):
        raise OptionError(f"classes is a whole number, not {classes!r}")
    if classes:
        check_classes(classes)
