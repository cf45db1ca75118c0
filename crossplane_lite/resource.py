"""Helpers for resources in raw messages, in parity with `crossplane.function.resource`.

They work with the messages of any implementation: those of `crossplane_lite.proto` and those of the official SDK, v1
and v1beta1. Reading never adds an entry to a map of a message, so the result of a map's `get` can be passed on, None
included.
"""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

from . import _wire
from ._base.sentinels import UNSET
from ._base.type_names import type_in_words, value_in_words
from ._compat.messages import (
    STRUCT,
    dump,
    encoded,
    encoded_resource,
    full_name,
    is_dumped,
    merge,
    message_data,
    replace,
    struct_of,
)
from ._observed.conditions import condition_of
from ._observed.observable import Observable
from ._observed.tracker import current
from ._observed.uses import known
from ._paths import field_path
from .errors import UnresolvedError, UsageError

if TYPE_CHECKING:
    from ._compat.messages import ResourceMessage, Source, StructMessage, Target
    from .proto.v1.run_function_pb2 import _Struct

__all__ = [
    "Condition",
    "child_name",
    "dict_to_struct",
    "get_condition",
    "get_connection_details",
    "get_ready",
    "get_value",
    "set_ready",
    "set_value",
    "struct_to_dict",
    "update",
    "update_connection_details",
    "update_status",
]

S = TypeVar("S", bound="StructMessage")

_READY: Final[dict[bool | None, int]] = {None: 0, True: 1, False: 2}
_FROM_READY: Final = {number: ready for ready, number in _READY.items()}


def update(r: ResourceMessage, source: Source) -> None:
    """Set fields of a composite or composed resource.

    As with a dict's `update`, each top-level field of `source` replaces the one in `r`. The other fields of `r` stay.

    Args:
        r: The resource to update, such as `rsp.desired.resources["bucket"]`.
        source: A mapping, a model of this package, a Struct of any implementation, or a pydantic model. None in a
            mapping means null. Of a model, the fields that were set are taken, with apiVersion and kind.

    Raises:
        UsageError: `source` is none of these, or observed state.
        UnresolvedError: `source` holds a value that doesn't exist yet; the message has its path. Nothing is updated.
        EncodeError: A value can't be carried in a message; the error has its path. Nothing is updated.
    """
    data = encoded_resource(source)
    if full_name(source) == STRUCT:
        r.resource.SetInParent()  # an empty Struct, too, makes the resource present
    merge(r.resource, data)


def update_status(r: ResourceMessage, status: Source) -> None:
    """Set the status of a resource. It replaces the whole status that the resource has.

    Args:
        r: The resource to update, usually `rsp.desired.composite`. Crossplane ignores the desired status of all others.
        status: The status, in one of the forms that `update` takes.

    Raises:
        UsageError: `status` is of no such form, or is the observed status as a whole.
        UnresolvedError: `status` holds a value that doesn't exist yet; the message has its path. Nothing is updated.
        EncodeError: A value can't be carried in a message; the error has its path. Nothing is updated.
    """
    update(r, {"status": dump(status) if is_dumped(status) else status})


@overload
def dict_to_struct(d: Source, cls: None = None) -> _Struct: ...
@overload
def dict_to_struct(d: Source, cls: type[S]) -> S: ...
def dict_to_struct(d: Source, cls: type[Any] | None = None) -> Any:
    """Return a Struct message for an object.

    Args:
        d: A mapping, or another form that `update` takes.
        cls: The Struct class of the implementation whose messages it is for, such as
            `google.protobuf.struct_pb2.Struct`; by default the one of `crossplane_lite.proto`.

    Raises:
        UsageError: `d` is of no such form.
        UnresolvedError: A value doesn't exist yet; the message has its path.
        EncodeError: A value can't be carried in a Struct; the error has its path.
    """
    if cls is None:
        from .proto.v1 import run_function_pb2

        cls = type(run_function_pb2.Resource().resource)
    struct = cls()
    merge(struct, encoded(d))
    return struct


def struct_to_dict(s: StructMessage) -> dict[str, Any]:
    """Return a Struct message of any implementation as a dict.

    A number without a fraction becomes an int. A message of another type becomes the JSON form that protobuf gives it.

    Raises:
        UsageError: `s` isn't a message.
    """
    made: dict[str, Any] = message_data(s)
    return made


@dataclasses.dataclass
class Condition:
    """A status condition.

    Attributes:
        typ: Its type, such as `Ready`.
        status: `True`, `False` or `Unknown`, as a string.
        reason: The reason for the status, as a CamelCase word.
        message: A sentence for people.
        last_transition_time: The time of the last change of the status. `response.set_conditions` ignores it.
        target: The object that `response.set_conditions` sets the condition on: `composite` (Crossplane's default) or
            `composite_and_claim`, or a TARGET_ number of the protocol.
    """

    typ: str
    status: str
    reason: str | None = None
    message: str | None = None
    last_transition_time: datetime.datetime | None = None
    target: Target = None


def get_condition(resource: ResourceMessage | StructMessage | Mapping[str, Any] | None, typ: str) -> Condition:
    """Return a status condition of a resource.

    Args:
        resource: A Resource or Struct message of any implementation, a mapping, or None.
        typ: The condition's type, such as `Ready`.

    Returns:
        The condition. Its status is `Unknown` where the resource doesn't have it, or has a malformed one.

    Raises:
        UsageError: `resource` is none of these.
    """
    found = condition_of(struct_of(resource, "get_condition()"), typ) or {}
    status, reason, message = (_text(found.get(key)) for key in ("status", "reason", "message"))
    return Condition(typ, status or "Unknown", reason, message, _time(found.get("lastTransitionTime")))


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _time(value: object) -> datetime.datetime | None:
    if not isinstance(value, str):
        return None
    if value[-1:] in ("Z", "z"):
        value = value[:-1] + "+00:00"
    # Before Python 3.11 a fraction must have three or six digits; Kubernetes writes none, or six.
    try:
        return datetime.datetime.fromisoformat(value)
    except ValueError:
        return None


