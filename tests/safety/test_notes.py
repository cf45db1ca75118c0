"""What notes hold: values that were read, on two resources at least, nothing secret and nothing of other namespaces."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from tests.safety.cluster import Cluster
from tests.safety.plain import make
from tests.safety.stories import cluster_of, evolved, lose, nothing_changes, step
from tests.safety.values import FULL, LOST, provide
from tests.safety.zones import deletes, shrink, using
from tests.support import KNOWN, Response, notes_of, run

PASSWORD = "hunter2-of-the-database"
ENCODED = base64.b64encode(PASSWORD.encode()).decode()
WRAPPED = {"apiVersion": "v1", "kind": "Secret", "data": {"password": ENCODED}}


def _notes(emitted: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the entries of all steps on all resources."""
    found = []
    for body in emitted.values():
        found += notes_of(body).values()
    return found


def _values(emitted: dict[str, Any], part: str = "v") -> dict[str, Any]:
    joined: dict[str, Any] = {}
    for entry in _notes(emitted):
        for obj, ways in entry.get(part, {}).items():
            joined.setdefault(obj, {}).update(ways if isinstance(ways, dict) else dict.fromkeys(ways))
    return joined


def _object(kind: str, status: Any = None, **more: Any) -> dict[str, Any]:
    return {"apiVersion": "example.org/v1", "kind": kind, "metadata": {"name": "x"}, "status": status or {}, **more}


def _read(read: Any, observed: dict[str, Any], **given: Any) -> Response:
    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        found = read(ctx)
        ctx.resource("made", Unstructured("example.org/v1", "Made", spec={"there": bool(found)}))

    answer = run(compose, observed=observed, **given)
    assert not answer.fatal, answer.fatal
    return answer


SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"password": ENCODED}}
SECRETS: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
    "data of a Secret": (lambda ctx: ctx.observed["one"].data.password, {"one": SECRET}, {}),
    "data of a Secret as a whole": (lambda ctx: dict(ctx.observed["one"].data), {"one": SECRET}, {}),
    "a connection detail": (
        lambda ctx: ctx.observed["one"].connection_details["password"],
        {"one": _object("Database")},
        {"connection": {"one": {"password": PASSWORD.encode()}}},
    ),
    "a Secret in an Object": (
        lambda ctx: ctx.observed["one"].status.atProvider.manifest.data.password,
        {"one": _object("Object", {"atProvider": {"manifest": WRAPPED}})},
        {},
    ),
    "a known secret in a status": (
        lambda ctx: ctx.observed["one"].status.url,
        {"one": _object("Database", {"url": f"postgres://admin:{PASSWORD}@host/db"}), "two": SECRET},
        {},
    ),
    "a known secret in the context": (
        lambda ctx: ctx.context["login"],
        {"one": SECRET},
        {"context": {"login": {"password": PASSWORD}}},
    ),
}


@pytest.mark.parametrize("case", SECRETS)
def test_no_secret_is_noted(case: str) -> None:
    """A secret that compose() reads is named as a value that was there, and its value is nowhere in the answer."""
    read, observed, given = SECRETS[case]
    answer = _read(read, observed, **given)
    text = json.dumps(_notes(answer.emitted))
    assert PASSWORD not in text and ENCODED not in text
    assert _values(answer.emitted, "x"), "that it was there is noted"


@pytest.mark.parametrize(("namespace", "is_noted"), [("team", True), ("other", False), (None, True)])
def test_nothing_of_another_namespace_is_noted(namespace: str | None, is_noted: bool) -> None:
    """Who can read a resource learns nothing from its notes about an object of another namespace."""
    config: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "c"},
        "data": {"a": "b-value"},
    }
    if namespace is not None:
        config["metadata"]["namespace"] = namespace

    def read(ctx: Any) -> Any:
        ctx.requirements.resources["c"] = composition.ResourceSelector(
            api_version="v1", kind="ConfigMap", match_name="c", namespace=namespace
        )
        return ctx.required_resources["c"][0].data.a

    xr = {"apiVersion": "example.org/v1", "kind": "Net", "metadata": {"name": "n", "namespace": "team"}}
    answer = _read(read, {"made": _object("Made")}, xr=xr, required={"c": [config]})
    assert ("b-value" in json.dumps(_notes(answer.emitted))) is is_noted
    name = "c" if namespace is None else f"{namespace}/c"
    assert f"?c[{name}]" in _values(answer.emitted, "v" if is_noted else "x")


