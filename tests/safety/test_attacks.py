"""Compositions as people write them, against faults: what exists stays, and what the user wants happens."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from tests.safety.cluster import Cluster
from tests.safety.plain import make
from tests.safety.stories import cluster_of, evolved, functions_of, lose, nothing_changes, replaced, step
from tests.safety.values import FULL, LOST, grow, provide
from tests.safety.zones import READY, shrink, spec, using, with_zones


def test_a_kind_that_a_lost_value_decides_beside_another_guess() -> None:
    """A resource isn't deleted for another kind because a value is lost, whatever guess another field was made with."""

    def use(ctx: Any, status: Any) -> None:
        make(ctx, "db", "Aurora" if status.id else "Rds", size=status.domain or 1)

    cluster = cluster_of(using(lambda ctx, status: None))
    grow(cluster)
    cluster = replaced(cluster, using(use))
    grow(cluster)
    assert cluster.objects["db"].live["kind"] == "Aurora"
    for _ in range(3):
        done = lose(cluster)
        assert done.deleted == []
    assert cluster.objects["db"].live["kind"] == "Aurora"


def test_a_kind_that_a_release_changes_beside_a_guess() -> None:
    """That some field was made with a guess is no reason to delete a resource whose kind the author changes."""

    def of(kind: str) -> Any:
        return using(lambda ctx, status: make(ctx, "db", kind, size=status.domain or 1))

    cluster = evolved(using(lambda ctx, status: None))
    cluster = replaced(cluster, of("Aurora"))
    grow(cluster)
    done = step(replaced(cluster, of("Rds")))
    assert done.deleted == []


def test_equal_to_one_of_two_beside_an_explained_field() -> None:
    """A field that an answer between yes and no decides keeps its value, though another field is explained."""

    def use(ctx: Any, status: Any) -> None:
        state = "down" if status.phase == "Failed" else "up" if status.phase == "Available" else "down"
        make(ctx, "s", state=state, x=status.id or "none")

    cluster = evolved(using(use))
    for _ in range(2):
        nothing_changes(lose(cluster))


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 14, 100])
def test_a_number_that_is_compared(limit: int) -> None:
    """A field that the size of a lost number decides keeps its value."""

    def use(ctx: Any, status: Any) -> None:
        count = status.count if status.count else 0
        make(ctx, "s", state="large" if count > limit else "small", x=status.id or "none")
        make(ctx, "t", n=max(int(status.count or 0), limit), x=status.id or "none")
        make(ctx, "u", state="large" if len(status.zones) >= limit else "small", x=status.id or "none")

    cluster = evolved(using(use))
    for _ in range(2):
        nothing_changes(lose(cluster))


def test_another_input_of_which_half_is_applied() -> None:
    """After an edit of the input while a value is lost, half an applied answer doesn't take the rest's protection."""
    cluster = Cluster(*functions_of(using(lambda ctx, s: s.id and make(ctx, "s", x=s.id))), inputs=[{"size": 1}])
    grow(cluster)
    lose(cluster)
    cluster.inputs = [{"size": 2}]
    provide(cluster, LOST, ready=False)
    done = cluster.reconcile(applies={"vpc"}, stores_status=False)
    assert done.deleted == []
    for _ in range(3):
        nothing_changes(lose(cluster))


def test_the_first_call_with_this_sdk_of_which_half_is_applied() -> None:
    """What another SDK has composed stays while values are missing, also if the first answer is applied in parts."""
    cluster = with_zones(lambda ctx, s: s.id and make(ctx, "s", x=s.id))
    cluster.forget(mark=True)
    provide(cluster, LOST, ready=False)
    done = cluster.reconcile(applies={"vpc"}, stores_status=False)
    assert done.deleted == []
    for _ in range(3):
        nothing_changes(lose(cluster))


def test_a_later_step_that_removes_while_a_value_is_missing() -> None:
    """A step that takes out another step's resource until a value is there doesn't delete it when the value is lost."""

    def first(ctx: Any) -> None:
        make(ctx, "vpc", "Net", cidr="10.0.0.0/16")
        make(ctx, "app", fixed=1)

    def gate(ctx: Any) -> None:
        if not ctx.observed["vpc"].status.id:
            ctx.remove("app")

    cluster = evolved(first, gate)
    assert "app" in cluster.objects
    for _ in range(2):
        nothing_changes(lose(cluster))


