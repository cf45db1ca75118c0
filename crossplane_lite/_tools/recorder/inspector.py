"""Crossplane's pipeline inspector: the messages with which Crossplane sends requests and answers,
as events.

Crossplane 2.2 and later call `crossplane.pipeline.v1alpha1.PipelineInspectorService` over a Unix
socket before and after each call of a function, if `--enable-pipeline-inspector` is given. They
wait 100 ms for an answer at most.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Final

from ...proto import _build, _pool
from .recording import OPERATION, Event, Subject

DEFAULT_SOCKET: Final = "/var/run/pipeline-inspector/socket"
"""Where Crossplane looks for the inspector, unless `--pipeline-inspector-socket` says another
path.
"""

_PACKAGE: Final = "crossplane.pipeline.v1alpha1"
EMIT_REQUEST: Final = f"/{_PACKAGE}.PipelineInspectorService/EmitRequest"
EMIT_RESPONSE: Final = f"/{_PACKAGE}.PipelineInspectorService/EmitResponse"

_MESSAGES: Final = {
    "EmitRequestRequest": "request=1:bytes meta=2:StepMeta",
    "EmitResponseRequest": "response=1:bytes error=2:string meta=3:StepMeta",
    "StepMeta": (
        "timestamp=1:Timestamp trace_id=2:string span_id=3:string step_index=4:int32"
        " step_name=5:string iteration=6:int32 function_name=7:string"
        " context/operation_meta=8:OperationMeta context/composition_meta=9:CompositionMeta"
    ),
    "OperationMeta": "operation_name=1:string operation_uid=2:string",
    "CompositionMeta": (
        "composition_name=1:string composite_resource_uid=2:string composite_resource_name=3:string"
        " composite_resource_namespace=4:string composite_resource_api_version=5:string"
        " composite_resource_kind=6:string"
    ),
    # a copy of google.protobuf's, so that the file depends on no other
    "Timestamp": "seconds=1:int64 nanos=2:int32",
}
_pool.add_file(_build.file_of("crossplane_lite/pipeline.proto", _PACKAGE, _MESSAGES, {}))

EmitRequest: Final = _pool.message_class(f"{_PACKAGE}.EmitRequestRequest")
EmitResponse: Final = _pool.message_class(f"{_PACKAGE}.EmitResponseRequest")

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)


def event_of(path: str, message: bytes, time: str) -> tuple[Event, bytes]:
    """Return an event, and its content in JSON, which is empty for an error.

    Args:
        path: The path of the method, `EMIT_REQUEST` or `EMIT_RESPONSE`.
        message: The bytes of its message.
        time: When the message came. An answer has this time, because Crossplane sends that of its
            request.

    Raises:
        DecodeError: The bytes aren't such a message.
        OverflowError: The time can't be.
    """
    if path == EMIT_REQUEST:
        asked = EmitRequest.FromString(message)
        return _event("request", asked.meta, ""), asked.request
    answered = EmitResponse.FromString(message)
    event = _event("response", answered.meta, answered.error)
    return event._replace(time=time), b"" if answered.error else answered.response


def _event(event: str, meta: Any, error: str) -> Event:
    time = _EPOCH + timedelta(
        seconds=meta.timestamp.seconds, microseconds=meta.timestamp.nanos // 1000
    )
    return Event(
        event,
        time.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        meta.trace_id,
        meta.span_id,
        meta.step_name,
        meta.step_index,
        meta.iteration,
        meta.function_name,
        _subject(meta),
        error=error,
    )


def _subject(meta: Any) -> Subject:
    if meta.WhichOneof("context") == "operation_meta":
        of = meta.operation_meta
        return Subject(*OPERATION, "", of.operation_name, of.operation_uid)
    of = meta.composition_meta
    return Subject(
        of.composite_resource_api_version,
        of.composite_resource_kind,
        of.composite_resource_namespace,
        of.composite_resource_name,
        of.composite_resource_uid,
        of.composition_name,
    )
