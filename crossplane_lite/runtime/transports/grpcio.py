"""The transport that uses the package grpcio: gRPC's core in C++, and a pool of threads."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

import grpc

from ...errors import InputError
from ...proto import METHOD, V1_SERVICE, V1BETA1_SERVICE
from .. import addresses
from . import GRPCIO, Handle, Others, status

if TYPE_CHECKING:
    from ..tls import Certificates, Files
    from .budget import Limits

__all__ = ["GrpcioTransport"]

# The most threads for calls that are arriving or wait for their turn. Each costs memory; further
# calls wait in a queue.
_MOST_RECEIVING: Final = 256

# For a caller without a deadline, grpcio's deadline is some hundred years away.
_FOREVER: Final = 10 * 365 * 86400.0

_PATHS: Final = frozenset(f"/{service}/{METHOD}" for service in (V1_SERVICE, V1BETA1_SERVICE))
_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}


class GrpcioTransport(grpc.GenericRpcHandler):  # type: ignore[misc]
    """The transport that serves with `grpc.server`.

    Args:
        handle: Answers calls of RunFunction; None if RunFunction isn't served.
        limits: The server's limits. grpcio has no options for `connections` and `memory`. `streams`
            isn't passed on: with a limit of 100, grpcio also refuses calls of clients that make
            only 64 calls at a time.
        others: Returns the functions that answer other methods.
        certificates: The certificates for mutual TLS; None serves without transport security.
    """

    name = GRPCIO
    why = ""

    def __init__(
        self,
        handle: Handle | None,
        limits: Limits,
        others: Others,
        certificates: Certificates | None = None,
    ) -> None:
        self._credentials = None if certificates is None else _credentials(certificates)
        self._limits = limits
        # grpcio receives the request of a call in the call's thread. So there are more threads than
        # calls that may run: otherwise peers that don't finish their requests would stop the
        # server.
        self._turns = threading.Semaphore(limits.threads)
        calls = limits.threads + limits.waiting
        receiving = limits.threads + min(limits.waiting, _MOST_RECEIVING)
        # when the request of a call must be there, and then its deadline
        self._until: dict[Any, float] = {}
        self._waiting: list[None] = []  # one entry for each call that waits
        self._threads = ThreadPoolExecutor(receiving, "call")
        self._server = grpc.server(
            self._threads,
            maximum_concurrent_rpcs=calls,
            options=(
                ("grpc.max_receive_message_length", limits.receive_bytes),
                (
                    "grpc.max_send_message_length",
                    -1 if limits.send_bytes is None else limits.send_bytes,
                ),
                # Otherwise a second server could start on the same port, and would take half of the
                # calls.
                ("grpc.so_reuseport", 0),
                ("grpc.max_metadata_size", limits.header_bytes),
                ("grpc.server_handshake_timeout_ms", int(limits.handshake_seconds * 1000)),
                ("grpc.keepalive_time_ms", int(limits.keepalive_seconds * 1000)),
                ("grpc.keepalive_timeout_ms", int(limits.keepalive_timeout_seconds * 1000)),
                ("grpc.keepalive_permit_without_calls", 1),
                # Peers may ping every ten seconds, like with the transport h2. grpcio's default is
                # five minutes.
                ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
            ),
        )
        self._handle = handle
        self._others = others
        self._server.add_generic_rpc_handlers((self,))

    def service(self, handler_call_details: Any) -> Any:
        """Return what answers the method of a call; None if there is no such method. gRPC calls
        this.

        Methods other than RunFunction don't count for `Limits.threads`, so they don't wait for
        calls.
        """
        path = handler_call_details.method
        if path in _PATHS:
            return (
                None if self._handle is None else grpc.stream_unary_rpc_method_handler(self._answer)
            )
        quick = self._others(path)
        if quick is None:
            return None

        def answer(requests: Iterator[bytes], context: Any) -> bytes:
            try:
                return quick(_only(requests))
            except status.Refused as e:
                return _abort(context, e)

        return grpc.stream_unary_rpc_method_handler(answer)

    @property
    def waiting(self) -> int:
        """The number of calls that have arrived and wait for others to end. Calls in grpcio's own
        queue don't count.
        """
        return len(self._waiting)

    def listen(self, address: str) -> str:
        """Listen on an address, and return the address with the port that was taken.

        Args:
            address: `host:port` or `unix:path`. Port 0 takes a free port.

        Raises:
            InputError: The address is wrong, or the server can't listen on it.
        """
        where = addresses.parse(address)
        if where.port:  # otherwise gRPC would print lines of its own about a port that is used
            for sock in addresses.listening(where):
                sock.close()
        port = 0
        with contextlib.suppress(RuntimeError):
            if self._credentials is None:
                port = self._server.add_insecure_port(where.text)
            else:
                port = self._server.add_secure_port(where.text, self._credentials)
        if not port:  # gRPC prints the reason to stderr, and doesn't return it
            raise InputError(
                f"can't listen on {address}: it is in use, not allowed, or not an address of this"
                " machine; gRPC's lines on stderr say more"
            )
        return where.bound(port)

    def start(self) -> None:
        """Answer calls from now on, in other threads."""
        self._server.start()

    def stop(self, grace: float) -> None:
        """Refuse new calls, wait for the running calls for at most `grace` seconds, and end the
        transport.
        """
        self._server.stop(grace).wait()
        self._threads.shutdown(wait=False)

    def look(self) -> None:
        """Cancel calls whose requests take too long to arrive, or whose deadline by the server's
        limits is over.
        """
        now = time.monotonic()
        for context, until in self._until.copy().items():
            if until <= now:
                context.cancel()

    def _answer(self, requests: Iterator[bytes], context: Any) -> bytes:
        """Wait for the call's request and its turn, and answer it.

        The request is read as a stream, so that `look` can cancel calls whose requests arrive
        slowly.
        """
        assert self._handle is not None
        now = time.monotonic()
        left = context.time_remaining()
        self._until[context] = now + self._limits.request_seconds
        try:
            request = _only(requests)
            self._until[context] = until = now + self._limits.seconds_for(
                left if left < _FOREVER else None
            )
            self._waiting.append(None)
            with self._turns:
                self._waiting.pop()
                # The caller may have gone while the call waited for its turn.
                return self._handle(request, until) if context.is_active() else b""
        except status.Refused as e:
            return _abort(context, e)
        finally:
            del self._until[context]


def _only(requests: Iterator[bytes]) -> bytes:
    """Return the one message of a request, when the request is over."""
    request = next(requests, None)
    if request is None:
        raise status.Refused(status.UNIMPLEMENTED, status.NO_MESSAGE)
    if next(requests, None) is not None:
        raise status.Refused(status.INTERNAL, status.TWO_MESSAGES)
    return request


def _abort(context: Any, error: status.Refused) -> bytes:
    context.abort(_CODES[error.code], error.text)
    return b""  # abort() raises


def _credentials(certificates: Certificates) -> Any:
    """Return gRPC credentials that demand a client certificate, and read the files again at every
    handshake.
    """

    used = certificates.files

    def fetch() -> Any:
        """Return a new configuration for this handshake and all later handshakes; None if the files
        haven't changed.
        """
        nonlocal used
        certificates.changed()
        # a handshake on another port may have read the new version already
        files = certificates.files
        if files is used:
            return None
        used = files
        return _configuration(files)

    return grpc.dynamic_ssl_server_credentials(
        _configuration(used), fetch, require_client_authentication=True
    )


def _configuration(files: Files) -> Any:
    return grpc.ssl_server_certificate_configuration(
        [(files.key, files.certificate)], root_certificates=files.ca
    )
