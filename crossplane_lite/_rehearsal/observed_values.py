"""Looking up the values that the Observables of a rehearsal have in the real call.

A rehearsal is here a run of compose() without observed resources. It must register as many resources as the real call,
with the same names. So some values are needed after all. For example, this loop needs the observed zones:
`for zone in vpc.observed.status.zones: ctx.resource(f"subnet-{zone}", ...)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._base.sentinels import UNSET
from .._observed.lookup import steps_of, value_in
from .._observed.observable import Observable
from .._observed.root import Computed, Root
from .._observed.tracker import Tracker
from .._observed.uses import root_of

if TYPE_CHECKING:
    from .._call.call import Call

__all__ = ["Actual"]


class Actual:
    """Looks up values in the observed state of the real call.

    Args:
        call: The real call.
    """

    __slots__ = ("_composite", "_observed")

    def __init__(self, call: Call) -> None:
        self._composite = call.xr
        self._observed = call.observed

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
            return value_in(self._composite.raw or b"", self._composite.details, way)
        observed = self._observed_of(root)
        if observed is None:
            return UNSET
        return value_in(observed.resource, observed.connection_details, way, composed=True)

    def _observed_of(self, root: Root) -> Any | None:
        """Return the request's message with the resource that `root` stands for.

        None if the resource isn't observed, or if `root` doesn't stand for a composed resource.
        """
        return self._observed.get(root.name) if root.kind == "resource" else None

    def _below(self, root: Computed, way: str) -> Any:
        value = self._compute(root)
        for step in steps_of(way):
            value = value[step]
        return value

    def _compute(self, root: Computed) -> Any:
        if root.result is UNSET:
            root.result = root.function(*(self._replaced(value, root.call) for value in root.values))
        return root.result

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
