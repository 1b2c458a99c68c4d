"""The classifiers beside LIBLINEAR, scikit-learn and Vowpal Wabbit, on held-out sentences.

Run: python -m benchmarks.classifiers [--source S --target T --alignment A] [--toy]
     python -m benchmarks.classifiers --compared [--source S --target T --alignment A]
         [--only S6-hier-msd …] [--toy]
     python -m benchmarks.classifiers --threads [--source S --target T --alignment A] [--toy]
     python -m benchmarks.classifiers --paper-scale [--source S --target T --alignment A]

All learners get the same rows; a tenth of the sentences is held out. Times are processor seconds of
training on one core, unless a table says otherwise: of fit as the user calls it, and of the solver
alone. "Passes" is the time of fit in units of one pass that only computes the scores of the same
rows. Memory is what training needs above the data, in megabytes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import peers
from benchmarks.harness import Corpus, Settings, measure, print_table, run
from tartib import Bitext, extract_phrases, read_blocks
from tartib.dataset import build_dataset
from tartib.features import FeatureEncoder, FeatureSet
from tartib.features.words import FeatureWords
from tartib.orientation import OrientationModel
from tartib.phrases import PhrasePairs
from tartib.vocabulary import Vocabulary

C, SIGMA, EPSILON = 0.01, 0.2, 0.1  # where held-out accuracy and log-loss are about best
EXACT = 1e-4  # relative duality gap; nothing changes below
SETS = ("S4", "S6", "S7")
LABELS = ("word-msd", "hier-msd")
MANY = 5_000_000  # pairs; with more, the peers take too long for a second orientation

Data = dict[tuple[str, str], tuple[str, str]]


def prepare(settings: Settings, sets: tuple[str, ...], labels: tuple[str, ...]) -> tuple[str, Data]:
    """Write training and held-out rows for feature sets and orientation models."""
    corpus = settings.main_corpus(30_000)
    phrases = extract_phrases(Bitext.read(corpus.source, corpus.target, corpus.alignment))
    train, held_out = phrases.split(held_out=0.1, seed=0)
    if len(train) > MANY and not settings.only:
        labels = labels[:1]
    data: Data = {}
    for name in sets:
        wanted = [one for one in labels if not settings.only or f"{name}-{one}" in settings.only]
        if not wanted:
            continue
        encoder = FeatureEncoder.fit(train, name)
        for label in wanted:
            folders = [settings.scratch / f"{name}-{label}-{part}" for part in ("train", "test")]
            for part, folder in zip((train, held_out), folders, strict=True):
                build_dataset(part, encoder, orientation=label, out=folder, overwrite=True)
            data[name, label] = (str(folders[0]), str(folders[1]))
    return f"{corpus.name}, {len(train):,} training pairs", data


def svm(**options: Any) -> tuple[str, dict[str, Any]]:  # noqa: ANN401
    """Return a MulticlassSVM on one core, to be measured."""
    return "MulticlassSVM", {
        "C": C, "epsilon": EPSILON, "n_jobs": 1, **options,
    }  # fmt: skip


def mlr(**options: Any) -> tuple[str, dict[str, Any]]:  # noqa: ANN401
    """Return a DualMLR on one core, to be measured."""
    return "DualMLR", {
        "sigma": SIGMA, "epsilon": EPSILON, "n_jobs": 1, **options,
    }  # fmt: skip


def chosen(settings: Settings) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return (("S4",), ("word-msd",)) if settings.toy else (SETS, LABELS)


def compared(settings: Settings) -> None:
    """Compare all learners: time, passes, gap, held-out accuracy and log-loss, memory.

    ``default`` is what users get, ``exact`` the optimum, ``paper`` the papers' one-way shrinking.
    """
    name, data = prepare(settings, *chosen(settings))
    learners: dict[str, tuple[str, dict[str, Any]]] = {
        "SVM, default": svm(),
        "SVM, exact": svm(tol=EXACT),
        "SVM, paper": svm(shrinking="paper"),
        "DualMLR, default": mlr(),
        "DualMLR, exact": mlr(tol=EXACT),
        "DualMLR, paper": mlr(shrinking="paper"),
        "MaxEnt": ("MaxEnt", {"sigma": SIGMA, "n_jobs": 1}),
    }
    rows: list[tuple[object, ...]] = []
    for (features, labels), folders in data.items():
        runs = {"LIBLINEAR": measure(peers.liblinear, *folders, C, EPSILON).result}
        runs["scikit-learn L-BFGS"] = measure(peers.logistic, *folders, SIGMA**2, 1e-4).result
        for what, learner in learners.items():
            runs[what] = measure(peers.ours, *folders, *learner).result
        for what, one in runs.items():
            peer = runs["LIBLINEAR" if what.startswith("SVM") else "scikit-learn L-BFGS"]
            same = what in ("LIBLINEAR", "scikit-learn L-BFGS")
            row = (
                f"{features} {labels}", what, f"{one.cpu:.2f}", f"{one.solver:.2f}",
                "" if same else f"{peer.cpu / one.cpu:.1f}×",
                f"{one.cpu / one.unit:.1f}" if one.unit else "", one.epochs,
                "" if one.gap is None else f"{100 * one.gap:.2f}",
                f"{100 * one.accuracy:.2f}", f"{one.log_loss:.4f}", f"{one.above_mb:.0f}",
            )  # fmt: skip
            rows.append(row)
            print(*row, sep=" | ", flush=True)
    columns = (
        "rows", "learner", "fit s", "solver s", "faster", "passes", "epochs", "gap %",
        "accuracy %", "log-loss", "MB",
    )  # fmt: skip
    print_table(f"C = {C}, σ = {SIGMA}, one core: {name}", columns, rows)


def threads(settings: Settings) -> None:
    """Measure what the second core brings; the weights are the same bits."""
    name, data = prepare(settings, ("S4",) if settings.toy else SETS, ("word-msd",))
    rows: list[tuple[object, ...]] = []
    for (features, _), folders in data.items():
        for what, make in (("SVM", svm), ("DualMLR", mlr)):
            one, two = (
                measure(peers.ours, *folders, *make(n_jobs=jobs), repeat=1 if settings.toy else 3)
                for jobs in (1, 2)
            )
            walls = one.result.wall, two.result.wall
            took = (f"{walls[0]:.2f}", f"{walls[1]:.2f}", f"{walls[0] / walls[1]:.2f}×")
            rows.append((features, what, *took))
    print_table(
        f"Two cores, wall seconds: {name}", ("set", "learner", "one", "two", "faster"), rows
    )


def shrinking(settings: Settings) -> None:
    """Show the active share by epoch with the papers' shrinking (Figure 1 of both)."""
    name, data = prepare(settings, ("S4",), ("word-msd",))
    (folders,) = data.values()
    learners: dict[str, tuple[Callable[..., tuple[str, dict[str, Any]]], dict[str, str]]] = {
        "SVM": (svm, {}),
        "DualMLR": (mlr, {}),
        "exponentiated gradient": (mlr, {"solver": "exponentiated-gradient"}),
    }
    rows: list[tuple[object, ...]] = []
    for what, (make, more) in learners.items():
        for epsilon in (0.1,) if settings.toy else (1.0, 0.1, 0.01):
            options = make(shrinking="paper", epsilon=epsilon, max_iter=200, **more)
            one = measure(peers.ours, *folders, *options).result
            shares = " ".join(f"{100 * share:.1f}" for share in one.active[:12])
            rows.append(
                (
                    what, epsilon, f"{one.cpu:.2f}", one.epochs, f"{100 * one.accuracy:.2f}",
                    f"{one.log_loss:.4f}", shares,
                )
            )  # fmt: skip
    columns = ("learner", "ε", "s", "epochs", "accuracy %", "log-loss", "active %")
    print_table(f"Active samples by epoch: {name}", columns, rows)