def test_two_hops_through_the_composites_status() -> None:
    """A resource that hangs on a status that was made from another status stays while the first value is lost."""

    def use(ctx: Any, status: Any) -> None:
        xr = ctx.composite(Unstructured)
        xr.status.phase = "up" if status.id else "down"
        xr.status.stage = "done" if xr.observed.status.phase == "up" else "open"
        if xr.observed.status.stage == "done":
            make(ctx, "s", fixed=1)

    cluster = evolved(using(use))
    assert "s" in cluster.objects
    for _ in range(5):
        nothing_changes(lose(cluster))


@READY
def test_a_mark_of_another_version(ready: bool) -> None:
    """A release of the SDK with another form of memory doesn't overwrite values that are lost at that time."""
    cluster = evolved(using(lambda ctx, s: make(ctx, "t", x=s.id or "none", fixed=1)))
    for found in cluster.objects.values():
        annotations = found.live["metadata"]["annotations"]
        annotations["crossplane-lite/function"] = annotations["crossplane-lite/function"].replace(";1", ";0")
    for _ in range(2):
        nothing_changes(lose(cluster, ready=ready))


def _asked(ctx: Any, **selector: Any) -> Any:
    ctx.requirements.resources["refs"] = composition.ResourceSelector(
        api_version="example.org/v1", kind="Ref", **selector
    )
    return ctx.required_resources.get("refs")


@READY
def test_a_label_query_whose_selector_is_made_from_a_lost_value(ready: bool) -> None:
    """What is made for each object of a label query stays while the query can't be asked, for a value is lost."""

    def use(ctx: Any, status: Any) -> None:
        for found in _asked(ctx, match_labels={"net": status.id}):
            make(ctx, f"s-{found.metadata.name}", fixed=1)

    cluster = cluster_of(using(use))
    cluster.others = [
        {
            "apiVersion": "example.org/v1",
            "kind": "Ref",
            "metadata": {"name": "a", "uid": "u", "labels": {"net": FULL["id"]}},
        }
    ]
    others = cluster.others
    for _ in range(5):
        provide(cluster)
        step(cluster)
    assert "s-a" in cluster.objects
    cluster.others = others
    for _ in range(3):
        nothing_changes(lose(cluster, ready=ready))


@READY
def test_a_name_query_made_from_a_lost_value(ready: bool) -> None:
    """A field that is read from another object stays while its name, a value, is lost."""

    def use(ctx: Any, status: Any) -> None:
        for ref in _asked(ctx, match_name=status.id)[:1]:
            make(ctx, "s", x=ref.spec.size or "none")
            if ref.spec.size:
                make(ctx, "t", fixed=1)

    cluster = cluster_of(using(use))
    cluster.others = [
        {
            "apiVersion": "example.org/v1",
            "kind": "Ref",
            "metadata": {"name": FULL["id"], "uid": "u"},
            "spec": {"size": "big"},
        }
    ]
    for _ in range(5):
        provide(cluster)
        step(cluster)
    assert spec(cluster, "s") == {"x": "big"} and "t" in cluster.objects
    for _ in range(3):
        nothing_changes(lose(cluster, ready=ready))


def test_usages_stay_while_a_value_is_lost() -> None:
    """The Usages of what is kept are neither deleted nor made anew while a value is lost."""
    cluster = cluster_of(using(lambda ctx, s: s.id and make(ctx, "s", x=s.id)), usages=True)
    for _ in range(8):
        provide(cluster)
        cluster.reconcile()
    names = {*cluster.objects}
    for _ in range(3):
        done = lose(cluster)
        assert done.deleted == [] and {*cluster.objects} == names


