"""Serving functions that handle raw messages, as `crossplane.function.runtime` does, on our own server.

Such a function is an object with a method `RunFunction(request, context)`, `async def` or `def`, which takes and
returns messages. It gets those of `crossplane_lite.proto.v1`, also from a caller that speaks v1beta1.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final

from .. import response
from .._base.type_names import type_in_words
from .._call import event_loop
from .._call.error_text import describe
from .._call.log import log_for
from .._compat.messages import full_name, sibling
from .._observed import tracker
from .._observed.prints import make_all_readable
from .._observed.secrets import masker_for
from .._observed.tracker import Tracker
from .._terminal.excerpts import LONGEST_RESULT
from ..errors import UsageError, WireError
from ..proto import V1_SERVICE, V1BETA1_SERVICE, _view
from ..proto._pool import DecodeError
from ..proto.v1 import run_function_pb2 as fnv1
from . import flags, log
from .server import GRACE_SECONDS, Server
from .subject import current_subject
from .tls import Certificates

__all__ = [
    "SERVICE_NAMES",
    "SHUTDOWN_GRACE_PERIOD_SECONDS",
    "BetaFunctionRunner",
    "load_credentials",
    "main",
    "runner_of",
    "serve",
]

SERVICE_NAMES: Final = (V1_SERVICE, V1BETA1_SERVICE)
"""The gRPC services that are served."""

SHUTDOWN_GRACE_PERIOD_SECONDS: Final = GRACE_SECONDS
"""How long running calls may take after a signal to stop."""

# The largest message that its length prefix can say is twice as long; this is what gRPC can have as a limit.
_NO_LIMIT: Final = 2**31 - 1

_SIZES: Final = {
    "grpc.max_receive_message_length": "max_receive_bytes",
    "grpc.max_send_message_length": "max_send_bytes",
}


def load_credentials(tls_certs_dir: str | None) -> Any:
    """Return server credentials for mutual TLS.

    The files are read again at every handshake, so that rotated certificates need no restart.

    Args:
        tls_certs_dir: A directory with tls.crt, tls.key and ca.crt, all PEM; None for no credentials.

    Returns:
        What `serve` takes as `creds`. Where grpcio is installed, gRPC's own servers take it as well.

    Raises:
        InputError: A file can't be read, isn't complete, or the key isn't the certificate's.
    """
    if tls_certs_dir is None:
        return None
    certificates = Certificates(tls_certs_dir)
    try:
        from .transports.grpcio import credentials
    except ModuleNotFoundError as e:
        if e.name != "grpc":
            raise
        return certificates
    creds = credentials(certificates)
    creds.certificates = certificates
    return creds


def serve(
    function: Any,
    address: str,
    *,
    creds: Any,
    insecure: bool,
    options: Sequence[tuple[str, Any]] | None = None,
    transport: str | None = None,
) -> None:
    """Serve a function until SIGTERM or SIGINT, then let running calls finish. Must run in the main thread.

    Args:
        function: An object with a method `RunFunction(request, context)`, or a `@composition.function`. An `async def`
            runs on one event loop, whose thread all calls share; a `def` runs in a thread of its own. The context is
            None. An exception becomes a Fatal result.
        address: Where to listen, `host:port`.
        creds: What `load_credentials` returns.
        insecure: Serve without transport security, also when there are credentials.
        options: `grpc.max_receive_message_length` and `grpc.max_send_message_length`, in bytes, -1 for no limit.
        transport: `grpcio` or `h2`; by default grpcio, or h2 where there is no grpcio.

    Raises:
        UsageError: There are no credentials and `insecure` isn't said, or h2 is to use others than those of
            `load_credentials`; `function` isn't a function, or an option is not one of the two.
        InputError: It can't listen there, or there is no such transport.
    """
    if creds is None and not insecure:
        raise UsageError(
            "no credentials: give 'creds', which load_credentials() makes from a directory with certificates, "
            "or insecure=True to serve without transport security"
        )
    for name, _ in options or ():
        if name not in _SIZES:
            raise UsageError(f"the option {name!r} can't be set; those that can: {', '.join(_SIZES)}")
    runner = runner_of(function)
    log.set_masker(tracker.mask)
    log.set_subject(current_subject)
    make_all_readable()
    # -1 is gRPC's way to say that there is no limit.
    sizes: dict[str, Any] = {_SIZES[name]: _NO_LIMIT if value == -1 else value for name, value in options or ()}
    server = Server(runner.run, transport=transport, **sizes)
    server.listen(address, None if insecure else getattr(creds, "certificates", creds))
    server.serve(SHUTDOWN_GRACE_PERIOD_SECONDS)


def main(function: Any, argv: Sequence[str] | None = None) -> None:
    """Serve a function as the flags of the functions specification say: the entry point of its program.

    Args:
        function: What `serve` takes.
        argv: Command-line arguments without the program's name; by default the process's own.

    Raises:
        SystemExit: With status 2 when it can't start; the reason is on stderr.
        UsageError: `function` isn't a function.
    """
    flags.main(runner_of(function), argv)


def runner_of(function: Any) -> Any:
    """Return an object with a method `run(bytes)`: the composition function itself, or one that calls a servicer."""
    if callable(getattr(function, "run", None)) and not hasattr(function, "RunFunction"):
        return function
    if not callable(getattr(function, "RunFunction", None)):
        raise UsageError(
            "a function has a method RunFunction(request, context), or is made by @composition.function "
            f"(got {type_in_words(function)})"
        )
    return _Runner(function.RunFunction)


class _Runner:
    """Calls a servicer's method with messages.

    Args:
        method: Its `RunFunction`.
    """

    def __init__(self, method: Callable[[Any, Any], Any]) -> None:
        self._method = method
        self.name = type(getattr(method, "__self__", method)).__name__
        self._file: str = getattr(getattr(method, "__code__", None), "co_filename", __file__)

    def run(self, data: bytes) -> bytes:
        """Answer one request. An exception of the function becomes a Fatal result, as in a composition function.

        Raises:
            WireError: The request is malformed.
        """
        try:
            request = fnv1.RunFunctionRequest.FromString(data)
        except DecodeError as error:
            raise WireError(f"not a RunFunctionRequest: {error}") from None
        # Inside of a call, so that the secrets of this request are masked in what is logged.
        call = Tracker(data, lambda: masker_for(_view.RunFunctionRequest.FromString(data)))
        before = tracker.enter(call)
        try:
            return self._answer(request)
        except (WireError, KeyboardInterrupt):
            raise
        except BaseException as error:  # SystemExit too: it must not end more than this call
            log_for(self.name, call).exception("RunFunction() raised")
            rsp = response.to(request)
            response.fatal(rsp, call.show_capped(describe(error, call, self._file), LONGEST_RESULT))
            failed: bytes = rsp.SerializeToString()
            return failed
        finally:
            tracker.leave(call, before)
            for place in call.tied:
                place.untie()

    def _answer(self, request: Any) -> bytes:
        answer = self._method(request, None)
        if inspect.isawaitable(answer):
            answer = event_loop.run(answer)
        if full_name(answer) is None:
            raise UsageError(f"RunFunction() must return a RunFunctionResponse (got {type_in_words(answer)})")
        returned: bytes = answer.SerializeToString()
        return returned


class BetaFunctionRunner:
    """Lets a function that takes v1 messages answer v1beta1 messages.

    `serve` doesn't need it. It is for who runs a server of their own.

    Args:
        wrapped: An object with a method `RunFunction(request, context)`, `async def` or `def`.
    """

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped

    async def RunFunction(self, req: Any, context: Any) -> Any:
        """Answer a v1beta1 request.

        Args:
            req: The request, of any implementation.
            context: What is handed on to the wrapped function.

        Returns:
            A v1beta1 RunFunctionResponse of the request's implementation.
        """
        answer = self.wrapped.RunFunction(fnv1.RunFunctionRequest.FromString(req.SerializeToString()), context)
        if inspect.isawaitable(answer):
            answer = await answer
        return sibling(req, "RunFunctionResponse").FromString(answer.SerializeToString())
