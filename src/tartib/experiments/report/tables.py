"""Tables: columns, rows in groups, and numbers with the way they are shown."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    name
        Its heading.
    group
        A heading above those of several neighbours, such as ``precision %``.
    digits
        Decimals of its numbers; None for text, which is left-aligned.
    best
        ``max`` or ``min`` where the best value of each group of rows is marked.
    paper
        Whether its numbers are the paper's, beside ours.
    """

    name: str
    group: str = ""
    digits: int | None = None
    best: str | None = None
    paper: bool = False


@dataclass(frozen=True)
class Value:
    """A number and how it is shown.

    Attributes
    ----------
    number
        None is shown as a dash.
    deviation
        Standard deviation over folds.
    text
        What is shown instead of the number, such as ``1h26m``; it is still sorted by the number.
    mark
        A sign after it, such as a star for significance.
    """

    number: float | None
    deviation: float | None = None
    text: str | None = None
    mark: str = ""


@dataclass(frozen=True)
class Table:
    """Rows in groups; the best of each group is marked, as in the papers.

    Attributes
    ----------
    key
        For links and labels, such as ``table-5-word-msd``.
    title
        Its caption.
    columns
        As many as each row has cells.
    groups
        Rows of cells: text or a `Value`.
    notes
        Sentences below the table.
    """

    key: str
    title: str
    columns: list[Column]
    groups: list[list[list[str | Value]]]
    notes: list[str] = field(default_factory=list)


def duration(seconds: float) -> str:
    """Return a time as ``35 ms``, ``0.35 s``, ``3.5 s``, ``12 s``, ``2m05s`` or ``1h26m``."""
    if seconds < 0.0995:
        return f"{1000 * seconds:.0f} ms"
    for limit, digits in ((0.995, 2), (9.95, 1), (59.5, 0)):
        if seconds < limit:
            return f"{seconds:.{digits}f} s"
    if seconds < 3599.5:
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes}m{rest:02d}s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours}h{minutes:02d}m"


def size(n_bytes: float) -> str:
    """Return a size as ``12 KB``, ``1.2 MB`` or ``5.9 GB``, of 1024 bytes and so on."""
    for unit, digits in (("KB", 0), ("MB", 1)):
        n_bytes /= 1024
        if round(n_bytes, digits) < 1024:
            return f"{n_bytes:,.{digits}f} {unit}"
    return f"{n_bytes / 1024:,.1f} GB"
