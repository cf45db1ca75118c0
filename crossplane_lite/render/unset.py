"""Finds the unset fields that cause text such as `http://None.example.org`, or exceptions in compose().

compose() gets None when it reads a field of the composite's spec that isn't set, and Python may put the None into text.
If the response of a function in this process has `None` in a string, or compose() has raised an exception, compose()
runs again, and the unset fields that it reads are recorded. Then compose() runs once more for each of these fields,
with a value in the field. If the text or the exception changes, the field is a source of it. The responses of these
runs are dropped.
"""

from __future__ import annotations

import copy
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from .. import _wire
from .._models import reader
from .._models.node import FACT
from .._paths import field_path
from .._paths.text import show
from .._terminal.excerpts import short_text
from ..context import Context
from ..errors import CrossplaneLiteError, DuplicateResourceError
from ..proto import _view
from .functions import InProcess
from .rendered import StepRun
from .silence import silent

if TYPE_CHECKING:
    from ..composition import Function

__all__ = ["hints", "none_texts"]

_NONE: Final = "None"
_PROBE: Final = "crossplane-lite-probe"
_MOST_TEXTS: Final = 10
_MOST_PROBES: Final = 20

_lock: Final = threading.Lock()


class _Reads(NamedTuple):
    """The record of a run of compose(): the unset fields that it read, and how it ended.

    Attributes:
        unset: The paths of the unset fields that were read, ordered by the last read of each.
        error: The exception that compose() raised; None if it raised none.
        answer: The bytes of the response; empty if there is none.
        twice: If a composition resource name was registered twice, the line of its first registration, such as
            `function.py:31`; else None. If there are several such names, the last one counts.
    """

    unset: list[str]
    error: BaseException | None
    answer: bytes
    twice: str | None


