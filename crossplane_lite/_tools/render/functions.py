"""The runners that `render` calls functions with: in this process, or on a server over gRPC."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from ..._core.base.texts import near_name, type_in_words
from ...composition import Function
from ...errors import InputError, UsageError, WireError
from ...proto import METHOD, V1_SERVICE, V1BETA1_SERVICE
from ...runtime.load import takes_messages
from ..manifests.files import read_bytes
from ..manifests.yaml import Document
from .inputs import labels
from .pipeline import Runner, Step
from .rendered import RenderError

if TYPE_CHECKING:
    from .observing import Seen

_OPTIONS: Final = (("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1))
# What gRPC says of a server with TLS, and what that means.
_HINTS: Final = {
    "Unwrap": "the server refused the certificate; its log says why",
    "self signed": "it is self-signed, or has its CA's name and no key usage",
    "Connection refused": "nothing listens there",
    "Failed to parse port": "a server's address is host:port, such as localhost:9443",
    "Hostname": "--tls-server-name says which name its certificate has",
}
# Addresses for which no proxy is used. Otherwise gRPC would use the proxy that the environment
# names.
_LOCAL: Final = ("localhost", "127.", "[::1]", "ipv4:127.", "ipv6:[::1]", "unix:")


def runners_of(functions: Mapping[str, Runner | Function]) -> dict[str, Runner]:
    """Return a runner for each function, by the function's name.

    Args:
        functions: The functions by name: a `@composition.function`, a `compose(req, rsp)`, or an
            object with a method RunFunction, which get a runner in this process; or a runner, which
            is returned as it is.

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
                f"function {name!r} must be a @composition.function, an object with a method"
                " RunFunction, or a runner such as Remote('localhost:9443') (got"
                f" {type_in_words(function)})"
            )
    return found


class InProcess:
    """Runs a composition function in this process, without a time limit.

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
        """Answer a request, as `Runner.run` says. `timeout` has no effect."""
        from .observing import Seen

        self.seen = None
        seen = Seen()
        answer = _answer(lambda: self.function.run(request, seen))
        seen.answered(request, answer)
        self.seen = seen
        return answer


class OfMessages:
    """Runs an object with a method RunFunction, which handles protobuf messages itself, in this
    process.

    Attributes:
        name: The name of the object's class.
        source: The object's `module:function`; empty if it isn't known.
        file: The path of the file with the method RunFunction; the path of this module if the file
            isn't known.
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
        """Answer a request, as `Runner.run` says. `timeout` has no effect."""
        return _answer(lambda: self._run(request))


def _answer(run: Callable[[], bytes]) -> bytes:
    try:
        return run()
    except WireError as e:
        raise RenderError(f"the function can't read its request: {e}") from e


def _client_files(folder: str) -> tuple[bytes, ...]:
    """Return the contents of tls.crt, tls.key and ca.crt in a folder, which a client shows and
    trusts.

    Raises InputError if a file can't be read or used, or the key isn't that of the certificate.
    """
    import ssl

    certificate, key, ca = paths = [
        os.path.join(folder, name) for name in ("tls.crt", "tls.key", "ca.crt")
    ]
    contents = tuple(map(read_bytes, paths))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    try:
        what, needed = f"{certificate} and {key}", "a certificate and its key"
        # Without a password here, OpenSSL would ask on the terminal for the password of an
        # encrypted key.
        context.load_cert_chain(certificate, key, password="")
        what, needed = ca, "the certificate of the server's CA"
        context.load_verify_locations(ca)
    except (OSError, ValueError) as e:
        raise InputError(
            f"{what} can't be used ({getattr(e, 'reason', None) or e}): give {needed}"
        ) from e
    return contents


