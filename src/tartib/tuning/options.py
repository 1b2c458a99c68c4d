"""How weights are tuned; unknown keys are errors."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Method = Literal["mira", "pro", "mert"]
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
    """

    c: Positive = 0.01
    decay: Share = 0.999
    epochs: Count = 60


class TuningOptions(_Options):
    """Options of tuning.

    Parameters
    ----------
    iterations
        The most decodings of the text.
    nbest
        Length of the n-best lists.
    patience
        Stop when so many iterations have not improved the BLEU score.
    tolerance
        Stop when the weights change by less: the sum of differences, where the dense weights' sum
        is 1.
    mira
        Of the tuner.
    """

    iterations: Count = 15
    nbest: Count = 100
    patience: Count = 5
    tolerance: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.001
    mira: MiraOptions = MiraOptions()
