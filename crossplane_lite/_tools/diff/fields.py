"""Compares two objects field by field, as server-side apply does.

API servers merge lists by keys: the fields that identify an element, such as `name`. A kind's
schema has the keys of a list in `x-kubernetes-list-map-keys`. If it has none, they come from the
kind's model.

No function here recurses, because data may have more levels than Python's stack.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..._core.base.scalars import EXACT
from ..._core.call.mark import ANNOTATION
from ..._core.known import KNOWN
from ..._core.paths.schema import Schema
from ..._core.paths.text import quoted, show
from ..manifests.objects import CLAIM_LABELS, COMPOSITE_LABEL, RESOURCE_NAME
from ..render.owned import Owned
from ..simulate.merging import ABSENT
from .model_types import model_type

if TYPE_CHECKING:
    from ..manifests.kind_schemas import Schemas

Keys = Mapping[str, Any]
"""The fields that identify the elements of a list, each with its default value; None if it has
none.
"""

KeysAt = Callable[[tuple[Any, ...]], Keys]
"""A function from the path of a list to the keys of its elements; an empty mapping if they aren't
known.
"""


def no_keys(_steps: tuple[Any, ...]) -> Keys:
    """Return an empty mapping. Serves as a `KeysAt` if no keys are known."""
    return {}


# The fields that usually identify the elements of Kubernetes' lists, in the order in which they are
# tried.
_USUAL_KEYS: Final = (
    "name",
    "key",
    "uid",
    "type",
    "id",
    "mountPath",
    "containerPort",
    "port",
    "ip",
)
# Labels and annotations that Crossplane or this package gives every resource.
_OWN: Final = frozenset({COMPOSITE_LABEL, *CLAIM_LABELS, RESOURCE_NAME, ANNOTATION, KNOWN})


class Change(NamedTuple):
    """One field that changes.

    Attributes:
        path: The field's path. The element of a list is shown by its keys, such as
            `spec.ports[name=web].port`.
        old: The value before the change; `ABSENT` if there was none.
        new: The value after the change; `ABSENT` if there is none.
    """

    path: str
    old: Any
    new: Any


class _Selection:
    """A step in a path that selects the element of a list by its keys, such as `name=web`."""

    def __init__(self, keys: Mapping[str, Any]) -> None:
        self._text = ",".join(f"{key}={_bare(value)}" for key, value in keys.items())

    def __str__(self) -> str:
        return self._text


def _bare(value: Any) -> str:
    text = str(value)
    return (
        text if text.replace("-", "").replace("_", "").replace(".", "").isalnum() else quoted(text)
    )


class _Place(NamedTuple):
    """The old and the new value at one path of an object.

    Attributes:
        steps: The path.
        old: The value before the change.
        new: The desired value.
        owned: The owners of the fields at this path and below; None if they aren't known.
        whole: Whether `new` replaces `old` completely: fields and elements that `new` lacks are
            removed.
    """

    steps: tuple[Any, ...]
    old: Any
    new: Any
    owned: Owned | None
    whole: bool


def changes(
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    owned: Owned | None = None,
    *,
    whole: bool = False,
    keys: KeysAt = no_keys,
) -> list[Change]:
    """Return the changes that a server-side apply of `new` makes to `old`, sorted by path.

    The status, owner references, and the labels and annotations that every composed resource gets
    are left out.

    Args:
        old: The existing object, or the previous desired object.
        new: The desired object.
        owned: The owners of the fields of `old`. A field that `new` lacks is removed only if
            Crossplane alone owns it. None if the owners aren't known: then no field is removed,
            only elements of lists.
        whole: Whether `new` replaces `old` completely, so that fields that `new` lacks are removed.
            This is so when two desired states are compared.
        keys: A function that returns the keys of the list at a path.
    """
    found: list[Change] = []
    work = [_Place((), _of_functions(old), _of_functions(new), owned, whole)]
    while work:
        place = work.pop()
        if isinstance(place.old, Mapping) and isinstance(place.new, Mapping):
            work += _in_object(place)
        elif isinstance(place.old, list) and isinstance(place.new, list):
            work += _in_list(place, found, keys)
        elif not _same(place.old, place.new):
            found.append(Change(show(place.steps), place.old, place.new))
    return sorted(found, key=lambda one: one.path)


def keys_of(schemas: Schemas | None, api_version: str, kind: str) -> KeysAt:
    """Return a function from the path of a list, in objects of the given kind, to the list's keys.

    The keys come from the kind's schema. If the schema has none for a list, they come from the
    kind's model class, if a function in this process has used one.

    Args:
        schemas: The schemas of kinds; None if there are none.
        api_version: The kind's apiVersion.
        kind: The kind.
    """
    schema = None if schemas is None else schemas.find(api_version, kind)

    def keys_at(steps: tuple[Any, ...]) -> Keys:
        # An element in a path is an index or a selection; both lead to the type of the items.
        way = [step if isinstance(step, str) else 0 for step in steps]
        found = {} if schema is None else _in_schema(schema, way)
        if found:
            return found
        type_ = model_type(api_version, kind, way)
        return {} if type_ is None else dict.fromkeys(type_.keys)

    return keys_at


def _in_schema(schema: Mapping[str, Any], steps: list[str | int]) -> Keys:
    place = Schema(schema).at(steps)
    items = None if place is None else place.below(0)
    if place is None or items is None:
        return {}
    fields = {key: items.below(key) for key in place.list_keys}
    return {key: None if field is None else field.default for key, field in fields.items()}


def leaves(resource: Mapping[str, Any]) -> list[Change]:
    """Return each field of a new object as a change from `ABSENT`.

    The apiVersion, kind, name, generateName, namespace, and all that `changes` leaves out aren't
    returned. A list gives one change.
    """
    metadata = resource.get("metadata")
    own = ("generateName", "name", "namespace")
    kept = (
        {key: value for key, value in metadata.items() if key not in own}
        if isinstance(metadata, Mapping)
        else {}
    )
    shown = {
        key: value
        for key, value in resource.items()
        if key not in ("apiVersion", "kind", "metadata")
    }
    return list(_expanded(changes({}, {**shown, "metadata": kept})))


def _of_functions(resource: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object without status, owner references, and the labels and annotations of
    Crossplane and this package.

    Labels, annotations and metadata that are empty then are left out, too.
    """
    kept = {key: value for key, value in resource.items() if key != "status"}
    metadata = kept.get("metadata")
    if not isinstance(metadata, Mapping):
        return kept
    kept["metadata"] = rest = {
        key: value for key, value in metadata.items() if key != "ownerReferences"
    }
    for field in ("annotations", "labels"):
        values = rest.get(field)
        if isinstance(values, Mapping):
            rest[field] = {key: value for key, value in values.items() if key not in _OWN}
            if not rest[field]:
                del rest[field]
    return (
        {**kept, "metadata": rest}
        if rest
        else {key: value for key, value in kept.items() if key != "metadata"}
    )


