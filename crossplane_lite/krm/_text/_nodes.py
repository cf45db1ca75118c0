"""The nodes of a stream: each value of the text and its position. Nodes don't change; `assign` only
notes a new value.

A new value is plain data. Where it has a node, it has the node's value: as it was, or as it was
assigned to that node.
"""

from __future__ import annotations

from ..._core.base.scalars import resolve, tagged
from ..._core.base.texts import type_in_words
from ...errors import InputError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeAlias, TypeVar

    F = TypeVar("F", bound=Callable[..., Any])

    # Objects and lists with the nodes from which they were read, by the `id()` of the object or
    # list.
    _Known: TypeAlias = dict[int, tuple[Any, "YamlNode"] | None]

    Stream: TypeAlias = Any  # `_parse.Text`

    # the start and the end of the replaced text, and the new text
    Edit: TypeAlias = tuple[int, int, str]

SCALAR, MAPPING, SEQUENCE, ALIAS = range(4)

DEEPEST = 200
"""How many levels of lists and mappings there may be."""

# The most values that aliases of aliases may add up to. A few lines of them could stand for more
# values than any memory holds.
_MOST_VALUES = 2_000_000


class YamlNode:
    """One value of a document, as it is in the text.

    Paths are sequences of keys (str) and indexes (int, from 0). Values are returned as copies.
    """

    # content its content: str, dict of key to node (the key None is <<), list of nodes, or the
    # aliased node start, end characters of the text, with properties (&anchor !tag); a block
    # collection's end is not exact kstart, kend characters of its key, if the parent is a mapping,
    # else -1 style "", ', ", | or > of a scalar; { or [ of a flow collection, "" of one in block
    # style
    __slots__ = (
        "anchor",
        "content",
        "doc",
        "end",
        "kend",
        "key",
        "kind",
        "kstart",
        "parent",
        "start",
        "style",
        "tag",
    )

    def __init__(
        self,
        doc: Stream,
        parent: YamlNode | None,
        kind: int,
        content: Any,
        start: int,
        end: int,
        style: str,
    ) -> None:
        self.doc = doc
        self.parent = parent
        self.kind = kind
        self.content: Any = content
        self.start = start
        self.end = end
        self.style = style
        self.tag: str | None = None
        self.anchor: str | None = None
        self.kstart = self.kend = -1
        self.key: YamlNode | None = None

    # Reading

    @property
    def line(self) -> int:
        """The line of the text, counted from 1, on which the node or its key begins."""
        at: int = self.doc.text.count("\n", 0, self.kstart if self.kstart >= 0 else self.start)
        return at + 1

    def value(self) -> Any:
        """Return a copy of the node's value as JSON values, with aliases and merge keys resolved.

        Raises:
            InputError: Aliases add up to more than 2,000,000 values, or are nested too deep.
        """
        return _value(self, [_MOST_VALUES, 0], 0)

    def get(self, steps: Sequence[str | int], default: Any = None) -> Any:
        """Return a copy of the value at a path; `default` if there is none. A null in the text is
        returned as None.

        Raises:
            InputError: As for `value`.
        """
        node = self
        for step in steps:
            while node.kind == ALIAS:
                node = node.content
            child = node.child(step)
            if child is None:
                return default
            node = child
        return node.value()

    def child(self, step: str | int) -> YamlNode | None:
        """Return the node of a field or an element; None if there is none. Fields that a merge key
        gives are included.

        An alias has no child nodes.
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
        """Return the nodes of a list's elements; an empty list for other values."""
        return list(self.content) if self.kind == SEQUENCE else []

    def assign(self, value: Any, known: _Known | None = None) -> None:
        """Give the node a new value, which the text gets when the stream is dumped. Only
        differences are written.

        Args:
            value: The value. It isn't copied, and must be a dict for a document.
            known: The objects and lists in `value` that were read from the text, as `nodes_of`
                returns them. These elements of lists are recognised by identity, all others by
                their content. A list that has None here has nodes and new values as elements, which
                aren't compared.
        """
        self.doc.wanted[self] = value, known or {}


def _fits(step: str | int, elements: Sequence[Any]) -> bool:
    return type(step) is int and 0 <= step < len(elements)


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
    # left: the number of values that aliases may still add; the number of aliases that the node is
    # read through
    kind = node.kind
    if kind == SCALAR:
        if node.tag is not None:
            return tagged(node.tag, node.content)
        return node.content if node.style else resolve(node.content)
    if kind == ALIAS:
        return _shared(node.content, left, depth)
    if left[1]:
        left[0] -= 1 + len(node.content)
    if left[0] < 0:
        raise InputError(
            f"{node.doc.label}: its aliases stand for more than {_MOST_VALUES:,} values; use fewer"
            " aliases"
        )
    if depth > DEEPEST:
        raise InputError(
            f"{node.doc.label}: its aliases nest values more than {DEEPEST} levels deep; use fewer"
            " aliases"
        )
    if kind == MAPPING:
        value = {
            key: _value(child, left, depth + 1)
            for key, child in node.content.items()
            if key is not None
        }
        if None in node.content:
            below: dict[str, Any] = {}
            for mapping in merged(node.content[None]):
                for key, one in _shared(mapping, left, depth).items():
                    below.setdefault(key, one)
            value = {**below, **value}
        return value
    return [_value(child, left, depth + 1) for child in node.content]


