"""The hostile suite: a good client is answered beside each attack, and the server's memory stays within its limit.

`python -m tests.runtime.attacks` prints the table, for both transports and the official SDK.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from benchmarks.processes import resident_bytes
from tests.runtime.attackers import ATTACKS
from tests.runtime.attacks import MOST_MEMORY, MOST_RATIO, attacked, measure
from tests.runtime.serving import Serving

# What the server may keep, after the memory of requests and answers has gone back to the system.
_KEPT = 64 << 20
# A machine that is busy with other tests delays calls. If so many processes and threads wait for each of its
# processors, times say nothing about the server.
_TRIES = 3
_BUSY = 4


@pytest.fixture(scope="module")
def server() -> Iterator[Serving]:
    """One server for all attacks, which come one after the other."""
    with attacked("h2") as serving:
        yield serving


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_others_are_answered(server: Serving, name: str) -> None:
    """In an attack no other call fails, their median is within its limit, and memory is bounded."""
    for attempt in range(1, _TRIES + 1):
        found = measure(server, name, 1.5, after=0.3)
        assert found.failed == 0
        assert found.grown < MOST_MEMORY
        if found.ratio <= MOST_RATIO or os.getloadavg()[0] > _BUSY * (os.cpu_count() or 1):
            break
        assert attempt < _TRIES, f"calls took {found.ratio:.1f} times as long"


@pytest.mark.slow
def test_memory_goes_back() -> None:
    """After an attack that takes much memory, the server gives it back."""
    with attacked("h2") as serving:
        before = resident_bytes(serving.process.pid)
        found = measure(serving, "windows of 0, answers of 1.2 MB", 4.0, after=0.0)
        assert 2 * _KEPT < found.grown < MOST_MEMORY
        end = time.monotonic() + 60
        while resident_bytes(serving.process.pid) - before > _KEPT:
            assert time.monotonic() < end, "memory hasn't gone back 60 seconds after the attack"
            time.sleep(0.5)
