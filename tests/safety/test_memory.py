"""The rule, row by row: a missing value protects what was made while it was there, and nothing else."""

from __future__ import annotations

import copy
import hashlib
from typing import Any

import pytest

from crossplane_lite import Unstructured, value_or
from tests.safety.cluster import Reconcile, content
from tests.safety.forms import BORN, DECIDED, HIDDEN, SEALED, TEXTS, either
from tests.safety.plain import make
from tests.safety.stories import cluster_of, evolved, lose, nothing_changes, step
from tests.safety.touches import ASKED, QUIET, TOUCHES, grown_zones, zones_of
from tests.safety.values import FULL, LOST, grow, provide
from tests.safety.zones import READY, deletes, shrink, spec, using, with_zones

# All forms of each test run with the slow ones.
pytestmark = pytest.mark.sample(2)

ARN = {**LOST, "arn": FULL["arn"]}


# --- row 1: never there since the thing was made: plain Python; deleting works; nothing runs again --------------------


@READY
@pytest.mark.parametrize("use", TOUCHES)
def test_deletion_works(use: str, ready: bool) -> None:
    """A value that never comes, however it is touched, doesn't keep what the user doesn't want any more."""
    cluster = grown_zones(TOUCHES[use], ready=ready)
    assert {"zone-a", "zone-b", "zone-c"} <= cluster.objects.keys()
    shrink(cluster)
    deletes(cluster, "zone-b")


@pytest.mark.parametrize("use", TOUCHES)
def test_additions_and_edits_work(use: str) -> None:
    """Beside a value that never comes new resources come, and live ones change as the user says."""
    cluster = grown_zones(TOUCHES[use])
    shrink(cluster, "abcd")
    done = step(cluster)
    nothing_changes(done)
    assert done.after.keys() - done.before.keys() == {"zone-d"}


@pytest.mark.parametrize("use", ASKED)
def test_nothing_runs_again(use: str) -> None:
    """A value that never comes takes no further run of compose(), from the first reconcile at rest on."""
    cluster = grown_zones(TOUCHES[use])
    runs: list[int] = []

    def counting(ctx: Any) -> None:
        runs.append(1)
        zones_of(TOUCHES[use])(ctx)

    cluster.functions = cluster_of(counting).functions
    cluster.reconcile()
    provide(cluster, LOST)
    runs.clear()
    cluster.reconcile()
    assert len(runs) == 1


@READY
@pytest.mark.parametrize("form", BORN)
def test_births_follow(form: str, ready: bool) -> None:
    """What was made without a value follows the code when the value comes, and keeps it when the value goes again."""
    value, born, later = BORN[form]
    cluster = cluster_of(using(lambda ctx, status: make(ctx, "s", x=value(status), fixed=1)))
    for _ in range(3):
        done = step(cluster)
        assert not done.fatal, done.fatal
        assert spec(cluster) == {"x": born, "fixed": 1}
        provide(cluster, LOST, ready=ready)
    provide(cluster, FULL, ready=ready)
    step(cluster)
    assert spec(cluster) == {"x": later, "fixed": 1}
    nothing_changes(lose(cluster))
    nothing_changes(lose(cluster, ready=ready))


def test_a_birth_follows_each_value_that_comes() -> None:
    """`domain or id or "unset"` becomes the id, keeps it while the id is gone, and becomes the domain at last."""
    use = BORN["or"][0]
    cluster = cluster_of(using(lambda ctx, status: make(ctx, "s", x=use(status))))
    found = []
    for status in (None, LOST, {"id": "i"}, LOST, {"id": "j"}, {"domain": "d"}, {"id": "j"}, LOST, {"domain": "e"}):
        step(cluster)
        provide(cluster, status, ready=True)
        step(cluster)
        found.append(spec(cluster)["x"])
    assert found == ["unset", "unset", "i", "i", "j", "d", "d", "d", "e"]


@READY
def test_the_false_branch_counts_until_the_value_comes(ready: bool) -> None:
    """What the code composes without the value goes as soon as the value has come, and both are never there."""
    cluster = cluster_of(using(either))
    for _ in range(3):
        assert step(cluster).after.keys() == {"vpc", "init"}
        provide(cluster, LOST, ready=ready)
    provide(cluster, FULL, ready=ready)
    assert step(cluster).after.keys() == {"vpc", "replica"}
    assert lose(cluster, ready=ready).after.keys() == {"vpc", "replica"}


