"""`tune`: weights with which a decoder translates a text best."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tartib.decoder import Decoder
from tartib.decoder.features import UNKNOWN_PENALTY, FeatureLayout, Vector
from tartib.engine import check_seed
from tartib.errors import OptionError
from tartib.models.trace import peak_megabytes
from tartib.tuning.development import Development
from tartib.tuning.mert import mert
from tartib.tuning.mira import mira
from tartib.tuning.options import Method, TuningOptions
from tartib.tuning.pool import Mask, Pool
from tartib.tuning.pro import pro


@dataclass(frozen=True)
class Iteration:
    """A decoding of the text and what was learned from it.

    Attributes
    ----------
    number
        From 1.
    weights
        With which the text was decoded.
    bleu
        Of that, in percent, as sacreBLEU counts words that are separated already.
    new, pool
        Translations that were new, and how many there are then.
    change
        Sum of the differences between these weights and the next.
    seconds, peak_mb
        Time of the iteration, and the most memory of the process until then.
    """

    number: int
    weights: Vector
    bleu: float
    new: int
    pool: int
    change: float
    seconds: float
    peak_mb: float


@dataclass(frozen=True)
class TuningResult:
    """What tuning found.

    Attributes
    ----------
    layout
        Names of the weights.
    iterations
        All of them.
    stopped
        Why there are no more.
    """

    layout: FeatureLayout
    iterations: tuple[Iteration, ...]
    stopped: str

    @property
    def best(self) -> Iteration:
        """The iteration with the best BLEU score."""
        return max(self.iterations, key=lambda iteration: iteration.bleu)

    @property
    def weights(self) -> Vector:
        """The best weights, as a vector; the absolute values of the dense ones sum to 1."""
        return self.best.weights


Report = Callable[[Iteration], None]


def tune(
    decoder: Decoder,
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    method: Method = "mira",
    options: TuningOptions | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool = False,
    report: Report | None = None,
) -> TuningResult:
    """Find weights with which a decoder translates a text best, by BLEU.

    Parameters
    ----------
    decoder
        Its weights are where tuning begins.
    source, references
        Sentences, and one list of translations of them, or several.
    method
        ``mira``, ``pro`` or ``mert``; the last one only without sparse features.
    options
        How to go about it.
    seed
        The same seed gives the same weights, on any number of threads.
    n_jobs
        Threads; None for all cores.
    progress
        Show progress bars on a terminal.
    report
        Called after each iteration.
    """
    run = _Run(decoder, Development(decoder, source, references), method, options, seed, n_jobs)
    while not run.stopped:
        iteration = run.iterate(progress=progress)
        if report is not None:
            report(iteration)
    return TuningResult(decoder.layout, tuple(run.iterations), run.stopped)


def fixed_weights(layout: FeatureLayout) -> Mask:
    """Return which weights are not tuned.

    Unknown words are the same in nearly all translations of a sentence, so nothing can be learned
    of their penalty, and any small weight would let phrases be broken up in order to have more.
    """
    fixed = np.zeros(len(layout), bool)
    fixed[layout.slice(UNKNOWN_PENALTY)] = True
    return fixed


def normalised(weights: Vector, layout: FeatureLayout) -> Vector:
    """Return weights whose dense ones sum to 1 in absolute value, but for those that are fixed.

    A common factor does not change which translation is best, but it does change what the search's
    threshold drops, and how far one step of a tuner goes.
    """
    free = ~fixed_weights(layout)
    total = np.abs(weights[free]).sum()
    if not total > 0:
        raise OptionError("all weights are 0: tuning needs a better place to begin")
    return np.where(free, weights / total, weights)


class _Run:
    """One run of tuning, iteration by iteration."""

    def __init__(
        self,
        decoder: Decoder,
        text: Development,
        method: Method,
        options: TuningOptions | None,
        seed: int,
        n_jobs: int | None,
    ) -> None:
        self._decoder = decoder
        self._text = text
        self._method = method
        self._options = options or TuningOptions()
        self._seed = check_seed(seed)
        self._n_jobs = n_jobs
        self._fixed = fixed_weights(decoder.layout)
        self._weights = normalised(decoder.weights, decoder.layout)
        self._pool = Pool(len(text), len(decoder.layout))
        self.iterations: list[Iteration] = []
        self.stopped = ""

    def iterate(self, *, progress: bool) -> Iteration:
        """Decode and tune once."""
        began = time.perf_counter()
        number = len(self.iterations) + 1
        rows, bleu = self._text.decode(
            self._decoder.with_weights(self._weights),
            self._options.nbest,
            n_jobs=self._n_jobs,
            progress=progress,
        )
        new = self._pool.add(rows)
        following = self._tuned(number)
        self.iterations.append(
            Iteration(
                number,
                self._weights,
                100 * bleu,
                len(new),
                len(self._pool),
                float(np.abs(following - self._weights).sum()),
                time.perf_counter() - began,
                peak_megabytes(),
            )
        )
        self._weights = following
        self.stopped = self._why_stop()
        return self.iterations[-1]

    def _tuned(self, number: int) -> Vector:
        rng = np.random.default_rng((self._seed, number))
        options, pool, before, fixed = self._options, self._pool, self._weights, self._fixed
        if self._method == "mira":
            found = mira(pool, before, options.mira, rng, fixed=fixed)
        elif self._method == "pro":
            found = pro(pool, before, options.pro, rng, fixed=fixed, n_jobs=self._n_jobs)
        else:
            found = mert(pool, before, options.mert, rng, fixed=fixed, n_jobs=self._n_jobs)
        return normalised(found, self._decoder.layout)

    def _why_stop(self) -> str:
        """Return the reason for no further iteration, if there is one."""
        last = self.iterations[-1]
        # Of those that were tuned: the first lists are too much alike, and what they teach is often
        # worse than the start.
        best = max(self.iterations[1:], key=lambda iteration: iteration.bleu, default=last)
        if not last.new:
            return "no new translations"
        if last.change < self._options.tolerance:
            return "the weights do not change"
        if last.number - best.number >= self._options.patience:
            return f"no better BLEU in {self._options.patience} iterations"
        if last.number >= self._options.iterations:
            return f"{last.number} iterations"
        return ""
