"""The two transports, which receive gRPC calls: one uses the package grpcio, the other the package
h2 (HTTP/2).

A transport handles addresses, certificates, connections, limits and calls. It passes the bytes of a
request to a function, and sends the bytes of the response. `runtime.server` makes the transport,
and has the parts of the server that are the same for both transports.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, TypeAlias

from ...errors import InputError, MissingExtraError

if TYPE_CHECKING:
    from ..tls import Certificates
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
    "make",
]

GRPCIO: Final = "grpcio"
H2: Final = "h2"
NAMES: Final = (GRPCIO, H2)
"""The names of the transports."""


Handle = Callable[[bytes, float], bytes]
"""A function that answers a call: it takes the request's bytes and the deadline, and returns the
response's bytes.

The deadline is a time by `time.monotonic`. Every call has one: the caller's, within the limits of
the server.

It raises `status.Refused` for an answer with another status than OK, and no other exception.
"""

Quick = Callable[[bytes], bytes]
"""A function that answers a call at once, such as a health check: it takes request bytes and
returns response bytes.

It runs in any thread, even if all threads for calls are in use. It raises `status.Refused`, and no
other exception.
"""

Others = Callable[[str], "Quick | None"]
"""A function that takes the path of a method other than RunFunction, and returns the function that
answers the method.

It returns None if there is no such method.
"""


_AGAINST_H2: Final = {
    MissingExtraError: "grpcio is the default where h2 is not installed",
    InputError: "the ssl of this Python can't verify clients of the CA in ca.crt",
}


def make(
    name: str | None,
    handle: Handle | None,
    limits: Limits,
    others: Others,
    certificates: Certificates | None = None,
) -> Transport:
    """Return a new transport, which listens on no address yet.

    Args:
        name: `grpcio` or `h2`; None for h2 if it is installed and can serve, else grpcio.
        handle: Answers calls of RunFunction; None if RunFunction isn't served.
        limits: The server's limits.
        others: Returns the functions that answer other methods.
        certificates: The certificates for mutual TLS; None serves without transport security.

    Raises:
        MissingExtraError: The package for the transport isn't installed; if `name` is None, neither
            is.
        InputError: There is no transport with this name, or OpenSSL can't verify clients of the CA.
    """
    if name not in (None, *NAMES):
        raise InputError(f"{name!r} is not a transport; the transports are {', '.join(NAMES)}")
    why = "it was asked for" if name else "h2 is installed"
    problem: Exception | None = None
    for one in [name] if name else [H2, GRPCIO]:
        try:
            made = _class(one)(handle, limits, others, certificates)
        except (MissingExtraError, InputError) as e:
            if name or type(problem) is InputError:
                raise problem or e from None
            why, problem = _AGAINST_H2[type(e)], e
        else:
            made.why = why
            return made
    raise MissingExtraError(
        "no package that serves gRPC is installed: pip install 'crossplane-lite[h2]', or pip"
        " install grpcio"
    )


def _class(name: str) -> type[Transport]:
    """Return the class of a transport, or raise MissingExtraError if its package isn't
    installed.
    """
    if name == H2:
        if os.name != "posix":
            raise MissingExtraError("the transport h2 needs a POSIX system: use grpcio")
        from .h2 import H2Transport

        return H2Transport
    try:
        from .grpcio import GrpcioTransport
    except ModuleNotFoundError as e:
        if e.name != "grpc":
            raise
        raise MissingExtraError(
            "grpcio is not installed: pip install grpcio, or choose the transport h2"
        ) from e
    return GrpcioTransport
