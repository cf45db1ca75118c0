"""Makes the statuses that healthy objects of Kubernetes' own kinds have, such as a Deployment's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ..._core import codec
from ..._core.base.api_version import group_of
from ..._core.observed import lookup
from ..manifests.objects import TRANSITION_TIME
from .merging import copied

_ADDRESS: Final = "192.0.2.1"  # of a network that is set aside for examples


def condition(type_: str, reason: str, **more: Any) -> dict[str, Any]:
    """Return a condition with status True, a fixed transition time, and the fields in `more`."""
    return {"type": type_, "status": "True", "reason": reason, "lastTransitionTime": TRANSITION_TIME, **more}


# Of each kind, the fields of its status that are its number of replicas, and the rest of the status.
_STATUSES: Final[Mapping[tuple[str, str], tuple[str, dict[str, Any]]]] = {
    ("apps", "Deployment"): (
        "replicas updatedReplicas readyReplicas availableReplicas",
        {
            "observedGeneration": 1,
            "conditions": [
                condition("Available", "MinimumReplicasAvailable"),
                condition("Progressing", "NewReplicaSetAvailable"),
            ],
        },
    ),
    ("apps", "StatefulSet"): (
        "replicas readyReplicas currentReplicas updatedReplicas availableReplicas",
        {"observedGeneration": 1, "currentRevision": "{name}-0", "updateRevision": "{name}-0"},
    ),
    ("apps", "DaemonSet"): (
        "",
        {
            **dict.fromkeys(("desiredNumberScheduled", "currentNumberScheduled", "numberReady"), 1),
            **dict.fromkeys(("updatedNumberScheduled", "numberAvailable", "observedGeneration"), 1),
            "numberMisscheduled": 0,
        },
    ),
    ("apps", "ReplicaSet"): (
        "replicas readyReplicas availableReplicas fullyLabeledReplicas",
        {"observedGeneration": 1},
    ),
    ("batch", "Job"): (
        "",
        {
            "succeeded": 1,
            **dict.fromkeys(("startTime", "completionTime"), TRANSITION_TIME),
            "conditions": [condition("Complete", "CompletionsReached")],
        },
    ),
    ("batch", "CronJob"): ("", dict.fromkeys(("lastScheduleTime", "lastSuccessfulTime"), TRANSITION_TIME)),
    ("", "Pod"): ("", {"phase": "Running", "podIP": _ADDRESS, "conditions": [condition("Ready", "PodReady")]}),
    ("", "Service"): ("", {"loadBalancer": {"ingress": [{"ip": _ADDRESS}]}}),
    ("networking.k8s.io", "Ingress"): ("", {"loadBalancer": {"ingress": [{"ip": _ADDRESS}]}}),
    ("", "PersistentVolumeClaim"): ("", {"phase": "Bound"}),
    ("autoscaling", "HorizontalPodAutoscaler"): (
        "",
        {
            **dict.fromkeys(("currentReplicas", "desiredReplicas", "observedGeneration"), 1),
            "conditions": [
                condition("AbleToScale", "ReadyForNewScale"),
                condition("ScalingActive", "ValidMetricFound"),
            ],
        },
    ),
    ("", "Namespace"): ("", {"phase": "Active"}),
}


def builtin_status(resource: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the status of a healthy object of one of Kubernetes' own kinds; None for all other kinds.

    Args:
        resource: The object. Its metadata must have a generation.
    """
    api_version, kind = str(resource.get("apiVersion", "")), str(resource.get("kind", ""))
    found = _STATUSES.get((group_of(api_version), kind)) if api_version else None
    if found is None:
        return None
    counts, rest = found
    metadata, spec = resource["metadata"], resource.get("spec")
    if not isinstance(spec, Mapping):
        spec = {}
    if kind == "Service" and spec.get("type") != "LoadBalancer":
        return {"loadBalancer": {}}
    replicas = spec.get("replicas")
    status = dict.fromkeys(counts.split(), replicas if type(replicas) is int else 1)
    status |= copied(rest, text=lambda text: text.replace("{name}", str(metadata.get("name", ""))))
    if "observedGeneration" in status:
        status["observedGeneration"] = metadata["generation"]
    return status


def needs_no_status(resource: Mapping[str, Any]) -> bool:
    """Return whether an object of this kind is ready as soon as it exists, without a status, such as a ConfigMap."""
    return lookup.is_ready(codec.encode_struct({key: resource.get(key) for key in ("apiVersion", "kind", "spec")}))
