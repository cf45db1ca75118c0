"""Who waits for what, as responses say it."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite._tools.render.pipeline import Step
from crossplane_lite._tools.render.reconcile import render
from crossplane_lite._tools.simulate.waits import Waits, owner_of, waits_of
from tests.render.scripted import Scripted
from tests.simulate.simulating import XR


def said(entry: Any, message: str = "") -> Waits:
    """Return who waits for what where a function leaves this in the context, and says that in its condition."""

    def script(request: Any, response: Any) -> None:
        response.conditions.add(type="DependenciesResolved", status=3, reason="Waiting", message=message)
        response.context.update({"crossplane-lite/held-back": entry})

    return waits_of(render(XR, [Step("a", "f")], {"f": Scripted(script)}))


ENTRY = {
    "held": ["a", "a b", "c"],
    "waits": [
        {"name": "a", "of": "vpc", "path": "vpc.status.id", "why": "vpc isn't observed yet; so it is"},
        {"name": "a b", "of": "", "path": "(text)", "why": "cut"},
        {"name": "xr.status.x", "of": "vpc", "path": "vpc.status.id", "why": "vpc isn't observed yet"},
        {"name": "required.r", "of": "vpc", "path": "vpc.status.id", "why": "vpc isn't observed yet"},
    ],
    "cutOff": [{"name": "d", "why": "no"}],
}


def test_what_waits() -> None:
    """What resources wait for is read, what is held back and what can't be had; fields aren't resources."""
    waits = said({"step": ENTRY})
    assert waits.waiting == {
        "a": {"vpc.status.id": "vpc isn't observed yet; so it is"},
        "a b": {"(text)": "cut"},
        "c": {},
    }
    assert (waits.held, waits.cut_off) == ({"a", "a b", "c"}, {"d"})


@pytest.mark.parametrize(
    "message", ["", "step: e waits for vpc.status.id (vpc isn't observed yet)", "step: d can't be had"]
)
def test_messages_are_not_read(message: str) -> None:
    """What a condition says for people is nobody's data."""
    assert said({"step": ENTRY}, message) == said({"step": ENTRY})
    assert said({}, message).waiting == {}


@pytest.mark.parametrize("entry", [None, 1, "x", ["a"], {"s": 1}, {"s": "abc"}, {"s": [1, None, "held"]}])
def test_context(entry: Any) -> None:
    """What is held back stands in the context, in earlier releases as names alone; anything else is passed over."""
    held = said(entry).waiting
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
