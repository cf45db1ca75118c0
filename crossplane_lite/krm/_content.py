"""A resource's content: plain data, which is changed at once, and YAML text, which is changed when it is written.

Words of this module: a node (`_text.YamlNode`) is a value in the text. A typed view is an instance of a model that
reads and changes the resource (`Items.of`). A reserved annotation may only be changed by the orchestrator, which is the
program that runs the function, such as kustomize.
"""

from __future__ import annotations

from .._paths import field_path
from ..errors import UsageError
from . import _tree
from ._data import check_types
from ._live import Fields
from ._text._values import same
from .annotations import check, file_of, is_reserved, kept, kept_of_new, reserved_of

TYPE_CHECKING = False  # type checkers take it for typing's, which would take longer to import than this module
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Protocol, TypeVar

    from typing_extensions import Self

    from .._models.resource import Resource as Model
    from ._placed import Placed
    from ._text import YamlNode
    from .comments import Notes

    M = TypeVar("M", bound=Model)

    class Owner(Protocol):
        """The method of `items.Items` that the content of a resource calls."""

        def _rename(self, item: Any, changed: Mapping[tuple[str, ...], Any], /) -> None: ...

    class Views(Protocol):
        """The methods of `views.Views` that the content of a resource calls."""

        def __contains__(self, model: object, /) -> bool: ...

        def view(self, model: type[M], /) -> M: ...

        def take_over(self) -> None: ...


__all__ = ["Content", "start"]

_NONE: Any = object()

# A change of one of these fields changes the item's group, kind, namespace or name.
_IDENTITY = {("apiVersion",), ("kind",), ("metadata",), ("metadata", "name"), ("metadata", "namespace")}


