"""Running functions in this process and on servers."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from crossplane.function.proto.v1 import run_function_pb2_grpc as grpcv1
from crossplane.function.proto.v1beta1 import run_function_pb2_grpc as grpcv1beta1

from crossplane_lite import composition
from crossplane_lite._tools.render.functions import InProcess, Remote, runners_of
from crossplane_lite._tools.render.rendered import RenderError
from crossplane_lite.errors import InputError, UsageError
from crossplane_lite.render import Step, render
from crossplane_lite.runtime.server import Server
from crossplane_lite.runtime.tls import Certificates
from crossplane_lite.runtime.transports.budget import Limits
from tests.render.scripted import Scripted
from tests.runtime import functions
from tests.runtime.certificates import Authority, CrossplaneAuthority, write
from tests.runtime.serving import ROOT, in_process
from tests.support import Response, request

XR = {"apiVersion": "example.org/v1", "kind": "XBucket", "metadata": {"name": "photos"}, "spec": {"location": "EU"}}


def location(answer: bytes) -> Any:
    """Return where the bucket of an answer is to be."""
    return Response(answer).resources["bucket"]["spec"]["forProvider"]["location"]


@composition.function
def slow(ctx: composition.Context) -> None:
    """Takes a little."""
    time.sleep(0.2)


def test_in_process() -> None:
    """A composition function is run with the bytes of a request."""
    assert location(InProcess(functions.echo).run(request(xr=XR), 60)) == "EU"


@pytest.mark.slow
def test_no_limit_in_process() -> None:
    """A function in this process has no time limit, in whichever step, so that debuggers aren't disturbed."""
    steps = [Step("one", "f"), Step("two", "f")]
    assert len(render(XR, steps, {"f": slow}, timeout=0.05).steps) == 2


def test_time_is_over() -> None:
    """When the time of all steps is over before a call of a server, that is an error, and no call."""
    with Remote("localhost:1") as remote, pytest.raises(RenderError, match="^the time limit of all steps was over"):
        remote.run(request(xr=XR), 0)


def test_malformed_request() -> None:
    """A request that can't be read is an error."""
    with pytest.raises(RenderError, match="can't read its request: the request is not a RunFunctionRequest"):
        InProcess(functions.echo).run(b"\xff", 60)


def test_runners() -> None:
    """Composition functions are wrapped, runners taken as they are, and anything else is refused."""
    remote, scripted = Remote("localhost:1"), Scripted(lambda *_: None)
    found = runners_of({"a": functions.echo, "b": remote, "c": scripted})
    assert isinstance(found["a"], InProcess)
    assert (found["b"], found["c"]) == (remote, scripted)
    with pytest.raises(UsageError, match="function 'd' must be a @composition.function, .* or a runner .*got a fun"):
        runners_of({"d": lambda ctx: None})  # type: ignore[dict-item]


@contextmanager
def own_server(function: Callable[[bytes], bytes]) -> Iterator[str]:
    """Serve bytes on our own server, and yield its address."""
    server = Server(function, limits=Limits(receive_bytes=64 << 20))
    address = server.listen("127.0.0.1:0")
    server.start()
    try:
        yield address
    finally:
        server.stop(0)


class Official(grpcv1.FunctionRunnerServiceServicer):
    """Answers with a context that says which service was called."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.calls = 0

    def RunFunction(self, req: Any, context: grpc.ServicerContext) -> Any:
        """Answer a request."""
        self.calls += 1
        response = fnv1.RunFunctionResponse(meta=fnv1.ResponseMeta(tag=req.meta.tag))
        response.context.update({"service": self.name})
        return response


@contextmanager
def official_server(*versions: Any) -> Iterator[str]:
    """Serve with the official SDK's generated code."""
    server = grpc.server(futures.ThreadPoolExecutor(2))
    for version, servicer in versions:
        version.add_FunctionRunnerServiceServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None)


def service(answer: bytes) -> Any:
    """Return which service an answer is from."""
    return fnv1.RunFunctionResponse.FromString(answer).context["service"]


def test_remote() -> None:
    """A function on our own server gives what it gives in this process."""
    with own_server(functions.echo.run) as address, Remote(address) as remote:
        assert location(remote.run(request(xr=XR), 60)) == "EU"


@pytest.mark.parametrize("transport", ["grpcio", "h2"])
def test_mutual_tls(tmp_path: Path, transport: str) -> None:
    """A server with mutual TLS answers who trusts its authority, has its certificate, and knows the server's name."""
    authority, other = Authority(), Authority()
    there, here = (write(tmp_path / name, authority.issue(name), authority) for name in ("there", "here"))
    stranger = write(tmp_path / "stranger", other.issue("stranger"), authority)
    distrustful = write(tmp_path / "distrustful", authority.issue("distrustful"), other)
    with in_process(functions.echo.run, transport, certificates=Certificates(str(there))) as (_, address):
        for remote in (Remote(address, here), Remote(address, str(here), "localhost")):
            with remote:
                assert location(remote.run(request(xr=XR), 60)) == "EU"
        for remote in (Remote(address, stranger), Remote(address, distrustful), Remote(address, here, "example.org")):
            with remote, pytest.raises(RenderError, match=rf"^the call of the function at {address} failed: UNAVAIL"):
                remote.run(request(xr=XR), 60)
        with Remote(address) as remote, pytest.raises(RenderError, match="--tls-certs-dir"):
            remote.run(request(xr=XR), 60)


