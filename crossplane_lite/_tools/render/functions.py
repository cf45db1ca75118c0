"""The runners that `render` calls functions with: in this process, or on a server over gRPC."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

from ..._core.base.texts import near_name, type_in_words
from ..._core.call import event_loop
from ...composition import Function
from ...errors import InputError, UsageError, WireError
from ...proto import METHOD, V1_SERVICE, V1BETA1_SERVICE
from ...runtime.load import takes_messages
from ..manifests.yaml import Document
from .inputs import labels
from .pipeline import Runner, Step
from .rendered import RenderError

if TYPE_CHECKING:
    from .observing import Seen

__all__ = [
    "IN_PROCESS",
    "RUNTIME",
    "TARGET",
    "Dial",
    "InProcess",
    "OfMessages",
    "Remote",
    "assign",
    "debugger_seen",
    "dialling",
    "in_process",
    "runners",
    "runners_of",
]

_OPTIONS: Final = (("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1))
# Addresses for which no proxy is used. Otherwise gRPC would use the proxy that the environment names.
_LOCAL: Final = ("localhost", "127.", "[::1]", "ipv4:127.", "ipv6:[::1]", "unix:")

# The frame of this code, and the frames that called it, don't belong to the author's code.
_CALLER: Final = Function.call_compose.__code__

# Code that catches `_Stop` gets another one whenever this time has passed.
_AGAIN_SECONDS: Final = 1.0

_debugger_seen = False


def debugger_seen() -> bool:
    """Return whether a function's timeout has passed in this process while a debugger was in use.

    After that, no function in this process is stopped at its timeout, so that the debugger isn't disturbed.
    """
    return _debugger_seen


def runners_of(functions: Mapping[str, Runner | Function]) -> dict[str, Runner]:
    """Return a runner for each function, by the function's name.

    Args:
        functions: The functions by name: a `@composition.function`, a `compose(req, rsp)`, or an object with a method
            RunFunction, which get a runner in this process; or a runner, which is returned as it is.

    Raises:
        UsageError: A value is none of these.
    """
    found: dict[str, Runner] = {}
    for name, function in functions.items():
        if isinstance(function, Function):
            found[name] = InProcess(function)
        elif takes_messages(function):
            from ..._core.compat.pairs import Pair

            found[name] = OfMessages(Pair(function))  # type: ignore[arg-type]  # mypy knows no plain functions here
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

    A compose() that takes too long is stopped only if all of this holds: it runs in the main thread, the platform has
    SIGALRM, no debugger is in use, and no other code has set an alarm. Otherwise it runs on.

    Attributes:
        function: The composition function.
        source: The function's `module:function`; empty if it isn't known.
        seen: The record of compose() in the last call; None if that gave no answer.
    """

    def __init__(self, function: Function, source: str = "") -> None:
        self.function = function
        self.source = source
        self.seen: Seen | None = None

    def __repr__(self) -> str:
        return f"InProcess({self.function!r})"

    def run(self, request: bytes, timeout: float) -> bytes:
        """Answer a request, as `Runner.run` says. `timeout` has no effect where compose() can't be stopped."""
        from .observing import Seen

        self.seen = None
        seen = Seen()
        with _limited(timeout, self.function):
            answer = self.function.run(request, seen)
        seen.answered(request, answer)
        self.seen = seen
        return answer


class OfMessages:
    """Runs an object with a method RunFunction, which handles protobuf messages itself, in this process.

    A call that takes too long is stopped in the same cases as for `InProcess`.

    Attributes:
        name: The name of the object's class.
        source: The object's `module:function`; empty if it isn't known.
        file: The path of the file with the method RunFunction; the path of this module if the file isn't known.
    """

    def __init__(self, function: Any, source: str = "") -> None:
        from ...runtime._message_functions import runner_of

        self._run = runner_of(function).run
        self.name = type(function).__name__
        self.source = source
        code = getattr(function.RunFunction, "__code__", None)
        self.file: str = getattr(function, "file", getattr(code, "co_filename", __file__))

    def __repr__(self) -> str:
        return f"OfMessages({self.name})"

    def run(self, request: bytes, timeout: float) -> bytes:
        """Answer a request, as `Runner.run` says. `timeout` has no effect where the function can't be stopped."""
        with _limited(timeout, self):
            answer: bytes = self._run(request)
        return answer


