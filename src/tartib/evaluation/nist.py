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
from collections.abc import Callable, Sequence

import numpy as np

from tartib.evaluation.metrics import Floats, Metric, check_references, ratio
from tartib.signature import signature

ORDER = 5
_BETA = math.log(0.5) / math.log(1.5) ** 2

Ngram = tuple[str, ...]


class Nist(Metric[str]):
    """Knows the references of a text, and what each of their n-grams tells.

    Parameters
    ----------
    references
        One list of lines, or several of equal length; words are separated by spaces.
    prepare
        What is done to each line before, such as tokenisation.
    prepared
        What the signature says of that.
    """

    def __init__(
        self,
        references: Sequence[Sequence[str]],
        *,
        prepare: Callable[[str], str] = str,
        prepared: str = "case:mixed|tok:none",
    ) -> None:
        sentences = check_references(references)
        super().__init__("NIST", f"nrefs:{len(references)}|{prepared}|{signature()}", sentences)
        self._prepare = prepare
        words = [[prepare(line).split() for line in lines] for lines in references]
        self._references = [[_ngrams(line) for line in lines] for lines in words]
        self._lengths = np.array([[len(line) for line in lines] for lines in words])
        counts: Counter[Ngram] = Counter()
        for lines in self._references:
            for found in lines:
                counts.update(found)
        total = int(self._lengths.sum())
        self._info = {
            ngram: math.log2((counts[ngram[:-1]] if len(ngram) > 1 else total) / count)
            for ngram, count in counts.items()
        }

    def _row(self, sentence: int, output: str) -> list[float]:
        """Return matched information and number of n-grams, for each n, length and average length.

        The last one is that of the references.
        """
        words = self._prepare(output).split()
        matched = [0.0] * ORDER
        for ngram, count in _ngrams(words).items():
            allowed = max(lines[sentence][ngram] for lines in self._references)
            if allowed:
                matched[len(ngram) - 1] += min(count, allowed) * self._info[ngram]
        possible = [max(len(words) - n, 0) for n in range(ORDER)]
        return [*matched, *possible, len(words), float(self._lengths[:, sentence].mean())]

    def score(self, sums: Floats) -> Floats:
        """Return the score that each row of sums makes."""
        told: Floats = ratio(sums[:, :ORDER], sums[:, ORDER : 2 * ORDER]).sum(axis=1)
        shares = ratio(sums[:, -2], sums[:, -1])
        with np.errstate(divide="ignore"):
            penalty: Floats = np.exp(_BETA * np.log(np.minimum(shares, 1.0)) ** 2)
        return told * penalty


def _ngrams(words: list[str]) -> Counter[Ngram]:
    return Counter(
        tuple(words[i : i + n]) for n in range(1, ORDER + 1) for i in range(len(words) - n + 1)
    )
