"""Language models: estimation, loading and queries, beside KenLM where it is installed.

Run: python -m benchmarks.lm [--source S --target T --alignment A] [--toy]

The models are of the target side. `pip install kenlm` gives the peer of queries and loading, a
program `lmplz` in the PATH that of estimation.
"""

from __future__ import annotations

import importlib.util
import itertools
import resource
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tests.oracles import lm as oracle

from benchmarks.harness import Settings, measure, million, print_table, run
from tartib import LanguageModel

ORDER = 5
TWIN_LINES = 1000
KENLM = importlib.util.find_spec("kenlm") is not None


def count_words(text: Path) -> int:
    return sum(line.count(b" ") + 1 for line in text.read_bytes().splitlines())


def estimate(text: Path, jobs: int, arpa: Path | None) -> tuple[int, float]:
    """Return the number of n-grams, and the memory before any of them."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    model = LanguageModel.estimate(text, ORDER, discount_fallback=True, n_jobs=jobs)
    if arpa is not None:
        model.write_arpa(arpa, overwrite=True)
    return sum(model.counts), before


def estimate_by_twin(text: Path) -> int:
    """Return how many words the slow form of a few lines had."""
    with text.open(encoding="utf-8") as file:
        lines = list(itertools.islice(file, TWIN_LINES))
    oracle.estimate(lines, ORDER, [0] * ORDER)
    return sum(len(line.split()) for line in lines)


def run_lmplz(text: Path, scratch: Path) -> tuple[float, float]:
    """Return KenLM's processor seconds and its peak in megabytes."""
    command = ["lmplz", "-o", str(ORDER), "--discount_fallback", "-S", "1G", "-T", str(scratch)]
    with text.open("rb") as lines:
        arpa = str(scratch / "lmplz.arpa")
        subprocess.run(
            [*command, "--arpa", arpa], stdin=lines, check=True, stderr=subprocess.DEVNULL
        )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def estimation(settings: Settings) -> None:
    """Time and memory of estimating a model of order 5."""
    corpus = settings.main_corpus()
    words = count_words(corpus.target)
    twin = measure(estimate_by_twin, corpus.target)
    rate = twin.result / twin.cpu
    rows: list[tuple[object, ...]] = [
        ("Python twin, on a sample", 1, "", "", million(rate), "1", f"{twin.peak_mb:.0f}", "")
    ]
    if shutil.which("lmplz"):
        peer = measure(run_lmplz, corpus.target, settings.scratch)
        cpu, peak = peer.result
        figures = (f"{peer.wall:.2f}", f"{cpu:.2f}", million(words / cpu))
        rows.append(("lmplz, with its ARPA file", "all", *figures, "", f"{peak:.0f}", ""))
    arpa = settings.scratch / "estimated.arpa"
    for name, jobs, target in (
        ("estimate", 1, None),
        ("estimate", 2, None),
        ("and write_arpa", 1, arpa),
    ):
        ours = measure(estimate, corpus.target, jobs, target, repeat=3)
        ngrams, before = ours.result
        each = f"{(ours.peak_mb - before) * 2**20 / ngrams:.0f}"
        figures = (f"{ours.wall:.2f}", f"{ours.cpu:.2f}", million(words / ours.cpu))
        times = f"{words / ours.cpu / rate:.0f}"
        rows.append((name, jobs, *figures, times, f"{ours.peak_mb:.0f}", each))
    columns = (
        "estimator",
        "threads",
        "seconds",
        "processor seconds",
        "words per core second",
        "times the twin",
        "peak MB",
        "bytes an n-gram",
    )
    print_table(f"Estimating a model of order {ORDER}: {corpus.name}", columns, rows)


def load_ours(path: Path) -> tuple[float, int]:
    began = time.process_time()
    model = LanguageModel.load(path)
    return time.process_time() - began, sum(model.counts)


def load_kenlm(path: Path) -> tuple[float, int]:
    import kenlm

    began = time.process_time()
    model = kenlm.Model(str(path), quiet_config())
    return time.process_time() - began, model.order


