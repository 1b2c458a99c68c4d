"""What a solver reports after each epoch: to a callback, a file or a progress bar."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tartib.storage import append_line


@dataclass(frozen=True)
class Epoch:
    """One pass of a solver.

    Attributes
    ----------
    epoch
        Counted from 1; 0 is the final check of all samples.
    objective
        What is minimised: the (negative) dual for dual methods, the primal for all others.
    gap
        Relative duality gap, for an epoch estimated from the scores that it computed; for primal
        methods the norm of the gradient.
    violation
        The largest violation of an optimality condition in this pass; dual methods only.
    active
        Share of the samples that were visited.
    updated
        Share of the samples that were changed.
    seconds
        Time since the solver started.
    peak_mb
        Peak memory of the process so far, in megabytes.
    """

    epoch: int
    objective: float
    gap: float | None = None
    violation: float | None = None
    active: float = 1.0
    updated: float | None = None
    seconds: float = 0.0
    peak_mb: float = 0.0


Callback = Callable[[Epoch], None]


class TraceFile:
    """A callback that writes each epoch as one line of JSON.

    Parameters
    ----------
    path
        An existing file is kept: each fit appends its epochs, numbered from 1.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path

    def __call__(self, epoch: Epoch) -> None:
        """Write one epoch."""
        append_line(self.path, json.dumps(asdict(epoch)))


class Tracer:
    """Collects the epochs of one fit and passes them on."""

    def __init__(self, callback: Callback | None, show: Callback) -> None:
        self.epochs: list[Epoch] = []
        self._callback = callback
        self._show = show
        self._begin = time.perf_counter()

    def add(
        self,
        epoch: int,
        objective: float,
        *,
        gap: float | None = None,
        violation: float | None = None,
        active: float = 1.0,
        updated: float | None = None,
    ) -> None:
        """Record what one pass did; time and memory are measured here."""
        entry = Epoch(
            epoch=epoch,
            objective=objective,
            gap=gap,
            violation=violation,
            active=active,
            updated=updated,
            seconds=time.perf_counter() - self._begin,
            peak_mb=peak_megabytes(),
        )
        self.epochs.append(entry)
        self._show(entry)
        if self._callback is not None:
            self._callback(entry)


@contextmanager
def tracing(
    name: str, callback: Callback | None, check: Callable[[], None], *, progress: bool
) -> Iterator[Tracer]:
    """Yield a tracer, with a line on the terminal that shows epoch, active share and gap.

    If there was a callback, ``check`` is called at the end: it may have changed what is trained on.
    """
    with _shown(name, callback, progress=progress) as tracer:
        try:
            yield tracer
        except Exception:
            if callback is not None:
                check()
            raise
        if callback is not None:
            check()


@contextmanager
def _shown(name: str, callback: Callback | None, *, progress: bool) -> Iterator[Tracer]:
    if not (progress and sys.stderr.isatty()):
        yield Tracer(callback, lambda _: None)
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{name}: epoch 1") as status:
        yield Tracer(callback, lambda entry: status.update(f"{name}: {describe(entry)}"))


def describe(entry: Epoch) -> str:
    """Return an epoch in words."""
    parts = [f"epoch {entry.epoch}", f"{entry.active:.1%} active"]
    if entry.violation is not None:
        parts.append(f"violation {entry.violation:.3g}")
    if entry.gap is not None:
        parts.append(f"gap {entry.gap:.3g}")
    return ", ".join([*parts, f"objective {entry.objective:.6g}", f"{entry.seconds:.1f} s"])


def peak_megabytes() -> float:
    """Return the peak memory of this process."""
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20) if sys.platform == "darwin" else peak / 1024