VOWPAL = (
    "--oaa 3 -b 24 --loss_function logistic --passes 1",
    "--oaa 3 -b 24 --loss_function logistic --passes 10",
    "--oaa 3 -b 24 --loss_function hinge --passes 10",
    "--oaa 3 -b 24 --loss_function logistic --passes 10 --l2 1e-8",
)


def vowpal(settings: Settings) -> None:
    """Compare with Vowpal Wabbit, within ten passes; it is skipped where it is not installed."""
    name, data = prepare(settings, ("S4",) if settings.toy else ("S4", "S6"), ("word-msd",))
    rows: list[tuple[object, ...]] = []
    for (features, _), folders in data.items():
        for what, learner in (("SVM", svm), ("DualMLR", mlr)):
            one = measure(peers.ours, *folders, *learner()).result
            figures = (f"{one.wall:.2f}", f"{one.cpu:.2f}", f"{100 * one.accuracy:.2f}")
            rows.append((features, what, *figures, f"{one.peak_mb:.0f}"))
        scratch = settings.scratch / f"vowpal-{features}"
        scratch.mkdir()
        for options in VOWPAL[:1] if settings.toy else VOWPAL:
            found = measure(peers.vowpal, *folders, str(scratch), options).result
            if found is None:
                print("Vowpal Wabbit is not installed (pip install vowpalwabbit): skipped")
                return
            figures = (f"{found.wall:.2f}", f"{found.cpu:.2f}", f"{100 * found.accuracy:.2f}")
            rows.append((features, f"vw {options}", *figures, f"{found.peak_mb:.0f}"))
    columns = ("set", "learner", "wall s", "processor s", "accuracy %", "peak MB")
    print_table(f"Vowpal Wabbit: {name}", columns, rows)


