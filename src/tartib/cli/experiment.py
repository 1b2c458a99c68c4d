"""``tartib experiment``."""

from __future__ import annotations

import typer

from tartib.cli.experiment_classification import classification
from tartib.cli.experiment_translation import translation
from tartib.cli.help import Command, Group
from tartib.cli.options import loads

app = typer.Typer(
    cls=Group,
    help="Run the papers' experiments on any corpus, each by one command.",
    no_args_is_help=True,
)
app.command(cls=Command)(loads(classification))
app.command(cls=Command)(loads(translation))
