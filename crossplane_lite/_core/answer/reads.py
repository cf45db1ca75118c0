"""What a run of compose() has read, as values by object and path, for the notes (`_core.known`).

A resolved call pays nothing for it: what was read is in the views of observed nodes anyway, and is
collected only in a call that writes notes.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from .. import codec
from ..base.sentinels import UNSET
from ..known import carriers
from ..known.notes import (
    COMPOSITE,
    CONDITION,
    CONTEXT,
    EXTERNAL,
    NOT_KEPT,
    READY,
    Notes,
    Values,
    Where,
    condition_way,
    is_required,
    key_and_name,
    key_of,
    nothing_key,
    own_name,
    required_object,
)
from ..models.node import WAIT, ModelShape
from ..models.walker import unresolved_in
from ..observed.lookup import Json, conditions_of, steps_of, text_at
from ..observed.observable import make, root_of, sources
from ..resources.registered import Registered

if TYPE_CHECKING:
    from ..call.call import Call
    from ..models.node import Node
    from ..observed.observable import Observable
    from ..observed.root import Root

_CONDITIONS: Final = "status.conditions"
_BRACKETS: Final = (_CONDITIONS, "connection_details")  # their keys always have brackets
_BARE_KEY: Final = re.compile(r'\["(?!\d+"\])([A-Za-z0-9_-]+)"\]')
_NAMESPACE: Final = ("metadata", "namespace")
_DATA_OF_SECRETS: Final = ("data", "stringData")
# provider-kubernetes wraps any object, also a Secret, in these fields of its kind Object.
_WRAPPED: Final = (("spec", "forProvider"), ("status", "atProvider"))


def object_of(root: Root) -> str:
    """Return the name that an observed object has in notes."""
    if root.kind != "required":
        return COMPOSITE if root.kind == "xr" else root.name
    place = root.prefix.removeprefix(f"required.{root.name}").strip("[]")
    if not place:
        return f"?{root.name}"
    name = asked_name(root.call, root.name) or own_name(root.raw or b"")
    return required_object(root.name, name or f"#{place}")


def asked_name(call: Any, key: str) -> str:
    """Return the name of the only object that a requirement asks for; empty if it asks by
    labels.
    """
    selector = None if call.asked is None else call.asked.resources.get(key)
    if selector is None or selector.match_name is None or unresolved_in(selector.texts(), call):
        return ""
    return (
        selector.match_name
        if selector.namespace is None
        else f"{selector.namespace}/{selector.match_name}"
    )


def where(value: Observable) -> Where | None:
    """Return the object and the path of a missing value; None if it isn't one of observed state."""
    root = root_of(value)
    if root is None or root.kind not in ("resource", "xr", "required"):
        return None
    way = root.way_of(value.source_path)
    if '["' in way and not way.startswith(_BRACKETS):
        way = _BARE_KEY.sub(r".\1", way)  # one spelling of each key: `tags.team` for `tags["team"]`
    return object_of(root), way


def places_of(values: Iterable[Observable]) -> set[Where]:
    """Return the objects and paths of missing values of observed state."""
    return {place for place in map(where, values) if place is not None}


def values_read(call: Call) -> Values:
    """Return the values of observed state and of the context that compose() has read and that were
    there.
    """
    found: Values = {}
    for registered in _observed_objects(call):
        found.setdefault(object_of(registered.root), {}).update(_values_of(call, registered))
    for name, types in call.true_conditions.items():
        found.setdefault(name, {}).update({condition_way(type_): "True" for type_ in types})
    for name in call.seen_names & call.observed.keys():
        found.setdefault(name, {})
    given = call.context
    for key, value in (
        () if given is None else ((key, given.received(key)) for key in sorted(given.asked))
    ):
        if value is not UNSET:
            is_kept = not (carriers.is_too_large(value) or _is_secret(call, value))
            found.setdefault(CONTEXT, {})[key] = value if is_kept else NOT_KEPT
    return {
        obj: ways
        for obj, ways in found.items()
        if ways or is_required(obj) or obj in call.seen_names
    }


def _observed_objects(call: Call) -> Iterator[Registered]:
    """Yield the objects that exist and of which compose() has looked at the observed state."""
    for one in call.tied:
        if type(one) is not Registered or one.observed is None or one.root.raw is None:
            continue
        if not one.root.prefix.startswith("desired."):
            yield one


def _values_of(call: Call, registered: Registered) -> Json:
    """Return the values of an object that compose() has read, by path."""
    root = registered.root
    raw: bytes = root.raw or b""
    ways: Json = {}
    for way, value in _below(registered.observed, root):
        ways[way] = value if _may_be_kept(call, raw, way, value) else NOT_KEPT
    if registered.observed_details is not None:
        ways.update({f'connection_details["{key}"]': NOT_KEPT for key in root.details})
    if root.kind != "resource":
        return ways
    if root.ready:
        ways[READY] = True
    if _view(registered.observed, "metadata", "annotations") is not None:
        name = codec.get_path(raw, steps_of(EXTERNAL))
        if name and _may_be_kept(call, raw, EXTERNAL, name):
            ways[EXTERNAL] = name
    if root.name not in call.resources:  # to put it back when it is gone
        ways.update({key: codec.get_path(raw, (key,)) for key in ("apiVersion", "kind")})
    return ways


