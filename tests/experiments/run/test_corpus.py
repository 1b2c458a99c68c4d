"""The corpus of an experiment."""

from pathlib import Path

import pytest

from tartib import Bitext, extract_phrases
from tartib.errors import OptionError
from tartib.experiments.run.corpus import Corpus, Division
from tartib.experiments.run.stages import TextFile
from tartib.reordering import sample_derivations
from tartib.synthetic import generate, lines


def test_division_needs_pairs_in_each_part() -> None:
    corpus = Corpus((("bitext", TextFile("", Path("nowhere"))),), None, 100, False, 7)
    tiny = Division(corpus, 0.1, 0.05, 1, 0, 0, 1)
    pairs = extract_phrases(Bitext.from_lines(["a b"], ["c d"], ["0-0 1-1"]))
    with pytest.raises(OptionError, match="the corpus is too small"):
        tiny.of(pairs)


def test_parts_are_steps_of_derivations_if_these_are_learnt_from() -> None:
    corpus = Corpus((("bitext", TextFile("", Path("nowhere"))),), None, 100, False, 7)
    text = [side.decode().split("\n")[:-1] for side in lines(list(generate(100, seed=2)))]
    phrases = extract_phrases(Bitext.from_lines(*text))
    for held_out in (0.0, 0.2):
        pairs = Division(corpus, held_out, 0.2, 1, 0, 3, 10**9).of(phrases)
        steps = Division(corpus, held_out, 0.2, 1, 0, 3, 10**9, "derivations").of(phrases)
        assert steps.pairs.signature == pairs.train.signature
        for name in ("train", "development", "test"):
            all_pairs, found = getattr(pairs, name), getattr(steps, name)
            expected = sample_derivations(all_pairs, seed=3, known=pairs.train)
            assert found.records.tobytes() == expected.records.tobytes()
            assert found.signature == expected.signature
        assert steps.tuning.records.tobytes() == steps.train.records.tobytes()
