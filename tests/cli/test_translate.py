"""``tartib translate``, as a user meets it."""

import errno
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from typer.testing import Result

from tartib import Decoder, PhrasePairs, System
from tartib.moses import write_reordering_table
from tartib.storage.journal import Journal
from tartib.synthetic import write_corpus
from tests.support import systems
from tests.support.commands import invoke, start_tartib, tartib, tartib_here
from tests.support.kills import is_killed
from tests.support.systems import SOURCE, words_of

NAME = "hier-mslr-bidirectional-fe"
# One line each, though some programs would see more; words are what spaces and tabs separate.
ODD = [
    "every old window",
    "",
    "   \t ",
    "every\u00a0old window",
    "every\u2028old\x0bwindow\x1cfinds\x85the",
    "a\x00b \x1b[31m old",
    "||| every ||| a|b old ||||",
    "كتاب every الولد",
    "every old window\r",
    "every\rold",
]


@pytest.fixture
def system(tmp_path: Path) -> Path:
    return systems.write_toml(tmp_path, NAME, stack_size=100)


def start(*arguments: object) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return start_tartib("translate", *arguments, stdin=pipe, stdout=pipe, stderr=pipe)


def here(*arguments: object, code: int = 0, stdin: str = "") -> Result:
    """Translate in this process, which need not load the program for each."""
    return invoke("translate", *arguments, code=code, stdin=stdin)


def test_files_do_not_depend_on_threads(tmp_path: Path) -> None:
    system = systems.write_toml(tmp_path, NAME)
    found = []
    for jobs in (1, 4):
        folder = tmp_path / str(jobs)
        side = (
            "--nbest-out",
            folder / "nbest",
            "--nbest-size",
            20,
            "--trace-out",
            folder / "trace",
        )
        graph = ("--search-graph-out", folder / "graph", "--stack-size", 50)
        here(system, SOURCE, "-o", folder / "out", *side, *graph, "-j", jobs)
        found.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert set(found[0]) == {"out", "nbest", "trace", "graph"}
    assert found[0] == found[1]
    lines = found[0]["nbest"].decode().splitlines()
    best: dict[int, systems.Line] = {}
    for line in map(systems.Line, lines):
        best.setdefault(line.number, line)
    assert [" ".join(best[i].words) for i in range(60)] == found[0]["out"].decode().splitlines()
    weights = systems.weights(NAME)
    for line in map(systems.Line, lines):
        parts = (
            value * weight
            for name, values in line.features.items()
            for value, weight in zip(values, weights[name], strict=True)
        )
        assert line.total == pytest.approx(sum(parts), abs=1e-3)
    graph = json.loads(found[0]["graph"].splitlines()[0])
    assert len(graph["score"]) == len(graph["parent"]) == len(graph["best"])
    assert graph["options"][graph["option"][1]][0] == 0


def test_filter_says_what_moses_says(tmp_path: Path) -> None:
    done = tartib("translate", systems.write_ini(tmp_path, NAME), "-v", stdin=SOURCE.read_text())
    assert done.stdout.splitlines() == words_of(NAME)
    assert "60 sentences, " in done.stderr
    assert "0 unknown words" in done.stderr


def test_an_answer_comes_before_the_next_question(system: Path) -> None:
    lines = SOURCE.read_bytes().splitlines(keepends=True)[:6]
    process = start(system, "-j", 3)
    assert process.stdin
    assert process.stdout
    with process:
        for line, expected in zip(lines, words_of(NAME), strict=False):
            process.stdin.write(line)
            process.stdin.flush()
            answered, _, _ = select.select([process.stdout], [], [], 300)
            if not answered:
                process.kill()
            assert process.stdout.readline().decode().split() == expected.split()
        process.stdin.close()
    assert process.returncode == 0


