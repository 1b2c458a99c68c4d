"""Sparse rows with labels, in memory or memory-mapped, to train classifiers on."""

from tartib.dataset.from_phrases import MadeDataset, build_dataset, write_dataset
from tartib.dataset.rows import Dataset
from tartib.dataset.svmlight import read_svmlight, write_svmlight

__all__ = [
    "Dataset",
    "MadeDataset",
    "build_dataset",
    "read_svmlight",
    "write_dataset",
    "write_svmlight",
]