REF = {"apiVersion": "example.org/v1", "kind": "Ref", "metadata": {"name": "ref", "namespace": "a"}, "status": FULL}


def _in_namespaces(*names: str) -> Cluster:
    """Return a cluster whose composite is in no namespace, with resources that need two ids of namespace a."""

    def compose(ctx: Any) -> None:
        asked = composition.ResourceSelector(api_version="example.org/v1", kind="Ref", match_name="ref", namespace="a")
        ctx.requirements.resources["ref"] = asked
        ids = [one.status.id for one in ctx.required_resources.get("ref")]
        vpc = Unstructured("example.org/v1", "Net", metadata={"namespace": "a"}, spec={"cidr": "10.0.0.0/16"})
        ids.append(ctx.resource("vpc", vpc).observed.status.id)
        for name in names if all(ids) else ():
            made = ctx.resource(name, Unstructured("example.org/v1", "Thing", spec={"fixed": 1}))
            if name != "in-none":
                made.metadata.namespace = name[-1]
            if name == "in-b":
                made.spec.region = ctx.composite(Unstructured).observed.spec.region

    cluster = cluster_of(compose)
    cluster.others = [REF]
    for _ in range(3):
        step(cluster)
        provide(cluster)
    return cluster


@pytest.mark.parametrize("gone", ["nothing", "the value", "the owner", "the required object", "all"])
@pytest.mark.parametrize("names", [("in-a", "in-b"), ("in-b",), ("in-a", "in-b", "in-none"), ("in-b", "in-none")])
def test_values_stay_in_their_namespace(names: tuple[str, ...], gone: str) -> None:
    """What is written again carries only what may be read there, whatever is gone, and no value is forgotten for it."""
    cluster = _in_namespaces(*names)

    def edit(region: str) -> None:
        cluster.xr["spec"]["region"] = region
        done = step(cluster)
        assert not done.fatal and done.deleted == []
        assert FULL["id"] not in cluster.objects["in-b"].live["metadata"]["annotations"][KNOWN]

    for region in ("us", "ap"):
        edit(region)
    if gone in ("the value", "all"):
        provide(cluster, LOST)
    if gone in ("the owner", "all"):
        del cluster.objects["vpc"]
    if gone in ("the required object", "all"):
        cluster.others = []
    for region in ("eu", "us"):
        edit(region)
        if gone == "nothing" or names != ("in-b",):
            assert cluster.objects["in-b"].live["spec"]["region"] == region


def test_a_large_value_is_named_only() -> None:
    """Of a value of more than 4 KB the notes have the path."""
    answer = _read(lambda ctx: ctx.observed["one"].status.doc, {"one": _object("Thing", {"doc": "x" * 5000})})
    assert _values(answer.emitted, "x")["one"] == {"status.doc": None}
    assert "xxxx" not in json.dumps(_notes(answer.emitted))


def test_keys_that_are_found_and_conditions_of_a_loop_are_values() -> None:
    """A key that `in` finds is noted, and so is each condition that is True in a loop, without its time and message."""

    def read(ctx: Any) -> Any:
        status = ctx.observed["one"].status
        return "id" in status and [one for one in status.conditions if one.status == "True"]

    conditions = [{"type": kind, "status": "True", "message": "now"} for kind in ("Ready", "Synced")]
    answer = _read(read, {"one": _object("Thing", {"id": "i", "conditions": conditions})})
    found = _values(answer.emitted)["one"]
    assert found["status.id"] == "i"
    assert found['status.conditions["Ready"].status'] == found['status.conditions["Synced"].status'] == "True"
    assert "now" not in json.dumps(found)


