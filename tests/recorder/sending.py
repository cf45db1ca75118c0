"""Sends events to a recorder as Crossplane does."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import grpc

from crossplane_lite._tools.recorder.inspector import EMIT_REQUEST, EMIT_RESPONSE, EmitRequest, EmitResponse
from crossplane_lite._tools.recorder.recording import Event

__all__ = ["Sender", "emit_request", "emit_response"]

_PLACES = {"step_name": "step", "step_index": "number", "iteration": "iteration", "function_name": "function"}


def _meta(meta: Any, event: Event) -> None:
    meta.trace_id, meta.span_id, subject = event.trace, event.span, event.subject
    for theirs, ours in _PLACES.items():
        setattr(meta, theirs, getattr(event, ours))
    meta.timestamp.seconds = int(time.time())
    if subject.kind == "Operation":
        meta.operation_meta.operation_name, meta.operation_meta.operation_uid = subject.name, subject.uid
        return
    of = meta.composition_meta
    of.composition_name, of.composite_resource_uid = subject.composition, subject.uid
    of.composite_resource_name, of.composite_resource_namespace = subject.name, subject.namespace
    of.composite_resource_api_version, of.composite_resource_kind = subject.api_version, subject.kind


def emit_request(event: Event, content: bytes) -> bytes:
    """Return the bytes of an EmitRequestRequest."""
    message = EmitRequest(request=content)
    _meta(message.meta, event)
    data: bytes = message.SerializeToString()
    return data


def emit_response(event: Event, content: bytes, error: str = "") -> bytes:
    """Return the bytes of an EmitResponseRequest."""
    message = EmitResponse(response=content, error=error)
    _meta(message.meta, event)
    data: bytes = message.SerializeToString()
    return data


class Sender:
    """A client of an inspector, with Crossplane's time limit.

    Args:
        socket: The path of the Unix socket.
    """

    def __init__(self, socket: Path | str) -> None:
        self._channel = grpc.insecure_channel(f"unix:{socket}", [("grpc.max_send_message_length", -1)])
        self._methods = {path: self._channel.unary_unary(path) for path in (EMIT_REQUEST, EMIT_RESPONSE)}

    def __enter__(self) -> Sender:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def send(self, path: str, message: bytes, timeout: float = 0.1, wait: bool = False) -> bytes:
        """Send a message, and return the answer. `wait` waits for the server's start."""
        answer: bytes = self._methods[path](message, timeout=timeout, wait_for_ready=wait)
        return answer

    def call(self, event: Event, request: bytes, response: bytes, error: str = "", timeout: float = 0.1) -> None:
        """Send a request and its answer."""
        self.send(EMIT_REQUEST, emit_request(event, request), timeout)
        self.send(EMIT_RESPONSE, emit_response(event, response, error), timeout)
