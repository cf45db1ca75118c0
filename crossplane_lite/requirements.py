"""What a function asks Crossplane for: resources and schemas ("Required Resources" in the seeds)."""

from __future__ import annotations

from ._call.requirements import Requirements as Requirements
from ._call.requirements import ResourceSelector as ResourceSelector
from ._call.requirements import SchemaSelector as SchemaSelector

__all__ = ["Requirements", "ResourceSelector", "SchemaSelector"]
