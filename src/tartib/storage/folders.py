"""Folders that appear when they are complete."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tartib.errors import OptionError
from tartib.storage import checksums, disk, manifest, names, verification


@contextmanager
def new_folder(path: str | Path, form: str, *, overwrite: bool = False) -> Iterator[Path]:
    """Yield a temporary folder that takes the target's name when the block ends without an error.

    Only a folder whose ``meta.json`` names the same format, ``form``, is ever replaced. A manifest
    with the checksums of all files is added at the end.
    """
    target = names.final_path(path)
    check_folder(path, form, overwrite=overwrite)
    with _temporary(target) as aside:
        yield aside
        _check_form(target, path, form)
        manifest.write_manifest(aside)
        _publish(aside, target, path, overwrite=overwrite)


def check_folder(path: str | Path, form: str, *, overwrite: bool) -> None:
    """Refuse the name of a folder that cannot be written, before there is anything to write."""
    names.check_free(path, overwrite)
    _check_form(names.final_path(path), path, form)


@contextmanager
def replaced_folder(path: str | Path) -> Iterator[Path]:
    """Yield an empty folder that takes the place of another at the end, whatever that holds.

    It is for folders inside of one of ours; it has no manifest.
    """
    target = names.final_path(path)
    with _temporary(target) as aside:
        yield aside
        _publish(aside, target, path, overwrite=True)


@contextmanager
def scratch_folder(path: str | Path) -> Iterator[Path]:
    """Yield a folder beside ``path`` that is gone when the block ends."""
    with _temporary(names.final_path(path)) as aside:
        yield aside


def remove_folder(path: Path) -> None:
    """Remove a folder, and what killed processes left of it: nothing ever shows a part of it."""
    names.clear_leftovers(path)
    hidden = names.hidden_path(path)
    try:
        path.rename(hidden)
    except FileNotFoundError:
        return
    try:
        disk.flush(path.parent)
    finally:
        names.delete(hidden)


@contextmanager
def _temporary(target: Path) -> Iterator[Path]:
    """Yield an empty folder beside a target; what is left of it at the end is deleted."""
    names.clear_leftovers(target)
    aside = names.hidden_path(target)
    try:
        with disk.writing(target):
            disk.make_folders(target.parent)
            aside.mkdir()
            with names.hiding(aside):
                yield aside
    finally:
        checksums.forget(aside)
        names.delete(aside)


def _publish(aside: Path, target: Path, path: str | Path, *, overwrite: bool) -> None:
    """Give a complete folder its name; afterwards the hidden name may hold the old one."""
    inside = names.is_inside_hidden(target)  # then the folder around it does the rest
    if not inside:
        verification.finish(target)
        disk.flush_tree(aside)
    while True:
        try:
            disk.rename_new(aside, target)
            break
        except FileExistsError:
            if not overwrite:
                raise OptionError(
                    f"{path} was written by another process in the meantime: choose another name"
                ) from None
        try:
            if disk.exchange(aside, target):
                break
            old = names.hidden_path(target, "replaced")
            target.rename(old)
            aside.rename(target)
            names.delete(old)
            break
        except FileNotFoundError:
            if not aside.exists():
                raise
            # Another writer has moved the old one away: now there is nothing to replace.
    if not inside:
        disk.flush(target.parent)


def _check_form(target: Path, path: str | Path, form: str) -> None:
    """Refuse to replace what is neither empty nor of the same format."""
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    found = _form_of(target)
    if found != form:
        holds = f"holds {found}" if found else "was not made by Tartib"
        advice = "choose another name, or delete it first"
        raise OptionError(f"{str(path)!r} {holds}: it is not replaced by {form}; {advice}")


def _form_of(folder: Path) -> str | None:
    """Return what format a folder says it has, if it is one of ours."""
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    form = meta.get("format") if isinstance(meta, dict) else None
    return form if isinstance(form, str) and form.startswith("tartib ") else None
