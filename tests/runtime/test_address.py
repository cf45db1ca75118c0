"""Reading addresses to listen on, and looking whether one is free."""

from __future__ import annotations

import socket

import pytest

from crossplane_lite.errors import InputError
from crossplane_lite.runtime.addresses import Address, listening, parse


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:9443", Address("127.0.0.1:9443", "127.0.0.1", 9443, "")),
        ("localhost:0", Address("localhost:0", "localhost", 0, "")),
        ("[::1]:9443", Address("[::1]:9443", "::1", 9443, "")),
        (":9443", Address("0.0.0.0:9443", "0.0.0.0", 9443, "")),
        ("unix:socket", Address("unix:socket", "", 0, "socket")),
        ("unix:/run/socket", Address("unix:/run/socket", "", 0, "/run/socket")),
        ("unix:///run/socket", Address("unix:///run/socket", "", 0, "/run/socket")),
    ],
)
def test_addresses(text: str, address: Address) -> None:
    """Hosts with a port and Unix sockets are read as gRPC reads them."""
    assert parse(text) == address


@pytest.mark.parametrize("text", ["unix:", "unix:/", "unix://", "unix:///"])
def test_a_socket_without_a_path(text: str) -> None:
    """A Unix socket that has no path is refused, with an example of one."""
    with pytest.raises(InputError, match="has no path: write, for example, unix:/run/function.sock"):
        parse(text)


def test_what_is_free() -> None:
    """A port where something listens, and an address that no machine has, are refused with the reason."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match="can't listen on here: another process, or another address"):
            listening(Address("here", "127.0.0.1", port, ""))
    for sock in listening(Address("here", "127.0.0.1", port, "")):
        sock.close()
    with pytest.raises(InputError, match="can't listen on elsewhere: cannot assign requested address"):
        listening(Address("elsewhere", "192.0.2.1", port, ""))
