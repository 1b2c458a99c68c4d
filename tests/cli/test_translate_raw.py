"""``tartib translate``, ``tune`` and ``score`` with a system that has a text module."""

from __future__ import annotations

import json
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tartib import System, Translator
from tests.support import processes, raw_system, systems
from tests.support.commands import WIDE, invoke, start_tartib, tartib, tartib_here
from tests.support.kills import is_killed

RAW = [raw_system.written(line) for line in systems.SOURCE.read_text().splitlines()]
DOCUMENT = [f"{RAW[0]} {RAW[1]}", "", RAW[2]]


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return raw_system.write_system(tmp_path_factory.mktemp("raw") / "system", unknown_share=0.01)


@pytest.fixture
def text(tmp_path: Path) -> Path:
    return written(tmp_path / "text", RAW)


def written(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def copied(system: Path, folder: Path) -> Path:
    """Return a copy that a test may change."""
    return Path(shutil.copytree(system, folder / "copy"))


def translations(system: Path, lines: list[str]) -> list[str]:
    return [found.text for found in Translator.load(system, n_jobs=1).translate(lines)]


def test_raw_text_in_raw_text_out(system: Path) -> None:
    done = tartib("translate", system, stdin="\n".join(RAW))
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines == translations(system, RAW)
    assert all(line[0].isupper() and line.endswith(".") for line in lines)
    assert not any(" ." in line or "\uffed" in line for line in lines)


def test_the_folder_works_wherever_it_is(system: Path, tmp_path: Path) -> None:
    expected = translations(system, RAW[:5])
    with zipfile.ZipFile(tmp_path / "system.zip", "w") as packed:
        for file in system.rglob("*"):
            packed.write(file, file.relative_to(system.parent))
    with zipfile.ZipFile(tmp_path / "system.zip") as packed:
        packed.extractall(tmp_path / "unzipped")
    unzipped = tmp_path / "unzipped" / "system"
    assert translations(unzipped, RAW[:5]) == expected
    assert "all as they were written" in tartib_here("verify", unzipped).stdout
    shutil.rmtree(unzipped / "text")
    error = str(invoke("translate", unzipped, code=1).exception)
    assert f"{unzipped / 'text'}: no such file or folder" in error


def test_json_has_raw_text_and_tokens(system: Path) -> None:
    done = invoke("translate", system, "--json", "--nbest-size", 3, stdin="Every old window.\n")
    found = json.loads(done.stdout)
    assert (found["sentence"], found["source_text"]) == (0, "Every old window.")
    assert found["source"] == "every old window \uffed."
    assert found["text"] == translations(system, ["Every old window."])[0]
    assert found["translation"].endswith("\uffed.")
    assert found["others"][0]["text"].endswith(".")
    assert "\uffed" in found["others"][0]["translation"]


def test_side_outputs_are_in_tokens(system: Path, text: Path, tmp_path: Path) -> None:
    side = ("--nbest-out", tmp_path / "nbest", "--trace-out", tmp_path / "trace")
    links = ("--alignment-out", tmp_path / "links")
    invoke("translate", system, text, "-o", tmp_path / "out", *side, *links, "--nbest-size", 2)
    assert (tmp_path / "out").read_text().splitlines() == translations(system, RAW)
    assert " \uffed. " in (tmp_path / "nbest").read_text()
    assert "\uffed." in (tmp_path / "trace").read_text()
    found = Translator.load(system).translate(RAW[0]).translation.best.alignment
    first = (tmp_path / "links").read_text().split("\n")[0]
    assert first == " ".join(f"{i}-{j}" for i, j in found)


def test_tokens_pass_by_the_text_module(system: Path) -> None:
    done = invoke("translate", system, "--tokens", stdin="every old window \uffed.\n")
    tokens = Translator.load(system).translate("Every old window.").translation.text
    assert done.stdout == f"{tokens}\n"


def test_documents_keep_their_lines(system: Path, tmp_path: Path) -> None:
    path = written(tmp_path / "document", DOCUMENT)
    done = tartib("translate", system, path, "--documents", "--trace-out", "-", "-v")
    expected = Translator.load(system).translate_document("\n".join(DOCUMENT))
    assert done.stdout == f"{expected}\n"
    assert done.stdout.splitlines()[0].count(".") == 2
    assert [line[:6] for line in done.stderr.splitlines() if line.startswith("line ")] == [
        "line 1", "line 1", "line 2", "line 3",
    ]  # fmt: skip
    assert "4 sentences, " in done.stderr
    shown = invoke("translate", system, path, "--documents", "--json").stdout.splitlines()
    first = json.loads(shown[0])
    assert first["text"] == expected.split("\n")[0]
    assert [s["source_text"] for s in first["sentences"]] == RAW[:2]
    assert len(shown) == 3


def test_killed_and_continued_documents_end_the_same(system: Path, tmp_path: Path) -> None:
    path, system = written(tmp_path / "document", DOCUMENT * 9), copied(system, tmp_path)
    out = tmp_path / "out"
    command = (system, path, "--documents", "--out", out, "--resume", "-j", 1)
    assert is_killed(
        "tartib.decoder.resumable_output:ResumableOutput.write", 8, "translate", *command
    )
    refused = invoke("translate", *(c for c in command if c != "--documents"), code=1).exception
    assert "text documents was true and is now false" in str(refused)
    invoke("translate", *command)
    expected = Translator.load(system).translate_document("\n".join(DOCUMENT * 9))
    assert out.read_text() == f"{expected}\n"
    assert "is finished" in invoke("translate", *command).stderr
    later = out.stat().st_mtime + 1
    os.utime(system / "system.toml", (later, later))
    assert "exists already" in str(invoke("translate", *command, code=1).exception)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--documents", "--nbest-out", "x"), "--nbest-out has one sentence on each line"),
        (("--documents", "--alignment-out", "x"), "--alignment-out has one sentence"),
        (("--documents", "--tokens"), "--documents needs raw text"),
    ],
)
def test_options_that_do_not_fit(system: Path, arguments: tuple[str, ...], said: str) -> None:
    done = invoke("translate", system, *arguments, code=2, stdin="x\n")
    assert said in " ".join(done.stderr.replace("│", " ").split())