def test_another_branch_of_the_user_counts_for_what_exists() -> None:
    """A spec change that makes the code ask for a value that was never there follows the code."""

    def use(ctx: Any, status: Any) -> None:
        found = bool(status.id)
        if found or not ctx.composite(Unstructured).observed.spec.strict:
            make(ctx, "s", fixed=1)

    cluster = cluster_of(using(use), spec={"strict": False})
    for _ in range(3):
        step(cluster)
        provide(cluster, LOST, ready=False)
    cluster.xr["spec"]["strict"] = True
    deletes(cluster, "s")


# --- row 2: a reference, or a text made from it: a new resource waits, an existing one keeps the field ----------------


@READY
@pytest.mark.parametrize("form", TEXTS)
def test_a_reference_waits_or_keeps(form: str, ready: bool) -> None:
    """A new resource waits for the value and that is told; an existing one keeps its field; the rest follows."""

    def use(ctx: Any, status: Any) -> None:
        make(ctx, "s", x=TEXTS[form](status.id), region=ctx.composite(Unstructured).observed.spec.region)

    cluster = cluster_of(using(use))
    for _ in range(2):
        done = step(cluster)
        assert not done.fatal, done.fatal
        assert done.after.keys() == {"vpc"}
        assert "s waits for vpc.status.id" in done.waiting
        provide(cluster, LOST, ready=ready)
    provide(cluster)
    step(cluster)
    live = spec(cluster)["x"]
    for _ in range(3):
        nothing_changes(lose(cluster, ready=ready))
    cluster.xr["spec"]["region"] = "us"
    for _ in range(3):
        assert not step(cluster).fatal
        assert spec(cluster) == {"x": live, "region": "us"}


# --- row 3: was there, is gone (lost): what it decides stays ----------------------------------------------------------


@READY
@pytest.mark.parametrize("form", DECIDED)
def test_what_a_lost_value_decides_stays(form: str, ready: bool) -> None:
    """Resources and fields that hang on a value stay while it is gone, for long, whatever its owner's readiness."""
    cluster = with_zones(DECIDED[form])
    existing = {*cluster.objects}
    for status in (LOST, None, LOST, LOST, LOST):
        provide(cluster, status, ready=ready)
        done = step(cluster)
        nothing_changes(done)
        assert done.after.keys() == existing
    provide(cluster)
    nothing_changes(step(cluster))


@pytest.mark.parametrize("form", ["if", "either", "or", "conditional", "default in a text", "field in a branch"])
def test_the_user_deletes_beside_a_lost_value(form: str) -> None:
    """What doesn't hang on the lost value goes when the user wants it to, also while something is kept."""
    cluster = with_zones(DECIDED[form])
    for _ in range(2):
        nothing_changes(lose(cluster))
    shrink(cluster)
    deletes(cluster, "zone-b")


# --- row 4: lost, and it can't be seen through: nothing of the step goes or changes but the value's owner -------------


@pytest.mark.parametrize("form", HIDDEN)
def test_what_hangs_on_a_hidden_value_stays(form: str) -> None:
    """Nothing goes or changes while a value is lost whose effect can't be seen, and nothing half made comes."""
    cluster = with_zones(HIDDEN[form])
    existing = {*cluster.objects}
    for _ in range(4):
        done = lose(cluster)
        nothing_changes(done)
        assert done.after.keys() == existing
    provide(cluster)
    nothing_changes(step(cluster))


@pytest.mark.parametrize("form", SEALED)
def test_the_user_goes_on_beside_a_hidden_value(form: str) -> None:
    """While it is lost the user's deletions, additions and edits are done at once."""
    cluster = with_zones(HIDDEN[form])
    lose(cluster)
    shrink(cluster, "acd")
    cluster.xr["spec"]["region"] = "us"
    done = step(cluster)
    assert done.deleted == ["zone-b"]
    assert "zone-d" in done.after
    assert spec(cluster, "zone-a")["region"] == "us"
    nothing_changes(step(cluster))
    provide(cluster)
    nothing_changes(step(cluster))


