"""The gRPC service of `apiextensions.fn.proto.v1`, under the names that a generated module has.

`crossplane_lite.runtime.serve` needs only the base class; a function made with
`@composition.function` needs none of these names.
"""

from __future__ import annotations

from typing import Any

from .. import V1_SERVICE, _grpc
from .._grpc import FunctionRunnerServiceServicer
from . import run_function_pb2

__all__ = [
    "FunctionRunnerService",
    "FunctionRunnerServiceServicer",
    "FunctionRunnerServiceStub",
    "add_FunctionRunnerServiceServicer_to_server",
]


class FunctionRunnerService(FunctionRunnerServiceServicer):
    """Base class of functions that handle raw messages, by the name that projects from Crossplane's
    template use.
    """


class FunctionRunnerServiceStub:
    """A gRPC client of a function's server.

    Args:
        channel: A gRPC channel to a function's server.

    Attributes:
        RunFunction: A callable that sends a RunFunctionRequest, and returns the
            RunFunctionResponse.
    """

    def __init__(self, channel: Any) -> None:
        self.RunFunction = _grpc.stub_method(channel, V1_SERVICE, run_function_pb2)


def add_FunctionRunnerServiceServicer_to_server(servicer: Any, server: Any) -> None:
    """Register a function at a gRPC server, which then answers calls with it. The caller makes and
    starts the server.

    Args:
        servicer: An object with a method `RunFunction`.
        server: A `grpc.Server`, or a `grpc.aio.Server` if the method is `async def`.
    """
    _grpc.add_servicer(servicer, server, V1_SERVICE, run_function_pb2)
