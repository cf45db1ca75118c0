"""Functions that fork their process, and children that come back into the server's code."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.serving import ROOT, Serving, channel, raw_call, serving
from tests.runtime.test_workers import children, exists, location
from tests.support import request

XR = {"apiVersion": "example.org/v1", "kind": "X", "metadata": {"name": "photos"}}
FORKING = "tests.runtime.functions:forking"
ASYNC = "tests.runtime.functions:forking_async"


def asking(**spec: Any) -> bytes:
    """Return a request with that spec."""
    return request(xr={**XR, "spec": spec})


def until_gone(processes: list[int]) -> None:
    """Wait until none of the processes exists."""
    until = time.monotonic() + 60
    while any(map(exists, processes)):
        assert time.monotonic() < until, processes
        time.sleep(0.02)


def ended_workers(server: Serving) -> list[Any]:
    """Return the records of workers that have ended."""
    return [record for record in server.records if record["msg"].startswith(("a worker has ended", "a worker is"))]


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(("function", "fork"), [(FORKING, "os"), (FORKING, "C"), (FORKING, "program"), (ASYNC, "os")])
@pytest.mark.parametrize("workers", [(), ("--workers", "1")], ids=["alone", "workers"])
def test_a_call_that_forks(transport: str, workers: tuple[str, ...], function: str, fork: str, tmp_path: Path) -> None:
    """The parent alone answers; a child that comes to the end of the call ends, without the parent's exit handlers."""
    file = tmp_path / "children"
    flags = ("--insecure", "--transport", transport, *workers)
    with serving(function, *flags) as server, channel(server.address) as opened:
        for number in range(3):
            asked = asking(fork=fork, file=str(file), location=f"fork-{number}")
            assert location(raw_call(opened, asked, timeout=20)) == f"fork-{number}"
            for other in range(5):
                answer = raw_call(opened, asking(location=f"other-{number}-{other}"), timeout=20)
                assert location(answer) == f"other-{number}-{other}"
        forked = [int(line) for line in file.read_text().splitlines()]
        assert len(forked) == 3
        until_gone(forked)
        assert ended_workers(server) == []
        assert server.stop() == 0
    assert not Path(f"{file}.exit").exists()


@pytest.mark.slow
def test_a_signal_handler_that_forks(tmp_path: Path) -> None:
    """A child that comes back into the loop in which a worker waits for commands ends there."""
    file = tmp_path / "children"
    module = (
        "import os, signal\n"
        "from tests.runtime.functions import _note_child, echo\n"
        f"signal.signal(signal.SIGUSR1, lambda *_: _note_child({str(file)!r}, os.fork()))\n"
    )
    (tmp_path / "forks.py").write_text(module)
    env = {"PYTHONPATH": f"{tmp_path}:{ROOT}"}
    with serving("forks:echo", "--insecure", "--workers", "1", env=env) as server, channel(server.address) as opened:
        assert location(raw_call(opened, asking(location="EU"), timeout=20)) == "EU"
        (nursery,) = children(server.process.pid)
        (worker,) = children(nursery)
        os.kill(worker, signal.SIGUSR1)
        until = time.monotonic() + 60
        while not file.exists() or not file.read_text().endswith("\n"):
            assert time.monotonic() < until
            time.sleep(0.02)
        until_gone([int(file.read_text())])
        assert location(raw_call(opened, asking(location="US"), timeout=20)) == "US"
        assert exists(worker)
        assert server.stop() == 0
    assert not Path(f"{file}.exit").exists()
