"""Summarizes a call of a function in two lines: one for the request, one for the response."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..._core import codec
from ..._core.base.texts import line, some
from ..._core.observed.secrets import masker_for
from ...proto import _view
from ...testing.responses import Response


def two_lines(request: bytes, response: bytes, milliseconds: float) -> tuple[str, str]:
    """Return a line about a request and a line about its response, with secret values masked.

    Args:
        request: The bytes of the RunFunctionRequest.
        response: The bytes of the RunFunctionResponse.
        milliseconds: The time that the call has taken.
    """
    asked = _view.RunFunctionRequest.FromString(request)
    mask = masker_for(asked)
    took = f"{milliseconds:.1f} ms, {len(request) / 1000:.1f} kB"
    return (
        line(mask(f"{title(asked)}: {', '.join(_asked(asked))} ({took})")),
        line(mask(f"  -> {'; '.join(_answered(Response.of(response)))}")),
    )


def title(asked: Any) -> str:
    """Return a request's composite as `Network/team/example` (kind, namespace, name), or
    `Operation` if it has none.

    A part that the composite lacks, such as the namespace, is left out.

    Args:
        asked: The RunFunctionRequest.
    """
    if not asked.observed.composite.resource:
        return "Operation"
    composite = codec.decode_struct(asked.observed.composite.resource)
    metadata = composite.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    return "/".join(
        str(one)
        for one in (composite.get("kind"), metadata.get("namespace"), metadata.get("name"))
        if one
    )


def _asked(asked: Any) -> Iterator[str]:
    yield f"{len(asked.observed.resources)} observed"
    if asked.desired.resources:
        yield f"{len(asked.desired.resources)} desired by previous steps"
    for name, found in sorted(asked.required_resources.items()):
        yield f"{len(found.items)} required as {name}"
    for name in sorted(asked.required_schemas):
        yield f"the schema {name}"
    if asked.HasField("input"):
        yield "input"


def _answered(answer: Response) -> Iterator[str]:
    waiting = answer.held_back
    yield f"{some(list(answer.desired), 8)} emitted" if answer.desired else "nothing emitted"
    if waiting:
        yield f"{some(waiting, 8)} held back"
    asked = [*answer.required, *answer.required_schemas]
    if asked:
        yield f"asks for {some(sorted(asked), 8)}"
    for result in answer.results:
        yield (
            f"{result.severity.lower()}: {result.message.splitlines()[0] if result.message else ''}"
        )
