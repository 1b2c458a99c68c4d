"""Word alignment: aligners, symmetrisation of their two directions, evaluation by gold links."""

from tartib.alignment.aligners import ALIGNERS as ALIGNERS
from tartib.alignment.aligners import DEFAULT_ALIGNER as DEFAULT_ALIGNER
from tartib.alignment.aligners import DEFAULT_SAMPLERS as DEFAULT_SAMPLERS
from tartib.alignment.aligners import DEFAULT_SEED as DEFAULT_SEED
from tartib.alignment.aligners import align as align
from tartib.alignment.evaluation import AlignmentReport as AlignmentReport
from tartib.alignment.evaluation import Measure as Measure
from tartib.alignment.evaluation import compare as compare
from tartib.alignment.evaluation import evaluate as evaluate
from tartib.alignment.gold import GoldLinks as GoldLinks
from tartib.alignment.joint import Alignment as Alignment
from tartib.alignment.joint import AlignmentModel as AlignmentModel
from tartib.alignment.joint import Pass as Pass
from tartib.alignment.lexicon import Lexicon as Lexicon
from tartib.alignment.links import Links as Links
from tartib.alignment.links import write_alignment as write_alignment
from tartib.alignment.symmetrisation import HEURISTICS as HEURISTICS
from tartib.alignment.symmetrisation import symmetrise as symmetrise
