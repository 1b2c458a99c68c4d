"""Which files a command passes through: ``python -m tests.support.walks`` prints it for three.

Counted are the Python files of Tartib in which a function is entered, and the calls from one file
to another, each pair of files once. What runs while a module is imported does not count, and the
package ``storage``, which others use through its own name only, counts as one file.
"""

import inspect
import sys
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import tartib
from tartib.synthetic import write_corpus
from tests.support.commands import tartib_here

ROOT = f"{Path(tartib.__file__).parent}/"
# What every command uses, and what docs/architecture.md leaves out of the walks.
GENERAL = frozenset(
    (
        *(f"cli/{name}.py" for name in ("__init__", "help", "options", "output", "problems")),
        *(f"{name}.py" for name in ("engine", "errors", "progress")),
        *(f"{name}.py" for name in ("ragged", "signature", "wording")),
        "storage",
    )
)


@dataclass
class Walk:
    """The files that were entered, in the order of the first time, and the calls between them."""

    files: dict[str, None] = field(default_factory=dict)
    calls: set[tuple[str, str]] = field(default_factory=set)

    def watch(self, frame: FrameType, event: str, _: Any) -> None:
        """Hear of a call, as `sys.setprofile` tells of them."""
        if event != "call" or not _is_function(frame.f_code):
            return
        callers = [code for code in _codes(frame.f_back) if code.co_filename.startswith(ROOT)]
        if not all(map(_is_function, callers)):  # a module that is imported
            return
        name = _name(frame.f_code)
        self.files[name] = None
        if callers and _name(callers[0]) != name:
            self.calls.add((_name(callers[0]), name))


def _name(code: CodeType) -> str:
    name = code.co_filename.removeprefix(ROOT)
    return "storage" if name.startswith("storage/") else name


def _is_function(code: CodeType) -> bool:
    """Whether code is a function of Tartib, not the body of a module or of a class."""
    return code.co_filename.startswith(ROOT) and bool(code.co_flags & inspect.CO_OPTIMIZED)


def _codes(frame: FrameType | None) -> list[CodeType]:
    codes = []
    while frame is not None:
        codes.append(frame.f_code)
        frame = frame.f_back
    return codes


def walk_of(*arguments: object) -> Walk:
    """Run a command and return where it went."""
    walk = Walk()
    before = sys.getprofile()
    threading.setprofile(walk.watch)
    sys.setprofile(walk.watch)
    try:
        tartib_here(*arguments)
    finally:
        sys.setprofile(before)
        threading.setprofile(None)
    return walk


def walks(folder: Path) -> dict[str, Walk]:
    """Extract phrase pairs, train a model on them, and translate a sentence with it."""
    source, target, links = write_corpus(folder / "corpus", 60, n_jobs=1)
    phrases, model = folder / "phrases", folder / "model"
    found = {
        "extract": walk_of("extract", "-s", source, "-t", target, "-a", links, "--out", phrases),
        "train": walk_of(
            "train", phrases, "--features", "S6", "--classifier", "svm", "--out", model
        ),
    }
    tartib_here("phrase-table", phrases, "--out", folder / "table")
    fallback = ("--discount-fallback", "0.5,1,1.5")
    tartib_here("lm", "estimate", "--text", target, "--order", 2, "--out", folder / "lm", *fallback)
    system, text = folder / "system.toml", folder / "input.txt"
    system.write_text(
        'phrase-table = "table"\nlm = "lm"\n[[reordering]]\nmodel = "model"\n[weights]\n'
        "svm-S6 = [0.3, 0.3, 0.3]\nDistortion0 = 0.3\nLM0 = 0.5\nWordPenalty0 = -1.0\n"
        "PhrasePenalty0 = 0.2\nUnknownWordPenalty0 = 1.0\n"
        "TranslationModel0 = [0.2, 0.2, 0.2, 0.2]\n"
    )
    text.write_text(source.read_text().partition("\n")[0] + "\n")
    found["translate"] = walk_of("translate", system, text, "--out", folder / "out.txt")
    return found


def main() -> None:
    """Print the walks."""
    with tempfile.TemporaryDirectory() as folder:
        for name, walk in walks(Path(folder)).items():
            files = [file for file in walk.files if file not in GENERAL]
            calls = [call for call in walk.calls if not GENERAL.intersection(call)]
            print(
                f"{name}: {len(walk.files)} files, {len(walk.calls)} calls between files;", end=" "
            )
            print(f"without those that every command uses {len(files)} and {len(calls)}")
            print(*(f"  {file}" for file in walk.files), sep="\n")
            print(*(f"  {caller} → {called}" for caller, called in sorted(walk.calls)), sep="\n")


if __name__ == "__main__":
    main()
