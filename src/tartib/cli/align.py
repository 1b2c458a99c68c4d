"""``tartib align``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from tartib.cli import options, output
from tartib.wording import counted

_EVALUATION = "Evaluation"
_MODEL = "The aligner joint"


def align(
    context: typer.Context,
    out: Annotated[
        Path | None,
        options.option(
            "--out -o",
            "FILE",
            "File for the links, a line for each line read. Needed, except with --evaluate or "
            "--save.",
        ),
    ] = None,
    source: options.Source = None,
    target: options.Target = None,
    bitext: options.BothSides = None,
    languages: options.Languages = None,
    max_sentence_length: options.SentenceLength = 100,
    skip_empty: options.SkipEmpty = False,
    aligners: Annotated[
        list[str] | None,
        options.option(
            "--aligner",
            "NAME",
            "joint, the default: both directions at once, trained to agree. Others, to compare "
            "with, need sil-thot (pip install 'tartib[thot]'): eflomal, fast_align, ibm1, hmm, "
            "ibm3, ibm4. With --evaluate give it again to compare several.",
        ),
    ] = None,
    heuristic: Annotated[
        str,
        options.option(
            "--heuristic",
            "NAME",
            "How the two directions are combined: grow-diag-final-and, grow-diag-final, "
            "grow-diag, grow, och, union or intersection.",
        ),
    ] = "grow-diag-final-and",
    overwrite: options.Overwrite = False,
    probabilities: Annotated[
        Path | None,
        options.option(
            "--probabilities",
            "FILE",
            "Another file, for how probable each link is, in the same order.",
            _MODEL,
        ),
    ] = None,
    save: Annotated[
        Path | None,
        options.option(
            "--save", "FOLDER", "Keep what was learnt, to align other text with it.", _MODEL
        ),
    ] = None,
    load: Annotated[
        Path | None,
        options.option(
            "--load",
            "FOLDER",
            "Align with a model that --save wrote, without training: for a few sentences, or "
            "development and test sets.",
            _MODEL,
        ),
    ] = None,
    priors: Annotated[
        Path | None,
        options.option(
            "--priors",
            "PATH",
            "What is known before: a lexicon, with a source word, a target word and, if that is "
            "not 1, how many links knowing them is worth on each line; or the folder of a model, "
            "whose counts are added.",
            _MODEL,
        ),
    ] = None,
    source_keys: Annotated[
        Path | None,
        options.option(
            "--source-keys",
            "FILE",
            "Stems, say, which are aligned in place of the source words: one for each of them.",
            _MODEL,
        ),
    ] = None,
    target_keys: Annotated[
        Path | None,
        options.option("--target-keys", "FILE", "The same for the target words.", _MODEL),
    ] = None,
    attach: Annotated[
        float | None,
        options.option(
            "--attach",
            "NUMBER",
            "Give words that are left without a link one to the word that their own direction "
            "believes in most, if with at least this probability: 0.5, say, where one word often "
            "stands for several, as in Arabic.",
            _MODEL,
            min=0,
            max=1,
        ),
    ] = None,
    min_probability: Annotated[
        float | None,
        options.option(
            "--min-probability",
            "NUMBER",
            "Leave out links that are less probable than this. Below 0.3, the least otherwise, "
            "more links are found.",
            _MODEL,
            min=0,
            max=1,
        ),
    ] = None,
    seed: Annotated[
        int,
        options.option(
            "--seed",
            "N",
            "For eflomal and the intervals of --evaluate: the same seed gives the same result.",
            min=0,
            max=2**32 - 1,
        ),
    ] = 1,
    samplers: Annotated[
        int,
        options.option(
            "--samplers",
            "N",
            "For eflomal: independent chains that are averaged; time grows in proportion. "
            "Take 1 for speed, 5 for a little more quality.",
        ),
    ] = 3,
    gold: Annotated[
        Path | None,
        options.option(
            "--evaluate",
            "FILE",
            "Gold links, made by hand, to compare the aligner's with: precision, recall, AER and "
            "F1. A line for each sentence (0-0 1-2, counted from 0; 1?2 is possible only), or "
            "for each link (1 1 1 S, sentence and positions from 1). They belong to the first "
            "lines of the text, unless the next two options give their own.",
            _EVALUATION,
        ),
    ] = None,
    gold_source: Annotated[
        Path | None,
        options.option(
            "--evaluate-source",
            "FILE",
            "Source side of the gold sentences, which are aligned together with the text.",
            _EVALUATION,
        ),
    ] = None,
    gold_target: Annotated[
        Path | None,
        options.option("--evaluate-target", "FILE", "Their target side.", _EVALUATION),
    ] = None,
    links: Annotated[
        list[Path] | None,
        options.option(
            "--links",
            "FILE",
            "Links of the gold sentences made by another program, a line for each sentence "
            "(0-0 1-2), to evaluate as well; give it again for more. Without a text only these "
            "are evaluated.",
            _EVALUATION,
        ),
    ] = None,
    jobs: options.Jobs = None,
    as_json: options.Json = False,
) -> None:
    """Align words in both directions and symmetrise, for text without an alignment.

    Example:

        tartib align -s train.ar -t train.en --out train.align

    Align other text with what was learnt from this one:

        tartib align -s train.ar -t train.en --out train.align --save aligner/
        tartib align -s test.ar -t test.en --out test.align --load aligner/

    How good two aligners are, by links that people made for 100 other sentences:

        tartib align -s train.ar -t train.en --aligner joint --aligner eflomal \
            --evaluate gold.align --evaluate-source gold.ar \
            --evaluate-target gold.en

    How good links are that another program made for them:

        tartib align --evaluate gold.align --links other.align

    See docs/alignment.md for what is computed.
    """
    _check(out, save, aligners or [], gold, (gold_source, gold_target), links or [])
    _check_standard_input(source, target, bitext, gold, gold_source, gold_target, *(links or []))
    only_links = bool(links) and not aligners and out is None
    no_text = source is None and target is None and bitext is None
    files = None if only_links and no_text else options.text_files(source, target, bitext)
    from tartib.alignment import DEFAULT_ALIGNER, write_alignment
    from tartib.alignment import align as align_words
    from tartib.alignment.aligners import check_options
    from tartib.bitext import Bitext
    from tartib.cli.align_model import JointRun, ModelOptions
    from tartib.storage import check_free

    names = [] if files is None else aligners or [DEFAULT_ALIGNER]
    if output.is_given(context, "samplers") and "eflomal" not in names:
        raise typer.BadParameter("--samplers is for the aligner eflomal")
    if output.is_given(context, "seed") and "eflomal" not in names and gold is None:
        raise typer.BadParameter(
            "--seed is for the aligner eflomal and the intervals of --evaluate: nothing else here "
            "is random"
        )
    for name in names:
        check_options(name, heuristic, seed=seed, samplers=samplers)
    own = ModelOptions(
        save, load, priors, source_keys, target_keys, probabilities, attach, min_probability
    )
    inputs = [*(files or ()), gold, gold_source, gold_target, *(links or [])]
    _check_outputs((out, save, probabilities), (*inputs, load, priors, source_keys, target_keys))
    own.check(names, evaluate=gold is not None, out=out is not None, overwrite=overwrite)
    if gold_source is not None and (source_keys is not None or target_keys is not None):
        raise typer.BadParameter(
            "with keys, gold links must belong to the first lines of the text: leave out "
            "--evaluate-source and --evaluate-target"
        )
    if out is not None:
        check_free(out, overwrite)
    reading = options.read_options(max_sentence_length, skip_empty, languages)
    settings: dict[str, object] = {"heuristic": heuristic}
    if attach is not None:
        settings["attach"] = attach
    if others := set(names) - {DEFAULT_ALIGNER}:
        settings["samplers"] = samplers
    if others or gold is not None:
        settings["seed"] = seed
    joint = JointRun(own, heuristic, jobs)

    def run(text: Bitext, name: str) -> Bitext:
        if name == DEFAULT_ALIGNER:
            keys = None if files is None else joint.keys(text, *files, reading)
            return joint.align(text, keys).bitext
        return align_words(
            text, name, heuristic, seed=seed, samplers=samplers, n_jobs=jobs, progress=True
        )

    if gold is not None:
        from tartib.cli.align_evaluation import GoldSet, evaluate_aligners

        sides = (gold_source, gold_target) if gold_source and gold_target else None
        known = GoldSet.read(gold, sides, links or [], names, skip_empty=skip_empty)
        text = None if files is None else Bitext.read(*files, options=reading, progress=True)
        if text is not None:
            output.note_skipped(text.skipped, max_sentence_length)
        evaluated = evaluate_aligners(known, text, names, run, seed)
        if out is not None and evaluated.aligned is not None:
            write_alignment(evaluated.aligned, out, overwrite=overwrite)
        if as_json:
            output.print_json({**evaluated.as_dict(), **settings})
        else:
            evaluated.show()
        return
    began, sure = time.perf_counter(), None
    assert files is not None  # noqa: S101 -- `_check` has seen to it
    text = Bitext.read(*files, options=reading, progress=True)
    if names[0] == DEFAULT_ALIGNER:
        found = joint.align(text, joint.keys(text, files[0], files[1], reading))
        joint.write(found, out, overwrite=overwrite)
        aligned = found.bitext
        sure = round(float(found.probabilities.mean()), 3) if len(found.probabilities) else None
    else:
        aligned = run(text, names[0])
        assert out is not None  # noqa: S101 -- the same
        write_alignment(aligned, out, overwrite=overwrite)
    seconds = time.perf_counter() - began
    if as_json:
        data = {
            "sentences": len(aligned),
            "skipped": aligned.skipped._asdict(),
            "links": len(aligned.links),
            "aligner": names[0],
            **settings,
            "seconds": round(seconds, 3),
        }
        if joint.model is not None:
            data["mean_probability"] = sure
            data["passes"] = [done._asdict() for done in joint.model.passes]
        output.print_json(data)
        return
    output.note_skipped(aligned.skipped, max_sentence_length)
    pairs, count = counted(len(aligned), "sentence pair"), counted(len(aligned.links), "link")
    written = ", ".join(str(path) for path in (out, probabilities, save) if path is not None)
    if sure is not None:
        count += f" of mean probability {sure:.2f}"
    output.print_note(
        f"Aligned {pairs} with {count} ({names[0]}, {heuristic}) in {seconds:.0f} s: {written}"
    )


def _check(
    out: Path | None,
    save: Path | None,
    aligners: Sequence[str],
    gold: Path | None,
    own: tuple[Path | None, Path | None],
    links: Sequence[Path],
) -> None:
    """Refuse options that do not go together."""
    if out is None and gold is None and save is None:
        raise typer.BadParameter(
            "give --out, a file for the links, --save, a folder for the model, or --evaluate, to "
            "see how good the links are"
        )
    if gold is None and (links or any(own)):
        raise typer.BadParameter("--evaluate-source, --evaluate-target and --links need --evaluate")
    if (own[0] is None) != (own[1] is None):
        raise typer.BadParameter("give --evaluate-source and --evaluate-target, or neither")
    if len(aligners) > 1 and out is not None:
        raise typer.BadParameter("--out is for the links of one aligner: give --aligner once")
    names = [*aligners, *map(str, links)]
    for name in names:
        if names.count(name) > 1:
            raise typer.BadParameter(f"{name} is given twice")


def _check_outputs(outputs: Sequence[Path | None], inputs: Sequence[Path | None]) -> None:
    """Refuse an output that is another one or an input, or lies in it."""
    given = [path for path in outputs if path is not None]
    read = [path for path in inputs if path is not None]
    if any(str(path) == "-" for path in given):
        raise typer.BadParameter("outputs cannot be -: give the name of a file")
    for n, path in enumerate(given):
        for other in (*given[:n], *given[n + 1 :], *read):
            if path.resolve() == other.resolve() or other.resolve() in path.resolve().parents:
                raise typer.BadParameter(
                    f"{path} and {other} would be the same, or one in the other: give each output "
                    "a name of its own"
                )


def _check_standard_input(*paths: Path | None) -> None:
    if [str(path) for path in paths].count("-") > 1:
        raise typer.BadParameter("only one file can be -, standard input")
