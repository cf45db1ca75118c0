"""Encoding resources with the mark of the step that registers them.

The mark is an annotation (`crossplane_lite._call.mark`). In the fast way, a model is encoded straight to bytes,
together with the mark. In the slow way, `crossplane_lite._answer.unresolved` makes plain data from the model first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .. import _wire
from .._models.shape import ModelShape
from .mark import ANNOTATION, joined_steps

if TYPE_CHECKING:
    from .._models.resource import Resource

__all__ = ["direct", "marked_over"]

_WAY: Final = ("metadata", "annotations")


def direct(model: Resource, step: str) -> bytes | None:
    """Encode a registered resource in the fast way.

    Returns None if the resource needs the slow way, because a value is unresolved or can't be encoded, or because only
    that way can merge the resource with the state that previous functions desire.
    """
    assert model._state is not None
    base = model._state.base
    try:
        return _marked(model, step) if base is None else _marked_laid(model, base, step)
    except _wire.Bail:
        return None


def _marked(model: Resource, step: str) -> bytes:
    """Encode a model with the mark of a step; without a mark if `step` is empty.

    Raises:
        Bail: The resource needs the slow way.
    """
    if not step:
        return _wire.encode_struct(model, strict=True)
    if _is_usual(model.__dict__.get("metadata")):
        return _wire.encode_struct_with(model, _WAY, ANNOTATION, _entry(step))
    return marked_over(_wire.encode_struct(model, strict=True), step)


def _marked_laid(model: Resource, base: bytes, step: str) -> bytes:
    """Encode a model over the bytes that previous functions desire, and add the mark of a step to their marks.

    Raises:
        Bail: The resource needs the slow way.
    """
    if not step:
        return _wire.encode_over(model, base, strict=True)
    leaf = (_WAY, ANNOTATION, lambda before: joined_steps(before, step))
    return _wire.encode_over(model, base, strict=True, leaf=leaf)


def marked_over(encoded: bytes, step: str) -> bytes:
    """Return a resource's Struct bytes with the mark of a step added; unchanged if `step` is empty.

    Marks of other steps stay. In the fast way, `_marked` and `_marked_laid` do the same while they encode.
    """
    if not step:
        return encoded
    before = _wire.get_path(encoded, (*_WAY, ANNOTATION))
    return _wire.encode_over({"metadata": {"annotations": {ANNOTATION: joined_steps(before, step)}}}, encoded)


def _is_usual(metadata: Any) -> bool:
    """Say whether a mark can be added while a model with this `metadata` is encoded.

    True if `metadata` is None, a dict or a model, and its annotations are None or a dict without a mark.
    """
    if metadata is None:
        return True
    if type(metadata) is dict:
        annotations = metadata.get("annotations")
    elif isinstance(metadata, ModelShape):
        annotations = metadata.__dict__.get("annotations")
    else:
        return False
    return annotations is None or (type(annotations) is dict and ANNOTATION not in annotations)


_entries: dict[str, bytes] = {}


def _entry(step: str) -> bytes:
    """Return the Struct bytes of the annotation that marks a resource as belonging to `step`."""
    entry = _entries.get(step)
    if entry is None:
        if len(_entries) > 64:  # one for each function and input; varied inputs must not fill the memory
            _entries.clear()
        entry = _entries[step] = _wire.encode_struct({ANNOTATION: step})
    return entry
