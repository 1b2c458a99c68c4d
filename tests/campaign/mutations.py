"""Damage to files: a seed chooses one mutation, which is the same each time."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Callable
from random import Random
from typing import Any

Mutation = Callable[[bytes, Random], bytes]

EXTREMES = (0, 1, 2**7 - 1, 2**8 - 1, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1)
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_NUMBERS = (
    b"-1",
    b"0",
    b"65536",
    b"2147483648",
    b"9223372036854775808",
    b"99999999999999999999999",
    b"1e999",
    b"-1e999",
    b"1e-999",
    b"nan",
    b"inf",
    b"0x10",
    b"1.",
    b"",
)
_WORDS = (
    b"",
    b"|||",
    b"<s>",
    b"</s>",
    b"<unk>",
    b"\x00",
    b"\x1b[2J",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xc3",
    b"\r",
    b"\t",
    b"\n\n",
    "\u2028".encode(),
    "\u202e".encode(),
    b"x" * 5_000,
    b"a " * 5_000,
    b"0-0",
    b"99999-0",
    b"&#0;",
    b"<!DOCTYPE x>",
)
_DEEP = 20_000
_TOML_VALUES = (
    "true",
    "0",
    "-1",
    "9223372036854775807",
    "inf",
    "-inf",
    "nan",
    "1e308",
    '""',
    '"x"',
    r'"\u0000"',
    r'"\u001b[2J"',
    "[]",
    "{}",
    "[[]]",
    "[1, 2]",
    '["a", "b"]',
    "1979-05-27",
    "[" * _DEEP + "]" * _DEEP,
    "{x = " * 300 + "1" + "}" * 300,
)
_JSON_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**63,
    2**64,
    10**400,
    0.5,
    1e308,
    float("inf"),
    float("-inf"),
    float("nan"),
    "",
    "x",
    "\x00",
    "\x1b[2J",
    "\ud800",
    [],
    {},
    [[]],
    [1],
    ["x"],
    {"x": 1},
)


def _place(data: bytes, random: Random, size: int = 1) -> int:
    return random.randrange(max(1, len(data) - size + 1))


def _span(data: bytes, random: Random) -> tuple[int, int]:
    """Choose a piece: short ones as often as long ones."""
    begin = _place(data, random)
    return begin, min(len(data), begin + 1 + int(2 ** (random.random() * 12)))


def flip_bit(data: bytes, random: Random) -> bytes:
    at = _place(data, random)
    return data[:at] + bytes([data[at] ^ 1 << random.randrange(8)]) + data[at + 1 :]


def flip_bits(data: bytes, random: Random) -> bytes:
    for _ in range(random.randint(2, 8)):
        data = flip_bit(data, random)
    return data


def overwrite(data: bytes, random: Random) -> bytes:
    begin, end = _span(data, random)
    filler = random.choice((bytes(end - begin), b"\xff" * (end - begin)))
    return data[:begin] + random.choice((filler, random.randbytes(end - begin))) + data[end:]


def write_extreme(data: bytes, random: Random) -> bytes:
    """Put a number such as 2^31 where a number may be: at a multiple of its size."""
    size = random.choice((1, 2, 4, 8))
    at = _place(data, random, size) // size * size
    value = random.choice(EXTREMES) * random.choice((1, -1))
    packed = (value % (1 << 8 * size)).to_bytes(size, "little")
    return data[:at] + packed + data[at + size :]


def truncate(data: bytes, random: Random) -> bytes:
    return data[: random.choice((0, _place(data, random), len(data) - 1))]


def extend(data: bytes, random: Random) -> bytes:
    begin, end = _span(data, random)
    return data + random.choice((b"\n", b"\x00", data[begin:end], random.randbytes(64)))


def swap_blocks(data: bytes, random: Random) -> bytes:
    size = max(1, min(len(data) // 2, int(2 ** (random.random() * 10))))
    first, second = sorted((_place(data, random, size), _place(data, random, size)))
    second = max(second, first + size)
    one, two = data[first : first + size], data[second : second + size]
    return data[:first] + two + data[first + size : second] + one + data[second + size :]


def repeat_block(data: bytes, random: Random) -> bytes:
    begin, end = _span(data, random)
    return data[:end] + data[begin:end] + data[end:]


def remove_block(data: bytes, random: Random) -> bytes:
    begin, end = _span(data, random)
    return data[:begin] + data[end:]


def change_lines(data: bytes, random: Random) -> bytes:
    lines = data.split(b"\n")
    i, j = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            lines.insert(j, lines[i])
        case 1:
            del lines[i]
        case 2:
            lines[i], lines[j] = lines[j], lines[i]
        case _:
            lines.insert(i, b"")
    return b"\n".join(lines)


def replace_number(data: bytes, random: Random) -> bytes:
    places = list(_NUMBER.finditer(data[:100_000]))
    if not places:
        return change_lines(data, random)
    found = random.choice(places)
    return data[: found.start()] + random.choice(_NUMBERS) + data[found.end() :]


def replace_word(data: bytes, random: Random) -> bytes:
    parts = re.split(rb"([ \t\n]+)", data)
    parts[random.randrange(len(parts))] = random.choice(_WORDS)
    return b"".join(parts)


def change_json(data: bytes, random: Random) -> bytes:
    """Give one value, anywhere in a JSON text, another type or size; or drop or add a key."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return flip_bit(data, random)
    places: list[tuple[Any, Any]] = []
    _collect(value, places)
    if not places:
        return json.dumps(random.choice(_JSON_VALUES)).encode()
    holder, key = random.choice(places)
    match random.randrange(8):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[random.choice(("x", "format", ""))] = random.choice(_JSON_VALUES)
        case 2:
            holder[key] = [holder[key]]
        case 3:
            holder[key] = "@deep@"
            deep = random.choice(("[" * _DEEP + "]" * _DEEP, '{"x":' * _DEEP + "1" + "}" * _DEEP))
            return json.dumps(value).replace('"@deep@"', deep).encode()
        case 4 if isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
            holder[key] += random.choice((1, -1, 0.5, 1 << 20))
        case _:
            holder[key] = random.choice(_JSON_VALUES)
    return json.dumps(value, indent=random.choice((None, 2))).encode()


