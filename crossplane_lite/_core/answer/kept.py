"""Existing resources that stay as they are, because other runs of compose() show that they may still be wanted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .. import codec
from ..base.texts import some
from ..call.mark import ANNOTATION, MARK_WAY, OURS, joined_steps, marked, memory_in
from ..observed import lookup
from ..observed.owned import as_owned, with_owned_fields
from ..resources.registered import READY
from ..waits.decide import Kept
from ..waits.entry import Born, Note

if TYPE_CHECKING:
    from ..call.call import Call
    from ..observed.observable import Observable
    from ..waits.decide import Decision


def keep(call: Call, kept_ones: Mapping[str, Kept], desired: Any, step: str) -> list[str]:
    """Put existing resources that stay as they are into desired state, with the fields that Crossplane applied last.

    These are `kept_ones`, and those for which compose() wants another kind.

    `metadata.managedFields` of the observed resource shows these fields. A resource that a previous step desires gets
    them in addition to that step's. Returns the texts of fatal results, one for each resource that can't be kept, or
    whose `on_unresolved` is "fatal". Raises WireError for malformed bytes.
    """
    fatals = []
    stay = {**dict.fromkeys(call.other_kind, Kept(None, False, ())), **kept_ones}
    for name, kept in sorted(stay.items()):
        paths = _paths(kept.why)
        observed = call.observed[name].resource
        if kept.fatal:
            fatals.append(
                f"whether {name} is still wanted depends on {paths}, which has no value yet, and its on_unresolved "
                "is 'fatal'; 'keep' and 'hold' would wait"
            )
            continue
        if kept.content is not None:
            target = desired[name]
            memory = memory_in(call.mark_of(name), step)
            target.resource = marked(kept.content, call.mark, memory.to_text())
            _set_ready(target, kept, observed)
            continue
        if name in desired:  # a previous step desires the resource too; fields that this function set in it stay
            completed = with_owned_fields(desired[name].resource, observed)
            is_ours = call.whose(name) == OURS
            before = desired[name].resource
            desired[name].resource = _marked(call, name, completed, before, step) if is_ours else completed
            continue
        encoded = as_owned(observed)
        if encoded is None:
            version = codec.get_path(observed, ("apiVersion",))
            fatals.append(
                f"{name} exists and would be deleted: whether it is still wanted depends on {paths}, which has no "
                "value yet, and it can't be kept as it is, because its managedFields don't show which of its fields "
                f"were desired in {version}. Register {name} in every call, or call ctx.remove({name!r}) if it may go"
            )
            continue
        target = desired[name]
        target.resource = _marked(call, name, encoded, b"", step)
        _set_ready(target, kept, observed)
    return fatals


def _set_ready(target: Any, kept: Kept, observed: bytes) -> None:
    if kept.ready is not None or lookup.is_ready(observed):
        target.ready = READY[kept.ready is not False]


def _marked(call: Call, name: str, encoded: bytes, before: bytes, step: str) -> bytes:
    """Return the Struct bytes of a kept resource with an annotation that names this step as one that desires it.

    Steps in the annotation of `before`, the resource that a previous step desires, stay. Others don't: each step that
    keeps the resource, too, adds itself. If the composite has no namespace, the resource gets its observed one, because
    nothing else would set it.
    """
    memory = memory_in(call.mark_of(name), step)
    names = (call.function.name, *call.function.formerly)
    mark = joined_steps(codec.get_path(before, MARK_WAY), step, memory.to_text() if memory.digest else "", names)
    metadata: dict[str, Any] = {"annotations": {ANNOTATION: mark}}
    namespace = codec.get_path(call.observed[name].resource, ("metadata", "namespace"))
    if namespace and not call.namespace:
        metadata["namespace"] = namespace
    return codec.encode_over({"metadata": metadata}, encoded)


def _paths(values: Iterable[Observable[Any]]) -> str:
    return some([one.source_path for one in values], 5)


def notes_of(call: Call, decision: Decision, error: str) -> list[Note]:
    """Return remarks for people about what other runs of compose() showed.

    There is a remark for each kept resource, for each value that differs each time compose() runs, for resource names
    that are made from missing values, and for an exception. `error` is the text of the exception that ended compose(),
    if the resources that were registered before are sent all the same; else it is empty.
    """
    notes = [
        Note(
            name,
            f"is kept as it is: whether it is still wanted depends on {call.readable(_paths(kept.why))} "
            "(use value_or to decide without it, or ctx.remove to delete the resource)",
        )
        for name, kept in sorted(decision.kept.items())
    ]
    notes += [
        Note("", f"compose() gives {call.readable(one)} another value each time it runs") for one in decision.unstable
    ]
    if decision.named_by:
        named_by = call.readable(_paths(decision.named_by))
        notes.append(Note("", f"a resource waits because its name is made from {named_by}"))
    if error:
        paths = _paths([one for _, one in sorted(call.guesses.items())] or decision.missing)
        notes.append(Note("", f"compose() could not go on without {call.readable(paths)}: {call.readable(error)}"))
    return notes


def births_of(call: Call, decision: Decision) -> list[Born]:
    """Return the resources that are made with a guess, as data of the report."""
    return [
        Born(name, tuple(map(call.readable, birth.fields)), tuple(call.readable(one.source_path) for one in birth.why))
        for name, birth in sorted(decision.births.items())
    ]
