"""Objects of Kubernetes' own kinds, right ones and ones with a mistake, for previews and the API server to judge."""

from __future__ import annotations

import base64
import contextlib
import copy
import io
import json
import random
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from crossplane_lite.cli import main

__all__ = ["MISTAKES", "OBJECTS", "changed", "compose", "objects", "refused"]

Json = dict[str, Any]

_LABELS = {"app": "web"}
_CONTAINER: Json = {
    "name": "web",
    "image": "nginx:1.27",
    "ports": [{"name": "http", "containerPort": 8080}],
    "env": [{"name": "MODE", "value": "x"}, {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "a", "key": "b"}}}],
    "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"cpu": "1", "memory": "128Mi"}},
    "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    "readinessProbe": {"httpGet": {"path": "/", "port": "http"}},
}
_POD: Json = {"containers": [_CONTAINER], "volumes": [{"name": "data", "emptyDir": {"sizeLimit": "1Gi"}}]}
_TEMPLATE: Json = {"metadata": {"labels": _LABELS}, "spec": _POD}
_WORKLOAD: Json = {"selector": {"matchLabels": _LABELS}, "template": _TEMPLATE}
_JOB: Json = {"template": {"spec": {**_POD, "restartPolicy": "Never"}}, "backoffLimit": 2}
_CLAIM: Json = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
_RULE: Json = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
_ROLE: Json = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}
_SUBJECT: Json = {"kind": "ServiceAccount", "name": "a", "namespace": "b"}
_PATH: Json = {"path": "/a", "pathType": "Prefix", "backend": {"service": {"name": "web", "port": {"number": 80}}}}
_WEBHOOK: Json = {
    "name": "a.example.org",
    "clientConfig": {"url": "https://example.org/a"},
    "admissionReviewVersions": ["v1"],
    "sideEffects": "None",
}

