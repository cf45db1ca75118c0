"""A function's requirements: resources and schemas that it asks Crossplane for (Crossplane's "Required Resources")."""

from __future__ import annotations

from ._call.requirements import Requirements as Requirements
from ._call.requirements import ResourceSelector as ResourceSelector
from ._call.requirements import SchemaSelector as SchemaSelector

__all__ = ["Requirements", "ResourceSelector", "SchemaSelector"]
