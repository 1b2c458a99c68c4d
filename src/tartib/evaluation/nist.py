"""The NIST score (Doddington 2002), as ``mteval-v14.pl`` computes it.

    score = Σ_n  Σ_{matched n-grams} info / Σ_sentences (length - n + 1)   ·   penalty,   n = 1 … 5

An n-gram tells the more the rarer it is after its first n-1 words, counted over all references:
info(w₁…wₙ) = log₂ (count(w₁…wₙ₋₁) / count(w₁…wₙ)), with the number of all words for n = 1. It is
matched as often as the reference that has it most often allows. The penalty is
exp(β ln² min(length / average reference length, 1)), with β such that it is ½ at two thirds.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tartib.errors import OptionError

ORDER = 5
_BETA = math.log(0.5) / math.log(1.5) ** 2

Ngram = tuple[str, ...]


class Nist:
    """Knows the references of a text, and what each of their n-grams tells.

    Parameters
    ----------
    references
        One list of lines, or several of equal length; words are separated by spaces.
    """

    def __init__(self, references: Sequence[Sequence[str]]) -> None:
        if not references or len({len(lines) for lines in references}) != 1:
            raise OptionError("references need one list of lines or more, all of the same length")
        self._references = [[_ngrams(line.split()) for line in lines] for lines in references]
        self._lengths = np.array([[len(line.split()) for line in lines] for lines in references])
        counts: Counter[Ngram] = Counter()
        for lines in self._references:
            for found in lines:
                counts.update(found)
        words = int(self._lengths.sum())
        self._info = {
            ngram: math.log2((counts[ngram[:-1]] if len(ngram) > 1 else words) / count)
            for ngram, count in counts.items()
        }

    def statistics(self, translations: Sequence[str]) -> NDArray[np.float64]:
        """Return a row of sums for each sentence: those of a text are their sum.

        The columns are the information matched and the number of n-grams, for each n; the length;
        and the average length of the references.
        """
        expected = self._lengths.shape[1]
        if len(translations) != expected:
            raise OptionError(
                f"{len(translations)} translations need as many lines, not {expected}"
            )
        rows = [self._sentence(i, line.split()) for i, line in enumerate(translations)]
        return np.array(rows, np.float64).reshape(len(rows), 2 * ORDER + 2)

    def _sentence(self, i: int, words: list[str]) -> list[float]:
        matched = [0.0] * ORDER
        for ngram, count in _ngrams(words).items():
            allowed = max(lines[i][ngram] for lines in self._references)
            if allowed:
                matched[len(ngram) - 1] += min(count, allowed) * self._info[ngram]
        possible = [max(len(words) - n, 0) for n in range(ORDER)]
        return [*matched, *possible, len(words), float(self._lengths[:, i].mean())]

    def score(self, translations: Sequence[str]) -> float:
        """Return the score of a text."""
        return nist_of(self.statistics(translations).sum(axis=0))


def nist_of(sums: NDArray[np.float64]) -> float:
    """Return the score that sums of `Nist.statistics` make."""
    matched, possible = sums[:ORDER], sums[ORDER : 2 * ORDER]
    length, reference = sums[2 * ORDER :]
    if length == 0 or reference == 0:
        return 0.0
    told = float((matched[possible > 0] / possible[possible > 0]).sum())
    return told * math.exp(_BETA * math.log(min(length / reference, 1.0)) ** 2)


def _ngrams(words: list[str]) -> Counter[Ngram]:
    return Counter(
        tuple(words[i : i + n]) for n in range(1, ORDER + 1) for i in range(len(words) - n + 1)
    )