def none_texts(runs: Iterable[StepRun]) -> Iterator[str]:
    """Yield a message for each string in the desired state that contains the `None` of an unset field.

    Only steps in this process are checked, and the first ten strings with `None` that a step adds.

    Args:
        runs: The runs of the steps of a pipeline.
    """
    for run in runs:
        if not isinstance(run.runner, InProcess) or _NONE.encode() not in run.response:
            continue
        given = set(_texts(run.request, _view.RunFunctionRequest))
        found = [one for one in _texts(run.response, _view.RunFunctionResponse) if one not in given]
        for place, steps, text in found[:_MOST_TEXTS]:
            sources = _sources(run.runner.function, run.request, (place, steps))
            if sources:
                are = "which isn't set" if len(sources) == 1 else "of which none is set"
                yield (
                    f"{place}: {short_text(show(steps))} is {short_text(text)!r}, made with {', '.join(sources)}, {are}"
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
    reads = _run(run.runner.function, run.request)
    error = reads.error
    if isinstance(error, DuplicateResourceError) and reads.twice is not None:
        yield f"it is registered first at {reads.twice}"
    if error is None or isinstance(error, CrossplaneLiteError):
        return
    key = error.args[0] if isinstance(error, KeyError) and error.args else None
    if isinstance(key, str):
        for steps, changed in _with_key(run.request, key):
            if _differ(_run(run.runner.function, changed).error, error):
                yield f"the step's input has no {show(steps)}; get({key!r}) reads what may be missing"
                return
        return
    if "None" not in f"{error.args!r} {error}":
        return
    if not reads.unset and "subscriptable" in str(error) and not _has_input(run.request):
        yield "the step has no input, so ctx.input is None; give the step an input, or check it before it is used"
        return
    for path in _probed(run.runner.function, run.request, reads.unset, lambda made: _differ(made.error, error)):
        yield (
            f"{path} isn't set, and reads None; give it a value, a default in the XRD (previews read it with --xrd, "
            "tests with xrd=), or check it before it is used"
        )
        return


def _sources(function: Function, request: bytes, place: tuple[str, tuple[Any, ...]]) -> list[str]:
    """Return the paths of the composite's unset fields whose `None` is in a string of the response.

    Args:
        function: The function.
        request: The bytes of the request.
        place: The name of the desired resource, and the path of the string in it.
    """
    candidates = _run(function, request).unset

    def shows(made: _Reads) -> bool:
        found = {one[:2]: one[2] for one in _texts(made.answer, _view.RunFunctionResponse, every=True)}
        return _PROBE in found.get(place, "")

    return list(_probed(function, request, candidates, shows))


def _probed(function: Function, request: bytes, paths: list[str], is_source: Any) -> Iterator[str]:
    """Run compose() once for each field, with a text as the field's value, and yield the fields that are sources.

    Args:
        function: The function.
        request: The bytes of the request.
        paths: The fields. At most the last 20 are tried, the last one first.
        is_source: A function of the run's `_Reads` that returns whether the field is a source.
    """
    for path in list(reversed(paths))[:_MOST_PROBES]:
        changed = _with_value(request, path)
        if changed is not None and is_source(_run(function, changed)):
            yield path


def _differ(error: BaseException | None, before: BaseException) -> bool:
    """Return whether `error` differs in type or message from the exception `before`. None always differs."""
    return error is None or (type(error), str(error)) != (type(before), str(before))


def _with_value(request: bytes, path: str) -> bytes | None:
    """Return the request with a text in a field of the composite; None if the field can't be set.

    Missing objects around the field are added.
    """
    message = _view.RunFunctionRequest.FromString(request)
    composite = _wire.decode_struct(message.observed.composite.resource)
    holder: Any = composite
    *way, last = field_path.parse(path)[1:]
    for step in way:
        if isinstance(step, str) and isinstance(holder, dict):
            holder = holder.setdefault(step, {})
        elif isinstance(step, int) and isinstance(holder, list) and step < len(holder):
            holder = holder[step]
        else:
            return None
    if not isinstance(holder, dict) or not isinstance(last, str):
        return None
    holder[last] = _PROBE
    message.observed.composite.resource = _wire.encode_struct(composite)
    changed: bytes = message.SerializeToString()
    return changed


def _has_input(request: bytes) -> bool:
    return bool(_view.RunFunctionRequest.FromString(request).HasField("input"))


def _with_key(request: bytes, key: str) -> Iterator[tuple[list[Any], bytes]]:
    """Yield each path at which `key` could be added to the step's input, with a request in which it has been added.

    At most 20 are yielded; the shortest paths come first.
    """
    message = _view.RunFunctionRequest.FromString(request)
    if not message.HasField("input"):
        return
    given = _wire.decode_struct(message.input)
    work: list[tuple[list[Any], Any]] = [([], given)]
    number = 0
    while work and number < _MOST_PROBES:
        path, value = work.pop(0)
        if isinstance(value, dict):
            if key not in value:
                number += 1
                value[key] = _PROBE
                message.input = _wire.encode_struct(given)
                yield [*path, key], message.SerializeToString()
                del value[key]
            work += [([*path, name], inner) for name, inner in value.items()]
        elif isinstance(value, list):
            work += [([*path, at], inner) for at, inner in enumerate(value)]


def _run(function: Function, request: bytes) -> _Reads:
    """Run compose() once more, without its log lines and prints, and record the unset fields that it reads."""
    unset: dict[str, None] = {}
    errors: list[BaseException] = []
    watched = copy.copy(function)

    def call_compose(ctx: Any) -> None:
        try:
            function.call_compose(ctx)
        except BaseException as error:
            errors.append(error)
            raise

    vars(watched)["call_compose"] = call_compose
    real_absent, real_resource = reader.absent, Context.resource
    lines: dict[Any, str] = {}
    twice: list[str] = []

    def resource(self: Context, name: Any, *args: Any, **more: Any) -> Any:
        frame = sys._getframe(1)
        place = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
        if isinstance(name, str) and lines.setdefault(name, place) != place:
            twice.append(lines[name])
        return real_resource(self, name, *args, **more)

    def absent(type_: Any, state: int, up: Any, step: str) -> Any:
        made = real_absent(type_, state, up, step)
        if made is None and state == FACT:
            path = up.path + step
            unset.pop(path, None)
            unset[path] = None
        return made

    with _lock, silent(function):
        reader.absent = absent
        Context.resource = resource  # type: ignore[method-assign]
        try:
            answer = watched.run(request)
        except Exception:  # the request is malformed, and the first run has reported that
            answer = b""
        finally:
            reader.absent = real_absent
            Context.resource = real_resource  # type: ignore[method-assign]
    return _Reads(list(unset), errors[0] if errors else None, answer, twice[-1] if twice else None)


def _texts(data: bytes, message: Any, *, every: bool = False) -> Iterator[tuple[str, tuple[Any, ...], str]]:
    """Yield the resource's name, the path and the text of each string in the desired state that contains `None`.

    The name of the composite, of which only the status is searched, is `xr`.

    Args:
        data: The bytes of a request or response; empty bytes have no desired state.
        message: The class of the message.
        every: Whether to yield all strings.
    """
    desired = message.FromString(data).desired if data else _view.State()
    resources: list[tuple[str, Mapping[str, Any]]] = [
        (name, _wire.decode_struct(desired.resources[name].resource)) for name in sorted(desired.resources)
    ]
    status = _wire.decode_struct(desired.composite.resource).get("status")
    if isinstance(status, Mapping):
        resources.append(("xr", {"status": status}))
    for name, resource in resources:
        work: list[tuple[tuple[Any, ...], Any]] = [((), resource)]
        while work:
            steps, value = work.pop()
            if isinstance(value, Mapping):
                work += [((*steps, key), inner) for key, inner in value.items()]
            elif isinstance(value, list):
                work += [((*steps, at), inner) for at, inner in enumerate(value)]
            elif isinstance(value, str) and (every or _NONE in value):
                yield name, steps, value
