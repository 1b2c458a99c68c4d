"""Speed and memory of feature dictionaries and rows, beside scikit-learn's FeatureHasher.

Run: python -m benchmarks.features [--source S --target T --alignment A] [--toy]
     python -m benchmarks.features --paper-scale
"""

from __future__ import annotations

import sys
import time
from itertools import combinations
from pathlib import Path

import numpy as np
from tests.oracles import features as oracle

from benchmarks.harness import (
    Corpus,
    Measured,
    Settings,
    measure,
    million,
    print_table,
    run,
    synthetic_corpus,
)
from tartib import PhrasePair, PhrasePairs, extract_phrases, read_blocks
from tartib.dataset import build_dataset
from tartib.features import FeatureEncoder, FeatureSet

NAMES = tuple(f"S{n}" for n in range(1, 16))
# Seconds of wall and processor time: for the dictionary, and for the rows.
Encoded = tuple[int, int, tuple[float, float], tuple[float, float]]


def store_of(corpus: Corpus, folder: Path) -> Path:
    """Extract phrase pairs once; the measurements memory-map them."""
    blocks = read_blocks(corpus.source, corpus.target, corpus.alignment)
    extract_phrases(blocks, out=folder, overwrite=True)
    return folder


def encode(store: Path, name: str, jobs: int) -> Encoded:
    """Make dictionary and rows; the rows are counted and dropped."""
    phrases = PhrasePairs.load(store)
    began, began_cpu = time.perf_counter(), time.process_time()
    encoder = FeatureEncoder.fit(phrases, name, n_jobs=jobs)
    middle, middle_cpu = time.perf_counter(), time.process_time()
    non_zeros = sum(len(columns) for _, columns in encoder.encode(phrases, jobs))
    end, end_cpu = time.perf_counter(), time.process_time()
    dictionary = (middle - began, middle_cpu - began_cpu)
    return encoder.n_features, non_zeros, dictionary, (end - middle, end_cpu - middle_cpu)


def speed(settings: Settings) -> None:
    """Measure all feature sets on one core and on two."""
    corpus = settings.main_corpus()
    store = store_of(corpus, settings.scratch / "phrases")
    pairs = len(PhrasePairs.load(store))
    rows = []
    total = 0.0
    for name in NAMES[:3] if settings.toy else NAMES:
        one: Measured[Encoded] = measure(encode, store, name, 1)
        two: Measured[Encoded] = measure(encode, store, name, 2)
        features, non_zeros, dictionary, encoded = one.result
        wall = two.result[2][0] + two.result[3][0]
        total += wall
        rows.append(
            (
                name,
                f"{features:,}",
                f"{non_zeros / pairs:.1f}",
                million(pairs / encoded[1]),
                million(pairs / (dictionary[1] + encoded[1])),
                f"{wall:.2f}",
                f"{(dictionary[0] + encoded[0]) / wall:.2f}",
                f"{two.peak_mb:.0f}",
            )
        )
    columns = (
        "set",
        "features",
        "per row",
        "rows per core second",
        "with dictionary",
        "seconds on two cores",
        "speed-up",
        "peak MB",
    )
    print_table(f"Features: {corpus.name}, {pairs:,} pairs, cut-off 10", columns, rows)
    print(f"\nAll sets together, dictionaries and rows, on two cores: {total:.1f} s")


def hash_ours(store: Path, name: str, pairs: int, rounds: int) -> float:
    """Return pairs per processor second of our own hashing, the same pairs over and over."""
    phrases = PhrasePairs.load(store)
    sample = phrases.of_sentences(np.arange(len(phrases.bitext)) < first_sentences(phrases, pairs))
    encoder = FeatureEncoder.hashed(name, 22)
    bound = encoder.bind(sample.bitext.source.vocabulary, sample.bitext.target.vocabulary)
    chunks = list(sample.chunks(20_000))
    began = time.process_time()
    rows = sum(len(bound.block(sample.block(*c))[0]) - 1 for _ in range(rounds) for c in chunks)
    return rows / (time.process_time() - began)


