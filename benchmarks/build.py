"""From raw text to a translator: what one command takes, and how good it is.

Run: python -m benchmarks.build [--source S --target T --test-source TS --test-references TR]
     python -m benchmarks.build … --only 20000 200000   (or --toy)
     python -m benchmarks.build … --only none bpe unigram

Files are raw text. ``--only`` names how many sentence pairs of it are taken, 20,000 and 200,000
otherwise, or kinds of subwords to compare (with the first 20,000 pairs). The test set is the one
named; the development set is drawn from the text. Without a text, that of the synthetic corpus.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.harness import Settings, print_table, run
from tartib.textio import read_lines

SIZES = (20_000, 200_000)
SUBWORDS = ("none", "bpe", "unigram")


class Built(NamedTuple):
    """What came out of a build, and what it took."""

    scores: dict[str, Any]
    seconds: float
    peak_mb: float
    system_mb: float
    sentences_a_second: float


def built(folder: Path, files: list[Path], test: list[Path], options: list[str]) -> Built:
    """Run the command, as a user would."""
    began = time.perf_counter()
    command = ["build", "--train", *files, *(["--test", *test] if test else [])]
    tartib(*command, "--out", folder / "system", *options)
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    sentences = test[0] if test else files[0]
    lines = folder / "lines"
    lines.write_text("".join(f"{line}\n" for line in islice(read_lines(sentences), 1000)))
    began = time.perf_counter()
    tartib("translate", folder / "system", lines, "--out", folder / "translated")
    rate = sum(1 for _ in read_lines(lines)) / (time.perf_counter() - began)
    size = sum(file.stat().st_size for file in (folder / "system").rglob("*") if file.is_file())
    scores = json.loads((folder / "system" / "scores.json").read_text())
    return Built(scores, seconds, peak, size / 1e6, rate)


def tartib(*arguments: object) -> None:
    """Run a command of Tartib in a process of its own."""
    program = [sys.executable, "-m", "tartib", *map(str, arguments)]
    subprocess.run(program, check=True, stdout=subprocess.DEVNULL)


def raw_text(settings: Settings) -> tuple[Path, Path]:
    """Return the text that was named, or else a synthetic one."""
    if settings.text is not None:
        return settings.text
    made = settings.main_corpus(1000)
    return made.source, made.target


def first_lines(text: tuple[Path, Path], folder: Path, count: int) -> list[Path]:
    """Write the first lines of a text; files keep the names that tell their languages."""
    folder.mkdir(parents=True)
    written = []
    for path in text:
        suffixes = [part for part in path.suffixes if part not in (".xz", ".gz", ".bz2", ".zst")]
        part = folder / f"text{suffixes[-1] if suffixes else ''}"
        part.write_text("".join(f"{line}\n" for line in islice(read_lines(path), count)))
        written.append(part)
    return written


def score(found: Built, name: str) -> str:
    one = found.scores["test"]["scores"][name]
    return f"{one['score']:.1f} [{one['low']:.1f}, {one['high']:.1f}]"


def sizes(settings: Settings) -> None:
    """Build with the first sentence pairs of a text, at the default effort."""
    wanted = tuple(int(size) for size in settings.only if size.isdigit())
    rows: list[tuple[object, ...]] = []
    for count in (1000,) if settings.toy else wanted or SIZES:
        found = one_build(settings, count, f"size-{count}", toy_options(settings))
        rows.append(
            (
                f"{count:,}", 1, 0, f"{found.seconds / 60:.1f}", f"{found.peak_mb:,.0f}",
                f"{found.system_mb:,.0f}", score(found, "BLEU"), score(found, "chrF"),
                f"{found.sentences_a_second:.0f}", found.scores["title"], found.scores["limit"],
            )
        )  # fmt: skip
        print(*rows[-1], sep=" | ", flush=True)
    columns = (
        "sentence pairs", "commands", "files by hand", "minutes", "peak MB of a process",
        "MB on disk", "BLEU", "chrF", "sentences/s, with loading", "chosen", "limit",
    )  # fmt: skip
    print_table(f"tartib build: {raw_text(settings)[0].parent.name}", columns, rows)


def subwords(settings: Settings) -> None:
    """Compare words with subwords on the source side."""
    kinds = [kind for kind in SUBWORDS if kind in settings.only] or list(SUBWORDS)
    rows: list[tuple[object, ...]] = []
    for kind in kinds[:1] if settings.toy else kinds:
        options = ["--set", f"text.source.subwords={kind}", *toy_options(settings)]
        count = 1000 if settings.toy else 20_000
        found = one_build(settings, count, f"subwords-{kind}", options)
        data, test = found.scores["data"], found.scores["test"]
        rows.append(
            (
                kind, f"{100 * test['unknown']:.1f}", f"{data['source_words'] / data['pairs']:.1f}",
                f"{found.scores['sizes']['phrase_pairs']:,}", score(found, "BLEU"),
                score(found, "chrF"), f"{found.seconds / 60:.1f}",
            )
        )  # fmt: skip
        print(*rows[-1], sep=" | ", flush=True)
    columns = (
        "subwords of the source", "unknown %", "tokens a sentence", "phrase pairs", "BLEU", "chrF",
        "minutes",
    )  # fmt: skip
    print_table(f"Subwords: {raw_text(settings)[0].parent.name}", columns, rows)


def one_build(settings: Settings, count: int, name: str, options: list[str]) -> Built:
    folder = settings.scratch / name
    files = first_lines(raw_text(settings), folder, count)
    test = settings.test
    given = [] if test is None else [test.source, *test.references]
    return built(folder, files, given, options)


def toy_options(settings: Settings) -> list[str]:
    return ["--effort", "quick"] if settings.toy else []


if __name__ == "__main__":
    asked = set(sys.argv) & set(SUBWORDS)
    run((subwords if asked else sizes,), __doc__ or "")
