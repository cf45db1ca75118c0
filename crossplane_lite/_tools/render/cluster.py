"""Sources of the Kubernetes objects that functions ask for: files, a series of sources, a source
with other objects.

Such a source is called a cluster here (see `pipeline.Cluster`), even if it consists only of files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..manifests.objects import metadata_of, text_of
from .pipeline import Cluster, Selector
from .rendered import api_versions_checked

if TYPE_CHECKING:
    from ..manifests.kind_schemas import Schemas


class Files:
    """A cluster that contains only the given objects and schemas.

    Args:
        resources: Objects with apiVersion, kind and metadata.name. If two have the same apiVersion,
            kind, namespace and name, the later object replaces the earlier one. Objects without
            apiVersion or kind are never found.
        schemas: The schemas of kinds; None for no schemas.
    """

    def __init__(
        self, resources: Iterable[Mapping[str, Any]] = (), schemas: Schemas | None = None
    ) -> None:
        self._resources: dict[tuple[str, str], dict[tuple[str, str], Mapping[str, Any]]] = {}
        self._schemas = schemas
        for resource in resources:
            api_version, kind = resource.get("apiVersion"), resource.get("kind")
            # no selector matches other objects
            if isinstance(api_version, str) and isinstance(kind, str):
                self._resources.setdefault((api_version, kind), {})[_place(resource)] = resource

    def resources(self, selector: Selector) -> list[Mapping[str, Any]]:
        """Return the objects that a selector matches, sorted by namespace and name.

        The rules are Crossplane's. An object with the selector's name is found only in the
        selector's namespace; no namespace means cluster-scoped objects. Labels match in all
        namespaces if the selector has no namespace. The caller may change the list, but not the
        objects.
        """
        of_kind = self._resources.get((selector.api_version, selector.kind), {})
        if selector.name is not None:
            found = of_kind.get((selector.namespace or "", selector.name))
            return [] if found is None else [found]
        matching = (one for one in of_kind.values() if _has_labels(one, selector.labels or {}))
        return in_order(
            one
            for one in matching
            if not selector.namespace or _place(one)[0] == selector.namespace
        )

    def schema(self, api_version: str, kind: str) -> Mapping[str, Any] | None:
        """Return the OpenAPI schema of a kind with its references inlined; None if the schema isn't
        known.

        Raises:
            RenderError: `api_version` isn't an apiVersion.
            InputError: A file with schemas can't be read, or is malformed.
            MissingExtraError: A file with schemas is YAML, and PyYAML isn't installed.
        """
        with api_versions_checked():
            return None if self._schemas is None else self._schemas.find(api_version, kind)

    def scope(self, api_version: str, kind: str) -> str | None:
        """Return the scope of a kind, `Namespaced` or `Cluster`; None if the scope isn't known.

        Raises:
            RenderError: `api_version` isn't an apiVersion.
            InputError: A file with schemas can't be read, or is malformed.
            MissingExtraError: A file with schemas is YAML, and PyYAML isn't installed.
        """
        with api_versions_checked():
            return None if self._schemas is None else self._schemas.scope(api_version, kind)


class Chain:
    """A series of clusters. They are asked in order, until one has an answer; its answer isn't
    joined with others.

    For example, if a file has one resource with the wanted labels, the live API server isn't asked
    for more of them. If a cluster raises an error, the next cluster isn't asked, and the error is
    passed on.
    """

    def __init__(self, *clusters: Cluster) -> None:
        self._clusters = clusters

    def resources(self, selector: Selector) -> list[Mapping[str, Any]]:
        """Return the resources that a selector matches, from the first cluster that has any.

        Return `[]` if none has any.
        """
        return next(
            (found for cluster in self._clusters if (found := cluster.resources(selector))), []
        )

    def schema(self, api_version: str, kind: str) -> Mapping[str, Any] | None:
        """Return the OpenAPI schema of a kind from the first cluster that has it; None if no
        cluster has it.
        """
        found = (cluster.schema(api_version, kind) for cluster in self._clusters)
        return next((schema for schema in found if schema is not None), None)

    def scope(self, api_version: str, kind: str) -> str | None:
        """Return the scope of a kind, `Namespaced` or `Cluster`, from the first cluster that knows
        it.

        Clusters without a method `scope` are skipped. Return None if no cluster knows the scope.
        """
        asked = (getattr(cluster, "scope", None) for cluster in self._clusters)
        found = (ask(api_version, kind) for ask in asked if ask is not None)
        return next((scope for scope in found if scope is not None), None)


class World:
    """Another cluster with some objects added and others hidden. The other cluster itself isn't
    changed.

    Errors of the other cluster are passed on.

    Args:
        base: The other cluster; None for an empty one.
        schemas: Schemas in addition to those of `base`; None for no more.
        objects: The objects to add. Each replaces the object of `base` with the same apiVersion,
            kind, namespace and name.
        gone: Objects of `base` to hide, found by apiVersion, kind, namespace and name. Objects that
            `base` lacks are ignored.
    """

    def __init__(
        self,
        base: Cluster | None,
        schemas: Schemas | None = None,
        objects: Iterable[Mapping[str, Any]] = (),
        gone: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self._base = base
        self._objects = Files(objects, schemas)
        self._gone = {identity(one) for one in gone}

    def resources(self, selector: Selector) -> list[Mapping[str, Any]]:
        """Return the resources that a selector matches, sorted by namespace and name."""
        own = self._objects.resources(selector)
        taken = {identity(one) for one in own} | self._gone
        others = [] if self._base is None else self._base.resources(selector)
        return in_order([*own, *(one for one in others if identity(one) not in taken)])

    def schema(self, api_version: str, kind: str) -> Mapping[str, Any] | None:
        """Return the OpenAPI schema of a kind with its references inlined; None if the schema isn't
        known.

        A schema of `schemas` is preferred to a schema of `base`.

        Raises:
            RenderError: `api_version` isn't an apiVersion, or `base` can't read the schema.
            InputError: A file with schemas can't be read, or is malformed.
            MissingExtraError: A file with schemas is YAML, and PyYAML isn't installed.
        """
        found = self._objects.schema(api_version, kind)
        return (
            found
            if found is not None or self._base is None
            else self._base.schema(api_version, kind)
        )

    def scope(self, api_version: str, kind: str) -> str | None:
        """Return the scope of a kind, `Namespaced` or `Cluster`; None if the scope isn't known.

        `base` is asked first.

        Raises:
            RenderError: `api_version` isn't an apiVersion, or `base` can't read the scope.
            InputError: A file with schemas can't be read, or is malformed.
            MissingExtraError: A file with schemas is YAML, and PyYAML isn't installed.
        """
        ask = getattr(self._base, "scope", None)
        scope: str | None = None if ask is None else ask(api_version, kind)
        return self._objects.scope(api_version, kind) if scope is None else scope


def in_order(resources: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return resources sorted by namespace and name, as an API server lists them."""
    return sorted(resources, key=_place)


def identity(resource: Mapping[str, Any]) -> tuple[str, str, str, str]:
    """Return the apiVersion, kind, namespace and name of an object. A part that is missing is an
    empty string.
    """
    return (text_of(resource.get("apiVersion")), text_of(resource.get("kind")), *_place(resource))


def _place(resource: Mapping[str, Any]) -> tuple[str, str]:
    """Return the namespace and the name of a resource. A part that is missing or isn't a string is
    an empty string.
    """
    metadata = metadata_of(resource)
    return text_of(metadata.get("namespace")), text_of(metadata.get("name"))


def _has_labels(resource: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    labels = metadata_of(resource).get("labels")
    labels = labels if isinstance(labels, Mapping) else {}
    return all(key in labels and labels[key] == value for key, value in wanted.items())
