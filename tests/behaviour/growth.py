"""Requests that grow: how the work for them grows with them.

`python -m tests.behaviour.growth` shows it for the largest of them, which take a minute.
"""

from __future__ import annotations

import gc
import json
import logging
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any, NamedTuple

from crossplane_lite import Unstructured, composition
from crossplane_lite._core import codec
from crossplane_lite._core.observed.secrets import Masker
from crossplane_lite._core.observed.tokens import EARLY, LATE, marker_for
from crossplane_lite.proto import _view

__all__ = ["GROWING", "Growing", "calls_during", "codes_during", "times"]

Json = dict[str, Any]


class Growing(NamedTuple):
    """Something that grows.

    Attributes:
        make: Makes what is measured, of a size.
        size: A size that takes some milliseconds.
        full: The largest one.
    """

    make: Callable[[int], Callable[[], object]]
    size: int
    full: int


def _request(spec: Json) -> bytes:
    request = _view.RunFunctionRequest()
    xr = {"apiVersion": "v1", "kind": "XGrowing", "metadata": {"name": "x"}, "spec": spec}
    request.observed.composite.resource = codec.encode_struct(xr)
    return request.SerializeToString()


@composition.function(name="copies")
def copies(ctx: Any) -> None:
    """Hand on what is in the composite, beside a text that waits."""
    xr = ctx.composite(Unstructured)
    made = ctx.resource("made", Unstructured("v1", "Made"))
    made.spec.all = xr.observed.spec.all
    made.spec.text = f"x-{made.observed.status.id}"
    xr.status.all = xr.observed.spec.all


@composition.function(name="many")
def many(ctx: Any) -> None:
    """Compose many resources, each of which reads itself."""
    for number in range(int(ctx.composite(Unstructured).observed.spec.count)):
        made = ctx.resource(f"r{number}", Unstructured("v1", "Made"))
        made.spec.name = made.observed.status.id
    ctx.results.normal("all of them")


@composition.function(name="chain")
def chain(ctx: Any) -> None:
    """Compose resources that wait for each other."""
    last: Any = None
    for number in range(int(ctx.composite(Unstructured).observed.spec.count)):
        made = ctx.resource(f"r{number}", Unstructured("v1", "Made"))
        if last is not None:
            made.spec.name = f"x-{last.observed.status.id}"
        last = made


@composition.function(name="says")
def says(ctx: Any) -> None:
    """Say much."""
    for number in range(int(ctx.composite(Unstructured).observed.spec.count)):
        ctx.results.warning(f"result {number}")
        ctx.conditions.set(f"Type{number}", True, reason="Said")
        ctx.log.info("line %d", number)


@composition.function(name="secretive")
def secretive(ctx: Any) -> None:
    """Compose many Secrets, and say something now and then."""
    for number in range(int(ctx.composite(Unstructured).observed.spec.count)):
        ctx.resource(f"s{number}", Unstructured("v1", "Secret", stringData={"password": f"value-{number:09}"}))
        if number % 10 == 0:
            ctx.results.warning("going on")


def _called(function: Any, spec: Callable[[int], Json]) -> Callable[[int], Callable[[], object]]:
    def make(size: int) -> Callable[[], object]:
        data = _request(spec(size))
        return lambda: function.run(data)

    return make


def _deep(size: int) -> Json:
    tree: Any = 1
    for _ in range(size):
        tree = {"d": tree}
    return {"all": tree}


def _observed(size: int) -> Callable[[], object]:
    request = _view.RunFunctionRequest.FromString(_request({"count": size}))
    resource = codec.encode_struct({"apiVersion": "v1", "kind": "Made", "metadata": {"name": "b"}, "status": {"id": 1}})
    for number in range(size):
        request.observed.resources[f"r{number}"].resource = resource
        request.observed.resources[f"r{number}"].connection_details["password"] = b"password-%d" % number
    data = request.SerializeToString()
    return lambda: many.run(data)


def _tokens(size: int) -> Json:
    return {"all": [marker_for(0, (EARLY, LATE)[number % 2]).token(number) for number in range(size)]}


def _masked(values: Callable[[int], list[bytes]], text: Callable[[int], str]) -> Callable[[int], Callable[[], object]]:
    def make(size: int) -> Callable[[], object]:
        shown = text(size)
        return lambda: Masker(("password", value) for value in values(size))(shown)

    return make


