"""One call of ``tartib translate``: its outputs, its summary, and what an interrupt leaves."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

from tartib.cli import output
from tartib.cli.problems import note_if_stopped
from tartib.wording import counted

if TYPE_CHECKING:
    from tartib.decoder import System
    from tartib.decoder.input import Fingerprint
    from tartib.translator import InputCheck, Paragraph, Translated, Translator

Write = Callable[[Mapping[str, bytes]], None]


_OPTIONS = {
    "nbest": "--nbest-out",
    "alignment": "--alignment-out",
    "graph": "--search-graph-out",
}


def _check_names(targets: list[Path]) -> None:
    from tartib.textio import compression_of

    if len({os.path.realpath(path) for path in targets}) < len(targets):
        raise typer.BadParameter("two outputs have the same file: give each a file of its own")
    for path in targets:
        if str(path) == "-":
            problem = "only --out and --trace-out can be -: give the name of a file"
            raise typer.BadParameter(problem)
        if suffix := compression_of(path):
            problem = f"{path}: output that can be continued cannot be compressed"
            raise typer.BadParameter(f"{problem}: drop {suffix}, and compress the file afterwards")


class Marks(NamedTuple):
    """The options of forced translations."""

    markup: bool
    terms: Path | None
    ignore_case: bool
    inclusive: bool

    def refuse(self, *, documents: bool) -> None:
        """Refuse what does not fit together."""
        if self.markup and documents:
            raise typer.BadParameter("--markup has one sentence on each line, --documents several")
        if self.ignore_case and self.terms is None:
            raise typer.BadParameter("--ignore-case needs --terms")
        if self.inclusive and self.terms is None and not self.markup:
            raise typer.BadParameter("--inclusive needs --terms or --markup")

    def settings(self) -> dict[str, Any]:
        """Return all that the output depends on."""
        from tartib.decoder.input import Fingerprint

        terms = None if self.terms is None else Fingerprint.of(self.terms)
        return {**self._asdict(), "terms": None if terms is None else terms.sha256}


@dataclass
class _Summary:
    """What is told at the end."""

    began: float = field(default_factory=time.perf_counter)
    sentences: int = 0
    words: int = 0
    unknown: int = 0
    total: float = 0.0

    def add(self, found: Translated | Paragraph) -> None:
        self.sentences += len(found.sentences)
        self.words += found.n_words
        self.unknown += found.n_unknown
        self.total += sum(s.translation.best.total for s in found.sentences)

    def rate(self) -> str:
        return f"{self.words / max(time.perf_counter() - self.began, 1e-9):,.0f} words/s"

    def __str__(self) -> str:
        mean = self.total / self.sentences if self.sentences else 0.0
        seconds = time.perf_counter() - self.began
        return (
            f"{counted(self.sentences, 'sentence')}, {counted(self.words, 'word')} in "
            f"{seconds:.1f} s ({self.rate()});\n"
            f"average total {mean:.4f}; {counted(self.unknown, 'unknown word')}"
        )


@dataclass
class Run:
    """One call of the command, all options read.

    Attributes
    ----------
    text
        The input file, or ``-``.
    out
        The output file; None is standard output.
    side
        Other files by role: nbest, alignment, graph, trace.
    documents, tokens
        Whether lines have several sentences; whether texts are tokens already.
    marks
        Forced translations.
    loud
        Whether the trace goes to standard error.
    summary, check
        What was counted, and what seems wrong with the input.
    finished
        Lines, those of earlier commands that are continued included.
    fingerprint
        Of the input, if it can be read twice.
    models
        State of the models' files when they were loaded.
    """

    text: str
    out: Path | None
    side: dict[str, Path]
    documents: bool
    tokens: bool
    marks: Marks
    as_json: bool
    nbest_size: int | None
    distinct: bool
    loud: bool
    resume: bool
    overwrite: bool
    jobs: int | None
    summary: _Summary = field(default_factory=_Summary)
    check: InputCheck | None = None
    finished: int = 0
    fingerprint: Fingerprint | None = None
    models: dict[str, str] = field(default_factory=dict)

    def refuse(self) -> None:
        """Refuse what cannot be done before any model is loaded, which may take a while."""
        from tartib.storage import check_file

        self.marks.refuse(documents=self.documents)
        if self.documents and self.tokens:
            raise typer.BadParameter("--documents needs raw text: give it without --tokens")
        if self.documents and (
            by_sentence := sorted({"nbest", "alignment", "graph"} & {*self.side})
        ):
            problem = f"{_OPTIONS[by_sentence[0]]} has one sentence on each line"
            raise typer.BadParameter(f"{problem}: give it without --documents")
        if self.nbest_size is not None and "nbest" not in self.side and not self.as_json:
            raise typer.BadParameter("--nbest-size needs --nbest-out or --json")
        if self.distinct and "nbest" not in self.side and not (self.as_json and self.nbest_size):
            raise typer.BadParameter("--distinct needs --nbest-out, or --json with --nbest-size")
        if self.resume and (self.out is None or self.text == "-"):
            raise typer.BadParameter("--resume needs an input file and --out")
        _check_names(self.targets)
        for path in self.targets:
            if not self.resume:
                check_file(path, overwrite=self.overwrite)

    @property
    def targets(self) -> list[Path]:
        """All files to write."""
        return [*([] if self.out is None else [self.out]), *self.side.values()]

    def is_finished(self, sources: list[Path]) -> bool:
        """Whether --resume finds its result, and says so; any other file is refused."""
        from tartib.decoder import resumable_output as found
        from tartib.storage import unfinished_path

        there = [path for path in self.targets if path.exists()]
        if not self.resume or self.overwrite or self.out is None or not there:
            return False
        if unfinished_path(self.out).exists():
            return False
        by_line = [self.out, *(path for role, path in self.side.items() if role == "alignment")]
        if (
            not all(map(found.is_finished, self.targets))
            or not found.are_newer(there, [Path(self.text), *sources])
            or not found.have_lines_of(self.text, by_line)
        ):
            raise found.not_unfinished(there[0])
        known = "with a line for each sentence, and newer than the system and its models"
        output.print_note(f"{self.out} is finished, {known}: there is nothing to continue")
        return True

    @property
    def list_size(self) -> int:
        """Length of n-best lists."""
        return self.nbest_size or (100 if "nbest" in self.side else 1)

    def translate(self, system: System) -> None:
        """Load the models and translate all lines; an interrupt is told what was kept."""
        from tartib.decoder.input import Fingerprint
        from tartib.translator import InputCheck, Translator, marker_of

        self.fingerprint = Fingerprint.of(self.text)
        with note_if_stopped(self.kept):
            self.models = system.state()
            translator = Translator.of(system, self.jobs, tokens=self.tokens, progress=True)
            translator.marker = marker_of(
                translator.decoder,
                translator.text,
                markup=self.text if self.marks.markup else None,
                terms=self.marks.terms,
                ignore_case=self.marks.ignore_case,
                exclusive=not self.marks.inclusive,
            )
            self.check = InputCheck(translator)
            output.note_keyboard(self.text)
            self._translate_all(translator)

    def _translate_all(self, translator: Translator) -> None:
        from tartib.decoder.input import SentenceReader
        from tartib.progress import progress_bar

        total = None if self.fingerprint is None else self.fingerprint.lines
        unit = "paragraphs" if self.documents else "sentences"
        shown = self.out is not None or not sys.stdout.isatty()
        self.summary = _Summary()
        with (
            SentenceReader(self.text) as reader,
            self._outputs(translator) as (done, write),
            progress_bar(
                "Translating", total, unit, shown=shown, detail=self.summary.rate
            ) as advance,
        ):
            advance(done)
            self.finished = done
            lines = islice(reader, done, None)
            for number, found in enumerate(self._found(translator, lines, reader.ready), done):
                write(self._texts(number, found))
                self.finished += 1
                self._count(found)
                advance(1)

    def _found(
        self, translator: Translator, lines: Iterable[str], ready: Callable[[], bool]
    ) -> Iterator[Translated | Paragraph]:
        """Translate lines, each of which is a sentence or a paragraph."""
        how: dict[str, Any] = {
            "nbest_size": self.list_size,
            "distinct": self.distinct,
            "graph": "graph" in self.side,
            "ready": ready,
        }
        if self.documents:
            return translator.translate_paragraphs(lines, **how)
        marked = translator.marker.mark_all(lines, self.finished + 1)
        found: Iterator[Translated] = translator.translate(marked, **how)
        return found

    def _count(self, found: Translated | Paragraph) -> None:
        self.summary.add(found)
        if self.check is not None:
            self.check.add(found)

    def tell(self, *, summary: bool) -> None:
        """Tell what seems wrong with the input, and the summary if it is wanted."""
        for doubt in [] if self.check is None else self.check.doubts():
            name = "standard input" if self.text == "-" else self.text
            output.print_problem(f"warning: {name}: {doubt}")
        if summary:
            output.print_note(str(self.summary))

    def kept(self) -> str:
        """Return what an interrupt left, and how to go on."""
        noun = "paragraph" if self.documents else "sentence"
        done = counted(self.finished, noun)
        if self.resume and not self.finished:
            return f"no further {noun} was finished; the same command continues"
        if not self.finished:
            return f"no {noun} was finished, and nothing was written"
        if self.out is None:
            files = "; its other files were not written" if self.side else ""
            return f"{done} went to standard output{files}"
        from tartib.storage import unfinished_path

        place = unfinished_path(self.out)
        if self.fingerprint is None:
            return f"{done} in {place / 'output'}; a text that is not a file cannot be continued"
        again = "the same command" if self.resume else "the same command with --resume"
        return f"{done} finished and kept in {place}; {again} continues"

    @contextmanager
    def _outputs(self, translator: Translator) -> Iterator[tuple[int, Write]]:
        """Yield the number of sentences that are done already, and the function that writes one."""
        from tartib.decoder.resumable_output import ResumableOutput
        from tartib.storage import new_files

        if self.out is not None:
            targets = {"output": self.out, **self.side}
            how = {"resume": self.resume, "overwrite": self.overwrite}
            settings = self._settings(translator)
            with ResumableOutput(targets, settings, kept=self.kept, **how) as resumable:
                yield resumable.finished, resumable.write
            return
        with (
            new_files(*self.side.values(), overwrite=self.overwrite) as asides,
            ExitStack() as stack,
        ):
            files = {
                role: stack.enter_context(aside.open("wb"))
                for role, aside in zip(self.side, asides, strict=True)
            }

            def write(texts: Mapping[str, bytes]) -> None:
                output.write_result(texts["output"])
                for role, file in files.items():
                    file.write(texts[role])

            yield 0, write

    def _settings(self, translator: Translator) -> dict[str, Any]:
        """Return all that the output depends on: it is continued only if nothing has changed."""
        from tartib.signature import signature

        return {
            "program": signature(),
            "input": None if self.fingerprint is None else self.fingerprint._asdict(),
            "models": self.models,
            "weights": translator.decoder.weights_by_name,
            "search": translator.decoder.options.model_dump(by_alias=True),
            "text": {"documents": self.documents, "tokens": self.tokens},
            "forced": self.marks.settings(),
            "outputs": {
                "json": self.as_json,
                "nbest-size": self.list_size,
                "distinct": self.distinct,
                "others": list(self.side),
            },
        }

    def _texts(self, number: int, found: Translated | Paragraph) -> dict[str, bytes]:
        """Return what is written of a line, by role."""
        from tartib.decoder.output import alignment_line, graph_lines, nbest_lines, trace_text
        from tartib.translator.output import json_line, text_line

        for warning in found.warnings:
            name = "standard input" if self.text == "-" else self.text
            output.print_note(f"tartib: warning: {name}:{number + 1}: {warning}")
        translations = [sentence.translation for sentence in found.sentences]
        if self.loud:
            for translation in translations:
                output.print_trace(trace_text(number, translation).removesuffix("\n"))
        formats = {
            "nbest": nbest_lines,
            "alignment": alignment_line,
            "trace": trace_text,
            "graph": graph_lines,
        }
        main = json_line if self.as_json else text_line
        texts = {"output": main(number, found)}
        for role in self.side:
            texts[role] = "".join(formats[role](number, part) for part in translations)
        return {role: text.encode() for role, text in texts.items()}
