from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_SENTENCE_LENGTH: int
MONO: int
SWAP: int
DRIGHT: int
DLEFT: int
WORD: int
PHRASE: int
HIER: int
PREVIOUS: int
NEXT: int

Names = tuple[str, str, str, str] | None

class Vocabulary:
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def intern(self, word: bytes) -> int: ...
    def find(self, word: bytes) -> int: ...
    def word(self, id: int) -> bytes: ...
    def add_lines(self, lines: bytes) -> int: ...
    def join(self) -> bytes: ...

def encode_block(
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    source: bytes,
    target: bytes,
    alignment: bytes | None,
    max_length: int,
    skip_empty: bool,
) -> dict[str, Any]: ...
def orientation_shift(model: int, direction: int) -> int: ...
def extract_phrases(
    source_offsets: NDArray[np.int64],
    target_offsets: NDArray[np.int64],
    links: NDArray[np.uint32],
    link_offsets: NDArray[np.int64],
    max_length: int,
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def moses_lines(
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    source_ids: NDArray[np.int32],
    source_offsets: NDArray[np.int64],
    target_ids: NDArray[np.int32],
    target_offsets: NDArray[np.int64],
    links: NDArray[np.uint32],
    link_offsets: NDArray[np.int64],
    pairs: NDArray[np.uint64],
    pair_offsets: NDArray[np.int64],
    word: Names,
    phrase: Names,
    hier: Names,
) -> tuple[bytes, bytes, bytes]: ...
