"""Nodes: what a model, list or map is read from (its source), its path, and its state.

A source is the encoded object, list or map that unset fields are read from, one field at a time. A model class has
several kinds of instances. The state of an instance's node says which kind it is:

========  =====================================  ==================  ====================  ============================
state     the instance                           an unset field is   written to            put into another place
========  =====================================  ==================  ====================  ============================
LOOSE     made in this call, stands nowhere yet  None or empty       keeps the value       stands there: HELD
OUTSIDE   made outside of every call             None or empty       keeps the value       in a call: a copy of what was
                                                                                           set; elsewhere: TEMPLATE
HELD      stands in a field, a list or a map,    as its source has   keeps the value       a copy
          or did                                 it, None or empty
TEMPLATE  the same, made outside of every call   None or empty       keeps the value       a copy of what was set
VIEW      read from desired state, and not set   as its source has   attaches itself to    a copy
                                                 it, None or empty   its owner: HELD
LAID      lies over a previous function's        as that has it,     keeps the value       a copy of what was set
          resource, or over a part of it         None or empty
COPY      a copy of observed or inherited        as its source has   keeps the value       a copy
          fields: emitted with all that its      it, None or empty
          source has, not only what was set
WAIT      observed state that may still come     an Observable       ReadOnlyError         a copy of its values; what is
                                                                                           absent is a dependency
FACT      observed state that no waiting         None or empty       ReadOnlyError         a copy of its values; what is
          changes: the composite's spec and                                                absent is no opinion
          metadata, the metadata of resources
========  =====================================  ==================  ====================  ============================

A model without a node is LOOSE. "Stands nowhere" means that the instance isn't in a field, list or map. "No opinion"
means that the function sets nothing there. The state changes

- from LOOSE to HELD, and from OUTSIDE to TEMPLATE, when the instance is put into a field, a list or a map;
- from VIEW to HELD, when it is written to;
- from VIEW to LOOSE (or to HELD, where it has a source), when another value is set in its place;
- from LOOSE or HELD to LAID, when `ctx.resource` puts the instance over the desired state of previous functions.

`ctx.resource` registers the instance itself, but of an OUTSIDE or a TEMPLATE it registers a copy. WAIT and FACT never
change: they are observed state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from .. import _wire
from .._observed.lookup import is_reported
from .._observed.observable import make
from .._observed.tracker import current
from .._wire import MORE, SET, WHOLE
from ..errors import ReadOnlyError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._observed.observable import Observable
    from .._observed.root import Root
    from .types import Field

__all__ = [
    "COPY",
    "FACT",
    "HELD",
    "HELD_NODE",
    "LAID",
    "LOOSE",
    "OUTSIDE",
    "TEMPLATE",
    "VIEW",
    "WAIT",
    "Became",
    "Holder",
    "Node",
    "Place",
    "refuse_whole",
    "shown",
]

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
_LONGEST_WHOLE: Final = len(".metadata")


class Holder(Protocol):
    """A model, list or map of desired state from which a child (a nested model, list or map) was read."""

    _node: Node | None

    def _take_in(self, key: Any, child: Any) -> None:
        """Put `child` in as a set value under `key`. It was read from this object, and is now written to."""


class Became:
    """Stands for the owner of a missing object that has become a list, because code may still hold the object.

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
            f"no field can be set in {self._path}, which append(), extend() or insert() has made a list: set the field "
            "in an element of it"
        )


class Place(Protocol):
    """Rules for a part of desired state where reading a missing field is special, such as `status`."""

    def absent(self, made: Any, node: Node, field: Field) -> Any:
        """Return the value that a missing field reads as.

        Args:
            made: The value that a missing field of this type reads as elsewhere: None, or an empty model, list or map.
            node: The node of the object that lacks the field.
            field: The field.

        Raises:
            UsageError: The field must not be read.
        """

    def used(self, node: Node) -> None:
        """Check that a missing object may be used as a value. This is called each time such an object is used.

        Args:
            node: The object's node.

        Raises:
            UsageError: The object must not be used as a value.
        """