class Remote:
    """Runs a function by calling its gRPC server.

    The runner uses v1 of Crossplane's protocol, or v1beta1 if the server doesn't support v1. The
    first call opens the connection, and later calls use it again. In a `with` statement, the
    connection is closed at the end.

    Args:
        target: The address of the server, such as `localhost:9443`.
        tls_certs_dir: A directory with tls.crt, tls.key and ca.crt, as in Crossplane's Secret
            `crossplane-tls-client`, for mutual TLS. None means no TLS.
        tls_server_name: The name that the server's certificate must have, if it isn't the host in
            `target`.

    Attributes:
        target: The address of the server.

    Raises:
        InputError: A file in `tls_certs_dir` can't be used.
    """

    def __init__(
        self,
        target: str,
        tls_certs_dir: str | os.PathLike[str] | None = None,
        tls_server_name: str | None = None,
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
        """Send a request to the server, and return its answer. `Runner.run` describes arguments and
        errors.
        """
        import grpc  # 50 ms, and functions in process don't need it

        if timeout <= 0:
            raise RenderError(
                "the time limit of all steps was over before this call; see what took so long"
                " before it, or allow more with --timeout (in Python: timeout=)"
            )
        if self._channel is None:
            self._channel = self._open()
        deadline = time.monotonic() + timeout
        while True:
            service = self._services[0]
            call = self._channel.unary_unary(f"/{service}/{METHOD}")
            try:
                # Timers take no more than this, and 0 would mean no limit.
                left = min(max(deadline - time.monotonic(), 1e-3), 1e8)
                answer: bytes = call(request, timeout=left)
                return answer
            except grpc.RpcError as error:
                code, details = error.code(), " ".join(str(error.details() or "").split())
                if code is grpc.StatusCode.UNIMPLEMENTED and len(self._services) > 1:
                    del self._services[0]
                    continue
                # As a server with TLS does it.
                is_closed = any(one in details for one in ("Socket closed", "reset by peer"))
                if (
                    code is grpc.StatusCode.UNAVAILABLE
                    and "onnect" in details
                    and not (is_closed or self._files)
                ):
                    raise RenderError(
                        f"no server answers at {self.target}; start it with: crossplane-lite serve"
                        f" module:function --insecure --address {self.target}"
                    ) from None
                problem = f"{code.name}: {details}" if details else code.name
                if is_closed and not self._files:
                    problem += " (a server with TLS needs --tls-certs-dir)"
                problem += next(
                    (f" ({hint})" for sign, hint in _HINTS.items() if sign in details), ""
                )
                raise RenderError(
                    f"the call of the function at {self.target} failed: {problem}"
                ) from None

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
        return grpc.secure_channel(
            self.target, grpc.ssl_channel_credentials(ca, key, certificate), options
        )

    def close(self) -> None:
        """Close the connection. A later call opens a new connection."""
        if self._channel is not None:
            self._channel.close()
            self._channel = None


class Guarded:
    """Runs a function behind the guard, as `crossplane-lite guard` does in a cluster.

    Args:
        name: The name of the function, which the guard's marks and notes have.
        runner: Runs the function.
    """

    def __init__(self, name: str, runner: Runner) -> None:
        from ..._core.guard.guard import Guard  # most previews have none
        from ..._core.guard.seen import Options

        self._runner = runner
        self._guard = Guard(self._ask, Options(name=name))

    def __repr__(self) -> str:
        return f"Guarded({self._runner!r})"

    def run(self, request: bytes, timeout: float) -> bytes:
        """Answer a request, as `Runner.run` says."""
        return self._guard.run(request, time.monotonic() + timeout)

    def _ask(self, request: bytes, until: float, meanwhile: Callable[[], object]) -> bytes:
        meanwhile()
        return self._runner.run(request, until - time.monotonic())


def behind_guards(functions: Mapping[str, Runner]) -> dict[str, Runner]:
    """Return the runners of functions, with a guard in front of each that isn't made with this SDK.

    Raises:
        InputError: All of them are made with this SDK, and need no guard.
    """
    found: dict[str, Runner] = {}
    for name, runner in functions.items():
        found[name] = runner if isinstance(runner, InProcess) else Guarded(name, runner)
    if found == functions:
        raise InputError(
            "--guard is for functions on a server or made with another SDK: these need none, leave"
            " it out"
        )
    return found


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
    """Return the `module:function` of each function that `--function` names, by the function's name
    in the pipeline.

    Args:
        given: The values of `--function`: pairs of the function's name in the pipeline and the
            `module:function`. The name can be None if the pipeline has only one function.
        steps: The pipeline's steps.

    Raises:
        InputError: A name is given twice; no step calls a function with this name; or the name is
            None, but the pipeline has several functions.
    """
    names = sorted({step.function for step in steps})
    found: dict[str, str] = {}
    for name, target in given:
        if name is None:
            if len(names) != 1:
                raise InputError(
                    f"--function {target} doesn't say which function of the pipeline it is"
                    f" ({', '.join(names)}): add the name, as in --function {names[0]}={target}"
                )
            name = names[0]
        if name not in names:
            raise InputError(
                f"--function {name}={target}: no step calls a function {name!r}; the steps call"
                f" {', '.join(names)}"
            )
        if name in found:
            raise InputError(f"--function is given twice for {name!r}: {found[name]} and {target}")
        found[name] = target
    return found


def dialling(given: argparse.Namespace) -> Dial:
    """Return the maker of runners for servers, with the certificates of a command line
    (`arguments.add_tls`).
    """
    return partial(Remote, tls_certs_dir=given.tls_certs_dir, tls_server_name=given.tls_server_name)


def runners(
    steps: Sequence[Step],
    targets: Mapping[str, str],
    documents: Mapping[str, Document],
    dial: Dial | None = None,
) -> dict[str, Runner]:
    """Return the runner of each function of a pipeline (the object that calls it), by the
    function's name.

    Functions that run in this process are imported. No function is called yet.

    Args:
        steps: The pipeline's steps.
        targets: The `module:function` of functions, by the function's name, as returned by
            `assign`. A function in `targets` needs no document.
        documents: The Function documents by name.
        dial: Makes the runners of functions that are called on a server. None means that they are
            called without TLS.

    Raises:
        InputError: A function is neither in `targets` nor in `documents`, it can't be imported, the
            annotations of its document can't be used, or the certificates for its server can't be.
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
                f"{step.where}: functionRef.name: no function {name!r} was given (given:"
                f" {', '.join(known) or 'none'}){near_name(name, known) or ':'} add its Function"
                f" document to the FUNCTIONS file, or give --function {name}=module:function"
            )
    return found


def _described(name: str, document: Document, dial: Dial | None) -> Runner:
    """Return the runner that the annotations of a Function object ask for.

    Raises:
        InputError: The annotations ask for Docker (the default) or something unknown, they lack the
            `module:function`, or the function can't be imported.
    """
    annotations = labels(document, "metadata", "annotations")
    runtime = annotations.get(RUNTIME, "Docker")
    if runtime == "Development":
        return (dial or Remote)(annotations.get(TARGET) or _DEFAULT_TARGET)
    if runtime == "InProcess":
        target = annotations.get(IN_PROCESS)
        if not target:
            raise InputError(
                f"{document.where} ({name}): {RUNTIME}: InProcess needs the annotation"
                f" {IN_PROCESS}: module:function, too"
            )
        return in_process(target, f"{document.where} ({name}): annotation {IN_PROCESS}")
    if runtime == "Docker":
        raise InputError(
            f"{document.where} ({name}): this command doesn't start Docker containers: give"
            f" --function {name}=module:function; or start the function yourself, and add the"
            f" annotation {RUNTIME}: Development to this document"
        )
    raise InputError(
        f"{document.where} ({name}): the annotation {RUNTIME} is {runtime!r}, and must be"
        " Development or InProcess"
    )


def in_process(target: str, where: str) -> Runner:
    """Import a function, and return its runner.

    Args:
        target: The `module:function`.
        where: What names it, for messages.

    Raises:
        InputError: The function can't be imported, or `target` is a server's address.
    """
    from ...runtime.load import load_runner

    if target.rpartition(":")[2].isdecimal():
        raise InputError(
            f"{where}: this is an address, which belongs into the Function document of the"
            f" function: annotations {RUNTIME}: Development and {TARGET}: {target}"
        )
    try:
        found = load_runner(target)
    except InputError as e:
        raise InputError(f"{where}: {e}") from e
    return InProcess(found, target) if isinstance(found, Function) else OfMessages(found, target)
