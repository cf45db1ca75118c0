"""The base classes of all models, `to_dict` and `from_dict`, and the types of fields that stubs of models use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._models.model import Model as Model
from ._models.model import from_dict as from_dict
from ._models.model import to_dict as to_dict
from ._models.resource import Resource as Resource

if TYPE_CHECKING:
    from ._models.dynamic import DynamicModel as DynamicModel
    from ._models.fields import DeepList as DeepList
    from ._models.fields import DeepMap as DeepMap
    from ._models.fields import FreeForm as FreeForm
    from ._models.fields import ItemMap as ItemMap
    from ._models.fields import ItemMapOf as ItemMapOf
    from ._models.fields import Items as Items
    from ._models.fields import ItemsOf as ItemsOf
    from ._models.fields import Leaf as Leaf
    from ._models.fields import ListOf as ListOf
    from ._models.fields import Map as Map
    from ._models.fields import MapOf as MapOf
    from ._models.fields import Nested as Nested
    from ._models.fields import Seen as Seen
    from ._models.fields import Values as Values

__all__ = ["Model", "Resource", "from_dict", "to_dict"]
