"""Runs functions as Crossplane would: reads files, does one reconcile, and prints its result.

    from crossplane_lite.render import Step, render

    rendered = render(xr, [Step("compose", "buckets")], {"buckets": compose})
    assert rendered.composed["bucket"]["spec"]["forProvider"]["location"] == "EU"

In the example, `xr` is a composite resource (a dict), and `compose` is a composition function. A name of this package
is imported only when it is first used, so that importing the package takes little time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .functions import InProcess as InProcess
    from .functions import Remote as Remote
    from .operation import render_operation as render_operation
    from .pipeline import Cluster as Cluster
    from .pipeline import Runner as Runner
    from .pipeline import Selector as Selector
    from .pipeline import Step as Step
    from .reconcile import render as render
    from .rendered import FatalResultError as FatalResultError
    from .rendered import InvalidStatusError as InvalidStatusError
    from .rendered import Rendered as Rendered
    from .rendered import RenderError as RenderError
    from .rendered import Result as Result

__all__ = [
    "Cluster",
    "FatalResultError",
    "InProcess",
    "InvalidStatusError",
    "Remote",
    "RenderError",
    "Rendered",
    "Result",
    "Runner",
    "Selector",
    "Step",
    "render",
    "render_operation",
]

_HOMES: Final = {
    "Cluster": "pipeline",
    "FatalResultError": "rendered",
    "InProcess": "functions",
    "InvalidStatusError": "rendered",
    "Remote": "functions",
    "RenderError": "rendered",
    "Rendered": "rendered",
    "Result": "rendered",
    "Runner": "pipeline",
    "Selector": "pipeline",
    "Step": "pipeline",
    "render": "reconcile",
    "render_operation": "operation",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    value = getattr(importlib.import_module(f".{home}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
