"""`report.html` of a system: its text, its word order, what was tried, how good it is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from tartib.build.choice import Choice
from tartib.build.examples import aligned_examples, moved_examples
from tartib.build.plan import BuildPlan, step_of
from tartib.build.readme import share
from tartib.build.report_tables import (
    choice_table,
    cleaning_table,
    order_table,
    score_table,
    size_table,
    stage_table,
    text_table,
)
from tartib.build.results import BuildResults
from tartib.experiments.report.alignment_pictures import alignment_picture
from tartib.experiments.report.findings import Headline
from tartib.experiments.report.html import Block, Chapter, Section, write_page
from tartib.experiments.run.results import Example, ExperimentResults, machine
from tartib.experiments.run.stages import Stage
from tartib.experiments.run.workspace import Workspace
from tartib.features import FeatureSet
from tartib.orientation import OrientationModel
from tartib.wording import counted

_MOVES = (
    "Sentences of the test set whose words moved far, good translations first. Source words are "
    "above and the translation below, both in the order in which they are read, from left to "
    "right. Blue phrases continue where the previous one ended, orange ones are just before it, "
    "green ones are elsewhere."
)
_ALIGNED = (
    "Sentence pairs of the training text with the links that the aligner found, around a phrase "
    "that moved: its links are in the box."
)


def write_report(
    plan: BuildPlan,
    choice: Choice,
    workspace: Workspace,
    results: BuildResults,
    stages: Sequence[Stage],
    path: Path,
) -> None:
    """Write the page; ``stages`` are all that led to the system."""
    languages = " → ".join(filter(None, results.languages))
    title = f"A translation system{f', {languages}' if languages else ''}"
    timed = finished_stages(stages, workspace)
    write_page(path, [_chapter(plan, choice, workspace, results, timed, title)], title)


def _chapter(
    plan: BuildPlan,
    choice: Choice,
    workspace: Workspace,
    results: BuildResults,
    stages: Sequence[tuple[str, str, float, float]],
    title: str,
) -> Chapter:
    left_out = {"train", "dev", "test", "mono"}
    about = ExperimentResults(
        title=title,
        signature=results.signature,
        version=results.tartib,
        options=json.loads(plan.asked.model_dump_json(by_alias=True, exclude=left_out)),
        machine=machine(),
        jobs=plan.jobs,
        seconds=sum(seconds for _, _, seconds, _ in stages),
    )
    data = results.data
    byline = f"{counted(data.pairs, 'sentence pair')} to train on, {results.effort} effort"
    return Chapter(
        "System",
        about,
        byline,
        corpus=[score_table(results)],
        sections=[_section(plan, choice, workspace, results)],
        folded=[
            Block("stages", "Time and memory of every stage", tables=[stage_table(stages)]),
        ],
        data=("scores.json", "system.toml"),
        tables=(),
    )


def _section(
    plan: BuildPlan, choice: Choice, workspace: Workspace, results: BuildResults
) -> Section:
    orientation = OrientationModel.parse(results.orientation)
    count, seed = plan.asked.score.examples, plan.asked.seed
    pairs = aligned_examples(plan.corpus.load(workspace), orientation, count, seed)
    test = plan.final("test", choice)
    from_block = orientation.model == "hier"
    drawn = [_drawn(number, pair) for number, pair in enumerate(pairs, 1)]
    moved = moved_examples(test, workspace, count, from_block=from_block)
    blocks = [
        Block(
            "corpus",
            "The text",
            tables=[text_table(results), cleaning_table(results)],
            notes=_notes(results),
        ),
        Block("order", "Word order", tables=[order_table(results)]),
        Block("alignment", "Word alignment", _ALIGNED, examples=drawn),
        Block("choice", "What was tried", tables=choice_table(results)),
        Block("moves", "Translations", _MOVES, examples=[one.drawn for one in moved]),
        Block("size", "Sizes", tables=[size_table(plan, choice, workspace, results)]),
    ]
    return Section(
        "system",
        results.title,
        f"limit {results.limit}",
        _headlines(results),
        _sentences(results),
        [block for block in blocks if block],
        orientation.describe("backward"),
        _feature_sets(plan),
    )


def _feature_sets(plan: BuildPlan) -> list[str]:
    """Say what the feature sets of the classifiers are that were compared."""
    names = {part.features for parts in plan.systems.values() for part in parts.models}
    return [FeatureSet(name).describe() for name in sorted(filter(None, names))]


def _headlines(results: BuildResults) -> list[Headline]:
    return [
        Headline(f"{found.scores[metric].score:.1f}", metric, label)
        for found, label in ((results.test, "test set"), (results.dev, "development set"))
        for metric in found.scores
    ]


def _sentences(results: BuildResults) -> list[str]:
    """Say the most important in words."""
    bleu = results.test.scores["BLEU"]
    found = [
        f"On {counted(results.test.sentences, 'test sentence')} the translations have BLEU "
        f"{bleu.score:.1f} (95\u202f% interval {bleu.low:.1f} to {bleu.high:.1f}), raw output "
        f"against raw references ({results.texts[1]}).",
        f"{share(results.test)} of the test words were never seen in training.",
    ]
    held = results.data.held_out
    if held:
        sets = " and ".join({"dev": "development", "test": "test"}[name] for name in held)
        found.append(
            f"The {sets} set {'was' if len(held) == 1 else 'were'} drawn from the training text: "
            "other text is usually harder."
        )
    return [*found, *(f"{one[:1].upper()}{one[1:]}." for one in results.suspicions)]


def _notes(results: BuildResults) -> list[str]:
    seen = sum(results.data.seen.values())
    notes = []
    if seen:
        notes.append(
            f"{counted(seen, 'training pair')} had sentences of the development or the test set, "
            "and were taken out."
        )
    if results.data.mono_lines:
        notes.append(
            f"The language model has {counted(results.data.mono_lines, 'more line')} of text; "
            f"{results.data.mono_seen:,} with sentences of the sets were taken out."
        )
    return notes


def _drawn(number: int, example: Example) -> Markup:
    heading = Markup('<article class="movement"><h4>Sentence pair {}</h4>').format(number)
    return heading + alignment_picture(example, "backward") + Markup("</article>")


def finished_stages(
    stages: Sequence[Stage], workspace: Workspace
) -> list[tuple[str, str, float, float]]:
    """Return step, title, seconds and peak memory of stages, in their order."""
    found = []
    for stage in stages:
        value = workspace.require(stage.key)
        # A tuning that was continued has the seconds of all its iterations.
        seconds = max(value["stage_seconds"], value.get("seconds", 0.0))
        found.append((step_of(stage.title), stage.title, seconds, value["stage_peak_mb"]))
    return found
