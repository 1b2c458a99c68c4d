"""How good answers are: sufficient statistics, and the figures made of them."""

from tartib.evaluation.classification import ClassificationReport as ClassificationReport
from tartib.evaluation.classification import ClassificationStatistics as ClassificationStatistics
from tartib.evaluation.nist import Nist as Nist
from tartib.evaluation.nist import nist_of as nist_of
from tartib.evaluation.significance import BootstrapDifference as BootstrapDifference
from tartib.evaluation.significance import paired_bootstrap as paired_bootstrap
from tartib.evaluation.translation import Bleu as Bleu
from tartib.evaluation.translation import bleu as bleu
