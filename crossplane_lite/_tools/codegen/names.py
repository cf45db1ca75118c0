"""Makes Python names from Kubernetes names: names of packages, modules, classes and attributes."""

from __future__ import annotations

import keyword

from ..._core.models.attributes import attributes, class_name, identifier

__all__ = ["attributes", "class_name", "group_path", "identifier", "segment"]


def segment(text: str) -> str:
    """Return the name of the package or module for a kind, a version or one part of a group.

    For example `v1` for `v1`, `bucket` for `Bucket`, and `import_` for `Import`, because `import` is a Python keyword.
    """
    name = identifier(text.lower())
    return name + "_" if keyword.iskeyword(name) else name


def group_path(group: str) -> tuple[str, ...]:
    """Return the package names for a group, its last part first: `io`, `upbound`, `gcp` for `gcp.upbound.io`."""
    return tuple(segment(part) for part in reversed(group.split(".")))
