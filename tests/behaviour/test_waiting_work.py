"""How much work calls do in which values are missing: counted, not timed (`benchmarks/waiting.py` has the times)."""

from __future__ import annotations

import functools
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

import pytest

from benchmarks.waiting import USES, scene
from crossplane_lite import composition
from crossplane_lite._core.codec import decode
from crossplane_lite._core.observed.tokens import sequence_for
from crossplane_lite.composition import Function
from tests.behaviour.growth import calls_during, codes_during
from tests.behaviour.models import Bucket
from tests.safety.cluster import Cluster

STATES = [
    *((use, "new") for use in USES),
    *((use, "kept") for use in (*USES, "branch")),
    ("if", "lost"),
    ("branch", "lost"),
    ("if", "never"),
]

# How often compose() runs, where it is more than once: for lost values, and where a string was hashed.
RUNS = {
    ("hash", "new"): 2,
    ("if", "kept"): 2,
    ("hash", "kept"): 2,
    ("or", "kept"): 2,
    ("cut", "kept"): 2,
    ("branch", "kept"): 2,
    ("if", "lost"): 2,
    ("branch", "lost"): 2,
}
# How many times the steps of a call with the value a call takes, by state, and where a string is hashed.
STEPS: dict[Any, float] = {
    "new": 1.8,
    "kept": 2.2,
    "lost": 2.2,
    "never": 1.2,
    ("hash", "new"): 2.5,
    ("cut", "new"): 2.2,
    ("cut", "kept"): 4.0,  # the first run makes a tree of each resource
    ("chain", "new"): 2.0,
}


@pytest.fixture(autouse=True)
def silent() -> Iterator[None]:
    """No log lines, whose number and length would count."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@functools.cache  # several tests count something in the same call
def _codes(use: str, state: str, number: int) -> Counter[CodeType | None]:
    for small, other in (scene("f-string", "new", 2), scene(use, state, 2)):
        small.run(other)  # imports what is needed, and has all later texts searched for placeholders
    function, request = scene(use, state, number)
    return codes_during(lambda: function.run(request))


def _calls(use: str, state: str, number: int, of: Callable[[CodeType], bool] | None = None) -> int:
    found = _codes(use, state, number).items()
    return sum(count for code, count in found if of is None or (code is not None and of(code)))


def _per_resource(use: str, state: str, number: int, of: Any = None) -> float:
    return _calls(use, state, number, of) / number


def _decodes(code: CodeType) -> bool:
    one_level = ("get_path", "open_value", "split", "split_list")  # these decode no container
    return code.co_filename == decode.__file__ and code.co_name not in one_level


def _runs(code: CodeType) -> bool:
    return code is Function.invoke.__code__


def _searches(code: CodeType) -> bool:
    return code is sequence_for.__code__


@pytest.mark.sample(8)
@pytest.mark.parametrize(("use", "state"), STATES)
def test_a_missing_value_is_cheap(use: str, state: str) -> None:
    """A new wait takes at most 1.8 times the steps of a call with the value, one for a lost value 2.2 times.

    A chain of waits takes 2 times as many, a string that was cut or hashed 2.5 times (a cut one that is kept 4), a
    value that never comes 1.2 times.
    """
    assert _per_resource(use, state, 20) <= STEPS.get((use, state), STEPS[state]) * _per_resource(use, "there", 20)


@pytest.mark.parametrize(("use", "state"), STATES)
def test_compose_runs_once_or_twice(use: str, state: str) -> None:
    """compose() runs again only where nothing else shows what depends on the value."""
    assert _calls(use, state, 20, _runs) == RUNS.get((use, state), 1)


@pytest.mark.parametrize(("use", "state"), STATES)
def test_the_request_is_searched_once_and_only_for_texts(use: str, state: str) -> None:
    """A request is searched for placeholders once for all runs, and only if code makes a string of a missing value."""
    makes_texts = use in ("f-string", "hash", "cut")
    assert _calls(use, state, 20, _searches) == makes_texts


@pytest.mark.parametrize(("use", "state"), STATES)
def test_little_is_decoded(use: str, state: str) -> None:
    """A waiting call decodes at most the values that wait."""
    assert _per_resource(use, state, 20, _decodes) <= 3


@pytest.mark.slow
@pytest.mark.parametrize("use", ["direct", "chain", "f-string", "hash"])
def test_each_wait_takes_the_same_work(use: str) -> None:
    """With eight times as many waits, one takes at most 1.3 times as many steps."""
    few, many = (_per_resource(use, "new", number) for number in (250, 2000))
    assert many <= 1.3 * few


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize(("use", "state"), STATES)
def test_each_resource_takes_the_same_work(use: str, state: str) -> None:
    """With eight times as many resources that exist or wait, one takes at most 1.3 times as many steps."""
    few, many = (_per_resource(use, state, number) for number in (10, 80))
    assert many <= 1.3 * few


def _lost_pairs(number: int) -> int:
    """Return the steps of a call in which so many owners have just lost what another resource was made with."""

    @composition.function(name="pairs")
    def compose(ctx: Any) -> None:
        for at in range(number):
            bucket = ctx.resource(f"bucket-{at}", Bucket())
            peer = ctx.resource(f"peer-{at}", Bucket())
            peer.spec.forProvider.location = "EU" if bucket.observed.status.atProvider.id else "US"

    cluster = Cluster(compose)
    cluster.reconcile()
    for name in cluster.objects:
        cluster.provide(name, {"atProvider": {"id": "b-1"}})
    cluster.reconcile()
    for at in range(number):
        cluster.provide(f"bucket-{at}", {"atProvider": {}}, ready=False)
    request = cluster.request().SerializeToString()
    return calls_during(lambda: compose.run(request))


def test_each_owner_takes_the_same_work() -> None:
    """With eight times as many owners that have each lost a value, one takes at most 1.3 times as many steps."""
    assert _lost_pairs(80) / 80 <= 1.3 * _lost_pairs(10) / 10
