"""Existing resources that are dropped although others refer to them, and what to write if one has got another name.

A resource refers to another one if its spec holds the other's external name, or the `id`, `arn` or `selfLink` of the
other's status, or has a reference (`...Ref.name`) with the other's name.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from .. import codec
from ..base.api_version import group_of
from ..base.texts import some
from ..call.mark import OURS
from ..models.walker import leaves, show_path
from ..paths.text import EXTERNAL_NAME

if TYPE_CHECKING:
    from ..call.call import Call

Places = Mapping[str, Sequence[tuple[str, tuple[str | int, ...]]]]
_IDS: Final = ("id", "arn", "selfLink")
_FREE: Final = frozenset(("tags", "labels", "annotations", "description"))  # what people write here is no reference


def warnings(call: Call, desired: Any, gone: Collection[str]) -> Iterator[str]:
    """Yield a text for each resource of this step that is dropped although other desired resources refer to it.

    A resource that `ctx.remove` names is dropped on purpose, and left out here. `gone` has the names of the observed
    resources that compose() hasn't registered and the answer doesn't desire. Raises WireError for malformed bytes.
    """
    dropped = [name for name in sorted(gone) if name not in call.removed and call.whose(name) == OURS]
    if not dropped:
        return
    specs = {
        name: [codec.get_path(of[name].resource, ("spec",)) for of in (call.observed, desired) if name in of]
        for name in desired
    }
    places = places_in(specs)
    for name in dropped:
        raw = call.observed[name].resource
        found = uses(raw, places)
        if found:
            hints = "; ".join([*new_name_hint(name, raw, new_kinds(call)), f"if it may go, call ctx.remove({name!r})"])
            yield f"{name} isn't desired any more, so Crossplane deletes it, but it is {found}: {hints}"


def new_kinds(call: Call) -> dict[str, tuple[str, str]]:
    """Return the apiVersion and kind of each registered resource that doesn't exist yet, by name."""
    return {
        name: (str(model.apiVersion), str(model.kind))
        for name, model in call.resources.items()
        if name not in call.existing
    }


def places_in(specs: Mapping[str, Sequence[Any]]) -> Places:
    """Return the places of each string in specs of resources: for each place, the resource's name and the path.

    Tags, labels, annotations and descriptions are left out.
    `specs` has each resource's observed spec, then its desired one, whose value counts where both have one.
    """
    places: dict[str, list[Any]] = {}
    for name, several in specs.items():
        for steps, value in {steps: value for spec in several for steps, value in leaves(spec)}.items():
            if isinstance(value, str) and _FREE.isdisjoint(steps):
                places.setdefault(value, []).append((name, steps))
    return places


def uses(raw: bytes, places: Places) -> str:
    """Return the fields that refer to a dropped resource, for people: `still used in subnet.spec.forProvider.vpcId`.

    The text is empty if no resource refers to the dropped one (`raw`), or if it is being deleted already. Raises
    WireError for malformed bytes.
    """
    if codec.get_path(raw, ("metadata", "deletionTimestamp")):
        return ""
    ids = {_text(raw, *holder, key) for holder in (("status",), ("status", "atProvider")) for key in _IDS}
    ids = {*ids, _text(raw, "metadata", "annotations", EXTERNAL_NAME)} - {""}
    found = {place for one in ids for place in places.get(one, ())}
    found.update(place for place in places.get(_text(raw, "metadata", "name"), ()) if _is_reference(place[1]))
    shown = sorted(f"{name}.{show_path(['spec', *steps])}" for name, steps in found)
    return f"still used in {some(shown, 3)}" if shown else ""


def _is_reference(steps: Sequence[str | int]) -> bool:
    """Say whether a path ends with the name in a reference, such as `vpcIdRef.name` or `subnetIdRefs[0].name`."""
    keys = [step for step in steps if isinstance(step, str)]
    # The references of a Usage don't need the object: they only order deletions.
    return len(keys) > 1 and keys[-1] == "name" and keys[-2].endswith(("Ref", "Refs")) and keys[0] not in ("of", "by")


def new_name_hint(name: str, raw: bytes, new: Mapping[str, tuple[str, str]]) -> list[str]:
    """Return what to write if a new resource is a dropped one under a new name; nothing if none is of the same kind.

    `raw` is the dropped resource, and `new` has the apiVersion and kind of each new one.
    """
    kind = (group_of(_text(raw, "apiVersion")), _text(raw, "kind"))
    found = sorted(other for other, (version, of) in new.items() if (group_of(version), of) == kind)
    which = f"one of {some(found, 3)}" if found[1:] else "".join(found)
    return [f"if {which} is the same resource under a new name, give it formerly=[{name!r}]"] if found else []


def _text(raw: bytes, *path: str) -> str:
    found = codec.get_path(raw, path)
    return found if isinstance(found, str) else ""
