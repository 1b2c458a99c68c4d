"""Mutations in forked processes: what crashes or hangs ends one of them and nothing else."""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import resource
import shutil
import signal
import struct
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np

from tartib import TartibError
from tests.campaign import seals
from tests.campaign.formats.definition import Format
from tests.campaign.materials import Materials
from tests.campaign.mutations import mutate
from tests.campaign.outcomes import Problem, Tally
from tests.support.processes import fork

BATCH = 1000  # mutations of one process
HANG_SECONDS = 10  # of processor time
STUCK_SECONDS = 300  # by the clock, for a process that waits
MEMORY = 4 << 30  # that a process may take beside what it has
RESEALED = 0.5  # share of mutations after which checksums are made right


class Sample:
    """The files of a format's sample, undamaged in memory and to be damaged on disk."""

    def __init__(self, form: Format, folder: Path, materials: Materials) -> None:
        self.form = form
        self.folder = folder
        self._materials = materials
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        form.make(folder, materials)
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        self._files = {path.relative_to(folder): path.read_bytes() for path in paths}

    def damage(self, seed: int) -> bool:
        """Change a file as the seed says, or two; return whether checksums were made right."""
        random = Random(seed)
        chosen = random.sample(
            list(self._files), 1 if random.random() < 0.9 else min(2, len(self._files))
        )
        for name in chosen:
            path = self.folder / name
            changed = mutate(path.read_bytes(), name.suffix, random)
            path.unlink()  # what is still mapped stays as it is
            path.write_bytes(changed)
        resealed = self.form.sealed and random.random() < RESEALED
        if resealed:
            seals.make_right(self.folder, [self.folder / name for name in chosen])
        return resealed

    def restore(self) -> None:
        """Make all as it was."""
        if self.form.writes:
            shutil.rmtree(self.folder)
        for name, data in self._files.items():
            path = self.folder / name
            if self.form.writes:
                path.parent.mkdir(parents=True, exist_ok=True)
            elif path.exists() and path.read_bytes() == data:
                continue
            path.unlink(missing_ok=True)
            path.write_bytes(data)

    def use(self) -> bytes:
        """Load and use the sample; return a hash of what came out."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = self.form.use(self.folder, self._materials)
        return digest(found)


def digest(found: object) -> bytes:
    """Hash a result, whose arrays count bit by bit."""
    hashed = hashlib.blake2b(digest_size=16)

    def add(value: object) -> None:
        if isinstance(value, np.ndarray):
            hashed.update(f"{value.dtype}{value.shape}".encode() + value.tobytes())
        elif isinstance(value, dict):
            add(list(value.items()))
        elif isinstance(value, list | tuple):
            hashed.update(f"({len(value)}".encode())
            for part in value:
                add(part)
        else:
            hashed.update(repr(value).encode(errors="surrogatepass") + b",")

    add(found)
    return hashed.digest()


class Batches:
    """Runs mutations of one format, some in each process, and counts what came of them."""

    def __init__(self, form: Format, folder: Path) -> None:
        self._folder = folder
        self._form = form
        self._materials = Materials(folder / "materials")
        self._sample = Sample(form, folder / "sample", self._materials)
        self._seed = mmap.mmap(-1, 8)  # that the process is at

    def run(self, seeds: Sequence[int]) -> Tally:
        """Try all seeds."""
        tally = Tally(self._form.name)
        left = list(seeds)
        while left:
            batch = left[:BATCH]
            status, seconds = self._process(batch)
            tally.seconds += seconds
            done = self._collect(tally)
            if status:
                at = self._current()
                outcome = "hang" if status in (signal.SIGPROF, signal.SIGALRM) else "crash"
                name = signal.Signals(status).name if status > 0 else f"exit code {-status}"
                tally.counts[outcome] += 1
                tally.problems.append(Problem(self._form.name, at, outcome, name, ""))
                done += 1
            left = left[done:]
        return tally

    def _current(self) -> int:
        return int(struct.unpack("q", self._seed[:8])[0])

    @property
    def _log(self) -> Path:
        return self._folder / "log"

    def _collect(self, tally: Tally) -> int:
        """Read what the process noted; return the number of mutations that it finished."""
        lines = self._log.read_text(encoding="utf-8").splitlines()
        for line in lines:
            seed, outcome, place, detail = json.loads(line)
            tally.counts[outcome] += 1
            if place:
                problem = Problem(self._form.name, seed, outcome, place, detail)
                tally.problems.append(problem)
        return len(lines)

    def _process(self, seeds: Sequence[int]) -> tuple[int, float]:
        """Run seeds in a process; return the signal that ended it, or 0, and processor time."""
        self._log.write_bytes(b"")
        self._seed[:8] = struct.pack("q", seeds[0])
        process = fork(lambda: self._work(seeds))
        status, seconds = self._wait(process)
        code = os.waitstatus_to_exitcode(status)
        return (-code if code else 0), seconds

    def _wait(self, process: int) -> tuple[int, float]:
        """Wait for the end of a process that makes progress."""
        seen, since = self._current(), time.monotonic()
        while True:
            ended, status, used = os.wait4(process, os.WNOHANG)
            if ended:
                return status, used.ru_utime + used.ru_stime
            if (now := self._current()) != seen:
                seen, since = now, time.monotonic()
            elif time.monotonic() - since > STUCK_SECONDS:
                os.kill(process, signal.SIGALRM)
            time.sleep(0.02)

    def _work(self, seeds: Sequence[int]) -> None:
        _limit_memory()
        self._sample.restore()  # what ended another process may have left damage
        usual = self._sample.use()
        self._sample.restore()
        with self._log.open("a", encoding="utf-8") as log, quiet():
            for seed in seeds:
                self._seed[:8] = struct.pack("q", seed)
                signal.setitimer(signal.ITIMER_PROF, HANG_SECONDS)
                noted = self._try(seed, usual)
                signal.setitimer(signal.ITIMER_PROF, 0)
                log.write(json.dumps([seed, *noted]) + "\n")
                log.flush()

    def _try(self, seed: int, usual: bytes) -> tuple[str, str, str]:
        """Return the outcome of a mutation and, if it is bad, where and why."""
        resealed = self._sample.damage(seed)
        try:
            found = self._sample.use()
        except TartibError:
            return "refused", "", ""
        except Exception as error:
            return "exception", *_described(error)
        finally:
            self._sample.restore()
        if found == usual:
            return "same", "", ""
        if self._form.sealed and not resealed:
            return "wrong", "another result", ""
        return "other", "", ""


def _described(error: Exception) -> tuple[str, str]:
    """Return the place of ours where an exception came from, and its text."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/tartib/" in frame.filename] or frames[-1:]
    place = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else "nowhere"
    return f"{type(error).__name__} in {place}", str(error)[:200]


def _limit_memory() -> None:
    """Let allocations of absurd sizes fail instead of filling the machine's memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


@contextmanager
def quiet() -> Iterator[None]:
    """Drop what is printed."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    yield


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield a folder for samples, in memory where the system has such a place."""
    shared = Path("/dev/shm")
    usable = shared.is_dir() and os.access(shared, os.W_OK)
    with TemporaryDirectory(prefix="tartib-fuzz-", dir=shared if usable else None) as folder:
        yield Path(folder)


def fuzz(
    forms: Sequence[Format], counts: Sequence[int], first: int, folder: Path
) -> Iterator[Tally]:
    """Try some seeds on each format, from a first one on, one format after another."""
    folder.mkdir(exist_ok=True)
    Materials(folder / "materials").make()
    for form, count in zip(forms, counts, strict=True):
        yield Batches(form, folder).run(range(first, first + count))
