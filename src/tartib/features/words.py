"""The words in features, whole tokens or one factor of each, and the names of features."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.bitext import Bitext
from tartib.errors import OptionError
from tartib.features.templates import PHRASE_TEMPLATES, FeatureSet
from tartib.vocabulary import Vocabulary

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


@dataclass(frozen=True)
class FeatureWords:
    """The vocabularies of source phrases, target phrases and source context.

    Without factors, phrase and context share one vocabulary.
    """

    source: Vocabulary
    target: Vocabulary
    context: Vocabulary

    @classmethod
    def of_corpus(cls, bitext: Bitext, features: FeatureSet) -> FeatureWords:
        """Collect the words of a corpus that a feature set uses."""
        source = _factors(bitext.source.vocabulary, features.phrase_factor)
        target = _factors(bitext.target.vocabulary, features.phrase_factor)
        same = features.phrase_factor == features.context_factor
        context = source if same else _factors(bitext.source.vocabulary, features.context_factor)
        return cls(source, target, context)

    def templates(
        self, features: FeatureSet, source: Vocabulary, target: Vocabulary
    ) -> _native.FeatureTemplates:
        """Return the native templates for text whose word ids come from the given vocabularies."""
        return _make(
            features,
            _map(source, self.source, features.phrase_factor),
            _map(target, self.target, features.phrase_factor),
            _map(source, self.context, features.context_factor),
        )

    def check_codes(self, codes: NDArray[np.uint64]) -> bool:
        """Return whether base features are of known kinds, and of known words only."""
        begins = range(0, len(codes), _CHUNK)  # small, so that temporary arrays stay in the cache
        return all(self._check_chunk(codes[begin : begin + _CHUNK]) for begin in begins)

    def _check_chunk(self, codes: NDArray[np.uint64]) -> bool:
        kinds = codes >> np.uint64(2 * _native.WORD_BITS)
        mask = np.uint64(_WORD_MASK)
        first, second = codes >> np.uint64(_native.WORD_BITS) & mask, codes & mask
        limit = np.where(kinds >= _LEFT, len(self.context), len(self.source))
        missing = _NEEDED[np.minimum(kinds, len(_NEEDED) - 1).astype(np.uint8)]
        missing &= ~((first > 0) * _SOURCE | (second > 0) * _TARGET)
        good = (missing == 0) | (codes == 0)  # conjunctions have empty places
        return bool((good & (first <= limit) & (second <= len(self.target))).all())

    def name(self, code: int) -> str:
        """Return the name of a base feature, such as ``first source word “كتاب”``.

        Others are ``“كتاب” linked to “book”`` and, for context, ``source word before “في”``,
        ``source word 2 after “في”`` and ``source word before: sentence start``.
        """
        kind = code >> (2 * _native.WORD_BITS)
        first = code >> _native.WORD_BITS & _WORD_MASK
        second = code & _WORD_MASK
        if kind in _PLAIN_KINDS:
            word = self.target[second - 1] if kind in _TARGET_KINDS else self.source[first - 1]
            return f"{_PLAIN_KINDS[kind]} “{word}”"
        if kind == _LINK:
            return f"“{self.source[first - 1]}” linked to “{self.target[second - 1]}”"
        side, edge, base = ("before", "start", _LEFT) if kind < _RIGHT else ("after", "end", _RIGHT)
        distance = "" if kind == base + 1 else f"{kind - base} "
        place = f"source word {distance}{side}"
        return f"{place} “{self.context[first - 1]}”" if first else f"{place}: sentence {edge}"


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
    return _make(
        features,
        _hashes(source, features.phrase_factor),
        _hashes(target, features.phrase_factor),
        _hashes(source, features.context_factor),
    )


def _hashes(words: Vocabulary, factor: int | None) -> NDArray[np.int32]:
    ids = [zlib.crc32(_factor(word, factor).encode()) % _native.MAX_WORD for word in words]
    return np.array(ids or [-1], np.int32)


def _make(features: FeatureSet, *maps: NDArray[np.int32]) -> _native.FeatureTemplates:
    source, target, context = maps
    return _native.FeatureTemplates.make(
        PHRASE_TEMPLATES[features.phrase],
        features.context,
        features.roles,
        features.edges,
        np.array(features.anova, np.int64),
        source,
        target,
        context,
    )
