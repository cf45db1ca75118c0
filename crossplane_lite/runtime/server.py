"""The gRPC server of one function, over the transport grpcio or h2: request bytes in, response
bytes out.

No message classes are used here: the transport passes the bytes of a request to the function, and
sends the bytes that the function returns. v1 and v1beta1 are answered in the same way, because
their messages have the same bytes.

gRPC's health service, `grpc.health.v1.Health`, is here, too (source: "GRPC Health Checking
Protocol" in the documentation of grpc/grpc, and its file health.proto). `Check` and `List` are
served. `Watch` is answered with UNIMPLEMENTED, because each of its streams would occupy a thread;
by the protocol, clients then work without health checks. Its messages have only strings and
numbers, so their bytes are read and written without message classes.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, Any, Final

from ..errors import UsageError
from ..proto import V1_SERVICE, V1BETA1_SERVICE
from . import log, transports
from .calls import Calls
from .transports import status
from .transports.budget import GiveBack, Limits
from .transports.status import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .calls import Run
    from .metrics import Metrics
    from .tls import Certificates
    from .transports import Handle, Quick, Transport

__all__ = ["GRACE_SECONDS", "Server", "health_method"]

GRACE_SECONDS: Final = 25
"""How many seconds running calls may take after a signal to stop; Kubernetes kills a pod after 30,
by default.
"""

_log = logging.getLogger(__name__)

_LOOK_SECONDS: Final = 1.0


class Server:
    """A server for one function.

    Args:
        run: The function, which takes request bytes and returns response bytes. It raises WireError
            for a malformed request; any other exception is a bug, and is answered with INTERNAL.
        certificates: The certificates for mutual TLS; None serves without transport security.
        limits: The server's limits.
        transport: `grpcio` or `h2`; None for h2 if it is installed and can serve, else grpcio.
        metrics: Whether calls are counted; `listen_for_metrics` needs this.

    Raises:
        MissingExtraError: The package for the transport or for metrics isn't installed.
        InputError: There is no such transport.
    """

    def __init__(
        self,
        run: Run,
        certificates: Certificates | None = None,
        *,
        limits: Limits = Limits(),  # noqa: B008  # a tuple
        transport: str | None = None,
        metrics: bool = False,
    ) -> None:
        self._limits = limits
        self._certificates = certificates
        self._metrics: Metrics | None = None
        self._calls = Calls(run, limits)
        handle: Handle = self._calls.handle
        if metrics:
            from .metrics import Metrics

            self._metrics = Metrics(self._gauges)
            handle = self._metrics.counted(handle)
        self._transport = transports.make(transport, handle, limits, self._other, certificates)
        self._health: Transport | None = None
        self._bound: list[str] = []
        # For the line that says where it serves.
        self._shown: dict[str, Any] = {
            "tls": certificates is not None,
            "transport": self._transport.name,
        }
        self._shown["why"] = self._transport.why
        self._stopping = False
        self._over = threading.Event()

    @property
    def healthy(self) -> bool:
        """Whether the server isn't stopping, and not too many calls hang."""
        return not self._stopping and self._calls.healthy

    def listen(self, address: str) -> str:
        """Listen on an address, in addition to earlier addresses. Calls are answered after `start`.

        Args:
            address: `host:port` or `unix:path`. Port 0 takes a free port. The hosts `0.0.0.0` and
                `::`, and no host as in `:9443`, stand for all addresses of the machine, IPv4 and
                IPv6.

        Returns:
            The address with the port that was taken.

        Raises:
            InputError: The address is wrong, or the server can't listen on it.
        """
        bound = self._transport.listen(address)
        self._bound.append(bound)
        return bound

    def listen_for_health(self, address: str) -> str:
        """Serve only the health service on another address, without TLS, because the probes of
        Kubernetes lack TLS.

        The argument, the result and the exceptions are those of `listen`.
        """
        if self._health is None:
            few = self._limits._replace(threads=2, waiting=100, connections=100)
            self._health = transports.make(self._transport.name, None, few, self._other)
        bound = self._shown["health_address"] = self._health.listen(address)
        return bound

    def listen_for_metrics(self, address: str) -> str:
        """Serve metrics for Prometheus on another address, over HTTP without TLS.

        Args:
            address: `host:port`; port 0 takes a free port.

        Returns:
            The address with the port that was taken.

        Raises:
            InputError: The address is wrong or is a Unix socket, or the server can't listen on it.
            UsageError: The server was made without metrics.
        """
        if self._metrics is None:
            raise UsageError(
                "the server counts nothing for metrics: make the server with metrics=True"
            )
        bound = self._shown["metrics_address"] = self._metrics.listen(address)
        return bound

    def start(self) -> None:
        """Answer calls from now on, in other threads."""
        self._transport.start()
        if self._health is not None:
            self._health.start()
        threading.Thread(target=self._look, name="look", daemon=True).start()

    def _look(self) -> None:
        """Check calls, connections and certificates about once a second, until the server ends."""
        memory = GiveBack()
        while not self._over.wait(min(_LOOK_SECONDS, self._limits.request_seconds)):
            log.flush()
            memory.look()
            try:
                self._calls.look()
                self._transport.look()
                if self._certificates is not None:
                    self._certificates.look()
            except Exception:
                _log.exception(
                    "the check of calls, connections and certificates has failed; it runs again in"
                    " a second"
                )

    def stop(self, grace: float) -> bool:
        """Refuse new calls, wait until the running calls have ended, for at most `grace` seconds,
        and end the server.

        After the wait, health and metrics aren't served any more.

        Returns:
            Whether all calls have ended. A call whose caller has gone counts until the function
            returns.
        """
        deadline = time.monotonic() + grace
        self._stopping = True
        self._transport.stop(grace)
        while self._calls.running and time.monotonic() < deadline:
            time.sleep(0.01)
        ended = not self._calls.running
        self._over.set()
        if self._health is not None:
            self._health.stop(0)
        if self._metrics is not None:
            self._metrics.close()
        return ended

    def serve(self, grace: float = GRACE_SECONDS) -> None:
        """Answer calls until SIGTERM or SIGINT, then let running calls finish. Call this in the
        main thread.

        A second signal ends the process at once, with the status 128 and the signal's number, as a
        shell shows it.

        Args:
            grace: The most seconds that running calls may take after the signal. If a call takes
                longer, the process exits with status 1.
        """
        # The interpreter itself writes the signal's number into a pipe. With a handler in Python, a
        # signal just before the read below would be noticed only after the read.
        wake, poke = os.pipe()
        os.set_blocking(poke, False)
        signal.set_wakeup_fd(poke)

        def on_signal(_number: int, _frame: object) -> None:
            # Not SIG_DFL: the kernel lets it do nothing in the first process of a container.
            signal.signal(signal.SIGTERM, _end_at_once)
            signal.signal(signal.SIGINT, _end_at_once)

        signal.signal(signal.SIGTERM, on_signal)
        signal.signal(signal.SIGINT, on_signal)
        self.start()
        for address in self._bound:
            _log.info("serving", extra={"address": address, **self._shown})
        while (number := os.read(wake, 1)[0]) not in (signal.SIGTERM, signal.SIGINT):
            pass  # another signal, which has a handler of its own
        _log.info("stopping", extra={"signal": signal.Signals(number).name, "grace_seconds": grace})
        if not self.stop(grace):
            _log.warning(
                "calls still run %g seconds after the signal to stop, so they end with the process"
                " and get no answer",
                grace,
            )
            log.flush(1.0)
            # A usual end of the interpreter would wait for the threads of these calls.
            os._exit(1)
        _log.info("stopped")
        log.flush(1.0)

    def _gauges(self) -> Iterator[tuple[str, str, float]]:
        calls = self._calls
        yield "calls_in_flight", "Calls that run now.", calls.running
        yield "calls_waiting", "Calls that wait for a thread.", self._transport.waiting
        yield (
            "calls_late_total",
            "Calls in which compose() went on after their deadline.",
            calls.late,
        )
        yield "calls_stuck", "Calls that still run ten seconds after their deadline.", calls.stuck
        yield "threads", "The most calls that may run at the same time.", self._limits.threads
        yield (
            "healthy",
            "The answer of the health check: 1 for SERVING, 0 for NOT_SERVING.",
            self.healthy,
        )
        # only the transport h2 has it
        peers = sys.modules.get("crossplane_lite.runtime.transports.peer")
        if peers is not None:
            yield (
                "handshakes_failed_total",
                "TLS handshakes that have failed.",
                peers.failures.count,
            )
        if self._certificates is not None:
            seconds = self._certificates.expires
            yield (
                "certificate_expiry_seconds",
                "When tls.crt expires, in seconds since 1970.",
                seconds,
            )

    def _other(self, path: str) -> Quick | None:
        """Return the function that answers the method `path` of the health service; None if there
        is no such method.
        """
        return health_method(path, lambda: self.healthy)


