"""Setting and deleting a field of a model.

The value of a set field is in the instance's dict. A field that isn't there is unset.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from .adopt import adopt
from .node import HELD_NODE, WAIT
from .overlay import over_source
from .shape import ModelShape

if TYPE_CHECKING:
    from .model import Model

__all__ = ["delete_field", "set_field"]


def set_field(self: Model, name: str, value: Any) -> None:
    """Set a field. None and UNSET remove the set value, so that the value of previous functions is read again.

    Raises UnknownFieldError, ReadOnlyError if the model is observed state, and UsageError if the field can't hold the
    value.
    """
    field = self.__wire_fields__.get(name)
    if field is None:
        raise self._unknown(name)
    node = self._node
    if node is not None and node.state >= WAIT:
        raise node.read_only(f".{name}")
    if name in self._fixed:
        self._check_fixed(name, value)
        return
    if value is not None and self.__dict__.get(name) is value:
        return  # `model.items += [...]` assigns the list that was read and has attached itself
    kept = value if type(value) in field.takes else adopt(field.type, value, (self, field.wire))
    if kept is None:
        self.__dict__.pop(name, None)
    elif node is not None and node.deleted is not None and name in node.deleted:
        self.__dict__[name] = kept  # set after a deletion: it replaces the old value and doesn't merge
    elif node is not None and node.raw is not None and isinstance(kept, (ModelShape, dict)):
        self.__dict__[name] = over_source(node, field.wire, field.type, kept)
    else:
        self.__dict__[name] = kept
    if node is not None:
        if kept is None and node.deleted is not None:
            node.deleted.discard(name)
        node.written(self, name)


def delete_field(self: Model, name: str) -> None:
    """Delete a field. It then reads as if nothing had set it, and the value of previous functions is removed.

    A field that isn't set can be deleted, too. Raises UnknownFieldError, ReadOnlyError if the model is observed state,
    and UsageError for a fixed field, such as apiVersion.
    """
    if self.__wire_fields__.get(name) is None:
        raise self._unknown(name)
    node = self._node
    if node is None or node is HELD_NODE:
        node = self._own_node()
    if node.state >= WAIT:
        raise node.read_only(f".{name}")
    if name in self._fixed:
        raise UsageError(f"{type(self).__name__}.{name} is fixed and can't be deleted")
    self.__dict__.pop(name, None)
    if node.deleted is None:
        node.deleted = set()
    node.deleted.add(name)
    node.written(self, name)
