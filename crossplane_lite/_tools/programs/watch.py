"""Runs a program again whenever a file changes: `crossplane-lite render --watch`, and `dev`.

Each run is a new process, so that all modules are imported again. Files are compared by this
module, because the library watchfiles takes a watch of the system for every folder, and would be an
extra that these commands need.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any, Final

from ..._core.base import stdio
from ..._core.base.texts import some

_LOOK_SECONDS: Final = 0.2
# The time between asking a process to end and killing it.
_GRACE_SECONDS: Final = 2.0
# The highest number of changed files whose names are shown.
_SHOWN: Final = 3
_SKIPPED: Final = frozenset({"__pycache__", "build", "dist", "node_modules", "site-packages"})

# The time of the last change in ns, the size and the inode of files by path.
_State = dict[str, tuple[int, int, int]]
_Process = subprocess.Popen[bytes]


def watch(argv: Sequence[str], paths: Iterable[Path], program: str) -> int:
    """Run `crossplane-lite render`, and again after each change, until Ctrl-C or another signal
    ends the command.

    Args:
        argv: The arguments after `render`, including `--watch`.
        paths: The files and directories that the arguments name. Python files below the current
            folder count, too.
        program: The package that `python -m` runs as `crossplane-lite`.

    Returns:
        The exit status. It is 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP.
    """
    once = [argument for argument in argv if argument != "--watch"]
    given = [os.path.abspath(path) for path in paths]

    def look() -> _State:
        state = sources(os.getcwd())
        for path in given:
            state |= sources(path, "") if os.path.isdir(path) else _states([path])
        return state

    def start() -> _Process:
        # Python knows outdated byte code by the source's size and second. A file that is saved
        # twice within a second could load the first version's byte code, so none is written.
        return run(["-B", "-m", program, "render", *once])

    def ended(status: int) -> None:
        how = f"exit status {status}" if status else "rendered"
        stdio.say(f"=== {time.strftime('%H:%M:%S')} {how}; waiting for changes, Ctrl-C ends")

    return again(start, look, ended)


def again(
    start: Callable[[], _Process], look: Callable[[], _State], ended: Callable[[int], int | None]
) -> int:
    """Start a process, and start it again whenever files have changed, until a signal ends the
    command.

    Args:
        start: Starts the process.
        look: Returns the states of the files.
        ended: Is called with the exit status of a process that has ended. It may return an exit
            status for the command, with which the command ends, too.

    Returns:
        The exit status of the command.
    """
    with _Ending() as ending:
        process: _Process | None = None
        try:
            state = last = look()
            process = start()
            while not ending.status:
                time.sleep(_LOOK_SECONDS)
                before, last = last, look()
                # changed, and at rest: an editor may be replacing the file
                if last == before != state:
                    changed = [
                        path
                        for path in last.keys() | state.keys()
                        if last.get(path) != state.get(path)
                    ]
                    names = some([os.path.relpath(path) for path in sorted(changed)], _SHOWN)
                    state = last
                    _stop(process)
                    stdio.say(f"{names} changed: starting again")
                    process = start()
                elif process is not None and process.poll() is not None and not ending.status:
                    status = ended(process.returncode)
                    if status is not None:
                        return status
                    process = None
        finally:
            _stop(process)
    return ending.status


def sources(folder: str, suffix: str = ".py") -> _State:
    """Return the states of the files below a folder whose names end in `suffix`.

    Hidden files and folders, virtual environments, build output, `site-packages` and `node_modules`
    are left out, and so are folders behind symbolic links and files that can't be read.
    """
    found: _State = {}
    for above, folders, files in os.walk(folder):
        if "pyvenv.cfg" in files:
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _SKIPPED]
        names = (name for name in files if name.endswith(suffix) and name[0] != ".")
        found |= _states(os.path.join(above, name) for name in names)
    return found


def _states(paths: Iterable[str]) -> _State:
    found: _State = {}
    for path in paths:
        with suppress(OSError):  # it may be gone by now
            status = os.stat(path)
            found[path] = status.st_mtime_ns, status.st_size, status.st_ino
    return found


def run(arguments: Sequence[str]) -> _Process:
    """Start Python with these arguments."""
    # The new session keeps a terminal's Ctrl-C away from the process.
    return subprocess.Popen(
        [sys.executable, *arguments], stdin=subprocess.DEVNULL, start_new_session=True
    )


def _stop(process: _Process | None) -> None:
    """End a process that may still be running: terminate it, and kill it if it goes on for two
    seconds.
    """
    if process is None:
        return
    try:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_SECONDS)
    finally:  # also when a second Ctrl-C ended the wait
        process.kill()
        process.wait()


class _Ending:
    """Handles the signals that ask a command to end: SIGINT, SIGTERM and SIGHUP, until the `with`
    block ends.

    The first signal only sets `status`, so that the command can stop its process and clean up. It
    raises no exception, because Python drops exceptions in some places, such as the callback of a
    weak reference. A second signal raises SystemExit, so that impatient users can end the command
    at once.

    Attributes:
        status: The command's exit status after a signal; 0 before.
    """

    def __init__(self) -> None:
        self.status = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> _Ending:
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
        if self.status:
            raise SystemExit(self.status)
        self.status = 128 + number
