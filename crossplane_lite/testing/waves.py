"""An assertion about the waves in which a composition's resources appear, and about resources that
keep waiting.

A wave is the group of resources that one reconcile composes first.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from .._core.base.texts import short_repr
from ..errors import UsageError

if TYPE_CHECKING:
    from .._tools.simulate.simulation import Simulation

__all__ = ["assert_waves"]


def assert_waves(
    simulation: Simulation, waves: Sequence[Collection[str]], *, unresolved: Iterable[str] = ()
) -> None:
    """Assert that composed resources appear in the given waves, and which resources and fields wait
    in the end.

    Args:
        simulation: A simulation that has run.
        waves: The composition resource names of each wave. The first wave has the resources that
            the first reconcile composes, the second wave those that the second reconcile adds, and
            so on. The order inside of a wave doesn't count.
        unresolved: The resources and fields that are expected to wait until the end: names of
            resources, and paths of the composite such as `xr.status.x`.

    Raises:
        AssertionError: The waves differ; or something else waits in the end, or something expected
            doesn't; or there is a dependency cycle; or the simulation isn't stable. The message
            shows the differences.
        UsageError: `waves` isn't a list of collections of names, or `unresolved` isn't a collection
            of names.
    """
    __tracebackhide__ = True
    wanted = [_names(names, f"waves[{index}]") for index, names in enumerate(waves)]
    expected = _names(unresolved, "'unresolved'")
    found: list[list[str]] = [[] for _ in range(max(simulation.waves.values(), default=0))]
    for name, number in sorted(simulation.waves.items()):
        found[number - 1].append(name)
    lines: list[str] = []
    if found != wanted:
        lines += ["the waves differ (- expected, + simulated):", *_differences(wanted, found)]
        lines += _late(wanted, simulation)
    stuck = simulation.unresolved
    lines += [
        f"{name} is left waiting for {', '.join(stuck[name])}"
        for name in sorted(stuck)
        if name not in expected
    ]
    lines += [
        f"{name} was expected to be left waiting, and isn't"
        for name in expected
        if name not in stuck
    ]
    lines += [f"{' -> '.join(cycle)} is a cycle" for cycle in simulation.cycles]
    lines += simulation.cut_off
    if not simulation.stable:
        lines.append(simulation.problem or "the simulation has not run")
    if lines:
        raise AssertionError("\n".join(lines))


def _names(names: Iterable[str], what: str) -> list[str]:
    found = [*names] if isinstance(names, Iterable) and not isinstance(names, str) else [names]
    if found == [names] or not all(isinstance(name, str) for name in found):
        raise UsageError(
            f"{what} must be a list of resource names, such as ['vpc'] (got {short_repr(names)})"
        )
    return sorted(found)


def _differences(wanted: Sequence[list[str]], found: Sequence[list[str]]) -> Iterator[str]:
    """Yield lines that compare the expected and the simulated waves. A wave that is equal in both
    has one line.
    """
    for number, (one, other) in enumerate(itertools.zip_longest(wanted, found), 1):
        for mark, names in [(" ", one)] if one == other else [("-", one), ("+", other)]:
            if names is not None:
                yield f"  {mark} wave {number}: {', '.join(names) or '(nothing new)'}"


def _late(wanted: Sequence[list[str]], simulation: Simulation) -> list[str]:
    """Return a line for each resource that appeared later than expected, with the values that it
    waited for.
    """
    expected = {name: number for number, names in enumerate(wanted, 1) for name in names}
    return [
        f"  {name} has waited for {', '.join(simulation.waited[name])}"
        for name, number in sorted(simulation.waves.items())
        if number > expected.get(name, number) and simulation.waited.get(name)
    ]
