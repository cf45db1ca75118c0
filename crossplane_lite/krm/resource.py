"""`Resource`: a Kubernetes object as a mapping with attributes, either an item with YAML text or a new object."""

from __future__ import annotations

from .._base.type_names import json_type_in_words
from .._paths import field_path
from .._paths.text import show
from ..errors import InputError, UsageError
from ._content import Content, start
from ._data import plain_data
from ._live import Elements, Fields, Missing, wrapped
from .annotations import INDEXES, PATHS, moved

TYPE_CHECKING = False  # type checkers take it for typing's, which would take longer to import than this module
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from .comments import Comments

__all__ = ["Resource"]

_NONE: Any = object()


class Resource(Content):
    """A Kubernetes object.

    It is a mapping of its fields, and each field is an attribute, too (`resource.spec.replicas`). `get`, `set` and
    `delete` take field paths. The properties below, such as `name` and `labels`, are shortcuts. If a field at the top
    has the name of a shortcut, it can only be read as an item (`resource["labels"]`). Values are those that Kubernetes
    reads from the YAML. A value that isn't changed keeps its text.

    Reading a shortcut raises InputError if the value is of another type. Setting a shortcut raises the errors of `set`.

    Args:
        content: The object's fields, which are copied; None for an empty object.

    Raises:
        UsageError: The content isn't a mapping of JSON values.
    """

    __slots__ = ()

    def __init__(self, content: Mapping[str, Any] | None = None) -> None:
        start(self, None, "", {})
        if content:
            made = plain_data(content)
            if not isinstance(made, dict):
                raise UsageError(f"a resource must be a mapping (got {content!r:.60})")
            object.__setattr__(self, "_data", made)
            self._touch()

    # Field paths

    def get(self, path: str, default: Any = None) -> Any:
        """Return the value at a field path, such as `spec.template.spec.containers[name=web].image`.

        Args:
            path: Keys with dots between them. Brackets hold an index (`[3]`; `[-1]` is the last element), the fields of
                the element that is meant (`[containerPort=80,protocol=TCP]`), or a key that may have dots (`["a.b/c"]`,
                `[a.b/c]`). Digits between dots are an index in a list, and a key in a mapping.
            default: The value that is returned if the path doesn't exist.

        Returns:
            The value. An object or a list is a live view. A field that is null gives None, not `default`.

        Raises:
            UsageError: The path isn't a field path, or fields in brackets match several elements.
        """
        steps: Any = _steps(path)
        if self._is_text_at(steps) and all(map(field_path.is_direct, steps)):
            found = self._node.get(steps, _NONE)  # type: ignore[union-attr]  # without reading the rest of the item
            if not isinstance(found, (dict, list)):
                return default if found is _NONE else found
        view: Any = self
        for step in steps:
            key = self._find(view._now(), step) if isinstance(view, (Fields, Elements)) else None
            if key is None:
                return default
            view = view[key]
        return view

    def set(self, path: str | tuple[str | int, ...], value: Any) -> None:
        """Set the value at a field path. Objects and lists on the way that are missing or null are created.

        An index equal to the list's length adds an element. If no element has the fields in brackets, as in
        `containers[name=web].image`, an element with these fields is added. `[-1]` replaces the last element and never
        adds one.

        Args:
            path: The path, as for `get`, or a tuple of keys and indexes.
            value: The value, which is copied.

        Raises:
            UsageError: The path isn't a field path, leads through a string or number, is beyond a list's end, or
                matches several elements. Or the value isn't a JSON value, isn't a string where Kubernetes needs one, or
                is a new element that doesn't have the fields in brackets. Or the resource can't be changed, or must
                keep the old value, such as an orchestrator's annotation.
            DuplicateResourceError: The value gives an item the group, kind, namespace and name of another item.
        """
        steps = _steps(path)
        self._check_open()
        value = plain_data(value, self, steps)
        try:
            holder, key, value = field_path.plan(self._now(), steps, value)
        except UsageError as error:
            raise UsageError(f"{self._where}: {error}") from None
        self._assign(holder, key, value)

    def delete(self, path: str | tuple[str | int, ...]) -> bool:
        """Remove the value at a field path.

        Args:
            path: The path, as for `get`, or a tuple of keys and indexes.

        Returns:
            Whether there was a value.

        Raises:
            UsageError: The path isn't a field path, or matches several elements. Or the resource can't be changed, or
                must keep the value, such as an orchestrator's annotation.
            DuplicateResourceError: Without the value, an item has the group, kind, namespace and name of another item.
        """
        *above, last = _steps(path)
        self._check_open()
        holder: Any = self._now()
        for step in above:
            key = self._find(holder, step)
            if key is None:
                return False
            holder = holder[key]
        key = self._find(holder, last)
        if key is None:
            return False
        self._remove(holder, key)
        return True

    def _find(self, holder: Any, step: field_path.Step) -> str | int | None:
        """Return the key or index in `holder` that is meant by a step of a path; None if `holder` has no such value.

        Args:
            holder: An object, a list, or another plain value, in which nothing is found.
            step: A key, an index, or the fields of an element.

        Raises:
            UsageError: The fields match several elements.
        """
        try:
            return field_path.find(holder, step)
        except UsageError as error:  # the message gets the resource's name
            raise UsageError(f"{self._where}: {error}") from None

    # Comments

    def comments(self, path: str | tuple[str | int, ...] = "") -> Comments:
        """Return the comments of the value at a field path, to read and to set; see `krm.Comments`.

        Args:
            path: The path, as for `get`, or a tuple of keys and indexes; empty for the resource as a whole.

        Raises:
            UsageError: The path isn't a field path, matches several elements, or doesn't exist.
        """
        from .comments import Comments

        steps: list[str | int] = []
        holder: Any = self._now()
        for step in _steps(path) if path else ():
            key = self._find(holder, step)
            if key is None:
                raise UsageError(f"{self._where}: {show(_steps(path))} isn't there, so it has no comments")
            steps.append(key)
            holder = holder[key]
        return Comments(self, tuple(steps))

    def all_comments(self) -> Iterator[Comments]:
        """Yield a `Comments` for the resource as a whole, and then one for each value in it, in the order of the text.

        Values without a comment are included, so that comments can be set on them.
        """
        from .comments import every

        self._sync()
        return every(self)

    # Shortcuts

    def _text_at(self, *steps: str) -> str:
        value = self._peek(*steps)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise InputError(f"{self._where}: {'.'.join(steps)} must be a string (got {json_type_in_words(value)})")
        return value

    @property
    def api_version(self) -> str:
        """The apiVersion; empty if it is missing. InputError if it isn't a string."""
        return self._text_at("apiVersion")

    @api_version.setter
    def api_version(self, value: str) -> None:
        self["apiVersion"] = value

    @property
    def group(self) -> str:
        """The API group, without the version; empty for the core group. InputError if apiVersion isn't a string."""
        from .._base.api_version import group_of  # rarely needed

        return group_of(self.api_version)

    @property
    def kind(self) -> str:
        """The kind; empty if it is missing. InputError if it isn't a string."""
        return self._text_at("kind")

    @kind.setter
    def kind(self, value: str) -> None:
        self["kind"] = value

    @property
    def name(self) -> str:
        """The name in the metadata; empty if it is missing. InputError if it isn't a string."""
        return self._text_at("metadata", "name")

    @name.setter
    def name(self, value: str) -> None:
        self.set(("metadata", "name"), value)

    @property
    def namespace(self) -> str:
        """The namespace in the metadata; empty if it is missing. InputError if it isn't a string."""
        return self._text_at("metadata", "namespace")

    @namespace.setter
    def namespace(self, value: str) -> None:
        self.set(("metadata", "namespace"), value)

    @property
    def labels(self) -> Fields:
        """The labels, as a live view; empty if there are none. Setting the first label adds `labels` to the metadata.

        Raises:
            InputError: The metadata or its labels aren't an object.
        """
        return self._map("labels")

    @labels.setter
    def labels(self, value: Mapping[str, str]) -> None:
        self._metadata().labels = value

    @property
    def annotations(self) -> Fields:
        """The annotations, as a live view; empty if there are none. Setting the first one adds `annotations`.

        Raises:
            InputError: The metadata or its annotations aren't an object.
            UsageError: An annotation that only an orchestrator may change would change.
        """
        return self._map("annotations")

    @annotations.setter
    def annotations(self, value: Mapping[str, str]) -> None:
        self._metadata().annotations = value

    def _metadata(self) -> Fields:
        return self._object(self, "metadata", "metadata")

    def _map(self, key: str) -> Fields:
        return self._object(self._metadata(), key, f"metadata.{key}")

    def _object(self, view: Fields, key: str, path: str) -> Fields:
        value = view._now().get(key)
        if value is None:
            return Missing(self, None, view, key)
        if not isinstance(value, dict):
            raise InputError(f"{self._where}: {path} must be an object (got {json_type_in_words(value)})")
        made: Fields = wrapped(view, key, value)
        return made

    # The file

    def move_to(self, path: str, index: int = 0) -> None:
        """Move the resource to another file, or to another index in its file.

        This changes the annotations that name the file and the index: `internal.config.kubernetes.io/path` and
        `.../index`, or the older `config.kubernetes.io/path` and `.../index`, or both, as the resource has them. A
        resource that has neither gets the first.

        Args:
            path: The file, relative to the package's directory, with slashes, such as `app/service.yaml`.
            index: The resource's index among the documents of the file, from 0.

        Raises:
            UsageError: The path or the index isn't valid, or the resource can't be changed or has malformed metadata.
        """
        self._check_open()
        found = self._now().get("metadata")
        found = found.get("annotations") if isinstance(found, dict) else None
        made = moved(found if isinstance(found, dict) else {}, path, index)
        if self._placed is not None:  # other annotations of these names are the author's own
            made = {PATHS[0]: path, INDEXES[0]: str(index)}
        self._came_with().update(made)
        for key, value in made.items():
            self.set(("metadata", "annotations", key), value)

    # Printing and copying

    def __repr__(self) -> str:
        api_version = self._peek("apiVersion")
        return f"<Resource {api_version} {self._what}>" if isinstance(api_version, str) else f"<Resource {self._what}>"

    def __copy__(self) -> Resource:
        return Resource(self.to_dict())

    def __deepcopy__(self, memo: object) -> Resource:
        return Resource(self.to_dict())


def _steps(path: Any) -> tuple[field_path.Step, ...]:
    return path if type(path) is tuple else field_path.parse(path, whole_labels=True)
