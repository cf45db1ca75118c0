"""The dependencies that the steps of one reconcile report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .. import _wire
from .._observed.readiness import is_ready
from .._rehearsal.dependencies import Dependency, show
from .._rehearsal.usages import edge_of
from .._terminal.excerpts import short_repr, short_text
from ..composition import Function
from ..errors import WireError
from ..proto import _view
from ..render.told import told

if TYPE_CHECKING:
    from .._waits.entry import Waiting
    from ..render.rendered import StepRun

__all__ = ["Collected", "collect"]


class Collected:
    """The reports of the steps.

    Attributes:
        composite: The observed composite.
        dependencies: Every dependency that is known.
        missing: The dependencies whose value isn't there yet.
        observed: The names of the composed resources that exist.
        desired: The names of the composed resources that are desired in the end.
        ready: The names of the composed resources that exist and are ready, whoever says so.
        registered: The names of the composed resources that a step in this process registers.
        held: The names of the composed resources that are held back.
        kinds: The kinds of composed resources, by name.
        required: The kind and name of required resources, by requirement.
        answered: The requirements for which a resource was found.
        usages: The names of Usages that keep the order of deletion.
        notes: Remarks for people on what can't be seen.
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
        """The names of all composed resources that are known, without Usages."""
        return ({*self.kinds} | self.observed | self.desired | self.held) - self.usages


def collect(steps: Sequence[StepRun]) -> Collected:
    """Return the reports of the steps of a reconcile.

    Args:
        steps: The runs of the steps, in order.
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
                f"step {short_repr(run.step.name)} runs elsewhere ({run.runner!r}): dependencies of it that have their "
                "values can't be seen"
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
            if edge_of(name, raw) is not None:
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
    """Take the report of a function of this process."""
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
    """Take the report about waiting resources of a function that runs elsewhere and is made with this package."""
    for need in waiting.needs:
        if need.of and need.of != need.name:
            one = Dependency(need.name, need.of, need.path)
            found.dependencies.add(one)
            found.missing.add(one)


def _described(items: Any) -> str:
    """Return kind and name of a found resource."""
    text = " ".join(short_text(_read(items[0].resource, *path)) for path in (("kind",), ("metadata", "name")))
    return text if len(items) == 1 else f"{text} and {len(items) - 1} more"


def _read(raw: bytes, *path: str) -> Any:
    """Return a value of a Struct's bytes; an empty string if it is missing."""
    try:
        return _wire.get_path(raw, path, "")
    except WireError:  # nobody has checked the answers of functions that run elsewhere
        return ""


def _decoded(raw: bytes) -> dict[str, Any]:
    try:
        return _wire.decode_struct(raw)
    except WireError:
        return {}
