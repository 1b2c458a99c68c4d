"""What boundary features are worth: told apart or not, and beside alignment features.

Run: python -m benchmarks.roles --source S --target T --alignment A [--toy]

Should the first and last words of a phrase be told apart? Held-out accuracy with and without, by
scikit-learn's LinearSVC (LIBLINEAR, Crammer-Singer, C = 0.01), trained on 30 % of the sentences;
10 % are held out. Are alignments better than boundaries? The same by DualMLR (sigma = 0.2), for
several sizes of the training part and cut-offs.
"""

from __future__ import annotations

import warnings

from benchmarks.harness import Settings, print_table, run
from tartib import Bitext, DualMLR, PhrasePairs, ReorderingModel, extract_phrases
from tartib.dataset import build_dataset
from tartib.features import FeatureEncoder, FeatureSet


def accuracy(train: PhrasePairs, held_out: PhrasePairs, features: FeatureSet, labels: str) -> float:
    from sklearn.svm import LinearSVC

    encoder = FeatureEncoder.fit(train, features)
    rows, test = (build_dataset(part, encoder, orientation=labels) for part in (train, held_out))
    model = LinearSVC(C=0.01, multi_class="crammer_singer", tol=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # tol is loose on purpose
        model.fit(rows.to_scipy(), rows.y)
    return float((model.predict(test.to_scipy()) == test.y).mean())


def roles(settings: Settings) -> None:
    """Compare the boundary sets of one and of no context word, and with conjunctions."""
    corpus = settings.main_corpus(20_000)
    phrases = extract_phrases(Bitext.read(corpus.source, corpus.target, corpus.alignment))
    train, held_out = phrases.split(held_out=0.1, seed=0)
    train = train.sample(0.3, seed=1)
    rows = []
    for name in ("S4",) if settings.toy else ("S2", "S4", "S6"):
        for labels in ("word-msd", "hier-msd"):
            plain, apart = (
                accuracy(train, held_out, FeatureSet(name, roles=roles), labels)
                for roles in (False, True)
            )
            shown = (f"{100 * plain:.2f}", f"{100 * apart:.2f}", f"{100 * (apart - plain):+.2f}")
            rows.append((name, labels, *shown))
    columns = (
        "set",
        "labels",
        "accuracy, same feature",
        "accuracy, different features",
        "difference",
    )
    print_table(f"First and last words: {corpus.name}", columns, rows)


def alignments(settings: Settings) -> None:
    """Compare boundary and alignment sets over sizes of the training part and cut-offs."""
    corpus = settings.main_corpus(20_000)
    phrases = extract_phrases(Bitext.read(corpus.source, corpus.target, corpus.alignment))
    train, held_out = phrases.split(held_out=0.1, seed=0)
    sets = {
        "S2": FeatureSet("S2"),
        "S2, same feature": FeatureSet("S2", roles=False),
        "S3": FeatureSet("S3"),
        "S4, same feature": FeatureSet("S4", roles=False),
        "S7": FeatureSet("S7"),
    }
    rows = []
    for share, cutoff in ((0.1, 10),) if settings.toy else ((0.1, 10), (0.3, 10), (1, 10), (1, 2)):
        part = train.sample(share, seed=0)
        for name, features in sets.items():
            model = ReorderingModel(features, DualMLR(0.2, shrinking="paper"), cutoff=cutoff)
            reports = [
                model.fit(part.reading_as(labels)).evaluate(held_out)
                for labels in ("word-msd", "hier-msd")
            ]
            figures = (f"{100 * f:.2f}" for r in reports for f in (r.accuracy, r.macro_f1))
            rows.append((f"{share:.0%}", cutoff, name, *figures))
    columns = ("text", "cut-off", "set", "word-msd %", "macro F1 %", "hier-msd %", "macro F1 %")
    print_table(f"Boundaries and alignments: {corpus.name}", columns, rows)


if __name__ == "__main__":
    run((roles, alignments), __doc__ or "")
