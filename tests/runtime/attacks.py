"""Clients that want a server to suffer, and a good client beside them: `python -m tests.runtime.attacks [--help]`.

Each attack runs in a process of its own, for some seconds (`tests.runtime.attackers`). In the meantime a good client,
with a connection from before and with a new one, measures how long its calls take. A row of the table has the median
time of its calls as a multiple of that without the attack, what the server's memory grew by during the attack, and what
is left of that some seconds after it.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import select
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import grpc

from benchmarks.processes import resident_bytes
from tests.helpers.ports import free_ports
from tests.runtime.attacked import OFFICIAL, SERVERS
from tests.runtime.attackers import ATTACKS, sized
from tests.runtime.serving import Serving, channel, raw_call

__all__ = ["MOST_MEMORY", "MOST_RATIO", "Result", "attacked", "measure"]

MOST_RATIO = 10.0
"""The most that the median of a good client's calls may be, as a multiple of that without an attack."""
MOST_MEMORY = (256 + 64) << 20
"""The most bytes that a server's memory may grow by: the limit of the h2 transport, and 64 MB."""


class Result(NamedTuple):
    """What an attack did to a server.

    Attributes:
        alone: The median time of a good client's calls before and after it, in seconds.
        during: That of calls during the attack, on a connection from before.
        new: The time of a call on a new connection during the attack.
        failed: How many calls of the good client failed.
        grown: How many bytes the server's memory grew by during the attack, at most.
        kept: How many bytes of this were left afterwards.
    """

    alone: float
    during: float
    new: float
    failed: int
    grown: int
    kept: int

    @property
    def ratio(self) -> float:
        """How many times longer calls took during the attack. Less than a millisecond counts as one."""
        return self.during / max(self.alone, 0.001)


@contextlib.contextmanager
def attacked(server: str) -> Iterator[Serving]:
    """Serve `attacked` in a process of its own."""
    (port,) = free_ports(1)  # the official SDK doesn't say which port it has taken
    address = f"127.0.0.1:{port}"
    command = [sys.executable, "-m", "tests.runtime.attacked", server, address]
    serving = Serving(command, {"MALLOC_ARENA_MAX": "1"})  # as in images
    try:
        yield serving
    finally:
        serving.process.kill()
        serving.stop()


def _times(opened: grpc.Channel, seconds: float, during: Callable[[], None]) -> tuple[list[float], int]:
    """Return the times of calls in so many seconds, and how many failed."""
    times, failed = [], 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        start = time.monotonic()
        try:
            raw_call(opened, sized(1)[5:], timeout=5)
            times.append(time.monotonic() - start)
        except grpc.RpcError:  # also one that fails at once counts like one without an answer
            failed += 1
            times.append(5.0)
        during()
        time.sleep(0.005)
    return times, failed


def measure(serving: Serving, name: str, seconds: float, after: float = 2.0) -> Result:
    """Attack a server, and return what that did."""
    process = serving.process.pid
    memory = [0]

    def look() -> None:
        memory.append(resident_bytes(process))

    with channel(serving.address) as opened:
        raw_call(opened, sized(1)[5:], timeout=60)
        alone, _ = _times(opened, 0.5, lambda: None)
        before = resident_bytes(process)
        attacker = subprocess.Popen(
            [sys.executable, "-m", "tests.runtime.attackers", name, serving.address, str(seconds + 20)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert attacker.stdout is not None
        try:
            if not select.select([attacker.stdout], [], [], 60)[0]:
                raise TimeoutError("the attack hasn't begun after 60 seconds")
            time.sleep(0.2)
            times, failed = _times(opened, seconds / 2, look)
            with channel(serving.address) as another:
                start = time.monotonic()
                try:
                    raw_call(another, sized(1)[5:], timeout=10)
                except grpc.RpcError:
                    failed += 1
                new = time.monotonic() - start
            more, failures = _times(opened, seconds / 2, look)
        finally:
            attacker.kill()
            attacker.wait(60)
            attacker.stdout.close()
        time.sleep(after)
        with contextlib.suppress(grpc.RpcError):
            raw_call(opened, sized(1)[5:], timeout=30)
        kept = resident_bytes(process) - before
        # The machine may do more or less than before.
        alone += _times(opened, 0.5, lambda: None)[0]
    during = statistics.median(times + more)
    return Result(statistics.median(alone), during, new, failed + failures, max(memory) - before, kept)


def main(argv: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.runtime.attacks", description=__doc__)
    parser.add_argument("--server", action="append", choices=SERVERS, help="default: all that are installed")
    parser.add_argument("--only", action="append", metavar="NAME", help="attacks with this in their names")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each attack; default: %(default)s")
    parser.add_argument("--after", type=float, default=2.0, help="from its end until memory counts; %(default)s")
    options = parser.parse_args(argv)
    missing = importlib.util.find_spec("crossplane") is None
    servers = options.server or [one for one in SERVERS if not (missing and one == OFFICIAL)]
    print(f"{'':46}" + "".join(f"{one:^43}" for one in servers))
    print(f"{'attack':46}" + "   alone  during   x     new fail grown kept" * len(servers), flush=True)
    for name in ATTACKS:
        if options.only and not any(one in name for one in options.only):
            continue
        row = f"{name:46}"
        for server in servers:
            with attacked(server) as serving:
                try:
                    found = measure(serving, name, options.seconds, options.after)
                except (grpc.RpcError, OSError, ValueError) as error:
                    row += f"{type(error).__name__:>44}"
                    continue
            row += (
                f"{found.alone * 1000:7.1f} {found.during * 1000:7.1f} {found.ratio:5.1f} {found.new * 1000:6.0f} "
                f"{found.failed:4} {found.grown >> 20:5} {found.kept >> 20:4}"
            )
        print(row, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
