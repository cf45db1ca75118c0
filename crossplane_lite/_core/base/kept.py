"""A cache of values that take long to make: those that were used last are kept."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Kept(Generic[T]):
    """A cache that any thread may use.

    Args:
        most: How many values are kept.
        gone: Called with the key of each value that is dropped.
    """

    def __init__(self, most: int, gone: Callable[[Any], object] = id) -> None:
        self._most = most
        self._gone = gone
        self._values: OrderedDict[Any, T] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Any, make: Callable[[], T]) -> T:
        """Return the value of a key. `make` makes it if it isn't kept; all callers get the same
        one.
        """
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        made = make()
        with self._lock:
            made = self._values.setdefault(key, made)
            while len(self._values) > self._most:
                self._gone(self._values.popitem(last=False)[0])
        return made

    def __len__(self) -> int:
        return len(self._values)
