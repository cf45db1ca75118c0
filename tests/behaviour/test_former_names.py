"""Resources that got another name: `ctx.resource(..., formerly=[...])`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import composition, testing
from crossplane_lite._tools.render.explain import explain
from crossplane_lite.errors import DuplicateResourceError, UnresolvedError, UsageError
from crossplane_lite.render import Step, render
from tests.behaviour import samples
from tests.behaviour.helpers import CONDITION, path
from tests.behaviour.models import VPC, Bucket, Subnet
from tests.behaviour.usages_models import edges, existing, reconciled
from tests.support import DEFAULT_XR, MARKER, call, request, run, run_steps, steps_of

FOUND = {"vpc": samples.vpc({"region": "r"}, status={"vpcId": "v"}, external_name="vpc-1", ours="net", ready=True)}
"""The network under its former name."""


@composition.function(name="net")
def network(ctx: Any) -> None:
    """A VPC that was called vpc, and a subnet that needs it."""
    vpc = ctx.resource("network", VPC(), formerly=["vpc"])
    ctx.resource("subnet", Subnet()).spec.forProvider.vpcId = vpc.observed.status.atProvider.vpcId


def test_what_exists_keeps_its_former_name() -> None:
    """A resource is composed under its former name, with the mark, while it exists under that name."""
    answer = run(network, observed=FOUND)
    assert not answer.fatal and not answer.results
    assert sorted(answer.resources) == ["subnet", "vpc"]
    assert steps_of(answer.emitted["vpc"]) == "net"
    assert answer.resources["subnet"]["spec"]["forProvider"] == {"vpcId": "v"}
    assert list(run(network).resources) == ["network"]
    assert sorted(run(network, observed={"network": FOUND["vpc"]}).resources) == ["network", "subnet"]


def test_observed_state_is_that_of_the_former_name() -> None:
    """Values, external name, connection details, conditions and the name are those of the object that exists."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("network", VPC(), formerly=["vpc"])
        assert vpc.observed.status.atProvider.vpcId == "v"
        assert vpc.observed.external_name == "vpc-1"
        assert vpc.observed.connection_details["key"] == "text"
        assert vpc.condition("Ready").status == "True"
        assert vpc.observed.ready
        assert vpc.name == "vpc"
        # What is missing is awaited under the name that the cluster has.
        assert path(vpc.observed.status.atProvider.arn) == "vpc.status.atProvider.arn"

    answer = call(compose, observed=FOUND, connection={"vpc": {"key": b"text"}})[1]
    assert not answer.fatal


def test_the_code_uses_the_present_name() -> None:
    """`ctx.resources`, `depends_on`, `ctx.observed` and `ctx.remove` take the present name in any composite."""

    def compose(ctx: Any) -> Any:
        ctx.resource("first", Bucket(), depends_on=["network"])
        vpc = ctx.resource("network", VPC(), formerly=["vpc"])
        last = ctx.resource("last", Bucket(), depends_on=["network"])
        assert ctx.resources["network"] is vpc
        assert list(ctx.resources) == ["first", "network", "last"]
        assert last._state.depends_on == ctx.resources["first"]._state.depends_on == (vpc.name,)
        return "network" in ctx.observed, ctx.observed["network"].external_name == "vpc-1"

    seen, answer = call(compose, observed=FOUND)
    assert seen == (True, True)
    assert sorted(answer.resources) == ["first", "last", "vpc"]
    waiting = {**FOUND, "vpc": samples.vpc(ready=False)}
    assert list(call(compose, observed=waiting)[1].resources) == ["vpc"]
    seen, answer = call(compose)
    assert seen == (False, False)
    assert list(answer.resources) == ["network"]


@pytest.mark.parametrize("observed", [{}, FOUND, {"network": FOUND["vpc"]}], ids=["new", "former", "present"])
def test_removing(observed: Any) -> None:
    """`ctx.remove` with the present name takes out what was registered, and it can be registered once more."""

    def compose(ctx: Any) -> None:
        ctx.resource("network", VPC(), formerly=["vpc"])
        ctx.remove("network")
        assert not ctx.resources
        if again:
            ctx.resource("network", VPC(), formerly=["vpc"])

    again = False
    assert not call(compose, observed=observed)[1].resources
    again = True
    assert list(call(compose, observed=observed)[1].resources) == (list(observed) or ["network"])


