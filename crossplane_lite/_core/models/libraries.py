"""Support for attrs, cattrs, PyYAML, json and pprint: they can use models as if attrs had made the
classes.

The SDK itself needs none of them for this. This module imports attrs when the `__attrs_attrs__` of
a class is first read, and json in `json_dumps`. It never imports the others.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from typing import Any, Final

from ...errors import DEEPEST, EncodeError
from ..base.sentinels import UNSET, NullType
from ..observed.observable import Observable, text_or_value
from ..observed.writers import plain_forms
from ..paths.trees import copied
from .node import WAIT, ModelShape, PlacedList, PlacedMap
from .types import SCALARS
from .walker import plain_data, shown_fields

making: Final = threading.RLock()
"""The lock under which classes are made.

It is reentrant, because making one class may ask a module for another class. All modules share it,
because two locks could deadlock.
"""

_MOST_KEPT: Final = 64
# the converters of cattrs that know models, by id; being taught twice does no harm
_knowing: dict[int, Any] = {}


class MadeByAttrs:
    """Descriptor for the `__attrs_attrs__` of a model class: at the first read, attrs adds its
    attributes to the class.

    `attrs.fields`, `attrs.evolve` and cattrs need these attributes, but the SDK doesn't. Making
    them takes 0.3 ms for each class, and attrs must be imported for it: that would be most of the
    time of a first call.
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
                        # cattrs can't convert to a choice of types
                        type=python_type(field.type, choices=False),
                        alias=name,
                    )
                    for name, field in cls.__wire_fields__.items()
                }
                attr.s(
                    these=these, init=False, eq=False, repr=False, order=False, unsafe_hash=False
                )(cls)
            return cls.__attrs_attrs__


def teach_globally() -> None:
    """Make cattrs' global converter able to convert models. Do nothing if cattrs hasn't been
    imported.
    """
    converter = getattr(sys.modules.get("cattrs"), "global_converter", None)
    if converter is not None and id(converter) not in _knowing:
        teach(converter)


def teach_asking() -> None:
    """Teach the converter of cattrs whose method has asked for a model's class, from the caller's
    caller on.

    Without hooks it would read every field, set or not.
    """
    # A frame decides here, because a class can't tell cattrs how it is converted: hooks belong to
    # converters, and a new converter takes them from no registry. Without this,
    # `Converter().unstructure(model)` would never end for a class that refers to itself. What a
    # taught converter gives is the same for all who ask.
    frame = sys._getframe(1).f_back
    if frame is not None and frame.f_globals.get("__name__") == "cattrs.converters":
        converter = frame.f_locals.get("self")
        if hasattr(converter, "register_unstructure_hook_func") and id(converter) not in _knowing:
            teach(converter)


def teach(converter: Any) -> None:
    """Make a converter turn models into plain data (like `to_dict`) and plain data into models
    (like `from_dict`).

    Args:
        converter: A `cattrs.Converter`.
    """
    from .model import from_dict, to_dict

    if len(_knowing) >= _MOST_KEPT:
        _knowing.clear()
    _knowing[id(converter)] = converter
    converter.register_unstructure_hook_func(_is_model, to_dict)
    converter.register_structure_hook_func(_is_model, lambda values, cls: from_dict(cls, values))


def _is_model(cls: Any) -> bool:
    return isinstance(cls, type) and issubclass(cls, ModelShape)


def json_dumps(value: Any, **options: Any) -> str:
    """Return a value as JSON, as `json.dumps` does, with models and Observables anywhere in it.

    A model is written as `to_dict` gives it. In the place of a value that doesn't exist yet the
    JSON has a placeholder, so a field that the JSON is set to waits for the value, and the resource
    is created after it.

    Args:
        value: Plain data, models, Observables, and lists and mappings of these.
        **options: The options of `json.dumps`, such as `indent` and `sort_keys`.

    Raises:
        TypeError: Something in the value is neither of these, and `default` isn't given.
        EncodeError: A list in the value holds UNSET, or the value contains itself.
    """
    import json

    too_deep = EncodeError("", f"the value contains itself, or has more than {DEEPEST:,} levels")
    return json.dumps(copied(value, _written, lambda: too_deep, DEEPEST), **options)


def _written(item: Any) -> Any:
    if type(item) in SCALARS:
        return item
    form = next((plain_forms[cls] for cls in type(item).__mro__ if cls in plain_forms), None)
    if form is not None:
        item = form(item)
    if issubclass(type(item), Mapping):
        return {
            text_or_value(key) if type(key) is Observable else key: value
            for key, value in item.items()
        }
    return item


def _plain_model(model: Any) -> Any:
    node = model._node
    if node is not None and model._absent:
        node.used()
        if node.state == WAIT:
            return str(node.observable())  # as any text that is made from a missing value
    return plain_data(model)


plain_forms.update(
    {ModelShape: _plain_model, PlacedList: list, PlacedMap: dict, NullType: lambda _: None}
)


def teach_pprint(shown: Any) -> None:
    """Make `pprint` show long models in several lines, as it shows dataclasses. Do nothing if it
    isn't imported.

    `shown` is the `__repr__` of their class.
    """
    printer: Any = getattr(sys.modules.get("pprint"), "PrettyPrinter", None)
    if hasattr(printer, "_dispatch") and hasattr(printer, "_format_namespace_items"):
        printer._dispatch.setdefault(shown, _pretty)


def _pretty(
    printer: Any, model: Any, stream: Any, indent: int, allowance: int, context: Any, level: int
) -> None:
    head = f"{type(model).__name__}("
    stream.write(head)
    printer._format_namespace_items(
        shown_fields(model), stream, indent + len(head), allowance, context, level
    )
    stream.write(")")
