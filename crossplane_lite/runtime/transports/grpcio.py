"""The transport of grpcio: gRPC's core in C++, with a pool of threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import grpc

from ...errors import InputError
from ...proto import METHOD, V1_SERVICE, V1BETA1_SERVICE
from .. import address as addresses
from . import GRPCIO, Handle, status
from .threads import Threads

if TYPE_CHECKING:
    from ..tls import Certificates, Files
    from .limits import Limits

__all__ = ["GrpcioTransport", "credentials"]

# Status texts travel in HTTP/2 headers, which peers limit to 8 KB and less.
_MAX_STATUS_TEXT: Final = 1000

# Threads for calls that are received or wait for their turn. They cost memory; more calls queue up before them.
_MOST_RECEIVING: Final = 256

_CODES: Final = {code.value[0]: code for code in grpc.StatusCode}


class GrpcioTransport:
    """Serves with `grpc.server`.

    Args:
        handle: Answers a request.
        limits: How much of everything. `connections` and `request_memory` are nothing that grpcio can be told. Nor is
            `streams`: with a limit of 100 it refuses streams of clients that keep to it, 64 at a time.
    """

    name = GRPCIO

    def __init__(self, handle: Handle, limits: Limits) -> None:
        self._handle = handle
        self._limits = limits
        # A call has a thread from its headers on, because grpcio receives the request in it. So there are more threads
        # than calls that may run: peers that don't finish their requests would stop the server otherwise.
        self._turns = threading.Semaphore(limits.threads)
        calls = limits.threads + limits.waiting
        receiving = limits.threads + min(limits.waiting, _MOST_RECEIVING)
        self._threads = Threads(receiving)
        self._watch = _Watch(limits.request_seconds)
        self._server = grpc.server(
            self._threads,
            maximum_concurrent_rpcs=calls,
            options=(
                ("grpc.max_receive_message_length", limits.receive_bytes),
                ("grpc.max_send_message_length", -1 if limits.send_bytes is None else limits.send_bytes),
                # Otherwise a second server on the same port starts without complaint and takes half of the calls.
                ("grpc.so_reuseport", 0),
                ("grpc.max_metadata_size", limits.header_bytes),
                ("grpc.server_handshake_timeout_ms", int(limits.handshake_seconds * 1000)),
                ("grpc.keepalive_time_ms", int(limits.keepalive_seconds * 1000)),
                ("grpc.keepalive_timeout_ms", int(limits.keepalive_timeout_seconds * 1000)),
                ("grpc.keepalive_permit_without_calls", 1),
                # Peers may ping every ten seconds, as they may with h2. The default is five minutes.
                ("grpc.http2.min_ping_interval_without_data_ms", 10_000),
            ),
        )
        method = grpc.stream_unary_rpc_method_handler(self._answer)
        self._server.add_generic_rpc_handlers(
            tuple(
                grpc.method_handlers_generic_handler(service, {METHOD: method})
                for service in (V1_SERVICE, V1BETA1_SERVICE)
            )
        )

    def listen(self, address: str, certificates: Certificates | None) -> str:
        """Bind to an address and return it with the port that was taken.

        Raises:
            InputError: It can't listen there.
        """
        where = addresses.parse(address)
        addresses.check_free(where, address)
        try:
            if certificates is None:
                port = self._server.add_insecure_port(address)
            else:
                # Who calls runtime.serve() may have made gRPC's credentials themselves.
                follows = hasattr(certificates, "changed")
                port = self._server.add_secure_port(address, credentials(certificates) if follows else certificates)
        except RuntimeError:
            port = 0
        if not port:  # gRPC says why on stderr, and nowhere else
            raise InputError(f"can't listen on {address}: it is in use, not allowed or not an address of this machine")
        return address if where.path else f"{address.rpartition(':')[0]}:{port}"

    def start(self) -> None:
        """Answer calls from now on, in other threads."""
        self._watch.start()
        self._server.start()

    def stop(self, grace: float) -> None:
        """Refuse new calls, and return when the running ones are answered or `grace` seconds are over."""
        self._server.stop(grace).wait()
        self._threads.shutdown()

    def _answer(self, requests: Iterator[bytes], context: Any) -> bytes:
        try:
            return self._answer_in_turn(requests, context)
        finally:
            self._threads.nearly_done()

    def _answer_in_turn(self, requests: Iterator[bytes], context: Any) -> bytes:
        request = self._receive(requests, context)
        with self._turns:
            if not context.is_active():  # the caller has gone while the call waited for its turn
                return b""
            try:
                return self._handle(request)
            except status.Refused as e:
                code, text = e.code, e.text
        context.abort(_CODES[code], text[:_MAX_STATUS_TEXT])
        return b""  # abort() raises

    def _receive(self, requests: Iterator[bytes], context: Any) -> bytes:
        """Return the call's one message. It is only taken as a stream so that it can be watched meanwhile."""
        self._watch.begin(context)
        try:
            for request in requests:
                return request
        finally:
            self._watch.end(context)
        context.abort(grpc.StatusCode.UNIMPLEMENTED, "the call has no message")
        return b""  # abort() raises


def credentials(certificates: Certificates) -> Any:
    """Return gRPC credentials that follow the files and demand a client certificate."""

    def fetch() -> Any:
        """Return what gRPC shall use from this handshake on, None for what it uses already."""
        return _configuration(certificates.files) if certificates.changed() else None

    return grpc.dynamic_ssl_server_credentials(
        _configuration(certificates.files), fetch, require_client_authentication=True
    )


def _configuration(files: Files) -> Any:
    return grpc.ssl_server_certificate_configuration([(files.key, files.certificate)], root_certificates=files.ca)


class _Watch:
    """Ends calls whose requests take too long to arrive. It looks once a second, and not at all while there are none.

    Args:
        seconds: How long a request may take.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._begun: dict[Any, float] = {}  # the earliest first
        self._some = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._look, name="requests", daemon=True).start()

    def begin(self, context: Any) -> None:
        self._begun[context] = time.monotonic()
        if not self._some.is_set():  # setting it takes a lock
            self._some.set()

    def end(self, context: Any) -> None:
        del self._begun[context]

    def _look(self) -> None:
        while True:
            self._some.wait()
            time.sleep(min(1.0, self._seconds))
            self._some.clear()
            if self._begun:  # read after clear(), so that a call which begins meanwhile isn't missed
                self._some.set()
            latest = time.monotonic() - self._seconds
            for context, since in self._begun.copy().items():
                if since > latest:
                    break
                context.cancel()
