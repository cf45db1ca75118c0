"""The cluster of a simulation: what was given, and what exists by now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .._manifests.objects import metadata_of, text_of
from ..render.api_versions import api_versions_checked
from ..render.cluster import Files, in_order

if TYPE_CHECKING:
    from .._manifests.kind_schemas import Schemas
    from ..render.pipeline import Cluster, Selector

__all__ = ["World"]


class World:
    """A cluster with objects put into it, and others taken out.

    Args:
        base: The cluster, None for an empty one.
        schemas: Schemas that are known beside the cluster's.
        objects: What is put into it, in the place of what has the same kind and name.
        gone: What is taken out, where it is there.
    """

    def __init__(
        self,
        base: Cluster | None,
        schemas: Schemas | None,
        objects: Iterable[Mapping[str, Any]] = (),
        gone: Iterable[Mapping[str, Any]] = (),
    ) -> None:
        self._base = base
        self._schemas = schemas
        self._objects = Files(objects)
        self._gone = {_place(one) for one in gone}

    def resources(self, selector: Selector) -> list[Mapping[str, Any]]:
        """Return the resources that a selector matches."""
        own = self._objects.resources(selector)
        taken = {_place(one) for one in own} | self._gone
        others = [] if self._base is None else self._base.resources(selector)
        return in_order([*own, *(one for one in others if _place(one) not in taken)])

    def schema(self, api_version: str, kind: str) -> Mapping[str, Any] | None:
        """Return the OpenAPI schema of a kind with its references inlined, None where it isn't known."""
        with api_versions_checked():
            found = None if self._schemas is None else self._schemas.find(api_version, kind)
        return found if found is not None or self._base is None else self._base.schema(api_version, kind)

    def scope(self, api_version: str, kind: str) -> str | None:
        """Return `Namespaced` or `Cluster`, None where it isn't known."""
        ask = getattr(self._base, "scope", None)
        scope: str | None = None if ask is None else ask(api_version, kind)
        with api_versions_checked():
            return scope if scope is not None or self._schemas is None else self._schemas.scope(api_version, kind)


def _place(resource: Mapping[str, Any]) -> tuple[str, str, str, str]:
    metadata = metadata_of(resource)
    return (
        text_of(resource.get("apiVersion")),
        text_of(resource.get("kind")),
        text_of(metadata.get("namespace")),
        text_of(metadata.get("name")),
    )
