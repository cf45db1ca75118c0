"""Writes generated files into folders: all of them or none, and without touching files of other programs or people.

A manifest in each folder lists the files that the command (`crossplane-lite generate`) owns. Only these files are ever
overwritten or removed, also if somebody has edited them: their header warns of that. All other files in the folder stay
as they are.

A run checks everything, and then takes these steps:

1. It writes the journal: a list of the paths that it already owns, and of the paths that it is about to write.
2. It writes the new content of each file to a temporary file in the same folder, and flushes it to the disk.
3. It replaces the files one by one, removes files that are no longer generated, and replaces the manifest last.
4. It removes temporary files, byte code of removed modules, folders that have become empty, and the journal last.

After an error or an interrupt before step 4, the run undoes all that it did. A killed process can't do that. It leaves
its journal, and the next run owns all files that the journal lists: it overwrites or removes them, and removes the
temporary files. It compares files by content, so it doesn't matter how far the killed run came.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from ..errors import InputError
from ._transaction import TEMPORARY, Transaction, naming, remove, remove_empty
from .manifest import JOURNAL, MANIFEST, Names, list_text, path_problem, read_list

__all__ = ["Progress", "Summary", "compare_all", "write", "write_all"]

Progress = Callable[[str, str, int, int], object]
"""Gets the sort of step (`writing`), the file that is written, its number, and the number of all files to write."""

# Files that an output folder may have before the first run.
_HARMLESS: Final = frozenset({".gitignore", ".gitkeep"})


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


def _silent(_what: str, _of: str, _done: int, _total: int) -> None:
    """Show no progress."""


def compare_all(outputs: Iterable[tuple[Path, Mapping[str, str]]], names: Mapping[Path, Names] | None = None) -> bool:
    """Return whether several folders are up to date, so that `write_all` would change nothing.

    Nothing is written. A folder that doesn't exist isn't up to date.

    Args:
        outputs: The folders with their files, as for `write_all`.
        names: The class names for the manifests, as for `write_all`.

    Raises:
        InputError: A folder or its manifest can't be used, a path in `outputs` isn't allowed, or files that the command
            doesn't own are in the way.
    """
    wanted = [(Path(folder), _contents(Path(folder), files)) for folder, files in outputs]
    _check_apart([folder for folder, _ in wanted])
    for folder, files in wanted:
        if not os.path.lexists(folder):
            return False
        if _plan(folder, files, (names or {}).get(folder, {})).has_work:
            return False
    return True


def write(folder: Path, files: Mapping[str, str]) -> Summary:
    """Write the generated files of one folder as `write_all` does, with the same errors, and return a summary."""
    return write_all([(folder, files)])[0]


def write_all(
    outputs: Iterable[tuple[Path, Mapping[str, str]]],
    names: Mapping[Path, Names] | None = None,
    progress: Progress = _silent,
) -> list[Summary]:
    r"""Write the generated files of several folders. If one file can't be written, no folder is changed.

    Files that already have the right content are not touched, and keep their times. Owned files that are no longer
    generated are removed, together with their byte code and the folders that become empty. Owned files that were edited
    by hand are overwritten. Existing files keep their permissions.

    The folders are locked while they are checked and written, so that two runs don't write at the same time. The second
    run waits, so that parallel runs (`make -j`) all succeed. It gives up after 30 seconds, so that a stopped process
    doesn't block it for ever. A killed run leaves no lock behind. On systems and file systems without locks, folders
    aren't locked.

    Args:
        outputs: The folders, each with the texts of its files by path. Lines end in `\n`. Paths are relative to the
            folder, with `/` between their parts. A folder that doesn't exist is made. A folder may be a symbolic link.
            A folder must not be inside of another one.
        names: The class names that the manifest of each folder records; None to record none.
        progress: Called with `writing` before each file that is written.

    Returns:
        A summary of the changes in each folder, in the order of `outputs`.

    Raises:
        InputError: A folder or its manifest can't be used, a path in `outputs` isn't allowed, files that the command
            doesn't own are in the way, or writing failed. Nothing has changed then, or the message says that the next
            run repairs the folders.
    """
    wanted = [(Path(folder), _contents(Path(folder), files)) for folder, files in outputs]
    _check_apart([folder for folder, _ in wanted])
    transaction = Transaction()
    with contextlib.ExitStack() as locks:
        try:
            # Always in the same order, so that no two runs wait for each other.
            for folder in sorted((folder for folder, _ in wanted), key=os.path.realpath):
                transaction.lock(folder, locks)
            plans = [_plan(folder, files, (names or {}).get(folder, {})) for folder, files in wanted]
            _carry_out([plan for plan in plans if plan.has_work], transaction, progress)
        except InputError as e:
            is_back = transaction.take_back()
            if is_back and not transaction.is_committed:
                raise
            if is_back:
                left = "all models are written, but old files are left"
            else:
                left = "not all changes could be taken back"
            places = " and ".join(str(folder) for folder, _ in wanted)
            raise InputError(f"{e}; {left}: run the command again to repair {places}") from e
        except BaseException:
            transaction.take_back()
            raise
    return [plan.summary for plan in plans]


# The contents to write.


def _contents(folder: Path, files: Mapping[str, str]) -> dict[str, bytes]:
    """Return the files of a folder with their texts encoded to UTF-8, sorted by path.

    Raises:
        InputError: A path isn't allowed (see `path_problem`); two paths differ only in case, or one has the other as
            its folder; or a text can't be encoded.
    """
    spelt: dict[str, str] = {}
    contents = {}
    for path in sorted(files):
        if problem := path_problem(path):
            raise InputError(f"can't write {path!r} to {folder}: the path {problem}")
        parts = path.split("/")
        for prefix in itertools.accumulate(parts, "{}/{}".format):
            other = spelt.setdefault(_folded(prefix), prefix)
            if other != prefix:
                raise InputError(
                    f"can't write both {other!r} and {prefix!r} to {folder}: they differ only in case, "
                    "which not every file system tells apart; generate them into folders of their own"
                )
            if prefix != path and prefix in files:
                raise InputError(
                    f"can't write both {prefix!r} and {path!r} to {folder}: {prefix!r} can't be a file and a folder; "
                    "generate them into folders of their own"
                )
        try:
            contents[path] = files[path].encode()
        except UnicodeEncodeError as e:
            raise InputError(f"can't write {path!r} to {folder}: its text can't be UTF-8 ({e.reason})") from e
    return contents


def _folded(path: str) -> str:
    """Return a text that is equal for two paths if some file system treats them as one file, as `A.py` and `a.py`."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _check_apart(folders: list[Path]) -> None:
    """Check that no folder is inside of another one, because each would treat the files of the other as foreign.

    Raises:
        InputError: A folder is inside of another one.
    """
    for one, other in itertools.permutations(folders, 2):
        if Path(os.path.realpath(one)) in Path(os.path.realpath(other)).parents:
            raise InputError(
                f"the folder {other} is inside {one}, and each would treat the other's files as foreign: give two "
                "separate folders (--output, --stubs-dir)"
            )