@pytest.mark.parametrize("form", HIDDEN)
def test_the_owner_of_a_hidden_value_comes_back(form: str) -> None:
    """The owner of the value is made again where somebody deletes it, though all else waits."""
    cluster = with_zones(HIDDEN[form])
    del cluster.objects["vpc"]
    done = step(cluster)
    nothing_changes(done)
    assert "vpc" in done.after
    provide(cluster)
    nothing_changes(step(cluster))


# --- row 5: lost, its owner is Ready, at rest: counts as never there from now on --------------------------------------


@pytest.mark.parametrize("use", [*QUIET, "in_the_status", "in_the_context", "in_the_connection_details"])
def test_at_rest_a_value_that_is_gone_for_good_blocks_nothing(use: str) -> None:
    """Two reconciles after a value went from a Ready owner the user can delete, where nothing hangs on the value."""
    cluster = grown_zones(TOUCHES[use], status=FULL)
    for _ in range(2):
        provide(cluster, LOST, ready=True)
        nothing_changes(step(cluster))
    shrink(cluster)
    deletes(cluster, "zone-b")


def _logged_hash(ctx: Any, status: Any) -> None:
    ctx.log.info(hashlib.sha256(f"{status.id}".encode()).hexdigest())


def test_rest_is_written_once() -> None:
    """What is remembered at rest is one write for each resource, and none in the reconciles after it."""
    cluster = with_zones(_logged_hash)
    written = [{*lose(cluster, ready=True).written} for _ in range(5)]
    assert sum("zone-a" in names for names in written) <= 1
    assert written[2:] == [set()] * 3


@READY
def test_rest_needs_a_ready_owner(ready: bool) -> None:
    """A later edit that makes the code need the value follows the code where its owner was Ready, and only there."""

    def use(ctx: Any, status: Any) -> None:
        found = bool(status.id)
        if found or not ctx.composite(Unstructured).observed.spec.strict:
            make(ctx, "s", fixed=1)

    cluster = with_zones(use)
    del cluster.objects["s"]
    grow(cluster)
    for _ in range(3):
        nothing_changes(lose(cluster, ready=ready))
    cluster.xr["spec"]["strict"] = True
    if ready:
        deletes(cluster, "s")
    else:
        for _ in range(3):
            nothing_changes(step(cluster))


def test_rest_counts_for_the_values_of_ready_owners_only() -> None:
    """Of two lost values the one whose owner isn't Ready goes on protecting what was made while it was there."""

    def compose(ctx: Any) -> None:
        spec = ctx.composite(Unstructured).observed.spec
        found = [bool(make(ctx, name, "Net", cidr="10.0.0.0/16").observed.status.id) for name in ("one", "two")]
        for name, is_there in zip(("one", "two"), found, strict=True):
            if is_there or not spec.strict:
                make(ctx, f"by-{name}", fixed=1)

    cluster = evolved(compose, spec={"strict": False})
    for name in ("by-one", "by-two"):
        del cluster.objects[name]
    grow(cluster)
    for _ in range(3):
        provide(cluster)
        cluster.provide("one", LOST, ready=True)
        cluster.provide("two", LOST, ready=False)
        nothing_changes(step(cluster))
    cluster.xr["spec"]["strict"] = True
    deletes(cluster, "by-one")
    assert "by-two" in cluster.objects


@pytest.mark.parametrize("form", ["if", "or", "default in a text"])
def test_where_something_would_change_there_is_no_rest(form: str) -> None:
    """What hangs on a lost value stays for ever, also beside a Ready owner, and through edits of other fields."""
    cluster = with_zones(DECIDED[form])
    for region in ("eu", "eu", "us", "us", "ap", "ap"):
        cluster.xr["spec"]["region"] = region
        done = lose(cluster, ready=True)
        assert not done.fatal and done.deleted == []
        assert done.after["s"] == done.before["s"]
        assert spec(cluster, "zone-a")["region"] == region


# --- row 6: comes back: everything follows the code at once -----------------------------------------------------------


@pytest.mark.parametrize("form", [*DECIDED, *HIDDEN])
def test_a_value_that_comes_back_is_followed_at_once(form: str) -> None:
    """The reconcile that sees all values again composes the same as if they had never been away."""
    cluster = with_zones({**DECIDED, **HIDDEN}[form])
    other = {**FULL, "id": "vpc-77", "phase": "Creating", "port": "80", "cidr": "10.0.0.0/8", "subnets": []}
    always = cluster.copy()
    for _ in range(3):
        lose(cluster)
    provide(cluster, other)
    provide(always, other)
    done, expected = step(cluster), step(always)
    assert done.after == expected.after
    assert {name: content(body) for name, body in done.desired.items()} == {
        name: content(body) for name, body in expected.desired.items()
    }


