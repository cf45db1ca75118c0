"""Makes changes to files in locked folders: all of the changes, or none of them."""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import re
import secrets
import stat
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from ..errors import InputError

if sys.platform != "win32":
    import fcntl

__all__ = ["TEMPORARY", "Transaction", "naming", "remove", "remove_empty"]

# Names of temporary files. They are short whatever the target is called, because file systems limit names to 255 bytes.
TEMPORARY: Final = re.compile(r"\.crossplane-lite-[0-9a-f]{16}\.tmp")
# How many seconds a run waits for another one. Writing takes a second at most.
_PATIENCE = 30.0


class Transaction:
    """Changes to files that can be undone until they are committed.

    Every step is recorded before it is done, so that all steps can be undone after an interrupt at any point.

    Attributes:
        is_committed: Whether the changes are final.
    """

    def __init__(self) -> None:
        self.is_committed = False
        self._undo: list[Callable[[], object] | None] = []
        self._staged: dict[Path, tuple[Path, Path | None]] = {}  # by target: the files with its new and old content
        self._temporary: list[Path] = []
        self._locked: dict[tuple[int, int], Path] = {}  # the folders by device and inode

    def lock(self, folder: Path, locks: contextlib.ExitStack) -> None:
        """Make a folder if it is missing, and lock it until `locks` is closed. Wait while another run has it locked.

        The lock is on the folder itself, so no lock file is left behind. The lock ends with the process, however the
        process ends. On Windows, and on file systems without locks for folders, nothing is locked.

        Raises:
            InputError: The folder can't be made or opened, this transaction has locked it already, or another run has
                it locked for more than 30 seconds.
        """
        deadline = time.monotonic() + _PATIENCE
        while True:
            self.make_folder(folder)
            # If the folder disappears meanwhile, another run has failed and removed it: it is made again.
            with naming("lock", folder), contextlib.suppress(FileNotFoundError), contextlib.ExitStack() as opened:
                identity = _identity(os.stat(folder))
                if identity in self._locked:
                    raise InputError(f"{self._locked[identity]} and {folder} are the same folder: give two folders")
                if sys.platform != "win32":
                    handle = os.open(folder, os.O_RDONLY)
                    opened.callback(os.close, handle)
                    while not _try_lock(handle):
                        if time.monotonic() > deadline:
                            raise InputError(f"another run is writing to {folder}: try again when it is done")
                        time.sleep(0.02)
                    if not _identity(os.fstat(handle)) == identity == _identity(os.stat(folder)):
                        continue
                self._locked[identity] = folder
                locks.enter_context(opened.pop_all())
                return

    def make_folder(self, folder: Path) -> None:
        """Make a folder and its parents, unless they exist.

        Raises:
            InputError: A folder can't be made, or a file has its path.
        """
        missing = list(itertools.takewhile(lambda place: not os.path.isdir(place), (folder, *folder.parents)))
        for place in reversed(missing):
            self._undo.append(functools.partial(remove_empty, place))
            with naming("make the folder", place):
                try:
                    os.mkdir(place)
                except FileExistsError:  # another run may have made it just now
                    if not os.path.isdir(place):
                        raise InputError(
                            f"{place} is not a folder, but a folder is needed there: choose another "
                            f"folder, or remove {place.name}"
                        ) from None

    def stage(self, target: Path, content: bytes) -> None:
        """Write the new content of the file `target` to a temporary file beside it. `target` itself isn't changed yet.

        If `target` exists, its old content is kept in a second temporary file. The folder is made if it is missing.

        Raises:
            InputError: The folder can't be made, the new content can't be written, or the old content can't be kept.
        """
        self.make_folder(target.parent)
        with naming("write", target):
            new, old = self._beside(target), None
            _create(new, content)
            if os.path.lexists(target):
                status = os.lstat(target)
                os.chmod(new, stat.S_IMODE(status.st_mode))
                old = self._beside(target)
                _keep(target, old, status)
            self._staged[target] = new, old

    def replace(self, target: Path) -> None:
        """Replace the file `target` by the temporary file with its new content, which `stage` has written.

        Raises:
            InputError: The file can't be replaced.
        """
        new, old = self._staged.pop(target)
        self._undo.append(functools.partial(_put_back, new, old, target))
        with naming("write", target):
            os.replace(new, target)

    def remove(self, target: Path) -> None:
        """Remove the file `target`. Until `commit`, it is kept under another name in the same folder.

        Raises:
            InputError: The file can't be removed.
        """
        away = self._beside(target)
        self._undo.append(functools.partial(_move_if_there, away, target))
        with naming("remove", target):
            os.replace(target, away)

    def guard(self) -> None:
        """Set a mark between steps. `take_back` stops at the mark if it couldn't undo all steps after the mark."""
        self._undo.append(None)

    def commit(self) -> None:
        """Make the changes final, and remove the temporary files.

        Raises:
            InputError: A temporary file can't be removed. The changes are final in spite of the error.
        """
        self.is_committed = True
        self._undo.clear()
        for place in self._temporary:
            remove(place)

    def take_back(self) -> bool:
        """Undo all changes that aren't committed, the latest first.

        If a step can't be undone, `take_back` goes on to the last mark before this step, and stops there (see `guard`).

        Returns:
            False if a step couldn't be undone.
        """
        is_well = True
        while self._undo:
            step = self._undo.pop()
            if step is None:
                if not is_well:
                    break
                continue
            try:
                step()
            except OSError:
                is_well = False
        return is_well

    def _beside(self, target: Path) -> Path:
        place = target.with_name(f".crossplane-lite-{secrets.token_hex(8)}.tmp")
        self._temporary.append(place)
        self._undo.append(functools.partial(_unlink_if_there, place))
        return place


