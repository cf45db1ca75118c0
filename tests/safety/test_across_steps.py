"""Lost values whose effects reach over a step, an owner, a kind or the composite's end."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition, table
from tests.safety.cluster import Cluster
from tests.safety.plain import make
from tests.safety.stories import cluster_of, evolved, lose, nothing_changes, replaced, step
from tests.safety.values import FULL, LOST, grow, provide, refer
from tests.safety.zones import READY, deletes, shrink, spec, using

# All forms of each test run with the slow ones.
pytestmark = pytest.mark.sample(2)


def _zones(ctx: Any) -> None:
    for zone in ctx.composite(Unstructured).observed.spec.zones or []:
        make(ctx, f"zone-{zone}", zone=zone)


# --- what one step sets and a later one reads -------------------------------------------------------------------------


def _set_status(ctx: Any) -> None:
    status = make(ctx, "vpc", "Net", cidr="10.0.0.0/16").observed.status
    xr = ctx.composite(Unstructured)
    xr.status.phase = "Ready" if status.id else "Pending"
    xr.status.size = 2 if status.id else 1
    xr.status.deep = {"up": bool(status.id), "region": "eu"}


def _set_status_if_there(ctx: Any) -> None:
    status = make(ctx, "vpc", "Net", cidr="10.0.0.0/16").observed.status
    xr = ctx.composite(Unstructured)
    if status.id:
        xr.status = {"phase": "Ready", "size": 2, "deep": {"up": True, "region": "eu"}}


READ: dict[str, Callable[[Any, Any], Any]] = {
    "a question": lambda ctx, at: make(ctx, "s", size="large" if at.phase == "Ready" else "small", fixed=1),
    "a field": lambda ctx, at: make(ctx, "s", phase=at.phase, fixed=1),
    "a text": lambda ctx, at: make(ctx, "s", text=f"it is {at.phase}", fixed=1),
    "a number": lambda ctx, at: make(ctx, "s", size=at.size, fixed=1),
    "deep": lambda ctx, at: make(ctx, "s", up=at.deep.up, region=at.deep.region, fixed=1),
    "whole": lambda ctx, at: make(ctx, "s", deep=dict(at.deep), fixed=1),
    "existence": lambda ctx, at: at.phase == "Ready" and make(ctx, "s", fixed=1),
}


def _reading(read: str, *, observed: bool = False) -> Callable[[Any], None]:
    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        READ[read](ctx, xr.observed.status if observed else xr.status)
        _zones(ctx)

    return compose


@READY
@pytest.mark.parametrize("read", READ)
def test_a_desired_status_that_a_guess_decides(read: str, ready: bool) -> None:
    """What a later step makes of the desired status of an earlier one keeps its values while these are lost."""
    _stays(evolved(_set_status, _reading(read)), ready)


@READY
@pytest.mark.parametrize("read", [one for one in READ if one != "a text"])  # that of an unset desired field is an error
@pytest.mark.parametrize("observed", [False, True], ids=["desired", "observed"])
def test_a_status_that_is_set_where_a_value_is_there(observed: bool, read: str, ready: bool) -> None:
    """The same holds for a status that isn't set at all while the value is lost, and for the observed one."""
    _stays(evolved(_set_status_if_there, _reading(read, observed=observed)), ready)


def _stays(cluster: Cluster, ready: bool) -> None:
    before = spec(cluster, "s")
    for _ in range(3):
        nothing_changes(lose(cluster, ready=ready))
    assert spec(cluster, "s") == before
    provide(cluster)
    nothing_changes(step(cluster))


@READY
@pytest.mark.parametrize("read", READ)
def test_a_desired_status_before_its_values_come(read: str, ready: bool) -> None:
    """The user deletes while the values never come, and a later step's resources follow when they do."""
    cluster = cluster_of(_set_status, _reading(read), spec={"region": "eu", "zones": ["a", "b", "c"]})
    for _ in range(4):
        assert not step(cluster).fatal
        provide(cluster, LOST, ready=ready)
    shrink(cluster)
    deletes(cluster, "zone-b")
    grow(cluster)
    newborn = evolved(_set_status, _reading(read), spec={"region": "eu", "zones": ["a", "c"]})
    assert {name: one.live["spec"] for name, one in cluster.objects.items()} == {
        name: one.live["spec"] for name, one in newborn.objects.items()
    }


