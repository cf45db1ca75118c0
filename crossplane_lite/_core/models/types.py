"""The types of models' fields, parsed from the type texts of tables, such as `[s` for a list of
strings.

A table lists the classes and fields of a module as strings (see `crossplane_lite.table`). Only this
module reads its types and fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final

from ..base.texts import articled
from ..paths.text import step_of

if TYPE_CHECKING:
    from .node import ModelShape

LEAF: Final = 0
ANY: Final = 1  # any JSON value; objects read as mappings
MODEL: Final = 2
LIST: Final = 3
MAP: Final = 4
DYNAMIC: Final = 5  # any JSON value; objects read as models that take any attribute
# an object without a schema: in desired state it reads as a model that takes any attribute
OBJECT: Final = 6

MANAGED: Final = frozenset(("forProvider", "managementPolicies", "providerConfigRef"))
"""The fields of a spec that make a kind one of managed resources."""

MACHINERY: Final = ("Policy", "Ref", "Refs", "Selector")
"""How the names of fields end whose values may be types that Crossplane's providers share."""

SCALARS: Final[frozenset[type]] = frozenset({str, int, float, bool})
_NOTHING: Final[frozenset[type]] = frozenset()
# The scalars of the tables' letters: the classes that are kept as they are, and the type in words.
_LETTERS: Final[dict[str, tuple[frozenset[type], str]]] = {
    "s": (frozenset({str}), "a string"),
    "i": (frozenset({int}), "an integer"),
    "f": (frozenset({float, int}), "a number"),
    "b": (frozenset({bool}), "a boolean"),
}

_Probe = Callable[[Iterable[Any]], object]
# Joining is the fastest check that all of some values are strings. The constructor asks it for each
# list of strings, and for the keys of each map.
all_strings: Final[_Probe] = "".join
_PROBES: Final[dict[frozenset[type], _Probe]] = {_LETTERS["s"][0]: all_strings}

Resolve = Callable[[str], "type[ModelShape]"]


def _taken(letters: str) -> frozenset[type]:
    return _NOTHING.union(*(_LETTERS[one][0] for one in letters))


def _probe(takes: frozenset[type]) -> _Probe:
    fit = takes.issuperset

    def probe(items: Iterable[Any]) -> None:
        if not fit(map(type, items)):
            raise TypeError

    return probe


class Type:
    """The type of a field, or of the items of a list or map.

    Attributes:
        code: One of the constants of this module.
        ref: The class's name in its table, for MODEL.
        item: The items' type, for LIST, MAP, ANY and DYNAMIC.
        takes: The classes of scalars that are kept as they are: `adopt` decides about all others.
        words: The allowed scalars in words, for messages; empty for types other than scalars.
        probe: For a list or a map of scalars: a function that raises TypeError unless all items can
            be kept as they are. None for other types.
        is_item: Whether this is a list or a map that is the item of another list or map.
        place: For messages about a list or a map: its class, its field, and a `[]` for each list or
            map around it.
        keys: The keys by which Kubernetes merges a list (x-kubernetes-list-map-keys).
        made: The class; None until `cls` is first read.
        settles: Whether a missing value means empty once the object is ready, because API servers
            leave out values that are false, zero or empty.
    """

    __slots__ = (
        *(
            "_resolve",
            "code",
            "is_item",
            "item",
            "keys",
            "made",
            "place",
            "probe",
            "ref",
            "settles",
            "takes",
            "words",
        ),
    )

    def __init__(
        self,
        code: int,
        *,
        ref: str = "",
        item: Type | None = None,
        keys: tuple[str, ...] = (),
        resolve: Resolve | None = None,
        settles: bool = False,
        letters: str = "",
    ) -> None:
        self.code = code
        self.ref = ref
        self.item: Type = item if item is not None else self
        self.takes = SCALARS if code in (ANY, DYNAMIC) else _taken(letters) if letters else _NOTHING
        self.words = " or ".join([_LETTERS[one][1] for one in letters]) if letters else ""
        self.probe: _Probe | None = None
        self.is_item = False
        self.place: tuple[str, ...] = ()
        if item is not None and item.takes:
            self.probe = _PROBES.get(item.takes) or _PROBES.setdefault(
                item.takes, _probe(item.takes)
            )
        elif item is not None and item.code in (LIST, MAP):
            item.is_item = True
        self.keys = keys
        self._resolve = resolve
        self.made: type[ModelShape] | None = None
        self.settles = settles or code in (LIST, MAP)

    @property
    def cls(self) -> type[ModelShape]:
        """The model class, for MODEL, DYNAMIC and OBJECT. It is made when this is first read.

        Raises:
            UsageError: The table is malformed, or uses an alias that it doesn't define.
            AttributeError: The table doesn't have the class.
        """
        if self.made is None:
            assert self._resolve is not None  # every type of models has one
            self.made = self._resolve(self.ref)
        return self.made

    @property
    def name(self) -> str:
        """The class's own name without its module's alias, for MODEL."""
        return self.ref.rpartition(".")[2]

    def may_have(self, name: str) -> bool:
        """Say whether a value of this type can have the attribute `name`: a field, a key or a
        method.
        """
        if self.code == LEAF:
            return any(hasattr(one, name) for one in self.takes)
        if self.code == MODEL:
            return self._field(name) is not None or hasattr(self.cls, name)
        return self.code != LIST or hasattr(list, name)

    def below(self, step: str | int) -> Type | None:
        """Return the type of an item or a field; None if it isn't known."""
        if self.code == MODEL and isinstance(step, str):
            field = self._field(step)
            return None if field is None else field.type
        return self.item if self.code == (MAP if isinstance(step, str) else LIST) else None

    def _field(self, name: str) -> Field | None:
        return self.cls.__wire_fields__.get(name) or self.cls._by_wire(name)

    def excludes(self, given: Type) -> bool:
        """Say whether no value of the type `given` can be set here. An unknown type isn't
        excluded.
        """
        wanted = self
        while wanted.code == given.code in (LIST, MAP):
            wanted, given = wanted.item, given.item
        if not {wanted.code, given.code}.isdisjoint((ANY, DYNAMIC)):
            return False
        if wanted.code == LEAF == given.code:
            return wanted.takes.isdisjoint(given.takes)
        return wanted.code != given.code and not {wanted.code, given.code}.isdisjoint((LEAF, LIST))

    def describe(self, *, with_module: bool = False) -> str:
        """Return the type in words, such as `a list`, for error messages.

        Args:
            with_module: Whether the name of a model class is followed by its module's name.
        """
        if self.code == MODEL:
            return f"{articled(self.name, self.cls.__module__ if with_module else '')} or a mapping"
        if self.code == OBJECT:
            return "a mapping or a model"
        if self.code == LIST:
            return "a list"
        return "a mapping" if self.code == MAP else self.words or "a value"


