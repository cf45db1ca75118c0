"""The base classes of all models, `to_dict` and `from_dict`, and the types of fields that stubs of
models use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._core.models.model import Model as Model
from ._core.models.model import from_dict as from_dict
from ._core.models.model import to_dict as to_dict
from ._core.resources.resource import ManagedResource as ManagedResource
from ._core.resources.resource import Resource as Resource

if TYPE_CHECKING:
    from ._core.models.fields import DeepList as DeepList
    from ._core.models.fields import DeepMap as DeepMap
    from ._core.models.fields import FreeForm as FreeForm
    from ._core.models.fields import Given as Given
    from ._core.models.fields import ItemMap as ItemMap
    from ._core.models.fields import ItemMapOf as ItemMapOf
    from ._core.models.fields import Items as Items
    from ._core.models.fields import ItemsOf as ItemsOf
    from ._core.models.fields import Leaf as Leaf
    from ._core.models.fields import ListOf as ListOf
    from ._core.models.fields import ManagedSpec as ManagedSpec
    from ._core.models.fields import Map as Map
    from ._core.models.fields import MapOf as MapOf
    from ._core.models.fields import Nested as Nested
    from ._core.models.fields import ObservedModel as ObservedModel
    from ._core.models.fields import Seen as Seen
    from ._core.models.fields import Values as Values
    from ._core.resources.unstructured import DynamicModel as DynamicModel

__all__ = ["ManagedResource", "Model", "Resource", "from_dict", "to_dict"]
