"""Rows of one call over gRPC on loopback, each server in a process of its own, called in turns.

The functions set labels and annotations, as people do. Our servers have made a placeholder and text
from it in an earlier call, as those of people have after some minutes.
"""

from __future__ import annotations

import contextlib
import functools
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent import futures
from typing import Any

from benchmarks import data, models, processes
from benchmarks.measuring import Reach, Row, Samples, in_turns

__all__ = ["ROWS", "make_placeholder", "timed"]

_DICTS = "official, dicts"
_TYPED = "official, models"
_SIDES = ("official", "floor", "ours")
_ALL_SIDES = ("official", _DICTS, _TYPED, "floor", "ours")
_MODULES = {_DICTS: "official_dicts", _TYPED: "official_models"}
_WEIGHED = ("floor", "floor, one heap", "ours", "ours, one heap")
# as in the images of `package` and of a new project's Dockerfile
_ONE_HEAP = {"MALLOC_ARENA_MAX": "1"}
_LARGE = (100, 100, 100)
_MANY_CALLS = 2000
_PAIRS = 50
_TEXTS = 20  # two for each pair
_HELD_BACK = 2.3  # a call in which something is missing, by one in which nothing is


def _sample(request: bytes, resources: int, sides: tuple[str, ...], rounds: int) -> Samples:
    models.pydantic()
    with contextlib.ExitStack() as stack:
        calls = {
            side: stack.enter_context(
                processes.caller(stack.enter_context(processes.serving(_MODULES.get(side, side))))
            )
            for side in sides
        }
        make_placeholder(calls["ours"])
        for call in calls.values():
            for _ in range(20):
                call(request)
        answers = {side: data.answer_of(calls[side](request)) for side in sides if side != "floor"}
        for side, answer in answers.items():
            assert answer == answers["ours"], side
        assert len(answers["ours"]["desired"]["resources"]) == resources
        assert len(calls["floor"](request)) == 2
        return in_turns(
            {side: functools.partial(timed, call, request) for side, call in calls.items()}, rounds
        )


def make_placeholder(call: processes.Call) -> None:
    """Have a server of ours make text from a value that isn't there; the field that waits for it
    isn't set then.
    """
    waiting, resolved = (
        data.answer_of(call(data.request(observed, 0, 1, describe=True)))["desired"]["composite"][
            "resource"
        ]["status"]
        for observed in (0, 1)
    )
    assert "about" not in waiting
    assert resolved["about"] == "the last one is at gs://platform-bucket-0000"


def timed(call: Callable[[bytes], bytes], request: bytes) -> float:
    """Return the seconds that a call takes."""
    start = time.perf_counter()
    call(request)
    return time.perf_counter() - start


def _waves(
    pairs: int, requests: dict[str, tuple[str, bool]], rounds: int, *, news: bool = False
) -> Samples:
    """Time calls of one server of ours.

    Args:
        pairs: How many pairs of Buckets each call composes.
        requests: What the second ones set, and whether the first ones have a value, by side.
        rounds: How often each is measured.
        news: Whether nobody has been told yet what waits. Otherwise the composite has the condition
            that says so, as it has from the second call on.
    """
    models.models_dir()
    with processes.serving("ours_waves") as server, processes.caller(server) as call:
        sides = {
            side: data.wave_request(pairs, fields, resolved=known)
            for side, (fields, known) in requests.items()
        }
        call(data.wave_request(1, "texts", resolved=False))  # makes a placeholder
        for side, (fields, known) in requests.items():
            answer = call(sides[side])
            _assert_wave(data.answer_of(answer), pairs, fields, known)
            if not known and not news:
                sides[side] = data.told(sides[side], answer)
                again = data.answer_of(call(sides[side]))
                _assert_wave(again, pairs, fields, known)
                assert not again.get("results")  # nothing is news
        for request in sides.values():
            for _ in range(20):
                call(request)
        return in_turns(
            {side: functools.partial(timed, call, request) for side, request in sides.items()},
            rounds,
        )


def _assert_wave(answer: dict[str, Any], pairs: int, fields: str, resolved: bool) -> None:
    """All the first ones are there, and the second ones with what they take, if it is known."""
    resources = answer["desired"]["resources"]
    found = {
        name: one["resource"]["spec"]["forProvider"]
        for name, one in resources.items()
        if name.startswith("logs-")
    }
    assert len(resources) - len(found) == pairs
    expected = {}
    for index in range(pairs if resolved else 0):
        url = f"gs://platform-bucket-{index:04}"
        location, project = {
            "value": ("EU", url),
            "direct": (url, url),
            "texts": (f"{url}/{index}", f"logs of {url}"),
        }[fields]
        expected[f"logs-{index}"] = {"location": location, "project": project}
    assert found == expected
    assert not [
        result for result in answer.get("results", []) if result["severity"] == "SEVERITY_FATAL"
    ]