# --- row 7: nothing is remembered: everything missing counts as lost, until a call at rest ----------------------------


@pytest.mark.parametrize("form", [*DECIDED, *HIDDEN])
def test_without_memory_all_that_exists_stays(form: str) -> None:
    """Where nothing is remembered, as after a restore, nothing goes while values are missing."""
    cluster = with_zones({**DECIDED, **HIDDEN}[form])
    before = {name: copy.deepcopy(spec(cluster, name)) for name in cluster.objects}
    provide(cluster, LOST, ready=False)
    for _ in range(3):
        cluster.forget()
        assert step(cluster).deleted == []
    provide(cluster)
    assert step(cluster).deleted == []
    assert {name: spec(cluster, name) for name in before} == before


@pytest.mark.parametrize("use", TOUCHES)
def test_without_memory_rest_is_enough(use: str) -> None:
    """After two reconciles at rest without any memory the user can delete beside a value that never comes."""
    cluster = grown_zones(TOUCHES[use])
    cluster.forget()
    for _ in range(2):
        nothing_changes(step(cluster))
    shrink(cluster)
    deletes(cluster, "zone-b")


# --- `value_or`, `ctx.remove`, `protect=False`: the author says it ---------------------------------------------------


@pytest.mark.parametrize("kind", ["VPC", "Net"])
@pytest.mark.parametrize("left", [{}, {"endpoint": {}}])
def test_value_or_of_a_value_whose_object_is_gone(kind: str, left: dict[str, Any]) -> None:
    """The default counts also where all around the value is gone with it."""

    def use(ctx: Any, status: Any) -> None:
        make(ctx, "s", x=value_or(status.endpoint.host, "none"))
        if value_or(status.endpoint.port, 0):
            make(ctx, "t", fixed=1)

    cluster = evolved(using(use, kind))
    provide(cluster, {"note": "of nothing else", **left}, ready=False)
    nothing_changes(step(cluster))
    provide(cluster, {"note": "of nothing else", **left})
    assert step(cluster).deleted == ["t"]
    assert spec(cluster) == {"x": "none"}


def test_value_or_beside_another_value_of_the_object() -> None:
    """A signal with a default goes although a value beside it, which is lost with it, counts as it last was."""

    def use(ctx: Any, status: Any) -> None:
        if status.at.id:
            make(ctx, "s", fixed=1)
        if value_or(status.at.message, ""):
            make(ctx, "repair", fixed=1)

    cluster = cluster_of(using(use))
    for _ in range(4):
        provide(cluster, {"at": {"id": "x", "message": "it failed"}})
        cluster.reconcile()
    assert {"s", "repair"} <= cluster.objects.keys()
    for left in ({}, {"at": {}}, {"at": {"id": "x"}}):
        one = cluster.copy()
        provide(one, {"note": "of nothing else", **left})
        assert step(one).deleted == ["repair"]
        assert "s" in one.objects


def test_value_or_says_that_absence_is_meant() -> None:
    """What is made with the default of `value_or` takes the place of what a Ready owner's lost value made."""
    cluster = evolved(using(lambda ctx, status: make(ctx, "s", x=value_or(status.id, "none"))))
    nothing_changes(lose(cluster))
    done = lose(cluster, ready=True)
    assert not done.fatal
    assert spec(cluster) == {"x": "none"}


def _removed(ctx: Any, status: Any) -> None:
    if status.id:
        make(ctx, "s", fixed=1)
    if ctx.composite(Unstructured).observed.spec.gone:
        ctx.remove("s")


def test_remove_says_that_a_resource_goes() -> None:
    """`ctx.remove` takes away what a lost value keeps."""
    cluster = evolved(using(_removed), spec={"gone": False})
    nothing_changes(lose(cluster))
    cluster.xr["spec"]["gone"] = True
    deletes(cluster, "s")


def test_allowed_removals_say_that_the_false_branch_counts() -> None:
    """With `protect=False` a lost value keeps nothing that hangs on it."""
    done: Reconcile = lose(evolved(using(DECIDED["if"]), protect=False))
    assert not done.fatal
    assert done.deleted == ["s"]