@pytest.mark.sample(1)
@READY
def test_nothing_is_written_while_nothing_changes(ready: bool) -> None:
    """While a value stays lost, no reconcile after the second writes anything, whatever the API server normalises."""

    def use(ctx: Any, status: Any) -> None:
        make(
            ctx,
            "s",
            cpu="1000m",
            ids=[status.id, "1000m"],
            x=status.arn or "none",
            deep={"m": {f"{status.cidr}": "1000m"}},
        )
        make(ctx, "t", a={"cpu": "1000m", "y": status.id})
        make(ctx, "u", h=hash(status.id) != 0 and status.phase == "Available", cpu="1000m")

    cluster = cluster_of(using(use))
    cluster.normalised = {"1000m": "1", "10.0.0.0/16": "10.0.0.0"}
    cluster.defaults = {"Thing": {"spec": {"policy": "Delete"}}}
    for _ in range(6):
        provide(cluster)
        step(cluster)
    for _ in range(3):
        nothing_changes(lose(cluster, ready=ready))
    for _ in range(10):
        assert lose(cluster, ready=ready).written == []


def test_a_value_that_flaps_writes_only_what_hangs_on_it() -> None:
    """A value that comes and goes doesn't make resources change that have nothing to do with it."""

    def use(ctx: Any, status: Any) -> None:
        make(ctx, "s", x=status.id or "none")
        bool(status.domain)
        for name in "ab":
            make(ctx, name, fixed=1)

    cluster = evolved(using(use))
    written: list[str] = []
    for number in range(12):
        provide(cluster, LOST if number % 2 else FULL, ready=True)
        written += step(cluster).written
    assert len(written) <= 6, written


def test_a_gate_of_another_resource_that_is_never_ready() -> None:
    """The user can delete while a resource that is only logged about never becomes Ready."""

    def use(ctx: Any, status: Any) -> None:
        db = make(ctx, "db", "Db", fixed=1)
        ctx.log.info(f"db is {db.observed.condition('Ready').status}")
        ctx.composite(Unstructured).status.db = str(db.observed.ready)

    cluster = cluster_of(using(use), spec={"region": "eu", "zones": ["a", "b", "c"]})
    for _ in range(5):
        step(cluster)
        provide(cluster)
    for _ in range(4):
        cluster.provide("db", FULL, ready=False)
        done = step(cluster)
    shrink(cluster)
    for _ in range(3):
        cluster.provide("db", FULL, ready=False)
        done = step(cluster)
    assert "zone-b" not in cluster.objects, done.told


def test_a_required_resource_without_an_optional_field() -> None:
    """The user can delete though an object of somebody else never has an optional field."""

    def use(ctx: Any, status: Any) -> None:
        for ref in _asked(ctx, match_name="ref"):
            ctx.log.info(f"{ref.spec.note}")

    cluster = evolved(using(lambda ctx, s: None), spec={"region": "eu", "zones": ["a", "b", "c"]})
    cluster = replaced(cluster, using(use))
    cluster.others = [
        {"apiVersion": "example.org/v1", "kind": "Ref", "metadata": {"name": "ref", "uid": "u"}, "spec": {}}
    ]
    for _ in range(4):
        step(cluster)
    shrink(cluster)
    for _ in range(3):
        done = step(cluster)
    assert "zone-b" not in cluster.objects, done.told


def test_a_status_of_the_composite_that_nobody_sets() -> None:
    """The user can delete though code reads a status field of the composite that is never set."""

    def use(ctx: Any, status: Any) -> None:
        xr = ctx.composite(Unstructured)
        ctx.log.info(f"{xr.observed.status.note} {ctx.observed['vpc'].status.id}")
        xr.status.net = status.id

    cluster = evolved(using(lambda ctx, s: None), spec={"region": "eu", "zones": ["a", "b", "c"]})
    cluster = replaced(cluster, using(use))
    for _ in range(4):
        step(cluster)
    shrink(cluster)
    for _ in range(3):
        done = step(cluster)
    assert "zone-b" not in cluster.objects, done.told


def _pairs(count: int) -> Any:
    def compose(ctx: Any) -> None:
        owners = [make(ctx, f"v{number}", "Net", fixed=1) for number in range(count)]
        for number, owner in enumerate(owners):
            make(ctx, f"s{number}", x=owner.observed.status.id or "none")

    return compose


def _lost_pairs(count: int) -> Cluster:
    cluster = cluster_of(_pairs(count))
    for _ in range(3):
        cluster.reconcile()
        for name in cluster.objects:
            cluster.provide(name, FULL, ready=True)
    for name in cluster.objects:
        cluster.provide(name, LOST, ready=True)
    return cluster


