"""The words in features, whole tokens or one factor of each, and the names of features."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tartib import _native, ragged
from tartib.bitext import Bitext
from tartib.errors import OptionError
from tartib.features.templates import PHRASE_TEMPLATES, FeatureSet
from tartib.features.word_classes import ClassMap
from tartib.phrases import PhrasePairs
from tartib.vocabulary import Vocabulary

Ids = NDArray[np.int32]
USES = ("source", "target", "context")  # of words
_NO_MAP = np.empty(0, np.int32)
_CHUNK = 1 << 15
_WORD_MASK = (1 << _native.WORD_BITS) - 1

_PLAIN_KINDS: dict[int, str] = {
    _native.FeatureKind.SOURCE_WORD: "source word",
    _native.FeatureKind.TARGET_WORD: "target word",
    _native.FeatureKind.SOURCE_FIRST: "first source word",
    _native.FeatureKind.SOURCE_LAST: "last source word",
    _native.FeatureKind.TARGET_FIRST: "first target word",
    _native.FeatureKind.TARGET_LAST: "last target word",
}
_TARGET_KINDS = (
    _native.FeatureKind.TARGET_WORD,
    _native.FeatureKind.TARGET_FIRST,
    _native.FeatureKind.TARGET_LAST,
)
_LINK = _native.FeatureKind.LINK
# The kind of a context word is one of these two plus its distance.
_LEFT, _RIGHT = int(_native.FeatureKind.LEFT_CONTEXT), int(_native.FeatureKind.RIGHT_CONTEXT)
# Which words a base feature of each kind must have; none has what unknown kinds need.
_SOURCE, _TARGET, _NEVER = np.uint8(1), np.uint8(2), np.uint8(4)
_NEEDED = np.full(256, _NEVER)
_NEEDED[_LEFT:] = 0  # beyond the sentence there is no word
for _kind in _PLAIN_KINDS:
    _NEEDED[_kind] = _TARGET if _kind in _TARGET_KINDS else _SOURCE
_NEEDED[_LINK] = _SOURCE | _TARGET
_NEEDED[_native.FeatureKind.OF_CLASSES :][: _LINK + 1] = _NEEDED[: _LINK + 1]


@dataclass(frozen=True)
class FeatureWords:
    """The vocabularies of source phrases, target phrases and source context.

    Without factors, phrase and context share one vocabulary. Their classes, if there are any, have
    the same names.
    """

    source: Vocabulary
    target: Vocabulary
    context: Vocabulary
    classes: Mapping[str, ClassMap] = field(default_factory=dict)

    @classmethod
    def of_corpus(cls, bitext: Bitext, features: FeatureSet) -> FeatureWords:
        """Collect the words of a corpus that a feature set uses."""
        source = _factors(bitext.source.vocabulary, features.phrase_factor)
        target = _factors(bitext.target.vocabulary, features.phrase_factor)
        same = features.phrase_factor == features.context_factor
        context = source if same else _factors(bitext.source.vocabulary, features.context_factor)
        return cls(source, target, context)

    def learn_classes(self, phrases: PhrasePairs, features: FeatureSet) -> FeatureWords:
        """Return the same words with classes, learnt from the sentences that have pairs.

        So what is held out of the pairs is held out of the classes too.
        """
        keep = ragged.lengths_of(phrases.offsets) > 0
        bitext = phrases.bitext
        made: dict[str, ClassMap] = {}
        for use, text, factor in (
            ("source", bitext.source, features.phrase_factor),
            ("target", bitext.target, features.phrase_factor),
            ("context", bitext.source, features.context_factor),
        ):
            words = getattr(self, use)
            if use == "context" and words is self.source:
                made[use] = made["source"]
                continue
            ids = _map(text.vocabulary, words, factor)
            made[use] = ClassMap.learn(text, keep, ids, words, features.classes)
        return replace(self, classes=made)

    def with_classes_of(self, known: FeatureWords) -> FeatureWords:
        """Return the same words with the classes that they have in other ones."""
        classes = {
            use: found.with_ids(_map(getattr(self, use), getattr(known, use), None))
            for use, found in known.classes.items()
        }
        return replace(self, classes=classes)

    def templates(
        self, features: FeatureSet, source: Vocabulary, target: Vocabulary
    ) -> _native.FeatureTemplates:
        """Return the native templates for text whose word ids come from the given vocabularies."""
        maps = (
            _map(source, self.source, features.phrase_factor),
            _map(target, self.target, features.phrase_factor),
            _map(source, self.context, features.context_factor),
        )
        classes = [
            # In native code they count from 0, and a map without any would be none.
            np.append(self.classes[use].of_ids(ids), np.int32(0)) - np.int32(1)
            for use, ids in zip(USES, maps, strict=True)
            if use in self.classes
        ]
        return _make(features, maps, classes)

    def check_codes(self, codes: NDArray[np.uint64]) -> bool:
        """Return whether base features are of known kinds, and of known words only."""
        begins = range(0, len(codes), _CHUNK)  # small, so that temporary arrays stay in the cache
        return all(self._check_chunk(codes[begin : begin + _CHUNK]) for begin in begins)

    def _check_chunk(self, codes: NDArray[np.uint64]) -> bool:
        kinds = codes >> np.uint64(2 * _native.WORD_BITS)
        mask = np.uint64(_WORD_MASK)
        first, second = codes >> np.uint64(_native.WORD_BITS) & mask, codes & mask
        of_class = are_of_classes(codes)
        limits = {use: np.where(of_class, *self._sizes(use)) for use in USES}
        limit = np.where(kinds >= _LEFT, limits["context"], limits["source"])
        missing = _NEEDED[np.minimum(kinds, len(_NEEDED) - 1).astype(np.uint8)]
        missing &= ~((first > 0) * _SOURCE | (second > 0) * _TARGET)
        good = (missing == 0) | (codes == 0)  # conjunctions have empty places
        return bool((good & (first <= limit) & (second <= limits["target"])).all())

    def _sizes(self, use: str) -> tuple[int, int]:
        """Return the number of classes and of words."""
        classes = self.classes.get(use)
        return 0 if classes is None else len(classes.examples), len(getattr(self, use))

    def name(self, code: int) -> str:
        """Return the name of a base feature, such as ``first source word “كتاب”``.

        Others are ``“كتاب” linked to “book”`` and, for context, ``source word before “في”``,
        ``source word 2 after “في”`` and ``source word before: sentence start``; of classes
        ``first source word in class 17 (“house”, “land”, “city”, …)`` and the like.
        """
        kind = code >> (2 * _native.WORD_BITS)
        first = code >> _native.WORD_BITS & _WORD_MASK
        second = code & _WORD_MASK
        of_class = bool(are_of_classes(np.array([code], np.uint64))[0])
        if of_class:
            kind -= _native.FeatureKind.OF_CLASSES
        called = partial(self._call, of_class=of_class)
        within = "in " if of_class else ""
        if kind in _PLAIN_KINDS:
            is_target = kind in _TARGET_KINDS
            word = called("target", second) if is_target else called("source", first)
            return f"{_PLAIN_KINDS[kind]} {within}{word}"
        if kind == _LINK:
            return f"{called('source', first)} linked to {called('target', second)}"
        side, edge, base = ("before", "start", _LEFT) if kind < _RIGHT else ("after", "end", _RIGHT)
        distance = "" if kind == base + 1 else f"{kind - base} "
        place = f"source word {distance}{side}"
        if first:
            return f"{place} {within}{called('context', first)}"
        return f"{place}{' in a class' if of_class else ''}: sentence {edge}"

    def _call(self, use: str, number: int, *, of_class: bool) -> str:
        """Return what a word or a class is called; both count from 1."""
        return self.classes[use].name(number) if of_class else f"“{getattr(self, use)[number - 1]}”"


def are_of_classes(codes: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Tell which base features are those of classes, as ``is_of_class`` in native code."""
    kinds = codes.astype(np.uint64) >> np.uint64(2 * _native.WORD_BITS)
    return (kinds > 0) & ((kinds - np.uint64(1)) & np.uint64(_native.FeatureKind.OF_CLASSES) > 0)


