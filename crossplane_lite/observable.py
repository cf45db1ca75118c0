"""Observables: references to values that may not exist yet.

`apply` computes with values that may be Observables. `value_or` returns a default in place of a
value that is missing.
"""

from __future__ import annotations

from ._core.models.walker import apply as apply
from ._core.models.walker import value_or as value_or
from ._core.observed.observable import Observable as Observable

__all__ = ["Observable", "apply", "value_or"]
