"""What is remembered while one call of compose() runs: guesses, tokens, handed-out Observables, secrets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any, Final

from . import _wire
from ._conditions import condition_of
from ._sentinels import UNSET
from .errors import UnresolvedError, WireError

if TYPE_CHECKING:
    from ._rehearsal import Oracle
    from ._tokens import Marker
    from .observable import Observable

__all__ = ["Call", "Computed", "Root", "current", "enter", "leave", "mask"]

_current: ContextVar[Call | None] = ContextVar("crossplane_lite_call", default=None)

_REPR: Final = b"Observable('"

# Becomes true with the first token of the process; until then no text needs to be searched for one.
_tokens_made = False


def current() -> Call | None:
    """Return the call that this thread or task is in."""
    return _current.get()


def enter(call: Call) -> Token[Call | None]:
    """Make `call` the one that this thread or task is in; return what `leave` needs."""
    return _current.set(call)


def leave(call: Call, before: Token[Call | None]) -> None:
    """Close a call, and go back to what this thread or task was in."""
    _current.reset(before)
    call.closed = True
    # Observables know their call; without these it is freed at once and not by the next garbage collection.
    call.handed_out.clear()
    call.guesses.clear()


def mask(text: str) -> str:
    """Return `text` as it may be logged: secret values of the call that is going on masked, tokens shown as paths."""
    call = _current.get()
    return text if call is None else call.show(text)


class Call:
    """The state of one call.

    Attributes:
        guesses: Unresolved values that were used as plain values, by path.
        handed_out: The Observables that compose() was given.
        tokens: The Observables that were turned into text, by index.
        closed: True once the answer is made.
        oracle: Says what an unresolved value is taken for where it is used as a plain one, in a run that only looks for
            dependencies. None takes all for empty, as every real call does.
        malformed: The first error in the request's bytes that came to light.
    """

    __slots__ = (
        "_indexes",
        "_mask",
        "_marker",
        "_masked",
        "closed",
        "guesses",
        "handed_out",
        "malformed",
        "oracle",
        "tokens",
    )

    def __init__(self, masker: Callable[[], Callable[[str], str]] | None = None) -> None:
        self.guesses: dict[str, Observable[Any]] = {}
        self.handed_out: list[Observable[Any]] = []
        self.tokens: list[Observable[Any]] = []
        self.closed = False
        self.oracle: Oracle | None = None
        self.malformed: Exception | None = None
        self._indexes: dict[str | int, int] = {}
        self._marker: Marker | None = None
        self._mask = masker
        self._masked: Callable[[str], str] | None = None

    def token(self, observable: Observable[Any]) -> str:
        """Return the text that stands for `observable` in this call."""
        global _tokens_made
        _tokens_made = True
        marker = self.marker
        assert marker is not None
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

    @property
    def marker(self) -> Marker | None:
        """The marker to search for, or None where no token can be anywhere."""
        if self._marker is None and _tokens_made:
            from ._tokens import Marker

            self._marker = Marker()
        return self._marker

    def has_token(self, data: bytes) -> bool:
        """Say whether encoded bytes hold a token, of this call or of an earlier one."""
        if self.handed_out and _REPR in data:
            return True
        marker = self.marker
        return marker is not None and marker.is_in(data)

    def tokens_in(self, text: str) -> list[Observable[Any]]:
        """Return the Observables whose tokens are in `text`.

        Where only a part of a token is left, or the token of an earlier call, an Observable that says so.
        """
        if self.handed_out and _REPR.decode() in text:
            # The repr of one, from the repr of a list that holds it, say.
            found = [one for one in self.handed_out if repr(one) in text]
            if found:
                return found
        marker = self.marker
        if marker is None or not marker.is_in(text.encode(errors="replace")):
            return []
        indexes = [index for index in marker.indexes_in(text) if index < len(self.tokens)]
        if indexes:
            return [self.tokens[index] for index in indexes]
        from .observable import Observable

        if not self.tokens:
            return [Observable("(a text made from an unresolved value in an earlier call)")]
        paths = sorted({observable.source_path for observable in self.tokens})
        return [Observable(f"(a part of a text made from {', '.join(paths[:3])}{' and others' if paths[3:] else ''})")]

    def show(self, text: str) -> str:
        """Return `text` for people: tokens replaced by their paths, known secret values masked."""
        text = self.readable(text)
        if self._masked is None:
            self._masked = self._mask() if self._mask is not None else str
        return self._masked(text)

    def readable(self, text: str) -> str:
        """Return `text` with tokens replaced by their paths, secret values as they are."""
        marker = self.marker
        # What isn't valid Unicode can't be sent, and is shown escaped.
        text = text.encode(errors="backslashreplace").decode()
        if marker is not None and marker.is_in(text.encode()):
            text = marker.substitute(text, [observable.source_path for observable in self.tokens])
        return text


def _note(error: WireError) -> None:
    """Note for the call that is going on that its request is malformed."""
    call = _current.get()
    if call is not None and call.malformed is None:
        call.malformed = error


WireError.noted = staticmethod(_note)


class Root:
    """The top of one observed object: the composite, a composed resource or a required one.

    Attributes:
        call: The call it is read in.
        kind: `xr`, `resource` or `required`; `computed` for `Computed`.
        name: The composition resource name; the requirement's key; empty for the composite.
        prefix: What paths start with.
        raw: The object's Struct bytes, None while it isn't observed.
        details: The object's observed connection details.
    """

    __slots__ = ("_fields", "_ready", "call", "details", "kind", "name", "prefix", "raw")

    def __init__(
        self,
        call: Call,
        kind: str,
        name: str,
        prefix: str,
        raw: bytes | None,
        details: Mapping[str, bytes] | None = None,
    ) -> None:
        self.call = call
        self.kind = kind
        self.name = name
        self.prefix = prefix
        self.raw = raw
        self.details: Mapping[str, bytes] = {} if details is None else details
        self._ready: bool | None = None
        self._fields: Any = None

    @property
    def fields(self) -> Any:
        """The object split by one level, kept: wire name to value bytes."""
        if self._fields is None:
            self._fields = {} if self.raw is None else _wire.split(self.raw)
        return self._fields

    @property
    def settled(self) -> bool:
        """True where the observed object's Ready condition is True: what it lacks then, it won't get by waiting."""
        if self.raw is None and self.call.oracle is not None:
            from .observable import make

            return self.call.oracle(make(f"{self.prefix}.ready", self), None)
        if self._ready is None:
            ready = condition_of(self.raw, "Ready")
            self._ready = ready is not None and ready.get("status") == "True"
        return self._ready


class Computed(Root):
    """What a run that only looks for dependencies computes from unresolved values: the top of its own Observables.

    Attributes:
        function: What computes it.
        values: What goes in.
        result: What comes of the values that the real call has; UNSET until it is asked for.
    """

    __slots__ = ("function", "result", "values")

    def __init__(self, call: Call, path: str, function: Callable[..., Any], values: tuple[Any, ...]) -> None:
        super().__init__(call, "computed", "", path, None)
        self.function = function
        self.values = values
        self.result: Any = UNSET
