"""Settings that all tests share."""

from __future__ import annotations

import faulthandler
import gc
import importlib.metadata
import importlib.util
import logging
import os
import random
import signal
import sys
import time
from collections.abc import Generator, Iterator
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from crossplane_lite.runtime import log

# The seconds after which a test has hung, on a machine that does much else besides: a test of servers, and any other,
# such as one that builds a program.
_SERVER_SECONDS = 300
_LONGEST_SECONDS = 1200

# How long one example takes depends on what else the machine does.
hypothesis.settings.register_profile("default", deadline=None)
hypothesis.settings.register_profile("quick", deadline=None, max_examples=15)

# A shell that starts the tests in the background has them ignore Ctrl-C, and nohup the end of the terminal; so would
# what they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Tests start hundreds of processes, each of which would compile the package anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# gRPC complains on stderr about every refused handshake otherwise; the tests read what servers write there.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")


class _Official(MetaPathFinder):
    """Skips what imports the official SDK's messages or services where protobuf or grpcio is too old for them.

    They need later versions than this package: generated code refuses to run with older ones.
    """

    _old_protobuf = importlib.util.find_spec("google.protobuf.runtime_version") is None
    _old_grpcio = tuple(map(int, importlib.metadata.version("grpcio").split(".")[:2])) < (1, 76)

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:
        """Skip the test, or the module of tests, that imports such a module."""
        if not fullname.startswith("crossplane.function.proto."):
            return
        if self._old_protobuf:
            pytest.skip("the official SDK's messages need protobuf 5.26", allow_module_level=True)
        if self._old_grpcio and fullname.endswith("_pb2_grpc"):
            pytest.skip("the official SDK's services need grpcio 1.76", allow_module_level=True)


class _Plain(MetaPathFinder):
    """Imports the package as everybody does.

    It has a plugin for pytest, so pytest would rewrite the assertions of all of its modules: as much
    work in a fresh clone as those of all tests.
    """

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        """Find a module of the package before pytest does."""
        is_ours = fullname.startswith("crossplane_lite.")
        return PathFinder.find_spec(fullname, path) if is_ours else None


sys.meta_path[:0] = [_Official(), _Plain()]


# How long the watch goes on for tests that follow: to start it takes a thread, two milliseconds.
_WATCH_SECONDS = 30


class _Watch:
    """What ends a test that hangs, with the stacks of all threads.

    Its process ends, and pytest-xdist goes on in another. Not by an alarm: code under test has
    alarms of its own.
    """

    _since = float("-inf")
    _seconds = 0

    @classmethod
    def begin(cls, seconds: int) -> None:
        """Give the test that begins so many seconds at least, and at most `_WATCH_SECONDS` more."""
        now = time.monotonic()
        if seconds != cls._seconds or now - cls._since > _WATCH_SECONDS:
            most = seconds + _WATCH_SECONDS
            faulthandler.dump_traceback_later(most, exit=True, file=sys.__stderr__)
            cls._since, cls._seconds = now, seconds


def pytest_report_header() -> str:
    """Say why nothing is seen at first."""
    return "reading the tests: ten seconds, or up to a minute in a new clone, until the first dot"


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> None:
    """Watch each test."""
    of_server = item.path.parent.name == "runtime" and item.get_closest_marker("real") is None
    most = item.get_closest_marker("seconds")
    _Watch.begin(most.args[0] if most else _SERVER_SECONDS if of_server else _LONGEST_SECONDS)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Watch nothing after the tests."""
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture(autouse=True)
def _logging_as_before() -> Iterator[None]:
    """Take away what a command has set up for its process, which otherwise prints the logs of later tests as well."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    masker, subject = log._mask, log._subject
    yield
    log.set_masker(masker)
    log.set_subject(subject)
    if root.level != level:
        root.setLevel(level)
        # pytest's own are others while a test is set up, runs and ends.
        own = [one for one in root.handlers if one in handlers or type(one).__module__.startswith("_pytest.")]
        root.handlers[:] = own


# Hundreds of thousands of objects come with the tests and stay: the garbage collector has nothing to find among them.
gc.disable()

_QUICK = "not slow"
_MOST_CASES = 6  # of a table that doesn't say how many cases a quick run takes
_LEFT_OUT = pytest.StashKey[int]()
_SLOW_FOLDERS = [Path(__file__).parent / name for name in ("cluster", "real")]


def pytest_configure(config: pytest.Config) -> None:
    """Search less where slow tests are left out; runs of all tests take Hypothesis' own number of examples."""
    hypothesis.settings.load_profile("quick" if config.option.markexpr == _QUICK else "default")


