"""A system folder for raw text: made of the golden training text, written as people write."""

from __future__ import annotations

from pathlib import Path

from tartib import LanguageModel, PhraseTable, extract_phrases, storage
from tartib.bitext import Bitext
from tartib.decoder import System
from tartib.text import learn_text
from tests.support import systems

_WEIGHTS = systems.weights("none")
FORM = "tartib system"


def written(tokens: str) -> str:
    """Return a tokenised line as people write it."""
    return tokens[:1].upper() + tokens[1:].replace(" .", ".")


def training_text() -> tuple[list[str], list[str], list[str]]:
    """Return raw lines of both sides, and the links of their tokens."""
    source, target, links = (
        (systems.GOLDEN / f"train.{name}").read_text().splitlines()
        for name in ("src", "tgt", "align")
    )
    return [*map(written, source)], [*map(written, target)], links


def write_system(path: Path, *, unknown_share: float | None = None) -> Path:
    """Write a system folder as `tartib build` does, with everything that translation needs."""
    source, target, links = training_text()
    text = learn_text(zip(source, target, strict=True), ("en", ""))
    prepared = [*map(text.source.prepare, source)], [*map(text.target.prepare, target)]
    phrases = extract_phrases(Bitext.from_lines(*prepared, links), "hier-msd")
    with storage.new_folder(path, FORM) as folder:
        text.save(folder / "text")
        PhraseTable.build(phrases).save(folder / "phrase-table")
        LanguageModel.estimate(prepared[1], 3, discount_fallback=(0.5, 1, 1.5)).save(folder / "lm")
        system = System(
            phrase_table=Path("phrase-table"), lm=Path("lm"), text=Path("text"), folder=folder
        )
        (folder / "system.toml").write_text(system.with_weights(_WEIGHTS).toml(folder / "x"))
        storage.write_json(folder / "meta.json", {"format": FORM, "version": 1})
        if unknown_share is not None:
            counts = {"words": 1000, "unknown": unknown_share}
            bleu = {"BLEU": {"score": 12.345, "signature": "BLEU|tok:13a"}}
            scores = {"languages": ["en", ""], "dev": {**counts, "scores": bleu}}
            storage.write_json(folder / "scores.json", scores)
    return path
