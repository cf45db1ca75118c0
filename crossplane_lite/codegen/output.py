"""The folders that the generator writes: which files in them are its own, and writing all of them or none.

A manifest in the folder lists the files that the command owns. Only those are ever overwritten or removed, and an
owned file that was edited by hand is: its header says so. All else in the folder is somebody else's and stays as it is.

A run checks everything, then writes in this order:

1. the journal, a list of the paths that are owned already and of those that are about to be;
2. every new content, into a temporary file beside its target, and flushed;
3. the targets: replaced one by one, what is gone taken away, the manifest last;
4. temporary files, byte code and folders without files are cleared away, and at last the journal.

An error or an interrupt before step 4 takes back all that was done. A process that is killed can't do that; it leaves
its journal, and the next run owns what the journal lists, so that it can overwrite, remove and clear away all of it.
Files are compared by content, so that it doesn't matter how far the run came.
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
"""Told what is being done, to which file, and that it is the how manyth of how many."""

# What a folder may hold that is to become ours.
_HARMLESS: Final = frozenset({".gitignore", ".gitkeep"})


class Summary(NamedTuple):
    """What a run did to the files that it generates; the manifest isn't counted.

    Attributes:
        written: How many files are new or have a new content.
        unchanged: How many already had their content and were not touched.
        removed: How many owned files are no longer generated and were removed.
    """

    written: int
    unchanged: int
    removed: int


def _silent(_what: str, _of: str, _done: int, _total: int) -> None:
    """Show no progress."""


def compare_all(outputs: Iterable[tuple[Path, Mapping[str, str]]], names: Mapping[Path, Names] | None = None) -> bool:
    """Say whether several folders are what they should be; nothing is written.

    Args:
        outputs: As of `write_all`.
        names: As of `write_all`.

    Returns:
        Whether `write_all` would change nothing.

    Raises:
        InputError: As of `write_all`.
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
    """Make the files of one folder what they should be; see `write_all`."""
    return write_all([(folder, files)])[0]


def write_all(
    outputs: Iterable[tuple[Path, Mapping[str, str]]],
    names: Mapping[Path, Names] | None = None,
    progress: Progress = _silent,
) -> list[Summary]:
    r"""Make the files of several folders what they should be, in all of the folders or in none.

    Files that have their content are not touched, not even their times. Owned files that are no longer generated are
    removed, with their byte code and the folders that become empty by it. Owned files that were edited by hand are
    overwritten. The permissions of existing files stay.

    Runs don't mix: the folders are locked while they are checked and written. Another run waits, so that runs in
    parallel (`make -j`) all succeed, and gives up after 30 seconds, so that a stopped process doesn't block it for
    ever. A killed run leaves no lock. Where the system or the file system has no locks, there are none.

    Args:
        outputs: Folders, each with its files: texts with `\n` by paths relative to it, with `/`. A folder need not
            exist; it may be a symbolic link. None may lie in another.
        names: The names of classes that each folder's manifest is to have.
        progress: Called with `writing` before each file that is written.

    Returns:
        The changes, for each folder.

    Raises:
        InputError: A folder or its manifest can't be used, files of others are in the way, or writing failed. Nothing
            has changed then, or the message says that the next run repairs it.
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
            left = "not all of it could be taken back" if not is_back else "all files are written, but not all is tidy"
            places = " and ".join(str(folder) for folder, _ in wanted)
            raise InputError(f"{e}; {left}: run the command again to repair {places}") from e
        except BaseException:
            transaction.take_back()
            raise
    return [plan.summary for plan in plans]


# What is wanted.


def _contents(folder: Path, files: Mapping[str, str]) -> dict[str, bytes]:
    """Return the bytes of each file, sorted by path, if all paths can be written to one folder."""
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
                    "which not every file system tells apart"
                )
            if prefix != path and prefix in files:
                raise InputError(f"can't write both {prefix!r} and {path!r} to {folder}: one is a folder of the other")
        try:
            contents[path] = files[path].encode()
        except UnicodeEncodeError as e:
            raise InputError(f"can't write {path!r} to {folder}: its text can't be UTF-8 ({e.reason})") from e
    return contents


def _folded(path: str) -> str:
    """Return what is equal for paths that some file system takes for the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _check_apart(folders: list[Path]) -> None:
    """Refuse a folder that lies in another: each would take the other's files for foreign ones."""
    for one, other in itertools.permutations(folders, 2):
        if Path(os.path.realpath(one)) in Path(os.path.realpath(other)).parents:
            raise InputError(f"{other} lies in {one}: choose folders side by side")


# What is there, and what has to be done.


