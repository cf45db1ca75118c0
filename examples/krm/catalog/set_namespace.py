"""set-namespace: the namespace of every resource that is in one, and of what names it."""

from __future__ import annotations

from crossplane_lite import krm
from crossplane_lite.render.objects import is_cluster_scoped

DEPENDS_ON = "config.kubernetes.io/depends-on"
_OTHER_FIELDS = {
    "CustomResourceDefinition": "spec.conversion.webhook.clientConfig.service.namespace",
    "APIService": "spec.service.namespace",
}


class Definitions:
    """What the package's own CustomResourceDefinitions say about the scope of their kinds."""

    def __init__(self, items: krm.Items) -> None:
        crds = items.where(group="apiextensions.k8s.io", kind="CustomResourceDefinition")
        self._scopes = {(crd.get("spec.group"), crd.get("spec.names.kind")): crd.get("spec.scope") for crd in crds}

    def scope(self, api_version: str, kind: str) -> str | None:
        """Return `Cluster` or `Namespaced`, None for a kind that isn't defined here."""
        return self._scopes.get((api_version.partition("/")[0], kind))


def _depended_on(resource: krm.Resource) -> str:
    """Return how a depends-on annotation names a resource."""
    return f"{resource.group}/namespaces/{resource.namespace}/{resource.kind}/{resource.name}"


@krm.function(name="set-namespace")
def transform(rl: krm.ResourceList) -> None:
    """Set the namespace of every resource that is in one; the name of a Namespace; and fields that hold a namespace.

    functionConfig is a ConfigMap with data.namespace, or an object of kind SetNamespace with namespace.
    """
    config = rl.function_config
    namespace = None
    if config is not None:
        namespace = config.get("data.namespace" if config.kind == "ConfigMap" else "namespace")
    if not isinstance(namespace, str) or not namespace:
        rl.results.error("functionConfig must name a namespace: data.namespace of a ConfigMap")
        return
    definitions = Definitions(rl.items)
    declared = {_depended_on(one) for one in rl.items if one.namespace}
    for resource in rl.items:
        if resource.kind == "Namespace" and resource.api_version == "v1":
            resource.name = namespace
        elif resource.kind and not is_cluster_scoped(resource.api_version, resource.kind, definitions):
            resource.namespace = namespace
        if resource.kind in ("RoleBinding", "ClusterRoleBinding"):
            for subject in resource.get("subjects", []):
                if subject.name == "default":
                    subject.namespace = namespace
        other = _OTHER_FIELDS.get(resource.kind)
        if other is not None and resource.get(other) is not None:
            resource.set(other, namespace)
        target = resource.annotations.get(DEPENDS_ON)
        if target in declared:
            group, _, _, kind, name = target.split("/")
            resource.annotations[DEPENDS_ON] = f"{group}/namespaces/{namespace}/{kind}/{name}"


if __name__ == "__main__":
    transform.main()
