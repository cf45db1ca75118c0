"""`crossplane-lite record`: records what Crossplane's pipeline inspector sends."""

from __future__ import annotations

import argparse
import logging
import math
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from ..._core.base import stdio
from ...errors import InputError
from ...runtime import log, transports
from ...runtime.transports.budget import Limits
from ..programs.help import HelpFormatter
from .inspector import DEFAULT_SOCKET
from .receiving import Choice, Queue, add_xr, receive
from .writing import FILE_BYTES, TOTAL_BYTES, Writer

_log = logging.getLogger(__name__)

_RECORDINGS: Final = "/recordings"
_SMALLEST: Final = 0.01
_NOBODY: Final = 65532
# More than Crossplane's own limit for an answer of a function, so that nothing of that size is
# refused here.
_LARGEST: Final = 64 << 20


class Recorder:
    """An inspector that listens on a Unix socket and records what it is sent.

    Args:
        writer: Writes the recording.
        choice: Chooses what is recorded.
        transport: The transport; None for the one that is installed.
    """

    def __init__(self, writer: Writer, choice: Choice, transport: str | None = None) -> None:
        self._queue = Queue(writer)
        limits = Limits(
            threads=2, waiting=200, connections=20, receive_bytes=_LARGEST, memory=2 * _LARGEST
        )
        self._transport = transports.make(transport, None, limits, receive(self._queue, choice))

    def listen(self, socket: str) -> None:
        """Listen on a Unix socket.

        Raises:
            InputError: Another process listens there, or this one can't.
        """
        # gRPC's own server would take the socket away from a process that listens there.
        from ...runtime.addresses import listening, parse

        address = f"unix:{socket}"
        for one in listening(parse(address)):
            one.close()
        self._transport.listen(address)

    def start(self) -> None:
        """Answer and record from now on, in other threads."""
        self._queue.start()
        self._transport.start()

    def stop(self) -> None:
        """Stop, and write what waits."""
        self._transport.stop(1)
        self._queue.close()


def command(argv: Sequence[str]) -> int:
    """Run `crossplane-lite record` with the arguments that follow it, until Ctrl-C or SIGTERM.

    Returns:
        The exit status, which is 0.

    Raises:
        InputError: The folder or the socket can't be used, or a size is wrong.
        SystemExit: An argument is wrong or missing, or --help was given.
    """
    given = make_parser().parse_args(argv)
    if not _SMALLEST <= given.file_size <= given.total_size / 2 < math.inf:
        raise InputError(
            f"--file-size must be at least {_SMALLEST}, and at most half of --total-size"
        )
    if given.sidecar:
        stdio.write(_sidecar(given).encode())
        return 0
    if given.folder is None:
        raise InputError("say where to record: crossplane-lite record FOLDER")
    log.configure(logging.INFO)
    writer = Writer(
        given.folder, int(given.file_size * (1 << 20)), int(given.total_size * (1 << 20))
    )
    made = Recorder(writer, Choice(given.xr or (), given.function or ()), given.transport)
    made.listen(given.socket)
    # As a server waits: a signal just before a queue is read would be noticed only after the read,
    # which has no end.
    wake, poke = os.pipe()
    os.set_blocking(poke, False)
    signal.set_wakeup_fd(poke)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)
    made.start()
    _log.info("recording", extra={"socket": given.socket, "folder": str(given.folder)})
    os.read(wake, 1)
    made.stop()
    _log.info("stopped", extra={"dropped": writer.dropped})
    log.flush(1.0)
    # When Python ends, it sets the default again for handlers of our own, and a late signal would
    # kill the process.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    return 0


