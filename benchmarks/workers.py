"""Calls per second of a function that computes, with and without worker processes: `python -m benchmarks.workers`.

It needs all processors for some seconds, so its figures only count on a machine that does nothing else.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import grpc

from crossplane_lite.proto import METHOD, V1_SERVICE

_CLIENTS = 8
_CALLS = 200
_ROUNDS = 5
_REQUEST = b""  # the request of an Operation without anything in it


def calls_per_second(transport: str, workers: int) -> float:
    """Return how many calls a server answers in a second."""
    command = [sys.executable, "-m", "crossplane_lite", "serve", "benchmarks.functions.computing:compose", "--insecure"]
    command += ["--address", "127.0.0.1:0", "--transport", transport]
    command += ["--workers", str(workers)] if workers else []
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        address = json.loads(server.stderr.readline())["address"]
        try:
            with grpc.insecure_channel(address) as channel, ThreadPoolExecutor(_CLIENTS) as clients:
                method = channel.unary_unary(f"/{V1_SERVICE}/{METHOD}")
                list(clients.map(lambda _: method(_REQUEST), range(2 * _CLIENTS)))
                start = time.perf_counter()
                list(clients.map(lambda _: method(_REQUEST), range(_CALLS)))
                return _CALLS / (time.perf_counter() - start)
        finally:
            server.terminate()


def main(transports: Sequence[str] = ("grpcio", "h2")) -> None:
    """Measure in turns, and print medians."""
    most = os.cpu_count() or 1
    for transport in transports:
        rounds = [[calls_per_second(transport, workers) for workers in (0, 1, most)] for _ in range(_ROUNDS)]
        alone, one, all_ = (statistics.median(column) for column in zip(*rounds, strict=True))
        share = f"1 worker {one / alone:.2f}, {most} workers {all_ / alone:.2f} of it"
        print(f"{transport}: alone {alone:.0f} calls/s; {share}")


if __name__ == "__main__":
    main()