def _memory(clients: int) -> Samples:
    """Return the resident memory after many calls, of fresh processes. `clients` call at once."""
    models.models_dir()
    request = data.request(*_LARGE)

    def weigh(side: str) -> float:
        module, _, heap = side.partition(", ")
        settings = _ONE_HEAP if heap else None
        with (
            processes.serving(module, settings=settings) as server,
            processes.caller(server) as call,
        ):
            if module == "ours":
                make_placeholder(call)
                assert (
                    len(data.answer_of(call(request))["desired"]["resources"])
                    == _LARGE[1] + _LARGE[2]
                )
            with futures.ThreadPoolExecutor(clients) as pool:
                list(pool.map(lambda _: call(request), range(_MANY_CALLS)))
            return processes.resident_bytes(server.process.pid)

    return in_turns({side: functools.partial(weigh, side) for side in _WEIGHED}, 3)


_LEFT = """
import gc, sys
sys.path[:0] = {paths!r}
from benchmarks import data
from benchmarks.functions.{module} import {function}
request = data.request(*{size!r})
{before}
for _ in range(3):
    answer = {call}
gc.collect()
gc.disable()
answer = {call}
left = gc.collect()
sys.stdout.buffer.write(b"%d " % left + answer)
"""
_OFFICIAL_LEFT = {
    "function": "FunctionRunner, fnv1",
    "before": """
def call(data):
    coroutine = FunctionRunner().RunFunction(fnv1.RunFunctionRequest.FromString(data), None)
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value.SerializeToString()
""",
    "call": "call(request)",
}
_OURS_LEFT = {
    "function": "compose",
    "before": "compose.run(data.request(0, 0, 1, describe=True))",
    "call": "compose.run(request)",
}


def _left() -> Samples:
    """Return how many objects of one call only the garbage collector finds."""
    models.pydantic()
    paths = [str(processes.ROOT), str(models.models_dir())]
    samples: Samples = {}
    answers = {}
    for side, parts in (("official", _OFFICIAL_LEFT), ("ours", _OURS_LEFT)):
        code = _LEFT.format(paths=paths, module=side, size=_LARGE, **parts)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()[-2000:]
        count, _, answer = done.stdout.partition(b" ")
        samples[side] = [float(count)]
        answers[side] = data.answer_of(answer)
    assert answers["official"] == answers["ours"]
    return samples


def _row(
    name: str, size: tuple[int, int, int], rounds: int, *reach: Reach, over: bool = False
) -> Row:
    _, passed, emitted = size
    # where nothing observed is read there is little to make a dict of
    sides = _ALL_SIDES if size[0] else _SIDES
    resources = emitted if over else passed + emitted
    return Row(
        name,
        sides,
        lambda: _sample(data.request(*size, over=over), resources, sides, rounds),
        reach,
    )


ROWS = (
    _row(
        "p50 of one call, 100 / 100 / 100",
        _LARGE,
        150,
        Reach("official", 1 / 9),
        Reach(_DICTS, 1 / 9),
    ),
    _row(
        "p50 of one call, 10 / 10 / 10",
        (10, 10, 10),
        500,
        Reach("official", 1 / 4),
        Reach(_DICTS, 1 / 4),
    ),
    _row("p50 of one call, an XR and one resource", (0, 0, 1), 1500, Reach("floor", 1.2)),
    _row("the same with the resource observed, and read", (1, 0, 1), 1500),
    _row("p50 of one call, 100 over those of a previous step", _LARGE, 100, over=True),
    Row(
        "half of 100 resources held back, beside resolved",
        ("resolved", "ours"),
        lambda: _waves(_PAIRS, {"resolved": ("value", True), "ours": ("value", False)}, 200),
        (Reach("resolved", _HELD_BACK),),
    ),
    Row(
        "the same, when it is news",
        ("resolved", "ours"),
        lambda: _waves(
            _PAIRS, {"resolved": ("value", True), "ours": ("value", False)}, 100, news=True
        ),
    ),
    Row(
        "f-strings in twenty fields, beside values",
        ("values", "ours"),
        lambda: _waves(_TEXTS // 2, {"values": ("direct", True), "ours": ("texts", True)}, 500),
    ),
    Row(
        "f-strings in twenty fields held back, beside resolved",
        ("resolved", "ours"),
        lambda: _waves(_TEXTS // 2, {"resolved": ("texts", True), "ours": ("texts", False)}, 200),
        (Reach("resolved", _HELD_BACK),),
    ),
    Row(
        "memory after 2,000 calls, 100 / 100 / 100",
        _WEIGHED,
        lambda: _memory(1),
        (Reach("floor", 1.1),),
        unit="B",
    ),
    Row("memory after the same calls of 16 clients", _WEIGHED, lambda: _memory(16), unit="B"),
    Row(
        "garbage of one call, 100 / 100 / 100",
        ("official", "ours"),
        _left,
        (Reach("official", 0),),
        unit="objects",
    ),
)
