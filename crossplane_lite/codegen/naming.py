"""Which class name each object of a schema gets.

Objects are named breadth first. The first that wants a name gets it; objects of the same shape that want the same name
share one class, and a later one of another shape gets its parent's name in front. What was generated before comes
first of all: an object that has a class in the module's earlier table keeps its name, so that a new field elsewhere
renames nothing, wherever it stands. Of objects that shared a class those that are as they were keep it.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Iterable, Mapping, Sequence

from .._models.types import unescape
from .schema import Form, ObjectSchema

__all__ = ["Names", "earlier_table"]


class Names:
    """The class names of one module.

    Args:
        reserved: Names that are given already, to the module's kinds and components.
        earlier: The table that the module had before: the text of each class by its name.
    """

    def __init__(self, reserved: Iterable[str], earlier: Mapping[str, str] | None = None) -> None:
        self._shapes: dict[str, int | None] = dict.fromkeys(reserved)
        self._shared: dict[tuple[str, int], str] = {}
        self._earlier = earlier or {}
        self._parsed: dict[str, dict[str, tuple[str, str]]] = {}

    def give(self, units: Sequence[Sequence[ObjectSchema]]) -> list[list[ObjectSchema]]:
        """Name the objects of a module's kinds and components, each of them beginning with the whole.

        Returns:
            Those that become classes, for each kind or component: one of each name, breadth first.
        """
        before: dict[int, str] = {}
        for nodes in units:
            nodes[0].name = nodes[0].hint
            before |= self._earlier_names(nodes)
        below = [node for nodes in units for node in nodes[1:]]
        kept = self._unchanged(below, before)
        for node in sorted(below, key=lambda node: id(node) not in kept):
            name = before.get(id(node), "")
            if name and self._shapes.get(name, node.shape) == node.shape:
                self._take(node, name)
        for node in below:
            if not node.name:
                self._take(node, self._shared.get((node.hint, node.shape)) or self._free(node))
        classes: dict[str, ObjectSchema] = {}
        for node in (node for nodes in units for node in nodes):
            first = classes.setdefault(node.name, node)
            if first is not node:
                _agree(first, node)
        return [[node for node in nodes if classes[node.name] is node] for nodes in units]

    def _take(self, node: ObjectSchema, name: str) -> None:
        node.name = name
        self._shapes[name] = node.shape
        self._shared.setdefault((node.hint, node.shape), name)

    def _free(self, node: ObjectSchema) -> str:
        name, number = node.hint, 1
        while name in self._shapes:
            assert node.parent is not None  # what has none is named already
            number += 1
            name = node.parent.name + node.hint + (str(number - 1) if number > 2 else "")
        return name

    def _earlier_names(self, nodes: Sequence[ObjectSchema]) -> dict[int, str]:
        """Walk the earlier table along with the schema: the names of the classes that it had in the same places."""
        names = {id(nodes[0]): nodes[0].name} if nodes[0].name in self._earlier else {}
        for node in nodes[1:]:
            above = names.get(id(node.parent))
            if above is None:
                continue
            name = self._fields(above).get(node.wire, ("", ""))[1]
            if name in self._earlier and name.isidentifier() and not keyword.iskeyword(name):
                names[id(node)] = name
        return names

    def _unchanged(self, nodes: Sequence[ObjectSchema], before: Mapping[int, str]) -> set[int]:
        """Return the objects that have the fields of their earlier class, all the way down."""
        same: set[int] = set()
        for node in reversed(nodes):  # what lies within comes behind
            name = before.get(id(node))
            if name is None or node.is_open is not ("*" in self._earlier[name].split(" ")):
                continue
            within = [field.form.innermost.node for field in node.fields]
            if all(one is None or id(one) in same for one in within):
                if {field.wire: _type(field.form, before) for field in node.fields} == self._fields(name):
                    same.add(id(node))
        return same

    def _fields(self, name: str) -> dict[str, tuple[str, str]]:
        """Return the fields of an earlier class by wire name: what lists and maps they are, and of what."""
        if name not in self._parsed:
            self._parsed[name] = _parsed(self._earlier[name])
        return self._parsed[name]


def _parsed(text: str) -> dict[str, tuple[str, str]]:
    fields = {}
    for part in text.split(" "):
        names, _, type_ = part.rpartition(":")
        if names and part[0] != "@":
            attribute, _, wire = names.partition("=")
            type_ = type_.partition("#")[0]
            inner = type_.lstrip("[{")
            try:
                fields[unescape(wire) or attribute] = (type_.removesuffix(inner), inner.rpartition(".")[2])
            except ValueError:  # changed by hand
                continue
    return fields


def _type(form: Form, before: Mapping[int, str]) -> tuple[str, str]:
    """Return a type as it was written in the earlier table."""
    around = ""
    while form.item is not form:
        around += form.code
        form = form.item
    if form.node is not None:
        return around, before.get(id(form.node), "")
    return around, form.code if form.ref is None else form.ref.name


def _agree(first: ObjectSchema, other: ObjectSchema) -> None:
    """Keep of two objects that share a class only what holds for both."""
    for one, two in zip(first.fields, other.fields, strict=True):
        if one.note != two.note:
            one.note = ""


def earlier_table(source: str | None) -> dict[str, str]:
    """Return the table of a module that was generated before, from its source; nothing where it has none."""
    if source is None or "load(" not in source:
        return {}
    try:
        tree = ast.parse(source)
        table = next(node for node in ast.walk(tree) if isinstance(node, ast.Dict))
        found = ast.literal_eval(table)
    except (SyntaxError, StopIteration, ValueError, RecursionError, MemoryError):
        return {}  # not a module of ours any more: there is nothing to keep
    return {name: text for name, text in found.items() if isinstance(name, str) and isinstance(text, str)}