def test_several_former_names() -> None:
    """The first of several former names under which the object exists counts."""

    def compose(ctx: Any) -> None:
        ctx.resource("network", VPC(), formerly=("main", "vpc", "old"))

    assert list(call(compose, observed={**FOUND, "old": FOUND["vpc"]})[1].resources) == ["vpc"]


def test_both_exist() -> None:
    """Where objects exist under both names, the present one counts, and the former one isn't composed any more."""
    answer = run(network, observed={**FOUND, "network": FOUND["vpc"]})
    assert sorted(answer.resources) == ["network", "subnet"]


def test_a_previous_step_desires_it() -> None:
    """A name that a previous step desires counts as one that exists, and the instance is merged into its resource."""

    @composition.function(name="first")
    def first(ctx: Any) -> None:
        ctx.resource("vpc", VPC(spec={"forProvider": {"cidrBlock": "c"}}))

    @composition.function(name="net")
    def second(ctx: Any) -> None:
        ctx.resource("network", VPC(spec={"forProvider": {"region": "r"}}), formerly=["vpc"])
        assert list(ctx.desired) == ["vpc"]  # names as the previous step has given them

    for observed in ({}, FOUND):
        answer = run_steps([first, second], observed=observed)[-1]
        assert list(answer.resources) == ["vpc"]
        assert answer.resources["vpc"]["spec"]["forProvider"] == {"cidrBlock": "c", "region": "r"}
    # A previous step that has the present name already decides: nothing is composed twice.
    answer = run(network, observed=FOUND, desired={"network": samples.vpc({"cidrBlock": "c"})})
    assert "vpc" not in answer.resources
    assert answer.resources["network"]["spec"]["forProvider"] == {"cidrBlock": "c"}


def _twice(ctx: Any) -> None:
    ctx.resource("network", VPC(), formerly=["vpc"])
    ctx.resource("vpc", VPC())


def _twice_the_other_way(ctx: Any) -> None:
    ctx.resource("vpc", VPC())
    ctx.resource("network", VPC(), formerly=["vpc"])


def _one_former_name(ctx: Any) -> None:
    ctx.resource("network", VPC(), formerly=["old", "vpc"])
    ctx.resource("vpc-b", VPC(), formerly=["vpc"])


def _swapped(ctx: Any) -> None:
    ctx.resource("network", VPC(), formerly=["vpc"])
    ctx.resource("vpc", VPC(), formerly=["network"])


@pytest.mark.parametrize("observed", [{}, FOUND, {"network": FOUND["vpc"]}], ids=["new", "former", "present"])
@pytest.mark.parametrize("body", [_twice, _twice_the_other_way, _one_former_name, _swapped])
def test_two_resources_of_one_name(body: Callable[[Any], None], observed: Any) -> None:
    """Two resources with a name in common are an error that names both, whatever exists."""
    with pytest.raises(DuplicateResourceError) as error:
        call(body, observed=observed)
    assert "'network'" in str(error.value) and "'vpc" in str(error.value)


@pytest.mark.parametrize("observed", [{}, FOUND], ids=["new", "former"])
@pytest.mark.parametrize("formerly", [[], ["vpc"]])
def test_one_name_twice(observed: Any, formerly: Any) -> None:
    """A resource that is registered twice is an error, also where it has its former name."""

    def compose(ctx: Any) -> None:
        ctx.resource("network", VPC(), formerly=["vpc"])
        ctx.resource("network", VPC(), formerly=formerly)

    with pytest.raises(DuplicateResourceError, match="network"):
        call(compose, observed=observed)


@pytest.mark.parametrize("formerly", ["vpc", 3, {"vpc": 1}.items, ["network"], [""], [1], [None]])
def test_former_names_are_checked(formerly: Any) -> None:
    """A string, what is no list, the present name and what can't be a name are errors."""
    with pytest.raises(UsageError, match="ctx.resource|name must"):
        call(lambda ctx: ctx.resource("network", VPC(), formerly=formerly), observed=FOUND)