def _factor(token: str, factor: int | None) -> str:
    if factor is None:
        return token
    parts = token.split("|")
    if factor >= len(parts) or not parts[factor]:
        raise OptionError(
            f"the token {token!r} has no factor {factor}: "
            "factors are separated by | and counted from 0"
        )
    return parts[factor]


def _factors(vocabulary: Vocabulary, factor: int | None) -> Vocabulary:
    if factor is None:
        return vocabulary
    return Vocabulary(_factor(token, factor) for token in vocabulary)


def _map(words: Vocabulary, known: Vocabulary, factor: int | None) -> NDArray[np.int32]:
    """Return the known id of each word's factor, -1 if it is unknown."""
    if words is known:
        return _NO_MAP
    ids = [_known_id(known, word, factor) for word in words]
    # An empty map means that the ids are the same; ids beyond the end of a map are unknown.
    return np.array(ids or [-1], np.int32)


def _known_id(known: Vocabulary, word: str, factor: int | None) -> int:
    try:
        return known.native.find(_factor(word, factor).encode())
    except OptionError:
        return -1  # new text may have words without factors


def hashed_templates(
    features: FeatureSet, source: Vocabulary, target: Vocabulary
) -> _native.FeatureTemplates:
    """Return templates that use a hash of each word as its id, so that any corpus will do."""
    maps = (
        _hashes(source, features.phrase_factor),
        _hashes(target, features.phrase_factor),
        _hashes(source, features.context_factor),
    )
    return _make(features, maps)


def _hashes(words: Vocabulary, factor: int | None) -> NDArray[np.int32]:
    ids = [zlib.crc32(_factor(word, factor).encode()) % _native.MAX_WORD for word in words]
    return np.array(ids or [-1], np.int32)


def _make(
    features: FeatureSet, words: Sequence[Ids], classes: Sequence[Ids] = ()
) -> _native.FeatureTemplates:
    """Return templates; both kinds of maps are those of `USES`, in order."""
    source, target, context = words
    source_classes, target_classes, context_classes = classes or [_NO_MAP] * len(USES)
    return _native.FeatureTemplates.make(
        PHRASE_TEMPLATES[features.phrase],
        features.context,
        features.roles,
        features.edges,
        np.array(features.anova, np.int64),
        source,
        target,
        context,
        source_classes,
        target_classes,
        context_classes,
    )
