"""Functions of two messages, `compose(req, rsp)`, as objects with a method RunFunction."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from ... import response
from ...proto.v1 import run_function_pb2 as fnv1


def understood(request: Any, function: Callable[..., Any]) -> Any:
    """Return a request as a message of the implementation that a function works with.

    This is the official SDK's if that has been imported and the function's module doesn't import
    our messages.
    """
    official = sys.modules.get("crossplane.function.proto.v1.run_function_pb2")
    names = getattr(inspect.unwrap(function), "__globals__", None)
    if official is None or names is None or any(map(_is_ours, names.values())):
        return request
    return official.RunFunctionRequest.FromString(request.SerializeToString())


def _is_ours(value: object) -> bool:
    """Return whether a value is our module of messages, or a class of it."""
    return value is fnv1 or (isinstance(value, type) and value.__module__ == fnv1.__name__)


class Pair:
    """Makes an object with a method RunFunction of a `compose(req, rsp)`, as function-python and
    Upbound's projects do.

    `rsp` is the response so far: desired state and context of the request, which the function
    changes.

    Args:
        function: The function, `def` or `async def`.
    """

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        self._function = function
        self.name: str = function.__name__
        self.file: str = function.__code__.co_filename

    def RunFunction(self, request: Any, _context: Any) -> Any:
        """Answer a request with a response, or an awaitable of one."""
        request = understood(request, self._function)
        rsp = response.to(request)
        running = self._function(request, rsp)
        return _finished(running, rsp) if inspect.isawaitable(running) else rsp


async def _finished(running: Awaitable[Any], rsp: Any) -> Any:
    await running
    return rsp
