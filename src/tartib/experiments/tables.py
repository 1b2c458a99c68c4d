"""Tables that know how to be Markdown, LaTeX and HTML."""

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
        Decimals of its numbers; None for text, which is set to the left.
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
    """A number with what belongs to it.

    Attributes
    ----------
    number
        None is shown as a dash.
    deviation
        Standard deviation over folds.
    text
        What is shown instead of the number, such as ``1h26m``; it is still sorted by the number.
    mark
        A sign behind it, such as a star for significance.
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
        Their number is that of the cells of each row.
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
