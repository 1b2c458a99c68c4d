"""Upper bounds: a model that knows the right order, and choices from n-best lists."""

import shutil
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tartib.decoder import Decoder, Hypothesis, SearchOptions, Translation
from tartib.decoder.features import FeatureLayout
from tartib.decoder.translation import NO_SPARSE
from tartib.errors import OptionError
from tartib.evaluation import bleu
from tartib.experiments import TranslationOptions, TranslationResults, run_translation
from tartib.experiments.report.table_formats import to_markdown
from tartib.experiments.translation.oracle import AS_DECODED, COSTS, nearest, sentence_bleu
from tartib.experiments.translation.results import OracleRow
from tartib.experiments.translation.tables import tables_of
from tartib.experiments.translation.true_order import SentenceOrder, TrueOrder
from tests.support.decoding import language_model, make_table
from tests.support.experiment_runs import stages_of
from tests.support.translation_results import example_translation

CODES = ("mono", "swap", "dright", "dleft")


def code_by_blocks(before: list[int], start: int, end: int) -> str:
    """Return the orientation after these words: blocks are merged until none adjoin."""
    blocks = [{-1}]  # the beginning of the sentence
    for word in before:
        blocks.append({word})
        while len(blocks) > 1 and len(both := blocks[-2] | blocks[-1]) == max(both) - min(both) + 1:
            blocks[-2:] = [both]
    if max(blocks[-1]) == start - 1:
        return "mono"
    if min(blocks[-1]) == end:
        return "swap"
    return "dright" if start > max(blocks[-1]) else "dleft"


@given(st.permutations(range(6)), st.data())
def test_orientations_agree_with_the_twin(order: list[int], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, 5))
    end = data.draw(st.integers(start + 1, 6))
    found = SentenceOrder(tuple(order))
    inside = range(start, end)
    first = min(order.index(word) for word in inside)
    assert CODES[found.code("backward", start, end)] == code_by_blocks(order[:first], start, end)
    # Forward is the mirror image.
    mirrored = [5 - word for word in reversed(order)]
    first = min(mirrored.index(5 - word) for word in inside)
    expected = code_by_blocks(mirrored[:first], 6 - end, 6 - start)
    assert CODES[found.code("forward", start, end)] == expected


def test_decoder_that_knows_the_order_finds_it() -> None:
    table = make_table([f"{word} ||| {word.upper()} ||| 1 1 ||| 0-0 ||| 1 1 1" for word in "abcd"])
    options = SearchOptions(distortion_limit=-1)
    plain = Decoder(table, language_model(), options=options)
    for order in permutations(range(4)):
        # The second sentence is not one that is known.
        decoder = plain.with_model(TrueOrder(["a b c d"], [order]), [1000.0] * 8)
        found, other = decoder.translate(["a b c d", "b a"], n_jobs=1)
        assert found.text == " ".join("ABCD"[word] for word in order)
        (usual,) = plain.translate(["b a"], n_jobs=1)
        assert other.text == usual.text
        assert other.best.total == pytest.approx(usual.best.total)
    with pytest.raises(OptionError, match="'true-order' already"):
        decoder.with_model(TrueOrder([], []), [1.0] * 8)


def hypothesis(words: str, source_order: tuple[int, ...]) -> Hypothesis:
    class Aligned(Hypothesis):
        @property
        def alignment(self) -> list[tuple[int, int]]:
            return sorted((word, place) for place, word in enumerate(source_order))

    return Aligned(tuple(words.split()), 0.0, np.zeros(1), NO_SPARSE, tuple)


def test_choices_from_an_nbest_list() -> None:
    nbest = (
        hypothesis("x y z", (2, 1, 0)),
        hypothesis("the old house", (0, 2, 1)),
        hypothesis("the old house stands", (0, 2, 1)),
        hypothesis("w", (1, 0, 2)),
    )
    layout = FeatureLayout.of(1, {})
    found = Translation(("a", "b", "c"), nbest, layout)
    scores = sentence_bleu(found, ["an old house stands", "the house stands there now"])
    assert scores[0] == scores[3] == 0
    assert 0 < scores[1] < scores[2] < 1
    whole = Translation(("a",), (hypothesis("an old house stands", (0,)),), layout)
    exact = sentence_bleu(whole, ["an old house stands"])
    assert exact == pytest.approx(
        [bleu(["an old house stands"], [["an old house stands"]]).score / 100]
    )
    assert nearest(found, (0, 1, 2)) is nbest[1]  # the first of those with one pair wrong
    assert nearest(found, (2, 1, 0)) is nbest[0]
    assert nearest(found, ()) is nbest[0]


def test_experiment_has_the_bounds_of_the_baseline(
    options: TranslationOptions, finished: Path, results: TranslationResults, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    shutil.copytree(finished, out)
    path = options.tests["test"].source.with_name("test.align")
    more = {
        "word_order": True,
        "reference_alignment": path,
        "oracle": 30,
        "systems": ("lexicalised",),
    }
    found = run_translation(options.model_copy(update=more), out)
    rows = {row.title: row.scores for row in found.oracle}
    assert list(rows)[:3] == [AS_DECODED, "best BLEU of 30", "best order of 30"]
    assert len(rows) == 3 + len(COSTS)
    assert rows[AS_DECODED]["BLEU"] == pytest.approx(results.systems[0].score("BLEU"))
    assert rows["best BLEU of 30"]["BLEU"] > rows[AS_DECODED]["BLEU"]
    assert rows["best order of 30"]["tau"] > rows[AS_DECODED]["tau"]
    assert rows["true orientations, cost 1"]["tau"] > rows[AS_DECODED]["tau"]
    assert any(name.startswith("oracle-") for name in stages_of(out))
    assert "What perfect order could bring" in (out / "report.html").read_text()


def test_oracle_needs_the_order(files: dict[str, object]) -> None:
    with pytest.raises(OptionError, match="needs the word order"):
        TranslationOptions.make({**files, "oracle": 100, "word_order": False})


def test_table_of_bounds() -> None:
    scores = {"BLEU": 30.0, "tau": 70.0, "FRS": 60.0}
    more = {"BLEU": 33.0, "tau": 69.5, "FRS": 60.0}
    oracle = [OracleRow(title="as decoded", scores=scores), OracleRow(title="x", scores=more)]
    made = {
        t.key: t for t in tables_of(example_translation(("lexicalised", "none"), oracle=oracle))
    }
    text = to_markdown(made["oracle"])
    assert "+3.00" in text
    assert "−0.50" in text
