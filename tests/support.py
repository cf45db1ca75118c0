"""Harness of the tests: requests from plain dicts, responses as plain dicts.

It builds and parses with the official SDK's messages, so that it shares no code with what it tests.
"""

from __future__ import annotations

__all__ = [
    "ALL_CAPABILITIES",
    "DEFAULT_XR",
    "HELD_BACK",
    "KNOWN",
    "MARKER",
    "READY",
    "Response",
    "build",
    "call",
    "cancelled",
    "fatal",
    "fields",
    "message_fields",
    "notes_of",
    "request",
    "run",
    "run_steps",
    "steps_of",
    "struct",
    "to_plain",
    "with_conditions",
]

import copy
import functools
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from google.protobuf import json_format, struct_pb2

from crossplane_lite import composition
from crossplane_lite._core.call import event_loop

Json: TypeAlias = "dict[str, Any]"

MARKER = "crossplane-lite/function"
"""The annotation that every registered resource gets."""

KNOWN = "crossplane-lite/known"
"""The annotation with last known values."""

HELD_BACK = "crossplane-lite/held-back"
"""The context key under which steps tell each other what they hold back."""

ALL_CAPABILITIES = (
    "CAPABILITY_CAPABILITIES",
    "CAPABILITY_REQUIRED_RESOURCES",
    "CAPABILITY_CREDENTIALS",
    "CAPABILITY_CONDITIONS",
    "CAPABILITY_REQUIRED_SCHEMAS",
)
"""What Crossplane 2.2 and later advertise; the default of `request`."""

READY = {"type": "Ready", "status": "True", "reason": "Available", "lastTransitionTime": "2024-01-01T00:00:00Z"}
"""The condition of a resource that is ready."""

DEFAULT_XR: Json = {
    "apiVersion": "example.org/v1alpha1",
    "kind": "XStorageBucket",
    "metadata": {"name": "my-xr", "uid": "00000000-0000-0000-0000-000000000001"},
}

_SEVERITIES = {fnv1.SEVERITY_FATAL: "fatal", fnv1.SEVERITY_WARNING: "warning", fnv1.SEVERITY_NORMAL: "normal"}
_STATUSES = {fnv1.STATUS_CONDITION_TRUE: True, fnv1.STATUS_CONDITION_FALSE: False}
_READY = {fnv1.READY_TRUE: True, fnv1.READY_FALSE: False, fnv1.READY_UNSPECIFIED: None}


