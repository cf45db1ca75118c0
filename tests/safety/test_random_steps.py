"""Random pairs of steps: what a later step makes of a status or a key stays while values come and go."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, Final

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from crossplane_lite import Unstructured
from tests.safety.plain import make
from tests.safety.stories import cluster_of
from tests.safety.values import FULL, LOST
from tests.safety.zones import spec

QUESTIONS: Final[Sequence[Callable[[Any], Any]]] = [
    lambda status: status.id,
    lambda status: status.id and status.cidr,
    lambda status: status.phase == "Available",
    lambda status: len(status.zones) > 0,
    lambda status: isinstance(status.arn, str),
    lambda status: "id" in status and status.count,
    lambda status: status.port and status.port == "5432",
]


def _status(ctx: Any, name: str, is_there: bool, status: Any) -> None:
    setattr(ctx.composite(Unstructured).status, name, "yes" if is_there else "no")


def _status_if(ctx: Any, name: str, is_there: bool, status: Any) -> None:
    if is_there:
        setattr(ctx.composite(Unstructured).status, name, "yes")


def _key(ctx: Any, name: str, is_there: bool, status: Any) -> None:
    ctx.context[name] = "yes" if is_there else "no"


def _key_if(ctx: Any, name: str, is_there: bool, status: Any) -> None:
    if is_there:
        ctx.context[name] = "yes"


def _hashed_key(ctx: Any, name: str, is_there: bool, status: Any) -> None:
    if is_there:
        ctx.context[name] = hashlib.sha256(f"{status.id}".encode()).hexdigest()


def _of_status(ctx: Any, name: str) -> Any:
    return ctx.composite(Unstructured).observed.status[name]


def _of_key(ctx: Any, name: str) -> Any:
    return ctx.context.get(name)


TELLERS: Final = [(_status, _of_status), (_status_if, _of_status), (_key, _of_key), (_key_if, _of_key)]
PLACES: Final = [*TELLERS, (_hashed_key, _of_key)]


def _gated(ctx: Any, name: str, told: Any) -> None:
    if told and told != "no":
        make(ctx, name, fixed=1)


def _chosen(ctx: Any, name: str, told: Any) -> None:
    make(ctx, name, size="large" if told and told != "no" else "small")


def _compared(ctx: Any, name: str, told: Any) -> None:
    if told == "yes" or told == _HASH:
        make(ctx, name, size="large")


_HASH: Final = hashlib.sha256(FULL["id"].encode()).hexdigest()
USES: Final = [_gated, _chosen, _compared]
PAIRS: Final = st.tuples(st.sampled_from(QUESTIONS), st.sampled_from(PLACES), st.sampled_from(USES), st.booleans())
FIELDS: Final = sorted({"id", "cidr", "phase", "zones", "arn", "count", "port"})
EVENTS: Final = st.lists(
    st.tuples(
        st.sampled_from(["all", "some", "status"]), st.sets(st.sampled_from(FIELDS)), st.booleans(), st.booleans()
    ),
    min_size=2,
    max_size=8,
)


# Shrinking takes minutes: add Phase.shrink to look into a failure.
OPTIONS: Final[dict[str, Any]] = {"deadline": None, "phases": [Phase.generate], "derandomize": True, "database": None}


def _hold(pairs: list[tuple[Any, Any, Any, bool]], events: list[tuple[str, set[str], bool, bool]]) -> None:
    def first(ctx: Any) -> None:
        for at, (question, (tell, _), _, waits) in enumerate(pairs):
            status = make(ctx, f"owner{at}", "Net", cidr="10.0.0.0/16").observed.status
            if waits:
                make(ctx, f"route{at}", gateway=status.gatewayId)  # which never comes
            tell(ctx, f"told{at}", bool(question(status)), status)

    def later(ctx: Any) -> None:
        make(ctx, "base", fixed=1)
        for at, (_, (_, read), use, _) in enumerate(pairs):
            use(ctx, f"r{at}", read(ctx, f"told{at}"))

    cluster = cluster_of(first, later)
    for _ in range(6):
        for name in cluster.objects:
            cluster.provide(name, FULL, ready=True)
        cluster.reconcile()
    before = {name: spec(cluster, name) for name in cluster.objects}
    assert {f"r{at}" for at in range(len(pairs))} <= before.keys()
    owners = [name for name in before if name.startswith("owner")]
    for what, fields, ready, is_first in [*events, ("all", set(), True, False)]:
        for name in owners[:1] if is_first else owners:
            if what == "status":
                cluster.provide(name, LOST, ready=ready)
            else:
                lost = fields if what == "some" else ()
                cluster.provide(name, {key: FULL[key] for key in FULL if key not in lost}, ready=ready)
        done = cluster.reconcile()
        assert not done.fatal and not done.deleted, (what, fields, done.told)
        assert {name: spec(cluster, name) for name in before} == before, (what, fields, done.told)


@pytest.mark.slow
@given(st.lists(PAIRS, min_size=1, max_size=3), EVENTS)
@settings(max_examples=40, **OPTIONS)
def test_a_few_pairs_of_steps(pairs: Any, events: Any) -> None:
    """Nothing that a later step has made goes or changes while what an earlier step tells hangs on lost values."""
    _hold(pairs, events)


@pytest.mark.slow
@given(st.lists(PAIRS, min_size=1, max_size=3), EVENTS)
@settings(max_examples=400, **OPTIONS)
def test_many_pairs_of_steps(pairs: Any, events: Any) -> None:
    """The same for many pairs."""
    _hold(pairs, events)
