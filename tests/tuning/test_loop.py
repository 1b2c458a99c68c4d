"""Tuning a decoder: what it learns, when it stops, and that it goes on where it was."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from tartib.decoder import Decoder, SearchOptions, SparseReordering, WordList
from tartib.errors import DataError, OptionError
from tartib.evaluation import bleu
from tartib.lm import LanguageModel
from tartib.orientation import OrientationModel
from tartib.tuning import Iteration, TuningOptions, TuningResult, tune, tune_runs
from tartib.tuning.options import Tuner
from tests.support.decoding import make_table

pytestmark = pytest.mark.native
RIGHT = dict(zip("abcd", "ABCD", strict=True))
WRONG = dict(zip("abcd", "EFGH", strict=True))
TUNERS: tuple[Tuner, ...] = ("mira", "pro", "mert")
FEW = TuningOptions(iterations=4, nbest_size=20)


def sentences(count: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice([*"abcd"], rng.integers(4, 8))) for _ in range(count)]


def translated(lines: list[str], words: dict[str, str]) -> list[str]:
    return [" ".join(words.get(word, word) for word in line.split()) for line in lines]


LM = LanguageModel.estimate(
    [*translated(sentences(50, 1), RIGHT), *translated(sentences(50, 2), WRONG)],
    order=2,
    discount_fallback=True,
)


def misled_decoder(sparse: SparseReordering | None = None, max_words: int = 200) -> Decoder:
    """Return a decoder that trusts the wrong score, and likes to move phrases about."""
    lines = [
        f"{word} ||| {target} ||| {good} {bad} ||| 0-0 ||| 1 1 1"
        for word in "abcd"
        for target, good, bad in ((RIGHT[word], 0.8, 0.3), (WRONG[word], 0.2, 0.48))
    ]
    weights: dict[str, float | list[float]] = {
        "Distortion0": -0.1,
        "LM0": 0.1,
        "WordPenalty0": -0.1,
        "PhrasePenalty0": 0.1,
        "UnknownWordPenalty0": 1.0,
        "TranslationModel0": [0.1, 0.4],
    }
    options = SearchOptions(distortion_limit=2, stack_size=50, max_words=max_words)
    return Decoder(make_table(lines), LM, sparse=sparse, weights=weights, options=options)


@pytest.mark.parametrize("tuner", TUNERS)
def test_a_misled_decoder_is_put_right(tuner: Tuner) -> None:
    source = sentences(40)
    references = [translated(source, RIGHT)]
    options = TuningOptions(iterations=12, nbest_size=50)
    decoder = misled_decoder()
    found = tune(decoder, source, references, tuner=tuner, options=options)
    assert found.iterations[0].bleu < 20
    assert found.best.bleu > 99
    weights = decoder.layout.mapping(found.weights)
    assert weights["TranslationModel0"][0] > weights["TranslationModel0"][1]
    assert weights["UnknownWordPenalty0"] == [1.0]
    assert np.abs(found.weights).sum() == pytest.approx(2)  # the last one is not tuned
    held_out = sentences(40, 5)
    out = [t.text for t in decoder.with_weights(found.weights).translate(held_out)]
    assert bleu(out, [translated(held_out, RIGHT)]).score > 99


@pytest.mark.parametrize("tuner", ["mira", "pro"])
def test_sparse_features_learn_what_dense_ones_cannot(tuner: Tuner) -> None:
    """An a changes places with the word after it, and nothing else moves."""
    source = sentences(60)
    references = [[re.sub("A ([BCD])", r"\1 A", line) for line in translated(source, RIGHT)]]
    words = [WordList.of_words("source", "all", [*"abcd"])]
    sparse = SparseReordering(OrientationModel("phrase", "msd"), words, ("phrase", "stack"))
    options = TuningOptions(iterations=12, nbest_size=50)
    without = tune(misled_decoder(), source, references, tuner=tuner, options=options)
    found = tune(misled_decoder(sparse), source, references, tuner=tuner, options=options)
    assert without.best.bleu < 80
    assert found.best.bleu > 95
    assert found.layout.sparse
    assert np.count_nonzero(found.weights[found.layout.n_dense :]) > 4


def test_mert_refuses_sparse_features() -> None:
    words = [WordList.of_words("source", "all", ["a"])]
    sparse = SparseReordering(OrientationModel("phrase", "msd"), words)
    with pytest.raises(OptionError, match=r"MERT cannot tune \d+ sparse features: choose mira"):
        tune(misled_decoder(sparse), ["a"], [["A"]], tuner="mert")


def test_scores_are_those_of_the_translations() -> None:
    """Also where sentences are cut or empty, have unknown words, and several references."""
    source = ["a b ; c d x", "", "x x y ; a ; b", "a", *sentences(6)]
    references = [translated(source, RIGHT), translated(source, {**WRONG, "y": "z"})]
    decoder = misled_decoder(max_words=3)
    found = tune(decoder, source, references, options=FEW)
    for iteration in found.iterations:
        out = [t.text for t in decoder.with_weights(iteration.weights).translate(source)]
        assert iteration.bleu == pytest.approx(bleu(out, references).score)


def test_weights_are_chosen_on_sentences_that_nothing_is_learnt_from(tmp_path: Path) -> None:
    source, other = sentences(10), sentences(15, 9)
    references = [translated(source, RIGHT)]
    wrong = [translated(other, WRONG)]  # what tuning is led away from
    decoder = misled_decoder()
    plain = tune(decoder, source, references, options=FEW)
    found = tune(decoder, source, references, options=FEW, validation=(other, wrong))
    for iteration in found.iterations:
        out = [t.text for t in decoder.with_weights(iteration.weights).translate(other)]
        assert iteration.validation_bleu == pytest.approx(bleu(out, wrong).score)
        assert iteration.judged == iteration.validation_bleu
    assert plain.best.number > 1
    assert plain.best.judged == plain.best.bleu
    assert found.best.number == 1
    kept = {"options": FEW, "validation": (other, wrong), "folder": tmp_path / "kept"}
    tune(decoder, source, references, **kept)  # type: ignore[arg-type]
    assert same(tune(decoder, source, references, **kept), found)  # type: ignore[arg-type]
    kept["validation"] = (other[1:], [wrong[0][1:]])
    with pytest.raises(OptionError, match="validation"):
        tune(decoder, source, references, **kept)  # type: ignore[arg-type]


def same(left: TuningResult, right: TuningResult) -> bool:
    pairs = zip(left.iterations, right.iterations, strict=True)
    return all(
        (a.weights == b.weights).all() and (a.bleu, a.new, a.pool) == (b.bleu, b.new, b.pool)
        for a, b in pairs
    )


@pytest.mark.parametrize("tuner", TUNERS)
def test_the_seed_decides_and_threads_do_not(tuner: Tuner) -> None:
    source = sentences(15)
    references = [translated(source, RIGHT)]

    def run(seed: int, jobs: int) -> TuningResult:
        return tune(
            misled_decoder(), source, references, tuner=tuner, options=FEW, seed=seed, n_jobs=jobs
        )

    assert same(run(1, 1), run(1, 3))
    assert (run(1, 1).iterations[1].weights != run(2, 1).iterations[1].weights).any()


def test_several_runs() -> None:
    source = sentences(15)
    references = [translated(source, RIGHT)]
    seen: list[Iteration] = []
    found = tune_runs(
        misled_decoder(), source, references, runs=2, seed=3, options=FEW, report=seen.append
    )
    assert [run.best.seed for run in found.runs] == [3, 4]
    assert {i.seed for i in seen} == {3, 4}
    assert same(found.runs[1], tune(misled_decoder(), source, references, options=FEW, seed=4))
    assert found.weights == pytest.approx((found.runs[0].weights + found.runs[1].weights) / 2)


def test_why_it_stops() -> None:
    source = sentences(10)
    right = [translated(source, RIGHT)]
    decoder = misled_decoder()

    def run(**changes: float) -> TuningResult:
        return tune(
            decoder,
            source,
            right,
            options=TuningOptions(nbest_size=1000).model_copy(update=changes),
        )

    assert run(iterations=2, nbest_size=20).stopped == "2 iterations done"
    assert run(iterations=1, nbest_size=20).stopped == "1 iteration done"
    assert run(tol=5.0).stopped == "the weights do not change"
    assert len(run(tol=5.0).iterations) == 1
    # All translations fit into these lists, and the second decoding finds nothing new.
    short = tune(
        decoder, ["a", "b", "c"], [["A", "B", "C"]], options=TuningOptions(nbest_size=1000)
    )
    assert short.stopped == "no new translations"
    patient = run(patience=1, iterations=50, tol=0.0)
    assert patient.stopped in ("no better BLEU in 1 iterations", "no new translations")


@pytest.mark.parametrize("keep", [0, 1, 2])
def test_continued_it_ends_the_same(tmp_path: Path, keep: int) -> None:
    source = sentences(15)
    references = [translated(source, RIGHT)]
    whole = tune(misled_decoder(), source, references, options=FEW, folder=tmp_path / "whole")
    part = tmp_path / "part"
    shutil.copytree(tmp_path / "whole", part)
    for path in sorted(part.glob("iteration-*"))[keep:]:
        shutil.rmtree(path)
    seen: list[Iteration] = []
    again = tune(misled_decoder(), source, references, options=FEW, folder=part, report=seen.append)
    assert same(whole, again)
    assert again.stopped == whole.stopped
    assert [i.number for i in seen] == [i.number for i in whole.iterations]


def test_only_the_same_is_continued(tmp_path: Path) -> None:
    source = sentences(6)
    references = [translated(source, RIGHT)]

    def run(**changes: object) -> None:
        given = {"options": FEW, "folder": tmp_path, "models": {"table": "1"}, **changes}
        tune(misled_decoder(), source, references, **given)  # type: ignore[arg-type]

    run()
    run()
    with pytest.raises(OptionError, match="options nbest_size was 20 and is now 21"):
        run(options=FEW.model_copy(update={"nbest_size": 21}))
    with pytest.raises(OptionError, match="seed was 0 and is now 1"):
        run(seed=1)
    with pytest.raises(OptionError, match='tuner was "mira" and is now "pro"'):
        run(tuner="pro")
    with pytest.raises(OptionError, match='models table was "1" and is now "2"'):
        run(models={"table": "2"})
    with pytest.raises(OptionError, match="source was"):
        tune(misled_decoder(), ["a"] * 6, references, options=FEW, folder=tmp_path)


def test_damaged_folders_are_refused(tmp_path: Path) -> None:
    source = sentences(6)
    references = [translated(source, RIGHT)]

    def run(folder: Path) -> TuningResult:
        return tune(misled_decoder(), source, references, options=FEW, folder=folder)

    whole = run(tmp_path / "whole")
    rng = np.random.default_rng(0)
    files = sorted((tmp_path / "whole" / "iteration-001").iterdir())
    for number in range(60):
        folder = tmp_path / str(number)
        shutil.copytree(tmp_path / "whole", folder)
        path = folder / "iteration-001" / files[number % len(files)].name
        data = bytearray(path.read_bytes())
        for place in rng.integers(0, len(data), 4):
            data[place] = rng.integers(0, 256)
        path.write_bytes(data if number % 3 else data[: rng.integers(0, len(data))])
        try:
            found = run(folder)
        except (DataError, OptionError):
            continue
        assert len(found.iterations) == len(whole.iterations)  # what was changed does not show


@pytest.mark.parametrize(
    ("name", "value"),
    [("number", 2), ("number", "1"), ("bleu", float("nan")), ("new", None), ("pool", 10**400)],
)
@pytest.mark.usefixtures("unverified")
def test_damaged_figures_are_not_used(tmp_path: Path, name: str, value: object) -> None:
    source = sentences(6)

    def run() -> TuningResult:
        return tune(misled_decoder(), source, [source], options=FEW, folder=tmp_path)

    whole = run()
    assert len(whole.iterations) == 1
    path = tmp_path / "iteration-001" / "meta.json"
    meta = json.loads(path.read_text())
    meta["iteration"][name] = value
    path.write_text(json.dumps(meta))
    with pytest.warns(UserWarning, match=r"iteration-001.*tuning continues before it"):
        assert run().weights.tolist() == whole.weights.tolist()


def test_a_damaged_end_is_made_again(tmp_path: Path) -> None:
    source = sentences(6)
    references = [translated(source, RIGHT)]

    def run() -> TuningResult:
        return tune(misled_decoder(), source, references, options=FEW, folder=tmp_path)

    whole = run()
    last = len(whole.iterations)
    assert last >= 3
    for number in (last - 1, last):
        path = tmp_path / f"iteration-{number:03}" / "stats.npy"
        path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.warns(UserWarning, match=rf"iteration-{last - 1:03}.stats.npy: is damaged"):
        again = run()
    assert again.weights.tolist() == whole.weights.tolist()
    path = tmp_path / "iteration-001" / "stats.npy"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    with pytest.raises(DataError, match=r"iteration-001.stats.npy: is damaged"):
        run()


def test_a_missing_iteration_is_noticed(tmp_path: Path) -> None:
    source = sentences(6)
    references = [translated(source, RIGHT)]
    tune(misled_decoder(), source, references, options=FEW, folder=tmp_path)
    shutil.rmtree(tmp_path / "iteration-002")
    with pytest.raises(DataError, match="iteration-002: no such folder"):
        tune(misled_decoder(), source, references, options=FEW, folder=tmp_path)


@pytest.mark.parametrize(
    ("source", "references", "said"),
    [
        ([], [[]], "the development set is empty"),
        (["a"], [], "each reference needs as many lines as the source, 1, not none"),
        (["a"], [["A"], ["A", "B"]], "not 1, 2"),
        (["a"], [[""]], "all references are empty"),
    ],
)
def test_refused_texts(source: list[str], references: list[list[str]], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        tune(misled_decoder(), source, references)


def test_weights_to_begin_with_are_needed() -> None:
    decoder = misled_decoder().with_weights(np.zeros(7))
    with pytest.raises(OptionError, match="all dense weights are 0"):
        tune(decoder, ["a"], [["A"]])
