"""Traces, for people with a terminal of 80 columns."""

import numpy as np

from tartib.decoder import FeatureLayout, Hypothesis, Step, Translation
from tartib.decoder.output import trace_text
from tartib.decoder.translation import NO_SPARSE, Judgement

MODELS = ("svm-S6", "LexicalReordering0", "a-name-that-somebody-made-up-at-great-length")


def translation(*steps: Step) -> Translation:
    sizes = {**dict.fromkeys(MODELS, 6), "LM0": 1}
    source = tuple(f"word{i}" for i in range(max(step.end for step in steps)))
    words = tuple(word for step in steps for word in step.target)
    best = Hypothesis(words, -1.5, np.zeros(19), NO_SPARSE, lambda: steps)
    return Translation(source, (best,), FeatureLayout(sizes))


def judged(*models: str) -> tuple[Judgement, ...]:
    directions = ("backward", "forward")
    return tuple(Judgement(m, d, "dright", 0.664) for m in models for d in directions)


def test_lines_break_between_words() -> None:
    words = tuple(f"translated{i}" for i in range(12))
    made = translation(Step(0, 12, words, True, 0, "mono", "mono", judged(*MODELS)))
    lines = trace_text(0, made).splitlines()
    assert all(len(line) <= 80 for line in lines)
    shown = [word for line in lines for word in line.split()]
    assert [word for word in shown if word.startswith("translated")] == list(words)
    source = [f"word{i}" for i in range(12)]
    assert [word for word in shown if word in source] == source
    long = f"    {MODELS[2]}: "
    at = lines.index(f"{long}backward dright 0.664")
    assert lines[at + 1] == f"{' ' * len(long)}forward dright 0.664"


def test_models_keep_their_order() -> None:
    """Though the first one has no entry for the first phrase."""
    made = translation(
        Step(1, 2, ("B",), True, 1, "dright", "dright", judged(MODELS[1])),
        Step(0, 1, ("A",), True, -2, "swap", "swap", judged(*MODELS[:2])),
    )
    assert trace_text(3, made) == (
        "line 4: 2 words, total -1.5000\n"
        "  source  jump  phrase  hier    words\n"
        "  1-1     +1    dright  dright  word1 → B\n"
        "    LexicalReordering0: backward dright 0.664, forward dright 0.664\n"
        "  0-0     -2    swap    swap    word0 → A\n"
        "    svm-S6: backward dright 0.664, forward dright 0.664\n"
        "    LexicalReordering0: backward dright 0.664, forward dright 0.664\n"
        "\n"
    )


def test_right_to_left_text_is_isolated_on_each_line() -> None:
    words = ("كتاب",) * 20
    made = translation(Step(0, 1, words, True, 0, "mono", "mono"))
    lines = trace_text(0, made).splitlines()[2:]
    assert sum(line.count("كتاب") for line in lines) == 20
    arabic = [line for line in lines if "كتاب" in line]
    assert len(arabic) == 3
    assert all(line.count("\u2068") == line.count("\u2069") == 1 for line in arabic)
