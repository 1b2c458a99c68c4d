from enum import Enum, IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_SENTENCE_LENGTH: int
MOST_LINKS: int
MAX_PHRASE_LENGTH: int
MONO: int
SWAP: int
DRIGHT: int
DLEFT: int
WORD: int
PHRASE: int
HIER: int
BACKWARD: int
FORWARD: int
FORWARD_MOSES: int

Names = tuple[str, str, str, str] | None

def watch_mapping(bytes: NDArray[np.uint8], path: str) -> int: ...
def forget_mapping(number: int) -> None: ...
def cut_files() -> list[str]: ...
def limit_stopping(seconds: float) -> None: ...
def stopping_told() -> None: ...
def cancel_stopping() -> None: ...

class TextDefect(Enum):
    NONE = ...
    INVALID_UTF8 = ...
    NUL_BYTE = ...
    EMPTY_LINE = ...
    RESERVED_TOKEN = ...
    MALFORMED_LINK = ...
    LINK_BEYOND_SOURCE = ...
    LINK_BEYOND_TARGET = ...
    MISSING_LINE = ...

class Vocabulary:
    def __init__(self) -> None: ...
    def __len__(self) -> int: ...
    def intern(self, word: bytes) -> int: ...
    def find(self, word: bytes) -> int: ...
    def word(self, id: int) -> bytes: ...
    def add_lines(self, lines: bytes) -> int: ...
    def join(self) -> bytes: ...

def encode_lines(
    vocabulary: Vocabulary, lines: bytes
) -> tuple[NDArray[np.int32], NDArray[np.int64], str]: ...
def encode_block(
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    source: bytes,
    target: bytes,
    alignment: bytes | None,
    max_sentence_length: int,
    skip_empty: bool,
) -> dict[str, Any]: ...

class AlignmentText:
    def __init__(
        self,
        source_ids: NDArray[np.int32],
        source_offsets: NDArray[np.int64],
        source_words: int,
        target_ids: NDArray[np.int32],
        target_offsets: NDArray[np.int64],
        target_words: int,
    ) -> None: ...
    @property
    def sentences(self) -> int: ...

class AlignmentLikelihood:
    @property
    def source_tokens(self) -> int: ...
    @property
    def target_tokens(self) -> int: ...
    @property
    def forward(self) -> float: ...
    @property
    def backward(self) -> float: ...

_Best = tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.int32], NDArray[np.float32]]

class JointAligner:
    def __init__(self, source_words: int, target_words: int) -> None: ...
    @property
    def size(self) -> int: ...
    def find_candidates(
        self,
        text: AlignmentText,
        width: int,
        sources: NDArray[np.uint32],
        targets: NDArray[np.uint32],
        weights: NDArray[np.float32],
        priors: NDArray[np.float32],
        threads: int,
    ) -> None: ...
    def restore(
        self,
        sources: NDArray[np.uint32],
        targets: NDArray[np.uint32],
        counts: NDArray[np.float32],
        priors: NDArray[np.float32],
        source_counts: NDArray[np.float64],
        source_null_counts: NDArray[np.float64],
        target_counts: NDArray[np.float64],
        target_null_counts: NDArray[np.float64],
        forward_jumps: NDArray[np.float64],
        backward_jumps: NDArray[np.float64],
    ) -> None: ...
    def count(
        self, text: AlignmentText, begin: int, end: int, with_jumps: bool, threads: int
    ) -> AlignmentLikelihood: ...
    def maximise(self, with_jumps: bool, threads: int) -> None: ...
    def align(
        self, text: AlignmentText, begin: int, end: int, least: float, threads: int
    ) -> tuple[_Best, _Best]: ...
    def posteriors(
        self, text: AlignmentText, sentence: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]: ...
    def cells(
        self, least: float
    ) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float32]]: ...
    def counts(self, source: bool) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def jumps(self, forward: bool) -> NDArray[np.float64]: ...

class Heuristic(Enum):
    GROW_DIAG_FINAL_AND = ...
    GROW_DIAG_FINAL = ...
    GROW_DIAG = ...
    GROW = ...
    OCH = ...
    UNION = ...
    INTERSECTION = ...

