"""Warns of fields in a composite's spec that compose()'s model lacks, and of values of the wrong type.

A field that the model lacks is misspelt, or the model is older than the XRD. `render.definition` finds more errors, but
needs the XRD. This check needs only the model: the class with which compose() reads the composite.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from .. import _wire
from .._base.near_name import near_name
from .._models import types
from .._models.dynamic import DynamicFields
from .._models.shape import ModelShape
from .._paths.text import show
from .._terminal.excerpts import short_repr
from ..proto import _view

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
    """Yield a warning for each field in the composite's spec that the model lacks, or whose value has the wrong type.

    Only objects and lists are checked for their type; types of scalars aren't. Crossplane's own fields in the spec,
    such as `compositionRef`, and models without a fixed set of fields give no warnings.

    Args:
        model: The class with which compose() reads the composite.
        request: The bytes of the RunFunctionRequest.
    """
    field = None if isinstance(model.__wire_fields__, DynamicFields) else model._by_wire("spec")
    composite = _view.RunFunctionRequest.FromString(request).observed.composite.resource
    spec = _wire.decode_struct(composite).get("spec")
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
