"""Rows of cold start and memory of a server, and of importing models; processes of their own,
started in turns.
"""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from collections.abc import Callable, Mapping

import grpc

from benchmarks import data, models, processes
from benchmarks.measuring import Reach, Row, Samples, in_turns

__all__ = ["ROWS", "fresh"]

_ROUNDS = 15
_SIDES = ("official", "floor", "ours")


def fresh(
    servers: Mapping[str, Callable[[], processes.Server]],
    requests: Mapping[str, bytes],
    compare: Callable[[dict[str, bytes]], None],
    rounds: int = _ROUNDS,
    credentials: grpc.ChannelCredentials | None = None,
) -> dict[str, Samples]:
    """Start servers in turns, and have each answer one request.

    Args:
        servers: Starts a server, by side.
        requests: The request, by side.
        compare: Asserts that the answers of the sides are the same.
        rounds: How often each is started.
        credentials: For servers with mutual TLS.

    Returns:
        Samples by what was measured: `listening` and `answer` in seconds since the start, `memory`
        after the answer.
    """
    taken: dict[str, Samples] = {
        what: {side: [] for side in servers} for what in ("listening", "answer", "memory")
    }
    answers = {}

    def start(side: str) -> float:
        server = servers[side]()
        try:
            listening = server.wait()
            with processes.caller(server, credentials) as call:
                answers[side] = call(requests[side])
                answered = processes.time.perf_counter() - server.started
                taken["listening"][side].append(listening)
                taken["answer"][side].append(answered)
                taken["memory"][side].append(processes.resident_bytes(server.process.pid))
        finally:
            server.stop()
        return answered

    sides = {side: functools.partial(start, side) for side in servers}
    in_turns(sides, 1)  # leaves byte code behind
    compare(answers)
    for samples in taken.values():
        for values in samples.values():
            values.clear()
    in_turns(sides, rounds)
    return taken


@functools.cache
def _starts(suffix: str) -> dict[str, Samples]:
    models.pydantic()

    def compare(answers: dict[str, bytes]) -> None:
        assert data.answer_of(answers["official"]) == data.answer_of(answers["ours"])

    names = {side: side if side == "floor" else side + suffix for side in _SIDES}
    servers = {side: functools.partial(processes.start, name) for side, name in names.items()}
    return fresh(servers, dict.fromkeys(_SIDES, data.request(1, 0, 1)), compare)


def _part(what: str, suffix: str = "") -> Callable[[], Samples]:
    return lambda: _starts(suffix)[what]


_IMPORT = """
import sys, time
sys.path[:0] = {paths!r}
import {before}
from benchmarks.processes import resident_bytes
import os
memory = resident_bytes(os.getpid())
start = time.perf_counter()
import {module}
seconds = time.perf_counter() - start
print(seconds, resident_bytes(os.getpid()) - memory)
"""


@functools.cache
def _imports() -> tuple[Samples, Samples]:
    models.pydantic()
    memory: Samples = {"official": [], "ours": []}
    sides = {
        "official": ("pydantic", "pydantic_models.cluster"),
        "ours": ("crossplane_lite.model, crossplane_lite.table", "lite_models.cluster"),
    }

    def start(side: str) -> float:
        before, module = sides[side]
        code = _IMPORT.format(
            paths=[str(processes.ROOT), str(models.models_dir())], before=before, module=module
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ},
            capture_output=True,
            text=True,
            check=True,
        )
        seconds, size = done.stdout.split()
        memory[side].append(float(size))
        return float(seconds)

    seconds = in_turns({side: functools.partial(start, side) for side in sides}, 9)
    return seconds, memory


ROWS = (
    Row(
        "cold start to first answer, with models", _SIDES, _part("answer"), (Reach("floor", 1.15),)
    ),
    Row(
        "cold start to listening, with models", _SIDES, _part("listening"), (Reach("floor", 1.15),)
    ),
    Row(
        "resident memory of that server", _SIDES, _part("memory"), (Reach("floor", 1.1),), unit="B"
    ),
    Row(
        "cold start to first answer, no models",
        _SIDES,
        _part("answer", "_without_models"),
        (Reach("floor", 1.12),),
    ),
    Row(
        "cold start to listening, no models",
        _SIDES,
        _part("listening", "_without_models"),
        (Reach("floor", 1.12),),
    ),
    Row(
        "import of the GKE Cluster models",
        ("official", "ours"),
        lambda: _imports()[0],
        (Reach("official", 1 / 100),),
    ),
    Row("its memory (ours below 1 MB)", ("official", "ours"), lambda: _imports()[1], unit="B"),
)
