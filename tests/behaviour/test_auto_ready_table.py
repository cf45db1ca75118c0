"""Auto-ready, a table for each kind: statuses as a cluster writes them (protocol, "Readiness rules per kind")."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite import Unstructured
from tests.behaviour import samples
from tests.behaviour.models import Bucket, XStorageBucket
from tests.support import READY, call, run_steps

Json = dict[str, Any]

_TIMES = {"lastTransitionTime": "2025-03-01T10:00:05Z", "lastUpdateTime": "2025-03-01T10:00:05Z"}


def _condition(type_: str, status: str = "True", reason: str = "Because", **more: Any) -> Json:
    return {"type": type_, "status": status, "reason": reason, **_TIMES, **more}


def _object(status: Json | None, spec: Json | None = None, generation: int = 1) -> Json:
    """Return what an object of any kind has besides apiVersion and kind."""
    made: Json = {
        "metadata": {
            "name": "my-xr-0123456789ab",
            "namespace": "default",
            "uid": "3f3e6f32-8a6b-4c73-a1b0-0f6a1a2b3c4d",
            "generation": generation,
            "resourceVersion": "81723",
            "creationTimestamp": "2025-03-01T10:00:00Z",
        }
    }
    if spec is not None:
        made["spec"] = spec
    if status is not None:
        made["status"] = status
    return made


# --- workloads -------------------------------------------------------------------------------------------------------

_PROGRESSING = _condition("Progressing", reason="NewReplicaSetAvailable")
_AVAILABLE = _condition("Available", reason="MinimumReplicasAvailable")
_UNAVAILABLE = _condition("Available", "False", reason="MinimumReplicasUnavailable")


def _deployment(status: Json, replicas: int = 3, generation: int = 2) -> Json:
    return _object({"observedGeneration": 2, **status}, {"replicas": replicas, "paused": False}, generation)


_ROLLED_OUT = {
    "replicas": 3,
    "updatedReplicas": 3,
    "readyReplicas": 3,
    "availableReplicas": 3,
    "conditions": [_PROGRESSING, _AVAILABLE],
}
DEPLOYMENT = {
    "rolled out": (_deployment(_ROLLED_OUT), True),
    "just created": (_object({}, {"replicas": 3}), False),
    "created, pods pending": (
        _deployment(
            {"replicas": 3, "updatedReplicas": 3, "unavailableReplicas": 3, "conditions": [_PROGRESSING, _UNAVAILABLE]}
        ),
        False,
    ),
    # Surge: one new pod is there, the three old ones serve on, and Available is True all the while.
    "mid-rollout, surging": (
        _deployment(
            {**_ROLLED_OUT, "replicas": 4, "updatedReplicas": 1, "unavailableReplicas": 1, "readyReplicas": 3},
        ),
        False,
    ),
    "mid-rollout, the last old pod goes": (_deployment({**_ROLLED_OUT, "replicas": 4}), False),
    "mid-rollout, new pods unavailable": (
        _deployment({**_ROLLED_OUT, "availableReplicas": 2, "unavailableReplicas": 1}),
        False,
    ),
    "scaled up, not noticed yet": (_deployment(_ROLLED_OUT, replicas=5, generation=3), False),
    "scaled up, noticed": (_deployment({**_ROLLED_OUT, "observedGeneration": 3}, 5, generation=3), False),
    "changed, not noticed yet": (_deployment(_ROLLED_OUT, generation=3), False),
    "scaled to zero": (_deployment({"conditions": [_PROGRESSING, _AVAILABLE]}, replicas=0), True),
    "scaled to zero, pods still there": (
        _deployment({**_ROLLED_OUT, "conditions": [_PROGRESSING, _AVAILABLE]}, replicas=0),
        False,
    ),
    "not available": (_deployment({**_ROLLED_OUT, "conditions": [_PROGRESSING, _UNAVAILABLE]}), False),
    "no conditions yet": (_deployment({**_ROLLED_OUT, "conditions": []}), False),
    "replicas left to the API server": (
        _object(
            {
                "observedGeneration": 1,
                **dict.fromkeys(("replicas", "updatedReplicas", "availableReplicas"), 1),
                "conditions": [_AVAILABLE],
            },
            {"template": {}},
        ),
        True,
    ),
}

_ONE_REVISION = {"currentRevision": "db-5d4c", "updateRevision": "db-5d4c"}
_STATEFUL = {
    "observedGeneration": 1,
    "replicas": 3,
    "readyReplicas": 3,
    "availableReplicas": 3,
    "currentReplicas": 3,
    "updatedReplicas": 3,
    "collisionCount": 0,
    **_ONE_REVISION,
}
STATEFUL_SET = {
    "all ready": (_object(_STATEFUL, {"replicas": 3}), True),
    "just created": (_object({"replicas": 0, "availableReplicas": 0}, {"replicas": 3}), False),
    "just created without replicas": (_object({"replicas": 0, "availableReplicas": 0}, {"replicas": 0}), False),
    "starting one by one": (
        _object({**_STATEFUL, "replicas": 2, "readyReplicas": 1, "currentReplicas": 2}, {"replicas": 3}),
        False,
    ),
    "one not ready": (_object({**_STATEFUL, "readyReplicas": 2}, {"replicas": 3}), False),
    "revisions differ": (_object({**_STATEFUL, "updateRevision": "db-7f9b"}, {"replicas": 3}), False),
    "mid-update": (
        _object(
            {**_STATEFUL, "updateRevision": "db-7f9b", "currentReplicas": 2, "updatedReplicas": 1}, {"replicas": 3}
        ),
        False,
    ),
    "no revisions": (
        _object({key: value for key, value in _STATEFUL.items() if key not in _ONE_REVISION}, {"replicas": 3}),
        False,
    ),
    "scaled to zero": (_object({"observedGeneration": 1, "replicas": 0, **_ONE_REVISION}, {"replicas": 0}), True),
    "not noticed yet": (_object(_STATEFUL, {"replicas": 3}, generation=2), False),
}

_NO_NODES = {"currentNumberScheduled": 0, "desiredNumberScheduled": 0, "numberMisscheduled": 0, "numberReady": 0}
_ON_ALL_NODES = {
    "observedGeneration": 1,
    "currentNumberScheduled": 3,
    "desiredNumberScheduled": 3,
    "numberAvailable": 3,
    "numberMisscheduled": 0,
    "numberReady": 3,
    "updatedNumberScheduled": 3,
}
DAEMON_SET = {
    "on every node": (_object(_ON_ALL_NODES), True),
    # The API server writes the zeros; the controller hasn't counted the nodes yet.
    "just created": (_object(_NO_NODES), False),
    "no node matches": (_object({**_NO_NODES, "observedGeneration": 1}), True),
    "one not ready": (_object({**_ON_ALL_NODES, "numberReady": 2}), False),
    "one not available": (_object({**_ON_ALL_NODES, "numberAvailable": 2, "numberUnavailable": 1}), False),
    "none available": (
        _object({key: value for key, value in _ON_ALL_NODES.items() if key != "numberAvailable"}),
        False,
    ),
    "mid-update": (_object({**_ON_ALL_NODES, "updatedNumberScheduled": 1}), False),
    "not noticed yet": (_object(_ON_ALL_NODES, generation=2), False),
}

_REPLICAS = {
    "observedGeneration": 1,
    "replicas": 2,
    "fullyLabeledReplicas": 2,
    "readyReplicas": 2,
    "availableReplicas": 2,
}
REPLICA_SET = {
    "available": (_object(_REPLICAS, {"replicas": 2}), True),
    "more than enough": (_object(_REPLICAS, {"replicas": 1}), True),
    "too few": (_object({**_REPLICAS, "availableReplicas": 1}, {"replicas": 2}), False),
    "none available": (_object({"observedGeneration": 1, "replicas": 2}, {"replicas": 2}), False),
    "just created": (_object({"replicas": 0}, {"replicas": 2}), False),
    "just created without replicas": (_object({"replicas": 0}, {"replicas": 0}), False),
    "scaled to zero": (_object({"observedGeneration": 1, "replicas": 0}, {"replicas": 0}), True),
    "not noticed yet": (_object(_REPLICAS, {"replicas": 2}, generation=2), False),
    "pods can't be made": (
        _object({**_REPLICAS, "conditions": [_condition("ReplicaFailure", reason="FailedCreate")]}, {"replicas": 2}),
        False,
    ),
}

# --- jobs and pods ---------------------------------------------------------------------------------------------------

_START = "2025-03-01T10:00:00Z"
JOB = {
    "complete": (
        _object(
            {
                "conditions": [_condition("SuccessCriteriaMet"), _condition("Complete", reason="CompletionsReached")],
                "startTime": _START,
                "completionTime": "2025-03-01T10:00:41Z",
                "succeeded": 1,
                "ready": 0,
                "uncountedTerminatedPods": {},
            }
        ),
        True,
    ),
    "just created": (_object({}), False),
    "running": (_object({"active": 1, "ready": 1, "startTime": _START, "uncountedTerminatedPods": {}}), False),
    "failed": (
        _object(
            {
                "conditions": [_condition("FailureTarget"), _condition("Failed", reason="BackoffLimitExceeded")],
                "failed": 7,
                "startTime": _START,
            }
        ),
        False,
    ),
    "suspended": (_object({"conditions": [_condition("Suspended", reason="JobSuspended")]}), False),
    "resumed and complete": (
        _object(
            {
                "conditions": [_condition("Suspended", "False", reason="JobResumed"), _condition("Complete")],
                "succeeded": 1,
            }
        ),
        True,
    ),
    "not complete yet": (_object({"conditions": [_condition("Complete", "False")]}), False),
}

_LAST = {"lastScheduleTime": "2025-03-01T10:05:00Z"}
_ACTIVE = {"active": [{"apiVersion": "batch/v1", "kind": "Job", "name": "backup-29012345", "namespace": "default"}]}
_CRON = {"schedule": "*/5 * * * *", "suspend": False}
CRON_JOB = {
    "never run": (_object({}, _CRON), False),
    "no status": (_object(None, _CRON), False),
    "suspended": (_object({}, {**_CRON, "suspend": True}), True),
    "suspended after a failure": (_object(_LAST, {**_CRON, "suspend": True}), True),
    "active": (_object({**_LAST, **_ACTIVE}, _CRON), True),
    "active after a failure": (
        _object({**_LAST, **_ACTIVE, "lastSuccessfulTime": "2025-03-01T09:55:20Z"}, _CRON),
        True,
    ),
    "success since": (_object({**_LAST, "lastSuccessfulTime": "2025-03-01T10:05:07Z"}, _CRON), True),
    "success in the same second": (_object({**_LAST, "lastSuccessfulTime": "2025-03-01T10:05:00Z"}, _CRON), True),
    "success before": (_object({**_LAST, "lastSuccessfulTime": "2025-03-01T10:00:09Z"}, _CRON), False),
    "never a success": (_object(_LAST, _CRON), False),
    "run by hand alone": (_object({"lastSuccessfulTime": "2025-03-01T10:05:07Z"}, _CRON), False),
    "active is an empty list": (_object({**_LAST, "active": []}, _CRON), False),
}

_CONTAINERS_READY = [_condition(type_) for type_ in ("PodReadyToStartContainers", "Initialized", "ContainersReady")]
_NOT_READY = _condition("Ready", "False", reason="ContainersNotReady", lastProbeTime=None)
POD = {
    "running and ready": (_object({"phase": "Running", "conditions": [*_CONTAINERS_READY, _condition("Ready")]}), True),
    "running, not ready": (_object({"phase": "Running", "conditions": [_NOT_READY]}), False),
    "running, crash loop": (
        _object(
            {
                "phase": "Running",
                "conditions": [_NOT_READY],
                "containerStatuses": [{"name": "a", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}],
            }
        ),
        False,
    ),
    "pending": (_object({"phase": "Pending", "qosClass": "BestEffort"}), False),
    "pending with a stale condition": (_object({"phase": "Pending", "conditions": [_condition("Ready")]}), False),
    "succeeded": (
        _object({"phase": "Succeeded", "conditions": [_condition("Ready", "False", reason="PodCompleted")]}),
        True,
    ),
    "failed": (_object({"phase": "Failed", "reason": "Evicted"}), False),
    "unknown": (_object({"phase": "Unknown"}), False),
    "resized, not noticed yet": (
        _object(
            {"phase": "Running", "conditions": [_condition("Ready", observedGeneration=1)], "observedGeneration": 1},
            generation=2,
        ),
        False,
    ),
}

# --- networks, storage, scaling --------------------------------------------------------------------------------------

_ADDRESS = {"loadBalancer": {"ingress": [{"ip": "203.0.113.10", "ipMode": "VIP"}]}}
_HOST = {"loadBalancer": {"ingress": [{"hostname": "a1b2.elb.eu-west-1.amazonaws.com"}]}}
SERVICE = {
    "ClusterIP": (_object({"loadBalancer": {}}, {"type": "ClusterIP", "clusterIP": "10.96.0.17"}), True),
    "type left to the API server": (_object({"loadBalancer": {}}, {"clusterIP": "10.96.0.17"}), True),
    "NodePort": (_object({"loadBalancer": {}}, {"type": "NodePort"}), True),
    "ExternalName": (_object({"loadBalancer": {}}, {"type": "ExternalName", "externalName": "db.example.org"}), True),
    "LoadBalancer with an address": (_object(_ADDRESS, {"type": "LoadBalancer"}), True),
    "LoadBalancer with a host": (_object(_HOST, {"type": "LoadBalancer"}), True),
    "LoadBalancer without an ingress": (_object({"loadBalancer": {}}, {"type": "LoadBalancer"}), False),
    "LoadBalancer with an empty list": (_object({"loadBalancer": {"ingress": []}}, {"type": "LoadBalancer"}), False),
    "LoadBalancer without a status": (_object(None, {"type": "LoadBalancer"}), False),
}
INGRESS = {
    "with a host": (_object(_HOST, {"ingressClassName": "alb"}), True),
    "with an address": (_object(_ADDRESS), True),
    "without": (_object({"loadBalancer": {}}), False),
    "with an empty list": (_object({"loadBalancer": {"ingress": []}}), False),
    "no status": (_object(None), False),
}
CLAIM = {
    "bound": (
        _object({"phase": "Bound", "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "8Gi"}}),
        True,
    ),
    "pending": (_object({"phase": "Pending"}), False),
    "lost": (_object({"phase": "Lost"}), False),
    "no status": (_object({}), False),
}
_ABLE = _condition("AbleToScale", reason="ReadyForNewScale")
AUTOSCALER = {
    "active": (
        _object(
            {
                "observedGeneration": 1,
                "currentReplicas": 2,
                "desiredReplicas": 2,
                "currentMetrics": [],
                "conditions": [
                    _ABLE,
                    _condition("ScalingActive", reason="ValidMetricFound"),
                    _condition("ScalingLimited", "False", reason="DesiredWithinRange"),
                ],
            }
        ),
        True,
    ),
    "limited": (
        _object(
            {
                "conditions": [
                    _ABLE,
                    _condition("ScalingActive", "False", reason="ScalingDisabled"),
                    _condition("ScalingLimited", reason="TooManyReplicas"),
                ]
            }
        ),
        True,
    ),
    "no metrics": (
        _object({"conditions": [_ABLE, _condition("ScalingActive", "False", reason="FailedGetResourceMetric")]}),
        False,
    ),
    "just created": (_object({"currentMetrics": None, "desiredReplicas": 0}), False),
}

# --- everything else -------------------------------------------------------------------------------------------------

_SYNCED = _condition("Synced", reason="ReconcileSuccess")
CUSTOM = {
    "ready": (_object({"atProvider": {"id": "x"}, "conditions": [_SYNCED, READY]}), True),
    "creating": (_object({"conditions": [_SYNCED, _condition("Ready", "False", reason="Creating")]}), False),
    "unknown": (_object({"conditions": [_condition("Ready", "Unknown")]}), False),
    "no Ready": (_object({"conditions": [_SYNCED]}), False),
    "no conditions": (_object({"atProvider": {}}), False),
    "no status": (_object(None), False),
    "status has caught up": (_object({"observedGeneration": 3, "conditions": [READY]}, generation=3), True),
    "status is behind": (_object({"observedGeneration": 2, "conditions": [READY]}, generation=3), False),
    "status is from before anything was seen": (_object({"observedGeneration": 0, "conditions": [READY]}), False),
    "condition has caught up": (_object({"conditions": [{**READY, "observedGeneration": 3}]}, generation=3), True),
    "condition is behind": (_object({"conditions": [{**READY, "observedGeneration": 2}]}, generation=3), False),
    "another condition is behind": (
        _object({"conditions": [{**_SYNCED, "observedGeneration": 2}, {**READY, "observedGeneration": 3}]}, None, 3),
        True,
    ),
    "status has caught up, condition is behind": (
        _object({"observedGeneration": 3, "conditions": [{**READY, "observedGeneration": 2}]}, generation=3),
        False,
    ),
}


def _by_condition(type_: str, ready: str = "True") -> dict[str, tuple[Json, bool]]:
    """Return the table of a kind that is ready with one condition."""
    unready = "False" if ready == "True" else "True"
    return {
        "ready": (_object({"conditions": [_SYNCED, _condition(type_, ready)]}), True),
        "unready": (_object({"conditions": [_condition(type_, unready)]}), False),
        "only Ready": (_object({"conditions": [READY]}), False),
        "behind": (_object({"conditions": [{**_condition(type_, ready), "observedGeneration": 0}]}), ready != "True"),
        "no status": (_object(None), False),
    }


def _by_field(field: str, right: list[Any], wrong: list[Any]) -> dict[str, tuple[Json, bool]]:
    """Return the table of a kind that is ready by one field of its status."""
    return {
        **{f"{field} {value}": (_object({field: value}), True) for value in right},
        **{f"{field} {value}": (_object({field: value}), False) for value in wrong},
        "only Ready": (_object({"conditions": [READY]}), False),
        "no status": (_object(None), False),
    }


def _parents(*statuses: str, **more: Any) -> Json:
    """Return a route with one Gateway a status of its condition Accepted."""
    parents = [{"conditions": [_condition("Accepted", status, **more)]} for status in statuses]
    return _object({"parents": parents})


_SEEN = {
    "seen": (_object({"observedGeneration": 1}), True),
    "behind": (_object({"observedGeneration": 1}, generation=2), False),
    "not seen": (_object({}), False),
    "only Ready": (_object({"conditions": [READY]}), False),
}
_QUOTA = {"hard": {"pods": "3"}}
ROUTE = {
    "accepted": (_parents("True"), True),
    "accepted by all": (_parents("True", "True"), True),
    "accepted by one": (_parents("True", "False"), False),
    "accepted before": (_parents("True", observedGeneration=0), False),
    "no parents": (_parents(), False),
    "odd parents": (_object({"parents": ["x", {}]}), False),
    "no status": (_object(None), False),
}
GATEWAY = {
    "ready": (_object({"conditions": [_condition("Accepted"), _condition("Programmed")]}), True),
    "not programmed": (_object({"conditions": [_condition("Accepted"), _condition("Programmed", "False")]}), False),
    "not accepted": (_object({"conditions": [_condition("Programmed")]}), False),
}
REQUEST = {
    "issued": (_object({"certificate": "eA==", "conditions": [_condition("Approved")]}), True),
    "approved": (_object({"conditions": [_condition("Approved")]}), False),
    "not approved": (_object({"certificate": "eA=="}), False),
}

TABLES: dict[tuple[str, str], dict[str, tuple[Json, bool]]] = {
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"): _SEEN,
    ("apiextensions.crossplane.io/v2", "CompositeResourceDefinition"): _by_condition("Established"),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition"): _by_condition("Established"),
    ("apiregistration.k8s.io/v1", "APIService"): _by_condition("Available"),
    ("certificates.k8s.io/v1", "CertificateSigningRequest"): REQUEST,
    ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema"): _by_condition("Dangling", "False"),
    ("gateway.networking.k8s.io/v1", "Gateway"): GATEWAY,
    ("gateway.networking.k8s.io/v1", "GatewayClass"): _by_condition("Accepted"),
    ("gateway.networking.k8s.io/v1", "HTTPRoute"): ROUTE,
    ("gateway.networking.k8s.io/v1alpha2", "TCPRoute"): ROUTE,
    ("ops.crossplane.io/v1alpha1", "Operation"): _by_condition("Succeeded"),
    ("pkg.crossplane.io/v1", "Provider"): _by_condition("Healthy"),
    ("pkg.crossplane.io/v1", "Function"): _by_condition("Healthy"),
    ("pkg.crossplane.io/v1", "Configuration"): _by_condition("Healthy"),
    ("policy/v1", "PodDisruptionBudget"): _SEEN,
    ("protection.crossplane.io/v1beta1", "Usage"): CUSTOM,
    ("snapshot.storage.k8s.io/v1", "VolumeSnapshot"): _by_field("readyToUse", [True], [False, "true"]),
    ("storage.k8s.io/v1", "VolumeAttachment"): _by_field("attached", [True], [False]),
    ("v1", "PersistentVolume"): _by_field("phase", ["Available", "Bound"], ["Pending", "Released", "Failed"]),
    ("v1", "ReplicationController"): REPLICA_SET,
    ("v1", "ResourceQuota"): {
        "counted": (_object(_QUOTA, _QUOTA), True),
        "not counted yet": (_object({}, _QUOTA), False),
        "nothing to count": (_object(None, {}), True),
    },
    ("apps/v1", "Deployment"): DEPLOYMENT,
    ("apps/v1", "StatefulSet"): STATEFUL_SET,
    ("apps/v1", "DaemonSet"): DAEMON_SET,
    ("apps/v1", "ReplicaSet"): REPLICA_SET,
    ("batch/v1", "Job"): JOB,
    ("batch/v1", "CronJob"): CRON_JOB,
    ("v1", "Pod"): POD,
    ("v1", "Service"): SERVICE,
    ("networking.k8s.io/v1", "Ingress"): INGRESS,
    ("v1", "PersistentVolumeClaim"): CLAIM,
    ("autoscaling/v2", "HorizontalPodAutoscaler"): AUTOSCALER,
    ("storage.gcp.upbound.io/v1beta1", "Bucket"): CUSTOM,
    # A composite that is composed by another, with conditions that say which generation they are about.
    ("example.org/v1", "XNetwork"): CUSTOM,
}

WITHOUT_STATUS = [
    *(("v1", kind) for kind in ("ConfigMap", "Secret", "ServiceAccount", "Namespace", "LimitRange", "Endpoints")),
    *(("rbac.authorization.k8s.io/v1", kind) for kind in ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")),
    ("networking.k8s.io/v1", "NetworkPolicy"),
    ("networking.k8s.io/v1", "IngressClass"),
    ("storage.k8s.io/v1", "StorageClass"),
    ("scheduling.k8s.io/v1", "PriorityClass"),
    ("resource.k8s.io/v1", "ResourceClaim"),
    ("snapshot.storage.k8s.io/v1", "VolumeSnapshotClass"),
    ("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration"),
    ("gateway.networking.k8s.io/v1beta1", "ReferenceGrant"),
    ("pkg.crossplane.io/v1beta1", "ImageConfig"),
    ("apiextensions.crossplane.io/v1beta1", "EnvironmentConfig"),
    ("aws.upbound.io/v1beta1", "ProviderConfig"),
    ("kubernetes.crossplane.io/v1alpha1", "ProviderConfig"),
    ("aws.m.upbound.io/v1beta1", "ClusterProviderConfig"),
]


def auto_ready(api_version: str, kind: str, state: Json) -> bool | None:
    """Return the readiness that auto-ready gives a desired resource with this observed state."""

    def compose(ctx: Any) -> None:
        ctx.resource("thing", Unstructured(api_version, kind))

    observed = {"thing": {"apiVersion": api_version, "kind": kind, **copy.deepcopy(state)}}
    ready: bool | None = call(compose, {"auto_ready": True}, observed=observed)[1].ready["thing"]
    return ready


@pytest.mark.sample(50)
@pytest.mark.parametrize(
    ("api_version", "kind", "state", "ready"),
    [
        pytest.param(*key, state, ready, id=f"{key[1]}-{case}")
        for key, table in TABLES.items()
        for case, (state, ready) in table.items()
    ],
)
def test_each_kind_has_its_rule(api_version: str, kind: str, state: Json, ready: bool) -> None:
    """What a kind's rule calls ready is READY_TRUE, and everything else is left unspecified."""
    assert auto_ready(api_version, kind, state) is (True if ready else None)


