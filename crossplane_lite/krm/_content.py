"""A resource's content: plain data that changes at once, and a text that gets the changes when it is written."""

from __future__ import annotations

from .._paths import field_path
from ..errors import UsageError
from . import _tree
from ._data import check_types
from ._live import Fields
from ._text._values import same
from .annotations import check, file_of, is_reserved, kept_of_new, reserved_of, restore

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
        """The part of `items.Items` that the content of a resource uses."""

        def _rename(self, item: Any, changed: Mapping[tuple[str, ...], Any], /) -> None: ...

    class Views(Protocol):
        """The part of `views.Views` that the content of a resource uses."""

        def __contains__(self, model: object, /) -> bool: ...

        def view(self, model: type[M], /) -> M: ...

        def take_over(self) -> None: ...


__all__ = ["Content", "start"]

_NONE: Any = object()

# A change of one of these fields changes the item's identity.
_IDENTITY = {("apiVersion",), ("kind",), ("metadata",), ("metadata", "name"), ("metadata", "namespace")}


class Content(Fields):
    """The content of a resource, and the node of the text that the content is written to."""

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
        """Return a resource that reads its content from a node of the text, and is written there.

        Args:
            node: The node, a mapping.
            label: The resource's name in messages if its content has no name, such as `items[3]`.
            frozen: Why the resource can't be changed; empty if it can.
            placed: The resource's file, if the text is a document of that file; None for an element of a list.
        """
        made = cls.__new__(cls)
        start(made, node, label, None)
        object.__setattr__(made, "_frozen", frozen)
        object.__setattr__(made, "_placed", placed)
        return made

    # The content

    def _sync(self) -> None:
        """Bring changes made through typed views into the content; UsageError if the resource can't have them."""
        if self._typed is not None:
            self._typed.take_over()

    def _content(self) -> dict[str, Any]:
        """Return the content as plain data, not a copy; the first call reads it from the text.

        Changes made through typed views may still be missing; `_now` brings them in first.
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
        """Return the plain value at a path of keys; None if it is missing. If possible, only this value is read."""
        if self._is_text_at(steps):
            return self._node.get(steps)  # type: ignore[union-attr]  # there is one
        return field_path.lookup(self._now(), steps)

    def _is_text_at(self, steps: Sequence[Any]) -> bool:
        """Say whether the value at a path can be read from the text alone, because the content wasn't read yet.

        The metadata of a file's document can't: only the content has the annotations that name the file.
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
        """Put a plain value into a dict or list of the content.

        Args:
            holder: The dict or list itself, not a copy.
            key: The key or index; the index past a list's end adds an element.
            value: The value.

        Raises:
            UsageError: The resource can't be changed, or must not have this value here.
            DuplicateResourceError: The value gives the item the identity of another item.
        """
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
        """Remove a key from a dict, or an index from a list, of the content.

        Raises:
            UsageError: The resource can't be changed, or must not lose this value.
            DuplicateResourceError: Without the value the item has the identity of another item.
        """
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
        """Return the path of the field `key` of `holder`, a dict in the content.

        The path is empty unless the field is at the top, in metadata, or in the metadata's labels or annotations.
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
        """Refuse to set the field at `steps` to `value` if that gives the item the identity of another item.

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

    # Annotations that aren't the author's

    def _came_with(self) -> dict[str, Any]:
        """Return the reserved annotations that the resource had at first, with the changes that `move_to` has made."""
        if self._reserved is None:
            if self._node is not None and self._placed is None:
                found = self._node.get(("metadata", "annotations"))
            else:
                found = field_path.lookup(self._data, ("metadata", "annotations"))
            object.__setattr__(self, "_reserved", reserved_of(found))
        assert self._reserved is not None
        return self._reserved

    def _is_guarded(self, holder: Any, key: Any) -> bool:
        """Say whether the field `key` of `holder`, a dict in the content, is a reserved annotation."""
        if not is_reserved(key):
            return False
        metadata = self._content().get("metadata")
        return isinstance(metadata, dict) and holder is metadata.get("annotations")

    def _restore(self, content: dict[str, Any], holder: Any, key: Any, before: Any) -> None:
        """Put reserved annotations back after the mapping that held them was replaced or removed.

        The changed field is `key` of `holder`, and its old value is `before`. If the new value has other reserved
        annotations, or can't hold annotations, the field gets the old value again, and UsageError is raised.
        """
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

    # Names in messages

    @property
    def _label(self) -> str:
        """The resource's name in messages if its content has none."""
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
        """The resource's name in errors, with its file: `Deployment prod/web (app/web.yaml)`."""
        found, what = self._place, self._what
        return what if found is None or found[0] in what else f"{what} ({found[0]})"

    def _become_item(self, owner: Owner) -> None:
        """Make the resource one of the items of `owner`; annotations that identify another item are removed."""
        found = field_path.lookup(self._now(), ("metadata", "annotations"))
        if isinstance(found, dict):
            kept_of_new(found)
            self._touch()
        object.__setattr__(self, "_reserved", reserved_of(found))
        object.__setattr__(self, "_owner", owner)

    @property
    def _is_changed(self) -> bool:
        """Whether the content differs from the text."""
        self._sync()
        if self._edits == self._written:
            return False
        if self._node is None or (self._notes is not None and self._notes.now()):
            return True
        return not same(self._node.value(), self._own_content())

    def _own_content(self) -> dict[str, Any]:
        """Return the content for the text: without the annotations that only show the item's file."""
        content = self._content()
        return content if self._placed is None else self._placed.hidden(content)

    @property
    def _place(self) -> tuple[str, int] | None:
        """The resource's file and its index there; None if no annotation names a file."""
        if self._placed is None:
            return file_of(self._peek("metadata", "annotations"))
        return self._placed.now(self._now())

    def _write(self) -> None:
        """Bring the changes of the content into the nodes of the text; `Text.dump` then writes them into the text."""
        self._sync()
        if self._edits == self._written or self._data is None or self._node is None:
            return
        content = self._own_content()
        _tree.write_back(self._node, content, self._lists)
        self._node.doc.contents[self._node] = content
        self._bind(self._node)
        self._put_notes()

    def _put_notes(self) -> None:
        """Note the comments that were set in the resource's `Text`, which writes them after all other edits."""
        if self._notes is not None and self._node is not None:
            self._node.doc.notes[self._node] = self._notes.now()

    def _bind(self, node: YamlNode | None) -> None:
        """Note that the text has the present content now.

        Args:
            node: The node that has the content; None if the whole list of items was written anew.
        """
        put = object.__setattr__
        put(self, "_node", node)
        put(self, "_lists", {} if self._data is None else _tree.lists_in(self._data))
        put(self, "_written", self._edits)


def start(resource: Any, node: YamlNode | None, label: str, data: Any) -> None:
    """Set all attributes of a new resource.

    Args:
        resource: The resource.
        node: The node that its content is read from; None if `data` is its content.
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
