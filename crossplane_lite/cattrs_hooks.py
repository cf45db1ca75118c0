"""Models in cattrs converters.

cattrs makes models from plain data as it is. The other way it would read every field of every model, set or not, and
never end where a class refers to itself; with these hooks it gives the fields that are set.
"""

from __future__ import annotations

from typing import Any

from ._models.model import Model, from_dict, to_dict

__all__ = ["register"]


def register(converter: Any) -> None:
    """Teach a converter about models: plain data under wire names both ways, and only fields that are set.

    Args:
        converter: A `cattrs.Converter`.
    """
    converter.register_unstructure_hook_func(_is_model, to_dict)
    converter.register_structure_hook_func(_is_model, lambda values, cls: from_dict(cls, values))


def _is_model(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, Model)
