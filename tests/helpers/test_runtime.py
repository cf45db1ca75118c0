"""Serving functions that handle raw messages."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from crossplane_lite import runtime
from crossplane_lite.errors import InputError, UsageError
from crossplane_lite.proto import METHOD, V1_SERVICE, V1BETA1_SERVICE
from crossplane_lite.proto.v1 import run_function_pb2 as fnv1
from crossplane_lite.proto.v1 import run_function_pb2_grpc as grpcv1
from crossplane_lite.proto.v1beta1 import run_function_pb2 as fnv1beta1
from crossplane_lite.proto.v1beta1 import run_function_pb2_grpc as grpcv1beta1
from crossplane_lite.runtime import _message_functions
from tests.helpers.families import FAMILIES, official, stable

# The official SDK's client is among what they need, too.
official("runtime")
from tests.runtime.certificates import Authority, write  # noqa: E402
from tests.runtime.serving import Serving, channel  # noqa: E402
from tests.support import cancelled  # noqa: E402

SOURCE = Path(__file__).parent / "official_function.py"


@contextmanager
def running(*command: str) -> Iterator[Serving]:
    """Run a program that serves, until the end of the block."""
    server = Serving([sys.executable, *command])
    try:
        yield server
    finally:
        if server.process.returncode is None:
            ended(server)


def ended(server: Serving) -> Serving:
    """End a program; what it has logged is complete then."""
    server.stop()
    return server


def served(name: str, *how: str) -> Any:
    """Serve one of the functions of `tests.helpers.functions`."""
    return running("-m", "tests.helpers.functions", name, *how)


def call(opened: grpc.Channel, data: bytes, service: str = V1_SERVICE) -> bytes:
    """Call a function with the bytes of a request."""
    answer: bytes = opened.unary_unary(f"/{service}/{METHOD}")(data, timeout=60, wait_for_ready=True)
    return answer


def requests() -> list[bytes]:
    """Return requests for the function that is written for the official SDK."""
    first = fnv1.RunFunctionRequest()
    first.meta.tag = "first"
    first.observed.composite.resource.update(
        {"metadata": {"name": "my-xr"}, "spec": {"zones": ["a", "b"], "size": 3}, "status": {"old": 1}}
    )
    first.desired.resources["other"].resource.update({"kind": "Other"})
    first.context.update({"k": [1, None]})
    first.credentials["cloud"].credential_data.data["user"] = b"admin"
    second = fnv1.RunFunctionRequest()
    second.CopyFrom(first)
    second.meta.capabilities.extend([fnv1.CAPABILITY_CAPABILITIES, fnv1.CAPABILITY_REQUIRED_SCHEMAS])
    second.observed.resources["bucket-a"].resource.update(
        {"status": {"conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2024-01-01T00:00:00Z"}]}}
    )
    second.required_resources["configs"].items.add().resource.update({"kind": "ConfigMap", "data": {"a": "b"}})
    second.required_resources["ops.crossplane.io/watched-resource"].items.add().resource.update({"kind": "Pod"})
    second.required_schemas["bucket"].openapi_v3.update({"type": "object"})
    return [first.SerializeToString(), second.SerializeToString()]


def test_changing_the_imports_is_the_whole_migration(tmp_path: Path) -> None:
    """A program for the official SDK gives the same answers with ours when its imports are changed, to v1beta1 too."""
    from tests.helpers import official_function

    changed = SOURCE.read_text().replace("crossplane.function", "crossplane_lite")
    assert "crossplane.function" not in changed
    program = tmp_path / "function.py"
    program.write_text(changed)
    theirs = official("proto.v1.run_function_pb2")
    with running(str(program)) as server, channel(server.address) as opened:
        for data in requests():
            request = theirs.RunFunctionRequest.FromString(data)
            wanted = stable(asyncio.run(official_function.FunctionRunner().RunFunction(request, None)))
            for service in (V1_SERVICE, V1BETA1_SERVICE):
                assert stable(theirs.RunFunctionResponse.FromString(call(opened, data, service))) == wanted
        assert [record["msg"] for record in ended(server).records].count("Running function") == 4


@pytest.mark.slow
def test_calls_share_one_event_loop() -> None:
    """An `async def` that waits lets other calls run, on the same loop, as under the official SDK."""
    with served("waiting", "insecure") as server, channel(server.address) as opened:
        waiting = opened.unary_unary(f"/{V1_SERVICE}/{METHOD}").future(request_with("first"), timeout=60)
        answers = [response_of(call(opened, request_with("second"))), response_of(waiting.result())]
    assert [answer.meta.tag for answer in answers] == ["second", "first"]
    assert len({answer.results[0].message for answer in answers}) == 1


@pytest.mark.slow
def test_functions_that_are_not_async() -> None:
    """A `def` runs in a thread for each call, and gets None as its context."""
    with served("meeting", "main") as server, channel(server.address) as opened:
        calls = [
            opened.unary_unary(f"/{service}/{METHOD}").future(request_with("t"), timeout=60)
            for service in (V1_SERVICE, V1BETA1_SERVICE)
        ]
        assert [response_of(one.result()).meta.tag for one in calls] == ["t", "t"]


@pytest.mark.slow
def test_composition_functions() -> None:
    """What `@composition.function` makes is served too."""
    with served("composing", "insecure") as server, channel(server.address) as opened:
        assert response_of(call(opened, request_with("t"))).results[0].message == "composed"


def test_a_call_that_the_server_gives_up(caplog: pytest.LogCaptureFixture) -> None:
    """A call that the server cancels after its deadline has no answer, and no line about an exception."""
    inside = threading.Event()

    class Waiting:
        async def RunFunction(self, req: Any, _: Any) -> Any:
            inside.set()
            await asyncio.Event().wait()

    runner = _message_functions.runner_of(Waiting())
    assert cancelled(lambda: runner.run(request_with("t")), inside) == b""
    assert not caplog.records


def request_with(tag: str) -> bytes:
    """Return a request with a tag and with credentials."""
    request = fnv1.RunFunctionRequest()
    request.meta.tag = tag
    request.desired.resources["kept"].resource.update({"kind": "Kept"})
    request.credentials["cloud"].credential_data.data["password"] = b"hunter2!"
    return request.SerializeToString()


def response_of(data: bytes) -> Any:
    """Return a response."""
    return fnv1.RunFunctionResponse.FromString(data)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("raise", "LookupError: wrong password [secret] (functions.py:"),
        ("nothing", "UsageError: RunFunction() must return a RunFunctionResponse (got None)"),
        ("exit", "SystemExit: 3 (functions.py:"),
    ],
)
def test_failures_are_fatal_results(tag: str, message: str) -> None:
    """What goes wrong is a Fatal result beside the untouched desired state; secrets get into neither it nor the log."""
    with served("failing", "insecure") as server, channel(server.address) as opened:
        response = response_of(call(opened, request_with(tag)))
        log = "".join(ended(server).lines)
    assert list(response.desired.resources) == ["kept"]
    assert [result.severity for result in response.results] == [fnv1.SEVERITY_FATAL]
    assert response.results[0].message.startswith(message)
    assert "RunFunction() raised" in log and "[secret]" in log and "hunter2" not in log


@pytest.mark.slow
def test_malformed_requests() -> None:
    """Bytes that are no request are INVALID_ARGUMENT."""
    with served("failing", "insecure") as server, channel(server.address) as opened:
        with pytest.raises(grpc.RpcError) as caught:
            call(opened, b"\xff")
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.slow
def test_message_sizes(tmp_path: Path) -> None:
    """The options for sizes count, and a request over the limit is RESOURCE_EXHAUSTED."""
    program = tmp_path / "function.py"
    program.write_text(SOURCE.read_text().replace("crossplane.function", "crossplane_lite"))
    request = fnv1.RunFunctionRequest.FromString(requests()[0])
    request.observed.composite.connection_details["large"] = bytes(7 << 20)
    large = request.SerializeToString()
    with running(str(program)) as server, channel(server.address) as opened:
        assert response_of(call(opened, large)).results[0].message == "composed"
        with pytest.raises(grpc.RpcError) as caught:
            call(opened, large + large)
    assert caught.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.slow  # a server with certificates
def test_mutual_tls(tmp_path: Path) -> None:
    """With credentials only clients with a certificate are answered; insecure wins over credentials, on one port."""
    authority = Authority()
    pair = authority.issue("server")
    directory = str(write(tmp_path / "certs", pair, authority))
    with served("composing", "secure", directory) as server:
        secure = grpc.ssl_channel_credentials(authority.certificate, pair.key, pair.certificate)
        with channel(server.address, secure) as opened:
            assert response_of(call(opened, request_with("t"))).results
        with channel(server.address, grpc.ssl_channel_credentials(authority.certificate)) as opened:
            with pytest.raises(grpc.RpcError):
                opened.unary_unary(f"/{V1_SERVICE}/{METHOD}")(request_with("t"), timeout=30)
    with served("composing", "insecure", directory) as server, channel(server.address) as opened:
        assert response_of(call(opened, request_with("t"))).results
        assert [record["tls"] for record in ended(server).records if record["msg"] == "serving"] == [False]


def test_credentials_that_cannot_be_loaded(tmp_path: Path) -> None:
    """No directory gives no credentials; a directory without the files is refused."""
    assert runtime.load_credentials(None) is None
    with pytest.raises(InputError, match=r"can't read .*tls\.crt"):
        runtime.load_credentials(str(tmp_path))


@pytest.mark.parametrize(
    ("start", "problem"),
    [
        (lambda: runtime.serve(Unimplemented(), ":0", creds=None, insecure=False), "no credentials: give 'creds'"),
        (
            lambda: runtime.serve(
                Unimplemented(), "127.0.0.1:0", creds=None, insecure=True, options=[("grpc.so_reuseport", 1)]
            ),
            "the option 'grpc.so_reuseport' can't be set; the options are grpc.max_receive_message_length,",
        ),
        (
            lambda: runtime.serve(object(), "127.0.0.1:0", creds=None, insecure=True),
            r"a function must have a method RunFunction\(request, context\)",
        ),
        (lambda: runtime.main(object(), []), r"a function must have a method RunFunction\(request, context\)"),
    ],
)
def test_what_cannot_be_served(start: Callable[[], None], problem: str) -> None:
    """It is refused before anything listens, as a ValueError, as the official SDK does without credentials."""
    with pytest.raises(ValueError, match=problem):
        start()


def test_flags(capsys: pytest.CaptureFixture[str]) -> None:
    """main() knows the flags of the functions specification."""
    runtime.main(Unimplemented(), ["--help"])
    printed = capsys.readouterr().out
    assert all(flag in printed for flag in ("--insecure", "--tls-certs-dir", "--debug", "--address"))


class Unimplemented(grpcv1.FunctionRunnerService):
    """A function that forgot its method."""


class Answering:
    """Answers with the request's tag, and remembers what it was called with."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    async def RunFunction(self, req: Any, context: Any) -> Any:
        """Answer."""
        self.seen += [type(req), context]
        return fnv1.RunFunctionResponse(meta={"tag": req.meta.tag})


