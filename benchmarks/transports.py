"""Rows of the transports: ours over h2 beside ours over grpcio, the official SDK and the floor."""

from __future__ import annotations

import contextlib
import functools
import statistics
import tarfile
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc

from benchmarks import calls, data, models, processes, sizes, starts
from benchmarks.measuring import Reach, Row, Samples, in_turns

__all__ = ["ROWS", "certificates"]

_GRPCIO = "ours, grpcio"
_SIDES = ("official", "floor", _GRPCIO, "ours")
_BESIDE = ("floor", _GRPCIO, "ours")
_MODULES = {"official": "official", "floor": "floor", _GRPCIO: "ours", "ours": "ours_h2"}
_ROUNDS = 15
_LARGE = (100, 100, 100)
_MANY_CALLS = 2000
_BATCHES = 5
_CLIENTS = 64
# What an image without grpcio installs, with --no-deps, beside this package.
_WITHOUT_GRPCIO = ("attrs", "cattrs", "protobuf", "typing-extensions", "h2", "hpack", "hyperframe")


@contextlib.contextmanager
def certificates() -> Iterator[tuple[str, grpc.ChannelCredentials]]:
    """Return a folder of certificates for servers, and what clients show."""
    try:
        from tests.runtime.certificates import Authority, write
    except ImportError as reason:
        raise models.SkipRow(f"certificates can't be made: {reason}") from None
    authority = Authority()
    pair = authority.issue("client")
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), authority.issue("server"), authority)
        yield (
            folder,
            grpc.ssl_channel_credentials(authority.certificate, pair.key, pair.certificate),
        )


@functools.cache
def _starts(suffix: str) -> dict[str, Samples]:
    """Return samples by what was measured: `answer` and `memory`."""
    models.pydantic()

    def compare(answers: dict[str, bytes]) -> None:
        assert data.answer_of(answers["official"]) == data.answer_of(answers["ours"])
        assert data.answer_of(answers[_GRPCIO]) == data.answer_of(answers["ours"])

    with contextlib.ExitStack() as stack:
        arguments: tuple[str, ...] = ()
        credentials = None
        if suffix == "_tls":
            folder, credentials = stack.enter_context(certificates())
            arguments = (folder,)
        bare = "" if suffix != "_tls" else suffix
        names = {side: _MODULES[side] + (bare if side == "floor" else suffix) for side in _SIDES}
        servers = {
            side: functools.partial(processes.start, name, *arguments)
            for side, name in names.items()
        }
        requests = dict.fromkeys(_SIDES, data.request(1, 0, 1))
        return starts.fresh(servers, requests, compare, _ROUNDS, credentials)


@functools.cache
def _calls(size: tuple[int, int, int], rounds: int) -> Samples:
    """Return seconds of single calls, each server called in turn."""
    models.models_dir()
    request = data.request(*size)
    with contextlib.ExitStack() as stack:
        callers = {
            side: stack.enter_context(
                processes.caller(stack.enter_context(processes.serving(_MODULES[side])))
            )
            for side in _BESIDE
        }
        for side, call in callers.items():
            if side != "floor":
                calls.make_placeholder(call)
            for _ in range(20):
                call(request)
        assert data.answer_of(callers[_GRPCIO](request)) == data.answer_of(callers["ours"](request))
        return in_turns(
            {side: functools.partial(calls.timed, call, request) for side, call in callers.items()},
            rounds,
        )


def _p99(size: tuple[int, int, int], rounds: int) -> Samples:
    """Return the 99th percentile of each fifth of the calls."""
    samples = _calls(size, rounds)
    length = rounds // _BATCHES
    return {
        side: [
            statistics.quantiles(values[at : at + length], n=100, method="inclusive")[98]
            for at in range(0, length * _BATCHES, length)
        ]
        for side, values in samples.items()
    }


