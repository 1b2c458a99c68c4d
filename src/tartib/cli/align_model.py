"""``tartib align`` with the aligner joint: models that are kept, prior knowledge, keys."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import typer

from tartib import _native
from tartib.alignment import Alignment, AlignmentModel, Lexicon
from tartib.alignment.aligners import check_keys, with_links_of
from tartib.alignment.lexicon import as_lexicon
from tartib.alignment.links import new_alignment
from tartib.bitext import Bitext, ReadOptions
from tartib.cli import output
from tartib.storage import check_free
from tartib.textio import STANDARD_INPUT
from tartib.wording import counted

_MANY_UNKNOWN = 1 / 3
_FEW_PRIORS = 0.01  # of what is known before: fewer pairs of words in the text are a mistake


@dataclass(frozen=True)
class ModelOptions:
    """Options that only the aligner joint has, by their names."""

    save: Path | None = None
    load: Path | None = None
    priors: Path | None = None
    source_keys: Path | None = None
    target_keys: Path | None = None
    probabilities: Path | None = None
    attach: float | None = None
    min_probability: float | None = None

    def given(self) -> list[str]:
        """Return the options that were given, as people write them."""
        return [
            "--" + name.replace("_", "-") for name, value in vars(self).items() if value is not None
        ]

    def check(self, aligners: list[str], *, evaluate: bool, out: bool, overwrite: bool) -> None:
        """Refuse options that do not go together, and outputs that exist."""
        given = self.given()
        if given and aligners != ["joint"]:
            raise typer.BadParameter(f"{given[0]} is for the aligner joint")
        if self.load is not None and (self.save is not None or self.priors is not None):
            raise typer.BadParameter(
                "--load takes a model as it is: --save and --priors are for training one"
            )
        if evaluate and (self.probabilities is not None or self.save is not None):
            raise typer.BadParameter(
                "--probabilities and --save do not go together with --evaluate"
            )
        if self.probabilities is not None and not out:
            raise typer.BadParameter("--probabilities needs --out: they are those of its links")
        for path in (self.save, self.probabilities):
            if path is not None:
                check_free(path, overwrite)


class JointRun:
    """Trains or loads a model once, and aligns with it.

    Attributes
    ----------
    model
        The model, once there is one.
    """

    def __init__(self, options: ModelOptions, heuristic: str, jobs: int | None) -> None:
        self._options, self._heuristic, self._jobs = options, heuristic, jobs
        self.model = None if options.load is None else AlignmentModel.load(options.load)
        self._priors: Lexicon | None = None
        if options.priors is not None:
            self._priors = as_lexicon(options.priors)

    def keys(
        self, text: Bitext, source: Path, target: Path | None, reading: ReadOptions
    ) -> Bitext | None:
        """Read what is aligned in place of the words of two files, if there is such a thing."""
        own_source, own_target = self._options.source_keys, self._options.target_keys
        if own_source is None and own_target is None:
            return None
        if target is None or STANDARD_INPUT in (str(source), str(target)):
            raise typer.BadParameter("keys need a text of two files: --source and --target")
        sides = (own_source or source, own_target or target)
        keys = Bitext.read(*sides, options=reading, progress=True)
        check_keys(text, keys)
        return keys

    def align(self, text: Bitext, keys: Bitext | None = None) -> Alignment:
        """Train, unless the model was loaded, and align."""
        known = text if keys is None else keys
        if self._priors is not None:
            self._note_priors(self._priors, known)
        if self.model is None:
            self.model = AlignmentModel.train(
                known, priors=self._priors, n_jobs=self._jobs, progress=True
            )
            if count := self.model.too_long:
                output.print_note(
                    f"{counted(count, 'sentence pair')} with more than {_native.MOST_LINKS:,} "
                    "possible links: aligned by words alone, and not learnt from."
                )
        found = self.model.align(
            known,
            self._heuristic,
            attach=self._options.attach,
            min_probability=self._options.min_probability,
            n_jobs=self._jobs,
            progress=True,
        )
        if self._options.load is not None:
            self._note_unknown(self.model, known)
        return replace(found, bitext=with_links_of(text, found.bitext))

    def _note_priors(self, priors: Lexicon, text: Bitext) -> None:
        """Say how much of what is known before applies to the text."""
        used = len(priors.cells_for(text.source.vocabulary, text.target.vocabulary)[0])
        output.print_note(f"Of {len(priors):,} pairs of words known before, the text has {used:,}.")
        # A short text has few pairs of a large model, but the model has most of its words.
        few = used < _FEW_PRIORS * len(priors) and priors.share_known(text) < _MANY_UNKNOWN
        if used == 0 or few:
            output.print_problem(
                f"warning: {'hardly any' if used else 'no'} pair of words of "
                f"{self._options.priors} is in the text: are its columns exchanged, or its words "
                "cased or cut otherwise?"
            )

    @staticmethod
    def _note_unknown(model: AlignmentModel, text: Bitext) -> None:
        source, target = model.unknown(text)
        output.print_note(
            f"Not in the model: {source:.1%} of the source words, {target:.1%} of the target words."
        )
        if max(source, target) > _MANY_UNKNOWN:
            output.print_problem(
                "warning: with so many unknown words links are little better than guesses: are the "
                "sides exchanged, or was the model trained on other languages or with keys?"
            )

    def write(self, found: Alignment, out: Path | None, *, overwrite: bool) -> None:
        """Write the links, how probable they are, and the model: all that was asked for, or none.

        The model gets its name last but for the links, whose files are whole by then.
        """
        probabilities = self._options.probabilities
        with ExitStack() as stack:
            if out is not None:
                beside = None if probabilities is None else (found.probabilities, probabilities)
                stack.enter_context(
                    new_alignment(found.bitext, out, probabilities=beside, overwrite=overwrite)
                )
            if self._options.save is not None and self.model is not None:
                self.model.save(self._options.save, overwrite=overwrite)
