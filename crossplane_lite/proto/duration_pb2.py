"""The class `Duration` for this package's messages. Use this module instead of
`google.protobuf.duration_pb2`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _build

if TYPE_CHECKING:
    from .v1.run_function_pb2 import _Duration as Duration
else:
    Duration = _build.google_message("Duration")

__all__ = ["Duration"]
