"""The nodes of a stream: the position of each value in the text, and its present content.

A value that was set, and isn't in the text yet, is one node of the kind FRESH. It keeps the value as plain data.
"""

from __future__ import annotations

from ..._base.yaml_scalars import resolve, tagged
from ...errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, Protocol

    class Editing(Protocol):
        """The interface of the module `_edit`, which is loaded with the first edit."""

        def put(self, node: YamlNode, steps: Sequence[str | int], value: Any, /) -> None: ...

        def delete(self, node: YamlNode, steps: Sequence[str | int], /) -> bool: ...

        def insert(self, node: YamlNode, steps: Sequence[str | int], index: int, value: Any, /) -> None: ...

        def move(self, node: YamlNode, steps: Sequence[str | int], index: int, to: int, /) -> None: ...

        def arrange(self, node: YamlNode, elements: Sequence[Any], steps: Sequence[str | int], /) -> None: ...

    class Stream(Protocol):
        """The interface of `_parse.Text`, the stream that a node belongs to, for nodes and edits."""

        label: str
        text: str
        documents: list[YamlNode]
        aliases: dict[YamlNode, list[YamlNode]]
        repeated: set[str]
        is_open: bool
        contents: dict[YamlNode, Any]
        shown: str | None
        written: dict[YamlNode, str]
        notes: dict[YamlNode, list[Any]]
        gone: list[YamlNode]
        added: list[str]
        slots: dict[YamlNode, str]
        cache: dict[Any, Any]
        newline: str

        def at_line(self, *lines: int) -> str: ...

        @property
        def editing(self) -> Editing: ...


__all__ = ["ALIAS", "DEEPEST", "FRESH", "MAPPING", "SCALAR", "SEQUENCE", "YamlNode", "copied", "own_child"]

SCALAR, MAPPING, SEQUENCE, ALIAS, FRESH = range(5)

DEEPEST = 200
"""How many levels of lists and mappings there may be."""

# The most values that aliases of aliases may add up to. A few lines of them could stand for more values than any memory
# holds.
_MOST_VALUES = 2_000_000


class YamlNode:
    """One value of a document: a value of the text, or a new value that isn't written yet.

    Paths are sequences of keys (str) and indexes (int, from 0). Values are returned as copies.
    """

    # kind     its kind now          was      its kind in the text; FRESH if it isn't there
    # content  its content now: str, dict of key to node (the key None is <<), list of nodes, the aliased node,
    #          or the plain value of a FRESH one
    # source   its content in the text, where that differs from content, else None
    # start, end    characters of the text, with properties (&anchor !tag); a block collection's end is not exact
    # kstart, kend  characters of its key, if the parent is a mapping, else -1
    # style    "", ', ", | or > of a scalar; { or [ of a flow collection, "" of one in block style
    # changed  the text at its place must be written anew, at least in part
    __slots__ = (
        "anchor", "changed", "content", "doc", "end", "kend", "key", "kind", "kstart", "parent", "source", "start",
        "style", "tag", "was",
    )  # fmt: skip

    def __init__(
        self, doc: Stream, parent: YamlNode | None, kind: int, content: Any, start: int, end: int, style: str
    ) -> None:
        self.doc = doc
        self.parent = parent
        self.kind = self.was = kind
        self.content: Any = content
        self.start = start
        self.end = end
        self.style = style
        self.source: Any = None
        self.tag: str | None = None
        self.anchor: str | None = None
        self.kstart = self.kend = -1
        self.key: YamlNode | None = None
        self.changed = False

    # Reading

    @property
    def line(self) -> int:
        """The line of the text, counted from 1, on which the node or its key begins; 0 for a new value."""
        if self.was == FRESH:
            return 0
        return self.doc.text.count("\n", 0, self.kstart if self.kstart >= 0 else self.start) + 1

    def value(self) -> Any:
        """Return a copy of the node's value as JSON values, with aliases and merge keys resolved.

        Raises:
            InputError: Aliases add up to more than 2,000,000 values, or are nested too deep.
        """
        return _value(self, [_MOST_VALUES, 0], 0)

    def get(self, steps: Sequence[str | int], default: Any = None) -> Any:
        """Return a copy of the value at a path; `default` if there is none. A null in the text is returned as None.

        Raises:
            InputError: As for `value`.
        """
        node, plain = self._reach(steps)
        if node is not None:
            return node.value()
        return default if plain is _NONE else copied(plain)

    def has(self, steps: Sequence[str | int]) -> bool:
        """Return whether there is a value at a path. Null counts as a value."""
        node, plain = self._reach(steps)
        return node is not None or plain is not _NONE

    def is_null(self, steps: Sequence[str | int]) -> bool:
        """Return whether the value at a path is missing or null."""
        node, plain = self._reach(steps)
        if node is None:
            return plain is None or plain is _NONE
        if node.kind == FRESH:
            return node.content is None
        return node.kind not in (MAPPING, SEQUENCE) and node.value() is None

    def _reach(self, steps: Sequence[str | int]) -> tuple[YamlNode | None, Any]:
        """Find the value at a path.

        Returns:
            The value's node, and `_NONE`. New values have no nodes inside, so for a path into one, None and the plain
            value. If nothing is at the path, None and `_NONE`.
        """
        node: YamlNode | None = self
        for at, step in enumerate(steps):
            while node is not None and node.kind == ALIAS:
                node = node.content
            if node is None:
                break
            if node.kind == FRESH:
                return None, _inside(node.content, steps[at:])
            node = node.child(step)
        return node, _NONE

    def child(self, step: str | int) -> YamlNode | None:
        """Return the node of a field or an element; None if there is none. Fields that a merge key gives are included.

        An alias and a new value have no child nodes.
        """
        if self.kind == MAPPING and isinstance(step, str):
            found: YamlNode | None = self.content.get(step)
            if found is None and None in self.content:
                for mapping in merged(self.content[None]):
                    found = mapping.child(step)
                    if found is not None:
                        break
            return found
        if self.kind == SEQUENCE and _fits(step, self.content):
            element: YamlNode = self.content[step]
            return element
        return None

    def children(self) -> list[YamlNode]:
        """Return the nodes of a list's elements, edits included; an empty list for other values and for new lists."""
        return list(self.content) if self.kind == SEQUENCE else []

    # Editing

    def set(self, steps: Sequence[str | int], value: Any) -> None:
        """Put a value at a path. Mappings and lists on the path that are missing or null are made.

        Only differences from the old value change: a list or mapping is compared field by field, element by element.
        The index one past a list's end appends. An empty path stands for the node itself.

        Raises:
            UsageError: The path leads through a string or number, or past a list's end; the value isn't a JSON value;
                or the node is a document, and its new value isn't a mapping.
        """
        self.doc.editing.put(self, steps, value)

    def delete(self, steps: Sequence[str | int]) -> bool:
        """Remove the value at a path. Return whether there was one.

        Raises:
            UsageError: The path is empty.
        """
        return self.doc.editing.delete(self, steps)

    def insert(self, steps: Sequence[str | int], index: int, value: Any) -> None:
        """Insert a value into the list at a path, before the element at `index`. The list's length as `index` appends.

        A missing or null list is made first.

        Raises:
            UsageError: The value at the path isn't a list, the index is negative or past the list's end, or `value`
                isn't a JSON value.
        """
        self.doc.editing.insert(self, steps, index, value)

    def move(self, steps: Sequence[str | int], index: int, to: int) -> None:
        """Move an element of the list at a path, with its comments, so that it has the index `to` afterwards.

        Raises:
            UsageError: The value at the path isn't a list, or `index` or `to` isn't the index of an element.
        """
        self.doc.editing.move(self, steps, index, to)

    def arrange(self, elements: Sequence[Any], steps: Sequence[str | int] = ()) -> None:
        """Give the list at a path these elements in this order. Elements that aren't given again are removed.

        Args:
            elements: Nodes of the list's `children()`, which keep their text, and new values.
            steps: The path of the list. A missing or null list is made first.

        Raises:
            UsageError: The value at the path isn't a list, or a new value isn't a JSON value.
        """
        self.doc.editing.arrange(self, elements, steps)


