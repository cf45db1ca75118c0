"""Runs functions as Crossplane would: reads files, does one reconcile, and prints its result.

    from crossplane_lite.render import Step, render

    rendered = render(xr, [Step("compose", "buckets")], {"buckets": compose})
    assert rendered.composed["bucket"]["spec"]["forProvider"]["location"] == "EU"

In the example, `xr` is a composite resource (a dict), and `compose` is a composition function. A
name of this module is imported only when it is first used, so that importing it takes little time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ._tools.render.functions import InProcess as InProcess
    from ._tools.render.functions import Remote as Remote
    from ._tools.render.operation import render_operation as render_operation
    from ._tools.render.pipeline import Cluster as Cluster
    from ._tools.render.pipeline import Runner as Runner
    from ._tools.render.pipeline import Selector as Selector
    from ._tools.render.pipeline import Step as Step
    from ._tools.render.reconcile import render as render
    from ._tools.render.rendered import FatalResultError as FatalResultError
    from ._tools.render.rendered import InvalidStatusError as InvalidStatusError
    from ._tools.render.rendered import Rendered as Rendered
    from ._tools.render.rendered import RenderError as RenderError
    from ._tools.render.rendered import Result as Result

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

    value = getattr(importlib.import_module(f"._tools.render.{home}", __package__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
