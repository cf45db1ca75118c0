"""Rows of the guard: the official SDK's function behind it, and called directly."""

from __future__ import annotations

import contextlib
import functools

from crossplane.function.proto.v1 import run_function_pb2 as pb

from benchmarks import calls, data, models, processes
from benchmarks.measuring import Row, Samples, in_turns

__all__ = ["ROWS"]

_SIDES = ("official", "ours")
_ROUNDS_TO_REST = 4


def _applied(request: bytes, answer: bytes) -> bytes:
    """Return the request of the next reconcile, after Crossplane has applied an answer."""
    message = pb.RunFunctionRequest.FromString(request)
    desired = pb.RunFunctionResponse.FromString(answer).desired
    for name, one in message.observed.resources.items():
        annotations = one.resource["metadata"].get_or_create_struct("annotations")
        annotations.update(desired.resources[name].resource["metadata"]["annotations"])
    message.observed.composite.resource.MergeFrom(desired.composite.resource)
    made: bytes = message.SerializeToString(deterministic=True)
    return made


def _at_rest(call: processes.Call, request: bytes) -> bytes:
    """Return a request after some reconciles, for which the guard's answer changes nothing."""
    for _ in range(_ROUNDS_TO_REST):
        request = _applied(request, call(request))
    assert _applied(request, call(request)) == request
    return request


@functools.cache
def _calls(count: int, rounds: int) -> Samples:
    """Return seconds of single calls at rest, of both in turns."""
    models.models_dir()
    models.pydantic()
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(processes.serving("official"))
        guard = stack.enter_context(processes.serving("guarded", server.address))
        callers = {
            side: stack.enter_context(processes.caller(one))
            for side, one in zip(_SIDES, (server, guard), strict=True)
        }
        request = _at_rest(callers["ours"], data.request(count, 0, count))
        for call in callers.values():
            for _ in range(20):
                call(request)
        assert data.answer_of(callers["official"](request)) == data.answer_of(
            callers["ours"](request)
        )
        sides = {
            side: functools.partial(calls.timed, call, request) for side, call in callers.items()
        }
        return in_turns(sides, rounds)


ROWS = (
    Row("guard: one call at rest, 20 resources", _SIDES, lambda: _calls(20, 400)),
    Row("guard: one call at rest, 100 resources", _SIDES, lambda: _calls(100, 150)),
)
