"""Who waits for what, as responses say it."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite.render.pipeline import Step
from crossplane_lite.render.reconcile import render
from crossplane_lite.simulate.waits import Waits, owner_of, waits_of
from tests.render.scripted import Scripted
from tests.simulate.simulating import XR


def said(message: str, context: dict[str, Any] | None = None, type_: str = "DependenciesResolved") -> Waits:
    """Return who waits for what where a function says this."""

    def script(request: Any, response: Any) -> None:
        response.conditions.add(type=type_, status=3, reason="WaitingForDependencies", message=message)
        if context is not None:
            response.context.update(context)

    return waits_of(render(XR, [Step("a", "f")], {"f": Scripted(script)}))


def test_lines() -> None:
    """Each line of the condition is read, reasons with semicolons and names with spaces too."""
    message = (
        "a waits for vpc.status.id (vpc isn't observed yet); a b waits for (text) (the text was cut, or kept from an "
        "earlier call; use apply() to compute with it); c is held back by another step; d can't be had; and 3 more"
    )
    assert said(message).waiting == {
        "a": {"vpc.status.id": "vpc isn't observed yet"},
        "a b": {"(text)": "the text was cut, or kept from an earlier call; use apply() to compute with it"},
        "c": {},
    }
    assert said(message, type_="DependenciesResolved-second").waiting
    assert said(message, type_="DependenciesResolvedNot").waiting == {}


@pytest.mark.parametrize(
    "message", ["", "; ; ", " waits for ", "a waits for ()", "a waits for b (", "\n; waits for x (y)"]
)
def test_other_texts(message: str) -> None:
    """A condition of another function of that type is no error."""
    assert said(message).dependencies == []


@pytest.mark.parametrize("entry", [None, 1, "x", ["a"], {"s": 1}, {"s": "abc"}, {"s": [1, None, "held"]}])
def test_context(entry: Any) -> None:
    """What is held back stands in the context; anything else under its key is passed over."""
    held = said("", {"crossplane-lite/held-back": entry}).waiting
    assert held == ({"held": {}} if entry == {"s": [1, None, "held"]} else {})


def test_owners() -> None:
    """A path belongs to the longest name that it begins with, up to a dot or a bracket."""
    names = {"a", "a.b", "ab", "x y"}
    assert owner_of("a.b.status", names) == ("a.b", ".status")
    assert owner_of("a.c", names) == ("a", ".c")
    assert owner_of("a[0]", names) == ("a", "[0]")
    assert owner_of("abc.d", names) is None
    assert owner_of("ab", names) == ("ab", "")
    assert owner_of("x y.status", names) == ("x y", ".status")
    assert owner_of("", names) is None
