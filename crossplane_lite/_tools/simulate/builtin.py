"""Makes the statuses that healthy objects of Kubernetes' own kinds have, such as a Deployment's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ..._core.base.api_version import group_of
from ..._core.observed import lookup
from ..manifests.objects import TRANSITION_TIME
from .merging import copied

_ADDRESS: Final = "192.0.2.1"  # of a network that is set aside for examples


def condition(type_: str, reason: str, **more: Any) -> dict[str, Any]:
    """Return a condition with status True, a fixed transition time, and the fields in `more`."""
    return {
        "type": type_,
        "status": "True",
        "reason": reason,
        "lastTransitionTime": TRANSITION_TIME,
        **more,
    }


_REPLICAS: Final = "replicas readyReplicas availableReplicas fullyLabeledReplicas"

# Of each kind, the fields of its status that are its number of replicas, and the rest of the
# status.
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
    ("apps", "ReplicaSet"): (_REPLICAS, {"observedGeneration": 1}),
    ("", "ReplicationController"): (_REPLICAS, {"observedGeneration": 1}),
    ("batch", "Job"): (
        "",
        {
            "succeeded": 1,
            **dict.fromkeys(("startTime", "completionTime"), TRANSITION_TIME),
            "conditions": [condition("Complete", "CompletionsReached")],
        },
    ),
    ("batch", "CronJob"): (
        "",
        dict.fromkeys(("lastScheduleTime", "lastSuccessfulTime"), TRANSITION_TIME),
    ),
    ("", "Pod"): (
        "",
        {"phase": "Running", "podIP": _ADDRESS, "conditions": [condition("Ready", "PodReady")]},
    ),
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
    ("", "PersistentVolume"): ("", {"phase": "Available"}),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"): ("", {"observedGeneration": 1}),
    ("certificates.k8s.io", "CertificateSigningRequest"): (
        "",
        {"certificate": "ZXhhbXBsZQ==", "conditions": [condition("Approved", "Approved")]},
    ),
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"): (
        "",
        {"conditions": [condition("Dangling", "Found", status="False")]},
    ),
    ("gateway.networking.k8s.io", "Gateway"): (
        "",
        {"conditions": [condition("Accepted", "Accepted"), condition("Programmed", "Programmed")]},
    ),
    ("policy", "PodDisruptionBudget"): (
        "",
        {
            "observedGeneration": 1,
            **dict.fromkeys(
                ("currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods"), 1
            ),
            "conditions": [condition("DisruptionAllowed", "SufficientPods")],
        },
    ),
    ("snapshot.storage.k8s.io", "VolumeSnapshot"): ("", {"readyToUse": True}),
    ("snapshot.storage.k8s.io", "VolumeSnapshotContent"): ("", {"readyToUse": True}),
    ("storage.k8s.io", "VolumeAttachment"): ("", {"attached": True}),
    **{
        key: ("", {"conditions": [condition(type_, "Available")]})
        for key, type_ in lookup.READY_CONDITIONS.items()
    },
}


def _of_quota(spec: Mapping[str, Any]) -> dict[str, Any]:
    hard = spec.get("hard")
    return {"hard": copied(hard), "used": {}} if isinstance(hard, Mapping) else {}


def _of_route(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Return a status in which each Gateway that the route names accepts it."""
    return {"parents": _accepting(spec.get("parentRefs"), "parentRef")}


def _of_policy(spec: Mapping[str, Any]) -> dict[str, Any]:
    return {"ancestors": _accepting(spec.get("targetRefs"), "ancestorRef")}


def _accepting(references: Any, key: str) -> list[dict[str, Any]]:
    accepted = [condition("Accepted", "Accepted"), condition("ResolvedRefs", "ResolvedRefs")]
    found = references if isinstance(references, list) else []
    return [
        {key: copied(one), "controllerName": "example.org/gateway", "conditions": copied(accepted)}
        for one in found
    ]


# The kinds whose status repeats parts of the spec.
_FROM_SPEC: Final[Mapping[tuple[str, str], Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    ("", "ResourceQuota"): _of_quota,
    **{("gateway.networking.k8s.io", kind): _of_route for kind in lookup.ROUTES.split()},
    ("gateway.networking.k8s.io", "BackendTLSPolicy"): _of_policy,
}


def builtin_status(resource: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the status of a healthy object of one of Kubernetes' own kinds; None for all other
    kinds.

    Args:
        resource: The object. Its metadata must have a generation.
    """
    api_version, kind = str(resource.get("apiVersion", "")), str(resource.get("kind", ""))
    key = (group_of(api_version), kind)
    spec = resource.get("spec")
    if not isinstance(spec, Mapping):
        spec = {}
    if key in _FROM_SPEC:
        return _FROM_SPEC[key](spec)
    found = _STATUSES.get(key) if api_version else None
    if found is None:
        return None
    counts, rest = found
    metadata = resource["metadata"]
    if kind == "Service" and spec.get("type") != "LoadBalancer":
        return {"loadBalancer": {}}
    replicas = spec.get("replicas")
    status = dict.fromkeys(counts.split(), replicas if type(replicas) is int else 1)
    status |= copied(rest, text=lambda text: text.replace("{name}", str(metadata.get("name", ""))))
    if "observedGeneration" in status:
        status["observedGeneration"] = metadata["generation"]
    return status
