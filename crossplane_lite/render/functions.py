"""The runners of functions: in this process, or on a server over gRPC."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

from .._base.type_names import type_in_words
from .._call import event_loop
from ..composition import Function
from ..errors import UsageError, WireError
from ..proto import METHOD, V1_SERVICE, V1BETA1_SERVICE
from .pipeline import Runner
from .rendered import RenderError

__all__ = ["InProcess", "OfMessages", "Remote", "debugger_seen", "runners_of"]

_OPTIONS: Final = (("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1))
# Addresses for which no proxy is used. Otherwise gRPC would use the proxy that the environment names.
_LOCAL: Final = ("localhost", "127.", "[::1]", "ipv4:127.", "ipv6:[::1]", "unix:")

# The frame of this code, and the frames that called it, aren't the author's.
_CALLER: Final = Function.call_compose.__code__

# A compose() that catches the exception which stops it gets another one after this time, again and again.
_AGAIN_SECONDS: Final = 1.0

_debugger_seen = False


def debugger_seen() -> bool:
    """Say whether a function's time was over in this process while a debugger was at work.

    From then on, no function is stopped for its timeout.
    """
    return _debugger_seen


def runners_of(functions: Mapping[str, Runner | Function]) -> dict[str, Runner]:
    """Return a runner for each function, by the function's name.

    A composition function, or an object with a method RunFunction, gets a runner in this process. A value that is a
    runner already is returned as it is.

    Raises:
        UsageError: A value is neither a runner nor a composition function.
    """
    found: dict[str, Runner] = {}
    for name, function in functions.items():
        if isinstance(function, Function):
            found[name] = InProcess(function)
        elif callable(getattr(function, "RunFunction", None)):
            found[name] = OfMessages(function)
        elif callable(getattr(function, "run", None)):
            found[name] = function
        else:
            raise UsageError(
                f"function {name!r} must be a @composition.function, an object with a method RunFunction, or a runner "
                f"such as Remote('localhost:9443') "
                f"(got {type_in_words(function)})"
            )
    return found


class InProcess:
    """Runs a composition function in this process.

    A compose() that takes too long is stopped only in the main thread, on a platform with SIGALRM, without a debugger,
    and where no other code has set that alarm. In other threads nothing can stop it.

    Attributes:
        function: The composition function.
        notes: Remarks on likely mistakes in the last call.
    """

    def __init__(self, function: Function) -> None:
        self.function = function
        self.notes: list[str] = []

    def __repr__(self) -> str:
        return f"InProcess({self.function!r})"

    def run(self, request: bytes, timeout: float) -> bytes:
        """Answer a request; see `Runner`."""
        from .forgotten import noting
        from .outdated import unknown_fields

        stopped: list[str] = []
        answer = b""
        try:
            with (
                noting() as noted,
                _alarm(timeout, self.function, stopped),
                _without_traceback(self.function, stopped),
            ):
                answer = self.function.run(request)
            self.notes = [
                *noted.forgotten(),
                *(line for model in noted.models for line in unknown_fields(model, request)),
            ]
        except _Stop:
            pass
        except WireError as e:
            raise RenderError(f"the function can't read its request: {e}") from e
        if stopped:
            raise RenderError(f"the function gave no answer within {timeout:.3g} seconds; {stopped[0]}")
        return answer


class OfMessages:
    """Runs a function that handles raw messages in this process: an object with a method RunFunction.

    Attributes:
        name: The name of the object's class.
        file: The file of the class.
    """

    def __init__(self, function: Any) -> None:
        from ..runtime._message_functions import runner_of

        self._run = runner_of(function).run
        self.name = type(function).__name__
        self.file = getattr(getattr(function.RunFunction, "__code__", None), "co_filename", __file__)

    def __repr__(self) -> str:
        return f"OfMessages({self.name})"

    def run(self, request: bytes, timeout: float) -> bytes:
        """Answer a request; see `Runner`."""
        stopped: list[str] = []
        answer = b""
        try:
            with _alarm(timeout, self, stopped):
                answer = self._run(request)
        except _Stop:
            pass
        except WireError as e:
            raise RenderError(f"the function can't read its request: {e}") from e
        if stopped:
            raise RenderError(f"the function gave no answer within {timeout:.3g} seconds; {stopped[0]}")
        return answer


class _Stop(BaseException):
    """Ends a compose() that takes too long. It isn't an Exception, so `except Exception` doesn't catch it."""


@contextmanager
def _without_traceback(function: Function, stopped: Sequence[str]) -> Iterator[None]:
    """Drop the function's log lines that have the traceback of `_Stop`: the error says where compose() was."""
    logger = logging.getLogger(f"crossplane_lite.function.{function.name}")

    def is_news(record: logging.LogRecord) -> bool:
        return not stopped or f"{_Stop.__module__}.{_Stop.__qualname__}: " not in record.getMessage()

    logger.addFilter(is_news)
    try:
        yield
    finally:
        logger.removeFilter(is_news)


