"""Functions that others have published, written with this package: of kpt's catalog, of kustomize and of Nephio."""

from __future__ import annotations

import re
from typing import Any

import yaml  # type: ignore[import-untyped]

from crossplane_lite import krm

__all__ = [
    "annotate_mutations",
    "annotations",
    "banned_keys",
    "bind",
    "config_map",
    "data_network",
    "format_fields",
    "images",
    "interface",
    "kustomization",
    "labels",
    "names",
    "namespace",
    "patch",
    "replicas",
    "standard_labels",
]

SELECTORS = ("spec.selector.matchLabels", "spec.template.metadata.labels")


def _label(resource: Any, new: dict[str, str]) -> int:
    """Set labels on a resource, on its pods and in its selectors; return how many."""
    resource.labels.update(new)
    count = len(new)
    paths = ["spec.selector"] if resource.kind == "Service" else SELECTORS
    for path in paths:
        if krm.is_map(resource.get(path)):
            resource.get(path).update(new)
            count += len(new)
    return count


@krm.function
def names(rl: krm.ResourceList) -> None:
    """Add a prefix and a suffix to names, and to the names that refer to them (kustomize: namePrefix, nameSuffix)."""
    new = {(one.kind, one.name): f"dev-{one.name}-v1" for one in rl.items}
    for one in rl.items:
        one.name = new[one.kind, one.name]
        for volume in one.get("spec.template.spec.volumes", []):
            name = volume.get("configMap", {}).get("name")
            if ("ConfigMap", name) in new:
                volume.configMap.name = new["ConfigMap", name]


@krm.function
def annotations(rl: krm.ResourceList) -> None:
    """Annotate resources and their pods (kustomize: commonAnnotations)."""
    for one in rl.items:
        one.annotations["owner"] = "shop"
        if one.get("spec.template") is not None:
            one.set(("spec", "template", "metadata", "annotations", "owner"), "shop")


@krm.function
def labels(rl: krm.ResourceList) -> None:
    """Label resources, pods and selectors (kustomize: labels with includeSelectors)."""
    for one in rl.items:
        _label(one, {"team": "web"})


@krm.function
def namespace(rl: krm.ResourceList) -> None:
    """Move resources to a namespace (kustomize: namespace)."""
    for one in rl.items:
        if not one.is_cluster_scoped:
            one.namespace = "prod"


@krm.function
def images(rl: krm.ResourceList) -> None:
    """Set the name and the tag of an image (kustomize: images)."""
    for one in rl.items:
        for container in one.get("spec.template.spec.containers", []):
            if container.image.partition(":")[0] == "nginx":
                container.image = "example.org/nginx:2.0"


@krm.function
def replicas(rl: krm.ResourceList) -> None:
    """Set how many pods a Deployment has (kustomize: replicas)."""
    for one in rl.items.where(kind="Deployment", name="web"):
        one.spec.replicas = 5


PATCH = {
    "spec": {
        "template": {
            "spec": {
                "containers": [
                    {"name": "sidecar", "image": "sidecar:1"},
                    {"name": "web", "env": [{"name": "B", "value": "2"}], "resources": None},
                ]
            }
        }
    }
}


@krm.function
def patch(rl: krm.ResourceList) -> None:
    """Apply a strategic merge patch (kustomize: patches)."""
    deployment = rl.items.where(kind="Deployment", name="web").first()
    assert deployment is not None
    deployment.merge(PATCH, prepend=True)


@krm.function(role="generator")
def config_map(rl: krm.ResourceList) -> None:
    """Make a ConfigMap of literals (kustomize: configMapGenerator; kpt: gen-configmap)."""
    rl.items.upsert(
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "made"},
            "data": {"a": "1", "text": "one\ntwo\n"},
        }
    )


