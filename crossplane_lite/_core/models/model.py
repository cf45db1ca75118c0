"""The base of all models: classes whose instances know which of their fields were set.

The value of a set field is kept in the instance's dict. Any other field is read from the instance's
source, the encoded object that the instance stands for, if it has one (see `_core.models.node`).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, SupportsIndex, TypeVar

from ...errors import UnknownFieldError, UsageError
from ..observed.observable import Observable, guess, note_use
from ..observed.tracker import current, observed_calls, observer
from ..observed.writers import teach_yaml
from .adopt import adopt, constructed, fill, own_copy
from .containers import ModelList
from .libraries import teach_asking, teach_globally, teach_pprint
from .node import HELD_NODE, WAIT, ModelShape, new_node
from .reader import Reading, over_source
from .types import MODEL, all_strings
from .walker import equal, plain_data, represent, with_nulls

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:
    # for checkers alone; typing has the real one from 3.11 on
    def dataclass_transform(**_: Any) -> Any:
        return lambda cls: cls


M = TypeVar("M", bound="Model")


class Described:
    """Descriptor for what a function of `described` says of a class. It works for an instance,
    too.
    """

    def __init__(self, function: str) -> None:
        self._function = function

    def __get__(self, instance: object, owner: Any = None) -> Any:
        from . import described

        return getattr(described, self._function)(type(instance) if owner is None else owner)


class _Signature:
    """Descriptor for the `__signature__` of a model class: a keyword argument for each field.

    Raises:
        AttributeError: It is read from an instance, or the class has no fields or a constructor of
            its own.
    """

    def __get__(self, instance: object, owner: Any) -> Any:
        if instance is not None or owner.__init__ not in CONSTRUCTORS or not owner.__wire_fields__:
            raise AttributeError(f"type object {owner.__name__!r} has no attribute '__signature__'")
        from .described import signature

        return signature(owner)


HELP: Any = Described("help_text")
"""The `__doc__` of a model class: a description of the class and its fields, made when it is
read.
"""

CONSTRUCTORS: list[Any] = []
_reading = lru_cache(1024)(Reading)  # those of fields that any name makes come from data
_set_node = ModelShape._set_node
_set_dict: Any = ModelShape.__dict__["__dict__"].__set__


def set_field(self: Model, name: str, value: Any) -> None:
    """Set a field. None and UNSET remove the set value, so that the value of previous functions is
    read again.

    Raises UnknownFieldError, ReadOnlyError if the model is observed state, and UsageError if the
    field can't hold the value.
    """
    field = self.__wire_fields__.get(name)
    if field is None:
        raise self._unknown(name)
    node = self._node
    if node is not None and node.state >= WAIT:
        raise node.read_only(f".{name}")
    if name in self._fixed:
        self._check_fixed(name, value)
        return
    if value is not None and self.__dict__.get(name) is value:
        return  # `model.items += [...]` assigns the list that was read and has attached itself
    kept = value if type(value) in field.takes else adopt(field.type, value, (self, field.wire))
    if kept is None:
        self.__dict__.pop(name, None)
    elif node is not None and node.deleted is not None and name in node.deleted:
        # set after a deletion: it replaces the old value and doesn't merge
        self.__dict__[name] = kept
    elif node is not None and node.raw is not None and issubclass(type(kept), (ModelShape, dict)):
        self.__dict__[name] = over_source(node, field.wire, field.type, kept)
    else:
        self.__dict__[name] = kept
    if node is not None:
        if kept is None and node.deleted is not None:
            node.deleted.discard(name)
        node.replaced(name)
        if kept is not None and node.owner is not None:
            node.touch(self)
    if observed_calls:
        observer().has_set(self, name)


def delete_field(self: Model, name: str) -> None:
    """Delete a field. It then reads as if nothing had set it, and the value of previous functions
    is removed.

    A field that isn't set can be deleted, too. Raises UnknownFieldError, ReadOnlyError if the model
    is observed state, and UsageError for a fixed field, such as apiVersion.
    """
    if self.__wire_fields__.get(name) is None:
        raise self._unknown(name)
    node = self._node
    if node is None or node is HELD_NODE:
        node = self._own_node()
    if node.state >= WAIT:
        raise node.read_only(f".{name}")
    if name in self._fixed:
        raise UsageError(f"{type(self).__name__}.{name} is fixed and can't be deleted")
    self.__dict__.pop(name, None)
    if node.deleted is None:
        node.deleted = set()
    node.deleted.add(name)
    node.replaced(name)
    node.touch(self)


@dataclass_transform(kw_only_default=True)
class Model(ModelShape):
    """Base of nested objects, such as a resource's `spec`, and of resources.

    Constructors take only keyword arguments. Setting a field to None or UNSET sets nothing: the
    value of a previous function stays. `NULL` is an explicit null, and `del model.field` removes
    the value of a previous function. Equality, `repr` and `to_dict` use only fields that are set,
    or that the object has in the cluster or in a previous function's desired state.

    Raises:
        UnknownFieldError: A field that the class doesn't have is read or set. The message proposes
            the nearest name.
        ReadOnlyError: A field of observed state is set or deleted.
        UsageError: A field is given a value that it can't hold.
    """

    __slots__ = ()

    __attrs_attrs__: ClassVar[Any]
    if TYPE_CHECKING:

        @property
        def _is_writable(self) -> Any: ...  # fields can't be set where it is `Literal[False]`

    else:
        __signature__ = _Signature()

        @property
        def __class__(self):
            # Libraries ask for it, and isinstance() where type() doesn't match. The SDK uses
            # type().
            if "cattrs" in sys.modules:
                teach_globally()
                teach_asking()
            teach_yaml()
            return type(self)

    def __init__(self, /, **fields: Any) -> None:
        _set_node(self, None if current() is not None else new_node())
        known = self.__wire_fields__
        # Nobody else has the dict of the arguments, so it becomes the instance's own.
        _set_dict(self, fields)
        unset: list[str] = []
        for name, value in fields.items():
            field = known.get(name)
            if field is None:
                raise self._unknown(name)
            kind = type(value)
            # The most usual values come first; `adopt` would decide the same.
            if kind in field.takes or (kind is Observable and value.__cl_type__ is None):
                continue
            if kind is field.type.made and value._node is None:
                _set_node(value, HELD_NODE)
                continue
            if kind is field.copied:
                try:
                    if kind is list:
                        field.probe(value)
                    elif field.probe is all_strings:
                        # one list of both is faster than two checks
                        all_strings([*value, *value.values()])
                    else:
                        field.probe(value.values())
                        all_strings(value)
                except TypeError:
                    pass  # `adopt` refuses or converts it
                else:
                    fields[name] = value.copy()
                    continue
            elif kind is dict and field.type.code == MODEL:
                kept = constructed(field.type, value)
                if kept is not None:
                    fields[name] = kept
                    continue
            elif kind is list and field.lists:
                made = field.type.item.made
                for item in value:
                    if type(item) is not made or item._node is not None:
                        break
                else:
                    for item in value:
                        _set_node(item, HELD_NODE)
                    fields[name] = ModelList(value, None, field.type)
                    continue
            if name in self._fixed:
                self._check_fixed(name, value)
                unset.append(name)
            else:
                kept = adopt(field.type, value, (self, field.wire))
                if kept is None:
                    unset.append(name)
                else:
                    fields[name] = kept
        for name in unset:
            del fields[name]
        if observed_calls:
            observer().made(self)

    def _read_field(self, name: str) -> Any:
        field = self.__wire_fields__.get(name)
        if field is None:
            # a subclass whose constructor doesn't call ours has not set its slots
            if name in ("_node", "_state"):
                return None
            raise self._unknown(name)
        return _reading(field).__get__(self)

    if not TYPE_CHECKING:  # to checkers a model has the fields of its class and no others
        __getattr__ = _read_field
        __setattr__ = set_field
        __delattr__ = delete_field

        def __getitem__(self, key: object, value: object = None) -> NoReturn:
            from .mistakes import not_a_dict

            raise UsageError(not_a_dict(self, key))

        __setitem__ = __delitem__ = __getitem__

    def _taken_whole(self) -> None:
        """Note that all of this model is made plain data, which counts as a guess if the object may
        still come.

        Raises:
            UsageError: The object is a part of a desired resource that Crossplane discards.
        """
        node = self._node
        if node is not None and self._absent:
            node.used()
            if node.state == WAIT:
                # Plain data can't tell what is done with it, so no other run could show what
                # depends on it.
                note_use(node.observable())

    def __bool__(self) -> bool:
        if not self._absent:
            return True
        node = self._node
        assert node is not None  # a missing value has a node
        node.used()
        return node.state == WAIT and guess(node.observable())

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        for one in (self, other):  # comparing with a missing value is a guess, as for an Observable
            if one._absent and bool(one):
                return True
        return equal(plain_data(self), plain_data(other))

    __hash__ = None  # type: ignore[assignment]  # mutable, and compared by value

    def __repr__(self) -> str:
        if "pprint" in sys.modules:
            teach_pprint(type(self).__repr__)
        return represent(self)

    def __str__(self) -> str:
        node = self._node
        if node is not None and self._absent:
            node.used()
            if node.state == WAIT:
                return str(node.observable())  # text made from a missing value waits for it
        return repr(self)

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    def __copy__(self) -> Model:
        return (
            self._shell()
            if self._node is None or self._node.state < WAIT
            else self.__deepcopy__({})
        )

    def __deepcopy__(self, memo: object) -> Model:
        if self._absent and self._node is not None and self._node.state == WAIT:
            return self  # a copy must wait for the value, too; this object can't be changed
        if self._node is None or (self._node.state < WAIT and self._node.raw is None):
            return own_copy(self)  # keeps which fields were deleted
        return restored(type(self), to_dict(self))

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return restored, (type(self), to_dict(self))

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self.__wire_fields__})

    @classmethod
    def _unknown(cls, name: str) -> Exception:
        if name[:1] == "_":  # names that libraries probe for; no need to look for a near name
            return AttributeError(f"{cls.__name__!r} object has no attribute {name!r}")
        from .mistakes import unknown_field

        return UnknownFieldError(unknown_field(cls, name), (cls, name))


CONSTRUCTORS.append(Model.__init__)


def to_dict(model: Model) -> dict[str, Any]:
    """Return a model as plain data: its set fields, and the fields it inherits, by their names in
    Kubernetes.

    Inherited fields are those of the observed object, or of a previous function's desired state,
    that the model was read from. Observables stay Observables. An explicit null becomes None.

    A model that isn't observed yet gives an empty dict, and counts as a guess (see `Observable`).

    Raises:
        EncodeError: A list in the model holds UNSET, or the model contains itself.
    """
    model._taken_whole()
    result: dict[str, Any] = plain_data(model)
    return result


def restored(cls: type[M], values: Mapping[str, Any]) -> M:
    """Return a model made from the plain data of another model, as `from_dict` does, but with
    scalars of any type.
    """
    return fill(cls, with_nulls(values), is_copy=True)


def from_dict(cls: type[M], values: Mapping[str, Any]) -> M:
    """Return a model made from plain data, whose keys are the names in Kubernetes or attributes of
    the class.

    None in the data means an explicit null.

    Args:
        cls: The model class.
        values: The data.

    Raises:
        UnknownFieldError: A key is not a field of the class.
        UsageError: A field can't hold its value, or the data contains itself.
    """
    return fill(cls, with_nulls(values))
