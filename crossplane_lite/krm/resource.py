"""`Resource`: a Kubernetes object as a mapping with attributes, either an item with YAML text or a
new object.

Words of this module: a node (`_text.YamlNode`) is a value in the text. The content is plain data,
which is read from the node when it is needed and changed at once; the text is changed when it is
written. A typed view is an instance of a model that reads and changes the resource (`Items.of`). A
reserved annotation may only be changed by the orchestrator, which is the program that runs the
function, such as kustomize.
"""

from __future__ import annotations

from collections import namedtuple

from yaml.representer import Representer, SafeRepresenter  # type: ignore[import-untyped]

from .._core.base.texts import json_type_in_words
from .._core.paths import field_path, trees
from .._core.paths.text import show
from ..errors import InputError, UsageError
from . import annotations as reserved
from ._differences import arrange, settle
from ._live import Elements, Fields, Texts, View, check_types, honest, plain_data
from ._text._nodes import copied, nodes_of
from ._text._parse import Unreadable

# type checkers take it for typing's, which would take longer to import than this module
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any, NamedTuple, TypeAlias

    from typing_extensions import Self

    from ._text import YamlNode
    from ._text._nodes import _Known
    from .comments import Comments
    from .items import Items, Named
    from .views import Views

    _Steps: TypeAlias = tuple[str | int, ...]

    class ResourceId(NamedTuple):
        """The group, kind, namespace and name by which Kubernetes tells resources apart. Missing
        ones are empty.
        """

        group: str
        kind: str
        namespace: str
        name: str

else:
    # typing takes longer to import than this module
    ResourceId = namedtuple("ResourceId", "group kind namespace name")
    ResourceId.__doc__ = (
        "The group, kind, namespace and name by which Kubernetes tells resources apart. Missing"
        " ones are empty."
    )

__all__ = ["Resource", "ResourceId"]

# Where a value of the content comes from: the value itself; the node that it was read from; and all
# resources that it was in before, each with the value there.
Origin = namedtuple("Origin", "value node before")

# A change of one of these fields changes the item's group, kind, namespace, name or file.
_NAMING = frozenset(
    {
        "apiVersion",
        "kind",
        "metadata",
        "name",
        "namespace",
        "annotations",
        *reserved.PATHS,
        *reserved.INDEXES,
    }
)
# Shorter lists are searched.
_LONG = 8

# Kubernetes' own groups that have a dot and kinds in namespaces.
_KUBERNETES = frozenset(
    f"{name}.k8s.io"
    for name in (
        "coordination",
        "discovery",
        "events",
        "networking",
        "rbac.authorization",
        "resource",
        "storage",
    )
)


