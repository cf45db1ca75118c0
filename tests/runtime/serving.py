"""Servers in processes of their own, and clients for them."""

from __future__ import annotations

import importlib
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
import pytest

from crossplane_lite.runtime.server import Server
from crossplane_lite.runtime.tls import Certificates
from crossplane_lite.runtime.transports.budget import Limits

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

    What it logs is read all the time: a server whose log nobody takes stands still as soon as the pipe is full.

    Attributes:
        address: Where.
        process: The process.
        lines: What it has logged so far; all of it after `stop`.
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
        self._news = threading.Condition()
        self._ended = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.address = _address(self.line(lambda line: _address(line) != ""))

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            with self._news:
                self.lines.append(line)
                self._news.notify_all()
        with self._news:
            self._ended = True
            self._news.notify_all()

    def line(self, wanted: Callable[[str], bool], timeout: float = 60) -> str:
        """Return the first line of the log that is wanted, when it is there."""
        seen = 0
        with self._news:
            while True:
                for line in self.lines[seen:]:
                    if wanted(line):
                        return line
                seen = len(self.lines)
                if self._ended:
                    raise AssertionError(f"the server has ended without that line: {''.join(self.lines)}")
                if not self._news.wait(timeout):
                    raise AssertionError(f"the line hasn't come in {timeout} s: {''.join(self.lines)}")

    def record(self, message: str, timeout: float = 60) -> dict[str, Any]:
        """Return the first record of the log with that message, when it is there."""
        line = self.line(lambda line: line.startswith("{") and json.loads(line)["msg"] == message, timeout)
        found: dict[str, Any] = json.loads(line)
        return found

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, unless it has ended already, and return its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.wait(60)
        self._reader.join(60)
        if self.process.stderr is not None:
            self.process.stderr.close()
        return self.process.returncode

    @property
    def records(self) -> list[dict[str, Any]]:
        """The log lines, parsed."""
        return [json.loads(line) for line in self.lines if line.startswith("{")]


def _address(line: str) -> str:
    """Return the address in the line that says where it serves, of another line nothing."""
    if "serving" in line and "address=" in line:  # as --debug writes it
        return line.split("address='")[1].split("'")[0]
    if line.startswith("{") and json.loads(line)["msg"] == "serving":
        return str(json.loads(line)["address"])
    return ""


@contextmanager
def serving(function: str, *flags: str, env: dict[str, str] | None = None) -> Iterator[Serving]:
    """Serve `module:function` on a free port until the end of the block."""
    command = [sys.executable, "-m", "crossplane_lite", "serve", function, "--address", "127.0.0.1:0", *flags]
    server = Serving(command, env)
    try:
        yield server
    finally:
        server.stop()


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
    limits = (limits or Limits())._replace(threads=threads)
    server = Server(run, certificates, transport=transport, limits=limits)
    bound = server.listen(address)
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
    return _official("v1").FunctionRunnerServiceStub(opened)


def stub_v1beta1(opened: grpc.Channel) -> Any:
    """Return the official SDK's generated client for v1beta1."""
    return _official("v1beta1").FunctionRunnerServiceStub(opened)


def _official(version: str) -> Any:
    try:
        return importlib.import_module(f"crossplane.function.proto.{version}.run_function_pb2_grpc")
    except RuntimeError as error:  # grpcio is older than the one that this code is generated for
        pytest.skip(f"the official SDK's client can't be used: {error}")


def raw_call(opened: grpc.Channel, request: bytes, timeout: float = 60) -> bytes:
    """Call RunFunction of v1 with bytes. A short timeout begins when the connection is there."""
    if timeout < 5:
        grpc.channel_ready_future(opened).result(60)
    response: bytes = opened.unary_unary(PREFIX + "RunFunction")(request, timeout=timeout, wait_for_ready=True)
    return response


def code_of(error: Any) -> str:
    """Return the status of a failed call; DEADLINE_EXCEEDED for each of the two that end a call at its deadline.

    A server of grpcio cancels the call at that moment, and the client may hear of this before its own clock rings.
    """
    code = str(error.code().name)
    return "DEADLINE_EXCEEDED" if code == "CANCELLED" else code


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
