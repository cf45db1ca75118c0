"""`crossplane-lite dev`: starts the server again whenever a source file changes."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from typing import Final

from ..._core.base.stdio import say
from ..programs.help import parser
from ..programs.watch import again, run, sources

_SERVING: Final = f"{__package__}.serving"
_NO_ADDRESS: Final = 3  # `serving.NO_ADDRESS`: importing the server here would take long


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite dev` with the arguments that follow it, until Ctrl-C or SIGTERM.

    Returns:
        The exit status. It is 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP; 2 if the
        address or the certificates can't be used.

    Raises:
        SystemExit: An argument is wrong or missing, or --help was given.
    """
    arguments = make_parser().parse_args(argv)
    given = [
        arguments.function,
        arguments.address,
        arguments.tls_certs_dir or "",
        arguments.record or "",
    ]

    def ended(status: int) -> int | None:
        if status == _NO_ADDRESS:
            return 2
        say("waiting for a change")
        return None

    # With `-m`, modules are looked for in the current folder first.
    return again(lambda: run(["-m", _SERVING, *given]), lambda: sources(os.getcwd()), ended)


def make_parser() -> argparse.ArgumentParser:
    """Return the argparse parser of `crossplane-lite dev`."""
    made = parser(
        "dev",
        "Serve a function while it is written, and start it again whenever a Python file below the"
        " current folder changes. It serves without transport security, for the Development runtime"
        " of render. Each call is printed as two lines: the request and the answer.",
        "examples:\n  crossplane-lite dev network.function:compose\n  crossplane-lite dev"
        " network.function:compose --record recording\n  crossplane-lite render --from"
        " 'recording#team/example' --function network.function:compose",
    )
    made.add_argument(
        "function",
        metavar="MODULE:FUNCTION",
        help="the function; its module may be in the current folder",
    )
    made.add_argument(
        "--address",
        metavar="HOST:PORT",
        default="localhost:9443",
        help="the address to serve at (localhost:9443)",
    )
    made.add_argument(
        "--tls-certs-dir",
        metavar="DIR",
        help="serve with mutual TLS, for a Crossplane in a cluster",
    )
    made.add_argument(
        "--record", metavar="DIR", help="record all calls here, for render --from, replay and tests"
    )
    return made
