"""Should the first and last words of a phrase be told apart? Held-out accuracy with and without.

Run: python -m benchmarks.roles --source S --target T --alignment A [--toy]

The classifier is scikit-learn's LinearSVC (LIBLINEAR, Crammer-Singer, C = 0.01), trained on 30 % of
the sentences; 10 % are held out.
"""

from __future__ import annotations

import warnings

from benchmarks.harness import Settings, print_table, run
from tartib import Bitext, PhrasePairs, extract_phrases
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
    columns = ("set", "labels", "accuracy, same feature", "accuracy, told apart", "difference")
    print_table(f"First and last words: {corpus.name}", columns, rows)


if __name__ == "__main__":
    run((roles,), __doc__ or "")
