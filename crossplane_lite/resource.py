"""Helpers for resources in protobuf messages.

The names are those of `crossplane.function.resource` in the official Python SDK. The helpers work
with messages of `crossplane_lite.proto` and of the official Python SDK, v1 and v1beta1. Helpers
that read accept None for a resource. So the result of `req.observed.resources.get(name)` can be
passed to them; unlike `[name]`, `get` adds no entry to the map.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

from ._core import codec
from ._core.base.hashes import sha256
from ._core.base.sentinels import UNSET
from ._core.base.texts import type_in_words, value_in_words
from ._core.compat.messages import (
    STRUCT,
    check_mapping,
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
from ._core.models.model import Model
from ._core.observed.lookup import conditions_of
from ._core.observed.observable import Observable, known
from ._core.observed.tracker import current
from ._core.paths import field_path, trees
from .errors import UnresolvedError, UsageError

if TYPE_CHECKING:
    from ._core.compat.protocols import ResourceMessage, Source, StructMessage, Target
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

    Each top-level field of `source` replaces the field of the same name in `r`, as in a dict's
    `update`. Other fields of `r` stay.

    Args:
        r: The resource to update, such as `rsp.desired.resources["bucket"]`.
        source: A mapping, a model of crossplane-lite, a Struct of any implementation, or a pydantic
            model. None in a mapping is written as null. From a model, apiVersion, kind and the
            fields that are set are taken.

    Raises:
        UsageError: `source` has another type, or is observed state.
        UnresolvedError: `source` holds a value that doesn't exist yet; the message has its path.
            Nothing is updated.
        EncodeError: A value can't be put into a message; the error has its path. Nothing is
            updated.
    """
    data = encoded_resource(source)
    if full_name(source) == STRUCT:
        r.resource.SetInParent()  # an empty Struct, too, makes the resource present
    merge(r.resource, data)


def update_status(r: ResourceMessage, status: Source) -> None:
    """Replace the status of a resource.

    Args:
        r: The resource, usually `rsp.desired.composite`; Crossplane ignores the status of composed
            resources.
        status: The status, of a type that `update` takes. None, as in the official SDK, writes
            null.

    Raises:
        UsageError: `status` has another type, or is the observed status itself.
        UnresolvedError: `status` holds a value that doesn't exist yet; the message has its path.
            Nothing is updated.
        EncodeError: A value can't be put into a message; the error has its path. Nothing is
            updated.
    """
    if is_dumped(status):
        status = dump(status)
    elif status is not None and full_name(status) != STRUCT and not isinstance(status, Model):
        check_mapping(status, "status")
    update(r, {"status": status})


@overload
def dict_to_struct(d: Source, cls: None = None) -> _Struct: ...
@overload
def dict_to_struct(d: Source, cls: type[S]) -> S: ...
def dict_to_struct(d: Source, cls: type[Any] | None = None) -> Any:
    """Return a Struct message for an object.

    Args:
        d: A mapping, or another type that `update` takes.
        cls: The class of the Struct, such as `google.protobuf.struct_pb2.Struct` for messages of
            the official SDK. By default it is the class of `crossplane_lite.proto`.

    Raises:
        UsageError: `d` has another type, or is observed state.
        UnresolvedError: A value doesn't exist yet; the message has its path.
        EncodeError: A value can't be put into a Struct; the error has its path.
    """
    if cls is None:
        from .proto.v1 import run_function_pb2

        cls = type(run_function_pb2.Resource().resource)
    struct = cls()
    merge(struct, encoded(d))
    return struct


def struct_to_dict(s: StructMessage) -> dict[str, Any]:
    """Return a Struct message of any implementation as a dict.

    Numbers without a fraction become ints. A ListValue or Value message gives its value, which may
    not be a dict. Any other message gives protobuf's JSON form, with the field names of the
    `.proto` file.

    Raises:
        UsageError: `s` isn't a message.
    """
    made: dict[str, Any] = message_data(s)
    return made


@dataclasses.dataclass
class Condition:
    """A status condition of a resource.

    Attributes:
        typ: The condition's type, such as `Ready`.
        status: One of the strings `True`, `False` and `Unknown`.
        reason: A CamelCase word that says why.
        message: A text for people.
        last_transition_time: When the status last changed. `response.set_conditions` ignores this
            time.
        target: The object on which `response.set_conditions` sets the condition: `composite`
            (Crossplane's default), `composite_and_claim`, or one of the protocol's TARGET_ numbers.
    """

    typ: str
    status: str
    reason: str | None = None
    message: str | None = None
    last_transition_time: datetime.datetime | None = None
    target: Target = None


