"""gRPC's reflection, with its own client's messages."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import descriptor_pb2
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from crossplane_lite.errors import UsageError
from crossplane_lite.proto import V1_SERVICE, V1BETA1_SERVICE
from crossplane_lite.runtime.server import Server
from tests.runtime.serving import channel, run_command


def test_services_and_messages() -> None:
    """It lists both services, and gives the files in which they and their messages are."""
    server = Server(lambda data: data, transport="grpcio", reflection=True)
    address = server.listen("127.0.0.1:0")
    server.start()
    try:
        with channel(address) as opened:
            stub: Any = reflection_pb2_grpc.ServerReflectionStub(opened)
            asked = [
                reflection_pb2.ServerReflectionRequest(list_services=""),
                reflection_pb2.ServerReflectionRequest(file_containing_symbol=V1_SERVICE),
                reflection_pb2.ServerReflectionRequest(file_by_filename="google/protobuf/struct.proto"),
            ]
            listed, service, struct = stub.ServerReflectionInfo(iter(asked), timeout=60)
    finally:
        server.stop(0)
    names = {one.name for one in listed.list_services_response.service}
    assert {V1_SERVICE, V1BETA1_SERVICE} < names
    file = descriptor_pb2.FileDescriptorProto.FromString(service.file_descriptor_response.file_descriptor_proto[0])
    (found,) = file.service
    assert [method.name for method in found.method] == ["RunFunction"]
    file = descriptor_pb2.FileDescriptorProto.FromString(struct.file_descriptor_response.file_descriptor_proto[0])
    assert {"Struct", "Value"} <= {message.name for message in file.message_type}


def test_h2_has_none() -> None:
    """With h2 it is an error that says so."""
    with pytest.raises(UsageError, match="reflection needs the transport grpcio"):
        Server(lambda data: data, transport="h2", reflection=True)
    flags = ("--insecure", "--reflection", "--transport", "h2")
    done = run_command("serve", "tests.runtime.functions:echo", *flags)
    assert done.returncode == 2
    assert "reflection needs the transport grpcio" in done.stderr
