"""Systems as files: TOML and moses.ini, what they say and what is wrong with them."""

import gzip
import shutil
from pathlib import Path

import pytest

from tartib import DataError, Decoder, OptionError, extract_phrases
from tartib.bitext import Bitext
from tartib.decoder import System
from tartib.decoder.system_sections import read_weights, weights_section
from tartib.orientation import TableType
from tartib.reordering import ReorderingModel
from tests.support import systems
from tests.support.processes import run_python

HIER = "hier-msd-backward-fe"
SENTENCE = "every empty queen likes every heavy horse often ."


def changed(path: Path, *changes: tuple[str, str]) -> Path:
    """Replace pieces of a file, each of which must be there."""
    text = path.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)
    return path


def said(decoder: Decoder) -> list[tuple[str, float]]:
    return [(t.text, t.best.total) for t in decoder.translate([SENTENCE], n_jobs=1)]


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("wbe-msd-bidirectional-fe", 6),
        ("hier-mslr-forward-f", 4),
        ("phrase-monotonicity-backward-fe", 2),
        ("phrase-leftright-bidirectional-fe-allff", 4),
    ],
)
def test_types_of_tables(name: str, columns: int) -> None:
    assert TableType.parse(name).n_columns == columns


@pytest.mark.parametrize(
    "name",
    ["", "hier-msd", "hier-msd-sideways-fe", "hier-msd-backward-e", "hier-xyz-backward-fe",
     "hier-msd-backward-fe-collapseff", "old-msd-backward-fe"],
)  # fmt: skip
def test_unknown_types_of_tables(name: str) -> None:
    with pytest.raises(OptionError, match="unknown"):
        TableType.parse(name)


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    system = System.read(systems.write_toml(tmp_path, HIER))
    again = System.read(system.write(tmp_path / "deeper" / "again.toml"))
    assert again.model_dump() == system.model_dump()
    text = (tmp_path / "deeper" / "again.toml").read_text()
    assert System.read(again.write(tmp_path / "third.toml")).model_dump() == system.model_dump()
    assert (tmp_path / "third.toml").read_text() == text
    with pytest.raises(OptionError, match="exists already"):
        system.write(tmp_path / "third.toml")


def test_relative_paths_lead_to_the_same_places(tmp_path: Path) -> None:
    for name in ("phrase-table", "lm.o3.arpa"):
        shutil.copy(systems.GOLDEN / name, tmp_path)
    path = changed(systems.write_toml(tmp_path), (f"{systems.GOLDEN}/", ""))
    system = System.read(path)
    moved = System.read(system.write(tmp_path / "a" / "b" / "moved.toml"))
    assert 'lm = "../../lm.o3.arpa"' in (tmp_path / "a" / "b" / "moved.toml").read_text()
    assert said(moved.load()) == said(system.load())


def test_new_weights_are_used_and_written(tmp_path: Path) -> None:
    system = System.read(systems.write_toml(tmp_path))
    weights = {**systems.weights("none"), "LM0": [0.1], "Distortion0": [1e-05]}
    tuned = System.read(system.with_weights(weights).write(tmp_path / "tuned.toml"))
    assert tuned.weights == {name: tuple(values) for name, values in weights.items()}
    assert said(tuned.load()) != said(system.load())


def test_odd_names_survive(tmp_path: Path) -> None:
    system = System.read(systems.write_toml(tmp_path, HIER))
    part = system.reordering[0].model_copy(update={"name": "ترتيب.0"})
    odd = system.model_copy(update={"reordering": (part,)})
    odd = odd.with_weights({**systems.weights("none"), "ترتيب.0": [0.3, 0.3, 0.3]})
    again = System.read(odd.write(tmp_path / "odd.toml"))
    assert said(again.load()) == said(system.load())


