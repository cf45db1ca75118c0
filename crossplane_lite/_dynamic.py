"""Objects without a schema, as models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _types
from .model import Model

__all__ = ["DynamicModel"]


class DynamicModel(Model):
    """An object without a schema: any attribute can be read and set, and any name by item access."""

    __wire_fields__ = _types.DynamicFields()
    __wire_keys__ = _types.DynamicKeys()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...
        def __delattr__(self, name: str) -> None: ...

    def __getitem__(self, name: str) -> Any:
        return self.__dict__[name] if name in self.__dict__ else self._read_field(name)

    def __setitem__(self, name: str, value: Any) -> None:
        self._set_field(name, value)

    def __delitem__(self, name: str) -> None:
        self._delete_field(name)

    def __contains__(self, name: object) -> bool:
        return name in set(self)

    def __iter__(self) -> Any:
        if not bool(self):  # a guess, where it may still come
            return iter(())
        node = self._node
        inherited = [] if node is None else [name for name in node.fields if name not in (node.deleted or ())]
        return iter(dict.fromkeys([*inherited, *self.__dict__]))

    def __len__(self) -> int:
        return len(list(self))