GROWING: dict[str, Growing] = {
    "entries": Growing(_called(copies, lambda n: {"all": {f"k{at}": at for at in range(n)}}), 500, 1_000_000),
    "list": Growing(_called(copies, lambda n: {"all": list(range(n))}), 1000, 1_000_000),
    "string": Growing(_called(copies, lambda n: {"all": "x" * n}), 500_000, 4_000_000),
    "levels": Growing(_called(copies, _deep), 400, 10_000),
    "observed resources": Growing(_observed, 50, 10_000),
    "resources": Growing(_called(many, lambda n: {"count": n}), 100, 10_000),
    "a chain of resources": Growing(_called(chain, lambda n: {"count": n}), 50, 3_000),
    "texts like placeholders": Growing(_called(copies, _tokens), 200, 3_000),
    "results and log lines": Growing(_called(says, lambda n: {"count": n}), 400, 10_000),
    "composed Secrets": Growing(_called(secretive, lambda n: {"count": n}), 100, 10_000),
    "secrets that begin alike": Growing(
        _masked(lambda n: [b"a" * (n + 8 - at) for at in range(0, n, 10)], lambda n: "a" * n), 300, 3_000
    ),
    "pairs in secrets": Growing(
        # Between 1,000 and 2,000 the time makes a jump, once; from there on it grows evenly.
        _masked(lambda n: [b"a-" * n + b"\n:x", b"a= " * n], lambda n: "a= " * n),
        2000,
        100_000,
    ),
    "a line of pairs in secrets": Growing(_masked(lambda n: [b"a=b;" * n], lambda n: "a=b;" * n), 1000, 100_000),
    "URLs in secrets": Growing(
        _masked(lambda n: [b"x://" * n, b"x://a:b@c," * n, b"x://b:c" * n], lambda n: "x://" * n), 1000, 100_000
    ),
    "JSON in secrets": Growing(
        _masked(lambda n: [json.dumps({f"k{at}": f"value-{at}" for at in range(n)}).encode()], lambda n: "value-" * n),
        300,
        10_000,
    ),
    "PEM in secrets": Growing(_masked(lambda n: [b"-----BEGIN X-----" * n], lambda n: "-----BEGIN " * n), 300, 10_000),
}


def calls_during(work: Callable[[], Any], of: Callable[[CodeType], bool] | None = None) -> int:
    """Return how many Python and C functions are called during `work`; only those of some code where `of` is given."""
    found = codes_during(work)
    if of is None:
        return found.total()
    return sum(count for code, count in found.items() if code is not None and of(code))


def codes_during(work: Callable[[], Any]) -> Counter[CodeType | None]:
    """Return how often each Python function is called during `work`, by its code.

    All C functions together are None.
    """
    work()  # what is made once, such as classes and modules, doesn't count
    found: Counter[CodeType | None] = Counter()

    def profile(frame: FrameType, event: str, arg: Any) -> None:
        if event == "call":
            found[frame.f_code] += 1
        elif event == "c_call":
            found[None] += 1

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(before)
    return found


def times(one: Growing, sizes: tuple[int, ...], rounds: int = 3) -> list[float]:
    """Return the seconds of CPU time for each size, the fewest of some rounds."""
    logging.disable(logging.CRITICAL)
    # The collector goes through all that the process holds, which is much where other tests have run before.
    gc.collect()
    gc.freeze()
    try:
        made = [one.make(size) for size in sizes]
        fewest = [float("inf")] * len(sizes)
        for _ in range(rounds):
            for at, run in enumerate(made):
                start = time.process_time()
                run()
                fewest[at] = min(fewest[at], time.process_time() - start)
        return fewest
    finally:
        gc.unfreeze()
        logging.disable(logging.NOTSET)


def _rows() -> Iterator[tuple[str, int, float, float]]:
    for name, one in GROWING.items():
        quarter, whole = times(one, (one.full // 4, one.full), rounds=1)
        yield name, one.full, whole, whole / quarter


def main() -> int:
    """Measure the largest ones, and quarters of them.

    Returns:
        1 where four times as much takes more than ten times as long.
    """
    status = 0
    for name, size, seconds, ratio in _rows():
        print(f"{name:<26} {size:>9,}  {seconds:6.2f} s, {ratio:4.1f} times as long as for a quarter", flush=True)
        status |= ratio > 10
    return int(status)


if __name__ == "__main__":
    sys.exit(main())
