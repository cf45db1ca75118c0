"""stdout and stderr of a command: stdout gets nothing but the command's output, and a broken stderr
stops no command.

A command runs the user's function in its own process, and the function may print: on import, in
threads, at exit, through C libraries and subprocesses. So the command calls `take` before it
imports the function. From then on only `write` reaches stdout; everything else that is printed goes
to stderr.
"""

from __future__ import annotations

import atexit
import io
import os
import sys

from .texts import line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CHUNK = 1 << 20

# How long a command waits at its end for threads that a function has left running.
_GRACE_SECONDS = 1.0


class _Stderr(io.FileIO):
    """A stderr that can't fail: output that can't be written is dropped, and `close` has no effect.

    A failure of stderr couldn't be reported anywhere, and must not change the command's output and
    exit status.

    Attributes:
        before_next: Bytes that are written before the next text, once. They clear the status line,
            so that a function's log line doesn't begin in the middle of a row of the terminal.
    """

    before_next = b""

    def write(self, data: Any, /) -> int:
        """Write `data`, and drop the part that can't be written. Return the size of all of `data`
        in any case.
        """
        size = memoryview(data).nbytes
        before, self.before_next = self.before_next, b""
        try:
            _write_all(2, before + bytes(data) if before else data)
        except OSError:
            pass
        return size

    def close(self) -> None:
        """Do nothing: the stream stays open until the process ends."""


class _Held(io.StringIO):
    """A stand-in for `sys.stdout` that collects text until it is known whether stdout or stderr
    must get it.
    """

    def __init__(self, stream: Any) -> None:
        super().__init__()
        self.stream = stream

    def isatty(self) -> bool:
        return bool(self.stream.isatty())

    def fileno(self) -> int:
        return int(self.stream.fileno())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


class _Taken:
    """The stdout that the process had before `take`; kept until `give_back`.

    Attributes:
        stream: The sys.stdout before `take`; None if it was closed.
        fd: A file descriptor of the stdout before `take`. None if sys.stdout wasn't the process's
            own stream, as in tests, or if it was closed.
        process: The PID of the process that called `take`. A fork of it has another PID.
    """

    def __init__(self, *, is_ours: bool) -> None:
        held = sys.stdout
        self.stream = held.stream if isinstance(held, _Held) else held
        self._stderr = sys.stderr
        self.process = os.getpid()
        self.fd: int | None = None
        if self.stream is not None and self.stream is sys.__stdout__:
            if is_ours:
                flush()
            try:
                self.fd = os.dup(1)
            except OSError:  # descriptor 1 was closed
                self.stream = None
            else:
                _redirect()
                if not is_ours and self.stream is not None:
                    self.stream.flush()
        sys.stdout = sys.stderr
        if isinstance(held, _Held):
            say(*held.getvalue().splitlines())

    def write(self, data: bytes) -> None:
        if self.fd is not None:
            _write_all(self.fd, data)
        elif self.stream is None:
            raise OSError(0, "it is closed")
        elif not hasattr(self.stream, "buffer"):  # takes text only
            self.stream.write(data.decode())
        else:
            self.stream.flush()
            self.stream.buffer.write(data)
            self.stream.buffer.flush()

    def give_back(self) -> None:
        # sys.stderr too: commands that run functions replace it by a stream that masks secrets.
        _replaced.extend((sys.stdout, sys.stderr))
        sys.stdout, sys.stderr = self.stream, self._stderr
        if self.fd is not None:
            os.dup2(self.fd, 1)
            os.close(self.fd)


_taken: _Taken | None = None
# The streams of commands that have ended. A thread may still be in print(), which in CPython holds
# no reference of its own to sys.stdout: it would write into memory that is free.
_replaced: list[Any] = []


def repair() -> None:
    """Open the null device for each of stdin, stdout and stderr that is closed, and give sys.stderr
    a safe stream.

    Otherwise the next file that is opened would get the file descriptor of a closed stderr, and
    messages would be written into that file. Writing to the safe stream (`_Stderr`) never fails. On
    Windows, sys.stderr stays as it is, and so does a sys.stderr that was replaced. Call this only
    in a process that ends with its command.
    """
    for fd in range(3):
        try:
            os.fstat(fd)
        except OSError:
            # open() takes the lowest number that is free
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    # On Windows, Python writes to terminals in another way than `_Stderr` does.
    if sys.stderr is sys.__stderr__ and sys.platform != "win32":
        encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
        stream = io.TextIOWrapper(
            _Stderr(2, "wb", closefd=False), encoding, "backslashreplace", write_through=True
        )
        sys.stderr = stream


def before_next(text: bytes) -> bytes | None:
    """Make stderr write `text` once, directly before the next text.

    A text from an earlier call that hasn't been written yet is replaced.

    Args:
        text: The text; empty for none.

    Returns:
        The text that hasn't been written yet, empty if there is none. None if sys.stderr isn't the
        stream of `repair`, in which case this function does nothing.
    """
    stream = getattr(sys.stderr, "buffer", None)
    if not isinstance(stream, _Stderr):
        return None
    waiting, stream.before_next = stream.before_next, text
    return waiting


