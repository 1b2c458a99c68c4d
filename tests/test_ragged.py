"""Ragged arrays against plain lists of lists."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tartib import ragged

LISTS = st.lists(st.lists(st.integers(-5, 5), max_size=4), max_size=8)


def made(lists: list[list[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    values = np.array([value for part in lists for value in part], np.int64)
    return values, ragged.offsets_of([len(part) for part in lists])


def plain(values: NDArray[np.int64], offsets: NDArray[np.int64]) -> list[list[int]]:
    assert offsets.dtype == np.int64
    assert offsets[0] == 0
    assert offsets[-1] == len(values)
    return [values[begin:end].tolist() for begin, end in pairwise(offsets.tolist())]


@given(LISTS)
def test_lists_come_back(lists: list[list[int]]) -> None:
    values, offsets = made(lists)
    assert plain(values, offsets) == lists
    assert ragged.are_offsets(offsets, len(values))
    assert ragged.lengths_of(offsets).tolist() == [len(part) for part in lists]
    owners = [number for number, part in enumerate(lists) for _ in part]
    assert ragged.owners_of(offsets).tolist() == owners


@given(LISTS, st.data())
def test_parts_are_cut_out(lists: list[list[int]], data: st.DataObject) -> None:
    begin = data.draw(st.integers(0, len(lists)))
    end = data.draw(st.integers(begin, len(lists)))
    cut = ragged.cut(*made(lists), begin, end)
    assert plain(*cut) == lists[begin:end]


@given(LISTS.filter(bool), st.data())
def test_parts_are_taken_by_number(lists: list[list[int]], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(lists) - 1), max_size=10))
    values, offsets = made(lists)
    taken, places = ragged.take(offsets, np.array(chosen, np.int64))
    assert plain(values[places], taken) == [lists[i] for i in chosen]


@given(LISTS, st.data())
def test_parts_are_taken_by_a_mask(lists: list[list[int]], data: st.DataObject) -> None:
    mask = data.draw(st.lists(st.booleans(), min_size=len(lists), max_size=len(lists)))
    values, offsets = made(lists)
    taken, places = ragged.take(offsets, np.array(mask, np.bool_))
    kept = [part for part, keep in zip(lists, mask, strict=True) if keep]
    assert plain(values[places], taken) == kept


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 5)), max_size=8))
def test_ranges(given_ranges: list[tuple[int, int]]) -> None:
    starts, lengths = np.array(given_ranges, np.int64).reshape(-1, 2).T
    expected = [place for start, length in given_ranges for place in range(start, start + length)]
    assert ragged.ranges(starts, lengths).tolist() == expected


@given(LISTS.filter(bool))
def test_arrays_are_stacked(lists: list[list[int]]) -> None:
    values, offsets = ragged.stack([np.array(part, np.int64) for part in lists])
    assert plain(values, offsets) == lists


@given(st.lists(LISTS, max_size=4))
def test_concatenated(many: list[list[list[int]]]) -> None:
    parts = [made(lists) for lists in many]
    values = np.concatenate([np.zeros(0, np.int64), *(values for values, _ in parts)])
    offsets = ragged.concatenate([offsets for _, offsets in parts])
    assert plain(values, offsets) == [part for lists in many for part in lists]


@given(LISTS, LISTS)
def test_offsets_of_what_follows(first: list[list[int]], second: list[list[int]]) -> None:
    values, offsets = made(first)
    more, more_offsets = made(second)
    both = np.concatenate((offsets, ragged.following(more_offsets, len(values))))
    assert plain(np.concatenate((values, more)), both) == first + second


@given(st.lists(st.integers(-2, 6), max_size=6), st.integers(0, 6))
def test_what_offsets_are(numbers: list[int], size: int) -> None:
    good = bool(numbers) and numbers[0] == 0 and numbers[-1] == size and numbers == sorted(numbers)
    assert ragged.are_offsets(np.array(numbers, np.int64), size) == good


@given(st.lists(st.tuples(*[st.lists(st.integers(-5, 5), max_size=4)] * 3), max_size=6))
def test_arrays_are_put_together_part_by_part(parts: list[tuple[list[int], ...]]) -> None:
    many = [made([part[i] for part in parts]) for i in range(3)]
    assert plain(*ragged.interleave(many)) == [[*a, *b, *c] for a, b, c in parts]