class _Stop(BaseException):
    """Ends a function that takes too long.

    It isn't an Exception, so `except Exception` in the function doesn't catch it.
    """


@contextmanager
def _limited(timeout: float, function: Function | OfMessages) -> Iterator[None]:
    """Run a function in the block, and stop it when the timeout is over.

    Raises:
        RenderError: The function was stopped, or its request is malformed.
    """
    stopped: list[str] = []
    try:
        with _alarm(timeout, function, stopped), _without_traceback(function, stopped):
            yield
    except _Stop:
        pass
    except WireError as e:
        raise RenderError(f"the function can't read its request: {e}") from e
    if stopped:
        raise RenderError(f"the function gave no answer within {timeout:.3g} seconds; {stopped[0]}")


@contextmanager
def _without_traceback(function: Function | OfMessages, stopped: Sequence[str]) -> Iterator[None]:
    """Drop the function's log lines with a traceback of `_Stop`.

    The RenderError that follows says where compose() was.
    """
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
    """Raise `_Stop` in the block when the timeout is over. Code that catches it gets another `_Stop` each second.

    Where `InProcess` says that nothing is stopped, the block runs on. `timeout` is in seconds. When the block is
    stopped, a text that says where compose() was is added to `stopped`.
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
    """Return a timeout in seconds as timers accept it: between 0.001 (0 would mean no timeout) and 100,000,000."""
    return min(max(timeout, 1e-3), 1e8)


def _is_debugged() -> bool:
    """Return whether a debugger is in use. The trace function of the package coverage doesn't count as a debugger."""
    trace = sys.gettrace()
    if trace is not None and not (getattr(trace, "__module__", None) or type(trace).__module__).startswith("coverage"):
        return True
    monitoring = getattr(sys, "monitoring", None)  # since Python 3.12
    return monitoring is not None and monitoring.get_tool(monitoring.DEBUGGER_ID) is not None


