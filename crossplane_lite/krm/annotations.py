"""The annotations by which orchestrators recognise an item ("Internal Annotations" in the functions specification).

Authors can't change them: an orchestrator that finds no id, or two, loses comments, and one that finds another path
writes another file. `Resource.move_to` changes the path and the index on purpose. If an item has them in both
spellings, `move_to` changes both, because an orchestrator refuses an item whose two spellings differ.
"""

from __future__ import annotations

from .._base.type_names import value_in_words
from ..errors import UsageError

TYPE_CHECKING = False  # type checkers take it for typing's, which would take longer to import than this module
if TYPE_CHECKING:
    from typing import Any

__all__ = [
    "INDEXES",
    "PATHS",
    "PREFIX",
    "check",
    "file_of",
    "is_orchestrators",
    "is_reserved",
    "kept_of_new",
    "moved",
    "reserved_of",
    "restore",
]

PREFIX = "internal.config.kubernetes.io/"
"""The specification reserves annotations with this prefix; `config.kubernetes.io/local-config` is the author's own."""

PATHS = (PREFIX + "path", "config.kubernetes.io/path")
"""The annotation that holds an item's file, and its legacy twin."""

INDEXES = (PREFIX + "index", "config.kubernetes.io/index")
"""The annotation that holds an item's place in its file, and its legacy twin."""

# kpt fn render writes an id with the second prefix, for pipelines that select resources.
_INTERNAL = (PREFIX, "internal.config.k8s.io/")
_ORCHESTRATORS = (*_INTERNAL, "config.kubernetes.io/", "config.k8s.io/", "kustomize.config.k8s.io/")

_LEGACY = frozenset({PATHS[1], INDEXES[1], "config.k8s.io/id", "kustomize.config.k8s.io/id"})


def is_reserved(key: object) -> bool:
    """Say whether only orchestrators may change an annotation."""
    return isinstance(key, str) and (key.startswith(_INTERNAL) or key in _LEGACY)


def is_orchestrators(key: str) -> bool:
    """Say whether orchestrators write the annotation `key`: its quotes aren't the style of the file's author."""
    return key.startswith(_ORCHESTRATORS)


def reserved_of(annotations: object) -> dict[str, Any]:
    """Return the reserved annotations among a resource's annotations; an empty dict if these aren't a mapping."""
    if not isinstance(annotations, dict):
        return {}
    return {key: value for key, value in annotations.items() if is_reserved(key)}


def kept_of_new(annotations: dict[str, Any]) -> None:
    """Remove the reserved annotations of a new item, except those that name its file.

    A copy of an item has the ids of the original, and an orchestrator that sees an id twice confuses the two items.
    """
    for key in [key for key in annotations if is_reserved(key) and key not in PATHS and key not in INDEXES]:
        del annotations[key]


def check(key: str, value: Any, reserved: dict[str, Any], what: str) -> None:
    """Refuse to change a reserved annotation.

    Args:
        key: The annotation.
        value: The annotation's new value; None to remove it.
        reserved: The reserved annotations that the resource had at first.
        what: The resource's name in the message.

    Raises:
        UsageError: The annotation would change.
    """
    if not is_reserved(key) or (key in reserved and reserved[key] == value):
        return
    done = "removed" if value is None else "changed" if key in reserved else "set"
    hint = "use resource.move_to(path, index)" if key in PATHS or key in INDEXES else "leave it as it is"
    raise UsageError(
        f"{what}: the annotation {key} can't be {done}, because the program that runs this function recognises the "
        f"item by it; {hint}"
    )


def restore(content: dict[str, Any], reserved: dict[str, Any], what: str) -> None:
    """Put reserved annotations back after the whole mapping with them was replaced.

    Args:
        content: The resource's content, which is changed.
        reserved: The reserved annotations that the resource had at first.
        what: The resource's name in messages.

    Raises:
        UsageError: A reserved annotation is new or changed, or metadata or its annotations aren't an object.
    """
    metadata = content.get("metadata")
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    for key, value in reserved_of(annotations).items():
        check(key, value, reserved, what)
    if isinstance(annotations, dict) and all(key in annotations for key in reserved):
        return
    if not reserved:
        return
    if metadata is None:
        metadata = content["metadata"] = {}
    elif not isinstance(metadata, dict):
        raise UsageError(f"{what}: metadata must be an object (got {metadata!r:.60})")
    if annotations is None:
        annotations = metadata["annotations"] = {}
    elif not isinstance(annotations, dict):
        raise UsageError(f"{what}: metadata.annotations must be an object (got {annotations!r:.60})")
    for key, value in reserved.items():
        annotations.setdefault(key, value)


def moved(annotations: dict[str, Any], path: str, index: int) -> dict[str, str]:
    """Return the annotations that put an item into a file, under the keys that the item already has.

    These are `internal.config.kubernetes.io/...`, the older `config.kubernetes.io/...`, or both. An item that has
    neither gets the first. Index 0 is left out unless the item has an index already.

    Args:
        annotations: The item's annotations.
        path: The file, relative to the package, with slashes.
        index: The item's place among the documents of the file, from 0.

    Raises:
        UsageError: The path or the index isn't valid.
    """
    if not isinstance(path, str) or not path or path.startswith("/") or "\\" in path or ".." in path.split("/"):
        raise UsageError(f"'path' must be a file's path within the package, such as app/service.yaml (got {path!r})")
    if isinstance(index, bool) or not isinstance(index, int) or index < 0:
        raise UsageError(f"'index' must be an integer of 0 or more (got {value_in_words(index)})")
    made: dict[str, str] = {}
    has = [any(twins[at] in annotations for twins in (PATHS, INDEXES)) for at in (0, 1)]
    for at in (0, 1):
        if has[at] or (at == 0 and not has[1]):
            made[PATHS[at]] = path
            if index or INDEXES[at] in annotations:  # 0 is the default
                made[INDEXES[at]] = str(index)
    return made


def file_of(annotations: object) -> tuple[str, int] | None:
    """Return an item's file and its index there; None if no annotation names a file. Without a valid index it is 0."""
    found = reserved_of(annotations)
    path = next((found[key] for key in PATHS if isinstance(found.get(key), str) and found[key]), None)
    if path is None:
        return None
    index = next((str(found[key]) for key in INDEXES if key in found), "0")
    return path, int(index) if index.isascii() and index.isdecimal() and len(index) < 10 else 0