class AnsweringAtOnce(Answering):
    """The same without a coroutine."""

    def RunFunction(self, req: Any, context: Any) -> Any:
        """Answer."""
        self.seen += [type(req), context]
        return fnv1.RunFunctionResponse(meta={"tag": req.meta.tag})


@pytest.mark.parametrize("kind", [Answering, AnsweringAtOnce])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: str(family.name))
def test_beta_function_runner(kind: Any, family: Any) -> None:
    """A request of any implementation reaches the wrapped function as v1, and is answered in kind."""
    wrapped = kind()
    request = family.messages.RunFunctionRequest(meta={"tag": "t"})
    answer = asyncio.run(runtime.BetaFunctionRunner(wrapped).RunFunction(request, "context"))
    assert type(answer) is family.messages.RunFunctionResponse
    assert answer.meta.tag == "t"
    assert wrapped.seen == [fnv1.RunFunctionRequest, "context"]
    assert runtime.BetaFunctionRunner(wrapped=wrapped).wrapped is wrapped


@contextmanager
def own_server(*servicers: tuple[Any, Any]) -> Iterator[grpc.Channel]:
    """Run a plain gRPC server in this process with what the modules for gRPC offer."""
    server = grpc.server(futures.ThreadPoolExecutor(2))
    for module, servicer in servicers:
        module.add_FunctionRunnerServiceServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with channel(f"127.0.0.1:{port}") as opened:
            yield opened
    finally:
        server.stop(0)


