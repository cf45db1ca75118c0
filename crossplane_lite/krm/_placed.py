"""Adds annotations that name an item's file to the item's content, but not to its text."""

from __future__ import annotations

from .annotations import INDEXES, PATHS, file_of

TYPE_CHECKING = False  # type checkers take it for typing's, which would take longer to import than this module
if TYPE_CHECKING:
    from typing import Any

__all__ = ["Placed"]

_NONE: Any = object()


class Placed:
    """The file of an item, and the item's index among the documents of the file.

    An orchestrator, such as kustomize, adds annotations with them to an item, and removes these after the function has
    run. This class does the same: it adds the annotations when content is read, and removes them before the content is
    compared with the text. So the text never gets them. If the file itself has annotations of the same names, they stay
    in the text.

    Attributes:
        path: The file that the item was read from.
        index: The item's index among the documents of that file, from 0.
    """

    __slots__ = ("_annotations", "_before", "_metadata", "_was_empty", "index", "path")

    def __init__(self, path: str, index: int) -> None:
        self.path = path
        self.index = index
        self._metadata: Any = _NONE  # the text's metadata: an object, null, or _NONE if the text has none
        self._annotations: Any = _NONE
        self._before: dict[str, Any] = {}
        self._was_empty = True  # whether the text has annotations, and they are empty

    def show(self, content: dict[str, Any]) -> None:
        """Add the annotations to `content`, which was just read; they replace annotations of the same names.

        Nothing is added if metadata or its annotations aren't an object; null counts as a missing object.
        """
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
        """Return `content` as it must be in the text: without the annotations that `show` has added.

        Annotations that these have replaced are back. `content` isn't changed, and the result shares its inner values.
        """
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
            # If the last annotation was removed, the mapping is removed too, as orchestrators do.
            before = self._annotations if own or self._was_empty else _NONE
            metadata = _with(metadata, "annotations", own, before)
        return _with(content, "metadata", metadata, self._metadata)

    def now(self, content: dict[str, Any]) -> tuple[str, int]:
        """Return the file and index in the annotations of `content`; `path` and `index` if these name no file.

        They differ from `path` and `index` after `Resource.move_to`.
        """
        metadata = content.get("metadata")
        found = file_of(metadata.get("annotations")) if isinstance(metadata, dict) else None
        return found or (self.path, self.index)


def _with(holder: dict[str, Any], key: str, value: dict[str, Any], before: Any) -> dict[str, Any]:
    """Return a copy of `holder` with `value` at `key`. If `value` is empty, `before` decides how that is written.

    Args:
        holder: The dict that is copied.
        key: The key.
        value: The key's new value.
        before: The key's value in the text. If it is None, an empty `value` becomes None. If it is `_NONE`, which means
            that the text has no such key, an empty `value` is left out.
    """
    if value or before not in (None, _NONE):
        return {**holder, key: value}
    if before is None:
        return {**holder, key: None}
    return {one: other for one, other in holder.items() if one != key}
