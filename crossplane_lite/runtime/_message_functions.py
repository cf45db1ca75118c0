"""Serves functions that handle raw messages, with the names of the official SDK's
`crossplane.function.runtime`.

Such a function is an object with a method `RunFunction(request, context)`, `async def` or `def`,
which takes a request message and returns a response message. The request is a message of v1, even
if the caller uses v1beta1: one of the official SDK if the function works with its messages, else
one of `crossplane_lite.proto.v1`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Final

from google.protobuf.message import DecodeError

from .. import response
from .._core.base.texts import LONGEST_RESULT, type_in_words
from .._core.call import event_loop
from .._core.call.texts import describe, log_for
from .._core.compat.messages import full_name, sibling
from .._core.compat.pairs import Pair, understood
from .._core.observed import tracker
from .._core.observed.tracker import Tracker
from ..errors import UsageError, WireError
from ..proto import V1_SERVICE, V1BETA1_SERVICE
from ..proto.v1 import run_function_pb2 as fnv1
from . import flags, log
from .calls import current_subject
from .server import GRACE_SECONDS, Server
from .tls import Certificates
from .transports.budget import Limits

SERVICE_NAMES: Final = (V1_SERVICE, V1BETA1_SERVICE)
"""The gRPC services that are served."""

SHUTDOWN_GRACE_PERIOD_SECONDS: Final = GRACE_SECONDS
"""How many seconds running calls may take after a signal to stop."""

# The largest limit that gRPC accepts.
_NO_LIMIT: Final = 2**31 - 1

_SIZES: Final = {
    "grpc.max_receive_message_length": "receive_bytes",
    "grpc.max_send_message_length": "send_bytes",
}


def load_credentials(tls_certs_dir: str | None) -> Certificates | None:
    """Return server credentials for mutual TLS.

    The files are read again at every handshake, so that renewed certificates need no restart.

    Args:
        tls_certs_dir: A directory with tls.crt, tls.key and ca.crt, all in PEM. For None, the
            result is None.

    Returns:
        Credentials for the argument `creds` of `serve`.

    Raises:
        InputError: A file can't be read or isn't complete, the key doesn't belong to the
            certificate, or clients can't use the certificate.
    """
    return None if tls_certs_dir is None else Certificates(tls_certs_dir)


def serve(
    function: Any,
    address: str,
    *,
    creds: Certificates | None,
    insecure: bool,
    options: Sequence[tuple[str, Any]] | None = None,
    transport: str | None = None,
) -> None:
    """Serve a function until SIGTERM or SIGINT, then let running calls finish. Call `serve` in the
    main thread.

    Calls that still run 25 seconds after the signal are ended: the process exits with status 1.

    Args:
        function: An object with a method `RunFunction(request, context)`, or a
            `@composition.function`. With `async def`, all calls run on one event loop; with `def`,
            each call runs in a thread of its own. The `context` that `RunFunction` gets is None. An
            exception becomes a Fatal result.
        address: The address to listen on: `host:port` or `unix:path`.
        creds: The result of `load_credentials`.
        insecure: Whether to serve without transport security, even if there are credentials.
        options: Pairs of `grpc.max_receive_message_length` or `grpc.max_send_message_length`, and
            the limit in bytes; -1 for no limit.
        transport: `grpcio` or `h2`; by default h2, or grpcio if h2 isn't installed or can't use the
            credentials.

    Raises:
        UsageError: There are neither credentials nor `insecure=True`; `function` is neither a
            composition function nor an object with a method RunFunction; an option has another
            name; or the transport is h2 and the credentials aren't from `load_credentials`.
        InputError: The server can't listen on the address, or there is no such transport.
        MissingExtraError: The transport isn't installed.
    """
    if creds is None and not insecure:
        raise UsageError(
            "no credentials: give 'creds', which load_credentials() makes from a directory with"
            " certificates, or insecure=True to serve without transport security"
        )
    for name, _ in options or ():
        if name not in _SIZES:
            raise UsageError(
                f"the option {name!r} can't be set; the options are {', '.join(_SIZES)}"
            )
    if not isinstance(creds, (Certificates, type(None))):
        raise UsageError(
            f"creds must be what load_credentials() returns (got {type_in_words(creds)})"
        )
    runner = runner_of(function)
    log.set_masker(tracker.mask)
    log.set_subject(current_subject)
    # In gRPC's options, -1 means that there is no limit.
    sizes: dict[str, Any] = {
        _SIZES[name]: _NO_LIMIT if value == -1 else value for name, value in options or ()
    }
    server = Server(
        runner.run, None if insecure else creds, transport=transport, limits=Limits(**sizes)
    )
    server.listen(address)
    server.serve(SHUTDOWN_GRACE_PERIOD_SECONDS)


def main(function: Any, argv: Sequence[str] | None = None) -> None:
    """Serve a function as a program, which takes the command-line flags of the functions
    specification.

    `main` returns when a signal has stopped the server, or after printing the flags for `--help`.

    Args:
        function: A function, as for `serve`.
        argv: The command-line arguments without the program's name; by default the process's own.

    Raises:
        SystemExit: A flag is wrong, or the server can't start. The status is 2, and the reason is
            on stderr.
        UsageError: `function` is neither a composition function nor an object with a method
            RunFunction.
    """
    flags.main(runner_of(function), argv)


def runner_of(function: Any) -> Any:
    """Return an object with a method `run`, which takes request bytes and returns response bytes.

    A composition function is returned itself. For an object with a method RunFunction, `run` calls
    this method.

    Raises:
        UsageError: `function` is neither a composition function nor an object with a method
            RunFunction.
    """
    if callable(getattr(function, "run", None)) and not hasattr(function, "RunFunction"):
        return function
    if not callable(getattr(function, "RunFunction", None)):
        raise UsageError(
            "a function must have a method RunFunction(request, context), or be made by"
            f" @composition.function (got {type_in_words(function)})"
        )
    return _Runner(function.RunFunction, function if isinstance(function, Pair) else None)


class _Runner:
    """Answers requests as bytes: parses the request, calls a method `RunFunction`, and serialises
    the response.

    Args:
        method: The method `RunFunction` of the user's object.
        pair: The function of two messages that the object is made of; None for another object.
    """

    def __init__(self, method: Callable[[Any, Any], Any], pair: Pair | None) -> None:
        self._method = method
        self.name = (
            type(getattr(method, "__self__", method)).__name__ if pair is None else pair.name
        )
        file = getattr(getattr(method, "__code__", None), "co_filename", __file__)
        self._file: str = file if pair is None else pair.file

    def run(self, data: bytes) -> bytes:
        """Answer one request: take its bytes, and return the response's bytes.

        An exception of the function becomes a Fatal result, as in a composition function.

        Raises:
            WireError: The request is malformed.
        """
        try:
            request = fnv1.RunFunctionRequest.FromString(data)
        except DecodeError as error:
            raise WireError(f"the request is not a RunFunctionRequest: {error}") from None
        # Enter a call, so that secrets of this request are masked in log lines.
        call = Tracker(data)
        before = tracker.enter(call)
        try:
            return self._answer(request)
        except (WireError, KeyboardInterrupt):
            raise
        except event_loop.Cancelled:
            # after the call's deadline; the server has logged that, and nobody gets an answer
            return b""
        except BaseException as error:  # SystemExit too, which must not end the server
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
        answer = self._method(understood(request, self._method), None)
        if inspect.isawaitable(answer):
            answer = event_loop.run(answer)
        if full_name(answer) is None:
            raise UsageError(
                f"RunFunction() must return a RunFunctionResponse (got {type_in_words(answer)})"
            )
        returned: bytes = answer.SerializeToString()
        return returned


class BetaFunctionRunner:
    """Makes a function for v1 messages answer v1beta1 messages.

    `serve` answers both versions without this class. Use the class with a gRPC server of your own.

    Args:
        wrapped: An object with a method `RunFunction(request, context)`, `async def` or `def`.
    """

    def __init__(self, wrapped: Any) -> None:
        self.wrapped = wrapped

    async def RunFunction(self, req: Any, context: Any) -> Any:
        """Answer a v1beta1 request. Exceptions of the wrapped function aren't caught.

        Args:
            req: The request: a v1beta1 message of crossplane-lite or of the official SDK.
            context: Passed on to the wrapped function.

        Returns:
            A v1beta1 RunFunctionResponse of the same implementation as the request.
        """
        answer = self.wrapped.RunFunction(
            fnv1.RunFunctionRequest.FromString(req.SerializeToString()), context
        )
        if inspect.isawaitable(answer):
            answer = await answer
        return sibling(req, "RunFunctionResponse").FromString(answer.SerializeToString())
