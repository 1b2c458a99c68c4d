"""Ragged arrays: parts of unequal length, one after another in one array.

Part ``i`` of some values is ``values[offsets[i]:offsets[i + 1]]``. There is one offset more than
there are parts, and the first is 0. Several arrays may share their offsets, as the columns and the
values of sparse rows do; so functions that choose parts return places rather than values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

Offsets = NDArray[np.int64]
_Item = TypeVar("_Item", bound=np.generic)


def offsets_of(lengths: ArrayLike) -> Offsets:
    """Return the offsets of parts with these lengths."""
    sizes = np.asarray(lengths)
    offsets = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, dtype=np.int64, out=offsets[1:])
    return offsets


def lengths_of(offsets: Offsets) -> NDArray[np.int64]:
    """Return the length of each part."""
    return np.diff(offsets)


def owners_of(offsets: Offsets) -> NDArray[np.int64]:
    """Return for each value the number of the part that it belongs to."""
    return np.repeat(np.arange(len(offsets) - 1), lengths_of(offsets))


def are_offsets(offsets: NDArray[Any], size: int) -> bool:
    """Tell whether offsets cut ``size`` values into consecutive parts."""
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != size:
        return False
    return not bool((offsets[1:] < offsets[:-1]).any())


def cut(
    values: NDArray[_Item], offsets: Offsets, begin: int, end: int
) -> tuple[NDArray[_Item], Offsets]:
    """Return the values and offsets of parts ``begin`` to ``end - 1``; no value is copied."""
    return values[offsets[begin] : offsets[end]], offsets[begin : end + 1] - offsets[begin]


def ranges(starts: NDArray[np.integer], lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return ``start, start + 1, …``, as many as its length, for each start in turn."""
    offsets = offsets_of(lengths)
    return np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)


def take(
    offsets: Offsets, parts: NDArray[np.integer] | NDArray[np.bool_]
) -> tuple[Offsets, NDArray[np.int64]]:
    """Return the offsets of some parts, and the places of their values.

    Parts are chosen by number, in any order, or by one boolean each.
    """
    starts, lengths = offsets[:-1][parts], lengths_of(offsets)[parts]
    return offsets_of(lengths), ranges(starts, lengths)


def stack(parts: Sequence[NDArray[_Item]]) -> tuple[NDArray[_Item], Offsets]:
    """Return arrays, at least one, as the parts of one array, and the offsets."""
    return np.concatenate(parts), offsets_of([len(part) for part in parts])


def following(offsets: Offsets, size: int) -> Offsets:
    """Return the offsets to append when values are appended to ``size`` others."""
    return offsets[1:] + size


def interleave(
    many: Sequence[tuple[NDArray[_Item], Offsets]],
) -> tuple[NDArray[_Item], Offsets]:
    """Put ragged arrays with as many parts together, part by part; at least one is given."""
    offsets = np.sum([offsets for _, offsets in many], axis=0)
    values = np.empty(int(offsets[-1]), many[0][0].dtype)
    place = offsets[:-1].copy()
    for own, cuts in many:
        lengths = lengths_of(cuts)
        values[ranges(place, lengths)] = own
        place += lengths
    return values, offsets


def concatenate(many: Sequence[Offsets]) -> Offsets:
    """Return the offsets of ragged arrays that are put one after another."""
    return offsets_of(np.concatenate([np.zeros(0, np.int64), *map(lengths_of, many)]))
