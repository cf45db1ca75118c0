"""The base of all models: classes whose instances know which of their fields were set.

The value of a set field is kept in the instance's dict. Any other field is read from the instance's source, the encoded
object that the instance stands for, if it has one (see `crossplane_lite._models.node`).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, SupportsIndex, TypeVar

from .._base.near_name import near_name
from .._observed.observable import Observable
from .._observed.tracker import current
from .._observed.uses import guess, note_use
from ..errors import UnknownFieldError
from .adopt import adopt, fill, own_copy, shell_of
from .containers import ModelList
from .libraries import asked_class
from .node import HELD_NODE, WAIT
from .pickling import not_by_yaml
from .reader import read
from .setter import delete_field, set_field
from .shape import ModelShape, new_node
from .types import MODEL, all_strings
from .walker import equal, plain_data, represent, with_nulls

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: Any) -> Any:  # for checkers alone; typing has the real one from 3.11 on
        return lambda cls: cls


M = TypeVar("M", bound="Model")

__all__ = ["CONSTRUCTORS", "HELP", "Model", "from_dict", "restored", "to_dict"]


class _Help:
    """Descriptor for the `__doc__` of a model class: a description of the class and its fields, made when it's read."""

    def __get__(self, instance: object, owner: Any = None) -> str:
        from .described import help_text

        cls: Any = type(instance) if owner is None else owner
        return help_text(cls)


class _Signature:
    """Descriptor for the `__signature__` of a model class: a keyword argument for each field.

    Raises:
        AttributeError: It is read from an instance, or the class has no fields or a constructor of its own.
    """

    def __get__(self, instance: object, owner: Any) -> Any:
        if instance is not None or owner.__init__ not in CONSTRUCTORS or not owner.__wire_fields__:
            raise AttributeError(f"type object {owner.__name__!r} has no attribute '__signature__'")
        from .described import signature

        return signature(owner)


HELP: Any = _Help()
CONSTRUCTORS: list[Any] = []
_set_node = ModelShape._set_node
_set_dict: Any = ModelShape.__dict__["__dict__"].__set__


@dataclass_transform(kw_only_default=True)
class Model(ModelShape):
    """Base of nested objects, such as a resource's `spec`, and of resources.

    Constructors take only keyword arguments. Setting a field to None or UNSET sets nothing: the value of a previous
    function stays. `NULL` is an explicit null, and `del model.field` removes the value of a previous function.
    Equality, `repr` and `to_dict` use only fields that are set, or that the object has in the cluster or in a previous
    function's desired state.

    Raises:
        UnknownFieldError: A field that the class doesn't have is read or set. The message proposes the nearest name.
        ReadOnlyError: A field of observed state is set or deleted.
        UsageError: A field is given a value that it can't hold.
    """

    __slots__ = ()

    __attrs_attrs__: ClassVar[Any]
    if not TYPE_CHECKING:
        __signature__ = _Signature()

        @property
        def __class__(self):
            # attrs.asdict and cattrs ask for it, and isinstance() where type() doesn't match. The SDK uses type().
            return asked_class(self, sys._getframe(1)) if "attr" in sys.modules else type(self)

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
            if kind in field.takes or kind is Observable:
                continue
            if kind is field.type.made and value._node is None:
                _set_node(value, HELD_NODE)
                continue
            if kind is field.copied:
                try:
                    if kind is list:
                        field.probe(value)
                    elif field.probe is all_strings:
                        all_strings([*value, *value.values()])  # one list of both is faster than two checks
                    else:
                        field.probe(value.values())
                        all_strings(value)
                except TypeError:
                    pass  # `adopt` refuses or converts it
                else:
                    fields[name] = value.copy()
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

    def _read_field(self, name: str) -> Any:
        field = self.__wire_fields__.get(name)
        if field is None:
            if name in ("_node", "_state"):  # a subclass whose constructor doesn't call ours has not set its slots
                return None
            raise self._unknown(name)
        node = self._node
        if node is None or node is HELD_NODE:
            if field.type.code < MODEL:
                return None
            node = self._own_node()
        elif node.views is not None:
            view = node.views.get(name)
            if view is not None:
                return view
        return read(node, self, field)

    if not TYPE_CHECKING:  # to checkers a model has the fields of its class and no others
        __getattr__ = _read_field
        __setattr__ = set_field
        __delattr__ = delete_field

    def _taken_whole(self) -> None:
        """Note that all of this model is made plain data, which counts as a guess if the object may still come.

        Raises:
            UsageError: The object is a part of a desired resource that Crossplane discards.
        """
        node = self._node
        if node is not None and self._absent:
            node.used()
            if node.state == WAIT:
                # Plain data can't tell what is done with it, so no other run could show what depends on it.
                note_use(node.observable(), opaque=True, counted=True)

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
        return shell_of(self) if self._node is None or self._node.state < WAIT else self.__deepcopy__({})

    def __deepcopy__(self, memo: object) -> Model:
        if self._absent and self._node is not None and self._node.state == WAIT:
            return self  # a copy must wait for the value, too; this object can't be changed
        if self._node is None or (self._node.state < WAIT and self._node.raw is None):
            return own_copy(self)  # keeps which fields were deleted
        return restored(type(self), to_dict(self))

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        not_by_yaml(sys._getframe(1))
        return restored, (type(self), to_dict(self))

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self.__wire_fields__})

    @classmethod
    def _unknown(cls, name: str) -> Exception:
        if name[:1] == "_":  # names that libraries probe for; no need to look for a near name
            return AttributeError(f"{cls.__name__!r} object has no attribute {name!r}")
        return UnknownFieldError(f"{cls.__name__} has no field {name!r}{near_name(name, cls.__wire_fields__)}")


CONSTRUCTORS.append(Model.__init__)


def to_dict(model: Model) -> dict[str, Any]:
    """Return a model as plain data: its set fields, and the fields it inherits, by their names in Kubernetes.

    Inherited fields are those of the observed object, or of a previous function's desired state, that the model was
    read from. Observables stay Observables. An explicit null becomes None.

    A model that isn't observed yet gives an empty dict, and counts as a guess (see `Observable`).

    Raises:
        EncodeError: A list in the model holds UNSET, or the model contains itself.
    """
    model._taken_whole()
    result: dict[str, Any] = plain_data(model)
    return result


def restored(cls: type[M], values: Mapping[str, Any]) -> M:
    """Return a model of class `cls` from the plain data of another model. The types of scalars aren't checked.

    None in the data means an explicit null.

    Raises:
        UnknownFieldError: A key is not a field of the class.
        UsageError: A field can't hold a list or mapping of the data.
    """
    made: Any = cls
    model: M = fill(made.__new__(made), with_nulls(values), is_copy=True)
    return model


def from_dict(cls: type[M], values: Mapping[str, Any]) -> M:
    """Return a model made from plain data, whose keys are the names in Kubernetes or attributes of the class.

    None in the data means an explicit null.

    Args:
        cls: The model class.
        values: The data.

    Raises:
        UnknownFieldError: A key is not a field of the class.
        UsageError: A field can't hold its value, or the data contains itself.
    """
    made: Any = cls
    made = fill(made.__new__(made), with_nulls(values))
    model: M = made
    return model
