"""Sustained load: `python -m benchmarks.sustained [--calls 1000000]` shows how much a server's
memory grows.

It takes minutes, so it is no part of `pytest benchmarks`. The first tenth of the calls warms the
server up. The calls change: first nothing is observed, so that resources are held back and texts
with tokens are made, then everything is there.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ThreadPoolExecutor

from benchmarks import data, processes

__all__ = ["main"]

_CLIENTS = 4


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Call a server very often and watch its resident memory."
    )
    parser.add_argument("--calls", type=int, default=1_000_000, help="default: %(default)s")
    calls = parser.parse_args().calls
    requests = [data.request(0, 0, 1), data.request(1, 0, 1), data.request(3, 3, 5)]
    with (
        processes.serving("ours_sustained", with_models=False) as server,
        processes.caller(server) as call,
    ):
        answers = [data.answer_of(call(request)) for request in requests]
        held_back = [len(answer["desired"].get("resources", {})) for answer in answers]
        assert held_back == [1, 2, 11], held_back
        warm = _run(server, call, requests, calls // 10)
        print(f"{warm / 1e6:.2f} MB resident after a warm-up of {calls // 10:,} calls", flush=True)
        start = time.perf_counter()
        for tenth in range(1, 11):
            size = _run(server, call, requests, calls // 10)
            rate = calls / 10 * tenth / (time.perf_counter() - start)
            print(
                f"{size / 1e6:.2f} MB ({(size - warm) / 1e6:+.2f}) "
                f"after {calls // 10 * tenth:,} more, {rate:,.0f} a second",
                flush=True,
            )


def _run(server: processes.Server, call: processes.Call, requests: list[bytes], calls: int) -> int:
    def client(number: int) -> None:
        for at in range(calls // _CLIENTS):
            call(requests[(at + number) % len(requests)])

    with ThreadPoolExecutor(_CLIENTS) as clients:
        list(clients.map(client, range(_CLIENTS)))
    return processes.resident_bytes(server.process.pid)


if __name__ == "__main__":
    main()
