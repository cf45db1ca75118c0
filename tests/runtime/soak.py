"""Calls of all kinds for long, while certificates change: `python -m tests.runtime.soak [--minutes 30]`.

Clients call with short and long deadlines, cancel calls, get answers of 1.2 MB, connect again, and others send noise.
Certificates are replaced every 50 ms. A line each ten seconds has the server's memory, threads and open files, and how
often each status came back. The exit status is 1 after a status that no call expects, or if something has grown since
the second third.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import grpc

from benchmarks.processes import resident_bytes
from crossplane_lite.runtime.transports import NAMES
from tests.runtime.attackers import sized
from tests.runtime.certificates import Authority, write
from tests.runtime.serving import Serving, channel, raw_call

__all__ = ["main", "soak"]

_MOST_GROWTH = 8 << 20
_LARGE = 1_200_000


class Clients:
    """Threads that call a server until the end, each in its own way.

    Attributes:
        statuses: How often each status came back, by what was called.
    """

    def __init__(self, address: str, credentials: grpc.ChannelCredentials) -> None:
        self.statuses: Counter[str] = Counter()
        self.over = threading.Event()
        self._address = address
        self._credentials = credentials
        kinds = (self._calls, self._calls, self._large, self._deadlines, self._cancels, self._connects, self._noise)
        self._threads = [threading.Thread(target=self._run, args=(kind,), daemon=True) for kind in kinds]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """End all threads."""
        self.over.set()
        for thread in self._threads:
            thread.join(60)

    def _run(self, kind: Callable[[], None]) -> None:
        while not self.over.is_set():
            kind()

    def _call(self, what: str, opened: grpc.Channel, size: int, timeout: float) -> None:
        try:
            answer = raw_call(opened, sized(size)[5:], timeout)
            code = "OK" if len(answer) > size else "too short"
        except grpc.RpcError as error:
            code = error.code().name
        self.statuses[f"{what}: {code}"] += 1

    def _opened(self) -> contextlib.AbstractContextManager[grpc.Channel]:
        return channel(self._address, self._credentials)

    def _calls(self) -> None:
        with self._opened() as opened:
            for _ in range(200):
                self._call("small", opened, random.choice((1, 10, 5000)), 30)
                time.sleep(0.002)

    def _large(self) -> None:
        with self._opened() as opened:
            for _ in range(20):
                self._call("large", opened, _LARGE, 30)
                time.sleep(0.02)

    def _deadlines(self) -> None:
        with self._opened() as opened:
            raw_call(opened, b"", 30)
            for _ in range(50):
                self._call("short", opened, _LARGE, random.choice((0.0005, 0.001, 0.003)))
                time.sleep(0.01)

    def _cancels(self) -> None:
        with self._opened() as opened:
            method = opened.unary_unary("/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction")
            for _ in range(50):
                future = method.future(sized(_LARGE)[5:], timeout=30, wait_for_ready=True)
                time.sleep(random.random() / 200)
                future.cancel()
                self.statuses["cancelled"] += 1

    def _connects(self) -> None:
        with self._opened() as opened:
            self._call("new", opened, 1, 30)

    def _noise(self) -> None:
        host, _, port = self._address.rpartition(":")
        with contextlib.suppress(OSError), socket.create_connection((host, int(port)), timeout=5) as sock:
            sock.sendall(os.urandom(random.randrange(2000)))
            time.sleep(random.random() / 20)
        self.statuses["noise"] += 1


def soak(transport: str, seconds: float, say: Callable[[str], None] = print) -> list[str]:
    """Run all kinds of calls for so long, and return what is wrong."""
    authority = Authority()
    pairs = [authority.issue(f"server-{number}") for number in range(20)]
    mine = authority.issue("client")
    credentials = grpc.ssl_channel_credentials(authority.certificate, mine.key, mine.certificate)
    with tempfile.TemporaryDirectory() as folder:
        directory = write(Path(folder) / "certs", pairs[0], authority)
        command = [sys.executable, "-m", "tests.runtime.attacked", transport, "127.0.0.1:0", str(directory)]
        server = Serving(command, {"MALLOC_ARENA_MAX": "1", "PYTHONFAULTHANDLER": "1"})
        process = server.process.pid
        seen: list[tuple[int, int, int]] = []
        clients = Clients(server.address, credentials)
        end = time.monotonic() + seconds
        said = time.monotonic()
        number = 0
        while time.monotonic() < end and server.process.poll() is None:
            time.sleep(0.05)
            number += 1
            write(directory, pairs[number % 20], authority)
            if number % 20 == 0 and server.process.poll() is None:
                tasks = len(os.listdir(f"/proc/{process}/task"))
                seen.append((resident_bytes(process), tasks, len(os.listdir(f"/proc/{process}/fd"))))
            if time.monotonic() - said > 10:
                said = time.monotonic()
                memory, threads, files = seen[-1]
                say(f"{transport}: {memory >> 20} MB, {threads} threads, {files} files, {dict(clients.statuses)}")
        ended = server.process.poll()
        clients.end()
        status = server.stop()
        if ended is not None:
            return [f"the server has ended after {number:,} changes, with {ended}", *server.lines[-40:]]
    return [*([f"the exit status is {status}"] if status else []), *_wrong(clients.statuses), *_grown(seen)]


def _wrong(statuses: Counter[str]) -> list[str]:
    expected = {"small: OK", "large: OK", "new: OK", "short: OK", "short: DEADLINE_EXCEEDED", "cancelled", "noise"}
    return [f"{count:,} x {what}" for what, count in statuses.items() if what not in expected]


def _grown(seen: list[tuple[int, int, int]]) -> list[str]:
    """Return what is larger in the last third than in the second, each by its median."""
    third = len(seen) // 3
    found = []
    for name, at, most in (("memory", 0, _MOST_GROWTH), ("threads", 1, 16), ("files", 2, 8)):
        early, late = (statistics.median(one[at] for one in part) for part in (seen[third : 2 * third], seen[-third:]))
        if late - early > most:
            found.append(f"{name} grew from {early:,.0f} to {late:,.0f}")
    return found


def main(argv: list[str] | None = None) -> int:
    """Soak the transports one after the other."""
    parser = argparse.ArgumentParser(prog="python -m tests.runtime.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30, help="for each transport; default: %(default)s")
    parser.add_argument("--transport", action="append", choices=NAMES, help="default: both")
    options = parser.parse_args(argv)
    failed = False
    for transport in options.transport or NAMES:
        wrong = soak(transport, options.minutes * 60)
        print(f"{transport}: {'; '.join(wrong) or 'nothing is wrong'}", flush=True)
        failed = failed or bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
