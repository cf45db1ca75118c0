"""Nodes: what a model, list or map is read from (its source), its path, and its state; and the
bases of these three.

A source is the encoded object, list or map that unset fields are read from, one field at a time. A
model class has several kinds of instances. The state of an instance's node says which kind it is:

- LOOSE: made in this call, and stands nowhere yet;
- OUTSIDE: made outside of every call;
- HELD: stands in a field, a list or a map, or did;
- TEMPLATE: the same, made outside of every call;
- VIEW: read from desired state, and not set;
- LAID: lies over a previous function's resource, or over a part of it;
- COPY: a copy of observed or inherited fields, emitted with all that its source has, not only what
  was set;
- WAIT: observed state that may still come;
- FACT: observed state that no waiting changes: the composite's spec and metadata, and the metadata
  of resources.

========  ====================  =====================  ====================================
state     an unset field        written to             put into another place
========  ====================  =====================  ====================================
LOOSE     None or empty         keeps the value        stands there: HELD
OUTSIDE   None or empty         keeps the value        in a call: a copy of what was set;
                                                       elsewhere: TEMPLATE
HELD      as its source has it  keeps the value        a copy
TEMPLATE  None or empty         keeps the value        a copy of what was set
VIEW      as its source has it  attaches itself to     a copy
                                its owner: HELD
LAID      as that has it        keeps the value        a copy of what was set
COPY      as its source has it  keeps the value        a copy
WAIT      an Observable         ReadOnlyError          a copy of its values; what is absent
                                                       is a dependency
FACT      None or empty         ReadOnlyError          a copy of its values; what is absent
                                                       is no opinion
========  ====================  =====================  ====================================

Where a source lacks the field, too, it is None or empty.

A model without a node is LOOSE. "Stands nowhere" means that the instance isn't in a field, list or
map. "No opinion" means that the function sets nothing there. The state changes

- from LOOSE to HELD, and from OUTSIDE to TEMPLATE, when the instance is put into a field, a list or
  a map;
- from VIEW to HELD, when it is written to;
- from VIEW to LOOSE (or to HELD, where it has a source), when another value is set in its place;
- from LOOSE or HELD to LAID, when `ctx.resource` puts the instance over the desired state of
  previous functions.

`ctx.resource` registers the instance itself, but of an OUTSIDE or a TEMPLATE it registers a copy.
WAIT and FACT never change: they are observed state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final, NoReturn, Protocol, SupportsIndex

from ...errors import ReadOnlyError, UsageError
from .. import codec
from ..base.sentinels import UNSET
from ..codec import MORE, SET, WHOLE
from ..observed.lookup import is_reported
from ..observed.observable import make
from ..observed.tracker import current
from ..observed.writers import teach_yaml
from ..paths.text import show as join_path
from .types import ANY_TYPE, Field, Type

if TYPE_CHECKING:
    from ..observed.observable import Observable
    from ..observed.root import Root
    from .rules import Rules

LOOSE: Final = 0
OUTSIDE: Final = 1
HELD: Final = 2
TEMPLATE: Final = 3
VIEW: Final = 4
LAID: Final = 5
COPY: Final = 6
WAIT: Final = 7
FACT: Final = 8

# The paths in an observed object that can't be copied whole.
_WHOLE: Final = ("", ".metadata", ".status")


class Holder(Protocol):
    """A model, list or map of desired state from which a child (a nested model, list or map) was
    read.
    """

    _node: Node | None

    def _take_in(self, key: Any, child: Any) -> None:
        """Put `child` in as a set value under `key`. It was read from this object, and is now
        written to.
        """


class Became:
    """Stands for the owner of a missing object that has become a list, because code may still hold
    the object.

    Attributes:
        values: The list.
    """

    __slots__ = ("_node", "_path", "values")

    def __init__(self, values: list[Any], path: str) -> None:
        self.values = values
        self._node: Node | None = None
        self._path = path

    def _take_in(self, key: Any, child: Any) -> None:
        raise UsageError(
            f"no field can be set in {self._path}, which append(), extend() or insert() has made a"
            " list: set the field in an element of it"
        )


class Node:
    """What is known of one model, list or map: its source, its path and its state.

    Attributes:
        state: One of the states of this module.
        raw: The source: the bytes of a Struct (or ListValue), or None.
        root: The observed object that it belongs to. None in desired state, except in state LAID
            and below it.
        path: Its path, as Observables show it, such as `vpc.status.subnets[0]`. In desired state
            the path begins at the top of what compose() made, such as `.spec`; it is empty there.
        owner: For a VIEW, the object that it is set in when it is first written to, otherwise None.
        key: For a VIEW, the attribute, index or key under which it is set in `owner`.
        views: Children that were read but not set, by attribute.
        deleted: Attributes (or keys) that were deleted. They read as missing, even if previous
            functions set them. A value that is set there afterwards replaces the old one, and
            doesn't merge into it.
        shows: SET, MORE or WHOLE (`_core.codec.parts`): whether the object shows more than its set
            fields, and whether the codec encodes these too.
        states: At the top of an observed object: the states of the fields whose state isn't
            `state`, by attribute.
        place: For a part of a desired resource in which reading a missing field is special, such as
            `status`: its rules, a `_core.resources.registered.Place`; else None.
    """

    __slots__ = "deleted key owner path place raw root shows split state states views".split()

    def __init__(
        self,
        state: int,
        raw: bytes | None = None,
        root: Root | None = None,
        path: str = "",
        split: Any = None,
    ) -> None:
        self.state = state
        self.raw = raw
        self.shows: int = SET if raw is None and state < WAIT else WHOLE if state == COPY else MORE
        self.root = root
        self.path = path
        self.owner: Holder | None = None
        self.key: Any = None
        self.views: dict[str, Any] | None = None
        self.deleted: set[str] | None = None
        self.states: dict[str, int] | None = None
        self.place: Any = None
        self.split: Any = split  # the list that `fields` keeps; None until it is asked for

    @property
    def fields(self) -> Any:
        """The fields of the source by their Kubernetes names, each as encoded bytes. The first read
        splits the source.

        Raises:
            WireError: The bytes of the source are malformed.
        """
        if self.split is None:
            self.split = {} if self.raw is None else codec.split(self.raw)
        return self.split

    def lay_over(self, raw: bytes) -> None:
        """Make `raw` the source of this node, in place of any other source."""
        self.raw = raw
        self.split = None
        self.shows = WHOLE if self.state == COPY else MORE

    def read_only(self, step: str = "") -> ReadOnlyError:
        """Return the error for writing to this object, or to its field at the path `step`, such as
        `.name`.
        """
        if self.root is not None and self.root.kind == "required":
            return ReadOnlyError(
                f"{self.path}{step} can't be set: required resources are only for reading; "
                "to change one, register a resource of your own with ctx.resource()"
            )
        return ReadOnlyError(
            f"{self.path}{step} is observed state and can't be set; "
            "set the field of the resource itself, without .observed"
        )

    def observable(
        self, step: str = "", type_: Type | None = None, *, settles: bool = False
    ) -> Observable[Any]:
        """Return the Observable for this object, or for its field of the type `type_` at the path
        `step`.

        `settles` says that a missing value means empty once the object is ready.
        """
        return make(self.path + step, self.root, settles=settles, known_type=type_)

    def reports(self, step: str) -> bool:
        """Say whether the field at the path `step` counts as missing if it is an empty string (see
        `is_reported`).
        """
        root = self.root
        if self.state != WAIT or root is None or root.kind != "resource":
            return False
        return is_reported(f"{self.path}{step}"[len(root.prefix) + 1 :])

    def used(self) -> None:
        """Check that the object of this node, which is missing, may be used as a value.

        Raises:
            UsageError: It must not: the object is a part of a desired composed resource's status.
        """
        if self.place is not None:
            self.place.used(self)

    def refuse_whole(self, show: Callable[[Any], str], place: Any) -> None:
        """Raise UsageError if copying this would copy a whole observed resource, or its whole
        metadata or status.

        This is the specification's "SSA Safety". Smaller parts, such as one field of the status,
        may be copied. `show` returns the text for a place.
        """
        if self.root is not None and self.path[len(self.root.prefix) :] in _WHOLE:
            raise UsageError(
                f"{show(place)}: {self.path} can't be copied whole into desired state, because this"
                " function would own every field of it; set the fields you care about one by one"
            )

    def attach_to(self, owner: Holder, key: Any) -> None:
        """Make the object of this node a VIEW, which was read from `owner` under `key`."""
        self.state = VIEW
        self.owner = owner
        self.key = key

    def tie(self) -> None:
        """Make the call of this node `untie` it when the call ends. Outside of a call, do
        nothing.
        """
        call = current() if self.root is None else self.root.call
        if call is not None:
            call.tied.append(self)

    def untie(self) -> None:
        """Forget the objects that were read from this one, and the object that this one was read
        from.

        This removes circles of references. Otherwise the garbage collector would need as much time
        for a call's models as everything else takes. Objects that compose() has kept still work:
        they make what they forgot again.
        """
        self.views = None
        self.owner = None

    def replaced(self, name: str) -> None:
        """Let go of an object that was read under `name` before: the field was set or deleted, so
        it isn't in it.
        """
        view = None if self.views is None else self.views.pop(name, None)
        if view is not None and view._node.state == VIEW:
            view._node.state = LOOSE if view._node.raw is None else HELD
            view._node.owner = None

    def touch(self, holder: Any) -> None:
        """Set `holder`, whose node this is, in the object that it was read from, and so on up to
        the top.

        Args:
            holder: The model, list or map. Nothing happens if it wasn't read from an object, or is
                set already.
        """
        node: Node | None = self
        while node is not None and node.owner is not None:
            owner = node.owner
            node.state = HELD
            node.owner = None
            owner._take_in(node.key, holder)
            holder = owner
            node = owner._node


def shown(node: Node | None) -> str:
    """Return an object's path for a message; `this` if the object has no path."""
    return (node.path.lstrip(".") if node is not None else "") or "this"


