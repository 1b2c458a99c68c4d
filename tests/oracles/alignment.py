"""Symmetrisation and the alignment error rate, by plain loops over sets of links."""

from collections.abc import Callable

Link = tuple[int, int]

SIDES = ((-1, 0), (1, 0), (0, -1), (0, 1))
CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def symmetrise(forward: set[Link], backward: set[Link], heuristic: str) -> set[Link]:
    """Combine two directions; words are known by their links only."""
    if heuristic == "union":
        return forward | backward
    links = forward & backward
    if heuristic == "intersection":
        return links

    def source_free(i: int) -> bool:
        return all(source != i for source, _ in links)

    def target_free(j: int) -> bool:
        return all(target != j for _, target in links)

    def near(i: int, j: int) -> bool:
        around = SIDES if heuristic in ("grow", "och") else SIDES + CORNERS
        return any((i + down, j + right) in links for down, right in around)

    def may_grow(i: int, j: int) -> bool:
        if heuristic == "och":
            return (source_free(i) and target_free(j)) or near(i, j)
        return (source_free(i) or target_free(j)) and near(i, j)

    def look_at(candidates: set[Link], may: Callable[[int, int], bool]) -> bool:
        before = len(links)
        for link in sorted(candidates):
            if link not in links and may(*link):
                links.add(link)
        return len(links) > before

    while look_at(forward | backward, may_grow):
        pass
    for direction in (forward, backward):
        if heuristic == "grow-diag-final":
            look_at(direction, lambda i, j: source_free(i) or target_free(j))
        if heuristic == "grow-diag-final-and":
            look_at(direction, lambda i, j: source_free(i) and target_free(j))
    return links


def scores(found: list[set[Link]], sure: list[set[Link]], possible: list[set[Link]]) -> list[float]:
    """Return precision, recall, AER and F1 of some sentences."""
    a = s = a_and_s = a_and_p = 0
    for links, certain, others in zip(found, sure, possible, strict=True):
        a += len(links)
        s += len(certain)
        a_and_s += len(links & certain)
        a_and_p += len(links & (others | certain))
    precision = a_and_p / a if a else 0.0
    recall = a_and_s / s if s else 0.0
    aer = 1 - (a_and_s + a_and_p) / (a + s) if a + s else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return [precision, recall, aer, f1]
