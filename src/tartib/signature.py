"""One line that says what made a number or a file, in the way of sacreBLEU."""

from __future__ import annotations

from importlib.metadata import version


def signature(*parts: tuple[str, object]) -> str:
    """Join ``name:value`` parts with bars and add Tartib's version."""
    return "|".join(f"{name}:{value}" for name, value in (*parts, ("version", version("tartib"))))
