"""``tartib explain``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tartib.cli import options, output

if TYPE_CHECKING:
    from tartib.reordering import Explanation, ReorderingModel


def explain(
    model: options.Model,
    phrases: Annotated[
        Path | None,
        typer.Argument(
            metavar="[PHRASES]",
            help="Folder of phrase pairs; without it the model itself is explained.",
        ),
    ] = None,
    pair: Annotated[
        int | None, options.option("--pair", "N", "Number of the phrase pair, from 0.")
    ] = None,
    sentence: Annotated[
        int | None,
        options.option("--sentence", "N", "A pair of this line of the corpus."),
    ] = None,
    word: Annotated[
        list[str] | None,
        options.option("--word", "WORD", "A pair with this word on either side; may be repeated."),
    ] = None,
    label: Annotated[
        str | None,
        options.option("--label", "NAME", "A pair of this class, or only this class."),
    ] = None,
    direction: options.ModelDirection = None,
    limit: Annotated[
        int, options.option("--limit -n", "N", "How many features to show.", min=1)
    ] = 15,
    signature: options.Signature = False,
    as_json: options.Json = False,
) -> None:
    """Show the features that decide: for one phrase pair in its sentence, or for a whole model.

    Example:

        tartib explain model/ --label swap
        tartib explain model/ phrases/ --word waters
    """
    from tartib.reordering import ReorderingModel

    trained = ReorderingModel.load(model)
    if phrases is None:
        if pair is not None or sentence is not None or word:
            raise typer.BadParameter("to look for a phrase pair, name the folder of phrase pairs")
        labels = trained.classes_.tolist() if label is None else (label,)
        found = {name: trained.strongest(name, limit, direction) for name in labels}
        _print_model(found, trained, direction or trained.directions[0], as_json)
        output.print_signature(trained.signature, signature and not as_json)
        return
    explanation = _explain(trained, phrases, pair, (sentence, tuple(word or ()), label), direction)
    if as_json:
        output.print_json({**explanation.as_dict(), "signature": trained.signature})
    else:
        print_pair(explanation, limit)
        output.print_signature(trained.signature, signature)


def _explain(
    model: ReorderingModel,
    phrases: Path,
    pair: int | None,
    conditions: tuple[int | None, tuple[str, ...], str | None],
    direction: str | None,
) -> Explanation:
    from tartib.phrases import PhrasePairs

    store = PhrasePairs.load(phrases).reading_as(model.orientation_)
    if pair is None:
        line, words, label = conditions
        towards = direction or model.directions[0]
        found = store.find(line=line, words=words, label=label, direction=towards)
        if len(found) == 0:
            raise typer.BadParameter("no phrase pair of the store meets these conditions")
        pair = int(found[0])
    return model.explain(store, pair, direction)


def _print_model(
    found: dict[str, list[tuple[str, float]]],
    model: ReorderingModel,
    direction: str,
    as_json: bool,
) -> None:
    from tartib.reordering.explanation import legend_of

    legend = legend_of(model.orientation_, direction, model.encoder_)
    if as_json:
        output.print_json({"strongest": found, "legend": legend, "signature": model.signature})
        return
    for name, features in found.items():
        output.print_table(
            f"Features with the largest weights for {name} (above the mean of all classes)",
            ("weight", "feature"),
            ((f"{weight:+.3f}", feature) for feature, weight in features),
            right=(0,),
        )
    _print_legend(legend)


def _print_legend(lines: list[str]) -> None:
    """Say below a table what its names mean."""
    for line in lines:
        output.print_text(line)


def print_pair(found: Explanation, limit: int) -> None:
    """Print one phrase pair in its sentence, and what each feature adds to each class."""
    from tartib.demo.pipeline import mark
    from tartib.reordering.classifiers import SEEN

    pair = found.pair
    output.print_text(mark(found.source, pair.source_start, len(pair.source)))
    output.print_text(mark(found.target, pair.target_start, len(pair.target)))
    labels = list(found.probabilities)
    output.print_table(
        f"Orientation (in the corpus: {found.truth})",
        ("", *labels),
        [("probability", *(f"{p:.3f}" for p in found.probabilities.values()))],
        right=tuple(range(1, len(labels) + 1)),
    )
    shown = found.pulls[:limit]
    counts = bool(shown) and shown[0].feature.startswith(SEEN)
    title = "How often it was seen" if counts else "by what they add to each class"
    number = "{:,.0f}" if counts else "{:+.3f}"
    output.print_table(
        title if counts else f"Features: {len(shown)} of {len(found.pulls)}, {title}",
        ("" if counts else "feature", *labels),
        (
            (p.feature.removeprefix(SEEN), *(number.format(p.weights[name]) for name in labels))
            for p in shown
        ),
        right=tuple(range(1, len(labels) + 1)),
    )
    _print_legend(found.legend)
    if found.unknown:
        output.print_note(f"Not known to the model: {'; '.join(found.unknown)}.")
