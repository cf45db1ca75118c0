"""Live views: the objects and lists in a resource, which read and change it in place."""

from __future__ import annotations

import keyword
from collections.abc import Mapping, MutableMapping, MutableSequence
from types import FunctionType

from .._core.paths.text import show
from ..errors import UsageError
from ._text._nodes import DEEPEST, copied

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, NoReturn, TypeAlias

    from .comments import Comments

    Above: TypeAlias = "Fields | Elements | None"
    _MutableMapping = MutableMapping[str, Any]
    _MutableSequence = MutableSequence[Any]
else:
    _MutableMapping, _MutableSequence = MutableMapping, MutableSequence


def plain_data(value: Any, view: View | None = None, step: Any = ()) -> Any:
    """Return a copy of a value as plain data: dicts, lists, strings, numbers, booleans and None.

    Args:
        value: A JSON value. Views, models, tuples and other mappings are allowed in it at any
            depth.
        view: The view that the value is put into, for messages; None if there is none.
        step: The value's key or index in `view`, or a tuple of several, for messages.

    Raises:
        UsageError: The value, or a part of it, isn't a JSON value or is nested too deep.
    """
    if type(value) is str and value.isascii():  # the usual case
        return value
    from ._text._nodes import checked

    steps = step if isinstance(step, tuple) else (step,)
    where = "" if view is None else show([*view._steps(), *steps])
    views: list[View] = []
    plain = _opened(value, where, 0, views)
    if not views or view is None:
        return checked(plain, where)
    copies: dict[int, Any] = {}
    made = checked(plain, where, 0, copies)
    for one in views:
        view._root._came_from(copies[id(one._data)], one)
    return made


def _opened(value: Any, where: str, depth: int, views: list[View]) -> Any:
    """Return a value in which views, models and other mappings are replaced by plain data. Other
    types stay.

    Args:
        value: The value.
        where: The path that the value is put at, for messages; may be empty.
        depth: How deep `value` is nested in the value of the first call.
        views: The list that the views in the value are added to.

    Raises:
        UsageError: The value is nested too deep.
    """
    if value is None or isinstance(value, (str, int, float)):
        return value
    if depth > DEEPEST:
        raise UsageError(
            f"{where or 'the value'} contains itself, or is nested more than {DEEPEST} levels deep"
        )
    if isinstance(value, View):
        now = value._now()
        if now is value._data:
            views.append(value)
        return now
    if isinstance(value, Mapping):
        return {key: _opened(one, where, depth + 1, views) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_opened(one, where, depth + 1, views) for one in value]
    if hasattr(type(value), "__wire_fields__"):  # a model; its module is loaded then
        from .._core.models.model import to_dict

        return to_dict(value)
    return value


_TEXTS = {("metadata", "labels"), ("metadata", "annotations")}
_NAMES = {
    ("metadata", "name"),
    ("metadata", "namespace"),
    ("metadata", "generateName"),
    ("apiVersion",),
    ("kind",),
}


def check_types(steps: tuple[Any, ...], value: Any, what: Callable[[], str]) -> None:
    """Check that apiVersion, kind, names, labels and annotations are strings, as Kubernetes
    requires.

    The metadata must be an object, and so must its labels and annotations.

    Args:
        steps: The path in the resource that the value is put at; empty for the whole resource.
        value: The value, plain data. None is accepted everywhere except for the metadata.
        what: A function that returns the resource's name for the message.

    Raises:
        UsageError: The value, or a part of it, must be a string or an object.
    """
    if len(steps) > 3 or (steps and steps[0] not in ("metadata", "apiVersion", "kind")):
        return
    if steps in _NAMES or steps[:2] in _TEXTS and len(steps) == 3:
        if value is not None and not isinstance(value, str):
            shown = f"{value!r:.40}" if not isinstance(value, (dict, list)) else ""
            hint = f"; write str({shown}), or another string" if shown else ""
            if isinstance(value, bool):
                hint = (
                    f'; write str({shown}).lower(), which is "{str(value).lower()}", or another'
                    " string"
                )
            raise UsageError(f"{what()}: {show(steps)} must be a string (got {value!r:.60}){hint}")
    elif not isinstance(value, dict) and (
        steps == ("metadata",) or (steps in _TEXTS and value is not None)
    ):
        raise UsageError(f"{what()}: {show(steps)} must be an object (got {value!r:.60})")
    elif isinstance(value, dict) and (steps == () or steps[:1] == ("metadata",)):
        for key, one in value.items():
            check_types((*steps, key), one, what)


