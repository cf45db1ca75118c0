"""The fields that Crossplane has set in an observed object for functions, as the object's managedFields list them.

In this module, such fields are called owned. A set of fields is a dict as in `fieldsV1`, or a part of it: its keys are
`f:` and the name of a field, and its values are sets of the fields inside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from .. import _wire

__all__ = [
    "CROSSPLANES_OWN",
    "as_owned",
    "changes",
    "fields_at",
    "is_owned",
    "owned_keys",
    "with_live_values",
    "with_owned_fields",
]

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
_METADATA: Final = ("metadata",)
_KEPT_METADATA: Final = frozenset({"labels", "annotations"})


def as_owned(observed: bytes) -> bytes | None:
    """Return an observed object as it was desired: apiVersion, kind and the owned fields.

    Returns None if the managedFields don't tell which fields are owned, as after a change of the kind's version. Raises
    WireError for malformed bytes.
    """
    owned = _owned(observed)
    if not owned:
        return None
    top = {key: _wire.get_path(observed, (key,)) for key in ("apiVersion", "kind")}
    return _completed_with(owned, _wire.encode_struct(top), observed)


def is_owned(observed: bytes, steps: Sequence[str | int]) -> bool:
    """Say whether a field is owned. True if that isn't known: inside of lists, and without managedFields of Crossplane.

    Raises WireError for malformed bytes.
    """
    sets = _owned(observed)
    if not sets or any(isinstance(step, int) for step in steps):
        return True
    return any(_at(owned, steps) is not None for owned in sets)


def owned_keys(observed: dict[str, Any], steps: Sequence[str | int]) -> set[str] | None:
    """Return the owned keys of a map in an object.

    Returns None if they aren't known, as inside of lists, and without managedFields of Crossplane.
    """
    metadata = observed.get("metadata")
    entries = metadata.get("managedFields") if isinstance(metadata, dict) else None
    sets = _sets(entries, observed.get("apiVersion"))
    if not sets or any(isinstance(step, int) for step in steps):
        return None
    found: set[str] = set()
    for owned in sets:
        found.update(_names(_at(owned, steps)))
    return found


def with_owned_fields(encoded: bytes, observed: bytes) -> bytes:
    """Return a desired object, completed with the owned fields that it lacks. They get their observed values.

    If it lacks none, the bytes object `encoded` itself is returned. Raises WireError for malformed bytes.
    """
    return _completed_with(_owned(observed), encoded, observed)


def _completed_with(owned: list[dict[str, Any]], encoded: bytes, observed: bytes) -> bytes:
    """Return a desired object, completed with the fields of `owned` that it lacks; see `with_owned_fields`."""
    if not owned:
        return encoded
    seen = fields_at(observed, {name for fields in owned for name in _names(fields)})
    missing: dict[str, Any] = {}
    for fields in owned:
        wanted = _wire.decode_struct(_wire.encode_over(missing, encoded) if missing else encoded)
        _collect(fields, seen, wanted, missing)
    return _wire.encode_over(missing, encoded) if missing else encoded


def with_live_values(encoded: bytes, observed: bytes) -> bytes:
    """Return a desired object in which every field that the observed object has is set to its observed value.

    So the result changes no existing field. Desired fields that the observed object lacks stay as they are. Owned
    fields that aren't desired are added. apiVersion, kind and status stay as desired. In metadata, only labels and
    annotations are set to observed values, except the annotations of this package. Raises WireError for malformed
    bytes.
    """
    wanted = _wire.decode_struct(encoded)
    seen = fields_at(observed, wanted)
    work: list[tuple[dict[str, Any], dict[str, Any], tuple[str, ...]]] = [(wanted, seen, ())]
    while work:
        holder, live, way = work.pop()
        for key, value in holder.items():
            if key not in live or not _counts(way, key):
                continue
            there = live[key]
            if isinstance(value, dict) and isinstance(there, dict):
                work.append((value, there, (*way, key)))
            elif way != _METADATA:
                holder[key] = there
    return with_owned_fields(_wire.encode_struct(wanted), observed)


def changes(encoded: bytes, observed: bytes) -> bool:
    """Say whether a desired object changes a field of the observed object.

    If so, `with_live_values` would return another desired object than `encoded`. A new field isn't a change, and the
    order of fields doesn't count, because it differs between processes. This function is called for every resource that
    exists, so it decodes only the observed fields that are also desired. Raises WireError for malformed bytes.
    """
    wanted = _wire.decode_struct(encoded)
    work: list[tuple[dict[str, Any], bytes, tuple[str, ...]]] = [(wanted, observed, ())]
    while work:
        holder, raw, way = work.pop()
        live = _wire.split(raw)
        for key, value in holder.items():
            there = live.get(key)
            if there is None or not _counts(way, key):
                continue
            kind, payload = _wire.open_value(there)
            if isinstance(value, dict) and kind == _wire.STRUCT:
                work.append((value, payload, (*way, key)))
            elif way != _METADATA and not _is_same(
                value, _wire.decode_list(payload) if kind == _wire.LIST else payload
            ):
                return True
    owned = _owned(observed)
    if all(_is_desired(fields, wanted) for fields in owned):
        return False
    return _completed_with(owned, encoded, observed) is not encoded


def _counts(way: tuple[str, ...], key: str) -> bool:
    """Say whether `changes` compares a desired field with the observed one, and `with_live_values` sets it.

    `way` leads to the map that has the field.
    """
    if not way:
        return key not in _NOT_OURS
    if way == _METADATA:
        return key in _KEPT_METADATA
    # The mark and the other annotations of this package always have the values of this call.
    return way[:1] != _METADATA or len(way) != 2 or not key.startswith("crossplane-lite/")


def _is_same(one: Any, other: Any) -> bool:
    """Say whether the plain data `one` and `other` are equal, and all values in them have equal types: True isn't 1."""
    work = [(one, other)]
    while work:
        left, right = work.pop()
        if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
            work += [(left[key], right[key]) for key in left]
        elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
            work += zip(left, right, strict=True)
        elif type(left) is not type(right) or isinstance(left, (dict, list)) or left != right:
            return False
    return True


