"""How weights are tuned; unknown keys are errors."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

Tuner = Literal["mira", "pro", "mert"]
TUNERS: tuple[Tuner, ...] = get_args(Tuner)
Count = Annotated[int, Field(ge=1, lt=1 << 31)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]


class _Options(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class MiraOptions(_Options):
    """Options of k-best MIRA.

    Parameters
    ----------
    c
        The longest step, C.
    decay
        What is left, one sentence later, of the translations that BLEU is computed on top of.
    epochs
        How often all sentences are visited; the best epoch counts.
    scale
        Sum of the dense weights' absolute values where it begins, for each word of a reference of
        mean length. Losses are counted in words, so this is about where it ends: begun far below,
        it forgets where, and learns from the first lists what does not hold for others.
    sparse_rate
        How far sparse weights go, where dense ones go 1: there are many of them, and with 1 they
        learn the development text by heart.
    """

    c: Positive = 0.01
    decay: Share = 0.999
    epochs: Count = 60
    scale: Positive = 0.6
    sparse_rate: Share = 0.1


class ProOptions(_Options):
    """Options of PRO.

    Parameters
    ----------
    candidates
        Pairs that are drawn of each sentence, Γ.
    kept
        Pairs of those that are learned from, Ξ.
    threshold
        The least difference in sentence-level BLEU, from 0 to 1.
    mixture
        Share of the classifier's weights in the result; those before have the rest. The paper's 0.1
        needs twice the iterations.
    sigma
        Scale of the prior of the classifier's weights; smaller regularises more.
    """

    candidates: Count = 5000
    kept: Count = 50
    threshold: Share = 0.05
    mixture: Annotated[float, Field(gt=0, le=1)] = 0.5
    sigma: Positive = 1.0


class MertOptions(_Options):
    """Options of MERT.

    Parameters
    ----------
    restarts
        Random places to begin at, besides the given one.
    directions
        Random directions to search in, besides the coordinates.
    """

    restarts: Annotated[int, Field(ge=0, lt=1 << 20)] = 5
    directions: Annotated[int, Field(ge=0, lt=1 << 20)] = 10


class TuningOptions(_Options):
    """Options of tuning.

    Parameters
    ----------
    iterations
        The most decodings of the text.
    nbest_size
        Length of the n-best lists.
    patience
        Stop when so many iterations have not improved the BLEU score.
    tol
        Stop when the weights change by less: the sum of differences, where the dense weights' sum
        is 1.
    mira, pro, mert
        Of the methods.
    """

    iterations: Count = 15
    nbest_size: Count = 100
    patience: Count = 5
    tol: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.001
    mira: MiraOptions = MiraOptions()
    pro: ProOptions = ProOptions()
    mert: MertOptions = MertOptions()