class Resource(Fields):
    """A Kubernetes object.

    It is a mapping of its fields, and each field is an attribute, too (`resource.spec.replicas`).
    `get`, `set` and `delete` take field paths. The properties below, such as `name` and `labels`,
    are shortcuts. If a field at the top has the name of a shortcut, it can only be read as an item
    (`resource["labels"]`). Values are those that Kubernetes reads from the YAML. A value that isn't
    changed keeps its text.

    Reading a shortcut raises InputError if the value is of another type. Setting a shortcut raises
    the errors of `set`. Reading anything of an item that can't be read, such as one with a key that
    occurs twice, raises InputError with the file and the line; such an item goes out as it came
    (`is_readable`).

    Args:
        content: The object's fields, which are copied; None for an empty object.

    Raises:
        UsageError: The content isn't a mapping of JSON values.
    """

    __slots__ = (
        "_base", "_edits", "_frozen", "_named", "_node", "_nodes", "_origins", "_owner", "_pending",
        "_placed", "_reserved", "_typed", "_written",
    )  # fmt: skip

    _node: YamlNode | None
    _owner: Items | None  # the items that the resource is, or was, one of
    _reserved: dict[str, Any] | None
    _typed: Views | None
    # `_node`, or the node of a text of its own, which an item with new comments gets
    _base: YamlNode | None
    # Comments that were set, by the value itself or by what holds it and the key, and by the place.
    _pending: dict[tuple[int, str | int | None, str], tuple[Any, str]]
    _placed: tuple[str, int] | None  # its file, if its text is a document of a file
    _named: dict[tuple[int, str], Named]  # long lists whose elements were selected by a field
    # the nodes of the objects and lists that were read, also of those that are gone, by their id()
    _nodes: _Known
    _origins: dict[int, Origin]  # where values in the content come from, by their id()
    _frozen: str
    _edits: int  # how many changes the content has had
    _written: int  # how many of these changes the text has

    def __init__(self, content: Mapping[str, Any] | None = None) -> None:
        self._start(None, "", {})
        if content:
            made = plain_data(content, self)
            if not isinstance(made, dict):
                raise UsageError(f"a resource must be a mapping (got {content!r:.60})")
            object.__setattr__(self, "_data", made)
            self._touch()

    def _start(
        self, node: YamlNode | None, label: str, data: Any, frozen: str = "", placed: Any = None
    ) -> None:
        Fields.__init__(self, self, data, None, label)
        start = {
            "_node": node,
            "_placed": placed,
            "_frozen": frozen,
            "_nodes": {},
            "_named": {},
            "_owner": None,
        }
        start |= {
            "_reserved": None,
            "_typed": None,
            "_base": node,
            "_pending": {},
            "_edits": 0,
            "_written": 0,
        }
        start |= {"_origins": {}}
        for name, value in start.items():
            object.__setattr__(self, name, value)

    @classmethod
    def _of_node(
        cls, node: YamlNode, label: str, frozen: str = "", placed: tuple[str, int] | None = None
    ) -> Self:
        """Return a resource that reads its content from a node, and writes its changes there.

        Args:
            node: The node, a mapping or unreadable.
            label: The resource's name in messages if its content has no name, such as `items[3]`.
            frozen: The message of the UsageError for every change; empty if the resource can be
                changed.
            placed: The resource's file and index in it, if the text is a document of that file.
                None for an element of a list, whose own annotations name the file.
        """
        made = cls.__new__(cls)
        made._start(node, label, None, frozen, placed)
        return made

    # The content

    @property
    def is_readable(self) -> bool:
        """Whether the item can be read. If not, it can only be removed, and goes out as it came."""
        return self._node is None or not isinstance(self._node.content, Unreadable)

    def _sync(self) -> None:
        """Apply the changes that were made through typed views to the content.

        Raises:
            UsageError: The resource can't be changed, or can't hold a value.
        """
        if self._typed is not None:
            self._typed.take_over()

    def _content(self) -> dict[str, Any]:
        """Return the content itself as plain data. The first call reads it from the text.

        Changes through typed views may still be missing in it. `_now` is the same with these
        changes.
        """
        if self._data is None:
            assert self._node is not None
            self._check_readable()
            content = self._node.value()
            if self._placed is not None:
                reserved.show_file(content, *self._placed)
            object.__setattr__(self, "_data", content)
            object.__setattr__(self, "_nodes", nodes_of(self._node, content))
        data: dict[str, Any] = self._data
        return data

    def _check_readable(self) -> None:
        if not self.is_readable:
            assert self._node is not None
            raise InputError(self._node.content.problem)

    def _now(self) -> dict[str, Any]:
        self._sync()
        return self._content()

    def _peek(self, *steps: str | int) -> Any:
        """Return the plain value at a path of keys and indexes; None if it is missing, or the item
        can't be read.

        If nothing else was read from the text before, only this value is read.
        """
        if not self.is_readable:
            return None
        if self._is_text_at(steps):
            return self._node.get(steps)  # type: ignore[union-attr]  # there is one
        return trees.lookup(self._now(), steps)

    def _is_text_at(self, steps: Sequence[Any]) -> bool:
        """Return whether the value at a path can be read from the text alone, without reading the
        content.

        It can if the content wasn't read yet and there is no typed view. The metadata of a document
        of a file never can, because only the content has the annotations that name the file.
        """
        if self._data is not None or self._node is None or self._typed is not None:
            return False
        return self._placed is None or (len(steps) > 0 and steps[0] != "metadata")

    def _check_open(self) -> None:
        if self._frozen:
            raise UsageError(self._frozen)

    def _touch(self, changed: list[Any] | None = None) -> None:
        """Count a change. `changed` is the list of the content whose elements have changed in an
        unknown way.
        """
        object.__setattr__(self, "_edits", self._edits + 1)
        if changed is not None and self._named:
            for key in [key for key in self._named if key[0] == id(changed)]:
                del self._named[key]

    def _change(self, holder: Any, key: Any, value: Any = reserved.NONE) -> None:
        """Put a plain value into a dict or list of the content, or remove one. After an error the
        content is as it was.

        Args:
            holder: The dict or list itself, not a copy.
            key: The key or index. An index equal to the list's length adds an element.
            value: The value, which may be changed: new metadata and annotations get reserved
                annotations. Without it the key or the element, which must exist, is removed;
                reserved annotations in it stay.

        Raises:
            UsageError: The resource can't be changed, the value must be a string or an object
                there, or a reserved annotation would change.
        """
        content = self._content()
        self._check_open()
        is_there = key in holder if isinstance(holder, dict) else key < len(holder)
        if is_there and (
            value is reserved.NONE
            or isinstance(holder[key], (dict, list))
            or isinstance(value, (dict, list))
        ):
            self._loosen(holder, holder if isinstance(holder, list) else {key: holder[key]})
        if isinstance(holder, list):
            self._change_list(holder, key, value)
            return
        steps = self._steps_in_metadata(content, holder, key)
        if steps:
            if steps[:-1] == ("metadata", "annotations"):
                reserved.check(
                    key, None if value is reserved.NONE else value, self._came_with(), self._where
                )
            if value is not reserved.NONE:
                check_types(steps, value, lambda: self._where)
            value, is_gone = self._kept(steps, value), value is reserved.NONE
            if is_gone and steps == ("metadata",):
                del holder[key]  # the rest of it, and new metadata, come last
        if value is not reserved.NONE:
            holder[key] = value
        elif key in holder:
            del holder[key]
        self._touch()
        for (_, field), named in self._named.items():
            if field == key:
                named.changed(holder)
        if steps and key in _NAMING and self._owner is not None:
            self._owner._renamed(self)

    def _change_list(self, holder: list[Any], at: int, value: Any) -> None:
        """Put a plain value into a list of the content, or remove one; see `_change`."""
        indexes = [named for known, named in self._named.items() if known[0] == id(holder)]
        if value is reserved.NONE:
            del holder[at]
            for named in indexes:
                named.removed(at)
        elif at == len(holder):
            holder.append(value)
            for named in indexes:
                named.added(value)
        else:
            holder[at] = value
            self._touch(holder)
        self._touch()

    def _steps_in_metadata(self, content: dict[str, Any], holder: Any, key: Any) -> tuple[Any, ...]:
        """Return the path of the field `key` of `holder`, such as `("metadata", "name")`.

        It is only found for fields at the top, in metadata, and in the metadata's labels and
        annotations. For a field of any other dict in the content the path is empty.
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

    # Reserved annotations

    def _came_with(self) -> dict[str, Any]:
        """Return the reserved annotations that the resource must keep.

        These are the ones that it had at first, with the changes that `move_to` has made.
        """
        if self._reserved is None:
            if self._node is not None and self._placed is None:
                found = self._node.get(("metadata", "annotations"))
            else:
                found = trees.lookup(self._data, ("metadata", "annotations"))
            object.__setattr__(self, "_reserved", reserved.reserved_of(found))
        assert self._reserved is not None
        return self._reserved

    def _is_guarded(self, holder: Any, key: Any) -> bool:
        """Return whether the field `key` of `holder`, a dict in the content, is a reserved
        annotation.
        """
        steps = (
            self._steps_in_metadata(self._content(), holder, key)
            if reserved.is_reserved(key)
            else ()
        )
        return steps[:-1] == ("metadata", "annotations")

    def _kept(self, steps: tuple[Any, ...], value: Any) -> Any:
        """Return a new value of the field at the path `steps`, with the reserved annotations that
        it must keep.

        A new resource that isn't an item keeps none: no orchestrator knows it yet.

        Args:
            steps: The path. Only metadata and its annotations are changed.
            value: The value, plain data, which is changed; `NONE` if the field is removed.

        Raises:
            UsageError: The value has other reserved annotations, or can't hold annotations.
        """
        is_gone = value is reserved.NONE
        if self._owner is None and self._node is None:
            return value
        if steps == ("metadata", "annotations"):
            found = reserved.kept(None if is_gone else value, self._came_with(), self._where)
            return value if found is None else found
        if steps == ("metadata",):
            made = {} if is_gone else value
            annotations = reserved.kept(made.get("annotations"), self._came_with(), self._where)
            if annotations is not None:
                return {**made, "annotations": annotations}
        return value

    def _become_item(self, owner: Items, *, is_placed: bool) -> None:
        """Make the resource one of the items of `owner`. It may be a copy of another one, and must
        not have its id.

        Args:
            owner: All items.
            is_placed: Whether the resource keeps the annotations that name its file.
        """
        found = trees.lookup(self._now(), ("metadata", "annotations"))
        if isinstance(found, dict) and reserved.new(found, is_placed=is_placed):
            self._touch()
            if not found:
                del self._content()["metadata"]["annotations"]
        object.__setattr__(self, "_reserved", reserved.reserved_of(found))
        object.__setattr__(self, "_owner", owner)

    # The text

    @property
    def _is_changed(self) -> bool:
        """Whether the content, or a comment that was set, differs from the text. Raises UsageError
        as `_sync` does.

        After the content was written once, a change that is undone counts, too.
        """
        self._sync()
        if self._edits == self._written or self._written or self._node is None:
            return self._edits != self._written
        has_new_comments = bool(self._pending) or self._base is not self._node
        # Their texts have the order of fields, too.
        return has_new_comments or repr(self._node.value()) != repr(self._own_content())

    def _own_content(self) -> dict[str, Any]:
        """Return the content as it must be in the text: without the annotations that `show_file`
        has added.
        """
        content = self._content()
        if self._placed is None or self._node is None:
            return content
        return reserved.hidden(content, self._node.get(("metadata",), reserved.NONE))

    def _write(self) -> None:
        """Assign the content, and the comments that were set, to the node. `Text.dump` prints them.

        Raises UsageError as `_sync` does.
        """
        self._sync()
        if self._edits == self._written:
            return
        self._set_comments(always=self._base is None and bool(self._moved()))
        object.__setattr__(self, "_written", self._edits)
        if self._base is not None:
            self._base.doc.moved.update(self._moved())
            self._base.assign(self._own_content(), self._nodes)
            if self._node is not None and self._node is not self._base:
                self._node.assign(self._base)

    def _set_comments(self, *, always: bool = False) -> None:
        """Give the item a text of its own, with the present content and the comments that were set;
        see `comments`.
        """
        if self._pending or always:
            from ._text import parse
            from ._text._comments import noted
            from ._text._splice import unit_text
            from ._text._write import new_text

            content = self._own_content()
            # what has moved here is written into a text with the rest of it
            if self._base is None and self._moved():
                rest = {key: one for key, one in content.items() if key in ("apiVersion", "kind")}
                object.__setattr__(self, "_base", parse(new_text(rest).encode(), self._label).root)
            if self._base is None:
                text = new_text(content)
            else:
                self._base.doc.moved.update(self._moved())
                self._base.assign(content, self._nodes)
                text = unit_text(self._base)
            base = parse(noted(text, self._notes()).encode(), self._label).root
            object.__setattr__(self, "_base", base)
            self._nodes.update(nodes_of(base, self._content()))
            self._origins.clear()
            self._pending.clear()

    def _notes(self) -> dict[tuple[_Steps, str], str]:
        """Return the comments that were set, by the present paths of their values. Those of values
        that are gone go.
        """
        paths = {id(one): steps for steps, one in _within(self._content())} if self._pending else {}
        found = {}
        for (holder, step, place), (_, text) in self._pending.items():
            if holder in paths:
                found[paths[holder] if step is None else (*paths[holder], step), place] = text
        return found

    # Values that move

    def _loosen(self, holder: Any, values: Any) -> None:
        """Prepare for values that may move: their comments are in the text then, and it is known
        where they were read.

        Args:
            holder: The object or list that holds the values.
            values: Those of its fields or elements that may move.
        """
        inner = {id(one) for _, one in _within(values)} if self._pending else set()
        for above, step, _ in self._pending:
            if above in inner or (above == id(holder) and step in values):
                self._set_comments()
                return

    def _came_from(self, value: Any, view: View) -> None:
        """Note that a value of the content is a copy of the one that a view shows, maybe of another
        resource.
        """
        source = view._root
        for (_, one), (_, data) in zip(_within(value), _within(view._data), strict=True):
            origin = source._origins.get(id(data))
            if origin is None and id(data) in source._nodes:
                origin = Origin(data, source._nodes[id(data)][1], ())
            if origin is not None:
                self._origins[id(one)] = Origin(one, origin.node, (*origin.before, (source, data)))

    def _moved(self) -> dict[int, tuple[Any, YamlNode]]:
        """Return those values of the content that are elsewhere no more, and the nodes from which
        they were read.
        """
        from ._text._moves import is_movable

        held: dict[int, set[int]] = {}
        found: dict[int, tuple[Any, YamlNode]] = {}
        for key, (value, node, before) in self._origins.items():
            for source, _ in before:
                if id(source) not in held:
                    held[id(source)] = source._ids()
            if is_movable(node) and not any(
                id(data) in held[id(source)] for source, data in before
            ):
                found[key] = value, node
        return found

    def _ids(self) -> set[int]:
        """Return the `id()` of each object and list that is in the content; none if the resource
        was removed.
        """
        if self._owner is not None and not self._owner._has(self):
            return set()
        return {id(one) for _, one in _within(self._content())}

    # Field paths

    def get(self, path: str | tuple[str | int, ...], default: Any = None) -> Any:
        """Return the value at a field path, such as
        `spec.template.spec.containers[name=web].image`.

        Args:
            path: Keys with dots between them. Brackets hold an index (`[3]`; `[-1]` is the last
                element), the fields of the element that is meant
                (`[containerPort=80,protocol=TCP]`), or a key that may have dots (`["a.b/c"]`,
                `[a.b/c]`). Digits between dots are an index in a list, and a key in a mapping. Or a
                tuple of keys and indexes.
            default: The value that is returned if the path doesn't exist.

        Returns:
            The value. An object or a list is a live view. A field that is null gives None, not
            `default`.

        Raises:
            UsageError: The path isn't a field path, or fields in brackets match several elements.
        """
        self._check_readable()
        steps: Any = _steps(path)
        if self._is_text_at(steps) and all(map(trees.is_direct, steps)):
            found = self._node.get(steps, reserved.NONE)  # type: ignore[union-attr]  # without reading the rest of the item
            if not isinstance(found, (dict, list)):
                return default if found is reserved.NONE else found
        view: Any = self
        for step in steps:
            key = self._find(view._now(), step) if isinstance(view, (Fields, Elements)) else None
            if key is None:
                return default
            view = view[key]
        return view

    def set(self, path: str | tuple[str | int, ...], value: Any) -> None:
        """Set the value at a field path. Objects and lists on the way that are missing or null are
        created.

        An index equal to the list's length adds an element. If no element has the fields in
        brackets, as in `containers[name=web].image`, an element with these fields is added. `[-1]`
        replaces the last element and never adds one.

        Args:
            path: The path, as for `get`.
            value: The value, which is copied.

        Raises:
            UsageError: The path isn't a field path, leads through a string or number, is beyond a
                list's end, or matches several elements. Or the value isn't a JSON value, isn't a
                string where Kubernetes needs one, or is a new element that doesn't have the fields
                in brackets. Or the resource can't be changed, or must keep the old value, such as
                an orchestrator's annotation.
        """
        steps = _steps(path)
        self._check_open()
        value = plain_data(value, self, steps)
        try:
            holder, key, value = trees.plan(self._now(), steps, value, find=self._search)
        except UsageError as error:
            raise UsageError(f"{self._where}: {error}") from None
        self._change(holder, key, value)

    def delete(self, path: str | tuple[str | int, ...]) -> bool:
        """Remove the value at a field path.

        Args:
            path: The path, as for `get`.

        Returns:
            Whether there was a value.

        Raises:
            UsageError: The path isn't a field path, or matches several elements. Or the resource
                can't be changed, or must keep the value, such as an orchestrator's annotation.
        """
        self._check_open()
        found = self._walked(_steps(path))
        if found is not None:
            self._change(found[0], found[1][-1])
        return found is not None

    def _walked(self, steps: Sequence[trees.Step]) -> tuple[Any, list[str | int]] | None:
        """Return what holds the value at a path, and the value's keys and indexes; None if it isn't
        there.
        """
        holder: Any = None
        keys: list[str | int] = []
        value: Any = self._now()
        for step in steps:
            key = self._find(value, step)
            if key is None:
                return None
            keys.append(key)
            holder, value = value, value[key]
        return holder, keys

    def _find(self, holder: Any, step: trees.Step) -> str | int | None:
        """Return the key or index that a step of a path means, as `trees.find` does; errors name
        the resource.
        """
        try:
            return self._search(holder, step)
        except UsageError as error:
            raise UsageError(f"{self._where}: {error}") from None

    def _search(self, holder: Any, step: trees.Step) -> str | int | None:
        if type(step) is not trees.Select or not isinstance(holder, list) or len(holder) <= _LONG:
            return trees.find(holder, step)
        field = next(iter(step.fields))
        named = self._named.get((id(holder), field))
        if named is None:
            from .items import Named

            named = self._named[id(holder), field] = Named(holder, field)
        return trees.the_one(named.find(step), step)

    # Merging

    def replace(self, content: Mapping[str, Any]) -> None:
        """Give the resource other content. In the text only what differs is changed, and comments
        stay.

        Fields get the order that they have in the content. Elements of lists are compared with
        equal ones of the old list, then with those of the same name. Annotations that only an
        orchestrator may change stay.

        Args:
            content: The content, which is copied.

        Raises:
            UsageError: The content isn't a mapping of JSON values, isn't a string or object where
                Kubernetes needs one, or changes an orchestrator's annotation. Or the resource can't
                be changed. Then nothing is changed.
        """
        self._become(self._checked(content, "the new content"))

    def merge(
        self,
        patch: Mapping[str, Any],
        *,
        schema: Mapping[str, Any] | None = None,
        prepend: bool = False,
    ) -> None:
        """Apply a strategic merge patch, as `kubectl patch` and kustomize do. In the text only what
        differs is changed.

        Objects are merged. None removes a field. Lists of Kubernetes' own kinds are merged by their
        merge keys, such as containers by `name`, and other lists are replaced. The directives
        `$patch: delete`, `$patch: replace`, `$deleteFromPrimitiveList/...`, `$retainKeys` and
        `$setElementOrder/...` have their meaning.

        Args:
            patch: The fields to merge, which are copied.
            schema: The OpenAPI schema of the resource's kind, or a CustomResourceDefinition or
                CompositeResourceDefinition of it, whose `x-kubernetes-patch-merge-key` and
                `x-kubernetes-list-map-keys` say how lists are merged.
            prepend: Whether the elements of the patch come first in a list that is merged, as in
                kustomize, also those that are there already. Otherwise new elements are added at
                the end, as by `kubectl patch`.

        Raises:
            UsageError: As for `replace`; or a directive or an element of a list isn't valid.
            InputError: The definition is malformed.
        """
        from ._merge import merged

        made = self._checked(patch, "a patch")
        try:
            self._become(
                merged(
                    self.to_dict(),
                    made,
                    plain_data(schema),
                    self._peek("apiVersion"),
                    prepend=prepend,
                )
            )
        except UsageError as error:
            raise (
                error
                if str(error).startswith(self._where)
                else UsageError(f"{self._where}: {error}")
            ) from None

    def _checked(self, content: Mapping[str, Any], what: str) -> dict[str, Any]:
        made = plain_data(content)
        if not isinstance(made, dict):
            raise UsageError(f"{self._where}: {what} must be a mapping (got {content!r:.60})")
        check_types((), made, lambda: self._where)
        return made

    def _become(self, content: dict[str, Any]) -> None:
        """Replace the content by plain data of the right types, after all checks that can fail.

        Raises:
            UsageError: The resource can't be changed, or an orchestrator's annotation would change.
        """
        self._check_open()
        now = self._now()
        if (self._owner is not None or self._node is not None) and self._came_with():
            content.setdefault("metadata", {})
        if isinstance(content.get("metadata"), dict):
            content["metadata"] = self._kept(("metadata",), content["metadata"])
        settle(self, now, now, content)
        arrange(self, now, content)

    # Comments

    def comments(self, path: str | tuple[str | int, ...] = "") -> Comments:
        """Return the comments of the value at a field path, to read and to set; see `krm.Comments`.

        Args:
            path: The path, as for `get`; empty for the resource as a whole.

        Raises:
            UsageError: The path isn't a field path, matches several elements, or doesn't exist.
        """
        from .comments import Comments

        found = self._walked(_steps(path) if path else ())
        if found is None:
            raise UsageError(
                f"{self._where}: {show(_steps(path))} isn't there, so it has no comments"
            )
        return Comments(self, tuple(found[1]))

    def all_comments(self) -> Iterator[Comments]:
        """Yield a `Comments` for the resource as a whole, and then one for each value in it, in the
        order of the text.

        Values without a comment are included, so that comments can be set on them.
        """
        from .comments import every

        self._sync()
        return every(self)

    # Shortcuts

    def _text_at(self, *steps: str) -> str:
        self._check_readable()
        value = self._peek(*steps)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise InputError(
                f"{self._where}: {'.'.join(steps)} must be a string (got"
                f" {json_type_in_words(value)})"
            )
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
        """The API group, without the version; empty for the core group. InputError if apiVersion
        isn't a string.
        """
        from .._core.base.api_version import group_of  # rarely needed

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
        """The namespace in the metadata; empty if it is missing. InputError if it isn't a
        string.
        """
        return self._text_at("metadata", "namespace")

    @namespace.setter
    def namespace(self, value: str) -> None:
        self.set(("metadata", "namespace"), value)

    @property
    def labels(self) -> Fields:
        """The labels, as a live view; empty if there are none. Setting the first label adds
        `labels` to the metadata.

        Raises:
            InputError: The metadata or its labels aren't an object.
        """
        return self._texts("labels")

    @labels.setter
    def labels(self, value: Mapping[str, str]) -> None:
        self.set(("metadata", "labels"), value)

    @property
    def annotations(self) -> Fields:
        """The annotations, as a live view; empty if there are none. Setting the first one adds
        `annotations`.

        Raises:
            InputError: The metadata or its annotations aren't an object.
            UsageError: An annotation that only an orchestrator may change would change.
        """
        return self._texts("annotations")

    @annotations.setter
    def annotations(self, value: Mapping[str, str]) -> None:
        self.set(("metadata", "annotations"), value)

    def _texts(self, key: str) -> Fields:
        holder: Any = self._now()
        for path, step in (("metadata", "metadata"), (f"metadata.{key}", key)):
            holder = holder.get(step)
            if holder is None:
                break
            if not isinstance(holder, dict):
                raise InputError(
                    f"{self._where}: {path} must be an object (got {json_type_in_words(holder)})"
                )
        return Texts(self, holder, Fields(self, None, self, "metadata"), key)

    @property
    def is_local_config(self) -> bool:
        """Whether the resource is only for tools that run functions, and not for a cluster.

        Its annotation `config.kubernetes.io/local-config` has another value than `false` then.
        Functions that change the resources of an application leave it alone.
        """
        return str(self._peek("metadata", "annotations", reserved.LOCAL) or "false") != "false"

    @property
    def is_cluster_scoped(self) -> bool:
        """Whether the kind has no namespaces: known for Kubernetes' and Crossplane's kinds.

        A resource of another kind counts as cluster-scoped if it has no namespace, as in the SDK
        for Go.
        """
        from .._tools.manifests.objects import is_cluster_scoped

        of_others = "." in self.group and self.group not in _KUBERNETES
        return is_cluster_scoped(self.api_version, self.kind) or (of_others and not self.namespace)

    @property
    def id(self) -> ResourceId:
        """The group, kind, namespace and name. InputError if one of them isn't a string."""
        return ResourceId(self.group, self.kind, self.namespace, self.name)

    @property
    def origin_id(self) -> ResourceId:
        """The group, kind, namespace and name in the package from which kpt has taken the resource.

        It is read from the annotation `internal.kpt.dev/upstream-identifier`. Without a valid one
        it is `id`.
        """
        found = self._peek("metadata", "annotations", reserved.IDENTIFIER)
        parts = str(found or "").split("|")
        if len(parts) != 4:
            return self.id
        return ResourceId(parts[0], parts[1], "" if parts[2] == "~C" else parts[2], parts[3])

    # The file

    @property
    def path(self) -> str:
        """The file, relative to the package's directory, such as `app/service.yaml`; empty if it
        isn't known.
        """
        found = self._place
        return "" if found is None else found[0]

    @property
    def index(self) -> int:
        """The index among the documents of the file, from 0; 0 if it isn't known."""
        found = self._place
        return 0 if found is None else found[1]

    @property
    def _place(self) -> tuple[str, int] | None:
        """The resource's file and its index among the documents there; None if the file isn't
        known.
        """
        return reserved.file_of(self._peek("metadata", "annotations")) or self._placed

    def move_to(self, path: str, index: int = 0) -> None:
        """Move the resource to another file, or to another index in its file.

        This changes the annotations that name the file and the index:
        `internal.config.kubernetes.io/path` and `.../index`, or the older
        `config.kubernetes.io/path` and `.../index`, or both, as the resource has them. A resource
        that has neither gets the first.

        Args:
            path: The file, relative to the package's directory, with slashes, such as
                `app/service.yaml`.
            index: The resource's index among the documents of the file, from 0.

        Raises:
            UsageError: The path or the index isn't valid, or the resource can't be changed or has
                malformed metadata.
        """
        self._check_open()
        found = self._now().get("metadata")
        found = found.get("annotations") if isinstance(found, dict) else None
        made = reserved.moved(found if isinstance(found, dict) else {}, path, index)
        if self._placed is not None:  # other annotations of these names are the author's own
            made = {reserved.PATHS[0]: path, reserved.INDEXES[0]: str(index)}
        self._came_with().update(made)
        for key, value in made.items():
            self.set(("metadata", "annotations", key), value)

    # Names in messages, and copies

    @property
    def _label(self) -> str:
        """The resource's name in messages if its content has no name, such as `items[3]` or
        `the resource`.
        """
        return str(self._step) or "the resource"

    @property
    def _what(self) -> str:
        """The resource's name in messages, such as `Deployment prod/web`; if it has no name,
        `Deployment items[3]`.
        """
        kind, name, namespace = (
            self._peek("kind"),
            self._peek("metadata", "name"),
            self._peek("metadata", "namespace"),
        )
        if not isinstance(kind, str) or not isinstance(name, str):
            return (
                f"{kind} {self._label}"
                if self._step and isinstance(kind, str) and kind
                else self._label
            )
        return (
            f"{kind} {namespace}/{name}"
            if namespace and isinstance(namespace, str)
            else f"{kind} {name}"
        )

    @property
    def _where(self) -> str:
        """The resource's name in errors, and its file if that is known, as in
        `Deployment prod/web (app/web.yaml)`.
        """
        found, what = self._place, self._what
        return what if found is None or found[0] in what else f"{what} ({found[0]})"

    def __repr__(self) -> str:
        api_version = self._peek("apiVersion")
        return (
            f"<Resource {api_version} {self._what}>"
            if isinstance(api_version, str)
            else f"<Resource {self._what}>"
        )

    def __copy__(self) -> Resource:
        return Resource(self.to_dict())

    def __deepcopy__(self, memo: object) -> Resource:
        return Resource(self.to_dict())


honest(Resource)


def _represented(dumper: Any, view: View) -> Any:
    return dumper.represent_data(copied(view._now()))


# yaml.safe_dump and yaml.dump take live views, and write their values
for _one in (SafeRepresenter, Representer):
    _one.add_multi_representer(View, _represented)


def _within(value: Any) -> Iterator[tuple[_Steps, Any]]:
    """Yield each object and list in a value, also the value itself, with its path there. The value
    isn't changed.
    """
    work: list[tuple[_Steps, Any]] = [((), value)]
    while work:
        steps, one = work.pop()
        if isinstance(one, (dict, list)):
            yield steps, one
            items = one.items() if isinstance(one, dict) else enumerate(one)
            work += [((*steps, key), inner) for key, inner in items]


def _steps(path: Any) -> tuple[trees.Step, ...]:
    return path if type(path) is tuple else field_path.parse(path, whole_labels=True)
