"""What still waits in the end."""

from __future__ import annotations

from typing import Any

from crossplane_lite._tools.simulate.waits import Waits, cycles_in, unresolved_in
from crossplane_lite.composition import Dependency

XR: dict[str, Any] = {"status": {"there": 1}}


def waits(waiting: dict[str, list[str]], *dependencies: tuple[str, str, str]) -> Waits:
    """Return who waits for what."""
    reasons = {name: dict.fromkeys(paths, "no reason") for name, paths in waiting.items()}
    return Waits(reasons, sorted(Dependency(*one) for one in dependencies), {}, set())


def test_reasons() -> None:
    """A reason that the simulation knows comes before the function's."""
    never = {"a.x": "no such field", "c.x": "neither"}
    found = unresolved_in(waits({"b": ["a.x", "a.y"], "held": []}), never, {}, XR)
    assert found == {"b": ["a.x (no such field)", "a.y (no reason)"], "held": ["another step of the pipeline"]}


def test_what_a_function_does_not_say() -> None:
    """What needs a value that never comes is named where it is missing in the end, and only then."""
    never = {"a.x": "no such field"}
    needed = [("b", "a", "a.x"), ("c", "a", "a.x"), ("c", "a", "a.y"), ("xr.status.there", "a", "a.x")]
    needed += [("xr.status.missing", "a", "a.x"), ("required.key", "a", "a.x"), ("xr.status..", "a", "a.x")]
    found = unresolved_in(waits({}, *needed), never, {"b": {}}, XR)
    assert list(found) == ["c", "required.key", "xr.status..", "xr.status.missing"]
    assert set(map(tuple, found.values())) == {("a.x (no such field)",)}


def test_cycles() -> None:
    """Resources that wait for each other are found, through the composite too; chains and loners aren't."""
    assert cycles_in(waits({"a": ["b.x"], "b": ["c.x"], "c": []}), XR) == []
    assert cycles_in(waits({"a": ["b.x"], "b": ["c.x", "a"], "d": ["e.x"], "e": ["d.x"]}), XR) == [
        ["a", "b"],
        ["d", "e"],
    ]
    assert cycles_in(waits({"a": ["a.x"]}), XR) == []
    through = [("xr.status.missing", "b", "b.x"), ("xr.status.there", "b", "b.x")]
    assert cycles_in(waits({"a": ["xr.status.missing"], "b": ["a.x"]}, *through), XR) == [
        ["a", "b", "xr.status.missing"]
    ]
    assert cycles_in(waits({"a": ["xr.status.there"], "b": ["a.x"]}, *through), XR) == []
