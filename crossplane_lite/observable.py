"""Observables: forward references to values that do not exist yet, and `apply`, which computes with them."""

from __future__ import annotations

from ._models.apply import apply as apply
from ._observed.observable import Observable as Observable

__all__ = ["Observable", "apply"]
