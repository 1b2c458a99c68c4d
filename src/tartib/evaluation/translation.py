"""How good translations are: BLEU, as sacreBLEU computes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tartib.errors import OptionError


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
    """Return the BLEU score of a text.

    Parameters
    ----------
    translations
        A line for each sentence.
    references
        One list of lines, or several, each as long as the translations.
    tokenize
        One of sacreBLEU's tokenisations. The text that Tartib works on has its words separated
        already, so nothing is changed; for published scores give ``13a`` and text as people
        write it.
    lowercase
        Compare without regard to case.
    """
    from sacrebleu.metrics.bleu import BLEU

    if not references or any(len(lines) != len(translations) for lines in references):
        counts = ", ".join(str(len(lines)) for lines in references) or "none"
        raise OptionError(
            f"{len(translations)} translations need references of as many lines, not {counts}"
        )
    if not translations:
        raise OptionError("there are no translations to score")
    # `force` only silences a warning about text that is tokenised already, as ours is.
    metric = BLEU(tokenize=tokenize, lowercase=lowercase, force=True)
    score = metric.corpus_score(list(translations), [list(lines) for lines in references])
    return Bleu(float(score.score), str(metric.get_signature()))
