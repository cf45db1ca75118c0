"""`Unstructured`: the model for resources of kinds that have no generated model class."""

from __future__ import annotations

from ._core.resources.unstructured import Unstructured as Unstructured

__all__ = ["Unstructured"]
