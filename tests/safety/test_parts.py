"""Lost parts of lists and maps: a part counts as it last was, and the rest as it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.safety.plain import make
from tests.safety.stories import cluster_of, evolved, nothing_changes, step
from tests.safety.values import FULL, provide
from tests.safety.zones import READY, deletes, shrink, spec, using

KINDS = pytest.mark.parametrize("kind", ["VPC", "Net"])
"""A kind with a model, and one without a schema."""

PARTS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "key": ("tags", lambda s: s.tags["team"]),
    "get": ("tags", lambda s: s.tags.get("team")),
    "index": ("zones", lambda s: s.zones[1]),
    "field": ("endpoint", lambda s: s.endpoint.host),
    "field of an element": ("subnets", lambda s: s.subnets[1].id),
}


def _without(*keys: str, **values: Any) -> dict[str, Any]:
    left = {key: value for key, value in FULL.items() if key not in keys}
    return {**left, **values}


@READY
@KINDS
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("left", ["nothing", "an empty one"])
def test_a_part_of_something_that_is_gone(kind: str, part: str, left: str, ready: bool) -> None:
    """What a part decides stays when all around it goes, and what the user takes out goes all the same."""
    around, ask = PARTS[part]

    def use(ctx: Any, status: Any) -> None:
        if ask(status):
            make(ctx, "s", value=ask(status))

    cluster = evolved(using(use, kind), spec={"region": "eu", "zones": ["a", "b", "c"]})
    before = spec(cluster)
    empty: Any = {} if around in ("tags", "endpoint") else []
    provide(cluster, _without(around) if left == "nothing" else _without(**{around: empty}), ready=ready)
    nothing_changes(step(cluster))
    shrink(cluster)
    deletes(cluster, "zone-b")
    assert spec(cluster) == before


KEYS = ("team", "acme.io/team", "app.properties", "a-b", "0", "two words", 'quo"te')


@READY
@KINDS
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("left", ["another key", "an empty map", "nothing"])
def test_a_key_of_any_form(kind: str, left: str, key: str, ready: bool) -> None:
    """A key that goes counts as it last was, whatever signs it has, and edits and deletions go on."""

    def use(ctx: Any, status: Any) -> None:
        if status.tags[key]:
            make(ctx, "s", value=status.tags[key])

    def values(tags: Any) -> dict[str, Any]:
        return {"note": "of nothing else"} if tags is None else {"tags": tags}

    cluster = cluster_of(using(use, kind), spec={"region": "eu", "zones": ["a", "b", "c"]})
    for _ in range(4):
        provide(cluster, {"tags": {key: "core", "other": "1"}})
        cluster.reconcile()
    before = spec(cluster)
    provide(cluster, values({"another key": {"other": "1"}, "an empty map": {}}.get(left)), ready=ready)
    nothing_changes(step(cluster))
    shrink(cluster)
    deletes(cluster, "zone-b")
    assert spec(cluster) == before


SHRUNK: dict[str, tuple[Callable[[Any], Any], dict[str, Any], str]] = {
    "list": (lambda s: s.zones, {"zones": ["a"]}, "of-b"),
    "map": (lambda s: s.tags, {"tags": {"cost": "12"}}, "of-team"),
}


@READY
@pytest.mark.parametrize("what", SHRUNK)
def test_what_shrank_before_it_went(what: str, ready: bool) -> None:
    """A list or map that shrank and then goes counts as it last was: what went with its element doesn't come again."""
    ask, left, gone = SHRUNK[what]

    def use(ctx: Any, status: Any) -> None:
        for key in ask(status):
            make(ctx, f"of-{key}", fixed=1)

    cluster = evolved(using(use))
    provide(cluster, _without(**left))
    assert step(cluster).deleted == [gone]
    assert not step(cluster).written
    provide(cluster, _without(*left), ready=ready)
    for _ in range(2):
        done = step(cluster)
        nothing_changes(done)
        assert gone not in done.waiting and gone not in cluster.objects


def test_a_deletion_that_takes_its_time_costs_one_write() -> None:
    """Values that change in each reconcile aren't noted in each while a resource that the code dropped still goes."""

    def use(ctx: Any, status: Any) -> None:
        bool(status.created)
        for zone in status.zones:
            make(ctx, f"of-{zone}", fixed=1)

    cluster = evolved(using(use))
    writes = 0
    for number in range(5):
        dying = cluster.objects["of-b"]
        provide(cluster, _without(zones=["a"], created=f"at {number}"))
        writes += len(step(cluster).written)
        dying.live["metadata"]["deletionTimestamp"] = "2024-01-02T00:00:00Z"
        cluster.objects["of-b"] = dying
    assert writes <= 1


# --- elements that lose a field ---------------------------------------------------------------------------------------


def _routes(ctx: Any, status: Any) -> None:
    for subnet in status.subnets:
        if subnet.id:
            make(ctx, f"route-{subnet.zone}", subnet=subnet.id)


ONE, TWO = FULL["subnets"]
CHANGED = {**TWO, "id": "subnet-9"}
NEW = {"id": "subnet-3", "zone": "c"}
BARE = {"zone": ONE["zone"]}
LISTS: dict[str, list[dict[str, str]]] = {
    "alone": [BARE],
    "with a new one": [BARE, TWO, NEW],
    "beside a changed one": [BARE, CHANGED, NEW],
}


@READY
@KINDS
@pytest.mark.parametrize("left", LISTS)
def test_an_element_that_loses_a_field(kind: str, left: str, ready: bool) -> None:
    """An element counts as it last was where it lacks a field; other elements come, change and go."""
    cluster = evolved(using(_routes, kind))
    for _ in range(2):
        provide(cluster, _without(subnets=LISTS[left]), ready=ready)
        done = step(cluster)
        assert not done.fatal, done.fatal
        wanted = {f"route-{one['zone']}": one.get("id", ONE["id"]) for one in LISTS[left]}
        assert {name: spec(cluster, name)["subnet"] for name in cluster.objects if name != "vpc"} == wanted


@READY
@KINDS
@pytest.mark.parametrize("changed", [[{"zone": "x"}, TWO], [{}, {}], [{}, {}, NEW], [{"zone": "x"}, CHANGED]])
def test_a_list_that_stands_still_is_told(kind: str, changed: list[Any], ready: bool) -> None:
    """Where nobody knows which element has lost a field, nothing changes, and the condition names the list."""
    cluster = evolved(using(_routes, kind))
    for _ in range(2):
        provide(cluster, _without(subnets=changed), ready=ready)
        done = step(cluster)
        nothing_changes(done)
        assert done.after.keys() == done.before.keys()
        assert "all of vpc.status.subnets " in done.waiting
