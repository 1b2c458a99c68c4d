"""How good answers are: sufficient statistics, and the figures made of them."""

from tartib.evaluation.classification import ClassificationReport as ClassificationReport
from tartib.evaluation.classification import ClassificationStatistics as ClassificationStatistics
from tartib.evaluation.comparison import Comparison as Comparison
from tartib.evaluation.comparison import Difference as Difference
from tartib.evaluation.comparison import Figure as Figure
from tartib.evaluation.comparison import compare as compare
from tartib.evaluation.metrics import Metric as Metric
from tartib.evaluation.metrics import score_of as score_of
from tartib.evaluation.nist import Nist as Nist
from tartib.evaluation.significance import BootstrapDifference as BootstrapDifference
from tartib.evaluation.significance import approximate_randomisation as approximate_randomisation
from tartib.evaluation.significance import paired_bootstrap as paired_bootstrap
from tartib.evaluation.translation import Bleu as Bleu
from tartib.evaluation.translation import bleu as bleu
from tartib.evaluation.translation import translation_metric as translation_metric
from tartib.evaluation.translation import usual_tokenisation as usual_tokenisation
from tartib.evaluation.word_order import source_orders as source_orders
