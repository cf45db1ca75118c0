"""The two transports, which receive gRPC calls: one uses the package grpcio, the other the package h2 (HTTP/2).

A transport handles addresses, certificates, connections, limits and calls. It passes the bytes of a request to a
function, and sends the bytes of the response. `runtime.server` makes the transport, and has the parts of the server
that are the same for both transports.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Protocol

from ...errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from ..tls import Certificates
    from .limits import Limits

__all__ = [
    "GRPCIO",
    "H2",
    "NAMES",
    "Caller",
    "Handle",
    "Others",
    "Quick",
    "Transport",
    "make",
    "no_others",
    "seconds_left",
]

GRPCIO: Final = "grpcio"
H2: Final = "h2"
NAMES: Final = (GRPCIO, H2)
"""The names of the transports. By default the server uses the first of them that is installed."""


class Caller(Protocol):
    """The caller of a call, who waits for its answer. `grpc.ServicerContext` has these methods, too."""

    def time_remaining(self) -> float | None:
        """Return the seconds until the caller's deadline: 0 or less after the deadline, None without a deadline."""

    def cancel(self) -> Any:
        """Tell the caller that there will be no answer."""


Handle = Callable[[bytes, Caller], bytes]
"""A function that answers a call: it takes the request's bytes and the caller, and returns the response's bytes.

It raises `status.Refused` for an answer with another status than OK, and no other exception.
"""

Quick = Callable[[bytes], bytes]
"""A function that answers a call at once, such as a health check: it takes request bytes and returns response bytes.

It runs in any thread, even if all threads for calls are in use. It raises `status.Refused`, and no other exception.
"""

Others = Callable[[str], "Quick | None"]
"""A function that takes the path of a method other than RunFunction, and returns the function that answers the method.

It returns None if there is no such method.
"""


class Transport(Protocol):
    """A server that receives calls from the network, and sends their answers.

    Attributes:
        name: The transport's name, one of `NAMES`.
    """

    name: str

    @property
    def waiting(self) -> int:
        """The number of calls that wait for a thread."""

    def listen(self, address: str, certificates: Certificates | None) -> str:
        """Listen on an address, and return the address with the port that was taken.

        Calls are answered after `start`.

        Args:
            address: `host:port` or `unix:path`. Port 0 takes a free port.
            certificates: The certificates for mutual TLS; None serves without transport security.

        Raises:
            InputError: The address is wrong, or the server can't listen on it.
            UsageError: The certificates are credentials of grpcio, and the transport is h2.
        """

    def start(self) -> None:
        """Answer calls from now on, in other threads."""

    def stop(self, grace: float) -> None:
        """Refuse new calls, wait for the running calls for at most `grace` seconds, and end the transport."""

    def look(self) -> None:
        """Enforce the time limits that the transport's own threads don't. The server calls this about once a second."""


# For a caller without a deadline, grpcio's deadline is some hundred years away.
_AS_GOOD_AS_FOREVER: Final = 10 * 365 * 86400.0


def seconds_left(caller: Caller) -> float | None:
    """Return how many seconds are left until a caller's deadline; None if the caller hasn't set a deadline."""
    remaining = caller.time_remaining()
    return None if remaining is None or remaining > _AS_GOOD_AS_FOREVER else remaining


def no_others(path: str) -> None:
    """Return None for each path. This is the `Others` of a transport that serves only RunFunction."""


def make(name: str | None, handle: Handle | None, limits: Limits, others: Others = no_others) -> Transport:
    """Return a new transport, which listens on no address yet.

    Args:
        name: `grpcio` or `h2`; None for grpcio if it is installed, else h2.
        handle: Answers calls of RunFunction; None if RunFunction isn't served.
        limits: The server's limits.
        others: Returns the functions that answer other methods.

    Raises:
        MissingExtraError: The package for the transport isn't installed; if `name` is None, neither package is.
        InputError: There is no transport with this name.
    """
    if name not in (None, *NAMES):
        raise InputError(f"{name!r} is not a transport; the transports are {', '.join(NAMES)}")
    if name != H2:
        try:
            from .grpcio import GrpcioTransport

            return GrpcioTransport(handle, limits, others)
        except ModuleNotFoundError as e:
            if e.name != "grpc":
                raise
            if name == GRPCIO:
                raise MissingExtraError(
                    "grpcio is not installed: pip install grpcio, or choose the transport h2"
                ) from e
    try:
        from .h2 import H2Transport
    except MissingExtraError as e:
        if name == H2:
            raise
        raise MissingExtraError(
            "no package that serves gRPC is installed: pip install grpcio, or pip install 'crossplane-lite[h2]'"
        ) from e
    return H2Transport(handle, limits, others)
