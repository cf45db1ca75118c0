"""A composite's references to what it is composed of: where they are, and what Crossplane writes there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from .._manifests.objects import metadata_of, text_of

__all__ = ["REFERENCES", "composition_of", "references_of", "with_references"]

REFERENCES: Final = "resourceRefs"
"""The field that holds them."""

# Composites of Crossplane 1 have these in their spec, and later ones in spec.crossplane.
_OLD_FIELDS: Final = frozenset(
    {
        *("claimRef", "compositionRef", "compositionRevisionRef", "compositionRevisionSelector", "compositionSelector"),
        *("compositionUpdatePolicy", "publishConnectionDetailsTo", REFERENCES, "writeConnectionSecretToRef"),
    }
)


def composition_of(composite: Mapping[str, Any]) -> str:
    """Return the name of the Composition that a composite refers to; empty where it refers to none."""
    spec = composite.get("spec")
    crossplane = spec.get("crossplane") if isinstance(spec, Mapping) else None
    for holder in (crossplane, spec):
        reference = holder.get("compositionRef") if isinstance(holder, Mapping) else None
        if isinstance(reference, Mapping):
            return text_of(reference.get("name"))
    return ""


def references_of(resources: Iterable[Mapping[str, Any]], namespace: str) -> list[dict[str, str]]:
    """Return references to resources, in Crossplane's order.

    Args:
        resources: The resources, each with its name.
        namespace: The composite's namespace, which is that of all it is composed of; empty for a cluster-scoped one,
            whose references have namespaces.
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


def with_references(spec: Any, references: list[dict[str, str]]) -> dict[str, Any]:
    """Return a composite's spec with references in place of those that it has.

    Args:
        spec: The spec, which isn't changed; anything but a mapping counts as none.
        references: The references.
    """
    spec = spec if isinstance(spec, Mapping) else {}
    if not _OLD_FIELDS.isdisjoint(spec):
        return {**spec, REFERENCES: references}
    crossplane = spec.get("crossplane")
    return {**spec, "crossplane": {**(crossplane if isinstance(crossplane, Mapping) else {}), REFERENCES: references}}


def _order(reference: Mapping[str, str]) -> str:
    return "".join(reference.get(key, "") for key in ("apiVersion", "kind", "name", "namespace"))
