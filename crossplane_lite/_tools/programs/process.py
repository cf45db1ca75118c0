"""Runs other programs with limits on time and output. A program that exceeds a limit is killed,
with its children.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from typing import IO, Any, Final, NamedTuple

from ..._core.base.terminal import going_on

_LARGEST: Final = 512 << 20
_LARGEST_TOLD: Final = 1 << 16
_PART: Final = 1 << 16
_A_MOMENT: Final = 0.5  # the seconds between two looks at the clock while a program runs


class TooLongError(Exception):
    """A program ran longer than its time limit, and was killed."""


class TooMuchError(Exception):
    """A program printed more than its limit, and was killed. The error's text is the limit:
    `512 MiB`.
    """


class Done(NamedTuple):
    """The result of a program that has ended.

    Attributes:
        status: The exit status; -N if signal N has ended the program.
        output: All that the program wrote to standard output.
        told: The first 64 KiB that the program wrote to standard error.
    """

    status: int
    output: bytes
    told: bytes

    @property
    def ending(self) -> str:
        """The program's end in words, such as `its exit status is 1` or
        `it was ended by the signal SIGKILL`.
        """
        if self.status >= 0:
            return f"its exit status is {self.status}"
        try:
            return f"it was ended by the signal {signal.Signals(-self.status).name}"
        except ValueError:  # the signal has no name
            return f"it was ended by the signal {-self.status}"


def run(
    command: Sequence[str | os.PathLike[str]],
    *,
    timeout: float,
    given: bytes | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Done:
    """Run a program, wait for its end, and return its exit status and output.

    A program that takes too long or prints too much is killed, together with the processes that it
    has started.

    Args:
        command: The program and its arguments.
        timeout: The most seconds that the program may take.
        given: The bytes for the program's standard input; None for an empty input.
        folder: The folder in which the program runs; None for the current folder.

    Raises:
        TooLongError: After `timeout` seconds the program still ran, or a process that it had
            started still held its stdout or stderr open.
        TooMuchError: The program printed more than 512 MiB on its standard output.
        OSError: The program can't be started; FileNotFoundError if there is no such program or
            folder.
        ValueError: An argument has a null character.
    """
    deadline = time.monotonic() + timeout
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        # a process group of its own, so that the program's children can be killed too
        start_new_session=True,
    )
    try:
        excess = threading.Event()
        output, told = _Output(process.stdout, excess.set), _Output(process.stderr, None)
        if given is not None:
            threading.Thread(target=_give, args=(process.stdin, given), daemon=True).start()
        for one in (output, told):
            while one.is_alive() and (left := deadline - time.monotonic()) > 0:
                one.join(min(left, _A_MOMENT))
                going_on()
            if excess.is_set():
                raise TooMuchError(f"{_LARGEST >> 20} MiB")
            if one.is_alive():
                raise TooLongError
        status = process.wait(max(deadline - time.monotonic(), 0))
    except subprocess.TimeoutExpired:
        raise TooLongError from None
    finally:
        if process.returncode is None:
            _kill(process)
    return Done(status, bytes(output.data), bytes(told.data))


def patiently(
    command: Sequence[str], *, env: Mapping[str, str], folder: str | os.PathLike[str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, and say meanwhile that the current step goes on.

    Args:
        command: The program and its arguments.
        env: The environment variables of the program.
        folder: The folder in which the program runs; None for the current folder.

    Returns:
        The exit status, and what the program has written, as text.
    """
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        env=env,
        text=True,
    ) as process:
        try:
            while True:
                try:
                    output, told = process.communicate(timeout=_A_MOMENT)
                    return subprocess.CompletedProcess(command, process.returncode, output, told)
                except subprocess.TimeoutExpired:
                    going_on()
        except BaseException:
            process.kill()
            raise


class _Output(threading.Thread):
    """A thread that reads a program's output while it runs: a program blocks when the pipe that it
    writes to is full.

    Args:
        pipe: The pipe that the program writes to.
        exceeded: Called if the program writes more than 512 MiB; reading stops then. If it is None,
            there is no such limit: all output is read, but only the first 64 KiB are kept.
    """

    def __init__(self, pipe: IO[bytes] | None, exceeded: Any) -> None:
        super().__init__(daemon=True)
        self.data = bytearray()
        self._pipe: Any = pipe
        self._exceeded = exceeded
        self.start()

    def run(self) -> None:
        with self._pipe:
            while part := self._pipe.read1(_PART):
                if self._exceeded is None:
                    self.data += part[: max(_LARGEST_TOLD - len(self.data), 0)]
                elif len(self.data) + len(part) > _LARGEST:
                    self._exceeded()
                    return
                else:
                    self.data += part


def _give(pipe: IO[bytes] | None, data: bytes) -> None:
    # the program need not read all
    with contextlib.suppress(OSError), pipe or contextlib.nullcontext():
        assert pipe is not None
        pipe.write(data)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and its children, and wait for the program's end.

    Don't call this for a program that was waited for: its PID may belong to another process by
    then.
    """
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
