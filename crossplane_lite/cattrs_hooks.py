"""Models in cattrs converters.

cattrs makes models from plain data as it is. The other way it would read every field of every model, set or not, and
never end where a class refers to itself; with these hooks it gives the fields that are set. cattrs' global converter,
that of `cattrs.unstructure`, has them already; every other converter is taught by `register`.
"""

from __future__ import annotations

from typing import Any

from ._models.libraries import teach

__all__ = ["register"]


def register(converter: Any) -> None:
    """Teach a converter about models: plain data under wire names both ways, and only fields that are set.

    Args:
        converter: A `cattrs.Converter`.
    """
    teach(converter)
