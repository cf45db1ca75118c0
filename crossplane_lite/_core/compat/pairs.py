"""Functions of two messages, `compose(req, rsp)`, as objects with a method RunFunction."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from ... import response
from ...proto.v1 import run_function_pb2 as fnv1


class Pair:
    """Makes an object with a method RunFunction of a `compose(req, rsp)`, as function-python and Upbound's projects do.

    `rsp` is the response so far: desired state and context of the request, which the function changes. Both are
    messages of the official SDK if that has been imported and the function's module doesn't import ours.

    Args:
        function: The function, `def` or `async def`.
    """

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self._function = function
        self.name: str = function.__name__
        self.file: str = function.__code__.co_filename

    def RunFunction(self, request: Any, _context: Any) -> Any:
        """Answer a request with a response, or an awaitable of one."""
        official = sys.modules.get("crossplane.function.proto.v1.run_function_pb2")
        if official is not None and not any(one is fnv1 for one in self._function.__globals__.values()):
            request = official.RunFunctionRequest.FromString(request.SerializeToString())
        rsp = response.to(request)
        running = self._function(request, rsp)
        return _finished(running, rsp) if inspect.isawaitable(running) else rsp


async def _finished(running: Awaitable[Any], rsp: Any) -> Any:
    await running
    return rsp
