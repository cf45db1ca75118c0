"""Observables: references to values that may not exist yet.

`apply` computes a value from Observables, and `value_or` gives a default for an Observable without a value.
"""

from __future__ import annotations

from ._models.apply import apply as apply
from ._models.apply import value_or as value_or
from ._observed.observable import Observable as Observable

__all__ = ["Observable", "apply", "value_or"]