def kin_name(name: str) -> str:
    """Return the name that a class shares with its kin: the name without `Item` at the end.

    The class for items of a list ends in `Item`, once for each list around the items. `Item` itself
    stays.
    """
    while name.endswith("Item") and name != "Item":
        name = name[:-4]
    return name


ANY_TYPE: Final = Type(ANY)
_SIMPLE: Final = {
    "s": Type(LEAF, letters="s"),
    "i": Type(LEAF, letters="i", settles=True),
    "b": Type(LEAF, letters="b", settles=True),
    "q": Type(LEAF, letters="is"),
    "f": Type(LEAF, letters="f", settles=True),
    "x": ANY_TYPE,
}


class Field:
    """One field of a model class.

    Attributes:
        name: The attribute, which is the field's name in Python.
        wire: The field's name in Kubernetes.
        step: The name in Kubernetes as a step of a path, such as `.spec`.
        type: The type of its values.
        takes: The classes of scalars that can be kept as they are; empty for a fixed field, such as
            apiVersion.
        copied: `list` or `dict` if a value of this class only has to be copied once `probe` has
            accepted its items; else None.
        probe: The type's `probe` (see `Type`).
        lists: Whether the field holds a list of models.
    """

    __slots__ = ("copied", "lists", "name", "probe", "step", "takes", "type", "wire")

    def __init__(self, name: str, wire: str, type_: Type, *, fixed: bool = False) -> None:
        self.name = name
        self.wire = wire
        self.step = step_of(wire)
        self.type = type_
        self.takes: frozenset[type] = _NOTHING if fixed else type_.takes
        self.probe: Any = type_.probe
        self.lists = type_.code == LIST and type_.item.code == MODEL
        self.copied: type | None = (
            None if type_.probe is None else {LIST: list, MAP: dict}.get(type_.code)
        )

    def belongs_to(self, cls: str) -> None:
        """Set the name of the field's class, for messages about the field's list or map."""
        type_ = self.type
        type_.place = (cls, self.step)
        while type_.item.is_item:
            type_.item.place = (*type_.place, "[]")
            type_ = type_.item


def parse_type(text: str, resolve: Resolve | None = None) -> Type:
    """Parse the type of a table's field, such as `s`, `b|s`, `{s` or
    `[Port#containerPort,protocol`.

    `resolve` returns the class for a name when the class is first used. Raises ValueError,
    IndexError or KeyError for a malformed type.
    """
    simple = _SIMPLE.get(text)
    if simple is not None:
        return simple
    if text[0] == "[":
        item, _, keys = text[1:].partition("#")
        names = tuple(map(unescape, keys.split(","))) if keys else ()
        return Type(LIST, item=parse_type(item, resolve), keys=names)
    if text[0] == "{":
        return Type(MAP, item=parse_type(text[1:], resolve))
    if text == "o":
        return Type(OBJECT, resolve=resolve)
    if text[1:2] == "|":
        return _SIMPLE.setdefault(text, Type(LEAF, letters=text.replace("|", "")))
    return Type(MODEL, ref=text, resolve=resolve)


def parse_field(text: str, resolve: Resolve) -> Field:
    """Parse one field of a table's class, such as `location:s` or `from_=from:s` (attribute,
    Kubernetes name, type).

    `resolve` returns the class for a name when the class is first used. Raises ValueError,
    IndexError or KeyError for a malformed field.
    """
    names, _, type_text = text.rpartition(":")
    name, _, wire = names.partition("=")
    if not name.isidentifier() or not type_text:
        raise ValueError(text)
    return Field(name, unescape(wire) or name, parse_type(type_text, resolve))


def unescape(text: str) -> str:
    """Return a Kubernetes name that is written in a table, where `%` and two hex digits stand for a
    byte.

    Raises:
        ValueError: The two characters after a `%` are missing or no hex digits, or the bytes aren't
            UTF-8.
    """
    if "%" not in text:
        return text
    first, *rest = text.split("%")
    if any(len(part) < 2 for part in rest):
        raise ValueError(text)
    return b"".join(
        [first.encode(), *(bytes.fromhex(part[:2]) + part[2:].encode() for part in rest)]
    ).decode()
