"""Metrics of a server for Prometheus, by the package prometheus-client."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from .._base.extras import load
from .._call import tally
from .._call.tally import Tally
from ..errors import InputError
from ..proto import _view
from . import address as addresses
from .transports import seconds_left, status
from .transports.status import Refused

if TYPE_CHECKING:
    from .transports import Caller, Handle

__all__ = ["Gauges", "Metrics"]

_client: Final = load("prometheus_client", "metrics")
_core: Final = load("prometheus_client.core", "metrics")

_PREFIX: Final = "crossplane_lite"
# Crossplane gives a function ten seconds, if nothing else is said.
_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60)
_SEVERITIES: Final = {_view.SEVERITY_FATAL: "fatal", _view.SEVERITY_WARNING: "warning", _view.SEVERITY_NORMAL: "normal"}

Gauges = Callable[[], "Iterator[tuple[str, str, float]]"]
"""Yields the name, description and value of each number that is read when Prometheus asks.

A number only grows where its name ends in `_total`.
"""


class Metrics:
    """Counts calls, and answers Prometheus.

    Args:
        gauges: Gives the numbers that the server keeps itself.
    """

    def __init__(self, gauges: Gauges) -> None:
        self._registry = _client.CollectorRegistry()
        for collector in (_client.ProcessCollector, _client.PlatformCollector, _client.GCCollector):
            collector(registry=self._registry)
        self._registry.register(_Collector(gauges))
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
            "Composed resources of this step: emitted, held back because they wait for something, "
            "or kept though no call registered them.",
            "what",
        )
        self._rehearsals = self._counter("rehearsals", "Runs of compose() beside the real one.")
        self._server: Any = None

    def _counter(self, name: str, text: str, *labels: str) -> Any:
        return _client.Counter(f"{_PREFIX}_{name}", text, labels, registry=self._registry)

    def listen(self, address: str) -> str:
        """Answer Prometheus at an address, in plain text, from now on.

        Returns:
            The address with the port that was taken.

        Raises:
            InputError: It can't listen there.
        """
        where = addresses.parse(address)
        if where.path:
            raise InputError(f"{address!r} is a socket of this machine; metrics need host:port")
        addresses.check_free(where, address)
        try:
            self._server, _ = _client.start_http_server(where.port, where.host, self._registry)
        except OSError as e:
            raise InputError(f"can't listen on {address}: {(e.strerror or str(e)).lower()}") from e
        return f"{address.rpartition(':')[0]}:{self._server.server_port}"

    def close(self) -> None:
        """Answer no more."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()

    def counted(self, handle: Handle) -> Handle:
        """Return what answers requests with each call counted."""

        def handle_counted(request: bytes, caller: Caller) -> bytes:
            counts = Tally()
            before = tally.counting.set(counts)
            start = time.perf_counter()
            code = status.INTERNAL
            try:
                response = handle(request, caller)
                code = status.OK
            except Refused as e:
                code = e.code
                raise
            finally:
                tally.counting.reset(before)
                self._seconds.observe(time.perf_counter() - start)
                remaining = seconds_left(caller)
                if remaining is not None and remaining <= 0:
                    code = status.DEADLINE_EXCEEDED  # whatever has come of it, nobody waits any more
                self._calls.labels(status.NAMES[code]).inc()
                self._count(counts)
            self._count_results(response)
            return response

        return handle_counted

    def _count(self, counts: Tally) -> None:
        for what, number in (("emitted", counts.emitted), ("held back", counts.held), ("kept", counts.kept)):
            if number:
                self._resources.labels(what).inc(number)
        if counts.rehearsals:
            self._rehearsals.inc(counts.rehearsals)

    def _count_results(self, response: bytes) -> None:
        with contextlib.suppress(Exception):  # who reads the answer says what is wrong with it
            for result in _view.RunFunctionResponse.FromString(response).results:
                self._results.labels(_SEVERITIES.get(result.severity, "unspecified")).inc()


class _Collector:
    """Is asked by prometheus-client when somebody reads the metrics."""

    def __init__(self, gauges: Gauges) -> None:
        self._gauges = gauges

    def collect(self) -> Iterator[Any]:
        for name, text, value in self._gauges():
            full = f"{_PREFIX}_{name}"
            if name.endswith("_total"):
                yield _core.CounterMetricFamily(full, text, value=value)
            else:
                yield _core.GaugeMetricFamily(full, text, value=value)
