"""The types of a reconcile's result, and the errors that a failed reconcile raises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from ...errors import CrossplaneLiteError
from ..manifests import api_versions

if TYPE_CHECKING:
    from .observing import Seen
    from .pipeline import Runner, Step


class Result(NamedTuple):
    """An event that Crossplane emits: for a function's result that isn't fatal, or for another
    reason.

    Attributes:
        severity: The type of the event: `Normal` or `Warning`.
        reason: The event's reason. If the function gives none, it is `ComposeResources`. For an
            Operation it is always `RunPipelineStep`.
        message: The event's message. For a function's result, it names the step.
        step: The step's name; empty for an event that isn't a function's result.
    """

    severity: str
    reason: str
    message: str
    step: str


class StepRun(NamedTuple):
    """The run of one step of a reconcile. It can need several calls of the function, until its
    requirements are stable.

    Attributes:
        step: The step.
        runner: The object that called the step's function.
        request: The bytes of the last request.
        response: The bytes of the last response.
        calls: The number of calls of the function.
        seen: The record of compose() in the last call, if the function ran in this process.
    """

    step: Step
    runner: Runner
    request: bytes
    response: bytes
    calls: int
    seen: Seen | None = None


class Rendered(NamedTuple):
    """The result of one reconcile.

    Attributes:
        composite: The composite resource after the reconcile, with its new status and conditions.
        composed: The composed resources as Crossplane applies them, sorted by composition resource
            name, which is the key.
        ready: Whether each composed resource is ready, by composition resource name.
        deleted: The resources that Crossplane deletes, by composition resource name: the composite
            controls them, and the functions no longer desire them.
        results: The functions' results, in order.
        context: The pipeline's context after the last step.
        connection_details: The content of the composite's connection Secret.
        steps: The run of each step. Empty if no function was called.
        notes: Remarks for the user: likely mistakes, and changes that Crossplane makes silently.
        legacy: Whether the composite is of Crossplane 1, according to its XRD.
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


def cut_off(rendered: Rendered) -> list[str]:
    """Return a line for each step whose compose() ended early, because a value is missing."""
    return [
        f"step {run.step.name}: compose() ended early, and nobody knows what it composes beyond:"
        f" {run.seen.error}"
        for run in rendered.steps
        if run.seen is not None and run.seen.error
    ]


class RenderError(CrossplaneLiteError, RuntimeError):
    """A reconcile failed: Crossplane would apply nothing, delete nothing, and try again.

    Attributes:
        step: The name of the step that failed; None if the failure isn't of a single step.
        composite: The composite resource (or the Operation) as Crossplane stores it after the
            failure, with conditions that report it; None if the failure was before the first step.
        steps: The runs of the steps until the failure. The failed step is included if its function
            responded.
        results: The functions' results until the failure.
    """

    def __init__(self, message: str, step: str | None = None) -> None:
        super().__init__(message)
        self.step = step
        self.composite: dict[str, Any] | None = None
        self.steps: Sequence[StepRun] = ()
        self.results: Sequence[Result] = ()


class NoAnswerError(RenderError):
    """A reconcile failed because a function can't be called, doesn't respond in time, or its
    response is malformed.
    """


class FatalResultError(RenderError):
    """A reconcile failed because a function returned a fatal result."""


class InvalidResourceError(RenderError):
    """Resources that functions desire, or will desire once missing values are there, don't fit the
    schemas of kinds.

    Attributes:
        errors: A message for each mistake: the resource's name and the field's path, the mistake,
            and the schema.
    """

    def __init__(self, errors: Sequence[str]) -> None:
        super().__init__("; ".join(errors))
        self.errors = errors


class InvalidStatusError(RenderError):
    """A reconcile failed because the desired status of the composite doesn't fit the schema of the
    composite's kind.

    The API server refuses such a status in every reconcile, after Crossplane has applied the
    composed resources.

    Attributes:
        errors: A message for each mistake: the field's path (`xr.status.x`), the mistake, and the
            schema.
        rendered: The result of the reconcile; None if a function was called without a reconcile.
            Its composite has its old status, because Crossplane stores no other.
    """

    def __init__(self, message: str, step: str | None = None) -> None:
        super().__init__(message, step)
        self.errors: Sequence[str] = ()
        self.rendered: Rendered | None = None

    @classmethod
    def of(cls, errors: Sequence[str], rendered: Rendered | None = None) -> InvalidStatusError:
        """Return the error for these mistakes. Its text begins as Crossplane's does."""
        error = cls(f"cannot apply composite resource status: {'; '.join(errors)}")
        error.errors, error.rendered = errors, rendered
        return error


@contextmanager
def api_versions_checked() -> Iterator[None]:
    """Turn an ApiVersionError in the block into a RenderError, with which the reconcile fails.

    Raises:
        RenderError: The code in the block has met a string that isn't an apiVersion.
    """
    try:
        yield
    except api_versions.ApiVersionError as error:
        raise RenderError(str(error)) from None


def split_api_version(api_version: str) -> tuple[str, str]:
    """Return the group and the version of an apiVersion, such as `apps` and `v1` for `apps/v1`.

    The group is an empty string for the core group, as in `v1`.

    Raises:
        RenderError: `api_version` has more than one slash.
    """
    with api_versions_checked():
        return api_versions.split_api_version(api_version)
