"""Warnings about existing resources that a call drops although others refer to them."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from crossplane_lite._core.answer.dropped import places_in, uses
from crossplane_lite._core.codec import encode_struct
from crossplane_lite._core.known.notes import key_of
from tests.behaviour import samples
from tests.behaviour.models import VPC, Bucket, Subnet
from tests.behaviour.usages_models import Cluster, existing, function, needing, reconciled
from tests.support import KNOWN, Response, run, run_steps


def observed(ours: str | None = "net", **metadata: Any) -> dict[str, Any]:
    """Return a VPC and a subnet in it."""
    vpc = samples.vpc(status={"vpcId": "v-1", "id": "v-1"}, ours=ours)
    vpc["metadata"] = {"name": "shop-vpc", **vpc.get("metadata", {}), **metadata}
    return {"vpc": vpc, "subnet": samples.subnet({"vpcId": "v-1"}, ours=ours)}


def warnings(answer: Response) -> list[str]:
    """Return the texts of warnings."""
    assert not answer.fatal
    return [text for severity, text in answer.results if severity == "warning"]


@composition.function(name="net")
def renamed(ctx: Any) -> None:
    """The VPC under another name."""
    vpc = ctx.resource("network", VPC())
    ctx.resource("other", Bucket())
    ctx.resource("subnet", Subnet()).spec.forProvider.vpcId = vpc.observed.status.atProvider.vpcId


@composition.function(name="net")
def only_subnet(ctx: Any) -> None:
    """A subnet with no word of its VPC."""
    ctx.resource("subnet", Subnet())


def test_another_name() -> None:
    """The warning has the dropped resource, the field that refers to it, and the new resource of the same kind."""
    found = observed()
    found["vpc"]["metadata"]["annotations"][KNOWN] = '{"net":{"m":"' + key_of("network", "") + '","n":1}}'
    (text,) = warnings(run(renamed, observed=found))
    assert text.startswith("vpc isn't desired any more")
    assert "subnet.spec.forProvider.vpcId" in text
    assert "network" in text and "formerly=['vpc']" in text and "other" not in text


def test_only_left_out() -> None:
    """A reference that only the observed object has counts, and without a new resource no name is proposed."""
    (text,) = warnings(run(only_subnet, observed=observed()))
    assert "subnet.spec.forProvider.vpcId" in text
    assert "formerly" not in text and "ctx.remove('vpc')" in text


def test_a_reference_that_goes_too() -> None:
    """An observed reference doesn't count where the desired field has another value."""

    @composition.function(name="net")
    def compose(ctx: Any) -> None:
        ctx.resource("subnet", Subnet()).spec.forProvider.vpcId = "v-2"

    assert not warnings(run(compose, observed=observed()))


@pytest.mark.parametrize("metadata", [{"deletionTimestamp": "2024-01-01T00:00:00Z"}, {"annotations": {}}])
def test_no_warning_about_others(metadata: Any) -> None:
    """What is being deleted already, so that the answer before has warned, and what isn't ours has no warning."""
    assert not warnings(run(only_subnet, observed=observed(**metadata)))
    others = {**observed(), "vpc": observed("other")["vpc"]}
    assert not warnings(run(only_subnet, observed=others))


def test_no_warning_where_it_stays_or_is_meant_to_go() -> None:
    """What compose() removes by name has no warning, nor what a previous step desires, or what is held back or kept."""

    @composition.function(name="net")
    def removing(ctx: Any) -> None:
        only_subnet.call_compose(ctx)
        ctx.remove("vpc")

    assert not warnings(run(removing, observed=observed()))
    assert not warnings(run(only_subnet, observed=observed(), desired={"vpc": samples.vpc()}))

    @composition.function(name="net")
    def guessing(ctx: Any) -> None:
        only_subnet.call_compose(ctx)
        if ctx.resource("bucket", Bucket()).observed.status.atProvider.id:
            ctx.resource("vpc", VPC())

    found = observed(managedFields=samples.vpc(owned={"f:spec": {}})["metadata"]["managedFields"])
    answer = run(guessing, observed=found)
    assert "vpc" in answer.resources and not warnings(answer)


def test_not_before_crossplane_has_answered() -> None:
    """While Crossplane hasn't answered a requirement, resources may be missing that the next call registers."""

    @composition.function(name="net")
    def compose(ctx: Any) -> None:
        only_subnet.call_compose(ctx)
        selector = composition.ResourceSelector(api_version="v1", kind="ConfigMap", match_name="a")
        ctx.requirements.resources["a"] = selector

    assert not warnings(run(compose, observed=observed()))
    assert warnings(run(compose, observed=observed(), required={"a": []}))


