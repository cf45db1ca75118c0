"""Names likely mistakes in the code of functions.

Unset fields lead to text such as `http://None.example.org`, and to exceptions in compose():
compose() gets None when it reads a field of the composite's spec that isn't set, and Python may put
the None into text. Its run in the preview has shown which unset fields it reads (see `observing`).
One more run, in which each of them has a text of its own, shows which fields a text is made with.
For an exception, runs with a value in one of the fields that were read last show whether it goes
away.
"""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from ..._core.base.texts import short_text
from ..._core.dependencies.graph import components
from ..._core.models.node import ModelShape
from ..._core.models.types import LIST, MANAGED, MAP, MODEL
from ..._core.models.walker import leaves
from ..._core.paths import field_path
from ..._core.paths.schema import Schema
from ..._core.paths.text import show
from ..._core.paths.trees import lookup
from ..._core.resources.resource import Resource
from ...errors import CrossplaneLiteError, DuplicateResourceError, UnknownFieldError, UsageError
from ...proto import _view
from ..manifests.objects import metadata_of
from .functions import InProcess
from .observing import COMPOSITE, Origin, Seen, Steps, origin_text
from .probing import Request, fields_of
from .recording import Waits, record, silent_run
from .rendered import StepRun
from .told import missing_field

if TYPE_CHECKING:
    from ...composition import Function
    from ..manifests.kind_schemas import Schemas
    from .cluster import World

_NONE: Final = "None"
_PROBE: Final = "crossplane-lite-probe"
_MOST_TEXTS: Final = 10
_MOST_PROBES: Final = 20
_MOST_CAUSES: Final = 3
_SHORTEST_SECRET: Final = 6
_WRONG_FIELD: Final = re.compile(r"(\S+?)(?:: |, | was set)")
_INPUT: Final = Origin("input", "", ())


def none_texts(runs: Iterable[StepRun]) -> Iterator[str]:
    """Yield a message for each string in the desired state that contains the `None` of an unset
    field.

    Only steps in this process are checked, and the first ten strings with `None` that a step adds.

    Args:
        runs: The runs of the steps of a pipeline.
    """
    for run in runs:
        if (
            not isinstance(run.runner, InProcess)
            or run.seen is None
            or _NONE.encode() not in run.response
        ):
            continue
        given = _texts(run.request, _view.RunFunctionRequest)
        texts = _texts(run.response, _view.RunFunctionResponse)
        found = [
            place for place, text in texts.items() if _NONE in text and given.get(place) != text
        ]
        if not found or not run.seen.unset:
            continue
        probes = {
            f"{_PROBE}-{number}-": origin for number, origin in enumerate(reversed(run.seen.unset))
        }
        request = run.request
        for probe, origin in probes.items():
            request = Request(request).changed(origin, probe) or request
        changed = _texts(
            silent_run(run.runner.function, request, Seen())[0], _view.RunFunctionResponse
        )
        for place in found[:_MOST_TEXTS]:
            sources = [
                origin_text(one) for probe, one in probes.items() if probe in changed.get(place, "")
            ]
            if sources:
                are = "which isn't set" if len(sources) == 1 else "of which none is set"
                name, steps = place
                yield (
                    f"{name}: {short_text(show(steps))} is {short_text(texts[place])!r}, made with "
                    f"{', '.join(sources)}, {are}"
                )


