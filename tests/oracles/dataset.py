"""Collapsing of rows, by a dictionary."""


def collapse(
    rows: list[list[tuple[int, float]]], labels: list[int], weights: list[float]
) -> list[tuple[list[tuple[int, float]], int, float]]:
    """Return the distinct rows in order of first occurrence, with label and total weight."""
    total: dict[tuple[tuple[tuple[int, float], ...], int], float] = {}
    for row, label, weight in zip(rows, labels, weights, strict=True):
        key = (tuple(row), label)
        total[key] = total.get(key, 0.0) + weight
    return [(list(row), label, weight) for (row, label), weight in total.items()]
