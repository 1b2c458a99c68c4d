"""Ordinary text for builds: the synthetic corpus as people would have written it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tartib.synthetic import generate

_APART = re.compile(" ([.,?!؟،])")
# Enough to build a system in a few seconds.
TINY: dict[str, Any] = {
    "effort": "quick",
    "languages": ("ar", "en"),
    "prepare": {"dev-sentences": 40, "test-sentences": 40, "held-out-share": 0.1},
    "extract": {"max-phrase-length": 3},
    "lm": {"order": 2},
    "reordering": {"cutoff": 1, "orientation": "hier-msd", "direction": "backward"},
    "choose": {
        "systems": ("lexicalised", "lexicalised+mlr:S1"),
        "limits": (4, 8),
        "sentences": 40,
        "iterations": 2,
    },
    "search": {"stack-size": 20, "cube-pops": 50},
    "tune": {
        "iterations": 2,
        "nbest-size": 10,
        "sentences": 40,
        "stack-size": 10,
        "cube-pops": 20,
    },
    "score": {"samples": 20, "examples": 2},
    "jobs": 1,
}


def raw_sentences(pairs: int, seed: int = 0) -> list[tuple[str, str]]:
    """Return sentence pairs with clitics and punctuation attached, and capitals."""
    return [(_arabic(pair.source), _english(pair.target)) for pair in generate(pairs, seed)]


def _arabic(words: Sequence[str]) -> str:
    return _APART.sub(r"\1", " ".join(words).replace("+ ", "").replace(" +", ""))


def _english(words: Sequence[str]) -> str:
    line = _APART.sub(r"\1", " ".join(words))
    return line[:1].upper() + line[1:]


def write_raw(folder: Path, name: str, pairs: list[tuple[str, str]]) -> tuple[Path, Path]:
    """Write both sides of some pairs."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = (folder / f"{name}.ar", folder / f"{name}.en")
    for side, path in enumerate(paths):
        path.write_text("".join(f"{pair[side]}\n" for pair in pairs), encoding="utf-8")
    return paths


def files_of(folder: Path) -> dict[str, bytes]:
    """Return all files of a system but those that tell how long it took."""
    timed = ("report.html", "manifest.json")
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).as_posix() not in timed
    }
