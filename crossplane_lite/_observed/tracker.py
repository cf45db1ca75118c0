"""What one call of compose() does with values that don't exist yet, remembered while it runs.

`Tracker` is the lower half of the one state that a call has: what Observables and models know of it. The whole is
`crossplane_lite._call.call.Call`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any, Final, Protocol

from .. import _wire
from ..errors import WireError

if TYPE_CHECKING:
    from .observable import Observable
    from .oracle import Oracle
    from .tokens import Marker

__all__ = [
    "Before",
    "Branch",
    "Question",
    "Tracker",
    "close",
    "current",
    "enter",
    "go_back",
    "leave",
    "mask",
    "place",
]

_current: ContextVar[Tracker | None] = ContextVar("crossplane_lite_call", default=None)
_SHORTEST_TOKEN: Final = 8  # no shorter part of one is recognised
_PACKAGE: Final = __name__.partition(".")[0]

Before = tuple["Token[Tracker | None]", "Token[list[WireError] | None]"]
"""What `leave` needs to go back to what this thread or task was in."""

Question = tuple[str, object]
"""The path of a value that is used as a plain one, and what it is compared with."""

Branch = tuple[Question, tuple[int, int], bool]
"""A question, the place in the code where it came up, and an answer."""

# The forms of tokens that this process has made; until then no text needs to be searched for them.
_forms_made: set[int] = set()

current: Final = _current.get
"""Returns the call that this thread or task is in, None outside of every call."""


def enter(call: Tracker) -> Before:
    """Make `call` the one that this thread or task is in; return what `leave` needs."""
    return _current.set(call), _wire.watch(call.faults)


def leave(call: Tracker, before: Before) -> None:
    """Close a call, and go back to what this thread or task was in."""
    go_back(before)
    close(call)


def go_back(before: Before) -> None:
    """Go back to what this thread or task was in before a call, which stays open."""
    _current.reset(before[0])
    _wire.unwatch(before[1])


def close(call: Tracker) -> None:
    """Close a call, in which nothing is going on any more."""
    call.closed = True
    # Observables know their call; without these it is freed at once and not by the next garbage collection.
    call.handed_out.clear()
    call.guesses.clear()
    call.opaque.clear()
    call.counted.clear()
    if call.tokens:  # their paths are still shown
        from .observable import Observable

        call.tokens = {number: Observable(one.source_path) for number, one in call.tokens.items()}


def mask(text: str) -> str:
    """Return `text` as it may be logged: secret values of the call that is going on masked, tokens shown as paths."""
    call = _current.get()
    return text if call is None else call.show(text)


def place() -> tuple[int, int]:
    """Return the place in the author's code that uses a value."""
    frame = sys._getframe(2)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    return id(frame.f_code), frame.f_lasti


class Tied(Protocol):
    """What is tied into a circle until its call ends."""

    def untie(self) -> None:
        """Cut the circle."""


