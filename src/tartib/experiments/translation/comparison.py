"""The stage that scores all systems, and compares them with the baseline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tartib.evaluation import Comparison, compare, source_orders
from tartib.evaluation.significance import holm
from tartib.experiments.run.stages import UNKEYED, Stage
from tartib.experiments.run.workspace import Workspace
from tartib.experiments.translation.stages import Decoded, Text
from tartib.experiments.translation.word_order import AlignedTest, GivenAlignment

BLEU, NIST, FIRST, TAU, FUZZY = "BLEU", "NIST", "BLEU-ref0", "tau", "FRS"
METRICS = ("bleu", "nist")

# A test set and a system.
Compares = tuple[str, str]


@dataclass(frozen=True)
class Compared(Stage):
    """The comparison.

    Attributes
    ----------
    name
        Of the test set, if there are several.
    systems
        The runs of each system, by its name.
    baseline
        Name of the system that the others are compared with.
    text
        The test set.
    aligned
        The right word order, if that is scored.
    samples, seed
        Of the bootstrap.
    """

    name: str = field(metadata=UNKEYED, compare=False)
    systems: tuple[tuple[str, tuple[Decoded, ...]], ...]
    baseline: str
    text: Text
    aligned: AlignedTest | GivenAlignment | None
    samples: int
    seed: int

    @property
    def title(self) -> str:
        """What it does."""
        return f"comparison on {self.name}" if self.name else "comparison"

    def run(self, workspace: Workspace, n_jobs: int) -> None:  # noqa: ARG002
        """Score with all references, and with the first alone if there are several."""
        source, references = self.text.read()
        found = {
            name: [workspace.require(decoded.key) for decoded in runs]
            for name, runs in self.systems
        }
        lines = {name: [run["lines"] for run in runs] for name, runs in found.items()}
        asked: dict[str, Any] = {
            "baseline": self.baseline,
            "samples": self.samples,
            "seed": self.seed,
        }
        orders: dict[str, Any] = {}
        if self.aligned is not None:
            links = workspace.require(self.aligned.key)["links"]
            orders = {
                "orders": {
                    name: [source_orders(pharaoh(run["alignment"]), source) for run in runs]
                    for name, runs in found.items()
                },
                "reference_orders": [source_orders(pharaoh(links), source)],
            }
        figures = _figures(compare(lines, references, metrics=METRICS, **orders, **asked))
        if len(references) > 1:
            alone = _figures(compare(lines, references[:1], metrics=("bleu",), **asked))
            figures[FIRST] = alone[BLEU]
        workspace.write(self.key, {"metrics": figures})


def pharaoh(alignment: Iterable[Sequence[Sequence[int]]]) -> list[str]:
    """Return links as lines of text."""
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


def adjusted(p_values: Mapping[Compares, float], primary: Compares | None) -> dict[Compares, float]:
    """Return p-values for the number of comparisons with the baseline by one metric.

    A comparison that was named before the test sets were looked at counts by itself: its p-value
    stays. All others, on all test sets, are adjusted among themselves by Holm's method.
    """
    others = [which for which in p_values if which != primary]
    found = dict(zip(others, holm([p_values[which] for which in others]), strict=True))
    return {which: found.get(which, p_value) for which, p_value in p_values.items()}
