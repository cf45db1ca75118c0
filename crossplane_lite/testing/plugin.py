"""The pytest plugin of this package: pytest fixtures for folders, simulations and snapshots.

Every run of pytest imports this module if the package is installed. So the module imports the rest
only when a test uses a fixture.

All names begin with `crossplane`, because pytest fails if two plugins add the same option. Several
plugins have `--snapshot-update` and the fixture `snapshot`, and many projects have
`--update-snapshots` in their conftest.py. A project can define a shorter name for a fixture in its
own conftest.py.
"""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._tools.simulate.simulation import Simulation
    from .folder import Folder
    from .snapshots import Log, Snapshots

__all__ = ["crossplane_folder", "crossplane_simulation", "crossplane_snapshot"]

_UPDATE = "--crossplane-update-snapshots"


_LOG = pytest.StashKey["Log"]()

# The runs of pytest in this process, the innermost last: a test of a plugin starts a run inside of
# a run.
_configs: list[pytest.Config] = []


def current_run() -> tuple[bool, Log | None]:
    """Return whether this run of pytest writes snapshots, and its record of compared and written
    snapshots.

    Outside of a run, return False and None.

    This is for code that compares with files without the fixture `crossplane_snapshot`, such as
    `krm.testing.golden`.
    """
    if not _configs:
        return False, None
    return bool(_configs[-1].getoption(_UPDATE)), _log_of(_configs[-1])


def _log_of(config: pytest.Config) -> Log:
    from .snapshots import Log

    return config.stash.setdefault(_LOG, Log())


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("crossplane-lite")
    group.addoption(
        _UPDATE,
        action="store_true",
        help=(
            "write the snapshots that tests check, where they are missing or differ, instead of"
            " comparing"
        ),
    )


def pytest_configure(config: pytest.Config) -> None:
    _configs.append(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    if config in _configs:
        _configs.remove(config)


@pytest.fixture
def crossplane_folder(request: pytest.FixtureRequest) -> Folder:
    """A `testing.Folder`, which builds requests, renders and simulates. Paths are relative to the
    test's file.
    """
    from .folder import Folder

    return Folder(request.path.parent)


@pytest.fixture
def crossplane_simulation(crossplane_folder: Folder) -> Callable[..., Simulation]:
    """A function like `testing.simulate`, with paths relative to the test's file.

    It reconciles until nothing changes.
    """
    return crossplane_folder.simulate


@pytest.fixture
def crossplane_snapshot(request: pytest.FixtureRequest) -> Snapshots:
    """A `testing.Snapshots`. `crossplane_snapshot.check(rendered)` compares with a file beside the
    test's file.
    """
    from .snapshots import Snapshots

    config = request.config
    # The path in the command is relative to the folder where pytest was started, which may differ
    # from its root.
    file = os.path.relpath(request.path, config.invocation_params.dir)
    test = shlex.quote("::".join([file, *str(request.node.nodeid).split("::")[1:]]))
    return Snapshots(
        request.path.parent,
        module=request.path.stem,
        test=request.node.name,
        update=config.getoption(_UPDATE),
        command=f"python -m pytest {test} {_UPDATE}",
        log=_log_of(config),
    )


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Explain a failed `==` of models, responses and resources by the paths that differ."""
    if op != "==" or "crossplane_lite._core.models.node" not in sys.modules:
        return None
    from .._core.base.texts import short_repr
    from ._compared import explained

    lines = explained(left, right)
    return (
        None if lines is None else [f"{short_repr(left, 100)} == {short_repr(right, 100)}", *lines]
    )


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    log = session.config.stash.get(_LOG, None)
    to_controller: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if log is not None and to_controller is not None:
        to_controller["crossplane_lite"] = log.plain()
    elif log is not None and log.clashes and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add the log of a worker of pytest-xdist when the worker ends. A worker that crashed leaves no
    log.
    """
    told = getattr(node, "workeroutput", {}).get("crossplane_lite")
    if told is not None:
        _log_of(node.config).add(told)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    log = config.stash.get(_LOG, None)
    if log is None or not config.getoption(_UPDATE):
        return
    terminalreporter.section("snapshots of crossplane-lite")
    written, unchanged = len(log.written), len(log.checked - set(log.written))
    terminalreporter.line(
        f"{written} snapshot{'' if written == 1 else 's'} written, {unchanged} left as they were"
    )
    for file in sorted(log.written):
        terminalreporter.line(f"  {_shown(file)} ({'new' if log.written[file][1] else 'changed'})")
    for file in sorted(log.clashes):
        terminalreporter.line(f"ERROR: several checks want something else of {_shown(file)}")


def _shown(file: str) -> str:
    shown = os.path.relpath(file)
    return file if shown.startswith(os.pardir) else shown
