"""Lists and maps of models' fields: real lists and dicts, whose models decode a field when the
field is read.

The node of a list or map says where its values are read from, and in which object it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, MutableMapping
from typing import Any, ClassVar

from ..base.sentinels import UNSET
from ..observed.observable import Observable, guess, make
from ..observed.tracker import observed_calls, observer
from ..paths.text import EXTERNAL_NAME, quoted
from .node import WAIT, place_of
from .node import PlacedList as PlacedList
from .node import PlacedMap as PlacedMap

_MISSING = object()


class ModelList(PlacedList):
    """A list of desired state. It checks values that are put into it. Changing the list counts as
    setting its field.
    """

    __slots__ = ()

    def __getitem__(self, at: Any) -> Any:
        try:
            return list.__getitem__(self, at)
        except IndexError:
            raise IndexError(
                f"{place_of(self)} has no element [{at}]: it has {len(self)}; append(...) adds one"
            ) from None

    def append(self, value: Any) -> None:
        self[len(self) :] = [value]

    def insert(self, at: Any, value: Any) -> None:
        at = max(at + len(self), 0) if at < 0 else at
        self[at:at] = [value]

    def extend(self, values: Iterable[Any]) -> None:
        self[len(self) :] = values

    def __iadd__(self, values: Iterable[Any]) -> ModelList:  # type: ignore[misc]  # typeshed: Self
        self.extend(values)
        return self

    def __setitem__(self, at: Any, value: Any) -> None:
        from .adopt import adopt

        item = self._type.item
        if isinstance(at, slice):
            start, _, step = at.indices(len(self))
            kept = [
                adopt(item, element, (self, start + step * n)) for n, element in enumerate(value)
            ]
            list.__setitem__(self, at, kept)
        else:
            list.__setitem__(self, at, adopt(item, value, (self, at)))
        _touch(self)

    def _take_in(self, key: Any, child: Any) -> None:
        """Do nothing. `child`, which was read from this list and is now written to, is in the list
        already.
        """


class ModelMap(PlacedMap):
    """A map of desired state. It checks values that are put into it. Changing the map counts as
    setting its field.
    """

    __slots__ = ()

    __wire_below__: ClassVar[Any]

    @property
    def deleted(self) -> set[str] | None:
        """The deleted keys, which are also removed from previous functions' desired state; None if
        there are none.
        """
        return None if self._node is None else self._node.deleted

    def __setitem__(self, key: str, value: Any) -> None:
        from .adopt import adopt, check_keys
        from .reader import inherit, over_source

        check_keys((key,), self)
        node = self._node
        if value is None or value is UNSET:
            # No opinion: the desired state of previous functions shows through.
            dict.pop(self, key, None)
            inherited = None if node is None else node.fields.get(key)
            if node is None or inherited is None:
                return
            if node.deleted is not None:
                node.deleted.discard(key)
            inherit(self, node, key, inherited)
        else:
            kept = adopt(self._type.item, value, (self, key))
            # A deleted key stays deleted for previous functions: the new value replaces theirs, and
            # doesn't merge.
            if node is not None and key not in (node.deleted or ()):
                kept = over_source(node, key, self._type.item, kept)
            dict.__setitem__(self, key, kept)
        _touch(self)
        if observed_calls:
            observer().has_set(self, key)

    def __delitem__(self, key: str) -> None:
        dict.__delitem__(self, key)
        self._bury(key)

    clear = MutableMapping.clear
    update = MutableMapping.update

    def pop(self, key: str, *default: Any) -> Any:
        is_there = key in self
        value = dict.pop(self, key, *default)
        if is_there:
            self._bury(key)
        return value

    def popitem(self) -> tuple[str, Any]:
        key, value = dict.popitem(self)
        self._bury(key)
        return key, value

    def setdefault(self, key: str, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self.get(key)

    def __ior__(self, other: Any) -> ModelMap:  # type: ignore[override,misc]  # typeshed wants dict's two overloads
        self.update(other)
        return self

    def _take_in(self, key: Any, child: Any) -> None:
        """Do nothing. `child`, which was read from this map and is now written to, is in the map
        already.
        """

    def _bury(self, key: str) -> None:
        if self._node is None:
            return
        if self._node.deleted is None:
            self._node.deleted = set()
        self._node.deleted.add(key)
        self._node.touch(self)


ModelMap.__wire_below__ = PlacedMap.__dict__["_node"]


def _touch(container: ModelList | ModelMap) -> None:
    if container._node is not None:
        container._node.touch(container)
    if observed_calls and isinstance(container, list):
        observer().has_set(container, None)


def _changing(name: str) -> Callable[..., Any]:
    builtin = getattr(list, name)

    def method(self: ModelList, *args: Any, **kwargs: Any) -> Any:
        result = builtin(self, *args, **kwargs)
        _touch(self)
        return result

    method.__name__ = name
    return method


for _name in "remove pop clear sort reverse __delitem__ __imul__".split():
    setattr(ModelList, _name, _changing(_name))


def _read_only(builtin: Any) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self._node is not None:
            raise self._node.read_only()
        return builtin(self, *args, **kwargs)

    return method


class ObservedList(PlacedList):
    """A read-only list of observed state.

    An index past its end reads as `_core.models.reader.absent` says: as an Observable, for example,
    if the element may still come. A list without a node raises IndexError there, as any list does,
    and can be changed. Code that copies a list by calling its class, such as `dataclasses.asdict`,
    makes such lists.

    Raises:
        ReadOnlyError: The list is changed.
    """

    __slots__ = ()

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return list(list.__getitem__(self, at))
        try:
            return list.__getitem__(self, at)
        except IndexError:
            if self._node is None:
                raise
            from .reader import absent

            return absent(self._type.item, self._node.state, self._node, f"[{at}]")


class ObservedMap(PlacedMap):
    """A read-only map of observed state. Keys can be read as attributes, too.

    If a value may still come, its missing key reads as `_core.models.reader.absent` says, usually
    as an Observable. Any other missing key reads as None. The annotation of the external name may
    always come, except in the composite and in desired state.

    Raises:
        ReadOnlyError: The map is changed.
    """

    __slots__ = ()

    def __missing__(self, key: str) -> Any:
        node = self._node
        if node is None:
            raise KeyError(key)
        root = node.root
        if (
            key == EXTERNAL_NAME
            and root is not None
            and root.kind != "xr"
            and root.prefix != f"desired.{root.name}"
            and node.path == f"{root.prefix}.metadata.annotations"
        ):
            return make(f"{root.prefix}.external_name", root)
        if node.state == WAIT:
            from .reader import absent

            return absent(self._type.item, WAIT, node, f"[{quoted(key)}]")
        if observed_calls:
            observer().missed(node, key)
        return None

    def __getattr__(self, name: str) -> Any:
        # An Observable takes the map's place while the map is missing, and its keys are read as
        # attributes.
        if name[:1] == "_":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self[name]

    def get(self, key: str, default: Any = _MISSING) -> Any:
        if key in self.keys():
            return dict.__getitem__(self, key)
        if self._node is None:
            return None if default is _MISSING else default
        if default is _MISSING:
            return self.__missing__(key)
        return self.__missing__(key) if self._guess(key) else default

    def __contains__(self, key: object) -> bool:
        return dict.__contains__(self, key) or (self._node is not None and self._guess(key))

    def _guess(self, key: object) -> bool:
        """Return whether a missing key counts as present. False for a key whose value can't come
        any more.

        If the value may still come, the question counts as a guess (see `Observable`).
        """
        value = self.__missing__(str(key))
        if type(value) is Observable:
            return guess(value)
        return value is not None and guess(value._node.observable())


for _name in (
    *("append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse"),
    *("__setitem__", "__delitem__", "__iadd__", "__imul__"),
):
    setattr(ObservedList, _name, _read_only(getattr(list, _name)))
for _name in "__setitem__ __delitem__ pop popitem clear setdefault update __ior__".split():
    setattr(ObservedMap, _name, _read_only(getattr(dict, _name)))
