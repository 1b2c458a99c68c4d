"""`learn_text`: all that is to be known of both sides, in one pass over raw text."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator

from tartib.text import subwords
from tartib.text.casing import CaseCounts, Casing
from tartib.text.languages import lower
from tartib.text.model import TextModel
from tartib.text.normalisation import Normaliser
from tartib.text.options import SideOptions, TextOptions
from tartib.text.profile import Profile, frequent_words, shape_of
from tartib.text.scripts import UNSPACED, letters_by_script
from tartib.text.segmentation import available, is_segmented
from tartib.text.side import TextSide, tokeniser_of
from tartib.text.style import StyleCounts

_FIRST = 5_000  # lines that decide on what cannot wait until the end


def learn_text(
    pairs: Iterable[tuple[str, str]],
    languages: tuple[str, str] = ("", ""),
    options: TextOptions | None = None,
) -> TextModel:
    """Learn from raw pairs, in one pass and in the memory that the vocabulary needs.

    Parameters
    ----------
    pairs
        Raw lines of both sides, cleaned.
    languages
        Codes of the source and target language; empty if unknown.
    options
        What is done to both sides.
    """
    options = options or TextOptions()
    for side in (options.source, options.target):
        if side.subwords != "none":
            subwords.check_installed()
    pairs = iter(pairs)
    first = list(itertools.islice(pairs, _FIRST))
    source = _Learner(languages[0], options.source, [pair[0] for pair in first])
    target = _Learner(languages[1], options.target, [pair[1] for pair in first])
    for source_line, target_line in _released(first, pairs):
        source.add(source_line)
        target.add(target_line)
    return TextModel(source.side(), target.side())


def _released(
    first: list[tuple[str, str]], rest: Iterator[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    yield from first
    first.clear()
    yield from rest


class _Learner:
    """Learns one side, line by line."""

    def __init__(self, language: str, options: SideOptions, first: list[str]) -> None:
        self._shape = shape_of(first)
        if self._shape.tokenised and "quotes" not in options.model_fields_set:
            # A plain quote without marks does not say whether it opens.
            options = options.model_copy(update={"quotes": "keep"})
        self._language, self._options = language, options
        self._normalise = Normaliser(options, language)
        self._segmentation = _segmentation(language, options, first)
        self._tokeniser = tokeniser_of(language, options, self._segmentation)
        self._style = StyleCounts()
        self._case = CaseCounts(language)

    def add(self, raw: str) -> None:
        self._style.add(raw)
        line = self._normalise(raw)
        if self._options.case == "lower":
            line = self._normalise(lower(line, self._language))
        self._case.add(line, self._tokeniser.cut(line))

    def side(self) -> TextSide:
        casing = self._case.casing()
        words = self._words(casing)
        model = None
        if self._options.subwords != "none":
            model = subwords.train(words, self._options.subwords, self._options.subword_size)
        return TextSide(
            self._language, self._options, self._segmentation, casing, self._style.style(),
            Profile(self._shape, frequent_words(words)), model,
        )  # fmt: skip

    def _words(self, casing: Casing) -> Counter[str]:
        """Count the words of the prepared text."""
        words = Counter(self._case.inside)
        for form, count in self._case.at_start.items():
            prepared = form
            if self._options.case == "true":
                prepared = casing.prepare(form, [form])[0]
            words[prepared] += count
        return words


def _segmentation(language: str, options: SideOptions, lines: list[str]) -> str:
    """Return what cuts text without spaces; empty if the side has spaces."""
    counts = letters_by_script(lines)
    if options.segmentation == "spaces" or next(iter(counts), "") not in UNSPACED:
        return ""
    if options.segmentation != "auto":
        return options.segmentation
    if is_segmented(lines):
        return ""
    return "runs" if options.subwords != "none" else available(language)