def _search_less(item: pytest.Item) -> None:
    """Give a search no more examples than the profile, where it has a number of its own."""
    test = getattr(item, "obj", None)
    found = getattr(test, "_hypothesis_internal_use_settings", None)
    most = hypothesis.settings.default.max_examples
    if found is not None and found.max_examples > most:
        fewer = hypothesis.settings(found, max_examples=most)
        test._hypothesis_internal_use_settings = fewer  # type: ignore[union-attr]


def _sample(table: str, count: int, number: int) -> set[int]:
    """Return which cases of a table are in its sample, the same ones in each process."""
    return set(random.Random(table).sample(range(number), min(count, number)))


def _is_left_out(folder: Path, config: pytest.Config) -> bool:
    """Say whether a folder of slow tests lies in what is collected, and isn't named itself."""
    here = config.invocation_params.dir
    named = [(here / arg.partition("::")[0]).resolve() for arg in config.args]
    if config.option.markexpr != _QUICK or any(folder in (one, *one.parents) for one in named):
        return False
    return any(one in folder.parents for one in named)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Import nothing of folders whose tests are all slow."""
    is_slow = collection_path in _SLOW_FOLDERS
    return True if is_slow and _is_left_out(collection_path, config) else None


def _worker(config: pytest.Config) -> str:
    """Return the name of the worker that pytest-xdist has started, empty without it."""
    return str(getattr(config, "workerinput", {}).get("workerid", ""))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let each second worker import the files of tests from the last one to the first.

    In a fresh clone pytest makes byte code of its own from them, which takes many seconds: so each
    worker makes one half, and reads the other one.
    """
    report = yield
    is_file = isinstance(collector, pytest.Module | pytest.Class)
    if not is_file and _worker(collector.config)[-1:] in tuple("13579"):
        report.result.reverse()
    return report


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Iterator[None]:
    """Make no items for slow cases of tables in quick runs: there are thousands of them."""
    yield
    calls = metafunc._calls
    config = metafunc.config
    if config.option.markexpr != _QUICK or len(calls) < 2 or any("[" in arg for arg in config.args):
        return
    quick = [call for call in calls if all(mark.name != "slow" for mark in call.marks)]
    sample = metafunc.definition.get_closest_marker("sample")
    count = _MOST_CASES if sample is None else sample.args[0]
    if len(quick) > count:
        chosen = _sample(metafunc.definition.nodeid, count, len(quick))
        quick = [call for at, call in enumerate(quick) if at in chosen]
    if metafunc.definition.get_closest_marker("slow") is not None or not quick:
        quick = calls[:1]  # without any there would be a test that isn't slow
    config.stash[_LEFT_OUT] = config.stash.get(_LEFT_OUT, 0) + len(calls) - len(quick)
    metafunc._calls = quick


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the cases of a table as slow that are beyond its sample.

    Searches that would take more examples than quick ones take fewer.
    """
    is_quick = config.option.markexpr == _QUICK
    if _worker(config):
        items.sort(key=lambda item: item.path)  # pytest-xdist wants the same order of all workers
    tables: dict[str, list[pytest.Item]] = {}
    for item in items:
        if is_quick:
            _search_less(item)
        if item.get_closest_marker("sample") and item.get_closest_marker("slow") is None:
            tables.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for table, cases in tables.items():
        mark = cases[0].get_closest_marker("sample")
        assert mark is not None
        chosen = _sample(table, mark.args[0], len(cases))
        for at, case in enumerate(cases):
            if at not in chosen:
                case.add_marker("slow")
    if is_quick:
        slow = sum(item.get_closest_marker("slow") is not None for item in items)
        config.stash[_LEFT_OUT] = config.stash.get(_LEFT_OUT, 0) + slow


def pytest_collection_finish(session: pytest.Session) -> None:
    """Let the garbage collector work again, on what the tests make."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    """Tell the process that distributes the tests how many were left out."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["left_out"] = session.config.stash.get(_LEFT_OUT, 0)
    return (yield)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take over from a worker of pytest-xdist how many tests were left out."""
    left_out = getattr(node, "workeroutput", {}).get("left_out", 0)
    node.config.stash[_LEFT_OUT] = max(left_out, node.config.stash.get(_LEFT_OUT, 0))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what was left out, which pytest itself doesn't where pytest-xdist distributes the tests."""
    left_out = config.stash.get(_LEFT_OUT, 0)
    if left_out:
        folders = [f"tests/{one.name}" for one in _SLOW_FOLDERS if _is_left_out(one, config)]
        rest = f", and all of {' and '.join(folders)}" if folders else ""
        what = f"{left_out:,} slow tests and cases of tables are left out{rest}"
        terminalreporter.write_line(f'{what}; -m "slow or not slow" runs all of them.')
