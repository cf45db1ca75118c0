"""Warnings about a composite's spec, by the model of compose(): fields that the model lacks, and wrong types.

A field that the model lacks is misspelt, or the model is outdated. `render.definition` finds more, but it needs the
XRD, which not every user gives. This check needs only the model by which compose() reads the composite.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from ..._core import codec
from ..._core.base.texts import near_name, short_repr
from ..._core.models import types
from ..._core.models.node import ModelShape
from ..._core.paths.text import show
from ..._core.resources.unstructured import DynamicFields
from ...proto import _view

__all__ = ["unknown_fields"]

# Crossplane's own fields in the spec of a composite. Not every model has them.
_STEERING: Final = frozenset(
    {
        *("claimRef", "compositionRef", "compositionRevisionRef", "compositionRevisionSelector", "compositionSelector"),
        *("compositionUpdatePolicy", "crossplane", "environmentConfigRefs", "publishConnectionDetailsTo"),
        *("resourceRef", "resourceRefs", "writeConnectionSecretToRef"),
    }
)
_WANTED: Final[dict[int, tuple[type[Any], str]]] = {
    types.MODEL: (dict, "an object"),
    types.MAP: (dict, "an object"),
    types.LIST: (list, "a list"),
}


def unknown_fields(model: type[ModelShape], request: bytes) -> Iterator[str]:
    """Yield a line for each field of the composite's spec that its model lacks, or whose value has the wrong type.

    The types of scalars aren't compared. Dynamic models, which know no fields, give no lines. Neither do Crossplane's
    own fields, such as `compositionRef`.

    Args:
        model: The class by which compose() reads the composite.
        request: The bytes of the request.
    """
    field = None if isinstance(model.__wire_fields__, DynamicFields) else model._by_wire("spec")
    composite = _view.RunFunctionRequest.FromString(request).observed.composite.resource
    spec = codec.decode_struct(composite).get("spec")
    if field is None or spec is None:
        return
    work: list[tuple[list[Any], types.Type, Any]] = [(["spec"], field.type, spec)]
    while work:
        steps, type_, value = work.pop()
        if type_.code not in _WANTED or value is None:
            continue
        kind, wanted = _WANTED[type_.code]
        if not isinstance(value, kind):
            yield (
                f"the composite's {show(steps)} must be {wanted}, by the model {model.__name__} "
                f"(got {short_repr(value)})"
            )
        elif type_.code != types.MODEL:
            inner = enumerate(value) if isinstance(value, list) else value.items()
            work += [([*steps, key], type_.item, one) for key, one in inner]
        elif not isinstance(type_.cls.__wire_fields__, DynamicFields):
            known = {one.wire: one for one in type_.cls.__wire_fields__.values()}
            for key, one in value.items():
                if key in known:
                    work.append(([*steps, key], known[key].type, one))
                elif len(steps) > 1 or key not in _STEERING:
                    yield (
                        f"the composite's {show([*steps, key])} isn't a field of the model {model.__name__}"
                        f"{near_name(key, known)}"
                    )
