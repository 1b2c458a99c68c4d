"""The papers' experiments on any corpus, and reports of them."""

from tartib.experiments.classification import run_classification as run_classification
from tartib.experiments.options import ClassificationOptions as ClassificationOptions
from tartib.experiments.options import read_toml as read_toml
from tartib.experiments.results import Results as Results