# The node that models share which stand in another model and were never read from. Most models are
# such.
HELD_NODE: Final = Node(HELD)


class ModelShape:
    """The fields of a model class, the set fields of an instance (its dict), and the instance's
    node.

    The names that begin with `__wire_` are for the codec (see
    `_core.codec.parts`).
    """

    __slots__ = ("__dict__", "__weakref__", "_node")

    __wire_fields__: ClassVar[dict[str, Field]] = {}
    __wire_keys__: ClassVar[dict[str, bytes]] = {}
    __wire_head__: ClassVar[bytes] = b""
    # The fields of a resource class that are always the same, and their values as they are encoded.
    _fixed: ClassVar[frozenset[str]] = frozenset()
    _head_fields: ClassVar[dict[str, bytes]] = {}

    # The fields that have the same name in Kubernetes, of a class whose constructor takes them and
    # no others.
    _plain: ClassVar[frozenset[str]] = frozenset()

    # The name that classes of kin share (see `kin`); empty if no other class is taken in place of
    # this one.
    _kin: ClassVar[str] = ""

    # What the API requires of instances; None if it isn't known.
    _rules: ClassVar[Rules | None] = None

    _node: Node | None
    __wire_below__: ClassVar[Any]  # the same slot, by the name that the codec knows

    # Sets `_node` without calling `__setattr__`. Assigned below, when the class exists.
    _set_node: ClassVar[Any]

    @property
    def _absent(self) -> bool:
        """True for a model without a value. It was read from a field without a value, and nothing
        in it was set.
        """
        node = self._node
        if node is None or node.raw is not None or self.__dict__:
            return False
        return node.state == VIEW or node.path != "" or node.state >= WAIT

    def _own_node(self) -> Node:
        """Give a model a node of its own, and return the node. Before, it had no node, or the
        shared `HELD_NODE`.
        """
        node = Node(HELD if self._node is HELD_NODE else LOOSE)
        self._set_node(self, node)
        return node

    def _take_in(self, key: str, child: Any) -> None:
        """Put `child` in as a set value under `key`. It was read from this model, and is now
        written to.
        """
        self.__dict__[key] = child
        node = self._node
        if node is not None and node.views is not None:
            node.views.pop(key, None)

    def _shell(self) -> Any:
        """Return a shallow copy: the same set fields, without a source. The copy stands nowhere
        yet.
        """
        made = type(self).__new__(type(self))
        made._stand_nowhere()
        made.__dict__.update(self.__dict__)
        return made

    def _stand_nowhere(self) -> None:
        """Give a new instance the node of a model that isn't in a field, list or map yet (see
        `new_node`).
        """
        self._set_node(self, new_node())

    if TYPE_CHECKING:

        def _taken_whole(self) -> None: ...  # of Model

    @classmethod
    def _is_open(cls) -> bool:
        """Return whether the class takes any attribute, not only its fields."""
        return False

    @classmethod
    def _by_wire(cls, wire: object) -> Field | None:
        return next((field for field in cls.__wire_fields__.values() if field.wire == wire), None)

    @classmethod
    def _check_fixed(cls, name: str, value: object) -> None:
        fixed = getattr(cls, name)
        if value is not None and value is not UNSET and value != fixed:
            raise UsageError(f"{cls.__name__}.{name} is always {fixed!r} (got {value!r})")