class Tracker:
    """What is remembered of values that don't exist yet, and of what must not be shown.

    Attributes:
        data: The request's bytes.
        observed: Observed composed resources, by name.
        xr: The observed composite.
        guesses: Unresolved values that were used as plain values, by path.
        answered: The paths of values whose absence the author has given a meaning.
        opaque: Those of them whose use another answer can't show (a hash, `isinstance`).
        counted: Those of them that a loop or a number came from, so that resources may depend on how many there are.
        branches: The questions that were answered, and where they came up.
        handed_out: The Observables that compose() was given.
        tokens: The Observables that were turned into text, by the numbers of their tokens.
        shown: The numbers of the tokens that this package has come across, in texts of resources or for people.
        tied: Places of models that are tied into a circle with what was read from them, or with what holds them.
            Whoever has made the call unties them at its end.
        faults: The errors in the request's bytes that have come to light.
        closed: True once the answer is made.
        rehearsed: True for a run whose results are thrown away.
        form: The form of this call's tokens, `EARLY` or `LATE` (`crossplane_lite._observed.tokens`).
        oracle: Says what an unresolved value is taken for where it is used as a plain one, in a rehearsal that tries
            other answers. None takes all for empty, as every real call does.

    Args:
        data: The request's bytes.
        masker: Makes what masks the secret values of the call's request, when it is first needed.
    """

    __slots__ = (
        "_mask",
        "_marker",
        "_masked",
        "_numbers",
        "_own_secrets",
        "_possible",
        "_sequence",
        "answered",
        "branches",
        "closed",
        "counted",
        "data",
        "faults",
        "form",
        "guesses",
        "handed_out",
        "observed",
        "opaque",
        "oracle",
        "rehearsed",
        "shown",
        "tied",
        "tokens",
        "xr",
    )

    def __init__(self, data: bytes = b"", masker: Callable[[], Callable[[str], str]] | None = None) -> None:
        self.data = data
        self.observed: Mapping[str, Any] = {}
        self.xr: Any = None  # a Root, once there is a request
        self.guesses: dict[str, Observable[Any]] = {}
        self.answered: set[str] = set()
        self.opaque: dict[str, Observable[Any]] = {}
        self.counted: dict[str, Observable[Any]] = {}
        self.branches: set[Branch] = set()
        self.handed_out: list[Observable[Any]] = []
        self.tokens: dict[int, Observable[Any]] = {}
        self.shown: set[int] = set()
        self.tied: list[Tied] = []
        self.faults: list[WireError] = []
        self.closed = False
        self.rehearsed = False
        self.form = 0
        self.oracle: Oracle | None = None
        self._numbers: dict[str | int, int] = {}
        self._marker: Marker | None = None
        self._sequence: int | None = None
        self._possible: list[Marker] = []
        self._mask = masker
        self._masked: Callable[[str], str] | None = None
        self._own_secrets: list[bytes] = []

    def __deepcopy__(self, memo: object) -> Tracker:
        return self  # what belongs to a call belongs to it as a copy, too

    def __reduce__(self) -> Any:
        return _ended, ()  # elsewhere no call is going on

    def token(self, observable: Observable[Any]) -> str:
        """Return the text that stands for `observable` in this call."""
        _forms_made.add(self.form)
        marker = self._own_marker()
        # One token for one path; the results of apply() go by identity, because two functions may have one name. What
        # is in `tokens` stays alive, so its id stays its own.
        path = observable.source_path
        computed = observable.__cl_deps__ is not None
        key = id(observable) if computed else path
        number = self._numbers.get(key)
        if number is None:
            from .tokens import number_of

            number = number_of(path)
            while number in self.tokens:
                path += "#"
                number = number_of(path)
            self._numbers[key] = number
            self.tokens[number] = observable
        return marker.token(number)

    def _own_marker(self) -> Marker:
        if self._marker is None:
            from .tokens import marker_for

            self._marker = marker_for(self._sequence_of_markers(), self.form)
        return self._marker

    def _sequence_of_markers(self) -> int:
        if self._sequence is None:
            from .tokens import sequence_for

            self._sequence = sequence_for(self.data)
        return self._sequence

    def _markers(self) -> list[Marker]:
        """Return the markers whose tokens can be in a text of this call, its own first."""
        # A text that a rehearsal has made may have been kept, and so may one of a call.
        if len(self._possible) < len(_forms_made | {self.form}):
            from .tokens import marker_for

            others = [form for form in _forms_made if form != self.form]
            self._possible = [self._own_marker(), *(marker_for(self._sequence_of_markers(), form) for form in others)]
        return self._possible

    def guessed(self, observable: Observable[Any], compared: object = None) -> None:
        """Remember that an unresolved value was used as a plain one.

        Args:
            observable: The value.
            compared: What it was compared with, where it was.
        """
        path = observable.source_path
        self.guesses.setdefault(path, observable)
        self.branches.add(((path, compared if isinstance(compared, (str, int, float)) else None), place(), False))

    def named_by(self, waiting: Iterable[Observable[Any]]) -> None:
        """Remember that a resource's name was made from unresolved values: there may be resources under such names."""
        for observable in waiting:
            self.guesses.setdefault(observable.source_path, observable)
            self.counted.setdefault(observable.source_path, observable)

    @property
    def has_guessed(self) -> bool:
        """Whether anything unresolved was used as a plain value, or put into text."""
        return bool(self.guesses or self.tokens)

    @property
    def searches(self) -> bool:
        """Whether a text can hold a token, so that texts have to be searched."""
        return bool(_forms_made)

    def has_token(self, data: bytes) -> bool:
        """Say whether encoded bytes hold a token, of this call or of another one."""
        if not _forms_made or len(data) < _SHORTEST_TOKEN:
            return False
        if self.tokens:
            for marker in self._markers():
                if marker.is_in(data):
                    return True
            return False
        from .tokens import marker_for

        # Where the request has such a text itself, it is no token that this process has made.
        return any(marker_for(0, form).is_left_in(data) for form in _forms_made) and not self._sequence_of_markers()

    def tokens_in(self, text: str) -> list[Observable[Any]]:
        """Return the Observables whose tokens are in `text`.

        Where only a part of a token is left, or the token of another call, an Observable that says so.
        """
        if not self.has_token(text.encode(errors="replace")):
            return []
        numbers = [number for marker in self._markers() for number in marker.numbers_in(text)]
        own = [number for number in numbers if number in self.tokens]
        if own:
            self.shown.update(own)
            return [self.tokens[number] for number in own]
        from .observable import Observable

        if not self.tokens or numbers:
            return [Observable("(a text made from an unresolved value in an earlier call)")]
        return [Observable(f"(a part of a text made from {self.made_from()})")]

    def made_from(self) -> str:
        """Return the paths that texts of this call were made from, for people."""
        paths = sorted({observable.source_path for observable in self.tokens.values()})
        return f"{', '.join(paths[:3])}{' and others' if paths[3:] else ''}"

    def tops(self) -> dict[str, Any]:
        """Return what compose() has registered, by the names that people know: only messages ask for it."""
        return {}

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
        if self.has_token(data):
            for marker in self._markers():
                text = marker.substitute(text, self._path_of, "(a part of an unresolved value)")
        return text

    def _path_of(self, number: int) -> str:
        if number not in self.tokens:
            return "(an earlier call's value)"
        self.shown.add(number)
        return self.tokens[number].source_path

    def normal(self, text: str) -> str:
        """Return `text` with whole tokens replaced by what doesn't depend on their form, to compare runs with."""
        if not self.tokens:
            return text
        return self._own_marker().replaced(text, lambda number: f"\0{number}\0")

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
