"""The class names of the objects in a module's schemas.

Objects are named in this order: first all that people write, then `initProvider`, which only repeats `forProvider`, and
then `status`, which people only read. Within each of the three the order is breadth first. The first object that wants
a name gets it. Another object of the same shape that wants the same name shares its class. An object of another shape
gets the name of its parent in front of its own.

Names of an earlier run come before that order. They are in the module's earlier table: the dict in the module that
lists its classes and their fields. An object that has a class in this table keeps the name, so a new field elsewhere in
the schema renames nothing.

If objects that shared a class have different shapes now, only one of the shapes keeps the name. Only the shapes of the
objects that come first in the order can keep it: of those that people write, or else of those in `initProvider`, or
else of those in `status`. Among these shapes, the name goes to the one that has lost the fewest of the old class's
fields. Each lost field counts once for each object that still has it, so fields that no object has any more don't
count. Objects that come first in the order are counted first; the others decide between equals. If shapes are equal in
this as well, the name goes to the most frequent one.

The models of the class that keeps the name are accepted in the places of the classes that were split off (see
`_models.kin`). So code that constructs models by the class's name goes on working in every place that still has the
fields it sets, if the class has these fields, too. It can lack a field that other shapes still have: if each shape has
lost a field that another one has, or if only objects later in the order have kept the field.

So names may depend on earlier runs. Names that differ from those in a new folder are in `Names.recorded`. With these
records a schema gets the same names again, also without the earlier table.
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

# The ranks in the order of naming: objects that people write, `initProvider`, `status`.
_WRITTEN, _INITIAL, _READ = range(3)
# The scalars that each letter of a table accepts: a float field, `f`, also accepts integers.
_SCALARS: Final = {"s": "s", "i": "i", "b": "b", "f": "fi", "q": "is"}


class Names:
    """The class names of one module.

    Args:
        reserved: The names of the module's kinds and components, which no other class may get.
        earlier: The module's earlier table: the text of each class by its name.
        recorded: The names that an earlier run recorded, by the object's place. They count only without `earlier`.

    Attributes:
        recorded: After `give`, the names that differ from those in a new folder, by the object's place.
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
        """Set the name of every object in a module, and choose the objects that become classes.

        Args:
            units: The objects of each kind or component, breadth first: the kind or component itself comes first.

        Returns:
            For each kind or component its objects that become classes, breadth first. Of the objects that share a name,
            only the first becomes a class.
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
        """Return the name of each object, by `id(object)`.

        Args:
            ordered: The objects in the order of naming, each with its rank.
            before: The names that objects keep if they can, by `id(object)`.
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
        """Return, for each name in `before`, the shape whose objects keep the name. Arguments are as in `_assigned`."""
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
        """Return the one of `shapes` that keeps a class name, which objects of all these shapes had.

        If several shapes are equally good, the first of them keeps the name.
        """
        if len(shapes) == 1:
            return next(iter(shapes))

        def cost(shape: int) -> tuple[int, int, int]:
            lost = [(self._lost(name, shapes[shape].node, other.node), other) for other in shapes.values()]
            first = sum(number * other.first for number, other in lost)
            return first, sum(number * other.later for number, other in lost), -shapes[shape].first

        return min((shape for shape, found in shapes.items() if found.first), key=cost)

    def _lost(self, name: str, one: ObjectSchema, other: ObjectSchema) -> int:
        """Return the number of fields of an earlier class that `one` lacks and `other` still has.

        Fields of the classes within the earlier class count too, if `one` and `other` still have objects there.

        Args:
            name: The name of the earlier class.
            one: The object that may lack fields.
            other: The object with which `one` is compared.
        """
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
        """Return, by `id(object)`, the name of the class that the earlier table has in each object's place.

        Objects in places that the earlier table doesn't have are left out.

        Args:
            nodes: The objects of a kind or component, breadth first.
        """
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
    """The objects of one shape that had the same class name.

    Attributes:
        node: One of these objects.
        first: How many of these objects have the lowest rank that any object of that name has.
        later: How many of these objects have a higher rank.
    """

    def __init__(self, node: ObjectSchema) -> None:
        self.node = node
        self.first = self.later = 0


