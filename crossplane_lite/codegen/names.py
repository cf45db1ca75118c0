"""Names in Python for names in Kubernetes: packages, classes and attributes."""

from __future__ import annotations

import keyword

from .._models.attributes import attributes, class_name, identifier

__all__ = ["attributes", "class_name", "group_path", "identifier", "segment"]


def segment(text: str) -> str:
    """Return the name of the package or module for a kind, a version or one part of a group, such as `v1` or `io`."""
    name = identifier(text.lower())
    return name + "_" if keyword.iskeyword(name) else name


def group_path(group: str) -> tuple[str, ...]:
    """Return the names of a group's packages, the last part first: `io`, `upbound`, `gcp` for `gcp.upbound.io`."""
    return tuple(segment(part) for part in reversed(group.split(".")))
