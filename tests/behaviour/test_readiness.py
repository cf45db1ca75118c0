"""Readiness from observed state (design section 6, "Auto-ready"; the rules are in the protocol)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured
from tests.behaviour import samples
from tests.behaviour.models import Bucket
from tests.support import READY, call

_AVAILABLE = {"type": "Available", "status": "True"}
READINESS: list[tuple[str, str, dict[str, Any], bool]] = [
    ("example.org/v1", "Thing", {"status": {"conditions": [READY]}}, True),
    ("example.org/v1", "Thing", {"status": {"conditions": [{**READY, "status": "False"}]}}, False),
    ("example.org/v1", "Thing", {"status": {"x": 1}}, False),
    (
        "example.org/v1",
        "Thing",
        {"metadata": {"generation": 2}, "status": {"observedGeneration": 1, "conditions": [READY]}},
        False,
    ),
    (
        "example.org/v1",
        "Thing",
        {"metadata": {"generation": 2}, "status": {"observedGeneration": 2, "conditions": [READY]}},
        True,
    ),
    ("v1", "ConfigMap", {}, True),
    ("v1", "Secret", {}, True),
    ("v1", "Namespace", {}, True),
    ("v1", "ServiceAccount", {}, True),
    ("rbac.authorization.k8s.io/v1", "Role", {}, True),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", {}, True),
    ("networking.k8s.io/v1", "NetworkPolicy", {}, True),
    (
        "apps/v1",
        "Deployment",
        {
            "spec": {"replicas": 2},
            "status": {
                "replicas": 2,
                "updatedReplicas": 2,
                "availableReplicas": 2,
                "readyReplicas": 2,
                "conditions": [_AVAILABLE],
            },
        },
        True,
    ),
    (
        "apps/v1",
        "Deployment",
        {
            "spec": {"replicas": 2},
            "status": {"replicas": 2, "updatedReplicas": 1, "availableReplicas": 2, "conditions": [_AVAILABLE]},
        },
        False,
    ),
    (
        "apps/v1",
        "Deployment",
        {"spec": {"replicas": 2}, "status": {"replicas": 2, "updatedReplicas": 2, "availableReplicas": 2}},
        False,
    ),
    (
        "apps/v1",
        "StatefulSet",
        {
            "spec": {"replicas": 1},
            "status": {
                "replicas": 1,
                "readyReplicas": 1,
                "currentReplicas": 1,
                "currentRevision": "a",
                "updateRevision": "a",
            },
        },
        True,
    ),
    (
        "apps/v1",
        "StatefulSet",
        {
            "spec": {"replicas": 1},
            "status": {
                "replicas": 1,
                "readyReplicas": 1,
                "currentReplicas": 1,
                "currentRevision": "a",
                "updateRevision": "b",
            },
        },
        False,
    ),
    (
        "apps/v1",
        "DaemonSet",
        {
            "status": {
                "desiredNumberScheduled": 3,
                "numberReady": 3,
                "updatedNumberScheduled": 3,
                "numberAvailable": 3,
            }
        },
        True,
    ),
    (
        "apps/v1",
        "DaemonSet",
        {
            "status": {
                "desiredNumberScheduled": 3,
                "numberReady": 2,
                "updatedNumberScheduled": 3,
                "numberAvailable": 3,
            }
        },
        False,
    ),
    (
        "apps/v1",
        "ReplicaSet",
        {
            "metadata": {"generation": 1},
            "spec": {"replicas": 2},
            "status": {"observedGeneration": 1, "replicas": 2, "availableReplicas": 2},
        },
        True,
    ),
    ("batch/v1", "Job", {"status": {"conditions": [{"type": "Complete", "status": "True"}]}}, True),
    ("batch/v1", "Job", {"status": {"active": 1}}, False),
    ("batch/v1", "CronJob", {"spec": {"suspend": True}}, True),
    ("v1", "Pod", {"status": {"phase": "Succeeded"}}, True),
    ("v1", "Pod", {"status": {"phase": "Running", "conditions": [READY]}}, True),
    ("v1", "Pod", {"status": {"phase": "Running"}}, False),
    ("v1", "Pod", {"status": {"phase": "Pending", "conditions": [READY]}}, False),
    ("v1", "Service", {"spec": {"type": "ClusterIP"}}, True),
    ("v1", "Service", {"spec": {"type": "LoadBalancer"}}, False),
    ("v1", "Service", {"spec": {"type": "LoadBalancer"}, "status": {"loadBalancer": {"ingress": [{"ip": "1"}]}}}, True),
    ("networking.k8s.io/v1", "Ingress", {"status": {"loadBalancer": {}}}, False),
    ("networking.k8s.io/v1", "Ingress", {"status": {"loadBalancer": {"ingress": [{"ip": "1"}]}}}, True),
    ("v1", "PersistentVolumeClaim", {"status": {"phase": "Bound"}}, True),
    ("v1", "PersistentVolumeClaim", {"status": {"phase": "Pending"}}, False),
    (
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        {"status": {"conditions": [{"type": "ScalingActive", "status": "True"}]}},
        True,
    ),
    ("autoscaling/v2", "HorizontalPodAutoscaler", {"status": {"conditions": []}}, False),
]


@pytest.mark.parametrize(("api_version", "kind", "state", "ready"), READINESS)
def test_auto_ready_by_kind(api_version: str, kind: str, state: dict[str, Any], ready: bool) -> None:
    """Auto-ready marks a desired and observed resource ready by the rules of its kind."""

    def compose(ctx: Any) -> None:
        ctx.resource("thing", Unstructured(api_version, kind))

    observed = {"thing": {"apiVersion": api_version, "kind": kind, **state}}
    _, answer = call(compose, {"auto_ready": True}, observed=observed)
    assert (answer.ready["thing"] is True) is ready


def _option() -> tuple[dict[str, Any], Callable[[Any], None]]:
    return {"auto_ready": True}, lambda ctx: None


def _method() -> tuple[dict[str, Any], Callable[[Any], None]]:
    return {}, lambda ctx: ctx.auto_ready()


@pytest.mark.parametrize("how", [_option, _method])
def test_auto_ready_concerns_what_nobody_set(how: Callable[[], tuple[dict[str, Any], Any]]) -> None:
    """Auto-ready leaves alone what somebody set, and what isn't both desired and observed."""
    options, start = how()

    def compose(ctx: Any) -> None:
        start(ctx)
        ctx.resource("ready", Bucket())
        ctx.resource("said-no", Bucket()).ready = False
        ctx.resource("unobserved", Bucket())

    observed = {name: samples.bucket(ready=True) for name in ("ready", "said-no", "earlier", "earlier-no", "undesired")}
    desired = {name: samples.bucket() for name in ("earlier", "earlier-no")}
    _, answer = call(compose, options, observed=observed, desired=desired, desired_ready={"earlier-no": False})
    assert answer.ready == {
        "ready": True,
        "said-no": False,
        "unobserved": None,
        "earlier": True,
        "earlier-no": False,
    }


def test_without_auto_ready_nothing_is_ready() -> None:
    """Readiness is left alone unless it is asked for."""

    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket())

    assert call(compose, observed={"bucket": samples.bucket(ready=True)})[1].ready == {"bucket": None}


def test_reading_a_readiness_that_nobody_has_set_is_told() -> None:
    """Python warns where `.ready` is read that no function has set; what a function has set is read in silence."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        with pytest.warns(UserWarning, match="observed.ready") as told:
            assert bucket.ready is None
        assert told[0].filename == __file__
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert bucket.observed.ready is True
            assert ctx.composite(Unstructured).ready is None
            assert ctx.resource("earlier", Bucket()).ready is None  # whether an earlier function has said it
            bucket.ready = False
            assert bucket.ready is False

    observed = {"bucket": samples.bucket(ready=True)}
    assert call(compose, observed=observed, desired={"earlier": samples.bucket()})[1].ready["bucket"] is False
