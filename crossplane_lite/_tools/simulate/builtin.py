"""Makes the statuses that healthy objects of Kubernetes' own kinds have, such as a Deployment's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ..._core import codec
from ..._core.base.api_version import group_of
from ..._core.observed import lookup
from ..manifests.objects import TRANSITION_TIME

__all__ = ["builtin_status", "condition", "needs_no_status"]

_ADDRESS: Final = "192.0.2.1"  # of a network that is set aside for examples


def condition(type_: str, reason: str, **more: Any) -> dict[str, Any]:
    """Return a condition with status True, a fixed transition time, and the fields in `more`."""
    return {"type": type_, "status": "True", "reason": reason, "lastTransitionTime": TRANSITION_TIME, **more}


def builtin_status(resource: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the status of a healthy object of one of Kubernetes' own kinds; None for all other kinds.

    Args:
        resource: The object. Its metadata must have a generation.
    """
    api_version, kind = str(resource.get("apiVersion", "")), str(resource.get("kind", ""))
    make = _STATUSES.get((group_of(api_version), kind)) if api_version else None
    if make is None:
        return None
    spec = resource.get("spec")
    status = make(spec if isinstance(spec, Mapping) else {}, str(resource["metadata"].get("name", "")))
    if kind in _WITH_GENERATION:
        status["observedGeneration"] = resource["metadata"]["generation"]
    return status


def needs_no_status(resource: Mapping[str, Any]) -> bool:
    """Return whether an object of this kind is ready as soon as it exists, without a status, such as a ConfigMap."""
    return lookup.is_ready(codec.encode_struct({key: resource.get(key) for key in ("apiVersion", "kind", "spec")}))


Spec = Mapping[str, Any]


def _replicas(spec: Spec) -> int:
    replicas = spec.get("replicas")
    return replicas if isinstance(replicas, int) and not isinstance(replicas, bool) else 1


def _deployment(spec: Spec, name: str) -> dict[str, Any]:
    counts = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
    return {
        **dict.fromkeys(counts, _replicas(spec)),
        "conditions": [
            condition("Available", "MinimumReplicasAvailable"),
            condition("Progressing", "NewReplicaSetAvailable"),
        ],
    }


def _stateful_set(spec: Spec, name: str) -> dict[str, Any]:
    counts = ("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
    revision = f"{name}-0"
    return {**dict.fromkeys(counts, _replicas(spec)), "currentRevision": revision, "updateRevision": revision}


def _daemon_set(spec: Spec, name: str) -> dict[str, Any]:
    counts = ("desiredNumberScheduled", "currentNumberScheduled", "numberReady", "updatedNumberScheduled")
    return {**dict.fromkeys(counts, 1), "numberAvailable": 1, "numberMisscheduled": 0}


def _replica_set(spec: Spec, name: str) -> dict[str, Any]:
    return dict.fromkeys(("replicas", "readyReplicas", "availableReplicas", "fullyLabeledReplicas"), _replicas(spec))


def _job(spec: Spec, name: str) -> dict[str, Any]:
    return {
        "succeeded": 1,
        "startTime": TRANSITION_TIME,
        "completionTime": TRANSITION_TIME,
        "conditions": [condition("Complete", "CompletionsReached")],
    }


def _cron_job(spec: Spec, name: str) -> dict[str, Any]:
    return {"lastScheduleTime": TRANSITION_TIME, "lastSuccessfulTime": TRANSITION_TIME}


def _pod(spec: Spec, name: str) -> dict[str, Any]:
    return {"phase": "Running", "podIP": _ADDRESS, "conditions": [condition("Ready", "PodReady")]}


def _service(spec: Spec, name: str) -> dict[str, Any]:
    return _load_balanced(spec, name) if spec.get("type") == "LoadBalancer" else {"loadBalancer": {}}


def _load_balanced(spec: Spec, name: str) -> dict[str, Any]:
    return {"loadBalancer": {"ingress": [{"ip": _ADDRESS}]}}


def _claim(spec: Spec, name: str) -> dict[str, Any]:
    return {"phase": "Bound"}


def _autoscaler(spec: Spec, name: str) -> dict[str, Any]:
    active = [condition("AbleToScale", "ReadyForNewScale"), condition("ScalingActive", "ValidMetricFound")]
    return {"currentReplicas": 1, "desiredReplicas": 1, "conditions": active}


def _namespace(spec: Spec, name: str) -> dict[str, Any]:
    return {"phase": "Active"}


_STATUSES: Final[Mapping[tuple[str, str], Callable[[Spec, str], dict[str, Any]]]] = {
    ("apps", "Deployment"): _deployment,
    ("apps", "StatefulSet"): _stateful_set,
    ("apps", "DaemonSet"): _daemon_set,
    ("apps", "ReplicaSet"): _replica_set,
    ("batch", "Job"): _job,
    ("batch", "CronJob"): _cron_job,
    ("", "Pod"): _pod,
    ("", "Service"): _service,
    ("networking.k8s.io", "Ingress"): _load_balanced,
    ("", "PersistentVolumeClaim"): _claim,
    ("autoscaling", "HorizontalPodAutoscaler"): _autoscaler,
    ("", "Namespace"): _namespace,
}
_WITH_GENERATION: Final = frozenset({"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "HorizontalPodAutoscaler"})