class Content(Fields):
    """Base class of `Resource`: a resource's content, and the node of the text that it is read from and written to."""

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
    _owner: Owner | None  # the items that the resource is, or was, one of
    _reserved: dict[str, Any] | None
    _typed: Views | None
    _notes: Notes | None  # the comments that were set; None until the first one
    _placed: Placed | None  # its file, if its text is a document of a file
    _frozen: str
    # The value of `_edits` when the identity was read, and that identity, which no other item may share.
    _identity: tuple[int, tuple[Any, ...]] | None
    _edits: int  # how many changes the content has had
    _written: int  # how many of these changes the text has

    @classmethod
    def _of_node(cls, node: YamlNode, label: str, frozen: str = "", placed: Placed | None = None) -> Self:
        """Return a resource that reads its content from a node, and writes its changes there.

        Args:
            node: The node, a mapping.
            label: The resource's name in messages if its content has no name, such as `items[3]`.
            frozen: The message of the UsageError for every change; empty if the resource can be changed.
            placed: The resource's file and index in it, if the text is a document of that file. None for an element of
                a list, whose own annotations name the file.
        """
        made = cls.__new__(cls)
        start(made, node, label, None)
        object.__setattr__(made, "_frozen", frozen)
        object.__setattr__(made, "_placed", placed)
        return made

    # The content

    def _sync(self) -> None:
        """Apply the changes that were made through typed views to the content.

        Raises:
            UsageError: The resource can't be changed, or can't hold a value.
        """
        if self._typed is not None:
            self._typed.take_over()

    def _content(self) -> dict[str, Any]:
        """Return the content itself as plain data. The first call reads it from the text.

        Changes through typed views may still be missing in it. `_now` is the same with these changes.
        """
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
        """Return the plain value at a path of keys and indexes; None if it is missing.

        If nothing else was read from the text before, only this value is read.
        """
        if self._is_text_at(steps):
            return self._node.get(steps)  # type: ignore[union-attr]  # there is one
        return field_path.lookup(self._now(), steps)

    def _is_text_at(self, steps: Sequence[Any]) -> bool:
        """Return whether the value at a path can be read from the text alone, without reading the content.

        It can if the content wasn't read yet and there is no typed view. The metadata of a document of a file never
        can, because only the content has the annotations that name the file.
        """
        if self._data is not None or self._node is None or self._typed is not None:
            return False
        return self._placed is None or (len(steps) > 0 and steps[0] != "metadata")

    def _check_open(self) -> None:
        if self._frozen:
            raise UsageError(self._frozen)

    def _touch(self) -> None:
        object.__setattr__(self, "_edits", self._edits + 1)

    def _assign(self, holder: Any, key: str | int, value: Any) -> None:
        """Put a plain value into a dict or list of the content. After an error the content is as it was.

        Args:
            holder: The dict or list itself, not a copy.
            key: The key or index. An index equal to the list's length adds an element.
            value: The value, which may be changed: new metadata and annotations get the reserved annotations.

        Raises:
            UsageError: The resource can't be changed, the value must be a string or an object there, or a reserved
                annotation would change.
            DuplicateResourceError: Another item has the group, kind, namespace and name that the value leads to.
        """
        if isinstance(holder, list):
            self._check_open()
            holder[int(key) : int(key) + 1] = [value]  # the index past the end appends
            self._touch()
        else:
            self._put_checked(holder, key, *self._checked(holder, key, value))

    def _put_checked(self, holder: dict[str, Any], key: Any, steps: tuple[Any, ...], value: Any) -> None:
        """Put a value into a dict of the content. `steps` and `value` are the result of `_checked`.

        Raises:
            DuplicateResourceError: Another item has the group, kind, namespace and name that the value leads to.
        """
        self._check_identity(steps, value)
        holder[key] = value
        self._touch()

    def _checked(self, holder: dict[str, Any], key: Any, value: Any) -> tuple[tuple[Any, ...], Any]:
        """Check that the field `key` of `holder` may be set to a plain value; the identity isn't checked.

        Args:
            holder: The dict of the content itself, not a copy.
            key: The key.
            value: The value, which may be changed.

        Returns:
            The field's path, as `_steps_in_metadata` has it, and the value to set.

        Raises:
            UsageError: As in `_assign`.
        """
        content = self._content()
        self._check_open()
        if self._is_guarded(holder, key):
            check(str(key), value, self._came_with(), self._where)
        steps = self._steps_in_metadata(content, holder, key)
        if steps:
            check_types(steps, value, lambda: self._where)
            value = self._kept(steps, value)
        return steps, value

    def _remove(self, holder: Any, key: str | int) -> None:
        """Remove a key from a dict, or an element from a list, of the content.

        If that removes reserved annotations together with the mapping around them, they are put back.

        Args:
            holder: The dict or list itself, not a copy.
            key: The key or index, which must exist.

        Raises:
            UsageError: The resource can't be changed, or the key is a reserved annotation.
            DuplicateResourceError: Another item has the group, kind, namespace and name that remain.
        """
        content = self._content()
        self._check_open()
        if self._is_guarded(holder, key):
            check(str(key), None, self._came_with(), self._where)
        left = None
        if isinstance(holder, dict):
            steps = self._steps_in_metadata(content, holder, key)
            left = self._kept(steps, {} if steps == ("metadata",) else None)
            self._check_identity(steps, None)
        del holder[key]
        if left:
            holder[key] = left
        self._touch()

    def _steps_in_metadata(self, content: dict[str, Any], holder: Any, key: Any) -> tuple[Any, ...]:
        """Return the path of the field `key` of `holder`, such as `("metadata", "name")`.

        It is only found for fields at the top, in metadata, and in the metadata's labels and annotations. For a field
        of any other dict in the content the path is empty.
        """
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
        """Check that setting the field at the path `steps` to `value` doesn't give the item the name of another item.

        The list of items also records the new name. A resource that isn't an item isn't checked.

        Raises:
            DuplicateResourceError: Another item has the new group, kind, namespace and name.
        """
        if self._owner is None or steps not in _IDENTITY:
            return
        changed = {steps: value}
        if steps == ("metadata",):
            value = value if isinstance(value, dict) else {}
            changed = {("metadata", key): value.get(key) for key in ("name", "namespace")}
        self._owner._rename(self, changed)

    # Reserved annotations

    def _came_with(self) -> dict[str, Any]:
        """Return the reserved annotations that the resource must keep.

        These are the ones that it had at first, with the changes that `move_to` has made.
        """
        if self._reserved is None:
            if self._node is not None and self._placed is None:
                found = self._node.get(("metadata", "annotations"))
            else:
                found = field_path.lookup(self._data, ("metadata", "annotations"))
            object.__setattr__(self, "_reserved", reserved_of(found))
        assert self._reserved is not None
        return self._reserved

    def _is_guarded(self, holder: Any, key: Any) -> bool:
        """Return whether the field `key` of `holder`, a dict or list in the content, is a reserved annotation."""
        if not is_reserved(key):
            return False
        metadata = self._content().get("metadata")
        return isinstance(metadata, dict) and holder is metadata.get("annotations")

    def _kept(self, steps: tuple[Any, ...], value: Any) -> Any:
        """Return a new value of the field at the path `steps`, with the reserved annotations that it must keep.

        A new resource that isn't an item keeps none: no orchestrator knows it yet.

        Args:
            steps: The path. Only metadata and its annotations are changed.
            value: The value, plain data, which is changed; None if annotations are removed.

        Raises:
            UsageError: The value has other reserved annotations, or can't hold annotations.
        """
        if self._owner is None and self._node is None:
            return value
        if steps == ("metadata", "annotations"):
            return kept(value, self._came_with(), self._where)
        if steps == ("metadata",):
            annotations = kept(value.get("annotations"), self._came_with(), self._where)
            if annotations is not None:
                value["annotations"] = annotations
        return value

    # Names in messages

    @property
    def _label(self) -> str:
        """The resource's name in messages if its content has no name, such as `items[3]` or `the resource`."""
        return str(self._step) or "the resource"

    @property
    def _what(self) -> str:
        """The resource's name in messages, such as `Deployment prod/web`; if it has no name, `Deployment items[3]`."""
        kind, name, namespace = self._peek("kind"), self._peek("metadata", "name"), self._peek("metadata", "namespace")
        if not isinstance(kind, str) or not isinstance(name, str):
            return f"{kind} {self._label}" if self._step and isinstance(kind, str) and kind else self._label
        return f"{kind} {namespace}/{name}" if namespace and isinstance(namespace, str) else f"{kind} {name}"

    @property
    def _where(self) -> str:
        """The resource's name in errors, and its file if that is known, as in `Deployment prod/web (app/web.yaml)`."""
        found, what = self._place, self._what
        return what if found is None or found[0] in what else f"{what} ({found[0]})"

    def _become_item(self, owner: Owner) -> None:
        """Make the resource one of the items of `owner`.

        Its reserved annotations are removed, except those that name its file. The resource may be a copy of another
        item, and must not have that item's id.
        """
        found = field_path.lookup(self._now(), ("metadata", "annotations"))
        if isinstance(found, dict):
            kept_of_new(found)
            self._touch()
        object.__setattr__(self, "_reserved", reserved_of(found))
        object.__setattr__(self, "_owner", owner)

    @property
    def _is_changed(self) -> bool:
        """Whether the content, or a comment that was set, differs from the text. Raises UsageError as `_sync` does."""
        self._sync()
        if self._edits == self._written:
            return False
        if self._node is None or (self._notes is not None and self._notes.now()):
            return True
        return not same(self._node.value(), self._own_content())

    def _own_content(self) -> dict[str, Any]:
        """Return the content as it must be in the text: without the annotations that `Placed` has added."""
        content = self._content()
        return content if self._placed is None else self._placed.hidden(content)

    @property
    def _place(self) -> tuple[str, int] | None:
        """The resource's file and its index among the documents there; None if the file isn't known."""
        if self._placed is None:
            return file_of(self._peek("metadata", "annotations"))
        return self._placed.now(self._now())

    def _write(self) -> None:
        """Write the changes of the content, and the comments that were set, into the nodes. `Text.dump` prints these.

        Raises UsageError as `_sync` does.
        """
        self._sync()
        if self._edits == self._written or self._data is None or self._node is None:
            return
        content = self._own_content()
        _tree.write_back(self._node, content, self._lists)
        self._node.doc.contents[self._node] = content
        self._bind(self._node)
        self._put_notes()

    def _put_notes(self) -> None:
        """Give the comments that were set to the resource's `Text`, which writes them after all other edits."""
        if self._notes is not None and self._node is not None:
            self._node.doc.notes[self._node] = self._notes.now()

    def _bind(self, node: YamlNode | None) -> None:
        """Record that the content and the text are equal now.

        Args:
            node: The node that has the content. None if the list of items was replaced as one value: then the resource
                has no node of its own.
        """
        put = object.__setattr__
        put(self, "_node", node)
        put(self, "_lists", {} if self._data is None else _tree.lists_in(self._data))
        put(self, "_written", self._edits)


def start(resource: Any, node: YamlNode | None, label: str, data: Any) -> None:
    """Set all private attributes of a new resource.

    Args:
        resource: The resource.
        node: The node that the content is read from; None if `data` is the content.
        label: The resource's name in messages if its content has no name.
        data: The content, plain data; None if it is read from `node`.
    """
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
