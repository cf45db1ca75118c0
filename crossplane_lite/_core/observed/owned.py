"""The fields that Crossplane has set in an observed object for functions, as the object's managedFields list them.

In this module, such fields are called owned. A set of fields is a dict as in `fieldsV1`, or a part of it: its keys are
`f:` and the name of a field, and its values are sets of the fields inside. Objects with more than 500 levels are
refused where they have to be compared: functions recurse, and the error has the path.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from ...errors import EncodeError
from .. import codec
from ..base.sentinels import UNSET
from ..paths import trees
from ..paths.text import show

_MANAGER: Final = "apiextensions.crossplane.io/composed"
# Labels and annotations that Crossplane sets itself, whatever a function desires.
CROSSPLANES_OWN: Final = frozenset(
    {
        "crossplane.io/composition-resource-name",
        "crossplane.io/composite",
        "crossplane.io/claim-name",
        "crossplane.io/claim-namespace",
    }
)
_NOT_OURS: Final = frozenset({"apiVersion", "kind", "status"})
_KEPT_METADATA: Final = frozenset({"labels", "annotations"})

_Way = tuple[str | int, ...]
_METADATA: Final[_Way] = ("metadata",)


def as_owned(observed: bytes) -> bytes | None:
    """Return an observed object as it was desired: apiVersion, kind and the owned fields.

    Returns None if the managedFields don't tell which fields are owned, as after a change of the kind's version. Raises
    WireError for malformed bytes.
    """
    owned = _owned(observed)
    top = fields_at(observed, ("apiVersion", "kind"))
    return codec.encode_struct(_with_owned(top, owned, observed)) if owned else None


def is_owned(observed: bytes, steps: Sequence[str | int]) -> bool:
    """Say whether a field is owned. True if that isn't known: inside of lists, and without managedFields of Crossplane.

    Raises WireError for malformed bytes.
    """
    owned = _owned(observed)
    if not owned or any(isinstance(step, int) for step in steps):
        return True
    return any(_at(fields, steps) is not None for fields in owned)


def owned_keys(observed: dict[str, Any], steps: Sequence[str | int]) -> set[str] | None:
    """Return the owned keys of a map in an object.

    Returns None if they aren't known, as inside of lists, and without managedFields of Crossplane.
    """
    metadata = observed.get("metadata")
    entries = metadata.get("managedFields") if isinstance(metadata, dict) else None
    owned = _sets(entries if isinstance(entries, list) else (), observed.get("apiVersion"))
    if not owned or any(isinstance(step, int) for step in steps):
        return None
    return {name for fields in owned for name in _fields(_at(fields, steps))}


def with_owned_fields(encoded: bytes, observed: bytes) -> bytes:
    """Return a desired object, completed with the owned fields that it lacks. They get their observed values.

    If it lacks none, the bytes object `encoded` itself is returned. Raises WireError for malformed bytes.
    """
    wanted = codec.decode_struct(encoded)
    completed = _with_owned(wanted, _owned(observed), observed)
    return encoded if completed is wanted else codec.encode_struct(completed)


def with_live_values(encoded: bytes, observed: bytes) -> bytes:
    """Return a desired object with the `live_values` of the observed object, and with the owned fields that it lacks.

    So the result changes no existing field. Raises WireError for malformed bytes.
    """
    values = live_values(encoded, observed)
    return with_owned_fields(codec.encode_over(values, encoded) if values else encoded, observed)


def live_values(wanted: bytes, observed: bytes, _way: _Way = ()) -> dict[str, Any]:
    """Return the observed values of desired fields whose bytes differ; only levels that differ are decoded.

    Fields that the observed object lacks are left out. So are apiVersion, kind, status and metadata, but for labels and
    annotations, without the annotations of this package. Raises WireError for malformed bytes.
    """
    found: dict[str, Any] = {}
    there = codec.split(observed)
    for key, value in codec.split(wanted).items():
        seen = there.get(key)
        if seen is None or seen == value or not _counts(_way, key):
            continue
        (kind, one), (seen_kind, other) = codec.open_value(value), codec.open_value(seen)
        if kind == seen_kind == codec.STRUCT:
            below = live_values(one, other, _below(_way, key))
            if below:
                found[key] = below
        elif _way != _METADATA:
            found[key] = codec.decode_value(seen)
    return found


def fields_at(observed: bytes, keys: Iterable[str]) -> dict[str, Any]:
    """Return the fields `keys` of an object, decoded; metadata without managedFields, by far its largest part."""
    top = codec.split(observed)
    seen: dict[str, Any] = {key: codec.decode_value(top[key]) for key in keys if key in top and key != "metadata"}
    if "metadata" in keys and "metadata" in top:
        below = _level(top["metadata"])
        seen["metadata"] = {key: codec.decode_value(below[key]) for key in below if key != "managedFields"}
    return seen


def _counts(way: _Way, key: str) -> bool:
    """Say whether a field counts for `live_values`; `way` leads to the map that has it."""
    if not way:
        return key not in _NOT_OURS
    if way == _METADATA:
        return key in _KEPT_METADATA
    # The mark and the other annotations of this package always have the values of this call.
    return way[:1] != _METADATA or len(way) != 2 or not key.startswith("crossplane-lite/")


def _below(way: _Way, step: str | int) -> _Way:
    """Return the way one level further down."""
    if len(way) >= trees.DEEPEST:
        raise EncodeError(show(way[:8]) + "…", f"has more than {trees.DEEPEST} levels, so it can't be compared")
    return (*way, step)


# --- sets of fields ---


def _owned(observed: bytes) -> list[dict[str, Any]]:
    """Return the sets of fields that managedFields list for Crossplane's manager of composed resources.

    Sets for another apiVersion than the object's are left out. The list is empty if there are no sets.
    """
    top = codec.split(observed)
    kind, entries = codec.open_value(_level(top.get("metadata", b"")).get("managedFields", b""))
    # Entries of other managers, which have most of the fields, aren't decoded.
    found = [one for one in codec.split_list(entries) if _MANAGER.encode() in one] if kind == codec.LIST else []
    return _sets(map(codec.decode_value, found), codec.open_value(top.get("apiVersion", b""))[1])


def _level(value: bytes) -> Mapping[str, bytes]:
    kind, payload = codec.open_value(value)
    return codec.split(payload) if kind == codec.STRUCT else {}


def _sets(entries: Iterable[Any], version: Any) -> list[dict[str, Any]]:
    return [
        entry["fieldsV1"]
        for entry in entries
        if isinstance(entry, dict)
        and str(entry.get("manager", "")).startswith(_MANAGER)
        and entry.get("apiVersion", version) == version
        and isinstance(entry.get("fieldsV1"), dict)
    ]


def _with_owned(wanted: dict[str, Any], sets: list[dict[str, Any]], observed: bytes) -> dict[str, Any]:
    """Return a desired object, completed with the fields of `sets` that it lacks; `wanted` itself if it lacks none."""
    for owned in map(_of_functions, sets):
        lacking = [name for name, fields in _fields(owned).items() if _lacks(wanted, name, fields, ())]
        if lacking:
            wanted = _completed(owned, fields_at(observed, lacking), wanted, ())
    return wanted


def _of_functions(owned: dict[str, Any]) -> dict[str, Any]:
    """Return a set of fields without those that no function sets.

    These are apiVersion, kind, status, Crossplane's own labels and annotations, and all other metadata.
    """
    found = {"f:" + name: fields for name, fields in _fields(owned).items() if name not in _NOT_OURS}
    groups = _fields(found.pop("f:metadata", None))
    kept = {
        "f:" + group: {"f:" + name: below for name, below in _fields(fields).items() if name not in CROSSPLANES_OWN}
        for group, fields in groups.items()
        if group in _KEPT_METADATA
    }
    kept = {group: fields for group, fields in kept.items() if fields}
    return {**found, "f:metadata": kept} if kept else found


def _at(owned: Any, steps: Sequence[str | int]) -> Any:
    """Return the part of the set of fields `owned` to which `steps` lead; None if the set has no such part."""
    for step in steps:
        owned = owned.get(f"f:{step}") if isinstance(owned, dict) else None
    return owned


def _fields(owned: Any) -> dict[str, Any]:
    """Return the parts of a set of fields, by the names of the fields."""
    return {key[2:]: owned[key] for key in owned if key[:2] == "f:"} if isinstance(owned, dict) else {}


def _lacks(wanted: Any, name: str, owned: Any, way: _Way) -> bool:
    """Say whether a desired map may lack the field `name`, or a part of it that is in the set of fields `owned`.

    True also if elements of lists have to be compared.
    """
    if not isinstance(wanted, dict) or name not in wanted:
        return True
    if not isinstance(wanted[name], dict):
        return bool(owned)
    for key, below in _fields(owned).items():
        if _lacks(wanted[name], key, below, _below(way, name)):
            return True
    return False


def _completed(owned: Any, seen: Any, wanted: Any, way: _Way) -> Any:
    """Return a desired value, completed with the parts of the observed value `seen` that are in `owned`.

    It is `wanted` itself if nothing is lacking. UNSET stands for a value that isn't desired.
    """
    fields = _fields(owned) if isinstance(seen, dict) else {}
    if fields:
        before = wanted if isinstance(wanted, dict) else {}
        made = dict(before)
        for name in fields:
            if name in seen:
                made[name] = _completed(fields[name], seen[name], before.get(name, UNSET), _below(way, name))
                if made[name] is UNSET:
                    del made[name]
        is_same = all(made[name] is before.get(name, UNSET) for name in made)
        return wanted if is_same and (seen or wanted is not UNSET) else made
    if isinstance(seen, list) and isinstance(owned, dict) and any(key[:2] in ("k:", "v:") for key in owned):
        return _completed_list(owned, seen, [] if wanted is UNSET else wanted, way)
    return seen if wanted is UNSET else wanted


def _completed_list(owned: dict[str, Any], seen: list[Any], wanted: Any, way: _Way) -> Any:
    """Return a desired list, completed as in `_completed`: elements that it lacks are added at its end.

    Elements of both lists with the same merge keys belong together, or with the same value if the list is a set.
    """
    import json

    if not isinstance(wanted, list):
        return wanted
    merged = list(wanted)
    indexes: dict[tuple[str, ...], tuple[dict[str, int], dict[str, int]]] = {}
    for key, below in owned.items():
        try:
            identity = json.loads(key[2:]) if key[:2] in ("k:", "v:") else None
        except ValueError:
            continue
        names = tuple(sorted(identity)) if isinstance(identity, dict) else ()
        if names not in indexes:
            indexes[names] = _index(seen, names), _index(wanted, names)
        seen_at, at = (index.get(_identity(identity, names)) for index in indexes[names])
        if seen_at is not None:
            fields = {**below, **{"f:" + name: {} for name in names}} if isinstance(below, dict) else {}
            element = _completed(fields, seen[seen_at], UNSET if at is None else wanted[at], _below(way, seen_at))
            if at is None:
                merged.append(element)
            else:
                merged[at] = element
    is_same = len(merged) == len(wanted) and all(one is other for one, other in zip(merged, wanted, strict=True))
    return wanted if is_same else merged


def _index(elements: list[Any], names: tuple[str, ...]) -> dict[str, int]:
    """Map the identities of a list's elements to their indexes, the first one where two are equal."""
    return {_identity(elements[at], names): at for at in reversed(range(len(elements)))}


def _identity(element: Any, names: tuple[str, ...]) -> str:
    """Return a text of an element's merge keys, or of the element if there are none: these may be of any type."""
    is_keyed = isinstance(element, dict) and all(name in element for name in names)
    return repr([element[name] for name in names] if names and is_keyed else element)
