"""Small objects of every kind, made once, that the campaign damages or works with."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from tartib import Bitext, PhrasePairs, extract_phrases
from tartib.decoder import Decoder, MarkedSentence
from tartib.decoder.system_sections import weights_section
from tartib.lm import LanguageModel
from tartib.moses import write_reordering_table
from tartib.orientation import TableType
from tartib.phrase_table import PhraseTable
from tartib.reordering import ReorderingModel
from tartib.synthetic import write_corpus

SENTENCES = 12
TABLE_TYPE = "hier-msd-bidirectional-fe"
WEIGHTS = {
    "LM0": [0.5],
    "Distortion0": [0.3],
    "WordPenalty0": [-1.0],
    "PhrasePenalty0": [0.2],
    "UnknownWordPenalty0": [1.0],
    "TranslationModel0": [0.2] * 4,
}
SEARCH = "[search]\nstack-size = 5\ntable-limit = 3\n"


class Materials:
    """Files in a folder, all from one tiny corpus of some sentence pairs."""

    def __init__(self, folder: Path, pairs: int = SENTENCES) -> None:
        self.folder = folder
        self.pairs = pairs
        self.source, self.target, self.alignment = (
            folder / "corpus" / f"synthetic.{kind}" for kind in ("ar", "en", "align")
        )
        self.phrases, self.table, self.lm = (folder / name for name in ("phrases", "table", "lm"))
        self.arpa, self.moses_table = folder / "lm.arpa", folder / "table.txt"
        self.reordering_table = folder / "reordering.txt"
        self.model = folder / "model"
        self.system = folder / "system.toml"

    def make(self) -> Materials:
        """Write all of them."""
        write_corpus(self.folder / "corpus", self.pairs, n_jobs=1)
        bitext = Bitext.read(self.source, self.target, self.alignment)
        phrases = extract_phrases(bitext, max_phrase_length=3, n_jobs=1).save(self.phrases)
        table = PhraseTable.build(phrases, n_jobs=1).save(self.table)
        table.write_moses(self.moses_table, n_jobs=1)
        model = LanguageModel.estimate(self.target, order=2, discount_fallback=True, n_jobs=1)
        model.save(self.lm)
        model.write_arpa(self.arpa)
        write_reordering_table(
            phrases, self.reordering_table, "hier-msd", direction="bidirectional", n_jobs=1
        )
        ReorderingModel("S1", "naive-bayes", cutoff=1, n_jobs=1).fit(phrases).save(self.model)
        self.system.write_text(
            f'phrase-table = "table"\nlm = "lm"\n{SEARCH}{weights_section(WEIGHTS)}'
        )
        return self

    @property
    def sentences(self) -> list[str]:
        """The source side."""
        return self.source.read_text(encoding="utf-8").splitlines()


def reordering_weights() -> dict[str, list[float]]:
    """Return the weights of a system with a reordering table."""
    return {**WEIGHTS, "LexicalReordering0": [0.3] * TableType.parse(TABLE_TYPE).n_columns}


@cache
def loaded_phrases(folder: Path) -> PhrasePairs:
    """Load undamaged phrase pairs once."""
    return PhrasePairs.load(folder)


@cache
def loaded_table(folder: Path) -> PhraseTable:
    """Load an undamaged phrase table once."""
    return PhraseTable.load(folder)


def translated(decoder: Decoder, sentences: Sequence[str | MarkedSentence]) -> list[object]:
    """Translate some sentences and return all that the search says about them."""
    found = decoder.translate(sentences, nbest_size=3, n_jobs=1)
    return [(t.best.words, t.best.total, t.best.features) for t in found]
