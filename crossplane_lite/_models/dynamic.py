"""Objects without a schema, as models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._observed.observable import Observable, guess
from ..errors import UsageError
from . import types
from .model import Model
from .node import WAIT

__all__ = ["DynamicModel"]


class DynamicModel(Model):
    """An object without a schema: any attribute can be read and set, and any name by item access."""

    __wire_fields__ = types.DynamicFields()
    __wire_keys__ = types.DynamicKeys()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...
        def __delattr__(self, name: str) -> None: ...

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # What Python and notebooks probe for, unless the class has a field of that name.
            if name.startswith(("__", "_repr_", "_ipython_")) and name not in type(self).__wire_fields__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            return self._read_field(name)

    def __str__(self) -> str:
        if self._absent and self._node is not None and self._node.mode != WAIT:
            raise UsageError(f"{self._node.path.lstrip('.')} isn't set, so it can't become text")
        return Model.__str__(self)

    def __getitem__(self, name: str | Observable[str]) -> Any:
        name = _text(name)
        return self.__dict__[name] if name in self.__dict__ else self._read_field(name)

    def __setitem__(self, name: str | Observable[str], value: Any) -> None:
        Model._set_field(self, _text(name), value)  # never a property of the resource

    def __delitem__(self, name: str | Observable[str]) -> None:
        self._delete_field(_text(name))

    def __contains__(self, name: object) -> bool:
        present = name in self.__dict__ or any(name == one for one in self)
        node = self._node
        if not present and node is not None and node.mode == WAIT and not self._absent:
            guess(node.observable(f".{name}"))
        return present

    def __iter__(self) -> Any:
        if not bool(self):  # a guess, where it may still come
            return iter(())
        node = self._node
        inherited = [] if node is None else [name for name in node.fields if name not in (node.deleted or ())]
        return iter(dict.fromkeys([*inherited, *self.__dict__]))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _text(name: str | Observable[str]) -> str:
    """Return a field's name; one that isn't known yet as the text in which it is found again."""
    return str(name) if isinstance(name, Observable) else name