_NONE: Any = object()


def _inside(value: Any, steps: Sequence[str | int]) -> Any:
    for step in steps:
        if isinstance(value, dict):
            value = value.get(step, _NONE) if isinstance(step, str) else _NONE
        elif isinstance(value, list) and isinstance(step, int) and _fits(step, value):
            value = value[step]
        else:
            return _NONE
    return value


def _fits(step: str | int, elements: Sequence[Any]) -> bool:
    return type(step) is int and 0 <= step < len(elements)


def own_child(node: YamlNode, step: str | int) -> YamlNode | None:
    """Return the node of a field or an element; None if there is none. Fields from a merge key don't count."""
    if node.kind == MAPPING:
        found: YamlNode | None = node.content.get(step) if isinstance(step, str) else None
        return found
    return node.child(step)


def merged(node: YamlNode) -> Iterator[YamlNode]:
    """Yield the mappings that the value of a merge key stands for, such as two for `[*a, *b]`.

    If several have the same field, the first of them counts.
    """
    while node.kind == ALIAS:
        node = node.content
    if node.kind == MAPPING:
        yield node
    elif node.kind == SEQUENCE:
        for one in node.content:
            yield from merged(one)


def _value(node: YamlNode, left: list[int], depth: int) -> Any:
    # left: the number of values that aliases may still add; the number of aliases that the node is read through
    kind = node.kind
    if kind == SCALAR:
        if node.tag is not None:
            return tagged(node.tag, node.content)
        return node.content if node.style else resolve(node.content)
    if kind == FRESH:
        return copied(node.content)
    if kind == ALIAS:
        return _shared(node.content, left, depth)
    if left[1]:
        left[0] -= 1 + len(node.content)
    if left[0] < 0:
        raise InputError(
            f"{node.doc.label}: its aliases stand for more than {_MOST_VALUES:,} values; use fewer aliases"
        )
    if depth > DEEPEST:
        raise InputError(
            f"{node.doc.label}: its aliases nest values more than {DEEPEST} levels deep; use fewer aliases"
        )
    if kind == MAPPING:
        value = {key: _value(child, left, depth + 1) for key, child in node.content.items() if key is not None}
        if None in node.content:
            below: dict[str, Any] = {}
            for mapping in merged(node.content[None]):
                for key, one in _shared(mapping, left, depth).items():
                    below.setdefault(key, one)
            value = {**below, **value}
        return value
    return [_value(child, left, depth + 1) for child in node.content]


def _shared(node: YamlNode, left: list[int], depth: int) -> Any:
    """Return the value of an aliased node, and count its parts. Only values that aliases repeat count for the limit.

    Args:
        node: The node that the alias stands for.
        left: The number of values that aliases may still add, and the number of aliases that the node is read through.
            Both are updated.
        depth: The number of lists and mappings around the alias.
    """
    left[0] -= 1
    left[1] += 1
    value = _value(node, left, depth + 1)
    left[1] -= 1
    return value


def copied(value: Any) -> Any:
    """Return a deep copy of a JSON value."""
    if isinstance(value, dict):
        return {key: copied(one) for key, one in value.items()}
    if isinstance(value, list):
        return [copied(one) for one in value]
    return value
