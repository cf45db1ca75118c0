"""The types of a reconcile's result, and the errors that a failed reconcile raises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import CrossplaneLiteError

if TYPE_CHECKING:
    from .pipeline import Runner, Step

__all__ = ["FatalResultError", "NoAnswerError", "RenderError", "Rendered", "Result", "StepRun"]


class Result(NamedTuple):
    """The event that Crossplane makes of a function's result that isn't fatal.

    Attributes:
        severity: `Normal` or `Warning`, the type of the event.
        reason: The event's reason; `ComposeResources` where the function gives none. For an Operation it is always
            `RunPipelineStep`.
        message: The event's message, which names the step.
        step: The step's name; empty for an event of Crossplane's own.
    """

    severity: str
    reason: str
    message: str
    step: str


class StepRun(NamedTuple):
    """The run of one step: all calls of its function in a reconcile.

    Attributes:
        step: The step.
        runner: The runner of the step's function.
        request: The bytes of the last request.
        response: The bytes of the last response.
        calls: The number of calls of the function.
    """

    step: Step
    runner: Runner
    request: bytes
    response: bytes
    calls: int


class Rendered(NamedTuple):
    """The result of one reconcile.

    Attributes:
        composite: The composite resource after the reconcile, with its new status and conditions.
        composed: The composed resources as they are applied, by composition resource name, sorted.
        ready: Whether each composed resource is ready, by composition resource name.
        deleted: The observed resources that aren't desired any more, by composition resource name. Crossplane deletes
            them.
        results: The functions' results, in order.
        context: The pipeline's context after the last step.
        connection_details: The content of the composite's connection secret.
        steps: The run of each step.
        notes: Remarks for people: likely mistakes, and changes that Crossplane makes silently.
        legacy: Whether the composite is of Crossplane 1, as its XRD says.
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
        step: The name of the step that failed; None where no single step failed.
        composite: The composite resource as Crossplane stores it after the failure, with conditions that tell of the
            failure; None where the pipeline hadn't begun.
        steps: The runs of the steps until the failure. The failed step is among them if its function gave an answer.
        results: The functions' results until the failure.
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