def equal(one: object, other: object) -> bool:
    """Return whether two values are equal as JSON. True and 1 differ.

    Args:
        one: A view or plain data.
        other: Any object. If a manifest can't have it, such as a set, it equals nothing.
    """
    from ._text._nodes import same

    try:
        return same(one._now() if isinstance(one, View) else one, plain_data(other))
    except UsageError:  # it has a value that isn't JSON
        return False


def is_map(value: object) -> bool:
    """Return whether a value of a resource is an object: a live view of one, a dict, or another
    mapping.
    """
    return isinstance(value, Mapping)


def is_list(value: object) -> bool:
    """Return whether a value of a resource is a list: a live view of one, a list or a tuple.
    Strings aren't lists.
    """
    return isinstance(value, (Elements, list, tuple))


class _Called:
    """A method of a live view, which can only be called. Used as a value, as fields are, it is an
    error.

    `expression.values == ["linux"]` would be False for ever, and say nothing.
    """

    __slots__ = ("__func__", "__self__")

    def __init__(self, function: Callable[..., Any], view: Any) -> None:
        self.__func__ = function
        self.__self__ = view

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__func__(self.__self__, *args, **kwargs)

    def _refuse(self, *_: object) -> NoReturn:
        name, view = self.__func__.__name__, self.__self__
        where = f"{view._root._where}: {show([*view._steps(), name])}"
        raise UsageError(
            f"{where} is a method here; the field of this name is .{name}_ or [{name!r}]"
        )

    __bool__ = __iter__ = __len__ = __contains__ = __getitem__ = __str__ = __format__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __add__ = __radd__ = _refuse
    __hash__ = None  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__func__, name) if name.startswith("__") else self._refuse()


