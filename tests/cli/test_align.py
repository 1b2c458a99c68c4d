"""``tartib align --evaluate``: aligners and files of links, compared with gold links."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tartib.alignment import AlignmentModel, Links, align
from tartib.alignment.joint import LEAST
from tartib.bitext import Bitext
from tartib.cli.align_model import JointRun, ModelOptions
from tartib.synthetic import generate, lines
from tests.support.commands import tartib, tartib_here

PAIRS, GOLD = 90, 30  # sentence pairs; how many of them, the last, have gold links of their own


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with ``all``, ``train`` and ``gold``: synthetic text with its links."""
    sides = [side.decode().split("\n")[:-1] for side in lines(list(generate(PAIRS, seed=5)))]
    for kind, side in zip(("ar", "en", "align"), sides, strict=True):
        parts = {"all": side, "train": side[:-GOLD], "gold": side[-GOLD:]}
        for name, part in parts.items():
            (tmp_path / f"{name}.{kind}").write_text("".join(f"{x}\n" for x in part))
    monkeypatch.chdir(tmp_path)
    return tmp_path


TRAIN = ("-s", "train.ar", "-t", "train.en")
OWN = ("--evaluate-source", "gold.ar", "--evaluate-target", "gold.en")
IBM1 = ("--aligner", "ibm1")


def test_gold_sentences_with_a_text_of_their_own(corpus: Path) -> None:
    command = ("align", *TRAIN, *IBM1, "--evaluate", "gold.align", *OWN)
    data = json.loads(tartib(*command, "--json", "--out", "links").stdout)
    assert data["sentences"] == PAIRS - GOLD
    assert data["gold"] == {"file": "gold.align", "sentences": GOLD, "outside": 0, "skipped": 0}
    (found,) = data["alignments"]
    assert found["name"] == "ibm1"
    assert found["seconds"] > 0
    assert found["sentences"] == GOLD
    assert found["sure"] == found["possible"] == len((corpus / "gold.align").read_text().split())
    assert found["aer"]["score"] < 0.5
    assert found["aer"]["difference"] is None
    assert len((corpus / "links").read_text().splitlines()) == PAIRS - GOLD
    # The same links as of one text, which has the gold sentences at its end.
    tartib("align", "-s", "all.ar", "-t", "all.en", *IBM1, "--out", "whole")
    whole = (corpus / "whole").read_text().splitlines()
    assert whole[:-GOLD] == (corpus / "links").read_text().splitlines()
    (corpus / "last").write_text("".join(f"{line}\n" for line in whole[-GOLD:]))
    scored = tartib_here("align", "--evaluate", "gold.align", "--links", "last", "--json").stdout
    (again,) = json.loads(scored)["alignments"]
    assert again["aer"]["score"] == found["aer"]["score"]
    assert again["seconds"] is None


def test_several_aligners_and_files(corpus: Path) -> None:
    """The gold links are those of the first lines of the text."""
    first = (corpus / "all.align").read_text().splitlines()[:GOLD]
    (corpus / "first.align").write_text("".join(f"{line}\n" for line in first))
    text = ("-s", "all.ar", "-t", "all.en", *IBM1, "--aligner", "fast_align")
    done = tartib("align", *text, "--evaluate", "first.align", "--links", "all.align")
    assert f"{GOLD} sentences" in done.stdout
    assert "0 only possible; 95 % intervals; AER compared with ibm1" in done.stdout
    for said in ("ibm1", "fast_align", "all.align", "1.000", "** p = 0.002"):
        assert said in done.stdout


def test_ready_links_with_the_gold_text(corpus: Path) -> None:
    gold = (corpus / "gold.align").read_text().splitlines()
    (corpus / "far.align").write_text("\n".join([gold[0] + " 99-0", *gold[1:]]) + "\n")
    ready = ("--evaluate", "far.align", *OWN, "--links", "gold.align")
    done = tartib_here("align", *ready)
    assert "Left out 1 gold link that leaves its sentence." in done.stderr
    assert "1.000" in done.stdout
    # The same file is treated alike as links to evaluate.
    both = ("align", "--evaluate", "gold.align", *OWN, "--links", "far.align")
    assert "Left out 1 link of far.align that leaves its sentence." in tartib_here(*both).stderr
    (far,) = json.loads(tartib_here(*both, "--json").stdout)["alignments"]
    assert (far["outside"], far["aer"]["score"]) == (1, 0.0)
    (corpus / "worse.align").write_text("\n" + "0-0\n" * (GOLD - 1))
    data = json.loads(tartib_here("align", *ready, "--links", "worse.align", "--json").stdout)
    assert data["gold"]["outside"] == 1
    difference = data["alignments"][1]["aer"]["difference"]
    assert difference["difference"] == pytest.approx(data["alignments"][1]["aer"]["score"])
    assert difference["p_value"] == pytest.approx(2 / 1001)


