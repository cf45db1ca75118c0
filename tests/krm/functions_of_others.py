"""Functions that others have published, written with this package: of kpt's catalog, and of kustomize."""

from __future__ import annotations

import re
from typing import Any

import yaml  # type: ignore[import-untyped]

from crossplane_lite import krm

__all__ = [
    "annotate_mutations",
    "annotations",
    "banned_keys",
    "config_map",
    "format_fields",
    "images",
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