@krm.function(role="generator")
def kustomization(rl: krm.ResourceList) -> None:
    """List the files of a package in its kustomization (gen-kustomize-res)."""
    found = sorted({one.path for one in rl.items if one.kind != "Kustomization" and not one.is_local_config})
    mine = rl.items.where(kind="Kustomization").first()
    if mine is None:
        mine = rl.items.add(
            {
                "apiVersion": "kustomize.config.k8s.io/v1beta1",
                "kind": "Kustomization",
                "metadata": {"name": "made", "annotations": {"config.kubernetes.io/local-config": "true"}},
            }
        )
        mine.move_to("kustomization.yaml")
    mine["resources"] = found


ORDER = {key: at for at, key in enumerate(("apiVersion", "kind", "metadata", "name", "spec", "data", "image"))}


def _formatted(value: Any, path: tuple[Any, ...] = ()) -> Any:
    if path[:2] in (("metadata", "labels"), ("metadata", "annotations")) and len(path) == 3:
        return str(value)
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: (ORDER.get(key, len(ORDER)), key))
        return {key: _formatted(value[key], (*path, key)) for key in keys}
    return [_formatted(one, path) for one in value] if isinstance(value, list) else value


@krm.function
def format_fields(rl: krm.ResourceList) -> None:
    """Put fields in order, and quote annotations (kpt: format)."""
    for one in rl.items:
        one.replace(_formatted(one.to_dict()))


@krm.function
def standard_labels(rl: krm.ResourceList) -> None:
    """Label resources with the name of the package (kpt: set-standard-labels)."""
    package = rl.items.where(kind="Kptfile").first()
    assert package is not None
    name = "app.kubernetes.io/instance" if rl.items.where(name="kptfile.kpt.dev") else "app.kubernetes.io/name"
    items = [one for one in rl.items if not one.is_local_config and one.kind != "Kptfile"]
    rl.results.info(f"set {sum(_label(one, {name: package.name}) for one in items)} labels in total")


@krm.function(role="validator")
def banned_keys(rl: krm.ResourceList) -> None:
    """Refuse ConfigMaps with keys of secrets (as gatekeeper does with a constraint)."""
    for one in rl.items.where(kind="ConfigMap"):
        found = sorted({"private_key"} & {*one.get("data", {})})
        if found:
            rl.results.error(f"The following banned keys are being used in the ConfigMap: {found}", one)


_MARK = re.compile(r"\$\{([^/}]+)(/v[^/}]+)?/namespaces/([^/]+)/([^/]+)/([^:]+):([^}]+)\}")
_KEY = "config.kubernetes.io/apply-time-mutation"


@krm.function
def annotate_mutations(rl: krm.ResourceList) -> None:
    """Make an annotation of comments that say from where values come (kpt: annotate-apply-time-mutations)."""
    for one in rl.items:
        made: list[dict[str, Any]] = []
        for comments in list(one.all_comments()):
            _, is_there, text = comments.line.partition("apply-time-mutation: ")
            mark = _MARK.search(text)
            if not is_there or mark is None:
                continue
            group, version, space, kind, name, path = mark.groups()
            owner = {"apiVersion": group + version} if version else {"group": group}
            rule = {
                "sourcePath": path,
                "sourceRef": owner | {"kind": kind, "name": name, "namespace": space},
                "targetPath": f"$.{comments.path}",
            }
            if mark[0] != text:
                rule["token"] = f"${{ref{len(made)}}}"
                comments.value = text.replace(mark[0], rule["token"])
            made.append(rule)
        if made:
            one.annotations[_KEY] = yaml.safe_dump(made, sort_keys=True)


@krm.function
def bind(rl: krm.ResourceList) -> None:
    """Give the object that stands for the configuration its name, also where it is named (kpt: bind)."""
    wanted = rl.function_config
    assert wanted is not None
    stands_in = {"config.kubernetes.io/local-config": "binding"}
    found = rl.where(kind=wanted.kind, api_version=wanted.api_version, annotations=stands_in)
    if len(found) != 1:
        rl.results.error(f"{len(found)} objects of kind {wanted.kind} stand in for another one, and not 1")
        return
    old = found[0].name
    found[0].name = wanted.name
    for one in rl.items:
        if wanted.kind == "Namespace" and one.namespace == old:
            one.namespace = wanted.name
        for comments in list(one.all_comments()):
            holder = comments.value
            is_reference = comments.path and krm.is_map(holder) and holder.get("kind") == wanted.kind
            if is_reference and holder.get("name") == old and not holder.get("external"):
                holder.name = wanted.name