def test_a_dash_is_standard_output(system: Path, tmp_path: Path) -> None:
    text = "every old window\n"
    assert here(system, "--out", "-", stdin=text).stdout == here(system, stdin=text).stdout
    assert list(tmp_path.iterdir()) == [system]


def test_an_interrupt_says_how_to_go_on(system: Path, tmp_path: Path) -> None:
    text, journal = tmp_path / "text", tmp_path / ".out.unfinished" / "journal"
    text.write_text(SOURCE.read_text() * 2000)  # more than it can translate until then
    with start(system, text, "--out", tmp_path / "out", "-j", 1) as process:
        assert process.stderr
        while process.poll() is None and not (journal.exists() and journal.stat().st_size):
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        assert b"the same command with --resume continues" in process.stderr.read()
    assert process.returncode == 130


def test_a_table_that_lacks_a_pair_says_nothing_of_it(system: Path, tmp_path: Path) -> None:
    given = systems.GOLDEN / f"reordering-table.{NAME}"
    lines = [line for line in given.read_text().splitlines() if not line.startswith("old ")]
    (tmp_path / "part").write_text("\n".join(lines) + "\n")
    system.write_text(system.read_text().replace(str(given), str(tmp_path / "part")))
    (found,) = map(json.loads, here(system, "--json", stdin="old window\n").stdout.splitlines())
    said = {step["source"]: [m["direction"] for m in step["models"]] for step in found["steps"]}
    assert said == {"old": [], "window": ["backward"]}


def test_json_tells_all(system: Path) -> None:
    text = "every old window zzz .\nthe red door\n"
    done = here(system, "--json", "--nbest-size", 3, "--distinct", stdin=text)
    first, second = map(json.loads, done.stdout.splitlines())
    assert (first["sentence"], second["sentence"]) == (0, 1)
    assert first["source"] == "every old window zzz ."
    assert sorted(w for s in first["steps"] for w in range(s["start"], s["end"])) == list(range(5))
    assert [s["source"] for s in first["steps"] if not s["known"]] == ["zzz"]
    assert " ".join(s["target"] for s in first["steps"]) == first["translation"]
    assert set(first["features"]) == set(systems.weights(NAME))
    assert len({first["translation"], *(o["translation"] for o in first["others"])}) == 3
    judged = {(m["name"], m["direction"]) for s in first["steps"] for m in s["models"]}
    assert judged == {("LexicalReordering0", d) for d in ("backward", "forward")}
    assert first["warnings"] == []


def test_alignments_are_those_of_the_steps(system: Path, tmp_path: Path) -> None:
    """Each step's links, moved to where it stands; an unknown word is linked with itself."""
    text = tmp_path / "text"
    text.write_text(SOURCE.read_text() + "\nevery unheard-of window\n")
    here(system, text, "-o", tmp_path / "out", "--alignment-out", tmp_path / "align")
    lines = (tmp_path / "align").read_text().split("\n")[:-1]
    translations = list(Decoder.load(system).translate(text.read_text().split("\n")[:-1]))
    assert len(lines) == len(translations)
    moved = False
    for line, translation in zip(lines, translations, strict=True):
        links = [tuple(map(int, link.split("-"))) for link in line.split()]
        steps = translation.best.steps
        begins = np.cumsum([0, *(len(step.target) for step in steps)]).tolist()
        expected = []
        for step, begin in zip(steps, begins, strict=False):
            assert step.links  # this table tells all
            expected += [(step.start + i, begin + j) for i, j in step.links]
            assert {i for i, _ in step.links} <= set(range(step.end - step.start))
            assert {j for _, j in step.links} <= set(range(len(step.target)))
        assert links == sorted(expected)
        moved |= [j for _, j in links] != sorted(j for _, j in links)
    assert moved
    assert lines[-2] == ""
    unknown = translations[-1].best.words.index("unheard-of")
    assert f"1-{unknown}" in lines[-1].split()