def quiet_config() -> object:
    import kenlm

    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    return config


def make_model(text: Path, folder: Path, arpa: Path) -> None:
    model = LanguageModel.estimate(text, ORDER, discount_fallback=True)
    model.save(folder, overwrite=True)
    model.write_arpa(arpa, overwrite=True)


def model_files(settings: Settings) -> tuple[Path, Path, Path]:
    """Return the text, the folder and the ARPA file of a model."""
    files = settings.main_corpus().target, settings.scratch / "lm", settings.scratch / "lm.arpa"
    measure(make_model, *files)  # not here: the peak of a process is what its children begin with
    return files


def loading(settings: Settings) -> None:
    """Processor seconds until a model can be asked."""
    _, folder, arpa = model_files(settings)
    tasks: list[tuple[str, Callable[[Path], tuple[float, int]], Path]] = [
        ("our folder", load_ours, folder),
        ("ARPA file", load_ours, arpa),
    ]
    if KENLM:
        tasks.append(("ARPA file, by KenLM", load_kenlm, arpa))
    rows = []
    for name, function, path in tasks:
        best = min((measure(function, path) for _ in range(3)), key=lambda m: m.result[0])
        rows.append((name, f"{best.result[0]:.3f}", f"{best.peak_mb:.0f}"))
    print_table("Loading a model", ("from", "processor seconds", "peak MB"), rows)


def best_rate(function: Callable[[], object], queries: int) -> float:
    """Return queries a second of the processor, in the fastest of five runs."""
    times = []
    for _ in range(5):
        began = time.process_time()
        function()
        times.append(time.process_time() - began)
    return queries / min(times)


def random_continuations(model: LanguageModel, ids: NDArray[np.uint32], contexts: int) -> float:
    """Score 100 random words of the text after each of some places, as a search does."""
    rng = np.random.default_rng(0)
    tried = [
        (ids[end - ORDER + 1 : end], rng.choice(ids, 100))
        for end in rng.integers(ORDER, len(ids), contexts)
    ]
    return best_rate(
        lambda: [model.native.score_next(before, after, False) for before, after in tried],
        contexts * (100 + ORDER - 1),
    )


def ask(text: Path, folder: Path, arpa: Path, contexts: int) -> list[tuple[str, float, str]]:
    """Return for each way of asking its rate and the largest difference from KenLM."""
    model = LanguageModel.load(folder)
    content = text.read_bytes()
    lines = content.decode().splitlines()
    totals, _, tokens, _ = model.native.score_lines(content)
    queries = int(tokens.sum())
    ids = np.concatenate([model.ids([*line.split(), "</s>"]) for line in lines])
    rates = [
        (
            "states, words as ids: the text",
            best_rate(lambda: model.native.score_ids(ids, True), queries),
            "",
        ),
        ("states, words as ids: random words", random_continuations(model, ids, contexts), ""),
        ("lines of text", best_rate(lambda: model.native.score_lines(content), queries), ""),
    ]
    if KENLM:
        import kenlm

        peer = kenlm.Model(str(arpa), quiet_config())
        rate = best_rate(lambda: [peer.score(line) for line in lines], queries)
        difference = np.max(np.abs([peer.score(line) for line in lines] - totals))
        rates.append(("lines of text, by KenLM", rate, f"{difference:.0e}"))
    return rates


def queries(settings: Settings) -> None:
    """Ask one by one, on one core."""
    text, folder, arpa = model_files(settings)
    contexts = 100 if settings.toy else 20_000
    asked = measure(ask, text, folder, arpa, contexts)
    rows = [(name, million(rate), difference) for name, rate, difference in asked.result]
    columns = ("asked by", "queries per core second", "largest difference of a line's log10 p")
    print_table("Queries on one core", columns, rows)


if __name__ == "__main__":
    run((estimation, loading, queries), __doc__ or "")