def _expanded(found: Sequence[Change]) -> Iterator[Change]:
    """Yield changes. A change whose new value is an object is split into one for each field. Lists
    aren't split.
    """
    work = list(reversed(found))
    while work:
        one = work.pop()
        if isinstance(one.new, Mapping) and one.new:
            inner = []
            for key, value in one.new.items():
                step = show([key])
                dot = "" if step.startswith("[") else "."
                inner.append(Change(f"{one.path}{dot}{step}", ABSENT, value))
            work += sorted(inner, key=lambda each: each.path, reverse=True)
        else:
            yield one


def _in_object(place: _Place) -> Iterator[_Place]:
    for key in {**place.old, **place.new}:
        old, new = place.old.get(key), place.new.get(key)
        owned = None if place.owned is None else place.owned.field(key)
        steps = (*place.steps, key)
        if new is not None:
            yield _Place(steps, ABSENT if old is None else old, new, owned, place.whole)
        elif old is None:  # null counts as no value
            continue
        elif place.whole:
            yield _Place(steps, old, ABSENT, owned, True)
        elif owned is not None and owned.goes:
            yield _Place(steps, old, ABSENT, owned, False)
        elif owned is not None and owned.is_parts and isinstance(old, (Mapping, list)):
            # only the fields that Crossplane owns are removed
            yield _Place(steps, old, type(old)(), owned, False)


