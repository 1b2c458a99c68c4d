"""What ``--effort`` stands for: how much is compared, and how long weights are tuned."""

from __future__ import annotations

from typing import Any, Literal, get_args

Effort = Literal["quick", "normal", "thorough"]
EFFORTS: tuple[Effort, ...] = get_args(Effort)
USUAL_LIMIT = 8  # that of German; most pairs lose little with it

# From the simplest to the one that is best elsewhere: of those that are as good, the last is taken.
_DEFAULTS: dict[Effort, dict[str, dict[str, Any]]] = {
    "quick": {
        "choose": {
            "systems": ("lexicalised+mlr:S6",),
            "limits": (USUAL_LIMIT,),
            "sentences": 500,
            "iterations": 3,
        },
        "reordering": {"orientation": "hier-msd"},
        "tune": {"iterations": 5, "runs": 1, "sentences": 500},
    },
    "normal": {
        "choose": {
            "systems": ("lexicalised", "lexicalised+mlr:S6"),
            "limits": (4, 6, 8, 12, 16),
            "sentences": 500,
            "iterations": 5,
        },
        "tune": {"iterations": 8, "runs": 1, "sentences": 1000},
    },
    "thorough": {
        "choose": {
            "systems": (
                "lexicalised",
                "lexicalised+mlr:S6",
                "lexicalised+svm:S6",
                "lexicalised+mlr:S12",
            ),
            "limits": (4, 6, 8, 12, 16, 20),
            "sentences": 1500,
            "iterations": 8,
        },
        "reordering": {"tune": True},
        "tune": {
            "iterations": 15,
            "runs": 3,
            "sentences": 2000,
            "stack-size": 200,
            "cube-pops": 1000,
        },
    },
}


def defaults_of(effort: Effort) -> dict[str, dict[str, Any]]:
    """Return the options of an effort that differ from those of the others, by section."""
    return {name: dict(section) for name, section in _DEFAULTS[effort].items()}
