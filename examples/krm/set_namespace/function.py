"""A transformer: sets the namespace of every resource that is in one, and leaves cluster-scoped
kinds alone.
"""

from __future__ import annotations

import attrs

from crossplane_lite import krm


@attrs.define
class SetNamespace:
    """Where the resources go.

    Attributes:
        namespace: The namespace.
    """

    namespace: str


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


@krm.function(name="set-namespace")
def transform(rl: krm.ResourceList[SetNamespace | None]) -> None:
    """Set the namespace of every resource that is in one; cluster-scoped kinds are left alone."""
    if rl.config is None:
        rl.results.error("functionConfig must say which namespace to set")
        return
    namespace, definitions = rl.config.namespace, Definitions(rl.items)
    accounts = {account.name for account in rl.items.where(group="", kind="ServiceAccount")}
    for resource in rl.items:
        if not krm.is_cluster_scoped(resource.api_version, resource.kind, definitions):
            if resource.namespace not in ("", namespace):
                rl.results.info(
                    "moved to another namespace", resource, "metadata.namespace", proposed=namespace
                )
            resource.namespace = namespace
        # A binding names the service accounts of the package by their namespace.
        for subject in resource.get("subjects", []):
            if subject.kind == "ServiceAccount" and subject.name in accounts:
                subject.namespace = namespace


if __name__ == "__main__":
    transform.main()
