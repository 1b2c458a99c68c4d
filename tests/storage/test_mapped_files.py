"""Files that change while they are mapped into memory: an error or other results, never a crash."""

from __future__ import annotations

import faulthandler
import json
import os
import signal
from pathlib import Path

import numpy as np
import pytest

from tartib import (
    Bitext,
    DataError,
    Dataset,
    FeatureEncoder,
    LanguageModel,
    PhraseTable,
    build_dataset,
    extract_phrases,
    storage,
)
from tartib.storage import mapped_files
from tests.support.processes import run_python

pytestmark = pytest.mark.native

# For each file: loads everything, changes the file, and uses everything; each in a process of its
# own, forked, because importing takes most of the time.
PROGRAM = """
import json, os, shutil, sys, warnings
from pathlib import Path
import numpy as np
from tartib import Dataset, Decoder, LanguageModel, MaxEnt, MulticlassSVM, PhrasePairs, PhraseTable
from tartib.errors import TartibError
warnings.simplefilter("ignore")
made, change, *names = sys.argv[1:]
said = []

def use(what):
    try:
        what()
        said.append("fine")
    except TartibError as error:
        said.append(f"{type(error).__name__} {str(error).splitlines()[0]}")

def run(folder, name):
    pairs = PhrasePairs.load(folder / "phrases")
    table = PhraseTable.load(folder / "table")
    lm = LanguageModel.load(folder / "lm")
    rows = Dataset.load(folder / "rows")
    decoder = Decoder.load(folder / "system.toml")
    path = folder / name
    if change == "cut":
        os.truncate(path, 200)
    else:
        with path.open("r+b") as file:
            file.seek(128)  # the head stays
            file.write(bytes([0xFE, 0xFF, 0xFF, 0x7F]) * ((path.stat().st_size - 128) // 4))
    words = " ".join(f"s{i}" for i in range(1, 12))
    use(lambda: [pairs[i] for i in range(len(pairs) - 50, len(pairs))])
    use(lambda: pairs.block(0, len(pairs.bitext)))
    use(lambda: [t.text for t in decoder.translate([words] * 4, n_jobs=2)])
    use(lambda: table.write_moses(folder / "again", overwrite=True))
    use(lambda: [lm.score(f"t{i} t{i + 1} t{i + 2}") for i in range(1, 90)])
    use(lambda: MulticlassSVM(max_iter=3, n_jobs=2).fit(rows))
    use(lambda: MaxEnt(max_iter=3, n_jobs=2).fit(rows))
    use(lambda: rows.collapse())

for number, name in enumerate(names):
    process = os.fork()
    if process == 0:
        folder = Path(made).with_name(f"{Path(made).name}-{change}-{number}")
        shutil.copytree(made, folder)
        run(folder, name)
        print(json.dumps([name, said]), flush=True)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if status:
        print(json.dumps([name, [f"ended with {status}"]]), flush=True)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make one of each folder that is mapped, all of them larger than a page."""
    folder = tmp_path_factory.mktemp("mapped")
    rng = np.random.default_rng(0)
    lines = [rng.integers(1, 100, 8) for _ in range(600)]
    source, target = ([" ".join(f"{side}{w}" for w in line) for line in lines] for side in "st")
    bitext = Bitext.from_lines(source, target, [" ".join(f"{i}-{i}" for i in range(8))] * 600)
    phrases = extract_phrases(bitext, max_phrase_length=3)
    phrases.save(folder / "phrases")
    PhraseTable.build(phrases).save(folder / "table")
    LanguageModel.estimate(target, order=2, discount_fallback=True).save(folder / "lm")
    encoder = FeatureEncoder.fit(phrases, "S1", cutoff=0)
    build_dataset(phrases, encoder).save(folder / "rows")
    (folder / "system.toml").write_text('phrase-table = "table"\nlm = "lm"\n')
    return folder


