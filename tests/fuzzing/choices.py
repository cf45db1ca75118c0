"""Decisions made out of bytes, so that a fuzzer that changes bytes changes what is built."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

__all__ = ["Choices"]

T = TypeVar("T")


class Choices:
    """Reads decisions from bytes, one or a few bytes each; when they are used up, each decision is the first one.

    Args:
        data: The bytes.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        """How many bytes are left."""
        return len(self._data) - self._at

    def byte(self) -> int:
        """Return the next byte, 0 behind the end."""
        if self._at >= len(self._data):
            return 0
        self._at += 1
        return self._data[self._at - 1]

    def of(self, several: Sequence[T]) -> T:
        """Return one of several."""
        return several[self.byte() % len(several)]

    def below(self, number: int) -> int:
        """Return a number from 0 up to, and without, `number`."""
        return (self.byte() << 8 | self.byte()) % number if number > 256 else self.byte() % number

    def bytes(self, longest: int = 64) -> bytes:
        """Return some bytes."""
        size = min(self.below(longest + 1), self.left)
        self._at += size
        return self._data[self._at - size : self._at]

    def rest(self) -> bytes:
        """Return all that is left."""
        found = self._data[self._at :]
        self._at = len(self._data)
        return found

    def text(self, longest: int = 24) -> str:
        """Return a text of any characters."""
        return self.bytes(longest).decode("utf-8", errors="replace")
