"""gRPC's health service, on the main port and on one of its own."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_health.v1 import health_pb2, health_pb2_grpc
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite.proto import V1_SERVICE, V1BETA1_SERVICE
from crossplane_lite.runtime import server as health
from crossplane_lite.runtime.transports import status
from crossplane_lite.runtime.transports.status import Refused
from tests.runtime.certificates import Authority, write
from tests.runtime.health import ask, health_of, until_health_is
from tests.runtime.serving import channel, in_process, raw_call, serving
from tests.support import request


def _list_response() -> Any:
    """Return a class like HealthListResponse, which not all versions of the official package for Python have."""
    own = descriptor_pb2.FileDescriptorProto(name="list.proto", package="tests", syntax="proto3")
    own.dependency.append(health_pb2.DESCRIPTOR.name)
    message = own.message_type.add(name="HealthListResponse")
    field = descriptor_pb2.FieldDescriptorProto
    entry = message.nested_type.add(name="StatusesEntry")
    entry.options.map_entry = True
    entry.field.add(name="key", number=1, label=field.LABEL_OPTIONAL, type=field.TYPE_STRING)
    value = ".grpc.health.v1.HealthCheckResponse"
    entry.field.add(name="value", number=2, label=field.LABEL_OPTIONAL, type=field.TYPE_MESSAGE, type_name=value)
    entries = ".tests.HealthListResponse.StatusesEntry"
    message.field.add(name="statuses", number=1, label=field.LABEL_REPEATED, type=field.TYPE_MESSAGE, type_name=entries)
    pool = descriptor_pool.DescriptorPool()
    for file in (health_pb2.DESCRIPTOR.serialized_pb, own.SerializeToString()):
        pool.AddSerializedFile(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("tests.HealthListResponse"))


ListResponse = _list_response()
SERVICES = ("", V1_SERVICE, V1BETA1_SERVICE)
XR = {"apiVersion": "example.org/v1", "kind": "X", "metadata": {"name": "x"}}


def test_on_the_main_port(transport: str) -> None:
    """The main port answers Check for itself and both services, and no others."""
    with in_process(lambda data: data, transport) as (_, address):
        for service in SERVICES:
            assert ask(address, service) == "SERVING"
        with pytest.raises(grpc.RpcError) as caught:
            ask(address, "another")
        assert caught.value.code() == grpc.StatusCode.NOT_FOUND
        with channel(address) as opened:
            stub: Any = health_pb2_grpc.HealthStub(opened)
            with pytest.raises(grpc.RpcError) as caught:
                next(stub.Watch(health_pb2.HealthCheckRequest(), timeout=60))
            assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED


def test_all_services(transport: str) -> None:
    """List names all services, with what Check says of them."""
    with in_process(lambda data: data, transport) as (server, address), channel(address) as opened:
        method = opened.unary_unary("/grpc.health.v1.Health/List")
        for wanted in (health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING):
            answer = ListResponse.FromString(method(b"", timeout=60, wait_for_ready=True))
            assert {name: one.status for name, one in answer.statuses.items()} == dict.fromkeys(SERVICES, wanted)
            server._stopping = True


def test_a_client_that_watches(transport: str) -> None:
    """A client that watches health before it calls, as a service config can ask it to, gets its answers."""
    config = {"loadBalancingConfig": [{"round_robin": {}}], "healthCheckConfig": {"serviceName": V1_SERVICE}}
    options = [("grpc.service_config", json.dumps(config)), ("grpc.use_local_subchannel_pool", 1)]
    with in_process(lambda data: data, transport) as (_, address), grpc.insecure_channel(address, options) as opened:
        assert raw_call(opened, b"x") == b"x"


@pytest.mark.slow
@pytest.mark.sample(1)
def test_on_a_port_of_its_own(tmp_path: Path, transport: str) -> None:
    """--health-address answers in plain text while the main port demands certificates, and runs no function."""
    authority = Authority()
    directory = write(tmp_path / "certs", authority.issue("server"), authority)
    flags = ("--tls-certs-dir", str(directory), "--transport", transport, "--health-address", "127.0.0.1:0")
    with serving("tests.runtime.functions:echo", *flags) as server:
        assert health_of(server) == "SERVING"
        with channel(str(server.record("serving")["health_address"])) as opened:
            with pytest.raises(grpc.RpcError) as caught:
                raw_call(opened, request(xr=XR))
            assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED
        mine = authority.issue("client")
        credentials = grpc.ssl_channel_credentials(authority.certificate, mine.key, mine.certificate)
        assert ask(server.address, "", credentials) == "SERVING"
        assert server.stop() == 0


@pytest.mark.slow
def test_while_it_ends(tmp_path: Path, transport: str) -> None:
    """From the signal on until the last call is answered it says NOT_SERVING."""
    for name in ("running", "go"):
        os.mkfifo(tmp_path / name)
    flags = ("--insecure", "--transport", transport, "--health-address", "127.0.0.1:0")
    with serving("tests.runtime.functions:waiting", *flags) as server, channel(server.address) as opened:
        method = opened.unary_unary(f"/{V1_SERVICE}/RunFunction")
        pending = method.future(request(xr={**XR, "spec": {"directory": str(tmp_path)}}))
        (tmp_path / "running").read_bytes()  # returns when compose() runs
        server.process.send_signal(signal.SIGTERM)
        until_health_is("NOT_SERVING", server)
        (tmp_path / "go").write_bytes(b"")
        assert pending.result(timeout=60)
        assert server.process.wait(60) == 0


def test_while_no_call_gets_a_thread(transport: str) -> None:
    """It is answered while all threads are taken and calls wait."""
    leave = threading.Event()

    def run(_: bytes) -> bytes:
        leave.wait(60)
        return b""

    with in_process(run, transport, threads=2) as (_, address), channel(address) as opened:
        method = opened.unary_unary(f"/{V1_SERVICE}/RunFunction")
        pending = [method.future(b"", timeout=60) for _ in range(10)]
        try:
            assert ask(address) == "SERVING"
        finally:
            leave.set()
        for one in pending:
            one.result(timeout=60)


@given(st.text(max_size=300))
def test_names_of_services(name: str) -> None:
    """A name of no service is refused, in each message of the official client."""
    data = health_pb2.HealthCheckRequest(service=f"other {name}").SerializeToString()
    check = health.health_method("/grpc.health.v1.Health/Check", lambda: True)
    assert check is not None
    with pytest.raises(Refused) as caught:
        check(data)
    assert caught.value.code == status.NOT_FOUND


@given(st.binary(max_size=20))
def test_any_bytes(data: bytes) -> None:
    """Whatever a request holds, there is an answer or a status."""
    check = health.health_method("/grpc.health.v1.Health/Check", lambda: True)
    assert check is not None
    try:
        assert check(data) == b"\x08\x01"
    except Refused as e:
        assert e.code == status.NOT_FOUND
