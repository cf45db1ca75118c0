"""Live views: the objects and lists in a resource, which read and change it in place."""

from __future__ import annotations

import keyword
from collections.abc import Mapping, MutableMapping, MutableSequence

from .._paths.text import show
from ..errors import UsageError
from ._data import View, equal, plain_data
from ._text._nodes import copied

TYPE_CHECKING = False  # type checkers take it for typing's, which would take longer to import than this module
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeAlias

    from .comments import Comments
    from .resource import Resource

    Above: TypeAlias = "Fields | Elements | None"
    _MutableMapping = MutableMapping[str, Any]
    _MutableSequence = MutableSequence[Any]
else:
    _MutableMapping, _MutableSequence = MutableMapping, MutableSequence

__all__ = ["Elements", "Fields", "Missing", "wrapped"]


class _Live(View):
    """What live views of objects and lists have in common."""

    __slots__ = ("_data", "_root", "_step", "_up")

    _root: Resource
    _up: Above
    _step: str | int
    _data: Any

    def __init__(self, root: Resource, data: Any, up: Above, step: str | int) -> None:
        put = object.__setattr__
        put(self, "_root", root)
        put(self, "_data", data)
        put(self, "_up", up)
        put(self, "_step", step)

    def _now(self) -> Any:
        self._root._sync()
        return self._data

    def _read(self) -> Any:
        return self._now()

    def __len__(self) -> int:
        return len(self._now())

    def comments(self, path: str | tuple[str | int, ...] = "") -> Comments:
        """Return the comments of the value at a field path within this object or list.

        Args:
            path: The path, such as `ports[0]`, or a tuple of its keys and indexes. Empty for the object or list itself.

        Raises:
            UsageError: There is no value at the path, or it isn't a field path.
        """
        return self._root.comments((*self._steps(), *_below(path)))

    def __eq__(self, other: object) -> bool:
        return equal(self, other)

    __hash__ = None  # type: ignore[assignment]  # mutable, and compared by value

    def __repr__(self) -> str:
        return repr(self._now())

    def __copy__(self) -> Any:
        return copied(self._now())

    def __deepcopy__(self, memo: object) -> Any:
        return copied(self._now())


class Fields(_Live, _MutableMapping):
    """A live view of an object in a resource: a mapping that reads and changes the object in place.

    A field is an item (`view["name"]`) and an attribute (`view.name`); both have the same value. They differ only if
    the field is missing or null. Then the item raises KeyError or is None, and the attribute is a `Missing`: an empty
    value that becomes part of the resource when something is written to it. If a field has the name of a method or of a
    Python keyword, its attribute ends in an underscore (`view.items_`, `view.from_`); its item doesn't
    (`view["items"]`).

    An assigned value is copied. So a later change of the original doesn't change the resource.

    Raises:
        UsageError: On a change: the resource can't be changed, or can't hold the value.
        DuplicateResourceError: On a change: it gives an item the group, kind, namespace and name of another item.
    """

    __slots__ = ()

    # The data, to read and to change

    def _put(self, key: str, value: Any) -> None:
        """Set the field `key` to a plain value. After an error the resource is as it was."""
        self._root._assign(self._now(), key, value)

    # Items

    def __getitem__(self, key: str) -> Any:
        return wrapped(self, key, self._now()[key])

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise UsageError(
                f"{': '.join(filter(None, (self._root._where, self._path)))}: a key must be a string (got {key!r})"
            )
        plain_data(key, self, key)
        self._root._check_open()
        if isinstance(value, (Fields, Elements)) and value._data is not None and value._data is self._now().get(key):
            return  # `view.ports += [...]` changes the list in place, and then assigns it
        self._put(key, plain_data(value, self, key))

    def __delitem__(self, key: str) -> None:
        self._root._check_open()
        if key not in self._now():
            raise KeyError(key)
        self._root._remove(self._now(), key)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the value of the field `key`. If the field is missing, set it to `default` first; null isn't missing.

        Raises:
            UsageError: The resource can't be changed, or can't hold the value.
        """
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Remove every field of the object, except annotations that only an orchestrator such as kustomize may change.

        Raises:
            UsageError: The resource can't be changed.
            DuplicateResourceError: Without the fields, an item has the group, kind, namespace and name of another item.
        """
        self._root._check_open()
        for key in self:
            if not self._root._is_guarded(self._now(), key):
                del self[key]

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._now()))

    def __contains__(self, key: object) -> bool:
        return key in self._now()

    # Attributes

    def __getattr__(self, name: str) -> Any:
        key = _key_of(type(self), name)
        value = self._now().get(key)
        return Missing(self._root, None, self, key) if value is None else wrapped(self, key, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            raise AttributeError(
                f"{name!r} can't be set as an attribute, because it begins with '_'; set the field as [{name!r}]"
            )
        known = getattr(type(self), name, None)
        if isinstance(known, property):
            object.__setattr__(self, name, value)
        elif known is not None:
            raise UsageError(f"{name!r} is a method; set the field of this name as [{name!r}] or .{name}_")
        else:
            self[_key_of(type(self), name)] = value

    def __delattr__(self, name: str) -> None:
        key = _key_of(type(self), name)
        if key not in self._now():
            raise AttributeError(f"{show([*self._steps(), key])} isn't there, so it can't be removed")
        del self[key]

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._now()})

    def to_dict(self) -> dict[str, Any]:
        """Return a copy of the object as plain data."""
        copy: dict[str, Any] = copied(self._now())
        return copy


