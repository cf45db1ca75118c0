"""Finding the unset fields behind text such as `http://None.example.org`, and behind exceptions in compose().

A field of the composite's spec that isn't set reads as None, and Python goes on with the None. If the answer of a
function in this process has `None` in a text, or compose() has raised, compose() runs again, and each unset field that
it reads is noted. Then compose() runs once more for each noted field, with a value in the field. If the text or the
exception changes, the field is a source of it. Only compose()'s own code can make these runs have effects.
"""

from __future__ import annotations

import contextlib
import copy
import logging
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

if TYPE_CHECKING:
    from ..composition import Function

__all__ = ["hints", "none_texts"]

_NONE: Final = "None"
_PROBE: Final = "crossplane-lite-probe"
_MOST_TEXTS: Final = 10
_MOST_PROBES: Final = 20

_lock: Final = threading.Lock()


class _Reads(NamedTuple):
    """The notes on a run of compose(): its reads of unset fields, and its end.

    Attributes:
        unset: The paths of the unset fields that were read, ordered by the last read of each.
        error: The exception of compose(); None if it raised none.
        answer: The bytes of the answer; empty if there is none.
        twice: The line that first registered a name that was registered twice, for the last such name; None if no name
            was.
    """

    unset: list[str]
    error: BaseException | None
    answer: bytes
    twice: str | None


def none_texts(runs: Iterable[StepRun]) -> Iterator[str]:
    """Yield a message for each desired string that holds the `None` of an unset field, at most ten for each step.

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
    """Yield a message with the likely source of an exception in compose(), if one is found.

    A source is an unset field of the composite, a key that the step's input lacks, or a line that has registered the
    same name before.

    Args:
        run: The run of the step in which the exception was raised. A function outside of this process gives no message.
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
    """Return the paths of the composite's unset fields whose `None` is in a text of the answer.

    Args:
        function: The function.
        request: The bytes of the request.
        place: The resource and the path of the text in the answer.
    """
    candidates = _run(function, request).unset

    def shows(made: _Reads) -> bool:
        found = {one[:2]: one[2] for one in _texts(made.answer, _view.RunFunctionResponse, every=True)}
        return _PROBE in found.get(place, "")

    return list(_probed(function, request, candidates, shows))


def _probed(function: Function, request: bytes, paths: list[str], is_source: Any) -> Iterator[str]:
    """Yield the fields whose run with a value in the field is accepted by `is_source`, the field read last first."""
    for path in list(reversed(paths))[:_MOST_PROBES]:
        changed = _with_value(request, path)
        if changed is not None and is_source(_run(function, changed)):
            yield path


def _differ(error: BaseException | None, before: BaseException) -> bool:
    """Say whether an exception differs in type or message from the one before. No exception differs, too."""
    return error is None or (type(error), str(error)) != (type(before), str(before))


def _with_value(request: bytes, path: str) -> bytes | None:
    """Return the request with a value in a field of the composite; None where no value can be put there."""
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
    """Yield the paths at which the step's input lacks a key, each with a request in which the key has a value.

    At most 20 are yielded, the outermost first.
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
    """Run compose() once more, without log lines, and note its reads of unset fields."""
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

    with _lock, _silence(function):
        reader.absent = absent
        Context.resource = resource  # type: ignore[method-assign]
        try:
            answer = watched.run(request)
        except Exception:  # a malformed request, of which the first run has told
            answer = b""
        finally:
            reader.absent = real_absent
            Context.resource = real_resource  # type: ignore[method-assign]
    return _Reads(list(unset), errors[0] if errors else None, answer, twice[-1] if twice else None)


@contextlib.contextmanager
def _silence(function: Function) -> Iterator[None]:
    logger = logging.getLogger(f"crossplane_lite.function.{function.name}")

    def never(_record: logging.LogRecord) -> bool:
        return False

    logger.addFilter(never)
    try:
        yield
    finally:
        logger.removeFilter(never)


def _texts(data: bytes, message: Any, *, every: bool = False) -> Iterator[tuple[str, tuple[Any, ...], str]]:
    """Yield resource, path and text of each desired string that has `None` in it; with `every`, of all strings.

    The composite's status stands under the name `xr`. Empty `data` yields nothing.
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
