"""Collects the dependencies that the steps of one reconcile report, and the states of resources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..._core import codec
from ..._core.base.texts import short_repr, short_text
from ..._core.observed.lookup import is_ready
from ..._core.waits.dependencies import Dependency, show
from ..._core.waits.usages import edge_of
from ...composition import Function
from ...errors import WireError
from ...proto import _view
from ..render.told import told

if TYPE_CHECKING:
    from ..._core.waits.entry import Waiting
    from ..render.rendered import StepRun

__all__ = ["Collected", "collect"]


class Collected:
    """The dependencies and states that the steps of a reconcile report.

    Attributes:
        composite: The observed composite.
        dependencies: All known dependencies.
        missing: The dependencies on values that are still missing.
        observed: The names of the composed resources that exist.
        desired: The names of the composed resources in the desired state after the last step.
        ready: The names of the existing composed resources that are ready by their status, or because a function
            marked them as ready.
        registered: The names of the composed resources that compose() registers, in steps that run in this process.
        held: The names of the composed resources that the SDK holds back (leaves out of the desired state) because
            values that they need are missing.
        kinds: The kinds of composed resources, by name.
        required: Maps each requirement's key to text about the resources found: the kind and name of the first one,
            and the number of further ones. If none was found, the text has the kind and name that the requirement asks
            for. It is empty if these aren't known.
        answered: The keys of the requirements for which a resource was found.
        usages: The names of the Usages that the SDK has added to keep the order of deletion (`usages=True`).
        notes: Remarks for the user on dependencies and resources that the graph doesn't show.
    """

    def __init__(self) -> None:
        self.composite: dict[str, Any] = {}
        self.dependencies: set[Dependency] = set()
        self.missing: set[Dependency] = set()
        self.observed: set[str] = set()
        self.desired: set[str] = set()
        self.ready: set[str] = set()
        self.registered: set[str] = set()
        self.held: set[str] = set()
        self.kinds: dict[str, str] = {}
        self.required: dict[str, str] = {}
        self.answered: set[str] = set()
        self.usages: set[str] = set()
        self.notes: list[str] = []

    @property
    def resources(self) -> set[str]:
        """The names of all known composed resources, except the Usages that the SDK has added."""
        return ({*self.kinds} | self.observed | self.desired | self.held) - self.usages


def collect(steps: Sequence[StepRun]) -> Collected:
    """Collect the dependencies and states that the steps of a reconcile report.

    For each step in this process, compose() runs again to find its dependencies. A step that runs elsewhere reports
    only dependencies on missing values; a note says so.

    Args:
        steps: The steps that were run, in the order of the pipeline.
    """
    found = Collected()
    for run, waiting in zip(steps, told(steps), strict=True):
        request = _view.RunFunctionRequest.FromString(run.request)
        response = _view.RunFunctionResponse.FromString(run.response)
        _take_state(found, request, response)
        _take_requirements(found, request, response)
        found.held.update(waiting.held)
        function = getattr(run.runner, "function", None)
        if isinstance(function, Function):
            _take_shown(found, function, run.request)
        else:
            _take_told(found, waiting)
            found.notes.append(
                f"step {short_repr(run.step.name)} isn't run in this process ({run.runner!r}), so its dependencies "
                "on values that exist already aren't known"
            )
    if found.usages:
        found.notes.append(f"{len(found.usages)} Usages, which keep the order of deletion, are not drawn")
    return found


def _take_state(found: Collected, request: Any, response: Any) -> None:
    observed, desired = request.observed.resources, response.desired.resources
    found.composite = _decoded(request.observed.composite.resource)
    found.observed.update(observed)
    found.desired = set(desired)  # each step passes on the desired state of those before it
    for resources in (observed, desired):
        for name in resources:
            raw = resources[name].resource
            found.kinds[name] = short_text(_read(raw, "kind"))
            if _is_usage(name, raw):
                found.usages.add(name)
    found.ready.update(name for name in observed if is_ready(observed[name].resource))
    found.ready.update(name for name in desired if name in observed and desired[name].ready == _view.READY_TRUE)


def _take_requirements(found: Collected, request: Any, response: Any) -> None:
    for answers in (request.required_resources, request.extra_resources):
        for key in answers:
            items = answers[key].items
            if items:
                found.answered.add(key)
                found.required[key] = _described(items)
            else:
                found.required.setdefault(key, "")
    for selectors in (response.requirements.resources, response.requirements.extra_resources):
        for key in selectors:
            if not found.required.get(key):
                selector = selectors[key]
                found.required[key] = f"{short_text(selector.kind)} {short_text(selector.match_name)}".strip()


def _take_shown(found: Collected, function: Function, request: bytes) -> None:
    """Add all dependencies of a function in this process to `found`; for a malformed request, add a note instead."""
    try:
        shown = show(function, request)
    except WireError as error:
        found.notes.append(f"the dependencies of {function.name} can't be read: {error}")
        return
    found.dependencies.update(shown.dependencies)
    found.missing.update(shown.missing)
    found.registered.update(shown.registered)
    for name, (_, kind) in (*shown.registered.items(), *shown.possible.items()):
        found.kinds.setdefault(name, kind)


def _take_told(found: Collected, waiting: Waiting) -> None:
    """Add dependencies on missing values to `found`. A function that runs elsewhere reports them in its response."""
    for need in waiting.needs:
        if need.of and need.of != need.name:
            one = Dependency(need.name, need.of, need.path)
            found.dependencies.add(one)
            found.missing.add(one)


def _described(items: Any) -> str:
    """Return the kind and name of the first resource in `items`, and the number of others: `VPC a and 2 more`."""
    text = " ".join(short_text(_read(items[0].resource, *path)) for path in (("kind",), ("metadata", "name")))
    return text if len(items) == 1 else f"{text} and {len(items) - 1} more"


def _read(raw: bytes, *path: str) -> Any:
    """Return the value at a path in a Struct's bytes; an empty string if it is missing or the bytes are invalid."""
    try:
        return codec.get_path(raw, path, "")
    except WireError:  # nobody has checked the answers of functions that run elsewhere
        return ""


def _is_usage(name: str, raw: bytes) -> bool:
    """Return whether a resource is a Usage that the SDK has added; False if the bytes are invalid."""
    try:
        return edge_of(name, raw) is not None
    except WireError:
        return False


def _decoded(raw: bytes) -> dict[str, Any]:
    try:
        return codec.decode_struct(raw)
    except WireError:
        return {}
