"""Existing resources that stay as they are, because other runs of compose() show that they may still be wanted."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from .. import _wire
from .._call.mark import ANNOTATION, is_step_of, steps_in
from .._observed import readiness
from .._observed.owned import as_owned, with_owned_fields
from .._terminal.excerpts import some
from .._waits.entry import Note
from ..proto import _view

if TYPE_CHECKING:
    from .._call.call import Call
    from .._observed.observable import Observable
    from .._rehearsal.look import Look

__all__ = ["keep", "notes_of"]

_READY: Final = {True: _view.READY_TRUE, False: _view.READY_FALSE}


def keep(call: Call, look: Look, desired: Any, step: str) -> list[str]:
    """Put the resources that `look` keeps into desired state, with the fields that Crossplane applied last.

    `metadata.managedFields` of the observed resource shows these fields. A resource that a previous step desires gets
    them in addition to that step's. Returns the texts of fatal results, one for each resource that can't be kept, or
    whose `on_unresolved` is "fatal". Raises WireError for malformed bytes.
    """
    fatals = []
    paths = _paths(look.sources)
    for name, kept in sorted(look.kept.items()):
        observed = call.observed[name].resource
        if kept.fatal:
            fatals.append(
                f"whether {name} is still wanted depends on {paths}, which has no value yet, and its on_unresolved "
                "is 'fatal'; 'keep' and 'hold' would wait"
            )
            continue
        if name in desired:  # a previous step desires the resource too; fields that this function set in it stay
            desired[name].resource = with_owned_fields(desired[name].resource, observed)
            continue
        encoded = as_owned(observed)
        if encoded is None:
            version = _wire.get_path(observed, ("apiVersion",))
            fatals.append(
                f"{name} exists and would be deleted: whether it is still wanted depends on {paths}, which has no "
                "value yet, and it can't be kept as it is, because its managedFields don't show which of its fields "
                f"were desired in {version}. Register {name} in every call, or call ctx.remove({name!r}) if it may go"
            )
            continue
        target = desired[name]
        target.resource = _marked(call, encoded, observed, step)
        if kept.ready is not None:
            target.ready = _READY[kept.ready]
        elif readiness.is_ready(observed):
            target.ready = _view.READY_TRUE
    return fatals


def _marked(call: Call, encoded: bytes, observed: bytes, step: str) -> bytes:
    """Return the Struct bytes of a kept resource with an annotation that names this step as one that desires it.

    The identity replaces older ones of the same function in the annotation. If the composite has no namespace, the
    resource also gets its observed namespace, because nothing else would set it.
    """
    function = call.function
    names = (function.name, *function.formerly)
    before = steps_in(_wire.get_path(observed, ("metadata", "annotations", ANNOTATION)))
    others = [one for one in before if not any(is_step_of(one, name) for name in names)]
    metadata: dict[str, Any] = {"annotations": {ANNOTATION: ",".join([*others, step])}}
    namespace = _wire.get_path(observed, ("metadata", "namespace"))
    if namespace and not _wire.get_path(call.xr.raw or b"", ("metadata", "namespace")):
        metadata["namespace"] = namespace
    return _wire.encode_over({"metadata": metadata}, encoded)


def _paths(values: Iterable[Observable[Any]]) -> str:
    return some([one.source_path for one in values], 5)


def notes_of(call: Call, look: Look, error: str) -> list[Note]:
    """Return remarks for people about what other runs of compose() showed.

    There is a remark for each kept resource, for each value that differs each time compose() runs, for resource names
    that are made from missing values, and for an exception. `error` is the text of the exception that ended compose(),
    if the resources that were registered before are sent all the same; else it is empty.
    """
    paths = _paths(look.sources)
    notes = [
        Note(
            name,
            f"is kept as it is: whether it is still wanted depends on {call.readable(paths)} "
            "(use value_or to decide without it, or ctx.remove to delete the resource)",
        )
        for name in sorted(look.kept)
    ]
    notes += [
        Note("", f"compose() gives {call.readable(one)} another value each time it runs") for one in look.unstable
    ]
    if look.named_by:
        notes.append(Note("", f"a resource waits because its name is made from {call.readable(_paths(look.named_by))}"))
    if error:
        notes.append(Note("", f"compose() could not go on without {call.readable(paths)}: {call.readable(error)}"))
    return notes
