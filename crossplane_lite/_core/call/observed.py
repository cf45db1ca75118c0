"""The observed composed resources of all steps, as a read-only mapping."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

from ..models.registered import Registered, observed_view
from ..models.unstructured import Unstructured
from ..observed.observable import make
from ..observed.uses import guess
from .registering import present_name

if TYPE_CHECKING:
    from .call import Call

T = TypeVar("T")

__all__ = ["ObservedResources"]

_NOT_GIVEN: Any = object()


class ObservedResources(Mapping[str, Unstructured]):
    """The observed composed resources of all steps, by their names in the composition. They are read-only.

    A name that isn't observed yet gives a resource whose fields read as Observables, as for a registered resource.
    For such a name, `in` is False, and `get` with a default returns the default. Both are remembered as guesses, that
    is, as decisions that may change when the resource appears. Iteration and `len` count only names that are observed,
    and are a guess about each resource that is desired so far and isn't observed.

    Raises:
        UnresolvedError: A name is made from an unresolved value.
        UsageError: A name is empty or isn't a string. `in` is False for such a name.
    """

    def __init__(self, call: Call) -> None:
        self._call = call
        self._made: dict[str, Unstructured] = {}

    def __getitem__(self, name: str) -> Unstructured:
        name = present_name(self._call, name)
        made = self._made.get(name)
        if made is None:
            made = self._made[name] = observed_view(Unstructured, Registered(self._call.root(name)))
        return made

    @overload
    def get(self, name: str) -> Unstructured: ...
    @overload
    def get(self, name: str, default: T) -> Unstructured | T: ...
    def get(self, name: str, default: Any = _NOT_GIVEN) -> Any:
        """Return the resource called `name`; `default` if the resource isn't observed.

        Without a default, a resource that isn't observed is returned too: its fields read as Observables.
        """
        return self[name] if default is _NOT_GIVEN or name in self else default

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or not name:
            return False
        name = present_name(self._call, name)
        return name in self._call.observed or guess(make(name, self._call.root(name)))

    def __iter__(self) -> Iterator[str]:
        # The same question as `name in ctx.observed`, asked for each resource that is desired so far.
        missing = {*self._call.desired, *self._call.resources} - {*self._call.observed}
        return iter(sorted([*self._call.observed, *(name for name in missing if name in self)]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<observed resources: {', '.join(sorted(self._call.observed)) or 'none'}>"