def test_the_answer_grows_with_the_number_of_lost_values() -> None:
    """Twice as many resources with a lost value each make the answer twice as large, not four times."""
    sizes = [len(_lost_pairs(count).ask().answers[0]) for count in (20, 40)]
    assert sizes[1] < 2.5 * sizes[0], sizes


@pytest.mark.parametrize("form", ["iterate", "contains", "get", "dict"])
def test_connection_details_that_are_lost(form: str) -> None:
    """What is composed from connection details stays while these are lost."""

    def use(ctx: Any, status: Any) -> None:
        details = ctx.observed["vpc"].connection_details
        if form == "iterate":
            make(ctx, "s", data={key: details[key] for key in details})
        elif form == "contains":
            make(ctx, "s", x="yes" if "password" in details else "no")
        elif form == "get":
            make(ctx, "s", x=details.get("password", "none"))
        else:
            make(ctx, "s", data=dict(details))

    cluster = evolved(using(use))
    for _ in range(3):
        nothing_changes(lose(cluster))


def test_a_helper_that_keeps_values_between_calls() -> None:
    """A cache of the author's that is filled in a further run doesn't change what exists later."""
    known: dict[str, Any] = {}

    def use(ctx: Any, status: Any) -> None:
        known.setdefault("id", status.id)
        make(ctx, "s", x=known["id"])
        if known["id"]:
            make(ctx, "t", fixed=1)

    cluster = evolved(using(use))
    for _ in range(3):
        nothing_changes(lose(cluster))
    provide(cluster)
    nothing_changes(step(cluster))


def test_an_added_zone_while_a_value_is_lost() -> None:
    """What the user adds while a value is lost gets the value when it is back, and isn't blocked from coming."""

    def compose(ctx: Any) -> None:
        status = make(ctx, "vpc", "Net", cidr="10.0.0.0/16").observed.status
        for zone in ctx.composite(Unstructured).observed.spec.zones:
            make(ctx, f"s-{zone}", x=status.id or "none")

    cluster = evolved(compose, spec={"region": "eu", "zones": ["a"]})
    cluster.xr["spec"]["zones"] = ["a", "b"]
    for _ in range(3):
        nothing_changes(lose(cluster))
    grow(cluster)
    assert spec(cluster, "s-b") == spec(cluster, "s-a") == {"x": FULL["id"]}


def test_an_edit_of_the_same_list_while_a_value_is_lost() -> None:
    """An element that the user adds to a list beside one that hangs on a lost value doesn't drop the latter."""

    def use(ctx: Any, status: Any) -> None:
        own = list(ctx.composite(Unstructured).observed.spec.zones or [])
        make(ctx, "s", ids=[*([status.id] if status.id else []), *own], text=",".join([*own, status.arn or "none"]))

    cluster = evolved(using(lambda ctx, s: use(ctx, s)), spec={"region": "eu", "zones": ["a"]})
    cluster.xr["spec"]["zones"] = ["a", "b"]
    for _ in range(2):
        lose(cluster)
        assert FULL["id"] in spec(cluster)["ids"] and FULL["arn"] in spec(cluster)["text"]


def test_an_object_that_is_being_renamed_by_formerly() -> None:
    """A resource keeps its object under a former name while the value that decides it is lost."""

    def old(ctx: Any, status: Any) -> None:
        if status.id:
            make(ctx, "old", x=status.id)

    def new(ctx: Any, status: Any) -> None:
        if status.id:
            ctx.resource("new", Unstructured("example.org/v1", "Thing", spec={"x": status.id}), formerly=["old"])

    cluster = replaced(evolved(using(old)), using(new))
    for _ in range(3):
        nothing_changes(lose(cluster))
    provide(cluster)
    nothing_changes(step(cluster))


def test_a_hash_in_a_connection_detail_keeps_its_value() -> None:
    """A hash of a lost value isn't published, also if the text itself is kept in a resource."""

    def compose(ctx: Any) -> None:
        text = f"vpc/{make(ctx, 'vpc', 'VPC', cidr='10.0.0.0/16').observed.status.id}"
        make(ctx, "t", x=text)
        ctx.composite(Unstructured).connection_details["hash"] = hashlib.sha256(text.encode()).hexdigest().encode()

    cluster = evolved(compose)
    before = dict(cluster.connection)
    done = lose(cluster)
    assert not done.fatal, done.fatal
    assert before and cluster.connection == before
