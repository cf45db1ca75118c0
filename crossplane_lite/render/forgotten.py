"""Warnings about resources that compose() makes but doesn't register, so that they would be lost without a message.

While a preview such as `render` runs a function, it notes each resource object that the code makes, with the line. If
such an object is neither registered nor part of another object when compose() ends, the author forgot it, or it wasn't
needed. The model classes that compose() uses for the composite are noted, too, for other warnings; and so is the
composite itself, for the check of its status.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator
from typing import Any, Final, TypeVar

from .._base.type_names import type_in_words
from .._models.node import LOOSE
from .._models.resource import Resource
from .._models.walker import tree_of
from ..context import Context
from ..errors import CrossplaneLiteError

__all__ = ["Noted", "noting"]

_PACKAGE: Final = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")

_lock: Final = threading.Lock()
_running = 0
_local: Final = threading.local()
_plain_init: Final = Resource.__init__
_plain_composite: Final = Context.composite

R = TypeVar("R", bound=Resource)


class Noted:
    """The notes on one call of compose().

    Attributes:
        made: The resource objects that the code made, each with the line that made it, such as `function.py:31`.
        models: The model classes that compose() uses for the composite, each once.
        composite: The composite and its context; None if compose() doesn't use it.
    """

    def __init__(self) -> None:
        self.models: list[type[Resource]] = []
        self.composite: tuple[Resource, Context] | None = None
        self.made: list[tuple[Resource, str]] = []

    def forgotten(self) -> list[str]:
        """Return a message for each resource that was made, but is neither registered nor part of another object."""
        return [
            f"{place}: {type_in_words(one)} is made and never registered, so it isn't composed; hand it to "
            "ctx.resource(name, ...)"
            for one, place in self.made
            if _is_loose(one)
        ]

    def unresolved(self) -> list[list[str | int]]:
        """Return the paths of the composite's fields that compose() sets to values that don't exist yet.

        For a key that doesn't exist yet, it is the path of the object that gets the key.
        """
        if self.composite is None:
            return []
        model, context = self.composite
        try:
            return [one.steps[:-1] if one.is_key else one.steps for one in tree_of(model, context._call).found]
        except CrossplaneLiteError:  # the answer has a fatal result for such a value
            return []


@contextlib.contextmanager
def noting() -> Iterator[Noted]:
    """Record the resource objects that this thread makes in the block, and the model classes of the composite.

    Meanwhile, `Resource.__init__` and `Context.composite` are replaced for all threads, but only this thread is
    recorded. If such blocks are nested, only the inner block records.
    """
    global _running
    noted = Noted()
    before = getattr(_local, "noted", None)
    _local.noted = noted
    with _lock:
        _running += 1
        Resource.__init__ = _init  # type: ignore[method-assign]
        Context.composite = _composite  # type: ignore[method-assign]
    try:
        yield noted
    finally:
        _local.noted = before
        with _lock:
            _running -= 1
            if not _running:
                Resource.__init__ = _plain_init  # type: ignore[method-assign]
                Context.composite = _plain_composite  # type: ignore[method-assign]


def _init(self: Resource, /, **fields: Any) -> None:
    _plain_init(self, **fields)
    noted = getattr(_local, "noted", None)
    if noted is None:
        return
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        if frame.f_back is None:
            return
        frame = frame.f_back
    noted.made.append((self, f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"))


def _composite(self: Context, model: type[R]) -> R:
    made = _plain_composite(self, model)
    noted = getattr(_local, "noted", None)
    if noted is not None:
        noted.composite = noted.composite or (made, self)  # later runs only look what depends on missing values
        if model not in noted.models:
            noted.models.append(model)
    return made


def _is_loose(resource: Resource) -> bool:
    """Return whether a resource is neither registered with a call nor part of another object."""
    if resource._state is not None:
        return False
    return resource._node is None or resource._node.state == LOOSE
