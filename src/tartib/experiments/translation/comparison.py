"""The stage that scores all systems, and compares them with the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tartib.evaluation import Comparison, compare, source_orders
from tartib.experiments.run.stages import Stage
from tartib.experiments.run.workspace import Workspace
from tartib.experiments.translation.stages import Decoded, Text
from tartib.experiments.translation.systems import BASELINE
from tartib.experiments.translation.word_order import AlignedTest, GivenAlignment

BLEU, NIST, FIRST, TAU, FUZZY = "BLEU", "NIST", "BLEU-ref0", "tau", "FRS"
METRICS = ("bleu", "nist")


@dataclass(frozen=True)
class Compared(Stage):
    """The comparison.

    Attributes
    ----------
    systems
        The runs of each system, by its name.
    text
        The test set.
    aligned
        The right word order, if that is scored.
    samples, seed
        Of the bootstrap.
    """

    systems: tuple[tuple[str, tuple[Decoded, ...]], ...]
    text: Text
    aligned: AlignedTest | GivenAlignment | None
    samples: int
    seed: int

    @property
    def title(self) -> str:
        """What it does."""
        return "comparison"

    def run(self, workspace: Workspace, n_jobs: int) -> None:  # noqa: ARG002
        """Score with all references, and with the first alone if there are several."""
        source, references = self.text.read()
        found = {
            name: [workspace.require(decoded.key) for decoded in runs]
            for name, runs in self.systems
        }
        lines = {name: [run["lines"] for run in runs] for name, runs in found.items()}
        asked: dict[str, Any] = {"baseline": BASELINE, "samples": self.samples, "seed": self.seed}
        orders: dict[str, Any] = {}
        if self.aligned is not None:
            links = workspace.require(self.aligned.key)["links"]
            orders = {
                "orders": {
                    name: [source_orders(_pharaoh(run["alignment"]), source) for run in runs]
                    for name, runs in found.items()
                },
                "reference_orders": [source_orders(_pharaoh(links), source)],
            }
        figures = _figures(compare(lines, references, metrics=METRICS, **orders, **asked))
        if len(references) > 1:
            alone = _figures(compare(lines, references[:1], metrics=("bleu",), **asked))
            figures[FIRST] = alone[BLEU]
        workspace.write(self.key, {"metrics": figures})


def _pharaoh(alignment: Iterable[Sequence[Sequence[int]]]) -> list[str]:
    return [" ".join(f"{i}-{j}" for i, j in links) for links in alignment]


def _figures(found: Comparison) -> dict[str, dict[str, Any]]:
    """Return for each metric its signature, and the scores of each system."""
    systems = found.as_dict()["systems"]
    return {
        metric: {
            "signature": found.signature(metric),
            "systems": {name: figures[metric] for name, figures in systems.items()},
        }
        for metric in found.metrics
    }
