"""Makes the listening sockets of the transport h2."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import stat
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ..address import Address

__all__ = ["most_files", "sockets", "unix_socket"]

_BACKLOG: Final = 1024


def most_files() -> int:
    """Return how many files the process may have open at the same time; 2^30 if there is no limit, or on Windows."""
    try:
        import resource
    except ImportError:  # Windows
        return 1 << 30
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft if soft != resource.RLIM_INFINITY else 1 << 30


def sockets(where: Address) -> list[socket.socket]:
    """Return sockets that listen on all addresses of a host, all on the same port.

    For port 0, this is a free port. For a wildcard address, there is a single socket, for IPv6 and IPv4; on a machine
    without IPv6, for IPv4 only.

    Raises:
        OSError: The process can't listen on one of the addresses.
    """
    if where.wildcard:
        try:
            return [_bound(socket.AF_INET6, ("::", where.port), both=True)]
        except OSError as e:
            if e.errno == errno.EADDRINUSE:
                raise
            return [_bound(socket.AF_INET, ("0.0.0.0", where.port))]  # the machine has no IPv6
    bound: list[socket.socket] = []
    try:
        for family, place in _places(where):
            port = bound[0].getsockname()[1] if bound else where.port
            bound.append(_bound(family, (place[0], port, *place[2:])))
    except OSError:
        for sock in bound:
            sock.close()
        raise
    return bound


def _places(where: Address) -> dict[tuple[int, tuple[Any, ...]], None]:
    """Return the families and addresses of a host, without duplicates, as the keys of a dict in the system's order.

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
        # An image without /etc/hosts doesn't know localhost, whose meaning is fixed (RFC 6761, section 6.3).
        return {(socket.AF_INET, ("127.0.0.1", where.port)): None}
    return {(family, place): None for family, _, _, _, place in found}


def _bound(family: int, place: tuple[Any, ...], both: bool = False) -> socket.socket:
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
        path: The path; a null character and a name for an abstract socket.

    Raises:
        OSError: Another server listens there, or the process can't listen there.
    """
    if not path.startswith("\0"):
        with contextlib.suppress(FileNotFoundError):
            if stat.S_ISSOCK(os.stat(path).st_mode):
                with socket.socket(socket.AF_UNIX) as probe:
                    if probe.connect_ex(path) == 0:
                        raise OSError(errno.EADDRINUSE, "another server listens there")
                os.unlink(path)
    sock = socket.socket(socket.AF_UNIX)
    try:
        sock.bind(path)
        sock.listen(_BACKLOG)
        sock.setblocking(False)
    except OSError:
        sock.close()
        raise
    return [sock]