class Elements(_Live, _MutableSequence):
    """A live view of a list in a resource: a sequence that reads and changes the list in place.

    An added value is copied.

    Raises:
        UsageError: On a change: the resource can't be changed, or can't hold the value.
        IndexError: The list has no element at the given index.
    """

    __slots__ = ()

    def __getitem__(self, at: Any) -> Any:
        data = self._now()
        if isinstance(at, slice):
            return [wrapped(self, index, data[index]) for index in range(*at.indices(len(data)))]
        self._check_index(at)
        return wrapped(self, at, data[at])

    def _check_index(self, at: Any) -> None:
        """Raise an IndexError with the list's path if the list has no element at the index `at`. Slices always pass."""
        many = len(self._now())
        if isinstance(at, int) and not -many <= at < many:
            held = f"{many} element{'s' * (many != 1)}"
            raise IndexError(f"{self._root._where}: {self._path} has {held}, so there is no [{at}]")

    def __setitem__(self, at: Any, value: Any) -> None:
        self._root._check_open()
        self._check_index(at)
        data = self._now()
        if isinstance(at, slice):
            data[at] = self._kept(value)
        elif not (isinstance(value, (Fields, Elements)) and value._data is data[at]):
            data[at] = plain_data(value, self, at)
        self._root._touch()

    def _kept(self, values: Iterable[Any]) -> list[Any]:
        """Return copies of `values` as plain data, to put into this list.

        A view of an element of this list isn't copied, so that the element keeps its comments. If `values` has the same
        element twice, the second one is copied.
        """
        own = {id(one): one for one in self._data}
        return [
            own.pop(id(one._data))
            if isinstance(one, (Fields, Elements)) and id(one._data) in own
            else plain_data(one, self, at)
            for at, one in enumerate(values)
        ]

    def __delitem__(self, at: Any) -> None:
        self._root._check_open()
        self._check_index(at)
        del self._now()[at]
        self._root._touch()

    def insert(self, index: int, value: Any) -> None:
        """Insert a copy of `value` before the element at `index`, as `list.insert` does.

        Raises:
            UsageError: The resource can't be changed, or can't hold the value.
        """
        self._root._check_open()
        self._now().insert(index, plain_data(value, self, index))
        self._root._touch()

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the index of `value` in this list.

        If `value` is a view of an element of this list, that is the element's index. Else it is the index of the first
        equal element.

        Args:
            value: The value, or a view of an element.
            start: The index of the first element that is searched.
            stop: The index after the last element that is searched; None for the list's end.

        Raises:
            ValueError: None of these elements equals the value.
        """
        data = self._now()
        if isinstance(value, (Fields, Elements)):
            for at in range(*slice(start, stop).indices(len(data))):
                if data[at] is value._data:
                    return at
        for at in range(*slice(start, stop).indices(len(data))):
            if equal(data[at], value):
                return at
        raise ValueError(f"{self._root._where}: {self._path} has no element {value!r:.60}")

    def __contains__(self, value: object) -> bool:
        return any(equal(one, value) for one in self._now())

    def count(self, value: Any) -> int:
        """Return how many elements are equal to `value`; 0 for a value that isn't JSON, such as a set."""
        return sum(equal(one, value) for one in self._now())

    def extend(self, values: Iterable[Any]) -> None:
        """Add copies of `values` at the end of the list: all of them, or none if there is an error.

        Raises:
            UsageError: The resource can't be changed, or can't hold one of the values.
        """
        self._root._check_open()
        made = [plain_data(one, self) for one in values]
        self._now().extend(made)
        self._root._touch()

    def clear(self) -> None:
        """Remove every element. The empty list stays in the resource.

        Raises:
            UsageError: The resource can't be changed.
        """
        del self[:]

    def sort(self, *, key: Callable[[Any], Any] | None = None, reverse: bool = False) -> None:
        """Sort the list in place, as Python's `list.sort` does. Elements keep their comments.

        Args:
            key: A function that returns an element's sort key. It gets objects and lists as live views. None to compare
                the elements themselves.
            reverse: Whether to sort in descending order.

        Raises:
            UsageError: The resource can't be changed.
            TypeError: Two elements, or their keys, can't be compared.
        """
        self._root._check_open()
        data = self._now()
        order = sorted(range(len(data)), key=lambda at: self[at] if key is None else key(self[at]), reverse=reverse)
        data[:] = [data[at] for at in order]
        self._root._touch()

    def reverse(self) -> None:
        """Reverse the order of the elements in place. Elements keep their comments.

        Raises:
            UsageError: The resource can't be changed.
        """
        self._root._check_open()
        self._now().reverse()
        self._root._touch()

    def copy(self) -> list[Any]:
        """Return a copy of the list as plain data."""
        copy: list[Any] = copied(self._now())
        return copy

    def __add__(self, other: Iterable[Any]) -> list[Any]:
        return [*self, *other]

    def __radd__(self, other: Iterable[Any]) -> list[Any]:
        return [*other, *self]


