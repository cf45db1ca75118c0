"""`crossplane-lite serve` and a function's own entry point: the flags of the functions specification.

Source of the flags: functions specification ("A Function MUST support the following command-line flags"); the
others are those that Crossplane's own command line and SDKs know.

They are parsed here instead of by argparse, which takes as long to import and set up as half of this package.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from .._observed.prints import make_all_readable
from .._observed.tracker import mask
from ..errors import CrossplaneLiteError, InputError
from . import log
from .subject import current_subject
from .transports import NAMES
from .transports.limits import Limits

if TYPE_CHECKING:
    from .load import Servable
    from .server import Server

__all__ = ["command", "main"]


def main(fn: Servable, argv: Sequence[str] | None = None) -> None:
    """Serve `fn` as the flags say until a signal ends it: the entry point of a function's own program.

    Args:
        fn: The composition function.
        argv: Command-line arguments without the program's name; by default the process's own.

    Raises:
        SystemExit: With status 2 when it can't start; the reason is on stderr.
    """
    program = os.path.basename(sys.argv[0])
    try:
        _run(program, sys.argv[1:] if argv is None else argv, fn)
    except CrossplaneLiteError as e:
        print(f"{program}: {e}", file=sys.stderr)
        raise SystemExit(2) from None


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite serve` with the arguments that follow it.

    Raises:
        InputError: It can't start.
    """
    _run("crossplane-lite serve", argv, None)
    return 0


def _text(text: str) -> str:
    return text


def _megabytes(text: str) -> int:
    """Return megabytes in bytes, within what gRPC's 32-bit limits can say."""
    if not text.isdecimal() or not 1 <= int(text) <= 2047:
        raise InputError(f"{text!r} is not a whole number of megabytes from 1 to 2047")
    return int(text) << 20


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise InputError(f"{text!r} is not a whole number from 1 to 10000")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 < seconds <= 86400:
        raise InputError(f"{text!r} is not a number of seconds from 0 to 86400")
    return seconds


