"""`Bitext`: token ids, sentence offsets and alignment links of a parallel corpus."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tartib import ragged, storage
from tartib.errors import DataError
from tartib.vocabulary import Vocabulary

if TYPE_CHECKING:
    from tartib.bitext.reading import ReadOptions

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]
Links = NDArray[np.uint16]

# What a folder of a saved bitext holds: name of the array, its type on disk.
ARRAYS: dict[str, DTypeLike] = {
    "source_ids": np.int32,
    "source_offsets": np.int64,
    "target_ids": np.int32,
    "target_offsets": np.int64,
    "links": np.uint32,  # two 16-bit positions in one, source first
    "link_offsets": np.int64,
    "lines": np.int64,
}
# The array that each array of offsets belongs to.
_OFFSETS = {
    "source_ids": "source_offsets",
    "target_ids": "target_offsets",
    "links": "link_offsets",
}
SIDES = ("source", "target")


@dataclass(frozen=True)
class Text:
    """One side of a bitext.

    Attributes
    ----------
    ids
        Token ids of all sentences, one after another.
    offsets
        Sentence ``i`` is ``ids[offsets[i]:offsets[i + 1]]``.
    vocabulary
        The words of the ids.
    """

    ids: Ids
    offsets: Offsets
    vocabulary: Vocabulary

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of tokens of each sentence."""
        return ragged.lengths_of(self.offsets)

    def words(self, sentence: int) -> list[str]:
        """Return the tokens of one sentence."""
        begin, end = self.offsets[sentence], self.offsets[sentence + 1]
        try:
            return [self.vocabulary[int(i)] for i in self.ids[begin:end]]
        except IndexError:
            problem = f"sentence {sentence + 1:,} has a word that is not in the vocabulary"
            raise DataError("the corpus", None, problem, storage.DAMAGED) from None

    def with_vocabulary(self, vocabulary: Vocabulary) -> Text:
        """Return the same text with the ids of another vocabulary; words it lacks are added."""
        ids = np.array([vocabulary.add(word) for word in self.vocabulary], np.int32)
        return Text(ids[self.ids], self.offsets, vocabulary)


class Skipped(NamedTuple):
    """How many sentence pairs were left out while reading, and why."""

    too_long: int = 0
    empty: int = 0
    one_sided: int = 0  # units of a TMX that lack one of the two languages

    def plus(self, other: Skipped) -> Skipped:
        """Return the sums."""
        return Skipped(*(a + b for a, b in zip(self, other, strict=True)))


NOTHING_SKIPPED = Skipped()


class SentencePair(NamedTuple):
    """One sentence pair as words, with its links as (source, target) positions from 0."""

    source: list[str]
    target: list[str]
    links: list[tuple[int, int]]


@dataclass(frozen=True)
class Bitext:
    """A parallel corpus in memory or memory-mapped, read once from text.

    Attributes
    ----------
    source, target
        The two sides, sentence by sentence.
    links
        Word alignment, (source position, target position) pairs of all sentences.
    link_offsets
        Sentence ``i`` has the links ``links[link_offsets[i]:link_offsets[i + 1]]``.
    lines
        Number of each sentence in the files it was read from, counted from 1.
    skipped
        What was left out while reading.
    aligned
        Whether there was an alignment at all; one without any link is an alignment too.
    """

    source: Text
    target: Text
    links: Links
    link_offsets: Offsets
    lines: NDArray[np.int64]
    skipped: Skipped = NOTHING_SKIPPED
    aligned: bool = True

    def __len__(self) -> int:
        return len(self.lines)

    def __repr__(self) -> str:
        return (
            f"<Bitext of {len(self):,} sentence pairs, {len(self.source.ids):,} / "
            f"{len(self.target.ids):,} words, {len(self.links):,} links>"
        )

    def __getitem__(self, sentence: int) -> SentencePair:
        if not -len(self) <= sentence < len(self):
            raise IndexError(f"no sentence {sentence} in a bitext of {len(self)}")
        sentence %= len(self)
        begin, end = self.link_offsets[sentence], self.link_offsets[sentence + 1]
        links = [(int(i), int(j)) for i, j in self.links[begin:end]]
        return SentencePair(self.source.words(sentence), self.target.words(sentence), links)

    @classmethod
    def read(
        cls,
        source: str | Path,
        target: str | Path | None = None,
        alignment: str | Path | None = None,
        *,
        options: ReadOptions | None = None,
        progress: bool = False,
    ) -> Bitext:
        """Read parallel text, and its alignment where there is one.

        Parameters
        ----------
        source
            Source side, one sentence a line, tokens separated by spaces; or, with no ``target``, a
            file of both sides: ``.tsv`` (source, target and optionally alignment), ``.tmx``, or an
            OPUS "moses" ``.zip``. May be compressed (gz, bz2, xz, zst); ``-`` is standard input.
        target
            Target side, line by line the translation of ``source``.
        alignment
            Links in Pharaoh format: ``0-0 1-2 …``, source-target, counted from 0.
        options
            Length limit, treatment of empty lines, languages; see `ReadOptions`.
        progress
            Show a progress bar on a terminal.
        """
        from tartib.bitext.reading import read_blocks

        blocks = read_blocks(source, target, alignment, options=options, progress=progress)
        return cls.join(blocks)

    @classmethod
    def from_lines(
        cls,
        source: Iterable[str],
        target: Iterable[str],
        alignment: Iterable[str] | None = None,
        *,
        options: ReadOptions | None = None,
    ) -> Bitext:
        """Make a bitext from lists of sentences, each written like a line of a file."""
        from tartib.bitext.reading import encode_lines

        return encode_lines(source, target, alignment, options)

    @classmethod
    def join(cls, blocks: Iterable[Bitext]) -> Bitext:
        """Put together consecutive blocks of one corpus, which share their vocabularies."""
        buffers = {name: storage.ArrayBuffer(dtype) for name, dtype in ARRAYS.items()}
        assembler = Assembler(buffers)
        for block in blocks:
            assembler.append(block)
        return assembler.finish({name: buffer.finish() for name, buffer in buffers.items()})

    def slice(self, begin: int, end: int) -> Bitext:
        """Return consecutive sentences as a bitext of its own, without copying any token."""
        return Bitext(
            _cut_text(self.source, begin, end),
            _cut_text(self.target, begin, end),
            *ragged.cut(self.links, self.link_offsets, begin, end),
            self.lines[begin:end],
            aligned=self.aligned,
        )

    def with_vocabularies(self, source: Vocabulary, target: Vocabulary) -> Bitext:
        """Return the same corpus with the ids of other vocabularies, which get its words."""
        return replace(
            self,
            source=self.source.with_vocabulary(source),
            target=self.target.with_vocabulary(target),
        )

    def blocks(self, sentences: int) -> Iterator[Bitext]:
        """Cut into slices of ``sentences`` sentences; the last one may be shorter."""
        for begin in range(0, len(self), sentences):
            yield self.slice(begin, min(begin + sentences, len(self)))

    @property
    def packed_links(self) -> NDArray[np.uint32]:
        """The links as the native code takes them, two positions in one integer."""
        return np.ascontiguousarray(self.links).reshape(-1).view(np.uint32)

    @cached_property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change with any word, order or link of the corpus."""
        digest = hashlib.blake2b(digest_size=8)
        for array in self.arrays().values():
            digest.update(str(len(array)).encode())
            digest.update(np.ascontiguousarray(array).data)
        for text in (self.source, self.target):
            digest.update(text.vocabulary.native.join())
        return digest.hexdigest()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all arrays under the names that they have on disk."""
        return {
            "source_ids": self.source.ids,
            "source_offsets": self.source.offsets,
            "target_ids": self.target.ids,
            "target_offsets": self.target.offsets,
            "links": self.packed_links,
            "link_offsets": self.link_offsets,
            "lines": self.lines,
        }