def test_a_missing_value_over_an_earlier_status_is_no_question() -> None:
    """A value that is set in the status over an earlier step's keeps no edit back while it is lost."""

    def first(ctx: Any) -> None:
        make(ctx, "vpc", "Net", cidr="10.0.0.0/16")
        ctx.composite(Unstructured).status.first = 1

    def second(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        xr.status.net = ctx.observed["vpc"].status.id
        make(ctx, "s", region=xr.observed.spec.region)

    cluster = evolved(first, second)
    nothing_changes(lose(cluster))
    cluster.xr["spec"]["region"] = "us"
    lose(cluster)
    assert spec(cluster, "s") == {"region": "us"}


@READY
def test_two_branches_in_two_steps(ready: bool) -> None:
    """A step keeps its branch; another step that has no resources, and so no notes, makes the other branch."""

    def first(ctx: Any) -> None:
        status = make(ctx, "vpc", "Net", cidr="10.0.0.0/16").observed.status
        if status.id:
            make(ctx, "a", fixed=1)

    def second(ctx: Any) -> None:
        if not ctx.observed["vpc"].status.id:
            make(ctx, "b", fixed=1)
        _zones(ctx)

    cluster = evolved(first, second)
    assert cluster.objects.keys() == {"vpc", "a"}
    for _ in range(3):
        nothing_changes(lose(cluster, ready=ready))
    grow(cluster)
    assert cluster.objects.keys() == {"vpc", "a"}


def test_a_branch_of_an_earlier_step_beside_one_that_a_later_step_keeps() -> None:
    """Each step remembers the value, so neither makes or deletes anything while it is lost."""

    def first(ctx: Any) -> None:
        if not make(ctx, "vpc", "Net", cidr="10.0.0.0/16").observed.status.id:
            make(ctx, "b", fixed=1)

    def second(ctx: Any) -> None:
        if ctx.observed["vpc"].status.id:
            make(ctx, "a", fixed=1)

    cluster = evolved(first, second)
    for _ in range(2):
        nothing_changes(lose(cluster))
        assert cluster.objects.keys() == {"vpc", "a"}
    provide(cluster)
    nothing_changes(step(cluster))


# --- an owner that goes -----------------------------------------------------------------------------------------------

USES: dict[str, Callable[[Any, Any], Any]] = {
    "if": lambda ctx, status: status.id and make(ctx, "s", fixed=1),
    "or": lambda ctx, status: make(ctx, "s", x=status.id or "none"),
    "field": lambda ctx, status: make(ctx, "s", x=status.id),
    "text": lambda ctx, status: make(ctx, "s", x=f"vpc/{status.id}"),
    "length": lambda ctx, status: make(ctx, "s", x=len(status.zones)),
}


@pytest.mark.parametrize("use", USES)
def test_an_owner_that_is_taken_out(use: str) -> None:
    """The user takes out an object whose value is read: it goes at once, and what was made of its value stays."""

    def compose(ctx: Any) -> None:
        if ctx.composite(Unstructured).observed.spec.owner:
            make(ctx, "vpc", "Net", cidr="10.0.0.0/16")
        USES[use](ctx, ctx.observed["vpc"].status)
        _zones(ctx)

    cluster = evolved(compose, spec={"region": "eu", "owner": True, "zones": ["a", "b", "c"]})
    cluster.xr["spec"]["owner"] = False
    deletes(cluster, "vpc")
    for _ in range(3):
        nothing_changes(step(cluster))
    cluster.xr["spec"]["owner"] = True
    grow(cluster)
    nothing_changes(step(cluster))


@READY
@pytest.mark.parametrize("use", USES)
def test_an_owner_that_is_taken_out_while_its_value_is_lost(use: str, ready: bool) -> None:
    """The object goes within two reconciles though its value is lost, and what was made of the value stays."""

    def compose(ctx: Any) -> None:
        if ctx.composite(Unstructured).observed.spec.owner:
            make(ctx, "vpc", "Net", cidr="10.0.0.0/16")
        USES[use](ctx, ctx.observed["vpc"].status)
        _zones(ctx)

    cluster = evolved(compose, spec={"region": "eu", "owner": True, "zones": ["a", "b", "c"]})
    for _ in range(2):
        nothing_changes(lose(cluster, ready=ready))
    cluster.xr["spec"]["owner"] = False
    deletes(cluster, "vpc")
    assert "s" in cluster.objects


# --- many at once -----------------------------------------------------------------------------------------------------

CONDITIONS: dict[str, Callable[[Any], Any]] = {
    "all": lambda s: s.id and s.arn and s.cidr and s.phase and s.port,
    "any": lambda s: s.id or s.arn or s.cidr or s.phase or s.port,
    "mixed": lambda s: (s.id and s.arn == FULL["arn"]) or (s.cidr and not s.nothing and s.phase == "Available"),
    "exactly": lambda s: (bool(s.id), bool(s.arn), bool(s.cidr), bool(s.phase), bool(s.none)) == (True,) * 4 + (False,),
    "sum": lambda s: sum(map(bool, (s.id, s.arn, s.cidr, s.phase, s.port))) == 5,
    "nested": lambda s: s.id and (not s.nothing and (s.arn and (not s.never and (s.cidr == FULL["cidr"])))),
    "not both": lambda s: s.id and not (s.nothing or s.never) and s.phase in ("Available", "Ready") and s.port,
}


@READY
@pytest.mark.parametrize("condition", CONDITIONS)
def test_five_values_lost_in_one_condition(condition: str, ready: bool) -> None:
    """A field and a resource that a condition on five values decides stay while all are lost at once."""

    def use(ctx: Any, status: Any) -> None:
        make(ctx, "s", size="large" if CONDITIONS[condition](status) else "small", fixed=1)
        if CONDITIONS[condition](status):
            make(ctx, "t", fixed=1)
        else:
            make(ctx, "u", fixed=1)

    cluster = evolved(using(use), spec={"region": "eu", "zones": ["a", "b"]})
    assert spec(cluster, "s")["size"] == "large" and "t" in cluster.objects
    for _ in range(3):
        done = lose(cluster, ready=False)
        nothing_changes(done)
        assert "u" not in cluster.objects
    for _ in range(3):
        lose(cluster, ready=ready)
    grow(cluster)
    assert spec(cluster, "s")["size"] == "large" and "t" in cluster.objects


# --- the end of the composite -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("use", USES)
def test_values_that_go_while_the_composite_is_deleted(use: str) -> None:
    """While the composite is being deleted, objects vanish and nothing that is left goes, changes, or is Fatal."""
    cluster = evolved(using(lambda ctx, status: USES[use](ctx, status)), spec={"region": "eu", "zones": ["a", "b"]})
    cluster.xr["metadata"]["deletionTimestamp"] = "2024-01-02T00:00:00Z"
    cluster.objects["vpc"].live["metadata"]["deletionTimestamp"] = "2024-01-02T00:00:00Z"
    nothing_changes(lose(cluster, ready=False))
    del cluster.objects["zone-b"]
    done = cluster.ask()
    assert not done.fatal and {"s", "vpc", "zone-a"} <= done.desired.keys()
    del cluster.objects["vpc"]
    done = cluster.ask()
    assert not done.fatal and {"s", "zone-a"} <= done.desired.keys()
    assert done.desired["s"].get("spec") == spec(cluster, "s")


# --- one name, two kinds ----------------------------------------------------------------------------------------------


@READY
def test_a_name_with_another_kind_in_each_branch(ready: bool) -> None:
    """An object isn't replaced by one of another kind while the value that decides the kind is lost."""

    def use(ctx: Any, status: Any) -> None:
        if status.id:
            make(ctx, "s", "Aurora", x=status.id)
        else:
            make(ctx, "s", "Rds", y=1)

    cluster = evolved(using(lambda ctx, status: None), spec={"region": "eu", "zones": ["a", "b"]})
    cluster = replaced(cluster, using(use))
    grow(cluster)
    uid = cluster.objects["s"].live["metadata"]["uid"]
    for _ in range(3):
        nothing_changes(lose(cluster, ready=False))
    shrink(cluster, "a")
    for _ in range(2):
        done = lose(cluster, ready=ready)
        assert "s" not in done.deleted
    grow(cluster)
    found = cluster.objects["s"].live
    assert (found["metadata"]["uid"], found["kind"], found["spec"]) == (uid, "Aurora", {"x": FULL["id"]})


@READY
def test_a_release_that_gives_a_name_to_another_kind_during_a_loss(ready: bool) -> None:
    """A release that uses the name for another kind while the value is lost replaces nothing, and says so."""
    cluster = evolved(using(lambda ctx, status: status.id and make(ctx, "s", "Aurora", x=status.id)))
    nothing_changes(lose(cluster, ready=False))
    cluster = replaced(cluster, using(lambda ctx, status: make(ctx, "s", "Rds", y=1)))
    uid = cluster.objects["s"].live["metadata"]["uid"]
    for _ in range(3):
        done = lose(cluster, ready=ready)
        assert done.deleted == [] and cluster.objects["s"].live["metadata"]["uid"] == uid
        assert "Aurora" in done.told and "Rds" in done.told


# --- what is set only while a value is there, and objects of one name -------------------------------------------------


def _set_key_if_there(ctx: Any) -> None:
    status = make(ctx, "vpc", "Net", cidr="10.0.0.0/16").observed.status
    if status.id:
        ctx.context["vpcId"] = status.id


def _ask_whether(ctx: Any) -> None:
    make(ctx, "base", a=1)
    if "vpcId" in ctx.context:
        make(ctx, "subnet", vpc=ctx.context["vpcId"])


def _ask_the_size(ctx: Any) -> None:
    make(ctx, "subnet", size="large" if ctx.context.get("vpcId") else "small")


@READY
@pytest.mark.parametrize("later", [_ask_whether, _ask_the_size])
def test_a_key_that_is_set_where_a_value_is_there(later: Callable[[Any], None], ready: bool) -> None:
    """What a later step makes of a key of the context stays while the value is lost without which the key isn't set."""
    cluster = evolved(_set_key_if_there, later)
    before = spec(cluster, "subnet")
    provide(cluster, LOST, ready=ready)
    for _ in range(5):
        assert not cluster.reconcile().deleted
    assert spec(cluster, "subnet") == before


def test_a_later_class_without_the_status_field(monkeypatch: pytest.MonkeyPatch) -> None:
    """A later step whose class lacks a field of the status that an earlier step set is no error."""
    monkeypatch.setitem(sys.modules, "networks", ModuleType("networks"))
    kind = {"XNetwork": "@example.org/v1 metadata:meta.ObjectMeta status:NetworkStatus", "NetworkStatus": "size:i"}
    getter, _ = table.load("networks", kind, meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1")

    def later(ctx: Any) -> None:
        ctx.composite(getter("XNetwork"))
        make(ctx, "subnet", a=1)

    cluster = evolved(_set_status, later)
    provide(cluster, LOST)
    done = cluster.reconcile()
    assert (done.fatal, done.deleted) == ([], [])


def _waits_later(ctx: Any) -> None:
    status = make(ctx, "db", "Net").observed.status
    make(ctx, "table", a=status.never)


def _is_there(status: Any) -> Any:
    return status.id


def _are_there(status: Any) -> Any:
    return status.id and status.cidr and status.count


def _tell_by_status(ctx: Any, is_there: bool) -> None:
    ctx.composite(Unstructured).status.phase = "Ready" if is_there else "Pending"


def _tell_status_if(ctx: Any, is_there: bool) -> None:
    if is_there:
        ctx.composite(Unstructured).status.phase = "Ready"


def _tell_by_key(ctx: Any, is_there: bool) -> None:
    ctx.context["phase"] = "Ready" if is_there else "Pending"


def _tell_key_if(ctx: Any, is_there: bool) -> None:
    if is_there:
        ctx.context["phase"] = "Ready"


def _make_by_status(ctx: Any) -> None:
    make(ctx, "base", a=1)
    if ctx.composite(Unstructured).observed.status.phase == "Ready":
        make(ctx, "db", size="large")


def _make_by_key(ctx: Any) -> None:
    make(ctx, "base", a=1)
    if ctx.context.get("phase") == "Ready":
        make(ctx, "db", size="large")


@READY
@pytest.mark.parametrize("question", [_is_there, _are_there])
@pytest.mark.parametrize(
    ("tell", "later"),
    [
        (_tell_by_status, _make_by_status),
        (_tell_status_if, _make_by_status),
        (_tell_by_key, _make_by_key),
        (_tell_key_if, _make_by_key),
    ],
)
def test_a_value_lost_beside_a_resource_that_waits(
    tell: Callable[[Any, bool], None], question: Callable[[Any], Any], later: Callable[[Any], None], ready: bool
) -> None:
    """What a later step makes by a status or a key stays while these hang on a lost value, also beside a wait."""

    def first(ctx: Any) -> None:
        status = make(ctx, "vpc", "Net", cidr="10.0.0.0/16").observed.status
        make(ctx, "route", gateway=status.gatewayId)  # which never comes
        tell(ctx, bool(question(status)))

    cluster = cluster_of(first, later)
    for _ in range(5):
        for name in cluster.objects:
            cluster.provide(name, FULL, ready=ready)
        cluster.reconcile()
    assert "db" in cluster.objects and "route" not in cluster.objects
    cluster.provide("vpc", LOST, ready=ready)
    for _ in range(4):
        assert not cluster.reconcile().deleted
    cluster.provide("vpc", FULL, ready=ready)
    for _ in range(3):
        assert not cluster.reconcile().deleted


def _by_own_status(ctx: Any) -> None:
    xr = ctx.composite(Unstructured)
    status = make(ctx, "vpc", "Net", cidr="10.0.0.0/16").observed.status
    xr.status.phase = "Ready" if status.id else "Pending"
    is_ready = xr.observed.status.phase == "Ready"
    make(ctx, "table", size="large" if is_ready else "small")
    if is_ready:
        make(ctx, "db", size="large")


def _by_earlier_status(ctx: Any) -> None:
    is_ready = ctx.composite(Unstructured).observed.status.phase == "Ready"
    make(ctx, "table", size="large" if is_ready else "small")
    if is_ready:
        make(ctx, "db", size="large")


def _only_status(ctx: Any) -> None:
    status = make(ctx, "vpc", "Net", cidr="10.0.0.0/16").observed.status
    ctx.composite(Unstructured).status.phase = "Ready" if status.id else "Pending"


@READY
@pytest.mark.parametrize("calls", [1, 2, 3])
@pytest.mark.parametrize("bodies", [(_by_own_status,), (_only_status, _by_earlier_status)], ids=["own", "earlier"])
def test_a_status_that_a_lost_value_decided(bodies: tuple[Callable[[Any], None], ...], calls: int, ready: bool) -> None:
    """What code makes of the composite's observed status stays while a value is lost, and when it comes back."""
    cluster = evolved(*bodies)
    before = {name: spec(cluster, name) for name in cluster.objects}
    assert {"vpc", "db", "table"} == before.keys()
    for given, times in ((LOST, calls), (FULL, 3)):
        provide(cluster, given, ready=ready)
        for _ in range(times):
            assert not cluster.reconcile().deleted
            assert {name: spec(cluster, name) for name in cluster.objects} == before


def _tier(ctx: Any) -> None:
    xr = ctx.composite(Unstructured)
    xr.status.tier = xr.observed.spec.tier
    make(ctx, "vpc", "Net", cidr="10.0.0.0/16")
    if xr.observed.status.tier == "gold":
        make(ctx, "db", size="large")


def test_a_status_that_the_user_decides() -> None:
    """What is made by a status that follows the spec goes with the call after the one that changes the status."""
    cluster = cluster_of(_tier, spec={"tier": "gold"})
    grow(cluster)
    assert "db" in cluster.objects
    cluster.xr["spec"]["tier"] = "silver"
    assert cluster.reconcile().deleted == [] and cluster.reconcile().deleted == ["db"]


def _ask_by_labels(ctx: Any) -> None:
    status = make(ctx, "vpc", "Net").observed.status
    labels = {"a": "b"} if status.id else {"a": "c"}
    selector = composition.ResourceSelector(api_version="example.org/v1", kind="Ref", match_labels=labels)
    ctx.requirements.resources["refs"] = selector
    found = ctx.required_resources["refs"]
    make(ctx, "count", number=len(found))
    for one in found:
        make(ctx, f"of-{one.metadata.name}", a=1)


@READY
def test_a_selector_that_a_lost_value_decides(ready: bool) -> None:
    """What is made of required resources stays while a lost value chooses others."""
    cluster = cluster_of(_ask_by_labels)
    metadata = {"name": "ref", "uid": "u", "labels": {"a": "b"}}
    cluster.others = [{"apiVersion": "example.org/v1", "kind": "Ref", "metadata": metadata}]
    for _ in range(6):
        provide(cluster, ready=True)
        cluster.reconcile()
    before = spec(cluster, "count")
    assert "of-ref" in cluster.objects
    provide(cluster, LOST, ready=ready)
    for _ in range(2):
        assert not cluster.reconcile().deleted
    assert spec(cluster, "count") == before


_SIZES = {FULL["id"]: "big"}


def _of_a_required_resource(ctx: Any) -> None:
    selector = composition.ResourceSelector(api_version="example.org/v1", kind="Ref", match_name="ref")
    ctx.requirements.resources["net"] = selector
    make(ctx, "base", a=1)
    if _SIZES.get(ctx.required_resources["net"][0].status.id):
        make(ctx, "net", a=1)


def test_a_required_resource_with_the_name_of_a_composed_one() -> None:
    """A required resource isn't the composed one whose name is its key: this one stays while the value is lost."""
    cluster = cluster_of(_of_a_required_resource)
    grow(cluster)
    assert "net" in cluster.objects
    refer(cluster, LOST)
    assert not cluster.reconcile().deleted
