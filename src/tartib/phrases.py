"""`PhrasePairs`: a phrase pair is a place in a corpus, eight bytes, never a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import copy
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tartib import _native, ragged, storage
from tartib.bitext.corpus import (
    ARRAYS,
    SIDES,
    Assembler,
    Bitext,
    Skipped,
    Text,
    check_offsets,
    load_bitext,
)
from tartib.engine import check_seed
from tartib.errors import DataError, OptionError
from tartib.orientation import MODEL_DIRECTIONS, OrientationModel, check_direction
from tartib.signature import signature
from tartib.vocabulary import Vocabulary

FORMAT = "tartib phrase pairs"
VERSION = 4
_HINT = "give a folder that `tartib extract --out` made"

# The C++ struct PhrasePair, member by member.
RECORD = np.dtype(
    [
        ("source_start", "<u2"),
        ("target_start", "<u2"),
        ("source_length", "u1"),
        ("target_length", "u1"),
        ("orientations", "<u2"),
    ]
)
_STORE_ARRAYS: dict[str, DTypeLike] = {**ARRAYS, "pairs": RECORD, "pair_offsets": np.int64}


class PhrasePair(NamedTuple):
    """One phrase pair in words.

    Attributes
    ----------
    sentence
        Index of the sentence pair in the bitext.
    source, target
        The words of the two phrases.
    source_start, target_start
        Where they begin in the sentence.
    links
        Alignment inside the pair, counted from the phrases' first words.
    backward, forward
        Orientation towards the previous and the next phrase, in the store's orientation model.
    """

    sentence: int
    source: list[str]
    target: list[str]
    source_start: int
    target_start: int
    links: list[tuple[int, int]]
    backward: str
    forward: str


class PhrasePairs:
    """Phrase pairs of a bitext, in memory or memory-mapped.

    Parameters
    ----------
    bitext
        The corpus that the places are in.
    records
        One `RECORD` per pair, sentence by sentence.
    offsets
        Sentence ``i`` has the records ``records[offsets[i]:offsets[i + 1]]``.
    orientation
        The orientation model that labels are read in unless another is named.
    max_phrase_length
        The longest phrase, in words.
    history
        What was done to the pairs since extraction, for the signature.
    """

    def __init__(
        self,
        bitext: Bitext,
        records: NDArray[Any],
        offsets: NDArray[np.int64],
        *,
        orientation: str | OrientationModel,
        max_phrase_length: int,
        history: tuple[str, ...] = (),
    ) -> None:
        self.bitext = bitext
        self.records = records
        self.offsets = offsets
        self.orientation = OrientationModel.parse(orientation)
        self.max_phrase_length = max_phrase_length
        self.history = history

    def __len__(self) -> int:
        return len(self.records)

    def __repr__(self) -> str:
        return f"<PhrasePairs: {len(self):,} pairs of {len(self.bitext):,} sentence pairs>"

    @property
    def signature(self) -> str:
        """What made these pairs, in one line."""
        return signature(*self.signature_parts)

    @property
    def signature_parts(self) -> list[tuple[str, object]]:
        """The parts of the signature, for signatures of what is made from these pairs."""
        return [
            ("corpus", self.bitext.fingerprint),
            ("sentences", len(self.bitext)),
            ("orientation", str(self.orientation)),
            ("max_phrase_length", self.max_phrase_length),
            *(("then", note) for note in self.history),
        ]

    @property
    def sentences(self) -> NDArray[np.int64]:
        """The sentence of each pair."""
        return ragged.owners_of(self.offsets)

    def labels(
        self, orientation: str | OrientationModel | None = None, direction: str = "backward"
    ) -> NDArray[np.uint8]:
        """Return the class of each pair, as indices into ``OrientationModel.labels``.

        The direction is ``backward``, ``forward`` or, as in Moses' files, ``forward-moses``.
        """
        model = OrientationModel.parse(orientation or self.orientation)
        return model.read(self.records["orientations"], direction)

    def counts(
        self, orientation: str | OrientationModel | None = None, direction: str = "backward"
    ) -> dict[str, int]:
        """Return how many pairs there are of each class."""
        model = OrientationModel.parse(orientation or self.orientation)
        found = np.zeros(len(model.labels), np.int64)
        for begin in range(0, len(self), 1 << 20):  # keeps a memory-mapped store out of memory
            packed = self.records["orientations"][begin : begin + (1 << 20)]
            found += np.bincount(model.read(packed, direction), minlength=len(found))
        return dict(zip(model.labels, found.tolist(), strict=True))

    def __getitem__(self, index: int) -> PhrasePair:
        if isinstance(index, slice):
            raise TypeError("pairs are taken one at a time; use filter() for several")
        if not -len(self) <= index < len(self):
            raise IndexError(f"no pair {index} among {len(self)}")
        index %= len(self)
        sentence = int(np.searchsorted(self.offsets, index, side="right")) - 1
        record = self.records[index]
        i, j = int(record["source_start"]), int(record["target_start"])
        m, n = int(record["source_length"]), int(record["target_length"])
        source, target, links = self.bitext[sentence]
        if i + m > len(source) or j + n > len(target):
            raise _damaged(f"pair {index + 1:,} reaches beyond its sentence")
        inside = [(f - i, e - j) for f, e in links if i <= f < i + m and j <= e < j + n]
        packed = record["orientations"].reshape(1)
        names = self.orientation.labels
        backward, forward = (
            names[int(self.orientation.read(packed, d)[0])] for d in MODEL_DIRECTIONS
        )
        return PhrasePair(
            sentence, source[i : i + m], target[j : j + n], i, j, inside, backward, forward
        )

    def __iter__(self) -> Iterator[PhrasePair]:
        return (self[index] for index in range(len(self)))

    def find(
        self,
        *,
        line: int | None = None,
        words: Iterable[str] = (),
        label: str | None = None,
        direction: str = "backward",
    ) -> NDArray[np.int64]:
        """Return the indices of the pairs that meet all conditions given.

        Parameters
        ----------
        line
            Number of the sentence in the files that were read, from 1.
        words
            Words that must all occur in the pair, on either side.
        label
            The class of the pair, in the store's orientation model.
        direction
            What ``label`` is about: ``backward``, ``forward`` or ``forward-moses``.
        """
        check_direction(direction)
        if label is not None and label not in self.orientation.labels:
            known = ", ".join(self.orientation.labels)
            raise OptionError(f"{self.orientation} has no class {label!r}: it has {known}")
        words = [words] if isinstance(words, str) else list(words)
        chunks = self.chunks(1 << 20)  # keeps a memory-mapped store out of memory
        if line is not None:
            at = np.flatnonzero(self.bitext.lines == line).tolist()
            chunks = iter([(sentence, sentence + 1) for sentence in at])
        found = [self._find_in(begin, end, words, label, direction) for begin, end in chunks]
        return np.concatenate([np.zeros(0, np.int64), *found])

    def _find_in(
        self, begin: int, end: int, words: list[str], label: str | None, direction: str
    ) -> NDArray[np.int64]:
        """Search the pairs of some sentences."""
        text = self.bitext.slice(begin, end)
        records, offsets = ragged.cut(self.records, self.offsets, begin, end)
        keep = np.ones(len(records), np.bool_)
        if label is not None:
            wanted = self.orientation.labels.index(label)
            keep &= self.orientation.read(records["orientations"], direction) == wanted
        sentences = ragged.owners_of(offsets)
        for word in words:
            keep &= _contains(text.source, sentences, records, "source", word) | _contains(
                text.target, sentences, records, "target", word
            )
        found: NDArray[np.int64] = np.flatnonzero(keep) + self.offsets[begin]
        return found

    def reading_as(self, orientation: str | OrientationModel) -> PhrasePairs:
        """Return the same pairs with labels read in another orientation model."""
        other = copy(self)
        other.orientation = OrientationModel.parse(orientation)
        return other

    def chunks(self, pairs: int) -> Iterator[tuple[int, int]]:
        """Cut the sentences into runs of about ``pairs`` pairs; yield where each begins and ends.

        A run begins with a sentence that has pairs, so a small part of a corpus is found fast.
        """
        end = 0
        while end < len(self.bitext):
            begin = int(np.searchsorted(self.offsets, self.offsets[end], side="right")) - 1
            if begin == len(self.bitext):
                return
            end = int(np.searchsorted(self.offsets, self.offsets[begin] + pairs))
            end = min(max(begin + 1, end), len(self.bitext))
            yield begin, end

    def block(self, begin: int, end: int) -> _native.PhraseBlock:
        """Return the pairs of some sentences as the native code takes them."""
        text = self.bitext.slice(begin, end)
        records, offsets = ragged.cut(self.records, self.offsets, begin, end)
        try:
            return _native.PhraseBlock(
                text.source.ids,
                text.source.offsets,
                text.target.ids,
                text.target.offsets,
                text.packed_links,
                text.link_offsets,
                np.ascontiguousarray(records).view(np.uint64),
                offsets,
            )
        except (ValueError, IndexError) as error:
            raise _damaged(f"{error}, in sentences {begin + 1:,} to {end:,}") from None

    def filter(self, keep: NDArray[np.bool_], *, note: str = "filtered") -> PhrasePairs:
        """Return the pairs for which ``keep`` is true."""
        if keep.shape != (len(self),) or keep.dtype != np.bool_:
            raise OptionError(f"a filter must have {len(self):,} booleans, one for each pair")
        kept_before = ragged.offsets_of(keep)
        return self._with(self.records[keep], kept_before[self.offsets], note)

    def repeated(self, times: NDArray[np.integer[Any]], *, note: str = "repeated") -> PhrasePairs:
        """Return each pair as often as ``times`` says, in the same order."""
        if times.shape != (len(self),) or (times < 0).any():
            raise OptionError(f"give {len(self):,} numbers from 0 on, one for each pair")
        before = ragged.offsets_of(times)
        return self._with(np.repeat(self.records, times), before[self.offsets], note)

    def of_sentences(self, keep: NDArray[np.bool_], *, note: str = "sentences") -> PhrasePairs:
        """Return the pairs of the sentences for which ``keep`` is true."""
        if keep.shape != (len(self.bitext),) or keep.dtype != np.bool_:
            raise OptionError(f"give {len(self.bitext):,} booleans, one for each sentence")
        counts = ragged.lengths_of(self.offsets)
        offsets = ragged.offsets_of(np.where(keep, counts, 0))
        return self._with(self.records[np.repeat(keep, counts)], offsets, note)

    def split(
        self, *, by: str = "sentence", held_out: float = 0.1, seed: int = 0
    ) -> tuple[PhrasePairs, PhrasePairs]:
        """Divide at random into a training and a held-out part.

        Parameters
        ----------
        by
            Only ``sentence``: pairs of one sentence overlap, so dividing them would leak.
        held_out
            Share of the sentences that go to the second part, between 0 and 1.
        seed
            The same seed gives the same parts.
        """
        if by != "sentence":
            raise OptionError(f"pairs can be split by 'sentence' only, not by {by!r}")
        held = self._choose_sentences(held_out, "held_out", seed)
        note = f"{held_out:g},seed:{seed}"
        return (
            self.of_sentences(~held, note=f"train_without:{note}"),
            self.of_sentences(held, note=f"held_out:{note}"),
        )

    def sample(self, share: float, *, by: str = "sentence", seed: int = 0) -> PhrasePairs:
        """Return a random share of the sentences, or ``by="pair"`` of the pairs."""
        note = f"sample:{share:g},by:{by},seed:{seed}"
        if by == "sentence":
            return self.of_sentences(self._choose_sentences(share, "share", seed), note=note)
        if by == "pair":
            return self.filter(_choose(len(self), share, "share", seed), note=note)
        raise OptionError(f"sample by 'sentence' or 'pair', not by {by!r}")

    def _choose_sentences(self, share: float, name: str, seed: int) -> NDArray[np.bool_]:
        """Mark a share of the sentences that have pairs: a part can be divided again."""
        chosen = ragged.lengths_of(self.offsets) > 0
        chosen[chosen] = _choose(int(chosen.sum()), share, name, seed)
        return chosen

    def _with(self, records: NDArray[Any], offsets: NDArray[np.int64], note: str) -> PhrasePairs:
        return PhrasePairs(
            self.bitext,
            records,
            offsets,
            orientation=self.orientation,
            max_phrase_length=self.max_phrase_length,
            history=(*self.history, note),
        )

    @staticmethod
    def concatenate(parts: Sequence[PhrasePairs]) -> PhrasePairs:
        """Put stores together: of one corpus sentence by sentence, of several one after another.

        The parts that `split` gives come out in their old order. The orientation model is that of
        the first part.
        """
        if not parts:
            raise OptionError("nothing to concatenate")
        corpora: dict[str, list[PhrasePairs]] = {}
        for part in parts:
            corpora.setdefault(part.bitext.fingerprint, []).append(part)
        merged = [
            ragged.interleave([(part.records, part.offsets) for part in group])
            for group in corpora.values()
        ]
        bitext = parts[0].bitext
        if len(corpora) > 1:
            vocabularies = (Vocabulary(), Vocabulary())
            bitext = Bitext.join(
                group[0].bitext.with_vocabularies(*vocabularies) for group in corpora.values()
            )
        return PhrasePairs(
            bitext,
            np.concatenate([records for records, _ in merged]),
            ragged.concatenate([offsets for _, offsets in merged]),
            orientation=parts[0].orientation,
            max_phrase_length=max(part.max_phrase_length for part in parts),
            history=("concatenated:" + "+".join("/".join(p.history) or "whole" for p in parts),),
        )

    def save(self, path: str | Path, *, overwrite: bool = False) -> PhrasePairs:
        """Write to a folder, complete or not at all, and return the memory-mapped store."""
        with phrase_writer(
            path,
            orientation=self.orientation,
            max_phrase_length=self.max_phrase_length,
            history=self.history,
            overwrite=overwrite,
        ) as sink:
            sink.append(self.bitext, self.records, self.offsets)
        return PhrasePairs.load(path)

    @classmethod
    @storage.reading
    def load(
        cls, path: str | Path, *, vocabularies: tuple[Vocabulary, Vocabulary] | None = None
    ) -> PhrasePairs:
        """Memory-map the pairs that `save` or ``tartib extract`` wrote.

        Parameters
        ----------
        path
            The folder.
        vocabularies
            The vocabularies of the store, if they are loaded already.
        """
        folder = Path(path)
        meta = storage.check_format(folder, FORMAT, VERSION, "a store of phrase pairs", _HINT)
        fields = storage.Fields(folder / "meta.json", meta, _HINT)
        longest = fields.whole("max_phrase_length", 1, _native.MAX_PHRASE_LENGTH)
        history = fields.texts("history")
        counts = fields.inner("skipped")
        skipped = Skipped(*(counts.whole(reason) for reason in Skipped._fields))
        try:
            orientation = OrientationModel.parse(fields.text("orientation"))
        except OptionError as error:
            fields.wrong(str(error))
        bitext = load_bitext(folder, skipped, vocabularies)
        records = storage.load_array(folder / "pairs.npy", RECORD)
        offsets = storage.load_array(folder / "pair_offsets.npy", np.int64)
        check_offsets(folder / "pair_offsets.npy", offsets, len(records))
        if len(offsets) != len(bitext) + 1:
            problem = "has a different number of sentences than the corpus"
            raise DataError(folder / "pair_offsets.npy", None, problem, _HINT)
        return cls(
            bitext,
            records,
            offsets,
            orientation=orientation,
            max_phrase_length=longest,
            history=history,
        )


class PhraseSink:
    """Takes blocks of a corpus with their pairs and appends them to a store."""

    def __init__(self, arrays: Mapping[str, storage.Appendable]) -> None:
        self.corpus = Assembler(arrays)
        self._records = arrays["pairs"]
        self._offsets = arrays["pair_offsets"]
        self._offsets.append(np.zeros(1, np.int64))

    def append(self, block: Bitext, records: NDArray[Any], offsets: NDArray[np.int64]) -> None:
        """Add a block at the end."""
        self.corpus.append(block)
        self._offsets.append(ragged.following(offsets, len(self._records)))
        self._records.append(records)


@contextmanager
def phrase_writer(
    path: str | Path,
    *,
    orientation: OrientationModel,
    max_phrase_length: int,
    history: tuple[str, ...] = (),
    overwrite: bool = False,
) -> Iterator[PhraseSink]:
    """Yield a sink that writes a store with flat memory; the folder appears when complete."""
    with storage.new_folder(path, FORMAT, overwrite=overwrite) as folder:
        with ExitStack() as stack:
            sink = PhraseSink(
                {
                    name: stack.enter_context(storage.ArrayWriter(folder / f"{name}.npy", dtype))
                    for name, dtype in _STORE_ARRAYS.items()
                }
            )
            yield sink
        for side, vocabulary in zip(SIDES, sink.corpus.vocabularies, strict=True):
            vocabulary.save(folder / f"{side}.vocabulary")
        meta = {
            "format": FORMAT,
            "version": VERSION,
            "orientation": str(orientation),
            "max_phrase_length": max_phrase_length,
            "history": list(history),
            "skipped": sink.corpus.skipped._asdict(),
        }
        storage.write_json(folder / "meta.json", meta)


def _damaged(problem: str) -> DataError:
    return DataError("the store of phrase pairs", None, problem, storage.DAMAGED)


def _contains(
    text: Text, sentences: NDArray[np.int64], records: NDArray[Any], side: str, word: str
) -> NDArray[np.bool_]:
    """Tell which phrases of one side have a word in them."""
    found = text.vocabulary.id(word)
    if found is None:
        return np.zeros(len(records), np.bool_)
    before = ragged.offsets_of(text.ids == found)
    begin = text.offsets[sentences] + records[f"{side}_start"]
    end = begin + records[f"{side}_length"]
    if (end > text.offsets[sentences + 1]).any():
        raise _damaged("a phrase pair reaches beyond its sentence")
    inside: NDArray[np.bool_] = before[end] > before[begin]
    return inside


def check_share(name: str, share: float) -> None:
    """Refuse what is not a share; ``name`` is the option's."""
    if not 0 <= share <= 1:
        raise OptionError(f"{name} must be between 0 and 1, got {share:g}")


def _choose(count: int, share: float, name: str, seed: int) -> NDArray[np.bool_]:
    """Mark a random share of ``count`` items, exact up to rounding."""
    check_share(name, share)
    chosen = np.zeros(count, np.bool_)
    order = np.random.default_rng(check_seed(seed)).permutation(count)
    chosen[order[: round(share * count)]] = True
    return chosen
