"""Models in cattrs converters.

cattrs can make models from plain data without help. In the other direction it would read every field of every model,
set or not, and never end where a class refers to itself. With these hooks it gives the fields that are set. The global
converter of cattrs, which `cattrs.unstructure` uses, has the hooks already. `register` adds them to another converter.
"""

from __future__ import annotations

from typing import Any

from ._models.libraries import teach

__all__ = ["register"]


def register(converter: Any) -> None:
    """Let a converter turn models into plain data and back, with the names of Kubernetes and the set fields alone.

    Args:
        converter: A `cattrs.Converter`.
    """
    teach(converter)
