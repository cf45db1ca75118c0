"""Which class name each object of a schema gets.

Objects are named in an order: what people write comes before what they only read, so that all of `spec` comes before
`status`, and `initProvider`, which repeats `forProvider`, behind the rest of `spec`; among these breadth first. The
first that wants a name gets it; objects of the same shape that want the same name share one class, and a later one of
another shape gets its parent's name in front.

Earlier names come first of all: an object that has a class in the module's earlier table keeps its name,
so that a new field elsewhere renames nothing, wherever it stands. Where objects that shared a class have different
fields now, those that come first in the order keep it: of those in `spec`, or only in `initProvider`, or only in
`status`, the shape that lacks the fewest of the class's fields that others still have, and of such shapes the one that
most have.

What people construct by the class's name goes on working in all places where its fields are still there: the class that
keeps the name has these fields, and its models are taken in the places of the others (see `_models.kin`). Only where
each shape has lost a field that another one still has, no class has all of them.

So names may depend on what was generated before. Those that are others than a new folder would have are `recorded`:
with them and without the earlier table a schema gets the same names.
"""

from __future__ import annotations

import ast
import functools
import keyword
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from .._models.types import unescape
from .._paths.text import show
from .schema import ObjectSchema

__all__ = ["Field", "Names", "earlier_table", "fields_of", "place_of"]

# How far back in the order an object stands, by its place.
_WRITTEN, _INITIAL, _READ = range(3)
# What the letters of a table take.
_SCALARS: Final = {"s": "s", "i": "i", "b": "b", "f": "fi", "q": "is"}


class Names:
    """The class names of one module.

    Args:
        reserved: Names that are given already, to the module's kinds and components.
        earlier: The table that the module had before: the text of each class by its name.
        recorded: Its names of an earlier run, by place; they count where there is no table.

    Attributes:
        recorded: Once names are given, those that history decided, by place.
    """

    def __init__(
        self,
        reserved: Iterable[str],
        earlier: Mapping[str, str] | None = None,
        recorded: Mapping[str, str] | None = None,
    ) -> None:
        self.recorded = dict(recorded or {})
        self._reserved = frozenset(reserved)
        self._earlier = earlier or {}

    def give(self, units: Sequence[Sequence[ObjectSchema]]) -> list[list[ObjectSchema]]:
        """Name the objects of a module's kinds and components, each of them beginning with the whole.

        Returns:
            Those that become classes, for each kind or component: one of each name, breadth first.
        """
        ordered = _in_order(units)
        fresh = given = self._assigned(ordered, {})
        if self._earlier:
            before: dict[int, str] = {}
            for nodes in units:
                before |= self._earlier_names(nodes)
            if any(fresh.get(one, name) != name for one, name in before.items()):
                given = self._assigned(ordered, before)
        elif self.recorded:
            places = {id(node): _usable(self.recorded.get(place_of(node), "")) for _, node in ordered}
            given = self._assigned(ordered, {one: name or fresh[one] for one, name in places.items()})
        self.recorded = {place_of(node): given[id(node)] for _, node in ordered if given[id(node)] != fresh[id(node)]}
        classes: dict[str, ObjectSchema] = {}
        for node in (node for nodes in units for node in nodes):
            node.name = node.hint if node.parent is None else given[id(node)]
            first = classes.setdefault(node.name, node)
            if first is not node:
                _agree(first, node)
        return [[node for node in nodes if classes[node.name] is node] for nodes in units]

    def _assigned(self, ordered: Sequence[tuple[int, ObjectSchema]], before: Mapping[int, str]) -> dict[int, str]:
        """Return the name of each object, by its identity.

        Args:
            ordered: The objects in their order, with how far back they stand.
            before: The names that objects had before.
        """
        shapes: dict[str, int | None] = dict.fromkeys(self._reserved)
        shared: dict[tuple[str, int], str] = {}
        given: dict[int, str] = {}
        kept = self._kept(ordered, before) if before else {}

        def take(node: ObjectSchema, name: str) -> None:
            given[id(node)] = name
            shapes[name] = node.shape
            shared.setdefault((node.hint, node.shape), name)

        if kept:
            for _, node in ordered:
                name = before.get(id(node), "")
                if name and kept[name] == node.shape == shapes.get(name, node.shape):
                    take(node, name)
        for _, node in ordered:
            if id(node) not in given:
                take(node, shared.get((node.hint, node.shape)) or _free(node, given, shapes))
        return given

    def _kept(self, ordered: Sequence[tuple[int, ObjectSchema]], before: Mapping[int, str]) -> dict[str, int]:
        """Return which shape keeps each name that objects had before."""
        ranks: dict[str, int] = {}
        places: dict[str, dict[int, _Places]] = {}
        for rank, node in ordered:
            name = before.get(id(node))
            if name is not None:
                is_first = ranks.setdefault(name, rank) == rank
                found = places.setdefault(name, {}).setdefault(node.shape, _Places(node))
                found.first += is_first
                found.later += not is_first
        return {name: self._keeper(name, shapes) for name, shapes in places.items()}

    def _keeper(self, name: str, shapes: Mapping[int, _Places]) -> int:
        """Return which of the shapes that had a name keeps it; of equal ones the first."""
        if len(shapes) == 1:
            return next(iter(shapes))

        def cost(shape: int) -> tuple[int, int, int]:
            lost = [(self._lost(name, shapes[shape].node, other.node), other) for other in shapes.values()]
            first = sum(number * other.first for number, other in lost)
            return first, sum(number * other.later for number, other in lost), -shapes[shape].first

        return min((shape for shape, found in shapes.items() if found.first), key=cost)

    def _lost(self, name: str, one: ObjectSchema, other: ObjectSchema) -> int:
        """Return how many fields of an earlier class, and of those within it, an object lacks that another has."""
        number = 0
        work = [(name, one, other)]
        while work:
            name, one, other = work.pop()
            for wire, field in fields_of(self._earlier[name]).items():
                is_class = field.inner in self._earlier
                has, below = _has(one, wire, field, is_class=is_class)
                other_has, other_below = _has(other, wire, field, is_class=is_class)
                if other_has and not has:
                    number += 1
                elif below is not None and other_below is not None:
                    work.append((field.inner, below, other_below))
        return number

    def _earlier_names(self, nodes: Sequence[ObjectSchema]) -> dict[int, str]:
        """Walk the earlier table along with the schema: the names of the classes that it had in the same places."""
        whole = nodes[0].hint
        names = {id(nodes[0]): whole} if whole in self._earlier else {}
        for node in nodes[1:]:
            above = names.get(id(node.parent))
            if above is None:
                continue
            found = fields_of(self._earlier[above]).get(node.wire)
            if found is not None and found.inner in self._earlier and _usable(found.inner):
                names[id(node)] = found.inner
        return names


