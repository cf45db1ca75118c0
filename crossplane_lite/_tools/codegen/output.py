"""Writes generated files into a folder, without touching files of other programs or people.

A manifest in the folder lists the files that the command (`crossplane-lite generate`) owns. Only
these files are ever overwritten or removed, also if somebody has edited them: their header warns of
that. All other files in the folder stay as they are.

A run checks everything before it changes anything. Then it lists the new files beside the old ones
in the manifest, and shortens the list when all files are written. So the next run owns all files of
a run that was interrupted, and finishes its work. Each file is replaced as a whole, because the
next run takes class names from its old text.
"""

from __future__ import annotations

import contextlib
import glob
import itertools
import os
import stat
from collections.abc import Callable, Iterable, Mapping, Set
from pathlib import Path
from typing import Final, NamedTuple

from ...errors import InputError
from ..manifests.files import TEMPORARY, naming, replace_file
from .manifest import MANIFEST, Names, manifest, owned

Progress = Callable[[str, str, int, int], object]
"""Gets the sort of step (`writing`), the file that is written, its number, and the number of all
files to write.
"""

# Files that an output folder may have before the first run. Another first run may have just written
# the manifest.
_HARMLESS: Final = frozenset({".gitignore", ".gitkeep", MANIFEST})


class Summary(NamedTuple):
    """What a run did with the generated files of a folder. The manifest isn't counted.

    Attributes:
        written: How many files are new or have new content.
        unchanged: How many files already had the right content, and weren't touched.
        removed: How many files were removed, because they are no longer generated.
    """

    written: int
    unchanged: int
    removed: int


def is_current(folder: Path, files: Mapping[str, str], names: Names) -> bool:
    """Return whether a folder is up to date, so that `write` would change nothing.

    Args:
        folder: The folder.
        files: The texts of its files, as for `write`.
        names: The class names for the manifest, as for `write`.

    Raises:
        InputError: The folder or its manifest can't be used, or files that the command doesn't own
            are in the way.
    """
    return not _plan(folder, files, names).has_work


def write(
    folder: Path,
    files: Mapping[str, str],
    names: Names | None = None,
    progress: Progress = lambda _what, _of, _done, _total: None,
) -> Summary:
    r"""Write the generated files of a folder.

    Files that already have the right content are not touched, and keep their times. Owned files
    that are no longer generated are removed, together with their byte code and the folders that
    become empty. Owned files that were edited by hand are overwritten. Existing files keep their
    permissions.

    Args:
        folder: The folder. It is made if it doesn't exist, and may be a symbolic link.
        files: The texts of its files by path. Lines end in `\n`. Paths are relative to the folder,
            with `/` between their parts.
        names: The class names that the manifest records; None to record none.
        progress: Called with `writing` before each file that is written.

    Raises:
        InputError: The folder or its manifest can't be used, or files that the command doesn't own
            are in the way: nothing has changed then. Or a file can't be written or removed: the
            message says that the next run finishes the work.
    """
    plan = _plan(folder, files, names or {})
    try:
        if plan.new:
            _record(plan, plan.owned | plan.files)
        for number, (path, content) in enumerate(plan.new.items(), 1):
            progress("writing", path, number, len(plan.new))
            _write(folder / path, content)
        for path in plan.gone:
            _remove(folder, path)
        _record(plan, plan.files)
    except InputError as e:
        raise InputError(
            f"{e}; not all models are written: run the command again to finish {folder}"
        ) from e
    return plan.summary


# The present state of a folder, and the changes that it needs.


class _Plan(NamedTuple):
    """The changes to make in a folder. All paths are relative to this folder."""

    folder: Path
    files: Set[str]  # the paths of all generated files
    owned: Set[str]  # the paths in the manifest
    new: dict[str, bytes]  # contents of files to write
    gone: list[str]  # owned paths that are no longer generated, whether they exist or not
    names: Names
    summary: Summary

    @property
    def has_work(self) -> bool:
        return (
            bool(self.new or self.gone)
            or _recorded(self.folder) != manifest(self.files, self.names).encode()
        )