class Node:
    """What is known of one model, list or map: its source, its path and its state.

    Attributes:
        state: One of the states of this module.
        raw: The source: the bytes of a Struct (or ListValue), or None.
        root: The observed object that it belongs to. None in desired state, except in state LAID and below it.
        up: The node of the object or list that contains it; None at the top and for objects that compose() made itself.
        step: The last part of its path: `.spec`, `[0]` or `["a/b"]`.
        owner: For a VIEW, the object that it is set in when it is first written to, otherwise None.
        key: For a VIEW, the attribute, index or key under which it is set in `owner`.
        views: Children that were read but not set, by attribute.
        deleted: Attributes (or keys) that were deleted. They read as missing, even if previous functions set them. A
            value that is set there afterwards replaces the old one, and doesn't merge into it.
        shows: SET, MORE or WHOLE (`crossplane_lite._wire.objects`): whether the object shows more than its set fields,
            and whether the codec encodes these too.
        states: At the top of an observed object: the states of the fields whose state isn't `state`, by attribute.
        place: For the metadata and the status of a desired composed resource: the rules for missing fields; else None.
    """

    __slots__ = (
        "deleted",
        "key",
        "owner",
        "place",
        "raw",
        "root",
        "shows",
        "split",
        "state",
        "states",
        "step",
        "up",
        "views",
    )

    def __init__(
        self,
        state: int,
        raw: bytes | None = None,
        root: Root | None = None,
        up: Node | None = None,
        step: str = "",
        split: Any = None,
    ) -> None:
        self.state = state
        self.raw = raw
        self.shows: int = SET if raw is None and state < WAIT else WHOLE if state == COPY else MORE
        self.root = root
        self.up: Node | None = up
        self.step = step
        self.owner: Holder | None = None
        self.key: Any = None
        self.views: dict[str, Any] | None = None
        self.deleted: set[str] | None = None
        self.states: dict[str, int] | None = None
        self.place: Place | None = None
        self.split: Any = split  # the list that `fields` keeps; None until it is asked for

    @property
    def path(self) -> str:
        """The path of the object, joined from the steps of the nodes above it, as Observables show it."""
        steps = []
        node: Node | None = self
        while node is not None:
            steps.append(node.step)
            node = node.up
        return "".join(reversed(steps))

    @property
    def fields(self) -> Any:
        """The fields of the source by their Kubernetes names, each as encoded bytes. The first read splits the source.

        Raises:
            WireError: The bytes of the source are malformed.
        """
        if self.split is None:
            self.split = {} if self.raw is None else _wire.split(self.raw)
        return self.split

    def lay_over(self, raw: bytes) -> None:
        """Make `raw` the source of this node, in place of any other source."""
        self.raw = raw
        self.split = None
        self.shows = WHOLE if self.state == COPY else MORE

    def read_only(self, step: str = "") -> ReadOnlyError:
        """Return the error for writing to this object, or to its field at the path `step`, such as `.name`."""
        if self.root is not None and self.root.kind == "required":
            return ReadOnlyError(
                f"{self.path}{step} can't be set: required resources are only for reading; "
                "to change one, register a resource of your own with ctx.resource()"
            )
        return ReadOnlyError(
            f"{self.path}{step} is observed state and can't be set; "
            "set the field of the resource itself, without .observed"
        )

    def observable(self, step: str = "", *, settles: bool = False) -> Observable[Any]:
        """Return the Observable for this object, or for its field at the path `step`.

        `settles` says that a missing value means empty once the object is ready.
        """
        return make(self.path + step, self.root, settles=settles)

    def reports(self, step: str) -> bool:
        """Say whether the field at the path `step` counts as missing if it is an empty string (see `is_reported`)."""
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

    def attach_to(self, owner: Holder, key: Any) -> None:
        """Make the object of this node a VIEW, which was read from `owner` under `key`."""
        self.state = VIEW
        self.owner = owner
        self.key = key

    def tie(self) -> None:
        """Make the call of this node `untie` it when the call ends. Outside of a call, do nothing."""
        call = current() if self.root is None else self.root.call
        if call is not None:
            call.tied.append(self)

    def untie(self) -> None:
        """Forget the objects that were read from this one, and the object that this one was read from.

        This removes circles of references. Otherwise the garbage collector would need as much time for a call's models
        as everything else takes. Objects that compose() has kept still work: they make what they forgot again.
        """
        self.views = None
        self.owner = None

    def written(self, holder: Any, name: str) -> None:
        """Record that a field of `holder`, whose node this is, was set or deleted.

        An object that was read under `name` before doesn't belong to `holder` any more. If `holder` was itself read
        from another object, it now counts as set there.
        """
        view = None if self.views is None else self.views.pop(name, None)
        if view is not None and view._node.state == VIEW:
            view._node.state = LOOSE if view._node.raw is None else HELD
            view._node.owner = None
        if self.owner is not None:
            self.touch(holder)

    def touch(self, holder: Any) -> None:
        """Set `holder`, whose node this is, in the object that it was read from, and so on up to the top.

        Args:
            holder: The model, list or map. Nothing happens if it wasn't read from an object, or is set already.
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


def refuse_whole(node: Node, show: Callable[[Any], str], place: Any) -> None:
    """Raise an error if a whole observed resource, or its whole metadata or status, would be copied.

    This is the specification's "SSA Safety". Smaller parts, such as one field of the status, may be copied. `show`
    returns the text for a place. Raises UsageError.
    """
    root = node.root
    if root is None:
        return
    # Only as many steps up as such a path is long: objects can be thousands of levels deep, and each is checked.
    left = len(root.prefix) + _LONGEST_WHOLE
    above: Node | None = node
    while above is not None:
        left -= len(above.step)
        if left < 0:
            return
        above = above.up
    if node.path[len(root.prefix) :] in _WHOLE:
        raise UsageError(
            f"{show(place)}: {node.path} can't be copied whole into desired state, because this function would own "
            "every field of it; set the fields you care about one by one"
        )


# The node that models share which stand in another model and were never read from. Most models are such.
HELD_NODE: Final = Node(HELD)
