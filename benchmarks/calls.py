"""Rows of one call over gRPC on loopback, each server in a process of its own, called in turns."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Callable

from benchmarks import data, models, processes
from benchmarks.measuring import Reach, Row, Samples, in_turns

__all__ = ["ROWS"]

_SIDES = ("official", "floor", "ours")


def _sample(observed: int, passed: int, emitted: int, rounds: int) -> Samples:
    models.pydantic()
    request = data.request(observed, passed, emitted)
    with contextlib.ExitStack() as stack:
        calls = {
            side: stack.enter_context(processes.caller(stack.enter_context(processes.serving(side)))) for side in _SIDES
        }
        for call in calls.values():
            for _ in range(20):
                call(request)
        theirs, ours = (data.answer_of(calls[side](request)) for side in ("official", "ours"))
        assert theirs == ours
        assert len(ours["desired"]["resources"]) == passed + emitted
        assert len(calls["floor"](request)) == 2
        return in_turns({side: functools.partial(_timed, call, request) for side, call in calls.items()}, rounds)


def _timed(call: Callable[[bytes], bytes], request: bytes) -> float:
    start = time.perf_counter()
    call(request)
    return time.perf_counter() - start


ROWS = (
    Row(
        "p50 of one call, 100 / 100 / 100",
        _SIDES,
        lambda: _sample(100, 100, 100, 150),
        (Reach("official", 1 / 10),),
    ),
    Row("p50 of one call, 10 / 10 / 10", _SIDES, lambda: _sample(10, 10, 10, 500), (Reach("official", 1 / 4),)),
    Row("p50 of one call, an XR and one resource", _SIDES, lambda: _sample(0, 0, 1, 1500), (Reach("floor", 1.15),)),
    Row("the same with the resource observed, and read", _SIDES, lambda: _sample(1, 0, 1, 1500)),
)