def test_skipped_gold_sentences_count(corpus: Path) -> None:
    text = (corpus / "gold.en").read_text().splitlines()
    (corpus / "gold.en").write_text("\n".join(["", *text[1:]]) + "\n")
    ready = ("align", "--evaluate", "gold.align", *OWN, "--links", "gold.align")
    assert "gold.en:1: an empty line" in tartib_here(*ready, code=1).stderr
    shown = tartib_here(*ready, "--skip-empty").stderr
    assert "Skipped 1 gold sentence, too long or with an empty side" in shown


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (TRAIN, 2, "give --out, a file for the links, --save, a folder for the model"),
        ((*TRAIN, "-o", "x", *OWN), 2, "--links need --evaluate"),
        ((*TRAIN, "-o", "x", "--links", "gold.align"), 2, "--links need --evaluate"),
        ((*TRAIN, "--evaluate", "gold.align", *OWN[:2]), 2, "and --evaluate-target, or neither"),
        ((*TRAIN, "-o", "x", *IBM1, "--aligner", "hmm"), 2, "--out is for the links of one"),
        ((*TRAIN, "--evaluate", "gold.align", *IBM1, *IBM1), 2, "ibm1 is given twice"),
        (("--evaluate", "gold.align", *IBM1), 2, "give --source and --target"),
        (("--evaluate", "gold.align"), 2, "give --source and --target"),
        (("--evaluate", "-", "--links", "-"), 2, "only one file can be -, standard input"),
        ((*TRAIN, "--evaluate", "x", *IBM1, "--aligner", "best"), 1, "unknown aligner 'best'"),
        ((*TRAIN, "-o", "x", "--samplers", 2), 2, "--samplers is for the aligner eflomal"),
        ((*TRAIN, "-o", "x", "--aligner", "eflomal", "--samplers", 0), 1, "must be 1 or more"),
        ((*TRAIN, "--evaluate", "nowhere"), 1, "nowhere: no such file"),
        ((*TRAIN, "--evaluate", "gold.en"), 1, "gold.en:1: not a link: "),
        (
            (*TRAIN, "--evaluate", "all.align"),
            1,
            "all.align: has links of 90 sentences, and the text has 60 lines",
        ),
        (
            (*TRAIN, "--evaluate", "all.align", *OWN),
            1,
            "all.align: has links of 90 sentences, and the text has 30 lines",
        ),
        (
            (*TRAIN, "--evaluate", "gold.align", *OWN, "--links", "train.align"),
            1,
            "train.align: has 60 lines, and gold.align has links of 30 sentences",
        ),
        (
            (*TRAIN, "--evaluate", "gold.align", *OWN, "--links", "far"),
            1,
            "far: 1 of 2 links leave their sentences check that source and target text are",
        ),
        (
            ("--evaluate", "gold.align", "--links", "train.align"),
            1,
            "gold.align: has links of 30, and the alignment 'train.align' has 60 sentences",
        ),
    ],
)
def test_errors(corpus: Path, options: tuple[object, ...], code: int, said: str) -> None:
    (corpus / "far").write_text("0-0\n0-99\n" + "\n" * (GOLD - 2))
    assert said in " ".join(tartib_here("align", *options, code=code).stderr.split())
    assert not (corpus / "x").exists()


def test_help_teaches() -> None:
    shown = tartib_here("align", "--help").stdout
    assert "--evaluate gold.align --evaluate-source gold.ar" in " ".join(shown.split())
    assert "tartib align --evaluate gold.align --links other.align" in shown


def test_a_model_is_kept_and_used_again(corpus: Path) -> None:
    saved = ("--save", "aligner", "--probabilities", "sure")
    data = json.loads(tartib_here("align", *TRAIN, "--out", "links", *saved, "--json").stdout)
    assert data["aligner"] == "joint"
    assert [len(done) for done in data["passes"]] == [3] * 6
    links, sure = ((corpus / name).read_text().splitlines() for name in ("links", "sure"))
    assert [len(line.split()) for line in links] == [len(line.split()) for line in sure]
    assert all(LEAST <= float(p) <= 1 for line in sure for p in line.split())
    tartib_here("align", *TRAIN, "--load", "aligner", "--out", "again")
    assert (corpus / "again").read_text() == (corpus / "links").read_text()
    few = ("align", "-s", "gold.ar", "-t", "gold.en", "--evaluate", "gold.align")
    scores = [
        json.loads(tartib_here(*few, *more, "--json").stdout)["alignments"][0]["aer"]["score"]
        for more in ((), ("--load", "aligner"), ("--priors", "aligner"))
    ]
    assert scores[1] < scores[0]
    assert scores[2] < scores[0]


