"""Support for attrs and cattrs: they can use models as if attrs had made the classes.

The SDK itself needs neither library. This module imports attrs when the `__attrs_attrs__` of a class is first read. It
never imports cattrs.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any, Final

from .._base.sentinels import UNSET

if TYPE_CHECKING:
    from types import FrameType

    from .shape import ModelShape

__all__ = ["MadeByAttrs", "asked_class", "making", "teach", "teach_globally"]

making: Final = threading.RLock()
"""The lock under which classes are made.

It is reentrant, because making one class may ask a module for another class. All modules share it, because two locks
could deadlock.
"""

_global_hooks: set[int] = set()  # the ids of global converters of cattrs that know models; usually one


class MadeByAttrs:
    """Descriptor for the `__attrs_attrs__` of a model class: at the first read, attrs adds its attributes to the class.

    `attrs.fields`, `attrs.evolve` and cattrs need these attributes, but the SDK doesn't. Making them takes 0.3 ms for
    each class, and attrs must be imported for it: that would be most of the time of a first call.
    """

    _owner: type[ModelShape]

    def __set_name__(self, owner: type[ModelShape], name: str) -> None:
        self._owner = owner

    def __get__(self, instance: object, owner: object = None) -> Any:
        cls: Any = self._owner
        with making:
            if cls.__dict__["__attrs_attrs__"] is self:
                import attr

                from .described import python_type

                these = {
                    # attrs would strip a leading underscore from the constructor's argument.
                    name: attr.ib(
                        default=getattr(cls, name) if name in cls._fixed else UNSET,
                        kw_only=True,
                        type=python_type(field.type, choices=False),  # cattrs can't convert to a choice of types
                        alias=name,
                    )
                    for name, field in cls.__wire_fields__.items()
                }
                attr.s(these=these, init=False, eq=False, repr=False, order=False, unsafe_hash=False)(cls)
            return cls.__attrs_attrs__


def asked_class(model: ModelShape, frame: FrameType) -> type:
    """Return the `__class__` of a model, and make cattrs' global converter able to convert models.

    attrs and cattrs read `__class__` first. `attrs.asdict` would then read every field, set or not, and never end where
    a class refers to itself. So `attrs.asdict` gets a temporary class that has only the fields that are present in the
    model. `frame` belongs to the code that reads `__class__`.
    """
    teach_globally()
    asdict = getattr(sys.modules.get("attr"), "asdict", None)
    if asdict is None or frame.f_code is not asdict.__code__:
        return type(model)
    import attr

    cls: Any = type(model)
    model._taken_whole()
    known = {field.name: field for field in attr.fields(cls)}
    (other,) = attr.fields(attr.make_class("_Other", {"other": attr.ib(default=UNSET)}, kw_only=True))
    shown = [known.get(name) or other.evolve(name=name, alias=name) for name in _present(model)]
    return type(type(model).__name__, (), {"__attrs_attrs__": tuple(shown)})


def _present(model: ModelShape) -> list[str]:
    """Return the names of a model's present attributes: fixed ones, set ones, and those in its source.

    The source is the encoded object that unset fields are read from. Deleted fields are left out.
    """
    cls = type(model)
    names = dict.fromkeys([*(name for name in cls.__wire_fields__ if name in cls._fixed), *model.__dict__])
    node = model._node
    if node is not None and node.raw is not None:
        for wire in sorted(node.fields):
            field = cls._by_wire(wire)
            name = wire if field is None else field.name
            if name not in (node.deleted or ()) and (field is not None or cls._is_open()):
                names[name] = None
    return list(names)


def teach_globally() -> None:
    """Make cattrs' global converter able to convert models. Do nothing if cattrs hasn't been imported."""
    cattrs = sys.modules.get("cattrs")
    converter = getattr(cattrs, "global_converter", None)
    if converter is not None and id(converter) not in _global_hooks:
        _global_hooks.add(id(converter))
        teach(converter)


def teach(converter: Any) -> None:
    """Make a converter turn models into plain data (like `to_dict`) and plain data into models (like `from_dict`).

    Args:
        converter: A `cattrs.Converter`.
    """
    from .model import from_dict, to_dict

    converter.register_unstructure_hook_func(_is_model, to_dict)
    converter.register_structure_hook_func(_is_model, lambda values, cls: from_dict(cls, values))


def _is_model(cls: Any) -> bool:
    from .model import Model

    return isinstance(cls, type) and issubclass(cls, Model)