def test_a_former_name_of_a_missing_value() -> None:
    """A former name that is made from a missing value is an error, as such a name is."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        ctx.resource("subnet", Subnet(), formerly=[f"subnet-{vpc.observed.status.atProvider.vpcId}"])

    with pytest.raises(UnresolvedError):
        call(compose)
    old = {"vpc": FOUND["vpc"], "subnet-v": samples.subnet()}
    assert sorted(call(compose, observed=old)[1].resources) == ["subnet-v", "vpc"]


def test_another_kind_under_the_former_name() -> None:
    """An object of another kind isn't taken over: the error has its kind."""
    with pytest.raises(UsageError, match="'vpc' is a VPC"):
        call(lambda ctx: ctx.resource("network", Bucket(), formerly=["vpc"]), observed=FOUND)


def test_a_missing_value_keeps_it() -> None:
    """Runs with other answers find the object under its former name too: it is kept while a missing value decides."""

    @composition.function(name="net")
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        if bucket.observed.status.atProvider.id:
            ctx.resource("network", VPC(), formerly=["vpc"])

    owned = {"f:spec": {"f:forProvider": {"f:region": {}}}}
    old = {"vpc": samples.vpc({"region": "r"}, ours="net", owned=owned), "bucket": samples.bucket()}
    answer = run(compose, observed=old)
    assert not answer.fatal
    assert answer.resources["vpc"]["spec"] == {"forProvider": {"region": "r"}}
    assert "vpc is kept" in answer.conditions[CONDITION][2]
    assert "network" not in answer.resources


def test_usages() -> None:
    """With `usages=True` the Usages of an object under its former name stay, and new ones are made for it."""

    def needing(first: str, **options: Any) -> Any:
        @composition.function(name="step", usages=True)
        def compose(ctx: Any) -> None:
            made = ctx.resource(first, Bucket(), **options)
            for name in ("b", "c"):
                ctx.resource(name, Bucket()).spec.forProvider.project = made.observed.status.atProvider.id

        return compose

    cluster = existing("a", "b")
    assert edges(reconciled(cluster, needing("a"))) == {("b", "a")}
    cluster.create("c")
    answer = reconciled(cluster, needing("network", formerly=["a"]))
    assert edges(answer) == {("b", "a"), ("c", "a")}
    assert "network" not in answer.resources


def test_dependencies() -> None:
    """The dependencies that tools draw have the name that the cluster has."""
    found = network.dependencies(request(observed=FOUND))
    assert [(one.dependent, one.dependency) for one in found] == [("subnet", "vpc")]
    assert [one.dependency for one in network.dependencies(request())] == ["network"]


def test_an_operation() -> None:
    """Where an Operation runs the function, nothing is observed, so the present name counts."""

    def compose(ctx: Any) -> None:
        ctx.resource("network", VPC(), formerly=["vpc"])

    assert list(call(compose, xr={})[1].resources) == ["network"]


def test_previews() -> None:
    """`render` and `simulate` keep the object's name, and `--explain` has the line that registers it."""
    xr = {**DEFAULT_XR, "metadata": {"name": "shop", "uid": "an-uid"}}
    owner = {"apiVersion": xr["apiVersion"], "kind": xr["kind"], "name": "shop", "uid": "an-uid", "controller": True}
    annotations = {"crossplane.io/composition-resource-name": "vpc", MARKER: "net"}
    metadata = {"name": "shop-1f2e", "annotations": annotations, "ownerReferences": [owner]}
    observed = [{**samples.vpc(status={"vpcId": "v"}), "metadata": metadata}]
    rendered = render(xr, [Step("net", "net")], {"net": network}, observed=observed)
    assert rendered.composed["vpc"]["metadata"]["name"] == "shop-1f2e"
    assert not rendered.deleted and sorted(rendered.composed) == ["subnet", "vpc"]
    (explained,) = explain(rendered.steps, ["vpc"])
    assert explained.place.startswith("test_former_names.py:")
    simulated = testing.simulate(xr, network, observed=observed)
    assert sorted(simulated.observed) == ["subnet", "vpc"]
    # Once the object is lost, it comes again under its present name.
    assert sorted(testing.simulate(xr, network).observed) == ["network", "subnet"]
