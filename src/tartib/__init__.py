"""Tartib learns how phrases move when a sentence is translated, and puts it to work.

The names below are loaded when they are first used, so ``import tartib`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tartib.alignment import align as align
    from tartib.bitext import Bitext as Bitext
    from tartib.bitext import ReadOptions as ReadOptions
    from tartib.bitext import read_blocks as read_blocks
    from tartib.build import BuildOptions as BuildOptions
    from tartib.build import build_system as build_system
    from tartib.dataset import Dataset as Dataset
    from tartib.dataset import build_dataset as build_dataset
    from tartib.dataset import read_svmlight as read_svmlight
    from tartib.decoder import Decoder as Decoder
    from tartib.decoder import SearchOptions as SearchOptions
    from tartib.decoder import System as System
    from tartib.errors import DataError as DataError
    from tartib.errors import OptionError as OptionError
    from tartib.errors import TartibError as TartibError
    from tartib.evaluation import ClassificationReport as ClassificationReport
    from tartib.evaluation import compare as compare
    from tartib.experiments import ClassificationOptions as ClassificationOptions
    from tartib.experiments import TranslationOptions as TranslationOptions
    from tartib.experiments import run_classification as run_classification
    from tartib.experiments import run_translation as run_translation
    from tartib.extraction import extract_phrases as extract_phrases
    from tartib.features import FeatureEncoder as FeatureEncoder
    from tartib.features import FeatureSet as FeatureSet
    from tartib.lm import LanguageModel as LanguageModel
    from tartib.models import DualMLR as DualMLR
    from tartib.models import MaxEnt as MaxEnt
    from tartib.models import MulticlassSVM as MulticlassSVM
    from tartib.models import NaiveBayes as NaiveBayes
    from tartib.models import PrimalMLR as PrimalMLR
    from tartib.models import TraceFile as TraceFile
    from tartib.orientation import OrientationModel as OrientationModel
    from tartib.phrase_table import PhraseTable as PhraseTable
    from tartib.phrases import PhrasePair as PhrasePair
    from tartib.phrases import PhrasePairs as PhrasePairs
    from tartib.reordering import LexicalisedModel as LexicalisedModel
    from tartib.reordering import Prior as Prior
    from tartib.reordering import ReorderingModel as ReorderingModel
    from tartib.reordering import sample_derivations as sample_derivations
    from tartib.reordering import train_direction as train_direction
    from tartib.storage import unverified as unverified
    from tartib.translator import Translated as Translated
    from tartib.translator import Translator as Translator
    from tartib.tuning import TuningOptions as TuningOptions
    from tartib.tuning import tune as tune
    from tartib.tuning import tune_runs as tune_runs
    from tartib.vocabulary import Vocabulary as Vocabulary
    from tartib.word_classes import WordClasses as WordClasses

_HOMES = {
    "Bitext": "bitext",
    "BuildOptions": "build",
    "ClassificationOptions": "experiments",
    "ClassificationReport": "evaluation",
    "DataError": "errors",
    "Dataset": "dataset",
    "Decoder": "decoder",
    "DualMLR": "models",
    "FeatureEncoder": "features",
    "FeatureSet": "features",
    "LanguageModel": "lm",
    "LexicalisedModel": "reordering",
    "MaxEnt": "models",
    "MulticlassSVM": "models",
    "NaiveBayes": "models",
    "OptionError": "errors",
    "OrientationModel": "orientation",
    "PhrasePair": "phrases",
    "PhrasePairs": "phrases",
    "PhraseTable": "phrase_table",
    "PrimalMLR": "models",
    "Prior": "reordering",
    "ReadOptions": "bitext",
    "ReorderingModel": "reordering",
    "SearchOptions": "decoder",
    "System": "decoder",
    "TartibError": "errors",
    "TraceFile": "models",
    "Translated": "translator",
    "TranslationOptions": "experiments",
    "Translator": "translator",
    "TuningOptions": "tuning",
    "Vocabulary": "vocabulary",
    "WordClasses": "word_classes",
    "align": "alignment",
    "build_dataset": "dataset",
    "build_system": "build",
    "compare": "evaluation",
    "extract_phrases": "extraction",
    "read_blocks": "bitext",
    "read_svmlight": "dataset",
    "run_classification": "experiments",
    "run_translation": "experiments",
    "sample_derivations": "reordering",
    "train_direction": "reordering",
    "tune": "tuning",
    "tune_runs": "tuning",
    "unverified": "storage",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name == "__version__":
        from importlib.metadata import version

        return version("tartib")
    if name in _HOMES:
        return getattr(import_module(f"tartib.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'tartib' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
