"""Results that are sent only when their text is news (`on_change=True`)."""

from __future__ import annotations

from typing import Any

from crossplane_lite import composition
from tests.behaviour import samples
from tests.support import run, with_conditions


def told(xr: Any, normal: list[str], warning: list[str], **kwargs: Any) -> tuple[Any, list[tuple[str, str]]]:
    """Return the composite after a call, and what the call said."""
    answer = run(fn, xr=xr, context={"normal": normal, "warning": warning}, **kwargs)
    return with_conditions(xr, answer), answer.results


@composition.function(name="step")
def fn(ctx: Any) -> None:
    """Say what the context has."""
    for text in ctx.context["normal"]:
        ctx.results.normal(text, on_change=True, reason="Said")
    for text in ctx.context["warning"]:
        ctx.results.warning(text, on_change=True)
    ctx.results.normal("always")


def test_a_text_is_sent_once() -> None:
    """A text is sent when it is new, and again when it was away; the same text of another severity is another one."""
    always = ("normal", "always")
    xr, results = told(samples.xr({}, {}), ["a"], [])
    assert results == [("normal", "a"), always]
    xr, results = told(xr, ["a"], [])
    assert results == [always]
    xr, results = told(xr, ["a", "b"], ["a"])
    assert results == [("normal", "b"), ("warning", "a"), always]
    xr, results = told(xr, [], [])
    assert results == [always]
    xr, results = told(xr, ["a"], [])
    assert results == [("normal", "a"), always]


def test_the_condition() -> None:
    """A condition of the step remembers hashes, never the texts; a function that says nothing has none."""
    xr, _ = told(samples.xr({}, {}), ["hunter2"], [])
    (condition,) = xr["status"]["conditions"]
    assert condition["type"] == "ResultsReported-step"
    assert condition["message"].startswith("step: ")
    assert "hunter2" not in str(condition)
    answer = run(fn, xr=samples.xr({}, {}), context={"normal": [], "warning": []})
    assert answer.conditions == {}


def test_without_conditions() -> None:
    """A caller that knows no conditions gets the text every time."""
    capabilities = ["CAPABILITY_CAPABILITIES"]
    _, results = told(samples.xr({}, {}), ["a"], [], capabilities=capabilities)
    assert results == [("normal", "a"), ("normal", "always")]
