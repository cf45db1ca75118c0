"""What a model's field holds: the parsed form of a table's type texts.

A table is data (see `crossplane_lite.table`); this is the only place that reads its small language.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from .shape import ModelShape

__all__ = [
    "ANY",
    "ANY_TYPE",
    "DYNAMIC",
    "FLOAT",
    "LEAF",
    "LIST",
    "MAP",
    "MODEL",
    "SCALARS",
    "Field",
    "Type",
    "articled",
    "parse_field",
    "unescape",
]

LEAF: Final = 0
FLOAT: Final = 1  # integral doubles read as float
ANY: Final = 2  # any JSON value; objects read as mappings
MODEL: Final = 3
LIST: Final = 4
MAP: Final = 5
DYNAMIC: Final = 6  # any JSON value; objects read as models that take any attribute

SCALARS: Final[frozenset[type]] = frozenset({str, int, float, bool})

Resolve = Callable[[str], "type[ModelShape]"]


class Type:
    """The type of a field or of the items of a list or map.

    Attributes:
        code: One of the constants of this module.
        ref: The class's name in its table, for MODEL.
        item: The items' type, for LIST, MAP, ANY and DYNAMIC.
        keys: The keys of a list that Kubernetes merges by key (x-kubernetes-list-map-keys).
        made: The class, once it has been asked for.
        settles: Whether its absence in an object that is ready is an answer: API servers leave out what is false, zero
            and empty.
    """

    __slots__ = ("_resolve", "code", "item", "keys", "made", "ref", "settles")

    def __init__(
        self,
        code: int,
        *,
        ref: str = "",
        item: Type | None = None,
        keys: tuple[str, ...] = (),
        resolve: Resolve | None = None,
        settles: bool = False,
    ) -> None:
        self.code = code
        self.ref = ref
        self.item: Type = item if item is not None else self
        self.keys = keys
        self._resolve = resolve
        self.made: type[ModelShape] | None = None
        self.settles = settles or code in (LIST, MAP)

    @property
    def cls(self) -> type[ModelShape]:
        """The model class, for MODEL and DYNAMIC; made when it is first asked for."""
        if self.made is None:
            assert self._resolve is not None  # every type of models has one
            self.made = self._resolve(self.ref)
        return self.made

    @property
    def name(self) -> str:
        """The class's own name, for MODEL."""
        return self.ref.rpartition(".")[2]

    def describe(self, *, with_module: bool = False) -> str:
        """Return the type in words, for error messages."""
        if self.code == MODEL:
            return f"{articled(self.name, self.cls.__module__ if with_module else '')} or a mapping"
        if self.code == LIST:
            return "a list"
        return "a mapping" if self.code == MAP else "a value"


def articled(name: str, module: str = "") -> str:
    """Return a class's name in words, for error messages: `an ObjectMeta`, `a User`, `a Rule of models.queue.v1`."""
    sounds_open = name[0] in "AEIOUaeiou" and not name.startswith(("Us", "Uni"))
    return f"{'an' if sounds_open else 'a'} {name}{f' of {module}' if module else ''}"


ANY_TYPE: Final = Type(ANY)
_SIMPLE: Final = {
    "s": Type(LEAF),
    "i": Type(LEAF, settles=True),
    "b": Type(LEAF, settles=True),
    "q": Type(LEAF),
    "f": Type(FLOAT, settles=True),
    "x": ANY_TYPE,
}


class Field:
    """One field of a model class.

    Attributes:
        name: The attribute.
        wire: The name in Kubernetes' objects.
        step: The name as a step of a path.
        type: What it holds.
        takes: What can be kept as it is: `SCALARS`, or nothing.
        copied: The builtin container that only has to be copied, when it is one of scalars.
    """

    __slots__ = ("copied", "name", "step", "takes", "type", "wire")

    def __init__(self, name: str, wire: str, type_: Type, *, fixed: bool = False) -> None:
        self.name = name
        self.wire = wire
        self.step = "." + wire
        self.type = type_
        self.takes: frozenset[type] = (
            SCALARS if type_.code in (LEAF, FLOAT, ANY, DYNAMIC) and not fixed else frozenset()
        )
        self.copied: type | None = None
        if type_.item.code < MODEL:
            self.copied = {LIST: list, MAP: dict}.get(type_.code)


def parse_type(text: str, resolve: Resolve) -> Type:
    """Parse the type of a table's field, such as `s`, `{s` or `[Port#containerPort,protocol`."""
    simple = _SIMPLE.get(text)
    if simple is not None:
        return simple
    if text[0] == "[":
        item, _, keys = text[1:].partition("#")
        names = tuple(map(unescape, keys.split(","))) if keys else ()
        return Type(LIST, item=parse_type(item, resolve), keys=names)
    if text[0] == "{":
        return Type(MAP, item=parse_type(text[1:], resolve))
    return Type(MODEL, ref=text, resolve=resolve)


def parse_field(text: str, resolve: Resolve) -> Field:
    """Parse one field of a table's class, such as `location:s` or `from_=from:s`."""
    names, _, type_text = text.rpartition(":")
    name, _, wire = names.partition("=")
    if not name.isidentifier() or not type_text:
        raise ValueError(text)
    return Field(name, unescape(wire) or name, parse_type(type_text, resolve))


def unescape(text: str) -> str:
    """Return a wire name as it is: in a table its bytes may be written as `%` and two hex digits."""
    if "%" not in text:
        return text
    first, *rest = text.split("%")
    data = bytearray(first.encode())
    for part in rest:
        data += bytes.fromhex(part[:2]) + part[2:].encode()
    return data.decode()
