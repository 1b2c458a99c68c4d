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
from tartib.experiments.translation.findings import adjusted_p_values
from tartib.experiments.translation.results import SystemResults, TranslationResults
from tartib.experiments.translation.ribbon_pictures import draw_sentence
from tartib.experiments.translation.tables import tables_of
from tartib.orientation import OrientationModel
from tartib.wording import counted

_MOVES = (
    "Test sentences where the order of a system's output, and its BLEU, differ most from the "
    "lexicalised system's, better or worse; the first tuning run of each. Source words are above "
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
    plots = {
        name: [Plot(panel.key, panel.title, Markup(panel.svg(name))) for panel in panels]  # noqa: S704
        for name, panels in figures_of(results).items()
    }
    corpus = results.corpus
    runs = len(results.systems[0].runs)
    return Chapter(
        "Translation",
        results,
        f"{corpus.sentences:,} sentence pairs to train on, {results.test.sentences:,} to "
        f"test on, {len(results.systems)} systems, each tuned {runs} "
        f"{'time' if runs == 1 else 'times'}",
        corpus=[tables["texts"]],
        sections=[_section(results, tables, plots)],
        folded=[Block("stages", "Time and memory of every stage", tables=[tables["stages"]])],
        folder=folder,
    )


def _section(
    results: TranslationResults, tables: dict[str, Table], plots: dict[str, list[Plot]]
) -> Section:
    def those(*keys: str) -> list[Table]:
        return [tables[key] for key in keys if key in tables]

    blocks = [
        Block("findings", "The papers' findings", tables=those("findings")),
        Block(
            "papers", "BLEU and NIST", plots=plots["bleu"], tables=those("table-8", "mlr-table-3")
        ),
        Block("scores", "All scores", tables=those("scores")),
        Block("order", "Word order", tables=those("word-order")),
        Block(
            "moves",
            "Which phrases moved where",
            _MOVES + (_BLOCKS if results.orientation.startswith("hier") else ""),
            examples=[draw_sentence(sentence) for sentence in results.examples],
        ),
        Block("size", "Size", tables=those("table-7")),
        Block("tuning", "Tuning", plots=plots["tuning"], tables=those("tuning")),
    ]
    return Section(
        "translation",
        results.orientation,
        results.direction,
        headlines(results),
        sentences(results),
        [notes_once(block) for block in blocks if block],
        OrientationModel.parse(results.orientation).describe(results.direction),
        legend_of_sets(model.name.partition(":")[2] for model in results.models),
    )


def best_system(results: TranslationResults) -> SystemResults | None:
    """Return the system with the highest BLEU besides the baseline."""
    others = [system for system in results.systems if system.name != results.baseline]
    return max(others, key=lambda system: system.score(BLEU)) if others else None


def headlines(results: TranslationResults) -> list[Headline]:
    """Return the large figures."""
    base = next(s for s in results.systems if s.name == results.baseline)
    found = [Headline(f"{base.score(BLEU):.2f}", "BLEU", f"{base.title} model")]
    best = best_system(results)
    if best is not None:
        gain = best.differences[BLEU].value
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
    found = best.differences[BLEU]
    way = "above" if found.value >= 0 else "below"
    p_values = adjusted_p_values(results, BLEU)
    surely = "is hardly chance" if p_values[best.name] < SIGNIFICANT else "may well be chance"
    better = sum(
        s.differences[BLEU].value > 0 and p_values[s.name] < SIGNIFICANT
        for s in results.systems
        if s.name in p_values
    )
    interval = f"{found.low:+.2f} to {found.high:+.2f}".replace("-", "−")
    among = "" if found.value >= 0 else " of the others"
    return [
        f"{best.title[:1].upper()}{best.title[1:]} has the highest BLEU{among}, "
        f"{best.score(BLEU):.2f}, "
        f"{abs(found.value):.2f} {way} the lexicalised model (95\u202f% interval {interval}, "
        f"p = {p_values[best.name]:.3f}): that {surely}.",
        f"Significantly better than the lexicalised model: {better} of "
        f"{counted(len(results.systems) - 1, 'system')} (p-values adjusted for their number).",
    ]
