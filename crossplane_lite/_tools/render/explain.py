"""Explains where each field of a resource comes from: the line that set the field, and the values
that it is made from.

    explain(rendered.steps, ["subnet"], timeout=60.0)

Lines are known only for functions of this package that run in this process: their compose() runs
once more and is watched (see `recording`). The values that a field is made from are found for all
functions: each function is called many times, each time with one value of its request changed (see
`probing`). So compose() must have no effects outside of its context, as everywhere.

A resource is held back if this package leaves it out of a function's answer, because values that
the resource needs are missing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ..._core.base.texts import escaped, line, near_name, short_text, shortened
from ..._core.call.mark import ANNOTATION, steps_in
from ..._core.dependencies.entry import Need
from ..._core.observed.secrets import masker_for
from ..._core.paths.text import quoted, show
from ...errors import InputError
from ...proto import _view
from ..manifests.objects import some_names, text_of
from .functions import InProcess
from .observing import COMPOSITE, Origin, Seen, Steps, origin_text
from .output import aligned
from .probing import Answer, Fields, Found, Made, Probed, fields_of, origins, probed
from .recording import Recorded, Registered, Waits, record, silent_run, values_of
from .rendered import RenderError, StepRun
from .told import told

if TYPE_CHECKING:
    from ...composition import Function
    from .pipeline import Runner

_MARK: Final = ("metadata", "annotations", ANNOTATION)
_MOST_UNSURE: Final = 3
_COMPOSITE: Final = "xr"  # the beginning of the paths of the composite's fields


class Field(NamedTuple):
    """The origin of one field of a resource.

    Attributes:
        path: The path of the field in the resource, such as `spec.forProvider.region`.
        value: The value, with secrets masked; None for null, and for a value that is missing.
        waits: The paths of the missing values that the field needs.
        place: The line that set the field, such as `function.py:31`; empty if the line isn't known.
        step: The name of the step that set the field.
        sources: The paths of the request's values that the field is made from, such as
            `xr.spec.region`.
        note: A remark, such as `a constant`; empty for no remark.
    """

    path: str
    value: Any
    waits: tuple[str, ...]
    place: str
    step: str
    sources: tuple[str, ...]
    note: str


class Wait(NamedTuple):
    """A missing value that a resource needs.

    Attributes:
        path: The path of the value, such as `vpc.status.atProvider.vpcId`.
        why: The reason why the value is missing.
        of: The name of the resource that the value belongs to, or the path of the composite's
            field; empty if not known.
        waits: The missing values that this owner needs itself. Each owner's values are listed only
            once.
    """

    path: str
    why: str
    of: str
    waits: tuple[Wait, ...]


class Explained(NamedTuple):
    """The origin of a composed resource and its fields, or of the composite's status.

    Attributes:
        name: The composition resource name; `xr` for the composite's status.
        kind: The kind and the apiVersion, such as `VPC of ec2.aws.upbound.io/v1beta1`; empty for
            the composite, and if not known.
        held: Whether the resource is held back, because values that it needs are missing.
        step: The name of the last step that changed the resource, or that holds it back; empty if
            no step sets the composite's status.
        place: The line that registered the resource, such as `function.py:31`; empty if the line
            isn't known.
        fields: The resource's fields, sorted by path.
        decides: The paths of the request's values that decide whether the resource is composed.
        waits: The missing values that the resource needs.
        notes: Remarks for the user on what could not be found out.
    """

    name: str
    kind: str
    held: bool
    step: str
    place: str
    fields: list[Field]
    decides: list[str]
    waits: list[Wait]
    notes: list[str]


class _Said(NamedTuple):
    """The facts about one step: its run, the lines that set and read values, and what fields are
    made from.

    Attributes:
        run: The step's run in the reconcile.
        recorded: The lines, from another run of compose(); None if the step's runner isn't
            `InProcess`.
        probed: The values that the fields are made from.
    """

    run: StepRun
    recorded: Recorded | None
    probed: Probed

    def resource(self, target: str) -> Registered | None:
        """Return a resource as the step's function registers it; None if it doesn't, or isn't in
        this process.
        """
        return None if self.recorded is None else self.recorded.resources.get(target)


def explain(
    steps: Sequence[StepRun],
    names: Iterable[str],
    *,
    timeout: float = 60.0,
    schema: Mapping[str, Any] | None = None,
) -> list[Explained]:
    """Return where the fields of composed resources, or of the composite's status, come from.

    For this, the functions are called many times.

    Args:
        steps: The runs of the steps in a reconcile.
        names: The composition resource names. `xr` means the composite's status, unless a composed
            resource has this name.
        timeout: The time limit in seconds of each call of a function that runs outside of this
            process. Calls in this process have no limit.
        schema: The schema of the composite's kind, so that its values are changed to others that it
            lists. None if it isn't known.

    Raises:
        InputError: No step composes or holds back a resource of one of the names.
    """
    waiting = _Waiting(steps)
    desired = (
        _view.RunFunctionResponse.FromString(steps[-1].response).desired if steps else _view.State()
    )
    targets = {name: _target(name, desired.resources, waiting.holders) for name in names}
    held = {
        one for one in targets.values() if one in waiting.holders and one not in desired.resources
    }
    shares: dict[str, _Shares] = {}
    wanted: dict[int, list[str]] = {}
    for target in targets.values():
        if target in held:
            shares[target] = [(waiting.holders[target], None)]
        else:
            shares[target] = list(_shares(steps, target, also=waiting.unset))
    for target, each in shares.items():
        for number, _ in each:
            wanted.setdefault(number, []).append(target)
    said = {
        number: _said(steps[number], found, timeout, schema) for number, found in wanted.items()
    }
    return [
        _explained(name, target, shares[target], said, waiting, held=target in held)
        for name, target in targets.items()
    ]


_Shares = list[tuple[int, "set[Steps] | None"]]


class _Waiting:
    """The missing values that the steps report.

    Attributes:
        needs: The needs of each resource and field that waits, by its name.
        holders: The number of the step that holds back a resource, by the resource's name.
        unset: Fields of the composite that wait, with the paths that they wait for, by the number
            of the step that sets them.
    """

    def __init__(self, steps: Sequence[StepRun]) -> None:
        self.needs: dict[str, list[Need]] = {}
        self.holders: dict[str, int] = {}
        self.unset: dict[int, dict[str, list[str]]] = {}
        start = f"{_COMPOSITE}."
        for number, says in enumerate(told(steps)):
            for need in says.needs:
                self.needs.setdefault(need.name, []).append(need)
                if not need.by_resource and need.name.startswith(start):
                    fields = self.unset.setdefault(number, {})
                    fields.setdefault(need.name.removeprefix(start), []).append(need.path)
            self.holders.update(dict.fromkeys(says.held, number))

    def of(self, name: str, target: str) -> list[Wait]:
        """Return the values that a resource waits for, or all fields of the composite."""
        waits = [name]
        if not target:
            waits = [f"{_COMPOSITE}.{path}" for each in self.unset.values() for path in each]
        return _waits(waits, self.needs)


def _explained(
    name: str,
    target: str,
    shares: _Shares,
    said: Mapping[int, _Said],
    waiting: _Waiting,
    *,
    held: bool,
) -> Explained:
    """Return what the steps that have a share in a resource say of it."""
    fields: list[Field] = []
    those: list[_Said] = []
    for number, own in shares:
        one = said[number]
        found = [*_fields(one, target, own, held=held)]
        if not target:
            found += _unset_fields(one, waiting.unset.get(number, {}))
        if found or own is None:
            those.append(one)
            fields += found
    registered = ""
    for one in those:
        resource = one.resource(target)
        if resource is not None:
            registered = resource.registered
    values = {one.path: one.value for one in fields}
    kind = ""
    if values.get("kind") is not None and target:
        kind = f"{text_of(values['kind'])} of {text_of(values.get('apiVersion'))}"
    decides = dict.fromkeys(
        _text(one) for each in those for one in each.probed.made[target].decides
    )
    return Explained(
        name,
        kind,
        held,
        those[-1].run.step.name if those else "",
        registered,
        sorted(fields, key=lambda one: one.path),
        list(decides),
        waiting.of(name, target),
        [note for one in those for note in _notes(one)],
    )


def _target(name: str, desired: Collection[str], holders: Iterable[str]) -> str:
    """Return the name of a composed resource, or `COMPOSITE`.

    Raises:
        InputError: No step composes or holds back a resource of this name, and it isn't that of the
            composite.
    """
    if name in desired or name in holders:
        return name
    if name == _COMPOSITE:
        return COMPOSITE
    names = sorted({*desired, *holders})
    if not name:
        example = f", such as {short_text(names[0])}, or" if names else " or"
        raise InputError(f"--explain needs the NAME of a composed resource{example} {_COMPOSITE}")
    raise InputError(
        f"--explain {short_text(name)}: no function composes or holds back a resource of this name"
        f"{near_name(name, names)} (there are: {some_names(names) or 'none'}; "
        f"--explain {_COMPOSITE} explains the composite's status)"
    )


def _shares(
    steps: Sequence[StepRun], target: str, *, also: Container[int]
) -> Iterable[tuple[int, set[Steps] | None]]:
    """Yield the number of each step that set fields of a resource, and the paths of these fields.

    If several steps set a field, the last step that changed its value counts. For the composite
    (`target` is empty), a step is also yielded, with no paths, if it may have set fields to values
    that are missing. These are the steps in `also`, whose answers say so, and the steps that run in
    this process.
    """
    owner: dict[Steps, int] = {}
    for number, run in enumerate(steps):
        before = _desired(_view.RunFunctionRequest.FromString(run.request).desired, target) or {}
        after = _desired(_view.RunFunctionResponse.FromString(run.response).desired, target) or {}
        owner = {
            at: owner.get(at, number) if at in before and before[at] == value else number
            for at, value in after.items()
        }
    for number in range(len(steps)):
        is_asked = not target and (number in also or isinstance(steps[number].runner, InProcess))
        if number in owner.values() or is_asked:
            yield number, {at for at, of in owner.items() if of == number}


def _desired(state: Any, target: str) -> dict[Steps, Any] | None:
    """Return the fields of a desired resource with their values; None if the resource isn't
    desired.

    An empty `target` stands for the composite, of which only the fields of its status are returned.
    """
    if target:
        return fields_of(state.resources[target].resource) if target in state.resources else None
    found = fields_of(state.composite.resource)
    return {at: value for at, value in found.items() if at[0] == "status" and len(at) > 1}


def _said(
    run: StepRun, targets: Sequence[str], timeout: float, schema: Mapping[str, Any] | None
) -> _Said:
    """Return the facts about one step's share in resources. For this, the step's function is called
    many times.

    Args:
        run: The step's run in the reconcile.
        targets: The composition resource names; an empty one is the composite's status.
        timeout: The time limit in seconds of each call, for a function that runs outside of this
            process.
        schema: The schema of the composite's kind; None if it isn't known.
    """
    if isinstance(run.runner, InProcess):
        recorded = record(run.runner.function, run.request, targets)
        answer = _in_process(run.runner.function)
    else:
        recorded = None
        answer = _elsewhere(run.runner, timeout)
    return _Said(
        run, recorded, probed(run.request, targets, origins(run.request, recorded), answer, schema)
    )


def _in_process(function: Function) -> Answer:
    def answer(request: bytes, wanted: Callable[[str], bool]) -> Found:
        data, seen = silent_run(function, request, Seen())
        found = _read(data, wanted)
        # A resource that is held back isn't in the answer, but compose() has registered it. One
        # that is kept is in the answer, and compose() hasn't registered it.
        fields: dict[str, Fields] = {
            name: values_of(tree) for name, (tree, _) in seen.trees.items() if wanted(name)
        }
        fields |= {
            name: one
            for name, one in found.fields.items()
            if name in seen.trees or name == COMPOSITE
        }
        return found if found.error else Found(seen.trees.keys() - {COMPOSITE}, fields)

    return answer


def _elsewhere(runner: Runner, timeout: float) -> Answer:
    def answer(request: bytes, wanted: Callable[[str], bool]) -> Found:
        try:
            return _read(runner.run(request, timeout), wanted)
        except RenderError as error:
            return Found(frozenset(), {}, str(error))

    return answer


def _read(answer: bytes, wanted: Callable[[str], bool]) -> Found:
    """Return the wanted resources in a function's answer. If the function failed or gave no answer,
    return an error.
    """
    if not answer:
        return Found(frozenset(), {}, "no answer")
    response = _view.RunFunctionResponse.FromString(answer)
    for result in response.results:
        if result.severity == _view.SEVERITY_FATAL:
            return Found(frozenset(), {}, result.message)
    found = {
        name: _desired(response.desired, name)
        for name in (COMPOSITE, *response.desired.resources)
        if wanted(name)
    }
    fields = {name: one for name, one in found.items() if one is not None}
    return Found(frozenset(response.desired.resources), fields)


def _fields(said: _Said, target: str, own: set[Steps] | None, *, held: bool) -> Iterable[Field]:
    """Yield the origin of each field that one step has set in a resource.

    Args:
        said: The facts about the step.
        target: The name of the resource.
        own: The paths of the fields; None for all fields of the resource.
        held: Whether the resource is held back.
    """
    mask = masker_for(_view.RunFunctionRequest.FromString(said.run.request))
    resource = said.resource(target)
    made = said.probed.made[target]
    for at in sorted(made.base if own is None else own, key=show):
        value = ",".join(steps_in(made.base.get(at))) if at == _MARK else made.base.get(at)
        set_to = None if resource is None else resource.values.get(at)
        waits = set_to.paths if isinstance(set_to, Waits) else ()
        place = "" if resource is None else resource.places.get(at, "")
        if (
            resource is not None
            and not place
            and (at in resource.values or at in (("apiVersion",), ("kind",)))
        ):
            place = resource.made or resource.registered
        sources = [_text(one) for one in made.sources.get(at, ()) if at != _MARK]
        sources += [
            f"{_text(one)} (read on that line)"
            for one in said.probed.unknown
            if place and said.recorded is not None and place in said.recorded.reads.get(one, ())
        ]
        note = _note(
            said,
            made,
            at,
            has_sources=bool(sources),
            is_set=resource is None or at in resource.values,
        )
        if waits:
            note = "" if held else "keeps the value that it has"
        yield Field(
            show(at),
            None if isinstance(value, Waits) else _masked(value, mask),
            tuple(map(mask, waits)),
            place,
            said.run.step.name,
            tuple(map(mask, sources)),
            note,
        )


def _unset_fields(said: _Said, unset: Mapping[str, Sequence[str]]) -> Iterable[Field]:
    """Yield the composite's fields that one step sets to values that are missing, so that they
    aren't in its answer.

    Args:
        said: The facts about the step.
        unset: The paths of such fields, each with the paths of the missing values, from the step's
            answer.
    """
    mask = masker_for(_view.RunFunctionRequest.FromString(said.run.request))
    resource = said.resource(COMPOSITE)
    places = {}
    found = {path: tuple(waits) for path, waits in unset.items()}
    for at, value in ({} if resource is None else resource.values).items():
        if isinstance(value, Waits) and at not in said.probed.made[COMPOSITE].base:
            places[show(at)] = "" if resource is None else resource.places.get(at, "")
            found[show(at)] = tuple(map(mask, value.paths))
    for path, waits in found.items():
        yield Field(path, None, waits, places.get(path, ""), said.run.step.name, (), "")


def _note(said: _Said, made: Made, at: Steps, *, has_sources: bool, is_set: bool) -> str:
    if at == _MARK:
        return "crossplane-lite's mark"
    if at in made.varies:
        return "differs from call to call"
    if has_sources:
        return ""
    if at in (("apiVersion",), ("kind",)):
        return "the resource's class" if said.recorded is not None else "a constant"
    if said.recorded is not None and not is_set:
        return "kept as it is observed, or set by crossplane-lite"
    if said.probed.cut:
        return "a constant, or made from a value that wasn't tried"
    unsure = [_text(one) for one in (*made.unseen, *said.probed.unknown)]
    if unsure:
        more = " and others" if unsure[_MOST_UNSURE:] else ""
        return f"a constant, or made from {', '.join(unsure[:_MOST_UNSURE])}{more}"
    return "a constant"


def _notes(said: _Said) -> Iterable[str]:
    """Yield a remark for each fact about a step that could not be found out. At most three remarks
    are about errors.
    """
    step = quoted(said.run.step.name)
    if said.recorded is None:
        yield (
            f"step {step} isn't a function of crossplane-lite in this process, so its lines aren't"
            " known"
        )
    if said.probed.cut:
        yield f"step {step} has more values in its request than are tried"
    for origin, problem in list(said.probed.unknown.items())[:_MOST_UNSURE]:
        seen = f"what is made from {_text(origin)} can't be seen"
        yield f"{seen}, because with another value step {step} fails: {problem}"


def _text(origin: Origin) -> str:
    text = origin_text(origin)
    return f"{text} (previous step)" if origin.part == "desired" else text


def _masked(value: Any, mask: Callable[[str], str]) -> Any:
    return mask(value) if isinstance(value, str) else value


def _waits(names: Sequence[str], needs: Mapping[str, Sequence[Need]]) -> list[Wait]:
    """Return the missing values that resources or fields need.

    Each value has in `waits` the missing values that its owner needs itself. The owner is the
    resource that the value belongs to, or a field of the composite. `waits` is empty if the owner
    came up before, or is 50 levels deep. `needs` is by the name of the resource or the field's
    path, as in `names`.
    """
    seen = set(names)

    def of(one: str, depth: int) -> tuple[Wait, ...]:
        found = []
        for need in sorted(needs.get(one, ())):
            turn = next(
                (key for key in (need.path, need.of) if key in needs and key not in seen), None
            )
            if turn is not None:
                seen.add(turn)
            below = of(turn, depth + 1) if turn is not None and depth < _DEEPEST else ()
            found.append(Wait(need.path, need.why, need.of, below))
        return tuple(found)

    return [wait for name in names for wait in of(name, 0)]


_DEEPEST: Final = 50


_HEADS: Final = ("FIELD", "VALUE", "SET AT", "MADE FROM")
_LONGEST_VALUE: Final = 40


def as_text(explained: Iterable[Explained]) -> str:
    """Return the text for people: for each resource a table of its fields.

    Above the table are the missing values that it can't say: those that wait for others, and those
    of no field.
    """
    return "\n".join("".join(f"{line(each)}\n" for each in _lines(one)) for one in explained)


def as_json(explained: Iterable[Explained]) -> str:
    """Return the explained resources as JSON: a list with one object for each resource, as
    `as_data` makes it.
    """
    return json.dumps([as_data(one) for one in explained], indent=2, ensure_ascii=True) + "\n"


def as_data(one: Explained) -> dict[str, Any]:
    """Return an explained resource as plain data for JSON.

    Some keys are left out if they have no value, such as `kind`.
    """
    return {
        "name": one.name,
        **({"kind": one.kind} if one.kind else {}),
        "heldBack": one.held,
        "step": one.step,
        **({"registeredAt": one.place} if one.place else {}),
        "fields": [_field(each) for each in one.fields],
        **({"dependsOn": one.decides} if one.decides else {}),
        "waitsFor": [_wait(each) for each in one.waits],
        **({"notes": one.notes} if one.notes else {}),
    }


def _field(one: Field) -> dict[str, Any]:
    return {
        "path": one.path,
        **({"waitsFor": list(one.waits)} if one.waits else {}),
        **({} if one.value is None and one.waits else {"value": one.value}),
        **({"setAt": one.place} if one.place else {}),
        "step": one.step,
        "madeFrom": list(one.sources),
        **({"note": one.note} if one.note else {}),
    }


def _wait(one: Wait) -> dict[str, Any]:
    below = {"waitsFor": [_wait(each) for each in one.waits]} if one.waits else {}
    return {"path": one.path, "why": one.why, **below}


def _lines(one: Explained) -> Iterator[str]:
    kind = f" ({one.kind})" if one.kind else ""
    what = "is held back by" if one.held else "comes from"
    place = f", registered at {one.place}" if one.place else ""
    if not one.step:
        yield "xr: no step sets the composite's status"
        return
    yield f"{one.name}{kind} {what} step {one.step}{place}"
    in_rows = {path for each in one.fields for path in each.waits}
    said = {wait.path: wait.why for wait in one.waits if wait.path in in_rows and not wait.waits}
    yield from _waiting([wait for wait in one.waits if wait.path not in said], 1)
    several = len({each.step for each in one.fields}) > 1
    rows = [_row(each, said, several=several) for each in one.fields]
    if rows:
        yield from aligned([("", *row) for row in [_HEADS, *rows]])
    if one.decides:
        yield f"  whether there is such a resource depends on {', '.join(one.decides)}"
    yield from (f"  {note}" for note in one.notes)


def _row(one: Field, reasons: Mapping[str, str], *, several: bool) -> tuple[str, str, str, str]:
    value = (
        "(not there yet)"
        if one.value is None and one.waits
        else shortened(_value(one.value), _LONGEST_VALUE)
    )
    place = " ".join(filter(None, (one.place or "-", f"in step {one.step}" if several else "")))
    awaited = [f"{path} ({reasons[path]})" if path in reasons else path for path in one.waits]
    waits = f"waits for {', '.join(awaited)}" if awaited else ""
    return (
        one.path,
        value,
        place,
        "; ".join(filter(None, (", ".join(one.sources), waits, one.note))),
    )


def _value(value: Any) -> str:
    return escaped(
        value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False)
    )


def _waiting(waits: Sequence[Wait], depth: int) -> Iterator[str]:
    for one in waits:
        yield f"{'  ' * depth}waits for {one.path} ({one.why})"
        if one.waits:
            turn = one.path if one.path.startswith("xr.") else one.of
            yield f"{'  ' * (depth + 1)}{turn}"
            yield from _waiting(one.waits, depth + 2)