def says(node: YamlNode, value: Any) -> bool:
    """Return whether a node surely has a value, plain data, with fields in the same order. False
    isn't sure.
    """
    kind, content = node.kind, node.content
    if kind == SCALAR and node.tag is None:
        if value.__class__ is str:
            # A string that was read from this node is the same object; those of one character are
            # shared.
            is_own = value is content and len(value) > 1
            return is_own or bool(content == value and (node.style or resolve(value) is value))
        return not node.style and same(resolve(content), value)
    if kind == MAPPING and value.__class__ is dict and len(content) == len(value):
        # faster than all()
        for (key, child), (other, one) in zip(content.items(), value.items(), strict=True):
            if key != other or not says(child, one):
                return False
        return True
    return (
        kind == SEQUENCE
        and value.__class__ is list
        and len(content) == len(value)
        and all(map(says, content, value))
    )


def _shared(node: YamlNode, left: list[int], depth: int) -> Any:
    """Return the value of an aliased node, and count its parts. Only values that aliases repeat
    count for the limit.

    Args:
        node: The node that the alias stands for.
        left: The number of values that aliases may still add, and the number of aliases that the
            node is read through. Both are updated.
        depth: The number of lists and mappings around the alias.
    """
    left[0] -= 1
    left[1] += 1
    value = _value(node, left, depth + 1)
    left[1] -= 1
    return value


def wanted(value: Any) -> Any:
    """Return a value that may have nodes in it as plain data: of a node, the value that it must
    have.
    """
    while isinstance(value, YamlNode):
        if value in value.doc.wanted:
            value = value.doc.wanted[value][0]
        elif value.kind in (MAPPING, SEQUENCE):
            value = value.content
        else:
            return value.value()
    if isinstance(value, dict):
        made: dict[str, Any] = {}
        for one in reversed([*merged(value[None])] if None in value else []):
            made |= one.value()
        return made | {key: wanted(one) for key, one in value.items() if key is not None}
    return [wanted(one) for one in value] if isinstance(value, list) else value


def cached(function: F) -> F:
    """Keep the results of a function of a node of the input in the `cache` of the node's stream."""

    def kept(node: YamlNode, *more: Any) -> Any:
        key, cache = (function, node, *more), node.doc.cache
        if key not in cache:
            cache[key] = function(node, *more)
        return cache[key]

    kept.__wrapped__ = function  # type: ignore[attr-defined]  # whose signature is shown
    return kept  # type: ignore[return-value]


def copied(value: Any) -> Any:
    """Return a deep copy of a JSON value."""
    if isinstance(value, dict):
        return {key: copied(one) for key, one in value.items()}
    if isinstance(value, list):
        return [copied(one) for one in value]
    return value


def nodes_of(root: YamlNode, content: Any) -> _Known:
    """Return the node from which each object and list of a content was read, with it, by its
    `id()`.

    Args:
        root: The node of the content.
        content: The content, plain data as it was read, which may have more fields.
    """
    found: _Known = {}
    work: list[tuple[YamlNode, Any]] = [(root, content)]
    while work:
        node, value = work.pop()
        if node.kind == MAPPING and isinstance(value, dict):
            work += [(child, value.get(key)) for key, child in node.content.items()]
        elif node.kind == SEQUENCE and isinstance(value, list):
            work += zip(node.content, value, strict=True)
        elif node.kind != ALIAS or not isinstance(value, (dict, list)):
            continue
        found[id(value)] = value, node
    return found


def checked(
    value: Any, path: str = "", depth: int = 0, copies: dict[int, Any] | None = None
) -> Any:
    """Return a copy of a value as plain JSON values.

    Args:
        value: The value; tuples become lists.
        path: The value's path in messages; if it is empty, messages say "the value".
        depth: The number of lists and dicts around the value.
        copies: If given, the copy of each dict and list is added to it, by the `id()` of the
            original.

    Raises:
        UsageError: The value, or a part of it, isn't a JSON value, or is nested too deep.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            raise UsageError(
                f"{path or 'the value'}: {value!r:.60} has half of a character; give the whole one"
            )
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if value - value != 0:
            raise UsageError(
                f"{path or 'the value'}: {value} can't be used, because JSON has no such number;"
                " give a finite one"
            )
        return float(value)
    if depth > DEEPEST:
        raise UsageError(f"{path[:40]}... is nested more than {DEEPEST} levels deep")
    if isinstance(value, dict):
        found = {}
        for key, one in value.items():
            if not isinstance(key, str):
                raise UsageError(f"{path or 'the value'}: a key must be a string (got {key!r})")
            found[checked(key, path)] = checked(
                one, f"{path}.{key}" if path else key, depth + 1, copies
            )
        if copies is not None:
            copies[id(value)] = found
        return found
    if isinstance(value, (list, tuple)):
        made = [checked(one, f"{path}[{at}]", depth + 1, copies) for at, one in enumerate(value)]
        if copies is not None:
            copies[id(value)] = made
        return made
    raise UsageError(
        f"{path or 'the value'}: {type_in_words(value)} is not a value of JSON; use strings,"
        " numbers, booleans, None, lists and dicts"
    )


def same(one: Any, other: Any) -> bool:
    """Return whether two JSON values are equal. true and 1 aren't equal, but 1 and 1.0 are."""
    if one.__class__ is str:  # the usual case
        return bool(one == other)
    if isinstance(one, dict):
        if not isinstance(other, dict) or len(one) != len(other):
            return False
        for key, value in one.items():  # faster than all()
            if key not in other or not same(value, other[key]):
                return False
        return True
    if isinstance(one, list):
        return isinstance(other, list) and len(one) == len(other) and all(map(same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)
