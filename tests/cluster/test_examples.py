"""Each example becomes Ready in the control plane, with the CRDs of real providers."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from typing import Any

import yaml

from .kube import wait
from .world import ROOT, Composite, Function, World

_WHEN = "2026-01-01T00:00:00Z"
# At most so many calls of each function until all is at rest. Alone it takes three quarters of that; Crossplane calls
# after events of the provider, which run together when the machine is busy.
_CALLS = {"storage_bucket": 19, "network": 32, "database": 18, "two_steps": 23, "application": 19}


def _check_costs(world: World, one: Composite, example: str, steps: int = 1) -> None:
    """Check how often Crossplane calls until all is at rest, and that it changes what it has made once a step at most.

    `steps` is the number of functions that compose the same resource. Each of them forgets once what was missing.
    """
    world.settle(quiet=3)
    world.rows["calls"] = max(function.calls for function in world.functions)
    writes = one.changes_by_crossplane()
    world.rows["writes_by_crossplane"] = max(writes.values())
    assert world.rows["calls"] <= _CALLS[example]
    assert all(1 <= number <= 1 + steps for number in writes.values()), writes


def _ready(world: World, one: Composite, *kinds: str, seconds: float = 120) -> dict[str, Any]:
    """Wait until a composite is Ready; return what it composed, after a check of its kinds."""
    world.rows["ready_after"] = round(one.wait_ready(seconds), 1)
    composed = one.composed()
    assert sorted({item["kind"] for item in composed.values()}) == sorted(kinds)
    assert not one.warnings(), one.told()
    return composed


def test_storage_bucket(world: World) -> None:
    """The bucket of the first steps."""
    one = world.example("storage_bucket", world.function("examples.storage_bucket.function:compose"))
    _ready(world, one, "Bucket", "BucketACL")
    _check_costs(world, one, "storage_bucket")


def test_network(world: World) -> None:
    """The network of a few resources."""
    one = world.example("network", world.function("examples.network.function:compose"))
    world.rows["ready_after"] = round(one.wait_ready(), 1)
    assert len(one.composed()) >= 2
    assert not one.warnings(), one.told()
    _check_costs(world, one, "network")


def test_two_steps(world: World) -> None:
    """Two functions of this SDK in one pipeline."""
    second = world.function("examples.two_steps.function:compose", "-second")
    first = world.function("examples.two_steps.baseline:compose", "-first")
    files = yaml.safe_load((ROOT / "examples/two_steps/composition.yaml").read_text())
    steps = [step["functionRef"]["name"] for step in files["spec"]["pipeline"]]
    order = {"function-buckets": second, "function-baseline": first}
    one = world.example("two_steps", *(order[name] for name in steps))
    world.rows["ready_after"] = round(one.wait_ready(), 1)
    assert len(one.composed()) >= 2
    _check_costs(world, one, "two_steps", steps=2)
    settled = one.snapshot()
    world.react(one)
    assert one.snapshot().objects.keys() == settled.objects.keys()
    assert not one.warnings(), one.told()


def test_database(world: World) -> None:
    """A database whose connection details become a Secret for applications."""
    function = world.function("examples.database.function:compose")
    target = {"namespace": world.namespace, "name": "out"}
    one = world.example("database", function, writeConnectionSecretToRef=target)
    _ready(world, one, "Instance", "Secret", "SubnetGroup")
    _check_costs(world, one, "database")

    def made() -> dict[str, bytes]:
        found = world.kube.find(f"/api/v1/namespaces/{world.name}/secrets/out") or {}
        return {key: base64.b64decode(value) for key, value in found.get("data", {}).items()}

    got = wait(made, 30)
    assert sorted(got) == ["host", "password", "port", "url", "username"]
    assert got["password"].startswith(b"pw-")
    assert got["url"] == b"postgres://application:%b@%b:5432/postgres?sslmode=require" % (got["password"], got["host"])


def _are_run(world: World, path: str) -> bool:
    """Report the status of Deployments as their controller does after each change: nothing here runs pods."""
    for item in world.kube.items(path):
        generation, count = item["metadata"]["generation"], item["spec"]["replicas"]
        if item.get("status", {}).get("observedGeneration") == generation:
            continue
        available = {"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable", "message": ""}
        status = {
            **dict.fromkeys(("replicas", "readyReplicas", "availableReplicas", "updatedReplicas"), count),
            "observedGeneration": generation,
            "conditions": [{**available, "lastTransitionTime": _WHEN, "lastUpdateTime": _WHEN}],
        }
        world.kube.merge(f"{path}/{item['metadata']['name']}/status", {"status": status})
    return True


def test_application(world: World) -> None:
    """Core kinds, an EnvironmentConfig, Secrets by label, and schemas of the API server."""
    for item in yaml.safe_load_all((ROOT / "examples/application/required.yaml").read_text()):
        if "namespace" in item["metadata"]:
            item["metadata"]["namespace"] = world.namespace
        world.kube.apply(item)
    one = world.example("application", world.function("examples.application.function:compose"))
    path = f"/apis/apps/v1/namespaces/{world.name}/deployments"
    assert wait(lambda: world.kube.items(path), 60), one.told()
    assert wait(lambda: _are_run(world, path) and one.condition("Ready").get("status") == "True", 60), one.told()
    world.rows["ready_after"] = round(one.wait_ready(1), 1)
    assert "Deployment" in {item["kind"] for item in one.composed().values()}
    assert not one.warnings(), one.told()
    _check_costs(world, one, "application")


def watch_operation(world: World, function: Function) -> Callable[[], dict[str, str]]:
    """Run the example's WatchOperation, and return a function that returns the annotations of its Deployment's pods."""
    label = f"platform.example.com/{world.name}"
    pod = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "web", "image": "web"}]}}
    metadata = {"name": "web", "namespace": world.namespace, "labels": {"platform.example.com/config": "web-config"}}
    spec = {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": pod}
    config = {"name": "web-config", "namespace": world.namespace, "labels": {label: "true"}}
    world.kube.apply({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec})
    world.kube.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": config, "data": {"a": "1"}})
    operation = yaml.safe_load((ROOT / "examples/watch_operation/operation.yaml").read_text())
    operation["metadata"]["name"] = world.name
    operation["spec"]["watch"]["matchLabels"] = {label: "true"}
    for step in operation["spec"]["operationTemplate"]["spec"]["pipeline"]:
        step["functionRef"]["name"] = function.name
    world.kube.apply(operation)
    deployment = f"/apis/apps/v1/namespaces/{world.name}/deployments/web"

    def notes() -> dict[str, str]:
        found: dict[str, str] = world.kube.get(deployment)["spec"]["template"]["metadata"].get("annotations", {})
        return found

    assert wait(notes, 60)
    return notes


def test_watch_operation(world: World) -> None:
    """A ConfigMap changes, and its Deployment gets another checksum; nobody takes fields from others."""
    notes = watch_operation(world, world.function("examples.watch_operation.function:operate"))
    first = notes()
    world.kube.merge(f"/api/v1/namespaces/{world.name}/configmaps/web-config", {"data": {"a": "2"}})
    assert wait(lambda: notes() != first, 60)
    deployment = world.kube.get(f"/apis/apps/v1/namespaces/{world.name}/deployments/web")
    assert deployment["spec"]["replicas"] == 2


def _operation_of(world: World, function_name: str) -> dict[str, Any]:
    given = {"apiVersion": "test.example.com/v1", "kind": "Input", "namespace": world.namespace}
    step = {"step": "note", "functionRef": {"name": function_name}, "input": given}
    return {"mode": "Pipeline", "pipeline": [step]}


def _ran(world: World) -> bool:
    note = world.kube.find(f"/api/v1/namespaces/{world.name}/configmaps/note")
    return note is not None and note["data"] == {"ran": "yes"}


def operation(world: World, function: Function) -> str:
    """Run an Operation once, and return its path in the API server."""
    spec = _operation_of(world, function.name)
    version = "ops.crossplane.io/v1alpha1"
    world.kube.apply({"apiVersion": version, "kind": "Operation", "metadata": {"name": world.name}, "spec": spec})
    assert wait(lambda: _ran(world), 60)
    return f"/apis/{version}/operations/{world.name}"


def test_operation(world: World) -> None:
    """An Operation applies what its function composes, once."""
    path = operation(world, world.function("tests.cluster.functions:label"))
    found = wait(lambda: world.kube.get(path).get("status", {}).get("appliedResourceRefs"), 30)
    assert [(item["kind"], item["name"]) for item in found] == [("ConfigMap", "note")]


def test_cron_operation(world: World) -> None:
    """A CronOperation runs its function at the next full minute."""
    function = world.function("tests.cluster.functions:label")
    spec = {"schedule": "* * * * *", "operationTemplate": {"spec": _operation_of(world, function.name)}}
    version = "ops.crossplane.io/v1alpha1"
    world.kube.apply({"apiVersion": version, "kind": "CronOperation", "metadata": {"name": world.name}, "spec": spec})
    began = time.monotonic()
    assert wait(lambda: _ran(world), 100)
    assert time.monotonic() - began < 90
    world.kube.delete(f"/apis/{version}/cronoperations/{world.name}")
