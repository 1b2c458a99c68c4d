"""The papers' experiments on any corpus, and reports of them."""

from tartib.experiments.results import Results as Results
