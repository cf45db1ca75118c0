"""Compositions over many reconciles, while values come and go."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from crossplane_lite import Unstructured
from tests.safety.cluster import Reconcile, content
from tests.safety.plain import make
from tests.safety.replicas import outputs
from tests.safety.stories import (
    KEPT_TEXT,
    cluster_of,
    evolved,
    lose,
    nothing_changes,
    replaced,
    step,
)
from tests.safety.values import FULL, LOST, grow, provide


def vpc_of(ctx: Any, name: str = "vpc") -> Any:
    """Register the network and return its observed status."""
    return make(ctx, name, "VPC", cidr="10.0.0.0/16").observed.status


# --- what goes, and what never is there together ---------------------------------------------------------------------


def test_a_cache_that_the_user_switches_off_goes() -> None:
    """What no answer to the open question composes goes, while what hangs on the question stays."""

    def compose(ctx: Any) -> None:
        status = vpc_of(ctx)
        if ctx.composite(Unstructured).observed.spec.cache:
            make(ctx, "cache", fixed=1)
        if status.id:
            make(ctx, "s", x=status.id)

    cluster = evolved(compose, spec={"cache": True})
    nothing_changes(lose(cluster))
    cluster.xr["spec"]["cache"] = False
    done = step(cluster)
    assert not done.fatal
    assert done.deleted == ["cache"]
    assert "s" in done.desired


def test_a_replica_and_an_init_job_are_never_there_together() -> None:
    """Of the two branches of one question only one is composed, whatever happens to the value."""

    def compose(ctx: Any) -> None:
        status = vpc_of(ctx)
        if status.id:
            make(ctx, "replica", x=status.id)
        else:
            make(ctx, "init-job", fixed=1)

    cluster = cluster_of(compose)
    branches = {"replica", "init-job"}

    def one(done: Reconcile, expected: str) -> None:
        assert not done.fatal, done.fatal
        assert branches & done.desired.keys() == {expected}
        assert branches & cluster.objects.keys() == {expected}

    one(step(cluster), "init-job")
    provide(cluster, LOST, ready=False)
    one(step(cluster), "init-job")
    provide(cluster)
    one(step(cluster), "replica")
    for status, ready in ((LOST, True), (None, True), (LOST, False), (None, False)):
        provide(cluster, status, ready=ready)
        one(step(cluster), "replica")
    del cluster.objects["vpc"]
    one(step(cluster), "replica")
    provide(cluster)
    one(step(cluster), "replica")


def test_an_external_name_that_is_set_where_there_is_none() -> None:
    """`if not b.external_name: b.external_name = n` says the same in every call."""

    def compose(ctx: Any) -> None:
        b = make(ctx, "b", fixed=1)
        if not b.external_name:
            b.external_name = "chosen"

    cluster = cluster_of(compose)
    answers = []
    for _ in range(5):
        answers.append(content(step(cluster).desired["b"]))
        provide(cluster)
    assert answers == [answers[0]] * 5
    assert "chosen" in answers[0].values()


# --- two replicas of the function ------------------------------------------------------------------------------------

REPLICA = """
import sys
from tests.safety.test_reconciles import replicated
print(replicated())
"""


def _ordering(ctx: Any) -> None:
    status = vpc_of(ctx)
    texts = [f"{status.id}", "m", f"{status.arn}", "b"]
    make(ctx, "s", sorted=sorted(texts), least=min(texts), most=max(texts), set=sorted(set(texts)))
    make(ctx, "t", first=sorted({f"{status.id}", f"{status.arn}"})[0])
    if min(texts) == "b":
        make(ctx, "u", fixed=1)
    make(ctx, "hashed", x=hashlib.sha256(f"{status.id}".encode()).hexdigest())


def replicated() -> str:
    """Return what a replica of the function answers, to a request with values and to one without."""
    cluster = cluster_of(_ordering)
    answers = [cluster.reconcile()]
    provide(cluster, LOST, ready=False)
    answers.append(cluster.reconcile())
    provide(cluster)
    answers.append(cluster.reconcile())
    provide(cluster, LOST)
    answers.append(cluster.reconcile())
    return "\n".join(
        repr([sorted((name, sorted(content(body).items())) for name, body in done.desired.items()), done.waiting])
        for done in answers
    )


@pytest.mark.slow
def test_two_replicas_answer_alike() -> None:
    """Two processes give the same answers, also where texts with placeholders are put in order."""
    found = outputs("-c", REPLICA, timeout=60)
    assert found[0] == found[1] == replicated() + "\n"


# --- a backup --------------------------------------------------------------------------------------------------------


def _much(ctx: Any) -> None:
    xr = ctx.composite(Unstructured)
    status = vpc_of(ctx)
    xr.status.networkId = status.id
    make(ctx, "direct", x=status.id)
    make(ctx, "text", x=f"vpc/{status.id}")
    make(ctx, "hashed", x=hashlib.sha256(f"{status.id}".encode()).hexdigest())
    make(ctx, "default", x=status.id or "none")
    make(ctx, "ids", "Balancer", subnetIds=[subnet.id for subnet in status.subnets])
    for zone in status.zones:
        make(ctx, f"zone-{zone}", zone=zone)
    if status.id:
        gated = make(ctx, "gated", fixed=1)
        if gated.observed.status.arn:
            make(ctx, "behind", x=gated.observed.status.arn)
    if xr.observed.status.networkId:
        make(ctx, "by-composite", fixed=1)
    if ctx.resources["vpc"].condition("Ready").status == "True":
        make(ctx, "by-condition", fixed=1)
    if isinstance(status.count, int):
        make(ctx, "counted", x=status.count)


def test_a_restore_from_a_backup_changes_nothing() -> None:
    """Objects that come back without their status stay as they are, all of them, until their values are back."""
    cluster = evolved(_much)
    last = cluster.ask()
    assert len(cluster.objects) == 13
    cluster.xr.pop("status")
    for name in cluster.objects:
        cluster.objects[name].live.pop("status", None)
        cluster.objects[name].connection = {}
    for _ in range(3):
        done = step(cluster)
        nothing_changes(done)
        assert done.desired.keys() == last.desired.keys()
    grow(cluster)
    healed = step(cluster)
    assert {name: content(body) for name, body in healed.desired.items()} == {
        name: content(body) for name, body in last.desired.items()
    }


# --- kinds and versions ----------------------------------------------------------------------------------------------


def test_a_kind_that_switches_with_a_guess() -> None:
    """A resource whose kind hangs on a value keeps the kind that it has."""

    def compose(ctx: Any) -> None:
        status = vpc_of(ctx)
        make(ctx, "s", "Replica" if status.id else "Primary", fixed=1)

    cluster = cluster_of(compose)
    cluster.seed("vpc", {"apiVersion": "example.org/v1", "kind": "VPC", "spec": {"cidr": "10.0.0.0/16"}})
    grow(cluster)
    assert cluster.objects["s"].live["kind"] == "Replica"
    for _ in range(2):
        done = lose(cluster)
        nothing_changes(done)
        assert done.desired["s"]["kind"] == "Replica"


def _at(version: str) -> Any:
    def compose(ctx: Any) -> None:
        status = vpc_of(ctx)
        always = Unstructured(f"example.org/{version}", "Thing", spec={"fixed": 1})
        ctx.resource("always", always).spec.x = status.id or "none"
        if status.id:
            ctx.resource("s", Unstructured(f"example.org/{version}", "Thing", spec={"x": status.id, "fixed": 1}))

    return compose


def _without_version(done: Reconcile) -> None:
    """Check that nothing but apiVersions has changed."""
    assert not done.fatal, done.fatal
    assert done.deleted == []
    for name, before in done.before.items():
        after = done.after[name]
        assert {k: v for k, v in after.items() if k != ("apiVersion",)} == {
            k: v for k, v in before.items() if k != ("apiVersion",)
        }


def test_an_upgrade_to_another_version_while_a_value_is_missing() -> None:
    """A release that composes another version of a kind loses and changes nothing while a value is missing."""
    cluster = evolved(_at("v1beta1"))
    provide(cluster, LOST, ready=False)
    cluster = replaced(cluster, _at("v1beta2"))
    for _ in range(3):
        _without_version(step(cluster))
    provide(cluster)
    done = step(cluster)
    _without_version(done)
    assert {body["apiVersion"] for name, body in done.desired.items() if name != "vpc"} == {"example.org/v1beta2"}


def test_managed_fields_of_the_old_version() -> None:
    """An object that is observed in a new version, with managedFields of the old one, isn't deleted or emptied."""
    cluster = evolved(_at("v1beta1"))
    for name in ("s", "always"):
        cluster.objects[name].live["apiVersion"] = "example.org/v1beta2"
        assert cluster.objects[name].applied_as == "example.org/v1beta1"
    cluster = replaced(cluster, _at("v1beta2"))
    provide(cluster, LOST, ready=False)
    for _ in range(2):
        done = step(cluster)  # Fatal or not
        assert done.deleted == []
        assert {name: done.after[name] for name in done.before} == done.before
    provide(cluster)
    done = step(cluster)
    assert not done.fatal, done.fatal
    assert done.desired["s"]["apiVersion"] == "example.org/v1beta2"


