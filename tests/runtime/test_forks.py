"""Functions that fork their process, and children that come back into the server's code."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from tests.runtime.processes import exists
from tests.runtime.serving import channel, raw_call, serving
from tests.support import Response, request

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


def location(answer: bytes) -> Any:
    """Return where the bucket of an answer is to be."""
    return Response(answer).resources["bucket"]["spec"]["forProvider"]["location"]


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(("function", "fork"), [(FORKING, "os"), (FORKING, "C"), (FORKING, "program"), (ASYNC, "os")])
def test_a_call_that_forks(transport: str, function: str, fork: str, tmp_path: Path) -> None:
    """The parent alone answers; a child that comes to the end of the call ends, without the parent's exit handlers."""
    file = tmp_path / "children"
    flags = ("--insecure", "--transport", transport)
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
        assert server.stop() == 0
    assert not Path(f"{file}.exit").exists()
