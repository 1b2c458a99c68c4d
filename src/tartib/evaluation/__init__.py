"""How good answers are: sufficient statistics, and the figures made of them."""

from tartib.evaluation.classification import ClassificationReport as ClassificationReport
from tartib.evaluation.classification import ClassificationStatistics as ClassificationStatistics