_LABEL_LENGTH: Final = 63
_HASH_LENGTH: Final = 5


def child_name(*parts: str, sep: str = "-") -> str:
    """Return a name for a child resource. The same parts always give the same name.

    The name is the joined parts, cut where they are too long, and then five hex digits of their SHA-256, which tell cut
    names apart. It has at most 63 characters, as a DNS label must. Capital letters stay capital.

    Args:
        *parts: The parts of the name, such as the name of the composite and a word.
        sep: The string between the parts, and in front of the digits.

    Raises:
        UnresolvedError: A part is made from a value that doesn't exist yet.
    """
    call = current()
    given: tuple[Any, ...] = parts
    for part in given:
        if isinstance(part, Observable):
            waiting = [part] if known(part) is UNSET else []
        else:
            waiting = call.tokens_in(part) if call is not None else []
        if waiting:
            raise UnresolvedError(
                f"child_name(): a part is made from {', '.join(one.source_path for one in waiting)}, which has no "
                "value yet, so the name would be another one later; use parts that are known in every call"
            )
    joined = sep.join(str(part) if isinstance(part, Observable) else part for part in given)
    digest = hashlib.sha256(joined.encode()).hexdigest()[:_HASH_LENGTH]
    # One character at least for the separator, so that names without one are cut where those with one are.
    room = max(_LABEL_LENGTH - _HASH_LENGTH - max(len(sep), 1), 0)
    return f"{joined[:room].rstrip(sep)}{sep}{digest}"


def get_ready(r: ResourceMessage | None) -> bool | None:
    """Return the readiness that was set for a resource: True, False, or None where none was set."""
    return None if r is None else _FROM_READY.get(r.ready)


def set_ready(r: ResourceMessage, ready: bool | None) -> None:
    """Say whether a desired resource is ready.

    Args:
        r: The resource, such as `rsp.desired.resources["bucket"]`. With `rsp.desired.composite`, the composite itself
            is ready or not, whatever its resources are.
        ready: True, False, or None to leave the decision to others.

    Raises:
        UsageError: `ready` is none of these.
    """
    if not (ready is None or isinstance(ready, bool)):
        raise UsageError(f"'ready' must be True, False or None (got {value_in_words(ready)})")
    r.ready = _READY[ready]


def get_connection_details(r: ResourceMessage | None) -> dict[str, bytes]:
    """Return the connection details of a resource, as bytes by key; empty where the resource is None."""
    return {} if r is None else dict(r.connection_details)


def update_connection_details(r: ResourceMessage, details: Mapping[str, str | bytes]) -> None:
    """Set connection details of a resource. Details that are not named stay.

    Args:
        r: The resource. In desired state, Crossplane uses the details of `rsp.desired.composite` alone, and only where
            it is a composite of Crossplane 1.
        details: The values by key. Strings are encoded as UTF-8.

    Raises:
        UsageError: A value is neither a string nor bytes. Nothing is set then.
    """
    made = {}
    for key, value in details.items():
        if not isinstance(value, (str, bytes)):
            raise UsageError(f"connection detail {key!r} must be a string or bytes (got {type_in_words(value)})")
        made[key] = value.encode() if isinstance(value, str) else value
    r.connection_details.update(made)


def get_value(
    resource: ResourceMessage | StructMessage | Mapping[str, Any] | None, path: str, default: Any = None
) -> Any:
    """Return the value at a field path.

    Args:
        resource: A Resource or Struct message of any implementation, a mapping, or None.
        path: The field path, such as `spec.ports[2].port`, `spec.ports[-1]` for the last port,
            `spec.ports[name=http].port`, or `metadata.annotations[crossplane.io/external-name]`. A number in brackets
            is an index; in quotes it is a key.
        default: The value to return where nothing stands at the path.

    Raises:
        UsageError: `path` isn't a field path, or selects several elements of a list; or `resource` is none of these.
    """
    raw, steps = struct_of(resource, "get_value()"), field_path.parse(path)
    # Bytes don't show the meaning of a selection, or whether digits are a key; objects before these aren't decoded.
    direct = next((at for at, step in enumerate(steps) if type(step) not in (str, int)), len(steps))
    value = _wire.get_path(raw, steps[:direct], _wire.MISSING)  # type: ignore[arg-type]
    return default if value is _wire.MISSING else field_path.lookup(value, steps[direct:], default)


def set_value(r: ResourceMessage, path: str, value: Any) -> None:
    """Set the value at a field path of a resource. Missing objects and lists along the path are made.

    Args:
        r: The resource to change.
        path: The field path, as for `get_value`. An index may be one past the end of a list, and then adds an element.
            A selection such as `[name=http]` that finds no element adds one with these fields.
        value: Plain data, or a model of this package. It replaces the old value.

    Raises:
        UsageError: `path` isn't a field path, or leads through a value that isn't an object or list.
        UnresolvedError: `value`, or something in it, doesn't exist yet. Nothing is set then.
        EncodeError: The value can't be carried in a message; the error has its path. Nothing is set then.
    """
    data = _wire.decode_struct(r.resource.SerializeToString())
    field_path.put(data, field_path.parse(path), value, "the resource")
    replace(r.resource, encoded(data))
