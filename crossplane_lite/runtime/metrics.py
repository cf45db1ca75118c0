"""Serves metrics of the server for Prometheus, with the package prometheus-client."""

from __future__ import annotations

import contextlib
import logging
import socket
import socketserver
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from .._core.base.extras import load
from .._core.call import results
from .._core.call.results import Tally
from ..errors import InputError
from ..proto import _view
from . import addresses
from .transports import status
from .transports.status import Refused

if TYPE_CHECKING:
    from .transports import Handle

__all__ = ["Gauges", "Metrics"]

_client: Final = load("prometheus_client", "metrics")
_core: Final = load("prometheus_client.core", "metrics")

_log = logging.getLogger(__name__)

_PREFIX: Final = "crossplane_lite"
# Everybody in the network can connect, and each connection costs a thread and an open file of the
# server's process.
_MOST_CONNECTIONS: Final = 16
_SILENT_SECONDS: Final = 10.0
# The upper ends of the ranges in which durations are counted, in seconds. A whole reconcile has two
# minutes.
_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60)
_SEVERITIES: Final = {
    _view.SEVERITY_FATAL: "fatal",
    _view.SEVERITY_WARNING: "warning",
    _view.SEVERITY_NORMAL: "normal",
}

Gauges = Callable[[], "Iterator[tuple[str, str, float]]"]
"""Yields a name, a description and a value for each number that is read when Prometheus asks.

A name that ends in `_total` is for a counter, which only grows; any other is for a gauge.
"""


class Metrics:
    """Counts calls, and serves the counts and other numbers of the server for Prometheus.

    Args:
        gauges: Yields the other numbers of the server, each time that Prometheus reads the metrics.
    """

    def __init__(self, gauges: Gauges) -> None:
        self._registry = _client.CollectorRegistry()
        for collector in (_client.ProcessCollector, _client.PlatformCollector, _client.GCCollector):
            collector(registry=self._registry)
        self._gauges = gauges
        self._registry.register(self)
        self._calls = self._counter("calls", "Calls that ran, by gRPC's status code.", "code")
        self._seconds = _client.Histogram(
            f"{_PREFIX}_call_seconds",
            "How long calls ran, in seconds.",
            buckets=_BUCKETS,
            registry=self._registry,
        )
        self._results = self._counter("results", "Results in answers, by severity.", "severity")
        self._resources = self._counter(
            "resources",
            "Composed resources of this step: emitted, held back because they wait for a value or a"
            " resource, or kept although compose() did not register them.",
            "what",
        )
        self._rehearsals = self._counter(
            "rehearsals", "Runs of compose() in addition to the first run of each call."
        )
        self._servers: list[_Server] = []

    def _counter(self, name: str, text: str, *labels: str) -> Any:
        return _client.Counter(f"{_PREFIX}_{name}", text, labels, registry=self._registry)

    def collect(self) -> Iterator[Any]:
        """Yield the present values of `gauges`. prometheus-client calls this when Prometheus reads
        the metrics.
        """
        for name, text, value in self._gauges():
            family = (
                _core.CounterMetricFamily if name.endswith("_total") else _core.GaugeMetricFamily
            )
            yield family(f"{_PREFIX}_{name}", text, value=value)

    def listen(self, address: str) -> str:
        """Serve the metrics on an address, over HTTP without TLS, from now on.

        Args:
            address: `host:port`; port 0 takes a free port.

        Returns:
            The address with the port that was taken.

        Raises:
            InputError: The address is wrong or is a Unix socket, or the server can't listen on it.
        """
        where = addresses.parse(address)
        if where.path:
            raise InputError(
                f"metrics can't be served on {address!r}, which is a Unix socket; give HOST:PORT"
            )
        sockets = addresses.listening(where)
        handler = _client.MetricsHandler.factory(self._registry)
        handler.timeout = _SILENT_SECONDS
        self._servers = [_Server(sock, handler) for sock in sockets]
        for server in self._servers:
            threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
        return where.bound(sockets[0].getsockname()[1])

    def close(self) -> None:
        """Stop serving the metrics, if they are served."""
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def counted(self, handle: Handle) -> Handle:
        """Return a function that calls `handle`, and counts calls by status, their durations,
        results and resources.
        """

        def handle_counted(request: bytes, until: float) -> bytes:
            counts = Tally()
            before = results.counting.set(counts)
            start = time.perf_counter()
            code = status.INTERNAL
            try:
                response = handle(request, until)
                code = status.OK
            except Refused as e:
                code = e.code
                raise
            finally:
                results.counting.reset(before)
                self._seconds.observe(time.perf_counter() - start)
                if time.monotonic() >= until:
                    # whatever the outcome is, the caller doesn't wait any more
                    code = status.DEADLINE_EXCEEDED
                self._calls.labels(status.NAMES[code]).inc()
                self._count(counts)
            if code == status.OK:
                self._count_results(response)
            return response

        return handle_counted

    def _count(self, counts: Tally) -> None:
        for what, number in (
            ("emitted", counts.emitted),
            ("held back", counts.held),
            ("kept", counts.kept),
        ):
            if number:
                self._resources.labels(what).inc(number)
        if counts.rehearsals:
            self._rehearsals.inc(counts.rehearsals)

    def _count_results(self, response: bytes) -> None:
        with contextlib.suppress(Exception):  # a malformed response is the caller's to report
            for result in _view.RunFunctionResponse.FromString(response).results:
                self._results.labels(_SEVERITIES.get(result.severity, "unspecified")).inc()


class _Server(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """An HTTP server with a thread for each connection, and with a limit of connections.

    To make room for another connection, the oldest is closed. A scrape takes milliseconds, so the
    oldest is one whose client sends nothing.

    Args:
        sock: The socket, which listens already.
        handler: The class that answers requests.
    """

    daemon_threads = True

    def __init__(self, sock: socket.socket, handler: Any) -> None:
        super().__init__(sock.getsockname(), handler, bind_and_activate=False)
        self.socket.close()  # TCPServer has made one of its own
        self.socket = sock
        self._open: dict[Any, None] = {}  # the oldest first
        self._changed = threading.Condition()

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer a request in a thread of its own. If there are too many, end the oldest first."""
        with self._changed:
            if not self._room():
                with contextlib.suppress(OSError):
                    # its thread sees the end, and closes it
                    next(iter(self._open)).shutdown(socket.SHUT_RDWR)
                if not self._changed.wait_for(self._room, timeout=1):
                    self.shutdown_request(request)
                    return
            self._open[request] = None
        super().process_request(request, client_address)

    def _room(self) -> bool:
        return len(self._open) < _MOST_CONNECTIONS

    def shutdown_request(self, request: Any) -> None:
        """Close a connection."""
        with self._changed:
            self._open.pop(request, None)
            self._changed.notify()
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log the present exception, unless it says that the client has gone."""
        if not isinstance(sys.exc_info()[1], OSError):
            _log.exception("a request for metrics couldn't be answered")
