"""What a build found out, as data: the schema of a system's ``scores.json``.

It holds no times, so that the same build gives the same file; the report has them. Scores are in
percent.
"""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, Literal

from tartib.build.choice import BLEU, Choice
from tartib.build.plan import BuildPlan
from tartib.build.stages import Scored
from tartib.experiments.run.results import Record
from tartib.experiments.run.workspace import Workspace
from tartib.orientation import MODEL_DIRECTIONS, OrientationModel
from tartib.signature import signature
from tartib.text import TextSide
from tartib.text.segmentation import SEGMENTED


class Data(Record):
    """The text that the system was made from.

    Attributes
    ----------
    files
        Names, without folders, by what they are for.
    read, left_out
        Sentence pairs of the training text, and those not used, by reason.
    seen
        Training pairs taken out because the development or the test set has their sentences.
    held_out
        Sets that were drawn from the training text.
    pairs, source_words, target_words
        What was trained on, in tokens.
    mono_lines, mono_seen
        More text of the target language, and lines taken out of it.
    """

    files: dict[str, list[str]]
    read: int
    left_out: dict[str, int]
    seen: dict[str, int]
    held_out: list[str]
    pairs: int
    source_words: int
    target_words: int
    mono_lines: int
    mono_seen: int


class Sizes(Record):
    """How large the parts are."""

    source_vocabulary: int
    target_vocabulary: int
    links: int
    phrase_pairs: int
    phrase_table: int
    ngrams: int
    models: dict[str, int]


class Score(Record):
    """A score with its 95 % interval and sacreBLEU's signature."""

    score: float
    low: float
    high: float
    signature: str


class SetScores(Record):
    """Translations of a set: raw text compared with raw references.

    ``unknown`` is the share of its tokens that the training text has not.
    """

    sentences: int
    references: int
    words: int
    unknown: float
    scores: dict[str, Score]


class TrialResults(Record):
    """A system or a distortion limit that was tried on the development set."""

    what: Literal["limit", "system"]
    system: str
    title: str
    limit: int
    bleu: float
    low: float
    high: float


class Tuning(Record):
    """A tuning run: BLEU in tokens on the development set by iteration."""

    bleu: list[float]
    chosen: int
    stopped: str


class BuildResults(Record):
    """All of it.

    Attributes
    ----------
    build
        A name of everything that the system depends on.
    languages
        Source and target; empty where they are not known.
    orientations
        How often each orientation was extracted, by direction.
    system, title, orientation, direction, limit
        What was chosen.
    texts
        What kind of text it takes and gives, in words, such as ``ordinary text``.
    tuned_on
        How many sentences of the development set it was tuned on: the first ones.
    suspicions
        What may be wrong with the text.
    """

    format: Literal["tartib system scores"] = "tartib system scores"
    version: Literal[1] = 1
    tartib: str
    build: str
    effort: str
    languages: tuple[str, str]
    texts: tuple[str, str]
    data: Data
    sizes: Sizes
    orientations: dict[str, dict[str, int]]
    system: str
    title: str
    orientation: str
    direction: str
    limit: int
    trials: list[TrialResults]
    tunings: list[Tuning]
    dev: SetScores
    test: SetScores
    tuned_on: int
    suspicions: list[str]
    signature: str


