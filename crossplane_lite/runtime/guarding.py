"""`crossplane-lite guard`: serves the guard in front of a function on another server.

The function, which is the target, may be written in any language. `_core.guard` decides; this
module has the flags.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from .._core.guard.guard import Guard
from .._core.guard.seen import Options
from ..errors import CrossplaneLiteError, InputError
from . import flags
from .calls import deadline
from .flags import Flag

__all__ = ["command", "main"]

_SHORTEST_KEY: Final = 16


def _name(text: str) -> str:
    """Read a name: it is a part of marks and of a condition's type."""
    if not re.fullmatch("[A-Za-z0-9]([-_.A-Za-z0-9]*[A-Za-z0-9])?", text):
        raise InputError(
            f"{text!r} is not a name of letters, digits, '-', '_' and '.', such as network"
        )
    return text


_OWN: Final = (
    Flag("--target", "HOST:PORT", "where the function listens that is guarded, in plain text"),
    Flag(
        "--name", "NAME", "the step's name, which no other step has (guard)", _name, default="guard"
    ),
    Flag(
        "--signal",
        "PATH",
        "a value whose absence is meant, as db.status.failureMessage; may be given again",
        is_list=True,
    ),
    Flag(
        "--let-go-after",
        "SECONDS",
        "let values go that a ready resource has lacked for so long (never)",
        flags.seconds,
    ),
    Flag(
        "--probe", None, "where not all values can be noted, ask the function which of them decide"
    ),
    Flag(
        "--key-file", "FILE", "sign notes with the key in this file, so that nobody can forge them"
    ),
    Flag(
        "--manifest",
        "FUNCTION",
        "print the manifest that puts a guard in front of a function, and exit",
    ),
)
FLAGS: Final = (*_OWN, *flags.FLAGS)


# Crossplane mounts the volume with the function's certificates, and looks for the port 9443.
_MANIFEST: Final = """\
# The function listens on 127.0.0.1 only, and the guard listens where Crossplane calls the function.
# 1. kubectl apply -f this-file
# 2. kubectl patch functions.pkg.crossplane.io FUNCTION --type merge \\
#      -p '{"spec":{"runtimeConfigRef":{"name":"FUNCTION-guarded"}}}'
apiVersion: pkg.crossplane.io/v1beta1
kind: DeploymentRuntimeConfig
metadata:
  name: FUNCTION-guarded
spec:
  deploymentTemplate:
    spec:
      selector: {}
      template:
        spec:
          containers:
          - name: package-runtime
            args: [--insecure, "--address=127.0.0.1:9444"]
          - name: guard
            image: REGISTRY/crossplane-lite-guard:VERSION
            args:
            - --target=127.0.0.1:9444
            - --name=FUNCTION
            - --tls-certs-dir=/tls/server
            - --health-address=:8081
            readinessProbe:
              grpc: {port: 8081}
            resources:
              requests: {cpu: 10m, memory: 40Mi}
              limits: {memory: 128Mi}
            securityContext:
              allowPrivilegeEscalation: false
              capabilities: {drop: [ALL]}
              readOnlyRootFilesystem: true
              runAsNonRoot: true
            volumeMounts:
            - name: tls-server-certs
              mountPath: /tls/server
              readOnly: true
"""


class _Guarded:
    """A guard as a function that can be served."""

    def __init__(self, given: dict[str, Any]) -> None:
        from .transports.client import Target

        options = Options(
            name=given["name"],
            signals=tuple(given["signal"]),
            let_go_after=given["let-go-after"],
            probe=given["probe"],
            key=_key(given["key-file"]),
        )
        self.name = options.name
        self._guard = Guard(Target(given["target"]).call, options)

    def run(self, request: bytes, /) -> bytes:
        """Answer a request."""
        return self._guard.run(request, deadline.get())


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite guard` until a signal stops the server, and return the exit status,
    which is 0.

    Args:
        argv: The arguments after `guard`.

    Raises:
        InputError: A flag, a file or a certificate is wrong, or the server can't listen on an
            address.
        MissingExtraError: A flag needs a package that isn't installed.
    """
    given, others = flags.parse(argv, FLAGS)
    if given["h"]:
        print("\n".join(_help()))
        return 0
    if others:
        raise InputError(f"there is an argument too many: {others[0]!r}; remove it")
    if given["manifest"]:
        print(_MANIFEST.replace("FUNCTION", given["manifest"]), end="")
        return 0
    if not given["target"]:
        raise InputError(
            "no target was given: give the address of the function with --target HOST:PORT"
        )
    flags.serve(given, lambda: _Guarded(given))
    return 0


def main() -> int:
    """Run the guard as a program of its own, as in an image: the arguments are the process's own.

    Raises:
        SystemExit: A flag is wrong, or the server can't start. The status is 2, and the reason is
            on stderr.
    """
    try:
        return command(sys.argv[1:])
    except CrossplaneLiteError as e:
        print(f"guard: {e}", file=sys.stderr)
        raise SystemExit(2) from None


def _help() -> Sequence[str]:
    return [
        "usage: crossplane-lite guard --target HOST:PORT [flags]",
        "",
        "Stand between Crossplane and a function in any language: a value that was there and goes",
        "missing counts as it last was, so nothing is deleted because a status field is lost.",
        "",
        *flags.help_of(FLAGS),
    ]


def _key(path: str | None) -> bytes | None:
    """Return the key in a file."""
    if path is None:
        return None
    try:
        key = Path(path).read_bytes().strip()
    except OSError as e:
        raise InputError(f"--key-file {path} can't be read: {e.strerror}") from None
    if len(key) < _SHORTEST_KEY:
        raise InputError(
            f"--key-file {path} has {len(key)} bytes: a key needs {_SHORTEST_KEY} or more"
        )
    return key
