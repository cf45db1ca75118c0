"""The real call's values of the Observables of a run that only looks for dependencies.

The run has nothing observed, but it has to make as many resources as the real call does, and under the same names:
`for zone in vpc.observed.status.zones: call.resource(f"subnet-{zone}", ...)`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import _wire
from .._base.sentinels import UNSET
from .._observed.observable import EXTERNAL_NAME, Observable
from .._observed.root import Computed, Root
from .._observed.tracker import Tracker
from .._observed.uses import root_of
from .._paths import field_path

if TYPE_CHECKING:
    from .._call.call import Call

__all__ = ["Actual"]


class Actual:
    """Looks up values in the observed state of the real call."""

    __slots__ = ("_composite", "_observed", "_tops")

    def __init__(self, call: Call) -> None:
        self._composite = call.xr
        self._observed = call.observed
        self._tops: dict[tuple[str, str], dict[str, Any]] = {}

    def value(self, observable: Observable[Any]) -> Any:
        """Return the value that an Observable stands for, as plain data.

        Raises:
            LookupError: It lacks one, or it can't be told from here.
        """
        root = root_of(observable)
        try:
            assert root is not None
            value: Any = self._compute(root) if isinstance(root, Computed) else self._top(root)
            way = observable.source_path[len(root.prefix) :].removeprefix(".")
            for step in field_path.parse(way) if way else ():
                value = value[step]
        except Exception as error:  # an error that the author's function raises too
            raise LookupError(observable.source_path) from error
        return value

    def text(self, text: str, call: Tracker) -> str:
        """Return a text with values in the place of tokens; a token without a value is shown as its path."""
        for observable in call.tokens_in(text):
            try:
                text = text.replace(call.token(observable), str(self.value(observable)))
            except LookupError:
                continue
        return call.show(text) if call.tokens_in(text) else text

    def _top(self, root: Root) -> dict[str, Any]:
        """Return a whole observed object, with everything that its Observables have besides fields."""
        key = (root.kind, root.name)
        if key not in self._tops:
            if root.kind == "xr":
                raw, details = self._composite.raw, self._composite.details
            elif root.kind == "resource" and root.name in self._observed:
                observed = self._observed[root.name]
                raw, details = observed.resource, observed.connection_details
            else:
                raise LookupError(root.prefix)
            top = _wire.decode_struct(raw or b"")
            self._tops[key] = top
            top["connection_details"] = {name: value.decode(errors="replace") for name, value in details.items()}
            top["external_name"] = _wire.get_path(raw or b"", ("metadata", "annotations", EXTERNAL_NAME))
        return self._tops[key]

    def _compute(self, root: Computed) -> Any:
        if root.result is UNSET:
            root.result = root.function(*(self._replaced(value, root.call) for value in root.values))
        return root.result

    def _replaced(self, value: Any, call: Tracker) -> Any:
        """Return the arguments of a computation, with values in the place of Observables and tokens."""
        if type(value) is Observable:
            return self.value(value)
        if isinstance(value, str):
            return self.text(value, call)
        if isinstance(value, Mapping):
            return {self._replaced(key, call): self._replaced(item, call) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return type(value)(self._replaced(item, call) for item in value)
        return value
