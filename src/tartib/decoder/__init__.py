"""Phrase-based translation: search, n-best lists, features and what reordering models add."""

from tartib.decoder.decoder import Decoder as Decoder
from tartib.decoder.features import FeatureLayout as FeatureLayout
from tartib.decoder.marked_sentence import Forced as Forced
from tartib.decoder.marked_sentence import MarkedSentence as MarkedSentence
from tartib.decoder.marking import Marker as Marker
from tartib.decoder.markup import MarkupReader as MarkupReader
from tartib.decoder.orientation_scorers import ModelScorer as ModelScorer
from tartib.decoder.orientation_scorers import OrientationScorer as OrientationScorer
from tartib.decoder.orientation_scorers import TableScorer as TableScorer
from tartib.decoder.search_options import SearchOptions as SearchOptions
from tartib.decoder.sparse_reordering import SparseReordering as SparseReordering
from tartib.decoder.sparse_reordering import WordList as WordList
from tartib.decoder.system import System as System
from tartib.decoder.terms import Terms as Terms
from tartib.decoder.translation import Hypothesis as Hypothesis
from tartib.decoder.translation import SearchGraph as SearchGraph
from tartib.decoder.translation import Step as Step
from tartib.decoder.translation import Translation as Translation
