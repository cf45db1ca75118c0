"""The two transports, which receive gRPC calls: one uses the package grpcio, the other the package h2 (HTTP/2).

A transport handles addresses, certificates, connections, limits and calls. It passes the bytes of a request to a
function, and sends the bytes of the response. `runtime.server` makes the transport, and has the parts of the server
that are the same for both transports.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ...errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from .budget import Limits
    from .grpcio import GrpcioTransport
    from .h2 import H2Transport

    Transport: TypeAlias = H2Transport | GrpcioTransport

__all__ = [
    "GRPCIO",
    "H2",
    "NAMES",
    "Handle",
    "Others",
    "Quick",
    "against_h2_with",
    "make",
]

GRPCIO: Final = "grpcio"
H2: Final = "h2"
NAMES: Final = (GRPCIO, H2)
"""The names of the transports."""


Handle = Callable[[bytes, float], bytes]
"""A function that answers a call: it takes the request's bytes and the deadline, and returns the response's bytes.

The deadline is a time by `time.monotonic`. Every call has one: the caller's, within the limits of the server.

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


def against_h2_with(certificates: Any) -> str:
    """Return why the transport h2 can't serve with certificates; an empty string if it can.

    Args:
        certificates: `tls.Certificates`, or credentials of the package grpc; None for none.
    """
    if certificates is None:
        return ""
    try:
        return "" if hasattr(certificates, "context") else "the credentials are those of the package grpc"
    except InputError:
        return "the ssl of this Python can't verify clients of the CA in ca.crt"


def make(
    name: str | None,
    handle: Handle | None,
    limits: Limits,
    others: Others,
    against_h2: Callable[[], str] = str,
) -> Transport:
    """Return a new transport, which listens on no address yet.

    Args:
        name: `grpcio` or `h2`; None for h2 if it is installed, else grpcio.
        handle: Answers calls of RunFunction; None if RunFunction isn't served.
        limits: The server's limits.
        others: Returns the functions that answer other methods.
        against_h2: Returns why this server should rather have grpcio; an empty string if there is no reason. It is
            called only if there is no `name` and h2 is installed.

    Raises:
        MissingExtraError: The package for the transport isn't installed; if `name` is None, neither package is.
        InputError: There is no transport with this name.
    """
    if name not in (None, *NAMES):
        raise InputError(f"{name!r} is not a transport; the transports are {', '.join(NAMES)}")
    why = "it was asked for"
    order: list[str] = [name] if name else [H2, GRPCIO]
    if not name and os.name != "posix":
        order, why = [GRPCIO], "h2 needs a POSIX system"
    elif not name:
        with contextlib.suppress(MissingExtraError):
            _class(H2)
            why = against_h2() or "h2 is installed"
            order = order if why == "h2 is installed" else [GRPCIO, H2]
    for one in order:
        try:
            made = _class(one)(handle, limits, others)
        except MissingExtraError:
            if name:
                raise
            why = f"{one} is not installed"
            continue
        made.why = why
        return made
    raise MissingExtraError(
        "no package that serves gRPC is installed: pip install 'crossplane-lite[h2]', or pip install grpcio"
    )


def _class(name: str) -> Callable[[Handle | None, Limits, Others], Transport]:
    """Return the class of a transport, or raise MissingExtraError if its package isn't installed."""
    if name == H2:
        from .h2 import H2Transport

        return H2Transport
    try:
        from .grpcio import GrpcioTransport
    except ModuleNotFoundError as e:
        if e.name != "grpc":
            raise
        raise MissingExtraError("grpcio is not installed: pip install grpcio, or choose the transport h2") from e
    return GrpcioTransport
