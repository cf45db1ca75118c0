"""Running other programs: with a limit of time and of output, and with nothing left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from typing import IO, Any, Final, NamedTuple

__all__ = ["Done", "TooLongError", "TooMuchError", "run"]

_LARGEST: Final = 512 << 20
_LARGEST_TOLD: Final = 1 << 16
_PART: Final = 1 << 16


class TooLongError(Exception):
    """The program didn't end in time."""


class TooMuchError(Exception):
    """The program printed more than it may; the text says how much that is."""


class Done(NamedTuple):
    """How a program has ended.

    Attributes:
        status: Its exit status, or the number of a signal, negative.
        output: Its standard output.
        told: The beginning of its standard error.
    """

    status: int
    output: bytes
    told: bytes

    @property
    def ending(self) -> str:
        """How it has ended, in words."""
        if self.status >= 0:
            return f"its exit status is {self.status}"
        try:
            return f"it was ended by the signal {signal.Signals(-self.status).name}"
        except ValueError:  # one without a name
            return f"it was ended by the signal {-self.status}"


def run(
    command: Sequence[str | os.PathLike[str]],
    *,
    timeout: float,
    given: bytes | None = None,
    folder: str | os.PathLike[str] | None = None,
) -> Done:
    """Run a program and wait for its end.

    A program that doesn't end, or that prints without an end, is killed with all that it has started.

    Args:
        command: The program and its arguments.
        timeout: How many seconds it may take.
        given: Its standard input, which is empty otherwise.
        folder: The folder in which it runs; by default the process's own.

    Raises:
        TooLongError: It took longer.
        TooMuchError: It printed more than 512 MiB.
        OSError: It can't be started.
        ValueError: An argument has a null character.
    """
    deadline = time.monotonic() + timeout
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=folder,
        start_new_session=True,  # the group in which its children are too
    )
    try:
        excess = threading.Event()
        output, told = _Output(process.stdout, excess.set), _Output(process.stderr, None)
        if given is not None:
            threading.Thread(target=_give, args=(process.stdin, given), daemon=True).start()
        for one in (output, told):
            one.join(max(deadline - time.monotonic(), 0))
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


class _Output(threading.Thread):
    """Reads the output of a program, which would stand still if nobody did.

    Args:
        pipe: Where it writes to.
        exceeded: Called where it has written too much, and then no more is read. Where it is None only the beginning is
            kept, and all is read.
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
    with contextlib.suppress(OSError), pipe or contextlib.nullcontext():  # it need not read all
        assert pipe is not None
        pipe.write(data)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program that nobody has waited for yet, so that its number is its own, and its children."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
