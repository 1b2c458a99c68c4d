"""What a report shows of the best model: strongest features, and pairs that only it gets right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tartib.experiments.run.classifiers import Fit, Lexicalised
from tartib.experiments.run.stages import Stage
from tartib.experiments.run.workspace import Workspace
from tartib.phrases import PhrasePairs
from tartib.reordering import ReorderingModel

STRONGEST = 15
PULLS = 6

# Longer sentences make pictures that nobody reads.
_SENTENCE = 25
_PHRASE = 4


@dataclass(frozen=True)
class Examples(Stage):
    """The strongest features of the best model, and pairs that only it gets right.

    Attributes
    ----------
    best, lexicalised
        The models, of the same target.
    count
        How many pairs of each class.
    """

    best: Fit
    lexicalised: Lexicalised
    count: int

    @property
    def title(self) -> str:
        """What it does."""
        return f"examples, {self.best.target.name}"

    def run(self, workspace: Workspace, n_jobs: int) -> None:  # noqa: ARG002
        """Find features and pairs."""
        best, lexicalised = (model.load(workspace) for model in (self.best, self.lexicalised))
        strongest = {}
        if best.encoder_ is not None:
            labels = best.orientation_.labels
            strongest = {label: best.strongest(label, STRONGEST) for label in labels}
        test = self.best.division.load(workspace).test
        predicted = [workspace.array(s.key, "predicted") for s in (self.lexicalised, self.best)]
        chosen = choose(test, self.best.target.labels(test), *predicted, count=self.count)
        examples = [_example(test, index, best, lexicalised) for index in chosen]
        workspace.write(self.key, {"strongest": strongest, "examples": examples})


def choose(
    test: PhrasePairs,
    y: NDArray[np.uint8],
    lexicalised: NDArray[np.uint8],
    best: NDArray[np.uint8],
    *,
    count: int,
) -> list[int]:
    """Return pairs of each class that only the best model gets right, short and well apart.

    Of each class ``count`` are taken, evenly over the test part, no two of one sentence; short
    sentences and short phrases come first.
    """
    right = (lexicalised != y) & (best == y)
    sentences, records = test.sentences, test.records
    lengths = (test.bitext.source.lengths, test.bitext.target.lengths)
    longest = np.maximum(*(side[sentences] for side in lengths))
    phrase = np.maximum(records["source_length"], records["target_length"])
    short = (longest <= _SENTENCE) & (phrase <= _PHRASE)
    chosen: list[int] = []
    used: set[int] = set()
    for label in np.unique(y).tolist():
        found = np.flatnonzero(right & short & (y == label))
        if len(found) < count:
            found = np.flatnonzero(right & (y == label))
        first = np.flatnonzero(np.diff(sentences[found], prepend=-1))  # one a sentence
        found = found[first]
        found = found[~np.isin(sentences[found], list(used))]
        places = np.linspace(0, len(found), count, endpoint=False).astype(np.int64)
        taken = found[np.unique(places)] if len(found) else found
        used.update(sentences[taken].tolist())
        chosen += taken.tolist()
    return chosen


def _example(
    test: PhrasePairs, index: int, best: ReorderingModel, lexicalised: ReorderingModel
) -> dict[str, Any]:
    """Describe one pair in its sentence, and what both models say of it."""
    explained = best.explain(test, index)
    pair = explained.pair
    sentence = test.bitext[pair.sentence]
    pulls = sorted(
        ((pull.feature, pull.weights[explained.truth]) for pull in explained.pulls),
        key=lambda pull: -pull[1],
    )
    return {
        "line": int(test.bitext.lines[pair.sentence]),
        "source": sentence.source,
        "target": sentence.target,
        "links": sentence.links,
        "source_start": pair.source_start,
        "source_length": len(pair.source),
        "target_start": pair.target_start,
        "target_length": len(pair.target),
        "truth": explained.truth,
        "lexicalised": lexicalised.explain(test, index).probabilities,
        "best": explained.probabilities,
        "pulls": [pull for pull in pulls[:PULLS] if pull[1] > 0],
    }
