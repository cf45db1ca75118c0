"""Names in Python for names in Kubernetes: packages, classes and attributes."""

from __future__ import annotations

import keyword

from .._models.attributes import attributes, class_name, identifier

__all__ = ["attributes", "class_name", "group_path", "identifier", "segment"]


def segment(text: str) -> str:
    """Return the name of a package or module for a part of a group, a kind or a version."""
    name = identifier(text.lower())
    return name + "_" if keyword.iskeyword(name) else name


def group_path(group: str) -> tuple[str, ...]:
    """Return the packages of a group: its parts in reverse, as in `io.upbound.gcp.storage`."""
    return tuple(segment(part) for part in reversed(group.split(".")))
