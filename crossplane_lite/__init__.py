"""A lightweight SDK for Crossplane composition functions.

Each name is imported when it is first used. So importing the package itself takes next to no time.
"""

from __future__ import annotations

# type checkers know the name; importing typing would take longer than all of a small function
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from . import composition as composition
    from ._core.base.sentinels import NULL as NULL
    from ._core.base.sentinels import UNSET as UNSET
    from ._core.models.libraries import json_dumps as json_dumps
    from ._core.models.walker import apply as apply
    from ._core.models.walker import value_or as value_or
    from ._core.observed.observable import Observable as Observable
    from ._core.resources.unstructured import Unstructured as Unstructured

    __version__: str

__all__ = [
    "NULL",
    "UNSET",
    "Observable",
    "Unstructured",
    "apply",
    "composition",
    "json_dumps",
    "value_or",
]

_HOMES = {
    "NULL": "_core.base.sentinels",
    "UNSET": "_core.base.sentinels",
    "Observable": "_core.observed.observable",
    "Unstructured": "_core.resources.unstructured",
    "apply": "_core.models.walker",
    "json_dumps": "_core.models.libraries",
    "value_or": "_core.models.walker",
}


# Modules that can be used as attributes without importing them: `crossplane_lite.errors`.
_DOORS = ("composition", "context", "errors", "model", "observable", "proto")


def __getattr__(name: str) -> Any:
    if name == "__version__":  # an empty string where the package isn't installed
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("crossplane-lite")
        except PackageNotFoundError:
            return ""
    home = _HOMES.get(name)
    # `from crossplane_lite import x` asks for submodules here too
    if home is None and name not in _DOORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    if home is not None:
        value = getattr(importlib.import_module(f".{home}", __name__), name)
    else:
        value = importlib.import_module(f".{name}", __name__)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
