"""The fields that Crossplane has set in an observed object for a function: its managedFields name them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from .. import _wire

__all__ = ["CROSSPLANES_OWN", "as_owned", "changes", "is_owned", "owned_keys", "with_live_values", "with_owned_fields"]

_MANAGER: Final = "apiextensions.crossplane.io/composed"
# Crossplane sets these itself, whatever a function desires.
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
    """Return an observed object as it was desired: its kind, and the fields that Crossplane owns for functions.

    Args:
        observed: The object's Struct bytes.

    Returns:
        Struct bytes; None where nothing tells which fields these are, as after a change of the kind's version.
    """
    fields = _owned(observed)
    if not fields:
        return None
    top = {key: _wire.get_path(observed, (key,)) for key in ("apiVersion", "kind")}
    return with_owned_fields(_wire.encode_struct(top), observed)


def is_owned(observed: bytes, steps: Sequence[str | int]) -> bool:
    """Say whether Crossplane owns a field for functions, as far as can be told; below lists it can't.

    Args:
        observed: The object's Struct bytes.
        steps: The way to the field.
    """
    sets = _owned(observed)
    if not sets or any(isinstance(step, int) for step in steps):
        return True
    return any(_at(owned, steps) is not None for owned in sets)


def owned_keys(observed: dict[str, Any], steps: Sequence[str | int]) -> set[str] | None:
    """Return the keys of a map that Crossplane owns for functions; None where nothing tells.

    Args:
        observed: The object as plain data.
        steps: The way to the map.
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
    """Return desired bytes with the observed value of every field that Crossplane owns for functions and they lack."""
    owned = _owned(observed)
    if not owned:
        return encoded
    seen = _wire.decode_struct(observed)
    wanted = _wire.decode_struct(encoded)
    missing: dict[str, Any] = {}
    for fields in owned:
        _collect(fields, seen, wanted, missing)
        wanted = _wire.decode_struct(_wire.encode_over(missing, encoded)) if missing else wanted
    return _wire.encode_over(missing, encoded) if missing else encoded


def with_live_values(encoded: bytes, observed: bytes) -> bytes:
    """Return desired bytes that change nothing that is there: they have the observed value wherever there is one.

    Fields that the observed object lacks stay as they are desired. Fields that Crossplane owns for functions and that
    aren't desired are added.
    """
    seen = _wire.decode_struct(observed)
    wanted = _wire.decode_struct(encoded)
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
    """Say whether desired bytes change something that is there: whether `with_live_values` has others in their place.

    It is asked of every resource that exists, so only the observed fields that are desired as well are decoded. The
    order of fields counts nowhere: each process reads them in one of its own.
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
    return with_owned_fields(encoded, observed) is not encoded


def _counts(way: tuple[str, ...], key: str) -> bool:
    """Say whether the observed value of a field counts where the field is desired, too."""
    if not way:
        return key not in _NOT_OURS
    if way == _METADATA:
        return key in _KEPT_METADATA
    # The mark and the rest of our entries there say whose it is today.
    return way[:1] != _METADATA or len(way) != 2 or not key.startswith("crossplane-lite/")


def _is_same(one: Any, other: Any) -> bool:
    """Say whether two pieces of plain data are equal, also in the types of their values: True isn't 1."""
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
    """Say whether every field of a set is desired; not where that takes a look at the elements of lists."""
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
    """Return the sets of fields that the manager for composed resources has in the object's own version."""
    entries = _wire.get_path(observed, ("metadata", "managedFields"))
    return _sets(entries, _wire.get_path(observed, ("apiVersion",)))


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
    """Put owned and observed fields that aren't wanted into `missing`; in the form of a tree to lay over."""
    owned = _of_functions(fields)
    for name in _names(owned):
        _collect_one(owned["f:" + name], name, seen, wanted, missing)


def _of_functions(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the part of a set of fields that functions desire, and not Crossplane itself."""
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
    # (owned fields, key, observed holder, wanted holder, way to them); a stack, because objects decide the depth
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
    """Return the part of a set of fields at a place; None if it has none there."""
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
    """Return the owned part of an observed value; None where nothing of it is owned."""
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
    """Return a wanted list with the owned observed elements that it lacks behind it; None where it lacks none."""
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


# The position of each element of a list, by the values of its keys. As text, because values may be of any kind.
_Index = dict[tuple[str, ...], int]


def _index(elements: list[Any], names: tuple[str, ...]) -> _Index:
    index: _Index = {}
    for at, element in enumerate(elements):
        if isinstance(element, dict) and all(name in element for name in names):
            index.setdefault(tuple(repr(element[name]) for name in names), at)
    return index


def _completed(wanted: dict[str, Any], seen: dict[str, Any], owned: dict[str, Any]) -> dict[str, Any]:
    """Fill in the owned fields that a wanted element lacks."""
    missing: dict[str, Any] = {}
    for name in _names(owned):
        _collect_one(owned["f:" + name], name, seen, wanted, missing)
    return _wire.decode_struct(_wire.encode_over(missing, _wire.encode_struct(wanted))) if missing else wanted