def hash_sklearn(store: Path, name: str, pairs: int) -> tuple[float, float]:
    """Return the same of scikit-learn: the hasher alone, and with the strings that it is fed."""
    from sklearn.feature_extraction import FeatureHasher

    phrases = PhrasePairs.load(store)
    sample = phrases.of_sentences(np.arange(len(phrases.bitext)) < first_sentences(phrases, pairs))
    features = FeatureSet(name)
    places = [place_of(sample, pair) for pair in sample]
    hasher = FeatureHasher(1 << 22, input_type="string", alternate_sign=False, dtype=np.float32)
    began = time.process_time()
    strings = []
    for place in places:
        base = sorted(
            oracle.base_features(place, features.phrase, features.context, roles=features.roles)
        )
        strings.append([" ".join(s) for d in features.anova for s in combinations(base, d)])
    made = time.process_time()
    hasher.transform(strings)
    end = time.process_time()
    return len(sample) / (end - made), len(sample) / (end - began)


def place_of(phrases: PhrasePairs, pair: PhrasePair) -> oracle.Place:
    sentence = phrases.bitext[pair.sentence].source
    start, length = pair.source_start, len(pair.source)
    return oracle.Place(sentence, start, length, pair.target, pair.links)


def first_sentences(phrases: PhrasePairs, pairs: int) -> int:
    return int(np.searchsorted(phrases.offsets, pairs))


def hashers(settings: Settings) -> None:
    """Compare with scikit-learn's FeatureHasher on the same features of the same pairs."""
    corpus = settings.main_corpus()
    store = store_of(corpus, settings.scratch / "phrases")
    sample = 2000 if settings.toy else 20_000
    rows = []
    for name in ("S7", "S6"):
        theirs = measure(hash_sklearn, store, name, sample).result
        ours = measure(hash_ours, store, name, sample, 1 if settings.toy else 50).result
        rows.append(
            (
                name,
                million(ours),
                million(theirs[1]),
                f"{ours / theirs[1]:.0f}",
                million(theirs[0]),
                f"{ours / theirs[0]:.0f}",
            )
        )
    columns = (
        "set",
        "Tartib, rows/s",
        "FeatureHasher with its strings",
        "times",
        "FeatureHasher alone",
        "times",
    )
    print_table(f"Hashing to 2^22 columns: {corpus.name}, one core", columns, rows)


def build(store: Path, name: str, out: Path) -> tuple[int, int, float, float]:
    """Write dictionary and rows to disk: pairs, features, and seconds for each."""
    phrases = PhrasePairs.load(store)
    began = time.perf_counter()
    encoder = FeatureEncoder.fit(phrases, name)
    middle = time.perf_counter()
    build_dataset(phrases, encoder, out=out, overwrite=True)
    encoder.save(out / "features", overwrite=True)
    return len(phrases), encoder.n_features, middle - began, time.perf_counter() - middle


def paper_scale(settings: Settings) -> None:
    """Grow the synthetic corpus to the papers' 47.2 million phrase pairs."""
    sizes = (100, 1000) if settings.toy else (29_300, 293_000, 1_381_000)
    rows = []
    for size in sizes:
        store = store_of(synthetic_corpus(settings.scratch, size), settings.scratch / "large")
        for name in ("S7", "S6"):
            done = measure(build, store, name, settings.scratch / "rows")
            pairs, features, dictionary, encoded = done.result
            written = sum(f.stat().st_size for f in (settings.scratch / "rows").rglob("*.npy"))
            rows.append(
                (
                    f"{pairs:,}",
                    str(FeatureSet(name)),
                    f"{features:,}",
                    f"{dictionary:.1f}",
                    f"{encoded:.1f}",
                    f"{1e9 * (dictionary + encoded) / pairs:.0f}",
                    f"{done.peak_mb:,.0f}",
                    f"{written / 1e6:,.0f}",
                )
            )
    columns = (
        "phrase pairs",
        "set",
        "features",
        "dictionary s",
        "rows s",
        "ns per pair",
        "peak MB",
        "MB on disk",
    )
    print_table("Features at the papers' scale, synthetic corpus, two cores", columns, rows)


if __name__ == "__main__":
    if "--paper-scale" in sys.argv:
        sys.argv.remove("--paper-scale")
        run((paper_scale,), __doc__ or "")
    else:
        run((speed, hashers), __doc__ or "")