def _place(frame: FrameType | None, home: str) -> str:
    """Return a text that says which line compose() was at: the innermost line in its own file.

    If no line of that file runs, it is the innermost line in a file of the same folder or below. Without such a line,
    the text names only the file. `home` is the path of the file of compose().
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


def _client_files(folder: str) -> tuple[bytes, bytes, bytes]:
    """Return the contents of tls.crt, tls.key and ca.crt in a folder, which a client shows and trusts.

    Raises InputError if a file can't be read or used, or the key isn't that of the certificate.
    """
    import ssl

    certificate, key, ca = paths = [os.path.join(folder, name) for name in ("tls.crt", "tls.key", "ca.crt")]
    contents = []
    for path in paths:
        try:
            with open(path, "rb") as file:
                contents.append(file.read())
        except OSError as e:
            raise InputError(f"can't read {path}: {e.strerror}") from e
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        # Without a password here, OpenSSL would ask on the terminal for the password of an encrypted key.
        context.load_cert_chain(certificate, key, password="")
    except (OSError, ValueError) as e:
        reason = getattr(e, "reason", None) or e
        raise InputError(f"{certificate} and {key} can't be used ({reason}): give a certificate and its key") from e
    try:
        context.load_verify_locations(ca)
    except (OSError, ValueError) as e:
        reason = getattr(e, "reason", None) or e
        raise InputError(f"{ca} can't be used ({reason}): give the certificate of the server's CA") from e
    return contents[0], contents[1], contents[2]


class Remote:
    """Runs a function by calling its gRPC server.

    The runner uses v1 of Crossplane's protocol, or v1beta1 if the server doesn't support v1. The first call opens the
    connection, and later calls use it again. In a `with` statement, the connection is closed at the end.

    Args:
        target: The address of the server, such as `localhost:9443`.
        tls_certs_dir: A directory with tls.crt, tls.key and ca.crt, as in Crossplane's Secret `crossplane-tls-client`,
            for mutual TLS. None means no TLS.
        tls_server_name: The name that the server's certificate must have, if it isn't the host in `target`.

    Attributes:
        target: The address of the server.

    Raises:
        InputError: A file in `tls_certs_dir` can't be used.
    """

    def __init__(
        self, target: str, tls_certs_dir: str | os.PathLike[str] | None = None, tls_server_name: str | None = None
    ) -> None:
        self.target = target
        self._name = tls_server_name
        self._files = None if tls_certs_dir is None else _client_files(os.fspath(tls_certs_dir))
        self._channel: Any = None
        self._services = [V1_SERVICE, V1BETA1_SERVICE]

    def __repr__(self) -> str:
        return f"Remote({self.target!r})"

    def __enter__(self) -> Remote:
        return self

    def __exit__(self, *_exc: object) -> None:
        self.close()

    def run(self, request: bytes, timeout: float) -> bytes:
        """Send a request to the server, and return its answer. `Runner.run` describes arguments and errors."""
        import grpc  # 50 ms, and functions in process don't need it

        if self._channel is None:
            self._channel = self._open()
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
                is_closed = any(
                    one in details for one in ("Socket closed", "reset by peer")
                )  # as a server with TLS does
                if code is grpc.StatusCode.UNAVAILABLE and "onnect" in details and not (is_closed or self._files):
                    raise RenderError(
                        f"no server answers at {self.target}; start it with: crossplane-lite serve module:function "
                        f"--insecure --address {self.target}"
                    ) from None
                problem = f"{code.name}: {details}" if details else code.name
                hint = " (--tls-server-name says which name its certificate has)" if "Hostname" in details else ""
                hint = " (a server with TLS needs --tls-certs-dir)" if is_closed and not self._files else hint
                hint = " (nothing listens there)" if "Connection refused" in details else hint
                hint = (
                    " (it is self-signed, or has its CA's name and no key usage)" if "self signed" in details else hint
                )
                hint = " (the server refused the certificate; its log says why)" if "Unwrap" in details else hint
                raise RenderError(f"the call of the function at {self.target} failed: {problem}{hint}") from None

    def _open(self) -> Any:
        import grpc

        options: list[tuple[str, Any]] = [
            *_OPTIONS,
            ("grpc.enable_http_proxy", int(not self.target.startswith(_LOCAL))),
        ]
        if self._files is None:
            return grpc.insecure_channel(self.target, options)
        if self._name:
            options.append(("grpc.ssl_target_name_override", self._name))
        certificate, key, ca = self._files
        return grpc.secure_channel(self.target, grpc.ssl_channel_credentials(ca, key, certificate), options)

    def close(self) -> None:
        """Close the connection. A later call opens a new connection."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None


Dial = Callable[[str], "Remote"]
"""Returns a runner for the address of a server."""

RUNTIME: Final = "render.crossplane.io/runtime"
"""The annotation of a Function that says how the function is run: `Development` or `InProcess`."""
TARGET: Final = "render.crossplane.io/runtime-development-target"
"""The annotation of a Function with the address of its running server."""
IN_PROCESS: Final = "render.crossplane.io/runtime-in-process-target"
"""The annotation of a Function with the `module:function` that runs in this process."""

_DEFAULT_TARGET: Final = "localhost:9443"


