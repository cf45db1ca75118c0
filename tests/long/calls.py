"""Very many calls of all kinds: memory, threads and descriptors of the server stay what they were.

`python -m tests.long.calls [--calls 1000000]` shows them after each tenth. The first tenth warms the server up.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import grpc

from benchmarks.data import answer_of
from benchmarks.processes import resident_bytes
from tests.runtime.serving import PREFIX, channel, serving
from tests.support import request

__all__ = ["KINDS", "Sizes", "growth", "main"]

_CLIENTS = 8
_METHOD = PREFIX + "RunFunction"
_PATIENCE_SECONDS = 60
_MOST_BYTES = 8_000_000
_MOST_MORE = 3

KINDS = ("compose", "resolved", "raise", "say", "guess", "thread", "secret", "malformed", "short deadline")


class Sizes(NamedTuple):
    """What a server uses while no call runs but the one that asks.

    Attributes:
        resident: Bytes of memory.
        threads: Threads that aren't for calls.
        files: Open descriptors.
        calls: Threads for calls. There are as many as calls have ever overlapped, so a moment of much other work on
            the machine makes them more.
        busy: The stacks of the call threads that have a call though none runs: calls that have never ended.
    """

    resident: int
    threads: int
    files: int
    calls: int = 0
    busy: tuple[str, ...] = ()

    @classmethod
    def of(cls, pid: int, method: Callable[..., bytes]) -> Sizes:
        """Return those of a process; ask it until the calls that nobody waits for have ended, or for a minute."""
        end = time.monotonic() + _PATIENCE_SECONDS
        while True:
            spec = answer_of(method(_data("threads"), timeout=60))["desired"]["resources"]["bucket"]["resource"]["spec"]
            if len(spec["busy"]) == 1 or time.monotonic() > end:
                break
            time.sleep(0.1)
        status = Path(f"/proc/{pid}/status").read_text()
        threads = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("Threads:"))
        calls = int(spec["threads"])
        files = len(os.listdir(f"/proc/{pid}/fd"))
        asked_last = sorted(spec["busy"], key=lambda stack: "call_threads" in stack)  # the one that answers this
        return cls(resident_bytes(pid), threads - calls, files, calls, tuple(asked_last[:-1]))


def _data(kind: str) -> bytes:
    xr = {
        "apiVersion": "example.org/v1",
        "kind": "XMixed",
        "metadata": {"name": "a", "uid": "1"},
        "spec": {"what": kind, "location": "EU"},
    }
    bucket = {"apiVersion": "v1", "kind": "Bucket", "metadata": {"name": "b"}, "status": {"id": "i"}}
    if kind == "malformed":
        return b"\x12\x05\x0a\xff"
    observed = {"bucket": bucket} if kind == "resolved" else {}
    return request(xr=xr, observed=observed, credentials={"c": {"password": b"hunter2hunter2"}})


def _call(method: Callable[..., bytes], kind: str, data: bytes) -> str:
    """Make a call; return how it ended, in a word."""
    try:
        answer = method(data, timeout=0.000_01 if kind == "short deadline" else 60)
    except grpc.RpcError as error:
        return str(error.code().name)
    if b"hunter2" in answer:
        return "SECRET"
    expected = b"no such thing" if kind == "raise" else b"bucket"
    return "OK" if expected in answer else f"WRONG {answer[:2000]!r}"


@contextmanager
def _server(transport: str, function: str, ended: Counter[str]) -> Iterator[tuple[int, str]]:
    """Serve a function, and read its log, or the server would wait for somebody to do that."""
    with serving(f"tests.long.functions:{function}", "--insecure", "--transport", transport) as server:
        stderr = server.process.stderr
        assert stderr is not None

        def read() -> None:
            for line in stderr:
                if "hunter2" in line:
                    ended["log: SECRET"] += 1

        reading = threading.Thread(target=read)
        reading.start()
        yield server.process.pid, server.address
        server.process.send_signal(signal.SIGTERM)
        reading.join()
        ended[f"end: {server.process.wait()}"] += 1


def growth(calls: int, transport: str = "grpcio", function: str = "mixed") -> Iterator[tuple[int, Sizes, Counter[str]]]:
    """Yield after each tenth of some calls: how many there were, the server's sizes, and how all calls ended."""
    requests = [(kind, _data(kind)) for kind in KINDS]
    ended: Counter[str] = Counter()

    def client(number: int) -> Counter[str]:
        own: Counter[str] = Counter()
        with channel(address) as opened:
            method = opened.unary_unary(_METHOD)
            for at in range(calls // 10 // _CLIENTS):
                kind, data = requests[(at + number) % len(requests)]
                own[f"{kind}: {_call(method, kind, data)}"] += 1
        return own

    with _server(transport, function, ended) as (pid, address):
        for tenth in range(1, 11):
            with ThreadPoolExecutor(_CLIENTS) as clients:
                for own in clients.map(client, range(_CLIENTS)):
                    ended.update(own)
            with channel(address) as opened:
                sizes = Sizes.of(pid, opened.unary_unary(_METHOD))
            yield calls // 10 // _CLIENTS * _CLIENTS * tenth, sizes, ended


def wrong(ended: Counter[str]) -> dict[str, int]:
    """Return the calls that ended as they must not."""
    right = {f"{kind}: OK" for kind in KINDS if kind != "malformed"}
    right |= {"malformed: INVALID_ARGUMENT", "short deadline: DEADLINE_EXCEEDED", "short deadline: CANCELLED", "end: 0"}
    return {how: count for how, count in ended.items() if how not in right}


def grown(first: Sizes, last: Sizes) -> list[str]:
    """Return what has grown more than it may."""
    found = []
    if last.resident - first.resident > _MOST_BYTES:
        found.append(f"{(last.resident - first.resident) / 1e6:.1f} MB of memory")
    found += [
        f"{after - before} {what}"
        for what, before, after in (
            ("threads", first.threads, last.threads),
            ("descriptors", first.files, last.files),
        )
        if after - before > _MOST_MORE
    ]
    return found + [f"a call that hasn't ended, in {stack}" for stack in last.busy]


def main(argv: list[str] | None = None) -> int:
    """Make the calls.

    Returns:
        1 where something has grown, or a call was answered wrongly.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.long.calls", description="Call a server very often.")
    parser.add_argument("--calls", type=int, default=1_000_000, help="default: %(default)s")
    parser.add_argument("--transport", choices=("grpcio", "h2"), default="grpcio")
    parser.add_argument("--function", choices=("mixed", "mixed_async"), default="mixed")
    options = parser.parse_args(argv)
    start = time.monotonic()
    seen: list[Sizes] = []
    ended: Counter[str] = Counter()
    for count, sizes, so_far in growth(options.calls, options.transport, options.function):
        seen.append(sizes)
        ended = so_far
        took = time.monotonic() - start
        print(
            f"{count:>9,} calls in {took:,.0f} s: {sizes.resident / 1e6:.1f} MB, {sizes.threads} threads and "
            f"{sizes.calls} for calls, {len(sizes.busy)} of them stuck, {sizes.files} descriptors",
            flush=True,
        )
    for how, count in sorted(ended.items()):
        print(f"  {how}: {count:,}")
    problems = [*grown(seen[0], seen[-1]), *(f"{count} calls of {how}" for how, count in wrong(ended).items())]
    print(f"{options.transport}: {'; '.join(problems) or 'flat, and all answered as they must be'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