def collect(plan: BuildPlan, choice: Choice, workspace: Workspace, build: str) -> BuildResults:
    """Put together what the stages found."""
    prepared = workspace.require(plan.prepared.key)
    phrases = plan.corpus.load(workspace)
    model = OrientationModel.parse(plan.orientation)
    orientations = {
        direction: {name: int(n) for name, n in phrases.counts(model, direction).items()}
        for direction in MODEL_DIRECTIONS
    }
    sets = {name: plan.final(name, choice) for name in ("dev", "test")}
    dev, test = (_set_scores(sets[name], workspace) for name in ("dev", "test"))
    tunings = [workspace.require(t.key) for t in plan.tunings(choice)]
    text = plan.prepared.model(workspace)
    made_of = [part for part in phrases.signature_parts if part[0] != "orientation"]
    return BuildResults(
        tartib=version("tartib"),
        build=build,
        effort=plan.asked.effort,
        languages=plan.prepared.codes,
        texts=(kind_of_text(text.source), kind_of_text(text.target)),
        data=_data(plan, prepared),
        sizes=_sizes(plan, choice, workspace),
        orientations=orientations,
        system=choice.system,
        title=plan.systems[choice.system].title,
        orientation=plan.orientation,
        direction=plan.direction,
        limit=choice.limit,
        trials=[
            TrialResults(**{name: getattr(trial, name) for name in TrialResults.model_fields})
            for trial in choice.trials
        ],
        tunings=[
            Tuning(
                bleu=[one["bleu"] for one in found["iterations"]],
                chosen=found["chosen"],
                stopped=found["stopped"],
            )
            for found in tunings
        ],
        dev=dev,
        test=test,
        tuned_on=min(dev.sentences, plan.asked.tune.sentences),
        suspicions=[*prepared["disasters"], *prepared["suspicions"], *_poor(test)],
        signature=signature(
            ("build", build),
            ("trained_on", f"[{signature(*made_of)}]"),
            ("orientation", plan.orientation),
            ("direction", plan.direction),
            ("seed", plan.asked.seed),
        ),
    )


def kind_of_text(side: TextSide) -> str:
    """Say what the training text of a side was like: ``ordinary text``, ``tokenised text``."""
    shape = side.profile.shape
    is_segmented = shape.gaps > SEGMENTED and not side.unspaced
    kinds = ["tokenised"] if side.tokenised else []
    kinds += ["segmented"] if is_segmented else []
    small = " in small letters" if side.casing.small_only else ""
    return f"{' and '.join(kinds) or ('' if small else 'ordinary')} text{small}".strip()


_POOR = 2  # BLEU: words that are right by chance


def _poor(test: SetScores) -> list[str]:
    bleu = test.scores[BLEU].score
    if bleu >= _POOR:
        return []
    return [
        f"with BLEU {bleu:.1f} the translations have hardly anything in common with the references "
        "of the test set: look whether all files are what they should be"
    ]


def _data(plan: BuildPlan, found: dict[str, Any]) -> Data:
    files = {
        name: [file.path.name for file in getattr(plan.prepared, name)]
        for name in ("train", "dev", "test", "mono")
    }
    train = found["train"]
    left_out = dict(found["clean"]["left_out"])
    for reason, words in (("long", "too many tokens"), ("empty", "nothing left")):
        if train[reason]:
            left_out[words] = train[reason]
    return Data(
        files={name: names for name, names in files.items() if names},
        read=found["clean"]["read"],
        left_out=left_out,
        seen=found["removed"],
        held_out=found["held_out"],
        pairs=train["pairs"],
        source_words=train["source"],
        target_words=train["target"],
        mono_lines=found["lm"]["lines"],
        mono_seen=found["lm"]["removed"],
    )


def _sizes(plan: BuildPlan, choice: Choice, workspace: Workspace) -> Sizes:
    sizes = workspace.require(plan.corpus.key)["sizes"]
    models = plan.assembly(choice.system).models
    from tartib.experiments.translation.stages import feature_name

    return Sizes(
        source_vocabulary=sizes["source"]["vocabulary"],
        target_vocabulary=sizes["target"]["vocabulary"],
        links=sizes["links"],
        phrase_pairs=sizes["pairs"],
        phrase_table=workspace.require(plan.table.key)["entries"],
        ngrams=workspace.require(plan.lm.key)["entries"],
        models={
            feature_name(model): workspace.require(model.key)["n_parameters"] for model in models
        },
    )


def _set_scores(stage: Scored, workspace: Workspace) -> SetScores:
    found = workspace.require(stage.key)
    return SetScores(
        sentences=found["sentences"],
        references=len(stage.text.references),
        words=found["words"],
        unknown=found["unknown"] / max(found["words"], 1),
        scores={name: Score(**figures) for name, figures in found["scores"].items()},
    )
