"""Options of the search; unknown keys are errors."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from tartib import _native

Size = Annotated[int, Field(ge=0, lt=1 << 31)]


def hyphenated(name: str) -> str:
    """Return a field's name in TOML files, which is that of the command line's option."""
    return name.replace("_", "-")


class SearchOptions(BaseModel):
    """Options of the search.

    Parameters
    ----------
    stack_size
        Hypotheses that are kept for each number of translated source words; 0 for all.
    beam_threshold
        Hypotheses less probable than the best one of their stack times this are dropped; 0 keeps
        all.
    distortion_limit
        The longest jump in source words; -1 for no limit, 0 for monotone translation.
    cube_pops
        Cube pruning: how many extensions are tried for each stack; 0 tries all (no cube pruning).
    table_limit
        Translations of each source phrase that are considered, best first; 0 for all.
    drop_unknown
        Drop unknown words instead of passing them through.
    max_words
        Longer sentences are cut into pieces, if possible after a punctuation mark, with a warning.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=hyphenated, populate_by_name=True
    )

    stack_size: Size = 200
    beam_threshold: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.00001
    distortion_limit: Annotated[int, Field(ge=-1, lt=1 << 31)] = 6
    cube_pops: Size = 0
    table_limit: Size = 20
    drop_unknown: bool = False
    max_words: Annotated[int, Field(ge=1, le=_native.MAX_DECODED_WORDS)] = 200
