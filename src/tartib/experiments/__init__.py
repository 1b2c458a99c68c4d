"""The papers' experiments on any corpus, and reports of them."""

from tartib.experiments.classification.options import ClassificationOptions as ClassificationOptions
from tartib.experiments.classification.results import Results as Results
from tartib.experiments.classification.run import run_classification as run_classification
from tartib.experiments.run.options import read_toml as read_toml
from tartib.experiments.translation import TranslationOptions as TranslationOptions
from tartib.experiments.translation import TranslationResults as TranslationResults
from tartib.experiments.translation import run_translation as run_translation
from tartib.experiments.translation.test_sets import TestFiles as TestFiles
