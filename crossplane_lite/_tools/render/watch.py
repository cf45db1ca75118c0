"""`crossplane-lite render --watch`: renders again whenever an input file or a function's source changes.

Each run is a new process, so that all modules are imported again. When the run ends, it reports the files of the
modules that it has imported, and the files that missing modules would have. These files are watched, and the files and
directories on the command line. The standard library and installed packages aren't watched.

A change is a difference between the files' state before the run and their state now. So changes during a run aren't
missed, and neither are files that an editor replaces. The library watchfiles can't watch for files that don't exist
yet, such as those of missing modules.
"""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, Final

from ..._core.base import stdio
from ..._core.base.texts import some

__all__ = ["Ending", "names", "stop", "watch"]

# In this order: the time between two comparisons of files; how long a file may be missing while an editor replaces it;
# and how long files must stay unchanged before they are read.
_LOOK_SECONDS: Final = 0.1
_GONE_SECONDS: Final = 0.5
_QUIET_SECONDS: Final = 0.05

# The time between asking a process to end and killing it.
_GRACE_SECONDS: Final = 2.0

# The highest number of changed files whose names are shown.
_SHOWN: Final = 3

# The states of files by path: time of the last change in ns, size, and inode; None for a missing file.
_State = dict[str, "tuple[int, int, int] | None"]


def watch(argv: Sequence[str], paths: Sequence[Path], program: str) -> int:
    """Run `crossplane-lite render`, and again after each change, until Ctrl-C or another signal ends the command.

    Args:
        argv: The arguments after `render`, including `--watch`.
        paths: The files and directories that the arguments name.
        program: The package that `python -m` runs as `crossplane-lite`.

    Returns:
        The exit status. It is 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
    """
    once = [argument for argument in argv if argument != "--watch"]
    given = {os.path.abspath(path) for path in paths}
    modules: set[str] = set()
    with Ending() as ending, tempfile.TemporaryDirectory(prefix="crossplane-lite-") as folder:
        report = os.path.join(folder, "modules")
        while True:
            began = time.time_ns()
            before = _state(given | modules)
            status = _run([program, *once], report, given | modules, before, ending)
            if status is None:  # the run was stopped
                changed = _settled(before, given | modules)
            else:
                # A run that failed may have ended before it imported everything.
                found = _read(report) | (modules if status else set())
                before = _since(began, _state(found)) | _state_of(before, given | found)
                modules = found
                changed = _next_change(before, given | modules, ending)
            if ending.is_set():
                return ending.status
            _say(f"changed: {names(changed) or 'something, for a moment'}")


def _run(argv: Sequence[str], report: str, paths: set[str], before: _State, ending: Ending) -> int | None:
    """Render once in a new process. Print how long it took, and its exit status unless that is 0.

    Nothing is printed if the run is stopped. `argv` begins with the package for `python -m`. The run writes the files
    that it depends on into the file `report`. `before` is the state of `paths` before the run. Returns None if the run
    was stopped because a file changed or the command ends.
    """
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", __name__, report, *argv])
    try:
        while True:
            status: int | None = None
            with suppress(subprocess.TimeoutExpired):
                status = process.wait(_LOOK_SECONDS)
            # Checked before the status, because Ctrl-C in a terminal ends the run, too.
            if ending.is_set():
                return None
            if status is not None:
                break
            if _state(paths) != before:
                return None
    finally:
        stop(process)
    how = "rendered in" if status == 0 else f"exit status {status} after"
    _say(f"{how} {time.perf_counter() - began:.2f} s; waiting for changes, Ctrl-C ends")
    return status


def stop(process: subprocess.Popen[bytes] | None) -> None:
    """End a process if there is one that is still running: terminate it, and kill it if it goes on for two seconds."""
    if process is None:
        return
    try:
        if process.poll() is None:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(_GRACE_SECONDS)
    finally:  # also when a second Ctrl-C ended the wait
        if process.poll() is None:
            process.kill()
            process.wait()


def _next_change(before: _State, paths: set[str], ending: Ending) -> list[str]:
    """Wait until files have changed and then stay unchanged for a moment. Return the paths of the changed files.

    The list is empty if the command ends.
    """
    while not ending.is_set():
        if _state(paths) == before:
            time.sleep(_LOOK_SECONDS)
        elif changed := _settled(before, paths):  # nothing, if a file was only missing for a moment
            return changed
    return []


def _settled(before: _State, paths: set[str]) -> list[str]:
    """Wait until the files stay unchanged for a moment. Return the sorted paths of the files that differ from `before`.

    If a file has disappeared, wait up to half a second for it, because an editor may be replacing it.
    """
    deadline = time.monotonic() + _GONE_SECONDS
    state = _state(paths)
    while True:
        time.sleep(_QUIET_SECONDS)
        last, state = state, _state(paths)
        gone = any(state.get(path) is None for path, was in before.items() if was is not None)
        if state == last and (not gone or time.monotonic() > deadline):
            return sorted(path for path in before.keys() | state.keys() if before.get(path) != state.get(path))