MAPPED = (
    "phrases/pairs.npy",
    "phrases/source_ids.npy",
    "phrases/target_offsets.npy",
    "table/target_ids.npy",
    "table/row_offsets.npy",
    "table/slots.npy",
    "lm/ngrams.npy",
    "rows/indices.npy",
    "rows/indptr.npy",
)


def changed(made: Path, how: str) -> dict[str, list[str]]:
    """Return for each file what was said when all was used after the file had changed."""
    lines = run_python(PROGRAM, made, how, *MAPPED).stdout.splitlines()
    found: dict[str, list[str]] = dict(map(json.loads, lines))
    assert list(found) == list(MAPPED)
    assert not [name for name, said in found.items() if "ended" in said[0]], found
    return found


def test_a_file_that_is_cut_is_an_error(made: Path) -> None:
    for name, said in changed(made, "cut").items():
        told = [line for line in said if "got shorter while it was in use" in line]
        if name == "rows/indptr.npy" and not told:  # the zeros of its last page are refused before
            assert "OptionError indptr is not valid" in said
            continue
        assert told, (name, said)
        assert all(line.startswith("DataError") and name in line for line in told)


def test_a_file_that_is_overwritten_crashes_nothing(made: Path) -> None:
    said = changed(made, "overwrite")
    told = "ChangedDataError the phrase table is damaged, or was changed while it was in use"
    for name in MAPPED:
        if name.startswith("table"):
            assert told in said[name], name


def test_nothing_is_published_from_a_cut_file(tmp_path: Path) -> None:
    with storage.ArrayWriter(tmp_path / "long.npy", np.int64) as writer:
        writer.append(np.arange(100_000))
    long = storage.load_array(tmp_path / "long.npy", np.int64)
    os.truncate(tmp_path / "long.npy", 5_000)
    with pytest.raises(DataError, match="got shorter while it was in use"):
        assert long[90_000] == 0
    with (
        pytest.raises(DataError, match="got shorter"),
        storage.new_files(tmp_path / "result") as (aside,),
    ):
        aside.write_text("wrong")
    assert not (tmp_path / "result").exists()
    del long
    mapped_files.check()  # nobody uses it any more


def test_an_empty_array_is_watched_too(tmp_path: Path) -> None:
    with storage.ArrayWriter(tmp_path / "empty.npy", np.int64):
        pass
    assert len(storage.load_array(tmp_path / "empty.npy", np.int64)) == 0
    mapped_files.check()


OTHERS = """
import faulthandler, mmap, os, sys
before, path = sys.argv[1] == "before", sys.argv[2]
if before:
    faulthandler.enable()
import numpy as np
from tartib import Dataset
y = np.zeros(5000, np.int32)
data = Dataset(np.zeros(5001, np.int64), np.zeros(0, np.int32), y, classes=("a",), n_features=1)
data.save(path + "-rows")
loaded = Dataset.load(path + "-rows")
if not before:
    faulthandler.enable()
with open(path, "w+b") as file:
    file.truncate(1 << 16)
    other = mmap.mmap(file.fileno(), 0)
    file.truncate(0)
    other[1 << 15]
"""


@pytest.mark.parametrize("order", ["before", "after"])
def test_files_of_others_end_as_they_would(tmp_path: Path, order: str) -> None:
    """A map that is not ours still ends the process, and faulthandler still tells where."""
    done = run_python(OTHERS, order, tmp_path / "other", check=False)
    assert done.returncode == -signal.SIGBUS
    assert "Fatal Python error: Bus error" in done.stderr


def test_this_process_still_has_its_handler() -> None:
    assert faulthandler.is_enabled()


def test_many_files_come_and_go(tmp_path: Path) -> None:
    arrays = Dataset(
        np.zeros(2, np.int64), np.zeros(0, np.int32), np.zeros(1, np.int32), classes=("a",),
        n_features=1,
    )  # fmt: skip
    arrays.save(tmp_path / "rows")
    for _ in range(50):
        many = [Dataset.load(tmp_path / "rows") for _ in range(5)]
        assert len(many) == 5
    mapped_files.check()
