"""set-namespace: the namespace of every resource that is in one, and of what names it."""

from __future__ import annotations

from collections.abc import Iterator

from crossplane_lite import krm

if __package__:
    from .fields import resources_of
else:  # run by its path
    from fields import resources_of

CONTEXT = "kptfile.kpt.dev"
DEPENDS_ON = "config.kubernetes.io/depends-on"
_OTHER_FIELDS = {
    "CustomResourceDefinition": "spec.conversion.webhook.clientConfig.service.namespace",
    "APIService": "spec.service.namespace",
}


class Definitions:
    """What the package's own CustomResourceDefinitions say about the scope of their kinds."""

    def __init__(self, items: krm.Items) -> None:
        crds = items.where(group="apiextensions.k8s.io", kind="CustomResourceDefinition")
        self._scopes = {
            (crd.get("spec.group"), crd.get("spec.names.kind")): crd.get("spec.scope")
            for crd in crds
        }

    def scope(self, api_version: str, kind: str) -> str | None:
        """Return `Cluster` or `Namespaced`, None for a kind that isn't defined here."""
        return self._scopes.get((api_version.partition("/")[0], kind))


def _depended_on(resource: krm.Resource) -> str:
    """Return how a depends-on annotation names a resource."""
    return f"{resource.group}/namespaces/{resource.namespace}/{resource.kind}/{resource.name}"


@krm.function(name="set-namespace")
def transform(rl: krm.ResourceList) -> None:
    """Set the namespace of every resource that is in one; the name of a Namespace; and fields that
    hold a namespace.

    functionConfig is a ConfigMap with data.namespace, the package-context.yaml of a kpt package, or
    an object of kind SetNamespace with namespace.
    """
    config = rl.function_config
    namespace = None
    if config is not None:
        # A package's own context, as `kpt pkg init` writes it, has the package's name, which is the
        # namespace then.
        key = "data.name" if config.name == CONTEXT else "data.namespace"
        namespace = config.get(key if config.kind == "ConfigMap" else "namespace")
    if not isinstance(namespace, str) or not namespace:
        rl.results.error("functionConfig must name a namespace: data.namespace of a ConfigMap")
        return
    definitions = Definitions(rl.items)
    resources = resources_of(rl)
    declared = {_depended_on(one) for one in resources if one.namespace}
    fields = [
        change for one in resources for change in _changes(one, namespace, definitions, declared)
    ]
    changed = [
        (resource, path, value) for resource, path, value in fields if resource.get(path) != value
    ]
    for resource, path, value in changed:
        resource.set(path, value)
    rl.results.info(f"namespace updated to {namespace!r}, {len(changed)} value(s) changed")


def _changes(
    resource: krm.Resource, namespace: str, definitions: Definitions, declared: set[str]
) -> Iterator[tuple[krm.Resource, str, str]]:
    """Yield the resource, the path and the new value of each field that holds a namespace."""
    if resource.kind == "Namespace" and resource.api_version == "v1":
        yield resource, "metadata.name", namespace
    elif not krm.is_cluster_scoped(resource.api_version, resource.kind, definitions):
        yield resource, "metadata.namespace", namespace
    if resource.kind in ("RoleBinding", "ClusterRoleBinding"):
        for at, subject in enumerate(resource.get("subjects", [])):
            if subject.get("name") == "default":
                yield resource, f"subjects[{at}].namespace", namespace
    other = _OTHER_FIELDS.get(resource.kind)
    if other is not None and resource.get(other) is not None:
        yield resource, other, namespace
    target = resource.annotations.get(DEPENDS_ON)
    if target in declared:
        group, _, _, kind, name = target.split("/")
        path = f'metadata.annotations["{DEPENDS_ON}"]'
        yield resource, path, f"{group}/namespaces/{namespace}/{kind}/{name}"


if __name__ == "__main__":
    transform.main()