def _state(paths: Iterable[str]) -> _State:
    """Return the states (see `_State`) of the files in `paths`, and of all files and folders below its directories.

    Hidden files and folders, `__pycache__` and links to directories are left out below a directory.
    """
    state: _State = {}
    for path in paths:
        if os.path.isdir(path):
            for folder, folders, names in os.walk(path):
                folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
                state[folder] = (0, 0, 0)
                files = (os.path.join(folder, name) for name in names if not name.startswith("."))
                state.update((file, _file(file)) for file in files)
        else:
            state[path] = _file(path)
    return state


def _state_of(state: _State, paths: set[str]) -> _State:
    """Return the part of a state that belongs to the given paths and to all files and folders below them."""
    starts = tuple(path + os.sep for path in paths)
    return {path: was for path, was in state.items() if path in paths or path.startswith(starts)}


def _since(began: int, state: _State) -> _State:
    """Return a copy of a state in which each file that was changed after `began` (in ns) counts as missing.

    So the next comparison shows these files as changed.
    """
    return {path: None if was is not None and was[0] > began else was for path, was in state.items()}


def _file(path: str) -> tuple[int, int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def names(paths: Sequence[str]) -> str:
    """Return the names of changed files for a message: the first three, and the number of the others."""
    return some([os.path.relpath(path) for path in paths], _SHOWN)


def _say(text: str) -> None:
    stdio.say(f"=== {time.strftime('%H:%M:%S')} {text}")


class Ending:
    """Handles the signals that ask a command to end: SIGINT, SIGTERM and SIGHUP, until the `with` block ends.

    The first signal only sets `status`, so that the command can stop its process and clean up. It raises no exception,
    because Python drops exceptions in some places, such as the callback of a weak reference. A second signal raises
    SystemExit, so that impatient users can end the command at once.

    Attributes:
        status: The command's exit status after a signal; 0 before.
    """

    def __init__(self) -> None:
        self.status = 0
        self._before: dict[int, Any] = {}

    def is_set(self) -> bool:
        """Return whether a signal has asked the command to end."""
        return self.status != 0

    def __enter__(self) -> Ending:
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            number = getattr(signal, name, None)  # Windows lacks some
            # Some signals are ignored under nohup, and in the background of a shell. That stays so.
            if number is not None and signal.getsignal(number) != signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        if self.is_set():
            raise SystemExit(self.status)
        self.status = 128 + number


def _read(report: str) -> set[str]:
    """Return the files in a run's report, and delete the report. The set is empty if there is no readable report."""
    try:
        with open(report, encoding="utf-8") as file:
            return set(json.load(file))
    except (OSError, ValueError):
        return set()
    finally:
        with suppress(OSError):
            os.unlink(report)


class _Imports:
    """A module finder that records the names of all requested modules and finds none of them.

    It must be the first finder in `sys.meta_path`.
    """

    def __init__(self) -> None:
        self._asked: dict[str, Sequence[str] | None] = {}

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: object = None) -> None:
        """Record a module's name, and return None, so that the next finder searches for the module."""
        self._asked[name] = path

    def files(self) -> set[str]:
        """Return the source files of imported modules, and the files that missing modules would have.

        Files of the standard library and of installed packages are left out.
        """
        # `__file__` is read from the dicts, because some modules invent attributes, and some entries aren't modules.
        loaded = [getattr(module, "__dict__", {}).get("__file__") for module in list(sys.modules.values())]
        found = {file for file in loaded if isinstance(file, str)}
        for name, path in self._asked.items():
            if name not in sys.modules:
                last = name.rpartition(".")[2]
                for folder in sys.path if path is None else path:
                    start = os.path.join(folder or os.getcwd(), last)
                    found.update((start + ".py", os.path.join(start, "__init__.py")))
        return {path for file in found if not _is_installed(path := os.path.abspath(file))}


def _is_installed(path: str) -> bool:
    """Return whether a file belongs to the standard library or to an installed package."""
    parts = path.split(os.sep)
    return "site-packages" in parts or "dist-packages" in parts or path.startswith(_standard_library())


@functools.cache
def _standard_library() -> tuple[str, ...]:
    import sysconfig

    folders = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), os.path.dirname(os.__file__)}
    return (*(os.path.join(folder, "") for folder in folders), *(path for path in sys.path if path.endswith(".zip")))


def _main(report: str, program: str, argv: Sequence[str]) -> None:
    """Render once in this process, and write the list of files that the run depends on into the file `report`."""
    # Ctrl-C reaches the parent process too, which ends the command. Here it would print a traceback.
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Python recognises outdated byte code by the source's size and the second of its last change. A file that is saved
    # twice within a second could load the first version's byte code.
    sys.dont_write_bytecode = True
    imports = _Imports()
    sys.meta_path.insert(0, imports)
    import runpy

    sys.argv[1:] = ["render", *argv]  # safe, because nothing else runs in this process
    try:
        runpy.run_module(program, run_name="__main__")  # ends with SystemExit
    finally:
        with open(report, "w", encoding="utf-8") as file:
            json.dump(sorted(imports.files()), file)


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2], sys.argv[3:])
