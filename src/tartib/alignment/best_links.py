"""From what each word believes in most to the links of a text, and how probable they are.

The native pass (``native/alignment/joint.hpp``) gives what words believe in; here both sides are
symmetrised, and words that are left without a link are attached if that is asked for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tartib import ragged
from tartib.alignment.links import Links
from tartib.alignment.symmetrisation import symmetrise
from tartib.bitext import Bitext, Text
from tartib.ragged import Offsets

Probabilities = NDArray[np.float32]


class BestLinks(NamedTuple):
    """What each word of one side believes in most; position -1 is none.

    Attributes
    ----------
    positions, probabilities
        Of links that are probable enough, which both directions count for.
    own_positions, own_probabilities
        By the posteriors of the word's own direction alone.
    """

    positions: NDArray[np.int32]
    probabilities: Probabilities
    own_positions: NDArray[np.int32]
    own_probabilities: Probabilities


def choose_links(
    part: Bitext, forward: BestLinks, backward: BestLinks, heuristic: str, threads: int
) -> tuple[Links, Probabilities]:
    """Symmetrise what target words (forward) and source words (backward) believe in most."""
    to_source = Links.of_targets(forward.positions + 1, _offsets(part.target))
    to_target = Links.of_targets(backward.positions + 1, _offsets(part.source))
    lengths = (part.source.lengths, part.target.lengths)
    links = symmetrise(to_source, to_target.turned(), *lengths, heuristic, n_jobs=threads)
    source, target = _words_of(links, part)
    is_forward = forward.positions[target] == links.positions[:, 0]
    sure = np.where(is_forward, forward.probabilities[target], backward.probabilities[source])
    return links, sure


def attach_words(
    part: Bitext,
    links: Links,
    sure: Probabilities,
    best: tuple[BestLinks, BestLinks],
    least: float,
) -> tuple[Links, Probabilities]:
    """Link each word without a link to what its own direction believes in most.

    That direction must give it a posterior of ``least`` or more, which is the link's probability;
    the larger one, if the words of both sides choose each other.
    """
    forward, backward = best
    source, target = _words_of(links, part)
    free_targets, to_source = _attached(forward, target, least)
    free_sources, to_target = _attached(backward, source, least)
    target_sentences, target_positions = _places(free_targets, part.target)
    source_sentences, source_positions = _places(free_sources, part.source)
    sentence = np.concatenate((ragged.owners_of(links.offsets), target_sentences, source_sentences))
    i = np.concatenate((links.positions[:, 0], to_source, source_positions))
    j = np.concatenate((links.positions[:, 1], target_positions, to_target))
    p = np.concatenate(
        (sure, forward.own_probabilities[free_targets], backward.own_probabilities[free_sources])
    )
    order = np.lexsort((-p, j, i, sentence))
    places = np.column_stack((sentence, i, j))[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (places[1:] != places[:-1]).any(1)
    places, p = places[new], p[order][new]
    offsets = ragged.offsets_of(np.bincount(places[:, 0], minlength=len(links)))
    return Links(places[:, 1:].astype(np.uint16), offsets), p


def _attached(
    best: BestLinks, linked: NDArray[np.int64], least: float
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the words that can be attached, and the positions that they are attached to."""
    free = best.own_positions >= 0
    free &= best.own_probabilities >= np.float32(least)
    free[linked] = False
    words = np.flatnonzero(free)
    return words, best.own_positions[words]


def _offsets(side: Text) -> Offsets:
    offsets: Offsets = side.offsets - side.offsets[0]
    return offsets


def _words_of(links: Links, part: Bitext) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the source and the target word of each link, by their places in the part."""
    sentence = ragged.owners_of(links.offsets)
    source = links.positions[:, 0] + _offsets(part.source)[sentence]
    target = links.positions[:, 1] + _offsets(part.target)[sentence]
    return source, target


def _places(words: NDArray[np.int64], side: Text) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the sentence of each word, and its position there."""
    offsets = _offsets(side)
    sentences = ragged.owners_of(offsets)[words]
    return sentences, words - offsets[sentences]
