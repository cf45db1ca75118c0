"""What an API server checks of Kubernetes' own kinds in its code, beside their schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..._core.base.api_version import group_of
from . import objects, pods
from .parts import Problem, Rule

_RULES: Final[Mapping[tuple[str, str], Rule]] = {
    ("", "ConfigMap"): objects.config_map,
    ("", "LimitRange"): objects.limit_range,
    ("", "PersistentVolume"): objects.volume,
    ("", "PersistentVolumeClaim"): objects.volume_claim,
    ("", "Pod"): pods.pod,
    ("", "PodTemplate"): pods.pod_template,
    ("", "ReplicationController"): pods.replication_controller,
    ("", "ResourceQuota"): objects.quota,
    ("", "Secret"): objects.secret,
    ("", "Service"): objects.service,
    **{
        ("apps", kind): pods.workload
        for kind in ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")
    },
    ("autoscaling", "HorizontalPodAutoscaler"): objects.autoscaler,
    ("batch", "CronJob"): pods.cron_job,
    ("batch", "Job"): pods.job,
    ("networking.k8s.io", "Ingress"): objects.ingress,
    ("networking.k8s.io", "NetworkPolicy"): objects.network_policy,
    ("policy", "PodDisruptionBudget"): objects.disruption_budget,
    **{("rbac.authorization.k8s.io", kind): objects.role for kind in ("ClusterRole", "Role")},
    **{
        ("rbac.authorization.k8s.io", kind): objects.role_binding
        for kind in ("ClusterRoleBinding", "RoleBinding")
    },
    ("scheduling.k8s.io", "PriorityClass"): objects.priority_class,
    ("storage.k8s.io", "StorageClass"): objects.storage_class,
}


def problems(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what an API server's code would refuse in an object of one of Kubernetes' own kinds.

    Args:
        content: The object, in which Observables stand for values that aren't known yet; they count
            as right.
    """
    key = (group_of(str(content.get("apiVersion", ""))), str(content.get("kind", "")))
    rule = _RULES.get(key)
    if rule is not None:
        yield from rule(content)
