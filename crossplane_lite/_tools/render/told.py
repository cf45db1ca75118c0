"""The resources that wait for missing values, by the reports in the context; and which values never
come.

A value never comes if the kind's schema lacks the field, or nobody composes the resource.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..._core import codec
from ..._core.base.texts import articled, deeper_place, json_type_in_words, near_name
from ..._core.call.mark import HELD_BACK_KEY
from ..._core.dependencies.entry import CutOff, Need, Note, Waiting, read
from ..._core.models.walker import leaves
from ..._core.observed.secrets import Masker, masker_for
from ..._core.paths import field_path, trees
from ..._core.paths.schema import HEAD, Schema
from ..._core.paths.text import show
from ...errors import UsageError, WireError
from ...proto import _view
from ..manifests.objects import text_of
from .rendered import api_versions_checked

if TYPE_CHECKING:
    from ..manifests.kind_schemas import Schemas
    from .observing import Asked
    from .rendered import StepRun

    FindSchema = Callable[[str, str], Mapping[str, Any] | None]


def told(runs: Iterable[StepRun]) -> Iterator[Waiting]:
    """Yield a report for each step of a reconcile, in order: which resources and fields wait for
    which values.

    If the step's function made no report, an empty report is yielded. Secret values of the step's
    request are masked.
    """
    before: dict[str, Waiting] = {}
    for run in runs:
        context = _view.RunFunctionResponse.FromString(run.response).context
        try:
            now = read(codec.get_path(context, (HELD_BACK_KEY,)))
        except WireError:  # a function that runs elsewhere may give a malformed context
            now = {}
        # Functions pass on the reports of previous steps; only new or changed reports are this
        # step's.
        new = [waiting for step, waiting in now.items() if before.get(step) != waiting]
        before.update(now)
        joined = _joined(new)
        yield (
            _masked(joined, masker_for(_view.RunFunctionRequest.FromString(run.request)))
            if new
            else joined
        )


def _masked(says: Waiting, masker: Masker) -> Waiting:
    """Return a report for people, with secret values masked, but in the names of resources."""
    names = {*says.held, *(need.name for need in says.needs if need.by_resource)}
    names.update(need.of for need in says.needs if need.of_resource)

    def mask(text: str) -> str:
        return masker(text, names.__contains__)

    return Waiting(
        says.held,
        [Need(*map(mask, one)) for one in says.needs],
        [CutOff(*map(mask, one)) for one in says.cut_off],
        tuple(Note(one.name, mask(one.text)) for one in says.notes),
    )


def waiting(runs: Iterable[StepRun]) -> tuple[dict[str, dict[str, str]], set[str]]:
    """Return what composed resources wait for, by name, and the names of those that are held back.

    The waits are in a dict from the paths of the missing values to the reasons why they are
    missing.
    """
    waits: dict[str, dict[str, str]] = {}
    held: set[str] = set()
    for says in told(runs):
        held.update(says.held)
        for need in says.needs:
            if need.by_resource:
                waits.setdefault(need.name, {})[need.path] = need.why
    return waits, held


def _joined(several: list[Waiting]) -> Waiting:
    return Waiting(
        [name for one in several for name in one.held],
        [need for one in several for need in one.needs],
        [cut_off for one in several for cut_off in one.cut_off],
        tuple(note for one in several for note in one.notes),
    )


# Methods of text that are usual names of fields, too.
_FIELDS: Final = frozenset({"count", "find", "format", "index", "replace", "title"})


def without_method(schema: Mapping[str, Any] | None, steps: Sequence[str | int]) -> list[str | int]:
    """Return a path without a last step that is a method of text, such as `upper`, where the value
    around it is text.

    Code that calls a method of a missing value asks for such a path. With a schema of None, the
    value may be text, unless the step is a usual name of fields.
    """
    if len(steps) < 2 or not isinstance(steps[-1], str) or not hasattr(str, steps[-1]):
        return list(steps)
    if schema is None:
        is_text = steps[-1] not in _FIELDS
    else:
        place = Schema(schema).at(steps[:-1])
        is_text = place is not None and (place.source.get("type") == "string" or place.is_free)
    return list(steps[:-1] if is_text else steps)


def name_of(api_version: str, kind: str) -> str:
    """Return the name of a kind's schema in messages, such as `the schema of example.org/v1
    VPC`.
    """
    return f"the schema of {api_version} {kind}"


def missing_field(schema: Mapping[str, Any], steps: Sequence[str | int], name: str) -> str:
    """Return a message if a schema lacks a field, with a suggestion if the schema has a field with
    a similar name.

    Kubernetes' API server drops a field that the schema lacks, without an error. So the field never
    has a value.

    Args:
        schema: The schema.
        steps: The path of the field.
        name: The schema's name in messages, from `name_of`.

    Returns:
        A text such as `the schema of example.org/v1 VPC has no status.idd; did you mean 'id'?`;
        empty if the schema has the field.
    """
    place = Schema(schema)
    for depth, step in enumerate(steps):
        found = place.below(step)
        if found is None and place.is_open:
            return ""
        if found is None:
            return (
                f"{name} has no {show(steps[: depth + 1])}{_meant(step, place, is_top=not depth)}"
            )
        place = found
    return ""


def _meant(step: str | int, place: Schema, *, is_top: bool) -> str:
    """Return a hint for a field that a schema lacks: a near name, or the place below that has a
    field of the name.
    """
    if isinstance(step, int):
        return ""
    # what stands too high is seldom misspelt, too
    deeper = deeper_place(step, place, _status_first) if is_top else ""
    return deeper or near_name(step, place.properties)


def _status_first(schema: Schema) -> dict[str, Schema]:
    """Return the fields of an object by their names: what is observed is mostly in the status."""
    fields = schema.properties
    return {name: fields[name] for name in sorted(fields, key=lambda name: name != "status")}


def unfit_fields(schema: Mapping[str, Any], content: Mapping[str, Any], name: str) -> Iterator[str]:
    """Yield a text for each field of an object that its schema lacks, or that has another type;
    without metadata.
    """
    for steps, value in leaves({part: one for part, one in content.items() if part not in HEAD}):
        problem = missing_field(schema, steps, name) or _wrong_type(schema, steps, value, name)
        if problem:
            yield problem


_KINDS: Final[dict[str, tuple[type, ...]]] = {
    "array": (list,),
    "boolean": (bool,),
    "integer": (int, float),
    "number": (int, float),
    "object": (dict,),
    "string": (str,),
}


def _wrong_type(
    schema: Mapping[str, Any], steps: Sequence[str | int], value: Any, name: str
) -> str:
    """Return a message, without the value, if a value has another type than its schema says; empty
    if it fits.
    """
    place = Schema(schema).at(steps)
    kind = "" if place is None or place.is_int_or_string else place.kind
    # to Python, true is an integer
    is_number_by_name = isinstance(value, bool) and kind != "boolean"
    if (
        value is None
        or kind not in _KINDS
        or (isinstance(value, _KINDS[kind]) and not is_number_by_name)
    ):
        return ""
    wanted = "true or false" if kind == "boolean" else articled("list" if kind == "array" else kind)
    return f"{name} wants {wanted} at {show(steps)} (got {json_type_in_words(value)})"


# What every resource has, whether its schema says so or not; and a question that `observing`
# answers.
_EVERYWHERE: Final = frozenset(("connection_details", "exists", "external_name", *HEAD))
_METHODS: Final = frozenset((*dir(dict), *dir(list)))


def unknown_observed(runs: Iterable[StepRun], schema_of: FindSchema) -> Iterator[str]:
    """Yield a message for each field of an observed resource that compose() reads and that its
    kind's schema lacks.

    Args:
        runs: The runs of the steps of a pipeline.
        schema_of: Returns the schema of an apiVersion and a kind; None if it isn't known.
    """
    for run in runs:
        if run.seen is None or not run.seen.absent:
            continue
        sources = _sources(run)
        for origin, place in run.seen.absent.items():
            if origin.steps[0] in _EVERYWHERE:
                continue
            held = run.seen.held.get(origin.name)
            api_version, kind = _kind_of(origin.name, sources, held)
            schema = schema_of(api_version, kind) if api_version and kind else None
            problem = (
                "" if schema is None else _lacks(schema, origin.steps, name_of(api_version, kind))
            )
            if problem:
                yield f"{place}: {origin.name}.observed.{show(origin.steps)} is read, and {problem}"


def _kind_of(name: str, sources: tuple[Any, ...], held: Asked | None) -> tuple[str, str]:
    """Return the apiVersion and the kind of a resource, which may be held back; empty if they
    aren't known.
    """
    if held is not None:
        return held.data["apiVersion"], held.data["kind"]
    return _text(sources, name, "apiVersion"), _text(sources, name, "kind")


def unfit_observed(runs: Sequence[StepRun], schema_of: FindSchema) -> Iterator[str]:
    """Yield a message for each field of an observed resource that doesn't fit its kind's schema.

    The arguments are those of `unknown_observed`.
    """
    observed = (
        _view.RunFunctionRequest.FromString(runs[0].request).observed.resources if runs else {}
    )
    for name in sorted(observed):
        content = codec.decode_struct(observed[name].resource)
        api_version, kind = text_of(content.get("apiVersion")), text_of(content.get("kind"))
        schema = schema_of(api_version, kind)
        if schema is None:
            continue
        for problem in dict.fromkeys(unfit_fields(schema, content, name_of(api_version, kind))):
            yield f"the observed resource {name}: {problem}"


def _lacks(schema: Mapping[str, Any], way: Sequence[str | int], name: str) -> str:
    """Return why a field never has a value; empty if it may get one, or the field around it is told
    already.
    """
    steps = without_method(schema, _of_conditions(way))
    if steps[-1] in _METHODS or missing_field(schema, steps[:-1], ""):
        return ""
    return missing_field(schema, steps, name)


def _of_conditions(steps: Sequence[str | int]) -> list[str | int]:
    """Return a path that ends at the type of a condition without the type, which schemas don't
    name.
    """
    is_type = (
        list(steps[:2]) == ["status", "conditions"] and len(steps) > 2 and isinstance(steps[2], str)
    )
    return list(steps[:2] if is_type else steps)


HEADING: Final = "never resolved:"


def in_vain(steps: Iterable[StepRun], schemas: Schemas) -> dict[str, list[str]]:
    """Find the resources and fields that need a value that never comes.

    That is so if the awaited resource's schema lacks it, or if the resource's name is misspelt.

    Args:
        steps: The runs of the pipeline's steps.
        schemas: The schemas of kinds. An awaited resource whose kind has no schema here isn't
            checked.

    Returns:
        The names of composed resources and fields of the composite (`xr.status.x`), sorted. Each
        has a list of the awaited paths with the reason, such as
        `vpc.status.idd (the schema of example.org/v1 VPC has no status.idd)`.

    Raises:
        InputError: A file of schemas can't be read, or is malformed.
        MissingExtraError: A file of schemas is YAML, and PyYAML isn't installed.
        RenderError: A resource's apiVersion can't be parsed.
    """
    runs = list(steps)
    found: dict[str, dict[str, str]] = {}
    for need, reason in _misspelt(runs):
        found.setdefault(need.name, {})[need.path] = reason
    for run, says in zip(runs, told(runs), strict=True):
        needs = [need for need in says.needs if need.of_resource and need.path.startswith(need.of)]
        sources = _sources(run) if needs else ()
        for need in needs:
            reason = _reason(sources, need.of, need.path.removeprefix(need.of), schemas)
            if reason:
                found.setdefault(need.name, {})[need.path] = reason
    return {
        name: [f"{path} ({why})" for path, why in sorted(paths.items())]
        for name, paths in sorted(found.items())
    }


def _misspelt(runs: Sequence[StepRun]) -> Iterator[tuple[Need, str]]:
    """Yield each need of a resource that nobody composes, and why: a similar name that is
    composed.
    """
    known: set[str] = set()
    awaited: set[Need] = set()
    for run, says in zip(runs, told(runs), strict=True):
        known.update(says.held, *(one for one in _sources(run)))
        awaited.update(need for need in says.needs if need.of_resource)
    from .validation import possible

    unknown = {need.of for need in awaited} - known
    possible_too = possible(runs)[0] if unknown else {}
    for need in sorted(awaited):
        near = (
            near_name(need.of, known) if need.of in unknown and need.of not in possible_too else ""
        )
        if near:
            yield need, f"no function composes {need.of}{near}"


def lines(unresolved: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Yield a line for the user for each awaited value: `NAME waits for PATH (REASON)`.

    Args:
        unresolved: The awaited paths by name, as `in_vain` returns them.
    """
    for name, paths in unresolved.items():
        yield from (f"{name} waits for {path}" for path in paths)


def summary(unresolved: Iterable[str]) -> str:
    """Return one phrase that names the resources and fields that need values that never come.

    Args:
        unresolved: The names, as `in_vain` returns them.
    """
    return f"these wait for values that never come: {', '.join(unresolved)}"


def _sources(run: StepRun) -> tuple[Any, ...]:
    """Return the resources in a step's answer and the observed ones in its request, each by
    name.
    """
    desired: Any = _view.RunFunctionResponse.FromString(run.response).desired.resources
    observed: Any = _view.RunFunctionRequest.FromString(run.request).observed.resources
    return desired, observed


def _reason(sources: tuple[Any, ...], name: str, rest: str, schemas: Schemas) -> str:
    """Return the reason why a field of a resource never has a value. Return an empty string if it
    may get a value.

    Only fields in `spec` and `status` are checked. `sources` are those of the step that waits, as
    `_sources` returns them; `rest` is a path such as `.status.id`.
    """
    try:
        parsed = field_path.parse(rest.removeprefix("."))
    except (UsageError, ValueError):  # the latter is for an index of thousands of digits
        return ""
    steps = [step for step in parsed if not isinstance(step, trees.Select)]
    if len(steps) < len(parsed) or not steps or steps[0] not in ("spec", "status"):
        return ""
    api_version, kind = _kind_of(name, sources, None)
    if not api_version or not kind:  # the resource is held back, so it has no kind yet
        return ""
    with api_versions_checked():
        schema = schemas.find(api_version, kind)
    if schema is None:
        return ""
    return missing_field(
        schema, without_method(schema, _of_conditions(steps)), name_of(api_version, kind)
    )


def _text(sources: tuple[Any, ...], name: str, key: str) -> str:
    """Return a string that a resource has at its top level, such as its `kind`; empty if there is
    none.

    The resource is looked up in the step's answer first, then among the observed resources.
    """
    for resources in sources:
        if name in resources:
            try:
                value = codec.get_path(resources[name].resource, (key,), "")
            except WireError:  # a function that runs elsewhere may give a malformed resource
                continue
            if isinstance(value, str) and value:
                return value
    return ""
