"""A function's requirements: the resources and schemas that it asks Crossplane to send with the
next request.
"""

from __future__ import annotations

from ._core.call.requirements import Requirements as Requirements
from ._core.call.requirements import ResourceSelector as ResourceSelector
from ._core.call.requirements import SchemaSelector as SchemaSelector

__all__ = ["Requirements", "ResourceSelector", "SchemaSelector"]
