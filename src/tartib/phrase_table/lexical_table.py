"""`LexicalTable`: how words translate each other, counted from word alignments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tartib import _native
from tartib.errors import native_refusals
from tartib.phrases import PhrasePairs
from tartib.storage import new_files
from tartib.textio import compression_of, text_writer
from tartib.vocabulary import Vocabulary

NULL = "NULL"


class LexicalTable:
    """Probabilities of words given words of the other side, as Moses estimates them.

    Each link counts once; a word without links counts as one that ``NULL`` translates.

    Attributes
    ----------
    sources, targets
        Ids of the two words of each entry, -1 for ``NULL``.
    counts
        How often they were linked.
    """

    def __init__(
        self, native: _native.LexicalTable, source: Vocabulary, target: Vocabulary
    ) -> None:
        self.native = native
        self.source_vocabulary, self.target_vocabulary = source, target
        self.sources, self.targets, self.counts = native.sources, native.targets, native.counts

    @classmethod
    def count(cls, phrases: PhrasePairs) -> LexicalTable:
        """Count the links of the corpus that phrase pairs are from.

        Of a part of a store, such as `PhrasePairs.split` gives, only sentences that have pairs are
        counted: nothing of the held-out ones is learnt.
        """
        source, target = phrases.bitext.source.vocabulary, phrases.bitext.target.vocabulary
        with native_refusals():
            block = phrases.block(0, len(phrases.bitext))
            native = _native.count_words(block, source.native, target.native, is_whole(phrases))
        return cls(native, source, target)

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def target_given_source(self) -> NDArray[np.float64]:
        """The probability w(e|f) of each entry: Moses' ``lex.f2e``."""
        return _share(self.counts, self.sources)

    @property
    def source_given_target(self) -> NDArray[np.float64]:
        """The probability w(f|e) of each entry: Moses' ``lex.e2f``."""
        return _share(self.counts, self.targets)

    def write_moses(self, prefix: str | Path, *, overwrite: bool = False) -> tuple[Path, Path]:
        """Write Moses' two files, named as `lexical_files` says, sorted by their texts."""
        paths = lexical_files(prefix)
        sources = _words(self.source_vocabulary, self.sources)
        targets = _words(self.target_vocabulary, self.targets)
        columns = (
            (targets, sources, self.target_given_source.tolist()),
            (sources, targets, self.source_given_target.tolist()),
        )
        with new_files(*paths, overwrite=overwrite) as asides:
            for aside, path, entries in zip(asides, paths, columns, strict=True):
                lines = (f"{a} {b} {p:.7f}\n".encode() for a, b, p in zip(*entries, strict=True))
                with text_writer(aside, path) as file:
                    file.write(b"".join(sorted(lines)))
        return paths


def lexical_files(prefix: str | Path) -> tuple[Path, Path]:
    """Return ``prefix.f2e`` and ``prefix.e2f``, or ``lex.f2e.gz`` and so on for ``lex.gz``."""
    suffix = compression_of(prefix)
    name = str(prefix).removesuffix(suffix)
    return Path(f"{name}.f2e{suffix}"), Path(f"{name}.e2f{suffix}")


def is_whole(phrases: PhrasePairs) -> bool:
    """Whether sentences without phrase pairs are part of the corpus, and not left out of it."""
    return not phrases.history


def _share(counts: NDArray[np.int64], given: NDArray[np.int32]) -> NDArray[np.float64]:
    shares: NDArray[np.float64] = counts / np.bincount(given + 1, counts)[given + 1]
    return shares


def _words(vocabulary: Vocabulary, ids: NDArray[np.int32]) -> list[str]:
    words = [NULL, *vocabulary]
    return [words[index + 1] for index in ids.tolist()]
