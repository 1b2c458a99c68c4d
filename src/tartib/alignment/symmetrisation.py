"""Symmetrisation: the links of two directions become one alignment."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from tartib import _native, ragged
from tartib.alignment.links import Links
from tartib.engine import map_ordered
from tartib.errors import OptionError, native_refusals
from tartib.ragged import Offsets

_HEURISTICS = {
    "grow-diag-final-and": _native.Heuristic.GROW_DIAG_FINAL_AND,
    "grow-diag-final": _native.Heuristic.GROW_DIAG_FINAL,
    "grow-diag": _native.Heuristic.GROW_DIAG,
    "grow": _native.Heuristic.GROW,
    "och": _native.Heuristic.OCH,
    "union": _native.Heuristic.UNION,
    "intersection": _native.Heuristic.INTERSECTION,
}
HEURISTICS = tuple(_HEURISTICS)
DEFAULT_HEURISTIC = HEURISTICS[0]
_CHUNK = 10_000  # sentences: enough for the cores to share, few enough for memory

_Chunk = tuple[Links, Links, Offsets, Offsets]


def symmetrise(
    forward: Links,
    backward: Links,
    source_lengths: ArrayLike,
    target_lengths: ArrayLike,
    heuristic: str = DEFAULT_HEURISTIC,
    *,
    n_jobs: int | None = None,
) -> Links:
    """Combine the links of two directions.

    Parameters
    ----------
    forward, backward
        The links of the same sentences, in each direction; a word may have several. Some
        heuristics look at those of ``forward`` first.
    source_lengths, target_lengths
        Number of words of each sentence, at most 65,535.
    heuristic
        ``intersection``: links of both directions, few and good. ``union``: links of either. The
        others start from the intersection and add links of the union: ``grow`` those beside a
        link, if one of the two words has none yet; ``grow-diag`` diagonal neighbours, too;
        ``grow-diag-final`` then those of which one word has no link yet, and
        ``grow-diag-final-and`` those of which neither has; ``och`` those beside a link, or of two
        words without any.
    n_jobs
        Number of threads; None for all cores. The result is the same for any number.

    Returns
    -------
    Links
        Those of each sentence by source and target position.
    """
    check_heuristic(heuristic)
    offsets = ragged.offsets_of(source_lengths), ragged.offsets_of(target_lengths)
    if not len(forward) == len(backward) == len(offsets[0]) - 1 == len(offsets[1]) - 1:
        raise OptionError(
            f"links and lengths are not of the same sentences: {len(forward):,} forward, "
            f"{len(backward):,} backward, lengths of {len(offsets[0]) - 1:,} and "
            f"{len(offsets[1]) - 1:,} given"
        )
    chunks = _chunks(forward, backward, *offsets)
    parts = list(map_ordered(partial(_symmetrise, heuristic=heuristic), chunks, n_jobs))
    return Links.join(parts)


def check_heuristic(heuristic: str) -> None:
    """Refuse a name that is not in `HEURISTICS`."""
    if heuristic not in HEURISTICS:
        raise OptionError(f"unknown heuristic {heuristic!r}: it is one of {', '.join(HEURISTICS)}")


def _chunks(
    forward: Links, backward: Links, source_offsets: Offsets, target_offsets: Offsets
) -> Iterator[_Chunk]:
    for begin in range(0, len(forward), _CHUNK):
        end = min(begin + _CHUNK, len(forward))
        own = slice(begin, end + 1)
        links = forward.slice(begin, end), backward.slice(begin, end)
        yield *links, source_offsets[own], target_offsets[own]


def _symmetrise(chunk: _Chunk, heuristic: str) -> Links:
    forward, backward, source_offsets, target_offsets = chunk
    with native_refusals():
        packed, cuts = _native.symmetrise(
            source_offsets,
            target_offsets,
            forward.packed,
            forward.offsets,
            backward.packed,
            backward.offsets,
            _HEURISTICS[heuristic],
        )
    return Links(packed.view(np.uint16).reshape(-1, 2), cuts)