class Assembler:
    """Puts blocks of one corpus together, into memory or into files.

    Parameters
    ----------
    arrays
        For each name in `ARRAYS`, what to append its values to.
    """

    def __init__(self, arrays: Mapping[str, storage.Appendable]) -> None:
        self._arrays = arrays
        self._vocabularies: tuple[Vocabulary, Vocabulary] | None = None
        self.skipped = NOTHING_SKIPPED
        self.aligned = True
        for name in _OFFSETS.values():
            arrays[name].append(np.zeros(1, np.int64))

    def append(self, block: Bitext) -> None:
        """Add the sentences of a block at the end."""
        vocabularies = (block.source.vocabulary, block.target.vocabulary)
        if self._vocabularies not in (None, vocabularies):
            raise ValueError("blocks of one corpus must share their vocabularies")
        self._vocabularies = vocabularies
        self.skipped = self.skipped.plus(block.skipped)
        self.aligned &= block.aligned
        values = block.arrays()
        for content, offsets in _OFFSETS.items():
            size = len(self._arrays[content])
            self._arrays[offsets].append(ragged.following(values[offsets], size))
            self._arrays[content].append(values[content])
        self._arrays["lines"].append(values["lines"])

    @property
    def vocabularies(self) -> tuple[Vocabulary, Vocabulary]:
        """Those of the blocks; empty ones where there was no block."""
        return self._vocabularies or (Vocabulary(), Vocabulary())

    def finish(self, arrays: Mapping[str, NDArray[Any]]) -> Bitext:
        """Return the whole, given the arrays that were appended to."""
        return replace(bitext_of(arrays, self.vocabularies, self.skipped), aligned=self.aligned)


def bitext_of(
    arrays: Mapping[str, NDArray[Any]],
    vocabularies: tuple[Vocabulary, Vocabulary],
    skipped: Skipped,
) -> Bitext:
    """Make a bitext of the arrays that `Bitext.arrays` names."""
    return Bitext(
        Text(arrays["source_ids"], arrays["source_offsets"], vocabularies[0]),
        Text(arrays["target_ids"], arrays["target_offsets"], vocabularies[1]),
        arrays["links"].view(np.uint16).reshape(-1, 2),
        arrays["link_offsets"],
        arrays["lines"],
        skipped,
    )


def load_bitext(
    folder: Path, skipped: Skipped, vocabularies: tuple[Vocabulary, Vocabulary] | None = None
) -> Bitext:
    """Memory-map the corpus in a store, with its vocabularies if they are loaded already."""
    arrays = {name: storage.load_array(folder / f"{name}.npy", t) for name, t in ARRAYS.items()}
    for content, offsets in _OFFSETS.items():
        path = folder / f"{offsets}.npy"
        check_offsets(path, arrays[offsets], len(arrays[content]))
        if len(arrays[offsets]) != len(arrays["lines"]) + 1:
            raise DataError(
                path, None, "has a different number of sentences than lines.npy", storage.DAMAGED
            )
    if vocabularies is None:
        source, target = (Vocabulary.load(folder / f"{side}.vocabulary") for side in SIDES)
        vocabularies = (source, target)
    return bitext_of(arrays, vocabularies, skipped)


def check_offsets(path: Path, offsets: Offsets, size: int) -> None:
    """Refuse offsets that do not cut ``size`` items into consecutive parts."""
    if not ragged.are_offsets(offsets, size):
        raise DataError(path, None, f"does not cut {size:,} items into sentences", storage.DAMAGED)


def _cut_text(text: Text, begin: int, end: int) -> Text:
    return Text(*ragged.cut(text.ids, text.offsets, begin, end), text.vocabulary)
