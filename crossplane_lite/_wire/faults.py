"""A list of the errors that readers raise for malformed bytes of a request.

compose() may catch such an error; the list tells the caller of compose() that the request is malformed all the same,
and must not be answered. An error is put on the list when it leaves this package, not when it is made: inside of the
package, fast readers also raise errors for bytes that a slower reader then finds legal.
"""

from __future__ import annotations

from contextvars import ContextVar, Token

from ..errors import WireError

__all__ = ["note", "unwatch", "watch"]

_watched: ContextVar[list[WireError] | None] = ContextVar("crossplane_lite_faults", default=None)


def watch(faults: list[WireError]) -> Token[list[WireError] | None]:
    """Add every error of this thread or task to a list from now on.

    Args:
        faults: The list.

    Returns:
        The token with which `unwatch` ends this.
    """
    return _watched.set(faults)


def unwatch(before: Token[list[WireError] | None]) -> None:
    """End a `watch`: add errors to the list that was in use before it, if there was one."""
    _watched.reset(before)


def note(error: WireError) -> WireError:
    """Return an error that is about to be raised, after adding it to the list of `watch`, if there is one."""
    faults = _watched.get()
    if faults is not None:
        faults.append(error)
    return error
