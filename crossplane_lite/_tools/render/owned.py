"""Reads from `metadata.managedFields` which field manager owns which field of an object.

Crossplane applies composed resources with its own field manager for each composite. If an apply no
longer has a field, the API server removes the field if no other manager owns it. A field that
another manager, such as a provider, has set stays.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from ..manifests.objects import merged, metadata_of

_MANAGER: Final = "apiextensions.crossplane.io/composed"

Fields = Mapping[str, Any]


class Owned(NamedTuple):
    """The owners of the value at one path of an object, and of the fields below it.

    Attributes:
        ours: The fields that Crossplane owns at this path and below, in the format FieldsV1; None
            if it owns nothing.
        others: For each other manager that owns something at this path or below, these fields as
            FieldsV1.
    """

    ours: Fields | None
    others: tuple[Fields, ...]

    def field(self, key: str) -> Owned:
        """Return the owners of the field `key` of the object at this path."""
        return self._child(f"f:{key}")

    def element(self, keys: Mapping[str, Any]) -> Owned:
        """Return the owners of the element that has these keys in the list at this path.

        If no manager owns such an element, the result has no owners. The element may have further
        keys.
        """
        found = (name for name, known in self._elements() if known.items() >= keys.items())
        return self._child(next(found, ""))

    def list_keys(self) -> tuple[str, ...] | None:
        """Return the sorted names of the keys of the list at this path; None if no manager owns an
        element by keys.
        """
        return next((tuple(sorted(keys)) for _, keys in self._elements()), None)

    def is_set(self) -> bool:
        """Return whether the list at this path is a set of scalars: a manager owns elements by
        their values.
        """
        return any(name.startswith("v:") for node in self._nodes() for name in node)

    def value(self, value: Any) -> Owned:
        """Return the owners of an element of the set at this path."""
        return self._child(f"v:{json.dumps(value)}")

    @property
    def goes(self) -> bool:
        """Whether the value is removed when Crossplane's apply no longer has it.

        So it is if only Crossplane owns something of it. The item of a map or list goes with the
        fields that others have set below it, if they don't own the item itself.
        """
        if self.ours is not None and "." in self.ours:
            return not any("." in fields or not fields for fields in self.others)
        return self.ours is not None and not self.others

    @property
    def is_parts(self) -> bool:
        """Whether Crossplane owns fields or elements below this path, and so not the value as a
        unit.
        """
        return self.ours is not None and any(name != "." for name in self.ours)

    def _nodes(self) -> Iterator[Fields]:
        if self.ours is not None:
            yield self.ours
        yield from self.others

    def _elements(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the name and the keys of each element that a manager owns by its keys."""
        for name in (name for node in self._nodes() for name in node if name.startswith("k:")):
            with contextlib.suppress(ValueError):
                keys = json.loads(name[2:])
                if isinstance(keys, dict):
                    yield name, keys

    def _child(self, name: str) -> Owned:
        ours = None if self.ours is None else self.ours.get(name)
        others = (node.get(name) for node in self.others)
        return Owned(
            ours if isinstance(ours, Mapping) else None,
            tuple(one for one in others if isinstance(one, Mapping)),
        )


def owned_fields(resource: Mapping[str, Any]) -> Owned | None:
    """Return the owners of an object's fields; None if the object has no managedFields, as in most
    saved files.

    Crossplane owns the fields that it has applied, and those that its older versions have updated
    without server-side apply. The fields of subresources, such as status, don't count.
    """
    entries = metadata_of(resource).get("managedFields")
    if not isinstance(entries, list) or not entries:
        return None
    ours: Fields | None = None
    others = []
    for entry in entries:
        fields = entry.get("fieldsV1") if isinstance(entry, Mapping) else None
        if not isinstance(fields, Mapping) or entry.get("subresource"):
            continue
        if str(entry.get("manager")).startswith(_MANAGER):
            ours = merged(ours or {}, fields)
        else:
            others.append(fields)
    return Owned(ours, tuple(others))