# --- several steps ---------------------------------------------------------------------------------------------------


def test_a_plain_value_in_the_context_that_comes_from_a_guess() -> None:
    """What a later step composes from a value in the context that hangs on a guess is kept like the step's own."""

    def first(ctx: Any) -> None:
        status = vpc_of(ctx)
        ctx.context["size"] = "large" if status.id else "small"
        ctx.context["has-network"] = bool(status.id)

    def second(ctx: Any) -> None:
        make(ctx, "s", size=ctx.context["size"], fixed=1)
        if ctx.context["has-network"]:
            make(ctx, "t", fixed=1)

    cluster = evolved(first, second)
    assert cluster.objects["s"].live["spec"]["size"] == "large"
    for _ in range(2):
        done = lose(cluster)
        nothing_changes(done)
        assert done.desired.keys() == {"vpc", "s", "t"}
    provide(cluster)
    nothing_changes(step(cluster))


def test_a_status_of_the_composite_between_steps() -> None:
    """A status that a previous step sets from a guess doesn't take away what a later step composes from it."""

    def first(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        status = vpc_of(ctx)
        xr.status.phase = "Ready" if status.id else "Pending"
        xr.status.networkId = status.id

    def second(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        if xr.observed.status.networkId:
            make(ctx, "s", fixed=1)

    cluster = evolved(first, second)
    done = lose(cluster)
    nothing_changes(done)
    assert done.status == {"phase": "Ready", "networkId": FULL["id"]}


# --- what people say themselves --------------------------------------------------------------------------------------


def test_remove_in_a_guessed_branch() -> None:
    """`ctx.remove` behind a question about a missing value doesn't count."""

    def compose(ctx: Any) -> None:
        status = vpc_of(ctx)
        if status.id:
            make(ctx, "s", fixed=1)
        else:
            ctx.remove("s")

    cluster = evolved(compose)
    for ready in (True, False):
        nothing_changes(lose(cluster, ready=ready))


def test_remove_in_every_branch() -> None:
    """`ctx.remove` counts where it is called whatever the value is."""

    def old(ctx: Any) -> None:
        if vpc_of(ctx).id:
            make(ctx, "s", fixed=1)

    def new(ctx: Any) -> None:
        old(ctx)
        ctx.remove("s")

    cluster = replaced(evolved(old), new)
    done = lose(cluster)
    assert not done.fatal
    assert done.deleted == ["s"]


def test_a_function_that_allows_removals() -> None:
    """With `allow_removal_when_unresolved` the author's falsy branch counts."""

    def compose(ctx: Any) -> None:
        if vpc_of(ctx).id:
            make(ctx, "s", fixed=1)

    done = lose(evolved(compose, protect=False))
    assert not done.fatal
    assert done.deleted == ["s"]


def test_a_renamed_network_whose_subnet_is_kept() -> None:
    """When a resource gets another name, nothing goes until the one with the new name is Ready, and it is told."""

    def old(ctx: Any) -> None:
        if vpc_of(ctx, "vpc").id:
            make(ctx, "subnet", fixed=1)

    def new(ctx: Any) -> None:
        if vpc_of(ctx, "network").id:
            make(ctx, "subnet", fixed=1)

    cluster = replaced(evolved(old), new)
    done = step(cluster)
    assert not done.fatal, done.fatal
    nothing_changes(done)
    assert KEPT_TEXT.format("subnet", "network.status.id") in done.waiting
    assert "ctx.remove" in done.waiting
    provide(cluster)
    cluster.provide("network", FULL, ready=True)
    done = step(cluster)
    assert done.deleted == ["vpc"]
    assert done.after["subnet"] == done.before["subnet"]
    assert "is kept" not in done.waiting


def test_a_kept_resource_does_not_make_the_composite_unready() -> None:
    """A composite whose resources are ready is ready, also while one of them is kept."""

    def compose(ctx: Any) -> None:
        if vpc_of(ctx).id:
            make(ctx, "s", fixed=1)

    cluster = evolved(compose)
    done = lose(cluster, ready=True)
    nothing_changes(done)
    assert done.final.desired.composite.ready != 2
    assert {name: entry.ready for name, entry in done.final.desired.resources.items()} == {"vpc": 1, "s": 1}


# --- an exception after a use ----------------------------------------------------------------------------------------


def test_an_exception_for_a_missing_value_lets_the_value_come_to_exist() -> None:
    """What was registered before an exception that a missing value caused is composed, so that the value comes."""
    from ipaddress import ip_network

    def compose(ctx: Any) -> None:
        status = vpc_of(ctx)
        cidr = next(ip_network(status.cidr or "").subnets(new_prefix=24))
        make(ctx, "s", cidr=str(cidr))

    cluster = cluster_of(compose)
    first = step(cluster)
    assert not first.fatal
    assert list(first.desired) == ["vpc"]
    assert "ValueError" in first.waiting
    assert "test_reconciles.py:" in first.waiting
    assert [severity for severity, _ in first.results].count(2) == 1, "one Warning when it is news"
    provide(cluster, LOST, ready=False)
    second = step(cluster)
    assert [severity for severity, _ in second.results].count(2) == 0
    provide(cluster)
    assert step(cluster).desired["s"]["spec"] == {"cidr": "10.0.0.0/24"}
    nothing_changes(lose(cluster))


def test_an_exception_without_a_missing_value_is_fatal() -> None:
    """An exception that no missing value has to do with is Fatal."""

    def compose(ctx: Any) -> None:
        vpc_of(ctx)
        raise RuntimeError("an error of its author")

    cluster = cluster_of(compose)
    assert "an error of its author" in cluster.reconcile().fatal[0]


def test_nothing_registered_before_an_exception_is_fatal() -> None:
    """An exception for a missing value is Fatal where nothing was registered before."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        int(xr.observed.status.size)

    assert cluster_of(compose).reconcile().fatal


@pytest.mark.parametrize("ready", [True, False], ids=["Ready", "NotReady"])
def test_a_composition_of_many_styles_loses_nothing(ready: bool) -> None:
    """All styles of one composition are kept at once, and come back to the same desired state."""
    cluster = evolved(_much)
    last = cluster.ask()
    kept = {name for name in cluster.objects if not (ready and name in ("zone-a", "zone-b", "counted"))}
    for status in (LOST, None):
        provide(cluster, status, ready=ready)
        done = step(cluster)
        assert not done.fatal
        for name in kept - {"ids"}:
            assert done.after[name] == done.before[name]
    provide(cluster)
    for _ in range(2):
        done = step(cluster)
        provide(cluster)
    assert {name: content(body) for name, body in done.desired.items()} == {
        name: content(body) for name, body in last.desired.items()
    }
