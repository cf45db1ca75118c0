"""A lightweight SDK for Crossplane composition functions.

Every name is loaded when it is first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers take it for typing's, which takes longer to import than all of a small function
if TYPE_CHECKING:
    from typing import Any

    from . import composition as composition
    from ._sentinels import NULL as NULL
    from ._sentinels import UNSET as UNSET
    from .observable import Observable as Observable
    from .observable import apply as apply
    from .unstructured import Unstructured as Unstructured

__all__ = ["NULL", "UNSET", "Observable", "Unstructured", "apply", "composition"]

_HOMES = {
    "NULL": "_sentinels",
    "UNSET": "_sentinels",
    "Observable": "observable",
    "Unstructured": "unstructured",
    "apply": "observable",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None and name != "composition":  # asked for submodules too, before these are imported
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    if home is not None:
        value = getattr(importlib.import_module(f".{home}", __name__), name)
    else:
        value = importlib.import_module(".composition", __name__)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
