"""Reads files, and writes them as a whole.

More than 1 GiB is refused, because a device or a pipe may never end. Other programs see the old
content or the new one, and a full disk leaves the old one.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from ..._core.base.texts import near_name
from ...errors import InputError

# Files of objects are much smaller.
_LARGEST: Final = 1 << 30
_PART: Final = 1 << 20


def is_file(path: str | os.PathLike[str]) -> bool:
    """Return whether a path that was found in a folder should be read: a regular file, or a link
    that leads nowhere.

    Pipes and devices may never end, so they aren't read. A link that leads nowhere counts, so that
    reading it shows the error.
    """
    return os.path.isfile(path) or not os.path.exists(path)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file, or all bytes from a pipe or a device.

    Raises:
        InputError: The file can't be read, or has more than 1 GiB.
    """
    label = os.fspath(path)
    try:
        file = open(path, "rb")  # noqa: SIM115  # only errors of opening are caught here
    except (OSError, ValueError) as e:
        raise unreadable(label, e) from None
    with file:
        return read_all(file, label)


def read_all(file: BinaryIO, label: str) -> bytes:
    """Return the content of an open file, from its current position to its end.

    Raises InputError, with the name `label`, if the file can't be read, or its rest has more than 1
    GiB.
    """
    # In parts, because a single read of 1 GiB would take the memory for all of it.
    parts: list[bytes] = []
    size = 0
    while data := _part(file, label):
        size += len(data)
        if size > _LARGEST:
            raise InputError(
                f"{label} is larger than {_LARGEST >> 20:,} MiB, the most that crossplane-lite"
                " reads: give a smaller file"
            )
        parts.append(data)
    return b"".join(parts)


def _part(file: BinaryIO, label: str) -> bytes:
    try:
        return file.read(_PART)
    except OSError as e:
        raise unreadable(label, e) from None


def unreadable(label: str, error: OSError | ValueError) -> InputError:
    """Return the error for a file that can't be read; `label` is its name in the message."""
    # open() raises ValueError for a null character
    reason = error.strerror if isinstance(error, OSError) else None
    hint = near_file(label) if isinstance(error, FileNotFoundError) else ""
    return InputError(f"can't read {label}: {reason or error}{hint}")


def near_file(path: str) -> str:
    """Return a hint such as `; did you mean 'xr.yaml'?` for a path that isn't there; empty if no
    name is similar.
    """
    folder, name = os.path.split(path)
    try:
        names = sorted(os.listdir(folder or "."))
    except OSError:
        return ""
    # a link that leads nowhere is there
    return near_name(name, [one for one in names if one != name])


@contextlib.contextmanager
def naming(action: str, place: str | os.PathLike[str]) -> Iterator[None]:
    """Turn an OSError in a `with` block into an InputError, such as "can't write models/v1.py:
    Permission denied".

    Args:
        action: A verb for the message: what the block does to the file or folder.
        place: The path of the file or folder, for the message.
    """
    try:
        yield
    except OSError as e:
        raise InputError(f"can't {action} {place}: {e.strerror or e}") from e


def cache_folder(name: str) -> Path | None:
    """Return the folder of the user's cache with a name; None if the user has no home.

    It is below `$XDG_CACHE_HOME`, by default `~/.cache`, and may not exist yet.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):  # the XDG specification says to ignore relative paths
        base = os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base, "crossplane-lite", name) if os.path.isabs(base) else None


TEMPORARY: Final = ".crossplane-lite-"
"""The beginning of the names of temporary files. A process that is killed may leave one behind."""


def replace_file(place: Path, content: bytes) -> None:
    """Write a file: first beside its place, then in one step to it, with the permissions of the old
    file.

    Missing folders are made.

    Raises:
        OSError: The file can't be written.
    """
    with replacing(place) as file:
        file.write(content)


@contextlib.contextmanager
def replacing(place: Path) -> Iterator[BinaryIO]:
    """Open a file for writing that takes a place at the end of a `with` block, and doesn't after an
    exception in it.

    Else it is as `replace_file`.

    Raises:
        OSError: The file can't be written.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = place.with_name(f"{TEMPORARY}{os.urandom(8).hex()}.tmp")
    try:
        with open(beside, "xb") as file:
            yield file
        if place.exists():
            os.chmod(beside, place.stat().st_mode & 0o7777)
        os.replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)