def _plan(folder: Path, files: Mapping[str, str], names: Names) -> _Plan:
    """Check a folder, and return the changes after which it has `files` and its manifest has the
    class names `names`.

    Raises:
        InputError: The folder can't be read, its manifest can't be used, or something is in the way
            of a file (a link, or a file that the command doesn't own).
    """
    for above in (folder, *folder.parents):
        if os.path.lexists(above) and not above.is_dir():
            raise InputError(
                f"{above} is not a folder, but a folder is needed there: choose another folder, or"
                f" remove {above.name}"
            )
    contents = {path: text.encode() for path, text in sorted(files.items())}
    listed = owned(folder)
    if listed is None:
        _refuse_foreign(folder, contents)
    known = frozenset(listed or ())
    new = {
        path: content
        for path, content in contents.items()
        if not _has(folder, path, content, path in known)
    }
    gone, removed = [], 0
    for path in sorted(known - files.keys()):
        place, mode = _find(folder, path)
        is_ours = place == folder / path and stat.S_ISREG(mode)
        if is_ours or not mode:  # another thing has taken the file's place and stays
            gone.append(path)
            removed += is_ours
    return _Plan(
        folder,
        files.keys(),
        known,
        new,
        gone,
        names,
        Summary(len(new), len(files) - len(new), removed),
    )


def _find(folder: Path, path: str) -> tuple[Path, int]:
    """Return the first place on the way to a file that isn't a folder, and its mode; 0 if nothing
    is there.

    A symbolic link isn't a folder. If there is a folder in place of the file, its mode is returned.
    """
    place, mode = folder, 0
    with naming("read", folder / path):
        for part in path.split("/"):
            place /= part
            try:
                mode = os.lstat(place).st_mode
            except FileNotFoundError:
                return place, 0
            if not stat.S_ISDIR(mode):
                break
    return place, mode


def _has(folder: Path, path: str, content: bytes, is_owned: bool) -> bool:
    """Return whether the file at `path` already has its new `content`; False if there is no file.

    Raises:
        InputError: The file can't be read, or something is in its way: a link, a folder or device,
            a file where a folder is needed, or a file with other content that the command doesn't
            own.
    """
    place, mode = _find(folder, path)
    if not mode:
        return False
    if place != folder / path or not stat.S_ISREG(mode):
        needed = "regular file" if place == folder / path else "folder"
        raise InputError(
            f"{place} must be a {needed}, because the command writes {path}, and not through links:"
            " remove or rename it"
        )
    is_equal = _read(place) == content
    if not is_equal and not is_owned:
        raise InputError(_foreign(place))
    return is_equal


def _foreign(place: Path) -> str:
    return (
        f"{place} is in the way, and no {MANIFEST} lists it as generated: remove it, or choose an"
        " empty folder"
    )


def _refuse_foreign(folder: Path, files: Mapping[str, bytes]) -> None:
    """Check that a folder without a manifest has no other files than those in `files`, with the
    same content.

    The files .gitignore and .gitkeep, folders `__pycache__`, and the temporary file of a killed run
    are accepted, too.

    Raises:
        InputError: The folder has another file, a file with other content, or can't be read.
    """
    for place in sorted(folder.rglob("*")):
        path = place.relative_to(folder)
        if place.name == MANIFEST and place.parent != folder:
            raise InputError(
                f"{folder} can't be the output folder, because {place.parent} has generated models"
                f" already: give {place.parent}, or choose an empty folder"
            )
        is_plain = not place.is_symlink()
        if is_plain and (place.is_dir() or "__pycache__" in path.parts):
            continue
        if is_plain and (place.name in _HARMLESS or place.name.startswith(TEMPORARY)):
            continue
        if not place.is_file() or not is_plain or files.get(path.as_posix()) != _read(place):
            raise InputError(_foreign(place))


def _read(place: Path) -> bytes:
    with naming("read", place):
        return place.read_bytes()


def _recorded(folder: Path) -> bytes | None:
    return _read(folder / MANIFEST) if (folder / MANIFEST).exists() else None


# Making the changes.


def _record(plan: _Plan, files: Iterable[str]) -> None:
    """Write the manifest with the paths in `files`, unless it has this content."""
    content = manifest(files, plan.names).encode()
    if _recorded(plan.folder) != content:
        _write(plan.folder / MANIFEST, content)


def _write(place: Path, content: bytes) -> None:
    with naming("write", place):
        replace_file(place, content)


def _remove(folder: Path, path: str) -> None:
    """Remove a file if it exists, with its byte code and the folders that are empty after that.

    Byte code and folders that can't be removed, such as those of another user's process, do no harm
    and stay.
    """
    place = folder / path
    with naming("remove", place):
        place.unlink(missing_ok=True)
    cache = place.parent / "__pycache__"
    with contextlib.suppress(OSError):
        if path.endswith(".py") and not cache.is_symlink():
            for code in cache.glob(f"{glob.escape(place.stem)}.*.pyc"):
                code.unlink()
            cache.rmdir()
    for above in itertools.takewhile(lambda one: one != folder, place.parents):
        with contextlib.suppress(OSError):
            above.rmdir()
