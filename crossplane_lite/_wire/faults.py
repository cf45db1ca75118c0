"""Records the errors that readers raise for malformed bytes of a request.

compose() may catch such an error. The caller of compose() still learns from the record that the request is malformed
and must not be answered. An error is recorded when it leaves this package, not when it is made: inside of the package,
fast readers also raise errors for bytes that a slower reader then finds valid.
"""

from __future__ import annotations

from contextvars import ContextVar, Token

from ..errors import WireError
from .scan import UNREADABLE

__all__ = ["note", "unreadable", "unwatch", "watch"]

_watched: ContextVar[list[WireError] | None] = ContextVar("crossplane_lite_faults", default=None)


def watch(faults: list[WireError]) -> Token[list[WireError] | None]:
    """From now on, append each error that this thread or task meets in malformed bytes to `faults`, until `unwatch`."""
    return _watched.set(faults)


def unwatch(before: Token[list[WireError] | None]) -> None:
    """End a `watch`. Errors are then appended to the list of the previous `watch` again, if there is one.

    Args:
        before: The token that `watch` returned.
    """
    _watched.reset(before)


def note(error: WireError) -> WireError:
    """Append an error that is about to be raised to the list given to `watch`, if there is one; return the error."""
    faults = _watched.get()
    if faults is not None:
        faults.append(error)
    return error


def unreadable(error: Exception) -> WireError:
    """Return the WireError for an error of protobuf's parser, and append it to the list of `watch`, if there is one."""
    return note(WireError(f"{UNREADABLE}: {error}"))
