"""`TextOptions`: what is done to each side of a text."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Segmentation = Literal["auto", "fugashi", "jieba", "characters", "runs", "spaces"]


class SideOptions(BaseModel):
    """What is done to one side.

    Attributes
    ----------
    form
        Unicode normal form.
    entities
        Whether HTML entities (``&amp;``) become characters.
    quotes
        Whether typographic quotes, apostrophes, dashes and dots of omission are all written plainly
        inside; in the output they are what most of the training text has.
    diacritics
        Arabic and Hebrew vowel signs. Tatweel, which only stretches a word, always goes.
    letters
        Variants of Arabic letters: hamza on alif, final ya and ta marbuta.
    case
        ``true``: words at the beginning of sentences as they are written elsewhere; ``lower``: all
        in small letters, which cannot be undone; ``none``: as it is.
    hyphens
        Whether words are cut at hyphens.
    segmentation
        How text without spaces is cut into words: ``auto`` takes the library for the language if it
        is installed, or ``runs`` if there are subwords; ``spaces``: at spaces only.
    subwords, subword_size
        Method of splitting words, and how many different pieces there may be.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    form: Literal["NFC", "NFKC"] = "NFC"
    entities: bool = True
    quotes: Literal["plain", "keep"] = "plain"
    diacritics: Literal["remove", "keep"] = "remove"
    letters: Literal["keep", "unify"] = "keep"
    case: Literal["true", "lower", "none"] = "true"
    hyphens: bool = True
    segmentation: Segmentation = "auto"
    subwords: Literal["none", "bpe", "unigram"] = "none"
    subword_size: int = Field(default=8000, ge=100, le=1_000_000)


class TextOptions(BaseModel):
    """What is done to a text; an option of `SideOptions` given here is for both sides.

    ``TextOptions(subwords="bpe", source={"letters": "unify"})``
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: SideOptions = SideOptions()
    target: SideOptions = SideOptions()

    @model_validator(mode="before")
    @classmethod
    def _for_both(cls, given: Any) -> Any:  # noqa: ANN401
        if not isinstance(given, dict):
            return given
        shared = {key: given[key] for key in given if key in SideOptions.model_fields}
        if not shared:
            return given
        rest = {key: value for key, value in given.items() if key not in shared}
        for side in ("source", "target"):
            own = rest.get(side, {})
            if isinstance(own, SideOptions):
                own = own.model_dump(exclude_unset=True)
            rest[side] = {**shared, **own} if isinstance(own, dict) else own
        return rest


class CleaningOptions(BaseModel):
    """Which pairs of sentences are left out.

    Attributes
    ----------
    max_words
        Longest side, in words; two characters of a script without spaces count as a word.
    max_ratio
        How many times as long as the other one a side of more than ten words may be.
    scripts
        Whether sides in another script than the rest are left out.
    duplicates
        Whether pairs that were seen before are left out.
    identical_words
        Sides that are the same are left out if they have more words than this.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_words: int = Field(default=100, ge=1, le=4096)
    max_ratio: float = Field(default=5.0, ge=1, allow_inf_nan=False)
    scripts: bool = True
    duplicates: bool = True
    identical_words: int = Field(default=3, ge=0)
