"""Receives events of Crossplane's pipeline inspector, and hands them to the thread that writes
them.
"""

from __future__ import annotations

import argparse
import fnmatch
import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from google.protobuf.message import DecodeError

from .inspector import EMIT_REQUEST, EMIT_RESPONSE, event_of
from .masking import prepared
from .recording import Subject
from .writing import Writer, now

_log = logging.getLogger(__name__)

_WAIT_SECONDS: Final = 0.2
QUEUE_BYTES: Final = 8 << 20
"""How many bytes of events may wait to be written. Further ones are dropped: the pipeline never
waits for a disk.
"""

Job = Callable[[Writer], None]
"""Writes one event."""


class Choice:
    """Chooses the events to record.

    Args:
        subjects: Patterns of composites and Operations as in a shell: `XNetwork/team/*`,
            `team/example` or `exam*`. Empty for all.
        functions: Patterns of the functions' names; empty for all.
    """

    def __init__(self, subjects: Sequence[str] = (), functions: Sequence[str] = ()) -> None:
        self._subjects, self._functions = subjects, functions

    def takes(self, subject: Subject, function: str) -> bool:
        """Return whether calls of a function for a composite or Operation are recorded."""
        names = (subject.name, subject.place, f"{subject.kind}/{subject.place}")
        return (
            not self._functions
            or any(fnmatch.fnmatchcase(function, one) for one in self._functions)
        ) and (
            not self._subjects
            or any(fnmatch.fnmatchcase(name, one) for one in self._subjects for name in names)
        )


def add_xr(made: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add the flag whose values are the first argument of `Choice`."""
    made.add_argument(
        "--xr",
        metavar="PATTERN",
        action="append",
        help=(
            "only these composites and Operations: a name, namespace/name or kind/namespace/name,"
            " with * and ? as in a shell; can be given several times"
        ),
    )


class Queue:
    """Events that wait for the thread that writes them. They are written in order.

    Args:
        writer: Writes the events. Only the thread of `run` uses it.
        most_bytes: How many bytes may wait.
    """

    def __init__(self, writer: Writer, most_bytes: int = QUEUE_BYTES) -> None:
        self._writer = writer
        self._most = most_bytes
        self._waiting: deque[tuple[int, Job]] = deque()
        self._lock = threading.Lock()
        self._bytes = 0
        self._dropped = 0
        self._told = 0
        self._error = ""
        self._ended = False
        self._wake = threading.Event()
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        # glibc keeps as much memory as the largest block that was freed had. Otherwise each batch
        # would give its pages back to the system, and the next one would take them again.
        bytes(most_bytes)

    def start(self) -> None:
        """Write what comes from now on, in a thread."""
        self._thread.start()

    def put(self, size: int, job: Job) -> None:
        """Add an event of `size` bytes. It is dropped and counted if too many bytes wait."""
        with self._lock:
            if self._bytes + size > self._most and self._waiting:
                self._dropped += 1
                return
            self._bytes += size
            self._waiting.append((size, job))
            if self._bytes > self._most // 2:
                self._wake.set()

    def close(self) -> None:
        """Write what waits, and close the files."""
        self._ended = True
        self._wake.set()
        self._thread.join()
        self._writer.close()

    def _run(self) -> None:
        # A pause between batches instead of a wake-up for each event: it costs less, and disturbs
        # no answer.
        while not self._ended:
            self._wake.wait(_WAIT_SECONDS)
            self._wake.clear()
            self._write()
        self._write()

    def _write(self) -> None:
        while self._waiting:
            with self._lock:
                size, job = self._waiting.popleft()
                self._bytes -= size
                dropped, self._dropped = self._dropped, 0
            if dropped:
                self._writer.drop(dropped)
            try:
                job(self._writer)
            except (DecodeError, ArithmeticError, ValueError):
                self._writer.drop()
            except Exception:  # a bug must not end the recording
                _log.exception("an event can't be recorded")
                self._writer.drop()
        self._writer.flush()
        self._tell()

    def _tell(self) -> None:
        """Log how many events were dropped. While nothing can be written, only the reason is
        logged, and once.
        """
        error, dropped = self._writer.error, self._writer.dropped
        if error and error != self._error:
            _log.error(
                "events are dropped, because the recording can't be written", extra={"error": error}
            )
        elif not error and dropped > self._told:
            _log.warning("events were dropped", extra={"dropped": dropped - self._told})
            self._told = dropped
        self._error = error


def receive(queue: Queue, choice: Choice) -> Callable[[str], Callable[[bytes], bytes] | None]:
    """Return the function that answers the methods of the inspector's service by their paths: at
    once, with nothing.
    """

    def method(path: str) -> Callable[[bytes], bytes] | None:
        if path not in (EMIT_REQUEST, EMIT_RESPONSE):
            return None

        def write(message: bytes, time: str, writer: Writer) -> None:
            event, content = event_of(path, message, time)
            if choice.takes(event.subject, event.function):
                writer.write(event, content, prepared)

        def answer(message: bytes) -> bytes:
            time = now()
            queue.put(len(message), lambda writer: write(message, time, writer))
            return b""

        return answer

    return method
