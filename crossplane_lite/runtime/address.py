"""Addresses to listen on: `host:port`, or a Unix socket."""

from __future__ import annotations

from typing import Final, NamedTuple

from ..errors import InputError

__all__ = ["Address", "parse"]

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
        text: `host:port`, `[::1]:port`, `unix:path`, `unix:///path` or `unix-abstract:name`.

    Raises:
        InputError: It is none of these. A transport alone would listen on something else than asked for when a port is
            missing or too large.
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
    host, _, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    if not host or (":" in host and not bracketed) or not port.isdecimal() or int(port) > 65535:
        raise InputError(f"{text!r} is not an address to listen on, for example 0.0.0.0:9443")
    return Address(host.strip("[]"), int(port), "")
