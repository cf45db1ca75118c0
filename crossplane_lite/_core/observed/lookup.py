"""Looking up values and conditions in observed state, and whether an object is ready.

The rules of readiness are tables by kind. For the kinds that function-auto-ready knows, they are
its rules.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from ...errors import UsageError
from .. import codec
from ..base.api_version import group_of
from ..base.sentinels import UNSET
from ..paths import field_path, trees
from ..paths.text import EXTERNAL_NAME, prefixes

Json = dict[str, Any]
Rule = Callable[["_Object"], bool]


def value_at(observed: Mapping[str, Any], xr: Any, path: str) -> Any:
    """Return the observed value at a path such as `bucket.status.atProvider.id`; UNSET if there is
    no value.

    `xr` is the `Root` of the observed composite, if there is one. Raises WireError for malformed
    bytes.
    """
    if path.startswith("xr."):
        return UNSET if xr is None or not xr.raw else value_in(xr.raw, xr.details, path[3:])
    # A name may have dots, so the longest name that the path begins with counts.
    for name in reversed(prefixes(path)[:-1]):
        one = observed.get(name)
        if one is not None:
            way = path[len(name) :].removeprefix(".")
            return value_in(one.resource, one.connection_details, way, composed=True)
    return UNSET


def is_reported(way: str) -> bool:
    """Say whether a path in a composed resource leads to its status, but not to a condition.

    An empty string there means that the provider hasn't reported the value: it counts as missing.
    """
    return way.startswith("status.") and not way.startswith("status.conditions")


def value_in(raw: bytes, details: Mapping[str, bytes], way: str, *, composed: bool = False) -> Any:
    """Return the value at a path in an observed object; UNSET if the value is missing or null, or
    `way` isn't a path.

    An empty `way` stands for the whole object, and `connection_details` leads to the details. In a
    composed resource, `is_reported` says which empty strings are missing. Raises WireError for
    malformed bytes.
    """
    try:
        steps = steps_of(way)
    except UsageError:  # not a path: a result of `apply` has such a name
        return UNSET
    if steps[:1] == ("connection_details",):
        found: Any = {
            key: value.decode(errors="replace") for key, value in details.items()
        } or UNSET
        for key in steps[1:]:
            found = found.get(str(key), UNSET) if isinstance(found, dict) else UNSET
        return found
    value = codec.get_path(raw, steps)
    is_missing = value is None or (value == "" and composed and is_reported(way))
    return UNSET if is_missing else value


def text_at(raw: bytes, *path: str) -> str:
    """Return the string at a path of an object; an empty one if there is none, or something else.

    Raises WireError for malformed bytes.
    """
    found = codec.get_path(raw, path)
    return found if isinstance(found, str) else ""


def steps_of(way: str) -> tuple[str | int, ...]:
    """Return the keys and indexes of a path.

    An empty `way` has no steps. `external_name` stands for the path of the annotation
    `crossplane.io/external-name`. Raises UsageError if `way` isn't a path of keys and indexes.
    """
    if way == "external_name":
        return ("metadata", "annotations", EXTERNAL_NAME)
    steps: Any = field_path.parse(way) if way else ()
    if any(isinstance(step, trees.Select) for step in steps):
        raise UsageError(f"{way!r} selects an element by its fields; give an index instead")
    return steps  # type: ignore[no-any-return]


def conditions_of(raw: bytes | None) -> dict[str, Json]:
    """Return the conditions in an object's status by their types, the first of each type.

    Raises WireError for malformed bytes.
    """
    return {} if raw is None else _by_type(codec.get_path(raw, ("status", "conditions")))


def _by_type(conditions: Any) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for condition in conditions if isinstance(conditions, list) else ():
        type_ = condition.get("type") if isinstance(condition, dict) else None
        if isinstance(type_, str):
            found.setdefault(type_, condition)
    return found


def has_rule(api_version: str, kind: str) -> bool:
    """Say whether a kind has a rule of its own, so that its objects may never have a condition
    Ready.
    """
    return kind in _ANY_GROUP or (group_of(api_version), kind) in KINDS_WITH_RULES


def is_ready(raw: bytes) -> bool:
    """Say whether an observed object is ready.

    The object's API group and kind decide which rule is used; the version doesn't matter. An object
    whose status has the wrong form isn't ready; it is no error. A kind without a rule needs the
    condition Ready to be True. If the status or the condition has an observedGeneration, that must
    be at least the object's generation. Raises WireError for malformed bytes.
    """
    fields = codec.split(raw)
    api_version = codec.open_value(fields.get("apiVersion", b""))[1]
    kind = codec.open_value(fields.get("kind", b""))[1]
    rule: Rule | None = None
    if isinstance(api_version, str) and isinstance(kind, str) and api_version:
        rule = _always if kind in _ANY_GROUP else _RULES.get((group_of(api_version), kind))
    if rule is _always:
        return True
    seen = _Object(fields, with_spec=rule is not None)
    if not seen.is_well_formed or not seen.caught_up(seen.status):
        return False
    return seen.condition("Ready") if rule is None else rule(seen)


class _Object:
    """The parts of an observed object that the rules read.

    Attributes:
        spec: The object's spec; empty if it is missing or not needed.
        status: The object's status; empty if it is missing.
        generation: The object's generation; 0 if it has none.
        is_well_formed: Whether spec and status are objects, or missing.
    """

    def __init__(self, fields: Mapping[str, bytes], *, with_spec: bool) -> None:
        # A kind without a rule needs no spec. That of a managed resource may be large.
        spec = codec.decode_value(fields.get("spec", b"")) if with_spec else None
        status = codec.decode_value(fields.get("status", b""))
        self.is_well_formed = all(part is None or isinstance(part, dict) for part in (spec, status))
        self.spec, self.status = _mapping(spec), _mapping(status)
        kind, below = codec.open_value(fields.get("metadata", b""))
        metadata = below if kind == codec.STRUCT else b""
        self.generation = _number(codec.get_path(metadata, ("generation",)), 0)

    def caught_up(self, holder: Json) -> bool:
        """Say whether `holder`, the status or a condition, has at least the object's generation as
        observedGeneration.

        True if it has no observedGeneration.
        """
        observed = holder.get("observedGeneration")
        return observed is None or _number(observed) >= self.generation

    def condition(self, type_: str) -> bool:
        """Say whether the condition of the type `type_` has the status True and is about the latest
        generation.
        """
        condition = _by_type(self.status.get("conditions")).get(type_)
        return (
            condition is not None
            and condition.get("status") == "True"
            and self.caught_up(condition)
        )

    def count(self, key: str) -> float:
        """Return the number in the field `key` of the status, such as `readyReplicas`.

        If the field is missing, return 0 if the status has an observedGeneration, else NaN.
        Controllers leave out numbers that are 0, but all numbers are missing before a controller
        has seen the object.
        """
        return _number(
            self.status.get(key), math.nan if self.status.get("observedGeneration") is None else 0
        )

    def has(self, count: float, *keys: str) -> bool:
        """Say whether all numbers in the fields `keys` of the status are `count`."""
        return all(self.count(key) == count for key in keys)

    def replicas(self) -> float:
        """Return the wanted number of replicas: `replicas` in the spec, else in the status, else
        the default 1.
        """
        return _number(self.spec.get("replicas"), _number(self.status.get("replicas"), 1))


def _mapping(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _number(value: Any, default: float = math.nan) -> float:
    """Return `value` if it is a number, and `default` if it is None.

    All other values, also True and False, give NaN, which makes every comparison in a rule false.
    """
    if value is None:
        return default
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan


def _always(_: _Object) -> bool:
    return True


def _has_replicas(obj: _Object, *keys: str) -> bool:
    wanted = obj.replicas()
    # During a rollout there are more replicas than wanted, so that is not ready.
    return _number(obj.status.get("replicas"), wanted) == wanted and obj.has(wanted, *keys)


def _deployment(obj: _Object) -> bool:
    return _has_replicas(obj, "updatedReplicas", "availableReplicas") and obj.condition("Available")


def _stateful_set(obj: _Object) -> bool:
    revision = obj.status.get("currentRevision")
    if not isinstance(revision, str) or revision != obj.status.get("updateRevision"):
        return False
    return _has_replicas(obj, "readyReplicas", "currentReplicas")


def _daemon_set(obj: _Object) -> bool:
    wanted = _number(obj.status.get("desiredNumberScheduled"))
    return obj.has(wanted, "numberReady", "updatedNumberScheduled", "numberAvailable")


def _replica_set(obj: _Object) -> bool:
    if obj.status.get("observedGeneration") is None or obj.condition("ReplicaFailure"):
        return False
    return obj.count("availableReplicas") >= obj.replicas()


def _cron_job(obj: _Object) -> bool:
    if obj.spec.get("suspend") is True or _has_elements(obj.status, "active"):
        return True
    # A CronJob that never ran on schedule isn't ready, even if a job of it was started by hand.
    scheduled = time_in(obj.status.get("lastScheduleTime"))
    return scheduled != "" and time_in(obj.status.get("lastSuccessfulTime")) >= scheduled


def time_in(value: Any) -> str:
    """Return `value` if it is a time in the API server's form, RFC 3339 in UTC with whole seconds;
    else "".

    Times in this form can be compared as strings, and the empty string comes before all of them.
    """
    shape = value.translate(_DIGITS) if isinstance(value, str) else ""
    return value if shape == "0000-00-00T00:00:00Z" else ""


_DIGITS = str.maketrans("123456789", "000000000")


def _pod(obj: _Object) -> bool:
    phase = obj.status.get("phase")
    return phase == "Succeeded" or (phase == "Running" and obj.condition("Ready"))


def _has_elements(holder: Json, key: str) -> bool:
    return isinstance(holder.get(key), list) and bool(holder[key])


def _has_ingress(obj: _Object) -> bool:
    return _has_elements(_mapping(obj.status.get("loadBalancer")), "ingress")


def _service(obj: _Object) -> bool:
    type_ = obj.spec.get("type", "ClusterIP")
    return _has_ingress(obj) if type_ == "LoadBalancer" else isinstance(type_, str)


def _is_settled(obj: _Object) -> bool:
    """Say whether the kind's controller has seen the latest generation, which is all that its
    status tells.
    """
    return obj.status.get("observedGeneration") is not None


def _quota(obj: _Object) -> bool:
    return bool(_mapping(obj.status.get("hard"))) or not _mapping(obj.spec.get("hard"))


def _flow_schema(obj: _Object) -> bool:
    dangling = _by_type(obj.status.get("conditions")).get("Dangling")
    return dangling is not None and dangling.get("status") == "False"


def _certificate_request(obj: _Object) -> bool:
    return obj.condition("Approved") and bool(obj.status.get("certificate"))


def _gateway(obj: _Object) -> bool:
    return obj.condition("Accepted") and obj.condition("Programmed")


def _route(obj: _Object) -> bool:
    """Say whether each Gateway that the route or policy names accepts it."""
    parents = obj.status.get("parents", obj.status.get("ancestors"))
    if not isinstance(parents, list) or not parents:
        return False
    for parent in parents:
        accepted = _by_type(_mapping(parent).get("conditions")).get("Accepted")
        if accepted is None or accepted.get("status") != "True" or not obj.caught_up(accepted):
            return False
    return True


# Kinds that are always ready, by group: they have no status, or a status that doesn't show
# readiness.
_WITHOUT_STATUS = {
    "": "ConfigMap Endpoints Event LimitRange Namespace PodTemplate Secret ServiceAccount",
    "admissionregistration.k8s.io": (
        "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration"
        " ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration"
    ),
    "apiextensions.crossplane.io": "Composition CompositionRevision EnvironmentConfig",
    "apps": "ControllerRevision",
    "certificates.k8s.io": "ClusterTrustBundle",
    "coordination.k8s.io": "Lease LeaseCandidate",
    "discovery.k8s.io": "EndpointSlice",
    "events.k8s.io": "Event",
    "flowcontrol.apiserver.k8s.io": "PriorityLevelConfiguration",
    "gateway.networking.k8s.io": "ReferenceGrant",
    "internal.apiserver.k8s.io": "StorageVersion",
    "networking.k8s.io": "IngressClass IPAddress NetworkPolicy",
    "node.k8s.io": "RuntimeClass",
    "pkg.crossplane.io": "DeploymentRuntimeConfig ImageConfig Lock",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding Role RoleBinding",
    # A ResourceClaim is allocated only when a Pod uses it.
    "resource.k8s.io": (
        "DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice"
    ),
    "scheduling.k8s.io": "PriorityClass Workload",
    "snapshot.storage.k8s.io": "VolumeSnapshotClass",
    "storage.k8s.io": "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttributesClass",
}
# Kinds that are ready with a condition of another type than Ready, by group and type.
_BY_CONDITION = {
    (
        "apiextensions.crossplane.io",
        "Established",
    ): "CompositeResourceDefinition ManagedResourceDefinition",
    ("apiextensions.crossplane.io", "Healthy"): "ManagedResourceActivationPolicy",
    ("apiextensions.k8s.io", "Established"): "CustomResourceDefinition",
    ("apiregistration.k8s.io", "Available"): "APIService",
    ("certificates.k8s.io", "Issued"): "PodCertificateRequest",
    ("gateway.networking.k8s.io", "Accepted"): "GatewayClass",
    ("ops.crossplane.io", "Scheduling"): "CronOperation",
    ("ops.crossplane.io", "Succeeded"): "Operation",
    ("ops.crossplane.io", "Watching"): "WatchOperation",
    ("pkg.crossplane.io", "Healthy"): "Configuration Function Provider",
    (
        "pkg.crossplane.io",
        "RevisionHealthy",
    ): "ConfigurationRevision FunctionRevision ProviderRevision",
    ("storagemigration.k8s.io", "Succeeded"): "StorageVersionMigration",
}
READY_CONDITIONS: Final = {
    (group, kind): type_
    for (group, type_), kinds in _BY_CONDITION.items()
    for kind in kinds.split()
}
"""The type of the condition that makes a kind ready, by group and kind, for kinds that never have
Ready.
"""

ROUTES: Final = "BackendTLSPolicy GRPCRoute HTTPRoute TCPRoute TLSRoute UDPRoute"
"""The kinds of the Gateway API that name Gateways, or what is behind them, which accept them."""

_RULES: Final[dict[tuple[str, str], Rule]] = {
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"): _is_settled,
    ("apps", "Deployment"): _deployment,
    ("apps", "StatefulSet"): _stateful_set,
    ("apps", "DaemonSet"): _daemon_set,
    ("apps", "ReplicaSet"): _replica_set,
    ("batch", "Job"): lambda obj: obj.condition("Complete") and not obj.condition("Failed"),
    ("batch", "CronJob"): _cron_job,
    ("certificates.k8s.io", "CertificateSigningRequest"): _certificate_request,
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"): _flow_schema,
    ("gateway.networking.k8s.io", "Gateway"): _gateway,
    ("", "PersistentVolume"): lambda obj: obj.status.get("phase") in ("Available", "Bound"),
    ("", "PersistentVolumeClaim"): lambda obj: obj.status.get("phase") == "Bound",
    ("", "Pod"): _pod,
    ("", "ReplicationController"): _replica_set,
    ("", "ResourceQuota"): _quota,
    ("", "Service"): _service,
    ("networking.k8s.io", "Ingress"): _has_ingress,
    ("policy", "PodDisruptionBudget"): _is_settled,
    ("snapshot.storage.k8s.io", "VolumeSnapshot"): lambda obj: obj.status.get("readyToUse") is True,
    ("snapshot.storage.k8s.io", "VolumeSnapshotContent"): lambda obj: (
        obj.status.get("readyToUse") is True
    ),
    ("storage.k8s.io", "VolumeAttachment"): lambda obj: obj.status.get("attached") is True,
    ("autoscaling", "HorizontalPodAutoscaler"): lambda obj: (
        obj.condition("ScalingActive") or obj.condition("ScalingLimited")
    ),
    **{("gateway.networking.k8s.io", kind): _route for kind in ROUTES.split()},
    **{
        key: functools.partial(_Object.condition, type_=type_)
        for key, type_ in READY_CONDITIONS.items()
    },
    **{
        (group, kind): _always for group, kinds in _WITHOUT_STATUS.items() for kind in kinds.split()
    },
}
KINDS_WITH_RULES: Final = _RULES.keys()
"""The groups and kinds that have a rule of their own."""

# Every provider has kinds of these names in a group of its own. Their status never shows readiness.
_ANY_GROUP = frozenset({"ProviderConfig", "ClusterProviderConfig"})
