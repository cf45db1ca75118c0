"""Addresses to listen on: `host:port`, or a Unix socket."""

from __future__ import annotations

from typing import Final, NamedTuple

from ..errors import InputError

__all__ = ["ANY", "Address", "check_free", "in_use", "parse"]

ANY: Final = "0.0.0.0"
"""The host that means all addresses of the machine."""

_LOCAL: Final = "unix:"
_ABSTRACT: Final = "unix-abstract:"


class Address(NamedTuple):
    """Where to listen.

    Attributes:
        host: The host without brackets; empty for a Unix socket.
        port: The port; 0 takes a free one.
        path: The Unix socket's path, beginning with a null character where it is abstract; empty for a host.
    """

    host: str
    port: int
    path: str

    @property
    def wildcard(self) -> bool:
        """Whether it means all addresses of the machine, IPv4 and IPv6."""
        return self.host in ("0.0.0.0", "::")


def parse(text: str) -> Address:
    """Read an address.

    Args:
        text: `host:port`, `[::1]:port`, `:port` for all addresses of the machine as in Go, `unix:path`, `unix:///path`
            or `unix-abstract:name`.

    Raises:
        InputError: It isn't one of these. A transport alone would take another port where this one is missing or too
            large.
    """
    if text.startswith(_ABSTRACT):
        return Address("", 0, "\0" + text.removeprefix(_ABSTRACT))
    if text.startswith(_LOCAL):
        path = text.removeprefix(_LOCAL)
        if path.startswith("//"):
            path = path.removeprefix("//")
        if not path or not path.strip("/"):
            raise InputError(f"{text!r} has no path, for example unix:/run/function.sock")
        return Address("", 0, path)
    host, colon, port = text.rpartition(":")
    if colon and not host:
        host = ANY
    bracketed = host.startswith("[") and host.endswith("]")
    if not host or (":" in host and not bracketed) or not port.isdecimal() or int(port) > 65535:
        raise InputError(f"{text!r} is not an address to listen on, for example 0.0.0.0:9443")
    return Address(host.strip("[]"), int(port), "")


def check_free(address: Address, text: str) -> None:
    """Refuse a port that something listens on already, before grpcio does, which writes lines of its own about it.

    Args:
        address: Where to listen.
        text: The same as it was given.

    Raises:
        InputError: Something listens there.
    """
    import errno
    import os
    import socket

    if not address.port:
        return
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            if os.name != "nt":  # where it would let two share the port
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address.host, address.port))
    except OSError as error:  # other errors are the transport's to report
        if error.errno == errno.EADDRINUSE:
            raise in_use(text) from None


def in_use(text: str) -> InputError:
    """Return the error for an address where something listens already.

    Args:
        text: The address as it was given.
    """
    return InputError(
        f"can't listen on {text}: another process listens there; end it, or choose another port with --address, 0 for "
        "a free one"
    )
