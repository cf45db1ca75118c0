"""The process around a KRM function: its stdin, a stdout that nobody else gets at, and its exit status."""

from __future__ import annotations

import atexit
import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["INTERRUPTED", "Output", "Stdout", "complain", "hold_stdout", "read_stdin", "release_stdout"]

INTERRUPTED = 130
"""The exit status after Ctrl-C, as shells have it."""

_CHUNK = 1 << 20


class Output:
    """The result of a function's process.

    Attributes:
        stdout: The ResourceList; empty where the input could not be read, and only then.
        status: The exit status: 0, or 1 where the input can't be read or a result has the severity error; whatever
            `sys.exit` was called with, where the function called it.
        stderr: Text for people: errors and warnings among the results, and the traceback of an exception.
    """

    __slots__ = ("status", "stderr", "stdout")

    def __init__(self, stdout: bytes, status: int, stderr: str) -> None:
        self.stdout = stdout
        self.status = status
        self.stderr = stderr

    def __repr__(self) -> str:
        return f"Output(stdout={self.stdout!r}, status={self.status}, stderr={self.stderr!r})"


def complain(text: str) -> None:
    """Write a message to stderr, where there is one."""
    _quietly(lambda: sys.stderr.write(text if text.endswith("\n") else text + "\n"))


def read_stdin(hint: str) -> bytes:
    """Return all of stdin.

    Args:
        hint: What to say to somebody who sits at a terminal.

    Raises:
        OSError: It is closed or can't be read.
    """
    # The file that was opened first has the number of a stdin that was closed.
    if sys.__stdin__ is None:
        raise OSError(0, "stdin is closed")
    if os.isatty(0):
        complain(hint)
    chunks: list[bytes] = []
    while True:
        try:
            chunk = os.read(0, _CHUNK)
        except BlockingIOError:  # whoever started us shares a terminal or pipe that doesn't wait
            _wait([0], [])
            continue
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)


class _Held(io.TextIOBase):
    """Output that is printed before its stream is known: stderr where a function runs, else stdout."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.texts: list[str] = []

    def write(self, text: str) -> int:
        self.texts.append(text)
        return len(text)

    def flush(self) -> None:
        pass

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return bool(self.stream.isatty())

    def fileno(self) -> int:
        return int(self.stream.fileno())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def hold_stdout() -> None:
    """Keep everything that is printed from here on until `release_stdout`, or until the process has a `Stdout`.

    For a program that makes a function and prints before it runs it: with PYTHONUNBUFFERED that would be out already.
    """
    if sys.stdout is not None and not isinstance(sys.stdout, _Held):
        sys.stdout = _Held(sys.stdout)
        atexit.register(release_stdout)


def release_stdout() -> None:
    """Print the text that was held, to the stream that print uses by now."""
    held = sys.stdout
    if isinstance(held, _Held):
        sys.stdout = held.stream
        _quietly(lambda: held.stream.write("".join(held.texts)))


class Stdout:
    """The process's stdout, taken away from everybody else.

    From here on everything that this process and those it starts print goes to stderr: print, output of C libraries,
    subprocesses. It stays so after the answer, for threads and atexit handlers may still print then.

    Raises:
        OSError: stdout is closed.
    """

    def __init__(self) -> None:
        if sys.__stdout__ is None:
            raise OSError(0, "stdout is closed")
        self._fd = os.dup(1)
        self._process = os.getpid()
        if sys.__stderr__ is None:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        else:
            os.dup2(2, 1)
        # Text that was printed and not written yet, as the module that defines the function was imported.
        release_stdout()
        _quietly(lambda: sys.stdout.flush())

    @property
    def is_terminal(self) -> bool:
        """Whether a person sees it."""
        return os.isatty(self._fd)

    def write(self, data: bytes) -> None:
        """Write all of `data`, and close it.

        Raises:
            OSError: It can't be written, or not all of it.
        """
        _quietly(lambda: sys.stdout.flush())
        left = memoryview(data)
        try:
            while left:
                try:
                    left = left[os.write(self._fd, left[:_CHUNK]) :]
                except BlockingIOError:
                    _wait([], [self._fd])
        finally:
            os.close(self._fd)

    def finish(self, program: str, output: Output) -> int:
        """Write a function's output to where it belongs, and return the exit status."""
        if output.stderr:
            complain(output.stderr)
        return self.put(program, output.stdout, output.status)

    def put(self, program: str, data: bytes, status: int) -> int:
        """Write data, and return the exit status: `status`, or 1 where it can't be written.

        A process that the function has forked, and that comes to its end too, writes nothing: one answer is enough.
        """
        if os.getpid() != self._process:
            return status
        try:
            self.write(data)
        except BrokenPipeError:  # the reader went away, as `head` does
            status = status or 1
        except OSError as error:
            complain(f"{program}: can't write to stdout: {error.strerror or error}")
            status = status or 1
        if not _quietly(lambda: sys.stderr.flush()):
            _drop(2)
        if not _quietly(lambda: sys.stdout.flush()):
            _drop(1)
        return status


def _drop(fd: int) -> None:
    """Drop text that can't be written; Python would try once more at exit, and change the exit status."""
    _quietly(lambda: os.dup2(os.open(os.devnull, os.O_WRONLY), fd))


def _quietly(action: Callable[[], Any]) -> bool:
    """Do an action that fails if somebody closed or replaced a stream; say whether it worked."""
    try:
        action()
    except Exception:
        return False
    return True


def _wait(reading: list[int], writing: list[int]) -> None:
    import select  # hardly ever needed

    select.select(reading, writing, [])
