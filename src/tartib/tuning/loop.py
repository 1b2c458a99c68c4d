"""`tune`: weights for the best BLEU on a development set, found iteration by iteration."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from tartib.decoder import Decoder
from tartib.decoder.features import UNKNOWN_PENALTY, FeatureLayout, Vector
from tartib.engine import check_seed
from tartib.errors import OptionError
from tartib.models.trace import peak_megabytes
from tartib.signature import signature
from tartib.tuning.checkpoints import Checkpoints, Finished
from tartib.tuning.development_set import DevelopmentSet
from tartib.tuning.iteration import Iteration, TuningResult, TuningRuns
from tartib.tuning.mert import mert
from tartib.tuning.mira import mira
from tartib.tuning.options import TUNERS, Tuner, TuningOptions
from tartib.tuning.pool import DAMAGED, Mask, Pool
from tartib.tuning.pro import pro
from tartib.wording import counted

Report = Callable[[Iteration], None]
Validation = tuple[Sequence[str], Sequence[Sequence[str]]]  # source and references


def tune(
    decoder: Decoder,
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    tuner: Tuner = "mira",
    options: TuningOptions | None = None,
    validation: Validation | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    folder: str | Path | None = None,
    models: Mapping[str, str] | None = None,
    progress: bool = False,
    report: Report | None = None,
) -> TuningResult:
    """Find the weights with which a decoder gets the best BLEU on a development set.

    Parameters
    ----------
    decoder
        Tuning starts from its weights.
    source, references
        The development set: sentences, and one list of their translations, or several.
    tuner
        ``mira``, ``pro`` or ``mert``; the last one only without sparse features.
    options
        Of tuning and of the tuners.
    validation
        Other sentences, and one list of their translations, or several. Nothing is learnt from
        them: they are decoded in each iteration, and the weights that are best on them are taken,
        so that tuning stops before it fits to the development set alone.
    seed
        The same seed gives the same weights, on any number of threads.
    n_jobs
        Threads; None for all cores.
    folder
        Keeps finished iterations. If it has some, tuning continues after the last one, with the
        same result as if it had never stopped.
    models
        What identifies the decoder's models, such as `System.state`. A folder of other models,
        options or texts is an error.
    progress
        Show progress bars on a terminal.
    report
        Called with each iteration, those found in the folder included.
    """
    dev = DevelopmentSet(decoder, source, references)
    task = _Task(decoder, dev, tuner, options, n_jobs, validation)
    settings = {**task.settings(source, references), "models": dict(models or {})}
    if validation is not None:
        settings["validation"] = [_digest(lines) for lines in (validation[0], *validation[1])]
    return task.run(seed, folder, settings, progress=progress, report=report)


def tune_runs(
    decoder: Decoder,
    source: Sequence[str],
    references: Sequence[Sequence[str]],
    *,
    runs: int = 3,
    seed: int = 0,
    folder: str | Path | None = None,
    **others: Any,  # noqa: ANN401
) -> TuningRuns:
    """Tune several times, with ``seed``, ``seed`` + 1 and so on; parameters as in `tune`."""
    if runs < 1:
        raise OptionError(f"runs must be 1 or more: {runs}")
    found = []
    for number in range(seed, seed + runs):
        place = None if folder is None else Path(folder, f"seed-{number}")
        found.append(tune(decoder, source, references, seed=number, folder=place, **others))
    return TuningRuns(tuple(found))


def fixed_weights(layout: FeatureLayout) -> Mask:
    """Return which weights are not tuned: the penalty of unknown words.

    Nearly all translations of a sentence have the same unknown words, so n-best lists say nothing
    about their penalty.
    """
    fixed = np.zeros(len(layout), bool)
    fixed[layout.slice(UNKNOWN_PENALTY)] = True
    return fixed


def normalised(weights: Vector, layout: FeatureLayout) -> Vector:
    """Return weights scaled so that the absolute values of the dense ones that are tuned sum to 1.

    The scale does not change which translation is best, but it changes what the beam threshold
    drops, and how large a step of a tuner is.
    """
    free = ~fixed_weights(layout)
    total = np.abs(weights[: layout.n_dense][free[: layout.n_dense]]).sum()
    if not total > 0:
        raise OptionError("all dense weights are 0: give the system other weights to start from")
    return np.where(free, weights / total, weights)


class _Task:
    """Decoder, development set and options: the same for all seeds."""

    def __init__(
        self,
        decoder: Decoder,
        dev: DevelopmentSet,
        tuner: Tuner,
        options: TuningOptions | None,
        n_jobs: int | None,
        validation: Validation | None,
    ) -> None:
        if tuner not in TUNERS:
            raise OptionError(f"the tuner is one of {', '.join(TUNERS)}, not {tuner!r}")
        if tuner == "mert" and decoder.layout.sparse:
            raise OptionError(
                f"MERT cannot tune {len(decoder.layout.sparse):,} sparse features: choose mira or "
                "pro, or leave them out"
            )
        self.decoder = decoder
        self.dev = dev
        self.validation = None if validation is None else DevelopmentSet(decoder, *validation)
        self.tuner = tuner
        self.options = options or TuningOptions()
        self.n_jobs = n_jobs
        self.layout = decoder.layout
        self.start = normalised(decoder.weights, self.layout)

    def settings(
        self, source: Sequence[str], references: Sequence[Sequence[str]]
    ) -> dict[str, Any]:
        """Return what the result depends on, except the seed."""
        return {
            "program": signature(),
            "source": _digest(source),
            "references": [_digest(lines) for lines in references],
            "tuner": self.tuner,
            "options": self.options.model_dump(),
            "search": self.decoder.options.model_dump(by_alias=True),
            "weights": self.decoder.weights_by_name,
            "features": {"dense": dict(self.layout.sizes), "sparse": _digest(self.layout.sparse)},
        }

    def run(
        self,
        seed: int,
        folder: str | Path | None,
        settings: Mapping[str, Any],
        *,
        progress: bool,
        report: Report | None,
    ) -> TuningResult:
        run = _Run(self, check_seed(seed))
        with ExitStack() as stack:
            kept = None
            if folder is not None:
                kept = stack.enter_context(Checkpoints(folder, {**settings, "seed": seed}))
                for finished in kept.load(self.layout):
                    run.take(finished)
                    if report is not None:
                        report(finished.iteration)
            while not run.stopped:
                finished = run.iterate(progress=progress)
                if kept is not None:
                    kept.save(finished)
                if report is not None:
                    report(finished.iteration)
        return TuningResult(self.layout, tuple(run.iterations), run.stopped)


class _Run:
    """One run, iteration by iteration."""

    def __init__(self, task: _Task, seed: int) -> None:
        self._task = task
        self._seed = seed
        self._weights = task.start
        self._pool = Pool(len(task.dev), task.layout.n_dense, len(task.layout.sparse))
        self._fixed = fixed_weights(task.layout)
        self.iterations: list[Iteration] = []
        self.stopped = ""

    def take(self, finished: Finished) -> None:
        """Continue after an iteration that was kept."""
        try:
            self._pool.add(finished.rows)
        except ValueError as error:  # of native code, which looks at all arrays
            number = finished.iteration.number
            raise OptionError(f"iteration {number} cannot be read ({error}): {DAMAGED}") from None
        self._end(finished)

    def iterate(self, *, progress: bool) -> Finished:
        """Decode and tune once."""
        began = time.perf_counter()
        task, number = self._task, len(self.iterations) + 1
        decoder = task.decoder.with_weights(self._weights)
        how: dict[str, Any] = {"n_jobs": task.n_jobs, "progress": progress}
        rows, bleu = task.dev.decode(decoder, task.options.nbest_size, **how)
        validation_bleu = None
        if task.validation is not None:
            validation_bleu = 100 * task.validation.decode(decoder, 1, **how)[1]
        new = self._pool.add(rows)
        following = self._tuned(number)
        iteration = Iteration(
            self._seed,
            number,
            self._weights,
            100 * bleu,
            len(new),
            len(self._pool),
            float(np.abs(following - self._weights).sum()),
            time.perf_counter() - began,
            peak_megabytes(),
            validation_bleu,
        )
        finished = Finished(iteration, following, new)
        self._end(finished)
        return finished

    def _end(self, finished: Finished) -> None:
        self.iterations.append(finished.iteration)
        self._weights = finished.following
        self.stopped = self._why_stop()

    def _tuned(self, number: int) -> Vector:
        task, pool, before, fixed = self._task, self._pool, self._weights, self._fixed
        rng = np.random.default_rng((self._seed, number))
        if task.tuner == "mira":
            found = mira(pool, before, task.options.mira, rng, fixed=fixed)
        elif task.tuner == "pro":
            found = pro(pool, before, task.options.pro, rng, fixed=fixed)
        else:
            found = mert(pool, before, task.options.mert, rng, fixed=fixed, n_jobs=task.n_jobs)
        return normalised(found, task.layout)

    def _why_stop(self) -> str:
        """Return the reason for no further iteration, if there is one."""
        last, options = self.iterations[-1], self._task.options
        # The start does not count: what the first lists teach is often worse, so alike are they.
        best = max(self.iterations[1:], key=lambda iteration: iteration.judged, default=last)
        if not last.new:
            return "no new translations"
        if last.change < options.tol:
            return "the weights do not change"
        if last.number - best.number >= options.patience:
            return f"no better BLEU in {options.patience} iterations"
        if last.number >= options.iterations:
            return f"{counted(last.number, 'iteration')} done"
        return ""


def _digest(lines: Sequence[str]) -> str:
    text = "".join(f"{line}\n" for line in lines)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:16]
