"""Output files that are written together, sentence by sentence, and can be continued after a kill.

Until all is done they are in a hidden folder beside the first target, with a journal
(`tartib.storage.journal`). At the end a record says that they are complete, and then they get their
names: a command that was killed after that has only these to give.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from tartib import storage
from tartib.errors import OptionError
from tartib.storage import disk, verification
from tartib.storage.files import publish_file
from tartib.storage.journal import Journal
from tartib.storage.names import clear_leftovers

_SETTINGS, _COMPLETE = "settings.json", "complete.json"


def is_finished(path: Path) -> bool:
    """Whether an output is there and nothing of it is left to do."""
    target = storage.final_path(path)
    if not target.is_file() or storage.unfinished_path(path).exists():
        return False
    clear_leftovers(target)  # killed after it was finished, a process may have left some
    return True


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
    ) -> None:
        self._targets = {role: storage.final_path(path) for role, path in targets.items()}
        first = next(iter(targets.values()))
        self._first = first
        self._folder = storage.unfinished_path(first)
        files = {"files": list(targets)}  # as the journal has them
        self._settings: dict[str, Any] = json.loads(json.dumps({**settings, **files}))
        self._overwrite = overwrite
        self._continues = self._may_continue(first, resume, overwrite)
        self._complete = self._continues and (self._folder / _COMPLETE).exists()
        for role, target in self._targets.items():
            moved = self._complete and not (self._folder / role).exists()
            storage.check_file(target, overwrite=overwrite or moved)
        self.finished = 0

    def _may_continue(self, first: Path, resume: bool, overwrite: bool) -> bool:
        if not (self._folder / _SETTINGS).is_file():
            return False
        if resume:
            hint = "start again (--overwrite, no --resume)"
            before = storage.read_record(self._folder / _SETTINGS, hint)
            if others := list(storage.differences(before, self._settings)):
                raise OptionError(
                    f"{first} cannot be continued: {'; '.join(others)}\n"
                    "  repeat the command as it was, or start again (--overwrite, no --resume)"
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
            self._journal.__exit__()
            raise
        return self

    def _begin(self) -> None:
        if self._complete:
            self.finished = storage.read_record(self._folder / _COMPLETE)["sentences"]
        elif self._continues:
            self._journal.recover()
            self.finished = self._journal.length
        else:
            (self._folder / _COMPLETE).unlink(missing_ok=True)
            self._journal.clear()
            self._write(_SETTINGS, self._settings)

    def _write(self, name: str, value: Mapping[str, Any]) -> None:
        with storage.new_files(self._folder / name, overwrite=True) as (aside,):
            storage.write_record(aside, value)

    def write(self, texts: Mapping[str, bytes]) -> None:
        """Append the text of one sentence to each file."""
        with disk.writing(*self._targets.values()):
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
        verification.finish()
        if not self._complete:
            self._journal.flush()
            self._write(_COMPLETE, {"sentences": self.finished})
        for role, target in reversed(self._targets.items()):
            if (self._folder / role).exists():
                publish_file(self._folder / role, target, overwrite=self._overwrite)
        for folder in {target.parent for target in self._targets.values()}:
            disk.flush(folder)
