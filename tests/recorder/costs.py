"""What a recorder costs: `python -m tests.recorder.costs RECORDING [EVENTS [PER_SECOND]]`.

It sends the calls of a recording again and again, each with another tag, so that no content comes twice. Beside the
recorder, a server of the same transport that only answers gets the same events at the same time, because the figures
of a machine that does other work can't be compared with those of another moment.
"""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

import grpc

from crossplane_lite._tools.recorder.inspector import EMIT_REQUEST, EMIT_RESPONSE
from crossplane_lite._tools.recorder.recording import Call, Recording
from crossplane_lite._tools.recorder.writing import now
from tests.recorder.sending import Sender, emit_request, emit_response
from tests.wheels import ROOT

__all__ = ["Cost", "measured"]

ALONE = """
import sys, threading
from crossplane_lite.runtime import transports
from crossplane_lite.runtime.transports.budget import Limits
made = transports.make(sys.argv[2], None, Limits(receive_bytes=64 << 20), lambda path: lambda message: b"")
made.listen(f"unix:{sys.argv[1]}")
made.start()
threading.Event().wait()
"""


class Cost(NamedTuple):
    """What a server has cost.

    Attributes:
        microseconds: The CPU time for an event, of user and system.
        megabytes: The largest memory.
        median_ms: The median time until the answer.
        failed: How many events had no answer within 100 ms, Crossplane's limit.
    """

    microseconds: float
    megabytes: float
    median_ms: float
    failed: int

    def percent(self, per_second: float) -> float:
        """Return the share of a core for so many events a second."""
        return self.microseconds * per_second / 1e4


def measured(transport: str, recording: Path, events: int = 2000, per_second: float = 200) -> tuple[Cost, Cost]:
    """Return what a recorder costs, and what a server costs that only answers."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        record = ("-m", "crossplane_lite", "record", f"{folder}/out", "--transport", transport, "--socket")
        commands = [[*record, f"{folder}/0"], ["-c", ALONE, f"{folder}/1", transport]]
        servers = []
        for command in commands:
            server = subprocess.Popen([sys.executable, *command], cwd=ROOT, stderr=subprocess.DEVNULL)
            servers.append(server)
            stack.callback(server.wait)
            stack.callback(server.terminate)
        senders = [stack.enter_context(Sender(f"{folder}/{number}")) for number in range(2)]
        messages = _distinct(Recording(recording).calls)
        path, message = next(messages)
        for sender in senders:
            sender.send(path, message, 30, wait=True)
        time.sleep(1)
        before = [_cpu(server.pid) for server in servers]
        took: list[list[float]] = [[], []]
        begun = time.monotonic()
        for number, (path, message) in enumerate(itertools.islice(messages, events)):
            time.sleep(max(0.0, begun + number / per_second - time.monotonic()))
            for sender, times in zip(senders, took, strict=True):
                at = time.monotonic()
                try:
                    sender.send(path, message)
                    times.append(time.monotonic() - at)
                except grpc.RpcError:
                    pass
        time.sleep(0.5)
        first, second = (
            Cost(
                (_cpu(server.pid) - start) / events * 1e6, _peak(server.pid), _median(times) * 1e3, events - len(times)
            )
            for server, start, times in zip(servers, before, took, strict=True)
        )
        return first, second


def _distinct(calls: list[Call]) -> Iterator[tuple[str, bytes]]:
    contents = [(call.event, call.request, call.response) for call in calls if call.asked]
    for number in itertools.count():
        event, request, response = contents[number % len(contents)]
        tag = f"{number:064}"
        asked = event._replace(trace=tag, span=tag, time=now())
        for content in (request, response):
            content["meta"] = {**content.get("meta", {}), "tag": tag}
        yield EMIT_REQUEST, emit_request(asked, json.dumps(request).encode())
        yield EMIT_RESPONSE, emit_response(asked, json.dumps(response).encode())


def _cpu(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak(process: int) -> float:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def _median(times: list[float]) -> float:
    return sorted(times)[len(times) // 2] if times else 0.0


def main() -> None:
    """Print the table of both transports."""
    recording, events, per_second = (*sys.argv[1:], *("2000", "200")[len(sys.argv) - 2 :])
    rate = float(per_second)
    print(f"{'at ' + per_second + ' events/s':24}{'of a core':>10}{'memory':>9}{'median':>9}{'failed':>8}")
    for transport in ("h2", "grpcio"):
        for name, cost in zip(
            ("record", "alone"), measured(transport, Path(recording), int(events), rate), strict=True
        ):
            figures = f"{cost.percent(rate):>8.1f} %{cost.megabytes:>6.0f} MB{cost.median_ms:>6.1f} ms{cost.failed:>8}"
            print(f"{transport + ' ' + name:24}{figures}", flush=True)


if __name__ == "__main__":
    main()
