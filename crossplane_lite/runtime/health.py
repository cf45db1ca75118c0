"""gRPC's health service, `grpc.health.v1.Health`, which tells clients and Kubernetes whether the server is healthy.

Source: "GRPC Health Checking Protocol" in the documentation of grpc/grpc, and its file health.proto. The methods
`Check` and `List` are served. `Watch` is answered with UNIMPLEMENTED, because each of its streams would occupy a
thread. By the protocol, clients then work without health checks.

The messages have only strings and numbers, so their bytes are read and written here, without message classes.
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
"""The beginning of the paths of all methods of the service."""

_SERVICES: Final = ("", V1_SERVICE, V1BETA1_SERVICE)
_SERVING: Final = 1
_NOT_SERVING: Final = 2


def method(path: str, healthy: Callable[[], bool]) -> Quick | None:
    """Return the function that answers a method of the health service: it takes and returns bytes.

    Args:
        path: The method's path, such as `/grpc.health.v1.Health/Check`.
        healthy: Returns whether the server is healthy.

    Returns:
        The function; None if the service has no such method, or the method isn't implemented here. The function for
        `Check` raises Refused for a malformed request, and for a service that isn't served.
    """

    def response() -> bytes:
        """Return the bytes of a HealthCheckResponse."""
        return bytes([0x08, _SERVING if healthy() else _NOT_SERVING])

    def check(request: bytes) -> bytes:
        service = _service(request)
        if service not in _SERVICES:
            names = ", ".join(_SERVICES[1:])
            raise Refused(status.NOT_FOUND, f"there is no service {service[:200]}; ask for {names} or an empty name")
        return response()

    def list_all(_: bytes) -> bytes:
        value = response()
        entries = [_field(_field(name.encode()) + _field(value, 2)) for name in _SERVICES]
        return b"".join(entries)

    return {f"{PREFIX}Check": check, f"{PREFIX}List": list_all}.get(path)


def _field(content: bytes, number: int = 1) -> bytes:
    """Return an encoded field: its number, its length and `content`, a string or message of less than 128 bytes."""
    return bytes([number << 3 | 2, len(content)]) + content


def _service(request: bytes) -> str:
    """Return the field `service` of a HealthCheckRequest; an empty string if it isn't set.

    Raises:
        Refused: The bytes aren't a HealthCheckRequest.
    """
    if not request:
        return ""
    # Names of services are short, so their length takes one byte or two.
    size, at = (request[1], 2) if len(request) > 1 else (0, 0)
    if size > 127 and len(request) > 2:
        size, at = size - 128 + (request[2] << 7), 3
    if request[0] != 0x0A or len(request) != at + size:
        raise Refused(status.INVALID_ARGUMENT, "the request is not a HealthCheckRequest")
    return request[at:].decode("utf-8", "replace")
