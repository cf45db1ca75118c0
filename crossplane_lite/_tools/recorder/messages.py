"""Requests and answers as protobuf's JSON, and as the bytes that functions take and give.

Fields are found by the descriptors of the messages, in which each Struct is bytes. So depth isn't
limited, and a request of 30 KB takes less than a millisecond.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from typing import Any, Final

from ..._core import codec
from ...errors import InputError
from ...proto import _build, _view
from ..manifests.objects import encode

_STRUCTS: Final = {
    (name, field.split("=")[0])
    for name, fields in _build.MESSAGES.items()
    for field in fields.split()
    if field.endswith((":Struct", ":Struct?"))
}
"""The names of the messages and fields that are Structs; in the view they are bytes."""
_DURATION: Final = re.compile(r"(-?\d+)(?:\.(\d{1,9}))?s")
_LARGE: Final = frozenset({3, 4, 6, 16, 18})  # 64 bits, which protobuf writes as strings


def request_bytes(content: Mapping[str, Any]) -> bytes:
    """Return a request in protobuf's JSON as the bytes of a RunFunctionRequest. Unknown fields are
    left out.

    Raises:
        InputError: A value has another type than its field.
    """
    return _bytes(_view.RunFunctionRequest(), content, "request")


def response_bytes(content: Mapping[str, Any]) -> bytes:
    """Return an answer in protobuf's JSON as the bytes of a RunFunctionResponse, as `request_bytes`
    does.
    """
    return _bytes(_view.RunFunctionResponse(), content, "response")


def _bytes(message: Any, content: Mapping[str, Any], where: str) -> bytes:
    _fill(message, content, where)
    data: bytes = message.SerializeToString(deterministic=True)
    return data


def _fill(message: Any, content: Any, where: str) -> None:
    if not isinstance(content, Mapping):
        raise InputError(f"{where} must be an object")
    for field in message.DESCRIPTOR.fields:
        value = content.get(field.json_name, content.get(field.name))
        if value is None:
            continue
        place = f"{where}.{field.json_name}"
        try:
            if _is_map(field):
                target = getattr(message, field.name)
                inner = field.message_type.fields_by_name["value"]
                for key, one in value.items():
                    if inner.message_type is not None:
                        _fill(target[key], one, f"{place}.{key}")
                    else:
                        target[key] = _scalar(inner, one, message, place)
            elif _is_repeated(field):
                for one in value:
                    if field.message_type is not None:
                        _fill(getattr(message, field.name).add(), one, place)
                    else:
                        getattr(message, field.name).append(_scalar(field, one, message, place))
            elif field.message_type is not None and field.message_type.name == "Duration":
                _fill_duration(getattr(message, field.name), value)
            elif field.message_type is not None:
                getattr(message, field.name).SetInParent()
                _fill(getattr(message, field.name), value, place)
            else:
                setattr(message, field.name, _scalar(field, value, message, place))
        except (AttributeError, TypeError, ValueError, KeyError) as e:
            raise InputError(f"{place}: {e}") from None


def _scalar(field: Any, value: Any, message: Any, where: str) -> Any:
    if field.type == field.TYPE_BYTES:
        if (message.DESCRIPTOR.name, field.name) in _STRUCTS:
            return encode(value, where)
        try:
            return base64.b64decode(value, validate=True)
        except ValueError:  # Crossplane puts `**REDACTED**` in the place of base64
            return value.encode()
    if field.enum_type is not None and isinstance(value, str):
        return field.enum_type.values_by_name[value].number
    return int(value) if field.type in _LARGE else value


def _fill_duration(message: Any, text: str) -> None:
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} isn't a duration such as 60s")
    message.seconds, message.nanos = int(match[1]), int((match[2] or "").ljust(9, "0"))


def decoded(resource: Any) -> dict[str, Any]:
    """Return the content of a Resource message of `proto._view` as plain data; an empty dict if it
    has none.
    """
    return codec.decode_struct(resource.resource)


def as_json(message: Any) -> dict[str, Any]:
    """Return a message of `proto._view` in protobuf's JSON, as plain data.

    Raises:
        WireError: A Struct in it is malformed.
    """
    found: dict[str, Any] = {}
    for field, value in message.ListFields():
        if _is_map(field):
            inner = field.message_type.fields_by_name["value"]
            found[field.json_name] = {
                key: as_json(value[key])
                if inner.message_type is not None
                else _plain(inner, value[key], message)
                for key in sorted(value)
            }
        elif _is_repeated(field):
            is_message = field.message_type is not None
            found[field.json_name] = [
                as_json(one) if is_message else _plain(field, one, message) for one in value
            ]
        elif field.message_type is not None and field.message_type.name == "Duration":
            fraction = f".{value.nanos:09}".rstrip("0") if value.nanos else ""
            found[field.json_name] = f"{value.seconds}{fraction}s"
        elif field.message_type is not None:
            found[field.json_name] = as_json(value)
        else:
            found[field.json_name] = _plain(field, value, message)
    return found


def _plain(field: Any, value: Any, message: Any) -> Any:
    if field.type == field.TYPE_BYTES:
        if (message.DESCRIPTOR.name, field.name) in _STRUCTS:
            return codec.decode_struct(value)
        return base64.b64encode(value).decode()
    if field.enum_type is not None:
        known = field.enum_type.values_by_number.get(value)
        return known.name if known is not None else value
    return value


def _is_repeated(field: Any) -> bool:
    # Newer releases of protobuf have `is_repeated`, and warn of `label`.
    found: bool = (
        field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED
    )
    return found


def _is_map(field: Any) -> bool:
    return field.message_type is not None and field.message_type.GetOptions().map_entry
