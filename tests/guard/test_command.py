"""The command `crossplane-lite guard`, in front of a function of the official SDK in a process of its own."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import yaml as pyyaml  # type: ignore[import-untyped]

from crossplane_lite.errors import InputError
from crossplane_lite.runtime import guarding
from crossplane_lite.runtime.transports.client import Target
from tests.guard.test_notes import lose, provide
from tests.runtime import certificates
from tests.runtime.serving import Serving, channel, raw_call, run_command
from tests.safety.cluster import Cluster

_MEGABYTES = 1024
_MOST_MEMORY = 30 * _MEGABYTES


@pytest.fixture(scope="module")
def function() -> Iterator[Serving]:
    """The function without the guard."""
    server = Serving([sys.executable, "-m", "tests.guard.served", "lost_field", "0"])
    yield server
    server.stop()


def guard(function: Serving, *flags: str) -> Serving:
    """Start a guard in front of the function."""
    command = [sys.executable, "-m", "crossplane_lite", "guard", "--target", function.address]
    return Serving([*command, "--address", "127.0.0.1:0", "--name", "net", *flags])


@pytest.fixture(scope="module")
def guarded(function: Serving) -> Iterator[Serving]:
    """The guard."""
    server = guard(function, "--insecure", "--transport", "h2")
    yield server
    server.stop()


class Remote:
    """A function on a server, as a step of a pipeline."""

    def __init__(self, server: Serving) -> None:
        self._target = Target(server.address)

    def run(self, data: bytes) -> bytes:
        """Answer a request."""
        return self._target.call(data, time.monotonic() + 20)


def test_one_container_protects_a_function(function: Serving, guarded: Serving) -> None:
    """The same loss deletes two resources without the guard, and none behind it."""
    deleted = []
    for server in (function, guarded):
        cluster = Cluster(Remote(server))
        for _ in range(4):
            cluster.reconcile()
            provide(cluster)
        lose(cluster)
        deleted.append(sorted(cluster.reconcile().deleted))
    assert deleted == [["subnet", "table"], []]


def test_certificates(function: Serving, tmp_path: Path) -> None:
    """The guard serves with the certificates of the function: a client without one isn't answered."""
    authority = certificates.Authority()
    folder = certificates.write(tmp_path / "server", authority.issue("localhost"), authority)
    own = authority.issue("client")
    server = guard(function, "--tls-certs-dir", str(folder))
    try:
        shown = grpc.ssl_channel_credentials(authority.certificate, own.key, own.certificate)
        with channel(server.address.replace("127.0.0.1", "localhost"), shown) as opened:
            assert raw_call(opened, Cluster().request().SerializeToString())
        nobody = grpc.ssl_channel_credentials(authority.certificate)
        with channel(server.address.replace("127.0.0.1", "localhost"), nobody) as opened, pytest.raises(grpc.RpcError):
            opened.unary_unary("/x")(b"", timeout=5)
    finally:
        server.stop()


def test_signals_and_keys(function: Serving, tmp_path: Path) -> None:
    """Flags reach the guard: a signal lets go what hangs on it, with signed notes."""
    key = tmp_path / "key"
    key.write_text("0123456789abcdef0123456789abcdef\n")
    server = guard(function, "--insecure", "--key-file", str(key), "--signal", "vpc.status.atProvider.id")
    try:
        cluster = Cluster(Remote(server))
        for _ in range(4):
            cluster.reconcile()
            provide(cluster)
        assert '"k":"' in str(cluster.objects["subnet"].live["metadata"]["annotations"])
        lose(cluster)
        assert sorted(cluster.reconcile().deleted) == ["subnet", "table"]
    finally:
        server.stop()


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ([], "no target was given"),
        (["--target", "localhost:1"], "no certificates"),
        (["--target", "localhost:1", "extra"], "argument too many"),
        (["--target", "localhost", "--insecure"], "must be host:port"),
        (["--target", "localhost:1", "--insecure", "--key-file", "/nowhere"], "can't be read"),
        (["--target", "localhost:1", "--insecure", "--let-go-after", "soon"], "number of seconds"),
        (["--target", "localhost:1", "--workers", "2"], "--help lists all flags"),
        (["--target", "localhost:1", "--insecure", "--name", "a,b"], "not a name"),
    ],
)
def test_wrong_flags(arguments: list[str], text: str) -> None:
    """The error of a wrong command line names the argument that is missing or wrong."""
    with pytest.raises(InputError, match=text):
        guarding.command(arguments)


def test_a_key_that_is_too_short(tmp_path: Path) -> None:
    """A key that can be guessed is refused."""
    key = tmp_path / "key"
    key.write_text("short")
    with pytest.raises(InputError, match="a key needs 16 or more"):
        guarding.command(["--target", "localhost:1", "--insecure", "--key-file", str(key)])


def test_the_manifest(capsys: pytest.CaptureFixture[str]) -> None:
    """The manifest is a DeploymentRuntimeConfig: the function listens on loopback, and the guard calls it there."""
    assert guarding.command(["--manifest", "function-network"]) == 0
    found: dict[str, Any] = pyyaml.safe_load(capsys.readouterr().out)
    assert (found["kind"], found["metadata"]["name"]) == ("DeploymentRuntimeConfig", "function-network-guarded")
    own, sidecar = found["spec"]["deploymentTemplate"]["spec"]["template"]["spec"]["containers"]
    listens = own["args"][1].removeprefix("--address=")
    given, others = guarding.flags.parse(sidecar["args"], guarding.FLAGS)
    assert (given["target"], given["name"], others) == (listens, "function-network", [])
    assert given["tls-certs-dir"] == sidecar["volumeMounts"][0]["mountPath"] == "/tls/server"


def test_help() -> None:
    """The help lists the flags of the guard and of serving."""
    done = run_command("guard", "--help")
    assert done.returncode == 0
    for flag in ("--target", "--signal", "--let-go-after", "--tls-certs-dir", "--metrics-address"):
        assert flag in done.stdout


@pytest.mark.slow
def test_memory_and_time(function: Serving, guarded: Serving) -> None:
    """Over h2 a guard takes at most thirty megabytes after a thousand calls."""
    cluster = Cluster(Remote(guarded))
    for _ in range(4):
        cluster.reconcile()
        provide(cluster, **{f"field{number}": "x" * 40 for number in range(40)})
    data = cluster.request().SerializeToString()
    remote = Remote(guarded)
    took = []
    for _ in range(1000):
        start = time.perf_counter()
        remote.run(data)
        took.append(time.perf_counter() - start)
    status = Path(f"/proc/{guarded.process.pid}/status").read_text()
    kilobytes = int(status.partition("VmRSS:")[2].split()[0])
    assert kilobytes < _MOST_MEMORY
    assert statistics.median(took) < 1
