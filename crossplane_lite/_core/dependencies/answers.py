"""The answers to questions about missing values in a dry run: all no, or all yes.

A question comes up where compose() uses an unresolved value as a plain one, as in `if value` or
`value == "a"`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
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
    """Ends a run with too many questions. It is a BaseException, because compose() may catch every
    Exception.
    """


class Answers:
    """Answers the questions of one dry run, which ends if it asks more than 2,000.

    Args:
        real: The real call, whose observed state has the values.
        yes: The answer to each question.
        number: The number, and the length, of a value for which the real call observes none.
    """

    __slots__ = ("_count", "_number", "_real", "_yes", "asked")

    applied = staticmethod(apply)

    def __init__(self, real: Call, yes: bool, *, number: int = 1) -> None:
        self._real = real
        self._yes = yes
        self._number = number
        self._count = 0
        self.asked = False

    def __call__(self, observable: Observable) -> bool:
        """Return whether an unresolved value counts as true, and as equal to the value that it is
        compared with.
        """
        root = root_of(observable)
        if root is not None and root.kind == "required":
            # The run has the same required resources as the real one, or lacks values that the real
            # one has.
            return bool(self.value(observable))
        if root is not None and root.raw is not None and is_settled(observable):
            return False
        self._count_one()
        self.asked = True
        return self._yes

    def value(self, observable: Observable) -> Any:
        """Return the value that the real call has for an Observable of a dry run, as plain data;
        None without one.
        """
        root = root_of(observable)
        if root is None:
            return None
        way = root.way_of(observable.source_path)
        try:
            value = (
                self._computed(root, way)
                if isinstance(root, Computed)
                else self._observed(root, way)
            )
        except Exception:
            # for a computed value the author's function runs, which may raise anything
            return None
        return None if value is UNSET else value

    def length(self, observable: Observable) -> int:
        """Return the length of the real call's value; another one if that is missing, empty or has
        no length.
        """
        value = self.value(observable)
        return len(value) if value and isinstance(value, Sized) else self._number

    def number(self, observable: Observable, kind: type[N]) -> N:
        """Return the real call's value as a `kind`; another number if that isn't possible."""
        self._count_one()
        try:
            return kind(self.value(observable))
        except (TypeError, ValueError, OverflowError):
            return kind(self._number)

    def text(self, text: str, call: Tracker) -> str:
        """Return `text` with each placeholder replaced by its value in the real call.

        A placeholder without a value is replaced by its path. Then secret values in the text are
        masked, too. `call` is the dry run in which the text was made.
        """
        for observable in call.tokens_in(text):
            value = self.value(observable)
            if value is not None:
                text = text.replace(call.token(observable), str(value))
        return call.show(text) if call.tokens_in(text) else text

    def _count_one(self) -> None:
        self._count += 1
        if self._count > _MOST_QUESTIONS:
            raise _Enough

    def _observed(self, root: Root, way: str) -> Any:
        message: Any = None
        if root.kind == "xr":
            message = self._real.request.observed.composite
        elif root.kind == "resource":
            message = self._real.observed.get(root.name)
        elif root.kind == "required":
            number = root.prefix.rpartition("[")[2].removesuffix("]")
            message = self._real.required_resources.answer(root.name)[int(number)]
        if message is None:
            return UNSET
        return value_in(
            message.resource, message.connection_details, way, composed=root.kind != "xr"
        )

    def _computed(self, root: Computed, way: str) -> Any:
        if root.result is UNSET:
            root.result = root.function(
                *(self._replaced(value, root.call) for value in root.values)
            )
        value = root.result
        for step in steps_of(way):
            value = value[step]
        return value

    def _replaced(self, value: Any, call: Tracker) -> Any:
        """Return `value`, an argument of a computation, with values in place of Observables and
        placeholders.

        Raises:
            LookupError: An Observable has no value in the real call.
        """
        if type(value) is Observable:
            found = self.value(value)
            if found is None:
                raise LookupError(value.source_path)
            return found
        if isinstance(value, str):
            return self.text(value, call)
        if isinstance(value, Mapping):
            return {
                self._replaced(key, call): self._replaced(item, call) for key, item in value.items()
            }
        if isinstance(value, (list, tuple)):
            return type(value)(self._replaced(item, call) for item in value)
        return value