def assign(given: Iterable[tuple[str | None, str]], steps: Sequence[Step]) -> dict[str, str]:
    """Return the `module:function` of each function that `--function` names, by the function's name in the pipeline.

    Args:
        given: The values of `--function`: pairs of the function's name in the pipeline and the `module:function`. The
            name can be None if the pipeline has only one function.
        steps: The pipeline's steps.

    Raises:
        InputError: A name is given twice; no step calls a function with this name; or the name is None, but the
            pipeline has several functions.
    """
    names = sorted({step.function for step in steps})
    found: dict[str, str] = {}
    for name, target in given:
        if name is None:
            if len(names) != 1:
                raise InputError(
                    f"--function {target} doesn't say which function of the pipeline it is ({', '.join(names)}): add "
                    f"the name, as in --function {names[0]}={target}"
                )
            name = names[0]
        if name not in names:
            raise InputError(
                f"--function {name}={target}: no step calls a function {name!r}; the steps call {', '.join(names)}"
            )
        if name in found:
            raise InputError(f"--function is given twice for {name!r}: {found[name]} and {target}")
        found[name] = target
    return found


def dialling(given: argparse.Namespace) -> Dial:
    """Return the maker of runners for servers, with the certificates that a command line names (`flags.add_tls`)."""
    return partial(Remote, tls_certs_dir=given.tls_certs_dir, tls_server_name=given.tls_server_name)


def runners(
    steps: Sequence[Step],
    targets: Mapping[str, str],
    documents: Mapping[str, Document],
    dial: Dial | None = None,
) -> dict[str, Runner]:
    """Return the runner of each function of a pipeline (the object that calls it), by the function's name.

    Functions that run in this process are imported. No function is called yet.

    Args:
        steps: The pipeline's steps.
        targets: The `module:function` of functions, by the function's name, as returned by `assign`. A function in
            `targets` needs no document.
        documents: The Function documents by name.
        dial: Makes the runners of functions that are called on a server. None means that they are called without TLS.

    Raises:
        InputError: A function is neither in `targets` nor in `documents`, it can't be imported, the annotations of its
            document can't be used, or the certificates for its server can't be.
    """
    found: dict[str, Runner] = {}
    for step in steps:
        name = step.function
        if name in found:
            continue
        if name in targets:
            found[name] = in_process(targets[name], f"--function {targets[name]}")
        elif name in documents:
            found[name] = _described(name, documents[name], dial)
        else:
            known = sorted({*targets, *documents})
            raise InputError(
                f"{step.where}: functionRef.name: no function {name!r} was given (given: {', '.join(known) or 'none'})"
                f"{near_name(name, known) or ':'} add its Function document to the FUNCTIONS file, or give --function "
                f"{name}=module:function"
            )
    return found


def _described(name: str, document: Document, dial: Dial | None) -> Runner:
    """Return the runner that the annotations of a Function object ask for.

    Raises:
        InputError: The annotations ask for Docker (the default) or something unknown, they lack the `module:function`,
            or the function can't be imported.
    """
    annotations = labels(document, "metadata", "annotations")
    runtime = annotations.get(RUNTIME, "Docker")
    if runtime == "Development":
        return (dial or Remote)(annotations.get(TARGET) or _DEFAULT_TARGET)
    if runtime == "InProcess":
        target = annotations.get(IN_PROCESS)
        if not target:
            raise InputError(
                f"{document.where} ({name}): {RUNTIME}: InProcess needs the annotation {IN_PROCESS}: "
                "module:function, too"
            )
        return in_process(target, f"{document.where} ({name}): annotation {IN_PROCESS}")
    if runtime == "Docker":
        raise InputError(
            f"{document.where} ({name}): this command doesn't start Docker containers: give --function "
            f"{name}=module:function; or start the function yourself, and add the annotation {RUNTIME}: Development to "
            "this document"
        )
    raise InputError(
        f"{document.where} ({name}): the annotation {RUNTIME} is {runtime!r}, and must be Development or InProcess"
    )


def in_process(target: str, where: str) -> Runner:
    """Import a function, and return its runner.

    Args:
        target: The `module:function`.
        where: What names it, for messages.

    Raises:
        InputError: The function can't be imported.
    """
    from ...runtime.load import load_runner

    try:
        found = load_runner(target)
    except InputError as e:
        raise InputError(f"{where}: {e}") from e
    return InProcess(found, target) if isinstance(found, Function) else OfMessages(found, target)
