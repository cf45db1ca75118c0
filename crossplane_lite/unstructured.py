"""The class of resources whose kind has no generated class."""

from __future__ import annotations

from ._models.unstructured import Unstructured as Unstructured

__all__ = ["Unstructured"]
