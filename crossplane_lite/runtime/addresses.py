"""Addresses to listen on, `host:port` or a Unix socket, and the sockets that listen there."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
from typing import Any, Final, NamedTuple

from ..errors import InputError

__all__ = ["Address", "listening", "most_files", "parse", "places", "unix_socket"]

_ANY: Final = "0.0.0.0"  # all addresses of the machine
_LOCAL: Final = "unix:"


class Address(NamedTuple):
    """An address to listen on.

    Attributes:
        text: The address as it was given, with a host if it is no Unix socket.
        host: The host without brackets; empty for a Unix socket.
        port: The port; 0 for any free port.
        path: The path of a Unix socket; empty for a host.
    """

    text: str
    host: str
    port: int
    path: str

    def bound(self, port: int) -> str:
        """Return the text of the address with the port that was taken."""
        return self.text if self.path else f"{self.text.rpartition(':')[0]}:{port}"


def parse(text: str) -> Address:
    """Parse an address to listen on.

    Args:
        text: `host:port`, `[::1]:port`, `:port` for all addresses of the machine as in Go,
            `unix:path` or `unix:///path`.

    Raises:
        InputError: `text` has none of these forms, or the port is above 65535.
    """
    if text.startswith(_LOCAL):
        path = text.removeprefix(_LOCAL).removeprefix("//")
        if not path.strip("/"):
            raise InputError(
                f"the address {text!r} has no path: write, for example, unix:/run/function.sock"
            )
        return Address(text, "", 0, path)
    if text.startswith(":"):
        text = _ANY + text
    host, _, port = text.rpartition(":")
    bracketed = host.startswith("[") and host.endswith("]")
    if not host or (":" in host and not bracketed) or not port.isdecimal() or int(port) > 65535:
        raise InputError(
            f"{text!r} is not an address to listen on: give host:port, such as 0.0.0.0:9443 or"
            " [::1]:9443, with a port up to 65535"
        )
    return Address(text, host.strip("[]"), int(port), "")


_BACKLOG: Final = 1024


def most_files() -> int:
    """Return how many files the process may have open at the same time; 2^30 if there is no limit,
    or on Windows.
    """
    try:
        import resource
    except ImportError:  # Windows
        return 1 << 30
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft if soft != resource.RLIM_INFINITY else 1 << 30


def listening(where: Address) -> list[socket.socket]:
    """Return sockets that listen on an address.

    Raises:
        InputError: Another process listens there, or this one can't.
    """
    try:
        return unix_socket(where.path) if where.path else _sockets(where)
    except OSError as e:
        if e.errno == errno.EADDRINUSE and not where.path:
            raise InputError(
                f"can't listen on {where.text}: another process, or another address of this server,"
                " has the port; choose another port (0 takes a free one), or end that process"
            ) from None
        raise InputError(f"can't listen on {where.text}: {(e.strerror or str(e)).lower()}") from e


def _sockets(where: Address) -> list[socket.socket]:
    """Return sockets that listen on all addresses of a host, all on the same port.

    For port 0, this is a free port. For all addresses of the machine, there is a single socket, for
    IPv6 and IPv4; on a machine without IPv6, for IPv4 only.

    Raises:
        OSError: The process can't listen on one of the addresses.
    """
    if where.host in (_ANY, "::"):
        try:
            return [_listen(socket.AF_INET6, ("::", where.port), both=True)]
        except OSError as e:
            if e.errno == errno.EADDRINUSE:
                raise
            return [_listen(socket.AF_INET, (_ANY, where.port))]  # the machine has no IPv6
    bound: list[socket.socket] = []
    try:
        for family, place in places(where):
            port = bound[0].getsockname()[1] if bound else where.port
            bound.append(_listen(family, (place[0], port, *place[2:])))
    except OSError:
        for sock in bound:
            sock.close()
        raise
    return bound


def places(where: Address) -> dict[tuple[int, tuple[Any, ...]], None]:
    """Return the families and addresses of a host, without duplicates, as the keys of a dict in the
    system's order.

    Raises:
        OSError: The host has no address. `localhost` always has one.
    """
    # As bytes: for a string, Python would load its tables of international domain names.
    host = where.host.encode() if where.host.isascii() else where.host
    try:
        found = socket.getaddrinfo(host, where.port, type=socket.SOCK_STREAM)
    except socket.gaierror:
        if where.host != "localhost":
            raise
        # An image without /etc/hosts doesn't know localhost, whose meaning is fixed (RFC 6761,
        # section 6.3).
        return {(socket.AF_INET, ("127.0.0.1", where.port)): None}
    return {(family, place): None for family, _, _, _, place in found}


def _listen(family: int, place: Any, both: bool = False) -> socket.socket:
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":  # on Windows the option would let two servers have one port
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, not both)
        sock.bind(place)
        sock.listen(_BACKLOG)
        sock.setblocking(False)
    except OSError:
        sock.close()
        raise
    return sock


def unix_socket(path: str) -> list[socket.socket]:
    """Return a list of one Unix socket, which listens on a path.

    If the path has a socket file on which no server listens, the file is replaced.

    Args:
        path: The path.

    Raises:
        OSError: Another server listens there, or the process can't listen there.
    """
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISSOCK(os.stat(path).st_mode):
            with socket.socket(socket.AF_UNIX) as probe:
                if probe.connect_ex(path) == 0:
                    raise OSError(errno.EADDRINUSE, "another server listens there")
            os.unlink(path)
    return [_listen(socket.AF_UNIX, path)]