@pytest.mark.sample(10)
@pytest.mark.parametrize(("api_version", "kind"), WITHOUT_STATUS)
@pytest.mark.parametrize("state", [_object(None), {}, {"status": {"users": 3}}], ids=["real", "bare", "odd"])
def test_kinds_without_a_status_are_always_ready(api_version: str, kind: str, state: Json) -> None:
    """Kinds that have no status, or one that says nothing about readiness, are ready once they are observed."""
    assert auto_ready(api_version, kind, state) is True


@pytest.mark.parametrize(
    ("kind", "core"), [(kind, version) for (version, kind) in [*TABLES, *WITHOUT_STATUS] if "." not in version]
)
def test_a_kind_of_another_group_is_another_kind(kind: str, core: str) -> None:
    """A custom resource that is called like a built-in kind follows its own condition Ready, and nothing else."""
    # Ready by every rule of the table: no LoadBalancer, suspended, bound, everything zero.
    state = {
        "spec": {"type": "ClusterIP", "suspend": True, "replicas": 0},
        "status": {
            "phase": "Bound",
            "observedGeneration": 1,
            "conditions": [_AVAILABLE, _condition("Complete"), _condition("ScalingActive")],
            **_ADDRESS,
            **_NO_NODES,
            **_ONE_REVISION,
        },
    }
    assert auto_ready("serving.knative.dev/v1", kind, state) is None
    state["status"]["conditions"].append(READY)
    assert auto_ready("serving.knative.dev/v1", kind, state) is True


