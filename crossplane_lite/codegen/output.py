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

The manifest also has the names of classes that history decided (see `naming`), so that models that are made anew beside
it, where the manifest alone is under version control, have the same names.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..errors import InputError
from ._transaction import TEMPORARY, Transaction, naming, remove, remove_empty

__all__ = [
    "MANIFEST",
    "Progress",
    "Summary",
    "compare_all",
    "manifest",
    "owned",
    "recorded_names",
    "write",
    "write_all",
]

MANIFEST: Final = ".crossplane-lite.json"
_JOURNAL: Final = ".crossplane-lite.unfinished.json"
_FORMAT: Final = 1
_ABOUT: Final = {
    MANIFEST: (
        "Made by `crossplane-lite generate`, which owns the files listed here: its next run overwrites them and "
        "removes those that it no longer makes. It touches no other file in this folder."
    ),
    _JOURNAL: (
        "Left by a run of `crossplane-lite generate` that was killed: its next run repairs the files listed here and "
        "removes this list."
    ),
}
Names = Mapping[str, Mapping[str, str]]
"""By the path of a module without its suffix, the class at a place."""
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


def manifest(files: Iterable[str], names: Names) -> str:
    """Return the text of the manifest of a folder that has these files."""
    return _list(MANIFEST, files, names).decode()


def owned(folder: Path) -> list[str]:
    """Return the paths of the files that earlier runs made.

    Raises:
        InputError: The manifest can't be used.
    """
    return _read_list(folder / MANIFEST) or []


def recorded_names(folder: Path) -> Names:
    """Return the names of classes that the folder's manifest has; there are none where it isn't there.

    Raises:
        InputError: The manifest can't be used.
    """
    document = _document(folder / MANIFEST) or {}
    names = document.get("names", {})
    if not isinstance(names, dict) or not all(
        isinstance(places, dict) and all(isinstance(name, str) for name in places.values()) for places in names.values()
    ):
        raise InputError(
            f"{folder / MANIFEST}: 'names' must have classes by module and place: restore it, or remove 'names' "
            "and have names as in a new folder"
        )
    return names


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
        What was done, for each folder.

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
        if problem := _problem(path):
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


def _problem(path: str) -> str | None:
    """Return why a path can't be one of ours, if it can't."""
    parts = path.split("/")
    problems = {
        "is absolute": path.startswith("/"),
        "has '..' in it": ".." in parts,
        "has an empty part or '.' in it": "" in parts or "." in parts,
        "has a backslash, a colon or a NUL in it": not {"\\", ":", "\0"}.isdisjoint(path),
        "has characters that can't be UTF-8": any("\ud800" <= character <= "\udfff" for character in path),
        "doesn't end in .py or .pyi": not path.endswith((".py", ".pyi")),
    }
    return next((text for text, is_so in problems.items() if is_so), None)


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
    """What is to be done in a folder; paths are relative to it."""

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
    lists = {folder / name: _read_list(folder / name) for name in (_JOURNAL, MANIFEST)}
    owned = {path: place for place, paths in lists.items() for path in paths or ()}
    has_journal, has_manifest = (paths is not None for paths in lists.values())
    if not has_journal and not has_manifest:
        _refuse_foreign(folder, files)
    found = {path: _find(folder, path) for path in (*owned, *files)}
    for path, source in owned.items():
        if found[path].is_a(stat.S_ISLNK):
            raise InputError(f"{source} lists {path!r}, but {found[path].place} is a symbolic link: remove one of them")
    gone = sorted(owned.keys() - files.keys())
    removed = [path for path in gone if found[path].place == folder / path and found[path].is_a(stat.S_ISREG)]
    _refuse_same_files(folder, removed, files, found)
    new = {path: content for path, content in files.items() if not _is_done(folder, path, content, found, owned)}
    wanted = _list(MANIFEST, files, names)
    return _Plan(
        folder,
        new,
        gone,
        removed,
        _stale(folder, found),
        {MANIFEST: wanted, _JOURNAL: _list(_JOURNAL, found)},
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


def _find(folder: Path, path: str) -> _Found:
    place = folder
    with naming("read", folder / path):
        for part in path.split("/"):
            place /= part
            try:
                status = os.lstat(place)
            except FileNotFoundError:
                return _Found(folder / path, None)
            if not stat.S_ISDIR(status.st_mode):
                break
    return _Found(place, status)


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
        raise InputError(f"{place} is not a file, but one is to be written there: remove it")
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


# The manifest and the journal: two lists of paths in one format.


def _list(name: str, paths: Iterable[str], names: Names | None = None) -> bytes:
    document: dict[str, Any] = {"about": _ABOUT[name], "format": _FORMAT, "files": sorted(paths)}
    if names:
        document["names"] = {module: dict(sorted(places.items())) for module, places in sorted(names.items())}
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


def _read_list(place: Path) -> list[str] | None:
    """Return the paths that a list holds, None if it doesn't exist.

    The list may come from a checkout that nobody has looked at, so only paths that stay in the folder are taken.
    """
    document = _document(place)
    if document is None:
        return None
    paths = document.get("files")
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise InputError(
            f"{place} has no list 'files' of paths: restore it, or remove the folder and generate it again"
        )
    for path in paths:
        if problem := _problem(path):
            raise InputError(f"{place} lists {path!r}, which can't be a file of this folder: it {problem}")
    return paths


def _document(place: Path) -> dict[str, Any] | None:
    """Return what a list says, None if it doesn't exist."""
    found = _find(place.parent, place.name)
    if found.status is None:
        return None
    if not found.is_a(stat.S_ISREG):
        raise InputError(f"{place} is not a file: remove it")
    try:
        document: Any = json.loads(_read(place))
    except (ValueError, RecursionError) as e:
        raise InputError(f"{place} is not JSON: restore it, or remove the folder and generate it again") from e
    version = document.get("format") if isinstance(document, dict) else None
    if type(version) is not int or version != _FORMAT:
        raise InputError(
            f"{place} has another 'format' than {_FORMAT}, the only one that this version of crossplane-lite reads"
        )
    assert isinstance(document, dict)
    return document


# Doing it.


def _carry_out(plans: list[_Plan], transaction: Transaction, progress: Progress) -> None:
    total, done = sum(len(plan.new) for plan in plans), 0
    for plan in plans:
        for path in plan.stale:
            remove(plan.folder / path)
        transaction.stage(plan.folder / _JOURNAL, plan.lists[_JOURNAL])
        transaction.replace(plan.folder / _JOURNAL)
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
        remove(plan.folder / _JOURNAL)


def _tidy(folder: Path, gone: Iterable[str]) -> None:
    """Remove the byte code of modules that are gone, and the folders that are empty without them.

    What can't be removed, such as byte code that another user's process wrote, does no harm and stays.
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