# The present state of a folder, and the changes that it needs.


class _Plan(NamedTuple):
    """The changes to make in a folder. All paths are relative to this folder."""

    folder: Path
    new: dict[str, bytes]  # contents of files to write
    gone: list[str]  # owned paths that are no longer generated, whether they exist or not
    removed: list[str]  # the paths in `gone` at which there is a file
    stale: list[str]  # temporary files of killed runs
    lists: dict[str, bytes]  # the new contents of the manifest and the journal, by their names
    manifest_changes: bool
    has_journal: bool
    summary: Summary

    @property
    def has_work(self) -> bool:
        return bool(self.new or self.removed or self.stale or self.manifest_changes or self.has_journal)


def _plan(folder: Path, files: dict[str, bytes], names: Names) -> _Plan:
    """Check a folder, and return the changes after which it has `files` and its manifest has the class names `names`.

    Raises:
        InputError: The folder can't be read, its manifest or journal can't be used, something is in the way of a file
            (a link, or a file that the command doesn't own), or a file to write is also a file to remove.
    """
    lists = {folder / name: read_list(folder / name) for name in (JOURNAL, MANIFEST)}
    owned = {path: place for place, paths in lists.items() for path in paths or ()}
    has_journal, has_manifest = (paths is not None for paths in lists.values())
    if not has_journal and not has_manifest:
        _refuse_foreign(folder, files)
    found = _find_all(folder, (*owned, *files))
    for path, source in owned.items():
        if found[path].is_a(stat.S_ISLNK):
            link = found[path].place
            raise InputError(
                f"{source} lists {path!r}, but {link} is a symbolic link: remove the link, and run the command again"
            )
    gone = sorted(owned.keys() - files.keys())
    removed = [path for path in gone if found[path].place == folder / path and found[path].is_a(stat.S_ISREG)]
    _refuse_same_files(folder, removed, files, found)
    new = {path: content for path, content in files.items() if not _is_done(folder, path, content, found, owned)}
    wanted = list_text(MANIFEST, files, names)
    return _Plan(
        folder,
        new,
        gone,
        removed,
        _stale(folder, found),
        {MANIFEST: wanted, JOURNAL: list_text(JOURNAL, found)},
        not has_manifest or _read(folder / MANIFEST) != wanted,
        has_journal,
        Summary(len(new), len(files) - len(new), len(removed)),
    )


