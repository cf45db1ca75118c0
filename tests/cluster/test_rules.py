"""Small compositions, each for one rule: policies, names, deletion order, status, requirements, connection details."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import pytest

from .kube import wait
from .world import GROUP, NOTHING, World, condition, definition

_FUNCTIONS = "tests.cluster.functions"
_ROUNDS = 20
_STATUS = {"vpcId": "string", "cidr": "string", "address": "string"}


def _config_map(world: World, name: str, **data: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": world.namespace},
        "data": data,
    }


def test_a_resource_gets_another_name(world: World) -> None:
    """With its former name the object stays; without it a warning says so before the VPC goes, once it isn't needed."""
    function = world.function(f"{_FUNCTIONS}:rename", RELEASE="1")
    one = world.composite("Renamed", {}, function)
    one.wait_ready()
    before = one.snapshot()
    for release in ("3", "2"):
        function.stop()
        function.start(RELEASE=release)
        world.react(one)
        if release == "3":
            one.wait_ready()
            assert one.since(before) == NOTHING
            assert one.cloud()[before.events :] == []
    assert wait(lambda: "network" in one.composed(), 30)
    # Not the event: Kubernetes drops events of an object that has many.
    warned = [line for line in function.log.splitlines() if "formerly=['vpc']" in line]
    assert warned, function.log
    assert "vpc is kept for now" in warned[0]


def test_a_password_is_made_once(world: World) -> None:
    """A password survives calls without its Secret and a restart; a Secret that somebody deletes gets another one."""
    function = world.function(f"{_FUNCTIONS}:forgetful")
    one = world.composite("Password", {}, function)
    one.wait_ready()
    before = one.composed()
    one.change(lost=True)
    world.react(one)
    function.stop()
    function.start()
    world.react(one)
    one.change(lost=None)
    world.react(one)
    after = one.composed()
    assert after["password"]["metadata"]["uid"] == before["password"]["metadata"]["uid"]
    assert after["password"]["data"] == before["password"]["data"]
    assert after["user"]["spec"] == before["user"]["spec"]
    one.kube.delete(one.place("password"))
    lost = before["password"]["data"]
    assert wait(lambda: one.composed().get("password", before["password"])["data"] != lost, 60), one.told()
    made = one.composed()["password"]["data"]["password"]
    wanted = hashlib.sha256(made.encode()).hexdigest()[:8]
    assert wait(lambda: one.composed()["user"]["spec"]["forProvider"]["tags"]["hash"] == wanted, 60), one.told()


def test_deletion_with_usages(world: World) -> None:
    """Usages and Crossplane's webhook let things be deleted in the order in which they need each other."""
    function = world.function(f"{_FUNCTIONS}:usages")
    one = world.composite("Used", {}, function)
    one.wait_ready()
    where = f"/apis/protection.crossplane.io/v1beta1/namespaces/{world.name}/usages"
    assert wait(lambda: len(world.kube.items(where)) >= 3, 60)
    one.delete()
    left = [
        f"/apis/ec2.aws.m.upbound.io/v1beta1/namespaces/{world.name}/{kind}"
        for kind in ("vpcs", "subnets", "natgateways", "eips")
    ]
    assert wait(lambda: one.is_gone() and not any(world.kube.items(path) for path in (*left, where)), 150)
    deleted = [entry["resource"] for entry in one.cloud() if entry["what"] == "deleted"]
    assert sorted(deleted) == ["address", "nat", "subnet", "vpc"]
    assert deleted.index("nat") < deleted.index("subnet") < deleted.index("vpc")
    assert deleted.index("nat") < deleted.index("address")
    assert not [entry for entry in one.cloud() if entry["what"] == "delete refused"]


