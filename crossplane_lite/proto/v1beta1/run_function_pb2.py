"""The messages and enums of `apiextensions.fn.proto.v1beta1`, under their usual names and with real Structs.

The module has each name that a generated module would have: the message classes, the enums, their values such as
`READY_TRUE`, and `DESCRIPTOR`. `crossplane_lite.proto` says how to convert messages from and to those of the official
SDK.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _real

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...


globals().update(_real.names(__name__, "v1beta1"))
