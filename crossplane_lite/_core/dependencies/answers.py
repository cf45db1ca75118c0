"""The answers to questions about missing values in a dry run: all no, or all yes.

A question comes up where compose() uses an unresolved value as a plain one, as in `if value` or `value == "a"`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sized
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ..base.sentinels import UNSET
from ..models.walker import apply
from ..observed.lookup import steps_of, value_in
from ..observed.observable import Observable, is_settled, root_of
from ..observed.root import Computed, Root

if TYPE_CHECKING:
    from ..call.call import Call
    from ..observed.tracker import Tracker

N = TypeVar("N", int, float)

# A loop that goes on while the answer is yes would never end.
_MOST_QUESTIONS: Final = 2000


class _Enough(BaseException):
    """Ends a run with too many questions. It is a BaseException, because compose() may catch every Exception."""


class Answers:
    """Answers the questions of one dry run, which ends if it asks more than 2,000.

    Args:
        actual: The observed state of the real call.
        yes: The answer to each question.
        number: The number, and the length, of a value for which the real call observes none.
    """

    __slots__ = ("_actual", "_count", "_number", "_yes", "asked")

    def __init__(self, actual: Actual, yes: bool, *, number: int = 1) -> None:
        self._actual = actual
        self._yes = yes
        self._number = number
        self._count = 0
        self.asked = False

    def __call__(self, observable: Observable[Any]) -> bool:
        """Return whether an unresolved value counts as true, and as equal to the value that it is compared with."""
        root = root_of(observable)
        if root is not None and root.kind == "required":
            # The run has the same required resources as the real one, or lacks values that the real one has.
            return bool(self.value(observable))
        if root is not None and root.raw is not None and is_settled(observable):
            return False
        self._count_one()
        self.asked = True
        return self._yes

    def value(self, observable: Observable[Any]) -> Any:
        """Return the observed value of `observable` in the real call; None without one."""
        try:
            return self._actual.value(observable)
        except LookupError:
            return None

    def length(self, observable: Observable[Any]) -> int:
        """Return the length of the real call's value; another one if that is missing, empty or has no length."""
        value = self.value(observable)
        return len(value) if value and isinstance(value, Sized) else self._number

    def number(self, observable: Observable[Any], kind: type[N]) -> N:
        """Return the real call's value as a `kind`; another number if that isn't possible."""
        self._count_one()
        try:
            return kind(self.value(observable))
        except (TypeError, ValueError, OverflowError):
            return kind(self._number)

    def text(self, text: str, call: Tracker) -> str:
        """Return `text` with each placeholder of `call` replaced by its value in the real call, or by its path."""
        return self._actual.text(text, call)

    def applied(self, function: Callable[..., Any], *values: Any) -> Any:
        """Return an Observable for the result of `function(*values)`, as `crossplane_lite.apply` does."""
        return apply(function, *values)

    def _count_one(self) -> None:
        self._count += 1
        if self._count > _MOST_QUESTIONS:
            raise _Enough


class Actual:
    """Looks up values in the observed state of the real call.

    Args:
        call: The real call.
    """

    __slots__ = ("_call",)

    def __init__(self, call: Call) -> None:
        self._call = call

    def value(self, observable: Observable[Any]) -> Any:
        """Return the value that the real call has for an Observable of a rehearsal, as plain data.

        Raises:
            LookupError: The real call has no such value, or the value can't be looked up or computed.
        """
        root = root_of(observable)
        try:
            assert root is not None
            way = observable.source_path[len(root.prefix) :].removeprefix(".")
            value = self._below(root, way) if isinstance(root, Computed) else self._in_state(root, way)
        except Exception as error:  # for a computed value the author's function runs, which may raise anything
            raise LookupError(observable.source_path) from error
        if value is UNSET:
            raise LookupError(observable.source_path)
        return value

    def text(self, text: str, call: Tracker) -> str:
        """Return `text` with each placeholder replaced by its value.

        A placeholder without a value is replaced by its path. Then secret values in the text are masked, too. `call` is
        the rehearsal in which the text was made.
        """
        for observable in call.tokens_in(text):
            try:
                text = text.replace(call.token(observable), str(self.value(observable)))
            except LookupError:
                continue
        return call.show(text) if call.tokens_in(text) else text

    def _in_state(self, root: Root, way: str) -> Any:
        if root.kind == "xr":
            return value_in(self._call.xr.raw or b"", self._call.xr.details, way)
        observed = self._observed_of(root)
        if observed is None:
            return UNSET
        return value_in(observed.resource, observed.connection_details, way, composed=True)

    def _observed_of(self, root: Root) -> Any | None:
        """Return the request's message with the object that `root` stands for; None if it isn't there."""
        if root.kind == "resource":
            return self._call.observed.get(root.name)
        if root.kind != "required":
            return None
        items = self._call.required_resources.answer(root.name)
        at = root.prefix.rpartition("[")[2].removesuffix("]")
        return items[int(at)] if items is not None and at.isdigit() and int(at) < len(items) else None

    def _below(self, root: Computed, way: str) -> Any:
        if root.result is UNSET:
            root.result = root.function(*(self._replaced(value, root.call) for value in root.values))
        value = root.result
        for step in steps_of(way):
            value = value[step]
        return value

    def _replaced(self, value: Any, call: Tracker) -> Any:
        """Return `value`, an argument of a computation, with values in place of Observables and placeholders.

        Raises:
            LookupError: An Observable has no value in the real call.
        """
        if type(value) is Observable:
            return self.value(value)
        if isinstance(value, str):
            return self.text(value, call)
        if isinstance(value, Mapping):
            return {self._replaced(key, call): self._replaced(item, call) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(self._replaced(item, call) for item in value)
        return value