def test_documents_of_a_system_of_tokens(tmp_path: Path) -> None:
    toml = systems.write_toml(tmp_path)
    error = invoke("translate", toml, "--documents", code=1, stdin="x\n").exception
    assert "has no text module" in str(error)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["Ganz andere Worte ohne Sinn."] * 20, "(83.3%; of its development set 1.0%)"),
        ([line.replace(".", " .") for line in RAW], "looks tokenised"),
        (["Δεν είναι αυτή η γλώσσα."] * 20, "letters are Greek"),
        (["Ganz andere."], "all of its 2 words are unknown to the phrase table: "),
        (["Donnerwetter"], "its only word is unknown to the phrase table: "),
    ],
)
def test_doubts_are_told(system: Path, tmp_path: Path, lines: list[str], said: str) -> None:
    done = tartib_here("translate", system, written(tmp_path / "in", lines))
    assert done.stderr.startswith(f"tartib: warning: {tmp_path / 'in'}: ")
    assert said in done.stderr
    assert "unknown to the phrase table" in done.stderr


def test_tags_without_markup_are_told(system: Path) -> None:
    line = 'Every <x translation="maison">old</x> window.\n'
    assert (
        "1 line with tags that have translations" in invoke("translate", system, stdin=line).stderr
    )
    marked = invoke("translate", system, "--markup", stdin=line)
    assert "--markup" not in marked.stderr
    assert "maison" in marked.stdout.lower()


def test_raw_text_for_a_system_of_tokens(tmp_path: Path, text: Path) -> None:
    done = tartib_here("translate", systems.write_toml(tmp_path), text)
    assert "tokenise it as the training text was" in done.stderr


def test_tuning_prepares_raw_text(system: Path, tmp_path: Path) -> None:
    source, target, _ = raw_system.training_text()
    dev = written(tmp_path / "dev.src", source[:30]), written(tmp_path / "dev.tgt", target[:30])
    options = ("--iterations", 2, "--nbest-size", 20, "-j", 1)
    command = ("tune", system, "-s", dev[0], "-r", dev[1], "-o", tmp_path / "raw.toml", *options)
    invoke(*command)
    tuned = System.read(tmp_path / "raw.toml")
    assert tuned.text_folder is not None
    assert tuned.text_folder.samefile(system / "text")
    assert "is finished" in invoke(*command, "--resume").stderr
    # The same as with tokens that were prepared before.
    model = Translator.load(system).text
    assert model is not None
    by_hand = System.read(system).model_copy(update={"text": None}).write(tmp_path / "plain.toml")
    tokens = (
        written(tmp_path / "tok.src", [*map(model.source.prepare, source[:30])]),
        written(tmp_path / "tok.tgt", [*map(model.target.prepare, target[:30])]),
    )
    invoke("tune", by_hand, "-s", tokens[0], "-r", tokens[1], "-o", tmp_path / "tok.toml", *options)
    assert System.read(tmp_path / "tok.toml").weights == tuned.weights


