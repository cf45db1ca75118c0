"""Models of objects that have no schema, which take any field, and of resources of kinds without a
generated class.

The state of such an object, such as VIEW, is a state of `_core.models.node`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, MutableMapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from ...errors import UsageError
from .. import codec
from ..base.official import instead
from ..base.texts import type_in_words
from ..models.libraries import MadeByAttrs
from ..models.model import Model, delete_field, set_field
from ..models.node import FACT, VIEW, WAIT, Became, shown
from ..models.types import DYNAMIC, MODEL, Field, Type, parse_type
from ..models.walker import equal, plain_data
from ..observed.observable import Observable, belong, guess
from ..observed.tracker import current, observed_calls, observer
from .resource import Resource, reading_of


@lru_cache(1024)  # the names come from data
def _dynamic_field(name: str) -> Field:
    return Field(name, name, _ANY_OBJECT)


class DynamicFields(dict[str, Field]):
    """The fields of a class that takes any attribute: the fields of its schema, and a field for any
    other name.

    A field's name in Kubernetes isn't found if its attribute has another name. Otherwise one value
    could be set twice.
    """

    def __init__(self, known: Mapping[str, Field] | None = None) -> None:
        super().__init__(known or {})
        self._renamed = frozenset(field.wire for field in self.values() if field.wire != field.name)

    def get(self, name: str, default: Any = None) -> Any:
        field = dict.get(self, name)
        return field if field is not None or name in self._renamed else _dynamic_field(name)

    def __missing__(self, name: str) -> Field:
        return _dynamic_field(name)


class DynamicKeys(dict[str, bytes]):
    """The encoded keys of a class that takes any attribute. Keys of unknown fields aren't kept:
    they come from data.
    """

    def __missing__(self, name: str) -> bytes:
        return codec.entry_prefix(name)


def _or_of_list(function: Callable[..., Any]) -> Callable[[Any], Any]:
    """Decorate a method so that it gives what `function` gives of the list, if the object has
    become one.
    """

    def decorate(method: Any) -> Any:
        def either(self: DynamicModel, *args: Any) -> Any:
            values = self._as_list()
            return method(self, *args) if values is None else function(values, *args)

        return either

    return decorate


def _compare(self: DynamicModel, other: Any) -> Any:
    self._ask("be compared", "0" if isinstance(other, (int, float)) else "''")
    return NotImplemented


class DynamicModel(Model):
    """An object without a schema. Any field can be read and set, as an attribute or as an item.

    The object can be used like plain data. A field that isn't set becomes an object or a list when
    it is first written to: `spec.args.append("a")` makes a list. Item access, `in`, iteration and
    `len` always work. The methods of mappings (`get`, `items` and so on) work unless a field has
    their name.

    Raises:
        ReadOnlyError: A field of observed state is set, deleted or changed.
        UsageError: A field is given a value that can't be kept, or a field that isn't set is
            converted to a string or asked for an element.
    """

    __wire_fields__ = DynamicFields()
    __wire_keys__ = DynamicKeys()
    __attrs_attrs__ = MadeByAttrs()

    @classmethod
    def _is_open(cls) -> bool:
        return True

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...
        def __delattr__(self, name: str) -> None: ...

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Names that Python and notebooks probe for, unless the class has a field of that name.
            if (
                name.startswith(("__", "_repr_", "_ipython_"))
                and name not in type(self).__wire_fields__
            ):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            made = self._read_field(name)
            if name in _METHODS:
                if type(made) is Observable:
                    if not self._absent:
                        belong(made, self)
                elif isinstance(made, DynamicModel) and made._absent and made._node.state > VIEW:
                    # writable objects know it already
                    made._node.owner, made._node.key = self, name
                    made._node.tie()
            return made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call a method of lists or mappings, such as `items`, whose name was read as a field that
        isn't set.

        Returns the method's result. An error of the method itself is raised as well.

        Raises:
            UsageError: This object is set, wasn't read from an object without a schema, or no
                method has its name.
            ReadOnlyError: The method would change observed state.
        """
        node = self._node
        if node is None or not self._absent:
            raise UsageError(
                f"{shown(node)} is an object in the data, not a method, so it can't be called; for"
                " the methods of mappings, make a dict of the object around it first: dict(...)"
            )
        owner: Any = node.owner
        if isinstance(owner, DynamicModel):
            return owner._call_method(node.key, args, kwargs)
        raise UsageError(f"{self._unset()}, so it can't be called")

    def _call_method(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call the list or mapping method `name` and return its result.

        `append`, `extend` and `insert` turn a missing object into a list.

        Raises:
            UsageError: Neither lists nor mappings have the method, or it doesn't fit this object.
            ReadOnlyError: The method would change observed state.
        """
        values = self._as_list()
        if values is None and name in _MAKE_A_LIST and self._absent:
            values = self._become_a_list(name)
        if values is not None:
            return getattr(values, name)(*args, **kwargs)
        if name in _OF_LISTS and (
            self._absent and (name != "pop" or not args or isinstance(args[0], int))
        ):
            return getattr([], name)(*args, **kwargs)  # as an empty list would do it
        method = _OF_MAPPINGS.get(name)
        if method is None:
            what = (
                self._unset()
                if self._absent
                else f"{shown(self._node)} has no field or method {name!r}"
            )
            methods = ", ".join(f"{one}()" for one in sorted(_OF_MAPPINGS))
            hint = instead(name) or f"; the methods of an object without a schema are {methods}"
            raise UsageError(f"{what}, so {name}() can't be called{hint}")
        return method(self, *args, **kwargs)

    def _become_a_list(self, name: str) -> list[Any]:
        """Put an empty list in the place of this missing object, and return the list. `name` is the
        called method.

        Raises:
            ReadOnlyError: The object is observed state.
            UsageError: Another value was set in its place.
        """
        node = self._node
        assert node is not None  # it isn't there
        node.used()
        holder: Any = node.owner
        if node.state != VIEW or holder is None:
            raise (
                node.read_only()
                if node.state >= WAIT
                else UsageError(
                    f"{shown(self._node)} can't become a list: another value was set in its place"
                )
            )
        key = node.key
        set_field(holder, key, [])
        values: list[Any] = holder.__dict__[key]
        node.state, node.owner = VIEW, Became(values, shown(self._node))
        node.shows = codec.MORE  # so that the codec doesn't take this for an empty object
        return values

    def _as_list(self) -> list[Any] | None:
        """Return the list that has replaced this object (see `_become_a_list`), or None if it is
        still an object.
        """
        node = self._node
        return node.owner.values if node is not None and type(node.owner) is Became else None

    def _unset(self) -> str:
        node = self._node
        # A call's objects without a place in the cluster are desired state. The observed value may
        # be what is meant.
        desired = node is not None and node.state < WAIT and current() is not None
        where = " in desired state (.observed has the state of the cluster)" if desired else ""
        return f"{shown(self._node)} isn't set{where}"

    __bool__ = _or_of_list(bool)(Model.__bool__)
    __repr__ = _or_of_list(repr)(Model.__repr__)
    __lt__, __le__, __gt__, __ge__ = (
        _or_of_list(one)(_compare) for one in (operator.lt, operator.le, operator.gt, operator.ge)
    )

    @_or_of_list(operator.eq)
    def __eq__(self, other: object) -> bool:
        if isinstance(other, Mapping):
            bool(self)  # counts as a guess if the object may still come
            return equal(plain_data(self), plain_data(other))
        if other is None and self._is_unset():
            return True  # as a scalar that isn't set, which a class with known fields reads as None
        return Model.__eq__(self, other)

    def __hash__(self) -> int:  # type: ignore[override]  # of Model, where it is None
        self._ask("be a key", "''")
        # mutable, and compared by value
        raise TypeError(f"unhashable type: {type(self).__name__!r}")

    def __int__(self) -> int:
        self._ask("become a number", "0")
        raise TypeError(f"{shown(self._node)} is an object, so it can't become a number")

    __float__ = __int__

    def _is_unset(self) -> bool:
        """Return whether this is a missing object whose value can't come any more."""
        node = self._node
        if not self._absent or node is None or node.state == WAIT or self._as_list() is not None:
            return False
        node.used()
        return True

    def _ask(self, use: str, default: str) -> None:
        """Raise UsageError if this object isn't set. The message has the use that fails, and a
        default for it.
        """
        if self._is_unset():
            raise UsageError(
                f"{self._unset()}, so it can't {use}; give a default, as in (... or {default})"
            )

    @_or_of_list(str)
    def __str__(self) -> str:
        if self._absent and self._node is not None and self._node.state != WAIT:
            self._node.used()
            raise UsageError(
                f"{self._unset()}, so it can't become a string; give a default, as in str(..."
                " or '')"
            )
        return Model.__str__(self)

    def __getitem__(self, name: Any) -> Any:
        if isinstance(name, (int, slice)):
            return self._list_at(name)[name]
        name = _text(name)
        return self.__dict__[name] if name in self.__dict__ else self._read_field(name)

    def __setitem__(self, name: Any, value: Any) -> None:
        if isinstance(name, (int, slice)):
            self._list_at(name)[name] = value
            if observed_calls:
                observer().has_set(self, name)
            return
        set_field(self, _text(name), value)  # never a property of the resource

    def __delitem__(self, name: Any) -> None:
        if isinstance(name, (int, slice)):
            del self._list_at(name)[name]
            return
        delete_field(self, _text(name))

    def _list_at(self, at: object) -> Any:
        """Return the list that this object has become; raise UsageError if it is none, and so has
        no element `at`.
        """
        values = self._as_list()
        if values is not None:
            return values
        node = self._node
        if node is not None and self._absent:
            node.used()
            path = shown(self._node)
            hint = (
                f"; {path}.append(...) makes it a list"
                if node.state < FACT
                else f"; ask `if {path}:` first"
            )
            raise UsageError(f"{self._unset()}, so it has no element {at!r}{hint}")
        raise UsageError(
            f"{shown(self._node)} is an object, not a list: its keys are strings (got {at!r})"
        )

    def __add__(self, other: Any) -> Any:
        return self._added(other, lambda own: [*own, *other])

    def __radd__(self, other: Any) -> Any:
        return self._added(other, lambda own: [*other, *own])

    def _added(self, other: Any, add: Callable[[list[Any]], list[Any]]) -> Any:
        values = self._as_list()
        if not self._absent:
            return NotImplemented
        if self._node is not None:
            self._node.used()
        if isinstance(other, (list, tuple)):
            return add([] if values is None else values)
        default = 0 if isinstance(other, (int, float)) else ""
        raise UsageError(
            f"{self._unset()}, so {type_in_words(other)} can't be added to it; give a default, as"
            f" in (... or {default!r})"
        )

    @_or_of_list(operator.contains)
    def __contains__(self, name: object) -> bool:
        if name in self.__dict__ or any(name == one for one in self):
            return True
        node = self._node
        if node is None or node.state != WAIT or self._absent:
            return False
        asked = node.observable(f".{name}")
        if observed_calls:
            observer().went_on(asked)
        return guess(asked)

    @_or_of_list(iter)
    def __iter__(self) -> Any:
        if not bool(self):  # counts as a guess if the object may still come
            return iter(())
        node = self._node
        inherited = (
            []
            if node is None
            else [name for name in sorted(node.fields) if name not in (node.deleted or ())]
        )
        if node is not None and node.state == WAIT:
            for name in inherited:
                self[name]  # that a key is there counts as a value that was read
        return iter(dict.fromkeys([*inherited, *self.__dict__]))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _dict(model: DynamicModel) -> dict[str, Any]:
    return {name: model[name] for name in model}


def _get(model: DynamicModel, name: str | Observable[str], *default: Any) -> Any:
    """Return a field of `model`, or `default` if the field is missing.

    Without a default, a missing field gives an Observable if its value may still come, else None.
    """
    node = model._node
    if not default and node is not None and node.state == WAIT:
        return model[name]
    return model[name] if name in model else (default[0] if default else None)


def _setdefault(model: DynamicModel, name: str | Observable[str], default: Any = None) -> Any:
    if name not in model:
        model[name] = default
    return model[name]


def _pop(model: DynamicModel, name: str, *default: Any) -> Any:
    if name not in model:
        if default:
            return default[0]
        raise KeyError(name)
    value = model[name]
    del model[name]
    return value


def _clear(model: DynamicModel) -> None:
    for name in list(model):
        del model[name]


_OF_MAPPINGS: Final[dict[str, Callable[..., Any]]] = {
    "clear": _clear,
    "copy": _dict,
    "get": _get,
    "items": lambda model: _dict(model).items(),
    "keys": lambda model: _dict(model).keys(),
    "pop": _pop,
    "setdefault": _setdefault,
    "update": MutableMapping.update,
    "values": lambda model: _dict(model).values(),
}
_MAKE_A_LIST: Final = frozenset({"append", "extend", "insert"})
_OF_LISTS: Final = frozenset({"count", "index", "pop", "remove", "reverse", "sort"})
_METHODS: Final = _MAKE_A_LIST | _OF_LISTS | frozenset(_OF_MAPPINGS)


def _text(name: str | Observable[str]) -> str:
    """Return the name of a field as a string. An unresolved Observable becomes its placeholder, as
    with `str()`.
    """
    return str(name) if isinstance(name, Observable) else name


# The type of any attribute of such a model.
_ANY_OBJECT: Final = Type(DYNAMIC, resolve=lambda ref: DynamicModel)


def _object_meta(_: str) -> type[Model]:
    from ...models.io.k8s.apimachinery.pkg.apis.meta import v1

    cls: type[Model] = v1.ObjectMeta
    return cls


METADATA: Final = Type(MODEL, ref="ObjectMeta", resolve=_object_meta)
"""The type of the metadata of every resource."""


class Unstructured(Resource, DynamicModel):
    """A resource of any kind, without a generated class. Any field can be read and set.

    Args:
        api_version: The resource's apiVersion.
        kind: The resource's kind.
        **fields: The top-level fields, such as `spec`. A field with other fields in it is a
            mapping.

    Raises:
        UsageError: `api_version` or `kind` isn't a string, is empty or looks like the other one, or
            a field is given a value that it can't hold.
    """

    __slots__ = ()

    __wire_fields__ = DynamicFields(
        {
            "apiVersion": Field("apiVersion", "apiVersion", parse_type("s")),
            "kind": Field("kind", "kind", parse_type("s")),
            "metadata": Field("metadata", "metadata", METADATA),
        }
    )

    __attrs_attrs__ = MadeByAttrs()

    if not TYPE_CHECKING:
        metadata = reading_of(__wire_fields__["metadata"])

    def __init__(self, api_version: str, kind: str, **fields: Any) -> None:
        for name, value in (("api_version", api_version), ("kind", kind)):
            if not isinstance(value, str) or not value:
                raise UsageError(
                    f"Unstructured: {name!r} must be a string that isn't empty (got {value!r})"
                )
        if "/" in kind or "." in kind or api_version[0].isupper():
            raise UsageError(
                "Unstructured: the apiVersion must come first, such as 'v1' or 'apps/v1', and then"
                f" the kind, such as 'Deployment' (got {api_version!r}, {kind!r})"
            )
        Resource.__init__(self, apiVersion=api_version, kind=kind, **fields)
