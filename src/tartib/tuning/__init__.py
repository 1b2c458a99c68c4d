"""Tuning: weights with which a decoder translates best."""

from tartib.tuning.mert import mert as mert
from tartib.tuning.mira import mira as mira
from tartib.tuning.options import MertOptions as MertOptions
from tartib.tuning.options import MiraOptions as MiraOptions
from tartib.tuning.options import ProOptions as ProOptions
from tartib.tuning.options import TuningOptions as TuningOptions
from tartib.tuning.pool import Pool as Pool
from tartib.tuning.pool import Rows as Rows
from tartib.tuning.pro import pro as pro
from tartib.tuning.tune import Iteration as Iteration
from tartib.tuning.tune import TuningResult as TuningResult
from tartib.tuning.tune import tune as tune
