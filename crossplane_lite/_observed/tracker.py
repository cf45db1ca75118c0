"""One call's uses of values that don't exist yet, remembered while compose() runs.

`Tracker` is the part of a call's state that Observables and models know. The whole state is
`crossplane_lite._call.call.Call`, a subclass.

A use of a missing value as a plain one, such as `if value`, is called a guess. A token is the placeholder for a missing
value in a text. A rehearsal is another run of compose(), whose results are thrown away.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any, Final, Protocol

from .. import _wire
from .._terminal.excerpts import capped, without_addresses
from ..errors import WireError

if TYPE_CHECKING:
    from .masking import Masker
    from .observable import Observable
    from .threads import Started
    from .tokens import Leftovers, Marker
    from .uses import Oracle

__all__ = [
    "Before",
    "Branch",
    "Question",
    "Tracker",
    "close",
    "current",
    "ended",
    "enter",
    "go_back",
    "leave",
    "mask",
    "place",
    "watch_threads",
]

_current: ContextVar[Tracker | None] = ContextVar("crossplane_lite_call", default=None)
_SHORTEST_TOKEN: Final = 8  # shorter parts of a token aren't recognised
_PACKAGE: Final = __name__.partition(".")[0]

Before = tuple["Token[Tracker | None]", "Token[list[WireError] | None]"]
"""The state of this thread or task before `enter`, to which `leave` goes back."""

Question = tuple[str, object]
"""A question about a missing value: the value's path, and the value that it is compared with; None for the truth."""

Branch = tuple[Question, tuple[int, int], bool]
"""A question, the place in the author's code that asked the question (see `place`), and the answer."""

# The forms of the tokens that this process has made. While there are none, texts aren't searched for tokens.
_forms_made: set[int] = set()
_leftovers: Leftovers | None = None  # finds tokens of earlier calls; None until there can be such tokens

_number: Final = itertools.count(1).__next__
# The calls that are going on, by their ids; and whether `watch_threads` was called (then the list isn't empty).
_open: dict[int, Tracker] = {}
_watched: list[bool] = []

current: Final = _current.get
"""Returns the current call of this thread or task; None outside of calls."""


def enter(call: Tracker) -> Before:
    """Make `call` the current call of this thread or task; return the argument for `leave` or `go_back`."""
    _open[id(call)] = call
    return _current.set(call), _wire.watch(call.faults)


def leave(call: Tracker, before: Before) -> None:
    """Close `call`, and go back to `before`, the state of this thread or task before `enter`."""
    go_back(before)
    close(call)


def go_back(before: Before) -> None:
    """Go back to `before`, the state of this thread or task before `enter`. The call stays open."""
    _current.reset(before[0])
    _wire.unwatch(before[1])


def close(call: Tracker) -> None:
    """Close `call`, which has ended, and free its Observables. Threads that still run keep the masker of secrets."""
    call.closed = True
    _open.pop(id(call), None)
    if call.threads is not None:
        call.threads.end(call.masker)
    # Observables refer to their call. Without these references it is freed at once, even if a cache has kept some.
    for root in {one.__cl_root__ for one in call.handed_out}:
        if root is not None:
            root.untie()
    call.handed_out.clear()
    call.guesses.clear()
    call.opaque.clear()
    call.counted.clear()
    if call.tokens:  # texts may still be shown, with the paths of their tokens
        from .observable import Observable

        call.tokens = {number: Observable(one.source_path) for number, one in call.tokens.items()}


def mask(text: str) -> str:
    """Return `text` with secret values masked and tokens shown as paths, for logs and all other texts for people.

    In a call, the secrets and tokens are those of the call. Outside of calls, as in a thread that compose() has
    started, they are those of all calls that are going on, except rehearsals. If `watch_threads` was called, the
    secrets of the call that started the thread are masked, even after that call's end.
    """
    call = _current.get()
    if call is not None:
        return call.show(text)
    for one in tuple(_open.values()):
        if not one.rehearsed:
            text = one.show(text)
    if _watched:
        from .threads import mask_of_thread

        text = mask_of_thread(text)
    return text


def watch_threads(subject: Callable[[], Mapping[str, str]] = dict) -> None:
    """Remember from now on which call starts each thread, so that the thread's output is masked.

    Args:
        subject: The function that returns the fields that identify the current call in log lines.
    """
    if not _watched:
        from .threads import watch

        _watched.append(True)
        watch(current, subject)


