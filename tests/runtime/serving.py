"""Servers in processes of their own, and clients for them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
from crossplane.function.proto.v1 import run_function_pb2_grpc as grpcv1
from crossplane.function.proto.v1beta1 import run_function_pb2_grpc as grpcv1beta1

from crossplane_lite.runtime.server import Server
from crossplane_lite.runtime.tls import Certificates
from crossplane_lite.runtime.transports.limits import Limits

__all__ = [
    "PREFIX",
    "ROOT",
    "Serving",
    "channel",
    "in_process",
    "raw_call",
    "run_command",
    "serving",
    "stub",
    "stub_v1beta1",
]

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "/apiextensions.fn.proto.v1.FunctionRunnerService/"

_UNLIMITED = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]


class Serving:
    """A server that listens.

    Attributes:
        address: Where.
        process: The process.
        lines: What it logged until it listened; all of it after `stop`.
    """

    def __init__(self, command: list[str], env: dict[str, str] | None = None, cwd: Path = ROOT) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []
        self.address = self._wait()

    def _wait(self) -> str:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line)
            if "serving" in line and "address=" in line:  # as --debug writes it
                return line.split("address='")[1].split("'")[0]
            if line.startswith("{") and json.loads(line)["msg"] == "serving":
                return str(json.loads(line)["address"])
        raise AssertionError(f"the server ended before it listened: {''.join(self.lines)}")

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, unless it has ended already, and return its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        _, rest = self.process.communicate(timeout=60)
        self.lines += rest.splitlines(keepends=True)
        return self.process.returncode

    @property
    def records(self) -> list[dict[str, Any]]:
        """The log lines, parsed."""
        return [json.loads(line) for line in self.lines if line.startswith("{")]


@contextmanager
def serving(function: str, *flags: str, env: dict[str, str] | None = None) -> Iterator[Serving]:
    """Serve `module:function` on a free port until the end of the block."""
    command = [sys.executable, "-m", "crossplane_lite", "serve", function, "--address", "127.0.0.1:0", *flags]
    server = Serving(command, env)
    try:
        yield server
    finally:
        if server.process.returncode is None:
            server.stop()
        elif server.process.stderr is not None:
            server.process.stderr.close()


@contextmanager
def in_process(
    run: Callable[[bytes], bytes],
    transport: str,
    address: str = "127.0.0.1:0",
    *,
    threads: int = 4,
    limits: Limits | None = None,
    certificates: Certificates | None = None,
) -> Iterator[tuple[Server, str]]:
    """Run a server in this process until the end of the block."""
    before = set(threading.enumerate())
    server = Server(run, threads=threads, transport=transport, limits=limits)
    bound = server.listen(address, certificates)
    server.start()
    try:
        yield server, bound
    finally:
        server.stop(0)
        if transport == "h2":  # grpcio's threads stay until the process ends
            for thread in set(threading.enumerate()) - before:
                if thread.name.startswith("call_"):
                    thread.join(1)  # what they still hold would be garbage of other tests


@contextmanager
def channel(address: str, credentials: grpc.ChannelCredentials | None = None) -> Iterator[grpc.Channel]:
    """Open a channel with a connection of its own."""
    options = [("grpc.use_local_subchannel_pool", 1), *_UNLIMITED]
    if credentials is None:
        opened = grpc.insecure_channel(address, options)
    else:
        opened = grpc.secure_channel(address, credentials, options)
    with opened:
        yield opened


def stub(opened: grpc.Channel) -> Any:
    """Return the official SDK's generated client for v1."""
    return grpcv1.FunctionRunnerServiceStub(opened)  # type: ignore[no-untyped-call]


def stub_v1beta1(opened: grpc.Channel) -> Any:
    """Return the official SDK's generated client for v1beta1."""
    return grpcv1beta1.FunctionRunnerServiceStub(opened)  # type: ignore[no-untyped-call]


def raw_call(opened: grpc.Channel, request: bytes, timeout: float = 60) -> bytes:
    """Call RunFunction of v1 with bytes."""
    response: bytes = opened.unary_unary(PREFIX + "RunFunction")(request, timeout=timeout, wait_for_ready=True)
    return response


def run_command(
    *arguments: str, env: dict[str, str] | None = None, cwd: Path = ROOT
) -> subprocess.CompletedProcess[str]:
    """Run `crossplane-lite` to its end in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "crossplane_lite", *arguments],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
