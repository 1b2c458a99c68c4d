"""The search for the best hyper-parameter."""

import pytest

from tartib.reordering.training import climb


@pytest.mark.parametrize("lowest", range(11))
def test_tuning_climbs_to_the_lowest_loss(lowest: int) -> None:
    tried: list[int] = []

    def loss(value: float) -> float:
        tried.append(int(value))
        return abs(value - lowest) + 0.1 * (value > lowest)

    climb(loss, list(range(11)))
    assert {lowest - 1, lowest, lowest + 1} & set(range(11)) <= set(tried)
    assert len(tried) == len(set(tried)) <= 3 + abs(lowest - 5)