OWNER = "specializer.nephio.org/owner"


def _condition(rl: krm.ResourceList, about: Any, reason: str, message: str, *, is_done: bool) -> None:
    """Set a condition in the package's Kptfile, in the order of their types."""
    kptfile = rl.kptfile
    assert kptfile is not None
    made = {"message": message, "reason": reason, "status": str(is_done)}
    type_ = f"{about.api_version}.{about.kind}.{about.name}"
    if kptfile.get("status.conditions") is None:
        kptfile.set("status.conditions", [])
    conditions = kptfile.get("status.conditions")
    for one in conditions:
        if one.type == type_:
            one.update(made)
            return
    conditions.append({**made, "type": type_})
    conditions.sort(key=lambda one: one.type)


def _claim(rl: krm.ResourceList, owner: Any, kind: tuple[str, str], name: str, spec: Any) -> Any:
    """Make a claim that an object owns, or give it its spec; a condition says whether it has a status."""
    reason = f"{owner.api_version}.{owner.kind}.{owner.name}"
    metadata = {"name": name, "annotations": {OWNER: reason}}
    claim = rl.items.upsert({"apiVersion": kind[0], "kind": kind[1], "metadata": metadata, "spec": spec})
    _condition(rl, claim, reason, "create resource", is_done=bool(claim.get("status")))
    return claim


IP_CLAIM = ("ipam.resource.nephio.org/v1alpha1", "IPClaim")
VLAN_CLAIM = ("vlan.resource.nephio.org/v1alpha1", "VLANClaim")
FAMILIES = {"dualstack": ("ipv4", "ipv6"), "ipv6only": ("ipv6",)}


@krm.function
def interface(rl: krm.ResourceList) -> None:
    """Claim addresses and a VLAN for interfaces, and take their statuses over (Nephio: interface-fn)."""
    cluster = rl.where(kind="WorkloadCluster").first()
    assert cluster is not None
    for one in rl.where(kind="Interface", group="req.nephio.org"):
        if one.spec.cniType not in cluster.spec.cnis:
            rl.results.error(f"the cluster has no CNI {one.spec.cniType}", one, "spec.cniType")
            continue
        claims = []
        for family in FAMILIES.get(one.get("spec.ipFamilyPolicy"), ("ipv4",)):
            labels = {"nephio.org/address-family": family, "nephio.org/cluster-name": cluster.spec.clusterName}
            spec = {"kind": "network", "networkInstance": one.spec.networkInstance}
            spec["selector"] = {"matchLabels": labels}
            claims.append(_claim(rl, one, IP_CLAIM, f"{one.name}-{family}", spec))
        status: dict[str, Any] = {"ipClaimStatus": [claim.status for claim in claims if claim.get("status")]}
        if one.get("spec.attachmentType") == "vlan":
            spec = {"vlanIndex": {"name": cluster.spec.clusterName}}
            claims.append(_claim(rl, one, VLAN_CLAIM, one.name, spec))
            status["vlanClaimStatus"] = claims[-1].get("status")
        is_done = all(claim.get("status") for claim in claims)
        _condition(rl, one, one.annotations[OWNER], "update done" if is_done else "update", is_done=is_done)
        if is_done:
            one["status"] = status


@krm.function
def data_network(rl: krm.ResourceList) -> None:
    """Claim a prefix for each pool of networks, and take their statuses over (Nephio: dnn-fn)."""
    for one in rl.where(kind="DataNetwork", group="req.nephio.org"):
        pools = []
        for pool in one.spec.pools:
            spec = {"kind": "pool", "createPrefix": True, "prefixLength": pool.prefixLength}
            claim = _claim(rl, one, IP_CLAIM, f"{one.name}-{pool.name}", spec)
            if claim.get("status"):
                pools.append({"name": pool.name, "ipClaim": claim.status})
        if pools:
            one["status"] = {"pools": pools}
