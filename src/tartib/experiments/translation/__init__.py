"""The translation half of both papers on any corpus."""

from tartib.experiments.translation.options import TranslationOptions as TranslationOptions
from tartib.experiments.translation.results import TranslationResults as TranslationResults
from tartib.experiments.translation.run import run_translation as run_translation
