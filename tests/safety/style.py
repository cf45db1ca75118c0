"""What a style is: a function as people write it, and what is to come of it in each state of its values."""

from __future__ import annotations

__all__ = [
    "ABSENT",
    "FATAL",
    "HELD",
    "INTERRUPTED",
    "KEPT",
    "OPEN",
    "STYLES",
    "UNCHANGED",
    "Style",
    "falls",
    "style",
]

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from crossplane_lite import Unstructured
from tests.safety.plain import make

HELD: Final = "held"
"""Not composed before the value exists, and the condition says that it waits."""

ABSENT: Final = "absent"
"""Not composed before the value exists: the author's own decision."""

INTERRUPTED: Final = "interrupted"
"""An exception ends compose() before the value exists: what was registered before it is composed all the same."""

KEPT: Final = "kept"
"""What exists stays as it is when the value goes."""

FATAL: Final = "fatal"
"""A Fatal result, which changes nothing."""

UNCHANGED: Final = "unchanged"
"""What exists stays as it is when the value goes, whether the result is Fatal or not."""

OPEN: Final = "open"
"""Nothing is said of this; the invariants hold all the same."""


@dataclass(frozen=True)
class Style:
    """A function as people write it.

    Attributes:
        name: Its name in the ids of tests.
        functions: The steps of its pipeline.
        before: What is composed before the value exists: one of the words above for all resources but "vpc", or for
            each name one of them or its spec.
        before_ready: The same where "vpc" is ready without the value.
        lost: What becomes of existing resources when the value goes.
        is_answer: Whether the absence of what it reads is an answer on a ready resource: then plain Python says what
            comes of it.
        is_number: Whether it raises for a missing number, whose absence on a ready resource may be an answer: then
            nothing may change, and whether the result is Fatal isn't said.
        wrong: FATAL where a model refuses a value of a wrong type, OPEN where plain Python doesn't say its effect.
        open: Other cells of which nothing is said, by state and readiness: `gone-Ready`.
        heals: How many reconciles it takes until all is as before once the value is back: two where a resource is made
            from the composite's own status, which is that of the last reconcile.
    """

    name: str
    functions: tuple[Callable[[Any], Any], ...]
    before: Any
    before_ready: Any = None
    lost: str = KEPT
    is_answer: bool = False
    is_number: bool = False
    wrong: str = ""
    open: tuple[str, ...] = ()
    heals: int = 1


STYLES: Final[dict[str, Style]] = {}


def style(before: Any, *, kind: str = "VPC", **options: Any) -> Callable[[Any], Any]:
    """Register a style.

    Args:
        before: As in `Style`.
        kind: The kind of "vpc": VPC is typed, others aren't.
        options: The other attributes of `Style`.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__.strip("_")
        assert name not in STYLES, name
        STYLES[name] = Style(name, (_compose(function, kind),), before, **options)
        return function

    return decorate


def falls(*, kind: str = "VPC", answer: bool = False, lost: str = KEPT, wrong: str = "", **spec: Any) -> Any:
    """Register a style that composes "s" with this spec before the value exists."""
    return style({"s": spec}, kind=kind, is_answer=answer, lost=lost, wrong=wrong)


def _compose(function: Callable[..., Any], kind: str) -> Callable[[Any], Any]:
    names = list(inspect.signature(function).parameters)

    def compose(ctx: Any) -> Any:
        given: dict[str, Any] = {"ctx": ctx}
        if "xr" in names:
            given["xr"] = ctx.composite(Unstructured)
        vpc = make(ctx, "vpc", kind, cidr="10.0.0.0/16", region="eu")
        given["vpc"] = vpc
        if "status" in names:
            given["status"] = vpc.observed.status
        return function(*[given[name] for name in names])

    compose.__name__ = compose.__qualname__ = function.__name__
    return compose
