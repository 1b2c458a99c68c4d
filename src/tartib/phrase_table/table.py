"""`PhraseTable`: translations of source phrases with their scores, in memory or memory-mapped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tartib import _native, ragged, storage
from tartib.engine import map_ordered
from tartib.errors import ChangedDataError, DataError, OptionError
from tartib.phrase_table.lexical_table import LexicalTable
from tartib.phrase_table.scoring import ScoringOptions, build_arrays
from tartib.phrase_table.text_files import read_text
from tartib.phrases import PhrasePairs
from tartib.progress import progress_bar
from tartib.signature import signature
from tartib.textio import split_words, text_writer
from tartib.vocabulary import Vocabulary

FORMAT = "tartib phrase table"
VERSION = 2
_HINT = "give a folder that `tartib phrase-table --out` made, or a phrase table of Moses in text"
_TEXT_HINT = (
    "a line is `source ||| target ||| scores`, and may go on with `||| alignment ||| counts`; "
    "all lines have the same number of scores and of counts"
)
_DAMAGED = "the table is damaged or was made by something else: make it again"
_CHUNK_PHRASES = 10_000

_ARRAYS: dict[str, DTypeLike] = {
    "source_ids": np.int32,
    "source_offsets": np.int64,
    "row_offsets": np.int64,
    "target_ids": np.int32,
    "target_offsets": np.int64,
    "links": np.uint32,
    "link_offsets": np.int64,
    "scores": np.float32,
    "counts": np.float32,
    "slots": np.uint64,
}


class Translation(NamedTuple):
    """One row of a phrase table in words.

    Attributes
    ----------
    target
        The words of the target phrase.
    scores
        Probabilities; four of them are p(f|e), lex(f|e), p(e|f) and lex(e|f).
    links
        Alignment inside the pair, (source, target) counted from the phrases' first words.
    counts
        How often the target phrase, the source phrase and both together were extracted; empty
        where the table has none.
    """

    target: list[str]
    scores: tuple[float, ...]
    links: list[tuple[int, int]]
    counts: tuple[float, ...]


class PhraseTable:
    """Source phrases in the order of their texts, and the translations of each, likely ones first.

    A table is made by `build`, `read_moses` or `load`.

    Parameters
    ----------
    arrays
        As the native code made them.
    vocabularies
        Those of the source and the target ids.
    n_scores, n_counts
        How many scores and counts each row has.
    signature
        What made the table, in one line.
    """

    def __init__(
        self,
        arrays: Mapping[str, NDArray[Any]],
        vocabularies: tuple[Vocabulary, Vocabulary],
        *,
        n_scores: int,
        n_counts: int,
        signature: str,
    ) -> None:
        # The native table looks at sizes now, and at what is in them where it uses it.
        self._arrays = {name: storage.frozen(array) for name, array in arrays.items()}
        self.source_vocabulary, self.target_vocabulary = vocabularies
        self.signature = signature
        self.native = _native.PhraseTable(
            **{name: self._arrays[name] for name in _ARRAYS if name != "counts"},
            n_scores=n_scores,
            source_words=len(self.source_vocabulary),
            target_words=len(self.target_vocabulary),
        )
        if n_counts < 0 or len(arrays["counts"]) != len(self) * n_counts:
            raise ValueError("counts do not fit the number of rows")
        self.scores: NDArray[np.float32] = self._arrays["scores"].reshape(len(self), n_scores)
        self.counts: NDArray[np.float32] = self._arrays["counts"].reshape(len(self), n_counts)

    def __len__(self) -> int:
        return self.native.rows

    def __repr__(self) -> str:
        return f"<PhraseTable: {len(self):,} translations of {self.n_phrases:,} source phrases>"

    @property
    def n_phrases(self) -> int:
        """Number of source phrases."""
        return self.native.phrases

    @property
    def n_scores(self) -> int:
        """Number of scores of each row."""
        return self.native.n_scores

    @property
    def max_source_length(self) -> int:
        """Number of words of the longest source phrase."""
        return self.native.max_source_length

    @property
    def nbytes(self) -> int:
        """Size of the arrays."""
        return sum(array.nbytes for array in self._arrays.values())

    def check(self) -> None:
        """Read the whole table, and raise an error if it has anything that no table has.

        Using a table checks what it uses; this is for those who use the arrays themselves.
        """
        try:
            self.native.check()
        except ValueError as error:
            raise ChangedDataError(f"the phrase table is damaged: {error}\n  {_DAMAGED}") from None

    def lookup(self, words: str | Sequence[str]) -> list[Translation]:
        """Return the translations of a source phrase, by falling p(e|f); none if it is unknown."""
        words = split_words(words) if isinstance(words, str) else words
        ids = [self.source_vocabulary.id(word) for word in words]
        if None in ids or len(ids) > self.max_source_length:
            return []
        phrase = self.native.find(np.array(ids, np.int32))
        return [] if phrase < 0 else [self[row] for row in range(*self.native.options(phrase))]

    def frequent_words(self, side: str, top: int) -> list[str]:
        """Return the words that occur most often in phrase pairs, the most frequent first.

        They are nearly those that are most frequent in the text.

        Parameters
        ----------
        side
            ``source`` or ``target``.
        top
            How many.
        """
        if not self.counts.shape[1]:
            raise OptionError(
                "the phrase table has no counts, so it cannot tell which words are frequent"
            )
        self.check()
        ids, vocabulary = self._arrays["target_ids"], self.target_vocabulary
        offsets = self._arrays["target_offsets"]
        times: NDArray[Any] = self.counts[:, -1]
        if side == "source":
            ids, vocabulary = self._arrays["source_ids"], self.source_vocabulary
            offsets = self._arrays["source_offsets"]
            phrases = ragged.owners_of(self._arrays["row_offsets"])
            times = np.bincount(phrases, times, len(offsets) - 1)
        counts = np.bincount(ids, times[ragged.owners_of(offsets)], len(vocabulary))
        order = np.argsort(-counts, kind="stable")[:top]
        return [vocabulary[i] for i in order.tolist() if counts[i]]

    def __getitem__(self, row: int) -> Translation:
        if not -len(self) <= row < len(self):
            raise IndexError(f"no row {row} among {len(self)}")
        row %= len(self)
        links = self.native.links(row).view(np.uint16).reshape(-1, 2).tolist()
        return Translation(
            [self.target_vocabulary[word] for word in self.native.target(row).tolist()],
            tuple(self.scores[row].tolist()),
            [(f, e) for f, e in links],
            tuple(self.counts[row].tolist()),
        )

    @classmethod
    def build(
        cls,
        phrases: PhrasePairs,
        *,
        discounting: str = "none",
        min_count: int = 1,
        significance_pruning: float | str | None = None,
        table_limit: int | None = None,
        lexical: LexicalTable | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> PhraseTable:
        """Score phrase pairs as Moses does: p(f|e), lex(f|e), p(e|f), lex(e|f).

        Parameters
        ----------
        phrases
            What `extract_phrases` found.
        discounting
            What makes rare pairs less likely: ``none``, ``good-turing`` or ``kneser-ney``.
        min_count
            Keep pairs extracted at least this often.
        significance_pruning
            Keep pairs whose -log p in Fisher's exact test is at least this number, or ``a+e``
            (more than pairs of phrases that occur once each have) or ``a-e`` (just those too).
        table_limit
            Keep this many translations of each source phrase, those with the highest p(e|f).
        lexical
            The lexical table of the same pairs, if it was made already.
        n_jobs
            Number of threads; None for all cores. The result is the same for any number.
        progress
            Show a progress bar on a terminal.
        """
        options = ScoringOptions(discounting, min_count, significance_pruning, table_limit)
        arrays = build_arrays(phrases, options, lexical, n_jobs, progress)
        bitext = phrases.bitext
        return cls(
            arrays,
            (bitext.source.vocabulary, bitext.target.vocabulary),
            n_scores=4,
            n_counts=3,
            signature=signature(*phrases.signature_parts, *options.parts()),
        )

    @classmethod
    def read_moses(cls, path: str | Path, *, progress: bool = False) -> PhraseTable:
        """Read a phrase table in Moses' text format, plain or compressed.

        Lines may stand in any order, have any number of scores, and lack alignment and counts;
        what follows the counts is ignored. Rows are sorted by p(e|f), which is the third
        score; where there are fewer than three, by the first.
        """
        vocabularies = (Vocabulary(), Vocabulary())
        reader = _native.PhraseTableReader(*(v.native for v in vocabularies))
        rows = read_text(path, reader, _TEXT_HINT, progress)
        arrays, n_scores, n_counts = reader.finish()
        made_by = signature(("phrase_table", Path(path).name), ("rows", rows))
        return cls(arrays, vocabularies, n_scores=n_scores, n_counts=n_counts, signature=made_by)

    def write_moses(
        self,
        path: str | Path,
        *,
        overwrite: bool = False,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> Path:
        """Write Moses' text format: source phrases as ``LC_ALL=C sort`` has them.

        A name with ``.gz``, ``.bz2``, ``.xz`` or ``.zst`` makes a compressed file.
        """
        with (
            storage.new_files(Path(path), overwrite=overwrite) as (aside,),
            text_writer(aside, path) as file,
            progress_bar("Writing", self.n_phrases, "source phrases", shown=progress) as advance,
        ):
            for count, text in map_ordered(self._lines, self._chunks(), n_jobs):
                file.write(text)
                advance(count)
        return Path(path)

    def _chunks(self) -> Iterator[tuple[int, int]]:
        for begin in range(0, self.n_phrases, _CHUNK_PHRASES):
            yield begin, min(begin + _CHUNK_PHRASES, self.n_phrases)

    def _lines(self, phrases: tuple[int, int]) -> tuple[int, bytes]:
        text = _native.phrase_table_lines(
            self.native,
            self._arrays["counts"],
            self.counts.shape[1],
            self.source_vocabulary.native,
            self.target_vocabulary.native,
            *phrases,
        )
        return phrases[1] - phrases[0], text

    def save(self, path: str | Path, *, overwrite: bool = False) -> PhraseTable:
        """Write to a folder, complete or not at all, and return the memory-mapped table."""
        with storage.new_folder(path, FORMAT, overwrite=overwrite) as folder:
            for name, dtype in _ARRAYS.items():
                with storage.ArrayWriter(folder / f"{name}.npy", dtype) as writer:
                    writer.append(self._arrays[name])
            self.source_vocabulary.save(folder / "source.vocabulary")
            self.target_vocabulary.save(folder / "target.vocabulary")
            meta = {
                "format": FORMAT,
                "version": VERSION,
                "n_scores": self.n_scores,
                "n_counts": self.counts.shape[1],
                "signature": self.signature,
            }
            storage.write_json(folder / "meta.json", meta)
        return PhraseTable.load(path)

    @classmethod
    @storage.reading
    def load(cls, path: str | Path, *, progress: bool = False) -> PhraseTable:
        """Memory-map what `save` wrote, or read a text file of Moses'."""
        folder = Path(path)
        if not folder.is_dir():
            return cls.read_moses(path, progress=progress)
        meta = storage.check_format(folder, FORMAT, VERSION, "a phrase table", _HINT)
        fields = storage.Fields(folder / "meta.json", meta, _DAMAGED)
        options = {name: fields.whole(name, 0, 999) for name in ("n_scores", "n_counts")}
        arrays = {n: storage.load_array(folder / f"{n}.npy", t) for n, t in _ARRAYS.items()}
        source, target = (Vocabulary.load(folder / f"{s}.vocabulary") for s in ("source", "target"))
        made_by = fields.text("signature")
        try:
            return cls(
                arrays,
                (source, target),
                n_scores=options["n_scores"],
                n_counts=options["n_counts"],
                signature=made_by,
            )
        except ValueError as error:
            raise DataError(folder, None, str(error), _DAMAGED) from None
