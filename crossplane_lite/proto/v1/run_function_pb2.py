"""The messages and enums of `apiextensions.fn.proto.v1`, under the names that a generated module
has.

These names are the message classes, the enums, the enums' values such as `READY_TRUE`, and
`DESCRIPTOR`. Structs in the messages are instances of `crossplane_lite.proto.struct_pb2.Struct`.
`crossplane_lite.proto` says how to convert messages of the official SDK to these messages, and
back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _build

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(_build.names(__name__, "v1"))
