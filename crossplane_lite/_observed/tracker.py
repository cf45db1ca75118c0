"""What one call of compose() does with values that don't exist yet, remembered while it runs.

`Tracker` is the lower half of the one state that a call has: what Observables and models know of it. The whole is
`crossplane_lite._call.call.Call`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any, Final, Protocol

from .. import _wire
from ..errors import UnresolvedError, WireError

if TYPE_CHECKING:
    from .observable import Observable
    from .oracle import Oracle
    from .tokens import Marker

__all__ = ["Before", "Tracker", "current", "enter", "leave", "mask"]

_current: ContextVar[Tracker | None] = ContextVar("crossplane_lite_call", default=None)
_REPR: Final = b"Observable('"
_SHORTEST_TOKEN: Final = 8  # no shorter part of one is recognised

Before = tuple["Token[Tracker | None]", "Token[list[WireError] | None]"]
"""What `leave` needs to go back to what this thread or task was in."""

# Becomes true with the first token of the process; until then no text needs to be searched for one.
_tokens_made = False

current: Final = _current.get
"""Returns the call that this thread or task is in, None outside of every call."""


def enter(call: Tracker) -> Before:
    """Make `call` the one that this thread or task is in; return what `leave` needs."""
    return _current.set(call), _wire.watch(call.faults)


def leave(call: Tracker, before: Before) -> None:
    """Close a call, and go back to what this thread or task was in."""
    _current.reset(before[0])
    _wire.unwatch(before[1])
    call.closed = True
    # Observables know their call; without these it is freed at once and not by the next garbage collection.
    call.handed_out.clear()
    call.guesses.clear()
    if call.tokens:  # their paths are still shown
        from .observable import Observable

        call.tokens = [Observable(observable.source_path) for observable in call.tokens]


def mask(text: str) -> str:
    """Return `text` as it may be logged: secret values of the call that is going on masked, tokens shown as paths."""
    call = _current.get()
    return text if call is None else call.show(text)


class Tied(Protocol):
    """What is tied into a circle until its call ends."""

    def untie(self) -> None:
        """Cut the circle."""


class Tracker:
    """What is remembered of values that don't exist yet, and of what must not be shown.

    Attributes:
        guesses: Unresolved values that were used as plain values, by path.
        handed_out: The Observables that compose() was given.
        tokens: The Observables that were turned into text, by index.
        tied: Places of models that are tied into a circle with what was read from them, or with what holds them.
            Whoever has made the call unties them at its end.
        faults: The errors in the request's bytes that have come to light.
        closed: True once the answer is made.
        oracle: Says what an unresolved value is taken for where it is used as a plain one, in a run that only looks for
            dependencies. None takes all for empty, as every real call does.

    Args:
        masker: Makes what masks the secret values of the call's request, when it is first needed.
    """

    __slots__ = (
        "_indexes",
        "_mask",
        "_marker",
        "_masked",
        "_own_secrets",
        "closed",
        "faults",
        "guesses",
        "handed_out",
        "oracle",
        "tied",
        "tokens",
    )

    def __init__(self, masker: Callable[[], Callable[[str], str]] | None = None) -> None:
        self.guesses: dict[str, Observable[Any]] = {}
        self.handed_out: list[Observable[Any]] = []
        self.tokens: list[Observable[Any]] = []
        self.tied: list[Tied] = []
        self.faults: list[WireError] = []
        self.closed = False
        self.oracle: Oracle | None = None
        self._indexes: dict[str | int, int] = {}
        self._marker: Marker | None = None
        self._mask = masker
        self._masked: Callable[[str], str] | None = None
        self._own_secrets: list[bytes] = []

    def __deepcopy__(self, memo: object) -> Tracker:
        return self  # what belongs to a call belongs to it as a copy, too

    def __reduce__(self) -> Any:
        return _ended, ()  # elsewhere no call is going on

    def token(self, observable: Observable[Any]) -> str:
        """Return the text that stands for `observable` in this call."""
        global _tokens_made
        _tokens_made = True
        marker = self._own_marker()
        # One token for one path; the results of apply() go by identity, because two functions may have one name. What
        # is in `tokens` stays alive, so its id stays its own.
        key = observable.source_path if observable.__cl_deps__ is None else id(observable)
        index = self._indexes.get(key)
        if index is None:
            index = self._indexes[key] = len(self.tokens)
            if index >= 26**5:  # what an index has room for
                raise UnresolvedError("more than 11 million texts were made from unresolved values in one call")
            self.tokens.append(observable)
        return marker.token(index)

    def _own_marker(self) -> Marker:
        if self._marker is None:
            from .tokens import Marker

            self._marker = Marker()
        return self._marker

    @property
    def searches(self) -> bool:
        """Whether a text can hold a token, so that texts have to be searched."""
        return _tokens_made or bool(self.handed_out)

    def has_token(self, data: bytes) -> bool:
        """Say whether encoded bytes hold a token, of this call or of an earlier one."""
        return (bool(self.handed_out) and _REPR in data) or self._has_marker(data)

    def _has_marker(self, data: bytes) -> bool:
        if self._marker is not None:
            return self._marker.is_in(data)
        if not _tokens_made or len(data) < _SHORTEST_TOKEN:
            return False
        from .tokens import is_left_in

        return is_left_in(data)

    def tokens_in(self, text: str) -> list[Observable[Any]]:
        """Return the Observables whose tokens are in `text`.

        Where only a part of a token is left, or the token of an earlier call, an Observable that says so.
        """
        if self.handed_out and _REPR.decode() in text:
            # The repr of one, from the repr of a list that holds it, say.
            found = [one for one in self.handed_out if repr(one) in text]
            if found:
                return found
        if not self._has_marker(text.encode(errors="replace")):
            return []
        indexes = [index for index in self._own_marker().indexes_in(text) if index < len(self.tokens)]
        if indexes:
            return [self.tokens[index] for index in indexes]
        from .observable import Observable

        if not self.tokens:
            return [Observable("(a text made from an unresolved value in an earlier call)")]
        paths = sorted({observable.source_path for observable in self.tokens})
        return [Observable(f"(a part of a text made from {', '.join(paths[:3])}{' and others' if paths[3:] else ''})")]

    def show(self, text: str) -> str:
        """Return `text` for people: tokens replaced by their paths, known secret values masked."""
        return self.masked(self.readable(text))

    def masked(self, text: str) -> str:
        """Return `text` with known secret values masked."""
        if self._masked is None:
            self._masked = self._new_masker()
        return self._masked(text)

    def readable(self, text: str) -> str:
        """Return `text` with tokens replaced by their paths, secret values as they are."""
        # What isn't valid Unicode can't be sent, and is shown escaped.
        data = text.encode(errors="backslashreplace")
        text = data.decode()
        if self._has_marker(data):
            text = self._own_marker().substitute(text, [observable.source_path for observable in self.tokens])
        return text

    def hide(self, value: bytes) -> None:
        """Mask another value from now on: one that compose() has made itself, and that no request has had yet."""
        self._own_secrets.append(value)
        self._masked = None  # made again when there is something to show

    def _request_masker(self) -> Callable[[str], str]:
        """Return what masks the secret values of the request."""
        return str if self._mask is None else self._mask()

    def _new_masker(self) -> Callable[[str], str]:
        masker = self._request_masker()
        if not self._own_secrets:
            return masker
        from .secrets import Masker

        made = masker if isinstance(masker, Masker) else Masker()
        made.add(self._own_secrets)
        return made


def _ended() -> Tracker:
    """Return a call that has ended, for what comes from another process."""
    call = Tracker()
    call.closed = True
    return call
