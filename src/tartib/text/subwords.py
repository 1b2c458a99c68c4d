"""Splitting words into pieces by sentencepiece, an optional extra.

The model is trained on the words of the prepared training text with their counts, and its bytes are
saved with the rest. Pieces carry the same marks as tokens; addresses, numbers and places for
something stay whole.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tartib.errors import DataError, OptionError
from tartib.text.normalisation import GAP, GLUE

_WORD = re.compile(rf"([{GLUE}{GAP}]*)([^\W\d_](?:[^\s{GLUE}{GAP}@/|<>{{}}]*))({GLUE}?)")
_REMEMBERED = 500_000
_MOST_WORDS = 2_000_000  # the most frequent ones
_LONGEST_WORD = 200


def _sentencepiece() -> Any:  # noqa: ANN401
    try:
        import sentencepiece
    except ImportError:
        raise OptionError(
            "words are split by sentencepiece, which is not installed: "
            'pip install "tartib[subwords]"'
        ) from None
    return sentencepiece


def check_installed() -> None:
    """Refuse subwords where sentencepiece is not installed."""
    _sentencepiece()


def train(counts: Mapping[str, int], method: str, size: int) -> bytes:
    """Return the bytes of a model that was trained on words with their counts.

    Where there are too few words for so many pieces, there are fewer pieces.
    """
    sentencepiece = _sentencepiece()
    words: dict[str, int] = {}
    for token, count in counts.items():
        found = _WORD.fullmatch(token)
        if found and len(found[2]) <= _LONGEST_WORD:
            words[found[2]] = words.get(found[2], 0) + count
    if not words:
        raise OptionError(
            "there are no words to learn subwords from: give more text, or subwords = none"
        )
    frequent = sorted(words.items(), key=lambda item: (-item[1], item[0]))[:_MOST_WORDS]
    model = io.BytesIO()
    letters = len({letter for word, _ in frequent for letter in word})
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=(f"{word}\t{count}" for word, count in frequent), input_format="tsv",
            model_writer=model, model_type=method, vocab_size=max(size, letters + 8),
            hard_vocab_limit=False, character_coverage=1.0, normalization_rule_name="identity",
            add_dummy_prefix=False, remove_extra_whitespaces=False, bos_id=-1, eos_id=-1,
            input_sentence_size=0, num_threads=1, minloglevel=2, split_by_whitespace=False,
            split_by_number=False, split_by_unicode_script=False, max_sentence_length=1 << 20,
        )  # fmt: skip
    except RuntimeError as error:
        raise OptionError(f"sentencepiece could not learn subwords: {error}") from None
    return model.getvalue()


class Subwords:
    """Split words.

    Parameters
    ----------
    model
        Bytes that `train` returned.
    path
        Where they come from, for errors.
    marked
        Adds marks to pieces that follow each other without a space.
    """

    def __init__(
        self, model: bytes, path: Path | None, marked: Callable[[list[str]], list[str]]
    ) -> None:
        self.model = model
        self._marked = marked
        self._known: dict[str, list[str]] = {}
        self._processor: Any = _sentencepiece().SentencePieceProcessor()
        try:
            self._processor.LoadFromSerializedProto(model)
        except RuntimeError:
            problem, hint = "is not a model of sentencepiece", "make the folder again"
            raise DataError(path or "subwords", None, problem, hint) from None

    def split(self, tokens: list[str]) -> list[str]:
        """Return the pieces of all tokens."""
        pieces: list[str] = []
        known = self._known
        for token in tokens:
            pieces += known.get(token) or self._remember(token)
        return pieces

    def _remember(self, token: str) -> list[str]:
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        found = self._known[token] = self._token(token)
        return found

    def _token(self, token: str) -> list[str]:
        found = _WORD.fullmatch(token)
        if not found or len(found[2]) > _LONGEST_WORD:
            return [token]
        before, word, after = found.groups()
        pieces = [str(piece) for piece in self._processor.encode(word, out_type=str)]
        if len(pieces) < 2 or "".join(pieces) != word or not all(pieces):
            return [token]
        pieces = self._marked(pieces)
        pieces[0] = before + pieces[0]
        pieces[-1] += after
        return pieces