def _processes(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 256:
        raise InputError(f"{text!r} is not a whole number from 1 to 256")
    return int(text)


def _transport(text: str) -> str:
    if text not in NAMES:
        raise InputError(f"{text!r} is not one of {', '.join(NAMES)}")
    return text


_DEFAULTS: Final = Limits()

# Name; what a value is called in help, None for a switch; what reads it; the default; what it does. The first
# name without its dashes is the key in the parsed flags.
_FLAGS: Final[tuple[tuple[tuple[str, ...], str | None, Callable[[str], Any], Any, str], ...]] = (
    (("--debug",), None, _text, False, "log every call, and as text instead of JSON"),
    (("--insecure",), None, _text, False, "serve without transport security; wins over certificates"),
    (
        ("--tls-certs-dir", "--tls-server-certs-dir"),
        "DIR",
        _text,
        None,
        "tls.crt, tls.key and ca.crt for mutual TLS (environment: TLS_SERVER_CERTS_DIR)",
    ),
    (
        ("--address",),
        "HOST:PORT",
        _text,
        "0.0.0.0:9443",
        "where to listen (0.0.0.0:9443, which is IPv4 and IPv6, as is :9443)",
    ),
    (
        ("--health-address",),
        "HOST:PORT",
        _text,
        None,
        "serve gRPC's health service there in plain text, for probes of Kubernetes",
    ),
    (("--metrics-address",), "HOST:PORT", _text, None, "serve metrics for Prometheus there, by the extra [metrics]"),
    (("--traces",), None, _text, False, "spans of OpenTelemetry, by the extra [otel]; its SDK sends them"),
    (("--reflection",), None, _text, False, "serve gRPC's reflection, by the extra [reflection]; grpcio only"),
    (("--max-recv-message-size",), "MB", _megabytes, 4 << 20, "largest request (4)"),
    (("--max-send-message-size",), "MB", _megabytes, None, "largest response (no limit)"),
    (("--threads",), "N", _count, 32, "calls handled at the same time (32)"),
    (("--workers",), "N", _processes, 0, "run the function in N processes, for one that computes much (none)"),
    (
        ("--call-timeout",),
        "SECONDS",
        _seconds,
        _DEFAULTS.call_seconds,
        f"how long a call may take whose caller says nothing ({_DEFAULTS.call_seconds:g})",
    ),
    (
        ("--stuck-after",),
        "SECONDS",
        _seconds,
        _DEFAULTS.stuck_seconds,
        f"how long after its deadline a call that goes on counts as stuck ({_DEFAULTS.stuck_seconds:g})",
    ),
    (
        ("--transport",),
        "|".join(NAMES),
        _transport,
        None,
        "what speaks gRPC: the package grpcio, or h2 of the extra [h2] (grpcio, or h2 where there is no grpcio)",
    ),
    (("-h", "--help"), None, _text, False, "print this and exit"),
)


def _parse(argv: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Return the value of every flag, and the arguments that aren't flags."""
    known = {name: flag for flag in _FLAGS for name in flag[0]}
    flags = {names[0].lstrip("-"): default for names, _, _, default, _ in _FLAGS}
    flags["tls-certs-dir"] = os.environ.get("TLS_SERVER_CERTS_DIR")
    others: list[str] = []
    rest = iter(argv)
    for argument in rest:
        if not argument.startswith("-"):
            others.append(argument)
            continue
        name, equals, value = argument.partition("=")
        if name not in known:
            raise InputError(f"there is no flag {name}{_near(name, known)}")
        names, metavar, read, _, _ = known[name]
        key = names[0].lstrip("-")
        if metavar is None:
            if equals:
                raise InputError(f"{name} takes no value")
            flags[key] = True
            continue
        if not equals:
            value = next(rest, "")
        if not value:
            raise InputError(f"{name} needs a value: {name} {metavar}")
        try:
            flags[key] = read(value)
        except InputError as e:
            raise InputError(f"{name}: {e}") from None
    return flags, others


def _near(name: str, known: Iterable[str]) -> str:
    import difflib  # only where something is wrong: every server would pay for it

    found = difflib.get_close_matches(name, sorted(known), n=1)
    return f"; did you mean {found[0]}?" if found else "; --help lists those that there are"


def _help(program: str, takes_function: bool) -> Iterator[str]:
    yield f"usage: {program} {'module:function ' if takes_function else ''}[flags]"
    yield ""
    if takes_function:
        yield "Serve a composition function over gRPC. Its module can be in the current directory."
    else:
        yield "Serve the composition function over gRPC."
    yield ""
    for names, metavar, _, _, text in _FLAGS:
        yield f"  {', '.join(names)}{' ' + metavar if metavar else ''}"
        yield f"      {text}"


def _run(program: str, argv: Sequence[str], fn: Servable | None) -> None:
    flags, others = _parse(argv)
    if flags["h"]:
        print("\n".join(_help(program, fn is None)))
        return
    expected = 1 if fn is None else 0
    if len(others) < expected:
        raise InputError("which function? Give it as module:function")
    if len(others) > expected:
        raise InputError(f"there is an argument too many: {others[expected]!r}")
    if not flags["insecure"] and not flags["tls-certs-dir"]:
        raise InputError(
            "no certificates: give --tls-certs-dir DIR (or TLS_SERVER_CERTS_DIR) with tls.crt, tls.key and ca.crt, "
            "or --insecure to serve without transport security"
        )
    log.configure(logging.DEBUG if flags["debug"] else logging.INFO, text=flags["debug"])
    log.set_masker(mask)
    log.set_subject(current_subject)
    make_all_readable()
    # Importing makes objects that stay. Searching them for garbage, now and at every later collection, is waste.
    gc.disable()
    try:
        server = _listening(flags, fn, others)
        gc.freeze()
    finally:
        gc.enable()
    server.serve()


def _listening(flags: dict[str, Any], fn: Servable | None, others: list[str]) -> Server:
    certificates = None
    if not flags["insecure"]:
        from .tls import Certificates

        certificates = Certificates(flags["tls-certs-dir"])
    if fn is None:
        from .load import load_function

        fn = load_function(others[0])
    from .server import Server

    run = fn.run
    if flags["traces"]:
        from .traces import traced

        run = traced(run, getattr(fn, "name", "RunFunction"))
    server = Server(
        run,
        threads=flags["threads"],
        max_receive_bytes=flags["max-recv-message-size"],
        max_send_bytes=flags["max-send-message-size"],
        transport=flags["transport"],
        limits=Limits(call_seconds=flags["call-timeout"], stuck_seconds=flags["stuck-after"]),
        workers=flags["workers"],
        metrics=flags["metrics-address"] is not None,
    )
    if flags["reflection"]:
        server.reflect()
    server.listen(flags["address"], certificates)
    if flags["health-address"]:
        server.listen_for_health(flags["health-address"])
    if flags["metrics-address"]:
        server.listen_for_metrics(flags["metrics-address"])
    return server