def _collect(value: Any, places: list[tuple[Any, Any]]) -> None:
    """List every place in a JSON value as what holds it, and its key or index."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in items:
        places.append((value, key))
        if isinstance(part, dict | list):
            _collect(part, places)


def change_toml(data: bytes, random: Random) -> bytes:
    """Give a key of a TOML text another value, or another name."""
    lines = data.decode(errors="surrogateescape").split("\n")
    at = random.choice([i for i, line in enumerate(lines) if "=" in line] or [0])
    key, _, value = lines[at].partition("=")
    match random.randrange(6):
        case 0:
            lines[at] = f"{key.strip()}x ={value}"
        case 1:
            lines.insert(at, lines[at])
        case 2:
            lines[at] = "x." * random.choice((1, 10, 100_000)) + f"{key}={value}"
        case 3:
            lines.insert(at, random.choice(("[", "[x]", "[[x]]", "[reordering]", "[weights]")))
        case _:
            lines[at] = f"{key}= {random.choice(_TOML_VALUES)}"
    return "\n".join(lines).encode(errors="surrogateescape")


def change_array_header(data: bytes, random: Random) -> bytes:
    """Edit the header of an ``.npy`` file, whose length stays right."""
    if not data.startswith(b"\x93NUMPY") or len(data) < 10:
        return flip_bit(data, random)
    (length,) = struct.unpack("<H", data[8:10])
    header, rest = data[10 : 10 + length].decode("latin-1").rstrip(), data[10 + length :]
    sizes = ("0", "-1", "1", "2147483648", "9223372036854775807", "99999999999999999999", "1e3")
    match random.randrange(5):
        case 0:
            header = re.sub(r"\((\d*)", f"({random.choice(sizes)}", header)
        case 1:
            kinds = ("'<i4'", "'>i4'", "'|O'", "'<f8'", "'<i8'", "'<U9'", "'|V8'", "[]", "None")
            header = re.sub(r"'descr': .*?, '", f"'descr': {random.choice(kinds)}, '", header)
        case 2:
            header = header.replace("False", random.choice(("True", "0", "None", "[]")))
        case 3:
            header = header.replace(",)", random.choice((", 1)", ", 2)", ")", ",,)")))
        case _:
            header = random.choice(("{}", "[]", "(" * 500, "{'shape': 1}", "__import__('os')", ""))
    text = header.encode("latin-1")[: length - 1]
    return data[:10] + text.ljust(length - 1) + b"\n" + rest


def change_tensor_header(data: bytes, random: Random) -> bytes:
    """Edit the JSON header of a ``.safetensors`` file, or only say that it has another length."""
    if len(data) < 8:
        return flip_bit(data, random)
    (length,) = struct.unpack("<Q", data[:8])
    if random.random() < 0.1:
        return struct.pack("<Q", random.choice(EXTREMES)) + data[8:]
    header, rest = data[8 : 8 + length], data[8 + length :]
    if random.random() < 0.4:
        kinds = (b"BF16", b"F8_E4M3", b"F64", b"I8", b"BOOL", b"U64", b"x")
        kind = b'"dtype":"' + random.choice(kinds) + b'"'
        header = re.sub(rb'"dtype":"\w+"', kind, header, count=1)
    else:
        header = change_json(header, random)
    return struct.pack("<Q", len(header)) + header + rest


_BYTES: tuple[Mutation, ...] = (
    flip_bit,
    flip_bit,
    flip_bits,
    overwrite,
    write_extreme,
    truncate,
    extend,
    swap_blocks,
    repeat_block,
    remove_block,
)
_TEXT: tuple[Mutation, ...] = (change_lines, replace_number, replace_word)
_KINDS: dict[str, tuple[Mutation, ...]] = {
    ".json": (change_json,) * 8,
    ".toml": (change_toml,) * 8,
    ".npy": (change_array_header,) * 3 + (write_extreme,) * 3,
    ".safetensors": (change_tensor_header,) * 4 + (write_extreme,) * 3,
    ".gz": (),
    ".bz2": (),
    ".xz": (),
    ".zst": (),
    ".zip": (),
}


def mutate(data: bytes, suffix: str, random: Random) -> bytes:
    """Return a file's bytes with some damage; what may be damaged depends on the suffix."""
    mutations = (*_BYTES, *_KINDS.get(suffix, _TEXT * 4))
    while True:
        mutation = random.choice(mutations if data else (extend,))
        if (changed := mutation(data or b"x", random)) != data:
            return changed
