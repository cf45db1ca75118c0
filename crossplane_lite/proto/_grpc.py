"""The parts of `run_function_pb2_grpc` that the protocol's two versions share. gRPC is imported
when it is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import METHOD


class FunctionRunnerServiceServicer:
    """Base class of functions that handle raw messages. Override `RunFunction`, with `def` or
    `async def`.
    """

    if TYPE_CHECKING:
        # so that type checkers accept `def` and `async def`, and parameters of any name
        RunFunction: Any
    else:

        def RunFunction(self, request: Any, context: Any) -> Any:
            """Answer a request. Subclasses must override this method.

            Args:
                request: A RunFunctionRequest.
                context: gRPC's context of the call; None outside of a server.

            Returns:
                A RunFunctionResponse.

            Raises:
                NotImplementedError: The subclass doesn't override the method. The call ends with
                    UNIMPLEMENTED.
            """
            if context is not None:
                import grpc

                context.set_code(grpc.StatusCode.UNIMPLEMENTED)
                context.set_details("RunFunction is not implemented")
            raise NotImplementedError(
                f"{type(self).__name__} must override RunFunction(request, context)"
            )


def add_servicer(servicer: Any, server: Any, service: str, messages: Any) -> None:
    """Register a servicer at a gRPC server, which then answers the calls of a service with it.

    Args:
        servicer: An object with a method `RunFunction`.
        server: A `grpc.Server`, or a `grpc.aio.Server` if the method is `async def`.
        service: The service's full name.
        messages: The module with the service's messages, such as `v1.run_function_pb2`.
    """
    import grpc

    method = grpc.unary_unary_rpc_method_handler(
        servicer.RunFunction,
        request_deserializer=messages.RunFunctionRequest.FromString,
        response_serializer=messages.RunFunctionResponse.SerializeToString,
    )
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(service, {METHOD: method}),)
    )


def stub_method(channel: Any, service: str, messages: Any) -> Any:
    """Return a callable that calls RunFunction of a gRPC service: it sends a request, and returns
    the response.

    Args:
        channel: A gRPC channel.
        service: The service's full name.
        messages: The module with the service's messages, such as `v1.run_function_pb2`.
    """
    return channel.unary_unary(
        f"/{service}/{METHOD}",
        request_serializer=messages.RunFunctionRequest.SerializeToString,
        response_deserializer=messages.RunFunctionResponse.FromString,
    )
