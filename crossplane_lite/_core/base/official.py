"""What to write in place of the names of the official SDK, which code that comes from there still
has.
"""

from __future__ import annotations

TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import Final

_OF_SENT: Final = "ctx.observed[name] and ctx.composite(Unstructured).observed are what exists"
_OF_ANSWER: Final = "ctx.resource(name, ...) and ctx.results.normal(...) fill the response"
# By the name of the class that lacks the attribute; "" for every resource.
_INSTEAD: Final = {
    ("", "get_condition"): "write .condition('Ready')",
    ("Context", "req"): _OF_SENT,
    ("Context", "response"): _OF_ANSWER,
    ("Context", "rsp"): _OF_ANSWER,
    ("ObservedResources", "composite"): "write ctx.composite(Unstructured).observed",
    ("ObservedResources", "resources"): "write ctx.observed[name]",
    ("OnlyRead", "composite"): "write ctx.composite(Unstructured), of which .status can be set",
    (
        "OnlyRead",
        "resources",
    ): "write ctx.resource(name, ...); ctx.desired[name] is of previous steps",
    ("Results", "append"): "write ctx.results.normal(message)",
}


def instead(name: str, owner: str = "") -> str:
    """Return a hint such as `; write ctx.observed[name]`; an empty string if the official SDK has
    no such name.

    Args:
        name: The name of an attribute that an object lacks.
        owner: The name of the object's class; empty for resources.
    """
    found = _INSTEAD.get((owner, name))
    return "" if found is None else f"; {found}"
