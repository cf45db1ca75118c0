"""The private descriptor pool, and the messages that split a Struct one level at a time."""

from __future__ import annotations

import threading
from typing import Any, Final

from google.protobuf import descriptor
from google.protobuf.message import DecodeError, Message

from ._serialised import LEVEL

__all__ = ["DecodeError", "Level", "ListLevel", "ValueLevel", "add_file", "file_descriptor", "message_class"]

# protobuf's modules descriptor_pool and message_factory load the whole implementation in Python, also where the one in
# C does the work: a tenth of the time that a server takes to start. So this module does itself the two things that it
# needs of them: an empty pool, and a class of the metaclass for each message.
_NATIVE: Final[Any] = getattr(descriptor, "_message", None)
"""protobuf's implementation in C; None with PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION=python."""


def _empty_pool() -> Any:
    if _NATIVE is not None:
        return _NATIVE.DescriptorPool()
    from google.protobuf import descriptor_pool

    return descriptor_pool.DescriptorPool()


_POOL: Final = _empty_pool()


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
    return _class_of(_POOL.FindMessageTypeByName(full_name))


_classes: Final[dict[str, Any]] = {}
_lock: Final = threading.RLock()


def _class_of(found: Any) -> Any:
    if _NATIVE is None:
        from google.protobuf import message_factory

        return message_factory.GetMessageClass(found)
    with _lock:
        made = _classes.get(found.full_name)
        if made is None:
            made = _NATIVE.MessageMeta(found.name, (Message,), {"DESCRIPTOR": found, "__module__": None})
            _classes[found.full_name] = made
            for field in found.fields:
                if field.message_type is not None:
                    _class_of(field.message_type)
        return made


add_file(LEVEL)

Level: Final = message_class("crossplane_lite.view.Level")
"""A Struct whose values are left as bytes: `fields` maps each key to the bytes of its Value."""

ListLevel: Final = message_class("crossplane_lite.view.ListLevel")
"""A ListValue whose values are left as bytes: `values` holds the bytes of each Value."""

ValueLevel: Final = message_class("crossplane_lite.view.ValueLevel")
"""A Value whose `struct_value` and `list_value` are left as bytes."""
