"""Both transports under load: many clients, the end of a server, certificates that change."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest

from tests.runtime.certificates import Authority, write
from tests.runtime.serving import PREFIX, Serving, channel, code_of, raw_call, serving
from tests.support import Response, request

pytestmark = pytest.mark.slow

XR = {"apiVersion": "example.org/v1alpha1", "kind": "XStorageBucket", "metadata": {"name": "photos"}}
METHOD = PREFIX + "RunFunction"


@pytest.mark.parametrize("calls", [640, 10_000])
def test_64_clients(transport: str, calls: int) -> None:
    """64 clients with connections of their own, all calling at once, each get their own answers."""

    def client(number: int) -> int:
        right = 0
        with channel(server.address) as opened:
            method = opened.unary_unary(METHOD)
            for call in range(calls // 64):
                location = f"{number}-{call}"
                answer = method(request(xr={**XR, "spec": {"location": location}}), timeout=60, wait_for_ready=True)
                right += answer.count(location.encode()) == 1
        return right

    with serving("tests.runtime.functions:echo", "--insecure", "--transport", transport) as server:
        with ThreadPoolExecutor(64) as clients:
            assert sum(clients.map(client, range(64))) == calls // 64 * 64


@pytest.mark.parametrize("clients", [8, 64])
def test_end_under_load(transport: str, clients: int, tmp_path: Path) -> None:
    """When SIGTERM comes while clients call, each call that was begun is answered; the others are UNAVAILABLE.

    grpcio has another status for a call that it has read and not begun.
    """
    file = tmp_path / "calls"
    data = request(xr={**XR, "spec": {"file": str(file)}})
    ended: list[str] = []  # how each call ended; `append` needs no lock

    def client(_: int) -> None:
        with channel(server.address) as opened:
            method = opened.unary_unary(METHOD)
            while True:
                try:
                    answer = method(data, timeout=60)
                except grpc.RpcError as e:
                    ended.append(e.code().name)
                    return
                assert "bucket" in Response(answer).resources
                ended.append("OK")

    with serving("tests.runtime.functions:counting", "--insecure", "--transport", transport) as server:
        with ThreadPoolExecutor(clients) as pool:
            running = [pool.submit(client, number) for number in range(clients)]
            while ended.count("OK") <= 2 * clients:
                assert not any(one.done() for one in running)
                time.sleep(0.01)
            server.process.send_signal(signal.SIGTERM)
            for one in running:
                one.result(timeout=60)
        assert server.process.wait(timeout=60) == 0
    answered = Counter(ended)
    assert answered["OK"] == file.stat().st_size
    refused = {"UNAVAILABLE"} if transport == "h2" else {"UNAVAILABLE", "CANCELLED"}
    assert set(answered) - refused == {"OK"}
    assert sum(answered[code] for code in refused) == clients


@pytest.mark.parametrize("rotations", [5, 200])
def test_rotations_under_load(transport: str, rotations: int, tmp_path: Path) -> None:
    """While certificates change again and again, no handshake of a client with a good certificate fails."""
    authority = Authority()
    pairs = [authority.issue(f"server-{number}") for number in range(20)]
    directory = write(tmp_path / "certs", pairs[0], authority)
    mine = authority.issue("client")
    credentials = grpc.ssl_channel_credentials(authority.certificate, mine.key, mine.certificate)
    data = request(xr={**XR, "spec": {"location": "EU"}})
    over = threading.Event()

    def client(_: int) -> int:
        done = 0
        while not over.is_set():
            with channel(server.address, credentials) as opened:
                assert b"EU" in raw_call(opened, data, timeout=30)
            done += 1
        return done

    flags = ("--tls-certs-dir", str(directory), "--transport", transport)
    with serving("tests.runtime.functions:echo", *flags) as server:
        with ThreadPoolExecutor(4) as pool:
            running = [pool.submit(client, number) for number in range(4)]
            for number in range(rotations):
                time.sleep(0.05)
                write(directory, pairs[number % 20], authority)
            with channel(server.address, credentials) as opened:  # on a busy machine no client may have come yet
                raw_call(opened, data, timeout=30)
            over.set()
            assert all(one.result(timeout=60) > 0 for one in running)
        assert server.stop() == 0
    assert "certificates changed" in {record["msg"] for record in server.records}


ENDING = """
import sys
from crossplane_lite.runtime import log, server
from tests.runtime.functions import hanging
log.configure()
served = server.Server(hanging.run, transport=sys.argv[1])
served.listen("127.0.0.1:0")
served.serve(grace=2)
"""


def test_end_under_load_with_code_that_hangs(transport: str) -> None:
    """When SIGTERM comes while clients call and calls hang, each call that was begun and doesn't hang is answered.

    Code that hangs keeps the process for the time that calls have to end.
    """
    counted: Counter[str] = Counter()
    lock = threading.Lock()

    def client(number: int) -> None:
        with channel(server.address) as opened:
            method = opened.unary_unary(METHOD)
            call = 0
            while True:
                call += 1
                location = f"{number}-{call}"
                try:
                    right = location.encode() in method(request(xr={**XR, "spec": {"location": location}}), timeout=60)
                except grpc.RpcError as e:
                    with lock:
                        counted[e.code().name] += 1
                    return
                with lock:
                    counted["right" if right else "wrong"] += 1

    server = Serving([sys.executable, "-c", ENDING, transport])
    hanging = request(xr={**XR, "spec": {"hang": True}})
    with channel(server.address) as opened, ThreadPoolExecutor(16) as pool:
        stuck = [opened.unary_unary(METHOD).future(hanging, timeout=0.3) for _ in range(4)]
        assert {code_of(one.exception(timeout=60)) for one in stuck} == {"DEADLINE_EXCEEDED"}
        running = [pool.submit(client, number) for number in range(16)]
        time.sleep(0.7)
        assert server.stop() == 1
        for one in running:
            one.result(timeout=60)
    refused = {"UNAVAILABLE"} if transport == "h2" else {"UNAVAILABLE", "CANCELLED"}
    assert set(counted) - refused == {"right"}
    assert counted["right"] > 16
    assert sum(counted[code] for code in refused) == 16