def test_a_trained_model_is_a_part(tmp_path: Path) -> None:
    source, target, links = (
        (systems.GOLDEN / f"train.{side}").read_text().splitlines()[:100]
        for side in ("src", "tgt", "align")
    )
    phrases = extract_phrases(Bitext.from_lines(source, target, links), "hier-msd")
    model = ReorderingModel(classifier="lexicalised", direction="bidirectional").fit(phrases)
    model.save(tmp_path / "lexicalised")
    path = changed(
        systems.write_toml(tmp_path),
        ("[search]", '[[reordering]]\nmodel = "lexicalised"\nname = "Ours"\n[search]'),
        ("[weights]", "[weights]\nOurs = [0.3, 0.3, 0.3, 0.3, 0.3, 0.3]"),
    )
    decoder = Decoder.load(path)
    assert next(iter(decoder.layout.sizes)) == "Ours"
    (best,) = decoder.translate([SENTENCE])
    directions = {judgement.direction for step in best.best.steps for judgement in step.judgements}
    assert directions == {"backward", "forward"}


def test_without_weights_the_user_is_warned(tmp_path: Path) -> None:
    path = systems.write_toml(tmp_path)
    path.write_text(path.read_text().partition("[weights]")[0])
    with pytest.warns(UserWarning, match=r"none.6.toml has no \[weights\]"):
        decoder = Decoder.load(path)
    assert decoder.weights.tolist() == decoder.layout.usual_weights().tolist()


def test_missing_weights_are_shown_to_paste(tmp_path: Path) -> None:
    path = systems.write_toml(tmp_path, HIER)
    changed(path, ("LexicalReordering0 = [0.3, 0.3, 0.3]\n", ""), ("LM0 = 0.5", "LM0 = 0.7"))
    with pytest.raises(DataError, match="LexicalReordering0 has no weight: it needs 3") as caught:
        Decoder.load(path)
    section = caught.value.hint.partition("\n\n")[2]
    assert "LM0 = 0.7" in section
    path.write_text(path.read_text().partition("[weights]")[0] + section)
    assert said(Decoder.load(path))


def test_no_weight_to_paste_is_not_a_number(tmp_path: Path) -> None:
    path = changed(systems.write_toml(tmp_path), ("LM0 = 0.5", "LM0 = nan"))
    with pytest.raises(DataError, match="a weight of LM0 is not a number") as caught:
        Decoder.load(path)
    assert "LM0 = 0.5" in caught.value.hint


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("phrase-table", "phrasetable", "there is no option 'phrasetable'"),
        ("[search]", "[searching]", r"there is no option 'searching'\n.*\[\[reordering\]\]"),
        ("stack-size = ", "stak = ", "there is no option 'search.stak'"),
        ("stack-size = 2000", "stack-size = -1", "search.stack-size: .*greater than or equal to 0"),
        ("stack-size = 2000", "stack-size = 'many'", "search.stack-size"),
        ("LM0 = 0.5", "LM0 = 'much'", "weights.LM0"),
        ("LM0 = 0.5", "LM0 = nan", "a weight of LM0 is not a number"),
        ("LM0 = 0.5", "LM0 = '0.5'", "weights.LM0.0: must be a number"),
        ("LM0 = 0.5", "LM0 = true", "weights.LM0.0: must be a number"),
        ("beam-threshold = 1e-7", "beam-threshold = nan", "search.beam-threshold: .* a finite"),
        ("LM0 = 0.5", "LM0 = [0.5, 0.5]", "LM0 needs 1 weight, not 2"),
        ("LM0 = 0.5", "LM7 = 0.5", "no feature is called 'LM7'"),
        ("[search]", "[search", "cannot be read as TOML"),
        ("[search]", "folder = '/'\n[search]", "no option 'reordering.0.folder'"),
        ("phrase-table =", "folder = '/'\nphrase-table =", "no option 'folder'"),
        (
            'type = "hier-msd-backward-fe"',
            'type = "hier-msd-backward-fe"\nunknown-words = "score"',
            "a table has no entry for them",
        ),
        ('type = "hier-msd-backward-fe"', 'type = "hier"', "unknown type of reordering table"),
        ('type = "hier-msd-backward-fe"', 'type = "x-msd-backward-fe"', "{wbe,phrase,hier}-.*{f"),
        ('type = "hier-msd-backward-fe"', "", "belongs to table: give both"),
        ('type = "hier-msd-backward-fe"', 'model = "m"', "give either table and type, or model"),
        ('type = "hier-msd-backward-fe"', 'type = "hier-mslr-backward-fe"', "3 prob.* has 4"),
        ("[search]", "[[reordering]]\nname='LexicalReordering0'\nmodel='m'\n[search]", "same name"),
        ("lm.o3.arpa", "lm.o9.arpa", "lm.o9.arpa: no such file"),
        ("reordering-table.hier", "table.hier", "no such file"),
    ],
)  # fmt: skip
def test_bad_toml(tmp_path: Path, old: str, new: str, problem: str) -> None:
    path = changed(systems.write_toml(tmp_path, HIER), (old, new))
    with pytest.raises(DataError, match=problem):
        Decoder.load(path)


