"""The floor: a bare gRPC server that takes bytes and answers two; grpcio and protobuf alone."""

import sys
from concurrent import futures

import grpc
from google.protobuf import descriptor_pool  # noqa: F401  # an SDK's messages need it

SERVICE = "apiextensions.fn.proto.v1.FunctionRunnerService"


def main(credentials=None):
    server = grpc.server(
        futures.ThreadPoolExecutor(32),
        options=(("grpc.max_receive_message_length", -1), ("grpc.so_reuseport", 0)),
    )
    method = grpc.unary_unary_rpc_method_handler(lambda request, context: b"\x0a\x00")
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(SERVICE, {"RunFunction": method}),)
    )
    if credentials is None:
        server.add_insecure_port(sys.argv[1])
    else:
        server.add_secure_port(sys.argv[1], credentials)
    server.start()
    server.wait_for_termination()