def test_zones_with_usages(world: World) -> None:
    """Zones that are taken out go in waves without a refused deletion, again and again; other edits don't wait."""
    function = world.function(f"{_FUNCTIONS}:zones")
    one = world.composite("Zoned", {"zones": ["a", "b", "c", "d"], "text": "first"}, function)
    one.wait_ready()
    everything = _exist(world)
    assert len(everything) == 13
    left = {"vpc", "nat-a", "subnet-a", "address-a"}
    kept = left | {"nat-b", "subnet-b", "address-b"}
    for number in range(_ROUNDS):
        text = f"round {number}"
        nat = one.place("nat-b")
        one.pause("nat-b")  # its deletion takes its time
        one.change(zones=["a"], text=text)
        assert wait(lambda: "subnet-b is kept until nat-b is deleted (Usages)" in one.told(), 30), one.told()
        tags = one.composed()["vpc"]["spec"]["forProvider"]["tags"]
        assert tags["text"] == text
        assert wait(lambda: _exist(world) == kept, 60), one.told()
        world.kube.merge(nat, {"metadata": {"annotations": {"crossplane.io/paused": None}}})
        assert wait(lambda: _exist(world) == left, 60), one.told()
        assert one.condition("Ready")["status"] == "True"
        one.change(zones=["a", "b", "c", "d"])
        assert wait(lambda: _exist(world) == everything, 60), one.told()
        one.wait_ready()
        assert wait(lambda: len(one.composed()) == 13 + 12, 60), sorted(one.composed())  # with a Usage for each need
        assert one.refused_deletions() == []
    one.change(text=None)
    assert wait(lambda: _exist(world) == {"alone"}, 120), one.told()
    assert one.refused_deletions() == []
    ours = [entry for entry in world.plane.cloud() if entry["name"].startswith(one.name)]
    assert not [entry for entry in ours if entry["what"] == "delete refused"]


def _exist(world: World) -> set[str]:
    """Return the composition resource names of the things that exist, also of those that are being deleted."""
    kinds = ("vpcs", "subnets", "natgateways", "eips")
    found = [
        one
        for kind in kinds
        for one in world.kube.items(f"/apis/ec2.aws.m.upbound.io/v1beta1/namespaces/{world.name}/{kind}")
    ]
    return {one["metadata"]["annotations"]["crossplane.io/composition-resource-name"] for one in found}


def test_an_undeclared_status(world: World) -> None:
    """A status field that the definition lacks is told by the function that has the schema, with its path."""
    function = world.function(f"{_FUNCTIONS}:status", RELEASE="1")
    one = world.composite("Misspelt", {}, function, status=_STATUS)
    # The API server's own words, at each reconcile, for ever.
    # It may take long: the scenario with a hundred composites shares Crossplane's workers.
    assert wait(lambda: "status.vpcID: field not declared in schema" in one.told(), 150), one.told()
    assert one.condition("Ready").get("status") != "True"
    # So the function's next call can't know.
    assert one.condition("Synced").get("status") != "False"
    function.stop()
    function.start(RELEASE="2")
    world.react(one)
    assert "xr.status.vpcID: isn't a field of the schema" in function.log
    text = one.condition("Synced")["message"]
    assert "fatal result" in text
    assert "status.vpcID" in text
    assert "vpcId" in text.replace("vpcID", "")


def test_requirements_in_a_chain(world: World) -> None:
    """A required resource can say which other one is required; both may come late, change, and go."""
    function = world.function(f"{_FUNCTIONS}:chain")
    one = world.composite("Chain", {}, function, status=_STATUS)
    world.react(one)
    assert one.composed() == {}
    assert "first" in one.condition("DependenciesResolved")["message"]
    world.kube.apply(_config_map(world, "first", next="second"))
    world.react(one)
    assert one.composed() == {}
    world.kube.apply(_config_map(world, "second", cidr="10.1.0.0/16"))
    one.wait_ready()
    before = one.snapshot()
    assert before.objects["vpc"]["spec"]["forProvider"]["cidrBlock"] == "10.1.0.0/16"
    world.kube.delete(f"/api/v1/namespaces/{world.name}/configmaps/first")
    world.react(one)
    assert one.since(before) == NOTHING
    world.kube.apply(_config_map(world, "first", next="second"), _config_map(world, "second", cidr="10.2.0.0/16"))
    world.react(one)
    assert one.since(before) == (*NOTHING[:4], {"vpc": [".forProvider.cidrBlock"]})
    assert one.get()["status"]["cidr"] == "10.2.0.0/16"


