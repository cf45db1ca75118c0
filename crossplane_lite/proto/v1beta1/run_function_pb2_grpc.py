"""The gRPC service of `apiextensions.fn.proto.v1beta1`, under the names that a generated module has.

`crossplane_lite.runtime.serve` serves a function without any of this but the base class.
"""

from __future__ import annotations

from typing import Any

from .. import V1BETA1_SERVICE, _grpc
from .._grpc import FunctionRunnerServiceServicer
from . import run_function_pb2

__all__ = [
    "FunctionRunnerService",
    "FunctionRunnerServiceServicer",
    "FunctionRunnerServiceStub",
    "add_FunctionRunnerServiceServicer_to_server",
]


class FunctionRunnerService(FunctionRunnerServiceServicer):
    """Base of functions that handle raw messages, by the name that templates use."""


class FunctionRunnerServiceStub:
    """A client of the service.

    Args:
        channel: A gRPC channel.

    Attributes:
        RunFunction: Calls the function: a RunFunctionRequest in, a RunFunctionResponse out.
    """

    def __init__(self, channel: Any) -> None:
        self.RunFunction = _grpc.stub_method(channel, V1BETA1_SERVICE, run_function_pb2)


def add_FunctionRunnerServiceServicer_to_server(servicer: Any, server: Any) -> None:
    """Make a gRPC server of one's own answer with a function.

    Args:
        servicer: An object with a method `RunFunction`.
        server: The server, of `grpc` or of `grpc.aio`; then the method is an `async def`.
    """
    _grpc.add_servicer(servicer, server, V1BETA1_SERVICE, run_function_pb2)