def test_a_loop_over_conditions_deletes_nothing() -> None:
    """What a loop over conditions has made stays while one that was True isn't."""

    def compose(ctx: Any) -> None:
        job = make(ctx, "job", "Job", image="x")
        if any(one.type == "Complete" and one.status == "True" for one in job.observed.status.conditions or ()):
            make(ctx, "after", fixed=1)

    cluster = cluster_of(compose)
    complete = {"conditions": [{"type": "Complete", "status": "True"}]}
    for status in (complete, complete, {"conditions": [{"type": "Complete", "status": "False"}]}, {}, complete):
        assert step(cluster).deleted == []
        cluster.provide("job", status)
    assert "after" in cluster.objects


def test_a_carrier_that_somebody_deletes_takes_no_note_with_it() -> None:
    """Each value lies on two resources: where one is deleted by hand while the value is lost, the others stay."""

    def compose(ctx: Any) -> None:
        status = make(ctx, "vpc", "Net", cidr="10.0.0.0/16").observed.status
        for name in "abc":
            if status.id:
                make(ctx, name, fixed=1)

    cluster = cluster_of(compose)
    for _ in range(3):
        step(cluster)
        provide(cluster)
    provide(cluster, {})
    for name in "abc":
        deleted = cluster.objects.pop(name)
        for _ in range(2):
            step(cluster)
            assert cluster.objects.keys() == {"vpc", "a", "b", "c"} - {name}, "a new one waits for the value"
        cluster.objects[name] = deleted


# --- size and number --------------------------------------------------------------------------------------------------


def _network(ctx: Any) -> None:
    """Compose 29 resources in six waves, each of which needs ids of the wave before."""
    vpc = make(ctx, "vpc", "Thing", cidr="10.0.0.0/16").observed.status.atProvider
    gateway = make(ctx, "gateway", "Thing", vpcId=vpc.id).observed.status.atProvider
    table = make(ctx, "table", "Thing", vpcId=vpc.id).observed.status.atProvider
    make(ctx, "route", "Thing", tableId=table.id, gatewayId=gateway.id)
    group = make(ctx, "group", "Thing", vpcId=vpc.id).observed.status.atProvider
    subnets = []
    for at in range(8):
        subnet = make(ctx, f"subnet-{at}", "Thing", vpcId=vpc.id, zone=f"z{at}").observed.status.atProvider
        make(ctx, f"association-{at}", "Thing", subnetId=subnet.id, tableId=table.id)
        make(ctx, f"rule-{at}", "Thing", groupId=group.id, port=at)
        subnets.append(subnet)
    if all(one.id for one in subnets):
        ctx.composite(Unstructured).status.subnets = [one.id for one in subnets]


def _grown() -> tuple[Cluster, int]:
    cluster = cluster_of(_network)
    writes = 0
    for _ in range(14):
        writes += len(step(cluster).written)
        for name in cluster.objects:
            cluster.provide(name, {"atProvider": {"id": f"{name}-0a1b2c3d4e5f"}}, ready=True)
    return cluster, writes


def test_notes_are_small_and_cost_few_writes() -> None:
    """In a network of 29 resources, notes take 400 bytes a resource, and few writes but those that make something."""
    cluster, writes = _grown()
    sizes = [len(one.live["metadata"]["annotations"].get(KNOWN, "")) for one in cluster.objects.values()]
    assert len(sizes) == 29
    assert sum(sizes) <= 400 * len(sizes)
    assert writes <= 29 + 4, "each resource once, and notes without another change a few times"
    assert step(cluster).written == []


def _renamed(cluster: Cluster, body: Any) -> None:
    """Give the function of a cluster another name."""
    cluster.functions = (composition.function(name="other", formerly=["step"], auto_ready=True)(body),)


