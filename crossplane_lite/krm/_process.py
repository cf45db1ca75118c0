"""The process around a KRM function: its stdin, a stdout that nothing else can write to, and its exit status."""

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
    """The output of a KRM function that was run.

    Attributes:
        stdout: The ResourceList; empty if the input can't be read. For `krm run`, the text that its flags ask for.
        status: The exit status: 0; 1 if the input can't be read or a result has the severity error. If the function
            calls `sys.exit` with a number from 1 to 255, the status is that number; for any other error it is 1.
        stderr: Text for people: the results that are errors or warnings, and the traceback of an exception.
    """

    __slots__ = ("status", "stderr", "stdout")

    def __init__(self, stdout: bytes, status: int, stderr: str) -> None:
        self.stdout = stdout
        self.status = status
        self.stderr = stderr

    def __repr__(self) -> str:
        return f"Output(stdout={self.stdout!r}, status={self.status}, stderr={self.stderr!r})"


def complain(text: str) -> None:
    """Write a message to stderr; nothing happens if stderr is closed."""
    _quietly(lambda: sys.stderr.write(text if text.endswith("\n") else text + "\n"))


def read_stdin(hint: str) -> bytes:
    """Return all of stdin.

    Args:
        hint: A message that is written to stderr first if stdin is a terminal.

    Raises:
        OSError: stdin is closed or can't be read.
    """
    # If stdin was closed at the start, descriptor 0 is the first file that was opened since.
    if sys.__stdin__ is None:
        raise OSError(0, "stdin is closed")
    if os.isatty(0):
        complain(hint)
    chunks: list[bytes] = []
    while True:
        try:
            chunk = os.read(0, _CHUNK)
        except BlockingIOError:  # a parent process shares a terminal or pipe that doesn't wait
            _wait([0], [])
            continue
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)


class _Held(io.TextIOBase):
    """Printed text whose stream isn't known yet: stderr if a function runs, else stdout."""

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
    """Keep everything that is printed from now on, until `release_stdout`, or until the process has a `Stdout`.

    A program that makes a function may print before it runs the function. With PYTHONUNBUFFERED, that text would reach
    stdout before the ResourceList.
    """
    if sys.stdout is not None and not isinstance(sys.stdout, _Held):
        sys.stdout = _Held(sys.stdout)
        atexit.register(release_stdout)


def release_stdout() -> None:
    """End `hold_stdout`: make the stream from before sys.stdout again, and write the held text to it."""
    held = sys.stdout
    if isinstance(held, _Held):
        sys.stdout = held.stream
        _quietly(lambda: held.stream.write("".join(held.texts)))


class Stdout:
    """The process's stdout, for the answer alone.

    From now on, everything that this process prints goes to stderr: prints, output of C libraries and of subprocesses.
    It stays so after the answer, because threads and atexit handlers may still print then.

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
        # The module that defines the function may have printed this at its import.
        release_stdout()
        _quietly(lambda: sys.stdout.flush())

    @property
    def is_terminal(self) -> bool:
        """Whether stdout is a terminal."""
        return os.isatty(self._fd)

    def write(self, data: bytes) -> None:
        """Write all of `data`, and close stdout.

        Raises:
            OSError: `data` can't be written, or only a part of it.
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
        """Write a function's output to stdout and stderr, and return the exit status; `put` says which."""
        if output.stderr:
            complain(output.stderr)
        return self.put(program, output.stdout, output.status)

    def put(self, program: str, data: bytes, status: int) -> int:
        """Write data to stdout, and return the exit status: `status`, or 1 if it is 0 and the data can't be written.

        If the reader of stdout is still there, a message on stderr says why; `program` names the process in it.

        A process that the function has forked may call this, too. It writes nothing, because one answer is enough.
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
    """Drop text that a stream can't write: Python would try to write it again at exit, and change the exit status."""
    _quietly(lambda: os.dup2(os.open(os.devnull, os.O_WRONLY), fd))


def _quietly(action: Callable[[], Any]) -> bool:
    """Do an action that fails if a stream was closed or replaced; return whether it worked."""
    try:
        action()
    except Exception:
        return False
    return True


def _wait(reading: list[int], writing: list[int]) -> None:
    import select  # hardly ever needed

    select.select(reading, writing, [])
