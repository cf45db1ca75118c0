"""Sends events to a recorder as Crossplane does: `python -m tests.recorder.sending SOCKET RECORDING EVENTS PER_SECOND`.

It sends the calls of a recording again and again, each with another tag, so that no content comes twice.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc

from crossplane_lite._tools.recorder.inspector import EMIT_REQUEST, EMIT_RESPONSE, EmitRequest, EmitResponse
from crossplane_lite._tools.recorder.recording import Call, Event, Recording

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


def _distinct(calls: list[Call]) -> Iterator[tuple[str, bytes]]:
    contents = [(call.event, call.request, call.response) for call in calls]
    for number in itertools.count():
        event, request, response = contents[number % len(contents)]
        tag = f"{number:064}"
        now = event._replace(trace=tag, span=tag)
        for content in (request, response):
            content["meta"] = {**content.get("meta", {}), "tag": tag}
        yield EMIT_REQUEST, emit_request(now, json.dumps(request).encode())
        yield EMIT_RESPONSE, emit_response(now, json.dumps(response).encode())


def main() -> None:
    """Send events, and print how long answers took."""
    socket, recording, events, rate = sys.argv[1:]
    took = []
    failed = 0
    with Sender(socket) as sender:
        begun = time.monotonic()
        for number, (path, message) in enumerate(itertools.islice(_distinct(Recording(recording).calls), int(events))):
            time.sleep(max(0.0, begun + number / float(rate) - time.monotonic()))
            at = time.monotonic()
            try:
                sender.send(path, message, timeout=0.1 if number else 10)
            except grpc.RpcError:
                failed += 1
            took.append(time.monotonic() - at)
        seconds = time.monotonic() - begun
    took.sort()
    print(
        json.dumps(
            {
                "events": len(took),
                "per_second": round(len(took) / seconds),
                "failed": failed,
                "median_ms": round(took[len(took) // 2] * 1000, 2),
                "p99_ms": round(took[len(took) * 99 // 100] * 1000, 2),
            }
        )
    )


if __name__ == "__main__":
    main()
