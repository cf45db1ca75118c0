"""What stands in a folder, and a file system that fails at a chosen step."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.codegen.output import Summary
from crossplane_lite._tools.codegen.output import write as write_files

# For tests with thousands of files: a folder in memory where the system has one, None for its usual temporary folder.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
MANIFEST = ".crossplane-lite.json"
TEMPORARY = ".crossplane-lite-"


def write(folder: Path, files: Mapping[str, str]) -> Summary:
    """Write the files of one folder."""
    return write_files(folder, files)


def snapshot(folder: Path) -> dict[str, tuple[Any, ...]]:
    """Return all that stands in a folder: identity, permissions and time of each file, and its content."""
    found: dict[str, tuple[Any, ...]] = {}
    for place in sorted(folder.rglob("*")):
        status = place.lstat()
        name = place.relative_to(folder).as_posix()
        if stat.S_ISREG(status.st_mode):
            found[name] = status.st_ino, status.st_mode, status.st_mtime_ns, place.read_bytes()
        else:
            found[name] = status.st_ino, status.st_mode, os.readlink(place) if place.is_symlink() else None
    return found


def texts(folder: Path) -> dict[str, str]:
    """Return the text of every file in a folder but the manifest and temporary files of killed runs."""
    return {
        place.relative_to(folder).as_posix(): place.read_bytes().decode()
        for place in sorted(folder.rglob("*"))
        if place.is_file() and place != folder / MANIFEST and not place.name.startswith(TEMPORARY)
    }


def put(folder: Path, files: Mapping[str, str]) -> None:
    """Write files as somebody else does."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())


class Killed(BaseException):
    """Stands for the end of the process: nothing can be done after it."""


@contextmanager
def failing(at: int, error: BaseException, *, lasting: bool = False) -> Iterator[list[int]]:
    """Let a step that changes the file system fail, inside the writing of output folders.

    Args:
        at: Which step it is, from 1.
        error: What it raises.
        lasting: Let every later step raise it too.

    Yields:
        A list of the steps that were asked for.
    """
    steps: list[int] = []

    def step(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            steps.append(len(steps) + 1)
            if steps[-1] == at or (lasting and steps[-1] > at):
                raise error
            return function(*args, **kwargs)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in ("mkdir", "rmdir", "unlink", "write_bytes"):
            patch.setattr(Path, name, step(getattr(Path, name)))
        patch.setattr(os, "replace", step(os.replace))
        patch.setattr(os, "chmod", step(os.chmod))
        yield steps


def killed(at: int) -> Any:
    """Let the process end before a step: neither that step nor any later one has an effect."""
    return failing(at, Killed(), lasting=True)
