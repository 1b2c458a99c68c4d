"""Output files that are written together, sentence by sentence, and can be continued after a kill.

Until all is done they are in a hidden folder beside the first target. After each sentence a journal
gets a line with the size of every file. To continue, all files are cut back to the sizes of the
last sentence that all of them have completely.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from tartib import storage
from tartib.errors import OptionError

_SETTINGS, _JOURNAL = "settings.json", "journal"


def check_target(target: Path, *, overwrite: bool) -> None:
    """Raise an error if a target exists, unless it is a file that may be overwritten."""
    if target.exists() and not target.is_file():
        raise OptionError(f"{target} is a folder or a device: give the name of a file")
    storage.check_free(target, overwrite)


def unfinished_folder(target: Path) -> Path:
    """Return the hidden folder beside a target that keeps what is not finished."""
    return target.with_name(f".{target.name}.unfinished")


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
        self._targets = dict(targets)
        for target in targets.values():
            check_target(target, overwrite=True)
        first = next(iter(self._targets.values()))
        self._folder = unfinished_folder(first)
        self._settings: dict[str, Any] = json.loads(json.dumps(settings))
        self._stack = ExitStack()
        self._continues = self._may_continue(first, resume, overwrite)
        if self._continues:
            self._take_back()
        for target in self._targets.values():
            check_target(target, overwrite=overwrite)
        self.finished = 0

    def _may_continue(self, first: Path, resume: bool, overwrite: bool) -> bool:
        if not (self._folder / _SETTINGS).is_file():
            return False
        if resume:
            before = storage.read_json(self._folder / _SETTINGS)
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

    def _take_back(self) -> None:
        """Move files back that were already in their final places when the process was killed."""
        for role, target in self._targets.items():
            if not (self._folder / role).exists() and target.exists():
                target.rename(self._folder / role)

    def __enter__(self) -> ResumableOutput:
        self._folder.mkdir(parents=True, exist_ok=True)
        self._journal = self._open(_JOURNAL)
        self._lock()
        self._files = {role: self._open(role) for role in self._targets}
        if not self._continues:
            self._cut(0, [0] * len(self._files))
            aside = self._folder / f"{_SETTINGS}.new"
            storage.write_json(aside, self._settings)
            aside.replace(self._folder / _SETTINGS)
        else:
            self._cut(*self._trusted())
        return self

    def _open(self, name: str) -> BinaryIO:
        path = self._folder / name
        path.touch()
        return self._stack.enter_context(path.open("r+b"))

    def _lock(self) -> None:
        if not storage.lock(self._journal):
            self._stack.close()
            problem = "is being written by another process"
            raise OptionError(f"{next(iter(self._targets.values()))} {problem}")

    def _trusted(self) -> tuple[int, list[int]]:
        """Return how many sentences all files have completely, and the sizes that they need."""
        sizes = [Path(file.name).stat().st_size for file in self._files.values()]
        done, trusted = 0, [0] * len(sizes)
        for line in self._journal.read().split(b"\n")[:-1]:
            numbers = line.split()
            if len(numbers) != len(sizes) or not all(map(bytes.isdigit, numbers)):
                break
            ends = [int(number) for number in numbers]
            if any(end > size for end, size in zip(ends, sizes, strict=True)):
                break
            done, trusted = done + 1, ends
        return done, trusted

    def _cut(self, done: int, sizes: list[int]) -> None:
        self.finished = done
        self._journal.seek(0)
        keep = sum(len(self._journal.readline()) for _ in range(done))
        for file, size in zip((self._journal, *self._files.values()), (keep, *sizes), strict=True):
            file.truncate(size)
            file.seek(size)

    def write(self, texts: Mapping[str, bytes]) -> None:
        """Append the text of one sentence to each file."""
        for role, file in self._files.items():
            file.write(texts[role])
            file.flush()
        ends = " ".join(str(file.tell()) for file in self._files.values())
        self._journal.write(f"{ends}\n".encode())
        self._journal.flush()
        self.finished += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()
        if kind is None:
            for role, target in reversed(self._targets.items()):
                (self._folder / role).replace(target)
        if kind is None or self.finished == 0:
            shutil.rmtree(self._folder)
