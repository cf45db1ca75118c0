"""A client of gRPC's health service: the official one."""

from __future__ import annotations

import time

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from tests.runtime.serving import Serving, channel

__all__ = ["ask", "health_of", "until_health_is"]


def ask(address: str, service: str = "", credentials: grpc.ChannelCredentials | None = None) -> str:
    """Return what a Check says."""
    with channel(address, credentials) as opened:
        stub = health_pb2_grpc.HealthStub(opened)
        response = stub.Check(health_pb2.HealthCheckRequest(service=service), timeout=60, wait_for_ready=True)
    return str(health_pb2.HealthCheckResponse.ServingStatus.Name(response.status))


def health_of(server: Serving, address: str = "") -> str:
    """Return what a server says of itself, at the address for health where no other is given."""
    return ask(address or str(server.record("serving")["health_address"]))


def until_health_is(wanted: str, server: Serving, seconds: float = 60) -> None:
    """Return when a server says that."""
    until = time.monotonic() + seconds
    while health_of(server) != wanted:
        assert time.monotonic() < until
        time.sleep(0.05)
