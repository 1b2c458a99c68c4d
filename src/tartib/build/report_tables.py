"""The tables of a system's report."""

from __future__ import annotations

from collections.abc import Sequence

from tartib.build.choice import ALIKE, Choice
from tartib.build.plan import BuildPlan
from tartib.build.results import BuildResults, TrialResults
from tartib.experiments.report.tables import Column, Table, Value, duration, size
from tartib.experiments.run.workspace import Workspace
from tartib.experiments.translation.stages import feature_name, folder_bytes
from tartib.orientation import MEANINGS
from tartib.wording import counted

Row = list[str | Value]


def score_table(results: BuildResults) -> Table:
    """Return the scores on both sets."""
    rows: list[Row] = []
    for found, name in ((results.test, "test"), (results.dev, "development")):
        row: Row = [name, Value(found.sentences)]
        for figure in found.scores.values():
            row += [Value(figure.score), f"{figure.low:.1f} to {figure.high:.1f}"]
        rows.append(row)
    columns = [Column("set"), Column("sentences", digits=0)]
    for metric in results.test.scores:
        columns += [Column(metric, digits=1), Column(f"{metric}, 95\u202f% interval")]
    first = results.tuned_on < results.dev.sentences
    part = f"the first {counted(results.tuned_on, 'sentence')} of " if first else ""
    notes = [f"The weights were tuned on {part}the development set."]
    notes += [score.signature for score in results.test.scores.values()]
    return Table("scores", "Translations compared with references", columns, [rows], notes)


def text_table(results: BuildResults) -> Table:
    """Return the files, and how much text is in them."""
    data, sizes = results.data, results.sizes
    rows: list[Row] = []
    for side, words, different in (
        ("source", data.source_words, sizes.source_vocabulary),
        ("target", data.target_words, sizes.target_vocabulary),
    ):
        per = Value(words / max(data.pairs, 1))
        files = data.files["train"]
        file = files[side == "target"] if len(files) > 1 else files[0]
        title = f"training, {side}"
        row: Row = [title, file, Value(data.pairs), Value(words), per, Value(different)]
        rows.append([*row, Value(None)])
    for found, name, title in (
        (results.dev, "dev", "development, source"),
        (results.test, "test", "test, source"),
    ):
        per = Value(found.words / max(found.sentences, 1))
        file = data.files.get(name, ["from training"])[0]
        row = [title, file, Value(found.sentences), Value(found.words), per, Value(None)]
        rows.append([*row, Value(100 * found.unknown)])
    columns = [Column("text"), Column("file"), Column("sentences", digits=0)]
    columns += [Column("tokens", digits=0), Column("per sentence", digits=1)]
    columns += [Column("different", digits=0), Column("% unknown", digits=1)]
    note = "Unknown tokens are those that the training text has not."
    return Table("texts", "Texts", columns, [rows], [note])


def cleaning_table(results: BuildResults) -> Table:
    """Return what was read, left out and kept."""
    data = results.data
    rows: list[Row] = [["read", Value(data.read)]]
    rows += [[f"left out: {why}", Value(-n)] for why, n in data.left_out.items() if n]
    rows += [
        [
            f"left out: with sentences of the {'development' if name == 'dev' else 'test'} set",
            Value(-n),
        ]
        for name, n in data.seen.items()
        if n
    ]
    held = {"dev": results.dev.sentences, "test": results.test.sentences}
    rows += [[f"held out: {name}", Value(-held[name])] for name in data.held_out]
    rows.append(["trained on", Value(data.pairs)])
    columns = [Column("sentence pairs"), Column("number", digits=0)]
    return Table("cleaning", "The training text", columns, [rows])


def order_table(results: BuildResults) -> Table:
    """Return how often phrases keep their order, and how often not."""
    rows: list[Row] = []
    labels = list(next(iter(results.orientations.values())))
    for direction, counts in results.orientations.items():
        total = max(sum(counts.values()), 1)
        rows.append([direction, *(Value(100 * counts[label] / total) for label in labels)])
    columns = [Column("direction"), *(Column(label, "% of phrase pairs", 1) for label in labels)]
    notes = [
        "The more are not mono, the more there is to gain from a reordering model.",
        "Backward is from a phrase to the one translated before it, forward to the one after it.",
        *(f"{label[:1].upper()}{label[1:]}: {MEANINGS[label]}." for label in labels),
    ]
    return Table(
        "order", f"Orientations of phrases ({results.orientation})", columns, [rows], notes
    )


def choice_table(results: BuildResults) -> list[Table]:
    """Return what was compared: limits, and systems."""
    titles = {"limit": "Distortion limits", "system": "Systems"}
    notes = {
        "limit": "Tuned once on one half of the sentences, with the limit in the middle; compared "
        f"on the other half. Differences below {ALIKE} are mostly chance, so the middle stays "
        "if none is better by that much, even if another has the highest BLEU.",
        "system": "Tuned briefly on one half of the sentences, compared on the other. Of those "
        f"that are within {ALIKE} of the best, the last is taken, which is better elsewhere.",
    }
    tables = []
    for what, title in titles.items():
        trials = [trial for trial in results.trials if trial.what == what]
        if trials:
            columns = [Column("system"), Column("limit", digits=0)]
            columns += [Column("BLEU", digits=2, best="max"), Column("95\u202f% interval")]
            columns += [Column("taken")]
            best = max(trial.bleu for trial in trials)
            rows = [_trial_row(trial, results, best) for trial in trials]
            tables.append(Table(f"choice-{what}", title, columns, [rows], [notes[what]]))
    return tables


def _trial_row(trial: TrialResults, results: BuildResults, best: float) -> Row:
    taken = trial.limit == results.limit
    if trial.what == "system":
        taken = trial.system == results.system
    interval = f"{trial.low:.1f} to {trial.high:.1f}"
    why = "yes" if trial.bleu == best else f"yes, within {ALIKE} of the best"
    return [trial.title, Value(trial.limit), Value(trial.bleu), interval, why if taken else ""]


def size_table(
    plan: BuildPlan, choice: Choice, workspace: Workspace, results: BuildResults
) -> Table:
    """Return how large the parts are."""
    sizes = results.sizes
    parts = [
        ("phrase table", sizes.phrase_table, plan.table.folder(workspace)),
        ("language model", sizes.ngrams, plan.lm.folder(workspace)),
    ]
    for model in plan.assembly(choice.system).models:
        name = feature_name(model)
        parts.append((name, sizes.models[name], model.folder(workspace)))
    rows: list[Row] = []
    for name, entries, folder in parts:
        n_bytes = folder_bytes(folder)
        rows.append([name, Value(entries), Value(n_bytes, text=size(n_bytes))])
    columns = [Column("part"), Column("entries", digits=0), Column("size", digits=0)]
    return Table("size", "Parts of the system", columns, [rows])


def stage_table(stages: Sequence[tuple[str, str, float, float]]) -> Table:
    """Return time and memory of all stages."""
    rows: list[Row] = [
        [step, title, Value(seconds, text=duration(seconds)), Value(peak)]
        for step, title, seconds, peak in stages
    ]
    columns = [Column("step"), Column("stage"), Column("time", digits=1)]
    columns += [Column("peak memory, MB", digits=0)]
    return Table("stages", "Stages", columns, [rows])
