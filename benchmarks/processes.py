"""Servers in processes of their own: started, waited for, called, weighed."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import grpc

from benchmarks import models

__all__ = ["Server", "caller", "resident_bytes", "serving", "start"]

ROOT = Path(__file__).resolve().parents[1]
METHOD = "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction"
_OPTIONS = [
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.max_send_message_length", -1),
    ("grpc.max_receive_message_length", -1),
]
_PATIENCE_SECONDS = 30

Call = Callable[[bytes], bytes]


class Server:
    """A started server.

    Args:
        command: The program and its arguments, up to the address.
        arguments: Its arguments after the address.
        settings: Environment variables that it gets beside those of this process.

    Attributes:
        address: Where it listens, or will.
        process: Its process.
        started: When it was started, on the clock of time.perf_counter().
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        arguments: Sequence[str] = (),
        settings: Mapping[str, str] | None = None,
    ) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"
        environment = {**os.environ, **(settings or {})}
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            [*command, self.address, *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )

    def wait(self) -> float:
        """Wait until the server accepts connections; return the seconds since its start."""
        host, _, port = self.address.rpartition(":")
        while time.perf_counter() - self.started < _PATIENCE_SECONDS:
            with socket.socket() as probe:
                if probe.connect_ex((host, int(port))) == 0:
                    return time.perf_counter() - self.started
            if self.process.poll() is not None:
                break
            time.sleep(0.001)
        self.process.kill()
        assert self.process.stderr is not None
        raise AssertionError(
            f"the server doesn't listen: {self.process.stderr.read().decode()[-2000:]}"
        )

    def stop(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.communicate()


def start(
    module: str,
    *arguments: str,
    with_models: bool = True,
    python: str | Path = sys.executable,
    settings: Mapping[str, str] | None = None,
) -> Server:
    """Start a server.

    Args:
        module: The server's module in `benchmarks.functions`.
        *arguments: Its arguments.
        with_models: Whether it can import the models.
        python: The interpreter that runs it.
        settings: Environment variables that it gets beside those of this process.
    """
    paths = [str(ROOT), *([str(models.models_dir())] if with_models else [])]
    own = {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": ""}
    code = f"from benchmarks.functions.{module} import main; main()"
    return Server([python, "-c", code], arguments, {**own, **(settings or {})})


@contextlib.contextmanager
def serving(module: str, *arguments: str, **options: Any) -> Iterator[Server]:
    """Run a server until the end of the block, with the arguments of `start`; it listens at the
    start of the block.
    """
    server = start(module, *arguments, **options)
    try:
        server.wait()
        yield server
    finally:
        server.stop()


@contextlib.contextmanager
def caller(server: Server, credentials: grpc.ChannelCredentials | None = None) -> Iterator[Call]:
    """Open a connection; the block gets a function from request bytes to response bytes."""
    if credentials is None:
        opened = grpc.insecure_channel(server.address, _OPTIONS)
    else:
        opened = grpc.secure_channel(server.address, credentials, _OPTIONS)
    with opened as channel:
        method = channel.unary_unary(METHOD)
        yield lambda request: method(request, timeout=_PATIENCE_SECONDS, wait_for_ready=True)


def resident_bytes(process_id: int) -> int:
    """Return the resident memory of a process.

    Raises:
        SkipRow: The system doesn't say.
    """
    try:
        lines = Path(f"/proc/{process_id}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        raise models.SkipRow(
            "resident memory is read from /proc, which this system doesn't have"
        ) from None
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmRSS:"))
