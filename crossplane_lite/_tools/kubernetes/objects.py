"""The rules of kinds without pods.

They are those of k8s.io/kubernetes (pkg/apis/*/validation), for what people write most.
"""

from __future__ import annotations

import base64
import ipaddress
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..._core.paths.trees import lookup
from .parts import (
    PROTOCOLS,
    Path,
    Problem,
    amount,
    data_key,
    domain,
    elements,
    is_known,
    label,
    labels,
    mapping,
    missing,
    number,
    other,
    outside,
    port,
    quantity,
    several,
    text,
    twice,
)

_MODES: Final = ("ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod")
_MOST_BYTES: Final = 1024 * 1024
_RBAC: Final = "rbac.authorization.k8s.io"
# The keys that Secrets of a type must have.
_KEYS: Final = {
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
}
_JSON_KEYS: Final = (".dockercfg", ".dockerconfigjson")


def service(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a Service."""
    spec = mapping(content, "spec")
    type_ = text(spec, "type") or "ClusterIP"
    yield from other(
        spec, ("spec",), "type", ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
    )
    yield from labels(mapping(spec, "selector"), ("spec", "selector"))
    if type_ == "ExternalName":
        yield from missing(spec, ("spec",), "externalName")
        yield from domain(
            text(spec, "externalName").removesuffix(".") or None, ("spec", "externalName")
        )
    ports = list(elements(spec, "ports"))
    if (
        not ports
        and type_ != "ExternalName"
        and spec.get("clusterIP") != "None"
        and spec.get("ports") in (None, [])
    ):
        yield ("spec", "ports"), "is required"
    names, numbers = [], []
    for index, one in ports:
        here = ("spec", "ports", index)
        yield from outside(one, here, "port", 1, 65535)
        yield from other(one, here, "protocol", PROTOCOLS)
        yield from port(one.get("targetPort"), (*here, "targetPort"))
        name = text(one, "name")
        yield from label(name or None, (*here, "name"))
        if len(ports) > 1 and one.get("name") in (None, ""):
            yield (*here, "name"), "is required where there are several ports"
        names.append((name or index, (*here, "name")))
        if number(one, "port") is not None:
            numbers.append(((number(one, "port"), text(one, "protocol") or "TCP"), here))
        node_port = number(one, "nodePort")
        if node_port and type_ in ("ClusterIP", "ExternalName"):
            yield (*here, "nodePort"), f"must be left out in a Service of type {type_}"
    yield from twice(names, "name")
    yield from twice(numbers, "port and protocol")


def config_map(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a ConfigMap."""
    data, binary = mapping(content, "data"), mapping(content, "binaryData")
    for key in data:
        yield from data_key(key, ("data", key))
    for key in binary:
        yield from data_key(key, ("binaryData", key))
        if key in data:
            yield ("binaryData", key), "is in data, too"
    size = sum(len(one.encode(errors="replace")) for one in data.values() if type(one) is str)
    if size > _MOST_BYTES:
        yield ("data",), f"must have at most {_MOST_BYTES:,} bytes (it has {size:,})"


def secret(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a Secret. No value of it is shown."""
    data = mapping(content, "data")
    texts = mapping(content, "stringData")
    for list_, holder in (("data", data), ("stringData", texts)):
        for key in holder:
            yield from data_key(key, (list_, key))
    type_ = text(content, "type")
    has = {*data, *texts}
    for key in _KEYS.get(type_, ()):
        if key not in has and is_known(content.get("data")) and is_known(content.get("stringData")):
            yield ("data", key), f"is required in a Secret of type {type_}"
    if type_ == "kubernetes.io/basic-auth" and not has & {"username", "password"}:
        yield ("data",), "must have username or password in a Secret of this type"
    if type_ in ("kubernetes.io/dockercfg", "kubernetes.io/dockerconfigjson"):
        for key in _JSON_KEYS:
            yield from _json(data.get(key), texts.get(key), ("data", key))


def _json(encoded: Any, plain: Any, path: Path) -> Iterator[Problem]:
    if not (encoded or plain):
        return
    try:
        json.loads(plain if type(plain) is str else base64.b64decode(encoded))
    except (TypeError, ValueError):
        yield path, "isn't JSON"


def ingress(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in an Ingress."""
    spec = mapping(content, "spec")
    if is_known(content.get("spec")) and not spec.get("rules") and not spec.get("defaultBackend"):
        yield ("spec",), "must have rules or defaultBackend"
    yield from _backend(spec.get("defaultBackend"), ("spec", "defaultBackend"))
    for index, rule in elements(spec, "rules"):
        here = ("spec", "rules", index)
        yield from _host(rule.get("host"), (*here, "host"))
        for number_, one in elements(rule, "http", "paths"):
            there = (*here, "http", "paths", number_)
            yield from missing(one, there, "pathType", "backend")
            yield from other(one, there, "pathType", ("Exact", "ImplementationSpecific", "Prefix"))
            path = text(one, "path")
            needs_slash = text(one, "pathType") in ("Exact", "Prefix")
            if needs_slash and one.get("path") in (None, ""):
                yield (*there, "path"), "is required, and begins with '/'"
            elif path and not path.startswith("/"):
                yield (*there, "path"), f"{path!r} must begin with '/'"
            elif needs_slash and re.search(r"//|/\.\.?(/|$)|%2f|%2F", path):
                yield (*there, "path"), f"{path!r} must not have '//', '/./', '/../' or '%2f'"
            yield from _backend(one.get("backend"), (*there, "backend"))
    for index, one in elements(spec, "tls"):
        for number_, host in enumerate(one["hosts"] if isinstance(one.get("hosts"), list) else ()):
            yield from _host(host, ("spec", "tls", index, "hosts", number_))


def _host(value: Any, path: Path) -> Iterator[Problem]:
    if type(value) is not str or not value:
        return
    yield from domain(value, path, wildcard=True)
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return
    yield path, "must be a DNS name, not an IP address"


def _backend(value: Any, path: Path) -> Iterator[Problem]:
    if not isinstance(value, Mapping) or not is_known(value):
        return
    yield from several(value, path, ("service", "resource"))
    given = mapping(value, "service")
    if given:
        yield from missing(given, (*path, "service"), "name")
        found = mapping(given, "port")
        yield from several(
            {key: one for key, one in found.items() if one not in ("", 0)},
            (*path, "service", "port"),
            ("name", "number"),
        )
        yield from outside(found, (*path, "service", "port"), "number", 1, 65535)


def role(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a Role or ClusterRole."""
    is_namespaced = content.get("kind") == "Role"
    for index, one in elements(content, "rules"):
        here = ("rules", index)
        if not is_known(one):
            continue
        yield from missing(one, here, "verbs")
        if one.get("nonResourceURLs"):
            if is_namespaced:
                yield (
                    (*here, "nonResourceURLs"),
                    "must be left out in a Role; a ClusterRole may have it",
                )
            if one.get("apiGroups") or one.get("resources") or one.get("resourceNames"):
                yield here, "must have either resources or nonResourceURLs"
        else:
            yield from missing(one, here, "apiGroups", "resources")


def role_binding(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a RoleBinding or ClusterRoleBinding."""
    kinds = (
        ("ClusterRole",) if content.get("kind") == "ClusterRoleBinding" else ("ClusterRole", "Role")
    )
    reference = mapping(content, "roleRef")
    yield from missing(reference, ("roleRef",), "kind", "name")
    yield from other(reference, ("roleRef",), "kind", kinds)
    yield from other(reference, ("roleRef",), "apiGroup", (_RBAC,))
    for index, one in elements(content, "subjects"):
        here = ("subjects", index)
        yield from missing(one, here, "kind", "name")
        yield from other(one, here, "kind", ("Group", "ServiceAccount", "User"))
        is_account = text(one, "kind") == "ServiceAccount"
        if is_account:
            # a RoleBinding's own namespace is the default
            if content.get("kind") == "ClusterRoleBinding":
                yield from missing(one, here, "namespace")
            if text(one, "apiGroup"):
                yield (*here, "apiGroup"), "must be left out for a ServiceAccount"
        elif text(one, "kind") in ("Group", "User"):
            yield from other(one, here, "apiGroup", (_RBAC,))


def autoscaler(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a HorizontalPodAutoscaler."""
    spec = mapping(content, "spec")
    yield from outside(spec, ("spec",), "minReplicas", 1)
    yield from outside(spec, ("spec",), "maxReplicas", 1)
    least, most = number(spec, "minReplicas"), number(spec, "maxReplicas")
    if least is not None and most is not None and least > most:
        yield ("spec", "maxReplicas"), f"must be at least minReplicas, {least} (got {most})"
    yield from missing(mapping(spec, "scaleTargetRef"), ("spec", "scaleTargetRef"), "kind", "name")
    for index, one in elements(spec, "metrics"):
        here = ("spec", "metrics", index)
        types = ("ContainerResource", "External", "Object", "Pods", "Resource")
        yield from other(one, here, "type", types)
        field = text(one, "type")[:1].lower() + text(one, "type")[1:]
        if text(one, "type") in types:
            yield from missing(one, here, field)


def disruption_budget(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a PodDisruptionBudget."""
    spec = mapping(content, "spec")
    yield from several(spec, ("spec",), ("minAvailable", "maxUnavailable"), needs_one=False)
    for name in ("minAvailable", "maxUnavailable"):
        yield from outside(spec, ("spec",), name, 0)
        value = text(spec, name)
        if value and not re.fullmatch(r"[0-9]+%", value):
            yield ("spec", name), f"{value!r} must be a number or a percentage, such as 50%"
        elif value and int(value[:-1]) > 100:
            yield ("spec", name), f"must be at most 100% (got {value})"
    yield from labels(mapping(spec, "selector", "matchLabels"), ("spec", "selector", "matchLabels"))


def network_policy(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a NetworkPolicy."""
    spec = mapping(content, "spec")
    yield from labels(
        mapping(spec, "podSelector", "matchLabels"), ("spec", "podSelector", "matchLabels")
    )
    types = spec.get("policyTypes")
    for index, one in enumerate(types if isinstance(types, list) else ()):
        yield from other(
            {"type": one}, ("spec", "policyTypes", index), "type", ("Egress", "Ingress")
        )
    for list_, peers in (("ingress", "from"), ("egress", "to")):
        for index, rule in elements(spec, list_):
            here = ("spec", list_, index)
            for number_, one in elements(rule, "ports"):
                there = (*here, "ports", number_)
                yield from other(one, there, "protocol", PROTOCOLS)
                yield from port(one.get("port"), (*there, "port"))
                first, last = number(one, "port"), number(one, "endPort")
                if last is not None and (first is None or last < first):
                    yield (*there, "endPort"), "must be at least the port, which must be a number"
            for number_, one in elements(rule, peers):
                yield from _peer(one, (*here, peers, number_))


def _peer(one: Mapping[str, Any], path: Path) -> Iterator[Problem]:
    if not is_known(one):
        return
    selectors = [name for name in ("namespaceSelector", "podSelector") if one.get(name) is not None]
    block = mapping(one, "ipBlock")
    if bool(block) == bool(selectors):
        yield path, "must have either ipBlock, or podSelector and namespaceSelector"
    whole = _network(block.get("cidr"))
    if block and whole is None:
        yield (*path, "ipBlock", "cidr"), "must be a network, such as 10.0.0.0/8"
    without = block.get("except")
    for index, value in enumerate(without if isinstance(without, list) else ()):
        part = _network(value)
        is_inside = (
            part is not None
            and whole is not None
            and part.version == whole.version
            and part.subnet_of(whole)
        )
        if not is_inside or part == whole:
            yield (
                (*path, "ipBlock", "except", index),
                "must be a network inside of cidr, and smaller",
            )


def _network(value: Any) -> Any:
    try:
        return (
            ipaddress.ip_network(value, strict=False)
            if type(value) is str and "/" in value
            else None
        )
    except ValueError:
        return None


def volume_claim(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a PersistentVolumeClaim."""
    spec = mapping(content, "spec")
    yield from _access_modes(spec)
    asked = mapping(spec, "resources", "requests")
    if asked.get("storage") is None and is_known(spec.get("resources")):
        yield ("spec", "resources", "requests", "storage"), "is required"
    yield from _positive(asked.get("storage"), ("spec", "resources", "requests", "storage"))
    yield from other(spec, ("spec",), "volumeMode", ("Block", "Filesystem"))


def volume(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a PersistentVolume."""
    spec = mapping(content, "spec")
    yield from _access_modes(spec)
    if lookup(spec, ("capacity", "storage")) is None and is_known(spec.get("capacity")):
        yield ("spec", "capacity", "storage"), "is required"
    yield from _positive(lookup(spec, ("capacity", "storage")), ("spec", "capacity", "storage"))
    yield from other(
        spec, ("spec",), "persistentVolumeReclaimPolicy", ("Delete", "Recycle", "Retain")
    )
    yield from other(spec, ("spec",), "volumeMode", ("Block", "Filesystem"))


def _access_modes(spec: Mapping[str, Any]) -> Iterator[Problem]:
    yield from missing(spec, ("spec",), "accessModes")
    modes = spec.get("accessModes")
    for index, one in enumerate(modes if isinstance(modes, list) else ()):
        yield from other({"mode": one}, ("spec", "accessModes", index), "mode", _MODES)


def _positive(value: Any, path: Path) -> Iterator[Problem]:
    yield from quantity(value, path)
    if amount(value) == 0:
        yield path, "must be above 0"


def quota(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a ResourceQuota."""
    for name, value in mapping(content, "spec", "hard").items():
        yield from quantity(value, ("spec", "hard", name))


def limit_range(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a LimitRange."""
    for index, one in elements(content, "spec", "limits"):
        here = ("spec", "limits", index)
        yield from missing(one, here, "type")
        ordered = [
            (name, mapping(one, name)) for name in ("min", "defaultRequest", "default", "max")
        ]
        for name, values in ordered:
            for key, value in values.items():
                yield from quantity(value, (*here, name, key))
        for at_, (name, values) in enumerate(ordered):
            for above, limits in ordered[at_ + 1 :]:
                for key, value in values.items():
                    least, most = amount(value), amount(limits.get(key))
                    if least is not None and most is not None and least > most:
                        yield (*here, name, key), f"must not be above {above}, {limits[key]}"


def storage_class(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a StorageClass."""
    yield from missing(content, (), "provisioner")
    yield from other(content, (), "reclaimPolicy", ("Delete", "Retain"))
    yield from other(content, (), "volumeBindingMode", ("Immediate", "WaitForFirstConsumer"))


def priority_class(content: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield what is wrong in a PriorityClass."""
    value = number(content, "value")
    if (
        value is not None
        and value > 1_000_000_000
        and not text(content, "metadata", "name").startswith("system-")
    ):
        yield ("value",), "must be at most 1,000,000,000"
    yield from other(content, (), "preemptionPolicy", ("Never", "PreemptLowerPriority"))
