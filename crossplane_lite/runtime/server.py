"""The server of one function: raw request bytes in, raw response bytes out, over either transport.

No message classes take part here: a transport hands over what came from the wire, and the function answers with what
goes out. v1 and v1beta1 are answered alike, because their messages are the same on the wire.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from ..errors import WireError
from . import log, transports
from .transports import status
from .transports.limits import Limits

if TYPE_CHECKING:
    from .tls import Certificates

__all__ = ["GRACE_SECONDS", "Server"]

GRACE_SECONDS: Final = 25
"""How long running calls may take after a signal to stop; Kubernetes kills a pod after 30 seconds."""

_log = logging.getLogger(__name__)

Run = Callable[[bytes], bytes]


class Server:
    """A server for one function.

    Args:
        run: The function, request bytes to response bytes. What it raises but for WireError is a defect.
        threads: How many calls may run at the same time; others wait.
        max_receive_bytes: A larger request is answered with RESOURCE_EXHAUSTED.
        max_send_bytes: The same for the response; None for no limit.
        transport: `grpcio` or `h2`; None for the first of them that is installed.
        limits: All other limits, in place of the defaults.

    Raises:
        MissingExtraError: The transport isn't installed.
        InputError: There is no such transport.
    """

    def __init__(
        self,
        run: Run,
        *,
        threads: int = 32,
        max_receive_bytes: int = 4 << 20,
        max_send_bytes: int | None = None,
        transport: str | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._run = _logged(run) if _log.isEnabledFor(logging.DEBUG) else run
        # One entry per running call: a list, because its append and pop need no lock of ours.
        self._running: list[None] = []
        self._bound: list[dict[str, Any]] = []
        limits = limits or Limits()
        limits = limits._replace(threads=threads, receive_bytes=max_receive_bytes, send_bytes=max_send_bytes)
        self._transport = transports.make(transport, self._handle, limits)

    def listen(self, address: str, certificates: Certificates | None = None) -> str:
        """Bind to an address.

        Args:
            address: `host:port`, or `unix:path`; port 0 takes a free one. A wildcard host means IPv4 and IPv6.
            certificates: For mutual TLS; None serves without transport security.

        Returns:
            The address with the port that was taken.

        Raises:
            InputError: It can't listen there.
        """
        bound = self._transport.listen(address, certificates)
        where = {"address": bound, "tls": certificates is not None, "transport": self._transport.name}
        self._bound.append(where)
        return bound

    def start(self) -> None:
        """Answer calls from now on, in other threads."""
        self._transport.start()

    def stop(self, grace: float) -> bool:
        """Refuse new calls and give the running ones `grace` seconds to end.

        Returns:
            Whether all ended. A call whose caller has gone away counts until compose() returns.
        """
        deadline = time.monotonic() + grace
        self._transport.stop(grace)
        while self._running and time.monotonic() < deadline:
            time.sleep(0.01)
        return not self._running

    def serve(self, grace: float = GRACE_SECONDS) -> None:
        """Answer calls until SIGTERM or SIGINT, then let the running ones finish. Must run in the main thread.

        A second signal ends the process at once.

        Args:
            grace: Seconds that running calls get. The process ends with status 1 when some take longer.
        """
        # The signal's number comes through a pipe that the interpreter itself writes to. A handler in Python would not
        # run until the read below is over, when the signal came just before it began.
        wake, poke = os.pipe()
        os.set_blocking(poke, False)
        signal.set_wakeup_fd(poke)

        def on_signal(number: int, _frame: object) -> None:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_DFL)

        signal.signal(signal.SIGTERM, on_signal)
        signal.signal(signal.SIGINT, on_signal)
        self.start()
        for where in self._bound:
            _log.info("serving", extra=where)
        while (number := os.read(wake, 1)[0]) not in (signal.SIGTERM, signal.SIGINT):
            pass  # somebody else's signal, whose handler has run
        _log.info("stopping", extra={"signal": signal.Signals(number).name, "grace_seconds": grace})
        if not self.stop(grace):
            _log.warning("calls were still running after %g seconds", grace)
            sys.stderr.flush()
            # Leaving the interpreter the usual way would wait for their threads.
            os._exit(1)
        _log.info("stopped")

    def _handle(self, request: bytes) -> bytes:
        self._running.append(None)
        try:
            return self._run(request)
        except WireError as e:
            _log.warning("malformed request: %s", e)
            raise status.Refused(status.INVALID_ARGUMENT, str(e)) from None
        except BaseException:
            # The function turns its own failures into results, so this is a defect. Its text may hold anything.
            log.exception_in_call(_log, "a call failed outside of compose()", request)
            raise status.Refused(status.INTERNAL, "the function failed; its log says why") from None
        finally:
            self._running.pop()


def _logged(run: Run) -> Run:
    def timed(request: bytes) -> bytes:
        start = time.perf_counter()
        sizes = {"request_bytes": len(request)}
        try:
            response = run(request)
            sizes["response_bytes"] = len(response)
            return response
        finally:
            milliseconds = round((time.perf_counter() - start) * 1000, 3)
            _log.debug("call", extra={"milliseconds": milliseconds, **sizes})

    return timed