def unknown_reads(runs: Iterable[StepRun], schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield a message for each field of the composite's spec that compose() reads and that its
    schema lacks.

    Args:
        runs: The runs of the steps of a pipeline.
        schema: The schema of the composite's kind.
    """
    for origin, place in (
        one for run in runs if run.seen is not None for one in run.seen.unset.items()
    ):
        problem = (
            missing_field(schema, origin.steps, "its schema") if origin.steps[0] == "spec" else ""
        )
        if problem:
            yield f"{place}: {origin_text(origin)} is read and never set: {problem}"


def shown_secrets(runs: Iterable[StepRun]) -> Iterator[str]:
    """Yield a message for each string outside of a Secret that a step sets to one of its
    credentials.

    Args:
        runs: The runs of the steps of a pipeline.
    """
    for run in runs:
        request = _view.RunFunctionRequest.FromString(run.request)
        secrets = {
            value.decode(errors="replace"): f"credentials.{name}.{key}"
            for name, found in request.credentials.items()
            for key, value in found.credential_data.data.items()
            if len(value) >= _SHORTEST_SECRET
        }
        if not secrets:
            continue
        given = _texts(run.request, _view.RunFunctionRequest)
        texts = _texts(run.response, _view.RunFunctionResponse)
        for (name, steps), text in texts.items():
            is_secret = texts.get((name, ("kind",))) in ("Secret", "Object")
            if text in secrets and not is_secret and given.get((name, steps)) != text:
                yield (
                    f"{name}: {short_text(show(steps))} is {secrets[text]}, a secret that whoever"
                    " may read this object sees there; put it into a Secret"
                )


def misplaced(
    runs: Iterable[StepRun], composed: Mapping[str, Mapping[str, Any]], cluster: World
) -> Iterator[str]:
    """Yield a message for each field of a managed resource that stands in the wrong place, if no
    schema can tell it.

    Args:
        runs: The runs of the steps of a pipeline.
        composed: The composed resources, by name.
        cluster: Knows the schemas of kinds.
    """
    for seen in (run.seen for run in runs if run.seen is not None):
        for name, place in seen.places.items():
            held = seen.held.get(name)
            resource = composed.get(name, {}) if held is None else held.data
            problems = [*_misplaced(name, resource)]
            if problems and cluster.schema(resource["apiVersion"], resource["kind"]) is None:
                yield from (f"{place}: {problem}" for problem in problems)


def _misplaced(name: str, resource: Mapping[str, Any]) -> Iterator[str]:
    too_high = sorted(MANAGED & resource.keys())
    if too_high:
        yield f"{name} has {', '.join(too_high)} at its top; managed resources have it below spec"
    namespace = lookup(resource, ("spec", "writeConnectionSecretToRef", "namespace"))
    if namespace is not None and metadata_of(resource).get("namespace"):
        yield (
            f"{name}.spec.writeConnectionSecretToRef.namespace is set, and the Secret of a resource"
            " in a namespace is in the same one: leave it out"
        )


def hints(run: StepRun, schemas: Schemas | None = None) -> Iterator[str]:
    """Yield a message with the likely source of a fatal result of compose(), or nothing if no
    source is found.

    A source of an exception is an unset field of the composite, a missing input, a key that the
    input lacks, or the line that first registered a name that is registered twice, or models that
    are older than the definitions. Else it is the line that has set a wrong field, or each line
    that has set a field that waits in a cycle.

    Args:
        run: The run of the step that failed. Nothing is yielded if its function isn't in this
            process.
        schemas: The schemas of kinds; None for none.
    """
    if run.seen is None or not isinstance(run.runner, InProcess):
        return
    error = run.seen.raised
    if error is None:
        yield from _set_at(run.runner.function, run, run.seen.places)
        if run.seen.held:
            yield from _in_cycles(run.runner.function, run, run.seen.held)
        return
    if isinstance(error, DuplicateResourceError) and run.seen.twice:
        yield f"it is registered first at {run.seen.twice}"
    if isinstance(error, UnknownFieldError) and error.lacking is not None and schemas is not None:
        yield from _older_models(*error.lacking, schemas)
    if isinstance(error, CrossplaneLiteError):
        return
    key = error.args[0] if isinstance(error, KeyError) and error.args else None
    if isinstance(key, str) and repr(key) in run.seen.error:  # else it is made from a missing value
        for origin in _lacking(run, key):
            if _helps(run, origin, error):
                yield (
                    f"the step's input has no {show(origin.steps)}; get({key!r}) reads what may be"
                    " missing"
                )
                return
        return
    if _NONE not in f"{error.args!r} {error}":
        return
    has_input = _view.RunFunctionRequest.FromString(run.request).HasField("input")
    if not run.seen.unset and "subscriptable" in str(error) and not has_input:
        yield (
            "the step has no input, so ctx.input is None; give the step an input, or check it"
            " before it is used"
        )
        return
    for origin in list(run.seen.unset)[: -_MOST_CAUSES - 1 : -1]:
        if _helps(run, origin, error):
            yield (
                f"{origin_text(origin)} isn't set, and reads None; give it a value, a default in"
                " the XRD (previews read it with --xrd, tests with xrd=), or check it before it is"
                " used"
            )
            return


def _older_models(cls: type[ModelShape], name: str, schemas: Schemas) -> Iterator[str]:
    """Yield where the definition of a kind has a field that a class of the kind's module lacks."""
    module = sys.modules.get(cls.__module__)
    for kind in (getattr(module, one) for one in dir(module)):
        if not (isinstance(kind, type) and issubclass(kind, Resource) and kind._fixed):
            continue
        schema = schemas.find(kind.apiVersion, kind.kind)
        places = () if schema is None else (Schema(schema).at(steps) for steps in _ways(kind, cls))
        if any(name in place.properties for place in places if place is not None):
            where = schemas.where(kind.apiVersion, kind.kind)
            yield f"{where} has {name!r}, and the models are older: run crossplane-lite generate"
            return


def _ways(top: type[ModelShape], cls: type[ModelShape]) -> Iterator[Steps]:
    """Yield the paths of the fields of a kind that are instances of a class."""
    work: list[tuple[Steps, type[ModelShape]]] = [((), top)]
    known = set()
    while work:
        steps, holder = work.pop()
        if holder is cls:
            yield steps
        if holder in known:  # such as JSONSchemaProps, which contain themselves
            continue
        known.add(holder)
        for field in holder.__wire_fields__.values():
            type_, way = field.type, (*steps, field.wire)
            while type_.code in (LIST, MAP):
                type_, way = type_.item, (*way, 0 if type_.code == LIST else "")
            if type_.code == MODEL:
                work.append((way, type_.cls))


def _set_at(function: Function, run: StepRun, names: Iterable[str]) -> Iterator[str]:
    """Yield the line that has set the field at the beginning of each fatal result, such as
    `xr.spec.x was set, ...`.

    `names` are those of the registered resources.
    """
    results = _view.RunFunctionResponse.FromString(run.response).results
    fatal = [one.message for one in results if one.severity == _view.SEVERITY_FATAL]
    paths = [found[1] for found in map(_WRONG_FIELD.match, fatal) if found is not None]
    owners = {"xr": COMPOSITE, **{name: name for name in names}}
    if not paths:
        return
    recorded = record(function, run.request, [*owners.values()])
    for path in paths:
        for name, owner in owners.items():
            place = ""
            if path.startswith(f"{name}."):
                # the text doesn't begin with a path
                with contextlib.suppress(UsageError, ValueError):
                    place = recorded.place_of(
                        owner, tuple(field_path.parse(path.removeprefix(f"{name}.")))
                    )
            if place:
                yield f"{path} is set at {place}"
        for empty, place in recorded.nothing.items():
            if f"{empty}.".startswith(f"{path}."):
                yield (
                    f"{empty} is set to None at {place}, which sets nothing; if a function makes"
                    " the value there, look whether it returns it"
                )


def _in_cycles(function: Function, run: StepRun, names: Iterable[str]) -> Iterator[str]:
    """Yield each field that waits for a resource that waits for the field's own, with the line that
    has set it.

    `names` are those of the resources that are held back. A field of the composite waits by itself.
    """
    waits = []
    for name, one in record(function, run.request, [*names, COMPOSITE]).resources.items():
        for steps, value in one.values.items():
            field = f"{name or 'xr'}.{show(steps)}"
            for path in value.paths if isinstance(value, Waits) else ():
                owner = path if path.startswith("xr.") else path.partition(".")[0]
                waits.append((name or field, owner, field, path, one.places.get(steps, "")))
    group = components((dependent, owner) for dependent, owner, *_ in waits)
    for dependent, owner, field, path, place in waits:
        if dependent != owner and group[dependent] == group[owner]:
            yield f"{field} waits for {path}{place and f' ({place})'}"


def _lacking(run: StepRun, key: str) -> Iterator[Origin]:
    """Yield each place at which the step's input lacks `key`; at most 20, the shortest paths
    first.
    """
    source = Request(run.request)
    around = {
        steps[:end]: None
        for steps, _ in leaves(source.tree(_INPUT))
        for end in range(len(steps) + 1)
    }
    values = {
        steps: source.value(_INPUT._replace(steps=steps)) for steps in sorted(around, key=len)
    }
    lacking = [
        steps for steps, value in values.items() if isinstance(value, dict) and key not in value
    ]
    yield from (_INPUT._replace(steps=(*steps, key)) for steps in lacking[:_MOST_PROBES])


def _helps(run: StepRun, origin: Origin, before: BaseException) -> bool:
    """Run compose() with a text at `origin`, and return whether the exception `before` goes away or
    is another one.
    """
    assert isinstance(run.runner, InProcess)
    request = Request(run.request).changed(origin, _PROBE)
    if request is None:
        return False
    error = silent_run(run.runner.function, request, Seen())[1].raised
    return error is None or (type(error), str(error)) != (type(before), str(before))


def _texts(data: bytes, message: Any) -> dict[tuple[str, Steps], str]:
    """Return the strings in the desired state, by the resource's name and the path.

    The name of the composite, of which only the status is searched, is `xr`. `data` is a request or
    a response, whose class is `message`; empty bytes have no desired state.
    """
    desired = message.FromString(data).desired
    tops = [(name, desired.resources[name].resource, ()) for name in sorted(desired.resources)]
    return {
        (name, steps): value
        for name, raw, start in (*tops, ("xr", desired.composite.resource, ("status",)))
        for steps, value in fields_of(raw).items()
        if isinstance(value, str) and steps[: len(start)] == start
    }