def _is_desired(owned: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Say whether the desired object `wanted` has all fields in `owned`, a set of fields.

    False also if elements of lists have to be compared. Fields that no function sets don't count.
    """
    work: list[tuple[Any, Any]] = [(_of_functions(owned), wanted)]
    while work:
        fields, holder = work.pop()
        if isinstance(holder, dict):
            for name in _names(fields):
                if name not in holder:
                    return False
                work.append((fields["f:" + name], holder[name]))
        elif fields:
            return False
    return True


def _owned(observed: bytes) -> list[dict[str, Any]]:
    """Return the sets of fields that managedFields list for Crossplane's manager of composed resources.

    Sets for another apiVersion than the object's are left out. The list is empty if there are no sets.
    """
    top = _wire.split(observed)
    kind, metadata = _wire.open_value(top.get("metadata", b""))
    fields = _wire.split(metadata) if kind == _wire.STRUCT else {}
    kind, entries = _wire.open_value(fields.get("managedFields", b""))
    if kind != _wire.LIST:
        return []
    # Entries of other managers, which have most of the fields, aren't decoded.
    found = [_wire.decode_value(one) for one in _wire.split_list(entries) if _MANAGER.encode() in one]
    return _sets(found, _wire.open_value(top.get("apiVersion", b""))[1])


def fields_at(observed: bytes, keys: Iterable[str]) -> dict[str, Any]:
    """Return the fields `keys` of an object, decoded; metadata without managedFields, by far its largest part."""
    top = _wire.split(observed)
    seen: dict[str, Any] = {}
    for key in keys:
        kind, payload = _wire.open_value(top.get(key, b""))
        if key == "metadata" and kind == _wire.STRUCT:
            below = _wire.split(payload).items()
            seen[key] = {name: _wire.decode_value(value) for name, value in below if name != "managedFields"}
        elif key in top:
            seen[key] = _wire.decode_value(top[key])
    return seen


def _sets(entries: Any, version: Any) -> list[dict[str, Any]]:
    found = []
    for entry in entries if isinstance(entries, list) else ():
        if (
            isinstance(entry, dict)
            and str(entry.get("manager", "")).startswith(_MANAGER)
            and entry.get("apiVersion", version) == version
            and isinstance(entry.get("fieldsV1"), dict)
        ):
            found.append(entry["fieldsV1"])
    return found


def _collect(fields: dict[str, Any], seen: dict[str, Any], wanted: dict[str, Any], missing: dict[str, Any]) -> None:
    """Add the observed fields to `missing` that are owned and not desired.

    `missing` has the fields to merge into `wanted`, as nested dicts.
    """
    owned = _of_functions(fields)
    for name in _names(owned):
        _collect_one(owned["f:" + name], name, seen, wanted, missing)


def _of_functions(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the set `fields` without the fields that no function sets.

    These are apiVersion, kind, status, Crossplane's own labels and annotations, and all other metadata.
    """
    found = {"f:" + name: fields["f:" + name] for name in _names(fields) if name not in _NOT_OURS}
    metadata = found.pop("f:metadata", None)
    if isinstance(metadata, dict):
        found["f:metadata"] = {
            "f:" + key: {name: below for name, below in owned.items() if name[2:] not in CROSSPLANES_OWN}
            for key in _KEPT_METADATA
            if isinstance(owned := metadata.get("f:" + key), dict)
        }
    return found


def _collect_one(fields: dict[str, Any], name: str, seen: Any, wanted: Any, missing: dict[str, Any]) -> None:
    # Owned fields, key, observed container, wanted container, and the keys that lead to both containers. A stack and no
    # recursion, because objects decide the depth.
    work: list[tuple[Any, str, Any, Any, list[str]]] = [(fields, name, seen, wanted, [])]
    while work:
        owned, key, seen_in, wanted_in, way = work.pop()
        if not isinstance(seen_in, dict) or key not in seen_in:
            continue
        value = seen_in[key]
        steps = [*way, key]
        if not isinstance(wanted_in, dict) or key not in wanted_in:
            kept = _only_owned(owned, value)
            if kept is not None:
                _put(missing, steps, kept)
            continue
        if isinstance(value, dict):
            work.extend((owned["f:" + below], below, value, wanted_in[key], steps) for below in _names(owned))
        elif isinstance(value, list) and isinstance(wanted_in[key], list):
            merged = _merged_list(owned, value, wanted_in[key])
            if merged is not None:
                _put(missing, steps, merged)


def _at(owned: Any, steps: Sequence[str | int]) -> Any:
    """Return the part of the set of fields `owned` to which `steps` lead; None if the set has no such part."""
    for step in steps:
        owned = owned.get(f"f:{step}") if isinstance(owned, dict) else None
    return owned


def _names(owned: Any) -> Iterator[str]:
    return (key[2:] for key in owned if key.startswith("f:")) if isinstance(owned, dict) else iter(())


def _put(tree: dict[str, Any], steps: list[str], value: Any) -> None:
    for step in steps[:-1]:
        tree = tree.setdefault(step, {})
    tree[steps[-1]] = value


def _only_owned(owned: Any, value: Any) -> Any:
    """Return the part of the observed `value` that the set of fields `owned` lists; None if it lists no part."""
    box: dict[str, Any] = {}
    work: list[tuple[Any, Any, dict[str, Any], str]] = [(owned, value, box, "value")]
    while work:
        fields, seen, into, key = work.pop()
        names = list(_names(fields))
        if isinstance(seen, list) and isinstance(fields, dict) and any(name[:2] in ("k:", "v:") for name in fields):
            into[key] = _merged_list(fields, seen, []) or []
        elif isinstance(seen, dict) and names:
            made: dict[str, Any] = {}
            into[key] = made
            work.extend((fields["f:" + name], seen[name], made, name) for name in names if name in seen)
        else:
            into[key] = seen
    kept = box.get("value")
    return None if kept == {} and value != {} else kept


def _merged_list(owned: Any, seen: list[Any], wanted: list[Any]) -> list[Any] | None:
    """Return the list `wanted`, completed with the owned parts of the observed list; None if nothing is missing.

    Owned elements that `wanted` lacks are added at its end. If both lists have an element with the same merge keys, the
    element in `wanted` gets the owned fields that it lacks.
    """
    import json

    if not isinstance(owned, dict):
        return None
    merged = list(wanted)
    lacking: list[Any] = []
    indexes: dict[tuple[str, ...], tuple[_Index, _Index]] = {}
    for key in owned:
        try:
            identity = json.loads(key[2:]) if key[:2] in ("k:", "v:") else None
        except ValueError:
            continue
        if key[:2] == "k:" and isinstance(identity, dict):
            names = tuple(sorted(identity))
            if names not in indexes:
                indexes[names] = (_index(seen, names), _index(merged, names))
            below = owned[key] if isinstance(owned[key], dict) else {}
            fields = {**below, **{"f:" + name: {} for name in identity}}
            values = tuple(map(repr, (identity[name] for name in names)))
            seen_at, wanted_at = (index.get(values) for index in indexes[names])
            if seen_at is not None and wanted_at is None:
                lacking.append(_only_owned(fields, seen[seen_at]))
            elif seen_at is not None and wanted_at is not None:
                merged[wanted_at] = _completed(merged[wanted_at], seen[seen_at], fields)
        elif key[:2] == "v:" and identity in seen and identity not in wanted:
            lacking.append(identity)
    return [*merged, *lacking] if lacking or merged != wanted else None


# The indexes of a list's elements, by the values of their merge keys. The values are texts (`repr`), because they may
# be of any type.
_Index = dict[tuple[str, ...], int]


def _index(elements: list[Any], names: tuple[str, ...]) -> _Index:
    index: _Index = {}
    for at, element in enumerate(elements):
        if isinstance(element, dict) and all(name in element for name in names):
            index.setdefault(tuple(repr(element[name]) for name in names), at)
    return index


def _completed(wanted: dict[str, Any], seen: dict[str, Any], owned: dict[str, Any]) -> dict[str, Any]:
    """Return the list element `wanted`, completed with the owned fields that only the observed element `seen` has."""
    missing: dict[str, Any] = {}
    for name in _names(owned):
        _collect_one(owned["f:" + name], name, seen, wanted, missing)
    return _wire.decode_struct(_wire.encode_over(missing, _wire.encode_struct(wanted))) if missing else wanted
