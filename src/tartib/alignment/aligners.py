"""`align`: which aligner is asked, and what it may be asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from tartib import _native
from tartib.alignment.joint import AlignmentModel, check_probabilities
from tartib.alignment.lexicon import Lexicon
from tartib.alignment.symmetrisation import DEFAULT_HEURISTIC, check_heuristic, symmetrise
from tartib.bitext import Bitext
from tartib.engine import check_seed, count_jobs
from tartib.errors import OptionError

DEFAULT_ALIGNER = "joint"
# Those of sil-thot, each with the longest sentence that it aligns; longer ones it passes over
# silently.
_THOT = {
    "eflomal": 1024,
    "fast_align": 1024,
    "ibm1": 1024,
    "hmm": 200,
    "ibm3": 200,
    "ibm4": 200,
}
# All, each with the longest sentence that it aligns.
ALIGNERS = {DEFAULT_ALIGNER: _native.MAX_SENTENCE_LENGTH, **_THOT}
DEFAULT_SEED = 1
DEFAULT_SAMPLERS = 3


def align(
    bitext: Bitext,
    aligner: str = DEFAULT_ALIGNER,
    heuristic: str = DEFAULT_HEURISTIC,
    *,
    keys: Bitext | None = None,
    priors: Lexicon | AlignmentModel | str | Path | None = None,
    attach: float | None = None,
    min_probability: float | None = None,
    seed: int = DEFAULT_SEED,
    samplers: int = DEFAULT_SAMPLERS,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Bitext:
    """Align the words of a bitext, whatever links it had.

    Parameters
    ----------
    bitext
        The text. Models learn from this text alone, so some thousand sentence pairs are needed; to
        align with what was learnt from another text, see `AlignmentModel`.
    aligner
        ``joint`` (default): both directions at once. With sil-thot (``pip install tartib[thot]``)
        also ``eflomal``, ``fast_align``, ``ibm1``, ``hmm``, ``ibm3`` and ``ibm4``, which start
        processes, so that a script needs the guard ``if __name__ == "__main__"``.
    heuristic
        How the two directions are combined; see `symmetrise`.
    keys
        The same sentences in other tokens, such as stems, which are aligned in place of the words.
    priors
        For ``joint``: words that are known to translate one another; see `AlignmentModel.train`.
    attach, min_probability
        For ``joint``: links for words that have none, and the least probability of a link; see
        `AlignmentModel.align`.
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
    own = {"priors": priors, "attach": attach, "min_probability": min_probability}
    check_options(aligner, heuristic, seed=seed, samplers=samplers, joint_only=own)
    check_probabilities(attach=attach, min_probability=min_probability)
    if keys is not None:
        check_keys(bitext, keys)
    text = bitext if keys is None else keys
    _check_lengths(text, aligner)
    if len(bitext) == 0:
        return replace(bitext, aligned=True)
    if aligner == DEFAULT_ALIGNER:
        model = AlignmentModel.train(text, priors=priors, n_jobs=n_jobs, progress=progress)
        found = model.align(
            text,
            heuristic,
            attach=attach,
            min_probability=min_probability,
            n_jobs=n_jobs,
            progress=progress,
        )
        return with_links_of(bitext, found.bitext)
    from tartib.alignment.thot import align_directions

    workers = count_jobs(n_jobs)
    forward, backward = align_directions(
        text, aligner, seed=seed, samplers=samplers, workers=workers, progress=progress
    )
    lengths = (bitext.source.lengths, bitext.target.lengths)
    links = symmetrise(forward, backward, *lengths, heuristic, n_jobs=n_jobs)
    return replace(bitext, links=links.positions, link_offsets=links.offsets, aligned=True)


def with_links_of(bitext: Bitext, other: Bitext) -> Bitext:
    """Return a text with the links of its keys."""
    return replace(bitext, links=other.links, link_offsets=other.link_offsets, aligned=True)


def check_options(
    aligner: str,
    heuristic: str,
    *,
    seed: int,
    samplers: int,
    joint_only: Mapping[str, object] | None = None,
) -> None:
    """Refuse what `align` would refuse, before any text is read.

    Options that only the aligner joint has are None if they are not given.
    """
    if aligner not in ALIGNERS:
        raise OptionError(f"unknown aligner {aligner!r}: it is one of {', '.join(ALIGNERS)}")
    if aligner in _THOT and find_spec("thot") is None:
        raise OptionError(
            f"{aligner} needs sil-thot: pip install 'tartib[thot]', or take the aligner joint"
        )
    given = [name for name, value in (joint_only or {}).items() if value is not None]
    if aligner in _THOT and given:
        raise OptionError(f"{aligner} takes no {given[0]}: only {DEFAULT_ALIGNER} does")
    check_heuristic(heuristic)
    if samplers < 1:
        raise OptionError(f"samplers must be 1 or more, got {samplers}")
    check_seed(seed)


def check_keys(bitext: Bitext, keys: Bitext) -> None:
    """Refuse keys that are not token by token those of the text."""
    if len(bitext) != len(keys) or not np.array_equal(bitext.lines, keys.lines):
        raise OptionError(
            f"the keys are not those of the text: {len(keys):,} sentence pairs with keys were "
            f"read, and {len(bitext):,} of the text"
        )
    for side, text, other in (
        ("source", bitext.source, keys.source),
        ("target", bitext.target, keys.target),
    ):
        differing = np.flatnonzero(text.lengths != other.lengths)
        if len(differing):
            at = int(differing[0])
            raise OptionError(
                f"line {bitext.lines[at]:,} has {text.lengths[at]} {side} words, and "
                f"{other.lengths[at]} keys: there must be a key for each word"
            )


def _check_lengths(bitext: Bitext, aligner: str) -> None:
    for text in (bitext.source, bitext.target):
        longest = int(text.lengths.max(initial=0))
        if longest > ALIGNERS[aligner]:
            raise OptionError(
                f"{aligner} aligns sentences of at most {ALIGNERS[aligner]} tokens, and there "
                f"is one of {longest}: read the text with a lower limit, or take another aligner"
            )
