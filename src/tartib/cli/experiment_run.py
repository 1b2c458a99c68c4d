"""What the commands of `tartib experiment` share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer

from tartib.cli import output

if TYPE_CHECKING:
    from tartib.experiments.run.results import ExperimentResults

Options = TypeVar("Options")
Found = TypeVar("Found", bound="ExperimentResults")


def run_experiment(
    context: typer.Context,
    config: Path | None,
    out: Path,
    *,
    make: Callable[[dict[str, Any], Path | None], Options],
    run: Callable[..., Found],
    show: Callable[[Found], None],
    as_json: bool,
    signature: bool,
) -> None:
    """Run an experiment with the options of a file and of the command line, and print results.

    The signature is in all files of the experiment; on the terminal it is shown where asked for.
    """
    from tartib.experiments import read_toml

    values = {} if config is None else read_toml(config)
    values |= output.given_options(context)
    options = make(values, config)
    try:
        results = run(options, out, progress=True)
    except (KeyboardInterrupt, SystemExit) as stopped:
        stopped.add_note(f"what is finished is kept in {out}: the same command continues")
        raise
    if as_json:
        output.print_json(results.model_dump(mode="json"))
    else:
        show(results)
    output.print_note(f"Report: {out / 'report.html'}")
    output.print_signature(results.signature, signature)
