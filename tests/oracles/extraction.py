"""Phrase pairs and their orientations of one sentence pair, by plain loops over sets."""

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

Links = list[tuple[int, int]]
Corners = dict[int, set[int]]  # target row -> source columns


class Pair(NamedTuple):
    """A phrase pair; spans are inclusive."""

    start_f: int
    end_f: int
    start_e: int
    end_e: int


def consistent_pairs(words_f: int, words_e: int, links: Links, limit: int) -> Iterator[Pair]:
    """Yield the pairs of at most ``limit`` words a side in Moses' order."""
    linked_f = {f for f, _ in links}
    by_row = defaultdict(list)
    for f, e in links:
        by_row[e].append(f)
    for start_e in range(words_e):
        for end_e in range(start_e, min(words_e, start_e + limit)):
            inside = [f for e in range(start_e, end_e + 1) for f in by_row[e]]
            if not inside:
                continue
            low, high = min(inside), max(inside)
            if any(low <= f <= high and not start_e <= e <= end_e for f, e in links):
                continue
            start_f = low
            while start_f >= 0 and (start_f == low or start_f not in linked_f):
                end_f = high
                while end_f < words_f and (end_f == high or end_f not in linked_f):
                    if end_f - start_f < limit:
                        yield Pair(start_f, end_f, start_e, end_e)
                    end_f += 1
                start_f -= 1


def mirrored(words_f: int, words_e: int, pairs: list[Pair]) -> list[Pair]:
    """Return the same pairs of the same sentences, read backwards."""
    last_f, last_e = words_f - 1, words_e - 1
    return [
        Pair(last_f - p.end_f, last_f - p.start_f, last_e - p.end_e, last_e - p.start_e)
        for p in pairs
    ]


def corners(pairs: list[Pair]) -> tuple[Corners, Corners]:
    """Return, for the rows in which pairs end, the columns of their left and right edges."""
    left: Corners = defaultdict(set)
    right: Corners = defaultdict(set)
    for pair in pairs:
        left[pair.end_e].add(pair.start_f)
        right[pair.end_e].add(pair.end_f)
    return left, right


def linked(words_f: int, words_e: int, links: set[tuple[int, int]], f: int, e: int) -> bool:
    """Whether a cell is linked; the cells just before and after the sentence are."""
    return (f, e) in {*links, (-1, -1), (words_f, words_e)}


def word_orientation(
    words_f: int, words_e: int, links: set[tuple[int, int]], pair: Pair, direction: str
) -> str:
    """Tell how the linked words of the neighbouring row lie to the pair (mslr)."""
    row = pair.start_e - 1 if direction == "backward" else pair.end_e + 1
    at_left = linked(words_f, words_e, links, pair.start_f - 1, row)
    at_right = linked(words_f, words_e, links, pair.end_f + 1, row)
    if at_left != at_right:
        return "mono" if at_left == (direction == "backward") else "swap"
    any_left = any((f, row) in links for f in range(pair.start_f))
    any_right = any((f, row) in links for f in range(pair.end_f + 1, words_f))
    same, opposite = (any_left, any_right) if direction == "backward" else (any_right, any_left)
    return "dleft" if opposite and not same else "dright"


def phrase_orientation(
    words_f: int,
    words_e: int,
    links: set[tuple[int, int]],
    pair: Pair,
    direction: str,
    edges: tuple[Corners, Corners],
) -> str:
    """Tell the same with phrase pairs as neighbours: those whose corners are given."""
    row = pair.start_e - 1 if direction == "backward" else pair.end_e + 1
    left_edges, right_edges = edges[0].get(row, set()), edges[1].get(row, set())
    by_words = word_orientation(words_f, words_e, links, pair, direction)
    at_left, at_right = pair.start_f - 1 in right_edges, pair.end_f + 1 in left_edges
    same, opposite = (at_left, at_right) if direction == "backward" else (at_right, at_left)
    if by_words == "mono" or same:
        return "mono"
    if by_words == "swap" or opposite:
        return "swap"
    far_left = any(f in right_edges for f in range(pair.start_f - 1))
    # As in Moses, the last source position is not looked at.
    far_right = any(f in left_edges for f in range(pair.end_f + 2, words_f - 1))
    same, opposite = (far_left, far_right) if direction == "backward" else (far_right, far_left)
    if same:
        return "dright"
    return "dleft" if opposite else "dright"


class Extracted(NamedTuple):
    """A pair with its orientations: model -> direction -> class of mslr."""

    pair: Pair
    orientations: dict[str, dict[str, str]]


def oriented(
    words_f: int, words_e: int, links: Links, pairs: list[Pair], whole: list[Pair], direction: str
) -> list[dict[str, str]]:
    """Return the orientations of pairs by model; ``whole`` are the pairs of any length."""
    within, anywhere = corners(pairs), corners(whole)
    found = []
    for pair in pairs:
        place = (words_f, words_e, set(links), pair, direction)
        found.append(
            {
                "word": word_orientation(*place),
                "phrase": phrase_orientation(*place, within),
                "hier": phrase_orientation(*place, anywhere),
            }
        )
    return found


def extract(words_f: int, words_e: int, links: Links, limit: int) -> list[Extracted]:
    """Return all pairs of a sentence with the orientations of all models."""
    pairs = list(consistent_pairs(words_f, words_e, links, limit))
    whole = list(consistent_pairs(words_f, words_e, links, max(words_f, words_e, 1)))
    backwards = [(words_f - 1 - f, words_e - 1 - e) for f, e in links]
    turned, turned_whole = (mirrored(words_f, words_e, some) for some in (pairs, whole))
    by_direction = {
        "backward": oriented(words_f, words_e, links, pairs, whole, "backward"),
        "forward": oriented(words_f, words_e, backwards, turned, turned_whole, "backward"),
        "forward-moses": oriented(words_f, words_e, links, pairs, whole, "forward-moses"),
    }
    return [
        Extracted(
            pair,
            {
                model: {direction: found[i][model] for direction, found in by_direction.items()}
                for model in ("word", "phrase", "hier")
            },
        )
        for i, pair in enumerate(pairs)
    ]
