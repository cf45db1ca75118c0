"""Hooks with which cattrs converts models.

cattrs can make models from plain data without hooks. For the other direction it would read every
field of every model, set or not, and never end if a class refers to itself. With the hooks, the
plain data has only the fields that are present: those that were set, and those that the model was
read with.

cattrs' global converter, which `cattrs.unstructure` uses, already has the hooks. `register` adds
them to another converter.
"""

from __future__ import annotations

from typing import Any

from ._core.models.libraries import teach

__all__ = ["register"]


def register(converter: Any) -> None:
    """Add hooks for models to a converter, so that it converts like `model.to_dict` and
    `model.from_dict`.

    In both directions, plain data has the names of the Kubernetes API, such as `forProvider`.
    `unstructure` returns only the fields that are set, and those of the object that the model was
    read from.

    Args:
        converter: A `cattrs.Converter`.
    """
    teach(converter)
