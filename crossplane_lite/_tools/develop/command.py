"""`crossplane-lite dev`: starts the server again whenever a source file changes.

Files are compared by this module, because the library watchfiles takes a watch of the system for every folder, those of
virtual environments included, and would be an extra that `dev` needs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from ..._core.base.stdio import say
from ..programs.help import parser
from ..render.watch import Ending, names, stop

__all__ = ["command", "make_parser", "sources"]

_LOOK_SECONDS: Final = 0.3
_SKIPPED: Final = frozenset({"__pycache__", "build", "dist", "node_modules", "site-packages"})
_SERVING: Final = f"{__package__}.serving"
_NO_ADDRESS: Final = 3  # `serving.NO_ADDRESS`: importing the server here would take long


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite dev` with the arguments that follow it, until Ctrl-C or SIGTERM.

    Returns:
        The exit status. It is 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP; 2 if the address or the
        certificates can't be used.

    Raises:
        SystemExit: An argument is wrong or missing, or --help was given.
    """
    arguments = make_parser().parse_args(argv)
    process: subprocess.Popen[bytes] | None = None
    with Ending() as ending:
        try:
            state = sources(os.getcwd())
            process = _start(arguments)
            while not ending.is_set():
                time.sleep(_LOOK_SECONDS)
                now = sources(os.getcwd())
                if now != state:
                    changed = sorted(path for path in now.keys() | state.keys() if now.get(path) != state.get(path))
                    say(f"{names(changed)} changed: starting again")
                    state = now
                    stop(process)
                    process = _start(arguments)
                elif process is not None and process.poll() is not None:
                    if process.returncode == _NO_ADDRESS:
                        return 2
                    say("waiting for a change")
                    process = None
        finally:
            stop(process)
    return ending.status


def _start(arguments: argparse.Namespace) -> subprocess.Popen[bytes]:
    given = [arguments.function, arguments.address, arguments.tls_certs_dir or "", arguments.record or ""]
    # With `-m`, modules are looked for in the current folder first. The new session keeps a terminal's Ctrl-C away.
    return subprocess.Popen([sys.executable, "-m", _SERVING, *given], stdin=subprocess.DEVNULL, start_new_session=True)


def sources(folder: str) -> dict[str, tuple[int, int]]:
    """Return the Python files below a folder: a dict from paths to tuples of the time of the last change and the size.

    Hidden files and folders, virtual environments, build output, `site-packages` and `node_modules` are left out, and
    so are folders behind symbolic links and files that can't be read.
    """
    found = {}
    for above, folders, files in os.walk(folder):
        if "pyvenv.cfg" in files:
            folders.clear()
            continue
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _SKIPPED]
        for path in (os.path.join(above, name) for name in files if name.endswith(".py") and name[0] != "."):
            with suppress(OSError):  # it may be gone by now
                status = os.stat(path)
                found[path] = status.st_mtime_ns, status.st_size
    return found


def make_parser() -> argparse.ArgumentParser:
    """Return the argparse parser of `crossplane-lite dev`."""
    made = parser(
        "dev",
        "Serve a function while it is written, and start it again whenever a Python file below the current "
        "folder changes. It serves without transport security, for the Development runtime of render. Each call is "
        "printed as two lines: the request and the answer.",
        "examples:\n  crossplane-lite dev network.function:compose\n"
        "  crossplane-lite dev network.function:compose --record recording\n"
        "  crossplane-lite render --from 'recording#team/example' --function network.function:compose",
    )
    made.add_argument(
        "function", metavar="MODULE:FUNCTION", help="the function; its module may be in the current folder"
    )
    made.add_argument(
        "--address", metavar="HOST:PORT", default="localhost:9443", help="the address to serve at (localhost:9443)"
    )
    made.add_argument("--tls-certs-dir", metavar="DIR", help="serve with mutual TLS, for a Crossplane in a cluster")
    made.add_argument("--record", metavar="DIR", help="record all calls here, for render --from, replay and tests")
    return made
