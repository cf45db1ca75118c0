"""Observables: forward references to values that do not exist yet.

`apply` computes with them, `value_or` gives their absence a meaning.
"""

from __future__ import annotations

from ._models.apply import apply as apply
from ._models.apply import value_or as value_or
from ._observed.observable import Observable as Observable

__all__ = ["Observable", "apply", "value_or"]
