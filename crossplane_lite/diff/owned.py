"""Who owns which field of an object: its `metadata.managedFields`.

Crossplane applies composed resources with a manager of its own for each composite. A field that such an apply doesn't
name any more is removed if the manager owned it and nobody else does. Fields that others set stay, also those that a
provider has filled in.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from .._manifests.objects import metadata_of

__all__ = ["Owned", "owned_fields"]

_MANAGER: Final = "apiextensions.crossplane.io/composed"

Fields = Mapping[str, Any]


class Owned(NamedTuple):
    """The owners of one place in an object: of the field, list or element there, and of the fields below it.

    Attributes:
        ours: The fields that Crossplane owns here, as FieldsV1; None if it owns nothing here.
        others: The fields that each other manager owns here, as FieldsV1.
    """

    ours: Fields | None
    others: tuple[Fields, ...]

    def field(self, key: str) -> Owned:
        """Return the owners of a field of the object at this place."""
        return self._child(f"f:{key}")

    def element(self, keys: Mapping[str, Any]) -> Owned:
        """Return the owners of the element with these keys in the list at this place; no owners if there is none."""
        for node in self._nodes():
            for name in node:
                known = _parsed(name) if name.startswith("k:") else None
                if isinstance(known, dict) and known.items() >= keys.items():
                    return self._child(name)
        return Owned(None, ())

    def list_keys(self) -> tuple[str, ...] | None:
        """Return the keys that tell the elements of the list at this place apart; None if no owner has set any."""
        for node in self._nodes():
            for name in node:
                keys = _parsed(name) if name.startswith("k:") else None
                if isinstance(keys, dict):
                    return tuple(sorted(keys))
        return None

    def is_set(self) -> bool:
        """Say whether the list at this place is a set of values, whose elements have no keys."""
        return any(name.startswith("v:") for node in self._nodes() for name in node)

    @property
    def goes(self) -> bool:
        """Whether the place is removed once Crossplane doesn't apply it any more, because nobody else owns it."""
        return self.ours is not None and not self.others

    @property
    def is_whole(self) -> bool:
        """Whether Crossplane owns the field as a whole: a scalar, or a list that is replaced."""
        return self.ours is not None and not any(name != "." for name in self.ours)

    def _nodes(self) -> Iterator[Fields]:
        if self.ours is not None:
            yield self.ours
        yield from self.others

    def _child(self, name: str) -> Owned:
        ours = None if self.ours is None else self.ours.get(name)
        others = (node.get(name) for node in self.others)
        return Owned(
            ours if isinstance(ours, Mapping) else None, tuple(one for one in others if isinstance(one, Mapping))
        )


def owned_fields(resource: Mapping[str, Any]) -> Owned | None:
    """Return the owners of an object's fields; None if the object has no managedFields (few files have them).

    Crossplane owns the fields that it applied, and those that its older versions updated without server-side apply.
    """
    entries = metadata_of(resource).get("managedFields")
    if not isinstance(entries, list) or not entries:
        return None
    ours: dict[str, Any] = {}
    found = False
    others = []
    for entry in entries:
        fields = entry.get("fieldsV1") if isinstance(entry, Mapping) else None
        if not isinstance(fields, Mapping) or entry.get("subresource"):
            continue
        if str(entry.get("manager")).startswith(_MANAGER):
            found = True
            _merge(ours, fields)
        else:
            others.append(fields)
    return Owned(ours if found else None, tuple(others))


def _merge(into: dict[str, Any], fields: Fields) -> None:
    work = [(into, fields)]
    while work:
        target, source = work.pop()
        for key, value in source.items():
            if isinstance(value, Mapping):
                work.append((target.setdefault(key, {}), value))


def _parsed(name: str) -> Any:
    try:
        return json.loads(name[2:])
    except ValueError:
        return None
