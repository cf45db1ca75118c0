"""Chooses the class names of the objects in a module's schemas.

An object is a schema with properties. Its shape is its fields with their types. The name that an
object should have is its hint, which is made from the name of the object's field.

Objects are named in three ranks: first all objects that people write; then `spec.initProvider`,
which repeats `spec.forProvider`; then `status`, which people only read. The order in each rank is
breadth first. The first object with a hint gets the hint as its name. A later object with the same
hint and shape shares the class. A later object with the same hint and another shape gets its
parent's class name in front of the hint.

Names of an earlier run have precedence. They are read from the module's earlier table: the dict in
the generated module that has a text for each class. An object that has a class in this table keeps
the name, so a new field elsewhere in the schema renames nothing.

If objects that shared a class have different shapes now, only one of the shapes keeps the name. It
is chosen like this:

1. Only the shapes of objects in the first rank are candidates: the first of the three ranks with
   such an object.
2. The candidate that has lost the fewest fields of the old class wins. A field counts as often as
   there are objects in that rank that still have the field. So a field that no object has any more
   doesn't count.
3. Candidates that are equal in this are compared by the fields that objects in the other ranks
   still have.
4. If they are still equal, the shape with the most objects in the first rank wins; at last, the
   shape that comes first.

The other shapes get classes with new names. Fields of these classes also accept models of the class
that kept the name (see `models.adopt`). So code that makes models of that class goes on working
wherever both classes have the fields that the code sets. The class that kept the name can lack a
field that another class still has.

So names may depend on earlier runs. Names that differ from those in a new folder are in
`Names.recorded`. With these records a schema gets the same names again, also without the earlier
table.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ..._core.paths.text import show
from .shapes import ObjectSchema
from .tables import Field, fields_of

# The ranks in the order of naming: objects that people write, `initProvider`, `status`.
_WRITTEN, _INITIAL, _READ = range(3)
# The scalars that each letter of a table accepts: a float field, `f`, also accepts integers.
_SCALARS: Final = {"s": "s", "i": "i", "b": "b", "f": "fi", "q": "is"}


class Names:
    """The class names of one module.

    Args:
        reserved: The names of the module's kinds and components, which no other class may get.
        earlier: The module's earlier table: the text of each class, by the class's name.
        recorded: The class names that an earlier run recorded, by `place_of` the object. They are
            used only if `earlier` is empty or None.

    Attributes:
        recorded: After `give`: the class names that would be different in a new folder, by
            `place_of` the object.
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
        """Set the name of every object in a module and `recorded`, and choose the objects that
        become classes.

        If two objects share a class, the notes of fields in which they differ are cleared.

        Args:
            units: The objects of each kind or component, breadth first: the kind or component
                itself comes first.

        Returns:
            For each kind or component, the objects that become classes, breadth first. Of the
            objects with the same name, only the first becomes a class.
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
            places = {
                id(node): _usable(self.recorded.get(place_of(node), "")) for _, node in ordered
            }
            given = self._assigned(
                ordered, {one: name or fresh[one] for one, name in places.items()}
            )
        self.recorded = {
            place_of(node): given[id(node)]
            for _, node in ordered
            if given[id(node)] != fresh[id(node)]
        }
        classes: dict[str, ObjectSchema] = {}
        for node in (node for nodes in units for node in nodes):
            node.name = node.hint if node.parent is None else given[id(node)]
            first = classes.setdefault(node.name, node)
            if first is not node:
                _agree(first, node)
        return [[node for node in nodes if classes[node.name] is node] for nodes in units]

    def _assigned(
        self, ordered: Sequence[tuple[int, ObjectSchema]], before: Mapping[int, str]
    ) -> dict[int, str]:
        """Return the class name of each object, by `id(object)`.

        Args:
            ordered: The objects in the order of naming, each with its rank (see `_in_order`).
            before: The earlier names of objects, by `id(object)`. Objects whose shape keeps its
                name get them again.
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

    def _kept(
        self, ordered: Sequence[tuple[int, ObjectSchema]], before: Mapping[int, str]
    ) -> dict[str, int]:
        """Return the shape whose objects keep a name, for each name in `before`. Arguments are as
        in `_assigned`.
        """
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
        """Return the shape that keeps the class name `name`; the module's docstring has the rules.

        Args:
            name: The name of an earlier class.
            shapes: The present shapes of the objects that had this class, each with its objects.
        """
        if len(shapes) == 1:
            return next(iter(shapes))

        def cost(shape: int) -> tuple[int, int, int]:
            lost = [
                (self._lost(name, shapes[shape].node, other.node), other)
                for other in shapes.values()
            ]
            first = sum(number * other.first for number, other in lost)
            return first, sum(number * other.later for number, other in lost), -shapes[shape].first

        return min((shape for shape, found in shapes.items() if found.first), key=cost)

    def _lost(self, name: str, one: ObjectSchema, other: ObjectSchema) -> int:
        """Return how many fields of an earlier class `one` lacks, and `other` still has.

        A field whose type doesn't accept all earlier values counts as lacking. If both objects
        still have an object in a field of the class, the fields of that inner object count, too.
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
        """Return the name of the class that each object had in the earlier table, by `id(object)`.

        An object is left out if its field had no class in the earlier table, or the class's name
        isn't usable.

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
        node: The first of these objects.
        first: How many of these objects are in the first rank with an object of that class name.
        later: How many of these objects are in later ranks.
    """

    def __init__(self, node: ObjectSchema) -> None:
        self.node = node
        self.first = self.later = 0


def _has(
    node: ObjectSchema, wire: str, earlier: Field, *, is_class: bool
) -> tuple[bool, ObjectSchema | None]:
    """Return whether an object still has a field of an earlier class, and the object in that field.

    The field must accept all values of the earlier one, which held models of a class if `is_class`.
    The inner object is None if the field is missing, holds no object, or has other lists or maps
    around its type.
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
    """Return the letters of the scalar types that the type `code` accepts, such as f and i for `f`.

    For a type that isn't a scalar or a union of scalars, return `{code}`.
    """
    if any(one not in _SCALARS for one in code.split("|")):
        return {code}
    return set().union(*(_SCALARS[one] for one in code.split("|")))


