"""The commands of the command line, with all their names."""

from __future__ import annotations

from typing import Any

import typer

from tartib.cli import app


def commands() -> dict[str, Any]:
    """Return every command and group by its name, such as ``tartib lm query``."""
    found: dict[str, Any] = {}

    def add(name: str, command: Any) -> None:
        found[name] = command
        for part, inner in getattr(command, "commands", {}).items():
            add(f"{name} {part}", inner)

    add("tartib", typer.main.get_command(app))
    return found


def options_of(command: Any) -> dict[str, Any]:
    """Return the options of a command by their first long name; --help and the like are not."""
    return {
        next(name for name in option.opts if name.startswith("--")): option
        for option in command.params
        if option.param_type_name == "option"
        and not any("completion" in name or name == "--version" for name in option.opts)
    }
