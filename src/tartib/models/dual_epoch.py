"""One epoch of a dual method: the order in which it visits samples, and its slices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tartib import _native

_AVERAGED = 8  # weights of an epoch of which the average is made
_RUN_BLOCKS = 64  # neighbouring blocks are read one after another, as memory likes it,
_STREAMS = 8  # but each lane reads from several places in turn, as neighbours are much alike
_LANE_BLOCKS = 32  # that a lane visits between two merges
_WINDOW_ROWS = 1 << 17  # so that one lane reads files and memory in parts
_SLICE_BLOCKS = 1 << 14  # about a million rows between two chances to interrupt


@dataclass
class EpochStats:
    """What one epoch did, summed over its slices; ``norm`` is the mean of ‖w‖²."""

    visited: int = 0
    updated: int = 0
    shrunk: int = 0
    rounds: int = 0
    gamma: float = 0.0
    worst: float = -np.inf
    loss: float = 0.0
    norm: float = 0.0


def run_epoch(
    solver: _native.DualSolver, order: NDArray[np.int64], lanes: int, *, averaged: bool
) -> EpochStats:
    """Visit the active samples, in slices so that the user can interrupt.

    Parameters
    ----------
    solver
        Holds samples and weights.
    order
        Blocks; with one lane, samples.
    lanes
        Blocks at a time.
    averaged
        Add the weights after each slice to the solver's average.
    """
    total = EpochStats()
    if averaged:
        solver.sum_weights(anew=True)
    most = _SLICE_BLOCKS if lanes > 1 else _SLICE_BLOCKS * _native.BLOCK_ROWS
    unit = lanes * _LANE_BLOCKS if lanes > 1 else 1
    slices = slice_bounds(len(order), unit, _AVERAGED if averaged else 1, most)
    for begin, end in slices:
        part = order[begin:end]
        found = solver.run(part, _LANE_BLOCKS) if lanes > 1 else solver.run_rows(part)
        total.visited += found.visited
        total.updated += found.updated
        total.shrunk += found.shrunk
        total.rounds += found.rounds
        total.gamma += found.gamma
        total.loss += found.loss
        total.worst = max(total.worst, found.worst)
        total.norm += solver.norm / len(slices)
        if averaged:
            solver.sum_weights()
    return total


def slice_bounds(count: int, unit: int, least: int, most: int) -> list[tuple[int, int]]:
    """Cut an order into about this many slices of whole units, each of a limited length."""
    length = max(1, min(-(-count // (unit * least)), most // unit)) * unit
    return [(at, min(at + length, count)) for at in range(0, count, length)]


def row_order(rng: np.random.Generator, rows: int) -> NDArray[np.int64]:
    """Return a random order of samples; of many, those near each other are visited together."""
    windows = rng.permutation(-(-rows // _WINDOW_ROWS)) * _WINDOW_ROWS
    parts = [at + rng.permutation(min(_WINDOW_ROWS, rows - at)) for at in windows.tolist()]
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


def visiting_order(rng: np.random.Generator, blocks: int) -> NDArray[np.int64]:
    """Return a random order of blocks for lanes that visit some of them at a time.

    A lane reads runs of neighbouring blocks, several of them in turn: neighbours, such as the
    phrase pairs of one sentence, share features, and would pull the weights their way.
    """
    lanes, turn = _native.LANES, _LANE_BLOCKS // _STREAMS
    length = min(max(blocks // (8 * lanes * _STREAMS), 1), _RUN_BLOCKS)  # a few are still shuffled
    runs = -(-blocks // length)
    shuffled = rng.permutation(runs)
    padding = np.full(-runs % (lanes * _STREAMS), runs)  # runs after the last one hold no blocks
    begins = length * np.concatenate((shuffled, padding)).reshape(-1, 1, lanes, 1, _STREAMS)
    steps = np.arange(-(-length // turn) * turn).reshape(-1, 1, turn, 1)
    order = np.where(steps < length, begins + steps, blocks).reshape(-1)
    return np.ascontiguousarray(order[order < blocks], np.int64)
