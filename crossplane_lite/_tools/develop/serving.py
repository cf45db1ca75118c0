"""The process that serves a function for `crossplane-lite dev`. The command starts a new process after each change."""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..._core.base.stdio import say
from ..._core.observed.tracker import mask
from ...errors import CrossplaneLiteError
from ...runtime import log
from ...runtime.load import load_function
from .record import save
from .told import two_lines

if TYPE_CHECKING:
    from ...runtime.load import Servable

__all__ = ["NO_ADDRESS", "Shown", "main"]

_GRACE_SECONDS = 1.0

NO_ADDRESS = 3
"""The exit status if the address or the certificates can't be used: no change of the code helps."""


class Shown:
    """A function whose calls are printed, and saved as files if the user has given a folder.

    Args:
        fn: The function.
        target: The function's name for the saved files, as `module:function`.
        folder: The folder for the saved files; None to save nothing.
        secrets: Whether to save secret values as they are, and not masked.
    """

    def __init__(self, fn: Servable, target: str, folder: Path | None, *, secrets: bool) -> None:
        self._fn = fn
        self._target = target
        self._folder = folder
        self._secrets = secrets
        self._lock = threading.Lock()

    def run(self, request: bytes) -> bytes:
        """Return the function's response to a request. Print both on stderr, on a line each, and save the request.

        An error while printing or saving is printed, and doesn't change the response.
        """
        began = time.perf_counter()
        answer = self._fn.run(request)
        took = (time.perf_counter() - began) * 1000
        # A call that can't be shown must not spoil its answer.
        try:
            lines = list(two_lines(request, answer, took))
            if self._folder is not None:
                lines.append(f"  saved as {save(request, self._folder, self._target, secrets=self._secrets)}")
        except Exception as error:
            lines = [f"the call can't be shown: {type(error).__name__}: {error}"]
        with self._lock:
            say(*lines)
        return answer


def main(argv: Sequence[str]) -> int:
    """Serve a function until a signal ends the process.

    Args:
        argv: Five strings: the function, the address, the folder of certificates (empty to serve without TLS), the
            folder for saved requests (empty to save nothing), and any text to save secret values as they are (empty
            to mask them).

    Returns:
        The exit status. It is 2 if the function can't be loaded, `NO_ADDRESS`, or 0 after a signal.
    """
    target, address, certificates, folder, secrets = argv
    log.configure(logging.INFO, text=True)
    log.set_masker(mask)
    try:
        fn = load_function(target)
    except CrossplaneLiteError as e:
        say(f"crossplane-lite dev: {e}")
        return 2
    shown = Shown(fn, target, Path(folder) if folder else None, secrets=bool(secrets))
    from ...runtime.server import Server
    from ...runtime.tls import Certificates
    from ...runtime.transports.budget import Limits

    try:
        credentials = Certificates(certificates) if certificates else None
        server = Server(shown.run, credentials, limits=Limits(receive_bytes=64 << 20))
        server.listen(address)
    except CrossplaneLiteError as e:
        say(f"crossplane-lite dev: {e}")
        return NO_ADDRESS
    server.serve(_GRACE_SECONDS)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
