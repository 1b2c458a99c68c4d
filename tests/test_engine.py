"""Work in parallel, results in order."""

import threading
import time
from collections.abc import Iterator

import pytest

from tartib.engine import count_jobs, map_ordered
from tartib.errors import OptionError


def double(number: int) -> int:
    return 2 * number


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_results_in_order(n_jobs: int) -> None:
    def slow(number: int) -> int:
        time.sleep(0.001 * (number % 3))
        return double(number)

    assert list(map_ordered(slow, range(50), n_jobs)) == [double(n) for n in range(50)]


def test_processes() -> None:
    assert list(map_ordered(double, range(5), 2, processes=True)) == [0, 2, 4, 6, 8]


def test_items_are_drawn_lazily() -> None:
    drawn = 0

    def items() -> Iterator[int]:
        nonlocal drawn
        for number in range(1000):
            drawn += 1
            yield number

    results = map_ordered(double, items(), 2)
    next(results)
    assert drawn < 20


def test_an_error_ends_everything() -> None:
    def fail(number: int) -> int:
        if number == 3:
            raise KeyError(number)
        return number

    before = threading.active_count()
    with pytest.raises(KeyError):
        list(map_ordered(fail, range(1000), 2))
    assert threading.active_count() == before


def test_number_of_jobs() -> None:
    assert count_jobs(3) == 3
    assert count_jobs(None) >= 1
    with pytest.raises(OptionError, match="jobs must be 1 to 1,024"):
        count_jobs(0)


def test_an_error_of_the_items_waits_for_the_results_before_it() -> None:
    def items() -> Iterator[int]:
        yield from range(5)
        raise ValueError("no more")

    for jobs in (1, 2):
        results = map_ordered(lambda item: item, items(), jobs)
        assert [next(results) for _ in range(5)] == list(range(5))
        with pytest.raises(ValueError, match="no more"):
            next(results)


def test_an_error_of_the_work_comes_in_its_place() -> None:
    def work(item: int) -> int:
        return 1 // (item - 2)

    for jobs in (1, 2):
        results = map_ordered(work, range(9), jobs)
        assert [next(results), next(results)] == [-1, -1]
        with pytest.raises(ZeroDivisionError):
            next(results)


def test_a_worker_may_end_the_work() -> None:
    """As the garbage collector does, if it happens to run in the worker's thread."""
    begun, ended = threading.Event(), threading.Event()
    failures: list[RuntimeError] = []

    def work(item: int) -> int:
        if item == 1:
            begun.wait(60)
            try:
                results.close()  # type: ignore[attr-defined]
            except RuntimeError as error:
                failures.append(error)
            ended.set()
        return item

    results = map_ordered(work, range(100), 2)
    assert next(results) == 0
    begun.set()
    assert ended.wait(60)
    assert failures == []
