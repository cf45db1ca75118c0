"""Settings that all tests share."""

from __future__ import annotations

import faulthandler
import importlib.metadata
import importlib.util
import logging
import os
import signal
import sys
from collections.abc import Iterator
from importlib.abc import MetaPathFinder
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
hypothesis.settings.register_profile("quick", deadline=None, max_examples=40)

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


sys.meta_path.insert(0, _Official())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """End a test that hangs, with the stacks of all threads; its process ends, and pytest-xdist goes on in another.

    Not by an alarm: code under test has alarms of its own.
    """
    of_server = item.path.parent.name == "runtime" and item.get_closest_marker("real") is None
    seconds = _SERVER_SECONDS if of_server else _LONGEST_SECONDS
    faulthandler.dump_traceback_later(seconds, exit=True, file=sys.__stderr__)
    try:
        return (yield)
    finally:
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


def pytest_configure(config: pytest.Config) -> None:
    """Search less where slow tests are left out; runs of all tests take Hypothesis' own number of examples."""
    hypothesis.settings.load_profile("quick" if config.option.markexpr == "not slow" else "default")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what was left out, which pytest itself doesn't where pytest-xdist distributes the tests."""
    if config.option.markexpr == "not slow":
        terminalreporter.write_line('The tests marked slow are left out; -m "slow or not slow" runs all of them.')
