"""Finds the unset fields that cause text such as `http://None.example.org`, or exceptions in compose().

compose() gets None when it reads a field of the composite's spec that isn't set, and Python may put the None into text.
If the response of a function in this process has `None` in a string, or compose() has raised an exception, compose()
runs again, and the unset fields that it reads are recorded. Then compose() runs once more for each of these fields,
with a value in the field. If the text or the exception changes, the field is a source of it. The responses of these
runs are dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from ..._core.base.excerpts import short_text
from ..._core.models.walker import leaves
from ..._core.paths.text import show
from ...errors import CrossplaneLiteError, DuplicateResourceError
from ...proto import _view
from .functions import InProcess
from .origin import Origin, Steps, origin_text
from .probing import Request, fields_of
from .recording import COMPOSITE, Recorded, record
from .rendered import StepRun

__all__ = ["hints", "none_texts"]

_NONE: Final = "None"
_PROBE: Final = "crossplane-lite-probe"
_MOST_TEXTS: Final = 10
_MOST_PROBES: Final = 20
_INPUT: Final = Origin("input", "", ())


def none_texts(runs: Iterable[StepRun]) -> Iterator[str]:
    """Yield a message for each string in the desired state that contains the `None` of an unset field.

    Only steps in this process are checked, and the first ten strings with `None` that a step adds.

    Args:
        runs: The runs of the steps of a pipeline.
    """
    for run in runs:
        if not isinstance(run.runner, InProcess) or _NONE.encode() not in run.response:
            continue
        given = _texts(run.request, _view.RunFunctionRequest)
        texts = _texts(run.response, _view.RunFunctionResponse)
        found = [place for place, text in texts.items() if _NONE in text and given.get(place) != text]
        recorded = _run(run) if found else None
        for place in found[:_MOST_TEXTS]:
            sources = [
                origin_text(one) for one, changed in _probed(run, recorded) if _PROBE in _text_at(changed, place)
            ]
            if sources:
                are = "which isn't set" if len(sources) == 1 else "of which none is set"
                name, steps = place
                yield (
                    f"{name}: {short_text(show(steps))} is {short_text(texts[place])!r}, made with "
                    f"{', '.join(sources)}, {are}"
                )


def hints(run: StepRun) -> Iterator[str]:
    """Yield a message with the likely source of an exception in compose(), or nothing if no source is found.

    A source is an unset field of the composite, a missing input, a key that the input lacks, or the line that first
    registered a name that is registered twice.

    Args:
        run: The run of the step that raised the exception. Nothing is yielded if its function isn't in this process.
    """
    if not isinstance(run.runner, InProcess):
        return
    recorded = _run(run)
    error = recorded.error
    if isinstance(error, DuplicateResourceError) and recorded.twice:
        yield f"it is registered first at {recorded.twice}"
    if error is None or isinstance(error, CrossplaneLiteError):
        return
    key = error.args[0] if isinstance(error, KeyError) and error.args else None
    if isinstance(key, str):
        for origin, changed in _with_key(run, key):
            if _differ(changed.error, error):
                yield f"the step's input has no {show(origin.steps)}; get({key!r}) reads what may be missing"
                return
        return
    if _NONE not in f"{error.args!r} {error}":
        return
    has_input = _view.RunFunctionRequest.FromString(run.request).HasField("input")
    if not _unset(recorded) and "subscriptable" in str(error) and not has_input:
        yield "the step has no input, so ctx.input is None; give the step an input, or check it before it is used"
        return
    for origin, changed in _probed(run, recorded):
        if _differ(changed.error, error):
            yield (
                f"{origin_text(origin)} isn't set, and reads None; give it a value, a default in the XRD (previews "
                "read it with --xrd, tests with xrd=), or check it before it is used"
            )
            return


def _run(run: StepRun, request: bytes | None = None) -> Recorded:
    """Run a step's compose() once more, with another request if one is given."""
    assert isinstance(run.runner, InProcess)
    return record(run.runner.function, run.request if request is None else request, COMPOSITE)


def _unset(recorded: Recorded | None) -> list[Origin]:
    """Return the fields of the composite that were read and aren't set, the last one first."""
    unset = reversed(recorded.unset if recorded is not None else {})
    return [one for one in unset if one.part == "xr" and one.steps[0] != "status"]


def _probed(run: StepRun, recorded: Recorded | None) -> Iterator[tuple[Origin, Recorded]]:
    """Run compose() once for each unset field, with a text as its value. Yield the field and the record of the run.

    At most the last 20 fields are tried, the last one first.
    """
    source = Request(run.request)
    for origin in _unset(recorded)[:_MOST_PROBES]:
        changed = source.changed(origin, _PROBE)
        if changed is not None:
            yield origin, _run(run, changed)


def _with_key(run: StepRun, key: str) -> Iterator[tuple[Origin, Recorded]]:
    """Run compose() once for each place at which the step's input lacks `key`, with the key added there.

    At most 20 places are tried; the shortest paths come first.
    """
    source = Request(run.request)
    around = {steps[:end]: None for steps, _ in leaves(source.tree(_INPUT)) for end in range(len(steps) + 1)}
    values = {steps: source.value(_INPUT._replace(steps=steps)) for steps in sorted(around, key=len)}
    lacking = [steps for steps, value in values.items() if isinstance(value, dict) and key not in value]
    for steps in lacking[:_MOST_PROBES]:
        origin = _INPUT._replace(steps=(*steps, key))
        changed = source.changed(origin, _PROBE)
        if changed is not None:
            yield origin, _run(run, changed)


def _differ(error: BaseException | None, before: BaseException) -> bool:
    """Return whether `error` differs in type or message from the exception `before`. None always differs."""
    return error is None or (type(error), str(error)) != (type(before), str(before))


def _text_at(recorded: Recorded, place: tuple[str, Steps]) -> str:
    return _texts(recorded.answer, _view.RunFunctionResponse).get(place, "")


def _texts(data: bytes, message: Any) -> dict[tuple[str, Steps], str]:
    """Return the strings in the desired state, by the resource's name and the path.

    The name of the composite, of which only the status is searched, is `xr`. `data` is a request or a response, whose
    class is `message`; empty bytes have no desired state.
    """
    desired = message.FromString(data).desired
    tops = [(name, desired.resources[name].resource, ()) for name in sorted(desired.resources)]
    return {
        (name, steps): value
        for name, raw, start in (*tops, ("xr", desired.composite.resource, ("status",)))
        for steps, value in fields_of(raw).items()
        if isinstance(value, str) and steps[: len(start)] == start
    }