def lost_conditions(call: Call, notes: Notes) -> list[Observable]:
    """Return the noted conditions that aren't True, of objects whose list of conditions was read,
    as by a loop.
    """
    found = []
    for registered in _observed_objects(call):
        root = registered.root
        if root.kind == "xr" or not isinstance(
            _view(registered.observed, "status", "conditions"), list
        ):
            continue
        there = conditions_of(root.raw)
        for way in notes.values.get(object_of(root), ()):
            match = CONDITION.fullmatch(way)
            if match is not None and there.get(match[1], {}).get("status") != "True":
                found.append(make(f"{root.prefix}.{way}", root))
    return found


def _below(top: Any, root: Root) -> Iterator[tuple[str, Any]]:
    """Yield the path and the value of everything below an observed object that was read and was
    there.
    """
    work: list[Any] = [top]
    while work:
        model = work.pop()
        node: Node = model._node
        fields = type(model).__wire_fields__
        for name, value in (node.views or {}).items():
            state = node.state if node.states is None else node.states.get(name, node.state)
            is_object = isinstance(value, (ModelShape, list, dict))
            below: Any = value._node if is_object else None
            if is_object and (below is None or below.raw is None):
                continue
            if isinstance(value, ModelShape) and (below.views is not None or state != WAIT):
                work.append(value)
                continue
            if state == WAIT:
                one = [(root.way_of(node.path + fields[name].step), value)]
                yield from (
                    one if below is None else _whole(root.way_of(below.path), value, below.raw)
                )


def _whole(way: str, value: Any, raw: bytes) -> Iterator[tuple[str, Any]]:
    """Yield an object, list or map that was read as a whole; of a list of conditions those that are
    True.
    """
    if not isinstance(value, list):
        yield way, codec.decode_struct(raw)
        return
    elements = codec.decode_list(raw)
    if way != _CONDITIONS:
        yield way, elements
        return
    for one in elements:
        if isinstance(one, dict) and one.get("status") == "True":
            yield condition_way(str(one.get("type"))), "True"


def _view(model: Any, *wires: str) -> Any:
    """Return a part of an observed object if compose() has read it; else None."""
    for wire in wires:
        node = getattr(model, "_node", None)
        if node is None or node.views is None:
            return None
        fields = type(model).__wire_fields__
        model = next((one for name, one in node.views.items() if fields[name].wire == wire), None)
    return model


def _may_be_kept(call: Call, raw: bytes, way: str, value: Any) -> bool:
    return not (carriers.is_too_large(value) or _is_in_secret(raw, way) or _is_secret(call, value))


def _is_in_secret(raw: bytes, way: str) -> bool:
    """Say whether a path leads to the data of a Secret, or into an object that wraps one."""
    if b"Secret" not in raw:
        return False
    if codec.get_path(raw, ("kind",)) == "Secret":
        return not way or way.startswith(_DATA_OF_SECRETS)
    if "manifest" not in way:
        return False
    return any(codec.get_path(raw, (*top, "manifest", "kind")) == "Secret" for top in _WRAPPED)


def _is_secret(call: Call, value: Any) -> bool:
    """Say whether a value has a secret in it that is known in this call."""
    if value is None or isinstance(value, (bool, int, float)):
        return False
    return call.masked(str(value)) != str(value)


def missing_keys(
    call: Call, missing: Iterable[Observable], without: Collection[str]
) -> Iterator[str]:
    """Yield the keys of missing values, and of registered objects that have no values yet; some
    come again.

    Resources in `without` are left out: of their values nobody knows whether they were there.
    """
    if not call.existing:
        yield nothing_key()
    for place in places_of(missing):
        yield key_of(*place)
    if not call.existing:
        return
    for name in call.resources:
        way = None if name in without else _without_values(call, name)
        if way is not None:
            yield key_of(name, way)


def _without_values(call: Call, name: str) -> str | None:
    """Return the path to the part of a resource that has no values yet; None if the provider has
    reported some.
    """
    if name not in call.observed:
        return ""
    fields = codec.split(call.observed[name].resource)
    if "status" not in fields:
        return "status"
    kind, payload = codec.open_value(fields["status"])
    if kind == codec.STRUCT and "atProvider" in codec.split(payload):
        return None
    return "status.atProvider"


def places(call: Call) -> Callable[[str, str], bool]:
    """Return a function that says whether values of an object may lie on a resource of this
    step.
    """
    return carriers.places(functools.partial(_namespace, call))


def _namespace(call: Call, obj: str) -> str | None:
    """Return the namespace of an object, which is empty without one; None if nobody knows it any
    more.
    """
    if obj in (COMPOSITE, CONTEXT):
        return call.namespace
    if is_required(obj):
        key, name = key_and_name(obj)
        for item in call.required_resources.answer(key) or ():
            if (asked_name(call, key) or own_name(item.resource)) == name:
                return _text(item.resource)
        return None
    if obj in call.existing:
        return _text(call.existing[obj].resource) or call.namespace
    if obj in call.resources and not call.namespace:
        named = getattr(call.resources[obj].metadata, "namespace", None)
        return named if type(named) is str else ""
    return call.namespace or None


def _text(raw: bytes) -> str:
    return text_at(raw, *_NAMESPACE) if b"namespace" in raw else ""


def owners_of(values: Iterable[Observable]) -> set[str]:
    """Return the names of the composed resources that missing values belong to."""
    roots = [root_of(source) for one in values for source in sources(one)]
    return {root.name for root in roots if root is not None and root.kind == "resource"}
