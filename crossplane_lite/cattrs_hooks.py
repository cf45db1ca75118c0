"""Models in cattrs converters.

cattrs can make models from plain data without help. In the other direction it would read every field of every model,
set or not, and never end if a class refers to itself. With these hooks the plain data has the fields that are set.
cattrs' global converter, which `cattrs.unstructure` uses, already has the hooks; `register` adds them to another
converter.
"""

from __future__ import annotations

from typing import Any

from ._models.libraries import teach

__all__ = ["register"]


def register(converter: Any) -> None:
    """Add hooks for models to a converter.

    Then plain data has the names of the Kubernetes API, such as `forProvider`, in both directions. `unstructure` gives
    only the fields that are set.

    Args:
        converter: A `cattrs.Converter`.
    """
    teach(converter)