def _end_at_once(number: int, _frame: object) -> None:
    os._exit(128 + number)


_SERVICES: Final = ("", V1_SERVICE, V1BETA1_SERVICE)
_SERVING: Final = 1
_NOT_SERVING: Final = 2


def health_method(path: str, healthy: Callable[[], bool]) -> Quick | None:
    """Return the function that answers a method of the health service: it takes and returns bytes.

    Args:
        path: The method's path, such as `/grpc.health.v1.Health/Check`.
        healthy: Returns whether the server is healthy.

    Returns:
        The function; None if the service has no such method, or the method isn't implemented here.
        The function for `Check` raises Refused for anything but the name of a service that is
        served.
    """

    def response() -> bytes:
        """Return the bytes of a HealthCheckResponse."""
        return bytes([0x08, _SERVING if healthy() else _NOT_SERVING])

    def check(request: bytes) -> bytes:
        if request and request not in [_field(name.encode()) for name in _SERVICES]:
            names = ", ".join(_SERVICES[1:])
            raise Refused(
                status.NOT_FOUND, f"there is no such service; ask for {names} or an empty name"
            )
        return response()

    def list_all(_: bytes) -> bytes:
        entries = [_field(_field(name.encode()) + _field(response(), 2)) for name in _SERVICES]
        return b"".join(entries)

    prefix = "/grpc.health.v1.Health/"
    return {f"{prefix}Check": check, f"{prefix}List": list_all}.get(path)


def _field(content: bytes, number: int = 1) -> bytes:
    """Return an encoded field: its number, its length and `content`, a string or message of less
    than 128 bytes.
    """
    return bytes([number << 3 | 2, len(content)]) + content