def scored(*arguments: object) -> Any:
    return json.loads(invoke("score", *arguments, "--json", "--samples", 20).stdout)


def test_systems_are_scored_on_raw_text(system: Path, tmp_path: Path) -> None:
    source, target, _ = raw_system.training_text()
    test = written(tmp_path / "test.src", source[:40]), written(tmp_path / "test.tgt", target[:40])
    given = ("--source", test[0], "--reference", test[1])
    found = scored("--system", system, *given)
    assert "|tok:13a|" in found["metrics"]["BLEU"]["signature"]
    out = written(tmp_path / "out", translations(system, source[:40]))
    by_file = scored(out, "-r", test[1], "--tokenize", "13a")
    bleu = found["systems"][str(system)]["BLEU"]
    assert bleu["score"] == by_file["systems"][str(out)]["BLEU"]["score"]
    assert bleu["score"] > 20
    both = scored("--system", f"a={system},{system}", f"file={out}", *given, "--baseline", "a")
    assert both["files"] == {"file": [str(out)], "a": [str(system), str(system)]}
    assert both["systems"]["file"]["BLEU"]["difference"]["score"] == pytest.approx(0)
    shown = invoke("score", "--system", system, *given, "--samples", 20).stdout
    assert "\nBLEU|nrefs:1|bs:20|seed:0|case:mixed|eff:no|tok:13a|" in shown


def test_systems_of_tokens_are_scored_in_tokens(system: Path, tmp_path: Path) -> None:
    toml = systems.write_toml(tmp_path)
    reference = written(tmp_path / "ref", systems.words_of("none"))
    given = ("--source", systems.SOURCE, "--reference", reference)
    found = scored("--system", toml, *given, "--jobs", 2)
    assert found["systems"][str(toml)]["BLEU"]["score"] == pytest.approx(100)
    assert "|tok:none|" in found["metrics"]["BLEU"]["signature"]
    more = ("--system", f"t={toml}", "--system", f"r={system}")
    error = invoke("score", *more, *given, code=1).exception
    assert "outputs are of different kinds (13a, none)" in str(error)
    assert scored(*more, *given, "--tokenize", "char")["baseline"] == "t"


def test_info_knows_systems_and_text(system: Path) -> None:
    found = json.loads(invoke("info", system, "--json").stdout)
    assert found["kind"] == "translation system"
    assert found["holds"]["text"] == "tartib text"
    assert found["BLEU_dev"] == "12.35 (BLEU|tok:13a)"
    assert found["state"].startswith("whole: ")
    shown = invoke("info", system).stdout
    assert "holds, phrase-table" in shown
    text = json.loads(invoke("info", system / "text", "--json").stdout)
    assert text["kind"] == "tartib text"
    assert text["languages"] == ["en", ""]


def test_damage_in_a_system_folder_is_found(system: Path, tmp_path: Path) -> None:
    copy = copied(system, tmp_path)
    file = copy / "text" / "source.json"
    file.write_text(file.read_text().replace("NFC", "NFK"))
    assert f"{file}: is damaged" in tartib_here("verify", copy, code=1).stderr
    assert f"{file}: is damaged" in str(invoke("translate", copy, code=1).exception)
    assert json.loads(invoke("info", copy, "--json").stdout)["state"] == "damaged"
    (copy / "system.toml").write_text("lm = 3\n")
    said = tartib_here("verify", copy, code=1).stderr
    assert f"{copy / 'system.toml'}: is damaged" in said
    assert "system.toml" in invoke("info", copy).stdout


def test_what_a_system_folder_names_elsewhere_is_verified(system: Path, tmp_path: Path) -> None:
    copy = copied(system, tmp_path)
    (copy / "lm").rename(tmp_path / "lm")
    other = tmp_path / "other"
    other.mkdir()
    toml = (copy / "system.toml").read_text()
    for name in ("phrase-table", "text"):
        toml = toml.replace(f'"{name}"', f'"../copy/{name}"')
    (other / "system.toml").write_text(toml.replace('lm = "lm"', 'lm = "../lm"'))
    assert translations(other, RAW[:3]) == translations(system, RAW[:3])
    found = json.loads(invoke("verify", other, "--json").stdout)
    assert found["damaged"] == []
    assert found["files"] > 10


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_standard_output_that_is_full_is_told(system: Path, text: Path) -> None:
    with Path("/dev/full").open("w") as full, start_tartib(
        "translate", system, text, stdout=full, stderr=-1, text=True,
        env=processes.environment(COLUMNS=WIDE),
    ) as process:  # fmt: skip
        _, told = process.communicate()
    assert process.returncode == 1
    assert "no space left" in told
    assert "Traceback" not in told