def _in_list(place: _Place, found: list[Change], keys: KeysAt) -> Iterator[_Place]:
    known = keys(place.steps)
    if place.owned is not None and not known:
        named = place.owned.list_keys()
        if named is None and place.owned.is_set():
            _note_set(place, found)
            return
        known = dict.fromkeys(named or ())
    is_map = bool(known)
    by = _present(known, place.old, place.new) if is_map else _guessed(place.old, place.new)
    old, new = (_by_key(elements, by, known) for elements in (place.old, place.new))
    if by and old is not None and new is not None:
        # An API server replaces a list without known keys as a whole, so Crossplane owns everything
        # in it.
        whole = place.whole or (not is_map and place.owned is not None)
        for key in {**old, **new}:
            selection = dict(zip(by, key, strict=True))
            steps = (*place.steps, _Selection(selection))
            owned = None if place.owned is None else place.owned.element(selection)
            if key in new:
                yield _Place(steps, old.get(key, ABSENT), new[key], owned, whole)
            elif whole or place.owned is None or (owned is not None and owned.ours is not None):
                yield _Place(steps, old[key], ABSENT, owned, True)
        return
    if len(place.old) == len(place.new):
        whole = place.whole or place.owned is not None
        for at, (before, after) in enumerate(zip(place.old, place.new, strict=True)):
            yield _Place((*place.steps, at), before, after, None, whole)
    elif place.old != place.new:
        found.append(Change(show(place.steps), place.old, place.new))


def _note_set(place: _Place, found: list[Change]) -> None:
    """Add to `found` the changes of a list that is a set of scalars: added values, and values that
    are removed.

    A value is removed if `new` lacks it, and Crossplane owns it or `new` replaces the list
    completely.
    """
    ours = place.owned.ours if place.owned is not None else None
    for value in place.new:
        if value not in place.old:
            found.append(Change(show((*place.steps, _Selection({"": value}))), ABSENT, value))
    for value in place.old:
        if value not in place.new and (
            place.whole or (ours is not None and f"v:{json.dumps(value)}" in ours)
        ):
            found.append(Change(show((*place.steps, _Selection({"": value}))), value, ABSENT))


def _present(known: Keys, old: Sequence[Any], new: Sequence[Any]) -> tuple[str, ...]:
    """Return the keys of a list that have a default value, or that all elements of `old` and `new`
    have.

    A function may leave out a key that the API server has filled in. The other keys must identify
    the elements then.
    """
    elements = [one for one in (*old, *new) if isinstance(one, Mapping)]
    return tuple(
        key
        for key in known
        if known[key] is not None or all(one.get(key) is not None for one in elements)
    )


def _guessed(old: Sequence[Any], new: Sequence[Any]) -> tuple[str, ...]:
    """Return the first usual key, such as `name`, that identifies the elements of both lists, as a
    tuple with one item.

    The tuple is empty if there is no such key, or if both lists are empty.
    """
    for key in _USUAL_KEYS:
        if all(_by_key(elements, (key,)) is not None for elements in (old, new)) and (old or new):
            return (key,)
    return ()


def _by_key(
    elements: Sequence[Any], keys: Sequence[str], defaults: Mapping[str, Any] = {}
) -> dict[tuple[Any, ...], Any] | None:
    """Return a dict from the values of the keys to the elements of a list.

    The result is None if an element isn't an object, lacks a key that has no default, has a key
    that is neither a string nor an integer, or has the same keys as another element.
    """
    found: dict[tuple[Any, ...], Any] = {}
    for one in elements:
        if not isinstance(one, Mapping):
            return None
        key = tuple(one[name] if one.get(name) is not None else defaults.get(name) for name in keys)
        if not all(isinstance(part, (str, int)) for part in key) or key in found:
            return None
        found[key] = one
    return found


def _same(old: Any, new: Any) -> bool:
    if isinstance(old, bool) is not isinstance(new, bool):
        return False
    if old is ABSENT or new is ABSENT:
        return old is new
    if isinstance(old, (int, float)) and isinstance(new, (int, float)) and abs(old) > EXACT:
        return float(old) == float(new)  # functions get and return numbers as floats
    return bool(old == new)