class _Found(NamedTuple):
    """What is found at a path: the file, folder or link there, or the first part of the path that isn't a folder."""

    place: Path
    status: os.stat_result | None  # None if nothing is there

    def is_a(self, test: Callable[[int], bool]) -> bool:
        return self.status is not None and test(self.status.st_mode)


def _find_all(folder: Path, paths: Iterable[str]) -> dict[str, _Found]:
    """Return what is found at each of `paths` in a folder (see `_Found`). Each folder around a path is read only once.

    Raises:
        InputError: The status of a file or folder can't be read.
    """
    ways: dict[str, _Found | None] = {}  # None for a folder, otherwise what is found there instead of a folder
    found = {}
    for path in paths:
        end = None
        with naming("read", folder / path):
            for prefix in _above(path):
                if prefix not in ways:
                    one = _look(folder / prefix)
                    ways[prefix] = None if one.is_a(stat.S_ISDIR) else one
                end = ways[prefix]
                if end is not None:
                    break
            if end is None:
                end = _look(folder / path)
        found[path] = end if end.status is not None else _Found(folder / path, None)
    return found


def _look(place: Path) -> _Found:
    try:
        return _Found(place, os.lstat(place))
    except FileNotFoundError:
        return _Found(place, None)


def _is_done(folder: Path, path: str, content: bytes, found: dict[str, _Found], owned: Mapping[str, Path]) -> bool:
    """Return whether the file at `path` already has its new `content`; False if there is no file.

    Args:
        folder: The output folder.
        path: The path of the file in the folder.
        content: The new content.
        found: What is found at each path (see `_find_all`).
        owned: The paths that the command owns, each with the manifest or journal that lists it.

    Raises:
        InputError: The file can't be read, or something is in its way: a link, a folder or device, a file where a
            folder is needed, or a file with other content that the command doesn't own.
    """
    place, status = found[path]
    if status is None:
        return False
    if stat.S_ISLNK(status.st_mode):
        raise InputError(f"{place} is a symbolic link, and models aren't written through links: remove it")
    if place != folder / path:
        raise InputError(f"{place} is a file, but a folder is needed there for {path!r}: remove it")
    if not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "a device, a pipe or a socket"
        raise InputError(f"{place} is {what}, but the command must write a file there: remove or rename it")
    # A file of another size needn't be read.
    is_equal = status.st_size == len(content) and _read(place) == content
    if not is_equal and path not in owned:
        raise InputError(_foreign(place))
    return is_equal


def _foreign(place: Path) -> str:
    return f"{place} is in the way, and no {MANIFEST} lists it as generated: remove it, or choose an empty folder"


def _refuse_foreign(folder: Path, files: Mapping[str, bytes]) -> None:
    """Check that a folder without a manifest has no other files than those in `files`, with the same content.

    The files .gitignore and .gitkeep, folders `__pycache__`, and temporary files of killed runs are accepted, too.

    Raises:
        InputError: The folder has another file, a file with other content, or can't be read.
    """
    pending = [""]
    while pending:
        prefix = pending.pop()
        with naming("read", folder / prefix), os.scandir(folder / prefix) as entries:
            here = sorted((e.name, e.is_dir(follow_symlinks=False), e.is_file(follow_symlinks=False)) for e in entries)
        below = []
        for name, is_folder, is_file in here:
            path = prefix + name
            if is_folder:
                if name != "__pycache__":
                    below.append(path + "/")
                continue
            if is_file and (name in _HARMLESS or TEMPORARY.fullmatch(name)):
                continue
            if name == MANIFEST:
                raise InputError(
                    f"{folder} can't be the output folder, because {folder / prefix} has generated models already: "
                    f"give {folder / prefix}, or choose an empty folder"
                )
            if not is_file or path not in files or _read(folder / path) != files[path]:
                raise InputError(_foreign(folder / path))
        pending += reversed(below)