def symmetrise(
    source_offsets: NDArray[np.int64],
    target_offsets: NDArray[np.int64],
    forward: NDArray[np.uint32],
    forward_offsets: NDArray[np.int64],
    backward: NDArray[np.uint32],
    backward_offsets: NDArray[np.int64],
    heuristic: Heuristic,
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]: ...
def orientation_shift(model: int, direction: int) -> int: ...
def extract_phrases(
    source_offsets: NDArray[np.int64],
    target_offsets: NDArray[np.int64],
    links: NDArray[np.uint32],
    link_offsets: NDArray[np.int64],
    max_phrase_length: int,
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...

class PhraseBlock:
    def __init__(
        self,
        source_ids: NDArray[np.int32],
        source_offsets: NDArray[np.int64],
        target_ids: NDArray[np.int32],
        target_offsets: NDArray[np.int64],
        links: NDArray[np.uint32],
        link_offsets: NDArray[np.int64],
        pairs: NDArray[np.uint64],
        pair_offsets: NDArray[np.int64],
    ) -> None: ...

def moses_lines(
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    block: PhraseBlock,
    word: Names,
    phrase: Names,
    hier: Names,
) -> tuple[bytes, bytes, bytes]: ...

MAX_CONTEXT: int
MAX_DEGREE: int
MAX_HASH_BITS: int
MAX_WORD: int
WORD_BITS: int

class PhraseTemplate(Enum):
    ALL_WORDS = ...
    BOUNDARIES = ...
    ALIGNMENTS = ...

class FeatureKind(IntEnum):
    SOURCE_WORD = ...
    TARGET_WORD = ...
    SOURCE_FIRST = ...
    SOURCE_LAST = ...
    TARGET_FIRST = ...
    TARGET_LAST = ...
    LINK = ...
    LEFT_CONTEXT = ...
    RIGHT_CONTEXT = ...
    OF_CLASSES = ...

class FeatureTemplates:
    @staticmethod
    def make(
        phrase: PhraseTemplate,
        context: int,
        roles: bool,
        edges: bool,
        degrees: NDArray[np.int64],
        source_map: NDArray[np.int32],
        target_map: NDArray[np.int32],
        context_map: NDArray[np.int32],
        source_classes: NDArray[np.int32],
        target_classes: NDArray[np.int32],
        context_classes: NDArray[np.int32],
    ) -> FeatureTemplates: ...

class FeatureIndex:
    @staticmethod
    def of_keys(keys: NDArray[np.uint64]) -> FeatureIndex: ...
    @staticmethod
    def hashed(bits: int) -> FeatureIndex: ...

class FeatureSketch:
    @staticmethod
    def make(bits: int) -> FeatureSketch: ...
    def add(self, templates: FeatureTemplates, block: PhraseBlock) -> None: ...
    def merge(self, other: FeatureSketch) -> None: ...

class FeatureCounter:
    @staticmethod
    def make(sketch: FeatureSketch, cutoff: int, width: int) -> FeatureCounter: ...
    def add(self, templates: FeatureTemplates, block: PhraseBlock) -> None: ...
    def merge(self, other: FeatureCounter) -> None: ...
    def finish(self) -> tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.uint64]]: ...

Rows = tuple[NDArray[np.int64], NDArray[np.int32]]

def base_codes(
    templates: FeatureTemplates, block: PhraseBlock
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]: ...
def encode_rows(templates: FeatureTemplates, index: FeatureIndex, block: PhraseBlock) -> Rows: ...
def score_candidates(
    templates: FeatureTemplates,
    index: FeatureIndex,
    source: NDArray[np.int32],
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    target_ids: NDArray[np.int32],
    target_offsets: NDArray[np.int64],
    links: NDArray[np.uint32],
    link_offsets: NDArray[np.int64],
    weights: list[NDArray[np.float32]],
    classes: int,
) -> list[NDArray[np.float32]]: ...
def encode_candidates(
    templates: FeatureTemplates,
    index: FeatureIndex,
    source: NDArray[np.int32],
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    target_ids: NDArray[np.int32],
    target_offsets: NDArray[np.int64],
    links: NDArray[np.uint32],
    link_offsets: NDArray[np.int64],
) -> Rows: ...

class SvmlightDefect(Enum):
    NONE = ...
    LABEL = ...
    INDEX = ...
    VALUE = ...
    ORDER = ...

def collapse_rows(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    values: NDArray[np.float32] | None,
    labels: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]: ...
def write_svmlight(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    values: NDArray[np.float32] | None,
    labels: NDArray[np.int32],
    base: int,
) -> bytes: ...
def read_svmlight(text: bytes) -> dict[str, Any]: ...

SOURCE_SIDE: int
TARGET_SIDE: int
BOTH_SIDES: int