def test_only_a_model(corpus: Path) -> None:
    done = tartib_here("align", *TRAIN, "--save", "aligner")
    before = {
        f"{part}.{kind}" for part in ("all", "train", "gold") for kind in ("ar", "en", "align")
    }
    assert {path.name for path in corpus.iterdir()} == {*before, "aligner"}
    assert re.fullmatch(
        rf"Aligned {PAIRS - GOLD} sentence pairs with \d+ links of mean probability 0\.\d\d "
        r"\(joint, grow-diag-final-and\) in \d+ s: aligner\n",
        done.stderr,
    )
    assert AlignmentModel.load("aligner").sentences == PAIRS - GOLD


def short_words(text: Path) -> list[str]:
    """Return lines of words that are cut short, in place of stems."""
    return [" ".join(word[:3] for word in line.split()) for line in text.read_text().splitlines()]


def test_keys_for_words(corpus: Path) -> None:
    keys = short_words(corpus / "train.ar")
    (corpus / "train.keys").write_text("".join(f"{line}\n" for line in keys))
    tartib_here("align", *TRAIN, "--source-keys", "train.keys", "--out", "links")
    texts = [Bitext.read(f"train.{kind}", "train.en") for kind in ("ar", "keys")]
    expected, plain = align(texts[0], keys=texts[1]), align(texts[0])
    found = Bitext.read("train.ar", "train.en", "links")
    assert list(Links.of_lines(found)) == list(Links.of_lines(expected))
    assert list(Links.of_lines(found)) != list(Links.of_lines(plain))
    (corpus / "train.keys").write_text("".join(f"{line} more\n" for line in keys))
    failed = tartib_here("align", *TRAIN, "--source-keys", "train.keys", "-o", "other", code=1)
    assert "line 1 has" in failed.stderr
    assert "there must be a key for each word" in failed.stderr
    assert not (corpus / "other").exists()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--load", "a", "--save", "b"), "--load takes a model as it is"),
        (("--load", "a", *IBM1), "--load is for the aligner joint"),
        (("--seed", 5), "--seed is for the aligner eflomal and the intervals of --evaluate"),
        (("--seed", 5, *IBM1), "nothing else here is random"),
        (("--evaluate", "gold.align", "--save", "b"), "do not go together with --evaluate"),
    ],
)
def test_options_that_do_not_go_together(
    corpus: Path, given: tuple[object, ...], said: str
) -> None:
    failed = tartib_here("align", *TRAIN, "--out", "links", *given, code=2)
    assert said in " ".join(failed.stderr.split())
    assert not (corpus / "links").exists()


def test_a_model_that_is_none(corpus: Path) -> None:
    bad = ("--load", str(corpus / "all.ar"))
    failed = tartib_here("align", *TRAIN, "--out", "links", *bad, code=1)
    assert "all.ar" in failed.stderr
    failed = tartib_here("align", *TRAIN, "--out", "links", "--priors", "gold.align", code=1)
    assert "gold.align:1" in failed.stderr
    assert "a line is a source word, a target word" in failed.stderr


@pytest.mark.parametrize(
    "outputs",
    [
        ("--out", "links", "--probabilities", "links"),
        ("--save", "model", "--out", "model/links"),
        ("--save", "links", "--out", "links"),
        ("--out", "train.ar", "--overwrite"),
        ("--out", "links", "--probabilities", "./train.en", "--overwrite"),
        ("--out", "words", "--priors", "words", "--overwrite"),
    ],
)
def test_outputs_that_would_replace_one_another(corpus: Path, outputs: tuple[str, ...]) -> None:
    before = {path.name: path.read_bytes() for path in corpus.iterdir()}
    failed = tartib_here("align", *TRAIN, *outputs, code=2)
    assert "give each output a name of its own" in " ".join(failed.stderr.split())
    assert {path.name: path.read_bytes() for path in corpus.iterdir()} == before


def test_a_model_of_other_languages_is_doubted(corpus: Path) -> None:
    tartib_here("align", *TRAIN, "--save", "model")
    same = tartib_here("align", *TRAIN, "--load", "model", "--out", "links").stderr
    assert "Not in the model: 0.0% of the source words, 0.0% of the target words." in same
    assert "warning" not in same
    turned = ("-s", "train.en", "-t", "train.ar", "--load", "model", "--out", "turned")
    assert "are the sides exchanged" in " ".join(tartib_here("align", *turned).stderr.split())
    assert (corpus / "turned").exists()


def test_only_probable_links(corpus: Path) -> None:
    tartib_here("align", *TRAIN, "--out", "all.links", "--probabilities", "all.p")
    given = ("--min-probability", "0.9", "--probabilities", "sure.p", "--json")
    data = json.loads(tartib_here("align", *TRAIN, "--out", "sure.links", *given).stdout)
    every, sure = (
        [float(p) for p in (corpus / name).read_text().split()] for name in ("all.p", "sure.p")
    )
    assert sure == [p for p in every if p >= 0.9]
    assert 0 < len(sure) < len(every)
    assert data["links"] == len(sure)
    assert data["mean_probability"] == pytest.approx(sum(sure) / len(sure), abs=1e-3)
    assert "seed" not in data


