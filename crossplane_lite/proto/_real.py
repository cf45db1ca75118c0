"""The messages for users, in which Structs are messages and not bytes. They are made when a `_pb2` module is imported.

These modules are `run_function_pb2`, `struct_pb2` and `duration_pb2`.
"""

from __future__ import annotations

import threading
from typing import Any, Final

from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

from . import _build, _pool

__all__ = ["google_message", "names", "null_value"]

_lock: Final = threading.Lock()
_shared: list[bool] = []


def _add_google_types() -> None:
    """Add our copies of google.protobuf's Struct and Duration to the pool, if they aren't there yet."""
    with _lock:
        if not _shared:
            _pool.add_file(_build.struct_file())
            _pool.add_file(_build.duration_file())
            _shared.append(True)


def google_message(name: str) -> Any:
    """Return the class of our copy of a google.protobuf message: `Struct`, `Value`, `ListValue` or `Duration`."""
    _add_google_types()
    return _pool.message_class(f"google.protobuf.{name}")


def null_value() -> Any:
    """Return the wrapper of our copy of google.protobuf's enum `NullValue`, such as generated modules have."""
    return EnumTypeWrapper(google_message("Value").DESCRIPTOR.fields_by_name["null_value"].enum_type)


def names(module: str, version: str) -> dict[str, Any]:
    """Return the contents of a module `run_function_pb2` by name: DESCRIPTOR, message classes, enums, enum values.

    Call this once for each version, because it adds the version's file to the pool.

    Args:
        module: The module's full name, for `__module__` of the message classes.
        version: `v1` or `v1beta1`.
    """
    _add_google_types()
    _pool.add_file(_build.protocol_file(version))
    file = _pool.file_descriptor(_build.protocol_name(version))
    found: dict[str, Any] = {"DESCRIPTOR": file}
    for name, descriptor in file.message_types_by_name.items():
        found[name] = _pool.message_class(descriptor.full_name)
        found[name].__module__ = module
    for name, enum in file.enum_types_by_name.items():
        found[name] = EnumTypeWrapper(enum)
        found.update((value.name, value.number) for value in enum.values)
    return found
