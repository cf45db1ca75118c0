"""The streams and exit status of a process that runs a KRM function. Only the ResourceList may reach stdout."""

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
"""The exit status after Ctrl-C, the same as that of shells."""

_CHUNK = 1 << 20


class Output:
    """The output of one run of a KRM function.

    Attributes:
        stdout: The text of the ResourceList; empty if the input can't be read. For `krm run`, the text that its flags
            ask for.
        status: The exit status. It is 0; 1 if the input can't be read, the function raises, or a result has the
            severity error; or the number from 1 to 255 that the function gives to `sys.exit`.
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
    """Write `text` to stderr, with a line break at its end. Errors, such as a closed stderr, are ignored."""
    _quietly(lambda: sys.stderr.write(text if text.endswith("\n") else text + "\n"))


def read_stdin(hint: str) -> bytes:
    """Read stdin to its end, and return the bytes.

    Args:
        hint: A message for the user, which is written to stderr first if stdin is a terminal.

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
    """A stand-in for `sys.stdout` that collects text until it is known whether stdout or stderr must get it."""

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
    """Collect everything that is printed from now on, until `release_stdout` prints it.

    A program that defines a KRM function may print before it runs the function. With PYTHONUNBUFFERED, that text would
    reach stdout before the ResourceList. `Stdout` calls `release_stdout` once prints go to stderr; at exit it is called
    in any case.
    """
    if sys.stdout is not None and not isinstance(sys.stdout, _Held):
        sys.stdout = _Held(sys.stdout)
        atexit.register(release_stdout)


def release_stdout() -> None:
    """End `hold_stdout`: set `sys.stdout` back to the stream from before, and write the collected text to it."""
    held = sys.stdout
    if isinstance(held, _Held):
        sys.stdout = held.stream
        _quietly(lambda: held.stream.write("".join(held.texts)))


class Stdout:
    """The process's stdout, to which only the function's output is written.

    As soon as an instance is made, everything else that is written to stdout goes to stderr: prints, and the output of
    C libraries and subprocesses. It stays so after the output, because threads and atexit handlers may still print.

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
        """Write all of `data` to stdout, and close it. Nothing can be written after that.

        Raises:
            OSError: `data`, or a part of it, can't be written. stdout is closed then, too.
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
        """Write a function's output to stderr and stdout, and return the exit status, as `put` does.

        Args:
            program: The process's name in messages.
            output: The output.
        """
        if output.stderr:
            complain(output.stderr)
        return self.put(program, output.stdout, output.status)

    def put(self, program: str, data: bytes, status: int) -> int:
        """Write data to stdout, close it, and return the exit status.

        In a process that the function has forked nothing is written, because the parent process writes the data.

        Args:
            program: The process's name in the message on stderr that says why the data can't be written. If the reader
                of stdout has gone, as `head` does, there is no message.
            data: The data.
            status: The exit status if the data can be written.

        Returns:
            `status`; 1 if it is 0 and the data can't be written.
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
    """Redirect a file descriptor to /dev/null, so that text that can't be written doesn't fail again.

    Python would try again at exit, and change the exit status.
    """
    _quietly(lambda: os.dup2(os.open(os.devnull, os.O_WRONLY), fd))


def _quietly(action: Callable[[], Any]) -> bool:
    """Call `action`, which fails if a stream was closed or replaced. Return whether it worked; errors are ignored."""
    try:
        action()
    except Exception:
        return False
    return True


def _wait(reading: list[int], writing: list[int]) -> None:
    import select  # rarely needed

    select.select(reading, writing, [])
