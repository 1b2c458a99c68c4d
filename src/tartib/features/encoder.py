"""`FeatureEncoder`: from phrase pairs to the columns of sparse rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from math import comb
from pathlib import Path
from typing import Any, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tartib import _native, ragged, storage
from tartib.engine import count_jobs, map_ordered
from tartib.errors import DataError, OptionError, native_refusals
from tartib.features.candidates import Candidate, Candidates
from tartib.features.templates import FeatureSet
from tartib.features.word_classes import load_classes, save_classes
from tartib.features.words import USES, FeatureWords, are_of_classes, hashed_templates
from tartib.phrases import PhrasePairs
from tartib.progress import Advance, progress_bar
from tartib.signature import signature
from tartib.vocabulary import Vocabulary

FORMAT = "tartib features"
VERSION = 2
_HINT = "give a folder that FeatureEncoder.save wrote"
_CHUNK_PAIRS = 20_000
_JOIN = " and "

_ARRAYS: dict[str, DTypeLike] = {"keys": np.uint64, "counts": np.int64, "codes": np.uint64}

Rows = tuple[NDArray[np.int64], NDArray[np.int32]]


class FeatureEncoder:
    """Knows the columns of a feature set; made by `fit` or `hashed`.

    Attributes
    ----------
    features
        The feature set.
    cutoff
        Features that occur this often or less were dropped; None for a hashed encoder.
    counts
        How often each column occurred in the training pairs; empty for a hashed encoder.
    n_features
        Number of columns. With a dictionary, the most frequent features come first.
    """

    def __init__(
        self,
        features: FeatureSet,
        words: FeatureWords,
        *,
        keys: NDArray[np.uint64],
        counts: NDArray[np.int64],
        codes: NDArray[np.uint64],
        cutoff: int | None,
        hash_bits: int | None = None,
    ) -> None:
        self.features = features
        self.words = words
        self.keys = keys
        self.counts = counts
        self.codes = codes
        self.cutoff = cutoff
        self.hash_bits = hash_bits
        if hash_bits is None:
            self._index = _native.FeatureIndex.of_keys(keys)
            self.n_features = len(keys)
        else:
            self._index = _native.FeatureIndex.hashed(hash_bits)
            self.n_features = 1 << hash_bits

    def __repr__(self) -> str:
        return f"<FeatureEncoder {self.features}: {self.n_features:,} columns>"

    @property
    def signature(self) -> str:
        """How the columns were made."""
        return self.describe(self.n_features)

    def describe(self, columns: int) -> str:
        """Return the signature of a model that uses some of the columns."""
        kind = ("cutoff", self.cutoff) if self.hash_bits is None else ("hash_bits", self.hash_bits)
        return signature(("features", str(self.features)), kind, ("columns", columns))

    @classmethod
    def fit(
        cls,
        phrases: PhrasePairs,
        features: FeatureSet | str,
        *,
        cutoff: int = 10,
        memory: int = 1 << 30,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> FeatureEncoder:
        """Find the features that occur more than ``cutoff`` times in the training pairs.

        Parameters
        ----------
        phrases
            The training pairs only: the dictionary must not be learnt from held-out pairs.
        features
            A feature set or its name.
        cutoff
            The papers keep features that occur more than 10 times. 0 keeps all.
        memory
            Bytes for the counters of the first pass. Less memory takes longer, but gives the same
            result.
        n_jobs
            Number of threads; None means all cores. The result is the same for any number.
        progress
            Show a progress bar on a terminal.
        """
        features = FeatureSet(features) if isinstance(features, str) else features
        if not 0 <= cutoff < 1 << 32:
            raise OptionError(f"cutoff must be 0 or more and below 2^32, not {cutoff}")
        if memory < 1:
            raise OptionError(f"memory must be 1 byte or more, not {memory}")
        bitext = phrases.bitext
        words = FeatureWords.of_corpus(bitext, features)
        if features.classes:
            words = words.learn_classes(phrases, features)
        templates = words.templates(features, bitext.source.vocabulary, bitext.target.vocabulary)
        parts = count_jobs(n_jobs)
        width = max(features.anova)
        with (
            native_refusals(),
            progress_bar("Counting", 2 * len(phrases), "pairs", shown=progress) as advance,
        ):
            bits = _counter_bits(phrases, templates, features, memory // parts)
            count = partial(_count, phrases, templates, parts, advance)
            sketch = count(lambda: _native.FeatureSketch.make(bits))
            counter = count(lambda: _native.FeatureCounter.make(sketch, cutoff, width))
        keys, counts, codes = _by_frequency(counter, width)
        return cls(features, words, keys=keys, counts=counts, codes=codes, cutoff=cutoff)

    @classmethod
    def hashed(cls, features: FeatureSet | str, hash_bits: int) -> FeatureEncoder:
        """Use 2^hash_bits columns and no dictionary: no pass over the data, but no names either.

        Words are hashed by their text, so the columns are the same for any corpus.
        """
        features = FeatureSet(features) if isinstance(features, str) else features
        if not 1 <= hash_bits <= _native.MAX_HASH_BITS:
            most = _native.MAX_HASH_BITS
            raise OptionError(f"hash_bits must be from 1 to {most}, not {hash_bits}")
        if features.classes:
            raise OptionError(
                f"{features} has word classes, which are learnt with a dictionary: "
                "leave out hash_bits, or take a feature set without classes"
            )
        words = FeatureWords(Vocabulary(), Vocabulary(), Vocabulary())
        empty = np.empty(0, np.uint64)
        return cls(
            features,
            words,
            keys=empty,
            counts=np.empty(0, np.int64),
            codes=empty,
            cutoff=None,
            hash_bits=hash_bits,
        )

    def bind(self, source: Vocabulary, target: Vocabulary) -> BoundEncoder:
        """Return the encoder for text whose word ids come from the given vocabularies."""
        if self.hash_bits is not None:
            return BoundEncoder(hashed_templates(self.features, source, target), self._index)
        return BoundEncoder(self.words.templates(self.features, source, target), self._index)

    def encode(self, phrases: PhrasePairs, n_jobs: int | None = None) -> Iterator[Rows]:
        """Yield rows in order, chunk by chunk: their offsets and their columns.

        The pairs need not come from the training corpus; unknown words yield no features.
        """
        bound = self.bind(phrases.bitext.source.vocabulary, phrases.bitext.target.vocabulary)
        yield from map_ordered(
            lambda sentences: bound.block(phrases.block(*sentences)),
            phrases.chunks(_CHUNK_PAIRS),
            n_jobs,
        )

    def encode_candidates(self, source: Sequence[str], candidates: Sequence[Candidate]) -> Rows:
        """Return the rows of phrase pairs of one sentence, given in words.

        They are the same as the rows of training pairs with the same words, links and context. A
        decoder that has word ids uses `bind` and `BoundEncoder.candidates`.
        """
        pairs, vocabularies = Candidates.of(source, candidates)
        return self.bind(*vocabularies).candidates(pairs)

    def name(self, column: int) -> str:
        """Return the name of a column's feature; conjunctions are joined by ``and``."""
        if not 0 <= column < self.n_features:
            raise IndexError(f"no column {column}: there are {self.n_features}")
        if self.hash_bits is not None:
            return f"hash:{column}"
        width = max(self.features.anova)
        codes = self.codes[column * width : (column + 1) * width]
        return _JOIN.join(self.words.name(int(code)) for code in codes if code)

    def base_features(self, phrases: PhrasePairs, pair: int) -> list[str]:
        """Return the names of the base features of one pair, with or without a column."""
        if not 0 <= pair < len(phrases):
            raise IndexError(f"no pair {pair}: there are {len(phrases)}")
        bitext = phrases.bitext
        words = FeatureWords.of_corpus(bitext, self.features).with_classes_of(self.words)
        templates = words.templates(
            self.features, bitext.source.vocabulary, bitext.target.vocabulary
        )
        sentence = int(np.searchsorted(phrases.offsets, pair, side="right")) - 1
        with native_refusals():
            offsets, codes = _native.base_codes(templates, phrases.block(sentence, sentence + 1))
        row = pair - int(phrases.offsets[sentence])
        return [words.name(int(code)) for code in codes[offsets[row] : offsets[row + 1]]]

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write to a folder, either completely or not at all."""
        with storage.new_folder(path, FORMAT, overwrite=overwrite) as folder:
            for name, dtype in _ARRAYS.items():
                with storage.ArrayWriter(folder / f"{name}.npy", dtype) as writer:
                    writer.append(getattr(self, name))
            for use in USES:
                getattr(self.words, use).save(folder / f"{use}.vocabulary")
            examples = save_classes(self.words.classes, folder)
            meta = {
                "format": FORMAT,
                "version": VERSION,
                "features": self.features.as_dict(),
                "cutoff": self.cutoff,
                "hash_bits": self.hash_bits,
                "words": {use: len(getattr(self.words, use)) for use in USES},
                **({"classes": examples} if examples else {}),
            }
            storage.write_json(folder / "meta.json", meta)

    @classmethod
    @storage.reading
    def load(cls, path: str | Path) -> FeatureEncoder:
        """Read what `save` wrote."""
        folder = Path(path)
        meta = storage.check_format(folder, FORMAT, VERSION, "a feature encoder", _HINT)
        arrays: dict[str, Any] = {
            name: storage.load_array(folder / f"{name}.npy", t) for name, t in _ARRAYS.items()
        }
        source, target, context = (Vocabulary.load(folder / f"{use}.vocabulary") for use in USES)
        words = FeatureWords(source, target, context)
        with storage.reading_meta(folder, _HINT):
            features = FeatureSet.from_dict(meta["features"])
            if features.classes:
                sizes = {use: len(getattr(words, use)) for use in USES}
                words = replace(words, classes=load_classes(folder, meta["classes"], sizes))
        fields = storage.Fields(folder / "meta.json", meta, _HINT)
        options: dict[str, Any] = {"cutoff": None, "hash_bits": None}
        if "hash_bits" in fields:
            options["hash_bits"] = fields.whole("hash_bits", 1, _native.MAX_HASH_BITS)
        else:
            options["cutoff"] = fields.whole("cutoff", 0, (1 << 32) - 1)
        _check_parts(folder, meta, arrays, words, features)
        try:
            return cls(features, words, **arrays, **options)
        except ValueError:  # the native index checks each key
            raise DataError(folder / "keys.npy", None, "is damaged", "make it again") from None


class BoundEncoder:
    """A `FeatureEncoder` for text with given vocabularies; made by `FeatureEncoder.bind`."""

    def __init__(self, templates: _native.FeatureTemplates, index: _native.FeatureIndex) -> None:
        self._templates = templates
        self._index = index

    def block(self, block: _native.PhraseBlock) -> Rows:
        """Return the rows of a block of phrase pairs."""
        with native_refusals():
            return _native.encode_rows(self._templates, self._index, block)

    def candidates(self, pairs: Candidates) -> Rows:
        """Return the rows of many phrase pairs of one sentence, in one native call."""
        with native_refusals():
            return _native.encode_candidates(
                self._templates,
                self._index,
                *pairs.places,
                pairs.links,
                pairs.link_offsets,
            )

    def scores(
        self, pairs: Candidates, weights: list[NDArray[np.float32]], classes: int
    ) -> list[NDArray[np.float32]]:
        """Return the scores of phrase pairs of one sentence by linear models, in one native call.

        Parameters
        ----------
        pairs
            The phrase pairs.
        weights
            Weights of each model, as in `LinearClassifier.weights_`.
        classes
            Number of classes of the models.
        """
        with native_refusals():
            found = _native.score_candidates(
                self._templates,
                self._index,
                *pairs.places,
                pairs.links,
                pairs.link_offsets,
                [values.reshape(-1) for values in weights],
                classes,
            )
        return [values.reshape(-1, classes) for values in found]


def _counter_bits(
    phrases: PhrasePairs, templates: _native.FeatureTemplates, features: FeatureSet, memory: int
) -> int:
    """Choose the number of counters, a power of 2: one per occurrence if memory allows."""
    if len(phrases) == 0:
        return 1
    first = next(phrases.chunks(_CHUNK_PAIRS))
    offsets, codes = _native.base_codes(templates, phrases.block(*first))
    rows = len(offsets) - 1
    of_class = are_of_classes(codes)
    owners = ragged.owners_of(offsets)
    features_of_all = sum(
        comb(size, degree)
        for part in (~of_class, of_class)
        for size in np.bincount(owners[part], minlength=rows).tolist()
        for degree in features.anova
    )
    occurrences = int(features_of_all / rows * len(phrases))
    return max(1, min(occurrences.bit_length(), memory.bit_length() - 1))


class _Counts(Protocol):
    """Counts of keys that can be added up."""

    def add(self, templates: _native.FeatureTemplates, block: _native.PhraseBlock, /) -> None:
        """Count the features of more pairs."""
        ...

    def merge(self, other: Self, /) -> None:
        """Add the counts of another thread."""
        ...


Counts = TypeVar("Counts", bound=_Counts)


def _count(
    phrases: PhrasePairs,
    templates: _native.FeatureTemplates,
    parts: int,
    advance: Advance,
    make: Callable[[], Counts],
) -> Counts:
    """Share the chunks among several threads, and add up their counts."""

    def run(part: int) -> Counts:
        counts = make()
        for begin, end in islice(phrases.chunks(_CHUNK_PAIRS), part, None, parts):
            counts.add(templates, phrases.block(begin, end))
            advance(int(phrases.offsets[end] - phrases.offsets[begin]))
        return counts

    total, *others = map_ordered(run, range(parts), parts)
    for other in others:
        total.merge(other)
    return total


def _by_frequency(
    counter: _native.FeatureCounter, width: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint64]]:
    """Sort by frequency, most frequent first, so that the columns used most lie together."""
    keys, counts, codes = counter.finish()
    order = np.lexsort((keys, -counts))
    return keys[order], counts[order], codes.reshape(-1, width)[order].reshape(-1)


def _check_parts(
    folder: Path,
    meta: dict[str, Any],
    arrays: dict[str, NDArray[Any]],
    words: FeatureWords,
    features: FeatureSet,
) -> None:
    """Raise an error if the files of an encoder do not belong together."""
    hint = "make the encoder again"
    keys, counts, codes = (arrays[name] for name in ("keys", "counts", "codes"))
    hashed = meta.get("hash_bits") is not None
    empty = meta.get("cutoff") is None and len(keys) == 0 and not features.classes
    if (hashed and not empty) or meta.get("words") != {
        use: len(getattr(words, use)) for use in USES
    }:
        problem = "contradicts the other files of the folder"
        raise DataError(folder / "meta.json", None, problem, hint)
    if len(counts) != len(keys) or len(codes) != max(features.anova) * len(keys):
        raise DataError(folder, None, "has arrays of different lengths", hint)
    if not words.check_codes(codes):
        raise DataError(folder / "codes.npy", None, "refers to unknown word ids", hint)
