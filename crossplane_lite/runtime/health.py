"""gRPC's health service, `grpc.health.v1.Health`: whether it makes sense to send calls, or to start the process again.

Source: "GRPC Health Checking Protocol" in the documentation of grpc/grpc, and its file health.proto. `Check` and `List`
are answered. `Watch` is UNIMPLEMENTED, after which clients call as if they had not asked, as the protocol says. Each of
its streams would hold a thread.

The messages are strings and numbers, so no message classes take part here either.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ..proto import V1_SERVICE, V1BETA1_SERVICE
from .transports import status
from .transports.status import Refused

if TYPE_CHECKING:
    from .transports import Quick

__all__ = ["PREFIX", "method"]

PREFIX: Final = "/grpc.health.v1.Health/"
"""What the paths of its methods begin with."""

_SERVICES: Final = ("", V1_SERVICE, V1BETA1_SERVICE)
_SERVING: Final = 1
_NOT_SERVING: Final = 2


def method(path: str, healthy: Callable[[], bool]) -> Quick | None:
    """Return what answers a method of the service, None where there is no such method."""

    def response() -> bytes:
        """Return a HealthCheckResponse."""
        return bytes([0x08, _SERVING if healthy() else _NOT_SERVING])

    def check(request: bytes) -> bytes:
        service = _service(request)
        if service not in _SERVICES:
            raise Refused(status.NOT_FOUND, f"there is no service {service[:200]}")
        return response()

    def list_all(_: bytes) -> bytes:
        value = response()
        entries = [_field(_field(name.encode()) + _field(value, 2)) for name in _SERVICES]
        return b"".join(entries)

    return {f"{PREFIX}Check": check, f"{PREFIX}List": list_all}.get(path)


def _field(content: bytes, number: int = 1) -> bytes:
    """Return a short field of a message."""
    return bytes([number << 3 | 2, len(content)]) + content


def _service(request: bytes) -> str:
    """Return the field `service` of a HealthCheckRequest.

    Raises:
        Refused: It isn't a HealthCheckRequest.
    """
    if not request:
        return ""
    # Names of services are short, so the length is one byte, or two.
    size, at = (request[1], 2) if len(request) > 1 else (0, 0)
    if size > 127 and len(request) > 2:
        size, at = size - 128 + (request[2] << 7), 3
    if request[0] != 0x0A or len(request) != at + size:
        raise Refused(status.INVALID_ARGUMENT, "not a HealthCheckRequest")
    return request[at:].decode("utf-8", "replace")
