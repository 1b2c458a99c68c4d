"""Scores of all systems, and their differences to the baseline: one stage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tartib.evaluation import Comparison, compare, source_orders
from tartib.experiments.run.stages import Stage, Workspace
from tartib.experiments.translation.decoding import Decoded
from tartib.experiments.translation.options import TranslationOptions
from tartib.experiments.translation.systems import BASELINE
from tartib.experiments.translation.word_order import AlignedTest, GivenAlignment
from tartib.textio import read_parallel

BLEU, NIST, FIRST, TAU, FUZZY = "BLEU", "NIST", "BLEU-ref0", "tau", "FRS"
METRICS = ("bleu", "nist")


@dataclass(frozen=True)
class Compared(Stage):
    """The comparison.

    Attributes
    ----------
    systems
        By name the runs of each.
    references
        Their digests.
    aligned
        What tells the right word order, if that is scored.
    samples, seed
        Of the bootstrap.
    """

    systems: tuple[tuple[str, tuple[Decoded, ...]], ...]
    references: tuple[str, ...]
    aligned: AlignedTest | GivenAlignment | None
    samples: int
    seed: int


def compare_systems(folder: Path, spec: Compared, options: TranslationOptions) -> None:
    """Score with all references, and with the first alone if there are several."""
    workspace = Workspace(folder)
    source, references = read_parallel(options.test, options.test_reference)
    found = {
        name: [workspace.require(decoded.key) for decoded in runs] for name, runs in spec.systems
    }
    lines = {name: [run["lines"] for run in runs] for name, runs in found.items()}
    asked: dict[str, Any] = {"baseline": BASELINE, "samples": spec.samples, "seed": spec.seed}
    orders: dict[str, Any] = {}
    if spec.aligned is not None:
        links = workspace.require(spec.aligned.key)["links"]
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
    workspace.write(spec.key, {"metrics": figures})


def _pharaoh(alignment: Iterable[Sequence[Sequence[int]]]) -> list[str]:
    return [" ".join(f"{i}-{j}" for i, j in links) for links in alignment]


def _figures(found: Comparison) -> dict[str, dict[str, Any]]:
    """Return for each metric its signature, and what it says of each system."""
    systems = found.as_dict()["systems"]
    return {
        metric: {
            "signature": found.signature(metric),
            "systems": {name: figures[metric] for name, figures in systems.items()},
        }
        for metric in found.metrics
    }
