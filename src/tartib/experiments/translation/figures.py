"""Figures of a translation experiment: scores at a glance, and how tuning went."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from tartib.experiments.report.figures import COLOURS, INK, MARKERS, MUTED, Panel, legend
from tartib.experiments.translation.comparison import BLEU
from tartib.experiments.translation.results import TranslationResults

LINES = ("-", "--", ":")  # where there are more systems than colours


def figures_of(results: TranslationResults) -> dict[str, list[Panel]]:
    """Return the figures by name."""
    glances = [_glance(results, test.name) for test in results.tests]
    return {"bleu": glances, "tuning": [_curves(results)]}


def _glance(results: TranslationResults, test: str) -> Panel:
    """BLEU of each system on a test set: every run a point, the mean a bar."""
    systems = results.systems[::-1]

    def draw(axes: Axes) -> None:
        for place, system in enumerate(systems):
            scores = [run.on(test).scores[BLEU] for run in system.runs]
            mean = system.score(BLEU, test)
            colour = MUTED if system.name == results.baseline else COLOURS[0]
            axes.plot(scores, [place] * len(scores), "o", color=colour, alpha=0.5)
            axes.plot([mean, mean], [place - 0.3, place + 0.3], color=colour, linewidth=2.2)
        axes.axvline(results.base.score(BLEU, test), color=INK, linewidth=1, linestyle=":")
        axes.set_yticks(range(len(systems)), [system.title for system in systems])
        axes.set_ylim(-0.7, len(systems) - 0.3)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel("BLEU")

    alone = len(results.tests) == 1
    where = "the test set" if alone else test
    title = f"BLEU on {where}: a point for each tuning run, a bar for their mean"
    return Panel("bleu" if alone else f"bleu-{test}", title, 0.75 + 0.3 * len(systems), draw)


def _curves(results: TranslationResults) -> Panel:
    """BLEU on the development set by iteration: all runs, the first one of each system in bold."""

    def draw(axes: Axes) -> None:
        for place, system in enumerate(results.systems):
            turn, at = divmod(place, len(COLOURS))
            for number, run in enumerate(system.runs):
                axes.plot(
                    [iteration.number for iteration in run.iterations],
                    [iteration.bleu for iteration in run.iterations],
                    label=None if number else system.title,
                    color=COLOURS[at],
                    marker=MARKERS[at],
                    markersize=3,
                    linewidth=1.0 if number else 1.8,
                    linestyle=LINES[turn % len(LINES)],
                )
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        axes.set_xlabel("iteration")
        axes.set_ylabel("BLEU on the development set")
        legend(axes)

    title = "Tuning: BLEU of each decoding of the development set, all runs"
    return Panel("tuning", title, 3.0 + 0.09 * len(results.systems), draw)