def place_of(node: ObjectSchema) -> str:
    """Return the place of an object in its module, such as `Bucket.spec.forProvider`.

    The place is the class name of the kind or component, and then the fields that lead to the
    object, with the names that they have in Kubernetes.
    """
    wires = []
    while node.parent is not None:
        wires.append(node.wire)
        node = node.parent
    return show([node.hint, *reversed(wires)])


def _in_order(units: Sequence[Sequence[ObjectSchema]]) -> list[tuple[int, ObjectSchema]]:
    """Return pairs of a rank and an object, in the order of naming. Kinds and components themselves
    are left out.

    The ranks are `_WRITTEN`, `_INITIAL` and `_READ`.
    """
    ranks: dict[int, int] = {}
    found = []
    for nodes in units:
        for node in nodes[1:]:  # the first is the kind or component itself
            above = node.parent
            assert above is not None  # only the kind or component itself has no parent
            if above.parent is None:
                rank = _READ if node.wire == "status" else _WRITTEN
            elif (
                node.wire == "initProvider" and above.wire == "spec" and above.parent.parent is None
            ):
                rank = _INITIAL
            else:
                rank = ranks[id(above)]
            ranks[id(node)] = rank
            found.append((rank, node))
    found.sort(key=lambda one: one[0])
    return found


def _free(node: ObjectSchema, given: Mapping[int, str], shapes: Mapping[str, int | None]) -> str:
    """Return a class name for `node` that isn't taken yet.

    The name is the object's hint. If that is taken: the parent's class name and the hint, such as
    `SpecRule`. If that is taken, too: the same with a number at the end. `given` has the names of
    objects by `id(object)`; the keys of `shapes` are taken.
    """
    name, number = node.hint, 1
    while name in shapes:
        assert node.parent is not None  # kinds and components have their names already
        number += 1
        above = given.get(id(node.parent), node.parent.hint)
        name = above + node.hint + (str(number - 1) if number > 2 else "")
    return name


def _usable(name: str) -> str:
    """Return `name` if it is an identifier and no keyword, so that a class can have it; else an
    empty string.
    """
    return name if name.isidentifier() and not keyword.iskeyword(name) else ""


def _agree(first: ObjectSchema, other: ObjectSchema) -> None:
    """Clear the notes (such as `Required.`) and rules of fields in `first` that differ from those
    in `other`.

    Both objects have the same class, which can have only one note and the rules of both.
    """
    first.parameters = [name for name in first.parameters if name in other.parameters]
    for one, two in zip(first.fields, other.fields, strict=True):
        if one.note != two.note:
            one.note = ""
        one.required = one.required and two.required
        one.is_given = one.is_given and two.is_given
        one.limit = one.limit if one.limit == two.limit else ""