def notes_of(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entries of notes in an object, by step."""
    found: dict[str, Any] = json.loads(body["metadata"].get("annotations", {}).get(KNOWN, "{}"))
    return found


def struct(value: Mapping[str, Any]) -> struct_pb2.Struct:
    """Return `value` as a Struct message."""
    message = struct_pb2.Struct()
    message.update(copy.deepcopy(dict(value)))
    return message


def to_plain(message: struct_pb2.Struct) -> Json:
    """Return a Struct message as plain Python values."""
    plain: Json = json_format.MessageToDict(message)
    return plain


def _ready(value: bool | None) -> fnv1.Ready:
    if value is None:
        return fnv1.READY_UNSPECIFIED
    return fnv1.READY_TRUE if value else fnv1.READY_FALSE


def _fill(resource: fnv1.Resource, value: Mapping[str, Any], connection: Mapping[str, bytes] | None) -> None:
    resource.resource.CopyFrom(struct(value))
    for key, secret in (connection or {}).items():
        resource.connection_details[key] = secret


def build(
    *,
    xr: Mapping[str, Any] | None = None,
    observed: Mapping[str, Mapping[str, Any]] | None = None,
    desired: Mapping[str, Mapping[str, Any]] | None = None,
    desired_xr: Mapping[str, Any] | None = None,
    desired_ready: Mapping[str, bool] | None = None,
    desired_xr_ready: bool | None = None,
    required: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    extra: Mapping[str, Sequence[Mapping[str, Any]]] | None = None,
    schemas: Mapping[str, Mapping[str, Any] | None] | None = None,
    context: Mapping[str, Any] | None = None,
    input: Mapping[str, Any] | None = None,
    credentials: Mapping[str, Mapping[str, bytes]] | None = None,
    capabilities: Sequence[str] = ALL_CAPABILITIES,
    connection: Mapping[str, Mapping[str, bytes]] | None = None,
    xr_connection: Mapping[str, bytes] | None = None,
    desired_xr_connection: Mapping[str, bytes] | None = None,
    tag: str = "a-tag",
) -> fnv1.RunFunctionRequest:
    """Return the official SDK's request message for plain values.

    Args:
        xr: The observed composite.
        observed: The observed composed resources by name.
        desired: What previous functions desire, by name.
        desired_xr: The desired composite of previous functions.
        desired_ready: The readiness that previous functions gave to desired resources.
        desired_xr_ready: The readiness that previous functions gave to the composite.
        required: Required resources by requirement.
        extra: The same in the deprecated field.
        schemas: Required schemas; None is an empty Schema, the answer for "not found".
        context: The pipeline's context.
        input: The function's input.
        credentials: Data by name of the credentials.
        capabilities: Names of enum Capability; none means that the caller doesn't advertise any.
        connection: Connection details of the observed composed resources by name.
        xr_connection: Connection details of the observed composite.
        desired_xr_connection: Connection details that previous functions gave the composite.
        tag: The request's tag.
    """
    req = fnv1.RunFunctionRequest()
    req.meta.tag = tag
    req.meta.capabilities.extend(getattr(fnv1, name) for name in capabilities)
    _fill(req.observed.composite, DEFAULT_XR if xr is None else xr, xr_connection)
    for name, value in (observed or {}).items():
        _fill(req.observed.resources[name], value, (connection or {}).get(name))
    if desired_xr is not None:
        _fill(req.desired.composite, desired_xr, desired_xr_connection)
    req.desired.composite.ready = _ready(desired_xr_ready)
    for name, value in (desired or {}).items():
        _fill(req.desired.resources[name], value, None)
        req.desired.resources[name].ready = _ready((desired_ready or {}).get(name))
    for target, source in ((req.required_resources, required), (req.extra_resources, extra)):
        for name, items in (source or {}).items():
            target[name].SetInParent()
            for item in items:
                _fill(target[name].items.add(), item, None)
    for name, schema in (schemas or {}).items():
        req.required_schemas[name].SetInParent()
        if schema is not None:
            req.required_schemas[name].openapi_v3.CopyFrom(struct(schema))
    if context is not None:
        req.context.CopyFrom(struct(context))
    if input is not None:
        req.input.CopyFrom(struct(input))
    for name, data in (credentials or {}).items():
        for key, secret in data.items():
            req.credentials[name].credential_data.data[key] = secret
    return req


def request(**kwargs: Any) -> bytes:
    """Return the bytes of a request; the arguments are those of `build`."""
    return build(**kwargs).SerializeToString()


def steps_of(resource: Json) -> str:
    """Return the steps that a resource's mark names, without what they remember."""
    mark: str = resource["metadata"]["annotations"][MARKER]
    return re.sub(";[^,]*", "", mark)


def _without_marker(resource: Json) -> Json:
    """Return `resource` without our annotations, and without the containers that only held them."""
    annotations = resource.get("metadata", {}).get("annotations", {})
    if annotations.keys() & {MARKER, KNOWN}:
        resource = copy.deepcopy(resource)
        annotations = resource["metadata"]["annotations"]
        for ours in (MARKER, KNOWN):
            annotations.pop(ours, None)
        if not annotations:
            del resource["metadata"]["annotations"]
        if not resource["metadata"]:
            del resource["metadata"]
    return resource


class Response:
    """A response read as plain values.

    Attributes:
        data: The bytes.
        message: The official SDK's message.
        emitted: Desired composed resources by name, exactly as emitted.
        resources: The same without the annotations of ours: the mark and the notes.
        ready: Readiness of each: True, False, or None for unspecified.
        composite: The desired composite.
        composite_ready: Its readiness.
        composite_connection: Its connection details.
        results: (severity, message) of each result, the severity in lower case.
        fatal: Messages of the fatal results.
        conditions: Type to (status, reason, message); the status is True, False or None for unknown.
        context: The context.
        output: The output.
        requirements: The requirements message.
        ttl: Seconds.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.message = fnv1.RunFunctionResponse.FromString(data)
        message = self.message
        self.emitted = {name: to_plain(entry.resource) for name, entry in message.desired.resources.items()}
        self.resources = {name: _without_marker(value) for name, value in self.emitted.items()}
        self.ready = {name: _READY[entry.ready] for name, entry in message.desired.resources.items()}
        self.composite = to_plain(message.desired.composite.resource)
        self.composite_ready = _READY[message.desired.composite.ready]
        self.composite_connection = dict(message.desired.composite.connection_details)
        self.results = [(_SEVERITIES[result.severity], result.message) for result in message.results]
        self.fatal = [text for severity, text in self.results if severity == "fatal"]
        self.conditions = {c.type: (_STATUSES.get(c.status), c.reason, c.message) for c in message.conditions}
        self.context = to_plain(message.context)
        self.output = to_plain(message.output)
        self.requirements = message.requirements
        self.ttl = message.meta.ttl.ToTimedelta().total_seconds()

    @property
    def texts(self) -> str:
        """Everything that a person may read: results and conditions."""
        return "\n".join([text for _, text in self.results] + [repr(c) for c in self.conditions.items()])


def run(fn: Any, **kwargs: Any) -> Response:
    """Call a composition function by its bytes path; the arguments are those of `build`."""
    return Response(fn.run(request(**kwargs)))


def fatal(body: Callable[[Any], Any], **kwargs: Any) -> str:
    """Run `body(ctx)` as a composition function; return the text of its one fatal result.

    Args:
        body: The composition function, without its decorator.
        kwargs: Those of `build`.
    """

    @composition.function
    def compose(ctx: Any) -> None:
        body(ctx)

    answer = run(compose, **kwargs)
    assert len(answer.fatal) == 1, answer.results
    return answer.fatal[0]


def call(body: Callable[[Any], Any], options: Mapping[str, Any] | None = None, **kwargs: Any) -> tuple[Any, Response]:
    """Run `body(ctx)` as a composition function; return what it returned, and the response.

    What it raises in the real run, failed assertions among it, is raised here too (the SDK itself makes it a fatal
    result). Later runs for the same request, which try other answers, count for nothing.

    Args:
        body: The composition function.
        options: Arguments of `composition.function`.
        kwargs: Those of `build`.
    """
    returned: list[Any] = []
    raised: list[BaseException | None] = []

    @functools.wraps(body)
    def compose(ctx: Any) -> None:
        try:
            returned.append(body(ctx))
            raised.append(None)
        except BaseException as error:
            raised.append(error)
            raise

    response = run(composition.function(**(options or {}))(compose), **kwargs)
    if raised[0] is not None:
        raise raised[0]
    return returned[0], response


def run_steps(steps: Sequence[Any], inputs: Sequence[Mapping[str, Any] | None] = (), **kwargs: Any) -> list[Response]:
    """Run functions as the steps of one pipeline, desired state and context handed on as Crossplane does it."""
    answers: list[Response] = []
    for index, fn in enumerate(steps):
        req = build(input=inputs[index] if inputs else None, **kwargs)
        if answers:
            req.desired.CopyFrom(answers[-1].message.desired)
            req.context.CopyFrom(answers[-1].message.context)
        answers.append(Response(fn.run(req.SerializeToString())))
    return answers


def with_conditions(xr: Mapping[str, Any] | None, *answers: Response) -> Json:
    """Return the XR with the conditions of `answers` stored in its status, as Crossplane stores them."""
    stored = copy.deepcopy(dict(DEFAULT_XR if xr is None else xr))
    conditions = stored.setdefault("status", {}).setdefault("conditions", [])
    for answer in answers:
        for type_, (status, reason, message) in answer.conditions.items():
            conditions[:] = [c for c in conditions if c["type"] != type_]
            conditions.append(
                {
                    "type": type_,
                    "status": {True: "True", False: "False", None: "Unknown"}[status],
                    "reason": reason,
                    "message": message,
                    "lastTransitionTime": "2024-01-01T00:00:00Z",
                }
            )
    return stored


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data: bytes | memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """Yield (number, value) of a message's fields: for trees that are too deep for protobuf's own parser."""
    view = memoryview(data)
    at = 0
    while at < len(view):
        tag, at = _varint(view, at)
        kind = tag & 7
        value: int | memoryview
        if kind == 0:
            value, at = _varint(view, at)
        else:
            size = {1: 8, 5: 4}.get(kind)
            if size is None:
                size, at = _varint(view, at)
            value = view[at : at + size]
            at += size
        yield tag >> 3, value


def message_fields(data: bytes | memoryview, number: int) -> list[memoryview]:
    """Return the contents of the length-delimited fields of that number."""
    return [value for found, value in fields(data) if found == number and isinstance(value, memoryview)]


def cancelled(run: Callable[[], bytes], inside: threading.Event) -> bytes:
    """Run an `async def` call in a thread, cancel it as the server does after its deadline, and return its answer.

    Args:
        run: Runs the call.
        inside: The function sets it when it has begun.
    """
    answers: list[bytes] = []
    thread = threading.Thread(target=lambda: answers.append(run()), daemon=True)
    thread.start()
    assert inside.wait(30)
    found = event_loop.awaited(thread.ident or 0)
    assert found is not None
    found.cancel()
    thread.join(30)
    (answer,) = answers
    return answer
