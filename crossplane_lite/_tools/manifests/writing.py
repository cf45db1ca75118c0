"""Writes files as a whole: other programs see the old content or the new one, and a full disk leaves the old one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

__all__ = ["TEMPORARY", "replace_file"]

TEMPORARY: Final = ".crossplane-lite-"
"""The beginning of the names of temporary files. A process that is killed may leave one behind."""


def replace_file(place: Path, content: bytes) -> None:
    """Write a file: first beside its place, then in one step to it, with the permissions of the old file.

    Missing folders are made.

    Raises:
        OSError: The file can't be written.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = place.with_name(f"{TEMPORARY}{os.urandom(8).hex()}.tmp")
    try:
        beside.write_bytes(content)
        if place.exists():
            os.chmod(beside, place.stat().st_mode & 0o7777)
        os.replace(beside, place)
    finally:
        beside.unlink(missing_ok=True)
