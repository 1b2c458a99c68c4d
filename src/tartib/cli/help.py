"""Help pages: what a command does, an example, and its options, folded between words."""

from __future__ import annotations

import inspect
import shutil
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

_WIDEST = 140  # longer lines are hard to read
_LEFT = 30  # the widest column of option names; longer names have a line of their own
_DEFAULT_PANEL = "Options"


class Command(TyperCommand):
    """A command with a help page of ours, which ends when all files it loaded are checked."""

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:  # noqa: ANN401
        """Keep the words of the command for the manifests of what it writes."""
        self._words = list(args)
        return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401
        """Run the command."""
        from tartib.storage import verification
        from tartib.storage.manifest import made_by

        with made_by([*ctx.command_path.split(), *self._words]):
            try:
                result = super().invoke(ctx)
                verification.finish()
                return result
            except BaseException:
                verification.stop()
                raise

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the page."""
        formatter.write(help_page(self, ctx))


class Group(TyperGroup):
    """A group of commands with a help page of ours."""

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the page."""
        formatter.write(help_page(self, ctx))


def help_page(command: Any, context: Any, width: int | None = None) -> str:  # noqa: ANN401
    """Return the help of a command or of a group.

    Parameters
    ----------
    command, context
        Of click, which Typer has a copy of.
    width
        Columns; those of the terminal by default.
    """
    room = width or min(shutil.get_terminal_size().columns, _WIDEST)
    first, *others = inspect.cleandoc(command.help or "").split("\n\n")
    parts = [*_paragraph(first, room), "", *_folded(_usage(command, context), room, "       ")]
    for paragraph in others:
        parts += ["", *_paragraph(paragraph, room)]
    for title, rows in _sections(command, context):
        parts += ["", _bold(f"{title}:")]
        left = max((len(name) for name, _ in rows if len(name) <= _LEFT), default=0)
        for name, text in rows:
            parts += _row(name, text, left, room)
    return "\n".join(parts) + "\n"


def _usage(command: Any, context: Any) -> str:  # noqa: ANN401
    words = ["Usage:", context.command_path, "[OPTIONS]"]
    words += [_argument_name(p) for p in command.params if p.param_type_name == "argument"]
    if hasattr(command, "commands"):
        words.append("COMMAND [ARGS]...")
    return " ".join(words)


def _sections(command: Any, context: Any) -> Iterator[tuple[str, list[tuple[str, str]]]]:  # noqa: ANN401
    """Yield titles, and rows of names and texts: commands, arguments, panels of options."""
    shown = [param for param in command.get_params(context) if not getattr(param, "hidden", False)]
    commands = [
        (name, _summary(command.commands[name])) for name in getattr(command, "commands", ())
    ]
    if commands:
        yield "Commands", commands
    arguments = [p for p in shown if p.param_type_name == "argument"]
    if arguments:
        yield "Arguments", [(_argument_name(p), _text(p)) for p in arguments]
    panels: dict[str, list[tuple[str, str]]] = {_DEFAULT_PANEL: []}
    for param in shown:
        if param.param_type_name != "argument":
            panel = getattr(param, "rich_help_panel", None) or _DEFAULT_PANEL
            panels.setdefault(panel, []).append((_option_names(param), _text(param)))
    yield from panels.items()


def _summary(command: Any) -> str:  # noqa: ANN401
    return inspect.cleandoc(command.help or "").split("\n\n")[0].replace("\n", " ")


def _argument_name(param: Any) -> str:  # noqa: ANN401
    name = (param.metavar or param.name.upper()).strip("[]")
    if param.nargs == -1:
        name += "..."
    return name if param.required else f"[{name}]"


def _option_names(param: Any) -> str:  # noqa: ANN401
    long = [name for name in (*param.opts, *param.secondary_opts) if name.startswith("--")]
    short = [name for name in param.opts if not name.startswith("--")]
    names = f"{', '.join(short)}, " if short else "    "
    return names + " / ".join(long) + ("" if param.is_flag else f" {param.metavar}")


def _text(param: Any) -> str:  # noqa: ANN401
    """Return what a parameter does, and whether it must be given or what it is by default."""
    text = param.help or ""
    if param.required:
        return f"{text} (required)"
    default = param.default
    if param.param_type_name == "argument" or default is None or isinstance(default, bool | list):
        return text
    return (
        text
        if str(default) == "" or param.show_default is False
        else f"{text} (default: {default})"
    )


def _row(name: str, text: str, left: int, room: int) -> list[str]:
    indent = " " * (left + 6)
    lines = _folded(indent + text, room, indent)
    if len(name) > left:
        return [f"  {_bold(name)}", *lines]
    return [f"  {_bold(name)}{lines[0][2 + len(name) :]}", *lines[1:]]


def _paragraph(text: str, room: int) -> list[str]:
    """Fold a paragraph between words; commands keep their lines, and continue after a backslash."""
    if not text.startswith("    "):
        return _folded(text.replace("\n", " "), room, "")
    lines = []
    for line in text.split("\n"):
        first, *others = _folded(line, room - 2, "        ")
        lines += [f"{part} \\" for part in [first, *others][:-1]] + [[first, *others][-1]]
    return lines


def _folded(text: str, room: int, indent: str) -> list[str]:
    """Fold a line between words; what begins with spaces keeps them."""
    start = text[: len(text) - len(text.lstrip())]
    lines = [start]
    for word in text.split():
        blank = "" if lines[-1].strip() == "" else " "
        if lines[-1].strip() and len(lines[-1]) + 1 + len(word) > room:
            lines.append(indent + word)
        else:
            lines[-1] += blank + word
    return lines


def _bold(text: str) -> str:
    return typer.style(text, bold=True)
