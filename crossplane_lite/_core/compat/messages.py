"""Reads and fills protobuf messages of any implementation of the protocol, for `request`,
`response` and `resource`.

Two implementations have different classes for the same message: this package's `proto` has one, and
crossplane-function-sdk-python has another. So the code here looks at the name of a message's type
and not at its class, and converts a message by encoding it with one class and decoding it with the
other.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from google.protobuf import message_factory
from google.protobuf.message import DecodeError

from ...errors import EncodeError, UnresolvedError, UsageError
from .. import codec
from ..base.texts import type_in_words
from ..models.model import Model
from ..models.node import WAIT
from ..models.walker import Found, show_path, tree_of, with_nulls
from ..observed.observable import sources
from ..observed.tracker import current

STRUCT: Final = "google.protobuf.Struct"


def full_name(value: object) -> str | None:
    """Return the full name of a message's type, such as `google.protobuf.Struct`; None if `value`
    isn't a message.
    """
    name: str | None = getattr(getattr(type(value), "DESCRIPTOR", None), "full_name", None)
    return name


def sibling(message: Any, name: str) -> Any:
    """Return the message class called `name`, from the same implementation and protocol version as
    `message`.

    Raises:
        KeyError: The .proto file that defines the type of `message` has no top-level message called
            `name`.
        UsageError: `message` isn't a message.
    """
    if full_name(message) is None:
        raise UsageError(
            f"a request or response must be a protobuf message (got {type_in_words(message)}); "
            "compose(ctx) has ctx.results.normal(...), ctx.conditions and ctx.requirements"
        )
    return message_factory.GetMessageClass(
        type(message).DESCRIPTOR.file.message_types_by_name[name]
    )


def struct_of(value: Any, what: str) -> bytes:
    """Return a resource, which may be given in several types, as the bytes of a Struct. None gives
    empty bytes.

    Args:
        value: A Resource or a Struct message of any implementation, a mapping, or None.
        what: The beginning of the error message: the name of the function that got `value` from its
            caller.

    Raises:
        UsageError: `value` is of another type.
        EncodeError: The mapping holds a value that a Struct can't hold.
    """
    if value is None:
        return b""
    name = full_name(value)
    if name is not None and name.endswith(".Resource"):
        value = value.resource
        name = full_name(value)
    if name == STRUCT:
        raw: bytes = value.SerializeToString()
        return raw
    if isinstance(value, Mapping):
        return codec.encode_struct(value)
    raise UsageError(
        f"{what} takes a Resource, a Struct, a mapping or None (got {type_in_words(value)})"
    )


def encoded(source: Any, where: str = "") -> bytes:
    """Return an object as the bytes of a Struct.

    Args:
        source: A mapping, a model of this package, a Struct message of any implementation, or a
            pydantic model. From a model, only the fields that were set are encoded. A model that a
            getter of `crossplane_lite.request` read from the desired state also keeps the other
            fields that the desired object has.
        where: The beginning of the paths in error messages, such as `xr`.

    Raises:
        UsageError: `source` has another type, is a model of observed state, contains itself, or is
            nested too deep.
        UnresolvedError: `source` contains an Observable without a value. The message lists the path
            of each such value.
        EncodeError: A Struct can't hold one of the values. The error has the value's path.
    """
    if full_name(source) == STRUCT:
        raw: bytes = source.SerializeToString()
        return raw
    base = None
    if isinstance(source, Model):
        node = source._node
        if node is not None and node.state >= WAIT:
            raise UsageError(
                f"{where or node.path} is observed state, and setting it would make this function"
                f" own every field of it; make a new {type(source).__name__} with the fields you"
                " care about"
            )
        base = None if node is None else node.raw
    elif is_dumped(source):
        source = dump(source)
    else:
        check_mapping(source, where or "the given object")
    try:
        return _encoded(source, base, where)
    except EncodeError as error:
        raise error.under(where) from None


def check_mapping(source: Any, where: str) -> None:
    """Check that an object which is neither a model nor a Struct is a mapping.

    Args:
        source: The object.
        where: The object's path, for the message.

    Raises:
        UsageError: It isn't.
    """
    if not isinstance(source, Mapping):
        raise UsageError(
            f"{where} must be a mapping, a model or a Struct (got {type_in_words(source)})"
        )


def encoded_resource(source: Any, where: str = "") -> bytes:
    """Return a resource as the bytes of a Struct. See `encoded` for arguments and errors.

    Unlike in `encoded`, a pydantic model must have `apiVersion` and `kind`. Both are encoded, even
    if they weren't set.
    """
    if is_dumped(source):
        # The kind is a default of the model's class, so pydantic doesn't count it as set.
        head = {key: getattr(source, key, None) for key in ("apiVersion", "kind")}
        if None in head.values():
            lacking = " and ".join(key for key, value in head.items() if value is None)
            raise UsageError(
                f"{where or 'a resource'} must have apiVersion and kind, but the pydantic model "
                f"{type(source).__name__} has no {lacking}"
            )
        source = {**dump(source), **head}
    return encoded(source, where)


def is_dumped(source: object) -> bool:
    """Return whether an object has pydantic's method `model_dump`, which can leave out the fields
    that weren't set.
    """
    return callable(getattr(type(source), "model_dump", None))


def dump(model: Any) -> dict[str, Any]:
    """Return the fields that were set in a pydantic model as a dict, with the aliases as keys, such
    as `apiVersion`.
    """
    fields: dict[str, Any] = model.model_dump(exclude_unset=True, by_alias=True, warnings=False)
    return fields


def _encoded(source: Any, base: bytes | None, where: str) -> bytes:
    call = current()
    try:
        made = _lay(source, base, strict=True)
        if call is None or not call.has_token(made):
            return made
    except (codec.Bail, ValueError):
        # ValueError: a Struct in the mapping holds a Value without a kind
        pass
    tree = tree_of(source if isinstance(source, Model) else opened(source), call)
    if tree.found:
        raise _unresolved(tree.found, where)
    return _lay(tree.data, base)


def _lay(source: Any, base: bytes | None, *, strict: bool = False) -> bytes:
    if base is None:
        return codec.encode_struct(source, strict=strict)
    return codec.encode_over(source, base, strict=strict)


def _unresolved(found: list[Found], where: str) -> UnresolvedError:
    lines = set()
    for one in found:
        path = show_path(one.steps)
        waits = sorted(
            {source.source_path for observable in one.waits_for for source in sources(observable)}
        )
        joined = f"{where}{'' if not where or path.startswith('[') else '.'}{path}"
        lines.add(f"{joined} is made from {', '.join(waits)}")
    return UnresolvedError(
        f"{'; '.join(sorted(lines))}, which has no value yet, and a message can only hold known"
        " values; leave the field out until the value exists, or register the resource with"
        " ctx.resource(), which waits for it"
    )


_DECODERS: Final = {
    STRUCT: codec.decode_struct,
    "google.protobuf.ListValue": codec.decode_list,
    "google.protobuf.Value": codec.decode_value,
}


def opened(value: Any) -> Any:
    """Return a copy of plain data in which each Struct, ListValue or Value message is replaced by
    its content.

    Each None is replaced by the constant NULL, which is encoded as null.

    Raises:
        UsageError: The data contains itself, or is nested too deep.
    """
    return with_nulls(value, _content)


def _content(item: Any) -> Any:
    decoder = _DECODERS.get(full_name(item) or "")
    return item if decoder is None else decoder(item.SerializeToString())


def message_data(message: Any) -> Any:
    """Return a message of any implementation as plain data.

    Returns:
        The content of a Struct, ListValue or Value. For another message, the dict of
        `json_format.MessageToDict`, with the field names of the .proto file as keys.

    Raises:
        UsageError: `message` isn't a message.
    """
    name = full_name(message)
    if name is None:
        raise UsageError(
            f"struct_to_dict() takes a protobuf message (got {type_in_words(message)})"
        )
    decoder = _DECODERS.get(name)
    if decoder is not None:
        return decoder(message.SerializeToString())
    from google.protobuf import json_format  # takes longer to import than the rest of this package

    return json_format.MessageToDict(message, preserving_proto_field_name=True)


def merge(struct: Any, data: bytes) -> None:
    """Set the top-level fields of an encoded Struct in a Struct message. Existing fields of these
    names are replaced.

    Raises:
        EncodeError: `data` is nested too deep for `struct`'s implementation. `struct` stays
            unchanged then.
        UsageError: `struct` isn't a message.
    """
    if data:
        _fill(struct, data, anew=False)


def replace(struct: Any, data: bytes) -> None:
    """Replace the content of a Struct message by the content of an encoded Struct.

    The message counts as set in the message around it, even if `data` is empty.

    Raises:
        EncodeError: `data` is nested too deep for `struct`'s implementation. `struct` stays
            unchanged then.
    """
    _fill(struct, data, anew=True)


def _fill(struct: Any, data: bytes, *, anew: bool) -> None:
    if full_name(struct) is None:
        raise UsageError(
            "what a helper fills must be a protobuf message, such as rsp.desired.resources[name]"
            f" (got {type_in_words(struct)}); compose(ctx) sets fields of the object itself, as in"
            " bucket.spec = {...}"
        )
    cls = type(struct)
    made: Any
    try:
        made, fill = cls.FromString(data), struct.MergeFrom
    except DecodeError:
        # protobuf parses at most a hundred levels. A message that is filled field by field may be
        # deeper.
        made, fill = codec.decode_struct(data), struct.update
        try:
            # tried on another message first, so that an error leaves `struct` unchanged
            cls().update(made)
        except RecursionError:
            raise EncodeError(
                "",
                "the data is nested too deep for a protobuf message; ctx.resource() takes deeper"
                " data",
            ) from None
    if anew:
        struct.Clear()
        struct.SetInParent()
    fill(made)
