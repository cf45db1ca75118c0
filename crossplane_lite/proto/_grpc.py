"""What a generated `run_function_pb2_grpc` has, for both versions of the protocol. gRPC is loaded when it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import METHOD

__all__ = ["FunctionRunnerServiceServicer", "add_servicer", "stub_method"]


class FunctionRunnerServiceServicer:
    """Base of functions that handle raw messages: override `RunFunction`, `async def` or `def`."""

    if TYPE_CHECKING:
        RunFunction: Any  # overriding it with either kind of function, and parameters of any name, is right
    else:

        def RunFunction(self, request: Any, context: Any) -> Any:
            """Answer a request. This one says that nothing is implemented."""
            if context is not None:
                import grpc

                context.set_code(grpc.StatusCode.UNIMPLEMENTED)
                context.set_details("RunFunction is not implemented")
            raise NotImplementedError("a function overrides RunFunction(request, context)")


def add_servicer(servicer: Any, server: Any, service: str, messages: Any) -> None:
    """Make a gRPC server answer calls of a service with a servicer.

    Args:
        servicer: An object with a method `RunFunction`.
        server: A `grpc.Server`, or a `grpc.aio.Server`.
        service: The service's full name.
        messages: The module of the service's messages.
    """
    import grpc

    method = grpc.unary_unary_rpc_method_handler(
        servicer.RunFunction,
        request_deserializer=messages.RunFunctionRequest.FromString,
        response_serializer=messages.RunFunctionResponse.SerializeToString,
    )
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {METHOD: method}),))


def stub_method(channel: Any, service: str, messages: Any) -> Any:
    """Return what calls a service's RunFunction; the arguments are those of `add_servicer`, and a gRPC channel."""
    return channel.unary_unary(
        f"/{service}/{METHOD}",
        request_serializer=messages.RunFunctionRequest.SerializeToString,
        response_deserializer=messages.RunFunctionResponse.FromString,
    )
