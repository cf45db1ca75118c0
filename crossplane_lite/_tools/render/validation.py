"""Checks the desired state of a pipeline against the schemas of the kinds.
`crossplane_lite.schemas` has the rules.

Checked is the last function's response, before Crossplane adds metadata: every composed resource,
and the composite's status. Crossplane ignores the other desired fields of the composite.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from ..._core import codec
from ..._core.dependencies.dependencies import show
from ..._core.observed.observable import Observable
from ..._core.paths.text import show as show_path
from ..._core.schemas.rules import Verdicts, verdicts
from ...errors import MissingExtraError
from ...proto import _view
from ..manifests.kind_sources import passed_over_text
from ..manifests.objects import child_name, merged, some_names
from . import gate
from .applying import after_apply
from .composed import Owner
from .definition import defaulted
from .functions import InProcess
from .observing import Asked, Seen
from .rendered import api_versions_checked, cut_off
from .told import told, unfit_observed, unknown_observed

if TYPE_CHECKING:
    from ..manifests.kind_schemas import Schemas
    from .rendered import Rendered, StepRun

_OTHER_NUMBER: Final = 7919


class Check:
    """Checks all that one reconcile after the other desires, held-back resources too; unresolved
    values count as right.

    Each message has the composition resource name, the path, the mistake, and the file of the
    schema. A status of a composed resource is a mistake, too, because Crossplane discards it. So is
    a version that the kind's definitions don't have or don't serve, because the API server refuses
    it. Of the composite, only a missing schema or version is told: the reconcile has checked the
    status (`status_errors`).

    Args:
        schemas: The schemas of kinds.
        tells_unchecked: Whether to say which resources have no schema.

    Attributes:
        errors: A message for each mistake, once.
        reads: A message for each field of an observed resource that its kind's schema lacks, once:
            those that compose() reads, and those that the resources have.
    """

    def __init__(self, schemas: Schemas, *, tells_unchecked: bool = True) -> None:
        self._schemas = schemas
        self._tells_unchecked = tells_unchecked
        self._seen: dict[str, Any] = {}
        self._owner: Owner | None = None
        self._unchecked: dict[str, str] = {}
        self._names: set[str] = set()
        self._rules: dict[str, Verdicts] = {}
        self.errors: list[str] = []
        self.reads: dict[str, None] = {}

    def add(self, rendered: Rendered, *, beyond: bool = False) -> None:
        """Check what a reconcile desires. With `beyond`, functions of this process run again to
        find more resources.

        These are what compose() would compose if missing values were there.

        Raises:
            InputError: A file of schemas can't be read, or is malformed.
            RenderError: A desired resource's apiVersion can't be parsed.
        """
        with api_versions_checked():
            self.reads.update(dict.fromkeys(unknown_observed(rendered.steps, self._schemas.find)))
            if not self._seen:  # later reconciles observe what previous ones have made
                self.reads.update(dict.fromkeys(unfit_observed(rendered.steps, self._schemas.find)))
        found = list(_desired(rendered))
        last = rendered.steps[-1].request if rendered.steps else b""
        self._owner = Owner.of(rendered.composite)
        self._observed = _view.RunFunctionRequest.FromString(last).observed.resources
        known = {name for name, _ in found}
        for name, resource in found:
            self._check(name, resource, partial=False)
        for name, why in not_sent(rendered).items():
            if name not in known:
                (
                    self._check(name, why.data, partial=why.partial)
                    if isinstance(why, Asked)
                    else self._leave(name, why)
                )
        found_beyond = possible(rendered.steps)[0] if beyond else {}
        more = {name: asked for name, asked in found_beyond.items() if name not in self._names}
        # Numbers may be made up for these runs, or made from such a number. With another number,
        # they differ.
        other = possible(rendered.steps, _OTHER_NUMBER)[0] if more else {}
        for name, asked in more.items():
            data = _varied(asked.data, other[name].data) if name in other else asked.data
            self._check(name, data, partial=asked.partial)

    @property
    def unchecked(self) -> str:
        """A line that names what wasn't checked, and why; empty if all was checked."""
        if not self._unchecked or not self._tells_unchecked:
            return ""
        whys: dict[str, list[str]] = {}
        for name, why in sorted(self._unchecked.items()):
            whys.setdefault(why, []).append(name)
        reasons = "; ".join(f"{some_names(names)}: {why}" for why, names in whys.items())
        return f"not checked: {len(self._unchecked)} of {len(self._names)} ({reasons})"

    @property
    def unevaluated(self) -> str:
        """A line about the rules in CEL that couldn't be evaluated; empty if there are none."""
        whys = [why for one in self._rules.values() for why in one.unknown]
        if not whys:
            return ""
        count = sum(one.applied for one in self._rules.values())
        return (
            f"not evaluated: {len(whys)} of {count} rules in CEL"
            f" ({'; '.join(sorted(set(whys))[:3])})"
        )

    @property
    def lines(self) -> list[str]:
        """The reads that may be wrong, the mistakes, and lines about what isn't checked."""
        passed_over = passed_over_text(self._schemas.passed_over())
        notes = filter(None, [self.unchecked, self.unevaluated, passed_over])
        reads = (f"warning: {read}" for read in self.reads)
        return [*reads, *(f"invalid: {error}" for error in self.errors), *notes]

    def _leave(self, name: str, why: str) -> None:
        self._names.add(name)
        self._unchecked[name] = why

    def _check(self, name: str, resource: Mapping[str, Any], *, partial: bool) -> None:
        old = self._existing(name, resource)
        if self._seen.get(name) == (resource, old):
            return
        self._seen[name] = resource, old
        shown = name or "the composite"
        self._names.add(shown)
        self._unchecked.pop(shown, None)
        try:
            found = [*self._mistakes(name, shown, resource, old, partial=partial)]
        except MissingExtraError as error:
            self._leave(shown, str(error))
            return
        self.errors += [one for one in found if one not in self.errors]

    def _existing(self, name: str, resource: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the observed resource that a desired one is applied to; None if there is none of
        its kind.
        """
        if name not in self._observed:
            return None
        old = codec.decode_struct(self._observed[name].resource)
        is_same = all(old.get(key) == resource.get(key) for key in ("apiVersion", "kind"))
        return old if is_same else None

    def _mistakes(
        self,
        name: str,
        shown: str,
        resource: Mapping[str, Any],
        old: Mapping[str, Any] | None,
        *,
        partial: bool,
    ) -> Iterator[str]:
        if name and resource.get("status"):
            yield (
                f"{name}.status: is set, but Crossplane discards the desired status of composed"
                " resources"
            )
        for one in gate.embedded(resource, self._schemas):
            yield one.of(name)
        api_version, kind = resource.get("apiVersion"), resource.get("kind")
        if not isinstance(api_version, str) or not isinstance(kind, str):
            yield f"{name}: has no apiVersion or no kind"
            return
        known = gate.kind_of(self._schemas, api_version, kind)
        if known.schema is not None:
            content = {key: value for key, value in resource.items() if key != "status"}
            if name:
                stored = (
                    self._named(name, content)
                    if old is None
                    else after_apply(old, content, known.schema)
                )
                stored.pop("status", None)
                there = (
                    None
                    if old is None
                    else {key: one for key, one in old.items() if key != "status"}
                )
                found = gate.judged(stored, known, there, partial=partial)
                if found.rules is not None:
                    self._rules[name] = found.rules
                yield from (one.of(name) for one in found.mistakes)
            return
        misnamed = gate.misnamed(self._schemas, api_version, kind)
        if misnamed is not None:
            yield misnamed.of(name or "xr")
            return
        self._leave(shown, gate.no_schema(self._schemas, api_version, kind))

    def _named(self, name: str, resource: dict[str, Any]) -> dict[str, Any]:
        """Return a new resource with the name that Crossplane generates for it, if it has none."""
        metadata = resource.get("metadata", {})
        if not isinstance(metadata, dict) or metadata.get("name") or self._owner is None:
            return resource
        prefix = metadata.get("generateName") or f"{self._owner.prefix}-"
        if not isinstance(prefix, str):
            return resource
        generated = {"generateName": prefix, "name": child_name(prefix, self._owner.uid, name)}
        return {**resource, "metadata": {**metadata, **generated}}


def not_sent(rendered: Rendered) -> dict[str, Asked | str]:
    """Return the resources that functions hold back, by name, or why one isn't known."""
    found: dict[str, Asked | str] = {}
    for run, says in zip(rendered.steps, told(rendered.steps), strict=True):
        found.update(
            {
                name: "held back, by a function that runs elsewhere"
                for name in says.held
                if run.seen is None
            }
        )
        found.update({} if run.seen is None else run.seen.held)
    return found


def possible(runs: Sequence[StepRun], number: int = 1) -> tuple[dict[str, Asked], bool]:
    """Run each function of this process again that got missing values, as if the values were there.

    compose() gets `number` where it needs a number that is missing.

    Returns:
        The resources that these runs register, by name; and whether each function that ended early
        has ended by itself in one of these runs.
    """
    found: dict[str, Asked] = {}
    complete = True
    for run in runs:
        if isinstance(run.runner, InProcess) and run.seen is not None and run.seen.missing:
            again = Seen()
            show(run.runner.function, run.request, again, number)
            found.update(again.beyond(()))
            complete = complete and (not run.seen.error or not all(again.errors))
    return found, complete


def beyond(rendered: Rendered) -> tuple[list[str], bool]:
    """Say what functions that ended early would compose if missing values were there.

    Returns:
        Lines for people, and whether that is all that they compose.
    """
    ended = cut_off(rendered)
    if not ended:
        return [], True
    found, is_whole = possible(rendered.steps)
    more = sorted(found.keys() - rendered.composed.keys())
    values = {
        path
        for run in rendered.steps
        if run.seen is not None and run.seen.error
        for path in run.seen.missing
    }
    lines = (
        [f"composed once {some_names(sorted(values))} is there: {some_names(more)}"] if more else []
    )
    return lines + ([] if is_whole else ended), is_whole


def _varied(value: Any, other: Any) -> Any:
    """Return plain data in which an Observable stands for each value that is another one in
    `other`.
    """
    if isinstance(value, dict) and isinstance(other, dict):
        return {
            key: _varied(one, other[key]) if key in other else one for key, one in value.items()
        }
    if isinstance(value, list) and isinstance(other, list) and len(value) == len(other):
        return [_varied(one, another) for one, another in zip(value, other, strict=True)]
    is_same = type(value) is type(other) and (type(value) is Observable or value == other)
    return value if is_same else Observable("(made from a missing number)")


def status_errors(
    composite: Mapping[str, Any],
    runs: Sequence[StepRun],
    schema: Mapping[str, Any],
    where: str = "",
    *,
    partial: bool = False,
) -> list[str]:
    """Check the composite's status in the last function's response, and return a message for each
    mistake.

    Of an unresolved field only the name is checked.

    Args:
        composite: The composite, with its apiVersion and kind.
        runs: The runs of the pipeline's steps; at least one.
        schema: The schema of the composite's kind.
        where: The schema's place for messages, such as ` in xrd.yaml`.
        partial: Whether fields may be missing, because other functions set them.

    Raises:
        MissingExtraError: The extra `schemas` isn't installed.
    """
    desired = _view.RunFunctionResponse.FromString(runs[-1].response).desired
    status = codec.get_path(desired.composite.resource, ("status",))
    data = {key: composite[key] for key in ("apiVersion", "kind")} | (
        {"status": status} if status else {}
    )
    for steps in (one for run in runs if run.seen is not None for one in run.seen.unresolved):
        if steps[0] == "status":
            _put_unresolved(data, steps)
    if "status" not in data:
        return []
    known = gate.Kind(schema, where)
    found = [one.of("xr") for one in gate.by_schema(data, known, partial=partial, only="status")]
    broken = (
        ()
        if found
        else verdicts(defaulted(merged(composite, data), schema), schema, composite).broken
    )
    # Other rules are about fields that users set. They were checked with the composite.
    return found + [
        f"xr.{path}: {message} {gate.schema_of(data, known)}"
        for path, message in broken
        if path.startswith("status")
    ]


def _put_unresolved(data: dict[str, Any], steps: Sequence[str | int]) -> None:
    """Put an Observable at a path if there is no value. A list on the path is unresolved as a
    whole.
    """
    keys = list(itertools.takewhile(lambda step: isinstance(step, str), steps))
    holder: Any = data
    for key in keys[:-1]:
        holder = holder.setdefault(key, {})
        if not isinstance(holder, dict):
            return
    holder.setdefault(keys[-1], Observable(show_path(keys)))


def _desired(rendered: Rendered) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the composite with only its desired status under the name `""`, then the composed
    resources, by name.

    The composite isn't yielded if the status is empty. Nothing is yielded if no step was run.
    """
    if not rendered.steps:
        return
    desired = _view.RunFunctionResponse.FromString(rendered.steps[-1].response).desired
    status = codec.get_path(desired.composite.resource, ("status",))
    if status:
        yield (
            "",
            {
                **{key: rendered.composite.get(key) for key in ("apiVersion", "kind")},
                "status": status,
            },
        )
    for name in sorted(desired.resources):
        yield name, codec.decode_struct(desired.resources[name].resource)
