"""What functions tell of who waits."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import composition
from crossplane_lite.proto.v1 import run_function_pb2 as fnv1
from crossplane_lite.render.told import HELD_BACK_KEY, Wait, held_back, waits
from crossplane_lite.unstructured import Unstructured
from tests.support import request

Z = "z is observed, isn't Ready and doesn't have it"


def conditions(*messages: str, type: str = "DependenciesResolved") -> Any:
    """Return something with the conditions of an answer."""
    return fnv1.RunFunctionResponse(conditions=[fnv1.Condition(type=type, message=message) for message in messages])


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("Every dependency of f is resolved.", []),
        (f"a waits for z.b ({Z})", [Wait("a", "z.b", Z)]),
        ("a waits for z.b (x; y); c waits for d (e)", [Wait("a", "z.b", "x; y"), Wait("c", "d", "e")]),
        ("a is held back by another step; b waits for c (d)", [Wait("a", "", ""), Wait("b", "c", "d")]),
        ("a waits for b (c); and 3 more", [Wait("a", "b", "c")]),
        ("", []),
    ],
)
def test_lines(message: str, wanted: list[Wait]) -> None:
    """A line of the condition is what waits, for what, and why, also where the reason has a semicolon."""
    assert list(waits(conditions(message))) == wanted
    assert list(waits(conditions(message, type="DependenciesResolved-second"))) == wanted
    assert list(waits(conditions(message, type="DependenciesResolvedOtherwise"))) == []


def test_what_a_function_says() -> None:
    """What a real answer says is read."""

    @composition.function
    def compose(ctx: composition.Context) -> None:
        a = ctx.resource("a", Unstructured("e.org/v1", "A"))
        ctx.resource("b", Unstructured("e.org/v1", "B", spec={"id": a.observed.status.id}))

    response = fnv1.RunFunctionResponse.FromString(compose.run(request()))
    assert list(waits(response)) == [Wait("b", "a.status.id", "a isn't observed yet")]


@pytest.mark.parametrize(
    ("entry", "wanted"),
    [({"f": ["b", "a"], "g": ["c"]}, ["b", "a", "c"]), ({"f": [1, "a"], "g": "x"}, ["a"]), (None, []), ("", [])],
)
def test_held_back(entry: Any, wanted: list[str]) -> None:
    """The names of all steps are found, and anything else counts as none."""
    assert list(held_back(entry)) == wanted
    assert HELD_BACK_KEY == "crossplane-lite/held-back"
