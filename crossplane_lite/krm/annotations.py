"""Reserved annotations: by these, an orchestrator (kpt or kustomize) recognises an item after a
function has run.

The functions specification calls them internal annotations. Authors can't change them: without an
id, or with one that two items have, an orchestrator loses comments, and with another path it writes
another file. Only `Resource.move_to` changes the path and the index. If an item has both spellings
of them, it changes both, because an orchestrator refuses an item whose two spellings differ.
"""

from __future__ import annotations

from .._core.base.texts import value_in_words
from ..errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


PREFIX = "internal.config.kubernetes.io/"
"""The prefix of annotations that the specification reserves. `config.kubernetes.io/local-config`
isn't reserved.
"""

PATHS = (PREFIX + "path", "config.kubernetes.io/path")
"""The annotation with the path of an item's file, and the older annotation of the same meaning."""

INDEXES = (PREFIX + "index", "config.kubernetes.io/index")
"""The annotation with an item's index among the documents of its file, and the older one of the
same meaning.
"""

LOCAL = "config.kubernetes.io/local-config"
"""The annotation of resources that no cluster gets. It isn't reserved."""

IDENTIFIER = "internal.kpt.dev/upstream-identifier"
"""The annotation in which kpt keeps the group, kind, namespace and name of a resource upstream. It
isn't reserved.
"""

# kpt fn render writes an id with the second prefix, for pipelines that select resources.
_INTERNAL = (PREFIX, "internal.config.k8s.io/")
_ORCHESTRATORS = (*_INTERNAL, "config.kubernetes.io/", "config.k8s.io/", "kustomize.config.k8s.io/")

_LEGACY = frozenset({PATHS[1], INDEXES[1], "config.k8s.io/id", "kustomize.config.k8s.io/id"})


def is_reserved(key: object) -> bool:
    """Return whether the annotation `key` is reserved: only an orchestrator may change it."""
    return isinstance(key, str) and (key.startswith(_INTERNAL) or key in _LEGACY)


def is_orchestrators(key: str) -> bool:
    """Return whether orchestrators write the annotation `key`.

    The quotes of such an annotation don't show the style of the file's author, so new text doesn't
    copy them.
    """
    return key.startswith(_ORCHESTRATORS)


def reserved_of(annotations: object) -> dict[str, Any]:
    """Return the reserved ones of a resource's annotations; an empty dict if `annotations` isn't a
    dict.
    """
    if not isinstance(annotations, dict):
        return {}
    return {key: value for key, value in annotations.items() if is_reserved(key)}


def without(content: dict[str, Any], is_gone: Callable[[str], object]) -> dict[str, Any]:
    """Return an object without some of its annotations; the object itself if it has none of them.
    It isn't changed.
    """
    metadata = content.get("metadata")
    found = metadata.get("annotations") if isinstance(metadata, dict) else None
    if (
        not isinstance(metadata, dict)
        or not isinstance(found, dict)
        or not any(map(is_gone, found))
    ):
        return content
    left = {key: value for key, value in found.items() if not is_gone(key)}
    others = {key: value for key, value in metadata.items() if key != "annotations" or left}
    return {**content, "metadata": {**others, "annotations": left} if left else others}


def new(annotations: dict[str, Any], *, is_placed: bool) -> bool:
    """Remove the reserved annotations of a new item, and return whether there were any.

    The new item may be a copy. An orchestrator confuses two items that have the same id, and
    refuses two that have the same index in the same file.

    Args:
        annotations: The item's annotations, which are changed.
        is_placed: Whether those that name the item's file and its index there stay.
    """
    gone = [
        key
        for key in annotations
        if is_reserved(key) and not (is_placed and (key in PATHS or key in INDEXES))
    ]
    for key in gone:
        del annotations[key]
    return bool(gone)


def check(key: str, value: Any, reserved: dict[str, Any], what: str) -> None:
    """Check that setting an annotation doesn't change a reserved one.

    Args:
        key: The annotation.
        value: The annotation's new value; None to remove it.
        reserved: The reserved annotations that the resource must keep.
        what: The resource's name in the message.

    Raises:
        UsageError: The annotation is reserved and would be set, changed or removed.
    """
    if not is_reserved(key) or (key in reserved and reserved[key] == value):
        return
    done = "removed" if value is None else "changed" if key in reserved else "set"
    hint = (
        "use resource.move_to(path, index)"
        if key in PATHS or key in INDEXES
        else "leave it as it is"
    )
    raise UsageError(
        f"{what}: the annotation {key} can't be {done}, because the program that runs this function"
        f" recognises the item by it; {hint}"
    )


