"""One control plane for all scenarios of a run, which run side by side in it, each under names of its own."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from . import programs
from .plane import Plane
from .world import World

_REPORT = "CROSSPLANE_SCENARIOS"  # a file for a line of JSON for each scenario
_failed: set[str] = set()
_SHARING = ("test_guess", "test_recorder", "test_tools", "test_vpc")  # the modules whose tests share a composite


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark a scenario."""
    if Path(__file__).parent in item.path.parents:
        item.add_marker(pytest.mark.cluster)
        item.add_marker(pytest.mark.slow)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Let scenarios that share a composite run in one worker, and each other one in any worker."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduling(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file, _, name = nodeid.partition("::")
            transport = re.search(r"\[(grpcio|h2)", name)
            return f"{file} {transport[1]}" if transport and Path(file).stem in _SHARING else nodeid

    return Scheduling(config, log)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Let fixtures know which tests have failed."""
    outcome: Any = yield
    if outcome.get_result().failed:
        _failed.add(item.nodeid)


@pytest.fixture(scope="session")
def sources() -> Path:
    """The folder of the control plane's programs."""
    found = programs.found()
    if found is None:
        pytest.skip(programs.MISSING)
    return found


@pytest.fixture(scope="session")
def plane(tmp_path_factory: pytest.TempPathFactory, sources: Path) -> Iterator[Plane]:
    """A control plane that all workers of a run share: the first one starts it, and the last one stops it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "control-plane"
    folder.mkdir(exist_ok=True)
    with open(folder / "starting", "w") as starting, open(folder / "users", "w") as users:
        fcntl.flock(starting, fcntl.LOCK_EX)
        if not (folder / "run" / "ready").exists():
            # Crossplane's circuit breaker lets some scenarios wait for a minute at each step. Others look at it.
            try:
                Plane.start(folder / "run", sources, "--circuit-breaker-burst=20000")
            except BaseException:
                # The next worker starts one in a new folder. This one's logs stay.
                (folder / "run").rename(folder / f"failed-{os.getpid()}")
                raise
            (folder / "run" / "ready").touch()
        fcntl.flock(users, fcntl.LOCK_SH)
        fcntl.flock(starting, fcntl.LOCK_UN)
        made = Plane(folder / "run")
        yield made
        fcntl.flock(starting, fcntl.LOCK_EX)
        fcntl.flock(users, fcntl.LOCK_UN)
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
            (folder / "run" / "ready").unlink()
            made.stop()


def _world(plane: Plane, request: pytest.FixtureRequest, name: str, transport: str) -> Iterator[World]:
    made = World(plane, f"{name}-{transport}", transport)
    try:
        yield made
    finally:
        failed = any(one.startswith(request.node.nodeid) and f"[{transport}" in one for one in _failed)
        if failed:
            for path, text in made.logs():
                print(f"--- the end of {path}\n{text[-3000:]}")
            print(f"--- all logs are in {plane.folder / 'log'}")
        made.close()
        _write_rows(made, not failed)


def _write_rows(world: World, passed: bool) -> None:
    if os.environ.get(_REPORT):
        line = {"scenario": world.name.rpartition("-")[0], "transport": world.transport, "passed": passed, **world.rows}
        with open(os.environ[_REPORT], "a") as file:
            file.write(json.dumps(line) + "\n")


@pytest.fixture(params=["grpcio", "h2"])
def world(plane: Plane, request: pytest.FixtureRequest) -> Iterator[World]:
    """A scenario of one test, over each transport."""
    yield from _world(plane, request, _name(request), request.param)


@pytest.fixture(params=["grpcio", "h2"])
def own_world(sources: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    """A scenario in a control plane of its own, with Crossplane's flags of the mark `flags`."""
    mark = request.node.get_closest_marker("flags")
    plane = Plane.start(tmp_path / "run", sources, *(mark.args if mark else ()))
    try:
        yield from _world(plane, request, _name(request), request.param)
    finally:
        plane.stop()


def _name(request: pytest.FixtureRequest) -> str:
    name = request.node.name.removeprefix("test_").replace(f"[{request.param}", "[")
    return re.sub("[^a-z0-9]+", "-", name.lower())[:40].strip("-")


@pytest.fixture(scope="module", params=["grpcio", "h2"])
def shared_world(plane: Plane, request: pytest.FixtureRequest) -> Iterator[World]:
    """A scenario of all tests of a module that share a composite, over each transport."""
    name = request.node.name.removesuffix(".py").rpartition("test_")[2].replace("_", "-")
    yield from _world(plane, request, name, request.param)
