"""Options of tuning and of the tuners; unknown keys are errors."""

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
        How much of the translations that BLEU is computed on top of remains one sentence later.
    epochs
        How often all sentences are visited; the weights of the best epoch are taken.
    scale
        Sum of the dense weights' absolute values at the start, divided by the mean length of the
        references. Losses are counted in words, so this is about the scale where MIRA ends; from a
        much smaller one it forgets the start, and overfits to the first lists.
    sparse_rate
        Learning rate of sparse weights relative to dense ones: there are many of them, and with 1
        they overfit to the development set.
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
        Pairs that are drawn for each sentence, Γ.
    kept
        Pairs of those that are trained on, Ξ.
    threshold
        Smallest difference in sentence-level BLEU, from 0 to 1.
    mixture
        Share of the classifier's weights in the result; the rest is that of the previous weights.
        The paper's 0.1 needs twice the iterations.
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
        Random starts, besides the given one.
    directions
        Random directions to search, besides the coordinates.
    """

    restarts: Annotated[int, Field(ge=0, lt=1 << 20)] = 5
    directions: Annotated[int, Field(ge=0, lt=1 << 20)] = 10


class TuningOptions(_Options):
    """Options of tuning.

    Parameters
    ----------
    iterations
        Largest number of iterations.
    nbest_size
        Length of the n-best lists.
    patience
        Stop after this many iterations without a better BLEU score.
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
