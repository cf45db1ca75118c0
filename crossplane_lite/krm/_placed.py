"""Where an item of a file is from: annotations that its content shows, and that aren't part of its text."""

from __future__ import annotations

from .annotations import INDEXES, PATHS, file_of

TYPE_CHECKING = False  # type checkers take it for typing's, which would take longer to import than this module
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Placed"]

_NONE: Any = object()


class Placed:
    """The place of an item: its file, and its index among the documents of that.

    Orchestrators write it into the item, as annotations, and take these out again. Here it is put into the content when
    that is read, and taken out before the content is compared with the text. So the text never has it, and annotations
    of the same names that somebody has in the file stay.
    """

    __slots__ = ("_annotations", "_before", "_metadata", "_was_empty", "index", "path")

    def __init__(self, path: str, index: int) -> None:
        self.path = path
        self.index = index
        self._metadata: Any = _NONE  # the text has an object, null, or nothing at all
        self._annotations: Any = _NONE
        self._before: dict[str, Any] = {}
        self._was_empty = True  # whether the text has an object of annotations with none in it

    def show(self, content: dict[str, Any]) -> None:
        """Put the place into content that was just read."""
        self._before = {}
        self._metadata = content.get("metadata", _NONE)
        metadata = content["metadata"] = {} if self._metadata in (None, _NONE) else self._metadata
        if not isinstance(metadata, dict):
            return
        self._annotations = metadata.get("annotations", _NONE)
        annotations = metadata["annotations"] = {} if self._annotations in (None, _NONE) else self._annotations
        if not isinstance(annotations, dict):
            return
        self._was_empty = not annotations
        for key, value in ((INDEXES[0], str(self.index)), (PATHS[0], self.path)):
            self._before[key] = annotations.get(key, _NONE)
            annotations[key] = value

    def hidden(self, content: dict[str, Any]) -> dict[str, Any]:
        """Return content without the place, as it goes into the text; its values aren't copied."""
        metadata = content.get("metadata")
        if not isinstance(metadata, dict):
            return content
        annotations = metadata.get("annotations")
        if isinstance(annotations, dict):
            own = {}
            for key, value in annotations.items():
                before = self._before.get(key, value)
                if before is not _NONE:
                    own[key] = before
            # With the last of the author's annotations the object goes, as orchestrators have it.
            before = self._annotations if own or self._was_empty else _NONE
            metadata = _with(metadata, "annotations", own, before)
        return _with(content, "metadata", metadata, self._metadata)

    def now(self, content: dict[str, Any]) -> tuple[str, int]:
        """Return the place that content says."""
        metadata = content.get("metadata")
        found = file_of(metadata.get("annotations")) if isinstance(metadata, dict) else None
        return found or (self.path, self.index)


def _with(holder: dict[str, Any], key: str, value: dict[str, Any], before: Any) -> dict[str, Any]:
    """Return a mapping with a field that is as it was before where it is empty: null, or not there."""
    if value or before not in (None, _NONE):
        return {**holder, key: value}
    if before is None:
        return {**holder, key: None}
    return {one: other for one, other in holder.items() if one != key}