def _has(node: ObjectSchema, wire: str, earlier: Field, *, is_class: bool) -> tuple[bool, ObjectSchema | None]:
    """Look in an object for a field of an earlier class.

    Args:
        node: The object.
        wire: The wire name of the field.
        earlier: The field as it was in the earlier class.
        is_class: Whether the earlier field held models of a class, alone or in lists or maps.

    Returns:
        Whether the object has a field of that name that accepts all values of the earlier field; and the object that
        this field holds now, or None if the field is missing, holds no object, or has other lists or maps around it.
    """
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
    """Return the letters of the scalars that the type `code` of a table accepts; for other types, `{code}`."""
    if any(one not in _SCALARS for one in code.split("|")):
        return {code}
    return set().union(*(_SCALARS[one] for one in code.split("|")))


def place_of(node: ObjectSchema) -> str:
    """Return the place of an object in its module, such as `Bucket.spec.forProvider`.

    The place begins with the class name of the kind or component. The wire names that lead to the object follow.
    """
    wires = []
    while node.parent is not None:
        wires.append(node.wire)
        node = node.parent
    return show([node.hint, *reversed(wires)])


def _in_order(units: Sequence[Sequence[ObjectSchema]]) -> list[tuple[int, ObjectSchema]]:
    """Return the objects in the order of naming, each with its rank; kinds and components themselves are left out."""
    ranks: dict[int, int] = {}
    found = []
    for nodes in units:
        for node in nodes[1:]:  # the first is the kind or component itself
            above = node.parent
            assert above is not None  # only the kind or component itself has no parent
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
    """Return a class name for `node` that isn't a key of `shapes`: its `hint`, or the parent's name and its `hint`.

    If both names are taken, a number is added to the second one.

    Args:
        node: The object.
        given: The class names that objects have already, by `id(object)`.
        shapes: The class names that are taken.
    """
    name, number = node.hint, 1
    while name in shapes:
        assert node.parent is not None  # kinds and components have their names already
        number += 1
        above = given.get(id(node.parent), node.parent.hint)
        name = above + node.hint + (str(number - 1) if number > 2 else "")
    return name


def _usable(name: str) -> str:
    """Return a name if a class can have it, otherwise an empty string."""
    return name if name.isidentifier() and not keyword.iskeyword(name) else ""


class Field(NamedTuple):
    """A field of a class in a table.

    Attributes:
        attribute: Its name in Python.
        around: The lists and maps around its type, such as `[{` for a list of maps; empty without any.
        inner: The type in these lists and maps: letters of scalars, or the name of a class without its module.
    """

    attribute: str
    around: str
    inner: str


@functools.lru_cache(maxsize=8192)  # classes of many kinds have the same text
def fields_of(text: str) -> Mapping[str, Field]:
    """Return the fields in the text of a class in a table, by wire name. Fields that can't be read are left out."""
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
            except ValueError:  # somebody changed the file by hand: this field is left out
                continue
    return fields


def _agree(first: ObjectSchema, other: ObjectSchema) -> None:
    """Clear the note of each field of `first` for which `other`, an object with the same class, has another note."""
    for one, two in zip(first.fields, other.fields, strict=True):
        if one.note != two.note:
            one.note = ""


def earlier_table(source: str | None) -> dict[str, str]:
    """Return the table in the source of a generated module: the text of each class, by the class's name.

    The table is empty if there is no source, or if the source isn't that of a generated module.
    """
    if source is None or "load(" not in source:
        return {}
    try:
        tree = ast.parse(source)
        table = next(node for node in ast.walk(tree) if isinstance(node, ast.Dict))
        found = ast.literal_eval(table)
    except (SyntaxError, StopIteration, ValueError, RecursionError, MemoryError):
        return {}  # it isn't a generated module any more, so there are no names to keep
    return {name: text for name, text in found.items() if isinstance(name, str) and isinstance(text, str)}
