"""A locale whose decimal point is a comma changes no number that is read or written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.native

COMMA = "de_DE.UTF-8"

# Reads and writes every kind of file with numbers in it, and prints what it got.
SCRIPT = r"""
import locale, sys
from pathlib import Path
if sys.argv[2] != "C":
    locale.setlocale(locale.LC_ALL, sys.argv[2])
    assert locale.localeconv()["decimal_point"] == ",", locale.localeconv()

import numpy as np
from tartib import _native
from tartib.dataset import read_svmlight, write_svmlight
from tartib.lm import LanguageModel
from tartib.phrase_table import PhraseTable

folder = Path(sys.argv[1])
rows = read_svmlight(folder / "rows.svm")
print(rows.values.tolist(), rows.classes)
write_svmlight(rows, folder / "out.svm", overwrite=True)
print((folder / "out.svm").read_text())
model = LanguageModel.load(folder / "model.arpa")
print(model.score("a b".split()))
model.write_arpa(folder / "out.arpa", overwrite=True)
print((folder / "out.arpa").read_text())
table = PhraseTable.read_moses(folder / "table.txt")
print(table.scores.tolist(), table.counts.tolist())
table.write_moses(folder / "out.txt", overwrite=True)
print((folder / "out.txt").read_text())
vocabularies = table.source_vocabulary.native, table.target_vocabulary.native
reader = _native.ReorderingTableReader(table.native, *vocabularies)
print(reader.add(b"a ||| x ||| 0.25 0.5 0.25\n"), reader.finish()[0].tolist())
"""

ROWS = "+1 1:0.5 3:2.25\n-1 2:1e-3 3:12345.678\n"
MODEL = (
    "\\data\\\nngram 1=5\nngram 2=1\n\n\\1-grams:\n-1.5 <unk>\n-99 <s> -0.25\n-0.75 </s>\n"
    "-0.625 a -0.125\n-0.875 b\n\n\\2-grams:\n-0.3010299956639812 a b\n\n\\end\\\n"
)
TABLE = "a ||| x ||| 0.5 0.123456789 1e-05 2.5e-07 ||| 0-0 ||| 2.5 4 1\n"


def comma_locale(folder: Path) -> dict[str, str]:
    """Return the environment in which there is a locale with a comma, or skip the test."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LC_")}
    probe = f"import locale; locale.setlocale(locale.LC_ALL, {COMMA!r})"
    there = subprocess.run([sys.executable, "-c", probe], env=environment, capture_output=True)
    if there.returncode == 0:
        return environment
    if shutil.which("localedef") is None:
        pytest.skip(f"there is no locale {COMMA} and no localedef to make one")
    make = ["localedef", "-i", "de_DE", "-f", "UTF-8", str(folder / COMMA)]
    made = subprocess.run(make, capture_output=True, text=True)
    if not (folder / COMMA / "LC_NUMERIC").exists():
        pytest.skip(f"localedef made no {COMMA}: {made.stderr.strip()}")
    return {**environment, "LOCPATH": str(folder)}


def test_a_comma_locale_changes_nothing(tmp_path: Path) -> None:
    environment = comma_locale(tmp_path)
    for name, text in (("rows.svm", ROWS), ("model.arpa", MODEL), ("table.txt", TABLE)):
        (tmp_path / name).write_text(text)
    outputs = []
    for locale in ("C", COMMA):
        command = [sys.executable, "-c", SCRIPT, str(tmp_path), locale]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    for written in ("12345.6777", "-0.30103", "0.123457 1e-05 2.5e-07", "[0.25, 0.5, 0.25]"):
        assert written in outputs[0]
