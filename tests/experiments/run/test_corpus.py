"""The corpus of an experiment."""

from pathlib import Path

import pytest

from tartib import Bitext, extract_phrases
from tartib.errors import OptionError
from tartib.experiments.run.corpus import Corpus, Division
from tartib.experiments.run.stages import TextFile


def test_division_needs_pairs_in_each_part() -> None:
    corpus = Corpus((("bitext", TextFile("", Path("nowhere"))),), None, 100, False, 7)
    tiny = Division(corpus, 0.1, 0.05, 1, 0, 0, 1)
    pairs = extract_phrases(Bitext.from_lines(["a b"], ["c d"], ["0-0 1-1"]))
    with pytest.raises(OptionError, match="the corpus is too small"):
        tiny.of(pairs)