def test_nothing_is_forgotten_when_everything_is_written() -> None:
    """Where a call writes so many resources that some lose their notes, others get what these had."""

    def body(ctx: Any) -> None:
        vpc = make(ctx, "vpc", "VPC")
        for at in range(10):
            make(ctx, f"part-{at}", fixed=at)
        for name in ("x", "y"):
            make(ctx, name, size="large" if vpc.observed.status.id else "small")

    cluster = cluster_of(body)
    for status in ({}, FULL, FULL):
        step(cluster)
        provide(cluster, status, ready=bool(status))
    step(cluster)
    provide(cluster, LOST, ready=False)
    _renamed(cluster, body)
    for _ in range(3):
        step(cluster)
        assert [cluster.objects[name].live["spec"]["size"] for name in "xy"] == ["large", "large"]


def test_what_is_made_while_something_is_kept_has_notes() -> None:
    """A new resource stays when the value that made it is lost, also if another one was kept when it was made."""

    def body(ctx: Any) -> None:
        status = make(ctx, "vpc", "VPC").observed.status
        if status.cidr:
            make(ctx, "first", fixed=1)
        phase: Any = ""
        if status.id:
            phase = make(ctx, "made", "VPC").observed.status.phase
        if ctx.composite(Unstructured).observed.spec.flag or phase:
            make(ctx, "former", fixed=1)

    cluster = cluster_of(body, spec={"flag": True})
    known = {"cidr": FULL["cidr"]}
    for _ in range(3):
        step(cluster)
        provide(cluster, known, ready=False)
    cluster.xr["spec"]["flag"] = False
    provide(cluster, {**known, "id": FULL["id"]}, ready=False)
    done = step(cluster)
    assert {"former", "made"} <= done.after.keys(), done.told
    provide(cluster, known, ready=False)
    cluster.provide("made", None)
    assert "made" in step(cluster).after


TELLS: dict[str, Any] = {
    "nothing": lambda ctx, status: None,
    "a value in the context": lambda ctx, status: ctx.context.__setitem__("example.org/id", status.id),
    "a constant in the context": lambda ctx, status: ctx.context.__setitem__("example.org/id", "one"),
    "a condition": lambda ctx, status: ctx.conditions.set("Mine", True, "There"),
    "a removal": lambda ctx, status: ctx.remove("gone"),
}


@pytest.mark.parametrize("tells", TELLS)
def test_a_call_at_rest_notes_again(tells: str) -> None:
    """Whatever a step tells, a call that has all values writes lost notes anew, once: a later loss changes nothing."""

    def use(ctx: Any, status: Any) -> None:
        make(ctx, "s", id=status.id or "none")
        TELLS[tells](ctx, status)

    cluster = evolved(using(use), spec={"region": "eu", "zones": ["a", "b"]})
    cluster.forget_notes()
    provide(cluster)
    nothing_changes(step(cluster))
    assert KNOWN in repr(cluster.objects)
    before = repr(cluster.objects)
    nothing_changes(step(cluster))
    assert repr(cluster.objects) == before
    for _ in range(2):
        nothing_changes(lose(cluster))
    shrink(cluster, "a")
    deletes(cluster, "zone-b")


@pytest.mark.parametrize(
    "read",
    [
        lambda vpc: vpc.connection_details["password"],
        lambda vpc: vpc.connection_details.get("password"),
        lambda vpc: "password" in vpc.connection_details,
        lambda vpc: bool(vpc.connection_details),
        lambda vpc: vpc.observed.connection_details["password"],
    ],
    ids=["item", "get", "in", "bool", "observed"],
)
def test_connection_details_are_named_however_they_are_read(read: Any) -> None:
    """What hangs on a connection detail stays while it is missing, also where only the registered resource is read."""

    def body(ctx: Any) -> None:
        if read(make(ctx, "vpc", "VPC")):
            make(ctx, "made", fixed=1)

    cluster = cluster_of(body)
    for _ in range(3):
        step(cluster)
        provide(cluster)
    assert "made" in cluster.objects
    for ready in (False, True):
        provide(cluster, LOST, ready=ready)
        assert step(cluster).deleted == []
