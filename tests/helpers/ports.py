"""Ports for processes that must be told their port before they listen on it."""

from __future__ import annotations

import contextlib
import itertools
import os
import socket
from pathlib import Path
from typing import Final

__all__ = ["free_ports"]

_RANGE: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST: Final = 10_000
_OF_A_PROCESS: Final = 64  # so that two workers, whose numbers follow each other, don't pick the same ports
_asked: Final = itertools.count(os.getpid() * _OF_A_PROCESS)


def free_ports(number: int) -> list[int]:
    """Return ports of 127.0.0.1 that nobody listens on.

    The system gives none of them to a connection: a port that is free now could be taken by a
    client of another test, before the process that it is meant for has started.
    """
    ephemeral = int(_RANGE.read_text().split()[0]) if _RANGE.exists() else 32_768
    ports: list[int] = []
    while len(ports) < number:
        port = _LOWEST + next(_asked) % (ephemeral - _LOWEST)
        if _is_free(port):
            ports.append(port)
    return ports


def _is_free(port: int) -> bool:
    with socket.socket() as probe, contextlib.suppress(OSError):
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))
        return True
    return False
