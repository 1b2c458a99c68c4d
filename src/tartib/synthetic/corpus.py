"""The corpus as a stream of blocks; each block depends only on the seed and its number."""

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import index as as_int

from tartib.synthetic.sentences import SentencePair, sentence

BLOCK_SIZE = 1000


def _integer(value: int, name: str) -> int:
    """Accept any integer type and nothing else."""
    try:
        return as_int(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None


def _count(value: int, name: str) -> int:
    """Accept any integer that is not negative."""
    number = _integer(value, name)
    if number < 0:
        raise ValueError(f"{name} must not be negative, got {number}")
    return number


def _stream(index: int, seed: int) -> Iterator[SentencePair]:
    # A string seed is hashed with SHA-512: the same numbers in every process and Python version.
    draw = random.Random(f"tartib.synthetic {seed} {index}").random  # noqa: S311
    return (sentence(draw) for _ in range(BLOCK_SIZE))


def block(index: int, seed: int = 0) -> list[SentencePair]:
    """Make one block of the corpus, without making the blocks before it.

    Parameters
    ----------
    index
        Number of the block, from 0.
    seed
        Which corpus; every integer gives a different one.

    Returns
    -------
    list of SentencePair
        Pairs ``index * BLOCK_SIZE`` to ``(index + 1) * BLOCK_SIZE - 1`` of the corpus.
    """
    return list(_stream(_count(index, "index"), _integer(seed, "seed")))


def generate(pairs: int, seed: int = 0) -> Iterator[SentencePair]:
    """Make the first ``pairs`` sentence pairs of the corpus, one at a time.

    Parameters
    ----------
    pairs
        Number of sentence pairs; a longer stream begins with the shorter one.
    seed
        Which corpus; every integer gives a different one.

    Yields
    ------
    SentencePair
        Arabic tokens, English tokens and the word alignment.

    Raises
    ------
    ValueError
        If ``pairs`` is negative.
    TypeError
        If ``pairs`` or ``seed`` is not an integer.
    """
    total, seed = _count(pairs, "pairs"), _integer(seed, "seed")
    blocks = range(-(-total // BLOCK_SIZE))
    return islice((pair for index in blocks for pair in _stream(index, seed)), total)


def lines(pairs: Sequence[SentencePair]) -> tuple[bytes, bytes, bytes]:
    """Format pairs as the three files of a word-aligned corpus.

    Parameters
    ----------
    pairs
        The sentence pairs, such as one block.

    Returns
    -------
    source, target, alignment : bytes
        UTF-8, one line per pair, tokens separated by one space; the alignment in the Pharaoh
        format ``i-j``.
    """
    source = "".join([" ".join(pair.source) + "\n" for pair in pairs])
    target = "".join([" ".join(pair.target) + "\n" for pair in pairs])
    links = "".join([" ".join([f"{i}-{j}" for i, j in pair.links]) + "\n" for pair in pairs])
    return source.encode(), target.encode(), links.encode()
