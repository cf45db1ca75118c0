"""Serves a function of `functions` with the official SDK: `served.py NAME PORT`."""

from __future__ import annotations

import sys
from concurrent import futures

import grpc
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from crossplane.function.proto.v1 import run_function_pb2_grpc as services

from tests.guard.functions import FUNCTIONS
from tests.official import Call


class Runner(services.FunctionRunnerServiceServicer):  # type: ignore[misc]
    """Answers calls as a function of the official SDK does: what it raises ends the call."""

    def RunFunction(self, request: fnv1.RunFunctionRequest, context: grpc.ServicerContext) -> fnv1.RunFunctionResponse:
        """Answer a call."""
        call = Call(request)
        FUNCTIONS[sys.argv[1]](call)
        return call.answer


if __name__ == "__main__":
    server = grpc.server(futures.ThreadPoolExecutor(8))
    services.add_FunctionRunnerServiceServicer_to_server(Runner(), server)
    port = server.add_insecure_port(f"127.0.0.1:{sys.argv[2]}")
    server.start()
    print(f"serving address='127.0.0.1:{port}'", file=sys.stderr, flush=True)
    server.wait_for_termination()