@contextlib.contextmanager
def naming(action: str, place: Path) -> Iterator[None]:
    """Turn an OSError in a `with` block into an InputError, such as "can't write models/v1.py: Permission denied".

    Args:
        action: A verb for the message: what the block does to the file or folder.
        place: The path of the file or folder, for the message.
    """
    try:
        yield
    except OSError as e:
        raise InputError(f"can't {action} {place}: {e.strerror or e}") from e


def remove(place: Path) -> None:
    """Remove a file if it exists; InputError if it can't be removed."""
    with naming("remove", place):
        _unlink_if_there(place)


def remove_empty(folder: Path) -> None:
    """Remove a folder if it is empty. Errors are ignored."""
    with contextlib.suppress(OSError):
        os.rmdir(folder)


# These functions undo a step. Each checks first whether the step was made at all: if the step failed, as on a read-only
# file system, undoing it would fail, too.


def _put_back(new: Path, old: Path | None, target: Path) -> None:
    if os.path.lexists(new):
        return  # the new content never reached the target
    if old:
        os.replace(old, target)
    else:
        os.unlink(target)


def _move_if_there(place: Path, target: Path) -> None:
    if os.path.lexists(place):
        os.replace(place, target)


def _unlink_if_there(place: Path) -> None:
    if os.path.lexists(place):
        os.unlink(place)


def _create(place: Path, content: bytes) -> None:
    """Write a new file with default permissions, and flush it to the disk; OSError if it exists or can't be written."""
    with open(place, "xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())  # some file systems report only now that they are full


def _keep(target: Path, place: Path, status: os.stat_result) -> None:
    """Keep the content of the file `target` under the path `place`: as a hard link, or as a copy if that fails.

    A copy gets the permissions and the times in `status`.
    """
    try:
        os.link(target, place)
    except OSError:
        _create(place, target.read_bytes())
        os.chmod(place, stat.S_IMODE(status.st_mode))
        os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))


def _identity(status: os.stat_result) -> tuple[int, int]:
    return status.st_dev, status.st_ino


if sys.platform != "win32":

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            pass  # some network file systems have no locks for folders
        return True
