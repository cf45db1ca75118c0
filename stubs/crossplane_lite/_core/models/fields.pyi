"""The types of models' fields: the values that reading a field gives, and the values that it can be
set to.

Classes of models are made while the program runs, so only stubs use these names. A field is
declared by one of these descriptors, after its type in the table of its module:

    s i f b q    name: Leaf[str] = ...   or Seen[str], in classes that only the status of kinds has,
                                         or Given[str], if each composite of an XRD has the field
    x            name: Any = ...
    o            name: FreeForm = ...
    Name         name: Nested[Name] = ...
    [Name        name: Items[Name] = ...
    {Name        name: ItemMap[Name] = ...
    [s           name: Values[str] = ...
    {s           name: Map[str] = ...
    [o           name: Items[DynamicModel] = ...

Lists and maps of lists or maps name two types, the one that an item reads as and the one that it
can be set to:

    [[Name       name: DeepList[list[Name], ItemsOf[Name]] = ...
    {[s          name: DeepMap[list[str | Observable[str]], ListOf[str]] = ...

Lists and maps of models have other classes than those of values. Type checkers read from `__set__`
alone which values a constructor takes. So one class for both couldn't take a mapping for a model
and refuse a mapping for a string.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import (
    Any,
    Generic,
    Literal,
    Protocol,
    SupportsIndex,
    TypeAlias,
    overload,
    type_check_only,
)

from typing_extensions import Never, Self, TypeVar

from crossplane_lite._core.base.sentinels import NullType, UnsetType
from crossplane_lite.model import DynamicModel, Model, Resource
from crossplane_lite.observable import Observable

__all__ = [
    "DeepList",
    "DeepMap",
    "FreeForm",
    "Given",
    "ItemMap",
    "ItemMapOf",
    "Items",
    "ItemsOf",
    "Leaf",
    "ListOf",
    "ManagedResource",
    "ManagedSpec",
    "Map",
    "MapOf",
    "Nested",
    "ObservedModel",
    "Seen",
    "Values",
]

_T = TypeVar("_T")
_W = TypeVar("_W")
_T_co = TypeVar("_T_co", covariant=True)
_M = TypeVar("_M", bound=Model)
_V_co = TypeVar("_V_co", bound=Model, default=_M, covariant=True)

# What every field takes besides its values: no opinion, and an explicit null.
_Empty: TypeAlias = UnsetType | NullType | None

@type_check_only
class _Sequence(Protocol[_T_co]):
    """A list or a tuple, and not a str, whose `__contains__` takes strings alone."""

    def __contains__(self, item: object, /) -> bool: ...
    def __getitem__(self, index: SupportsIndex, /) -> _T_co: ...
    def __iter__(self) -> Iterator[_T_co]: ...
    def __len__(self) -> int: ...

# What can be written for a list or a map. A list holds no None at run time, but checkers see one in
# every value that is read from a field, `subnet.observed.status.atProvider.id` among them.
ListOf: TypeAlias = _Sequence[_T | Observable[_T] | None]
MapOf: TypeAlias = Mapping[str, _T | Observable[_T] | _Empty]
ItemsOf: TypeAlias = _Sequence[_M | Mapping[str, Any] | Observable[_M]]
ItemMapOf: TypeAlias = Mapping[str, _M | Mapping[str, Any] | Observable[_M] | _Empty]

# What one item can be set to.
_Value: TypeAlias = _T | Observable[_T] | None
_Item: TypeAlias = _M | Mapping[str, Any] | Observable[_M]

@type_check_only
class ObservedModel(Model):
    """Base of the classes that parts of observed resources have: their fields can only be read.

    Each class of models has such a class beside it, `_ObservedSpec` for `Spec`, which is a subclass
    of both. So what is observed can be passed to a function that takes a `Spec`, and assigned to a
    field that holds one.
    """

    @property
    def _is_writable(self) -> Literal[False]: ...

@type_check_only
class Writable(Protocol):
    """A model that is no `ObservedModel`, which is a subclass of Model but not of this."""

    @property
    def _is_writable(self) -> Literal[True]: ...

@type_check_only
class Leaf(Generic[_T]):
    """A field of one value. Reading gives the value, an Observable of it, or None."""

    def __get__(self, instance: Model, owner: type[Model], /) -> _T | Observable[_T] | None: ...
    def __set__(self, instance: Writable, value: _T | Observable[_T] | _Empty, /) -> None: ...
    def __delete__(self, instance: Writable, /) -> None: ...

@type_check_only
class Seen(Generic[_T]):
    """A field of one value that only observed state has. Reading gives the value or an Observable
    of it, never None.
    """

    def __get__(self, instance: Model, owner: type[Model], /) -> _T | Observable[_T]: ...
    def __set__(self, instance: Writable, value: _T | Observable[_T] | _Empty, /) -> None: ...
    def __delete__(self, instance: Writable, /) -> None: ...

@type_check_only
class Given(Generic[_T]):
    """A field of one value that each composite has: its XRD requires it or has a default. Reading
    gives the value.
    """

    def __get__(self, instance: Model, owner: type[Model], /) -> _T: ...
    def __set__(self, instance: Writable, value: _T | Observable[_T] | _Empty, /) -> None: ...
    def __delete__(self, instance: Writable, /) -> None: ...

@type_check_only
class Nested(Generic[_M, _V_co]):
    """A field that holds a model. Reading gives the model, never None."""

    @overload
    def __get__(self, instance: ObservedModel, owner: type[Model], /) -> _V_co: ...
    @overload
    def __get__(self, instance: Model, owner: type[Model], /) -> _M: ...
    def __set__(
        self, instance: Writable, value: _M | Mapping[str, Any] | Observable[_M] | _Empty, /
    ) -> None: ...
    def __delete__(self, instance: Writable, /) -> None: ...

@type_check_only
class FreeForm:
    """A field that holds an object without a schema. Reading gives the object, never None."""

    def __get__(self, instance: Model, owner: type[Model], /) -> DynamicModel: ...
    def __set__(
        self, instance: Writable, value: Model | Mapping[str, Any] | Observable[Any] | _Empty, /
    ) -> None: ...
    def __delete__(self, instance: Writable, /) -> None: ...

@type_check_only
class Items(Generic[_M, _V_co]):
    """A field that holds a list of models. Reading gives the list, never None."""

    @overload
    def __get__(self, instance: ObservedModel, owner: type[Model], /) -> ObservedList[_V_co]: ...
    @overload
    def __get__(self, instance: Model, owner: type[Model], /) -> ItemsList[_M]: ...
    def __set__(
        self, instance: Writable, value: ItemsOf[_M] | Observable[_Sequence[_M]] | _Empty, /
    ) -> None: ...
    def __delete__(self, instance: Writable, /) -> None: ...

@type_check_only
class ItemMap(Generic[_M, _V_co]):
    """A field that holds a map of models. Reading gives the map, never None."""

    @overload
    def __get__(self, instance: ObservedModel, owner: type[Model], /) -> ObservedDict[_V_co]: ...
    @overload
    def __get__(self, instance: Model, owner: type[Model], /) -> ItemsDict[_M]: ...
    def __set__(
        self, instance: Writable, value: ItemMapOf[_M] | Observable[Mapping[str, _M]] | _Empty, /
    ) -> None: ...
    def __delete__(self, instance: Writable, /) -> None: ...

@type_check_only
class Values(Generic[_T]):
    """A field that holds a list of values. Reading gives the list, never None."""

    @overload
    def __get__(
        self, instance: ObservedModel, owner: type[Model], /
    ) -> ObservedList[_T | Observable[_T]]: ...
    @overload
    def __get__(self, instance: Model, owner: type[Model], /) -> ValuesList[_T]: ...
    def __set__(
        self, instance: Writable, value: ListOf[_T] | Observable[_Sequence[_T]] | _Empty, /
    ) -> None: ...
    def __delete__(self, instance: Writable, /) -> None: ...

@type_check_only
class Map(Generic[_T]):
    """A field that holds a map of values. Reading gives the map, never None."""

    @overload
    def __get__(
        self, instance: ObservedModel, owner: type[Model], /
    ) -> ObservedDict[_T | Observable[_T]]: ...
    @overload
    def __get__(self, instance: Model, owner: type[Model], /) -> ValuesDict[_T]: ...
    def __set__(
        self, instance: Writable, value: MapOf[_T] | Observable[Mapping[str, _T]] | _Empty, /
    ) -> None: ...
    def __delete__(self, instance: Writable, /) -> None: ...

@type_check_only
class DeepList(Generic[_T, _W]):
    """A field that holds a list of lists or maps. Reading gives the list, never None."""

    def __get__(self, instance: Model, owner: type[Model], /) -> list[_T | Observable[_T]]: ...
    def __set__(
        self, instance: Writable, value: ListOf[_W] | Observable[_Sequence[_W]] | _Empty, /
    ) -> None: ...
    def __delete__(self, instance: Writable, /) -> None: ...

@type_check_only
class DeepMap(Generic[_T, _W]):
    """A field that holds a map of lists or maps. Reading gives the map, never None."""

    def __get__(self, instance: Model, owner: type[Model], /) -> ValuesDict[_T]: ...
    def __set__(
        self, instance: Writable, value: MapOf[_W] | Observable[Mapping[str, _W]] | _Empty, /
    ) -> None: ...
    def __delete__(self, instance: Writable, /) -> None: ...

@type_check_only
class ManagedSpec(Model):
    """The spec of a managed resource, as far as all of them have the same fields."""

    forProvider: Any = ...
    managementPolicies: Any = ...
    providerConfigRef: Any = ...

_S_co = TypeVar("_S_co", bound=ManagedSpec, default=ManagedSpec, covariant=True)

class ManagedResource(Resource, Generic[_S_co]):
    """Base of the managed resources of providers: kinds whose spec has `forProvider` and
    `providerConfigRef`.
    """

    spec: Nested[_S_co, Any] = ...  # Any, because each kind has an observed class of its own
    status: Any = ...

@type_check_only
class ItemsList(list[_M]):
    """The list that a field of models reads as. It takes mappings for models. Changing it sets the
    field.
    """

    def append(self, object: _Item[_M], /) -> None: ...
    def extend(self, iterable: Iterable[_Item[_M]], /) -> None: ...
    def insert(self, index: SupportsIndex, object: _Item[_M], /) -> None: ...
    @overload
    def __setitem__(self, key: SupportsIndex, value: _Item[_M], /) -> None: ...
    @overload
    def __setitem__(self, key: slice, value: Iterable[_Item[_M]], /) -> None: ...
    # It takes more types than `+` does, which checkers report.
    def __iadd__(self, value: Iterable[_Item[_M]], /) -> Self: ...  # type: ignore[misc,override]

@type_check_only
class ValuesList(list[_T | Observable[_T]]):
    """The list that a field of values reads as. It takes values read from other fields. Changing it
    sets the field.
    """

    def append(self, object: _Value[_T], /) -> None: ...
    def extend(self, iterable: Iterable[_Value[_T]], /) -> None: ...
    def insert(self, index: SupportsIndex, object: _Value[_T], /) -> None: ...
    @overload
    def __setitem__(self, key: SupportsIndex, value: _Value[_T], /) -> None: ...
    @overload
    def __setitem__(self, key: slice, value: Iterable[_Value[_T]], /) -> None: ...
    def __iadd__(self, value: Iterable[_Value[_T]], /) -> Self: ...  # type: ignore[misc,override]

@type_check_only
class ItemsDict(dict[str, _M]):
    """The map that a field of models reads as. It takes mappings for models; None means no
    opinion.
    """

    def __setitem__(self, key: str, value: _Item[_M] | _Empty, /) -> None: ...
    def setdefault(self, key: str, default: _Item[_M] | _Empty = None, /) -> _M: ...
    @overload  # type: ignore[override]
    def update(self, other: ItemMapOf[_M], /, **more: _Item[_M] | _Empty) -> None: ...
    @overload
    def update(
        self, other: Iterable[tuple[str, _Item[_M] | _Empty]], /, **more: _Item[_M] | _Empty
    ) -> None: ...
    @overload
    def update(self, **more: _Item[_M] | _Empty) -> None: ...
    def __ior__(self, value: ItemMapOf[_M], /) -> Self: ...  # type: ignore[misc,override]

@type_check_only
class ValuesDict(dict[str, _T | Observable[_T]]):
    """The map that a field of values reads as. It takes None, which means no opinion. Changing it
    sets the field.
    """

    def __setitem__(self, key: str, value: _Value[_T] | _Empty, /) -> None: ...
    def setdefault(
        self, key: str, default: _Value[_T] | _Empty = None, /
    ) -> _T | Observable[_T]: ...
    @overload  # type: ignore[override]
    def update(self, other: MapOf[_T], /, **more: _Value[_T] | _Empty) -> None: ...
    @overload
    def update(
        self, other: Iterable[tuple[str, _Value[_T] | _Empty]], /, **more: _Value[_T] | _Empty
    ) -> None: ...
    @overload
    def update(self, **more: _Value[_T] | _Empty) -> None: ...
    def __ior__(self, value: MapOf[_T], /) -> Self: ...  # type: ignore[misc,override]

@type_check_only
class ObservedList(list[_T]):
    """A list in observed state, which can only be read: no value can be put into it."""

    def append(self, object: Never, /) -> None: ...  # type: ignore[override]
    def extend(self, iterable: Never, /) -> None: ...  # type: ignore[override]
    def insert(self, index: Never, object: Never, /) -> None: ...  # type: ignore[override]
    def remove(self, value: Never, /) -> None: ...  # type: ignore[override]
    def __setitem__(self, key: Never, value: Never, /) -> None: ...  # type: ignore[override]
    def __delitem__(self, key: Never, /) -> None: ...  # type: ignore[override]
    def __iadd__(self, value: Never, /) -> Self: ...  # type: ignore[misc,override]

@type_check_only
class ObservedDict(dict[str, _T]):
    """A map in observed state, which can only be read: no value can be put into it."""

    def update(self, other: Never, /) -> None: ...  # type: ignore[override]
    def setdefault(self, key: Never, default: Never, /) -> _T: ...  # type: ignore[override]
    def __setitem__(self, key: Never, value: Never, /) -> None: ...  # type: ignore[override]
    def __delitem__(self, key: Never, /) -> None: ...  # type: ignore[override]
    def __ior__(self, value: Never, /) -> Self: ...  # type: ignore[misc,override]
