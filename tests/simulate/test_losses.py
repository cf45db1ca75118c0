"""`drop` and `degrade`: what a composition does after a loss in the steady state."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from crossplane_lite._tools.simulate.effects import Effects, effects_of
from crossplane_lite.errors import InputError, UsageError
from tests.render.scripted import Objects, Scripted, desire
from tests.simulate.simulating import chain, fields, made, network, simulated, simulation, thing


def effects(done: Any, round: Any) -> Effects:
    """Return what a round after a loss changes."""
    return effects_of(done.rounds[-1].rendered, round)


def test_dropping_loses_nothing() -> None:
    """A resource that was taken away is created again; what needs it stays, with the values that were there."""
    done = simulated(chain)
    round = done.drop("vpc")
    assert effects(done, round) == Effects(
        created=["vpc"],
        changed={},
        deleted=[],
        status=[],
        kept={},
        held={},
        remarks=round.remarks,
        ready=False,
    )
    (remark,) = round.remarks
    assert "vpc.status.atProvider.vpcId" in remark and "as it last was" in remark
    assert made(round, "subnet", "spec") == {"forProvider": fields(done, "subnet")}
    assert made(round, "vpc", "metadata", "name") == done.observed["vpc"]["metadata"]["name"]


def test_dropping_what_nobody_needs() -> None:
    """The last of a chain is created again, and that is all."""
    done = simulated(chain)
    found = effects(done, done.drop("instance"))
    assert found == Effects(["instance"], {}, [], [], {}, {}, [], False)


def test_degrading_loses_nothing() -> None:
    """A field that is gone stays where it was used, in resources and in the composite's status."""
    done = simulated(chain)
    round = done.degrade("vpc", "status.atProvider.vpcId")
    assert effects(done, round) == Effects([], {}, [], [], {"subnet": ["vpc.status.atProvider.vpcId"]}, {}, [], True)
    done = simulated(network)
    assert effects(done, done.degrade("vpc", "status.atProvider.vpcId")) == Effects([], {}, [], [], {}, {}, [], True)


def test_nothing_of_it_stays() -> None:
    """A loss is tried, and the simulation itself is as before."""
    done = simulated(chain)
    before = dict(done.observed), dict(done.waves), len(done.rounds)
    first = effects(done, done.drop("vpc"))
    done.degrade("vpc", "status")
    assert (dict(done.observed), dict(done.waves), len(done.rounds)) == before
    assert effects(done, done.drop("vpc")) == first


def test_a_guess_after_a_loss() -> None:
    """Fields that Crossplane owns survive a loss after which the function guesses, as in a cluster."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", thing("VPC"))
        user = ctx.resource("user", thing())
        if vpc.observed.status.atProvider.vpcId:
            user.spec.forProvider.extra = {"known": "yes"}

    done = simulated(compose, fixtures={"vpc": {"status": {"atProvider": {"vpcId": "v"}}}})
    assert fields(done, "user") == {"region": "eu", "extra": {"known": "yes"}}
    assert effects(done, done.drop("vpc")).changed == {}
    # The VPC is Ready without an id then, but a string may have moved.
    assert effects(done, done.degrade("vpc", "status.atProvider.vpcId")).changed == {}


def test_a_guess_that_would_lose_a_resource() -> None:
    """A function of ours loses no resource to a guess."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", thing("VPC"))
        if vpc.observed.status.atProvider.vpcId:
            ctx.resource("user", thing(x=vpc.observed.status.atProvider.vpcId))

    done = simulated(compose)
    assert done.waves == {"vpc": 1, "user": 2}
    for loss in (done.drop("vpc"), done.degrade("vpc", "status.atProvider.vpcId")):
        assert effects(done, loss).deleted == []
        assert effects(done, loss).changed == {}


def raw(request: Any, response: Any) -> None:
    """Compose a VPC, and while it has an id a subnet, as functions do that don't look back."""
    kind = {"apiVersion": "example.org/v1"}
    desire(response, "vpc", {**kind, "kind": "VPC", "spec": {"forProvider": {}}}, ready=True)
    if "vpc" in request.observed.resources:
        status = request.observed.resources["vpc"].resource["status"]
        if "atProvider" in status:
            spec = {"forProvider": {"vpc": status["atProvider"]["id"], "more": {"a": 1}}}
            desire(response, "subnet", {**kind, "kind": "Subnet", "spec": spec}, ready=True)
            response.desired.composite.resource.update({"status": {"id": status["atProvider"]["id"]}})


def test_a_raw_function_deletes() -> None:
    """A function that doesn't look back wants to delete what needs the lost value."""
    done = simulated(Scripted(raw), fixtures={"vpc": {"status": {"atProvider": {"id": "v"}}}})
    assert done.waves == {"vpc": 1, "subnet": 2}
    dropped = done.drop("vpc")
    assert list(dropped.rendered.deleted) == ["subnet"]
    assert effects(done, dropped) == Effects(["vpc"], {}, ["subnet"], ['id: "v" -> (nothing)'], {}, {}, [], True)
    assert effects(done, done.degrade("vpc", "status.atProvider")).deleted == ["subnet"]
    assert effects(done, done.drop("subnet")) == Effects(["subnet"], {}, [], [], {}, {}, [], True)


