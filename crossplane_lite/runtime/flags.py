"""Parses the flags of `crossplane-lite serve` and of a function's own program, and serves the
function.

Most flags are those of the functions specification ("A Function MUST support the following
command-line flags"), and of Crossplane's command line and SDKs. Others, such as `--health-address`,
exist only here.

argparse isn't used, because importing and setting it up takes half as long as importing this
package.
"""

from __future__ import annotations

import gc
import getopt
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .._core.base.texts import near_name
from .._core.observed.tracker import mask
from ..errors import CrossplaneLiteError, InputError, MissingExtraError
from . import log, transports
from .calls import current_subject
from .transports.budget import Limits

if TYPE_CHECKING:
    from .load import Servable
    from .server import Server

__all__ = ["FLAGS", "Flag", "command", "help_of", "main", "parse", "seconds", "serve", "whole"]


def main(fn: Servable, argv: Sequence[str] | None = None) -> None:
    """Serve a function with the flags of a command line, and return when a signal has stopped the
    server.

    This is the entry point of a function's own program. `--help` prints the flags instead.

    Args:
        fn: The composition function.
        argv: The command-line arguments without the program's name; by default the process's own.

    Raises:
        SystemExit: A flag is wrong, or the server can't start. The status is 2, and the reason is
            on stderr.
    """
    program = os.path.basename(sys.argv[0])
    try:
        _run(program, sys.argv[1:] if argv is None else argv, fn)
    except CrossplaneLiteError as e:
        print(f"{program}: {e}", file=sys.stderr)
        raise SystemExit(2) from None


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite serve` until a signal stops the server, and return the exit status,
    which is 0.

    Args:
        argv: The arguments after `serve`.

    Raises:
        InputError: A flag or a certificate is wrong, the function can't be loaded, or the server
            can't listen on an address.
        MissingExtraError: A flag needs a package that isn't installed.
    """
    _run("crossplane-lite serve", argv, None)
    return 0


def whole(most: int, of: str = "") -> Callable[[str], int]:
    """Return a function that reads a whole number from 1 to `most`."""

    def read(text: str) -> int:
        if not text.isdecimal() or not 1 <= int(text) <= most:
            raise InputError(f"{text!r} is not a whole number{of} from 1 to {most}")
        return int(text)

    return read


def _megabytes(text: str) -> int:
    """Return how many bytes a number of megabytes is. Limits above 2047 MB don't fit into gRPC's 32
    bits.
    """
    return whole(2047, " of megabytes")(text) << 20


def seconds(text: str) -> float:
    """Read a number of seconds: above 0, and at most a day."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 < number <= 86400:
        raise InputError(f"{text!r} is not a number of seconds above 0, and at most 86400")
    return number


def _transport(text: str) -> str:
    if text not in transports.NAMES:
        raise InputError(f"{text!r} is not one of {', '.join(transports.NAMES)}")
    return text


_DEFAULTS: Final = Limits()
_ADDRESS: Final = "0.0.0.0:9443"


class Flag(NamedTuple):
    """A flag.

    Attributes:
        names: All its names. The first, without dashes, is the key in the parsed flags.
        value: The name of its value in help, or None for a switch, whose default is False.
        text: The help text.
        read: Reads the value.
        limit: The attribute of `Limits` that the value is for, from which the default comes.
        default: The default of another flag.
        is_list: Whether the flag may be given again, and has a list as its value.
    """

    names: str
    value: str | None
    text: str
    read: Callable[[str], Any] = str
    limit: str = ""
    default: Any = None
    is_list: bool = False

    @property
    def key(self) -> str:
        return self.names.partition(",")[0].lstrip("-")


FLAGS: Final = (
    Flag("--debug", None, "log every call, and as text instead of JSON"),
    Flag("--insecure", None, "serve without transport security; wins over certificates"),
    Flag(
        "--tls-certs-dir",
        "DIR",
        "tls.crt, tls.key and ca.crt for mutual TLS (environment: TLS_SERVER_CERTS_DIR)",
    ),
    Flag(
        "--address",
        "HOST:PORT",
        f"where to listen ({_ADDRESS}, which is IPv4 and IPv6, as is :9443)",
        default=_ADDRESS,
    ),
    Flag(
        "--health-address",
        "HOST:PORT",
        "serve gRPC's health service here, in plain text, for probes of Kubernetes",
    ),
    Flag(
        "--metrics-address",
        "HOST:PORT",
        "serve metrics for Prometheus on this address (needs the extra [metrics])",
    ),
    Flag("--record", "DIR", "record all calls here, for crossplane-lite replay and report"),
    Flag("--max-recv-message-size", "MB", "largest request (4)", _megabytes, "receive_bytes"),
    Flag("--threads", "N", "calls handled at the same time (32)", whole(10_000), "threads"),
    Flag(
        "--transport",
        "|".join(transports.NAMES),
        "the package that serves gRPC: h2 of the extra [h2], or grpcio (h2 if it is installed, else"
        " grpcio)",
        _transport,
    ),
    Flag("-h, --help", None, "print this and exit"),
)


def parse(argv: Sequence[str], table: Sequence[Flag] = FLAGS) -> tuple[dict[str, Any], list[str]]:
    """Return a dict of the values of all flags, with defaults, and a list of the arguments that
    aren't flags.

    The keys are the flags' names without dashes in front, such as `tls-certs-dir`.

    Raises:
        InputError: An argument is an unknown flag, a flag's value is missing or wrong, or a flag
            takes no value.
    """
    known = {name: flag for flag in table for name in flag.names.split(", ")}
    flags = {one.key: _default(one) for one in table}
    flags["tls-certs-dir"] = os.environ.get("TLS_SERVER_CERTS_DIR")
    long = [
        name[2:] + "=" * (flag.value is not None)
        for name, flag in known.items()
        if name.startswith("--")
    ]
    try:
        given, others = getopt.gnu_getopt(list(argv), "h", long)
    except getopt.GetoptError as e:
        unknown = f"--{e.opt}"
        near = "" if unknown in known else near_name(unknown, known)
        raise InputError(
            f"the flags can't be read: {e.msg}{near or '; --help lists all flags'}"
        ) from None
    for name, value in given:
        flag = known[name]
        if flag.value is None:
            flags[flag.key] = True
            continue
        if not value:
            raise InputError(f"{name} needs a value: {name} {flag.value}")
        try:
            read = flag.read(value)
        except InputError as e:
            raise InputError(f"{name}: {e}") from None
        flags[flag.key] = [*flags[flag.key], read] if flag.is_list else read
    return flags, others


def _default(flag: Flag) -> Any:
    if flag.value is None:
        return False
    if flag.is_list:
        return []
    return getattr(_DEFAULTS, flag.limit) if flag.limit else flag.default


def _help(program: str, takes_function: bool) -> Iterator[str]:
    yield f"usage: {program} {'module:function ' if takes_function else ''}[flags]"
    yield ""
    if takes_function:
        yield "Serve a composition function over gRPC. Its module can be in the current directory."
    else:
        yield "Serve the composition function over gRPC."
    yield ""
    yield from help_of(FLAGS)


def help_of(table: Sequence[Flag]) -> Iterator[str]:
    """Yield the lines of flags in a help text."""
    for flag in table:
        yield f"  {flag.names}{' ' + flag.value if flag.value else ''}"
        yield f"      {flag.text}"


def _run(program: str, argv: Sequence[str], fn: Servable | None) -> None:
    flags, others = parse(argv)
    if flags["h"]:
        print("\n".join(_help(program, fn is None)))
        return
    expected = 1 if fn is None else 0
    if len(others) < expected:
        raise InputError(
            "no function was given: give it as module:function, for example function:compose"
        )
    if len(others) > expected:
        raise InputError(f"there is an argument too many: {others[expected]!r}; remove it")

    def load() -> Servable:
        if fn is not None:
            return fn
        from .load import load_function

        return load_function(others[0])

    serve(flags, load)


def serve(flags: dict[str, Any], load: Callable[[], Servable]) -> None:
    """Serve a function with parsed flags until a signal stops the server. `load` returns the
    function.

    Raises:
        InputError: A flag or a certificate is wrong, or the server can't listen on an address.
        MissingExtraError: A flag needs a package that isn't installed.
    """
    if not flags["insecure"] and not flags["tls-certs-dir"]:
        raise InputError(
            "no certificates: give --tls-certs-dir DIR (or TLS_SERVER_CERTS_DIR) with tls.crt,"
            " tls.key and ca.crt, or --insecure to serve without transport security"
        )
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed at the start
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    log.configure(logging.DEBUG if flags["debug"] else logging.INFO, text=flags["debug"])
    log.set_masker(mask)
    log.set_subject(current_subject)
    log.log_what_python_prints()
    if not flags["debug"]:
        # gRPC's core writes text to stderr. Otherwise each handshake that fails, as of a port scan,
        # would be a line.
        os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
    # The objects that imports make stay for ever. So the garbage collector need not search them,
    # now or later.
    gc.disable()
    try:
        server = _listening(flags, load)
        gc.freeze()
    finally:
        gc.enable()
    server.serve()


def _recorder() -> Any:
    """Return the module that records calls. A served function doesn't need it otherwise, and images
    don't have it.
    """
    import importlib

    try:
        return importlib.import_module("crossplane_lite._tools.recorder.serving")
    except ModuleNotFoundError:
        raise MissingExtraError(
            "--record isn't in this image, which holds only the code that serves a function: make"
            " the image with --no-prune"
        ) from None


def _listening(flags: dict[str, Any], load: Callable[[], Servable]) -> Server:
    certificates = None
    if not flags["insecure"]:
        from .tls import Certificates

        certificates = Certificates(flags["tls-certs-dir"])
    fn = load()
    from .server import Server

    run = fn.run
    if flags["record"]:
        run = _recorder().recorded(run, flags["record"], getattr(fn, "name", "RunFunction"))
    server = Server(
        run,
        certificates,
        limits=Limits(**{one.limit: flags[one.key] for one in FLAGS if one.limit}),
        transport=flags["transport"],
        metrics=flags["metrics-address"] is not None,
    )
    server.listen(flags["address"])
    if flags["health-address"]:
        server.listen_for_health(flags["health-address"])
    if flags["metrics-address"]:
        server.listen_for_metrics(flags["metrics-address"])
    return server
