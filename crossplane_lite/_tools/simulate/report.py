"""The result of a simulation as plain data: for --format json, and as the source of the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ..._core import codec
from ..._core.observed import lookup
from .effects import Effects
from .merging import ABSENT, at, steps_of

if TYPE_CHECKING:
    from ..render.rendered import Rendered, RenderError
    from .simulation import Simulation


class Loss(NamedTuple):
    """A resource or field that was removed from the steady state, and the effects.

    Attributes:
        action: `drop` for a resource, `degrade` for a field.
        target: The resource's name; for a field, its path that begins with the resource's name.
        effects: The effects in the next reconcile; None if that reconcile failed.
        error: Why that reconcile failed; None if it didn't fail.
        outcome: That reconcile: its result, or its failure.
    """

    action: str
    target: str
    effects: Effects | None
    error: str | None
    outcome: Rendered | RenderError


def report(simulation: Simulation, losses: list[Loss]) -> dict[str, Any]:
    """Return the result of a simulation as plain data, as `--format json` prints it.

    Args:
        simulation: A simulation that has run. It may have failed.
        losses: The losses that were tried after the run.
    """
    composite = simulation.composite
    unresolved = simulation.unresolved
    return {
        "composite": {
            **{key: composite.get(key) for key in ("apiVersion", "kind")},
            "name": composite["metadata"].get("name"),
            "conditions": sorted(
                composite.get("status", {}).get("conditions", []), key=lambda one: str(one["type"])
            ),
        },
        "rounds": len(simulation.rounds),
        "stable": simulation.stable,
        "problem": simulation.problem,
        "resources": [*_resources(simulation), *_missing(simulation, unresolved)],
        "fields": _fields(simulation),
        "unresolved": unresolved,
        "changed": simulation.changed,
        "came": simulation.came,
        "remarks": list(simulation.rounds[-1].remarks) if simulation.rounds else [],
        "cycles": simulation.cycles,
        "deleted": sorted(
            {name for one in simulation.rounds for name in one.rendered.deleted}
            - {*simulation.observed}
        ),
        "possible": simulation.possible,
        "unusedFixtures": simulation.unused_fixtures,
        "losses": [_loss(one) for one in losses],
    }


def _resources(simulation: Simulation) -> Iterator[dict[str, Any]]:
    """Yield an entry for each resource that appeared, in the order of the rounds."""
    latest: dict[str, Mapping[str, Any]] = {}
    for one in simulation.rounds:
        latest.update(one.rendered.composed)
    last = simulation.rounds[-1].rendered if simulation.rounds else None
    for name, wave in simulation.waves.items():
        yield {
            **_entry(simulation, name),
            "wave": wave,
            "apiVersion": latest[name].get("apiVersion"),
            "kind": latest[name].get("kind"),
            "objectName": latest[name].get("metadata", {}).get("name"),
            "ready": bool(last and last.ready.get(name)),
            "looksReady": looks_ready(simulation.observed.get(name)),
            "exists": name in simulation.observed,
        }


def _missing(
    simulation: Simulation, unresolved: Mapping[str, list[str]]
) -> Iterator[dict[str, Any]]:
    """Yield an entry for each resource that waited for values and never appeared.

    Fields of the composite that wait, such as `xr.status.x`, have no entry here.
    """
    dependents = {
        one.dependent
        for one in simulation.dependencies
        if one.dependent.startswith(("xr.", "required."))
    }
    for name in sorted({*simulation.waited, *unresolved} - set(simulation.waves) - dependents):
        api_version, kind = simulation.kinds.get(name, (None, None))
        yield {**_entry(simulation, name), "apiVersion": api_version, "kind": kind}


def _entry(simulation: Simulation, name: str) -> dict[str, Any]:
    return {
        "name": name,
        **dict.fromkeys(("wave", "apiVersion", "kind", "objectName")),
        **dict.fromkeys(("ready", "looksReady", "exists"), False),
        "waitedFor": [_waited(simulation, path) for path in simulation.waited.get(name, ())],
    }


def looks_ready(resource: Mapping[str, Any] | None) -> bool:
    """Return whether an existing resource is ready by the rules of its kind. The functions may say
    something else.
    """
    return resource is not None and lookup.is_ready(codec.encode_struct(resource))


def _waited(simulation: Simulation, path: str) -> dict[str, Any]:
    return {"path": path, "value": simulation.origins.get(path)}


def _fields(simulation: Simulation) -> list[dict[str, Any]]:
    """Return an entry for each field of the composite that others need, and that is made from other
    values itself.

    The entry's `wave` is the number of the first round in which the composite has the field; None
    if it never has it.
    """
    needed: dict[str, set[str]] = {}
    for dependent, _, path in simulation.dependencies:
        if dependent.startswith("xr."):
            needed.setdefault(dependent, set()).add(path)
    found = []
    wanted = {one.dependency for one in simulation.dependencies}
    for name in sorted(needed):
        if name not in wanted:
            continue
        steps = steps_of(name.removeprefix("xr."))
        number = next(
            (r.number for r in simulation.rounds if at(r.rendered.composite, steps) is not ABSENT),
            None,
        )
        paths = [_waited(simulation, path) for path in sorted(needed[name])]
        found.append({"name": name, "wave": number, "waitedFor": paths})
    return found


def _loss(loss: Loss) -> dict[str, Any]:
    effects = {} if loss.effects is None else loss.effects._asdict()
    return {"action": loss.action, "target": loss.target, "error": loss.error, **effects}