def test_changes_are_told_with_their_values() -> None:
    """A field that changes is told with both values, and in a Secret without."""

    def script(request: Any, response: Any) -> None:
        there = "a" in request.observed.resources
        spec = {"spec": {"forProvider": {"there": there, "list": [1, 2] if there else [1]}}}
        desire(response, "a", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "x"}})
        desire(response, "b", {"apiVersion": "example.org/v1", "kind": "B", **spec})
        data = {"data": {"password": "eA==" if there else "eQ=="}}
        desire(response, "c", {"apiVersion": "v1", "kind": "Secret", "metadata": {"namespace": "x"}, **data})

    done = simulated(Scripted(script))
    assert effects(done, done.drop("a")).changed == {
        "b": ["spec.forProvider.list[1]: 2 -> (nothing)", "spec.forProvider.there: true -> false"],
        "c": ["data.password"],
    }


def test_external_names_and_connection_details() -> None:
    """An external name, and a detail of a connection Secret, can be taken away like a field."""

    def compose(ctx: Any) -> None:
        db = thing("DB")
        db.spec.writeConnectionSecretToRef = {"name": "db", "namespace": "x"}
        db = ctx.resource("db", db)
        ctx.resource("a", thing(x=db.observed.external_name, y=db.observed.connection_details["k"]))

    done = simulated(compose)
    assert effects(done, done.degrade("db", "external_name")).kept == {"a": ["db.external_name"]}
    round = done.degrade("db", 'connection_details["k"]')
    assert effects(done, round).kept == {"a": ['db.connection_details["k"]']}
    assert list(effects(done, done.drop("db")).kept) == ["a"]


def test_what_can_be_lost() -> None:
    """A name or a path that isn't there is refused, with what there is; so is a simulation that isn't stable."""
    done = simulated(chain)
    with pytest.raises(
        InputError,
        match=r"no resource 'vcp' in the steady state \(it has: instance, subnet, vpc\); did you mean 'vpc'\?",
    ):
        done.drop("vcp")
    with pytest.raises(InputError, match="vpc has no field status.other in the steady state, so there is nothing to"):
        done.degrade("vpc", "status.other")
    with pytest.raises(UsageError, match="isn't a field path"):
        done.degrade("vpc", "status..x")
    with pytest.raises(UsageError, match="need a simulation that has become stable: call run"):
        simulation(chain).drop("vpc")


def test_splitting_paths() -> None:
    """The longest name that a path begins with counts."""

    def compose(ctx: Any) -> None:
        for name in ("a", "a.b"):
            ctx.resource(name, thing())

    done = simulated(compose)
    assert done.split("a.b.status.x") == ("a.b", "status.x")
    assert done.split("a.status.x") == ("a", "status.x")
    assert done.split('a["x"].y') == ("a", '["x"].y')
    for path, problem in (
        ("c.status", "doesn't begin with the name"),
        ("a.b", "is a resource; add the path"),
    ):
        with pytest.raises(InputError, match=problem):
            done.split(path)


def test_dropping_what_is_required_too() -> None:
    """A dropped resource isn't found as a required one either, nor its connection Secret, wherever they come from."""

    def compose(ctx: Any) -> None:
        vpc = thing("VPC")
        vpc.spec.writeConnectionSecretToRef = {"name": "s", "namespace": "x"}
        ctx.resource("vpc", vpc)
        ctx.requirements.resources["all"] = composition.ResourceSelector(
            api_version="example.org/v1", kind="VPC", match_labels={}
        )
        ctx.requirements.resources["secret"] = composition.ResourceSelector(
            api_version="v1", kind="Secret", match_name="s", namespace="x"
        )
        status = ctx.composite(Unstructured).status
        for key in ("all", "secret"):
            status[key] = len(list(ctx.required_resources.get(key, Unstructured)))

    done = simulated(compose)
    assert (done.composite["status"]["all"], done.composite["status"]["secret"]) == (1, 1)
    assert effects(done, done.drop("vpc")).status == ["all: 1 -> 0", "secret: 1 -> 0"]
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "x"}}
    live = Objects({**done.observed["vpc"], "spec": {}}, secret)
    done = simulated(compose, cluster=live)
    assert effects(done, done.drop("vpc")).status == ["all: 1 -> 0", "secret: 1 -> 0"]


@pytest.mark.parametrize(
    ("path", "known_by"),
    [
        ("apiVersion", "apiVersion"),
        ("kind", "kind"),
        ("metadata", "metadata.name"),
        ("metadata.name", "metadata.name"),
        ("metadata.annotations", 'metadata.annotations["crossplane.io/composition-resource-name"]'),
        (
            'metadata.annotations["crossplane.io/composition-resource-name"]',
            'metadata.annotations["crossplane.io/composition-resource-name"]',
        ),
    ],
)
def test_what_can_not_be_lost(path: str, known_by: str) -> None:
    """What a resource is known by can't be taken away, alone or with more; everything else of it can."""
    done = simulated(chain)
    with pytest.raises(InputError) as caught:
        done.degrade("vpc", path)
    assert str(caught.value) == (
        f"vpc.{path} can't be removed, because a resource is known by its {known_by}; remove another field, "
        "or the whole resource"
    )
    for other in ("metadata.uid", "metadata.managedFields", "metadata.generation", "external_name", "spec", "status"):
        done.degrade("vpc", other)
