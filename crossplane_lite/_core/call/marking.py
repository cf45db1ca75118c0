"""The content of a registered resource: encoding it, its digest, and adding the mark of the step that registers it.

The content is the desired resource without this step's mark. In the fast way it is encoded from the model in pieces,
so that the mark can be put in without a second pass. In the slow way `_core.waits.draft` makes plain
data from the model first, and the content is the bytes of a Struct.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .. import codec
from ..models.node import ModelShape
from .mark import ANNOTATION, MARK_WAY, joined_steps, version_of

if TYPE_CHECKING:
    from ..models.resource import Resource

__all__ = ["Content", "digest_of", "direct", "marked", "plain_bytes"]

Content = bytes | tuple[bytes, ...]
"""The bytes of a desired resource without the mark, or their pieces (`codec.pieces_of`)."""

_WAY: Final = MARK_WAY[:2]
_PREFIX: Final = codec.entry_prefix(ANNOTATION)
_MOST_DIGESTS: Final = 1 << 15

# The digests of contents by Python's hash of their bytes: nearly every call has the contents of an earlier one.
_digests: dict[int, str] = {}


def direct(model: Resource) -> Content | None:
    """Encode a registered resource in the fast way.

    Returns None if the resource needs the slow way, because a value is unresolved or can't be encoded, or because only
    that way can merge the resource with the state that previous functions desire.
    """
    assert model._state is not None
    base = model._state.base
    try:
        if base is not None:
            return codec.encode_over(model, base, strict=True)
        metadata = model.__dict__.get("metadata")
        if metadata is None or type(metadata) is dict or isinstance(metadata, ModelShape):
            return codec.pieces_of(model, _WAY, ANNOTATION)
        return codec.encode_struct(model, strict=True)
    except codec.Bail:
        return None


def plain_bytes(content: Content) -> bytes:
    """Return a content as the bytes of a Struct, without this step's mark."""
    return content if type(content) is bytes else codec.joined_pieces(content, _WAY, b"")  # type: ignore[arg-type]


def marked(content: Content, step: str, memory: str) -> bytes:
    """Return the bytes of a desired resource with the mark of a step and its memory; no mark if `step` is empty.

    Marks of other steps stay.
    """
    if not step:
        return plain_bytes(content)
    if type(content) is tuple:
        text = (f"{step};{memory}" if memory else step).encode()
        size = codec.varint(len(text))
        entry = b"".join((_PREFIX, codec.varint(len(text) + len(size) + 1), b"\x1a", size, text))
        return codec.joined_pieces(content, _WAY, b"\x0a" + codec.varint(len(entry)) + entry)
    raw = plain_bytes(content)
    before = codec.get_path(raw, MARK_WAY)
    return codec.encode_over({"metadata": {"annotations": {ANNOTATION: joined_steps(before, step, memory)}}}, raw)


def digest_of(content: Content) -> str:
    """Return a digest of a content. The order of fields, the marks, and empty metadata don't count.

    Raises:
        WireError: The bytes that previous functions desire are malformed.
    """
    key = hash(content)
    found = _digests.get(key)
    if found is None:
        if len(_digests) >= _MOST_DIGESTS:
            _digests.clear()
        raw = plain_bytes(content)
        try:
            found = version_of(_canonical(raw, _WAY))
        except RecursionError:
            found = version_of(raw)
        _digests[key] = found
    return found


def _canonical(raw: bytes, way: tuple[str, ...] = ()) -> bytes:
    """Return the bytes of a Struct with its keys in order. At the end of `way` the mark is left out."""
    fields = codec.split(raw)
    parts = []
    for key in sorted(fields):
        kind, payload = codec.open_value(fields[key])
        if kind == codec.STRUCT:
            below = way[1:] if way and key == way[0] else None
            data = _without_mark(payload) if below == () else _canonical(payload, below or ())
            if below is not None and not data:
                continue
        elif kind == codec.LIST:
            data = b"".join(map(_canonical_value, codec.split_list(payload)))
        else:
            data = fields[key]
        name = key.encode()
        parts.append(b"%d %s%d %d %s" % (len(name), name, kind, len(data), data))
    return b"".join(parts)


def _without_mark(raw: bytes) -> bytes:
    fields = codec.split(raw)
    return b"".join(b"%d %s%s" % (len(key), key.encode(), fields[key]) for key in sorted(fields) if key != ANNOTATION)


def _canonical_value(value: bytes) -> bytes:
    kind, payload = codec.open_value(value)
    if kind == codec.STRUCT:
        value = _canonical(payload)
    elif kind == codec.LIST:
        value = b"".join(map(_canonical_value, codec.split_list(payload)))
    return b"%d %d %s" % (kind, len(value), value)
