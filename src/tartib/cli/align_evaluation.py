"""``tartib align --evaluate``: what gold links are compared with, and what is printed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from tartib import _native
from tartib.alignment import ALIGNERS, AlignmentReport, GoldLinks, Links, Measure, compare
from tartib.alignment.links import line_lengths, lines_read, mostly_fitting
from tartib.bitext import Bitext, ReadOptions
from tartib.cli import output
from tartib.errors import DataError
from tartib.wording import counted


@dataclass(frozen=True)
class GoldSet:
    """Gold links with their text, if they have one of their own, and links of other programs.

    Attributes
    ----------
    links
        The gold links.
    text
        Their own text; None where it is the beginning of the other text.
    others
        Links of other programs by the name of their file.
    unread
        How many gold sentences were skipped when the text was read.
    outside
        How many links of each of the others were left out, because they leave their sentences.
    """

    links: GoldLinks
    text: Bitext | None
    others: dict[str, Links]
    unread: int = 0
    outside: dict[str, int] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        gold: Path,
        sides: tuple[Path, Path] | None,
        others: Sequence[Path],
        aligners: Sequence[str],
        *,
        skip_empty: bool,
    ) -> GoldSet:
        """Read everything and see whether it fits together, before the work begins.

        Of a text of their own, gold sentences are as long as all the ``aligners`` can take.
        """
        links = GoldLinks.read(gold)
        found = {str(path): Links.read(path) for path in others}
        if sides is None:
            return cls(links, None, found)
        longest = min((ALIGNERS[name] for name in aligners), default=_native.MAX_SENTENCE_LENGTH)
        reading = ReadOptions(max_sentence_length=longest, skip_empty=skip_empty)
        return cls(links, Bitext.read(*sides, options=reading), found)._within(None)

    def with_text(self, text: Bitext) -> GoldSet:
        """Return the gold set of a text; without a text of its own it is the first lines of it."""
        return self if self.text is not None else self._within(text)

    def _within(self, first: Bitext | None) -> GoldSet:
        text = self.text if first is None else first
        assert text is not None  # noqa: S101 -- one of the two is there
        gold = self.links.within(text, whole=first is None)
        unread = len(gold) - int(np.count_nonzero(text.lines <= len(gold)))
        others, outside = {}, {}
        for path, links in self.others.items():
            others[path], outside[path] = _fitting(links, path, gold, text)
        return replace(self, links=gold, others=others, unread=unread, outside=outside)

    def joined(self, text: Bitext) -> Bitext:
        """Return the text that is aligned: gold sentences with one of their own come last."""
        if self.text is None:
            return text
        vocabularies = text.source.vocabulary, text.target.vocabulary
        return Bitext.join([text, self.text.with_vocabularies(*vocabularies)])

    def links_of(self, aligned: Bitext) -> Links:
        """Return the links that `joined` text got in the gold sentences."""
        if self.text is None:
            return Links.of_lines(aligned).slice(0, len(self.links))
        own = aligned.slice(len(aligned) - len(self.text), len(aligned))
        return Links.of_lines(replace(own, skipped=self.text.skipped))

    def note(self) -> None:
        """Say which gold links and sentences do not count as one would expect."""
        _note_outside(self.links.outside, "gold link")
        for path, outside in self.outside.items():
            _note_outside(outside, f"link of {path}", f"links of {path}")
        if self.unread:
            output.print_note(
                f"Skipped {counted(self.unread, 'gold sentence')}, too long or with an empty side: "
                "counted as sentences in which nothing was found."
            )


def _fitting(links: Links, path: str, gold: GoldLinks, text: Bitext) -> tuple[Links, int]:
    """Return the links of the gold sentences without those that leave them, and how many do."""
    if len(links) not in (len(gold), lines_read(text)):
        problem = f"has {counted(len(links), 'line')}, and {gold.name} has links of {len(gold):,}"
        hint = "a line for each gold sentence is needed, in their order"
        raise DataError(path, None, f"{problem} sentences", hint)
    own = links.slice(0, len(gold))
    kept = mostly_fitting(own, line_lengths(text), path)
    return own.choose(kept), int(np.count_nonzero(~kept))


def _note_outside(count: int, one: str, many: str | None = None) -> None:
    if count:
        verb = "leaves its sentence" if count == 1 else "leave their sentences"
        output.print_note(f"Left out {counted(count, one, many)} that {verb}.")


@dataclass(frozen=True)
class Evaluated:
    """What came out.

    Attributes
    ----------
    gold
        What was compared with.
    reports
        By aligner or file.
    seconds
        By aligner, of the clock.
    aligned
        The text with the links of the last aligner; None without one.
    """

    gold: GoldSet
    reports: dict[str, AlignmentReport]
    seconds: dict[str, float]
    aligned: Bitext | None

    def as_dict(self) -> dict[str, Any]:
        """Return everything for JSON."""
        gold = self.gold
        found: dict[str, Any] = {
            "gold": {
                "file": gold.links.name,
                "sentences": len(gold.links),
                "outside": gold.links.outside,
                "skipped": gold.unread,
            },
            "alignments": [
                {
                    "name": name,
                    "seconds": round(self.seconds[name], 3) if name in self.seconds else None,
                    "outside": gold.outside.get(name, 0),
                    **report.as_dict(),
                }
                for name, report in self.reports.items()
            ],
        }
        if self.aligned is None:
            return found
        skipped = self.aligned.skipped._asdict()
        return {"sentences": len(self.aligned), "skipped": skipped, **found}

    def show(self) -> None:
        """Print a row for each alignment, and notes on what does not count."""
        self.gold.note()
        first, report = next(iter(self.reports.items()))
        several = len(self.reports) > 1
        title = (
            f"{counted(report.sentences, 'sentence')}, {counted(report.sure, 'sure gold link')}, "
            f"{report.possible - report.sure:,} only possible; {100 * report.level:g} % intervals"
        )
        if several:
            title += f"; AER compared with {first}: * p < 0.05, ** p < 0.01"
        columns = ["aligner", "precision ↑", "recall ↑", "AER ↓", "F1 ↑", "links", "seconds"]
        rows = [
            [
                name,
                _cell(one.precision),
                _cell(one.recall),
                _cell(one.aer, compared=several),
                _cell(one.f1),
                one.found,
                f"{self.seconds[name]:.1f}" if name in self.seconds else "–",
            ]
            for name, one in self.reports.items()
        ]
        output.print_table(title, columns, rows, right=(5, 6), lines=True)


def evaluate_aligners(
    gold: GoldSet,
    text: Bitext | None,
    aligners: Sequence[str],
    run: Callable[[Bitext, str], Bitext],
    seed: int,
) -> Evaluated:
    """Align a text by each aligner, if there is one, and compare all links with the gold links."""
    found: dict[str, Links] = {}
    seconds: dict[str, float] = {}
    aligned = None
    if text is not None:
        gold = gold.with_text(text)
        whole = gold.joined(text)
        for name in aligners:
            began = time.perf_counter()
            links = run(whole, name)
            seconds[name] = time.perf_counter() - began
            found[name] = gold.links_of(links)
            aligned = replace(links.slice(0, len(text)), skipped=text.skipped)
    reports = compare({**found, **gold.others}, gold.links, seed=seed)
    return Evaluated(gold, reports, seconds, aligned)


def _cell(measure: Measure, *, compared: bool = False) -> str:
    """Return the score and its interval, and what differs from the first row."""
    text = f"{measure.score:.3f}\n[{measure.low:.3f}, {measure.high:.3f}]"
    d = measure.difference
    if not compared or d is None:
        return text
    mark = "**" if d.p_value < 0.01 else "*" if d.p_value < 0.05 else ""
    return f"{text}\n{d.difference:+.3f}{mark} p = {d.p_value:.3f}"