@pytest.mark.parametrize("version", ["v1", "v1beta1", "v2"])
def test_the_version_does_not_matter(version: str) -> None:
    """The rule of a kind holds for all versions of its group."""
    assert auto_ready(f"autoscaling/{version}", "HorizontalPodAutoscaler", AUTOSCALER["active"][0]) is True
    assert auto_ready(f"apps/{version}", "DaemonSet", DAEMON_SET["on every node"][0]) is True


# --- statuses that aren't of the right shape -------------------------------------------------------------------------

_ODD = st.sampled_from([None, True, False, "", "3", "True", [], ["3"], {}, {"3": 3}, -1, 1.5, 10**9])
_READY_STATES = {key: next(state for state, ready in table.values() if ready) for key, table in TABLES.items()}


def _paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of everything in plain data."""
    found = [path]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        found += _paths(child, (*path, key))
    return found


@given(data=st.data())
def test_no_odd_status_raises(data: st.DataObject) -> None:
    """Whatever stands in a spec or status, auto-ready answers, with ready or nothing."""
    key = data.draw(st.sampled_from(sorted(_READY_STATES)))
    state = copy.deepcopy(_READY_STATES[key])
    top = data.draw(st.sampled_from([name for name in ("spec", "status", "metadata") if name in state]))
    *way, last = data.draw(st.sampled_from(_paths(state[top], (top,))))
    holder: Any = state
    for step in way:
        holder = holder[step]
    holder[last] = data.draw(_ODD)
    assert auto_ready(*key, state) in (True, None)


# What a rule reads, and values of other types that look like what it hopes for.
_COUNTS = ["3", True, [3], {"value": 3}, "three"]
MISFITS: list[tuple[tuple[str, str], tuple[str, ...], list[Any]]] = [
    *(
        (("apps/v1", "Deployment"), path, _COUNTS)
        for path in (
            ("spec", "replicas"),
            ("status", "replicas"),
            ("status", "updatedReplicas"),
            ("status", "availableReplicas"),
        )
    ),
    (("apps/v1", "Deployment"), ("status", "observedGeneration"), ["2", True, [2], "latest"]),
    (("apps/v1", "Deployment"), ("metadata", "generation"), ["2", [2], {}]),
    (
        ("apps/v1", "Deployment"),
        ("status", "conditions"),
        ["Available", {"Available": "True"}, [["Available", "True"]]],
    ),
    *(
        (("apps/v1", "StatefulSet"), path, _COUNTS)
        for path in (("spec", "replicas"), ("status", "readyReplicas"), ("status", "currentReplicas"))
    ),
    (("apps/v1", "StatefulSet"), ("status", "updateRevision"), [True, 3, None, ["db-5d4c"]]),
    *(
        (("apps/v1", "DaemonSet"), ("status", name), _COUNTS)
        for name in ("desiredNumberScheduled", "numberReady", "updatedNumberScheduled", "numberAvailable")
    ),
    (("apps/v1", "DaemonSet"), ("status", "desiredNumberScheduled"), [None]),
    (("apps/v1", "ReplicaSet"), ("status", "availableReplicas"), _COUNTS),
    (("apps/v1", "ReplicaSet"), ("spec", "replicas"), _COUNTS),
    (("batch/v1", "Job"), ("status", "conditions"), [True, "Complete", {"type": "Complete", "status": "True"}]),
    (("v1", "Pod"), ("status", "phase"), [True, ["Succeeded"], {"Succeeded": True}]),
    (("v1", "Service"), ("spec", "type"), [True, ["ClusterIP"], 3]),
    (("v1", "Service"), ("spec",), ["ClusterIP", [1], 3]),
    (("networking.k8s.io/v1", "Ingress"), ("status", "loadBalancer", "ingress"), [True, "203.0.113.10", {"ip": "x"}]),
    (("networking.k8s.io/v1", "Ingress"), ("status", "loadBalancer"), [True, "203.0.113.10", ["x"]]),
    (("v1", "PersistentVolumeClaim"), ("status", "phase"), [True, ["Bound"]]),
    (("example.org/v1", "XNetwork"), ("status", "conditions"), ["Ready", {"type": "Ready", "status": "True"}, [True]]),
    *((key, ("status",), ["Ready", True, ["Ready"], 1]) for key in TABLES),
]


@pytest.mark.sample(40)
@pytest.mark.parametrize(
    ("key", "path", "value"),
    [
        pytest.param(key, path, value, id=f"{key[1]}-{'.'.join(path)}-{value!r}")
        for key, path, values in MISFITS
        for value in values
    ],
)
def test_what_has_another_type_is_never_ready(key: tuple[str, str], path: tuple[str, ...], value: Any) -> None:
    """A text where a number belongs, a mapping where a list belongs and the like are not ready, and no error."""
    state = copy.deepcopy(_READY_STATES[key])
    assert auto_ready(*key, state) is True
    holder: Any = state
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    assert auto_ready(*key, state) is None


@pytest.mark.parametrize(
    "change",
    [
        {"active": True},
        {"active": {"name": "x"}},
        {"lastSuccessfulTime": "yesterday"},
        {"lastSuccessfulTime": "9999"},
        {"lastSuccessfulTime": 1_740_000_000},
        {"lastSuccessfulTime": "2025-03-01T11:05:07+01:00"},
        {"lastSuccessfulTime": "2025-03-01T10:05:07Z", "lastScheduleTime": "noon"},
        {"lastSuccessfulTime": "2025-03-01T10:05:07Z", "lastScheduleTime": True},
    ],
    ids=str,
)
def test_odd_times_of_a_cron_job_are_not_ready(change: Json) -> None:
    """Only times as the API server writes them are compared."""
    assert auto_ready("batch/v1", "CronJob", _object({**_LAST, **change}, _CRON)) is None


@pytest.mark.parametrize("head", [{}, {"apiVersion": ""}, {"kind": "Secret"}, {"apiVersion": 1, "kind": "Secret"}])
def test_an_object_without_a_kind_is_not_ready(head: Json) -> None:
    """An observed object that doesn't say what it is isn't taken for a core kind."""
    _, answer = call(
        lambda ctx: None, {"auto_ready": True}, observed={"thing": head}, desired={"thing": {"kind": "Secret"}}
    )
    assert answer.ready == {"thing": None}


# --- who decides -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("observed_ready", [True, False])
@pytest.mark.parametrize("said", [True, False])
def test_what_the_author_says_wins(observed_ready: bool, said: bool) -> None:
    """`resource.ready` overrides the rules for one resource."""

    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket()).ready = said
        ctx.resource("other", Bucket())

    observed = {name: samples.bucket(ready=observed_ready) for name in ("bucket", "other")}
    _, answer = call(compose, {"auto_ready": True}, observed=observed)
    assert answer.ready == {"bucket": said, "other": True if observed_ready else None}


def test_none_gives_the_decision_back() -> None:
    """Setting `ready` to None again leaves the resource to the rules."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        bucket.ready = False
        bucket.ready = None

    _, answer = call(compose, {"auto_ready": True}, observed={"bucket": samples.bucket(ready=True)})
    assert answer.ready == {"bucket": True}


