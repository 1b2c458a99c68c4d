"""The development set, decoded and compared with its references."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tartib import _native, ragged
from tartib.decoder import Decoder, MarkedSentence, Translation
from tartib.decoder.marked_sentence import in_order
from tartib.decoder.nbest import NBestList
from tartib.decoder.translation import SparseRows
from tartib.errors import OptionError
from tartib.progress import progress_bar
from tartib.textio import split_words
from tartib.tuning.pool import Rows, bleu_of

Words = tuple[NDArray[np.int64], NDArray[np.int32]]  # where each text begins, and ids


class DevelopmentSet:
    """Source sentences with references.

    Parameters
    ----------
    decoder
        Its vocabulary is used.
    source
        Sentences, their words separated by spaces, or with translations of some of them.
    references
        One list of translations, or several, each as long as the source.
    """

    def __init__(
        self,
        decoder: Decoder,
        source: Sequence[str | MarkedSentence],
        references: Sequence[Sequence[str]],
    ) -> None:
        if not source:
            raise OptionError("the development set is empty")
        if not references or any(len(lines) != len(source) for lines in references):
            counts = ", ".join(str(len(lines)) for lines in references) or "none"
            raise OptionError(
                f"each reference needs as many lines as the source, {len(source):,}, not {counts}"
            )
        self.source = list(source)
        self._vocabulary = decoder.table.target_vocabulary
        self._others: list[dict[str, int]] = []
        self._references: list[Words] = []
        texts: tuple[str, ...]
        for sentence, texts in zip(source, zip(*references, strict=True), strict=True):
            others: dict[str, int] = {}
            # The decoder numbers unknown words in this way: those of the sentence come first.
            marked = MarkedSentence.of(sentence)
            self._vocabulary.ids(marked.words, others)
            for forced in in_order(marked.forced):
                self._vocabulary.ids(forced.target, others)
            self._others.append(others)
            self._references.append(self._encoded([split_words(text) for text in texts], others))
        if not any(len(ids) for _, ids in self._references):
            raise OptionError("all references are empty: check the files")

    def __len__(self) -> int:
        return len(self.source)

    def decode(
        self, decoder: Decoder, nbest: int, *, n_jobs: int | None = None, progress: bool = False
    ) -> tuple[Rows, float]:
        """Return n-best lists, and the BLEU score, from 0 to 1, of their best translations."""
        by_sentence = []
        with progress_bar("Decoding", len(self), "sentences", shown=progress) as advance:
            for i, found in enumerate(
                decoder.translate(self.source, nbest_size=nbest, n_jobs=n_jobs)
            ):
                by_sentence.append(self._rows(i, found))
                advance(1)
        best = np.concatenate([rows.stats[:1] for rows in by_sentence])
        return Rows.joined(by_sentence), bleu_of(best)

    def _rows(self, sentence: int, translation: Translation) -> Rows:
        found = translation.nbest
        if isinstance(found, NBestList):
            (offsets, ids), dense, sparse = found.targets, found.features, found.sparse
        else:  # the sentence was cut into pieces, or is empty
            words = [hypothesis.words for hypothesis in found]
            offsets, ids = self._encoded(words, self._others[sentence])
            dense = np.array([hypothesis.features for hypothesis in found])
            sparse = SparseRows.stacked([hypothesis.sparse for hypothesis in found])
        reference_offsets, reference_ids = self._references[sentence]
        stats = _native.bleu_statistics(ids, offsets, reference_ids, reference_offsets)
        return Rows(
            np.full(len(found), sentence, np.int64),
            stats.reshape(len(found), -1),
            dense.astype(np.float32),
            *sparse,
        )

    def _encoded(self, texts: Sequence[Sequence[str]], others: dict[str, int]) -> Words:
        ids, offsets = ragged.stack([self._vocabulary.ids(words, others) for words in texts])
        return offsets, ids
