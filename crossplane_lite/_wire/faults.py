"""Malformed bytes that come to light while somebody reads, noted for the answer to the request.

compose() may catch the error that it meets; a request that is known to be malformed is not answered all the same.
Errors are noted where a function of this room is left with one, and not where they are made: the short ways of reading
meet errors too, in bytes that turn out to be legal.
"""

from __future__ import annotations

from contextvars import ContextVar, Token

from ..errors import WireError

__all__ = ["note", "unwatch", "watch"]

_watched: ContextVar[list[WireError] | None] = ContextVar("crossplane_lite_faults", default=None)


def watch(faults: list[WireError]) -> Token[list[WireError] | None]:
    """Have every error of this thread or task noted in a list, until `unwatch` gets the result of this."""
    return _watched.set(faults)


def unwatch(before: Token[list[WireError] | None]) -> None:
    """Go back to the list that `watch` has replaced."""
    _watched.reset(before)


def note(error: WireError) -> WireError:
    """Note an error that is about to be raised, and return it."""
    faults = _watched.get()
    if faults is not None:
        faults.append(error)
    return error
