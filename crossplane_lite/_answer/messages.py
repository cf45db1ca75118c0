"""What people are told: the condition DependenciesResolved and the result with the dependency graph."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from .._models.walker import unresolved_in
from .._observed.conditions import condition_of
from .._observed.observable import Observable, root_of
from ..proto import _view

if TYPE_CHECKING:
    from .._waits.graph import Graph
    from ..context import Context
    from .resources import Wait

__all__ = ["CONDITION", "Report", "waiting_lines"]

CONDITION: Final = "DependenciesResolved"
HELD_BACK_KEY: Final = "crossplane-lite/held-back"
CUT_OFF: Final = " can't be had"
_WAITING: Final = "WaitingForDependencies"
_UNSUPPORTED: Final = "Unsupported"
_FAILED: Final = "ComposeFailed"
_RESOLVED: Final = "AllResolved"
_MOST_LINES: Final = 50


class Report:
    """The condition of a call, and whether the graph is to be shown.

    Attributes:
        type: The condition's type.
        resolved: Its status; None for Unknown.
        reason: Its reason.
        message: Its message.
        changed: Whether the observed composite has another message, so that a result says what is new.
    """

    __slots__ = ("_before", "changed", "message", "reason", "resolved", "type")

    def __init__(self, type_: str, reason: str, message: str, observed: dict[str, Any] | None) -> None:
        self.type = type_
        self.resolved: bool | None = reason == _RESOLVED
        self.reason = reason
        self.message = message
        self._before = before = {} if observed is None else observed
        # After a failed reconcile Crossplane has put its own text there; that nothing else changed would be no news.
        self.changed = before.get("reason") not in ("FatalError", _FAILED) and before.get("message") != self.message

    def fail(self) -> None:
        """compose() did not get to its end: nobody knows whether everything is resolved, and nothing is news."""
        self.changed = False
        if not self.resolved:
            return
        reason = self._before.get("reason")
        if reason in (_WAITING, _UNSUPPORTED):
            self.resolved, self.reason, self.message = False, str(reason), str(self._before.get("message", ""))
        else:
            self.resolved, self.reason, self.message = None, _FAILED, "compose() failed."


def _joined(lines: list[str]) -> str:
    shown = sorted(lines)
    more = len(shown) - _MOST_LINES
    return "; ".join(shown[:_MOST_LINES]) + (f"; and {more} more" if more > 0 else "")


def condition_type(name: str, step: str, others: dict[str, list[str]]) -> str:
    """Return the condition type of a step, another one for each step of a pipeline.

    Args:
        name: The function's name.
        step: The step's identity: the name and a hash of its input.
        others: The entries that earlier steps left in the context.
    """
    if not others:
        return CONDITION
    # The same function may stand in the pipeline more than once. The second time its name is still free, if the first
    # time used the plain type.
    same = sum(other.rpartition("-")[0] == name or other == name for other in others)
    suffix = step if same and len(others) > 1 else name
    return f"{CONDITION}-" + re.sub("[^A-Za-z0-9_.-]+", "-", suffix).strip("-")


def report_for(ctx: Context, waiting: list[str], cut_off: list[str], type_: str) -> Report | None:
    """Return the report of a call; None for a function that has never held anything back, or whose caller knows no
    conditions: then the log says what waits.

    Args:
        ctx: The call.
        waiting: What waits for what.
        cut_off: What won't ever come.
        type_: The condition's type.
    """
    lines = waiting + cut_off
    observed = observed_condition(ctx, type_)
    if not lines and (observed is None or not _is_own(ctx, observed)):
        return None
    # As it will be sent, so that it can be compared with what was sent before.
    message = ctx._call.show(_joined(lines)) if lines else resolved_message(ctx._function.name)
    if not ctx._supports(_view.CAPABILITY_CONDITIONS):
        if lines:
            ctx._uses(_view.CAPABILITY_CONDITIONS)
            ctx.log.info("%s", message)
        return None
    return Report(type_, _WAITING if waiting else _UNSUPPORTED if cut_off else _RESOLVED, message, observed)


def resolved_message(name: str) -> str:
    """Return the condition's message of a function that waits for nothing; it says whose it is."""
    return f"Every dependency of {name} is resolved."


def _is_own(ctx: Context, condition: dict[str, Any]) -> bool:
    """Say whether this function wrote a condition, and not another step of the pipeline that waits."""
    message = str(condition.get("message", ""))
    if condition.get("reason") not in (_WAITING, _UNSUPPORTED):
        return message == resolved_message(ctx._function.name) or condition.get("reason") == "FatalError"
    said = {re.split(f" waits for | is held back|{CUT_OFF}", line)[0] for line in message.split("; ")}
    return not ctx.finished or not said.isdisjoint([*ctx.resources, *(key for key, _ in ctx.asked or ())])


def observed_condition(ctx: Context, type_: str) -> dict[str, Any] | None:
    """Return the condition that the observed composite has."""
    # Most calls end here, at a composite that has been split already and has no status.
    return condition_of(ctx._xr_root.raw, type_) if "status" in ctx._xr_root.fields else None


def waiting_lines(ctx: Context, waiting: dict[str, list[Wait]], held: set[str]) -> list[str]:
    """Return one line for each resource and what it waits for, with why that is not there yet."""
    lines = set()
    for name, waits in waiting.items():
        for wait in waits:
            lines.add(f"{name} waits for {wait.path} ({_why(ctx, wait.source, held)})")
        if not waits:
            lines.add(f"{name} is held back by another step")
    return sorted(lines)


def _why(ctx: Context, source: Observable[Any] | str, held: set[str]) -> str:
    if isinstance(source, str):
        name = source
    else:
        root = root_of(source)
        if root is not None and root.kind == "required":
            return _why_required(ctx, root.name)
        path = source.source_path
        if root is None and path.startswith("("):
            return "the text was cut, or kept from an earlier call; use apply() to compute with it"
        if (root is not None and root.kind == "xr") or (root is None and path.startswith("xr.")):
            return "the composite doesn't have it"
        name = root.name if root is not None else path.partition(".")[0].partition("[")[0]
    if name in held:
        return f"{name} is held back itself"
    observed = ctx._observed.get(name)
    if observed is None:
        known = name in ctx.resources or name in ctx._desired
        return f"{name} isn't observed yet" if known else f"no resource {name!r} is composed"
    if isinstance(source, str):
        return f"{name} isn't ready"
    ready = condition_of(observed.resource, "Ready") or {}
    return (
        f"{name} is Ready and doesn't have it"
        if ready.get("status") == "True"
        else f"{name} is observed, isn't Ready and doesn't have it"
    )


def _why_required(ctx: Context, key: str) -> str:
    if not ctx._supports(_view.CAPABILITY_REQUIRED_RESOURCES):
        return "this Crossplane doesn't support required resources"
    answer = ctx.required_resources.answer(key)
    if answer is None:
        selector = ctx.requirements.resources.get(key)
        if selector is None:
            return "nothing asks for it in this call"
        waits = unresolved_in([text for text in selector.texts() if text is not None], ctx._call)
        if waits:
            return f"it isn't asked for yet: its selector waits for {waits[0].source_path}"
        return "Crossplane hasn't answered yet"
    return "the required resource doesn't have it" if answer else "no such resource exists"


def graph_message(report: Report, graph: Graph | None) -> str:
    """Return the text of the result that shows the graph."""
    if report.resolved or graph is None:
        return report.message
    return f"{report.message}. Dependencies: {_joined(graph.lines())}"
