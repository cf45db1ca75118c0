"""The private descriptor pool, and the messages with which protobuf parses a Struct one level at a
time.
"""

from __future__ import annotations

import threading
from typing import Any, Final

from google.protobuf import descriptor
from google.protobuf.message import Message

# protobuf's modules descriptor_pool and message_factory import the implementation in Python even if
# the one in C does the work. That takes a tenth of a server's start. So with the implementation in
# C, this module makes the pool and the message classes without them.
_NATIVE: Final[Any] = getattr(descriptor, "_message", None)
"""protobuf's implementation in C; None if protobuf uses its implementation in Python."""


def _empty_pool() -> Any:
    if _NATIVE is not None:
        return _NATIVE.DescriptorPool()
    from google.protobuf import descriptor_pool

    return descriptor_pool.DescriptorPool()


_POOL: Final = _empty_pool()


def add_file(serialised: bytes) -> None:
    """Add a protobuf file to the pool. `serialised` is its serialised FileDescriptorProto."""
    _POOL.AddSerializedFile(serialised)


def file_descriptor(name: str) -> Any:
    """Return the descriptor of a file that `add_file` has added, by the file's name.

    Raises:
        KeyError: No file of this name was added.
    """
    return _POOL.FindFileByName(name)


def message_class(full_name: str) -> Any:
    """Return the class of a message in the pool, by its full name.

    The return type is Any, because protobuf makes these classes while the program runs.

    Raises:
        KeyError: The pool has no message of this name.
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
            made = _NATIVE.MessageMeta(
                found.name, (Message,), {"DESCRIPTOR": found, "__module__": None}
            )
            _classes[found.full_name] = made
            for field in found.fields:
                if field.message_type is not None:
                    _class_of(field.message_type)
        return made


# Serialised as in `_serialised`.
LEVEL: Final = (
    b'\n\x1bcrossplane_lite/level.proto\x12\x14crossplane_lite.view"o\n\x05Level\x127\n\x06fields'
    b"\x18\x01 \x03(\x0b2'~Level.FieldsEntry\x1a-\n\x0bFieldsEntry\x12\x0b\n\x03key\x18\x01 \x01(\t"
    b'\x12\r\n\x05value\x18\x02 \x01(\x0c:\x028\x01"\x1b\n\tListLevel\x12\x0e\n\x06values\x18\x01 '
    b"\x03(\x0cb\x06proto3"
).replace(b"~", b".crossplane_lite.view.")
add_file(LEVEL)

Level: Final = message_class("crossplane_lite.view.Level")
"""A Struct whose values are left as bytes: `fields` maps each key to the bytes of its Value."""

ListLevel: Final = message_class("crossplane_lite.view.ListLevel")
"""A ListValue whose values are left as bytes: `values` holds the bytes of each Value."""