ModelShape._set_node = staticmethod(ModelShape.__dict__["_node"].__set__)
ModelShape.__wire_below__ = ModelShape.__dict__["_node"]


def _class_of(container: Any) -> Any:
    teach_yaml()
    return type(container)


class PlacedList(list[Any]):
    """A list with its node and the type of its field. The node is None if the list wasn't read from
    encoded bytes.
    """

    __slots__ = ("_node", "_type")

    def __init__(
        self, values: Iterable[Any] = (), node: Node | None = None, type_: Type = ANY_TYPE
    ) -> None:
        list.__init__(self, values)
        self._node = node
        self._type = type_

    if not TYPE_CHECKING:
        __class__ = property(_class_of)  # PyYAML asks for it before it writes the list

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        # Such as `spec.items()` where the object has a field of that name.
        raise UsageError(
            f"{shown(self._node)} is a list in the data, not a method, so it can't be called; for"
            " the methods of mappings, make a dict of the object around it first: dict(...)"
        )

    def __getattr__(self, name: str) -> NoReturn:
        if name[:1] == "_":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        raise AttributeError(
            f"{shown(self._node)} is a list, so it has no field {name!r}; take one of its elements"
            f" first, as in [0].{name}"
        )

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return list, (list(self),)


class PlacedMap(dict[str, Any]):
    """A map with its node and the type of its field. The node is None if the map wasn't read from
    encoded bytes.
    """

    __slots__ = ("_node", "_type")

    def __init__(
        self,
        values: Mapping[str, Any] | Iterable[tuple[str, Any]] = (),
        node: Node | None = None,
        type_: Type = ANY_TYPE,
    ) -> None:
        dict.__init__(self, values)
        self._node = node
        self._type = type_

    if not TYPE_CHECKING:
        __class__ = property(_class_of)

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return dict, (dict(self),)


