"""Clients that others wrote, and h2spec, on both transports.

The programs in Go are built through the Go module proxy when they are first needed.
"""

from __future__ import annotations

import _ssl
import asyncio
import json
import ssl
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest

from crossplane_lite.runtime.tls import Certificates
from tests.runtime.certificates import Authority, CrossplaneAuthority, write
from tests.runtime.go_programs import H2SPEC, grpc_client, installed
from tests.runtime.serving import PREFIX, channel, code_of, in_process, raw_call

METHOD = PREFIX + "RunFunction"


def echo(request: bytes) -> bytes:
    """Answers what it was asked; `wait` after two seconds."""
    if request == b"wait":
        time.sleep(2)
    return request


@pytest.fixture(scope="module")
def address(transport: str) -> Iterator[str]:
    """The address of a server without TLS."""
    with in_process(echo, transport) as (_, bound):
        yield bound


def test_grpcio_with_gzip(address: str, transport: str) -> None:
    """If a client compresses its requests, grpcio answers, and h2 says that it takes none."""
    data = b"0123456789abcdef" * 10_000
    with channel(address) as opened:
        call = opened.unary_unary(METHOD)
        if transport == "grpcio":
            assert call(data, compression=grpc.Compression.Gzip, timeout=30) == data
            return
        with pytest.raises(grpc.RpcError) as caught:
            call(data, compression=grpc.Compression.Gzip, timeout=30)
        assert code_of(caught.value) == "UNIMPLEMENTED"
        assert call(data, timeout=30) == data


@pytest.mark.sample(1)
def test_grpcio_with_a_deadline(address: str) -> None:
    """grpcio's client gets DEADLINE_EXCEEDED in time, and the connection goes on."""
    with channel(address) as opened:
        start = time.monotonic()
        with pytest.raises(grpc.RpcError) as caught:
            raw_call(opened, b"wait", timeout=0.3)
        assert code_of(caught.value) == "DEADLINE_EXCEEDED"
        assert time.monotonic() - start < 10
        assert raw_call(opened, b"next") == b"next"


@pytest.mark.slow
@pytest.mark.sample(1)
def test_many_clients_of_grpcio(address: str) -> None:
    """16 clients with connections of their own each get their own answers."""

    def client(number: int) -> bool:
        with channel(address) as opened:
            texts = [b"%d of %d" % (call, number) * 50 for call in range(30)]
            return [raw_call(opened, text) for text in texts] == texts

    with ThreadPoolExecutor(16) as clients:
        assert all(clients.map(client, range(16)))


@pytest.mark.slow
def test_grpcio_aio(address: str) -> None:
    """grpcio's client on asyncio gets the answers of 200 calls at once, small and large."""

    async def calls() -> list[bytes]:
        async with grpc.aio.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)]) as opened:
            method = opened.unary_unary(METHOD)
            return list(await asyncio.gather(*(method(text, timeout=60) for text in texts)))

    texts = [b"%d" % number * (20_000 if number % 10 == 0 else 5) for number in range(200)]
    assert asyncio.run(calls()) == texts


GO_RESULTS = {
    "v1": "OK",
    "v1beta1": "OK",
    "empty": "OK",
    "large": "OK",
    "gzip": "OK",
    "too large": "ResourceExhausted",
    "unknown method": "Unimplemented",
    "deadline": "DeadlineExceeded",
    "list": "3 of 3 serving",
}


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("secure", [False, Authority, CrossplaneAuthority], ids=["plain", "tls", "core init"])
def test_grpc_go(transport: str, secure: Any, tmp_path: Path) -> None:
    """grpc-go, which Crossplane calls functions with, gets the right answer to each kind of call, also 3,200 in all."""
    program = grpc_client()
    certificates = None
    folder = tmp_path / "certs"
    if secure:
        if secure is CrossplaneAuthority and transport == "h2" and getattr(_ssl, "__file__", None) is None:
            pytest.skip("this Python hides OpenSSL's functions")
        authority = secure()
        write(folder, authority.issue("server"), authority)
        pair = authority.issue("client")
        (folder / "client.crt").write_bytes(pair.certificate)
        (folder / "client.key").write_bytes(pair.key)
        certificates = Certificates(str(folder))
    with in_process(echo, transport, certificates=certificates) as (_, address):
        arguments = [str(program), address, *([str(folder)] if secure else [])]
        done = subprocess.run(arguments, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    results = GO_RESULTS if transport == "grpcio" else {**GO_RESULTS, "gzip": "Unimplemented"}
    assert json.loads(done.stdout) == {"results": results, "many": {"OK": 3200}}


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("secure", [False, True], ids=["plain", "tls"])
def test_h2spec(secure: bool, tmp_path: Path) -> None:
    """The h2 transport passes all tests of h2spec, generic, HTTP/2 and HPACK, the strict ones included."""
    program = installed(H2SPEC)
    flags = ["--strict", "--timeout", "5"]
    certificates = None
    if secure:
        authority = Authority()
        certificates = Certificates(str(write(tmp_path / "certs", authority.issue("server"), authority)))
        # h2spec has no certificate to show.
        certificates.context.verify_mode = ssl.CERT_NONE
        flags += ["--tls", "--insecure"]
    with in_process(echo, "h2", certificates=certificates) as (_, address):
        host, _, port = address.rpartition(":")
        command = [str(program), "--host", host, "--port", port, *flags]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1] == "146 tests, 146 passed, 0 skipped, 0 failed"
