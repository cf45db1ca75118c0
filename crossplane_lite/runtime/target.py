"""The client with which the guard calls its target, a function on another gRPC server.

In plain text over h2 (`transports.client`), which needs no more memory than the server does; with TLS, and where h2
isn't installed, over grpcio.
"""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterable
from typing import Any, Final

from .._core.base.extras import load
from ..errors import InputError, MissingExtraError
from ..proto import METHOD, V1_SERVICE, V1BETA1_SERVICE
from .transports import GRPCIO, H2, status
from .transports.status import Refused

__all__ = ["Target"]

_MOST_BYTES: Final = 128 << 20
"""The largest answer."""

Call = Callable[[str, bytes, float], bytes]
"""Calls a method: it takes its path, the request and the deadline."""


class Target:
    """Calls a function on a gRPC server. All threads may use it.

    Args:
        address: `host:port` or `unix:path`.
        certificates: A folder with tls.crt, tls.key and ca.crt for mutual TLS; None for plain text.
        server_name: The name in the server's certificate, if it isn't the host.
        transport: `h2` or `grpcio`; None for h2 where it serves, else grpcio. TLS needs grpcio.

    Raises:
        InputError: The address or a certificate is wrong.
        MissingExtraError: The package for the transport isn't installed.
    """

    def __init__(
        self,
        address: str,
        certificates: str | None = None,
        server_name: str = "",
        transport: str | None = None,
    ) -> None:
        self._services = [V1_SERVICE, V1BETA1_SERVICE]
        if certificates is None and transport != GRPCIO:
            try:
                from .transports.client import Connections
            except MissingExtraError:
                if transport == H2:
                    raise
            else:
                self._call: Call = Connections(address, _MOST_BYTES).call
                return
        self._call = _over_grpcio(address, certificates, server_name)

    def call(self, request: bytes, until: float) -> bytes:
        """Call the function, by v1 of the protocol or v1beta1, and return its answer.

        Args:
            request: The bytes of the request.
            until: The deadline, a time by `time.monotonic`.

        Raises:
            Refused: The target answers with a status, or doesn't answer in time, or isn't there.
        """
        service = self._services[0]
        try:
            return self._call(f"/{service}/{METHOD}", request, until)
        except Refused as e:
            if e.code != status.UNIMPLEMENTED or service == self._services[-1]:
                raise
        self._services = self._services[1:]
        return self.call(request, until)


def _over_grpcio(address: str, certificates: str | None, server_name: str) -> Call:
    """Return a function that calls methods over grpcio."""
    grpc: Any = load("grpc", GRPCIO)
    options: list[tuple[str, Any]] = [
        ("grpc.max_send_message_length", -1),
        ("grpc.max_receive_message_length", _MOST_BYTES),
        ("grpc.enable_http_proxy", 0),
    ]
    if certificates is None:
        channel = grpc.insecure_channel(address, options)
    else:
        if server_name:
            options.append(("grpc.ssl_target_name_override", server_name))
        files = _contents(certificates, ("ca.crt", "tls.key", "tls.crt"))
        channel = grpc.secure_channel(address, grpc.ssl_channel_credentials(*files), options)
    methods: dict[str, Any] = {}
    lock = threading.Lock()

    def call(path: str, request: bytes, until: float) -> bytes:
        with lock:
            method = methods.get(path) or methods.setdefault(path, channel.unary_unary(path))
        left = max(until - time.monotonic(), 0.001) if math.isfinite(until) else None
        try:
            answer: bytes = method(request, timeout=left)
        except grpc.RpcError as e:
            text = f"the target {address}: {e.details()}"
            raise Refused(e.code().value[0], text) from None
        return answer

    return call


def _contents(folder: str, names: Iterable[str]) -> list[bytes]:
    found = []
    for name in names:
        path = os.path.join(folder, name)
        try:
            with open(path, "rb") as file:
                found.append(file.read())
        except OSError as e:
            raise InputError(f"{path} can't be read: {e.strerror}") from None
    return found
