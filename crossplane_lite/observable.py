"""Observables: forward references to values that do not exist yet, and `apply`, which computes with them."""

from __future__ import annotations

from ._observed.observable import Observable as Observable
from ._observed.observable import apply as apply

__all__ = ["Observable", "apply"]