def _sidecar(given: argparse.Namespace) -> str:
    """Return values for Crossplane's Helm chart, which run the recorder beside Crossplane."""
    from ..manifests.yaml import dump

    folder, recordings = os.path.dirname(given.socket), str(given.folder or _RECORDINGS)
    for path, what in ((folder, "the folder of --socket"), (recordings, "FOLDER")):
        if not path.strip("/") or not path.startswith("/"):
            raise InputError(
                f"{what} is a volume in the pod, so its path must be absolute, and not the root"
            )
    mount = {"name": "pipeline-inspector", "mountPath": folder}
    flags = [
        f"--{name}={value}" for name in ("xr", "function") for value in getattr(given, name) or ()
    ]
    flags += [f"--{name}-size={getattr(given, f'{name}_size'):g}" for name in ("file", "total")]
    flags += [f"--transport={given.transport}"] if given.transport else []
    # `python3 -m` finds the packages of an image that `crossplane-lite image` made in the current
    # folder.
    start = [
        "python3",
        "-m",
        "crossplane_lite",
        "record",
        recordings,
        f"--socket={given.socket}",
        *flags,
    ]
    sidecar: dict[str, Any] = {
        "name": "recorder",
        "image": given.sidecar,
        "workingDir": "/function",
        "command": start,
        "securityContext": {
            # Crossplane's own user, so that it may use the socket.
            "runAsUser": _NOBODY,
            "runAsGroup": _NOBODY,
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
        },
        "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
        "volumeMounts": [mount, {"name": "recordings", "mountPath": recordings}],
    }
    values = {
        "args": ["--enable-pipeline-inspector", f"--pipeline-inspector-socket={given.socket}"],
        "extraVolumesCrossplane": [
            {"name": "pipeline-inspector", "emptyDir": {}},
            {
                "name": "recordings",
                "emptyDir": {"sizeLimit": f"{int(given.total_size * 1.25) + 1}Mi"},
            },
        ],
        "extraVolumeMountsCrossplane": [mount],
        "sidecarsCrossplane": [sidecar],
    }
    return dump([values])


def make_parser() -> argparse.ArgumentParser:
    """Return the argparse parser of `crossplane-lite record`."""
    made = argparse.ArgumentParser(
        prog="crossplane-lite record",
        description=(
            "Record the requests and answers of all functions of a control plane, whatever language"
            " they are written in. Crossplane 2.2 and later send them with"
            " --enable-pipeline-inspector. Crossplane takes secret values out before it sends them."
        ),
        epilog=(
            "examples:\n  crossplane-lite record recording --socket /tmp/inspector\n"
            "  crossplane-lite record recording --xr 'XNetwork/team/*' --total-size 1000\n"
            "  crossplane-lite record --sidecar registry.example.com/recorder:v1 > values.yaml"
        ),
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument(
        "folder",
        metavar="FOLDER",
        nargs="?",
        type=Path,
        help=f"where to write the recording (with --sidecar: {_RECORDINGS})",
    )
    made.add_argument(
        "--socket",
        metavar="PATH",
        default=DEFAULT_SOCKET,
        help=(
            "the Unix socket to listen on, Crossplane's --pipeline-inspector-socket"
            f" ({DEFAULT_SOCKET})"
        ),
    )
    add_xr(made)
    made.add_argument(
        "--function",
        metavar="PATTERN",
        action="append",
        help="record only calls of these functions, by name; can be given several times",
    )
    made.add_argument(
        "--file-size",
        metavar="MB",
        type=float,
        default=FILE_BYTES >> 20,
        help=f"begin a new file when one has this size ({FILE_BYTES >> 20})",
    )
    made.add_argument(
        "--total-size",
        metavar="MB",
        type=float,
        default=TOTAL_BYTES >> 20,
        help=f"delete the oldest files when all are larger than this ({TOTAL_BYTES >> 20})",
    )
    made.add_argument(
        "--transport", choices=transports.NAMES, help="the package that serves gRPC, as for serve"
    )
    made.add_argument(
        "--sidecar",
        metavar="IMAGE",
        help=(
            "record nothing: print values for Crossplane's Helm chart, which run this image as a"
            " recorder beside Crossplane; crossplane-lite image --no-prune makes such an image"
        ),
    )
    return made