def test_phrases_without_links_are_linked_as_a_whole(tmp_path: Path) -> None:
    """A long sentence, in pieces, whose table has no alignments."""
    table = (systems.GOLDEN / "phrase-table").read_text().splitlines()
    bare = "".join(" ||| ".join(line.split(" ||| ")[:3]) + "\n" for line in table)
    (tmp_path / "phrase-table").write_text(bare)
    system = systems.write_toml(tmp_path, stack_size=20)
    given = system.read_text().replace(f"{systems.GOLDEN}/phrase-table", "phrase-table")
    system.write_text(given)
    line = " ".join(SOURCE.read_text().split()[:30])
    [translation] = System.read(system).with_search(max_words=12).load().translate([line])
    best, begin = translation.best, 0
    expected = set()
    for step in best.steps:
        assert not step.links or not step.known
        target = range(begin, begin + len(step.target))
        expected |= {(i, j) for i in range(step.start, step.end) for j in target}
        begin = target.stop
    assert len(best.alignment) == len(expected)
    assert set(best.alignment) == expected


def test_options_and_weights_change_the_search(system: Path, tmp_path: Path) -> None:
    weights = tmp_path / "weights.toml"
    done = here(system, "--monotone", "--trace-out", "-", stdin="the red door zzz\n")
    starts = [line.split()[0] for line in done.stderr.splitlines()[2:] if " → " in line]
    assert starts == sorted(starts)
    assert "zzz → zzz (unknown)" in done.stderr
    kept = here(system, "--drop-unknown", stdin="the red zzz door\nzzz\n").stdout
    assert "zzz" not in kept
    assert kept.endswith("\n\n")
    weights.write_text("[weights]\nLM0 = 0.5\n")
    done = here(system, "--weights", weights, stdin="x\n", code=1)
    assert "weights.toml: [weights]: LexicalReordering0 has no weight" in str(done.exception)


def test_odd_lines_stay_one_line_each(system: Path, tmp_path: Path) -> None:
    path = tmp_path / "odd.txt"
    path.write_bytes(b"\xef\xbb\xbf" + "\n".join(ODD).encode())
    side = ("--nbest-out", tmp_path / "nbest", "--nbest-size", 1, "--trace-out", tmp_path / "trace")
    here(system, path, "-o", tmp_path / "out", *side)
    lines = (tmp_path / "out").read_bytes().decode().split("\n")
    assert len(lines) == len(ODD) + 1
    known = lines[0]
    assert (lines[1], lines[2], lines[8]) == ("", "", known)
    assert "every\u00a0old" in lines[3].split(" ")
    assert lines[4] == ODD[4]
    assert "a\x00b" in lines[5]
    assert lines[6].split(" ").count("|||") == 2
    assert "every\rold" in lines[9]
    nbest = (tmp_path / "nbest").read_bytes().decode().split("\n")[:-1]
    assert [line.count(" ||| ") for line in nbest] == [3] * len(ODD)
    assert "&#124;&#124;&#124;" in nbest[6]
    assert "a|b" in nbest[6]
    assert nbest[1].startswith("1 |||  ||| LexicalReordering0= 0 0 ")
    trace = (tmp_path / "trace").read_bytes().decode()
    assert "a\\x00b → a\\x00b" in trace
    assert r"\x1b[31m → \x1b[31m" in trace
    assert not set(trace) & set("\x00\x0b\x1b\x1c\x85\r\u2028")
    assert "\u2068كتاب\u2069 → \u2068كتاب\u2069 (unknown)" in trace


def test_bad_text_is_an_error_with_its_line(system: Path, tmp_path: Path) -> None:
    path = tmp_path / "latin"
    path.write_bytes(b"every old\n\ncaf\xe9\n")
    done = here(system, path, code=1)
    assert "latin:3: invalid UTF-8 at byte 4" in str(done.exception)


