"""JSON and TOML: whatever is in them, the worst that can happen is an error."""

import random
from pathlib import Path
from typing import Any

import pytest

from tartib import storage
from tartib.errors import DataError


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000, "nested too deeply"),
        ('{"a": Infinity}', "Infinity is not a number"),
        ('{"a": NaN}', "NaN is not a number"),
        ('{"a": 1e999}', "1e999 is too large"),
        ('{"a": ' + "9" * 5000 + "}", "cannot be read as JSON"),
        ('{"a": 1' + "0" * 400 + "}", "a whole number has more than 64 bits"),
        ("[]", "not a JSON object"),
        ("{", "cannot be read as JSON"),
        ("\udcff", "cannot be read as JSON"),
    ],
)
def test_json_that_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "x.json").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(DataError, match=said):
        storage.read_json(tmp_path / "x.json")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("a" + ".a" * 100_000 + " = 1", "a key of more than 64 parts"),
        ("[" + " . ".join("a" * 100) + "]", "a key of more than 64 parts"),
        ("x = {" + "a." * 100 + "a = 1}", "a key of more than 64 parts"),
        ('"a"' + '."b"' * 70 + " = 1", "a key of more than 64 parts"),
        (".".join(['"a b"'] * 100_000) + " = 1", "a key of more than 64 parts"),
        ("[" + " . ".join(["'a b'"] * 100_000) + "]", "a key of more than 64 parts"),
        ("[[" + ".".join([r'"a \" b"'] * 100_000) + "]]", "a key of more than 64 parts"),
        ("# it's\nx = {" + '"a b".' * 100_000 + "a = 1}", "a key of more than 64 parts"),
        ('x = """"""\ny = \'"\'\n' + '"a b".' * 100_000 + "a = 1", "a key of more than 64 parts"),
        ('x = "' + r"\"" * 100_000, "cannot be read as TOML"),
        ('"' * 100_001, "cannot be read as TOML"),
        ("a = inf x", "cannot be read as TOML"),
    ],
)
def test_toml_that_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(DataError, match=said):
        storage.read_toml(tmp_path / "x.toml", "hint")


def test_many_numbers_are_not_a_long_key(tmp_path: Path) -> None:
    numbers = ", ".join(f"{n}.5" for n in range(1000))
    text = f"x = [{numbers}]\ny = '{'a' * 100_000}'\n"
    (tmp_path / "x.toml").write_text(text)
    assert len(storage.read_toml(tmp_path / "x.toml", "hint")["x"]) == 1000


@pytest.mark.parametrize("quotes", ['"', "'", '"""', "'''", "#"])
def test_dots_in_a_text_are_not_a_long_key(tmp_path: Path, quotes: str) -> None:
    dots = "a." * 100
    line = f"# {dots}" if quotes == "#" else f"x = {quotes}{dots}{quotes}"
    (tmp_path / "x.toml").write_text(f"{line}\ny = 1\n")
    assert storage.read_toml(tmp_path / "x.toml", "hint")["y"] == 1


def test_names_that_are_not_utf8_come_back(tmp_path: Path) -> None:
    value = {"file": "phr\udcff", "more": ["\udc80ترتيب"]}
    storage.write_record(tmp_path / "record.json", value)
    assert storage.read_record(tmp_path / "record.json") == value
    storage.write_json(tmp_path / "x.json", value)
    assert storage.read_json(tmp_path / "x.json") == value


@pytest.mark.parametrize("value", [{"a": 1}, {"a": "ترتيب", "b": [1.5, None, {"c": []}]}])
def test_a_record_notices_every_bit(tmp_path: Path, value: dict[str, Any]) -> None:
    path = tmp_path / "record.json"
    storage.write_record(path, value)
    assert storage.read_record(path) == value
    assert storage.read_json(path).keys() == {*value, "checksum"}
    data = path.read_bytes()
    for bit in random.Random(0).sample(range(8 * len(data)), 200):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        path.write_bytes(changed)
        with pytest.raises(DataError, match="checksum is wrong"):
            storage.read_record(path)
    for size in range(len(data)):
        path.write_bytes(data[:size])
        with pytest.raises(DataError, match="checksum is wrong"):
            storage.read_record(path)