# Each kind's apiVersion, and what an object that is right has.
OBJECTS: dict[str, tuple[str, Json]] = {
    "Deployment": ("apps/v1", {"spec": {**_WORKLOAD, "replicas": 2}}),
    "StatefulSet": ("apps/v1", {"spec": {**_WORKLOAD, "serviceName": "web", "replicas": 1}}),
    "DaemonSet": ("apps/v1", {"spec": _WORKLOAD}),
    "ReplicaSet": ("apps/v1", {"spec": {**_WORKLOAD, "replicas": 1}}),
    "ReplicationController": ("v1", {"spec": {"selector": _LABELS, "template": _TEMPLATE, "replicas": 1}}),
    "Pod": ("v1", {"spec": _POD}),
    "PodTemplate": ("v1", {"template": _TEMPLATE}),
    "Job": ("batch/v1", {"spec": _JOB}),
    "CronJob": ("batch/v1", {"spec": {"schedule": "*/5 1-3 * jan,feb mon", "jobTemplate": {"spec": _JOB}}}),
    "Service": (
        "v1",
        {
            "spec": {
                "selector": _LABELS,
                "ports": [{"name": "a", "port": 80, "targetPort": "http"}, {"name": "b", "port": 81}],
            }
        },
    ),
    "ConfigMap": ("v1", {"data": {"a.b_c-d": "x"}, "binaryData": {"e": "eA=="}}),
    "Secret": ("v1", {"data": {"a": "eA=="}, "stringData": {"b": "x"}}),
    "PersistentVolumeClaim": ("v1", {"spec": _CLAIM}),
    "PersistentVolume": (
        "v1",
        {"spec": {"accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/a"}}},
    ),
    "ResourceQuota": ("v1", {"spec": {"hard": {"pods": "3", "requests.cpu": "500m"}}}),
    "LimitRange": ("v1", {"spec": {"limits": [{"type": "Container", "min": {"cpu": "1m"}, "max": {"cpu": "2"}}]}}),
    "Namespace": ("v1", {}),
    "ServiceAccount": ("v1", {"automountServiceAccountToken": False}),
    "Ingress": ("networking.k8s.io/v1", {"spec": {"rules": [{"host": "a.example.org", "http": {"paths": [_PATH]}}]}}),
    "IngressClass": ("networking.k8s.io/v1", {"spec": {"controller": "example.org/a"}}),
    "NetworkPolicy": (
        "networking.k8s.io/v1",
        {
            "spec": {
                "podSelector": {"matchLabels": _LABELS},
                "policyTypes": ["Ingress"],
                "ingress": [
                    {
                        "from": [{"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}],
                        "ports": [{"port": 80, "endPort": 90, "protocol": "TCP"}],
                    }
                ],
            }
        },
    ),
    "Role": ("rbac.authorization.k8s.io/v1", {"rules": [_RULE]}),
    "ClusterRole": ("rbac.authorization.k8s.io/v1", {"rules": [_RULE, {"nonResourceURLs": ["/a"], "verbs": ["get"]}]}),
    "RoleBinding": ("rbac.authorization.k8s.io/v1", {"roleRef": _ROLE, "subjects": [_SUBJECT]}),
    "ClusterRoleBinding": ("rbac.authorization.k8s.io/v1", {"roleRef": _ROLE, "subjects": [_SUBJECT]}),
    "HorizontalPodAutoscaler": (
        "autoscaling/v2",
        {
            "spec": {
                "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"},
                "minReplicas": 1,
                "maxReplicas": 3,
                "metrics": [
                    {
                        "type": "Resource",
                        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
                    }
                ],
            }
        },
    ),
    "PodDisruptionBudget": ("policy/v1", {"spec": {"maxUnavailable": "50%", "selector": {"matchLabels": _LABELS}}}),
    "StorageClass": ("storage.k8s.io/v1", {"provisioner": "example.org/a", "volumeBindingMode": "Immediate"}),
    "CSIDriver": ("storage.k8s.io/v1", {"spec": {"attachRequired": False}}),
    "PriorityClass": ("scheduling.k8s.io/v1", {"value": 1000}),
    "RuntimeClass": ("node.k8s.io/v1", {"handler": "runsc"}),
    "Lease": ("coordination.k8s.io/v1", {"spec": {"holderIdentity": "a", "leaseDurationSeconds": 10}}),
    "EndpointSlice": ("discovery.k8s.io/v1", {"addressType": "IPv4", "endpoints": [{"addresses": ["10.0.0.1"]}]}),
    "Endpoints": ("v1", {"subsets": [{"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 80}]}]}),
    "ControllerRevision": ("apps/v1", {"revision": 1, "data": {"a": "b"}}),
    "ValidatingWebhookConfiguration": ("admissionregistration.k8s.io/v1", {"webhooks": [_WEBHOOK]}),
    "MutatingWebhookConfiguration": ("admissionregistration.k8s.io/v1", {"webhooks": [_WEBHOOK]}),
    "PriorityLevelConfiguration": (
        "flowcontrol.apiserver.k8s.io/v1",
        {"spec": {"type": "Limited", "limited": {"nominalConcurrencyShares": 5, "limitResponse": {"type": "Reject"}}}},
    ),
    "DeviceClass": ("resource.k8s.io/v1", {"spec": {}}),
    "VolumeAttributesClass": ("storage.k8s.io/v1", {"driverName": "example.org", "parameters": {"a": "b"}}),
}

_POD_PATHS = {
    "Pod": "spec",
    "PodTemplate": "template.spec",
    "Job": "spec.template.spec",
    "CronJob": "spec.jobTemplate.spec.template.spec",
    **dict.fromkeys(
        ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController"), "spec.template.spec"
    ),
}
_GONE = object()

# What is wrong in a pod: the place below its spec, and the value.
_OF_PODS: dict[str, Any] = {
    "containers": [],
    "containers.0.image": _GONE,
    "containers.0.name": "Web_1",
    "containers.0.ports.0.containerPort": 70000,
    "containers.0.ports.0.name": "a_b",
    "containers.0.ports.0.protocol": "HTTP",
    "containers.0.env.0.name": "A=B",
    "containers.0.env.1.value": "both",
    "containers.0.env.1.valueFrom": {},
    "containers.0.resources.requests.cpu": "2",
    "containers.0.resources.limits.memory": "128MB",
    "containers.0.resources.requests.memory": "-1",
    "containers.0.volumeMounts.0.name": "nothing",
    "containers.0.volumeMounts.0.mountPath": "",
    "containers.0.readinessProbe": {"periodSeconds": 5},
    "containers.0.readinessProbe.tcpSocket": {"port": 80},
    "containers.0.readinessProbe.periodSeconds": -1,
    "containers.0.readinessProbe.httpGet.port": 0,
    "containers.0.imagePullPolicy": "Sometimes",
    "volumes.0.emptyDir.sizeLimit": "1 Gi",
    "volumes.0.name": "Data",
    "restartPolicy": "Sometimes",
}

# What is wrong in objects: the kind, the place and the value.
_OF_OBJECTS: list[tuple[str, str, Any]] = [
    ("Deployment", "spec.replicas", -1),
    ("Deployment", "spec.selector.matchLabels", {"app": "other"}),
    ("Deployment", "spec.selector", {}),
    ("Deployment", "spec.template.spec.restartPolicy", "Never"),
    ("Deployment", "spec.template.metadata.labels.app", "a b"),
    ("StatefulSet", "spec.selector.matchLabels", {"app": "other"}),
    ("DaemonSet", "spec.template.metadata.labels", {}),
    ("ReplicaSet", "spec.selector", {"matchExpressions": [{"key": "a", "operator": "In"}]}),
    ("ReplicationController", "spec.selector", {"app": "other"}),
    ("Job", "spec.template.spec.restartPolicy", "Always"),
    ("Job", "spec.template.spec.restartPolicy", _GONE),
    ("Job", "spec.backoffLimit", -1),
    ("Job", "spec.parallelism", -1),
    *(("CronJob", "spec.schedule", value) for value in ("* * * *", "60 * * * *", "a * * * *", "@often", "5-1 * * * *")),
    ("CronJob", "spec.concurrencyPolicy", "Maybe"),
    ("CronJob", "spec.successfulJobsHistoryLimit", -1),
    ("Service", "spec.ports", []),
    ("Service", "spec.ports.0.name", _GONE),
    ("Service", "spec.ports.0.name", "b"),
    ("Service", "spec.ports.0.port", 0),
    ("Service", "spec.ports.0.port", 81),
    ("Service", "spec.ports.0.targetPort", 70000),
    ("Service", "spec.ports.0.targetPort", "a_b"),
    ("Service", "spec.ports.0.protocol", "HTTP"),
    ("Service", "spec.ports.0.nodePort", 30000),
    ("Service", "spec.type", "Internal"),
    ("Service", "spec", {"type": "ExternalName"}),
    ("Service", "spec", {"type": "ExternalName", "externalName": "a b"}),
    ("ConfigMap", "data", {"a/b": "x"}),
    ("ConfigMap", "data", {"..a": "x"}),
    ("ConfigMap", "data", {"e": "x"}),
    ("ConfigMap", "binaryData.e", "not base64"),
    ("ConfigMap", "data", {"a": "x" * 1_100_000}),
    ("Secret", "data.a", "hunter2"),
    ("Secret", "data", {"a b": "eA=="}),
    ("Secret", "type", "kubernetes.io/tls"),
    ("Secret", "type", "kubernetes.io/dockerconfigjson"),
    ("Secret", "type", "kubernetes.io/basic-auth"),
    ("PersistentVolumeClaim", "spec.accessModes", []),
    ("PersistentVolumeClaim", "spec.accessModes.0", "ReadWrite"),
    ("PersistentVolumeClaim", "spec.resources", {}),
    ("PersistentVolumeClaim", "spec.resources.requests.storage", "0"),
    ("PersistentVolumeClaim", "spec.resources.requests.storage", "1GB"),
    ("PersistentVolume", "spec.accessModes", []),
    ("PersistentVolume", "spec.capacity", {}),
    ("PersistentVolume", "spec.persistentVolumeReclaimPolicy", "Keep"),
    ("ResourceQuota", "spec.hard.pods", "three"),
    ("ResourceQuota", "spec.hard.pods", "-3"),
    ("LimitRange", "spec.limits.0.min.cpu", "3"),
    ("LimitRange", "spec.limits.0.max.cpu", "x"),
    ("Ingress", "spec", {}),
    ("Ingress", "spec.rules.0.host", "a_b.example.org"),
    ("Ingress", "spec.rules.0.host", "10.0.0.1"),
    ("Ingress", "spec.rules.0.http.paths.0.path", "a"),
    ("Ingress", "spec.rules.0.http.paths.0.path", "/a/../b"),
    ("Ingress", "spec.rules.0.http.paths.0.path", _GONE),
    ("Ingress", "spec.rules.0.http.paths.0.pathType", "Regex"),
    ("Ingress", "spec.rules.0.http.paths.0.pathType", _GONE),
    ("Ingress", "spec.rules.0.http.paths.0.backend", {}),
    ("Ingress", "spec.rules.0.http.paths.0.backend.service.port", {}),
    ("Ingress", "spec.rules.0.http.paths.0.backend.service.port", {"number": 80, "name": "a"}),
    ("Ingress", "spec.rules.0.http.paths.0.backend.service.name", ""),
    ("NetworkPolicy", "spec.ingress.0.ports.0.endPort", 70),
    ("NetworkPolicy", "spec.ingress.0.ports.0.protocol", "HTTP"),
    ("NetworkPolicy", "spec.ingress.0.from.0.ipBlock.cidr", "10.0.0.0"),
    ("NetworkPolicy", "spec.ingress.0.from.0.ipBlock.except.0", "11.0.0.0/8"),
    ("NetworkPolicy", "spec.ingress.0.from.0", {}),
    ("NetworkPolicy", "spec.policyTypes.0", "In"),
    ("Role", "rules.0.verbs", []),
    ("Role", "rules.0", {"nonResourceURLs": ["/a"], "verbs": ["get"]}),
    ("ClusterRole", "rules.0.resources", []),
    ("ClusterRole", "rules.1.resources", ["a"]),
    ("RoleBinding", "roleRef.kind", "Group"),
    ("RoleBinding", "roleRef.name", ""),
    ("RoleBinding", "roleRef.apiGroup", "example.org"),
    ("RoleBinding", "subjects.0.kind", "Account"),
    ("ClusterRoleBinding", "roleRef.kind", "Role"),
    ("ClusterRoleBinding", "subjects.0.name", ""),
    ("ClusterRoleBinding", "subjects.0.namespace", _GONE),
    ("HorizontalPodAutoscaler", "spec.minReplicas", 4),
    ("HorizontalPodAutoscaler", "spec.minReplicas", 0),
    ("HorizontalPodAutoscaler", "spec.maxReplicas", 0),
    ("HorizontalPodAutoscaler", "spec.metrics.0.type", "Cpu"),
    ("HorizontalPodAutoscaler", "spec.metrics.0.resource", _GONE),
    ("HorizontalPodAutoscaler", "spec.scaleTargetRef.name", ""),
    ("PodDisruptionBudget", "spec.minAvailable", 1),
    ("PodDisruptionBudget", "spec.maxUnavailable", "half"),
    ("PodDisruptionBudget", "spec.maxUnavailable", "150%"),
    ("PodDisruptionBudget", "spec.maxUnavailable", -1),
    ("StorageClass", "volumeBindingMode", "Later"),
    ("StorageClass", "reclaimPolicy", "Keep"),
    ("StorageClass", "provisioner", ""),
    ("PriorityClass", "value", 2_000_000_000),
    ("PriorityClass", "preemptionPolicy", "Sometimes"),
]

MISTAKES: list[tuple[str, str, Any]] = [
    *((kind, f"{path}.{place}", value) for kind, path in _POD_PATHS.items() for place, value in _OF_PODS.items()),
    *_OF_OBJECTS,
]


def changed(content: Json, path: str, value: Any) -> Json:
    """Return an object with another value at a path, or without the value there."""
    made = copy.deepcopy(content)
    *way, last = path.split(".")
    holder: Any = made
    for step in way:
        holder = holder[int(step)] if isinstance(holder, list) else holder.setdefault(step, {})
    if value is _GONE:
        del holder[last]
    elif isinstance(holder, list):
        holder[int(last)] = copy.deepcopy(value)
    else:
        holder[last] = copy.deepcopy(value)
    return made


def _right(kind: str, chosen: random.Random) -> Json:
    """Return an object that is right, with other names and numbers than the others."""
    api_version, content = OBJECTS[kind]
    name = f"{kind.lower()}-{chosen.randrange(10**6)}"
    if kind == "CSIDriver":
        name += ".example.org"
    made = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **copy.deepcopy(content)}
    if kind == "Secret":
        made["data"]["a"] = base64.b64encode(chosen.randbytes(chosen.randrange(1, 40))).decode()
    if kind == "CronJob":
        made["spec"]["schedule"] = chosen.choice(("0 3 * * *", "@daily", "*/10 * * * 1-5", "0 0 1,15 * ?", "@every 1h"))
    if kind in _POD_PATHS and chosen.random() < 0.3:
        spec: Any = made
        for step in _POD_PATHS[kind].split("."):
            spec = spec[step]
        second = {"name": "second", "image": "busybox", "livenessProbe": {"exec": {"command": ["a"]}}}
        spec["containers"].append(second)
    return made


def objects(count: int, seed: int = 5) -> Iterator[tuple[str, Json]]:
    """Yield objects, every second one with a mistake, each with a text about its mistake, which is empty for none."""
    chosen = random.Random(seed)
    mistakes = MISTAKES * (count // (2 * len(MISTAKES)) + 1)
    chosen.shuffle(mistakes)
    kinds = sorted(OBJECTS)
    for number in range(count):
        if number % 2:
            kind, path, value = mistakes[number // 2]
            shown = "gone" if value is _GONE else repr(value)[:40]
            yield f"{kind}.{path}: {shown}", changed(_right(kind, chosen), path, value)
        else:
            yield "", _right(kinds[number // 2 % len(kinds)], chosen)


def compose(req: Any, rsp: Any) -> None:
    """Desire the objects in the composite's spec, with the names o0, o1, ..."""
    for number, one in enumerate(req.observed.composite.resource["spec"]["objects"]):
        rsp.desired.resources[f"o{number}"].resource.update(one)


def refused(found: Sequence[Json], folder: Path) -> set[int]:
    """Return the indexes of the objects that `render` refuses, which composes all of them."""
    xr = {"apiVersion": "example.org/v1", "kind": "XAll", "metadata": {"name": "all"}, "spec": {"objects": list(found)}}
    (folder / "xr.json").write_text(json.dumps(xr))
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
        status = main(["render", str(folder / "xr.json"), "--function", f"{__name__}:compose"])
    wrong = {int(number) for number in re.findall(r"^invalid: o(\d+)\.", said.getvalue(), re.MULTILINE)}
    assert status == bool(wrong), said.getvalue()[:2000]
    return wrong
