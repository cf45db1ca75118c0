"""The gRPC server: raw request bytes in, raw response bytes out.

No message classes take part here: gRPC hands over what came from the wire, and the function answers with what
goes out. One handler serves v1 and v1beta1, because their messages are the same on the wire.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from concurrent import futures
from typing import Any, Final

import grpc

from ..errors import InputError, WireError
from ..proto import METHOD, V1_SERVICE, V1BETA1_SERVICE

__all__ = ["GRACE_SECONDS", "Server"]

GRACE_SECONDS: Final = 25
"""How long running calls may take after a signal to stop; Kubernetes kills a pod after 30 seconds."""

# Status texts travel in HTTP/2 headers, which peers limit to 8 KB and less.
_MAX_STATUS_TEXT: Final = 1000

_log = logging.getLogger(__name__)

Run = Callable[[bytes], bytes]


class Server:
    """A server for one function.

    Args:
        run: The function, request bytes to response bytes. What it raises but for WireError is a defect.
        threads: How many calls may run at the same time; others wait.
        max_receive_bytes: A larger request is answered with RESOURCE_EXHAUSTED.
        max_send_bytes: The same for the response; None for no limit.
    """

    def __init__(
        self, run: Run, *, threads: int = 32, max_receive_bytes: int = 4 << 20, max_send_bytes: int | None = None
    ) -> None:
        self._run = _logged(run) if _log.isEnabledFor(logging.DEBUG) else run
        # One entry per running call: a list, because its append and pop need no lock of ours.
        self._running: list[None] = []
        self._bound: list[dict[str, Any]] = []
        self._server = grpc.server(
            futures.ThreadPoolExecutor(threads, thread_name_prefix="call"),
            options=(
                ("grpc.max_receive_message_length", max_receive_bytes),
                ("grpc.max_send_message_length", -1 if max_send_bytes is None else max_send_bytes),
                # Otherwise a second server on the same port starts without complaint and takes half of the calls.
                ("grpc.so_reuseport", 0),
            ),
        )
        method = grpc.unary_unary_rpc_method_handler(self._handle)
        self._server.add_generic_rpc_handlers(
            tuple(
                grpc.method_handlers_generic_handler(service, {METHOD: method})
                for service in (V1_SERVICE, V1BETA1_SERVICE)
            )
        )

    def listen(self, address: str, credentials: Any = None) -> str:
        """Bind to an address.

        Args:
            address: `host:port`; port 0 takes a free one. A wildcard host means IPv4 and IPv6.
            credentials: gRPC server credentials; None serves without transport security.

        Returns:
            The address with the port that was taken.

        Raises:
            InputError: It can't listen there.
        """
        host = _host(address)
        if host is not None:
            _check_free(address)
        try:
            if credentials is None:
                port = self._server.add_insecure_port(address)
            else:
                port = self._server.add_secure_port(address, credentials)
        except RuntimeError:
            port = 0
        if not port:  # gRPC says why on stderr, and nowhere else
            raise InputError(f"can't listen on {address}: it is in use, not allowed or not an address of this machine")
        bound = address if host is None else f"{host}:{port}"
        self._bound.append({"address": bound, "tls": credentials is not None})
        return bound

    def start(self) -> None:
        """Answer calls from now on, in other threads."""
        self._server.start()

    def stop(self, grace: float) -> bool:
        """Refuse new calls and give the running ones `grace` seconds to end.

        Returns:
            Whether all ended. A call whose caller has gone away counts until compose() returns.
        """
        deadline = time.monotonic() + grace
        self._server.stop(grace).wait()
        while self._running and time.monotonic() < deadline:
            time.sleep(0.01)
        return not self._running

    def serve(self, grace: float = GRACE_SECONDS) -> None:
        """Answer calls until SIGTERM or SIGINT, then let the running ones finish. Must run in the main thread.

        A second signal ends the process at once.

        Args:
            grace: Seconds that running calls get. The process ends with status 1 when some take longer.
        """
        # The signal's number comes through a pipe that the interpreter itself writes to. A handler in Python would not
        # run until the read below is over, when the signal came just before it began.
        wake, poke = os.pipe()
        os.set_blocking(poke, False)
        signal.set_wakeup_fd(poke)

        def on_signal(number: int, _frame: object) -> None:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_DFL)

        signal.signal(signal.SIGTERM, on_signal)
        signal.signal(signal.SIGINT, on_signal)
        self.start()
        for where in self._bound:
            _log.info("serving", extra=where)
        while (number := os.read(wake, 1)[0]) not in (signal.SIGTERM, signal.SIGINT):
            pass  # somebody else's signal, whose handler has run
        _log.info("stopping", extra={"signal": signal.Signals(number).name, "grace_seconds": grace})
        if not self.stop(grace):
            _log.warning("calls were still running after %g seconds", grace)
            sys.stderr.flush()
            # Leaving the interpreter the usual way would wait for their threads.
            os._exit(1)
        _log.info("stopped")

    def _handle(self, request: bytes, context: Any) -> bytes:
        self._running.append(None)
        try:
            return self._run(request)
        except WireError as e:
            _log.warning("malformed request: %s", e)
            code, text = grpc.StatusCode.INVALID_ARGUMENT, str(e)
        except BaseException:
            # The function turns its own failures into results, so this is a defect. Its text may hold anything.
            _log.exception("a call failed outside of compose()")
            code, text = grpc.StatusCode.INTERNAL, "the function failed; its log says why"
        finally:
            self._running.pop()
        context.abort(code, text[:_MAX_STATUS_TEXT])
        return b""  # abort() raises


def _host(address: str) -> str | None:
    """Return the host of `host:port`, None for a Unix socket.

    gRPC itself listens on something else than asked for when a port is missing or too large.
    """
    if address.startswith(("unix:", "unix-abstract:")):
        return None
    host, _, port = address.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    if not host or (":" in host and not bracketed) or not port.isdecimal() or int(port) > 65535:
        raise InputError(f"{address!r} is not an address to listen on, for example 0.0.0.0:9443")
    return host


def _check_free(address: str) -> None:
    """Refuse a port that something listens on already, before gRPC does, which writes lines of its own about it."""
    import errno
    import socket

    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    if not int(port):
        return
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            if os.name != "nt":  # where it would let two share the port
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, int(port)))
    except OSError as error:  # of all else gRPC is the judge
        if error.errno == errno.EADDRINUSE:
            raise InputError(
                f"can't listen on {address}: another process listens there; end it, or choose another port with "
                "--address, 0 for a free one"
            ) from None


def _logged(run: Run) -> Run:
    def timed(request: bytes) -> bytes:
        start = time.perf_counter()
        sizes = {"request_bytes": len(request)}
        try:
            response = run(request)
            sizes["response_bytes"] = len(response)
            return response
        finally:
            milliseconds = round((time.perf_counter() - start) * 1000, 3)
            _log.debug("call", extra={"milliseconds": milliseconds, **sizes})

    return timed
