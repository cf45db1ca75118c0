"""The fields that Crossplane has set in an observed object for functions, as the object's
managedFields list them.

In this module, such fields are called owned. A set of fields is a dict as in `fieldsV1`, or a part
of it: its keys are `f:` and the name of a field, and its values are sets of the fields inside.
Objects with more than 500 levels are refused where they have to be compared: functions recurse, and
the error has the path.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...errors import EncodeError
from .. import codec
from ..base.sentinels import UNSET
from ..paths import trees
from ..paths.text import show

_MANAGER = "apiextensions.crossplane.io/composed"
# Labels and annotations that Crossplane sets itself, whatever a function desires.
CROSSPLANES_OWN = frozenset(
    {
        "crossplane.io/composition-resource-name",
        "crossplane.io/composite",
        "crossplane.io/claim-name",
        "crossplane.io/claim-namespace",
    }
)
_NOT_OURS = ("apiVersion", "kind", "status")
_KEPT_METADATA = ("annotations", "labels")

_Map = dict[str, Any]  # an object, or a set of fields
_Way = tuple[str | int, ...]
_METADATA = ("metadata",)


def as_owned(observed: bytes) -> bytes | None:
    """Return an observed object as it was desired: apiVersion, kind and the owned fields.

    Returns None if the managedFields don't tell which fields are owned, as after a change of the
    kind's version. Raises WireError for malformed bytes.
    """
    owned = _owned(observed)
    if not owned:
        return None
    return codec.encode_struct(
        _with_owned(_decoded(observed, ("apiVersion", "kind")), owned, observed)
    )


def with_owned_fields(encoded: bytes, observed: bytes) -> bytes:
    """Return a desired object, completed with the owned fields that it lacks.

    They get their observed values. If it lacks none, the bytes object `encoded` itself is returned.
    Raises WireError for malformed bytes.
    """
    wanted = codec.decode_struct(encoded)
    completed = _with_owned(wanted, _owned(observed), observed)
    return encoded if completed is wanted else codec.encode_struct(completed)


def with_live_values(encoded: bytes, observed: bytes) -> bytes:
    """Return a desired object that changes no existing field.

    It has the `live_values` of the observed object, and the owned fields that it lacked. Raises
    WireError for malformed bytes.
    """
    values = live_values(encoded, observed)
    return with_owned_fields(codec.encode_over(values, encoded) if values else encoded, observed)


def live_values(wanted: bytes, observed: bytes, _way: _Way = ()) -> _Map:
    """Return the observed values of desired fields whose bytes differ.

    Only levels that differ are decoded. Fields that the observed object lacks are left out. So are
    apiVersion, kind, status and metadata, but for labels and annotations, without the annotations
    of this package. Raises WireError for malformed bytes.
    """
    found: _Map = {}
    there = codec.split(observed)
    for key, value in codec.split(wanted).items():
        seen = there.get(key)
        if seen is None or seen == value or not _counts(_way, key):
            continue
        kind, one = codec.open_value(value)
        seen_kind, other = codec.open_value(seen)
        if kind == seen_kind == codec.STRUCT:
            below = live_values(one, other, _below(_way, key))
            if below:
                found[key] = below
        elif _way != _METADATA:
            found[key] = codec.decode_value(seen)
    return found


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
        problem = f"has more than {trees.DEEPEST} levels, so it can't be compared"
        raise EncodeError(show(way[:8]) + "…", problem)
    return (*way, step)


def _decoded(observed: bytes, keys: Collection[str]) -> _Map:
    """Return fields of an object; of metadata only the labels and annotations that functions may
    have set.
    """
    top = codec.split(observed)
    found: _Map = {
        key: codec.decode_value(top[key]) for key in keys if key in top and key != "metadata"
    }
    if "metadata" not in keys or "metadata" not in top:
        return found
    metadata = _level(top["metadata"])
    found["metadata"] = {}
    for group in _KEPT_METADATA:
        texts = codec.decode_value(metadata.get(group, b"")) or {}
        own = {name: text for name, text in texts.items() if name not in CROSSPLANES_OWN}
        if own:
            found["metadata"][group] = own
    return found


# --- sets of fields ---


def _owned(observed: bytes) -> list[_Map]:
    """Return the sets of fields that managedFields list for Crossplane's manager of composed
    resources.

    Sets for another apiVersion than the object's are left out. The list is empty if there are no
    sets.
    """
    top = codec.split(observed)
    version = codec.open_value(top.get("apiVersion", b""))[1]
    kind, entries = codec.open_value(_level(top.get("metadata", b"")).get("managedFields", b""))
    found: list[_Map] = []
    for raw in codec.split_list(entries) if kind == codec.LIST else ():
        # Entries of other managers, which have most of the fields, aren't decoded.
        entry = codec.decode_value(raw) if _MANAGER.encode() in raw else None
        if not isinstance(entry, dict) or entry.get("apiVersion", version) != version:
            continue
        is_crossplanes = str(entry.get("manager", "")).startswith(_MANAGER)
        if is_crossplanes and isinstance(entry.get("fieldsV1"), dict):
            found.append(entry["fieldsV1"])
    return found


def _level(value: bytes) -> Mapping[str, bytes]:
    kind, payload = codec.open_value(value)
    return codec.split(payload) if kind == codec.STRUCT else {}


def _with_owned(wanted: _Map, sets: list[_Map], observed: bytes) -> _Map:
    """Return a desired object, completed with the fields of `sets` that it lacks.

    It is `wanted` itself if it lacks none.
    """
    for owned in sets:
        names = [name for name in _fields(owned) if name not in _NOT_OURS]
        wanted = _completed(owned, _decoded(observed, names), wanted, ())
    return wanted


def _fields(owned: Any) -> _Map:
    """Return the parts of a set of fields, by the names of the fields."""
    if not isinstance(owned, dict):
        return {}
    return {key[2:]: below for key, below in owned.items() if key[:2] == "f:"}


def _completed(owned: Any, seen: Any, wanted: Any, way: _Way) -> Any:
    """Return a desired value, completed with the parts of the observed value `seen` in `owned`.

    It is `wanted` itself if nothing is lacking. UNSET stands for a value that isn't desired. A list
    of which elements are owned comes whole from observed state.
    """
    fields = _fields(owned)
    if isinstance(seen, list) and owned:
        return seen
    if not fields or not isinstance(seen, dict):
        return seen if wanted is UNSET else wanted
    # Not a function of its own, because deep objects would need twice the stack.
    before = wanted if isinstance(wanted, dict) else {}
    lacking: _Map = {}
    for name in fields:
        if name in seen:
            old = before.get(name, UNSET)
            new = _completed(fields[name], seen[name], old, _below(way, name))
            if new is not old:
                lacking[name] = new
    is_empty = wanted is UNSET and not seen
    return {**before, **lacking} if lacking or is_empty else wanted
