"""One call's uses of values that don't exist yet, remembered while compose() runs.

`Tracker` is the part of a call's state that Observables and models know. The whole state is
`_core.call.call.Call`, a subclass.

A use of a missing value as a plain one, such as `if value`, is called a guess. A token is the
placeholder for a missing value in a text. A rehearsal is another run of compose(), whose results
are thrown away.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Collection, Iterable, Mapping
from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Any, Final

from ...errors import WireError
from ...proto import _view
from .. import codec
from ..base.texts import capped, some, without_addresses

if TYPE_CHECKING:
    from .observable import Observable
    from .secrets import Masker
    from .tokens import Marker


class Observer:
    """Is told what compose() does in one call. All methods do nothing here."""

    def made(self, model: Any) -> None:
        """The author's code has made a model with its constructor."""

    def has_set(self, holder: Any, key: Any) -> None:
        """A field of a model, or an entry of a map, was set; with a `key` of None, a list or map
        was changed.
        """

    def read(self, node: Any, field: Any, value: Any) -> None:
        """A field was read from the source of a model. `value` is an Observable or something empty
        if it's missing.
        """

    def went_on(self, observable: Any) -> None:
        """A field or an element of a missing value was read, which gave this Observable."""

    def missed(self, node: Any, key: str) -> None:
        """A key was read that a map lacks, and that won't come."""

    def composite(self, model: Any) -> None:
        """The author has asked for the composite."""

    def took_request(self) -> None:
        """The author has asked for the raw request."""

    def registered(self, name: str, model: Any) -> None:
        """A resource was registered under a name."""

    def refused(self, name: str) -> None:
        """A second resource was to be registered under a name."""

    def removed(self, name: str) -> None:
        """A resource was removed from desired state."""

    def ended(self, call: Any, error: BaseException | None) -> None:
        """compose() has ended, with this exception if it raised one. The answer isn't made yet."""


_current: ContextVar[Tracker | None] = ContextVar("crossplane_lite_call", default=None)
_SHORTEST_TOKEN = 8  # shorter parts of a token aren't recognised

# The state of this thread or task before `enter`, to which `leave` goes back.
Before = tuple["Token[Tracker | None]", "Token[list[WireError] | None]"]

# The markers of earlier calls' tokens. Until this process has made a token, texts aren't searched
# for tokens.
_leftovers: tuple[Marker, ...] = ()

_number: Final = itertools.count(1).__next__
_open: Final[dict[int, Tracker]] = {}  # the calls that are going on, by their ids

# The calls that are going on and have an observer. Code that many calls run looks here first.
observed_calls: Final[list[Tracker]] = []
_NOBODY = Observer()

# Returns the current call of this thread or task; None outside of calls.
current: Final = _current.get


def enter(call: Tracker) -> Before:
    """Make `call` the current call of this thread or task; return the argument for `leave` or
    `go_back`.
    """
    _open[id(call)] = call
    return _current.set(call), codec.watch(call.faults)


def leave(call: Tracker, before: Before) -> None:
    """Close `call`, and go back to `before`, the state of this thread or task before `enter`."""
    go_back(before)
    close(call)


def go_back(before: Before) -> None:
    """Go back to `before`, the state of this thread or task before `enter`. The call stays open."""
    _current.reset(before[0])
    codec.unwatch(before[1])


def close(call: Tracker) -> None:
    """Close `call`, which has ended, and free its Observables."""
    call.closed = True
    _open.pop(id(call), None)
    if call.observer is not None:
        take_observer(call)
    # Observables refer to their call. Without these references it is freed at once, even if a cache
    # has kept some.
    for root in {one.__cl_root__ for one in call.handed_out}:
        if root is not None:
            root.untie()
    call.handed_out.clear()
    call.guesses.clear()
    call.answered.clear()
    if call.tokens:  # texts may still be shown, with the paths of their tokens
        from .observable import Observable

        call.tokens = {number: Observable(one.source_path) for number, one in call.tokens.items()}


def observe(call: Tracker, observer: Observer) -> None:
    """Give a call an observer, until `take_observer` or the call's end."""
    call.observer = observer
    observed_calls.append(call)


def observer() -> Observer:
    """Return the observer of the current call of this thread or task; one that does nothing if it
    has none.
    """
    call = _current.get()
    return _NOBODY if call is None or call.observer is None else call.observer


def take_observer(call: Tracker) -> None:
    """Take a call's observer away: it isn't told any more what happens."""
    observed_calls.remove(call)
    call.observer = None


def mask(text: str) -> str:
    """Return `text` with secret values masked and tokens shown as paths, for logs and all other
    texts for people.

    In a call, the secrets and tokens are those of the call. Outside of calls, as in a thread that
    compose() has started, they are those of all calls that are going on at this moment, except
    rehearsals.
    """
    call = _current.get()
    if call is not None:
        return call.show(text)
    # Other threads add and remove calls meanwhile, and add to the secrets of theirs.
    for one in _open.copy().values():
        if not one.rehearsed:
            text = one.masker()(one.readable(text), one.has_name)
    return text


