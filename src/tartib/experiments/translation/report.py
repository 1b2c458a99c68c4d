"""The page of a translation experiment."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from tartib.experiments.report.findings import SIGNIFICANT, Headline
from tartib.experiments.report.html import (
    Block,
    Chapter,
    Plot,
    Section,
    legend_of_sets,
    notes_once,
    write_page,
)
from tartib.experiments.report.tables import Table
from tartib.experiments.translation.comparison import BLEU
from tartib.experiments.translation.figures import figures_of
from tartib.experiments.translation.findings import baseline_name, gain_of
from tartib.experiments.translation.results import SystemResults, TranslationResults
from tartib.experiments.translation.ribbon_pictures import draw_sentence
from tartib.experiments.translation.tables import tables_of
from tartib.orientation import OrientationModel
from tartib.wording import counted

_MOVES = (
    "Test sentences where the order of a system's output, and its BLEU, differ most from the "
    "baseline's, better or worse; the first tuning run of each. Source words are above "
    "and the translation below, both in the order in which they are read, from left to right. "
    "Blue phrases continue where the previous one ended (monotone), orange ones are just before it "
    "(swap), green ones are elsewhere (discontinuous)."
)
_BLOCKS = (
    " The previous one is a block here, as in hierarchical models: the last phrase, together with "
    "those before it that form one unbroken piece of the source with it."
)


def write_report(results: TranslationResults, path: str | Path) -> None:
    """Write the page, replacing an older one."""
    write_page(path, [chapter_of(results)])


def chapter_of(results: TranslationResults, *, folder: str = "") -> Chapter:
    """Collect everything that a page shows; ``folder`` is where the experiment's files are."""
    tables = {table.key: table for table in tables_of(results)}
    corpus = results.corpus
    runs = max(len(system.runs) for system in results.systems)
    return Chapter(
        "Translation",
        results,
        f"{corpus.sentences:,} sentence pairs to train on, "
        f"{' and '.join(f'{test.sentences:,}' for test in results.tests)} to "
        f"test on, {len(results.systems)} systems, each tuned {runs} "
        f"{'time' if runs == 1 else 'times'}",
        corpus=[tables[key] for key in ("texts", "tests") if key in tables],
        sections=[_section(results, test.name, tables) for test in results.tests],
        folded=[Block("stages", "Time and memory of every stage", tables=[tables["stages"]])],
        folder=folder,
    )


def _section(results: TranslationResults, test: str, tables: dict[str, Table]) -> Section:
    """Collect what the page shows of a test set; the first one has what does not depend on it."""
    several, first = len(results.tests) > 1, test == results.test.name
    ending = f"-{test}" if several else ""
    one = results.on(test)

    def those(*keys: str) -> list[Table]:
        found = [tables.get(f"{key}{ending}") for key in keys]
        return [table for table in found if table is not None]

    def drawn(name: str) -> list[Plot]:
        panels = figures_of(one)[name]
        return [
            Plot(panel.key, panel.title, Markup(panel.svg(f"{name}{ending}")))  # noqa: S704
            for panel in panels
        ]

    blocks = [
        Block("findings", "The papers' findings", tables=those("findings")),
        Block(
            "papers", "BLEU and NIST", plots=drawn("bleu"), tables=those("table-8", "mlr-table-3")
        ),
        Block("scores", "All scores", tables=those("scores")),
        Block("order", "Word order", tables=those("word-order")),
    ]
    if first:
        blocks += [
            Block(
                "moves",
                "Which phrases moved where",
                _MOVES + (_BLOCKS if results.orientation.startswith("hier") else ""),
                examples=[draw_sentence(sentence) for sentence in results.examples],
            ),
            Block(
                "oracle",
                "What perfect order could bring",
                tables=[tables["oracle"]] if "oracle" in tables else [],
            ),
            Block("size", "Size", tables=[tables["table-7"]]),
            Block("tuning", "Tuning", plots=drawn("tuning"), tables=[tables["tuning"]]),
        ]
    return Section(
        f"translation{ending}",
        results.orientation,
        f"{results.direction}, {test}" if several else results.direction,
        headlines(one),
        [*(primary_sentences(results) if first else []), *sentences(one)],
        [notes_once(block) for block in blocks if block],
        OrientationModel.parse(results.orientation).describe(results.direction),
        legend_of_sets(model.name.partition(":")[2] for model in results.models),
    )


def best_system(results: TranslationResults) -> SystemResults | None:
    """Return the system with the highest BLEU besides the baseline."""
    others = [system for system in results.systems if system.name != results.baseline]
    return max(others, key=lambda system: system.score(BLEU)) if others else None


def headlines(results: TranslationResults) -> list[Headline]:
    """Return the large figures of the first test set."""
    base = results.base
    found = [Headline(f"{base.score(BLEU):.2f}", "BLEU", f"{base.title} model")]
    best = best_system(results)
    if best is not None:
        gain = gain_of(best).value
        name = f"{'best' if gain >= 0 else 'best of the others'}: {best.title}"
        found.insert(0, Headline(f"{best.score(BLEU):.2f}", "BLEU", name))
        shown = f"{gain:+.2f}".replace("-", "−")
        found.append(Headline(shown, "BLEU", "difference between the two"))
    return found


def sentences(results: TranslationResults) -> list[str]:
    """Say the same in words, and whether it could be chance."""
    best = best_system(results)
    if best is None:
        return []
    gains = [gain_of(s) for s in results.systems if s.name != results.baseline]
    better = sum(gain.value > 0 and gain.adjusted < SIGNIFICANT for gain in gains)
    among = "" if gain_of(best).value >= 0 else " of the others"
    return [
        f"{best.title[:1].upper()}{best.title[1:]} has the highest BLEU{among}, "
        f"{best.score(BLEU):.2f}, {_compared(results, best)}.",
        f"Significantly better than {baseline_name(results)}: {better} of "
        f"{counted(len(gains), 'system')} (p-values adjusted for their number).",
    ]


def primary_sentences(results: TranslationResults) -> list[str]:
    """Say what the comparison that was named beforehand found, on the first test set."""
    return [
        f"The comparison named beforehand: BLEU of {system.title} is {system.score(BLEU):.2f}, "
        f"{_compared(results, system)}."
        for system in results.systems
        if system.name == results.primary
    ]


def _compared(results: TranslationResults, system: SystemResults) -> str:
    found = gain_of(system)
    way = "above" if found.value >= 0 else "below"
    surely = "is hardly chance" if found.adjusted < SIGNIFICANT else "may well be chance"
    interval = f"{found.low:+.2f} to {found.high:+.2f}".replace("-", "−")
    return (
        f"{abs(found.value):.2f} {way} {baseline_name(results)} (95\u202f% interval {interval}, "
        f"p = {found.adjusted:.3f}): that {surely}"
    )