def _many_clients() -> Samples:
    """Return seconds per call while 64 clients call, each on a connection of its own."""
    models.models_dir()
    request = data.request(1, 0, 1)
    each = 30
    with contextlib.ExitStack() as stack:
        servers = {side: stack.enter_context(processes.serving(_MODULES[side])) for side in _BESIDE}
        callers = {
            side: [stack.enter_context(processes.caller(server)) for _ in range(_CLIENTS)]
            for side, server in servers.items()
        }
        pool = stack.enter_context(ThreadPoolExecutor(_CLIENTS))

        def measure(side: str) -> float:
            def client(call: processes.Call) -> bytes:
                for _ in range(each):
                    answer = call(request)
                return answer

            start = time.perf_counter()
            answers = set(pool.map(client, callers[side]))
            seconds = time.perf_counter() - start
            assert len(answers) == 1
            return seconds / (each * _CLIENTS)

        sides = {side: functools.partial(measure, side) for side in _BESIDE}
        in_turns(sides, 1)
        return in_turns(sides, 7)


def _memory_after_load() -> Samples:
    """Return the resident memory after many large calls, of fresh processes."""
    models.models_dir()
    request = data.request(*_LARGE)

    def weigh(side: str) -> float:
        with processes.serving(_MODULES[side]) as server, processes.caller(server) as call:
            for _ in range(_MANY_CALLS):
                call(request)
            return processes.resident_bytes(server.process.pid)

    return in_turns({side: functools.partial(weigh, side) for side in _BESIDE}, 2)


@functools.cache
def _installed() -> dict[str, Samples]:
    """Return samples by what was measured: `files` and `layer`."""
    with tempfile.TemporaryDirectory() as folder:
        source = str(sizes.copy_of_the_source(Path(folder)))
        packages = {
            "official": ["crossplane-function-sdk-python>=0.15"],
            "floor": ["grpcio", "protobuf"],
            _GRPCIO: [source],
            "ours": ["--no-deps", source, *_WITHOUT_GRPCIO],
        }
        taken: dict[str, Samples] = {"files": {}, "layer": {}}
        for side, wanted in packages.items():
            target = Path(folder, side)
            sizes.install(target, *wanted)
            layer = Path(folder, f"{side}.tar.gz")
            with tarfile.open(layer, "w:gz") as archive:
                archive.add(target, "site-packages")
            taken["files"][side] = [sizes.bytes_of(target)]
            taken["layer"][side] = [float(layer.stat().st_size)]
        return taken


def _start_row(name: str, what: str, suffix: str, *reach: Reach, unit: str = "s") -> Row:
    return Row(name, _SIDES, lambda: _starts(suffix)[what], reach, unit=unit)


def _call_rows(
    what: str, size: tuple[int, int, int], rounds: int, factor: float
) -> tuple[Row, Row]:
    reach = (Reach(_GRPCIO, factor),)
    return (
        Row(f"h2: p50 of one call, {what}", _BESIDE, lambda: _calls(size, rounds), reach),
        Row(f"h2: p99 of one call, {what}", _BESIDE, lambda: _p99(size, rounds)),
    )


ROWS = (
    _start_row("h2: cold start to first answer, with models", "answer", "", Reach("floor", 0.75)),
    _start_row("h2: memory of that server", "memory", "", Reach("floor", 0.5), unit="B"),
    _start_row("h2: cold start, no models", "answer", "_without_models", Reach("floor", 0.75)),
    _start_row(
        "h2: memory of that server, no models",
        "memory",
        "_without_models",
        Reach("floor", 0.5),
        unit="B",
    ),
    _start_row("h2: cold start with mutual TLS", "answer", "_tls", Reach("floor", 0.75)),
    _start_row("h2: memory of that server, TLS", "memory", "_tls", Reach("floor", 0.5), unit="B"),
    *_call_rows("an XR and one resource", (0, 0, 1), 1500, 1.1),
    *_call_rows("10 / 10 / 10", (10, 10, 10), 500, 1.1),
    *_call_rows("100 / 100 / 100", _LARGE, 200, 1.25),
    Row("h2: one call of 64 clients", _BESIDE, _many_clients, (Reach(_GRPCIO, 1.1),)),
    Row(
        "h2: memory after 2,000 calls, 100 / 100 / 100",
        _BESIDE,
        _memory_after_load,
        (Reach("floor", 0.5),),
        unit="B",
    ),
    Row(
        "h2: site-packages",
        _SIDES,
        lambda: _installed()["files"],
        (Reach("official", 0.2),),
        unit="B",
    ),
    Row(
        "h2: site-packages as a gzipped layer", _SIDES, lambda: _installed()["layer"], (), unit="B"
    ),
)