@contextmanager
def _alarm(timeout: float, function: Function | OfMessages, stopped: list[str]) -> Iterator[None]:
    """Raise `_Stop` in the block when its time is over, and add to `stopped` where compose() was then.

    The block isn't stopped where `InProcess` says that nothing can stop it.
    """
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
        or signal.getitimer(signal.ITIMER_REAL)[0] > 0  # a test runner's own limit, or a render in a render
        or signal.getsignal(signal.SIGALRM) is None  # a handler that isn't Python's couldn't be put back
        or _debugger_seen
    ):
        yield
        return

    over = False

    def ring(_number: int, frame: FrameType | None) -> None:
        global _debugger_seen
        _debugger_seen = _debugger_seen or _is_debugged()
        if over or _debugger_seen:
            return
        stopped.append(_place(frame, function.file))
        raise _Stop(stopped[0])

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, _seconds(timeout), _AGAIN_SECONDS)
        yield
    finally:
        try:
            over = True  # an alarm that rings from here on must not interrupt the cleanup
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


def _seconds(timeout: float) -> float:
    """Return a timeout that timers accept: at least 0.001 s, because 0 means no timeout, and at most 1e8 s."""
    return min(max(timeout, 1e-3), 1e8)


def _is_debugged() -> bool:
    """Say whether a debugger is at work. A trace function of coverage doesn't count."""
    trace = sys.gettrace()
    if trace is not None and not (getattr(trace, "__module__", None) or type(trace).__module__).startswith("coverage"):
        return True
    monitoring = getattr(sys, "monitoring", None)  # since Python 3.12
    return monitoring is not None and monitoring.get_tool(monitoring.DEBUGGER_ID) is not None


def _place(frame: FrameType | None, home: str) -> str:
    """Return where compose() was, as text: the innermost line in its own file, or else in the file's folder.

    Where neither has a line, the text names only the file.
    """
    frames = []
    while frame is not None and frame.f_code is not _CALLER:
        frames.append(frame)
        frame = frame.f_back
    frames += event_loop.frames()  # of an `async def` compose()
    folder = os.path.dirname(os.path.abspath(home)) + os.sep
    own = [one for one in frames if one.f_code.co_filename == home]
    near = [one for one in frames if os.path.abspath(one.f_code.co_filename).startswith(folder)]
    for found in (own, near):
        if found:
            return f"compose() was at {found[0].f_code.co_filename}, line {found[0].f_lineno}"
    return f"compose() is in {home}"


class Remote:
    """Runs a function that a server offers over gRPC, without transport security.

    The runner speaks v1 of the protocol, and v1beta1 with a server that doesn't know v1. The first call opens the
    connection, and later calls use the same connection.

    Args:
        target: The address of the server, such as `localhost:9443`.

    Attributes:
        target: The address of the server.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self._channel: Any = None
        self._services = [V1_SERVICE, V1BETA1_SERVICE]

    def __repr__(self) -> str:
        return f"Remote({self.target!r})"

    def __enter__(self) -> Remote:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def run(self, request: bytes, timeout: float) -> bytes:
        """Answer a request; see `Runner`."""
        import grpc  # 50 ms, and functions in process don't need it

        if self._channel is None:
            options = (*_OPTIONS, ("grpc.enable_http_proxy", int(not self.target.startswith(_LOCAL))))
            self._channel = grpc.insecure_channel(self.target, options)
        deadline = time.monotonic() + timeout
        while True:
            service = self._services[0]
            call = self._channel.unary_unary(f"/{service}/{METHOD}")
            try:
                answer: bytes = call(request, timeout=_seconds(deadline - time.monotonic()))
                return answer
            except grpc.RpcError as error:
                code, details = error.code(), " ".join(str(error.details() or "").split())
                if code is grpc.StatusCode.UNIMPLEMENTED and len(self._services) > 1:
                    del self._services[0]
                    continue
                if code is grpc.StatusCode.UNAVAILABLE and "onnect" in details:
                    raise RenderError(
                        f"no server answers at {self.target}; start it with: crossplane-lite serve module:function "
                        f"--insecure --address {self.target}"
                    ) from None
                problem = f"{code.name}: {details}" if details else code.name
                raise RenderError(f"no answer from {self.target} ({problem})") from None

    def close(self) -> None:
        """Close the connection. A later call opens a new connection."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None
