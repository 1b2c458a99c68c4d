"""`LanguageModel`: log10 p(word | the words before it) of a back-off n-gram model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tartib.engine import map_ordered
from tartib.lm.arpa import read_arpa, write_arpa
from tartib.lm.estimation import DEFAULT_FALLBACK, estimate_table
from tartib.lm.table import Table, load_table, save_table
from tartib.signature import signature
from tartib.textio import Text, split_words, text_blocks
from tartib.vocabulary import Vocabulary


class WordScore(NamedTuple):
    """How a word was scored: by an n-gram of ``length`` words, the word itself included."""

    word: str
    log10_p: float
    length: int
    known: bool


class LineScores(NamedTuple):
    """Scores of consecutive lines, each between ``<s>`` and ``</s>``; tokens count ``</s>``."""

    log10_p: NDArray[np.float64]
    unknown_log10_p: NDArray[np.float64]
    tokens: NDArray[np.int64]
    unknown: NDArray[np.int64]


class TextScore(NamedTuple):
    """Sums over a text; tokens count a ``</s>`` for each line."""

    log10_p: float = 0.0
    unknown_log10_p: float = 0.0
    tokens: int = 0
    unknown: int = 0
    lines: int = 0

    def plus(self, scores: LineScores) -> TextScore:
        """Return the sums with more lines."""
        return TextScore(
            self.log10_p + float(scores.log10_p.sum()),
            self.unknown_log10_p + float(scores.unknown_log10_p.sum()),
            self.tokens + int(scores.tokens.sum()),
            self.unknown + int(scores.unknown.sum()),
            self.lines + len(scores.tokens),
        )

    @property
    def perplexity(self) -> float:
        """Of all tokens, unknown words with the probability of ``<unk>``."""
        return _perplexity(self.log10_p, self.tokens)

    @property
    def perplexity_known(self) -> float:
        """Without unknown words."""
        return _perplexity(self.log10_p - self.unknown_log10_p, self.tokens - self.unknown)


class LanguageModel:
    """A back-off n-gram model; make one by `estimate` or `load`.

    Parameters
    ----------
    table
        Words and n-grams.

    Attributes
    ----------
    native
        Answers queries in native code; safe to use from many threads.
    vocabulary
        The words and their ids, those of the native model. Do not add words to it.
    counts
        Number of n-grams of each order.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self.native = table.model()
        self.vocabulary: Vocabulary = table.vocabulary
        self.counts: tuple[int, ...] = table.counts

    @classmethod
    def estimate(
        cls,
        text: Text,
        order: int = 5,
        prune: Sequence[int] = (0,),
        discount_fallback: bool | Sequence[float] = False,
        *,
        skip_symbols: bool = False,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> LanguageModel:
        """Estimate a model by interpolated modified Kneser–Ney smoothing.

        The result is that of KenLM's ``lmplz``, and the same on any number of threads.

        Parameters
        ----------
        text
            A file's name, or lines; words are separated by spaces. An empty line is a sentence
            without words.
        order
            Length of the longest n-grams, 1 to 6.
        prune
            For each order the threshold at which n-grams are dropped: those that occur no more
            often. The first is 0, none is less than the one before, and the last holds for all
            higher orders.
        discount_fallback
            Discounts for adjusted counts of 1, 2, and 3 or more, for orders whose own cannot be
            computed because the text is small; True is 0.5, 1, 1.5. By default that is an error.
        skip_symbols
            Leave out ``<s>``, ``</s>`` and ``<unk>`` in the text; by default they are an error.
        n_jobs
            Number of threads; None for all cores.
        progress
            Show a bar.
        """
        fallback: Sequence[float] | None
        if isinstance(discount_fallback, bool):
            fallback = DEFAULT_FALLBACK if discount_fallback else None
        else:
            fallback = discount_fallback
        table = estimate_table(
            text,
            order,
            prune,
            fallback,
            skip_symbols=skip_symbols,
            n_jobs=n_jobs,
            progress=progress,
        )
        return cls(table)

    @classmethod
    def load(cls, path: str | Path, *, progress: bool = False) -> LanguageModel:
        """Load a folder that `save` wrote, or an ARPA file, plain or compressed.

        A folder is mapped into memory, which takes no time; an ARPA file is read.
        """
        if Path(path).is_dir():
            return cls(load_table(Path(path)))
        return cls(read_arpa(path, progress=progress))

    def save(self, folder: str | Path, *, overwrite: bool = False) -> None:
        """Write a folder that loads at once."""
        save_table(self._table._replace(signature=self.signature), folder, overwrite=overwrite)

    def write_arpa(
        self, path: str | Path, *, overwrite: bool = False, progress: bool = False
    ) -> None:
        """Write the text form that other tools read; compressed as its name says."""
        write_arpa(self.native, self.counts, path, overwrite=overwrite, progress=progress)

    @property
    def order(self) -> int:
        """How many words the longest n-grams have."""
        return len(self.counts)

    @property
    def signature(self) -> str:
        """What the model was made of, in one line."""
        if self._table.signature:
            return self._table.signature
        return signature(("order", self.order), ("ngrams", "+".join(map(str, self.counts))))

    def __contains__(self, word: object) -> bool:
        return word in self.vocabulary

    def __repr__(self) -> str:
        return f"<LanguageModel of order {self.order}: {sum(self.counts):,} n-grams>"

    def ids(self, words: Iterable[str]) -> NDArray[np.uint32]:
        """Return the words' ids; unknown words get that of ``<unk>``."""
        return np.array([self.native.find(word.encode()) for word in words], np.uint32)

    def ids_of(self, vocabulary: Vocabulary) -> NDArray[np.uint32]:
        """Return the ids of all words of another vocabulary, in its order."""
        return self.native.find_all(vocabulary.native)

    def score(self, words: str | Sequence[str], *, begin: bool = True, end: bool = True) -> float:
        """Return log10 p of a sentence.

        Parameters
        ----------
        words
            Words, or text whose words are separated by spaces.
        begin, end
            Whether the words begin a sentence, and whether they end it.
        """
        return float(np.sum(self._scores(words, begin, end)[1], dtype=np.float64))

    def word_scores(
        self, words: str | Sequence[str], *, begin: bool = True, end: bool = True
    ) -> list[WordScore]:
        """Return the score of each word, ``</s>`` included; the parameters are those of `score`."""
        ids, scores, lengths = self._scores(words, begin, end)
        names = [*_split(words), *(["</s>"] if end else [])]
        rows = zip(names, ids.tolist(), scores.tolist(), lengths.tolist(), strict=True)
        return [WordScore(w, p, n, i != self.native.unknown) for w, i, p, n in rows]

    def _scores(
        self, words: str | Sequence[str], begin: bool, end: bool
    ) -> tuple[NDArray[np.uint32], NDArray[np.float32], NDArray[np.uint8]]:
        ids = self.ids(_split(words))
        if end:
            ids = np.append(ids, np.uint32(self.native.end_word))
        return ids, *self.native.score_ids(ids, begin)

    def score_lines(self, text: Text, *, n_jobs: int | None = None) -> Iterator[LineScores]:
        """Score a file's lines, or those given, in blocks; compressed files are read too."""
        return map_ordered(self.score_block, text_blocks(text), n_jobs)

    def score_block(self, lines: bytes) -> LineScores:
        """Score lines of UTF-8 text."""
        return LineScores(*self.native.score_lines(lines))

    def perplexity(self, text: Text, *, n_jobs: int | None = None) -> float:
        """Return the perplexity of a file or of lines, unknown words and ``</s>`` included."""
        total = TextScore()
        for scores in self.score_lines(text, n_jobs=n_jobs):
            total = total.plus(scores)
        return total.perplexity


def _split(words: str | Sequence[str]) -> list[str]:
    return split_words(words) if isinstance(words, str) else list(words)


def _perplexity(log10_p: float, tokens: int) -> float:
    return float(10 ** (-log10_p / tokens)) if tokens else float("nan")
