"""Writes the files of a recording: a new file when one is full, and the oldest ones go when all are
too large.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable
from datetime import datetime, timezone
from pathlib import Path
from typing import Final

from ...errors import InputError
from .recording import CONTENT, HASH_DIGITS, START, SUFFIX, Event

FILE_BYTES: Final = 16 << 20
TOTAL_BYTES: Final = 256 << 20
"""How large a file, and all of a recording's files, get unless something else is said."""

_BATCH_BYTES: Final = 256 << 10
_FILE: Final = re.compile(rf"(\d+){re.escape(SUFFIX)}")


def now() -> str:
    """Return the time as events have it."""
    return datetime.now(timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")


class Writer:
    """Appends events to the files of a folder. Only one thread may use it.

    Events go to the operating system with `flush`, many at once, because each write takes time of
    its own. Flushed events aren't lost if this process crashes.

    Args:
        folder: The folder; made if it is missing.
        file_bytes: How large a file gets before the next one is begun.
        total_bytes: How large all files may be together. The oldest ones are deleted before there
            are more.

    Attributes:
        dropped: How many events couldn't be written so far.
        error: Why the last event that should have been written couldn't be, such as "No space left
            on device"; empty if it was written.

    Raises:
        InputError: The folder can't be used.
    """

    def __init__(self, folder: Path, file_bytes: int, total_bytes: int) -> None:
        self._folder = folder
        self._file_bytes = file_bytes
        self._total_bytes = total_bytes
        self._file = -1
        self._size = 0  # of the file, with what isn't flushed yet
        self._flushed = 0
        self._lines: list[bytes] = []
        self._events = 0
        # For the hash of each content that came: the hash of the masked content that this file has
        # for it.
        self._written: dict[bytes, str] = {}
        self._stored: set[str] = set()
        self._lost = 0
        self.dropped = 0
        self.error = ""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._begin()
        except OSError as e:
            raise InputError(f"can't record to {folder}: {e.strerror or e}") from None

    def write(
        self, event: Event, content: bytes = b"", prepare: Callable[[bytes], bytes] = bytes
    ) -> None:
        """Add an event, and its content if it isn't in the file yet. If that fails, it counts as
        dropped.

        Args:
            event: The event. Its field `content` is set here.
            content: The content as it came.
            prepare: Makes from it what is written: masks secret values, and returns JSON in one
                line. It runs once for contents that are equal, and raises ValueError for what can't
                be written.
        """
        try:
            if self._file < 0 or self._size >= self._file_bytes:
                self._begin()
            key = ""
            if content:
                raw = hashlib.sha256(content).digest()
                key = self._written.get(raw, "")
                if not key:
                    made = prepare(content)
                    hashed = raw if made is content else hashlib.sha256(made).digest()
                    key = hashed.hex()[:HASH_DIGITS]
                    if key not in self._stored:
                        self._add(CONTENT[0], key.encode(), CONTENT[1], made, b"}\n")
                    self._written[raw] = key
                    self._stored.add(key)
            self._add(_line_of(event._replace(content=key)))
            self._events += 1
            if self._size - self._flushed >= _BATCH_BYTES:
                self.flush()
        except OSError as e:
            self._fail(e)
        except ValueError:
            self.drop()

    def drop(self, count: int = 1) -> None:
        """Count events that aren't written. A line of the file says how many there were."""
        self._lost += count
        self.dropped += count

    def _fail(self, error: OSError, count: int = 1) -> None:
        self.error = error.strerror or str(error)
        self.drop(count)

    def flush(self) -> None:
        """Write what was added, and how many events were dropped. If that fails, the added ones are
        dropped, too.
        """
        if self._file < 0 or not (self._lines or self._lost):
            return
        told = {"dropped": self._lost, "time": now()}
        if self.error:
            told["error"] = self.error
        data = b"".join((*self._lines, json.dumps(told).encode() + b"\n" if self._lost else b""))
        self._lines.clear()
        try:
            self._append(data)
            self._lost = 0
            if self._events:  # the line alone may have had room
                self.error = ""
        except OSError as e:
            self._fail(e, self._events)
            self._forget()
        self._events = 0
        self._size = self._flushed

    def close(self) -> None:
        """Flush, and close the file."""
        if self._file >= 0:
            self.flush()
            os.close(self._file)
            self._file = -1

    def _add(self, *parts: bytes) -> None:
        self._lines += parts
        self._size += sum(map(len, parts))

    def _append(self, data: bytes) -> None:
        """Write whole lines, or nothing: what a full disk has cut off is taken back."""
        try:
            left = memoryview(data)
            while left:
                left = left[os.write(self._file, left) :]
        except OSError:
            os.ftruncate(self._file, self._flushed)
            raise
        self._flushed += len(data)

    def _forget(self) -> None:
        """Forget which contents the file has, because it is another one, or has lost some."""
        self._written.clear()
        self._stored.clear()

    def _begin(self) -> None:
        self.close()
        files = self._files()
        number = max(files, default=0) + 1
        self._make_room(files)
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        path = self._folder / f"{number:06}{SUFFIX}"
        self._file = os.open(path, flags, 0o600)
        self._flushed = 0
        self._forget()
        try:
            self._append(START)
        except OSError:
            os.close(self._file)
            self._file = -1
            path.unlink()
            raise
        self._size = self._flushed

    def _files(self) -> dict[int, Path]:
        return {
            int(match[1]): path
            for path in self._folder.iterdir()
            if (match := _FILE.fullmatch(path.name))
        }

    def _make_room(self, files: dict[int, Path]) -> None:
        """Delete the oldest files, so that a full one more is within the total limit."""
        sizes = {number: path.stat().st_size for number, path in files.items()}
        for number in sorted(sizes):
            if sum(sizes.values()) + self._file_bytes <= self._total_bytes:
                return
            files[number].unlink()
            del sizes[number]


def _line_of(event: Event) -> bytes:
    subject = event.subject._asdict()
    subject = {"apiVersion": subject.pop("api_version"), **subject}
    made = {**event._asdict(), "subject": {key: value for key, value in subject.items() if value}}
    return (
        json.dumps(
            {key: made[key] for key in made if made[key] or key not in ("content", "error")}
        ).encode()
        + b"\n"
    )
