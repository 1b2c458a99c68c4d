"""`WordClasses`: words that stand beside the same words, put together.

They are learnt from text alone, by the exchange algorithm above
``native/word_classes/exchange.hpp``. A class says something about words that are too rare to learn
anything of: in features of reordering models, and in a decoder's sparse features.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tartib import _native, ragged, storage
from tartib.errors import DataError, OptionError
from tartib.progress import progress_bar
from tartib.signature import signature
from tartib.textio import (
    Text,
    count_lines,
    name_of_text,
    read_lines,
    split_words,
    text_blocks,
    text_writer,
)
from tartib.vocabulary import Vocabulary

DEFAULT_CLASSES = 100
_ROUNDS = 100  # of which some twenty are needed
_HINT = "give a file of `tartib word-classes`, or of lines with a word, a tab and its class"


class Learnt(NamedTuple):
    """What `learn_numbers` found.

    Attributes
    ----------
    numbers
        The class of each word of the vocabulary, from 1; 0 for words that do not occur.
    counts
        How often each word occurs.
    log_likelihood
        Of the text by the bigram model of classes, sentence ends included: natural logarithm.
    rounds
        How often all words were tried in all classes.
    """

    numbers: NDArray[np.int32]
    counts: NDArray[np.int64]
    log_likelihood: float
    rounds: int


def check_classes(classes: int) -> int:
    """Return a number of classes if it is possible."""
    if not 2 <= classes <= _native.MAX_WORD_CLASSES:
        most = _native.MAX_WORD_CLASSES
        raise OptionError(f"the number of word classes must be from 2 to {most:,}, not {classes}")
    return classes


def learn_numbers(
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    vocabulary: Vocabulary,
    classes: int,
    *,
    progress: bool = False,
) -> Learnt:
    """Learn the classes of words that are given as ids.

    Parameters
    ----------
    ids, offsets
        Sentence ``i`` is ``ids[offsets[i]:offsets[i + 1]]``.
    vocabulary
        The words of the ids.
    classes
        How many there may be; some may stay empty.
    progress
        Show a progress bar on a terminal.
    """
    exchange = _native.ClassExchange(vocabulary.native, ids, offsets, check_classes(classes))
    rounds = 0
    with progress_bar("exchanging words", None, "rounds", shown=progress) as advance:
        while rounds < _ROUNDS:
            rounds += 1
            advance(1)
            if exchange.run_round() == 0:
                break
    counts = exchange.counts()
    likelihood = exchange.objective() + exchange.word_term()
    return Learnt(_by_size(exchange.classes(), counts), counts, likelihood, rounds)


def _by_size(found: NDArray[np.int32], counts: NDArray[np.int64]) -> NDArray[np.int32]:
    """Give the classes numbers from 1, that of the most running words first, without gaps."""
    sizes = np.zeros(int(found.max(initial=-1)) + 1, np.int64)
    np.add.at(sizes, found[found >= 0], counts[found >= 0])
    order = np.argsort(-sizes, kind="stable")
    numbers = np.zeros(len(sizes) + 1, np.int32)  # the last one is for -1
    numbers[order] = np.arange(1, len(order) + 1)
    return numbers[found]


@dataclass(frozen=True)
class WordClasses:
    """A class for each word.

    Attributes
    ----------
    numbers
        The class of each word, counted from 1; class by class, in each the most frequent words
        first.
    perplexity
        Of the text that they were learnt from, by the bigram model of classes; None where it is not
        known.
    signature
        What made them.
    """

    numbers: Mapping[str, int]
    perplexity: float | None = None
    signature: str = ""

    def __len__(self) -> int:
        """Return the number of classes."""
        return max(self.numbers.values(), default=0)

    def __getitem__(self, word: str) -> int:
        return self.numbers[word]

    def __contains__(self, word: object) -> bool:
        return word in self.numbers

    def __iter__(self) -> Iterator[list[str]]:
        """Give the words of each class, the most frequent first."""
        members: list[list[str]] = [[] for _ in range(len(self))]
        for word, number in self.numbers.items():
            members[number - 1].append(word)
        return iter(members)

    @classmethod
    def learn(
        cls, text: Text, classes: int = DEFAULT_CLASSES, *, progress: bool = False
    ) -> WordClasses:
        """Learn classes from text; the same text gives the same classes.

        Parameters
        ----------
        text
            A file, ``-`` for standard input, or lines: one sentence each, words separated by
            spaces.
        classes
            How many. With more of them words of a class are more alike, but the classes rarer.
        progress
            Show progress bars on a terminal.
        """
        check_classes(classes)
        ids, offsets, vocabulary = _read(text, progress)
        found = learn_numbers(ids, offsets, vocabulary, classes, progress=progress)
        words = list(vocabulary)
        order = np.lexsort((-found.counts, found.numbers))
        sentences = int(np.count_nonzero(ragged.lengths_of(offsets)))
        return cls(
            {words[i]: int(found.numbers[i]) for i in order.tolist()},
            exp(-found.log_likelihood / (len(ids) + sentences)),
            signature(
                ("classes", classes),
                ("lines", len(offsets) - 1),
                ("words", len(ids)),
                ("rounds", found.rounds),
            ),
        )

    def save(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Write a line for each word: itself, a tab and its class."""
        lines = "".join(f"{word}\t{number}\n" for word, number in self.numbers.items())
        with (
            storage.new_files(path, overwrite=overwrite) as (aside,),
            text_writer(aside, path) as file,
        ):
            file.write(lines.encode())

    @classmethod
    def load(cls, path: str | Path) -> WordClasses:
        """Read what `save` wrote, or any lines of that form whose classes are numbers."""
        labels = read_classes(path)
        if wrong := [label for label in labels.values() if not _is_number(label)]:
            problem = f"has a class {wrong[0]!r}, which is not a number from 1"
            raise DataError(path, None, problem, "number the classes")
        return cls({word: int(label) for word, label in labels.items()})


