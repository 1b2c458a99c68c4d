"""What the report of a build draws: aligned sentence pairs, and translations with their moves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from tartib.build.stages import Scored
from tartib.evaluation.translation import translation_metric
from tartib.evaluation.word_order import kendall_tau
from tartib.experiments.run.results import Example
from tartib.experiments.run.workspace import Workspace
from tartib.experiments.translation.examples import moves_of
from tartib.experiments.translation.results import MovedSentence, Output
from tartib.experiments.translation.ribbon_pictures import draw_sentence
from tartib.orientation import OrientationModel
from tartib.phrases import PhrasePairs
from tartib.text import MARKS

_SHORTEST, _LONGEST = 5, 16  # words of a sentence that is worth a picture
_LOOKED_AT = 200_000  # phrase pairs, from everywhere in the text


class Shown(NamedTuple):
    """A translated sentence, with its texts by what they are."""

    sentence: MovedSentence
    texts: dict[str, str]

    @property
    def drawn(self) -> Markup:
        """Its picture."""
        return draw_sentence(self.sentence, texts=self.texts, measure="BLEU of its tokens alone")


def aligned_examples(
    phrases: PhrasePairs, orientation: OrientationModel, count: int, seed: int
) -> list[Example]:
    """Return sentence pairs of the training text with a phrase that moved.

    Parameters
    ----------
    phrases
        Of the training text.
    orientation
        Which of them moved.
    count
        How many, at most one from each sentence pair.
    seed
        Of the choice.
    """
    lengths = (phrases.bitext.source.lengths, phrases.bitext.target.lengths)
    rng = np.random.default_rng(seed)
    some = np.unique(rng.integers(len(phrases), size=_LOOKED_AT)) if len(phrases) else np.arange(0)
    labels = orientation.read(phrases.records["orientations"][some], "backward")
    owners = np.searchsorted(phrases.offsets, some, side="right") - 1
    fits = labels != orientation.labels.index("mono")
    for side in lengths:
        fits &= (side[owners] >= _SHORTEST) & (side[owners] <= _LONGEST)
    chosen: dict[int, int] = {}
    for at in rng.permutation(np.flatnonzero(fits)).tolist():
        chosen.setdefault(int(owners[at]), int(some[at]))
        if len(chosen) == count:
            break
    return [_example(phrases, index) for index in chosen.values()]


def without_marks(tokens: Sequence[str]) -> list[str]:
    """Return tokens as they are drawn: marks are for programs, and few fonts have them."""
    return [token.strip(MARKS) or token for token in tokens]


def _example(phrases: PhrasePairs, index: int) -> Example:
    pair = phrases[index]
    sentence = phrases.bitext[pair.sentence]
    return Example(
        line=int(phrases.bitext.lines[pair.sentence]),
        source=without_marks(sentence.source),
        target=without_marks(sentence.target),
        links=sentence.links,
        source_start=pair.source_start,
        source_length=len(pair.source),
        target_start=pair.target_start,
        target_length=len(pair.target),
        truth="",
        lexicalised={},
        best={},
        pulls=[],
    )


def moved_examples(
    scored: Scored, workspace: Workspace, count: int, *, from_block: bool
) -> list[Shown]:
    """Return test sentences whose words moved most, a good and a bad one in turn.

    Parameters
    ----------
    scored
        What was translated.
    workspace
        Where that is.
    count
        How many.
    from_block
        Show the orientation towards the previous block instead of the previous phrase.
    """
    found = workspace.require(scored.key)
    source, references = scored.text.read()
    raw_source, raw = scored.text.read_raw()
    metric = translation_metric("bleu", references)
    bleu = metric.score(metric.statistics(found["tokens"]))
    moved = []
    for at, steps in enumerate(found["steps"]):
        order = tuple(word for step in steps for word in range(step[0], step[1]))
        if _SHORTEST <= len(order) <= _LONGEST and any(b < a for a, b in pairwise(order)):
            moved.append((1 - kendall_tau(order, tuple(range(len(order)))), at))
    most = [at for _, at in sorted(moved, key=lambda pair: (-pair[0], pair[1]))[: 4 * count]]
    ranked = sorted(most, key=lambda at: (-float(bleu[at]), at))
    chosen = ranked[: -(-count // 2)] + ranked[len(ranked) // 2 :][: count // 2]
    shown = []
    for at in dict.fromkeys(chosen):
        tokens = " ".join(without_marks(found["tokens"][at].split(" ")))
        moves = moves_of(tokens, found["steps"][at], from_block)
        sentence = MovedSentence(
            line=at + 1,
            source=without_marks(source[at].split(" ")),
            references=[lines[at] for lines in raw],
            outputs=[Output(systems=[""], bleu=float(bleu[at]), moves=moves)],
        )
        texts = {"Source": raw_source[at], "Translation": found["lines"][at]}
        for number, lines in enumerate(raw, 1):
            texts["Reference" + (f" {number}" if len(raw) > 1 else "")] = lines[at]
        shown.append(Shown(sentence, texts))
    return shown