def kept(annotations: Any, reserved: dict[str, Any], what: str) -> Any:
    """Check a new value of `metadata.annotations`, and add the reserved annotations that it lacks.

    Args:
        annotations: The new value, plain data, which is changed; None if all annotations are
            removed.
        reserved: The reserved annotations that the resource must keep.
        what: The resource's name in messages.

    Returns:
        The value; None if there are no annotations.

    Raises:
        UsageError: A reserved annotation has another value or is new, or the value isn't an object.
    """
    if annotations is None:
        return dict(reserved) or None
    if not isinstance(annotations, dict):
        raise UsageError(
            f"{what}: metadata.annotations must be an object (got {annotations!r:.60})"
        )
    for key, value in reserved_of(annotations).items():
        check(key, value, reserved, what)
    for key, value in reserved.items():
        annotations.setdefault(key, value)
    return annotations


def moved(annotations: dict[str, Any], path: str, index: int) -> dict[str, str]:
    """Return the annotations that say that an item belongs to a file.

    Their keys begin with `internal.config.kubernetes.io/` or the older `config.kubernetes.io/`,
    whichever the item uses already: there may be annotations of both kinds. An item with neither
    gets those of the first kind. Index 0 is left out unless the item has an index already.

    Args:
        annotations: The item's annotations.
        path: The file, relative to the package's directory, with slashes.
        index: The item's index among the documents of the file, from 0.

    Raises:
        UsageError: The path is empty, absolute, or has a backslash or `..`; or the index isn't an
            integer of 0 or more.
    """
    if (
        not isinstance(path, str)
        or not path
        or path.startswith("/")
        or "\\" in path
        or ".." in path.split("/")
    ):
        raise UsageError(
            "'path' must be a file's path within the package, such as app/service.yaml (got"
            f" {path!r})"
        )
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
    """Return the path of an item's file and the item's index in it, from the item's annotations.

    Without a valid index it is 0. If no annotation names a file, or `annotations` isn't a dict,
    return None.
    """
    found = reserved_of(annotations)
    path = next(
        (found[key] for key in PATHS if isinstance(found.get(key), str) and found[key]), None
    )
    if path is None:
        return None
    index = next((str(found[key]) for key in INDEXES if key in found), "0")
    return path, int(index) if index.isascii() and index.isdecimal() and len(index) < 10 else 0


NONE: Any = object()
"""Stands for a value that isn't there, where None is null."""

# An orchestrator, such as kustomize, adds annotations with an item's file and index to it, and
# removes them after the function has run. For an item that was read from a file, `show_file` and
# `hidden` do the same, so that the file never gets them. If the file itself has annotations of the
# same names, they stay in it.
_SHOWN = (INDEXES[0], PATHS[0])


def show_file(content: dict[str, Any], path: str, index: int) -> None:
    """Add annotations with the file and the index to `content`, in place of annotations of the same
    names.

    Nothing is added if metadata or its annotations aren't an object; null counts as a missing
    object.
    """
    holder: Any = content
    for key in ("metadata", "annotations"):
        if holder.get(key) is None:
            holder[key] = {}
        holder = holder[key]
        if not isinstance(holder, dict):
            return
    holder.update(zip(_SHOWN, (str(index), path), strict=True))


def hidden(content: dict[str, Any], before: Any) -> dict[str, Any]:
    """Return `content` as it must be in its file: without the annotations that `show_file` has
    added.

    `content` isn't changed, and the result shares its inner values.

    Args:
        content: The content.
        before: The metadata in the file; `NONE` if the file has none.
    """
    metadata = content.get("metadata")
    if not isinstance(metadata, dict):
        return content
    was = before.get("annotations", NONE) if isinstance(before, dict) else NONE
    if isinstance(metadata.get("annotations"), dict):
        theirs = was if isinstance(was, dict) else {}
        own = {key: one for key, one in metadata["annotations"].items() if key not in _SHOWN}
        own |= {
            key: theirs[key] for key in _SHOWN if key in metadata["annotations"] and key in theirs
        }
        # If the last annotation was removed, the mapping is removed too, as orchestrators do.
        metadata = _with(metadata, "annotations", own, NONE if theirs else was)
    return _with(content, "metadata", metadata, before)


def _with(holder: dict[str, Any], key: str, value: dict[str, Any], before: Any) -> dict[str, Any]:
    """Return a copy of `holder` with `value` at `key`. An empty value is written as the key was
    before, or left out.
    """
    if value or before not in (None, NONE):
        return {**holder, key: value}
    return (
        {**holder, key: None}
        if before is None
        else {one: other for one, other in holder.items() if one != key}
    )