def place() -> tuple[int, int]:
    """Return the place in the author's code that uses a value: the code object's id, and the instruction's offset.

    The place is the innermost frame outside of this package, from the caller's caller on.
    """
    frame = sys._getframe(2)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] == _PACKAGE:
        frame = frame.f_back
    return id(frame.f_code), frame.f_lasti


class Tied(Protocol):
    """An object with circular references that last until its call ends."""

    def untie(self) -> None:
        """Cut the circular references, so that the object is freed without the garbage collector."""


class Tracker:
    """A call's memory of values that don't exist yet, and of secrets.

    Attributes:
        data: The request's bytes.
        observed: The observed composed resources, by name.
        xr: The observed composite.
        guesses: The unresolved values that were used as plain values, by path.
        answered: The paths of the values for which the author has given a default (`value_or`).
        opaque: The guesses whose effect no rehearsal can show (a hash, `isinstance`), by path.
        counted: The guesses that a loop, a number or a resource's name was made from, by path. The number of resources
            may depend on them.
        branches: The questions that were answered, each with its place in the code and the answer.
        handed_out: The Observables that compose() got.
        tokens: The Observables that were turned into text, by the numbers of their tokens.
        shown: The numbers of the tokens that were found again, in texts of resources or for people.
        tied: The objects with circular references. `Call.release` unties them when the call ends.
        faults: The errors that readers raised for malformed bytes of the request.
        closed: Whether the answer is made.
        rehearsed: Whether this is a run whose results are thrown away.
        number: A number that no other call or rehearsal of this process has.
        form: The form of this call's tokens, `EARLY` or `LATE` (`crossplane_lite._observed.tokens`).
        threads: The threads that compose() has started; None if there are none.
        oracle: Answers the questions about unresolved values in a rehearsal. None in a real call, where these values
            count as empty.

    Args:
        data: The request's bytes.
        masker: The function that returns the masker of the request's secret values. It is called when the masker is
            first needed. None for a masker that knows no values yet.
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
        "number",
        "observed",
        "opaque",
        "oracle",
        "rehearsed",
        "shown",
        "threads",
        "tied",
        "tokens",
        "xr",
    )

    def __init__(self, data: bytes = b"", masker: Callable[[], Masker] | None = None) -> None:
        self.data = data
        self.number = _number()
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
        self.threads: Started | None = None
        self.oracle: Oracle | None = None
        self._numbers: dict[str | int, int] = {}
        self._marker: Marker | None = None
        self._sequence: int | None = None
        self._possible: list[Marker] = []
        self._mask = masker
        self._masked: Masker | None = None
        self._own_secrets: list[tuple[str, bytes]] = []

    def __deepcopy__(self, memo: object) -> Tracker:
        return self  # copies of a call's objects belong to the same call

    def __reduce__(self) -> Any:
        return ended, ()  # in another process the call isn't going on

    def token(self, observable: Observable[Any]) -> str:
        """Return the token that stands for `observable` in texts of this call; the same token each time."""
        if self.form not in _forms_made:
            _expect_tokens(self.form)
        marker = self._own_marker()
        # Each path has one token. Results of apply() are known by identity, because two functions may have the same
        # name. Observables in `tokens` stay alive, so no other object gets their id.
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
        """Return the `tokens.Marker`s whose tokens can be in a text of this call; the call's own marker comes first."""
        # compose() may keep texts, so a call can see tokens of a rehearsal, and a rehearsal those of a call.
        if len(self._possible) < len(_forms_made) + (self.form not in _forms_made):
            from .tokens import marker_for

            others = [form for form in _forms_made if form != self.form]
            self._possible = [self._own_marker(), *(marker_for(self._sequence_of_markers(), form) for form in others)]
        return self._possible

    def guessed(self, observable: Observable[Any], compared: object = None) -> None:
        """Remember that a question about an unresolved value was answered with no; for the arguments see `guess`."""
        path = observable.source_path
        self.guesses.setdefault(path, observable)
        self.branches.add(((path, compared if isinstance(compared, (str, int, float)) else None), place(), False))

    def named_by(self, waiting: Iterable[Observable[Any]]) -> None:
        """Remember that a resource's name was made from the unresolved values `waiting`, so that none is deleted.

        An existing resource may have a name that was made from an earlier value.
        """
        for observable in waiting:
            self.guesses.setdefault(observable.source_path, observable)
            self.counted.setdefault(observable.source_path, observable)

    @property
    def has_guessed(self) -> bool:
        """Whether an unresolved value was used as a plain value, or put into text."""
        return bool(self.guesses or self.tokens)

    @property
    def searches(self) -> bool:
        """Whether this process has made a token, so that texts must be searched for tokens."""
        return bool(_forms_made)

    def has_token(self, data: bytes) -> bool:
        """Say whether `data` contains a token of this call or of another call.

        If this call has made tokens, a part of a token counts, too.
        """
        if _leftovers is None or len(data) < _SHORTEST_TOKEN:
            return False
        if self.tokens:
            for marker in self._markers():
                if marker.is_in(data):
                    return True
            return False
        # If the request itself has such a text, the text isn't a token that this process has made.
        return _leftovers.are_in(data) and not self._sequence_of_markers()

    def tokens_in(self, text: str) -> list[Observable[Any]]:
        """Return the Observables whose tokens are in `text`; an empty list if there are none.

        The numbers of their tokens are added to `shown`. If `text` has only a part of a token, or a token of another
        call, the list has one Observable, whose path is a remark in parentheses.
        """
        if len(text) < _SHORTEST_TOKEN or not self.has_token(text.encode(errors="replace")):
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
        """Return the paths that texts of this call were made from, for people: at most three, then "and others"."""
        paths = sorted({observable.source_path for observable in self.tokens.values()})
        return f"{', '.join(paths[:3])}{' and others' if paths[3:] else ''}"

    def tops(self) -> dict[str, Any]:
        """Return the registered resources and the composite (`xr`) by name, for messages. `Call` overrides this."""
        return {}

    def show(self, text: str) -> str:
        """Return `text` for people: each token is replaced by its value's path, and known secret values are masked."""
        return self.masked(self.readable(text))

    def show_capped(self, text: str, longest: int) -> str:
        """Return `text` as `show` does. A text of more than `longest` characters is cut, with a remark at the cut."""
        return self.show(text) if len(text) <= longest // 2 else capped(text, longest, self.show)

    def masked(self, text: str) -> str:
        """Return `text` with known secret values masked."""
        return self.masker()(text)

    def masker(self) -> Masker:
        """Return the masker of the secret values that are known now."""
        if self._masked is None:
            if self._mask is not None:
                self._masked = self._mask()
            else:
                from .masking import Masker

                self._masked = Masker()
        if self._own_secrets:
            self._masked.add(self._own_secrets)
            self._own_secrets = []
        return self._masked

    def readable(self, text: str) -> str:
        """Return `text` with each token replaced by its value's path, and add the tokens' numbers to `shown`.

        Addresses of objects are left out. Secret values are not masked. Characters that can't be encoded as UTF-8 are
        replaced by escapes.
        """
        # Text that isn't valid Unicode can't be sent, and is shown escaped.
        data = text.encode(errors="backslashreplace")
        text = without_addresses(data.decode())
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
        """Return `text` with each whole token of this call replaced by the token's number.

        A value has different tokens in two runs, but the same number. So texts of two runs can be compared.
        """
        if not self.tokens:
            return text
        return self._own_marker().replaced(text, lambda number: f"\0{number}\0")

    def hide(self, key: str, value: bytes) -> None:
        """Mask one more value from now on. The request's secret values are masked without this.

        The key decides how the value is looked for (`crossplane_lite._observed.secret_forms`).
        """
        self._own_secrets.append((key, value))


def _expect_tokens(form: int) -> None:
    """Search the texts of all calls for tokens of the form `form` from now on."""
    from .tokens import EARLY, LATE, Leftovers

    global _leftovers
    if _leftovers is None:
        _leftovers = Leftovers((EARLY, LATE))  # both forms, because nearly every process makes both in the end
    _forms_made.add(form)


def ended() -> Tracker:
    """Return a call that has ended. Unpickled and kept objects refer to it in place of their call."""
    call = Tracker()
    call.closed = True
    return call