class Tracker:
    """A call's memory of values that don't exist yet, and of secrets.

    Attributes:
        data: The request's bytes.
        observed: The observed composed resources, by name.
        xr: The observed composite.
        guesses: The unresolved values that were used as plain values, by path.
        answered: The missing values for which the author has given a default (`value_or`), by path.
        true_conditions: The types of the conditions that were asked for and are True, by the
            resource's name.
        seen_names: The names of resources whose existence was asked for.
        noted_ready: The composed resources that were ready by the notes, in a run with last known
            values.
        handed_out: The Observables that compose() got.
        tokens: The Observables that were turned into text, by the numbers of their tokens.
        made: How often each token was put into a text, by its number.
        met: Collects the missing values that are encoded, each as `MISSING`; None while they can't
            be encoded.
        tied: The objects with circular references. `Call.release` calls their `untie`, which cuts
            the references, so that they are freed without the garbage collector.
        faults: The errors that readers raised for malformed bytes of the request.
        composing: Whether compose() may still run. What the SDK does afterwards is no use of a
            value.
        closed: Whether the answer is made.
        rehearsed: Whether this is a run whose results are thrown away.
        number: A number that no other call or rehearsal of this process has.
        form: The form of this call's tokens, `EARLY` or `LATE` (`_core.observed.tokens`).
        secret_request: The message of the request whose secret values are masked; None to parse
            `data` for them.
        oracle: Answers the questions about unresolved values in a rehearsal
            (`_core.dependencies.answers.Answers`). None in a real call, where these values count as
            empty.
        observer: Is told what compose() does; None for nobody.
        first: The real call, of which this is another run; None for the real call itself.

    Args:
        data: The request's bytes.
    """

    xr: Any = None  # a Root, once there is a request
    composing = True
    closed = False
    rehearsed = False
    form = 0
    noted_ready: Collection[str] = ()
    secret_request: Any = None
    oracle: Any = None
    observer: Observer | None = None
    first: Tracker | None = None
    met: list[Observable] | None = None
    _masked: tuple[Masker, int] | None = None

    def __init__(self, data: bytes = b"") -> None:
        self.data = data
        self.number = _number()
        self.observed: Mapping[str, Any] = {}
        self.guesses: dict[str, Observable] = {}
        self.answered: dict[str, Observable] = {}
        self.true_conditions: dict[str, set[str]] = {}
        self.seen_names: set[str] = set()
        self.handed_out: list[Observable] = []
        self.tokens: dict[int, Observable] = {}
        self.made: dict[int, int] = {}
        self.tied: list[Any] = []
        self.faults: list[WireError] = []
        self._texts: dict[str | int, tuple[int, str]] = {}
        # Only added to. A masker never changes, and the one here knows as many of the hidden values
        # as the number says.
        self._hidden: list[tuple[str, bytes]] = []

    def __deepcopy__(self, memo: object) -> Tracker:
        return self  # copies of a call's objects belong to the same call

    def __reduce__(self) -> Any:
        return ended, ()  # in another process the call isn't going on

    def token(self, observable: Observable) -> str:
        """Return the token that stands for `observable` in texts of this call; the same token each
        time.
        """
        # Each path has one token. Results of apply() are known by identity, because two functions
        # may have the same name. Observables in `tokens` stay alive, so no other object gets their
        # id.
        path = observable.source_path
        key = path if observable.__cl_deps__ is None else id(observable)
        if key not in self._texts:
            from .tokens import number_of

            if not _leftovers:
                _expect_tokens()
            number = number_of(path)
            while number in self.tokens:
                path += "#"
                number = number_of(path)
            self._texts[key] = number, self._markers[0].token(number)
            self.tokens[number] = observable
        number, text = self._texts[key]
        self.made[number] = self.made.get(number, 0) + 1
        return text

    @property
    def token_head(self) -> bytes:
        """The beginning of this call's tokens, as it is in text that nobody has changed."""
        return self._markers[0].head

    @functools.cached_property
    def marker_number(self) -> int:
        """The number of this call's markers. A rehearsal shares it, so that the request is searched
        once.
        """
        from .tokens import sequence_for

        return sequence_for(self.data) if self.first is None else self.first.marker_number

    @functools.cached_property
    def _markers(self) -> list[Marker]:
        """The `tokens.Marker`s whose tokens can be in a text of this call; the call's own marker
        comes first.
        """
        # compose() may keep texts, so a call can see tokens of a rehearsal, and a rehearsal those
        # of a call.
        from .tokens import EARLY, LATE, marker_for

        number = self.marker_number
        return [
            marker_for(number, form) for form in (self.form, LATE if self.form == EARLY else EARLY)
        ]

    def named_by(self, waiting: Iterable[Observable]) -> None:
        """Remember that a resource's name was made from the unresolved values `waiting`, so that
        none is deleted.

        An existing resource may have a name that was made from an earlier value.
        """
        for observable in waiting:
            self.guesses.setdefault(observable.source_path, observable)

    @property
    def has_guessed(self) -> bool:
        """Whether an unresolved value was used as a plain value, or put into text."""
        return bool(self.guesses or self.tokens)

    @property
    def searches(self) -> bool:
        """Whether this process has made a token, so that texts must be searched for tokens."""
        return bool(_leftovers)

    def has_token(self, data: bytes) -> bool:
        """Say whether `data` contains a token of this call or of another call.

        If this call has made tokens, a part of a token counts, too.
        """
        if not _leftovers or len(data) < _SHORTEST_TOKEN:
            return False
        if self.tokens:
            for marker in self._markers:
                if marker.is_in(data):
                    return True
            return False
        # If the request itself has such a text, the text isn't a token that this process has made.
        return any(marker.begins_in(data) for marker in _leftovers) and not self.marker_number

    def tokens_in(self, text: str) -> list[Observable]:
        """Return the Observables whose tokens are in `text`; an empty list if there are none.

        If `text` has only a part of a token, or a token of another call, the list has one
        Observable, whose path is a remark in parentheses.
        """
        if not self.has_token(text.encode(errors="replace")):
            return []
        numbers = [number for marker in self._markers for number in marker.numbers_in(text)]
        own = [self.tokens[number] for number in numbers if number in self.tokens]
        if own:
            return own
        from .observable import Observable

        if not self.tokens or numbers:
            return [Observable("(a text made from an unresolved value in an earlier call)")]
        paths = sorted({observable.source_path for observable in self.tokens.values()})
        return [Observable(f"(a part of a text made from {some(paths, 3)})")]

    def tops(self) -> dict[str, Any]:
        """Return the registered resources and the composite (`xr`) by name, for messages. `Call`
        overrides this.
        """
        return {}

    def show(self, text: str) -> str:
        """Return `text` for people: each token is replaced by its value's path, and known secret
        values are masked.
        """
        return self.masked(self.readable(text))

    def show_capped(self, text: str, longest: int) -> str:
        """Return `text` as `show` does. A text of more than `longest` characters is cut, with a
        remark at the cut.
        """
        return self.show(text) if len(text) <= longest // 2 else capped(text, longest, self.show)

    def masked(self, text: str) -> str:
        """Return `text` with known secret values masked."""
        return self.masker()(text, self.has_name)

    def has_name(self, word: str) -> bool:
        """Say whether `word` is a name that this call gives, which is never masked. `Call`
        overrides this.
        """
        return False

    def masker(self) -> Masker:
        """Return the masker of the secret values that are known now. Any thread may ask for it."""
        masker, known = self._masked or (None, 0)
        if masker is None:
            from .secrets import masker_for

            request = self.secret_request
            masker = masker_for(
                _view.RunFunctionRequest.FromString(self.data) if request is None else request
            )
        hidden = self._hidden[known:]
        if hidden:
            masker = masker.more(hidden)
        # if two threads come here, either result is a right one
        self._masked = masker, known + len(hidden)
        return masker

    def readable(self, text: str) -> str:
        """Return `text` with each token replaced by its value's path.

        Addresses of objects are left out. Secret values are not masked. Characters that can't be
        encoded as UTF-8 are replaced by escapes.
        """
        # Text that isn't valid Unicode can't be sent, and is shown escaped.
        data = text.encode(errors="backslashreplace")
        text = without_addresses(data.decode())
        if self.has_token(data):
            for marker in self._markers:
                text = marker.substitute(text, self._path_of)
        return text

    def _path_of(self, number: int) -> str:
        observable = self.tokens.get(number)
        return "(an earlier call's value)" if observable is None else observable.source_path

    def hide(self, key: str, value: bytes) -> None:
        """Mask one more value from now on, in all threads. The request's values are masked without
        this.

        The key decides how the value is looked for (`_core.observed.secrets`).
        """
        self._hidden.append((key, value))


def _expect_tokens() -> None:
    """Search the texts of all calls for tokens from now on."""
    from .tokens import EARLY, LATE, marker_for

    global _leftovers
    # Both forms, because nearly every process makes both in the end.
    _leftovers = marker_for(0, EARLY), marker_for(0, LATE)


def ended() -> Tracker:
    """Return a call that has ended. Unpickled and kept objects refer to it in place of their
    call.
    """
    call = Tracker()
    call.closed = True
    return call