def test_no_file_and_no_toml(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        System.read(tmp_path / "nowhere.toml")
    with pytest.raises(DataError, match="is a folder"):
        System.read(tmp_path)
    (tmp_path / "binary").write_bytes(b"\xff\xff\x00")
    with pytest.raises(DataError, match="invalid UTF-8"):
        System.read(tmp_path / "binary")


def test_weights_of_their_own_file(tmp_path: Path) -> None:
    path = tmp_path / "weights.toml"
    path.write_text(weights_section(systems.weights(HIER)))
    assert read_weights(path) == {n: tuple(w) for n, w in systems.weights(HIER).items()}
    for text in ("lm = 'x'\n[weights]\nLM0 = 1\n", "LM0 = 1\n", "weights = 3\n", "[weights\n"):
        path.write_text(text)
        with pytest.raises(DataError, match="weights"):
            read_weights(path)
    path.write_text("[weights]\nLM0 = true\n")
    with pytest.raises(DataError, match="not a number: True"):
        read_weights(path)


def test_search_options_change(tmp_path: Path) -> None:
    system = System.read(systems.write_toml(tmp_path))
    assert system.with_search(stack_size=5, cube_pops=3).search.stack_size == 5
    with pytest.raises(OptionError, match="beam-threshold"):
        system.with_search(beam_threshold=2.0)


def test_ini_settings(tmp_path: Path) -> None:
    more = "[search-algorithm]\n1\n[cube-pruning-pop-limit]\n77\n[drop-unknown]\n1\n[threads]\n8\n"
    path = changed(systems.write_ini(tmp_path, limit=3), ("[feature]", f"{more}\n[feature]"))
    search = System.read(path).search
    assert (search.cube_pops, search.drop_unknown, search.distortion_limit) == (77, True, 3)
    for line, dropped in (("", True), ("\nfalse", False), ("\nYes", True)):
        switched = changed(
            systems.write_ini(tmp_path), ("[feature]", f"[drop-unknown]{line}\n[feature]")
        )
        assert System.read(switched).search.drop_unknown is dropped
    changed(path, ("[search-algorithm]\n1", "[mark-unknown]\n0\n[search-algorithm]\n0"))
    assert System.read(path).search.cube_pops == 0
    changed(path, ("[distortion-limit]\n3\n", ""), (" table-limit=20", ""))
    changed(path, ("[stack]\n2000", "[ttable-limit]\n7"))
    search = System.read(path).search
    assert (search.distortion_limit, search.table_limit, search.stack_size) == (-1, 7, 200)


def test_ini_names_and_features_left_out(tmp_path: Path) -> None:
    path = changed(
        systems.write_ini(tmp_path),
        ("\nDistortion\n", "\n"), ("Distortion0= 0.3\n", ""), ("UnknownWordPenalty0= 1.0\n", ""),
        ("KENLM lazyken=0 name=LM0 ", "KENLM "), ("LM0= 0.5", "KENLM0= 0.5"),
    )  # fmt: skip
    weights = System.read(path).weights
    assert weights is not None
    assert (weights["Distortion0"], weights["LM0"]) == ((0.0,), (0.5,))
    assert weights["UnknownWordPenalty0"] == (1.0,)


def test_ini_finds_compressed_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("phrase-table", "lm.o3.arpa"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress((systems.GOLDEN / name).read_bytes()))
    plain = said(Decoder.load(systems.write_ini(tmp_path)))
    path = changed(systems.write_ini(tmp_path), (f"{systems.GOLDEN}/", ""))
    monkeypatch.chdir(tmp_path)
    assert said(Decoder.load(path)) == plain
    System.read(path).write(tmp_path / "x" / "as.toml")
    assert said(Decoder.load("x/as.toml")) == plain


@pytest.mark.parametrize(
    ("old", "new", "line", "problem"),
    [
        ("[stack]", "[stacks]", 11, r"unknown section \[stacks\]"),
        ("[stack]\n2000", "[stack]\nmany", 12, r"\[stack\] many: not a number"),
        ("0 T 0", "0 T 0 1 T 1", 6, "only one translation step"),
        ("0 T 0", "1 T 1", 6, "only one translation step"),
        ("[input-factors]\n0", "[input-factors]\n1", 3, "input factor 1"),
        ("\nDistortion\n", "\nTargetNgram\n", 23, "unknown feature TargetNgram"),
        ("PhraseDictionaryMemory", "PhraseDictionaryCompact", 21, "only Moses reads"),
        ("table-limit=20", "table-size=20", 21, "unknown argument 'table-size'"),
        ("num-features=4", "num-features=x", 21, "not a number"),
        ("num-features=4", "num-features=5", 33, "TranslationModel0 has 5 values, but 4 weights"),
        ("num-features=3", "num-features=6", 22, "hier-msd-backward-fe-allff has 3"),
        ("type=hier-msd", "type=hier-xyz", 22, "unknown type .*{wbe,phrase,hier}-.*-{fe,f}"),
        ("factor=0 path", "factor=1 path", None, "factor is not 0"),
        ("\nDistortion\n", "\nDistortion\nDistortion\n", 24, "a second Distortion"),
        ("LM0= 0.5", "LM1= 0.5", 29, "no feature is called LM1"),
        ("LM0= 0.5", "LM0= inf", 29, "is NaN or infinite"),
        ("LM0= 0.5", "LM0 0.5", 29, "not a weight"),
        ("LM0= 0.5\n", "", None, r"\[weight\] has no line for LM0\n.*such as: LM0= 0.5"),
        ("WordPenalty0= -1.0\n", "", None, r"such as: WordPenalty0= -1.0"),
        ("[feature]", "[mark-unknown]\n[feature]", 17, "does not mark unknown words"),
        ("[feature]", "[mark-unknown]\n1\n[feature]", 18, "does not mark unknown words"),
        ("KENLM", "#KENLM", None, r"\[feature\] has no KENLM"),
        ("name=LM0 factor=0 path=", "name=LM0 factor=0 file=", 24, "KENLM has no path="),
        ("LM0 factor=0 path=", f"LM0 factor=0 path={300 * 'x'}", 24, "cannot be the name of"),
        ("# made", "0\n# made", 1, "is in no section"),
    ],
)  # fmt: skip
def test_bad_ini(tmp_path: Path, old: str, new: str, line: int | None, problem: str) -> None:
    path = changed(systems.write_ini(tmp_path, HIER), (old, new))
    with pytest.raises(DataError, match=problem) as caught:
        Decoder.load(path)
    assert line is None or caught.value.line == line


@pytest.mark.parametrize(
    ("name", "problem"),
    [("phrase-table", r":\d+:"), ("lm.o3.arpa", ""), (f"reordering-table.{HIER}", r":\d+:")],
)
@pytest.mark.parametrize("damage", ["cut", "garbage", "compressed"])
def test_damaged_models(tmp_path: Path, name: str, problem: str, damage: str) -> None:
    data = (systems.GOLDEN / name).read_bytes()
    half = data[: len(data) // 2]
    broken = {
        "cut": half[: half.rindex(b"\n")] + b"\na |||",
        "garbage": half[: half.rindex(b"\n")] + b"\n" + b"\xff\x00 ||| \xfe\n" * 3,
        "compressed": gzip.compress(data)[:-2000],
    }
    (tmp_path / name).write_bytes(broken[damage])
    path = changed(systems.write_toml(tmp_path, HIER), (f"{systems.GOLDEN}/{name}", name))
    with pytest.raises(DataError) as caught:
        Decoder.load(path)
    assert name in caught.value.path
    if damage != "compressed":
        assert caught.value.line or not problem


def test_tables_that_have_nothing_in_common_are_told(tmp_path: Path) -> None:
    (tmp_path / "table").write_text("x ||| y ||| 0.3 0.3 0.4\n")
    given = f"{systems.GOLDEN}/reordering-table.{HIER}"
    path = changed(systems.write_toml(tmp_path, HIER), (given, "table"))
    with pytest.warns(UserWarning, match="has no phrase pair in common with the phrase table"):
        Decoder.load(path)


def test_classifiers_are_loaded_only_where_needed(tmp_path: Path) -> None:
    code = (
        "import sys; from tartib import Decoder; Decoder.load(sys.argv[1])\n"
        "sys.exit('loaded' if 'sklearn' in sys.modules else 0)"
    )
    path = systems.write_toml(tmp_path, HIER)
    run_python(code, path)


@pytest.mark.parametrize(
    ("table", "lm", "rest", "problem"),
    [
        ("x\\u0000", "lm.o3.arpa", "", "x\0: is not the name of a file"),
        ("phrase-table", "x\\u0000", "", "x\0: is not the name of a file"),
        ("phrase-table", "lm.o3.arpa", f'table = "x\\u0000"\ntype = "{HIER}"', "not the name of a"),
        ("phrase-table", "lm.o3.arpa", 'model = "x\\u0000"', "x\0: no such folder"),
    ],
)
def test_names_that_no_file_can_have(
    tmp_path: Path, table: str, lm: str, rest: str, problem: str
) -> None:
    golden = systems.GOLDEN
    text = f'phrase-table = "{golden}/{table}"\nlm = "{golden}/{lm}"\n'
    (tmp_path / "toml").write_text(f"{text}[[reordering]]\n{rest}" if rest else text)
    with pytest.raises(DataError, match=problem):
        Decoder.load(tmp_path / "toml")


def test_an_empty_phrase_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "table").touch()
    path = changed(systems.write_toml(tmp_path), (f"{systems.GOLDEN}/phrase-table", "table"))
    with pytest.raises(DataError, match="table: has no phrase pairs"):
        Decoder.load(path)


def test_an_ini_is_told_of_its_own_lines(tmp_path: Path) -> None:
    path = systems.write_ini(tmp_path)
    changed(path, (" num-features=4", ""), ("TranslationModel0= 0.2", "TranslationModel0= 0.2 0.2"))
    with pytest.raises(DataError, match=r"\[weight\]: TranslationModel0 needs 4") as caught:
        Decoder.load(path)
    assert "TranslationModel0= 0.2 0.2 0.2 0.2" in caught.value.hint


def test_a_language_model_that_knows_few_words(tmp_path: Path) -> None:
    text = (systems.GOLDEN / "lm.o3.arpa").read_text()
    known = ("ogi", "un", "dis", "ga", ".")
    words = sorted({line.split("\t")[1] for line in text.splitlines() if line.count("\t") == 2})
    words = [word for word in words if " " not in word and word not in ("<s>", "<unk>", *known)]
    lines = [f"-1\t{word}\t0" for word in ("<s>", "</s>", "<unk>", *known)]
    path = changed(systems.write_toml(tmp_path), (f"{systems.GOLDEN}/lm.o3.arpa", "lm.arpa"))
    for more, warned in (([], True), (words, False)):
        entries = [*lines, *(f"-1\t{word}\t0" for word in more if word != "</s>")]
        arpa = f"\\data\\\nngram 1={len(entries)}\n\n\\1-grams:\n" + "\n".join(entries)
        (tmp_path / "lm.arpa").write_text(f"{arpa}\n\n\\end\\\n")
        if warned:
            with pytest.warns(UserWarning, match="has only 1?[0-9]% of the phrase table's"):
                Decoder.load(path)
        else:
            Decoder.load(path)


def test_swapped_files_are_told(tmp_path: Path) -> None:
    arpa, table = (f"{systems.GOLDEN}/{name}" for name in ("lm.o3.arpa", "phrase-table"))
    path = systems.write_toml(tmp_path)
    changed(path, (f'phrase-table = "{table}"', f'phrase-table = "{arpa}"'))
    with pytest.raises(DataError, match=r"lm.o3.arpa: this looks like an ARPA file"):
        Decoder.load(path)
    path = changed(systems.write_toml(tmp_path), (f'lm = "{arpa}"', f'lm = "{table}"'))
    with pytest.raises(DataError, match="phrase-table: this looks like a phrase table"):
        Decoder.load(path)
    path = systems.write_toml(tmp_path, HIER)
    changed(path, (f'table = "{systems.GOLDEN}/reordering-table.{HIER}"', f'table = "{arpa}"'))
    with pytest.raises(DataError, match=r"lm.o3.arpa: this looks like an ARPA file"):
        Decoder.load(path)
