"""Objects without a schema, as models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from .. import _wire
from .._observed.observable import Observable, guess
from ..errors import UsageError
from .model import Model
from .node import WAIT
from .setter import delete_field, set_field
from .types import DYNAMIC, Field, Type

__all__ = ["DynamicFields", "DynamicKeys", "DynamicModel"]

_dynamic_fields: dict[str, Field] = {}


def _dynamic_field(name: str) -> Field:
    """Return a field of any name. The latest are kept, and only so many, because the names come from data."""
    field = _dynamic_fields.get(name)
    if field is None:
        if len(_dynamic_fields) >= 1024:
            _dynamic_fields.clear()
        field = _dynamic_fields[name] = Field(name, name, _ANY_OBJECT)
    return field


class DynamicFields(dict[str, Field]):
    """The fields of a class that takes any attribute, those it knows first.

    The wire name of a known field whose attribute is spelt otherwise is no attribute: one value would have two places.
    """

    def __init__(self, known: Mapping[str, Field] | None = None) -> None:
        super().__init__(known or {})
        self._renamed = frozenset(field.wire for field in self.values() if field.wire != field.name)

    def get(self, name: str, default: Any = None) -> Any:
        field = dict.get(self, name)
        return field if field is not None or name in self._renamed else _dynamic_field(name)

    def __missing__(self, name: str) -> Field:
        return _dynamic_field(name)


class DynamicKeys(dict[str, bytes]):
    """The encoded keys of a class that takes any attribute; nothing is kept, for the keys come from data."""

    def __missing__(self, name: str) -> bytes:
        return _wire.entry_prefix(name)


class DynamicModel(Model):
    """An object without a schema: any attribute can be read and set, and any name by item access."""

    __wire_fields__ = DynamicFields()
    __wire_keys__ = DynamicKeys()

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
        if self._absent and self._node is not None and self._node.state != WAIT:
            if self._node.place is not None:
                self._node.place.used(self._node)
            raise UsageError(f"{self._node.path.lstrip('.')} isn't set, so it can't become text")
        return Model.__str__(self)

    def __getitem__(self, name: str | Observable[str]) -> Any:
        name = _text(name)
        return self.__dict__[name] if name in self.__dict__ else self._read_field(name)

    def __setitem__(self, name: str | Observable[str], value: Any) -> None:
        set_field(self, _text(name), value)  # never a property of the resource

    def __delitem__(self, name: str | Observable[str]) -> None:
        delete_field(self, _text(name))

    def __contains__(self, name: object) -> bool:
        present = name in self.__dict__ or any(name == one for one in self)
        node = self._node
        if not present and node is not None and node.state == WAIT and not self._absent:
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


# What any attribute of such a model holds.
_ANY_OBJECT: Final = Type(DYNAMIC, resolve=lambda ref: DynamicModel)
