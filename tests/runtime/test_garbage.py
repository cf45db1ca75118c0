"""What a call leaves behind: nothing that only the garbage collector could free."""

from __future__ import annotations

import gc
import logging
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite.composition import Function
from examples.network.function import compose as network
from tests.runtime.examples import requests_of, requests_of_stage
from tests.support import Response, request
from tests.test_examples import ROOT, STAGES, Stage

_WARM_UP = 2

READS_ONE_FIELD = """
import gc, os, time
from benchmarks import data
from benchmarks.processes import resident_bytes
from crossplane_lite import Unstructured, composition

read = set()

@composition.function(name="reader")
def compose(ctx):
    bucket = ctx.resource("bucket-0", Unstructured("storage.gcp.upbound.io/v1beta2", "Bucket"))
    read.add(bucket.observed.status.atProvider.url.removeprefix("gs://"))

request = data.request(1023, 0, 1)
assert 3_800_000 < len(request) < 4_000_000, len(request)
gc.disable()
for _ in range(100):
    compose.run(request)
    gc.collect()  # garbage of these calls must leave no room for that of the others
before = resident_bytes(os.getpid())
end = time.monotonic() + 40
for number in range(1, 10_001):
    compose.run(request)
    if time.monotonic() > end:
        break
    if not number % 50 or number < 50:
        grown = resident_bytes(os.getpid()) - before
        if grown > 4_000_000:
            break  # instead of filling the machine's memory
assert read == {"platform-bucket-0000"}, read
print(number, grown)
"""


@contextmanager
def _quiet_logging() -> Iterator[None]:
    """Have no records kept: the tests' own handlers would keep what they were given."""
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)


def _left_by(function: Function, data: bytes) -> dict[str, int]:
    """Return how many objects of each type only the garbage collector finds after a call."""
    with _quiet_logging():
        for _ in range(_WARM_UP):  # loads what is loaded on first use
            function.run(data)
        gc.collect()
        collecting = gc.isenabled()
        gc.disable()
        already = len(gc.garbage)
        try:
            function.run(data)
            gc.set_debug(gc.DEBUG_SAVEALL)
            gc.collect()
            found = Counter(_type_name(one) for one in gc.garbage[already:])
        finally:
            gc.set_debug(0)
            del gc.garbage[already:]
            if collecting:
                gc.enable()
    gc.collect()
    return dict(found.most_common())


def _type_name(value: object) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _assert_nothing_is_left(calls: list[tuple[Function, bytes]]) -> None:
    for function, data in calls:
        assert not Response(function.run(data)).fatal
        # Objects of another test's thread that ends meanwhile count, too. What a call leaves, it leaves each time.
        left = _left_by(function, data) and _left_by(function, data)
        types = "\n".join(f"{count:6} {name}" for name, count in left.items())
        assert not left, f"a call of {function.name} leaves {sum(left.values())} objects to the collector:\n{types}"


QUICK = ("storage_bucket",)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "stage",
    [pytest.param(stage, marks=() if stage.example in QUICK else pytest.mark.slow) for stage in STAGES],
    ids=lambda stage: f"{stage.example}-{stage.name}",
)
def test_an_example_leaves_no_garbage(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """After a call of an example at any stage, every object of the call is gone without the garbage collector."""
    calls = requests_of_stage(stage, monkeypatch, capsys)
    assert {function.name for function, _ in calls}
    _assert_nothing_is_left(calls)


@pytest.mark.slow
def test_an_operation_leaves_no_garbage(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """After a call of the example's operation, every object of the call is gone without the garbage collector."""
    folder = Path("examples", "watch_operation")
    files = [str(folder / f"{name}.yaml") for name in ("operation", "functions")]
    given = ["-e", str(folder / "required.yaml"), "-w", str(folder / "watched.yaml")]
    calls = requests_of(["render", "op", *files, *given], monkeypatch, capsys)
    assert calls
    _assert_nothing_is_left(calls)


@pytest.mark.slow
def test_a_sketch_leaves_no_garbage() -> None:
    """After a call of the network with nothing observed, every object of the call is gone without the collector."""
    _assert_nothing_is_left([(network, request())])


@pytest.mark.slow
def test_garbage_is_found() -> None:
    """A circle that a function ties with its context is found, with the types of what is in it."""
    from crossplane_lite import composition

    @composition.function
    def compose(ctx: composition.Context) -> None:
        circle: list[Any] = [ctx]
        circle.append(circle)

    found = _left_by(compose, request())
    assert found["list"] >= 1
    assert "crossplane_lite.context.Context" in found


@pytest.mark.slow
def test_memory_stays_flat_without_the_collector() -> None:
    """A function that reads one field of a 3.9 MB request doesn't grow by 4 MB over 10,000 calls, or 40 seconds."""
    done = subprocess.run(
        [sys.executable, "-c", READS_ONE_FIELD], cwd=ROOT, capture_output=True, text=True, check=False, timeout=150
    )
    assert done.returncode == 0, done.stderr
    calls, grown = map(int, done.stdout.split())
    assert calls > 100
    assert grown <= 4_000_000, f"{grown / 1e6:.1f} MB more after {calls} calls"
