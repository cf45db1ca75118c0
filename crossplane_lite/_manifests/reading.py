"""Reading files of a size that nobody knows before: a device or a pipe need not end."""

from __future__ import annotations

import os
from typing import BinaryIO, Final

from ..errors import InputError

__all__ = ["is_file", "read_all", "read_bytes"]

# No file of objects is as large.
_LARGEST: Final = 1 << 30
_PART: Final = 1 << 20


def is_file(path: str | os.PathLike[str]) -> bool:
    """Say whether an entry of a folder must be read.

    A pipe or a device might not end; a link that leads nowhere must be read, so that its error is shown.
    """
    return os.path.isfile(path) or not os.path.exists(path)


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return what is in a file; of a pipe, what comes through it.

    Raises:
        InputError: The file can't be read, or has more than 1 GiB.
    """
    label = os.fspath(path)
    try:
        file = open(path, "rb")  # noqa: SIM115  # what can go wrong with opening is told apart from reading
    except (OSError, ValueError) as e:
        raise _unreadable(label, e) from None
    with file:
        return read_all(file, label)


def read_all(file: BinaryIO, label: str) -> bytes:
    """Return what is left in an open file.

    Args:
        file: The file.
        label: What messages call it.

    Raises:
        InputError: It can't be read, or has more than 1 GiB.
    """
    # In parts, because asking for the most that there may be would take the memory for it.
    parts: list[bytes] = []
    size = 0
    while data := _part(file, label):
        size += len(data)
        if size > _LARGEST:
            raise InputError(f"{label} is larger than {_LARGEST >> 20:,} MiB, which is the limit")
        parts.append(data)
    return b"".join(parts)


def _part(file: BinaryIO, label: str) -> bytes:
    try:
        return file.read(_PART)
    except OSError as e:
        raise _unreadable(label, e) from None


def _unreadable(label: str, error: OSError | ValueError) -> InputError:
    reason = error.strerror if isinstance(error, OSError) else None  # a null character in a path is a ValueError
    return InputError(f"can't read {label}: {reason or error}")
