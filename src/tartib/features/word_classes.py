"""The classes of the words in features: learnt with the dictionary, saved beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tartib import ragged, storage
from tartib.bitext import Text
from tartib.errors import DataError
from tartib.vocabulary import Vocabulary
from tartib.word_classes import learn_numbers

Ids = NDArray[np.int32]
_EXAMPLES = 3
_HINT = "make the encoder again"


@dataclass(frozen=True)
class ClassMap:
    """The classes of a vocabulary's words.

    Attributes
    ----------
    numbers
        The class of each word, from 1; 0 for words without one.
    examples
        The most frequent words of each class.
    """

    numbers: Ids
    examples: tuple[tuple[str, ...], ...]

    @classmethod
    def learn(
        cls, text: Text, keep: NDArray[np.bool_], ids: Ids, words: Vocabulary, classes: int
    ) -> ClassMap:
        """Learn classes from some sentences of a corpus.

        Parameters
        ----------
        text, keep
            One side of the corpus, and which of its sentences.
        ids, words
            The id, in a vocabulary, of each word of the text's own; none where they are the same.
        classes
            How many.
        """
        offsets, tokens = ragged.take(text.offsets, keep)
        running = text.ids[tokens]
        learnt = learn_numbers(ids[running] if len(ids) else running, offsets, words, classes)
        # All words by class, in each class the most frequent first; then the first ones of each.
        order = np.lexsort((-learnt.counts, learnt.numbers))
        most = int(learnt.numbers.max(initial=0))
        begins = np.searchsorted(learnt.numbers[order], np.arange(1, most + 2)).tolist()
        examples = (
            tuple(words[i] for i in order[begin : min(begin + _EXAMPLES, end)].tolist())
            for begin, end in pairwise(begins)
        )
        return cls(learnt.numbers, tuple(examples))

    def of_ids(self, ids: Ids) -> Ids:
        """Return the class of each word of another vocabulary, 0 for none.

        ``ids`` are their ids in this one, -1 for those it lacks; none where they are the same.
        """
        return np.append(self.numbers, np.int32(0))[ids] if len(ids) else self.numbers

    def with_ids(self, ids: Ids) -> ClassMap:
        """Return the classes of another vocabulary's words; parameter as before."""
        return replace(self, numbers=self.of_ids(ids))

    def name(self, number: int) -> str:
        """Return the name of a class, such as ``class 17 (“house”, “land”, “city”, …)``."""
        words = ", ".join(f"“{word}”" for word in self.examples[number - 1])
        return f"class {number} ({words}, …)"


def save_classes(classes: Mapping[str, ClassMap], folder: Path) -> dict[str, list[list[str]]]:
    """Write an array for each use of words; return their examples, for ``meta.json``."""
    for use, found in classes.items():
        with storage.ArrayWriter(folder / f"{use}.classes.npy", np.int32) as writer:
            writer.append(found.numbers)
    return {use: [list(words) for words in found.examples] for use, found in classes.items()}


def load_classes(
    folder: Path, examples: Mapping[str, list[list[str]]], sizes: Mapping[str, int]
) -> dict[str, ClassMap]:
    """Read what `save_classes` wrote; ``sizes`` are those of the vocabularies."""
    found = {}
    for use, size in sizes.items():
        path = folder / f"{use}.classes.npy"
        numbers = storage.load_array(path, np.int32)
        words = tuple(tuple(map(str, of_class)) for of_class in examples[use])
        in_range = numbers.min(initial=0) >= 0 and numbers.max(initial=0) <= len(words)
        if len(numbers) != size or not in_range:
            raise DataError(path, None, "does not fit the other files of the folder", _HINT)
        found[use] = ClassMap(numbers, words)
    return found
