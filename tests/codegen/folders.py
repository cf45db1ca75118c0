"""What stands in a folder, and a file system that fails at a chosen step."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite.codegen import _transaction, output

# For tests with thousands of files: a folder in memory where the system has one, None for its usual temporary folder.
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
MANIFEST = ".crossplane-lite.json"
JOURNAL = ".crossplane-lite.unfinished.json"


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
    """Return the text of every file in a folder but the manifest."""
    return {
        place.relative_to(folder).as_posix(): place.read_bytes().decode()
        for place in sorted(folder.rglob("*"))
        if place.is_file() and place != folder / MANIFEST
    }


def put(folder: Path, files: Mapping[str, str]) -> None:
    """Write files as somebody else does."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())


class Killed(BaseException):
    """Stands for the end of the process: nothing can be done after it."""


class _System:
    """Stands for the module `os`, and calls `step` around what changes the file system."""

    CHANGES = frozenset({"chmod", "fsync", "link", "mkdir", "replace", "rmdir", "unlink", "utime"})

    def __init__(self, step: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        self._step = step

    def __getattr__(self, name: str) -> Any:
        function = getattr(os, name)
        return self._step(function) if name in self.CHANGES else function


@contextmanager
def failing(at: int, error: BaseException, *, late: bool = False, lasting: bool = False) -> Iterator[list[int]]:
    """Let a step that changes the file system fail, inside the writing of output folders.

    Args:
        at: Which step it is, from 1.
        error: What it raises.
        late: Raise it when the step is done, not before.
        lasting: Let every later step raise it too.

    Yields:
        A list of the steps that were asked for.
    """
    steps: list[int] = []

    def step(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            steps.append(len(steps) + 1)
            fails = steps[-1] == at or (lasting and steps[-1] > at)
            if fails and not (late and steps[-1] == at):
                raise error
            result = function(*args, **kwargs)
            if fails:
                raise error
            return result

        return call

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_transaction, "os", _System(step))
        patch.setattr(output, "os", _System(step))
        patch.setattr(_transaction, "open", step(open), raising=False)
        yield steps


def killed(at: int) -> Any:
    """Let the process end before a step: neither that step nor any later one has an effect."""
    return failing(at, Killed(), lasting=True)
