"""Encoded resources with the mark of the step that registers them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import _wire
from .._call.mark import ANNOTATION, joined_steps

if TYPE_CHECKING:
    from .._models.resource import Resource

__all__ = ["marked", "marked_over"]


def marked(model: Resource, step: str) -> bytes:
    """Encode a model with the mark of a step; an empty one means none.

    Raises:
        Bail: The slow path has to look.
    """
    if step and "metadata" not in model.__dict__:
        return _wire.encode_struct(model, strict=True) + _metadata_entry(step)
    return marked_over(_wire.encode_struct(model, strict=True), step)


_entries: dict[str, bytes] = {}


def _metadata_entry(step: str) -> bytes:
    """Return the encoded metadata with nothing but the step's annotation."""
    entry = _entries.get(step)
    if entry is None:
        if len(_entries) > 64:  # one per function and input; a caller that varies its input must not fill the memory
            _entries.clear()
        entry = _entries[step] = _wire.encode_struct({"metadata": {"annotations": {ANNOTATION: step}}})
    return entry


def marked_over(encoded: bytes, step: str) -> bytes:
    """Put the step's annotation into encoded bytes, beside the steps that share the resource."""
    if not step:
        return encoded
    before = _wire.get_path(encoded, ("metadata", "annotations", ANNOTATION))
    return _wire.encode_over({"metadata": {"annotations": {ANNOTATION: joined_steps(before, step)}}}, encoded)
