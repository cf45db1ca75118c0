"""Tests compositions without a cluster, with requests, renderings, simulations and snapshots::

    from crossplane_lite import testing

    def test_the_bucket_comes_first() -> None:
        response = testing.run(compose, testing.request("xr.yaml"))
        assert list(response.desired) == ["bucket"]

In the example, `compose` is a composition function. The functions of this module work without pytest. With pytest, a
plugin that is installed with this package adds the pytest fixtures `crossplane_folder` (paths are relative to the
test's file), `crossplane_simulation` and `crossplane_snapshot`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._tools.recorder.fixtures import RecordedRequest as RecordedRequest
    from .._tools.recorder.fixtures import recorded as recorded
    from .._tools.recorder.fixtures import what_if as what_if
    from .._tools.render.rendered import FatalResultError as FatalResultError
    from .._tools.render.rendered import InvalidResourceError as InvalidResourceError
    from .._tools.render.rendered import InvalidStatusError as InvalidStatusError
    from .._tools.render.rendered import Rendered as Rendered
    from .._tools.render.rendered import RenderError as RenderError
    from .._tools.simulate.simulation import Simulation as Simulation
    from .conformance import assert_conforms as assert_conforms
    from .folder import Folder as Folder
    from .folder import render as render
    from .folder import request as request
    from .folder import simulate as simulate
    from .responses import Condition as Condition
    from .responses import Response as Response
    from .responses import Result as Result
    from .responses import run as run
    from .snapshots import SnapshotError as SnapshotError
    from .snapshots import Snapshots as Snapshots
    from .waves import assert_waves as assert_waves

__all__ = [
    "Condition",
    "FatalResultError",
    "Folder",
    "InvalidResourceError",
    "InvalidStatusError",
    "RecordedRequest",
    "RenderError",
    "Rendered",
    "Response",
    "Result",
    "Simulation",
    "SnapshotError",
    "Snapshots",
    "assert_conforms",
    "assert_waves",
    "recorded",
    "render",
    "request",
    "run",
    "simulate",
    "what_if",
]

# Where this package is installed, every run of pytest imports this module. So names are loaded only when they are used.
_HOMES = {
    "Condition": ".responses",
    "FatalResultError": ".._tools.render.rendered",
    "Folder": ".folder",
    "InvalidResourceError": ".._tools.render.rendered",
    "InvalidStatusError": ".._tools.render.rendered",
    "RecordedRequest": ".._tools.recorder.fixtures",
    "RenderError": ".._tools.render.rendered",
    "Rendered": ".._tools.render.rendered",
    "Response": ".responses",
    "Result": ".responses",
    "Simulation": ".._tools.simulate.simulation",
    "SnapshotError": ".snapshots",
    "Snapshots": ".snapshots",
    "assert_conforms": ".conformance",
    "assert_waves": ".waves",
    "recorded": ".._tools.recorder.fixtures",
    "render": ".folder",
    "request": ".folder",
    "run": ".responses",
    "simulate": ".folder",
    "what_if": ".._tools.recorder.fixtures",
}


def __getattr__(name: str) -> Any:
    import importlib

    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(home, __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