def _refuse_same_files(folder: Path, removed: list[str], files: Iterable[str], found: dict[str, _Found]) -> None:
    """Check that no file to remove is also a file to write, under a path that differs only in case.

    File systems that ignore case treat both paths as one file.

    Args:
        folder: The folder of all paths.
        removed: The paths of the files to remove.
        files: The paths of all generated files.
        found: What is found at each path (see `_find_all`).

    Raises:
        InputError: A file must be both removed and written.
    """
    spelt = {_folded(path): path for path in files}
    for path in removed:
        other = found.get(spelt.get(_folded(path), ""))
        status = found[path].status
        if other and other.status and status and os.path.samestat(other.status, status):
            raise InputError(
                f"{folder / path} is now called {other.place.name}, but this file system treats both as one file: "
                "remove this file, and run the command again"
            )


def _stale(folder: Path, paths: Iterable[str]) -> list[str]:
    """Return the paths of the temporary files that killed runs have left in `folder`, or in a folder around a path.

    Raises:
        InputError: A folder can't be read.
    """
    prefixes = {"", *(prefix + "/" for path in paths for prefix in _above(path))}
    stale = []
    for prefix in sorted(prefixes):
        with naming("read", folder / prefix), contextlib.suppress(FileNotFoundError, NotADirectoryError):
            with os.scandir(folder / prefix) as entries:
                files = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
            stale += [prefix + name for name in files if TEMPORARY.fullmatch(name)]
    return sorted(stale)


def _above(path: str) -> list[str]:
    """Return the folders around a relative path, the outermost first: `a` and `a/b` for `a/b/c.py`."""
    return list(itertools.accumulate(path.split("/")[:-1], "{}/{}".format))


def _read(place: Path) -> bytes:
    with naming("read", place):
        return place.read_bytes()


# Making the changes.


def _carry_out(plans: list[_Plan], transaction: Transaction, progress: Progress) -> None:
    total, done = sum(len(plan.new) for plan in plans), 0
    for plan in plans:
        for path in plan.stale:
            remove(plan.folder / path)
        transaction.stage(plan.folder / JOURNAL, plan.lists[JOURNAL])
        transaction.replace(plan.folder / JOURNAL)
    transaction.guard()
    for plan in plans:
        for path, content in plan.new.items():
            done += 1
            progress("writing", path, done, total)
            transaction.stage(plan.folder / path, content)
        if plan.manifest_changes:
            transaction.stage(plan.folder / MANIFEST, plan.lists[MANIFEST])
    for plan in plans:
        for path in plan.new:
            transaction.replace(plan.folder / path)
        for path in plan.removed:
            transaction.remove(plan.folder / path)
        if plan.manifest_changes:
            transaction.replace(plan.folder / MANIFEST)
    transaction.commit()
    for plan in plans:
        _tidy(plan.folder, plan.gone)
        remove(plan.folder / JOURNAL)


def _tidy(folder: Path, gone: Iterable[str]) -> None:
    """Remove the byte code of the modules at the paths `gone`, and the folders that are empty after that.

    A file or folder that can't be removed, such as byte code that another user's process wrote, does no harm and stays.
    """
    above = set()
    for path in gone:
        above.update(_above(path))
        if path.endswith(".py"):
            _remove_byte_code(folder / path)
    for path in sorted(above, key=len, reverse=True):
        remove_empty(folder / path)


def _remove_byte_code(module: Path) -> None:
    cache = module.parent / "__pycache__"
    compiled = re.compile(re.escape(module.stem) + r"\.[^.]+(\.opt-[^.]+)?\.pyc")
    with contextlib.suppress(OSError):
        if stat.S_ISDIR(os.lstat(cache).st_mode):
            for name in filter(compiled.fullmatch, os.listdir(cache)):
                os.unlink(cache / name)
            remove_empty(cache)
