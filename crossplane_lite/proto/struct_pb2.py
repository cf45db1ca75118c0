"""The classes `Struct`, `Value` and `ListValue` for this package's messages.

Use this module instead of `google.protobuf.struct_pb2`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from . import _build

if TYPE_CHECKING:
    from .v1.run_function_pb2 import _ListValue as ListValue
    from .v1.run_function_pb2 import _Struct as Struct
    from .v1.run_function_pb2 import _Value as Value
else:
    ListValue, Struct, Value = map(_build.google_message, ("ListValue", "Struct", "Value"))

__all__ = ["NULL_VALUE", "ListValue", "NullValue", "Struct", "Value"]

NullValue: Final = _build.null_value()
"""The enum of `Value.null_value`. Its only value is NULL_VALUE."""

NULL_VALUE: Final[int] = 0
"""The number that `Value.null_value` has for null."""
