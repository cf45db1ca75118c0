"""Makes model classes from tables, for generated modules. `crossplane_lite._models.table` explains the tables."""

from __future__ import annotations

from ._models.table import load as load
from ._models.table import make_class as make_class

__all__ = ["load", "make_class"]
