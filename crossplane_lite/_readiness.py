"""Is an observed object ready? The rules per kind, as a table (protocol: what function-auto-ready does)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from . import _wire
from ._kinds import group_of

__all__ = ["is_ready"]

Object = Mapping[str, Any]


def is_ready(raw: bytes) -> bool:
    """Say whether an observed object is ready.

    Args:
        raw: The object's Struct bytes.

    Returns:
        What its kind's rule says, and for kinds without a rule whether its condition Ready is True. Where the status
        has an observedGeneration, it must have caught up with the object's generation.
    """
    api_version = _wire.get_path(raw, ("apiVersion",), "")
    kind = _wire.get_path(raw, ("kind",), "")
    rule = _RULES.get((group_of(str(api_version)), str(kind)))
    if rule is _always or (rule is None and kind in _ANY_GROUP):
        return True
    status = _mapping(_wire.get_path(raw, ("status",)))
    generation = _wire.get_path(raw, ("metadata", "generation"))
    observed = status.get("observedGeneration")
    if isinstance(observed, (int, float)) and isinstance(generation, (int, float)) and observed < generation:
        return False
    if rule is None:
        return _condition(status, "Ready")
    return rule({"spec": _mapping(_wire.get_path(raw, ("spec",))), "status": status, "generation": generation})


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _condition(status: Object, type_: str) -> bool:
    conditions = status.get("conditions")
    return any(
        isinstance(condition, dict) and condition.get("type") == type_ and condition.get("status") == "True"
        for condition in (conditions if isinstance(conditions, list) else ())
    )


def _number(holder: Object, key: str, default: float = 0) -> float:
    value = holder.get(key)
    return value if isinstance(value, (int, float)) else default


def _always(_: Object) -> bool:
    return True


def _deployment(obj: Object) -> bool:
    status, wanted = obj["status"], _number(obj["spec"], "replicas", 1)
    counts = [_number(status, key) for key in ("replicas", "updatedReplicas", "availableReplicas")]
    return all(count == wanted for count in counts) and _condition(status, "Available")


def _stateful_set(obj: Object) -> bool:
    status, wanted = obj["status"], _number(obj["spec"], "replicas", 1)
    counts = [_number(status, key) for key in ("replicas", "readyReplicas", "currentReplicas")]
    return all(count == wanted for count in counts) and status.get("currentRevision") == status.get("updateRevision")


def _daemon_set(obj: Object) -> bool:
    status = obj["status"]
    if "desiredNumberScheduled" not in status:
        return False
    wanted = _number(status, "desiredNumberScheduled")
    return all(_number(status, key) == wanted for key in ("numberReady", "updatedNumberScheduled", "numberAvailable"))


def _replica_set(obj: Object) -> bool:
    status = obj["status"]
    if "observedGeneration" not in status:
        return False
    return _number(status, "availableReplicas") >= _number(obj["spec"], "replicas", 1)


def _cron_job(obj: Object) -> bool:
    status = obj["status"]
    if obj["spec"].get("suspend") is True or status.get("active"):
        return True
    succeeded, scheduled = status.get("lastSuccessfulTime"), status.get("lastScheduleTime")
    # RFC 3339 in UTC with whole seconds, as the API server writes them, orders as text.
    return isinstance(succeeded, str) and (not isinstance(scheduled, str) or succeeded >= scheduled)


def _pod(obj: Object) -> bool:
    status = obj["status"]
    phase = status.get("phase")
    return phase == "Succeeded" or (phase == "Running" and _condition(status, "Ready"))


def _has_ingress(obj: Object) -> bool:
    return bool(_mapping(obj["status"].get("loadBalancer")).get("ingress"))


def _service(obj: Object) -> bool:
    return obj["spec"].get("type") != "LoadBalancer" or _has_ingress(obj)


def _autoscaler(obj: Object) -> bool:
    return _condition(obj["status"], "ScalingActive") or _condition(obj["status"], "ScalingLimited")


_RULES: Final[dict[tuple[str, str], Callable[[Object], bool]]] = {
    ("apps", "Deployment"): _deployment,
    ("apps", "StatefulSet"): _stateful_set,
    ("apps", "DaemonSet"): _daemon_set,
    ("apps", "ReplicaSet"): _replica_set,
    ("batch", "Job"): lambda obj: _condition(obj["status"], "Complete"),
    ("batch", "CronJob"): _cron_job,
    ("", "Pod"): _pod,
    ("", "Service"): _service,
    ("networking.k8s.io", "Ingress"): _has_ingress,
    ("", "PersistentVolumeClaim"): lambda obj: obj["status"].get("phase") == "Bound",
    ("autoscaling", "HorizontalPodAutoscaler"): _autoscaler,
    **dict.fromkeys([("", kind) for kind in ("ConfigMap", "Secret", "ServiceAccount", "Namespace")], _always),
    **dict.fromkeys(
        [("rbac.authorization.k8s.io", kind) for kind in ("Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")],
        _always,
    ),
    ("networking.k8s.io", "NetworkPolicy"): _always,
}
# Every provider has kinds of this name in a group of its own, and none of them has a status that says ready.
_ANY_GROUP: Final = frozenset({"ProviderConfig", "ClusterProviderConfig"})
