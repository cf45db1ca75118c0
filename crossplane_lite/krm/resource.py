"""A resource: a mapping and an object with attributes, over an item's text or over content that is new."""

from __future__ import annotations

from .._paths import field_path
from .._paths.text import show
from ..errors import InputError, UsageError
from . import _tree
from ._data import check_types, plain_data
from ._live import Elements, Fields, Missing, wrapped
from ._text._values import same
from .annotations import INDEXES, PATHS, check, file_of, is_reserved, kept_of_new, moved, reserved_of, restore

TYPE_CHECKING = False  # type checkers take it for typing's, which would take longer to import than this module
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from ._placed import Placed
    from ._text import YamlNode
    from .comments import Comments, Notes
    from .items import Items
    from .views import Views

__all__ = ["Resource"]

_NONE: Any = object()

# The fields whose change makes another identity.
_IDENTITY = {("apiVersion",), ("kind",), ("metadata",), ("metadata", "name"), ("metadata", "namespace")}


class Resource(Fields):
    """A Kubernetes object.

    It is a mapping of its fields, each of which is an attribute as well (`resource.spec.replicas`), as `Fields` says.
    On top of that it has the shortcuts below, and `get`, `set` and `delete` take field paths. A field that is called
    like a shortcut is read as an item. Values are as Kubernetes reads them, and unchanged values keep their text.

    Args:
        content: The object; nothing for an empty one. It is copied.

    Raises:
        UsageError: The content isn't an object of JSON values.
    """

    __slots__ = (
        "_edits",
        "_frozen",
        "_identity",
        "_lists",
        "_node",
        "_notes",
        "_owner",
        "_placed",
        "_reserved",
        "_typed",
        "_written",
    )

    _node: YamlNode | None
    _lists: Any
    _owner: Items | None  # the items that it is one of, or was
    _reserved: dict[str, Any] | None
    _typed: Views | None
    _notes: Notes | None  # the comments that were set
    _placed: Placed | None  # where it is from, where its text is a document of a file
    _frozen: str
    _identity: tuple[int, tuple[Any, ...]] | None  # the identity that no other item may share, as of so many edits
    _edits: int  # how often the content was changed
    _written: int  # how often it had been when it was written

    def __init__(self, content: Mapping[str, Any] | None = None) -> None:
        _start(self, None, "", {})
        if content:
            made = plain_data(content)
            if not isinstance(made, dict):
                raise UsageError(f"a resource must be a mapping (got {content!r:.60})")
            object.__setattr__(self, "_data", made)
            self._touch()

    @classmethod
    def _of_node(cls, node: YamlNode, label: str, frozen: str = "", placed: Placed | None = None) -> Resource:
        """Return the resource over a node of the text.

        Args:
            node: The node, a mapping.
            label: Its name in messages if the resource is unnamed, such as `items[3]`.
            frozen: Why it can't be changed; empty if it can.
            placed: Where the node is from, where no annotation of the text says so.
        """
        made = cls.__new__(cls)
        _start(made, node, label, None)
        object.__setattr__(made, "_frozen", frozen)
        object.__setattr__(made, "_placed", placed)
        return made

    # The content

    def _sync(self) -> None:
        """Take over fields that were set in typed views."""
        if self._typed is not None:
            self._typed.take_over()

    def _content(self) -> dict[str, Any]:
        """Return the content, without news of typed views; read from the text when it is first asked for."""
        if self._data is None:
            assert self._node is not None
            content = self._node.value()
            if self._placed is not None:
                self._placed.show(content)
            object.__setattr__(self, "_data", content)
            object.__setattr__(self, "_lists", _tree.lists_in(content))
        data: dict[str, Any] = self._data
        return data

    def _now(self) -> dict[str, Any]:
        self._sync()
        return self._content()

    def _peek(self, *steps: str | int) -> Any:
        """Return the plain value at a path, None if it is missing; without reading the rest from the text."""
        if self._is_text_at(steps):
            return self._node.get(steps)  # type: ignore[union-attr]  # there is one
        return field_path.lookup(self._now(), steps)

    def _is_text_at(self, steps: Sequence[Any]) -> bool:
        """Say whether the content at a path is the same as in the text."""
        if self._data is not None or self._node is None or self._typed is not None:
            return False
        return self._placed is None or (len(steps) > 0 and steps[0] != "metadata")

    def _check_open(self) -> None:
        if self._frozen:
            raise UsageError(self._frozen)

    def _touch(self) -> None:
        object.__setattr__(self, "_edits", self._edits + 1)

    def _assign(self, holder: Any, key: str | int, value: Any) -> None:
        """Put a plain value into a dict or list of the content."""
        content = self._content()
        self._check_open()
        if isinstance(holder, list):
            holder[int(key) : int(key) + 1] = [value]  # the index past the end appends
        else:
            if self._is_guarded(holder, key):
                check(str(key), value, self._came_with(), self._where)
            before = holder.get(key, _NONE)
            steps = self._steps_in_metadata(content, holder, key)
            if steps:
                check_types(steps, value, lambda: self._where)
                self._check_identity(steps, value)
            holder[key] = value
            self._restore(content, holder, key, before)
        self._touch()

    def _remove(self, holder: Any, key: str | int) -> None:
        """Take something out of a dict or list of the content."""
        content = self._content()
        self._check_open()
        if self._is_guarded(holder, key):
            check(str(key), None, self._came_with(), self._where)
        if isinstance(holder, dict):
            self._check_identity(self._steps_in_metadata(content, holder, key), None)
        del holder[key]
        if isinstance(holder, dict):
            self._restore(content, holder, key, _NONE)
        self._touch()

    def _steps_in_metadata(self, content: dict[str, Any], holder: Any, key: Any) -> tuple[Any, ...]:
        """Return the path of a field where that is at the top, in the metadata, or one of its maps; else nothing."""
        if holder is content:
            return (key,)
        metadata = content.get("metadata")
        if holder is metadata:
            return ("metadata", key)
        if isinstance(metadata, dict):
            for one in ("labels", "annotations"):
                if holder is metadata.get(one):
                    return ("metadata", one, key)
        return ()

    def _check_identity(self, steps: tuple[Any, ...], value: Any) -> None:
        """Refuse a change that gives the item the identity of another one.

        Raises:
            DuplicateResourceError: There is an item of that group, kind, namespace and name.
        """
        if self._owner is None or steps not in _IDENTITY:
            return
        changed = {steps: value}
        if steps == ("metadata",):
            value = value if isinstance(value, dict) else {}
            changed = {("metadata", key): value.get(key) for key in ("name", "namespace")}
        self._owner._rename(self, changed)

    # Annotations that aren't the author's

    def _came_with(self) -> dict[str, Any]:
        """Return the reserved annotations that the resource came with."""
        if self._reserved is None:
            if self._node is not None and self._placed is None:
                found = self._node.get(("metadata", "annotations"))
            else:
                found = field_path.lookup(self._data, ("metadata", "annotations"))
            object.__setattr__(self, "_reserved", reserved_of(found))
        assert self._reserved is not None
        return self._reserved

    def _is_guarded(self, holder: Any, key: Any) -> bool:
        """Say whether something in the content is a reserved annotation."""
        if not is_reserved(key):
            return False
        metadata = self._content().get("metadata")
        return isinstance(metadata, dict) and holder is metadata.get("annotations")

    def _restore(self, content: dict[str, Any], holder: Any, key: Any, before: Any) -> None:
        """Put reserved annotations back after the mapping they were in was replaced or removed."""
        in_metadata = key == "annotations" and holder is content.get("metadata")
        if not in_metadata and not (key == "metadata" and holder is content):
            return
        try:
            restore(content, self._came_with(), self._where)
        except UsageError:
            if before is not _NONE:
                holder[key] = before
            else:
                holder.pop(key, None)
            raise

    def move_to(self, path: str, index: int = 0) -> None:
        """Put the resource into another file, or to another place in it.

        This changes the annotations by which the orchestrator knows where to write it, the legacy ones with them.

        Args:
            path: The file, relative to the package, with slashes: `app/service.yaml`.
            index: The place among the documents of the file, from 0.

        Raises:
            UsageError: It isn't a valid path or index.
        """
        self._check_open()
        found = self._now().get("metadata")
        found = found.get("annotations") if isinstance(found, dict) else None
        made = moved(found if isinstance(found, dict) else {}, path, index)
        if self._placed is not None:  # other parts of the text are somebody's own
            made = {PATHS[0]: path, INDEXES[0]: str(index)}
        self._came_with().update(made)
        for key, value in made.items():
            self.set(("metadata", "annotations", key), value)

    # Field paths

    def get(self, path: str, default: Any = None) -> Any:
        """Return the value at a field path, such as `spec.template.spec.containers[name=web].image`.

        Args:
            path: Keys with dots between them; in brackets an index (`[3]`, and `[-1]` for the last element), a
                selection of an element by its fields (`[containerPort=80,protocol=TCP]`), or a key that may hold dots
                (`["a.b/c"]`, `[a.b/c]`). Digits between dots are an index in a list and a key in a mapping.
            default: The value that is returned if nothing is there.

        Returns:
            The value, an object or list as a live view.

        Raises:
            UsageError: It isn't a field path, or a selection means several elements.
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
        """Set the value at a field path. Missing steps on the way are made; a null there counts as missing.

        The next index of a list appends; a selection that means no element (`containers[name=web]`) adds one with
        these fields. `[-1]` replaces the last element, and adds none.

        Raises:
            UsageError: It isn't a field path, or it leads through a text or number or past a list's end, or the
                value can't stand in a manifest.
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

        Returns:
            Whether there was anything.

        Raises:
            UsageError: It isn't a field path, or a selection means several elements.
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
        """Return the key or index that a step leads to; see `field_path.find`."""
        try:
            return field_path.find(holder, step)
        except UsageError as error:  # of which resource it is true
            raise UsageError(f"{self._where}: {error}") from None

    # Comments

    def comments(self, path: str | tuple[str | int, ...] = "") -> Comments:
        """Return the comments of the value at a field path, to read and to set; see `krm.Comments`.

        Args:
            path: The path, as for `get`; none for the resource as a whole.

        Raises:
            UsageError: It isn't a field path, or nothing is there.
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
        """Yield the comments of the resource as a whole and of each value in it, in the order of the text.

        Values without any are among them, so that they can be given some.
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
            raise InputError(f"{self._where}: {'.'.join(steps)} must be a string (got {_tree.kind_of(value)})")
        return value

    @property
    def api_version(self) -> str:
        """The apiVersion, empty if it is missing."""
        return self._text_at("apiVersion")

    @api_version.setter
    def api_version(self, value: str) -> None:
        self["apiVersion"] = value

    @property
    def group(self) -> str:
        """The API group, without the version; the core group is the empty text."""
        from .._base.api_version import group_of  # few ask

        return group_of(self.api_version)

    @property
    def kind(self) -> str:
        """The kind, empty if it is missing."""
        return self._text_at("kind")

    @kind.setter
    def kind(self, value: str) -> None:
        self["kind"] = value

    @property
    def name(self) -> str:
        """The name in the metadata, empty if it is missing."""
        return self._text_at("metadata", "name")

    @name.setter
    def name(self, value: str) -> None:
        self.set(("metadata", "name"), value)

    @property
    def namespace(self) -> str:
        """The namespace in the metadata, empty if it is missing."""
        return self._text_at("metadata", "namespace")

    @namespace.setter
    def namespace(self, value: str) -> None:
        self.set(("metadata", "namespace"), value)

    @property
    def labels(self) -> Fields:
        """The labels; they are made in the metadata when the first is set."""
        return self._map("labels")

    @labels.setter
    def labels(self, value: Mapping[str, str]) -> None:
        self._metadata().labels = value

    @property
    def annotations(self) -> Fields:
        """The annotations; they are made in the metadata when the first is set. Those of orchestrators stay."""
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
            raise InputError(f"{self._where}: {path} must be an object (got {_tree.kind_of(value)})")
        made: Fields = wrapped(view, key, value)
        return made

    # As a whole

    @property
    def _label(self) -> str:
        """The name that messages give to a resource whose content is wrong."""
        return str(self._step) or "the resource"

    @property
    def _what(self) -> str:
        """The resource's name in messages, such as `Deployment prod/web`."""
        kind, name, namespace = self._peek("kind"), self._peek("metadata", "name"), self._peek("metadata", "namespace")
        if not isinstance(kind, str) or not isinstance(name, str):
            return f"{kind} {self._label}" if self._step and isinstance(kind, str) and kind else self._label
        return f"{kind} {namespace}/{name}" if namespace and isinstance(namespace, str) else f"{kind} {name}"

    @property
    def _where(self) -> str:
        """The resource's name in errors, with the file that it is from: `Deployment prod/web (app/web.yaml)`."""
        found, what = self._place, self._what
        return what if found is None or found[0] in what else f"{what} ({found[0]})"

    def __repr__(self) -> str:
        api_version = self._peek("apiVersion")
        return f"<Resource {api_version} {self._what}>" if isinstance(api_version, str) else f"<Resource {self._what}>"

    def __copy__(self) -> Resource:
        return Resource(self.to_dict())

    def __deepcopy__(self, memo: object) -> Resource:
        return Resource(self.to_dict())

    def _become_item(self, owner: Items) -> None:
        """Prepare for being added: annotations that identify another item go."""
        found = field_path.lookup(self._now(), ("metadata", "annotations"))
        if isinstance(found, dict):
            kept_of_new(found)
            self._touch()
        object.__setattr__(self, "_reserved", reserved_of(found))
        object.__setattr__(self, "_owner", owner)

    @property
    def _is_changed(self) -> bool:
        """Whether the content is another than in the text."""
        self._sync()
        if self._edits == self._written:
            return False
        if self._node is None or (self._notes is not None and self._notes.now()):
            return True
        return not same(self._node.value(), self._own_content())

    def _own_content(self) -> dict[str, Any]:
        """Return the content as it goes into the text, without the place that it shows."""
        content = self._content()
        return content if self._placed is None else self._placed.hidden(content)

    @property
    def _place(self) -> tuple[str, int] | None:
        """The file that it is for and its index there, None where nothing says so."""
        if self._placed is None:
            return file_of(self._peek("metadata", "annotations"))
        return self._placed.now(self._now())

    def _write(self) -> None:
        """Bring changes into the text."""
        self._sync()
        if self._edits == self._written or self._data is None or self._node is None:
            return
        content = self._own_content()
        _tree.write_back(self._node, content, self._lists)
        self._node.doc.contents[self._node] = content
        self._bind(self._node)
        self._put_notes()

    def _put_notes(self) -> None:
        """Bring the comments that were set to the text, which has them when it is written."""
        if self._notes is not None and self._node is not None:
            self._node.doc.notes[self._node] = self._notes.now()

    def _bind(self, node: YamlNode | None) -> None:
        """Take a node as the one whose text the content is now; None where the text of all items is new."""
        put = object.__setattr__
        put(self, "_node", node)
        put(self, "_lists", {} if self._data is None else _tree.lists_in(self._data))
        put(self, "_written", self._edits)


def _start(resource: Resource, node: YamlNode | None, label: str, data: Any) -> None:
    Fields.__init__(resource, resource, data, None, label)
    put = object.__setattr__
    put(resource, "_node", node)
    put(resource, "_lists", {})
    put(resource, "_owner", None)
    put(resource, "_reserved", None)
    put(resource, "_typed", None)
    put(resource, "_notes", None)
    put(resource, "_placed", None)
    put(resource, "_identity", None)
    put(resource, "_frozen", "")
    put(resource, "_edits", 0)
    put(resource, "_written", 0)


def _steps(path: Any) -> tuple[field_path.Step, ...]:
    return path if type(path) is tuple else field_path.parse(path, whole_labels=True)