@pytest.mark.parametrize("transport", ["grpcio", "h2"])
def test_crossplanes_own_certificate(tmp_path: Path, transport: str) -> None:
    """The certificate with which Crossplane calls functions is good for clients only, and good enough."""
    authority = CrossplaneAuthority()
    there, here = (write(tmp_path / name, authority.issue(name), authority) for name in ("server", "client"))
    with in_process(functions.echo.run, transport, certificates=Certificates(str(there))) as (_, address):
        with Remote(address, here, "localhost") as remote:
            assert location(remote.run(request(xr=XR), 60)) == "EU"
    with Remote(address, here, "localhost") as remote, pytest.raises(RenderError, match="nothing listens there"):
        remote.run(request(xr=XR), 5)


def test_certificates_that_cannot_be_used(tmp_path: Path) -> None:
    """A missing or broken file of a client's certificate is an error before any call, and names the file."""
    authority = Authority()
    here = write(tmp_path / "here", authority.issue("here"), authority)
    (here / "ca.crt").write_bytes(b"")
    with pytest.raises(InputError, match=r"ca\.crt"):
        Remote("localhost:1", here)
    with pytest.raises(InputError, match=r"nowhere"):
        Remote("localhost:1", tmp_path / "nowhere")


def test_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server on this machine isn't looked for behind a proxy."""
    for name in ("http_proxy", "https_proxy", "grpc_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("no_grpc_proxy", raising=False)
    with own_server(functions.echo.run) as address, Remote(address) as remote:
        assert location(remote.run(request(xr=XR), 60)) == "EU"


def test_both_versions() -> None:
    """A server that knows v1 is called by v1."""
    v1, beta = Official("v1"), Official("v1beta1")
    with official_server((grpcv1, v1), (grpcv1beta1, beta)) as address, Remote(address) as remote:
        assert service(remote.run(request(xr=XR), 60)) == "v1"
    assert (v1.calls, beta.calls) == (1, 0)


def test_v1beta1() -> None:
    """A server that knows v1beta1 only is called by that, and at once the next time."""
    beta = Official("v1beta1")
    with official_server((grpcv1beta1, beta)) as address, Remote(address) as remote:
        assert [service(remote.run(request(xr=XR), 60)) for _ in range(3)] == ["v1beta1"] * 3
    assert beta.calls == 3


def test_no_version() -> None:
    """A server of something else is an error with its status."""
    with (
        official_server() as address,
        Remote(address) as remote,
        pytest.raises(RenderError, match=rf"^the call of the function at {address} failed: UNIMPLEMENTED: "),
    ):
        remote.run(request(xr=XR), 60)


@pytest.mark.slow
def test_large() -> None:
    """Requests and answers far over gRPC's usual limit of 4 MB pass."""
    xr = {**XR, "spec": {"location": "x" * (6 << 20)}}
    with own_server(functions.echo.run) as address, Remote(address) as remote:
        assert len(location(remote.run(request(xr=xr), 60))) == 6 << 20


def test_nobody_listens() -> None:
    """An address where nobody listens fails at once, with address and status."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        began = time.monotonic()
        with Remote(address) as remote, pytest.raises(RenderError, match=f"^no server answers at {address}; "):
            remote.run(request(xr=XR), 20)
    assert time.monotonic() - began < 20


@pytest.mark.slow
def test_nobody_answers() -> None:
    """A server that takes connections and says nothing fails when the time is over."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"127.0.0.1:{mute.getsockname()[1]}"
        began = time.monotonic()
        with (
            Remote(address) as remote,
            pytest.raises(RenderError, match=f"^the call of the function at {address} failed: DEADLINE_EXCEED"),
        ):
            remote.run(request(xr=XR), 0.3)
    assert 0.2 < time.monotonic() - began < 10


@pytest.mark.slow
def test_slow_server() -> None:
    """A function that takes too long on a server fails when the time is over."""
    going = threading.Event()

    def wait(data: bytes) -> bytes:
        going.wait(60)
        return b""

    with own_server(wait) as address, Remote(address) as remote:
        with pytest.raises(RenderError, match="DEADLINE_EXCEEDED|CANCELLED"):
            remote.run(request(xr=XR), 0.2)
        going.set()


def test_status_of_the_function() -> None:
    """An error status of the function itself comes with its text."""
    with own_server(functions.echo.run) as address, Remote(address) as remote:
        with pytest.raises(RenderError, match="INVALID_ARGUMENT: the request is not a RunFunctionRequest"):
            remote.run(b"\xff", 60)
        assert location(remote.run(request(xr=XR), 60)) == "EU"


def test_address_that_is_none() -> None:
    """A target that can't be one is an error of the call, with the target and the form of addresses in it."""
    with Remote("no such host.invalid:x") as remote, pytest.raises(RenderError, match="invalid:x.*is host:port"):
        remote.run(request(xr=XR), 5)


def test_closing() -> None:
    """Closing twice does no harm, and a call after it opens a new connection."""
    with own_server(functions.echo.run) as address:
        remote = Remote(address)
        remote.close()
        for _ in range(2):
            assert location(remote.run(request(xr=XR), 60)) == "EU"
            remote.close()
            remote.close()


@pytest.mark.slow
def test_lazy_import() -> None:
    """Rendering in this process loads neither gRPC nor asyncio."""
    code = (
        "import sys; from crossplane_lite.render import render, Step, InProcess, Remote; "
        "Remote('localhost:1'); print(sorted({'grpc', 'asyncio', 'yaml', 'uuid'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"