class AnsweringBeta:
    """Answers v1beta1."""

    def RunFunction(self, req: Any, context: Any) -> Any:
        """Answer."""
        return fnv1beta1.RunFunctionResponse(meta={"tag": req.meta.tag})


def test_servers_of_ones_own() -> None:
    """The modules for gRPC register functions with any server, and call them."""
    with own_server((grpcv1, AnsweringAtOnce()), (grpcv1beta1, AnsweringBeta())) as opened:
        for module, messages in ((grpcv1, fnv1), (grpcv1beta1, fnv1beta1)):
            stub: Any = module.FunctionRunnerServiceStub(opened)
            answer = stub.RunFunction(messages.RunFunctionRequest(meta={"tag": "t"}), timeout=60)
            assert type(answer) is messages.RunFunctionResponse
            assert answer.meta.tag == "t"


def test_a_function_without_its_method() -> None:
    """The base class says that nothing is implemented: UNIMPLEMENTED to a caller, NotImplementedError in process."""
    with own_server((grpcv1, Unimplemented())) as opened:
        with pytest.raises(grpc.RpcError) as caught:
            grpcv1.FunctionRunnerServiceStub(opened).RunFunction(fnv1.RunFunctionRequest(), timeout=60)
    assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED
    with pytest.raises(NotImplementedError, match="must override RunFunction"):
        Unimplemented().RunFunction(fnv1.RunFunctionRequest(), None)


def test_usage_errors_are_ours() -> None:
    """The errors of serving derive from the package's own."""
    with pytest.raises(UsageError):
        runtime.serve(Unimplemented(), "127.0.0.1:0", creds=None, insecure=False)