class _Method:
    """The descriptor of a method that is a `_Called` when it is read."""

    __slots__ = ("_function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def __get__(self, view: Any, _: object = None) -> Any:
        return self._function if view is None else _Called(self._function, view)


def honest(cls: type[Any]) -> None:
    """Make the public methods of a class of live objects fail when they are used as if they were
    fields.
    """
    for name in dir(cls):
        if not name.startswith("_") and isinstance(found := getattr(cls, name), FunctionType):
            setattr(cls, name, _Method(found))


class View:
    """Base class of live views: objects and lists that read and change a part of a resource in
    place.
    """

    __slots__ = ("_data", "_root", "_step", "_up")

    _root: Any  # the `Resource`
    _up: Above  # the view that this view was read from; None for a resource
    _step: str | int  # the key or index of this view in `_up`
    _data: Any

    def __init__(self, root: Any, data: Any, up: Above, step: str | int) -> None:
        put = object.__setattr__
        put(self, "_root", root)
        put(self, "_data", data)
        put(self, "_up", up)
        put(self, "_step", step)

    def _now(self) -> Any:
        """Return the plain data that the view shows, with the changes of typed views; not a
        copy.
        """
        self._root._sync()
        return self._data

    def _steps(self) -> list[str | int]:
        steps: list[str | int] = []
        one: View | None = self
        while one is not None and one._up is not None:
            steps.append(one._step)
            one = one._up
        return steps[::-1]

    @property
    def _path(self) -> str:
        return show(self._steps())

    def __len__(self) -> int:
        return len(self._now())

    def comments(self, path: str | tuple[str | int, ...] = "") -> Comments:
        """Return the comments of the value at a field path within this object or list.

        Args:
            path: The path, such as `ports[0]`, or a tuple of its keys and indexes. Empty for the
                object or list itself.

        Raises:
            UsageError: There is no value at the path, or it isn't a field path.
        """
        found: Comments = self._root.comments((*self._steps(), *_below(path)))
        return found

    def __eq__(self, other: object) -> bool:
        return equal(self, other)

    __hash__ = None  # type: ignore[assignment]  # mutable, and compared by value

    def __repr__(self) -> str:
        return repr(self._now())

    def __copy__(self) -> Any:
        return copied(self._now())

    def __deepcopy__(self, memo: object) -> Any:
        return copied(self._now())


class Fields(View, _MutableMapping):
    """A live view of an object in a resource: a mapping that reads and changes the object in place.

    A field is an item (`view["name"]`) and an attribute (`view.name`); both have the same value. A
    field that isn't there raises KeyError or AttributeError, so `hasattr` and `getattr` with a
    default tell the truth; `Resource.set` makes the objects on the way to a new field. If a field
    has the name of a method or of a Python keyword, its attribute ends in an underscore
    (`view.items_`, `view.from_`); its item doesn't (`view["items"]`).

    An assigned value is copied. So a later change of the original doesn't change the resource.

    Raises:
        UsageError: On a change: the resource can't be changed, or can't hold the value. Or a method
            is used as a value.
    """

    __slots__ = ()

    # Items

    def __getitem__(self, key: str) -> Any:
        return wrapped(self, key, self._now()[key])

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise UsageError(
                f"{': '.join(filter(None, (self._root._where, self._path)))}: a key must be a"
                f" string (got {key!r})"
            )
        plain_data(key, self, key)
        self._root._check_open()
        now = self._now()
        if isinstance(value, View) and value._data is not None and value._data is now.get(key):
            return  # `view.ports += [...]` changes the list in place, and then assigns it
        self._root._change(now, key, plain_data(value, self, key))

    def __delitem__(self, key: str) -> None:
        self._root._check_open()
        if key not in self._now():
            raise KeyError(key)
        self._root._change(self._now(), key)

    def setdefault(self, key: str, default: Any = None) -> Any:
        """Return the value of the field `key`. If the field is missing, set it to `default` first;
        null isn't missing.

        Raises:
            UsageError: The resource can't be changed, or can't hold the value.
        """
        if key not in self:
            self[key] = default
        return self[key]

    def clear(self) -> None:
        """Remove every field of the object, except annotations that only an orchestrator such as
        kustomize may change.

        Raises:
            UsageError: The resource can't be changed.
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
        now = self._now()
        if key not in now:
            raise self._absent(name, key)
        return wrapped(self, key, now[key])

    def _absent(self, name: str, key: str) -> AttributeError:
        path = show([*self._steps(), key])
        text = (
            f"{path} isn't there; resource.get({path!r}, default) reads it if it is,"
            f" resource.set({path!r}, value) "
        )
        return AttributeError(f"{self._root._where}: {text}makes it", name=name, obj=self)

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            raise AttributeError(
                f"{name!r} can't be set as an attribute, because it begins with '_'; set the field"
                f" as [{name!r}]"
            )
        known = getattr(type(self), name, None)
        if isinstance(known, property):
            object.__setattr__(self, name, value)
        elif known is not None:
            raise UsageError(
                f"{name!r} is a method; set the field of this name as [{name!r}] or .{name}_"
            )
        else:
            self[_key_of(type(self), name)] = value

    def __delattr__(self, name: str) -> None:
        key = _key_of(type(self), name)
        if key not in self._now():
            raise self._absent(name, key)
        del self[key]

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self._now()})

    def to_dict(self) -> dict[str, Any]:
        """Return a copy of the object as plain data."""
        copy: dict[str, Any] = copied(self._now())
        return copy


class Texts(Fields):
    """The labels or annotations of a resource. If it has none, the first one that is set makes the
    object.
    """

    __slots__ = ()

    def _now(self) -> dict[str, Any]:
        metadata = self._root._now().get("metadata")
        found = metadata.get(self._step) if isinstance(metadata, dict) else None
        return found if isinstance(found, dict) else {}

    def __setitem__(self, key: str, value: Any) -> None:
        if self._now():
            super().__setitem__(key, value)
        else:
            self._root.set(("metadata", self._step), {key: value})


honest(Fields)
honest(Texts)


class Elements(View, _MutableSequence):
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
        """Raise an IndexError with the list's path if the list has no element at the index `at`.
        Slices always pass.
        """
        many = len(self._now())
        if isinstance(at, int) and not -many <= at < many:
            held = f"{many} element{'s' * (many != 1)}"
            raise IndexError(f"{self._root._where}: {self._path} has {held}, so there is no [{at}]")

    def __setitem__(self, at: Any, value: Any) -> None:
        self._root._check_open()
        self._check_index(at)
        data = self._now()
        if isinstance(at, slice):
            self._root._loosen(data, data)
            data[at] = self._kept(value)
        elif not (isinstance(value, View) and value._data is data[at]):
            data[at] = plain_data(value, self, at)
        self._root._touch(data)

    def _kept(self, values: Iterable[Any]) -> list[Any]:
        """Return copies of `values` as plain data, to put into this list.

        A view of an element of this list isn't copied, so that the element keeps its comments. If
        `values` has the same element twice, the second one is copied.
        """
        own = {id(one): one for one in self._data}
        return [
            (
                own.pop(id(one._data))
                if isinstance(one, View) and id(one._data) in own
                else plain_data(one, self, at)
            )
            for at, one in enumerate(values)
        ]

    def __delitem__(self, at: Any) -> None:
        self._check_index(at)
        if isinstance(at, slice):
            self[at] = ()
        else:
            self._root._change(self._now(), at % len(self))

    def insert(self, index: int, value: Any) -> None:
        """Insert a copy of `value` before the element at `index`, as `list.insert` does.

        Raises:
            UsageError: The resource can't be changed, or can't hold the value.
        """
        data, made = self._now(), plain_data(value, self, index)
        if index >= len(data):
            self._root._change(data, len(data), made)
            return
        self._root._check_open()
        if not isinstance(made, (dict, list)):
            self._root._set_comments()  # those of texts and numbers wait by their indexes
        data.insert(index, made)
        self._root._touch(data)

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """Return the index of `value` in this list.

        If `value` is a view of an element of this list, that is the element's index. Else it is the
        index of the first equal element.

        Args:
            value: The value, or a view of an element.
            start: The index of the first element that is searched.
            stop: The index after the last element that is searched; None for the list's end.

        Raises:
            ValueError: None of these elements equals the value.
        """
        data = self._now()
        places = range(*slice(start, stop).indices(len(data)))
        own = value._data if isinstance(value, View) else places
        for at in places:
            if data[at] is own:
                return at
        for at in places:
            if equal(data[at], value):
                return at
        raise ValueError(f"{self._root._where}: {self._path} has no element {value!r:.60}")

    def __contains__(self, value: object) -> bool:
        return any(equal(one, value) for one in self._now())

    def count(self, value: Any) -> int:
        """Return how many elements are equal to `value`; 0 for a value that isn't JSON, such as a
        set.
        """
        return sum(equal(one, value) for one in self._now())

    def extend(self, values: Iterable[Any]) -> None:
        """Add copies of `values` at the end of the list: all of them, or none if there is an error.

        Raises:
            UsageError: The resource can't be changed, or can't hold one of the values.
        """
        for one in [plain_data(one, self) for one in values]:
            self._root._change(self._now(), len(self), one)

    def clear(self) -> None:
        """Remove every element. The empty list stays in the resource.

        Raises:
            UsageError: The resource can't be changed.
        """
        del self[:]

    def sort(self, *, key: Callable[[Any], Any] | None = None, reverse: bool = False) -> None:
        """Sort the list in place, as Python's `list.sort` does. Elements keep their comments.

        Args:
            key: A function that returns an element's sort key. It gets objects and lists as live
                views. None to compare the elements themselves.
            reverse: Whether to sort in descending order.

        Raises:
            UsageError: The resource can't be changed.
            TypeError: Two elements, or their keys, can't be compared.
        """
        self[:] = sorted(self, key=key, reverse=reverse)

    def reverse(self) -> None:
        """Reverse the order of the elements in place. Elements keep their comments.

        Raises:
            UsageError: The resource can't be changed.
        """
        self[:] = self[::-1]

    def copy(self) -> list[Any]:
        """Return a copy of the list as plain data."""
        copy: list[Any] = copied(self._now())
        return copy

    def __add__(self, other: Iterable[Any]) -> list[Any]:
        return [*self, *other]

    def __radd__(self, other: Iterable[Any]) -> list[Any]:
        return [*other, *self]


_METHODS = frozenset(name for name in (*dir(Fields), *dir(Elements)) if not name.startswith("_"))


def _key_of(cls: type[Any], name: str) -> str:
    """Return the name of the field that the attribute `name` stands for.

    That is `name` itself, but `from` for `from_` and `items` for `items_`, because Python keywords
    and methods can't be fields' attributes.

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
    from .._core.paths import field_path  # resource.py has imported it already

    return (
        path if type(path) is tuple else field_path.parse(path, whole_labels=True) if path else ()
    )


def wrapped(up: Fields | Elements, step: str | int, value: Any) -> Any:
    if isinstance(value, dict):
        return Fields(up._root, value, up, step)
    return Elements(up._root, value, up, step) if isinstance(value, list) else value
