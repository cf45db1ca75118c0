"""How bytes of calls come and go: gRPC by grpcio, or gRPC over HTTP/2 by h2.

A transport knows addresses, certificates, connections, limits and calls. It hands the bytes of a request to a function
and sends the bytes that come back. `runtime.server` makes one, and has all that is the same for both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol

from ...errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from ..tls import Certificates
    from .limits import Limits

__all__ = ["GRPCIO", "H2", "NAMES", "Handle", "Transport", "make"]

GRPCIO: Final = "grpcio"
H2: Final = "h2"
NAMES: Final = (GRPCIO, H2)
"""What can be asked for; without a wish it is the first one that is installed."""

Handle = Callable[[bytes], bytes]
"""From a request to a response. It raises `status.Refused`, and nothing else."""


class Transport(Protocol):
    """A server of one function, as far as bytes are concerned.

    Attributes:
        name: One of `NAMES`.
    """

    name: str

    def listen(self, address: str, certificates: Certificates | None) -> str:
        """Bind to an address and return it with the port that was taken.

        Raises:
            InputError: It can't listen there.
        """

    def start(self) -> None:
        """Answer calls from now on, in other threads."""

    def stop(self, grace: float) -> None:
        """Refuse new calls, and return when the running ones are answered or `grace` seconds are over."""


def make(name: str | None, handle: Handle, limits: Limits) -> Transport:
    """Make a transport.

    Args:
        name: One of `NAMES`, or None for the first one that is installed.
        handle: Answers a request.
        limits: How much of everything.

    Raises:
        MissingExtraError: The one that was asked for isn't installed, or none is.
        InputError: There is no transport of that name.
    """
    if name not in (None, *NAMES):
        raise InputError(f"{name!r} is not a transport; those that there are: {', '.join(NAMES)}")
    if name != H2:
        try:
            from .grpcio import GrpcioTransport

            return GrpcioTransport(handle, limits)
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
    return H2Transport(handle, limits)
