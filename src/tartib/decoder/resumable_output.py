"""Output files that are written together, sentence by sentence, and can be continued after a kill.

Until all is done they are in a hidden folder beside the first target, with a journal
(`tartib.storage.journal`). At the end a record says that they are complete, and then they get their
names: a command that was killed after that has only these to give, once the journal is compared.
"""

from __future__ import annotations

import filecmp
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from tartib import storage
from tartib.decoder.input import Fingerprint
from tartib.errors import DataError, OptionError
from tartib.storage import disk, verification
from tartib.storage.files import move_file
from tartib.storage.journal import Journal, check_complete
from tartib.storage.names import clear_leftovers

_SETTINGS, _COMPLETE = "settings.json", "complete.json"
_AGAIN = "start again (--overwrite, no --resume)"


def is_finished(path: Path) -> bool:
    """Whether a file has an output's name and nothing unfinished is beside it, whoever made it."""
    target = storage.final_path(path)
    if not target.is_file() or storage.unfinished_path(path).exists():
        return False
    clear_leftovers(target)  # killed after it was finished, a process may have left some
    return True


def not_unfinished(path: Path) -> OptionError:
    """Return the error about a file that --resume was given and that is not its result."""
    return OptionError(
        f"{path} exists already, and nothing unfinished is beside it that --resume could continue\n"
        "  choose another name, or replace it (--overwrite)"
    )


# Nothing records which command made a file; these two tell what cannot be a result.


def have_lines_of(text: str | Path, outputs: Iterable[Path]) -> bool:
    """Whether outputs have as many lines as a text; False if that can be read only once."""
    expected = Fingerprint.of(text)
    found = (Fingerprint.of(path) for path in outputs)
    return expected is not None and all(f is not None and f.lines == expected.lines for f in found)


def are_newer(outputs: Iterable[Path], sources: Iterable[Path]) -> bool:
    """Whether all outputs were written after all files that they are made from."""
    try:
        latest = max(path.stat().st_mtime_ns for path in sources)
        return min(path.stat().st_mtime_ns for path in outputs) >= latest
    except OSError:
        return False


class ResumableOutput:
    """Output files that are written together.

    Parameters
    ----------
    targets
        Path of each file when it is finished, by role.
    settings
        All that the output depends on, by name; an output is continued only with the same settings.
    resume
        Continue an unfinished output, if there is one.
    overwrite
        Replace existing targets, and discard an unfinished output.
    kept
        Says what a full disk leaves, and how to go on.

    Attributes
    ----------
    finished
        Number of sentences that are written.
    """

    def __init__(
        self,
        targets: Mapping[str, Path],
        settings: Mapping[str, Any],
        *,
        resume: bool = False,
        overwrite: bool = False,
        kept: Callable[[], str] | None = None,
    ) -> None:
        self._targets = {role: storage.final_path(path) for role, path in targets.items()}
        first = next(iter(targets.values()))
        self._first = first
        self._folder = storage.unfinished_path(first)
        files = {"files": list(targets)}  # as the journal has them
        self._settings: dict[str, Any] = json.loads(json.dumps({**settings, **files}))
        self._overwrite = overwrite
        self._kept = kept or (lambda: f"what is finished is kept in {self._folder}")
        self._continues = self._may_continue(first, resume, overwrite)
        self._complete = self._continues and (self._folder / _COMPLETE).exists()
        for role, target in self._targets.items():
            storage.check_file(target, overwrite=overwrite or self._is_published(role))
        self.finished = 0

    def _is_published(self, role: str) -> bool:
        """Whether a killed command gave a file its name already, as itself or as a copy."""
        source, target = self._folder / role, self._targets[role]
        if not self._complete or not source.exists():
            return self._complete
        return target.is_file() and filecmp.cmp(source, target, shallow=False)

    def _may_continue(self, first: Path, resume: bool, overwrite: bool) -> bool:
        if not (self._folder / _SETTINGS).is_file():
            return False
        if resume:
            before = storage.read_record(self._folder / _SETTINGS, _AGAIN)
            if others := list(storage.differences(before, self._settings)):
                raise OptionError(
                    f"{first} cannot be continued: {'; '.join(others)}\n"
                    f"  repeat the command as it was, or {_AGAIN}"
                )
            return True
        if not overwrite:
            raise OptionError(
                f"{first} is not finished: continue with --resume, or start again with --overwrite"
            )
        return False

    def __enter__(self) -> ResumableOutput:
        disk.make_folders(self._folder)
        for target in self._targets.values():
            clear_leftovers(target)
        try:
            self._journal = Journal(self._folder, [] if self._complete else list(self._targets))
        except BlockingIOError:
            raise OptionError(f"{self._first} is being written by another process") from None
        try:
            self._begin()
        except BaseException:
            if not self._continues:
                storage.remove_folder(self._folder)
            self._journal.__exit__()
            raise
        return self

    def _begin(self) -> None:
        if self._complete:
            length = storage.read_record(self._folder / _COMPLETE, _AGAIN)["sentences"]
            places = ((self._folder / role, target) for role, target in self._targets.items())
            files = [source if source.exists() else target for source, target in places]
            check_complete(self._folder, files, length)
            self.finished = length
        elif self._continues:
            self._journal.recover()
            self.finished = self._journal.length
        else:
            (self._folder / _COMPLETE).unlink(missing_ok=True)
            self._journal.clear()
            self._write(_SETTINGS, self._settings)

    def _write(self, name: str, value: Mapping[str, Any]) -> None:
        # Nothing to wait for: these are no results, and before the end `_publish` has waited.
        with storage.new_files(self._folder / name, overwrite=True, result=False) as (aside,):
            storage.write_record(aside, value)

    @contextmanager
    def _writing(self, *targets: Path) -> Iterator[None]:
        """Let the error of a full disk say what is kept."""
        try:
            with disk.writing(*targets):
                yield
        except DataError as error:
            hint = f"{error.hint}\n  {self._kept()}"
            raise DataError(error.path, error.line, error.problem, hint) from None

    def write(self, texts: Mapping[str, bytes]) -> None:
        """Append the text of one sentence to each file."""
        with self._writing(*self._targets.values()):
            self._journal.append(texts)
        self.finished += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._publish()
        finally:
            self._journal.__exit__()
        if kind is None or self.finished == 0:
            storage.remove_folder(self._folder)

    def _publish(self) -> None:
        if not self._complete:
            self._verify()
            with self._writing(*self._targets.values()):
                self._journal.flush()
                self._write(_COMPLETE, {"sentences": self.finished})
        for role, target in reversed(self._targets.items()):
            if not self._is_published(role):
                with self._writing(target):
                    move_file(self._folder / role, target, overwrite=self._overwrite)
        for folder in {target.parent for target in self._targets.values()}:
            disk.flush(folder)

    def _verify(self) -> None:
        """Wait until the models are checked; if one is damaged, no sentence is kept."""
        try:
            verification.finish()
        except DataError as error:
            storage.remove_folder(self._folder)
            hint = f"{error.hint}\n  no sentence was kept, because all may be wrong"
            raise DataError(error.path, error.line, error.problem, hint) from None