def hold() -> None:
    """Collect everything that is printed from now on, until `take` or `release` prints it; at exit
    it is in any case.

    A program that defines a KRM function may print before it runs the function. With
    PYTHONUNBUFFERED, that text would reach stdout before the function's output.
    """
    if sys.stdout is not None and not isinstance(sys.stdout, _Held):
        sys.stdout = _Held(sys.stdout)
        atexit.register(release)


def release() -> None:
    """End `hold`: set sys.stdout back to the stream from before, and write the collected text to
    it.
    """
    held = sys.stdout
    if isinstance(held, _Held):
        _replaced.append(held)
        sys.stdout = held.stream
        try:
            held.stream.write(held.getvalue())
        except (OSError, ValueError):  # the program has closed the stream
            pass


def read(hint: str) -> bytes:
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
        say(hint)
    chunks: list[bytes] = []
    while True:
        try:
            chunk = os.read(0, _CHUNK)
        except BlockingIOError:  # a parent process shares a terminal or pipe that doesn't wait
            _wait(0, reading=True)
            continue
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)


def take(*, is_ours: bool = True) -> None:
    """Reserve stdout for `write`: from now on, everything else that is printed goes to stderr.

    This is also true for subprocesses and C libraries, because file descriptor 1 is redirected. If
    sys.stdout isn't the process's own stream, as in tests, only sys.stdout is replaced. A second
    call before `give_back` has no effect.

    Args:
        is_ours: Whether what was printed before is the command's output. Otherwise what Python
            still has of it in the buffer goes to stderr, too.
    """
    global _taken
    if _taken is None:
        _taken = _Taken(is_ours=is_ours)


def is_terminal() -> bool:
    """Return whether `write` writes to a terminal."""
    if _taken is not None and _taken.fd is not None:
        return os.isatty(_taken.fd)
    stream = sys.stdout if _taken is None else _taken.stream
    return stream is not None and bool(stream.isatty())


def write(data: bytes) -> None:
    """Write a command's output to the stdout that the process had before `take`. Call `take` if it
    wasn't called.

    In a process that the user's function has forked, nothing is written, so that the output doesn't
    appear twice.

    Raises:
        OSError: stdout is closed, or the output or a part of it can't be written.
    """
    take()
    assert _taken is not None
    if os.getpid() != _taken.process:
        return
    try:
        _taken.write(data)
    except OSError as error:
        # OSError() picks the same subclass by the number, such as BrokenPipeError
        raise OSError(error.errno, f"can't write to stdout: {error.strerror or error}") from None


def give_back(*, ending: bool) -> None:
    """Undo `take`. Do nothing if `take` wasn't called.

    Args:
        ending: Whether the process ends now. In this case file descriptor 1 stays redirected to
            stderr, because threads and atexit handlers may still print.
    """
    global _taken
    if _taken is not None and (_taken.fd is None or not ending):
        _taken.give_back()
        _taken = None


def say(*lines: str) -> None:
    """Write messages to stderr, each on one line. `texts.line` shortens and escapes them.

    The messages are dropped if stderr is closed or can't be written.
    """
    if sys.stderr is None:
        return
    try:
        sys.stderr.write("".join(f"{line(one)}\n" for one in lines))
        sys.stderr.flush()
    except (OSError, ValueError):  # the disk is full, or the function has closed the stream
        pass


def flush() -> None:
    """Flush sys.stdout; do nothing if it is closed.

    Output that can't be written is dropped after the error. Otherwise Python would try to write it
    again at exit, and change the exit status.

    Raises:
        OSError: The output can't be written.
    """
    if sys.stdout is None:
        return
    try:
        sys.stdout.flush()
    except ValueError:  # the function has closed the stream
        pass
    except OSError:
        if sys.stdout is sys.__stdout__:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        raise


def leave(status: int) -> None:
    """Make sure that the process ends soon after its main thread, even if the user's function has
    left threads running.

    Returns at once. Threads of thread pools end by themselves when the main thread ends. If other
    threads still run one second later, a message on stderr has their names, and the process is
    ended.

    Args:
        status: The exit status if the process must be ended.
    """
    threading = sys.modules.get("threading")
    left = [] if threading is None else [one for one in threading.enumerate() if not one.daemon]
    if threading is None or left in ([], [threading.main_thread()]):
        return

    def end() -> None:
        import time

        threading.main_thread().join()  # the process begins to end when its main thread ends
        time.sleep(_GRACE_SECONDS)
        names = ", ".join(sorted(one.name for one in left if one.is_alive()))
        say(
            f"crossplane-lite: a function has left threads running, which are ended now: {names}; "
            "join them in the function, or make them daemon threads"
        )
        os._exit(status)

    threading.Thread(target=end, daemon=True).start()


def _redirect() -> None:
    """Redirect file descriptor 1 (stdout) to stderr, or to the null device if stderr is closed."""
    try:
        os.dup2(2, 1)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _write_all(fd: int, data: Any) -> None:
    left = memoryview(data).cast("B")
    while left:
        try:
            left = left[os.write(fd, left[:_CHUNK]) :]
        except BlockingIOError:  # another process made the shared terminal or pipe non-blocking
            _wait(fd)


def _wait(fd: int, *, reading: bool = False) -> None:
    import select  # hardly ever needed

    select.select([fd] if reading else [], [] if reading else [fd], [])
