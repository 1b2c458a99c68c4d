"""`align`: which aligner is asked, and what it may be asked."""

from __future__ import annotations

from dataclasses import replace

from tartib.alignment.symmetrisation import check_heuristic, symmetrise
from tartib.bitext import Bitext
from tartib.engine import check_seed, count_jobs
from tartib.errors import OptionError

# The models, each with the longest sentence that thot aligns; longer ones it passes over silently.
ALIGNERS = {
    "eflomal": 1024,
    "fast_align": 1024,
    "ibm1": 1024,
    "hmm": 200,
    "ibm3": 200,
    "ibm4": 200,
}
DEFAULT_ALIGNER = "eflomal"
DEFAULT_SEED = 1
DEFAULT_SAMPLERS = 3


def align(
    bitext: Bitext,
    aligner: str = DEFAULT_ALIGNER,
    heuristic: str = "grow-diag-final-and",
    *,
    seed: int = DEFAULT_SEED,
    samplers: int = DEFAULT_SAMPLERS,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Bitext:
    """Align the words of a bitext, whatever links it had.

    A script that calls this needs the guard ``if __name__ == "__main__"``, since processes are
    started.

    Parameters
    ----------
    bitext
        The text. Models learn from this text alone, so some thousand sentence pairs are needed.
    aligner
        ``eflomal`` (default), ``fast_align``, ``ibm1``, ``hmm``, ``ibm3`` or ``ibm4``.
    heuristic
        How the two directions are combined; see `symmetrise`.
    seed
        For ``eflomal``, which draws samples; the others are not random.
    samplers
        For ``eflomal``: how many independent chains are averaged. Time grows in proportion: 1 is
        fast, 3 good, 5 a little better.
    n_jobs
        Number of cores, None for all. The result is the same for any number.
    progress
        Show a progress bar on a terminal.

    Returns
    -------
    Bitext
        The same text with links.
    """
    check_options(aligner, heuristic, seed=seed, samplers=samplers)
    _check_lengths(bitext, aligner)
    if len(bitext) == 0:
        return replace(bitext, aligned=True)
    from tartib.alignment.thot import align_directions

    workers = count_jobs(n_jobs)
    forward, backward = align_directions(
        bitext, aligner, seed=seed, samplers=samplers, workers=workers, progress=progress
    )
    lengths = (bitext.source.lengths, bitext.target.lengths)
    links = symmetrise(forward, backward, *lengths, heuristic, n_jobs=n_jobs)
    return replace(bitext, links=links.positions, link_offsets=links.offsets, aligned=True)


def check_options(aligner: str, heuristic: str, *, seed: int, samplers: int) -> None:
    """Refuse what `align` would refuse, before any text is read."""
    if aligner not in ALIGNERS:
        raise OptionError(f"unknown aligner {aligner!r}: it is one of {', '.join(ALIGNERS)}")
    check_heuristic(heuristic)
    if samplers < 1:
        raise OptionError(f"samplers must be 1 or more, got {samplers}")
    check_seed(seed)


def _check_lengths(bitext: Bitext, aligner: str) -> None:
    for text in (bitext.source, bitext.target):
        longest = int(text.lengths.max(initial=0))
        if longest > ALIGNERS[aligner]:
            raise OptionError(
                f"{aligner} aligns sentences of at most {ALIGNERS[aligner]} tokens, and there "
                f"is one of {longest}: read the text with a lower limit, or take another aligner"
            )