def make_large_model(folder: str, columns: int) -> None:
    """Write a model of as many features as asked for, of random keys and weights."""
    from tartib.models import MulticlassSVM
    from tartib.reordering import DirectionModel, ReorderingModel
    from tartib.reordering.classifiers import RowClassifier

    rng = np.random.default_rng(0)
    width = max(FeatureSet("S6").anova)
    encoder = FeatureEncoder(
        FeatureSet("S6"),
        FeatureWords(Vocabulary(), Vocabulary(), Vocabulary()),
        keys=np.unique(rng.integers(1, 2**64, columns, np.uint64, endpoint=False)),
        counts=np.full(columns, 11),
        codes=np.zeros(columns * width, np.uint64),
        cutoff=10,
    )
    orientation = OrientationModel.parse("hier-msd")
    svm = MulticlassSVM()
    svm.weights_ = rng.standard_normal((columns, 4), np.float32)
    svm.classes_, svm.n_features_in_ = np.array(orientation.labels), columns
    model = ReorderingModel.from_directions(
        {"backward": DirectionModel(RowClassifier(svm))},
        encoder=encoder,
        orientation=orientation,
        trained_on="nothing",
    )
    model.save(folder, compact=True, overwrite=True)


def load_large_model(folder: str) -> float:
    """Return the seconds that loading takes, without those of importing."""
    from tartib.reordering import ReorderingModel

    began = time.perf_counter()
    ReorderingModel.load(folder, n_jobs=1)
    return time.perf_counter() - began


def loading(settings: Settings) -> None:
    """Measure how long a model of five million features takes to load."""
    columns = 5000 if settings.toy else 5_000_000
    folder = str(settings.scratch / "large-model")
    make_large_model(folder, columns)
    one = measure(load_large_model, folder, repeat=1 if settings.toy else 3)
    size = sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())
    row = (f"{columns:,}", f"{size / 1e6:.0f}", f"{one.result:.2f}", f"{one.peak_mb:.0f}")
    print_table("Loading a compact model", ("features", "MB on disk", "s", "peak MB"), [row])


def large(folder: str, test: str, name: str, options: dict[str, Any]) -> peers.Outcome:
    """Train from the memory-mapped rows, as one would at that size."""
    import tartib.models as models
    from tartib.dataset import Dataset

    rows, held_out = Dataset.load(folder), Dataset.load(test)
    model = getattr(models, name)(**options)
    taken = peers.timed(lambda: model.fit(rows), held_out, lambda: model.scores(held_out))
    return peers.Outcome(**taken, epochs=model.n_iter_, gap=getattr(model, "dual_gap_", None))


def rows_of(corpus: Corpus, folder: Path, features: str, share: float) -> tuple[str, str, int, int]:
    """Write rows of a share of a corpus, training and held-out."""
    store = folder / "phrases"
    if not store.exists():
        extract_phrases(read_blocks(corpus.source, corpus.target, corpus.alignment), out=store)
    train, held_out = PhrasePairs.load(store).split(held_out=0.02, seed=0)
    if share < 1:
        train = train.split(held_out=share, seed=1)[1]
    encoder = FeatureEncoder.fit(train, features)
    for part, name in ((train, "train"), (held_out, "test")):
        build_dataset(part, encoder, orientation="word-msd", out=folder / name, overwrite=True)
    return str(folder / "train"), str(folder / "test"), len(train), encoder.n_features


def paper_scale(settings: Settings) -> None:
    """Train on as many phrase pairs as the papers have, and on parts of them; cut-off 10.

    The text is the one that is named; without one, 47.2 million pairs of the synthetic corpus.
    """
    corpus = settings.main_corpus(1_410_000)
    rows: list[tuple[object, ...]] = []
    for features in ("S7",) if settings.toy else ("S7", "S6"):
        for share in (1.0,) if settings.toy else (0.02, 0.2, 1.0):
            made = measure(rows_of, corpus, settings.scratch, features, share)
            train, test, count, columns = made.result
            for what, (name, options) in {
                "SVM": svm(n_jobs=2),
                "DualMLR": mlr(n_jobs=2),
                "MaxEnt": ("MaxEnt", {"sigma": SIGMA, "n_jobs": 2}),
            }.items():
                one = measure(large, train, test, name, options).result
                row = (
                    features, f"{count:,}", f"{columns:,}", f"{made.wall:.1f}", what,
                    f"{one.wall:.1f}", one.epochs, f"{1e9 * one.wall / count:.0f}",
                    f"{one.peak_mb / 1024:.2f}", f"{100 * one.accuracy:.2f}",
                    f"{one.log_loss:.4f}",
                )  # fmt: skip
                rows.append(row)
                print(*row, sep=" | ", flush=True)
    titles = (
        "set", "pairs", "features", "s of rows", "learner", "s of training", "epochs",
        "ns a pair", "peak GB", "accuracy %", "log-loss",
    )  # fmt: skip
    print_table(f"{corpus.name}: word-msd, two cores, from the store", titles, rows)


if __name__ == "__main__":
    alone = {"--paper-scale": paper_scale, "--compared": compared, "--threads": threads}
    for option in alone.keys() & set(sys.argv):
        sys.argv.remove(option)
        run((alone[option],), __doc__ or "")
        break
    else:
        run((compared, threads, shrinking, vowpal, loading), __doc__ or "")