class _Places:
    """The places of one shape that had a name.

    Attributes:
        node: One of them.
        first: How many come first in the order.
        later: How many others there are.
    """

    def __init__(self, node: ObjectSchema) -> None:
        self.node = node
        self.first = self.later = 0


def _has(node: ObjectSchema, wire: str, earlier: Field, *, is_class: bool) -> tuple[bool, ObjectSchema | None]:
    """Return whether an object has a field that takes what it took, and the object within, where it is one."""
    for field in node.fields:
        if field.wire == wire:
            around, inner = field.form.in_table()
            if around != earlier.around:
                return inner == "x" and earlier.around.startswith(around), None
            below = field.form.innermost.node
            if is_class:
                return below is not None or inner in ("o", "x"), below
            return inner in (earlier.inner, "x") or _letters(earlier.inner) <= _letters(inner), None
    return False, None


def _letters(code: str) -> set[str]:
    """Return the scalars that a table's type takes, by their letters; the code itself where it is none of scalars."""
    if any(one not in _SCALARS for one in code.split("|")):
        return {code}
    return set().union(*(_SCALARS[one] for one in code.split("|")))


def place_of(node: ObjectSchema) -> str:
    """Return the place of an object in its module: the class of the whole and the wire names down to it."""
    wires = []
    while node.parent is not None:
        wires.append(node.wire)
        node = node.parent
    return show([node.hint, *reversed(wires)])


def _in_order(units: Sequence[Sequence[ObjectSchema]]) -> list[tuple[int, ObjectSchema]]:
    """Return the objects within kinds and components in the order of naming, with how far back they stand."""
    ranks: dict[int, int] = {}
    found = []
    for nodes in units:
        for node in nodes[1:]:  # what lies within comes behind
            above = node.parent
            assert above is not None  # what has none is the whole
            if above.parent is None:
                rank = _READ if node.wire == "status" else _WRITTEN
            elif node.wire == "initProvider" and above.wire == "spec" and above.parent.parent is None:
                rank = _INITIAL
            else:
                rank = ranks[id(above)]
            ranks[id(node)] = rank
            found.append((rank, node))
    found.sort(key=lambda one: one[0])
    return found


def _free(node: ObjectSchema, given: Mapping[int, str], shapes: Mapping[str, int | None]) -> str:
    """Return a name that no other shape has."""
    name, number = node.hint, 1
    while name in shapes:
        assert node.parent is not None  # the whole has its name already
        number += 1
        above = given.get(id(node.parent), node.parent.hint)
        name = above + node.hint + (str(number - 1) if number > 2 else "")
    return name


def _usable(name: str) -> str:
    """Return a name if a class can have it, otherwise nothing."""
    return name if name.isidentifier() and not keyword.iskeyword(name) else ""


class Field(NamedTuple):
    """A field of a class in a table.

    Attributes:
        attribute: Its name in Python.
        around: The lists and maps that it is, as in `[{`.
        inner: What these hold, or it is: a letter, or a class without its module.
    """

    attribute: str
    around: str
    inner: str


@functools.lru_cache(maxsize=8192)  # classes of many kinds have the same text
def fields_of(text: str) -> Mapping[str, Field]:
    """Return the fields of a class in a table by wire name."""
    fields = {}
    for part in text.split(" "):
        names, _, type_ = part.rpartition(":")
        if names and part[0] != "@":
            attribute, _, wire = names.partition("=")
            type_ = type_.partition("#")[0]
            inner = type_.lstrip("[{")
            try:
                fields[unescape(wire) or attribute] = Field(
                    attribute, type_.removesuffix(inner), inner.rpartition(".")[2]
                )
            except ValueError:  # changed by hand
                continue
    return fields


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
