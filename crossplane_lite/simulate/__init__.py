"""Simulates a composition over time: runs one reconcile after the other, until nothing changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .effects import Effects as Effects
    from .simulation import Round as Round
    from .simulation import Simulation as Simulation

__all__ = ["Effects", "Round", "Simulation"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        import importlib

        module = importlib.import_module(".effects" if name == "Effects" else ".simulation", __name__)
        return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
