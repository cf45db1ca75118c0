"""Model modules as data, imported by generated modules. `crossplane_lite._models.table` says how a table is written."""

from __future__ import annotations

from ._models.table import load as load
from ._models.table import make_class as make_class

__all__ = ["load", "make_class"]
