"""``tartib score``, as a user meets it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tartib.evaluation import bleu
from tests.support import paths, systems
from tests.support.commands import invoke

GOLDEN = paths.GOLDEN / "mteval"
REFERENCES = [GOLDEN / f"ref{i}" for i in range(4)]
HYP = GOLDEN / "hyp"


def score(*arguments: object, code: int = 0, stdin: str = "") -> Any:
    return invoke("score", *arguments, code=code, stdin=stdin)


def found(*arguments: object, stdin: str = "") -> Any:
    return json.loads(score(*arguments, "--json", "--samples", 50, stdin=stdin).stdout)


def references(count: int) -> list[object]:
    return [part for path in REFERENCES[:count] for part in ("--reference", path)]


def swapped(path: Path, every: int) -> Path:
    """Write the output with two words exchanged in every such line."""
    lines = [line.split() for line in HYP.read_text().splitlines()]
    for words in lines[::every]:
        words[:2] = words[1::-1]
    path.write_text("".join(" ".join(words) + "\n" for words in lines))
    return path


@pytest.mark.parametrize(("count", "file"), [(1, "score.1ref.txt"), (4, "score.4refs.txt")])
def test_mteval(count: int, file: str) -> None:
    expected = re.search(r"NIST score = ([\d.]+)", (GOLDEN / file).read_text())
    assert expected
    figures = found(*references(count), HYP)["systems"][str(HYP)]
    assert figures["NIST"]["score"] == pytest.approx(float(expected[1]), abs=1e-4)
    lines = [path.read_text().splitlines() for path in (HYP, *REFERENCES[:count])]
    assert figures["BLEU"]["score"] == pytest.approx(bleu(lines[0], lines[1:]).score)


def test_one_system_by_default() -> None:
    shown = score(*references(1), HYP)
    assert "BLEU ↑" in shown.stdout
    assert "NIST ↑" in shown.stdout
    assert "nrefs:1" not in shown.stdout + shown.stderr
    assert "differences" not in shown.stdout
    piped = found(*references(1), "-", stdin=HYP.read_text())
    assert piped["systems"]["-"] == found(*references(1), HYP)["systems"][str(HYP)]


def test_systems_with_runs(tmp_path: Path) -> None:
    a, b, c = (swapped(tmp_path / name, every) for name, every in (("a", 9), ("b", 2), ("c", 3)))
    data = found(*references(2), f"base={a}", f"it={b},{c}", "-m", "bleu", "-m", "ter")
    assert data["baseline"] == "base"
    assert data["files"] == {"base": [str(a)], "it": [str(b), str(c)]}
    assert list(data["metrics"]) == ["BLEU", "TER"]
    it = data["systems"]["it"]["BLEU"]
    lines = [path.read_text().splitlines() for path in (b, c, *REFERENCES[:2])]
    assert it["runs"] == pytest.approx([bleu(run, lines[2:]).score for run in lines[:2]])
    assert it["s_opt"] > 0
    assert data["systems"]["base"]["BLEU"]["difference"] is None
    assert it["difference"]["score"] < 0
    bad = tmp_path / "bad"
    bad.write_text("".join(" ".join(line.split()[::-1]) + "\n" for line in lines[0]))
    options = (f"it={b},{c}", f"bad={bad}", "--significance-test", "randomisation")
    shown = score(*references(2), f"base={a}", *options).stdout
    assert "differences from base: * p < 0.05, ** p < 0.01" in shown
    assert re.search(r"-\d+\.\d\d\*\* p = 0\.001", shown)
    assert re.search(r"\d\.\d\d ± \d\.\d\d", shown)


def test_signatures(tmp_path: Path) -> None:
    other = swapped(tmp_path / "other", 2)
    options = ("-m", "bleu", "--signature", "--baseline", "it", "--lowercase", "--samples", 40)
    lines = score(*references(4), f"a={other}", f"it={HYP}", *options).stdout.splitlines()
    head = r"\tBLEU\|nrefs:4\|bs:40\|seed:0\|case:lc\|eff:no\|tok:none\|smooth:exp\|version:\S+ = "
    assert re.fullmatch(f"a{head}" + r"[\d.]+ \(-[\d.]+, p = 0\.\d{4}\)", lines[0])
    assert re.fullmatch(f"it{head}" + r"[\d.]+", lines[1])


def test_word_order_of_a_decoder(tmp_path: Path) -> None:
    """The order of a monotone search is that of the source, wherever the table tells links."""
    system = systems.write_toml(tmp_path, "hier-mslr-bidirectional-fe", stack_size=50)
    source = systems.GOLDEN / "test.src"
    for name, options in (("free", ()), ("mono", ("--monotone",))):
        files = ("-o", tmp_path / name, "--alignment-out", tmp_path / f"{name}.align")
        invoke("translate", system, source, *files, *options)
    free, mono = tmp_path / "free", tmp_path / "mono"
    order = ("--source", source, "--reference-alignment", f"{free}.align")
    data = found("-r", free, free, mono, *order, "-a", f"{free}.align", "-a", f"{mono}.align")
    assert list(data["metrics"]) == ["BLEU", "NIST", "chrF", "tau", "FRS"]
    assert data["systems"][str(free)]["tau"]["score"] == 100
    assert data["systems"][str(mono)]["FRS"]["score"] < 95
    named = ("-a", f"y={mono}.align", "-a", f"x={free}.align")
    again = found("-r", free, f"x={free}", f"y={mono}", *order, *named)
    assert again["systems"]["y"] == data["systems"][str(mono)]
    assert "τ ↑" in score("-r", free, f"x={free}", f"y={mono}", *order, *named).stdout
    (tmp_path / "far.align").write_text("0-99\n" * len(source.read_text().splitlines()))
    result = score("-r", free, mono, *order, "-a", tmp_path / "far.align", code=1)
    assert "far.align:1: link 0-99 leaves the target sentence" in str(result.exception)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["{short}"], r"short: has 2 lines, and .*ref0 has \d+"),
        (["-"], r"standard input: is empty"),
        (["nowhere"], r"nowhere: no such file"),
        (["{latin}"], r"latin:1: invalid UTF-8 at byte 2"),
        ([str(HYP), "--baseline", "x"], r"no system 'x' to compare with"),
        ([str(HYP), "-m", "wer"], r"unknown metric 'wer'"),
        ([str(HYP), "--tokenize", "13b"], r"unknown tokenisation '13b'"),
        ([str(HYP), "--significance-test", "t"], r"unknown significance test 't'"),
        (
            [str(HYP), "-s", str(HYP), "--reference-alignment", "{short}", "-a", "{short}"],
            r"short: has 2 lines, and .*ref0 has",
        ),
    ],
)
def test_errors(tmp_path: Path, arguments: list[str], text: str) -> None:
    (tmp_path / "short").write_text("0-0\n\n")
    (tmp_path / "latin").write_bytes(b"a\xfc\n")
    files = {"short": tmp_path / "short", "latin": tmp_path / "latin"}
    result = score(*references(1), *(a.format(**files) for a in arguments), code=1)
    assert re.search(text, str(result.exception))


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([HYP, HYP], "two systems are called"),
        ([f"a={HYP}", f"a={HYP}"], "two systems are called 'a'"),
        (["a="], "is not FILE"),
        (["=b"], "is not FILE"),
        (["-", "b=-"], "only one file can be -"),
        ([HYP, "--source", HYP], "word order needs"),
        ([HYP, "--source", HYP, "--reference-alignment", HYP], "word order needs"),
        ([HYP, "-a", "x", "-a", "y"], "1 systems and 2 --alignment"),
        ([f"a={HYP}", "-a", "b=x"], "no system 'b' needs one"),
        ([], "give outputs of systems, or --system and --source"),
        (["--system", HYP], "--system needs --source"),
        (
            ["--system", "x", "-s", HYP, HYP, "-a", "x", "--reference-alignment", HYP],
            "without --system",
        ),
        (["--system", HYP, "-s", HYP, HYP], "two systems are called"),
    ],
)
def test_arguments_that_cannot_be_used(arguments: list[object], text: str) -> None:
    result = score(*references(1), *arguments, code=2)
    assert text in " ".join(result.output.replace("│", " ").split())


def test_names_with_signs(tmp_path: Path) -> None:
    """A file that is there is taken as it is; blank lines are lines, and returns are not words."""
    odd = tmp_path / "a=b,c"
    odd.write_bytes("\ufeffx y\r\n\r\nx y\n".encode())
    (tmp_path / "ref").write_text("x y\n\nx y\n")
    data = found("-r", tmp_path / "ref", odd, "-m", "chrf")
    assert data["sentences"] == 3
    assert data["systems"][str(odd)]["chrF"]["score"] == pytest.approx(100)
