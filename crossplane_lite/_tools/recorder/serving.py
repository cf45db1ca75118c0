"""Records the calls of a function where it is served, for control planes without the pipeline
inspector.

A function doesn't know the name of its step, the reconcile that it is called in, or how often it
was called before. So each call is a reconcile of its own in such a recording.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..._core import codec
from ...proto import _view
from ..manifests.objects import text_of
from .masking import masked
from .messages import as_json
from .receiving import Queue
from .recording import OPERATION, Event, Subject
from .writing import FILE_BYTES, TOTAL_BYTES, Writer, now

Run = Callable[[bytes], bytes]


def recorded(run: Run, folder: str, function: str) -> Run:
    """Return a function that answers as `run` does, and records what it was asked and has answered.

    Calls are written in another thread. If too many come at once, they are dropped and counted. All
    secret values that a request brings are masked, in the answer too.

    Args:
        run: Takes the bytes of a RunFunctionRequest, and returns those of the RunFunctionResponse.
        folder: The folder of the recording.
        function: The function's name in the recording.

    Raises:
        InputError: The folder can't be used.
    """
    queue = Queue(Writer(Path(folder), FILE_BYTES, TOTAL_BYTES))
    queue.start()
    atexit.register(queue.close)

    def answer(request: bytes) -> bytes:
        began = now()
        response = run(request)
        ended = now()
        size = len(request) + len(response)
        queue.put(size, lambda writer: _write(writer, request, response, began, ended, function))
        return response

    return answer


def _write(
    writer: Writer, request: bytes, response: bytes, began: str, ended: str, function: str
) -> None:
    asked = _view.RunFunctionRequest.FromString(request)
    made: list[bytes] = []

    def content(number: int) -> bytes:
        if not made:
            contents: tuple[Any, ...] = (asked, _view.RunFunctionResponse.FromString(response))
            made.extend(masked([as_json(one) for one in contents]))
        return made[number]

    call = os.urandom(8).hex()
    event = Event("request", began, call, call, "", 0, 0, function, _subject(asked))
    writer.write(event, request, lambda _: content(0))
    # The same answer may have other secret values in it after another request.
    writer.write(
        event._replace(event="response", time=ended), request + response, lambda _: content(1)
    )


def _subject(asked: Any) -> Subject:
    composite = asked.observed.composite.resource
    if not composite:
        return Subject(*OPERATION)
    paths = (
        ("apiVersion",),
        ("kind",),
        *(("metadata", key) for key in ("namespace", "name", "uid")),
    )
    return Subject(*(text_of(codec.get_path(composite, path)) for path in paths))
