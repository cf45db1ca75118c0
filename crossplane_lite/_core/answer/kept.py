"""Existing resources that stay as they are: nobody knows what a missing value decides, or Usages
protect them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from .. import codec
from ..base.api_version import group_of
from ..base.texts import some
from ..call.mark import ANNOTATION, MARK_WAY, NO_MARK, OURS, joined_steps, made_in
from ..dependencies.entry import Note
from ..known import KNOWN
from ..known.notes import KNOWN_WAY
from ..observed import lookup
from ..observed.observable import root_of
from ..observed.owned import as_owned, with_owned_fields
from ..resources.registered import READY
from .waiting import named

if TYPE_CHECKING:
    from ..call.call import Call
    from ..observed.observable import Observable
    from .decide import Decision


_OTHER_KIND: Final = (
    "keeps the kind that it was made with, by a guess: delete the object so that it is made with"
    " the present one"
)


def keep(call: Call, kept: Mapping[str, Iterable[Observable]], desired: Any) -> list[str]:
    """Put existing resources that stay as they are into desired state, with the fields that
    Crossplane applied last.

    These are the resources in `kept`, each with the missing values that are the reason (none where
    Usages are), and those for which compose() wants another kind. `metadata.managedFields` of the
    observed resource shows these fields. A resource that a previous step desires gets them in
    addition to that step's. Returns the texts of fatal results, one for each resource that can't be
    kept. Raises WireError for malformed bytes.
    """
    fatals = []
    for name in sorted({*call.other_kind, *kept}):
        observed = call.existing[name].resource
        # A previous step may desire the resource too; fields that this function set in it stay.
        is_shared = name in desired
        before = desired[name].resource if is_shared else b""
        encoded = with_owned_fields(before, observed) if is_shared else as_owned(observed)
        if encoded is None:
            version = codec.get_path(observed, ("apiVersion",))
            fatals.append(
                f"{name} exists and would be deleted: whether it is still wanted depends on"
                f" {_paths(call, kept.get(name, ()))}, which has no value, and it can't be kept as"
                " it is, because its managedFields don't show which of its fields were desired in"
                f" {version}. Register {name} in every call, or call ctx.remove({name!r}) if it"
                " may go"
            )
            continue
        if not is_shared or call.whose(name) == OURS:
            encoded = _marked(call, name, encoded, before)
        desired[name].resource = encoded
        if not is_shared and lookup.is_ready(observed):
            desired[name].ready = READY[True]
    return fatals


def _marked(call: Call, name: str, encoded: bytes, before: bytes) -> bytes:
    """Return the Struct bytes of a kept resource with an annotation that names this step as one
    that desires it.

    Steps in the annotation of `before`, the resource that a previous step desires, stay. Others
    don't: each step that keeps the resource, too, adds itself. A resource without a mark gets none:
    it may belong to any step of the pipeline, and each keeps it for itself. Its notes stay. If the
    composite has no namespace, the resource gets its observed one, because nothing else would set
    it.
    """
    observed = call.existing[name].resource
    annotations: dict[str, Any] = {}
    if call.whose(name) != NO_MARK:
        made = made_in(call.mark_of(name), call.step).to_text()
        before_mark = codec.get_path(before, MARK_WAY)
        annotations[ANNOTATION] = joined_steps(before_mark, call.step, made, call.function.names)
    known = codec.get_path(observed, KNOWN_WAY)
    if known:
        annotations[KNOWN] = known
    metadata: dict[str, Any] = {"annotations": annotations} if annotations else {}
    namespace = codec.get_path(observed, ("metadata", "namespace"))
    if namespace and not call.namespace:
        metadata["namespace"] = namespace
    return codec.encode_over({"metadata": metadata}, encoded)


def _paths(call: Call, values: Iterable[Observable]) -> str:
    """Return the paths of values, with what was asked for:
    `required.env[0].data.x (ConfigMap acme/env)`.
    """
    found = []
    for value in values:
        root = root_of(value)
        is_required = root is not None and root.kind == "required"
        selector = call.requirements.resources.get(root.name) if root and is_required else None
        found.append(f"{value.source_path} ({named(selector)})" if selector else value.source_path)
    return some(found, 5) or "a missing value"


def new_name_hint(name: str, raw: bytes, new: Mapping[str, tuple[str, str]]) -> list[str]:
    """Return what to write if a new resource is a dropped one under a new name; nothing if none is
    of the same kind.

    `raw` is the dropped resource, and `new` has the apiVersion and kind of each new one.
    """
    kind = (group_of(lookup.text_at(raw, "apiVersion")), lookup.text_at(raw, "kind"))
    found = sorted(other for other, (version, of) in new.items() if (group_of(version), of) == kind)
    which = f"one of {some(found, 3)}" if found[1:] else "".join(found)
    return (
        [f"if {which} is the same resource under a new name, give it formerly=[{name!r}]"]
        if found
        else []
    )


def _new_name(call: Call, name: str) -> str:
    """Return what to write if a new resource is the kept one under a new name; empty if none is of
    its kind.
    """
    new = {
        other: (str(model.apiVersion), str(model.kind))
        for other, model in call.resources.items()
        if other not in call.existing
    }
    hints = new_name_hint(name, call.existing[name].resource, new)
    for hint in hints:
        call.log.warning("%s is kept for now: %s", name, hint)
    return "".join(f"; {hint}" for hint in hints)


def remarks(call: Call, decision: Decision, error: str) -> list[Note]:
    """Return remarks for people: which resources stay, which values count as they last were, and an
    exception.

    `error` is the text of the exception that ended compose(), if the resources that were registered
    before are sent all the same; else it is empty.
    """
    found = [Note(name, _OTHER_KIND) for name in sorted(call.other_kind)]
    found += [
        Note(
            name,
            "is kept as it is: whether it is still wanted depends on"
            f" {call.readable(_paths(call, values))} (use value_or to decide without it, or"
            f" ctx.remove to delete the resource{_new_name(call, name)})",
        )
        for name, values in sorted(decision.kept.items())
    ]
    found += [Note(*one) for one in sorted(decision.used.items())]
    if decision.lost:
        are = (
            "are missing and count as they last were"
            if decision.lost[1:]
            else "is missing and counts as it last was"
        )
        found.append(Note("", f"{call.readable(_paths(call, decision.lost))} {are}"))
    found += [Note("", call.readable(remark)) for remark in decision.remarks]
    if error:
        found.append(
            Note(
                "",
                f"{call.readable(error)}; what exists stays, and only owners of missing values are"
                " made",
            )
        )
    return found
