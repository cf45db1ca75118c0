"""The private descriptor pool, and the messages that split a Struct one level at a time."""

from __future__ import annotations

from typing import Any, Final

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.message import DecodeError

from ._serialised import LEVEL

__all__ = ["DecodeError", "Level", "ListLevel", "ValueLevel", "add_file", "file_descriptor", "message_class"]

_POOL: Final = descriptor_pool.DescriptorPool()


def add_file(serialised: bytes) -> None:
    """Add a serialised FileDescriptorProto to the pool."""
    _POOL.AddSerializedFile(serialised)


def file_descriptor(name: str) -> Any:
    """Return the descriptor of a file that was added."""
    return _POOL.FindFileByName(name)


def message_class(full_name: str) -> Any:
    """Return the class of a message in the pool.

    The type is Any: protobuf makes these classes while the program runs.
    """
    return message_factory.GetMessageClass(_POOL.FindMessageTypeByName(full_name))


add_file(LEVEL)

Level: Final = message_class("crossplane_lite.view.Level")
"""A Struct whose values are left as bytes: `fields` maps each key to the bytes of its Value."""

ListLevel: Final = message_class("crossplane_lite.view.ListLevel")
"""A ListValue whose values are left as bytes: `values` holds the bytes of each Value."""

ValueLevel: Final = message_class("crossplane_lite.view.ValueLevel")
"""A Value whose `struct_value` and `list_value` are left as bytes."""
