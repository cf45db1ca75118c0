"""The result of one reconcile, and its failure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import CrossplaneLiteError

if TYPE_CHECKING:
    from .pipeline import Runner, Step

__all__ = ["FatalResultError", "NoAnswerError", "RenderError", "Rendered", "Result", "StepRun"]


class Result(NamedTuple):
    """A result that isn't fatal, as the event that Crossplane makes of it.

    Attributes:
        severity: `Normal` or `Warning`, the type of the event.
        reason: The event's reason; `ComposeResources` where the function gave none.
        message: The event's message, which begins with the step's name.
        step: The step's name; empty for a warning of Crossplane's own.
    """

    severity: str
    reason: str
    message: str
    step: str


class StepRun(NamedTuple):
    """How one step went.

    Attributes:
        step: The step.
        runner: Who ran it.
        request: The bytes of the last request.
        response: The bytes of the last response.
        calls: How often the function was called until its requirements were stable.
    """

    step: Step
    runner: Runner
    request: bytes
    response: bytes
    calls: int


class Rendered(NamedTuple):
    """The result of one reconcile.

    Attributes:
        composite: The composite resource afterwards: the given one, with the new status and its conditions.
        composed: The composed resources as they are applied, by composition resource name, sorted.
        ready: Whether each of them is ready.
        deleted: Observed resources that are not desired any more, by composition resource name: Crossplane deletes
            them.
        results: The functions' results, in order.
        context: The pipeline's context after the last step.
        connection_details: The content of the composite's connection secret.
        steps: How each step went.
        notes: Silent actions of Crossplane, and likely mistakes.
        legacy: Whether the composite is one of Crossplane 1, as its XRD says.
    """

    composite: dict[str, Any]
    composed: dict[str, dict[str, Any]]
    ready: dict[str, bool]
    deleted: dict[str, dict[str, Any]]
    results: list[Result]
    context: dict[str, Any]
    connection_details: dict[str, bytes]
    steps: list[StepRun]
    notes: Sequence[str] = ()
    legacy: bool = False


class RenderError(CrossplaneLiteError, RuntimeError):
    """A reconcile failed: Crossplane would apply nothing, delete nothing, and try again.

    Attributes:
        step: The name of the step where it failed, None where it was not in a step.
        composite: The composite resource as Crossplane leaves it then, with the conditions that say so; None where
            it didn't come to that.
        steps: How the steps went until then, the failed one included where it gave an answer.
        results: The functions' results until then.
    """

    def __init__(self, message: str, step: str | None = None) -> None:
        super().__init__(message)
        self.step = step
        self.composite: dict[str, Any] | None = None
        self.steps: Sequence[StepRun] = ()
        self.results: Sequence[Result] = ()


class NoAnswerError(RenderError):
    """A function could not be called, or gave no answer that can be read."""


class FatalResultError(RenderError):
    """A function returned a fatal result."""
