"""The command line: each command reads its options, calls the library and prints what came out."""

from __future__ import annotations

import io
import logging
import sys
import warnings
from typing import Annotated, TextIO

import typer

from tartib.cli import (
    align,
    build,
    corpus,
    dataset,
    demo,
    evaluate,
    experiment,
    explain,
    extract,
    info,
    lm,
    output,
    phrase_table,
    predict,
    reordering_table,
    score,
    show,
    train,
    translate,
    tune,
    verify,
    word_classes,
)
from tartib.cli.help import Command, Group
from tartib.cli.options import loads
from tartib.cli.problems import (
    Stopped,
    advice,
    catch_signals,
    forget_output,
    memory_advice,
    name_option,
    name_options,
    open_streams,
    tell_stopped,
)
from tartib.errors import TartibError

app = typer.Typer(
    name="tartib",
    cls=Group,
    help=(
        "Tartib (Arabic ترتيب, 'putting in order') learns how phrases move when a sentence is "
        "translated.\n\n`tartib build` makes a translator of two files of text, and "
        "`tartib translate` uses it. Step by step: align → extract → train → evaluate, and then "
        "phrase-table, lm → tune → translate → score. `tartib demo` shows all of it on a small "
        "synthetic corpus."
    ),
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        import tartib

        typer.echo(f"tartib {tartib.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and stop."
        ),
    ] = False,
) -> None:
    pass


app.command(cls=build.BuildCommand)(build.build)
app.command(cls=Command)(demo.demo)
app.command(cls=Command)(align.align)
app.command(cls=Command)(extract.extract)
app.command(cls=Command)(loads(show.show))
app.command(cls=Command)(loads(phrase_table.phrase_table))
app.command(cls=Command)(loads(reordering_table.reordering_table))
app.command(cls=Command)(loads(dataset.dataset))
app.command(cls=Command)(loads(train.train))
app.command(cls=Command)(loads(evaluate.evaluate))
app.command(cls=Command)(loads(predict.predict))
app.command(cls=Command)(loads(explain.explain))
app.command(cls=Command)(loads(tune.tune))
app.command(cls=Command)(loads(translate.translate))
app.command(cls=Command)(loads(score.score))
app.command(cls=Command)(info.info)
app.command(cls=Command)(verify.verify)
app.command(cls=Command)(word_classes.word_classes)
app.add_typer(lm.app, name="lm")
app.add_typer(corpus.app, name="corpus")
app.add_typer(experiment.app, name="experiment")


def _warn(
    message: Warning | str,
    category: type[Warning],  # noqa: ARG001
    filename: str,  # noqa: ARG001
    lineno: int,  # noqa: ARG001
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    """Print a warning as a note to the user, not to a programmer."""
    output.print_problem(f"warning: {name_options(str(message))}")


def _speak_utf8() -> None:
    """Write UTF-8 whatever the locale says, as in files: the words may be of any language."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            errors = "surrogateescape" if stream is sys.stdout else "backslashreplace"
            stream.reconfigure(encoding="utf-8", errors=errors)


def main() -> None:
    """Run the command line; errors that a user can fix are printed without a traceback."""
    open_streams()
    catch_signals()
    _speak_utf8()
    warnings.showwarning = _warn
    # NumPy's "divide by zero encountered in log" and the like are for programmers.
    warnings.filterwarnings("ignore", ".* encountered in ", RuntimeWarning)
    # So are Matplotlib's words about a home folder that cannot be written to.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    try:
        app()
    except TartibError as error:
        output.print_problem(f"error: {name_option(str(error))}")
        sys.exit(1)
    except MemoryError as error:
        output.print_problem(f"error: {memory_advice(error)}")
        sys.exit(1)
    except Stopped as stopped:
        tell_stopped(stopped)
    except BrokenPipeError:
        # The reader of our output has gone (`tartib … | head`): not an error.
        sys.stderr.close()
        sys.exit(141)
    except OSError as error:
        # A full disk, a folder that may not be written to: nothing that a traceback would explain.
        output.print_problem(f"error: {advice(error, printing=forget_output())}")
        sys.exit(1)