def test_a_very_long_line_is_cut_with_a_warning(system: Path, tmp_path: Path) -> None:
    words = " ".join(SOURCE.read_text().split() * 25).split()[:10_000]
    (tmp_path / "long").write_text("every old window\n" + " ".join(words) + "\n")
    more = ("--json", "--max-words", 10, "--nbest-size", 3)
    done = here(system, tmp_path / "long", *more)
    assert "long:2: 10000 words, more than 10: cut into" in done.stderr
    _, found = map(json.loads, done.stdout.splitlines())
    covered = sorted(w for s in found["steps"] for w in range(s["start"], s["end"]))
    assert covered == list(range(10_000))
    assert len(found["others"]) == 2
    assert found["total"] >= found["others"][0]["total"]
    assert "10000 words" in found["warnings"][0]


def test_a_language_model_of_another_language(system: Path) -> None:
    other = systems.GOLDEN.parent.parent / "kenlm" / "text.o3.arpa"
    text = system.read_text().replace(f"{systems.GOLDEN}/lm.o3.arpa", str(other))
    system.write_text(text)
    done = tartib("translate", system, stdin="the old window\nthe red door\n")
    assert done.stderr.count("has only 0% of the phrase table's target words") == 1
    assert all(line.strip() for line in done.stdout.splitlines())


