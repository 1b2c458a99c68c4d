"""Systems with several runs: the parts by themselves, beside slow and obvious ways."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

from tartib import OptionError
from tartib.evaluation import (
    Comparison,
    approximate_randomisation,
    compare,
    paired_bootstrap,
    score_of,
    source_orders,
    translation_metric,
)
from tartib.evaluation.word_order import order_metrics

WORDS = ["the", "a", "of", "king", "old", "house", "river", "sees", "gives", "runs"]
DRAWN = random.Random(1)
REFERENCES = [
    [" ".join(DRAWN.choices(WORDS, k=DRAWN.randint(4, 12))) for _ in range(40)] for _ in range(2)
]


def output(errors: float, seed: int) -> list[str]:
    """Spoil some words of the first reference."""
    draw = random.Random(seed)
    spoil = [
        [draw.choice(WORDS) if draw.random() < errors else word for word in line.split()]
        for line in REFERENCES[0]
    ]
    return [" ".join(line) for line in spoil]


GOOD, FAIR, BAD = output(0.1, 1), output(0.12, 2), output(0.4, 3)


def test_one_run_each_is_the_paired_bootstrap() -> None:
    found = compare({"fair": [FAIR], "good": [GOOD], "bad": [BAD]}, REFERENCES, samples=200, seed=3)
    assert found.baseline == "fair"
    for name, metric in zip(("bleu", "nist", "chrf"), found.metrics, strict=True):
        judge = translation_metric(name, REFERENCES)
        assert judge.name == metric
        for system, lines in (("good", GOOD), ("bad", BAD)):
            figure = found.systems[system][metric]
            assert figure.score == pytest.approx(score_of(judge, lines))
            assert figure.runs == (figure.score,)
            assert figure.s_opt is None
            stats = judge.statistics(lines), judge.statistics(FAIR)
            alone = paired_bootstrap(*stats, judge.score, samples=200, seed=3)
            assert figure.difference is not None
            assert [*vars(figure.difference).values()] == pytest.approx([*vars(alone).values()])
        assert found.systems["fair"][metric].difference is None


def test_intervals_and_deviations_of_one_system() -> None:
    """The same samples, summed up sentence by sentence."""
    figure = compare({"a": [GOOD]}, REFERENCES, samples=300, seed=5).systems["a"]["BLEU"]
    judge = translation_metric("bleu", REFERENCES)
    stats, draw = judge.statistics(GOOD), np.random.default_rng(5)
    drawn = [judge.score(stats[draw.integers(0, 40, 40)].sum(axis=0)[None])[0] for _ in range(300)]
    assert (figure.low, figure.high) == pytest.approx(tuple(np.quantile(drawn, [0.025, 0.975])))
    assert figure.s_sel == pytest.approx(np.std(drawn))


def test_runs_are_averaged_and_drawn() -> None:
    runs = [GOOD, FAIR, BAD]
    found = compare({"one": [GOOD], "three": runs}, REFERENCES, metrics=["bleu"], samples=400)
    figure, alone = found.systems["three"]["BLEU"], found.systems["one"]["BLEU"]
    judge = translation_metric("bleu", REFERENCES)
    scores = [score_of(judge, run) for run in runs]
    assert figure.runs == pytest.approx(scores)
    assert figure.score == pytest.approx(np.mean(scores))
    assert figure.s_opt == pytest.approx(np.std(scores, ddof=1))
    assert figure.difference is not None
    assert figure.difference.score == pytest.approx(figure.score - alone.score)
    # Runs that differ so much make the mean uncertain; sentences alone would not.
    same = compare({"one": [GOOD], "three": [BAD] * 3}, REFERENCES, metrics=["bleu"], samples=400)
    assert figure.high - figure.low > 1.5 * (alone.high - alone.low)
    assert same.systems["three"]["BLEU"].s_opt == 0
    assert same.systems["three"]["BLEU"].s_sel == pytest.approx(
        compare({"x": [BAD]}, REFERENCES, samples=400).systems["x"]["BLEU"].s_sel
    )


@pytest.mark.parametrize("runs", [1, 2, 3])
def test_randomisation_is_that_of_each_pair(runs: int) -> None:
    """Systems with one, two or three runs beside a baseline of two, all at once."""
    base = [FAIR, output(0.12, 5)]
    other = [output(0.15, 10 + run) for run in range(runs)]
    systems = {"base": base, "other": other, "bad": [BAD], "again": base}
    found = compare(systems, REFERENCES, significance_test="randomisation", samples=300, seed=2)
    for name in ("bleu", "chrf"):
        judge = translation_metric(name, REFERENCES)
        a, b = (np.stack([judge.statistics(run) for run in of]) for of in (other, base))
        alone = approximate_randomisation(a, b, judge.score, samples=300, seed=2)
        differences = {s: of[judge.name].difference for s, of in found.systems.items()}
        p_values = {system: d.p_value for system, d in differences.items() if d is not None}
        assert p_values == {
            "other": pytest.approx(alone),
            "bad": pytest.approx(1 / 301),
            "again": 1,
        }


def test_word_order_is_judged_beside_the_text() -> None:
    source = ["a b c d"] * 40
    right = source_orders(["0-0 1-1 2-2 3-3"] * 40, source)
    wrong = source_orders(["0-3 1-1 2-2 3-0"] * 20 + ["0-0 1-1 2-2 3-3"] * 20, source)
    found = compare(
        {"x": [GOOD], "y": [GOOD, GOOD]},
        REFERENCES,
        metrics=["bleu"],
        orders={"y": [wrong, right], "x": [right]},
        reference_orders=[right],
        samples=50,
    )
    assert list(found.metrics) == ["BLEU", "tau", "FRS"]
    for metric in order_metrics([right]):
        runs = found.systems["y"][metric.name].runs
        assert runs == pytest.approx((score_of(metric, wrong), 100))
    assert found.systems["x"]["tau"].score == 100


def test_plain_data() -> None:
    found = compare({"a": [GOOD, FAIR], "b": [BAD]}, REFERENCES, metrics=["ter"], samples=20)
    data = json.loads(json.dumps(found.as_dict()))
    assert data["baseline"] == "a"
    assert data["metrics"]["TER"]["higher_is_better"] is False
    assert data["systems"]["a"]["TER"]["runs"] == list(found.systems["a"]["TER"].runs)
    assert data["systems"]["b"]["TER"]["difference"]["p_value"] > 0
    assert found.signature("TER").startswith("TER|nrefs:2|bs:20|seed:0|case:mixed|")


def test_the_seed_decides_and_other_systems_do_not() -> None:
    def figure(seed: int, *others: str) -> Any:
        systems = {"base": [FAIR], "it": [BAD], **{name: [GOOD] for name in others}}
        made: Comparison = compare(systems, REFERENCES, metrics=["nist"], samples=50, seed=seed)
        return made.systems["it"]["NIST"]

    assert figure(1) == figure(1)
    assert figure(1) != figure(2)
    more = figure(1, "more", "still more").difference
    assert [*vars(more).values()] == pytest.approx([*vars(figure(1).difference).values()])


@pytest.mark.parametrize(
    ("systems", "options", "text"),
    [
        ({}, {}, "no systems"),
        ({"a": []}, {}, "system 'a' has no output"),
        (
            {"a": [GOOD, GOOD[1:]]},
            {},
            "'a', run 2: 39 translations, but 40 lines in each reference",
        ),
        ({"a": [GOOD]}, {"baseline": "b"}, "no system 'b' to compare with: a given"),
        (
            {"a": [GOOD]},
            {"significance_test": "t"},
            "unknown significance test 't': it is one of bootstrap, randomisation",
        ),
        ({"a": [GOOD]}, {"metrics": []}, "give at least one metric"),
        ({"a": [GOOD]}, {"metrics": ["wer"]}, "unknown metric 'wer': it is one of bleu, nist"),
        ({"a": [GOOD]}, {"tokenize": "13b"}, "unknown tokenisation '13b': it is one of 13a"),
        ({"a": [GOOD]}, {"samples": 0}, "samples must be 1 or more"),
        ({"a": [GOOD]}, {"level": 1}, "between 0 and 1"),
        ({"a": [GOOD]}, {"reference_orders": [[(0, 1)] * 40]}, "'a' has 1 and 0 alignments"),
        ({"a": [GOOD]}, {"orders": {"a": [[(0, 1)] * 40]}}, "orders need reference_orders"),
        (
            {"a": [GOOD]},
            {"reference_orders": [[(0, 1)] * 39], "orders": {"a": [[(0, 1)] * 39]}},
            "have 39 sentences, and the references 40",
        ),
    ],
)
def test_what_cannot_be_compared(systems: Any, options: Any, text: str) -> None:
    with pytest.raises(OptionError, match=text):
        compare(systems, REFERENCES, **options)


def test_references_that_cannot_be_used() -> None:
    for references in ([], [["a"], ["a", "b"]]):
        with pytest.raises(OptionError, match="all of the same length"):
            compare({"a": [["a"]]}, references)
    with pytest.raises(OptionError, match="no sentences"):
        compare({"a": [[]]}, [[]])


def test_sentences_and_runs_are_drawn_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """No two generators draw the same numbers."""
    real, first = np.random.default_rng, []

    def made(seed: Any) -> np.random.Generator:
        first.append(real(seed).random())
        return real(seed)

    monkeypatch.setattr(np.random, "default_rng", made)
    compare({"a": [GOOD, FAIR], "b": [BAD, FAIR]}, REFERENCES, metrics=["bleu"], samples=3, seed=5)
    assert len(first) == len(set(first)) == 3
