"""Tests compositions without a cluster, with requests, renderings, simulations and snapshots::

    from crossplane_lite import testing

    def test_the_bucket_comes_first() -> None:
        response = testing.run(compose, testing.request("xr.yaml"))
        assert list(response.desired) == ["bucket"]

In the example, `compose` is a composition function. The functions of this module work without
pytest. With pytest, a plugin that is installed with this package adds the pytest fixtures
`crossplane_folder` (paths are relative to the test's file), `crossplane_simulation` and
`crossplane_snapshot`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._tools.recorder.fixtures import RecordedRequest, recorded
    from .._tools.render.rendered import (
        FatalResultError,
        InvalidResourceError,
        InvalidStatusError,
        Rendered,
        RenderError,
    )
    from .._tools.simulate.simulation import Simulation
    from .conformance import assert_conforms
    from .folder import Folder, render, request, simulate
    from .responses import Condition, Response, Result, run
    from .snapshots import SnapshotError, Snapshots
    from .waves import assert_waves

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
]

# Where this package is installed, every run of pytest imports this module. So names are loaded only
# when they are used.
_HOMES = {
    ".._tools.recorder.fixtures": ("RecordedRequest", "recorded"),
    ".._tools.render.rendered": (
        *(
            "FatalResultError",
            "InvalidResourceError",
            "InvalidStatusError",
            "RenderError",
            "Rendered",
        ),
    ),
    ".._tools.simulate.simulation": ("Simulation",),
    ".conformance": ("assert_conforms",),
    ".folder": ("Folder", "render", "request", "simulate"),
    ".responses": ("Condition", "Response", "Result", "run"),
    ".snapshots": ("SnapshotError", "Snapshots"),
    ".waves": ("assert_waves",),
}


def __getattr__(name: str) -> Any:
    import importlib

    home = next((module for module, names in _HOMES.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(home, __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
