"""How bytes of calls come and go: gRPC by grpcio, or gRPC over HTTP/2 by h2.

A transport knows addresses, certificates, connections, limits and calls. It hands the bytes of a request to a function
and sends the bytes that come back. `runtime.server` makes one, and has all that is the same for both.
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
"""The names of transports. By default the first one that is installed is taken."""


class Caller(Protocol):
    """Who waits for the answer of a call. gRPC's own contexts are of this kind."""

    def time_remaining(self) -> float | None:
        """Return how many seconds it still waits, None for ever. After its deadline that is zero, or less."""

    def cancel(self) -> Any:
        """Tell the caller that there will be no answer."""


Handle = Callable[[bytes, Caller], bytes]
"""From a request, and who waits for the answer, to the response. It raises `status.Refused`, and nothing else."""

Quick = Callable[[bytes], bytes]
"""The same for a method that answers at once. It runs in any thread, also when all threads for calls are taken."""

Others = Callable[[str], "Quick | None"]
"""From a method's path to the function that answers it, None where there is no such method.

It isn't asked about RunFunction.
"""


class Transport(Protocol):
    """A server of one function, as far as bytes are concerned.

    Attributes:
        name: One of `NAMES`.
    """

    name: str

    @property
    def waiting(self) -> int:
        """How many calls wait for a thread."""

    def listen(self, address: str, certificates: Certificates | None) -> str:
        """Bind to an address and return it with the port that was taken.

        Raises:
            InputError: It can't listen there.
        """

    def start(self) -> None:
        """Answer calls from now on, in other threads."""

    def stop(self, grace: float) -> None:
        """Refuse new calls, and return when the running ones are answered or `grace` seconds are over."""

    def look(self) -> None:
        """Do what is due by now. It is called about once a second."""


# grpcio gives a caller without a deadline one in some hundred years.
_AS_GOOD_AS_FOREVER: Final = 10 * 365 * 86400.0


def seconds_left(caller: Caller) -> float | None:
    """Return how many seconds a caller still waits, None where it has set no deadline."""
    remaining = caller.time_remaining()
    return None if remaining is None or remaining > _AS_GOOD_AS_FOREVER else remaining


def no_others(path: str) -> None:
    """Know no other methods."""


def make(name: str | None, handle: Handle | None, limits: Limits, others: Others = no_others) -> Transport:
    """Make a transport.

    Args:
        name: One of `NAMES`, or None for the first one that is installed.
        handle: Answers a request; None where RunFunction isn't served.
        limits: How much of everything.
        others: Knows other methods.

    Raises:
        MissingExtraError: The one that was asked for isn't installed, or none is.
        InputError: There is no transport of that name.
    """
    if name not in (None, *NAMES):
        raise InputError(f"{name!r} is not a transport; those that there are: {', '.join(NAMES)}")
    if name != H2:
        try:
            from .grpcio import GrpcioTransport

            return GrpcioTransport(handle, limits, others)
        except ModuleNotFoundError as e:
            if e.name != "grpc":
                raise
            if name == GRPCIO:
                raise MissingExtraError("grpcio is not installed: pip install grpcio, or choose --transport h2") from e
    try:
        from .h2 import H2Transport
    except MissingExtraError as e:
        if name == H2:
            raise
        raise MissingExtraError(
            "no transport is installed: pip install grpcio, or pip install 'crossplane-lite[h2]'"
        ) from e
    return H2Transport(handle, limits, others)
