"""Functions that handle raw messages, for the server tests: `python -m tests.helpers.functions NAME WHAT`."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import Any

from crossplane_lite import composition, logging, request, response, runtime
from crossplane_lite.proto.v1 import run_function_pb2_grpc as grpcv1

__all__ = ["FUNCTIONS"]


class Waiting(grpcv1.FunctionRunnerService):
    """A call with the tag `first` goes on when one with another tag has come, by an event that belongs to one loop."""

    def __init__(self) -> None:
        self._came: asyncio.Event | None = None

    async def RunFunction(self, req: Any, context: Any) -> Any:
        """Wait, or let go."""
        if self._came is None:
            self._came = asyncio.Event()
        if req.meta.tag != "first":
            self._came.set()
        await self._came.wait()
        rsp = response.to(req)
        response.normal(rsp, f"loop {id(asyncio.get_running_loop())}")
        return rsp


class Meeting(grpcv1.FunctionRunnerServiceServicer):
    """Not async: two calls must be in it at the same time."""

    def __init__(self) -> None:
        self._together = threading.Barrier(2)

    def RunFunction(self, req: Any, context: Any) -> Any:
        """Meet the other call."""
        self._together.wait(timeout=60)
        assert context is None
        return response.to(req)


class Failing:
    """Logs a secret and raises, or returns what is no message, or ends the program."""

    async def RunFunction(self, req: Any, _: Any) -> Any:
        """Fail as the tag says."""
        password = request.get_credentials(req, "cloud").data["password"]
        logging.get_logger().info("trying", password=password)
        if req.meta.tag == "nothing":
            return None
        if req.meta.tag == "exit":
            sys.exit(3)
        raise LookupError(f"wrong password {password}")


@composition.function(name="composing")
def composing(ctx: composition.Context) -> None:
    """A composition function, which the same helpers serve."""
    ctx.results.warning("composed")


FUNCTIONS: dict[str, Any] = {"waiting": Waiting(), "meeting": Meeting(), "failing": Failing(), "composing": composing}


def _serve(name: str, how: str, directory: str | None = None) -> None:
    function = FUNCTIONS[name]
    if how == "main":
        runtime.main(function, ["--insecure", "--address", "127.0.0.1:0"])
        return
    logging.configure()
    creds = runtime.load_credentials(directory)
    runtime.serve(function, "127.0.0.1:0", creds=creds, insecure=how == "insecure")


if __name__ == "__main__":
    _serve(*sys.argv[1:])