class Missing(Fields):
    """The value of an attribute whose field is missing or null: it is empty, false, and equal to None, {} and [].

    Writing to it adds the field to the resource: as an object if a field of it is set, as a list if an element is
    added. After that it reads and changes the new value, like any live view. As long as the field is missing, `str`,
    arithmetic, `<` and `>` raise UsageError, so that no manifest gets a name like "None-web".
    """

    __slots__ = ()

    def _found(self) -> Any:
        """Return the field's present value, as a live view if it is an object or list; None if it is still missing."""
        above: Any = self._up._found() if isinstance(self._up, Missing) else self._up
        if not isinstance(above, Fields):
            return None
        value = above._now().get(str(self._step))
        return None if value is None else wrapped(above, self._step, value)

    def _now(self) -> dict[str, Any]:
        found: Any = self._found()
        now: dict[str, Any] = found._now() if isinstance(found, Fields) else {}
        return now

    def _read(self) -> Any:
        found = self._found()
        return found._read() if isinstance(found, View) else found

    def _put(self, key: str, value: Any) -> None:
        found = self._found()
        if found is None:  # the missing object is set together with the value in it
            assert isinstance(self._up, Fields)
            self._up._put(str(self._step), {key: value})
        elif isinstance(found, Fields):
            found._put(key, value)
        else:
            raise self._is_not("an object", found)

    def _list(self) -> list[Any]:
        """Return the field's list, not a copy. If the field is missing or null, set it to an empty list first.

        Raises:
            UsageError: The field has a value of another type, or the resource can't be changed.
        """
        found = self._found()
        if found is None:
            empty: list[Any] = []
            assert isinstance(self._up, Fields)
            self._up._put(str(self._step), empty)
            return empty
        if not isinstance(found, Elements):
            raise self._is_not("a list", found)
        now: list[Any] = found._now()
        return now

    def _is_not(self, wanted: str, found: Any) -> UsageError:
        return UsageError(f"{self._root._where}: {self._path} is not {wanted} (it is {found!r:.60})")

    def append(self, value: Any) -> None:
        """Append a copy of `value` to the field's list. A missing field becomes a list first. Errors as in `insert`."""
        self.extend([value])

    def extend(self, values: Iterable[Any]) -> None:
        """Add copies of `values` to the field's list. A missing field becomes a list first. Errors as in `insert`."""
        self._root._check_open()
        made = [plain_data(one, self) for one in values]
        self._list().extend(made)
        self._root._touch()

    def insert(self, index: int, value: Any) -> None:
        """Insert a copy of `value` into the field's list, as `list.insert` does; a missing field becomes a list first.

        Raises:
            UsageError: The resource can't be changed or can't hold the value, or the field has another value meanwhile.
        """
        self._root._check_open()
        made = plain_data(value, self, index)
        self._list().insert(index, made)
        self._root._touch()

    def __iadd__(self, values: Iterable[Any]) -> Any:  # type: ignore[misc]  # `+` takes anything, and refuses
        self.extend(values)
        return self._found()

    def __getitem__(self, key: Any) -> Any:
        found = self._found()
        if isinstance(found, (Fields, Elements)):
            return found[key]
        if isinstance(key, str):
            raise KeyError(key)
        problem = "isn't set" if found is None else "is not a list"
        raise IndexError(f"{self._root._where}: {self._path} {problem}, so it has no element {key!r}")

    def __iter__(self) -> Iterator[Any]:
        found = self._found()
        return iter(found) if isinstance(found, (Fields, Elements)) else iter(())

    def __len__(self) -> int:
        found = self._found()
        return len(found) if isinstance(found, (Fields, Elements)) else 0

    def __contains__(self, key: object) -> bool:
        found = self._found()
        return key in found if isinstance(found, (Fields, Elements)) else False

    def __eq__(self, other: object) -> bool:
        found = self._found()
        if found is not None:
            return bool(found == other)
        if isinstance(other, Missing):
            other = other._found()
        return other is None or (isinstance(other, (Mapping, list, tuple, Elements)) and len(other) == 0)

    __hash__ = None  # type: ignore[assignment]  # mutable, and compared by value

    def __repr__(self) -> str:
        found = self._found()
        return f"<{self._path} isn't there>" if found is None else repr(found)

    def __str__(self) -> str:
        found = self._found()
        self._refuse()
        return str(found)

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def _refuse(self, other: object = None) -> Any:
        if self._found() is None:
            raise UsageError(
                f"{self._root._where}: {self._path} isn't there; "
                f"resource.get({self._path!r}, default=...) returns a default"
            )
        return NotImplemented

    __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse


_METHODS = frozenset(name for name in (*dir(Fields), *dir(Elements)) if not name.startswith("_"))


def _key_of(cls: type[Any], name: str) -> str:
    """Return the name of the field that the attribute `name` stands for.

    That is `name` itself, but `from` for `from_` and `items` for `items_`, because Python keywords and methods can't be
    fields' attributes.

    Raises:
        AttributeError: The name begins with an underscore.
    """
    if name.startswith("_"):  # names that libraries probe for
        raise AttributeError(f"{cls.__name__!r} object has no attribute {name!r}")
    bare = name[:-1]
    if name.endswith("_") and (keyword.iskeyword(bare) or bare in _METHODS or hasattr(cls, bare)):
        return bare
    return name


def _below(path: Any) -> tuple[Any, ...]:
    from .._paths import field_path  # resource.py has imported it already

    return path if type(path) is tuple else field_path.parse(path, whole_labels=True) if path else ()


def wrapped(up: Fields | Elements, step: str | int, value: Any) -> Any:
    if isinstance(value, dict):
        return Fields(up._root, value, up, step)
    return Elements(up._root, value, up, step) if isinstance(value, list) else value