def test_a_previous_step_refers_to_it() -> None:
    """Resources that a previous step desires count as well."""

    @composition.function(name="first")
    def first(ctx: Any) -> None:
        ctx.resource("subnet", Subnet()).spec.forProvider.vpcId = "v-1"

    @composition.function(name="net")
    def second(ctx: Any) -> None:
        ctx.resource("other", Bucket())

    found = {"vpc": observed()["vpc"]}
    assert "subnet.spec.forProvider.vpcId" in warnings(run_steps([first, second], observed=found)[-1])[0]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"forProvider": {"bucket": "external"}}, "still used in a.spec.forProvider.bucket"),
        ({"role": "arn:1"}, "still used in a.spec.role"),
        ({"links": ["x", "https://self"]}, "still used in a.spec.links[1]"),
        ({"vpc-id": "id-1", "b": "id-1"}, "still used in a.spec.b, a.spec.vpc-id"),
        (dict.fromkeys("abcde", "id-1"), "still used in a.spec.a, a.spec.b, a.spec.c and 2 more"),
        ({"vpcIdRef": {"name": "shop-vpc"}}, "still used in a.spec.vpcIdRef.name"),
        ({"vpcIdRefs": [{"name": "shop-vpc"}]}, "still used in a.spec.vpcIdRefs[0].name"),
        ({"name": "shop-vpc", "tags": {"name": "shop-vpc"}}, ""),
        ({"of": {"resourceRef": {"name": "shop-vpc"}}}, ""),
        ({"text": "to arn:1", "other": "of-another", "none": "", "number": 1}, ""),
        (None, ""),
    ],
)
def test_uses(spec: Any, expected: str) -> None:
    """Another resource's spec refers by external name, by id, arn or selfLink of the status, or by a reference."""
    provider = {"id": "id-1", "arn": "arn:1", "x": "of-another"}
    dropped = {
        "metadata": {"name": "shop-vpc", "annotations": {"crossplane.io/external-name": "external"}},
        "status": {"selfLink": "https://self", "arn": "", "atProvider": provider},
    }
    assert uses(encode_struct(dropped), places_in({"a": [spec], "b": [None, {}]})) == expected


def test_strange_objects() -> None:
    """Objects of any shape give no warning, and no error."""
    strange: list[dict[str, Any]] = [
        {},
        {"metadata": 1, "status": []},
        {"metadata": {"annotations": "x"}, "status": {"id": {}, "atProvider": 1}},
    ]
    for raw in strange:
        assert uses(encode_struct(raw), places_in({"a": [{"b": "x"}, 3, ["x"]]})) == ""


def test_several_resources_of_the_kind() -> None:
    """At most three new resources are named."""

    @composition.function(name="net")
    def compose(ctx: Any) -> None:
        for name in "abcde":
            ctx.resource(name, VPC())
        ctx.resource("subnet", Unstructured("ec2.aws.upbound.io/v1beta1", "Subnet"))

    (text,) = warnings(run(compose, observed=observed()))
    assert "if one of a, b, c and 2 more is" in text


def test_once() -> None:
    """A deletion is warned of once, when nothing keeps the resource any more, and not while it takes its time."""
    cluster = Cluster(needing({"a": [], "b": ["a"]}))
    cluster.until_complete("ab")

    @function()
    def later(ctx: Any) -> None:
        ctx.resource("b", Bucket()).spec.forProvider.anything = {"a": "id-of-a"}

    assert not warnings(reconciled(cluster, later))
    assert cluster.collect() == []
    assert len(warnings(reconciled(cluster, later))) == 1
    assert cluster.observed["a"]["metadata"]["deletionTimestamp"]
    assert not warnings(reconciled(cluster, later))


def test_usages_are_no_use() -> None:
    """Where the dependent goes as well, the Usage that stays for the order of deletion isn't a use."""
    cluster = existing("a", "b")
    reconciled(cluster, needing({"a": [], "b": ["a"]}))

    @function()
    def nothing(ctx: Any) -> None:
        ctx.resource("other", Bucket())

    answer = reconciled(cluster, nothing)
    assert [one for one in answer.emitted if one.startswith("usage-")]
    assert not warnings(answer)


def test_notes_move_once() -> None:
    """While a deletion takes its time, the notes on what goes are written to another resource once."""
    needs = {"a": ["c"], "b": ["c"], "c": []}
    cluster = Cluster(needing(needs, usages=False))
    cluster.until_complete(needs)
    cluster.reconcile()
    cluster.steps = [needing({"c": []}, usages=False)]
    answers = [cluster.reconcile() for _ in range(3)]
    assert answers[1].emitted == answers[2].emitted
