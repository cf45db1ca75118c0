"""References to a resource in the specs of others.

A resource refers to another one if its spec holds the other's external name, or the `id`, `arn` or
`selfLink` of the other's status, or has a reference (`...Ref.name`) with the other's name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..._core import codec
from ..._core.base.texts import some
from ..._core.models.walker import leaves, show_path
from ..._core.observed.lookup import text_at
from ..._core.paths.text import EXTERNAL_NAME

Places = Mapping[str, Sequence[tuple[str, tuple[str | int, ...]]]]
_IDS: Final = ("id", "arn", "selfLink")
# what people write here is no reference
_FREE: Final = frozenset(("tags", "labels", "annotations", "description"))


def places_in(specs: Mapping[str, Sequence[Any]]) -> Places:
    """Return the places of each string in specs of resources: for each place, the resource's name
    and the path.

    Tags, labels, annotations and descriptions are left out.
    `specs` has each resource's observed spec, then its desired one, whose value counts where both
    have one.
    """
    places: dict[str, list[Any]] = {}
    for name, several in specs.items():
        for steps, value in {
            steps: value for spec in several for steps, value in leaves(spec)
        }.items():
            if isinstance(value, str) and _FREE.isdisjoint(steps):
                places.setdefault(value, []).append((name, steps))
    return places


def uses(raw: bytes, places: Places) -> str:
    """Return the fields that refer to a dropped resource, for people:
    `still used in subnet.spec.forProvider.vpcId`.

    The text is empty if no resource refers to the dropped one (`raw`), or if it is being deleted
    already. Raises WireError for malformed bytes.
    """
    if codec.get_path(raw, ("metadata", "deletionTimestamp")):
        return ""
    ids = {
        text_at(raw, *holder, key)
        for holder in (("status",), ("status", "atProvider"))
        for key in _IDS
    }
    ids = {*ids, text_at(raw, "metadata", "annotations", EXTERNAL_NAME)} - {""}
    found = {place for one in ids for place in places.get(one, ())}
    found.update(
        place
        for place in places.get(text_at(raw, "metadata", "name"), ())
        if _is_reference(place[1])
    )
    shown = sorted(f"{name}.{show_path(['spec', *steps])}" for name, steps in found)
    return f"still used in {some(shown, 3)}" if shown else ""


def _is_reference(steps: Sequence[str | int]) -> bool:
    """Say whether a path ends with the name in a reference, such as `vpcIdRef.name` or
    `subnetIdRefs[0].name`.
    """
    keys = [step for step in steps if isinstance(step, str)]
    # The references of a Usage don't need the object: they only order deletions.
    return (
        len(keys) > 1
        and keys[-1] == "name"
        and keys[-2].endswith(("Ref", "Refs"))
        and keys[0] not in ("of", "by")
    )
