"""Makes the checksums of damaged files right again, so that only deeper checks can notice."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from tartib.storage import checksums, journal, manifest, records


def make_right(folder: Path, changed: Collection[Path]) -> None:
    """Correct all checksums below a folder in which some files were changed."""
    for path in changed:
        if path.name == journal.NAME:
            _seal_journal(path)
        elif path.suffix == ".json":
            _seal_record(path)
    checksums.forget(folder)
    manifests = folder.rglob(manifest.NAME)
    for path in sorted(manifests, key=lambda path: len(path.parts), reverse=True):
        if path not in changed:
            path.unlink()
            manifest.write_manifest(path.parent)
    checksums.forget(folder)


def _seal_record(path: Path) -> None:
    """Correct the checksum at the end of a JSON object, if it has one."""
    mark = records._CHECKSUM.encode()
    body, found, _ = path.read_bytes().rpartition(mark)
    if found:
        seal = checksums.checksum(body).encode()
        path.write_bytes(body + mark + seal + records._END.encode())


def _seal_journal(path: Path) -> None:
    """Correct the checksum of each record whose numbers can be read."""
    files = sorted(p for p in path.parent.iterdir() if p.name in ("output", "nbest"))
    files.sort(key=lambda p: p.name != "output")
    texts = [file.read_bytes() for file in files]
    lines, before = [], [0] * len(files)
    for line in path.read_bytes().split(b"\n"):
        words = line.split(b" ")
        if len(words) == len(files) + 2 and all(word.isdigit() for word in words[:-1]):
            number, *sizes = map(int, words[:-1])
            added = [t[a:b] for t, a, b in zip(texts, before, sizes, strict=True)]
            seal = journal._checksum(number, sizes, added)
            line, before = journal._head(number, sizes) + seal, sizes
        lines.append(line)
    path.write_bytes(b"\n".join(lines))