@pytest.mark.parametrize("earlier", [True, False])
def test_what_earlier_functions_said_wins(earlier: bool) -> None:
    """Readiness that a previous function set is kept, whether this function registers the resource or not."""

    def compose(ctx: Any) -> None:
        ctx.resource("mine-too", Bucket())

    names = ("mine-too", "theirs")
    _, answer = call(
        compose,
        {"auto_ready": True},
        observed={name: samples.bucket(ready=not earlier) for name in names},
        desired={name: samples.bucket() for name in names},
        desired_ready=dict.fromkeys(names, earlier),
    )
    assert answer.ready == dict.fromkeys(names, earlier)


def test_the_author_overrides_earlier_functions() -> None:
    """`resource.ready` also overrides what a previous function said."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        assert bucket.ready is False
        bucket.ready = True

    _, answer = call(compose, desired={"bucket": samples.bucket()}, desired_ready={"bucket": False})
    assert answer.ready == {"bucket": True}


# --- the composite ---------------------------------------------------------------------------------------------------


def _held(ctx: Any) -> None:
    vpc = ctx.resource("vpc", Unstructured("ec2.aws.upbound.io/v1beta1", "VPC"))
    subnet = ctx.resource("subnet", Unstructured("ec2.aws.upbound.io/v1beta1", "Subnet"))
    subnet.spec.forProvider.vpcId = vpc.observed.status.atProvider.vpcId


@pytest.mark.parametrize("earlier", [None, True, False])
def test_the_composite_is_not_ready_while_something_is_held_back(earlier: bool | None) -> None:
    """What is held back isn't desired, so without READY_FALSE Crossplane would call the composite ready."""
    _, answer = call(_held, {"auto_ready": True}, observed={"vpc": samples.vpc(ready=True)}, desired_xr_ready=earlier)
    assert sorted(answer.resources) == ["vpc"]
    assert answer.ready == {"vpc": True}
    assert answer.composite_ready is False


@pytest.mark.parametrize("said", [True, False])
def test_the_author_decides_on_the_composite_as_well(said: bool) -> None:
    """`ready` of the composite goes into the answer, whatever is held back and whatever previous functions said."""

    def compose(ctx: Any) -> None:
        _held(ctx)
        ctx.composite(XStorageBucket).ready = said

    assert call(compose, desired_xr_ready=not said)[1].composite_ready is said


@pytest.mark.parametrize("earlier", [None, True, False])
def test_readiness_of_the_composite_passes_through(earlier: bool | None) -> None:
    """While nothing is held back, what previous functions said of the composite stays."""

    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket())

    _, answer = call(compose, {"auto_ready": True}, desired_xr_ready=earlier)
    assert answer.composite_ready is earlier


def test_a_later_step_does_not_undo_the_gate() -> None:
    """READY_FALSE of a step that holds something back survives a later step that holds nothing back."""
    from crossplane_lite import composition

    @composition.function(name="later", auto_ready=True)
    def later(ctx: Any) -> None:
        ctx.composite(XStorageBucket)

    first, second = run_steps([composition.function(name="first")(_held), later])
    assert first.composite_ready is False
    assert second.composite_ready is False