def get_condition(
    resource: ResourceMessage | StructMessage | Mapping[str, Any] | None, typ: str
) -> Condition:
    """Return a status condition of a resource.

    Args:
        resource: A Resource or Struct message of any implementation, a mapping, or None.
        typ: The condition's type, such as `Ready`.

    Returns:
        The condition. Its status is `Unknown` if the resource doesn't have the condition, or if the
        status isn't a string.

    Raises:
        UsageError: `resource` has another type.
        EncodeError: `resource` is a mapping with a value that a message can't hold; the error has
            its path.
    """
    found = conditions_of(struct_of(resource, "get_condition()")).get(typ, {})
    status, reason, message = (_text(found.get(key)) for key in ("status", "reason", "message"))
    return Condition(
        typ, status or "Unknown", reason, message, _time(found.get("lastTransitionTime"))
    )


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

    The name is the joined parts, cut if they are too long, and the first five hex digits of the
    SHA-256 of the joined parts. So long names that are cut stay different. The name has at most 63
    characters, like a DNS label. Upper case stays upper case.

    Args:
        *parts: The parts of the name, such as the name of the composite and a word.
        sep: The text between the parts, and before the hash.

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
                "child_name(): a part is made from"
                f" {', '.join(one.source_path for one in waiting)}, which has no value yet, so the"
                " name would change later; use parts that are known in every call"
            )
    joined = sep.join(str(part) if isinstance(part, Observable) else part for part in given)
    digest = sha256(joined.encode()).hexdigest()[:_HASH_LENGTH]
    # At least one character for the separator, so that names without a separator are cut at the
    # same place.
    room = max(_LABEL_LENGTH - _HASH_LENGTH - max(len(sep), 1), 0)
    return f"{joined[:room].rstrip(sep)}{sep}{digest}"


def get_ready(r: ResourceMessage | None) -> bool | None:
    """Return the readiness that a function has set for a resource; None if no function has, or if
    `r` is None.
    """
    return None if r is None else _FROM_READY.get(r.ready)


def set_ready(r: ResourceMessage, ready: bool | None) -> None:
    """Set the readiness of a desired resource.

    Args:
        r: The resource, such as `rsp.desired.resources["bucket"]`. For `rsp.desired.composite`,
            True or False is the readiness of the composite itself, whatever the readiness of its
            composed resources is.
        ready: True, False, or None to leave the decision to others.

    Raises:
        UsageError: `ready` is another value.
    """
    if not (ready is None or isinstance(ready, bool)):
        raise UsageError(f"'ready' must be True, False or None (got {value_in_words(ready)})")
    r.ready = _READY[ready]


def get_connection_details(r: ResourceMessage | None) -> dict[str, bytes]:
    """Return the connection details of a resource as bytes, by key; an empty dict if `r` is
    None.
    """
    return {} if r is None else dict(r.connection_details)


def update_connection_details(r: ResourceMessage, details: Mapping[str, str | bytes]) -> None:
    """Set connection details of a resource. Details under other keys stay.

    Args:
        r: The resource, usually `rsp.desired.composite`. Crossplane ignores connection details of
            desired composed resources, and of composites of Crossplane 2 that aren't legacy
            composites.
        details: The values by key. Strings are encoded as UTF-8.

    Raises:
        UsageError: A value is neither a string nor bytes. Nothing is set then.
    """
    made = {}
    for key, value in details.items():
        if not isinstance(value, (str, bytes)):
            raise UsageError(
                f"connection detail {key!r} must be a string or bytes (got {type_in_words(value)})"
            )
        made[key] = value.encode() if isinstance(value, str) else value
    r.connection_details.update(made)


def get_value(
    resource: ResourceMessage | StructMessage | Mapping[str, Any] | None,
    path: str,
    default: Any = None,
) -> Any:
    """Return the value at a field path, or `default` if there is no value.

    Args:
        resource: A Resource or Struct message of any implementation, a mapping, or None.
        path: A path such as `spec.ports[2].port`, `spec.ports[-1]` for the last port,
            `spec.ports[name=http].port`, or `metadata.annotations[crossplane.io/external-name]`.
            Quoted text in brackets is always a key, such as `["0"]`.
        default: The value to return if there is none at the path.

    Raises:
        UsageError: `path` isn't a field path, or selects several elements of a list; or `resource`
            has another type.
        EncodeError: `resource` is a mapping with a value that a message can't hold; the error has
            its path.
    """
    raw, steps = struct_of(resource, "get_value()"), field_path.parse(path)
    # Selections, and digits that may be a key, need decoded values. The plain steps before them are
    # read from bytes.
    direct = next((at for at, step in enumerate(steps) if type(step) not in (str, int)), len(steps))
    value = codec.get_path(raw, steps[:direct], codec.MISSING)  # type: ignore[arg-type]
    return default if value is codec.MISSING else trees.lookup(value, steps[direct:], default)


def set_value(r: ResourceMessage, path: str, value: Any) -> None:
    """Set the value at a field path of a resource. Missing objects and lists on the path are made.

    Args:
        r: The resource to change.
        path: A path as for `get_value`. An index that is equal to the list's length adds an
            element. A selection such as `[name=http]` that matches no element adds an element with
            the selection's fields.
        value: Plain data or a model of crossplane-lite. It replaces the old value.

    Raises:
        UsageError: `path` isn't a field path, leads through a value that isn't an object or list,
            or has an index beyond the list's length; or `value` is a whole observed resource.
            Nothing is set then.
        UnresolvedError: `value`, or a value in it, doesn't exist yet. Nothing is set then.
        EncodeError: The value can't be put into a message; the error has its path. Nothing is set
            then.
    """
    data = codec.decode_struct(r.resource.SerializeToString())
    trees.put(data, field_path.parse(path), value, "the resource")
    replace(r.resource, encoded(data))
