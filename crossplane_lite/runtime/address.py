"""Parses addresses to listen on: `host:port`, or a Unix socket."""

from __future__ import annotations

from typing import Final, NamedTuple

from ..errors import InputError

__all__ = ["ANY", "Address", "check_free", "in_use", "parse"]

ANY: Final = "0.0.0.0"
"""The host for all addresses of the machine."""

_LOCAL: Final = "unix:"
_ABSTRACT: Final = "unix-abstract:"


class Address(NamedTuple):
    """An address to listen on.

    Attributes:
        host: The host without brackets; empty for a Unix socket.
        port: The port; 0 for any free port.
        path: The path of a Unix socket; for an abstract socket, a null character and the name. Empty for a host.
    """

    host: str
    port: int
    path: str

    @property
    def wildcard(self) -> bool:
        """Whether the host is one of the two that stand for all addresses of the machine, IPv4 and IPv6."""
        return self.host in ("0.0.0.0", "::")


def parse(text: str) -> Address:
    """Parse an address to listen on.

    Args:
        text: `host:port`, `[::1]:port`, `:port` for all addresses of the machine as in Go, `unix:path`, `unix:///path`
            or `unix-abstract:name`.

    Raises:
        InputError: `text` has none of these forms, or the port is above 65535.
    """
    if text.startswith(_ABSTRACT):
        return Address("", 0, "\0" + text.removeprefix(_ABSTRACT))
    if text.startswith(_LOCAL):
        path = text.removeprefix(_LOCAL)
        if path.startswith("//"):
            path = path.removeprefix("//")
        if not path or not path.strip("/"):
            raise InputError(f"the address {text!r} has no path: write, for example, unix:/run/function.sock")
        return Address("", 0, path)
    host, colon, port = text.rpartition(":")
    if colon and not host:
        host = ANY
    bracketed = host.startswith("[") and host.endswith("]")
    if not host or (":" in host and not bracketed) or not port.isdecimal() or int(port) > 65535:
        raise InputError(
            f"{text!r} is not an address to listen on: give host:port, such as 0.0.0.0:9443 or [::1]:9443, with a port "
            "up to 65535"
        )
    return Address(host.strip("[]"), int(port), "")


def check_free(address: Address, text: str) -> None:
    """Raise an error if another process listens on the port of an address. Port 0 and Unix sockets aren't checked.

    grpcio would notice a used port, too, but would print lines of its own to stderr. Other errors, such as a host that
    this machine doesn't have, are left to the transport.

    Args:
        address: The address to listen on.
        text: The address as the user gave it, for the message.

    Raises:
        InputError: Another process listens on the port.
    """
    import errno
    import os
    import socket

    if not address.port:
        return
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            if os.name != "nt":  # on Windows the option would let two processes have the port
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((address.host, address.port))
    except OSError as error:  # the transport reports other errors
        if error.errno == errno.EADDRINUSE:
            raise in_use(text) from None


def in_use(text: str) -> InputError:
    """Return the InputError for an address on which another process listens.

    Args:
        text: The address as the user gave it.
    """
    return InputError(
        f"can't listen on {text}: another process, or another address of this server, has the port; choose another "
        "port (0 takes a free one), or end that process"
    )
