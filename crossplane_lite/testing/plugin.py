"""The pytest plugin of this package: pytest fixtures for folders, simulations and snapshots.

Every run of pytest imports this module if the package is installed. So the module imports the rest only when a test
uses a fixture.

All names begin with `crossplane`, because pytest fails if two plugins add the same option. Several plugins have
`--snapshot-update` and the fixture `snapshot`, and many projects have `--update-snapshots` in their conftest.py. A
project can define a shorter name for a fixture in its own conftest.py.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._tools.simulate.simulation import Simulation
    from .folder import Folder
    from .snapshots import Log, Snapshots

__all__ = ["crossplane_folder", "crossplane_simulation", "crossplane_snapshot"]

_UPDATE = "--crossplane-update-snapshots"
_UNUSED = "--crossplane-unused-snapshots"


class _Run:
    """The snapshots that one run of pytest has checked and written, including the workers of pytest-xdist.

    Attributes:
        log: The log of this process; None before its first use.
        checked: The files that were checked. Those of a worker are added when the worker ends.
        written: Maps each written file to a hash of its content, and whether the file is new.
        clashes: The files that two workers have written with different content.
        folders: The folders in which the tests keep their snapshots.
    """

    def __init__(self) -> None:
        self.log: Log | None = None
        self.checked: set[str] = set()
        self.written: dict[str, tuple[str, bool]] = {}
        self.clashes: set[str] = set()
        self.folders: set[str] = set()

    def open(self) -> Log:
        """Return the log of this process. The first call creates it."""
        from .snapshots import Log

        if self.log is None:
            self.log = Log()
        return self.log

    def plain(self) -> dict[str, Any]:
        """Return the log of this process as plain data, which a worker of pytest-xdist sends to the main process."""
        log = self.open()
        return {
            "checked": sorted(log.checked),
            "written": {file: list(what) for file, what in log.written.items()},
            "folders": sorted(self.folders),
        }

    def add(self, told: dict[str, Any]) -> None:
        """Add the log of a process to this run.

        Args:
            told: The log, as `plain` returns it.
        """
        self.checked.update(told["checked"])
        self.folders.update(told["folders"])
        for file, (content, is_new) in told["written"].items():
            known = self.written.get(file)
            if known is not None and known[0] != content:
                self.clashes.add(file)
            self.written[file] = content, is_new or (known is not None and known[1])


_RUN = pytest.StashKey[_Run]()

# The runs of pytest in this process, the innermost last: a test of a plugin starts a run inside of a run.
_configs: list[pytest.Config] = []


def current_run() -> tuple[bool, Log | None]:
    """Return whether this run of pytest writes snapshots, and its record of compared and written snapshots.

    Outside of a run, return False and None.

    This is for code that compares with files without the fixture `crossplane_snapshot`, such as `krm.testing.golden`.
    """
    if not _configs:
        return False, None
    return bool(_configs[-1].getoption(_UPDATE)), _run_of(_configs[-1]).open()


def _run_of(config: pytest.Config) -> _Run:
    return config.stash.setdefault(_RUN, _Run())


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("crossplane-lite")
    group.addoption(
        _UPDATE,
        action="store_true",
        help="write the snapshots that tests check, where they are missing or differ, instead of comparing",
    )
    group.addoption(
        _UNUSED,
        action="store_true",
        help="report snapshot files that no test of this run has checked; for runs of all tests",
    )


def pytest_configure(config: pytest.Config) -> None:
    _configs.append(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    if config in _configs:
        _configs.remove(config)


@pytest.fixture
def crossplane_folder(request: pytest.FixtureRequest) -> Folder:
    """A `testing.Folder`, which builds requests, renders and simulates. Paths are relative to the test's file."""
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
    """A `testing.Snapshots`. `crossplane_snapshot.check(rendered)` compares with a file beside the test's file."""
    from .snapshots import Snapshots

    config = request.config
    # The path in the command is relative to the folder where pytest was started, which may differ from its root.
    file = os.path.relpath(request.path, config.invocation_params.dir)
    test = shlex.quote("::".join([file, *str(request.node.nodeid).split("::")[1:]]))
    return Snapshots(
        request.path.parent,
        module=request.path.stem,
        test=request.node.name,
        update=config.getoption(_UPDATE),
        command=f"python -m pytest {test} {_UPDATE}",
        log=_run_of(config).open(),
    )


def pytest_assertrepr_compare(op: str, left: object, right: object) -> list[str] | None:
    """Explain a failed `==` of models, responses and resources by the paths that differ."""
    if op != "==" or "crossplane_lite._core.models.node" not in sys.modules:
        return None
    from .._core.base.texts import short_repr
    from ._compared import explained

    lines = explained(left, right)
    return None if lines is None else [f"{short_repr(left, 100)} == {short_repr(right, 100)}", *lines]


def pytest_collection_finish(session: pytest.Session) -> None:
    if session.config.getoption(_UNUSED):
        from .snapshots import FOLDER

        run = _run_of(session.config)
        run.folders.update(str(item.path.parent / FOLDER / item.path.stem) for item in session.items)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    run = session.config.stash.get(_RUN, None)
    if run is None:
        return
    to_controller: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if to_controller is not None:
        to_controller["crossplane_lite"] = run.plain()
        return
    run.add(run.plain())
    if run.clashes and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Add the log of a worker of pytest-xdist when the worker ends. A worker that crashed leaves no log."""
    told = getattr(node, "workeroutput", {}).get("crossplane_lite")
    if told is not None:
        _run_of(node.config).add(told)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    run = config.stash.get(_RUN, None)
    if run is None:
        return
    lines = [*_updates(run)] if config.getoption(_UPDATE) else []
    if config.getoption(_UNUSED):
        lines += _unused(run)
    if lines:
        terminalreporter.section("snapshots of crossplane-lite")
        for line in lines:
            terminalreporter.line(line)


def _updates(run: _Run) -> list[str]:
    unchanged = len(run.checked - set(run.written))
    lines = [f"{_count(len(run.written), 'snapshot')} written, {unchanged} left as they were"]
    lines += [f"  {_shown(file)} ({'new' if run.written[file][1] else 'changed'})" for file in sorted(run.written)]
    lines += [f"ERROR: several checks want something else of {_shown(file)}" for file in sorted(run.clashes)]
    return lines


def _unused(run: _Run) -> list[str]:
    folders = {*map(Path, run.folders), *(Path(file).parent for file in run.checked)}
    found = sorted(
        str(file)
        for folder in folders
        if folder.is_dir()
        for file in folder.iterdir()
        if file.suffix in (".yaml", ".yml") and str(file) not in run.checked
    )
    if not found:
        return ["every snapshot file was checked"]
    return [
        f"{_count(len(found), 'file')} that no test has checked (one that didn't run, or failed before, may need it):",
        *(f"  {_shown(file)}" for file in found),
    ]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _shown(file: str) -> str:
    shown = os.path.relpath(file)
    return file if shown.startswith(os.pardir) else shown
