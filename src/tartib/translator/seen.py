"""Which lines a system was trained on: hashes in its folder, to warn of scores that are too good.

A line is known by 32 bits of a hash of its tokens, four bytes. So a new line counts as known with a
probability of n / 2³² at most, where n is the number of training lines: 0.01 % for 500,000.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import xxhash
from numpy.typing import NDArray

from tartib import storage
from tartib.wording import counted

if TYPE_CHECKING:
    from tartib.decoder import System

SEEN = "seen.npy"  # in a system folder
_DTYPE = np.uint32
_TELLING = 20  # letters and signs: shorter sentences, such as greetings, are in every text
_MUCH = 0.03  # of a text: of new text of the same kind about 0.1 % is known, and 1 % at most
_FEWEST = 3


def write_seen(path: Path, lines: Iterable[str]) -> None:
    """Write the hashes of training lines, in tokens."""
    hashes = np.fromiter(map(_hash, filter(_tells, lines)), _DTYPE)
    with storage.ArrayWriter(path, _DTYPE) as out:
        out.append(np.unique(hashes))


def seen_doubt(system: System, lines: Sequence[str]) -> str:
    """Return a warning if a system was trained on some of these lines, in tokens; else nothing."""
    known = _read(system)
    asked = [_hash(line) for line in filter(_tells, lines)]
    if known is None or not asked:
        return ""
    wanted = np.array(asked, _DTYPE)
    places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
    seen = int((known[places] == wanted).sum()) if len(known) else 0
    by_chance = len(known) / 2**32
    if seen < _FEWEST or seen <= (_MUCH + by_chance) * len(asked):
        return ""
    return (
        f"{seen:,} of {counted(len(lines), 'sentence')} were in the text that the system was "
        "trained on, so that scores are better than on new text: take sentences that it has not "
        "seen"
    )


def _read(system: System) -> NDArray[np.uint32] | None:
    """Return the hashes of a system that has them; a file beside it finds them by its text."""
    if system.text_folder is None:
        return None
    path = system.text_folder.parent / SEEN
    return storage.load_array(path, _DTYPE) if path.is_file() else None


def _tells(line: str) -> bool:
    return len(line) - line.count(" ") >= _TELLING


def _hash(line: str) -> int:
    text = " ".join(line.split())
    return xxhash.xxh3_64_intdigest(text.encode(errors="surrogatepass")) >> 32
