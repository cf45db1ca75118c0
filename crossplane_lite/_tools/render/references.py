"""Reads and writes a composite's references to its Composition and its composed resources, as Crossplane does.

The references are in `spec.crossplane`; for a composite of Crossplane 1 (`legacy`) they are in `spec` itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..manifests.objects import metadata_of, text_of
from .definition import steering

__all__ = ["REFERENCES", "composition_of", "references_of", "with_composition", "with_references"]

REFERENCES: Final = "resourceRefs"
"""The name of the field with a composite's references to its composed resources."""


def composition_of(composite: Mapping[str, Any], legacy: bool = False) -> str:
    """Return the name of the Composition that a composite refers to; empty if it refers to no Composition."""
    reference = steering(composite, legacy).get("compositionRef")
    return text_of(reference.get("name")) if isinstance(reference, Mapping) else ""


def with_composition(spec: Any, name: str, legacy: bool) -> dict[str, Any]:
    """Return a composite's spec with a reference to the Composition `name`. See `with_references` for the arguments."""
    return _with(spec, "compositionRef", {"name": name}, legacy)


def references_of(resources: Iterable[Mapping[str, Any]], namespace: str) -> list[dict[str, str]]:
    """Return references to composed resources, sorted as Crossplane sorts them: by apiVersion, kind, name, namespace.

    Args:
        resources: The composed resources. The reference to a resource without a name has no name.
        namespace: The composite's namespace; empty for a cluster-scoped composite. The references of a namespaced
            composite have no namespace, because its composed resources are in its own.
    """
    found = []
    for resource in resources:
        reference = {key: text_of(resource.get(key)) for key in ("apiVersion", "kind")}
        metadata = metadata_of(resource)
        for key in ("name",) if namespace else ("name", "namespace"):
            if text_of(metadata.get(key)):
                reference[key] = metadata[key]
        found.append(reference)
    return sorted(found, key=_order)


def with_references(spec: Any, references: list[dict[str, str]], legacy: bool = False) -> dict[str, Any]:
    """Return a copy of a composite's spec with other references to composed resources.

    Args:
        spec: The spec, which isn't changed. A value that isn't a mapping counts as an empty spec.
        references: The new references. They replace all old ones.
        legacy: Whether the composite is of Crossplane 1.
    """
    return _with(spec, REFERENCES, references, legacy)


def _with(spec: Any, field: str, value: Any, legacy: bool) -> dict[str, Any]:
    spec = spec if isinstance(spec, Mapping) else {}
    if legacy:
        return {**spec, field: value}
    crossplane = spec.get("crossplane")
    return {**spec, "crossplane": {**(crossplane if isinstance(crossplane, Mapping) else {}), field: value}}


def _order(reference: Mapping[str, str]) -> str:
    return "".join(reference.get(key, "") for key in ("apiVersion", "kind", "name", "namespace"))
