"""stdout and stderr of a command: stdout is for its output alone, and stderr never fails it.

Functions run in the process, and print: when they are imported, through C libraries and subprocesses, in threads, and
at exit. So a command takes stdout away from everybody else before it imports one.
"""

from __future__ import annotations

import io
import os
import sys

from .lines import line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["flush", "give_back", "is_terminal", "leave", "repair", "say", "take", "write"]

_CHUNK = 1 << 20

# The time in which threads that a function has left may end by themselves, once all is printed.
_GRACE_SECONDS = 1.0


class _Stderr(io.FileIO):
    """stderr that can't fail: output that finds no place there is lost, and closing it has no effect.

    Nobody could be told, and the exit status and the output are worth more.
    """

    def write(self, data: Any, /) -> int:
        """Write all of `data`, if that is possible."""
        left = memoryview(data).cast("B")
        size = len(left)
        try:
            while left:
                try:
                    left = left[os.write(2, left[:_CHUNK]) :]
                except BlockingIOError:  # whoever started us shares a terminal or pipe that doesn't wait
                    _wait(2)
        except OSError:
            pass
        return size

    def close(self) -> None:
        """Do nothing."""


class _Taken:
    """stdout while it is taken.

    Attributes:
        stream: The stream that sys.stdout was.
        fd: The descriptor of the process's stdout; None where sys.stdout was something else, and was replaced alone.
        process: The process that took it.
    """

    def __init__(self) -> None:
        self.stream = sys.stdout
        self._stderr = sys.stderr
        self.process = os.getpid()
        self.fd: int | None = None
        if self.stream is not None and self.stream is sys.__stdout__:
            flush()
            try:
                self.fd = os.dup(1)
            except OSError:  # closed since
                self.stream = None
            else:
                _redirect()
        sys.stdout = sys.stderr

    def write(self, data: bytes) -> None:
        if self.fd is None:
            _write_to(self.stream, data)
            return
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self.fd, left[:_CHUNK]) :]
            except BlockingIOError:
                _wait(self.fd)

    def give_back(self) -> None:
        # Commands that run functions put a stream that masks secrets over stderr.
        sys.stdout, sys.stderr = self.stream, self._stderr
        if self.fd is not None:
            os.dup2(self.fd, 1)
            os.close(self.fd)


_taken: _Taken | None = None


def repair() -> None:
    """Give the process the descriptors that it lacks, and a stderr that can't fail.

    For a process that does nothing but one command. A file that is opened would get the number of a closed stdout
    otherwise, and output for stderr would go into it.
    """
    for fd in range(3):
        try:
            os.fstat(fd)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest number that is free
    # Windows writes to its terminals in another way.
    if sys.stderr is sys.__stderr__ and sys.platform != "win32":
        encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
        stream = io.TextIOWrapper(_Stderr(2, "wb", closefd=False), encoding, "backslashreplace", write_through=True)
        sys.stderr = stream


def take() -> None:
    """Take stdout away: from here on everything that is printed goes to stderr, also by subprocesses.

    Where sys.stdout is not the process's own, as in tests, it is replaced alone.
    """
    global _taken
    if _taken is None:
        _taken = _Taken()


def is_terminal() -> bool:
    """Say whether `write` writes to a terminal."""
    if _taken is not None and _taken.fd is not None:
        return os.isatty(_taken.fd)
    stream = sys.stdout if _taken is None else _taken.stream
    return stream is not None and bool(stream.isatty())


def write(data: bytes) -> None:
    """Write a command's output to the stdout from before `take`.

    A process that a function has forked writes nothing: one output is enough.

    Raises:
        OSError: It can't be written, or not all of it.
    """
    take()
    assert _taken is not None
    if os.getpid() != _taken.process:
        return
    try:
        _taken.write(data)
    except OSError as error:  # of the same class as it was
        raise OSError(error.errno, f"can't write to stdout: {error.strerror or error}") from None


def give_back(*, ending: bool) -> None:
    """Undo `take`.

    Args:
        ending: Whether the process ends now. Its own stdout stays taken then: threads and atexit handlers may still
            print.
    """
    global _taken
    if _taken is not None and (_taken.fd is None or not ending):
        _taken.give_back()
        _taken = None


def say(*lines: str) -> None:
    """Write messages to stderr, one line each, without what could harm a terminal."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write("".join(f"{line(one)}\n" for one in lines))
        sys.stderr.flush()
    except (OSError, ValueError):  # full, or closed by somebody
        pass


def flush() -> None:
    """Flush stdout.

    Output that can't be written is given up: Python would try once more at exit, and change the exit status.

    Raises:
        OSError: It can't be written.
    """
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except ValueError:  # closed by somebody
        pass
    except OSError:
        if sys.stdout is sys.__stdout__:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise


def leave(status: int) -> None:
    """Make the process end with an exit status, whatever threads functions have left running.

    They have a second; pools and queues end their threads by themselves then.
    """
    threading = sys.modules.get("threading")
    left = [] if threading is None else [one for one in threading.enumerate() if not one.daemon]
    if threading is None or left in ([], [threading.main_thread()]):
        return

    def end() -> None:
        import time

        threading.main_thread().join()  # its end is the beginning of the process's
        time.sleep(_GRACE_SECONDS)
        names = ", ".join(sorted(one.name for one in left if one.is_alive()))
        say(f"crossplane-lite: a function has left threads running, which are ended now: {names}")
        os._exit(status)

    threading.Thread(target=end, daemon=True).start()


def _redirect() -> None:
    """Send output to descriptor 1 where stderr goes."""
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _write_to(stream: Any, data: bytes) -> None:
    """Write to the former sys.stdout, which may be any object."""
    if stream is None:
        raise OSError(0, "it is closed")
    binary = getattr(stream, "buffer", None)
    if binary is None:  # takes text only
        stream.write(data.decode())
        return
    stream.flush()
    binary.write(data)
    binary.flush()


def _wait(fd: int) -> None:
    import select  # hardly ever needed

    select.select([], [fd], [])
