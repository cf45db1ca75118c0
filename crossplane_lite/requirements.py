"""A function's requirements: the resources and schemas that Crossplane must fetch for it."""

from __future__ import annotations

from ._call.requirements import Requirements as Requirements
from ._call.requirements import ResourceSelector as ResourceSelector
from ._call.requirements import SchemaSelector as SchemaSelector

__all__ = ["Requirements", "ResourceSelector", "SchemaSelector"]
