"""Word alignment against the gold links of the synthetic corpus."""

import sys
import time
from pathlib import Path

import numpy as np
import pytest

from tartib import Bitext, OptionError, ReadOptions, align
from tartib.alignment import ALIGNERS, HEURISTICS, GoldLinks, Links, evaluate
from tartib.synthetic import generate, lines
from tests.support.processes import start

PAIRS = 400


@pytest.fixture(scope="module")
def gold() -> Bitext:
    text = [side.decode().split("\n")[:-1] for side in lines(list(generate(PAIRS, seed=5)))]
    return Bitext.from_lines(*text)


def links(bitext: Bitext) -> set[tuple[int, int, int]]:
    sentence = np.repeat(np.arange(len(bitext)), np.diff(bitext.link_offsets))
    return {(int(s), int(i), int(j)) for s, (i, j) in zip(sentence, bitext.links, strict=True)}


def f1(found: Bitext, gold: Bitext) -> float:
    return evaluate(found, GoldLinks.of(Links.of_lines(gold)), samples=1).f1.score


# Seen: eflomal 0.83, ibm4 0.82, ibm3 0.81, hmm 0.79, fast_align 0.78, ibm1 0.75.
@pytest.mark.parametrize(
    ("model", "least"), [("eflomal", 0.78), ("fast_align", 0.72), ("hmm", 0.74), ("ibm1", 0.7)]
)
def test_finds_most_gold_links(gold: Bitext, model: str, least: float) -> None:
    assert f1(align(gold, model), gold) > least


@pytest.mark.campaign
def test_every_model_and_heuristic(gold: Bitext) -> None:
    text = gold.slice(0, 60)
    sizes = {h: len(align(text, "ibm1", h).links) for h in HEURISTICS}
    assert sizes["intersection"] == min(sizes.values())
    assert sizes["union"] == max(sizes.values())
    for model in ("ibm3", "ibm4"):
        assert len(align(text, model).links) > 60


@pytest.mark.campaign
def test_same_seed_same_links_on_any_number_of_cores(gold: Bitext) -> None:
    text = gold.slice(0, 50)
    one = links(align(text, "eflomal", seed=3, n_jobs=1))
    assert links(align(text, "eflomal", seed=3, n_jobs=4)) == one
    assert links(align(text, "eflomal", seed=4)) != one


def test_words_that_thot_reserves_are_words_like_others() -> None:
    source = ["NULL a", "UNKNOWN_WORD b", "NULL b", "a b"] * 20
    target = ["zero x", "one y", "zero y", "x y"] * 20
    aligned = align(Bitext.from_lines(source, target), "ibm1")
    assert aligned[0].links == [(0, 0), (1, 1)]


def test_options_are_checked(gold: Bitext) -> None:
    with pytest.raises(OptionError, match="unknown aligner 'giza'"):
        align(gold, "giza")
    with pytest.raises(OptionError, match="unknown heuristic 'best'"):
        align(gold, "ibm1", "best")
    with pytest.raises(OptionError, match="samplers must be 1 or more"):
        align(gold, samplers=0)
    long = Bitext.from_lines(
        [" ".join(["w"] * 201)], ["x"], options=ReadOptions(max_sentence_length=300)
    )
    with pytest.raises(OptionError, match="hmm aligns sentences of at most 200 tokens"):
        align(long, "hmm")
    assert set(ALIGNERS) == {"joint", "eflomal", "fast_align", "ibm1", "hmm", "ibm3", "ibm4"}


def test_seeds_are_checked(gold: Bitext) -> None:
    for seed in (-1, 1 << 32):
        with pytest.raises(OptionError, match="the seed must be a number from 0"):
            align(gold, seed=seed)


ORPHAN = """
import sys, tartib
if __name__ == "__main__":
    text = tartib.Bitext.from_lines(["a b c d e"] * 30000, ["x y z w v"] * 30000)
    tartib.align(text, "ibm4")
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are found in /proc")
def test_workers_do_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(ORPHAN)
    parent = start([sys.executable, tmp_path / "script.py"])
    listed = Path(f"/proc/{parent.pid}/task/{parent.pid}/children")
    children: list[str] = []
    deadline = time.monotonic() + 300
    while len(children) < 3:  # two workers, and the tracker that multiprocessing starts
        assert time.monotonic() < deadline
        time.sleep(0.1)
        children = listed.read_text().split()
    parent.kill()
    parent.wait()
    while any(running(child) for child in children):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def running(process: str) -> bool:
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().split(") ")[1][0] != "Z"


def test_nothing_to_align() -> None:
    assert len(align(Bitext.from_lines([], []))) == 0
