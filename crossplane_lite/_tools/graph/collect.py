"""Collects the dependencies that the steps of one reconcile report, and the states of resources."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..._core import codec
from ..._core.base.texts import short_repr, short_text
from ..._core.dependencies.dependencies import Dependency, show
from ..._core.dependencies.usages import edge_of
from ..._core.observed.lookup import is_ready
from ...composition import Function
from ...errors import WireError
from ...proto import _view
from ..render.told import told

if TYPE_CHECKING:
    from ..render.rendered import StepRun


class Collected:
    """The dependencies and states that the steps of a reconcile report.

    Attributes:
        composite: The observed composite.
        dependencies: All known dependencies.
        missing: The dependencies on values that are still missing.
        observed: The names of the composed resources that exist.
        desired: The names of the composed resources in the desired state after the last step.
        ready: The names of the existing composed resources that are ready by their status, or
            because a function marked them as ready.
        registered: The names of the composed resources that compose() registers, in steps that run
            in this process.
        held: The names of the composed resources that the SDK holds back (leaves out of the desired
            state) because values that they need are missing.
        kinds: The kinds of composed resources, by name.
        required: Maps each requirement's key to text about the resources found: the kind and name
            of the first one, and the number of further ones. If none was found, the text has the
            kind and name that the requirement asks for. It is empty if these aren't known.
        answered: The keys of the requirements for which a resource was found.
        usages: The names of the Usages that the SDK has added to keep the order of deletion
            (`usages=True`).
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

    For each step in this process, compose() runs again to find its dependencies. A step that runs
    elsewhere reports only dependencies on missing values; a note says so.

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
            # Dependencies on missing values are all that a function elsewhere reports.
            needs = {
                Dependency(one.name, one.of, one.path)
                for one in waiting.needs
                if one.of not in ("", one.name)
            }
            found.dependencies |= needs
            found.missing |= needs
            found.notes.append(
                f"step {short_repr(run.step.name)} runs elsewhere or with another SDK, so its"
                " dependencies on values that exist already aren't known"
            )
    if found.usages:
        found.notes.append(
            f"{len(found.usages)} Usages, which keep the order of deletion, are not drawn"
        )
    return found


def _take_state(found: Collected, request: Any, response: Any) -> None:
    observed, desired = request.observed.resources, response.desired.resources
    found.composite = _read(request.observed.composite.resource, codec.decode_struct, {})
    found.observed.update(observed)
    found.desired = set(desired)  # each step passes on the desired state of those before it
    for resources in (observed, desired):
        for name in resources:
            raw = resources[name].resource
            found.kinds[name] = _text(raw, "kind")
            if _read(raw, functools.partial(edge_of, name), None) is not None:
                found.usages.add(name)
    found.ready.update(name for name in observed if is_ready(observed[name].resource))
    found.ready.update(
        name for name in desired if name in observed and desired[name].ready == _view.READY_TRUE
    )


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
                found.required[key] = (
                    f"{short_text(selector.kind)} {short_text(selector.match_name)}".strip()
                )


def _take_shown(found: Collected, function: Function, request: bytes) -> None:
    """Add all dependencies of a function in this process to `found`; for a malformed request, add a
    note instead.
    """
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


def _described(items: Any) -> str:
    """Return the kind and name of the first resource in `items`, and the number of others:
    `VPC a and 2 more`.
    """
    text = f"{_text(items[0].resource, 'kind')} {_text(items[0].resource, 'metadata', 'name')}"
    return text if len(items) == 1 else f"{text} and {len(items) - 1} more"


def _text(raw: bytes, *path: str) -> str:
    return short_text(_read(raw, lambda raw: codec.get_path(raw, path, ""), ""))


def _read(raw: bytes, read: Callable[[bytes], Any], default: Any) -> Any:
    """Read something from a Struct's bytes; `default` if they are invalid."""
    try:
        return read(raw)
    except WireError:  # nobody has checked the answers of functions that run elsewhere
        return default
