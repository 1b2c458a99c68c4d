"""Tuning of a decoder's weights for the best BLEU on a development set."""

from tartib.tuning.iteration import Iteration as Iteration
from tartib.tuning.iteration import TuningResult as TuningResult
from tartib.tuning.iteration import TuningRuns as TuningRuns
from tartib.tuning.loop import tune as tune
from tartib.tuning.loop import tune_runs as tune_runs
from tartib.tuning.mert import mert as mert
from tartib.tuning.mira import mira as mira
from tartib.tuning.options import MertOptions as MertOptions
from tartib.tuning.options import MiraOptions as MiraOptions
from tartib.tuning.options import ProOptions as ProOptions
from tartib.tuning.options import TuningOptions as TuningOptions
from tartib.tuning.pool import Pool as Pool
from tartib.tuning.pool import Rows as Rows
from tartib.tuning.pro import pro as pro
