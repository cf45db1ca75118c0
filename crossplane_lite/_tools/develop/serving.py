"""The process that serves a function for `crossplane-lite dev`. The command starts a new process
after each change.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from collections.abc import Callable, Sequence

from ..._core.base.stdio import say
from ..._core.observed.tracker import mask
from ...errors import CrossplaneLiteError
from ...runtime import log
from ...runtime.load import load_function
from ..recorder.serving import recorded
from .told import two_lines

_GRACE_SECONDS = 1.0

NO_ADDRESS = 3
"""The exit status if the address, the certificates or the recording can't be used: no change of the
code helps.
"""


def shown(run: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    """Return a function that answers as `run` does, and prints each request and its answer on
    stderr, on a line each.

    An error while printing is printed, and doesn't change the answer.
    """
    lock = threading.Lock()

    def answer(request: bytes) -> bytes:
        began = time.perf_counter()
        response = run(request)
        took = (time.perf_counter() - began) * 1000
        try:
            lines: tuple[str, ...] = two_lines(request, response, took)
        except Exception as error:
            lines = (f"the call can't be shown: {type(error).__name__}: {error}",)
        with lock:
            say(*lines)
        return response

    return answer


def main(argv: Sequence[str]) -> int:
    """Serve a function until a signal ends the process.

    Args:
        argv: Four strings: the function, the address, the folder of certificates (empty to serve
            without TLS), and the folder of the recording (empty to record nothing).

    Returns:
        The exit status. It is 2 if the function can't be loaded, `NO_ADDRESS`, or 0 after a signal.
    """
    target, address, certificates, folder = argv
    log.configure(logging.INFO, text=True)
    log.set_masker(mask)
    try:
        fn = load_function(target)
    except CrossplaneLiteError as e:
        say(f"crossplane-lite dev: {e}")
        return 2
    from ...runtime.server import Server
    from ...runtime.tls import Certificates
    from ...runtime.transports.budget import Limits

    try:
        run = recorded(fn.run, folder, getattr(fn, "name", "RunFunction")) if folder else fn.run
        credentials = Certificates(certificates) if certificates else None
        server = Server(shown(run), credentials, limits=Limits(receive_bytes=64 << 20))
        server.listen(address)
    except CrossplaneLiteError as e:
        say(f"crossplane-lite dev: {e}")
        return NO_ADDRESS
    say(
        "waiting for calls, such as those of crossplane-lite render with the runtime Development;"
        " Ctrl-C ends it"
    )
    server.serve(_GRACE_SECONDS)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