class _Plan(NamedTuple):
    """The changes to make in a folder; paths are relative to it."""

    folder: Path
    new: dict[str, bytes]  # contents of files to write
    gone: list[str]  # owned paths that are no longer generated, whether they exist or not
    removed: list[str]  # those of them that exist
    stale: list[str]  # temporary files of killed runs
    lists: dict[str, bytes]  # the manifest and the journal as they should be
    manifest_changes: bool
    has_journal: bool
    summary: Summary

    @property
    def has_work(self) -> bool:
        return bool(self.new or self.removed or self.stale or self.manifest_changes or self.has_journal)


def _plan(folder: Path, files: dict[str, bytes], names: Names) -> _Plan:
    """Check a folder and return what has to be done in it.

    Raises:
        InputError: Its manifest is not to be trusted, or files of others are in the way.
    """
    lists = {folder / name: read_list(folder / name) for name in (JOURNAL, MANIFEST)}
    owned = {path: place for place, paths in lists.items() for path in paths or ()}
    has_journal, has_manifest = (paths is not None for paths in lists.values())
    if not has_journal and not has_manifest:
        _refuse_foreign(folder, files)
    found = _find_all(folder, (*owned, *files))
    for path, source in owned.items():
        if found[path].is_a(stat.S_ISLNK):
            raise InputError(f"{source} lists {path!r}, but {found[path].place} is a symbolic link: remove one of them")
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
    """The first thing on the way to a file that is no folder, or the end of the way."""

    place: Path
    status: os.stat_result | None  # None if nothing is there

    def is_a(self, test: Callable[[int], bool]) -> bool:
        return self.status is not None and test(self.status.st_mode)


def _find_all(folder: Path, paths: Iterable[str]) -> dict[str, _Found]:
    """Find what is at each path; a folder that many of them lead through is looked at once."""
    ways: dict[str, _Found | None] = {}  # None for a folder, otherwise where the way ends
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
    """Return whether a file has its content already.

    Raises:
        InputError: It can't or must not be written.
    """
    place, status = found[path]
    if status is None:
        return False
    if stat.S_ISLNK(status.st_mode):
        raise InputError(f"{place} is a symbolic link, which isn't written through: remove it")
    if place != folder / path:
        raise InputError(f"{place} is a file, but a folder is needed there for {path!r}: remove it")
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{place} is not a file, and a file must be written there: remove it")
    # Reading is spared where the size tells.
    is_equal = status.st_size == len(content) and _read(place) == content
    if not is_equal and path not in owned:
        raise InputError(_foreign(place))
    return is_equal


def _foreign(place: Path) -> str:
    return f"{place} is in the way, and no {MANIFEST} lists it as generated: choose an empty folder or remove it there"


def _refuse_foreign(folder: Path, files: Mapping[str, bytes]) -> None:
    """Refuse a folder without a manifest that holds anything but what would be written there."""
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
                    f"{folder / prefix} has generated models already, so {folder} is not an output folder of its own: "
                    "give the former as the output, or choose an empty folder"
                )
            if not is_file or path not in files or _read(folder / path) != files[path]:
                raise InputError(_foreign(folder / path))
        pending += reversed(below)


def _refuse_same_files(folder: Path, removed: list[str], files: Iterable[str], found: dict[str, _Found]) -> None:
    """Refuse to remove a file that is also generated under a name which differs only in case."""
    spelt = {_folded(path): path for path in files}
    for path in removed:
        other = found.get(spelt.get(_folded(path), ""))
        status = found[path].status
        if other and other.status and status and os.path.samestat(other.status, status):
            raise InputError(
                f"{folder / path} is now to be called {other.place.name}, but here the two are one file: "
                f"remove {folder} and generate it again"
            )


def _stale(folder: Path, paths: Iterable[str]) -> list[str]:
    """Return the temporary files that killed runs left beside the files at these paths."""
    prefixes = {"", *(prefix + "/" for path in paths for prefix in _above(path))}
    stale = []
    for prefix in sorted(prefixes):
        with naming("read", folder / prefix), contextlib.suppress(FileNotFoundError, NotADirectoryError):
            with os.scandir(folder / prefix) as entries:
                files = [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
            stale += [prefix + name for name in files if TEMPORARY.fullmatch(name)]
    return sorted(stale)


def _above(path: str) -> list[str]:
    """Return the folders that a relative path leads through, the outermost first."""
    return list(itertools.accumulate(path.split("/")[:-1], "{}/{}".format))


def _read(place: Path) -> bytes:
    with naming("read", place):
        return place.read_bytes()


# Doing it.


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
    """Remove the byte code of modules that are gone, and the folders that are empty without them.

    A file that can't be removed, such as byte code that another user's process wrote, does no harm and stays.
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