def test_less_probable_links_and_words_without_one(corpus: Path) -> None:
    every = ("--heuristic", "union", "--probabilities")
    kinds = {"plain": (), "weak": ("--min-probability", "0.1"), "attached": ("--attach", "0.2")}
    for name, given in kinds.items():
        tartib_here("align", *TRAIN, "-o", f"{name}.links", *every, f"{name}.p", *given)
    links = {
        name: [set(line.split()) for line in (corpus / f"{name}.links").read_text().splitlines()]
        for name in kinds
    }
    least = {name: min(map(float, (corpus / f"{name}.p").read_text().split())) for name in kinds}
    assert least["plain"] >= 0.3
    assert 0.1 <= least["weak"] < 0.3
    assert 0.2 <= least["attached"] < 0.3
    plain, more = links["plain"], links["attached"]
    assert all(a <= b for a, b in zip(plain, more, strict=True))
    # What is new has a word that had no link.
    for before, after in zip(plain, more, strict=True):
        words = [{link.split("-")[side] for link in before} for side in (0, 1)]
        for link in after - before:
            source, target = link.split("-")
            assert source not in words[0] or target not in words[1]
    said = tartib_here("align", *TRAIN, "-o", "x", *IBM1, "--attach", "0.5", code=2).stderr
    assert "--attach is for the aligner joint" in " ".join(said.split())


def test_keys_are_evaluated(corpus: Path) -> None:
    (corpus / "stems").write_text("".join(f"{x}\n" for x in short_words(corpus / "all.ar")))
    text = ("-s", "all.ar", "-t", "all.en", "--evaluate", "all.align", "--json")
    words = json.loads(tartib_here("align", *text).stdout)["alignments"][0]
    keys = json.loads(tartib_here("align", *text, "--source-keys", "stems").stdout)
    assert keys["alignments"][0]["found"] != words["found"]
    own = ("--evaluate", "gold.align", *OWN, "--source-keys", "x")
    said = " ".join(tartib_here("align", *TRAIN, *own, code=2).stderr.split())
    assert "gold links must belong to the first lines of the text" in said


@pytest.mark.usefixtures("corpus")
def test_links_and_model_appear_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends the command while the model is written: no output is there."""

    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tartib.alignment.joint.save_arrays", stop)
    text = Bitext.from_lines(["a b"], ["c d"])
    run = JointRun(ModelOptions(save=Path("kept")), "union", 1)
    found = run.align(text)
    with pytest.raises(KeyboardInterrupt):
        run.write(found, Path("kept.align"), overwrite=False)
    assert not [path for path in Path().iterdir() if "kept" in path.name]


def said_of_priors(*text: str) -> str:
    """Return what a command says of the priors in the file ``lexicon``."""
    given = ("align", *text, "-o", "x", "--priors", "lexicon", "--overwrite")
    return " ".join(tartib_here(*given).stderr.split())


@pytest.mark.usefixtures("corpus")
def test_priors_without_a_word_of_the_text_are_doubted() -> None:
    Path("lexicon").write_text("foo bar\n")
    assert "no pair of words of lexicon is in the text: are its" in said_of_priors(*TRAIN)
    source, target = (Path(name).read_text().split()[0] for name in ("train.ar", "train.en"))
    Path("lexicon").write_text(f"foo bar\n{source} {target}\n")
    said = said_of_priors(*TRAIN)
    assert "Of 2 pairs of words known before, the text has 1." in said
    assert "warning" not in said


@pytest.mark.usefixtures("corpus")
def test_priors_with_hardly_a_word_of_the_text_are_doubted() -> None:
    """As where sides are exchanged, and only numbers and punctuation are the same."""
    sides = [Path(name).read_text().splitlines()[0].split() for name in ("train.ar", "train.en")]
    strange = "".join(f"foo{n} bar{n}\n" for n in range(2_000))
    Path("lexicon").write_text(strange + f"{sides[0][0]} {sides[1][0]}\n")
    assert "warning: hardly any pair of words of lexicon is in the text" in said_of_priors(*TRAIN)
    # A short text, on the other hand, has few of many pairs, but words that are known.
    for name, words in zip(("short.ar", "short.en"), sides, strict=True):
        Path(name).write_text(" ".join(words) + "\n")
    known = "".join(f"{f} {e}\n" for f, e in zip(sides[0], sides[1], strict=False))
    Path("lexicon").write_text(strange + known)
    assert "warning" not in said_of_priors("-s", "short.ar", "-t", "short.en")