def word_hashes(vocabulary: Vocabulary) -> NDArray[np.uint64]: ...
def block_keys(
    block: PhraseBlock,
    source_hashes: NDArray[np.uint64],
    target_hashes: NDArray[np.uint64],
    sides: int,
) -> NDArray[np.uint64]: ...
def candidate_keys(
    source_hashes: NDArray[np.uint64],
    target_hashes: NDArray[np.uint64],
    sides: int,
    source: NDArray[np.int32],
    starts: NDArray[np.int64],
    lengths: NDArray[np.int64],
    target_ids: NDArray[np.int32],
    target_offsets: NDArray[np.int64],
) -> NDArray[np.uint64]: ...
def row_keys(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    values: NDArray[np.float32] | None,
) -> NDArray[np.uint64]: ...
def unique_keys(keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def find_keys(keys: NDArray[np.uint64], wanted: NDArray[np.uint64]) -> NDArray[np.int64]: ...

MOST_DERIVATIONS: int

def derivation_uses(
    block: PhraseBlock,
    keys: list[NDArray[np.uint64]],
    counts: list[NDArray[np.int32]],
    counted: NDArray[np.uint8],
    first_sentence: int,
    samples: int,
    seed: int,
    prices: tuple[float, float, float],
) -> NDArray[np.int32]: ...

class Samples:
    def __init__(
        self,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        values: NDArray[np.float32] | None,
        columns: int,
        intercept: bool,
    ) -> None: ...
    def check(self) -> None: ...

MAX_CLASSES: int
LANES: int
BLOCK_ROWS: int

def stride_of(classes: int) -> int: ...
def score_rows(
    samples: Samples,
    begin: int,
    end: int,
    weights: NDArray[Any],
    classes: int,
) -> NDArray[Any]: ...

class EpochStats:
    visited: int
    updated: int
    shrunk: int
    rounds: int
    damped: int
    gamma: float
    worst: float
    loss: float

class CheckStats:
    violators: int
    worst: float
    loss: float
    potential: float
    norm: float

class DualSolver:
    @staticmethod
    def svm(
        samples: Samples,
        y: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        classes: int,
        alpha: NDArray[Any],
        C: float,
        epsilon: float,
        shrink: bool,
        threads: int,
    ) -> DualSolver: ...
    @staticmethod
    def mlr(
        samples: Samples,
        y: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        classes: int,
        alpha: NDArray[Any],
        variance: float,
        exponentiated: bool,
        share: float,
        epsilon: float,
        shrink: bool,
        threads: int,
    ) -> DualSolver: ...
    @property
    def blocks(self) -> int: ...
    @property
    def norm(self) -> float: ...
    @property
    def potential(self) -> float: ...
    def run(self, blocks: NDArray[np.int64], length: int = 1) -> EpochStats: ...
    def run_rows(self, rows: NDArray[np.int64]) -> EpochStats: ...
    def check(self, begin: int, end: int, averaged: bool = False) -> CheckStats: ...
    def set_epsilon(self, epsilon: float) -> None: ...
    def set_least_cores(self, cores: float) -> None: ...
    def sum_weights(self, anew: bool = False) -> None: ...
    def activate(self) -> None: ...
    def refresh(self) -> None: ...
    def weights(self, averaged: bool = False) -> NDArray[Any]: ...

class LogLoss:
    def __init__(
        self,
        samples: Samples,
        y: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        classes: int,
        units: NDArray[np.float64],
        ridge: float,
        lasso: float,
        threads: int,
    ) -> None: ...
    @property
    def size(self) -> int: ...
    def evaluate(self, v: NDArray[np.float64], gradient: NDArray[np.float64]) -> float: ...

class Curvature:
    def __init__(self, size: int, history: int, threads: int) -> None: ...
    def __len__(self) -> int: ...
    def forget(self) -> None: ...
    def learn(
        self,
        x: NDArray[np.float64],
        next_x: NDArray[np.float64],
        gradient: NDArray[np.float64],
        next_gradient: NDArray[np.float64],
    ) -> None: ...
    def direction(self, slope: NDArray[np.float64], out: NDArray[np.float64]) -> None: ...

def pseudo_gradient(
    x: NDArray[np.float64],
    gradient: NDArray[np.float64],
    strength: NDArray[np.float64],
    out: NDArray[np.float64],
    threads: int,
) -> None: ...
def move(
    x: NDArray[np.float64],
    direction: NDArray[np.float64],
    length: float,
    slope: NDArray[np.float64],
    kinks: bool,
    out: NDArray[np.float64],
    threads: int,
) -> float: ...

class SgdSolver:
    def __init__(
        self,
        samples: Samples,
        y: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        classes: int,
        start: NDArray[np.float64],
        steps: float,
    ) -> None: ...
    @property
    def steps(self) -> float: ...
    def run(self, begins: NDArray[np.int64], length: int, eta0: float, lam: float) -> float: ...
    def weights(self) -> NDArray[np.float64]: ...

def count_features(
    samples: Samples,
    y: NDArray[np.int32],
    weights: NDArray[np.float64] | None,
    classes: int,
    presence: bool,
    threads: int,
) -> NDArray[np.float64]: ...

class PhraseTable:
    def __init__(
        self,
        source_ids: NDArray[np.int32],
        source_offsets: NDArray[np.int64],
        row_offsets: NDArray[np.int64],
        target_ids: NDArray[np.int32],
        target_offsets: NDArray[np.int64],
        links: NDArray[np.uint32],
        link_offsets: NDArray[np.int64],
        scores: NDArray[np.float32],
        slots: NDArray[np.uint64],
        n_scores: int,
        source_words: int,
        target_words: int,
    ) -> None: ...
    @property
    def phrases(self) -> int: ...
    @property
    def rows(self) -> int: ...
    @property
    def n_scores(self) -> int: ...
    @property
    def max_source_length(self) -> int: ...
    def check(self) -> None: ...
    def find(self, words: NDArray[np.int32]) -> int: ...
    def find_all(
        self, words: NDArray[np.int32], offsets: NDArray[np.int64]
    ) -> NDArray[np.int64]: ...
    def options(self, phrase: int) -> tuple[int, int]: ...
    def source(self, phrase: int) -> NDArray[np.int32]: ...
    def target(self, row: int) -> NDArray[np.int32]: ...
    def links(self, row: int) -> NDArray[np.uint32]: ...

def phrase_table_lines(
    table: PhraseTable,
    counts: NDArray[np.float32],
    n_counts: int,
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    begin: int,
    end: int,
) -> bytes: ...

class PhraseTableReader:
    def __init__(self, source_vocabulary: Vocabulary, target_vocabulary: Vocabulary) -> None: ...
    def add(self, lines: bytes) -> tuple[int, str] | None: ...
    def finish(self) -> tuple[dict[str, NDArray[Any]], int, int]: ...

class ReorderingTableReader:
    def __init__(
        self,
        table: PhraseTable,
        source_vocabulary: Vocabulary,
        target_vocabulary: Vocabulary,
    ) -> None: ...
    def add(self, lines: bytes) -> tuple[int, str] | None: ...
    def finish(self) -> tuple[NDArray[np.float32], int]: ...

NO_DISCOUNTING: int
GOOD_TURING: int
KNESER_NEY: int

class LexicalTable:
    @property
    def sources(self) -> NDArray[np.int32]: ...
    @property
    def targets(self) -> NDArray[np.int32]: ...
    @property
    def counts(self) -> NDArray[np.int64]: ...

def count_words(
    block: PhraseBlock, source_vocabulary: Vocabulary, target_vocabulary: Vocabulary, all: bool
) -> LexicalTable: ...

class PhraseScorer:
    def __init__(
        self,
        block: PhraseBlock,
        lexical: LexicalTable,
        source_vocabulary: Vocabulary,
        target_vocabulary: Vocabulary,
        all: bool,
        threads: int,
    ) -> None: ...
    def prepare(self, step: int) -> None: ...
    def score(
        self,
        discounting: int,
        min_count: int,
        limit: int,
        significance: float | None,
        relative: bool,
    ) -> dict[str, NDArray[Any]]: ...

MAX_ORDER: int
Orders = NDArray[np.uint8]

class LanguageModel:
    def __init__(
        self,
        vocabulary: Vocabulary,
        table: NDArray[np.uint32],
        words: int,
        reach: int,
        order: int,
    ) -> None: ...
    @property
    def order(self) -> int: ...
    @property
    def unknown(self) -> int: ...
    @property
    def end_word(self) -> int: ...
    def __len__(self) -> int: ...
    def find(self, word: bytes) -> int: ...
    def find_all(self, words: Vocabulary) -> NDArray[np.uint32]: ...
    def score_ids(
        self, ids: NDArray[np.uint32], begin: bool
    ) -> tuple[NDArray[np.float32], NDArray[np.uint8]]: ...
    def score_next(
        self, context: NDArray[np.uint32], words: NDArray[np.uint32], begin: bool
    ) -> NDArray[np.float32]: ...
    def state_after(self, context: NDArray[np.uint32], begin: bool) -> NDArray[np.uint32]: ...
    def score_lines(
        self, text: bytes
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]: ...
    def orders(self) -> Orders: ...
    def arpa_lines(self, orders: Orders, order: int, begin: int, end: int) -> bytes: ...

class ArpaReader:
    def __init__(self, vocabulary: Vocabulary) -> None: ...
    def feed(self, text: bytes) -> tuple[int, bytes] | None: ...
    def finish(self) -> tuple[int, bytes] | None: ...
    @property
    def listed(self) -> int: ...
    def table(self) -> tuple[NDArray[np.uint32], int, NDArray[np.int64]]: ...

class LmText:
    def __init__(self, vocabulary: Vocabulary, skip_symbols: bool) -> None: ...
    def __len__(self) -> int: ...
    def add(self, block: bytes) -> tuple[int, bytes] | None: ...
    @property
    def lines(self) -> int: ...
    @property
    def skipped(self) -> int: ...

class LmEstimator:
    def __init__(self, text: LmText, order: int, threads: int) -> None: ...
    def count(self, threshold: int) -> list[int]: ...
    def estimate(self, one: float, two: float, more: float) -> None: ...
    def finish(self) -> tuple[NDArray[np.uint32], int, NDArray[np.int64]]: ...

MAX_WORD_CLASSES: int

class ClassExchange:
    def __init__(
        self,
        vocabulary: Vocabulary,
        ids: NDArray[np.int32],
        offsets: NDArray[np.int64],
        classes: int,
    ) -> None: ...
    def run_round(self) -> int: ...
    def objective(self) -> float: ...
    def word_term(self) -> float: ...
    def classes(self) -> NDArray[np.int32]: ...
    def counts(self) -> NDArray[np.int64]: ...

MAX_DECODED_WORDS: int

class TranslationOptions:
    def __len__(self) -> int: ...
    def arrays(self) -> dict[str, NDArray[Any]]: ...

class OptionFinder:
    def __init__(
        self,
        table: PhraseTable,
        lm: LanguageModel,
        lm_of_target: NDArray[np.uint32],
        score_weights: NDArray[np.float64],
        lm_weight: float,
        word_weight: float,
        phrase_weight: float,
        unknown_weight: float,
        limit: int,
        drop_unknown: bool,
    ) -> None: ...
    def find(
        self,
        source: NDArray[np.int32],
        as_target: NDArray[np.int32],
        lm_of_source: NDArray[np.uint32],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        logs: NDArray[np.float64],
        target_ids: NDArray[np.int32],
        lm_of_targets: NDArray[np.uint32],
        target_offsets: NDArray[np.int64],
        exclusive: bool,
    ) -> TranslationOptions: ...

def search(
    lm: LanguageModel,
    options: TranslationOptions,
    phrase_backward: NDArray[np.float32] | None,
    phrase_forward: NDArray[np.float32] | None,
    phrase_between: NDArray[np.float64] | None,
    hier_backward: NDArray[np.float32] | None,
    hier_forward: NDArray[np.float32] | None,
    hier_between: NDArray[np.float64] | None,
    lm_weight: float,
    distortion_weight: float,
    limit: int,
    stack: int,
    threshold: float,
    pops: int,
    nbest: int,
    distinct: bool,
    keep_graph: bool,
) -> dict[str, Any]: ...

BLEU_SIZE: int

def bleu_statistics(
    ids: NDArray[np.int32],
    offsets: NDArray[np.int64],
    reference_ids: NDArray[np.int32],
    reference_offsets: NDArray[np.int64],
) -> NDArray[np.int32]: ...
def bleu_of(sums: NDArray[np.float64]) -> float: ...

class TuningPool:
    def __init__(
        self,
        offsets: NDArray[np.int64],
        stats: NDArray[np.int32],
        dense: NDArray[np.float32],
        n_dense: int,
        indptr: NDArray[np.int64],
        indices: NDArray[np.int32],
        values: NDArray[np.float32],
        n_sparse: int,
    ) -> None: ...
    def keys(self) -> NDArray[np.uint64]: ...
    def best(self, weights: NDArray[np.float64]) -> NDArray[np.int64]: ...
    def mira(
        self,
        start: NDArray[np.float64],
        rates: NDArray[np.float64],
        orders: NDArray[np.int64],
        c: float,
        decay: float,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
    def search_line(
        self, weights: NDArray[np.float64], direction: NDArray[np.float64]
    ) -> tuple[float, float]: ...
    def mert(
        self,
        starts: NDArray[np.float64],
        fixed: NDArray[np.uint8],
        directions: NDArray[np.float64],
        threads: int,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