def new_node() -> Node | None:
    """Return the node for a new model: None inside of a call; outside of a call, a node in the
    state OUTSIDE.
    """
    if current() is not None:
        return None
    return Node(OUTSIDE)


def place_of(holder: Any) -> str:
    """Return the path of a model, list or map, such as `bucket.spec.forProvider`.

    The path begins with the name of the registered resource that contains the object. If no
    resource contains it, the path begins with the name of a class, or with `a list` or `a map`.
    """
    call = current()
    for name, top in {} if call is None else call.tops().items():
        way = _way(top, holder)
        if way is not None:
            return f"{name}.{join_path(way)}".removesuffix(".")
    # An object that was read from another object, and not written to yet, knows its owner.
    steps: list[str] = []
    node = holder._node
    while (
        node is not None
        and node is not HELD_NODE
        and isinstance(node.owner, (ModelShape, list, dict))
    ):
        holder, path = node.owner, node.path
        node = holder._node
        steps.append(path[len(node.path) :] if node is not None else path)
    if isinstance(holder, ModelShape):
        first = type(holder).__name__
    else:
        first = "".join(holder._type.place) or ("a list" if isinstance(holder, list) else "a map")
    return first + "".join(reversed(steps))


def _way(top: Any, wanted: Any) -> list[Any] | None:
    """Return the steps from a resource to one of the models, lists and maps in it; None if the
    resource lacks it.

    The steps are keys, indexes and names of fields in Kubernetes. The object is found by identity.
    """
    work: list[tuple[Any, tuple[Any, ...]]] = [(top, ())]
    seen = set()
    while work:
        one, steps = work.pop()
        if one is wanted:
            return list(steps)
        if not issubclass(type(one), (ModelShape, dict, list)) or id(one) in seen:
            continue
        seen.add(id(one))
        below: Iterable[tuple[Any, Any]] = one.items() if isinstance(one, dict) else ()
        if isinstance(one, list):
            below = enumerate(one)
        elif isinstance(one, ModelShape):
            known = type(one).__wire_fields__
            views = {} if one._node is None else one._node.views or {}
            below = [(known[name].wire, child) for name, child in {**views, **one.__dict__}.items()]
        work.extend((child, (*steps, step)) for step, child in below)
    return None
