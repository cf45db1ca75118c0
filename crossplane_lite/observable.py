"""Observables: references to values that may not exist yet.

`apply` computes with values that may be Observables. `value_or` returns a default in place of a value that is missing.
"""

from __future__ import annotations

from ._models.apply import apply as apply
from ._models.apply import value_or as value_or
from ._observed.observable import Observable as Observable

__all__ = ["Observable", "apply", "value_or"]
