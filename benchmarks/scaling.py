"""Rows of the walker and encoder: the time of one node must not depend on how many there are."""

from __future__ import annotations

import functools
import statistics
import time
from collections.abc import Callable
from typing import Any

from benchmarks import data
from benchmarks.measuring import Reach, Row, Samples, in_turns
from crossplane_lite import Unstructured, composition
from crossplane_lite._core import codec
from crossplane_lite._core.models.walker import equal, tree_of
from crossplane_lite.proto import _view

__all__ = ["ROWS"]

Measure = Callable[[], float]

_SIZES = (1_000, 10_000, 100_000, 1_000_000)


def _sample(depth: int, *, whole: bool) -> Samples:
    """Return seconds per node: the fastest size as `fastest size`, the slowest as `ours`."""
    sizes = {}
    for size in _SIZES:
        plain = data.tree(size, depth)
        measure = _composing(plain) if whole else _walking(plain)
        sizes[str(size)] = _per_node(measure, data.nodes(plain), 100_000 // size)
    ordered = sorted(in_turns(sizes, 3).values(), key=statistics.median)
    return {"fastest size": ordered[0], "ours": ordered[-1]}


def _per_node(measure: Measure, count: int, times: int) -> Measure:
    """Measure small trees several times, so that one measurement is long enough to be timed."""
    times = max(1, times)
    return lambda: sum(measure() for _ in range(times)) / count / times


def _walking(plain: dict[str, Any]) -> Measure:
    resource = Unstructured("example.org/v1", "Tree")
    resource.spec.tree = plain

    def work() -> bytes:
        return codec.encode_struct(tree_of(resource, None).data)

    assert equal(codec.get_path(work(), ("spec", "tree")), plain)
    return functools.partial(_timed, work)


def _composing(plain: dict[str, Any]) -> Measure:
    @composition.function(name="benchmark")
    def compose(ctx: composition.Context) -> None:
        resource = Unstructured("example.org/v1", "Tree")
        resource.spec.tree = plain
        ctx.resource("tree", resource)

    request = data.request(0, 0, 0)
    emitted = (
        _view.RunFunctionResponse.FromString(compose.run(request))
        .desired.resources["tree"]
        .resource
    )
    assert equal(codec.get_path(emitted, ("spec", "tree")), plain)
    return functools.partial(_timed, functools.partial(compose.run, request))


def _timed(work: Callable[[], bytes]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _row(name: str, depth: int, *, whole: bool) -> Row:
    return Row(
        name,
        ("fastest size", "ours"),
        lambda: _sample(depth, whole=whole),
        (Reach("fastest size", 1.5),),
    )


ROWS = (
    _row("walk and encode, per node, 1e3 to 1e6, flat", 2, whole=False),
    _row("walk and encode, per node, 1e3 to 1e6, 1,000 deep", 1000, whole=False),
    _row("whole call, per node, 1e3 to 1e6, flat", 2, whole=True),
    _row("whole call, per node, 1e3 to 1e6, 1,000 deep", 1000, whole=True),
)