def _secret(world: World, namespace: str, name: str) -> dict[str, str]:
    one = world.kube.find(f"/api/v1/namespaces/{namespace}/secrets/{name}") or {}
    return {key: base64.b64decode(value).decode() for key, value in one.get("data", {}).items()}


def test_a_claim(world: World) -> None:
    """A claim and its LegacyCluster composite get connection details, which stay when the provider's Secret goes."""
    function = world.function(f"{_FUNCTIONS}:legacy")
    names = {"kind": "Legacy", "plural": "legacies"}
    xrd = definition("XLegacy", "Cluster", _STATUS, claimNames=names, connectionSecretKeys=["host", "url"])
    xrd["apiVersion"] = "apiextensions.crossplane.io/v1"
    del xrd["spec"]["scope"]
    world.define(xrd)
    world.pipeline(f"{GROUP}/v1", "XLegacy", function, writeConnectionSecretsToNamespace="crossplane-system")
    claim = {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Legacy",
        "metadata": {"name": "shop", "namespace": world.namespace},
        "spec": {"compositionRef": {"name": world.name}, "writeConnectionSecretToRef": {"name": "out"}},
    }
    world.kube.apply(claim)
    path = world.kube.path(claim)
    assert wait(lambda: condition(world.kube.get(path), "Ready").get("status") == "True", 90), world.kube.get(path)
    got = wait(lambda: _secret(world, world.name, "out"), 30)
    assert sorted(got) == ["host", "url"]
    assert got["url"].startswith("postgres://app:pw-")
    assert got["url"].endswith(f"@{got['host']}")
    xr = world.kube.get(path)["spec"]["resourceRef"]["name"]
    database = world.kube.items("/apis/rds.aws.upbound.io/v1beta3/instances")
    (one,) = [item for item in database if item["metadata"]["labels"].get("crossplane.io/composite") == xr]
    place = world.kube.path(one)
    world.kube.merge(place, {"metadata": {"annotations": {"crossplane.io/paused": "true"}}})
    world.kube.delete(f"/api/v1/namespaces/crossplane-system/secrets/{xr}-database")
    count = function.calls
    world.kube.merge(world.kube.path({**xr_of(world, xr)}), {"metadata": {"annotations": {"poke": "1"}}})
    assert wait(lambda: function.calls > count, 30)
    wait(lambda: False, 3)
    assert _secret(world, world.name, "out") == got
    world.kube.delete(path)
    assert wait(lambda: world.kube.find(path) is None, 60)


def xr_of(world: World, name: str) -> dict[str, Any]:
    """Return the composite of a claim."""
    found: dict[str, Any] = world.kube.get(f"/apis/{GROUP}/v1/xlegacys/{name}")
    return found


def test_a_function_is_away(world: World) -> None:
    """Nothing happens while the function is away for two minutes, and all goes on when it comes back."""
    function = world.function(f"{_FUNCTIONS}:small")
    one = world.composite("Away", {}, function, status=_STATUS)
    one.wait_ready()
    before = one.snapshot()
    function.stop()
    one.poke()
    # Crossplane waits for the function for two minutes before it gives up.
    assert wait(lambda: "connection refused" in one.told(), 200, 2), one.told()
    assert one.since(before) == NOTHING
    count = function.calls
    function.start()
    # gRPC tries again after up to two minutes, when it has failed often.
    assert wait(lambda: function.calls > count, 150), one.told()
    one.wait_ready()
    assert wait(lambda: one.condition("Synced")["status"] == "True", 30), one.told()
    assert one.since(before) == NOTHING
    assert one.cloud()[before.events :] == []


@pytest.mark.flags("--circuit-breaker-burst=20000")
def test_the_provider_restarts(own_world: World) -> None:
    """A provider that ends in the middle of the waves makes nothing twice."""
    function = own_world.function("examples.vpc.function:compose")
    one = own_world.example("vpc", function)
    assert wait(lambda: len(one.composed()) > 10, 60)
    own_world.plane.end("provider")
    wait(lambda: False, 3)
    own_world.plane.start_provider()
    one.wait_ready(200)
    created = [entry["resource"] for entry in one.cloud() if entry["what"] == "created"]
    assert sorted(created) == sorted(one.composed())
    one.delete()
    assert wait(one.is_gone, 60)