def test_a_closed_pipe_ends_quietly(system: Path) -> None:
    with start(system, SOURCE, "-j", 2) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_killed_and_continued_it_ends_the_same(system: Path, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text(SOURCE.read_text() * 6)
    folder, journal = tmp_path / "run", tmp_path / "run" / ".out.unfinished" / "journal"
    side = ("--nbest-out", folder / "nbest", "--nbest-size", 3, "--json", "--resume")
    command = (system, text, "--out", folder / "out", *side, "--stack-size", 20, "-j", 1)
    done = 0
    for sentences in (1, 99, 140):
        writing = "tartib.decoder.resumable_output:ResumableOutput.write"
        assert is_killed(writing, sentences + 1, "translate", *command)
        done += sentences
        assert journal.read_bytes().count(b"\n") == done
        assert not (folder / "out").exists()
    refused = here(*command, "--stack-size", 21, code=1).exception
    assert "search stack-size was 20 and is now 21" in str(refused)
    os.utime(system)  # nothing in it has changed
    here(*command)
    said = here(*command).stderr
    assert said.startswith(
        f"{folder / 'out'} is finished, with a line for each sentence, and newer"
    )
    assert {path.name for path in folder.iterdir()} == {"out", "nbest"}
    other = tmp_path / "other"
    again = ("--nbest-out", other / "nbest", "--nbest-size", 3, "--json", "--stack-size", 20)
    here(system, text, "--out", other / "out", *again)
    for name in ("out", "nbest"):
        assert (folder / name).read_bytes() == (other / name).read_bytes()


def test_a_file_of_another_origin_is_not_called_finished(system: Path, tmp_path: Path) -> None:
    text, out, links = tmp_path / "text", tmp_path / "out", tmp_path / "links"
    text.write_text("every old window\nold window\n")
    command = (system, text, "--out", out, "--alignment-out", links, "--resume")

    def refused() -> None:
        before = out.read_bytes()
        error = here(*command, code=1).exception
        assert "exists already, and nothing unfinished is beside it" in str(error)
        assert out.read_bytes() == before

    out.write_text("hello\n")
    refused()
    out.unlink()
    here(*command)
    assert "is finished" in here(*command).stderr
    for path, content in ((out, "hello\n"), (links, "0-0\n")):
        whole = path.read_bytes()
        path.write_text(content)
        refused()
        path.write_bytes(whole)
    assert "is finished" in here(*command).stderr
    for path in (text, system):
        before = path.stat().st_mtime
        os.utime(path, (later := out.stat().st_mtime + 1, later))
        refused()
        os.utime(path, (before, before))
    assert "is finished" in here(*command).stderr
    links.unlink()
    refused()


@pytest.mark.parametrize("link", ["file", "folder"])
def test_two_outputs_that_are_one_file_by_a_link(system: Path, tmp_path: Path, link: str) -> None:
    (tmp_path / "place").mkdir()
    same = tmp_path / "place" / "same"
    if link == "file":
        other = tmp_path / "link"
        other.symlink_to(same)
    else:
        (tmp_path / "link").symlink_to(tmp_path / "place")
        other = tmp_path / "link" / "same"
    done = here(system, SOURCE, "--out", same, "--nbest-out", other, "--overwrite", code=2)
    assert "two outputs have the same file" in " ".join(done.stderr.replace("│", " ").split())
    assert not same.exists()


def interrupted(*arguments: object) -> None:
    writing = "tartib.decoder.resumable_output:ResumableOutput.write"
    assert is_killed(writing, 3, "translate", *arguments, "--out", "out", "-j", 1)


def test_a_model_restored_with_its_times_is_another(
    system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was translated with the damaged one cannot be told from what is right."""
    monkeypatch.chdir(tmp_path)
    lm, whole = tmp_path / "lm", systems.GOLDEN / "lm.o3.arpa"
    system.write_text(system.read_text().replace(str(whole), str(lm)))
    damaged = whole.read_text().replace("-1.", "-2.")
    lm.write_text(damaged)
    os.utime(lm, ns=(0, whole.stat().st_mtime_ns))
    interrupted(system, SOURCE)
    shutil.copy2(whole, lm)
    assert lm.stat().st_size == len(damaged.encode())
    error = str(here(system, SOURCE, "--out", "out", "--resume", code=1).exception)
    assert f"out cannot be continued: models {lm} was" in error
    assert "start again (--overwrite, no --resume)" in error


@pytest.mark.parametrize("how", [(), ("--resume",)])
def test_a_full_disk_says_how_to_go_on(
    system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: tuple[str, ...]
) -> None:
    append = Journal.append

    def full(journal: Journal, texts: Mapping[str, bytes]) -> None:
        if journal.length == 5:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        append(journal, texts)

    out, place = tmp_path / "out", tmp_path / ".out.unfinished"
    with monkeypatch.context() as patched:
        patched.setattr(Journal, "append", full)
        error = str(here(system, SOURCE, "--out", out, *how, code=1).exception)
    again = "the same command" if how else "the same command with --resume"
    assert "no space left on this disk" in error
    assert f"\n  5 sentences finished and kept in {place}; {again} continues" in error
    here(system, SOURCE, "--out", out, "--resume")
    assert {path.name for path in tmp_path.iterdir()} == {system.name, "out"}


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="there is no second disk")
def test_outputs_on_two_disks(system: Path, tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        link, there = tmp_path / "link", Path(folder) / "new" / "nbest"
        link.symlink_to(there)
        here(system, SOURCE, "--out", tmp_path / "out", "--nbest-out", link)
        assert there.read_text().startswith("0 ||| ")
        assert [path.name for path in there.parent.iterdir()] == ["nbest"]
    assert {path.name for path in tmp_path.iterdir()} == {system.name, "out", "link"}


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("nowhere.toml",), 1, "nowhere.toml: no such file"),
        (("SYSTEM", "nowhere.txt"), 1, "nowhere.txt: no such file"),
        (("SYSTEM", "--resume"), 2, "--resume needs an input file and --out"),
        (("SYSTEM", "--nbest-size", 2), 2, "--nbest-size needs --nbest-out or --json"),
        (("SYSTEM", "--monotone", "--distortion-limit", 3), 2, "not both"),
        (
            ("SYSTEM", "--beam-threshold", 7),
            1,
            "beam-threshold: must be less than or equal to 1",
        ),
        (("SYSTEM", "--max-words", 100000), 1, "max-words: must be less than"),
        (("SYSTEM", SOURCE, "--out", "."), 1, "is a folder"),
        (("SYSTEM", SOURCE, "--out", "/dev/null", "--overwrite"), 1, "a folder or a device"),
        (("SYSTEM", "--nbest-out", "x", "--trace-out", "x"), 2, "a file of its own"),
        (("SYSTEM", "--nbest-out", "-"), 2, "only --out and --trace-out can be -"),
        (("SYSTEM", "--search-graph-out", "-"), 2, "only --out and --trace-out can be -"),
        (("SYSTEM", SOURCE, "--out", "x.gz"), 2, "drop .gz, and compress the file afterwards"),
        (("SYSTEM", SOURCE, "--nbest-out", "x.zst"), 2, "drop .zst"),
        (("SYSTEM", SOURCE, "--out", "-", "--resume"), 2, "--resume needs an input file and --out"),
        (("SYSTEM", "--distinct"), 2, "--distinct needs --nbest-out"),
        (("SYSTEM", "--distinct", "--json"), 2, "--distinct needs --nbest-out"),
        (
            ("SYSTEM", "--beam-threshold", "nan"),
            1,
            "beam-threshold: must be a finite number",
        ),
        (("SYSTEM", "--jobs", 0), 1, "jobs must be 1 to 1,024"),
    ],
)
def test_errors(
    system: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[object, ...],
    code: int, said: str,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    given = (system if argument == "SYSTEM" else argument for argument in arguments)
    done = here(*given, code=code, stdin="x\n")
    assert said in " ".join(done.stderr.replace("│", " ").split()) + str(done.exception)
    assert [path.name for path in tmp_path.iterdir()] == [system.name]


def test_python_says_the_same(system: Path) -> None:
    decoder = Decoder.load(system)
    with SOURCE.open() as lines:
        found = [translation.text for translation in decoder.translate(lines)]
    assert found == words_of(NAME)


def test_from_a_bitext_to_translations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_corpus(tmp_path / "corpus", 300, n_jobs=1)
    source, target = (tmp_path / "corpus" / f"synthetic.{side}" for side in ("ar", "en"))
    links = ("-a", tmp_path / "corpus" / "synthetic.align")
    invoke("extract", "-s", source, "-t", target, *links, "--out", "phrases")
    invoke("phrase-table", "phrases", "--out", "table")
    invoke(
        "lm",
        "estimate",
        "--text",
        target,
        "--order",
        3,
        "--discount-fallback",
        "0.5,1,1.5",
        "-o",
        "lm",
    )
    invoke("train", "phrases", "--features", "S1", "--cutoff", 2, "--out", "svm")
    phrases = PhrasePairs.load("phrases")
    write_reordering_table(phrases, "table.hier", "hier-msd", direction="bidirectional")
    Path("system.toml").write_text(
        'phrase-table = "table"\nlm = "lm"\n[[reordering]]\ntable = "table.hier"\n'
        'type = "hier-msd-bidirectional-fe"\n[[reordering]]\nmodel = "svm"\n'
    )
    with pytest.warns(UserWarning, match="tune the system"):
        system = System.read("system.toml").load()
    sizes = {"LexicalReordering0": 6, "svm-S1": 3}
    assert {name: system.layout.sizes[name] for name in sizes} == sizes
    lines = source.read_text().splitlines()[:50]
    references = target.read_text().splitlines()[:50]
    found = [translation.text for translation in system.translate(lines)]
    # It has seen them all, so most come out as they were.
    assert sum(a == b for a, b in zip(found, references, strict=True)) > 25


def test_a_text_in_another_language_is_doubted(tmp_path: Path) -> None:
    system = systems.write_toml(tmp_path)
    for text, doubted in (("every queen\n", False), ("ganz andere worte queen\n", True)):
        (tmp_path / "in").write_text(text)
        said = tartib_here("translate", system, tmp_path / "in").stderr
        assert ("is it in the source language" in said) == doubted
