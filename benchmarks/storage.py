"""What checksums cost: commands with and without them, hashing beside the rest, loading a system.

Run: python -m benchmarks.storage [--source S --target T --alignment A --test-source S
     --test-references R...] [--toy]
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
import warnings
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from benchmarks.harness import Corpus, Settings, measure, print_table, run
from tartib import unverified
from tartib.decoder import System
from tartib.storage import verification
from tartib.storage.checksums import file_checksums

_TRAINING_PAIRS = 20_000
_SENTENCES = 300
_REPEAT = 3


@dataclass(frozen=True)
class Cost:
    """Processor seconds of a command, and megabytes at its peak."""

    cpu: float
    peak_mb: float


def cost(*words: object) -> Cost:
    """Run a command, its output thrown away."""
    command = [sys.executable, "-m", "tartib", *map(str, words)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read() if process.stderr else b""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{said.decode()}")
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def least(*words: object, repeat: int) -> Cost:
    """Return the cheapest of several runs."""
    return min((cost(*words) for _ in range(repeat)), key=lambda found: found.cpu)


def hashing(folder: Path) -> tuple[float, float]:
    """Return the megabytes of a folder, and the processor seconds of reading and hashing them."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    began = time.process_time()
    for path in files:
        with path.open("rb", buffering=0) as file:
            file_checksums(file)
    seconds = time.process_time() - began
    return sum(path.stat().st_size for path in files) / 1e6, seconds


def head(path: Path, lines: int, scratch: Path) -> Path:
    """Copy the first lines of a text."""
    short = scratch / f"{path.name}.{lines}"
    with path.open(encoding="utf-8") as file, short.open("w", encoding="utf-8") as copy:
        copy.writelines(islice(file, lines))
    return short


def text_options(corpus: Corpus) -> tuple[object, ...]:
    """Return the options that name a corpus."""
    return "-s", corpus.source, "-t", corpus.target, "-a", corpus.alignment


def written(settings: Settings) -> Path:
    """Print what commands cost that write, and return the folder of what they wrote."""
    corpus, scratch = settings.main_corpus(), settings.scratch / "storage"
    scratch.mkdir()
    files = (corpus.source, corpus.target, corpus.alignment)
    pairs = 200 if settings.toy else _TRAINING_PAIRS
    short = Corpus("short", *(head(path, pairs, scratch) for path in files))
    commands: dict[str, tuple[object, ...]] = {
        "phrases": ("extract", *text_options(corpus)),
        "table": ("phrase-table", scratch / "phrases"),
        "lm": ("lm", "estimate", "-i", corpus.target),
        "short": ("extract", *text_options(short)),
        "model": ("train", scratch / "short", "-f", "S1" if settings.toy else "S6"),
    }
    rows = []
    for name, words in commands.items():
        found = least(*words, "-o", scratch / name, "--overwrite", repeat=1)
        size, seconds = hashing(scratch / name)
        shown = "lm estimate" if name == "lm" else words[0]
        of = f"{pairs:,} pairs" if name in ("short", "model") else corpus.name
        rows.append(
            (
                f"`{shown}`, {of}",
                f"{found.cpu:.2f}",
                f"{size:.1f}",
                f"{seconds:.3f}",
                f"{100 * seconds / found.cpu:.2f} %",
                f"{found.peak_mb:.0f}",
            )
        )
    columns = ("command", "processor s", "MB written", "s to hash them", "share", "peak MB")
    print_table("Commands that write", columns, rows)
    (scratch / "system.toml").write_text('phrase-table = "table"\nlm = "lm"\n', encoding="utf-8")
    return scratch


def load(system: Path, verify: bool) -> tuple[float, float, float, float]:
    """Load a system; return seconds of the main thread and of all, till it is there and checked."""
    warnings.simplefilter("ignore")
    described = System.read(system)
    with nullcontext() if verify else unverified():
        began = time.process_time()
        began_thread, began_wall = time.thread_time(), time.perf_counter()
        decoder = described.load()
        wall, thread = time.perf_counter() - began_wall, time.thread_time() - began_thread
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        verification.finish()
        del decoder
    return thread, wall, time.process_time() - began, peak


def loading(system: Path, repeat: int) -> None:
    """Print what loading costs, with checksums and without."""
    rows = []
    for name, verify in (("verified", True), ("`unverified()`", False)):
        runs = [measure(load, system, verify).result for _ in range(repeat)]
        thread, wall, cpu, peak = (min(column) for column in zip(*runs, strict=True))
        rows.append((name, f"{thread:.3f}", f"{wall:.3f}", f"{cpu:.3f}", f"{peak:.0f}"))
    columns = ("`System.load`", "s of its thread", "s by the clock", "s with all checks", "peak MB")
    print_table("Loading a system", columns, rows)


def reading(commands: dict[str, tuple[object, ...]], repeat: int) -> None:
    """Print what commands cost that load models, with checksums and without."""
    rows = []
    for name, words in commands.items():
        checked = least(*words, repeat=repeat)
        unchecked = least(*words, "--no-verify", repeat=repeat)
        peak = f"{checked.peak_mb:.0f}"
        rows.append((name, f"{checked.cpu:.2f}", f"{unchecked.cpu:.2f}", peak))
    columns = ("command", "processor s", "with `--no-verify`", "peak MB")
    print_table("Commands that read", columns, rows)


def costs(settings: Settings) -> None:
    """Print all of it."""
    folder, repeat = written(settings), 1 if settings.toy else _REPEAT
    loading(folder / "system.toml", repeat)
    source = settings.test.source if settings.test else settings.main_corpus().source
    sentences = 20 if settings.toy else _SENTENCES
    text = head(source, sentences, folder)
    commands: dict[str, tuple[object, ...]] = {
        f"`translate`, {sentences} sentences": ("translate", folder / "system.toml", text),
        "`evaluate`": ("evaluate", folder / "model", folder / "short"),
    }
    reading(commands, repeat)


if __name__ == "__main__":
    run((costs,), __doc__ or "")
