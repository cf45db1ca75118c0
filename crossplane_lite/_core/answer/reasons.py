"""Why a value is missing, for people: what its owner's own conditions say, and what was asked of Crossplane."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Final

from ...proto import _view
from ..base.texts import LONGEST_RESULT, escaped, near_name, shortened, some
from ..dependencies.graph import UNKNOWN
from ..observed.lookup import conditions_of, time_in

if TYPE_CHECKING:
    from ..call.call import Call
    from ..call.requirements import ResourceSelector
    from ..dependencies.graph import Vertex

_LONGEST_QUOTE: Final = 200

# The conditions that say why a resource has no values, the first one first, and what their status False means.
_FAILED: Final = {
    "Synced": "isn't Synced",
    "Ready": "isn't Ready",
    "LastAsyncOperation": "has a failed LastAsyncOperation",
}


def why(call: Call, owner: Vertex, path: str, held: Collection[str]) -> str:
    """Return why a value is missing, or why a resource isn't ready.

    Args:
        call: The call.
        owner: The owner of the value.
        path: The value's path; only the name of a resource that isn't ready.
        held: The names of the resources that are held back.
    """
    if owner == UNKNOWN:
        return "the text was cut, or kept from an earlier call; use apply() to compute with it"
    kind, name = owner
    if kind == "required":
        return _why_required(call, name)
    if kind == "xr":
        return "the composite doesn't have it"
    if name in held:
        return f"{name} is held back itself"
    observed = call.existing.get(name)  # not `call.observed`, which may have noted values
    if observed is None:
        is_known = name in call.resources or name in call.desired
        return f"{name} isn't observed yet" if is_known else f"{name} isn't composed"
    conditions = conditions_of(observed.resource)
    cause = _cause(call, conditions)
    if cause:
        return f"{name} {cause}"
    if path == name:
        return f"{name} isn't ready"
    if conditions.get("Ready", {}).get("status") == "True":
        return f"{name} is Ready and doesn't have it"
    return f"{name} is observed, isn't Ready and doesn't have it"


def _cause(call: Call, conditions: Mapping[str, dict[str, Any]]) -> str:
    """Return the message of the first condition that is False and has one, and since when; empty without one."""
    for type_, words in _FAILED.items():
        condition = conditions.get(type_, {})
        message = condition.get("message")
        if condition.get("status") != "False" or not isinstance(message, str):
            continue
        # Masked before it is cut: half a secret would be found no more.
        text = " ".join(call.show_capped(message, LONGEST_RESULT).split())
        if text:
            since = time_in(condition.get("lastTransitionTime"))
            start = f"{words} since {since}" if since else words
            return f"{start}: {shortened(escaped(text), _LONGEST_QUOTE)}"
    return ""


def _why_required(call: Call, key: str) -> str:
    if not call.supports(_view.CAPABILITY_REQUIRED_RESOURCES):
        return "this Crossplane doesn't support required resources"
    selector = call.requirements.resources.get(key)
    what = "the required resource" if selector is None else named(selector)
    answer = call.required_resources.answer(key)
    if answer is not None:
        return f"{what} doesn't have it" if answer else f"{what} doesn't exist"
    if selector is None:
        return f"this call of compose() doesn't ask for it{near_name(key, call.requirements.resources)}"
    waits = selector.waits_in(call)
    if waits:
        return f"it isn't asked for yet: its selector waits for {waits[0].source_path}"
    return f"Crossplane hasn't sent {what} yet"


def named(selector: ResourceSelector) -> str:
    """Return what a function asks for, such as `ConfigMap acme/env` or `Zone with labels a=b in namespace acme`."""
    if selector.match_name is not None:
        name = selector.match_name if selector.namespace is None else f"{selector.namespace}/{selector.match_name}"
        return f"{selector.kind} {name}"
    labels = sorted(f"{key}={value}" for key, value in (selector.match_labels or {}).items())
    what = f"{selector.kind} with labels {some(labels, 5)}" if labels else f"any {selector.kind}"
    return what if selector.namespace is None else f"{what} in namespace {selector.namespace}"
