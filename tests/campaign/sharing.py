"""Several writers and a reader of one folder; eight threads on one object.

``python -m tests.campaign.sharing`` prints how often the folder was written and read, and how many
answers the threads got.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tartib import PhrasePairs, System
from tartib.lm import LanguageModel
from tartib.phrase_table import PhraseTable
from tartib.reordering import ReorderingModel
from tests.campaign.materials import Materials, translated
from tests.campaign.worker import digest, scratch
from tests.support.processes import fork

WRITERS = 3
THREADS = 8


def write_and_read(folder: Path, saves: int) -> tuple[int, int]:
    """Replace a folder from several processes while this one reads it; return how often."""
    texts = ["a b c", "a b c d e", "x y"]
    models = [LanguageModel.estimate([t] * 2, 2, discount_fallback=True, n_jobs=1) for t in texts]
    whole = {model.counts: digest(model.word_scores("a b")) for model in models}
    models[0].save(folder / "lm")
    left = {fork(partial(_save, model, folder / "lm", saves)) for model in models}
    reads = 0
    while left:
        ended, status = os.waitpid(-1, os.WNOHANG)
        if ended:
            left.remove(ended)
            assert os.waitstatus_to_exitcode(status) == 0, "a writer failed"
        found = LanguageModel.load(folder / "lm")
        assert digest(found.word_scores("a b")) == whole[found.counts], "a mixture of two models"
        reads += 1
    assert [path.name for path in folder.iterdir()] == ["lm"], list(folder.iterdir())
    return WRITERS * saves, reads


def _save(model: LanguageModel, path: Path, saves: int) -> None:
    """Save a model again and again."""
    for _ in range(saves):
        model.save(path, overwrite=True)


def ask_at_once(materials: Materials, rounds: int) -> int:
    """Ask each kind of object from many threads; return the number of answers."""
    pairs, lm = PhrasePairs.load(materials.phrases), LanguageModel.load(materials.lm)
    table = PhraseTable.load(materials.table)
    model = ReorderingModel.load(materials.model, n_jobs=1)
    decoder, lines = System.read(materials.system).load(), materials.sentences
    text = materials.target.read_bytes()
    questions: list[Callable[[], object]] = [
        lambda: translated(decoder, lines[:3]),
        lambda: lm.score_block(text),
        lambda: [table[row] for row in range(len(table))],
        lambda: model.predict_proba(pairs),
        lambda: [pairs[i] for i in range(0, len(pairs), 3)],
        lambda: model.explain(pairs, 2),
    ]
    usual = [digest(ask()) for ask in questions]
    order = [number for _ in range(rounds * THREADS) for number in range(len(questions))]
    with ThreadPoolExecutor(THREADS) as pool:
        answers = list(pool.map(lambda number: digest(questions[number]()), order))
    for number, answer in zip(order, answers, strict=True):
        assert answer == usual[number], f"question {number} got another answer"
    return len(answers)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign.sharing", description=__doc__)
    parser.add_argument("--saves", type=int, default=100, help="of each writer")
    parser.add_argument("--rounds", type=int, default=20, help="of each thread")
    given = parser.parse_args()
    with scratch() as folder:
        (folder / "shared").mkdir()
        written, read = write_and_read(folder / "shared", given.saves)
        print(f"{WRITERS} writers: {written:,} times written, {read:,} times read", flush=True)
        answers = ask_at_once(Materials(folder / "materials").make(), given.rounds)
    print(f"{THREADS} threads: {answers:,} answers")


if __name__ == "__main__":
    main()