def read_classes(path: str | Path) -> dict[str, str]:
    """Read a file with a word, a tab and a class on each line; no word has two classes."""
    found: dict[str, str] = {}
    for number, line in enumerate(read_lines(path), 1):
        parts = [split_words(part) for part in line.partition("\t")[::2]]
        if [len(part) for part in parts] != [1, 1]:
            raise DataError(path, number, "a line must have a word, a tab and a class", _HINT)
        (word,), (label,) = parts
        if found.setdefault(word, label) != label:
            problem = f"{word!r} is in class {label!r} here and in {found[word]!r} before"
            raise DataError(path, number, problem, "give each word one class")
    return found


def _is_number(label: str) -> bool:
    short = len(label) <= len(str(_native.MAX_WORD_CLASSES))
    is_whole = short and label.isascii() and label.isdecimal()
    return is_whole and 1 <= int(label) <= _native.MAX_WORD_CLASSES


def _read(text: Text, progress: bool) -> tuple[NDArray[np.int32], NDArray[np.int64], Vocabulary]:
    """Return the ids of a text, where its sentences begin and end, and the words."""
    vocabulary = Vocabulary()
    ids, lengths, lines = [np.zeros(0, np.int32)], [np.zeros(0, np.int64)], 0
    with progress_bar("reading", None, "lines", shown=progress) as advance:
        for block in text_blocks(text):
            found, of_lines, problem = _native.encode_lines(vocabulary.native, block)
            if problem:
                line = lines + len(of_lines) + 1
                raise DataError(name_of_text(text), line, problem, "correct or remove the line")
            ids.append(found)
            lengths.append(of_lines)
            lines += count_lines(block)
            advance(count_lines(block))
    if len(vocabulary) == 0:
        hint = "give at least one line with words"
        raise DataError(name_of_text(text), None, "the text has no words", hint)
    return np.concatenate(ids), ragged.offsets_of(np.concatenate(lengths)), vocabulary
