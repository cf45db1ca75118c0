"""Origins of values: the places in a request from which functions read them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..._core.observed.observable import Observable
from ..._core.paths.text import show

if TYPE_CHECKING:
    from ..._core.models.node import Node

__all__ = ["Origin", "Steps", "is_missing", "origin_of", "origin_text"]

# A part of a node's path: `.spec`, `[0]` or `["a/b"]`.
_STEP: Final = re.compile(r"""\.([^.\[]+)|\[(\d+)\]|\["(.*?)"\](?=[.\[]|$)""", re.DOTALL)

Steps = tuple[Any, ...]
"""The keys and indexes that lead to a value."""


class Origin(NamedTuple):
    """A place in a request.

    Attributes:
        part: The part of the request: `xr` (the observed composite), `observed` (observed resources), `desired`,
            `required` (required resources), `input`, `context`, `credentials` or `details` (connection details).
        name: The composition resource name, the requirement's key, or the name of credentials. Empty for the other
            parts, and for the composite's connection details.
        steps: The keys and indexes that lead to the value. For a required resource, its index comes first.
    """

    part: str
    name: str
    steps: Steps


def origin_of(node: Node, key: str) -> Origin | None:
    """Return the place in the request of a model's field, or of a key of a map; None if it isn't read from the request.

    That holds for models that the author makes, and for references to an observed object in desired state.
    """
    root = node.root
    if root is None or root.refers:
        return None
    path = node.path.removeprefix(root.prefix)
    steps: list[Any] = [
        name or (int(index) if index else quoted.replace('\\"', '"')) for name, index, quoted in _STEP.findall(path)
    ]
    steps.append(key)
    if root.kind == "xr":
        return Origin("xr", "", tuple(steps))
    if root.kind == "resource":
        return Origin("desired" if root.prefix.startswith("desired.") else "observed", root.name, tuple(steps))
    if root.kind == "required":
        number = root.prefix.removeprefix(f"required.{root.name}[").removesuffix("]")
        return Origin("required", root.name, (int(number), *steps)) if number.isdigit() else None
    return None


def is_missing(value: Any) -> bool:
    """Return whether a value that was read from the request isn't there."""
    return value is None or type(value) is Observable or getattr(value, "_absent", False)


def origin_text(origin: Origin) -> str:
    """Return an origin as a path: `xr.spec.region`, `vpc.status.atProvider.vpcId`, `input.size`.

    The annotation with the external name is shown as `external_name`, such as in `vpc.external_name`.
    """
    steps = origin.steps
    name = origin.name
    if origin.part == "observed":
        head = name
    elif origin.part == "details":
        head = f"{name or 'xr'}.connection_details"
    elif origin.part == "required":
        head, steps = f"required.{name}[{steps[0]}]", steps[1:]
    else:
        head = f"{origin.part}.{name}" if name else origin.part
    if steps[:2] == ("metadata", "annotations") and steps[2:] == ("crossplane.io/external-name",):
        return f"{head}.external_name"
    rest = show(steps)
    return head + rest if rest.startswith("[") else f"{head}.{rest}" if rest else head
