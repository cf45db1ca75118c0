"""The composite's status in a reconcile: its conditions, its readiness, and its check against the kind's schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..._core.base.texts import json_type_in_words, type_in_words
from ...errors import InputError, MissingExtraError
from ...proto import _view
from ..manifests.objects import some_names, text_of

if TYPE_CHECKING:
    from .rendered import StepRun

__all__ = ["checked_conditions", "conditions_of", "errors_in_status", "readiness_condition"]


def errors_in_status(
    composite: Mapping[str, Any],
    runs: Sequence[StepRun],
    find: Callable[[], Mapping[str, Any] | None],
    where: str,
    notes: list[str],
) -> list[str]:
    """Return a message for each mistake in the status that the functions desire.

    The list is empty if there is no schema of the composite's kind.

    Args:
        composite: The composite.
        runs: The runs of the pipeline's steps.
        find: Returns the schema of the composite's kind; None if there is none.
        where: The schema's place for messages, such as ` in the XRD`.
        notes: A list to which a line is added if the package for the check isn't installed.

    Raises:
        InputError: The XRD is malformed, or a file of schemas can't be read.
        RenderError: The cluster can't read the schema.
    """
    if not runs:
        return []
    is_set = b"status" in _view.RunFunctionResponse.FromString(runs[-1].response).desired.composite.resource
    waits = any(run.seen is not None and run.seen.unresolved for run in runs)
    if not is_set and not waits:  # then no schema needs to be read
        return []
    schema = find()
    if schema is None:
        return []
    from .validation import status_errors

    try:
        return status_errors(composite, runs, schema, where)
    except MissingExtraError as error:
        notes.append(f"the composite's status isn't checked against its schema: {error}")
        return []


def conditions_of(composite: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the conditions of a composite; an empty list if it has none.

    Raises:
        InputError: The status isn't an object, or the conditions are malformed.
    """
    status = composite.get("status")
    if status is not None and not isinstance(status, dict):
        raise InputError(f"the composite's status must be a mapping (got {type_in_words(status)})")
    conditions = (status or {}).get("conditions")
    return [] if conditions is None else checked_conditions(conditions, InputError)


def checked_conditions(conditions: Any, error: type[Exception], which: str = "") -> list[dict[str, Any]]:
    """Return conditions after checking that they are a list, and that each has a type.

    Args:
        conditions: The conditions.
        error: The class of the error that is raised for others.
        which: The composite's description in messages, such as `desired `.
    """
    place = f"the {which}composite's status.conditions"
    if not isinstance(conditions, list):
        raise error(f"{place} must be a list of conditions, each with a type (got {json_type_in_words(conditions)})")
    for number, one in enumerate(conditions):
        if not isinstance(one, dict) or not text_of(one.get("type")):
            raise error(f"{place}[{number}] must be a condition with a type, which is a non-empty string")
    return conditions


def readiness_condition(composite: int, ready: Mapping[str, bool]) -> dict[str, Any]:
    """Return the composite's condition Ready.

    If the functions have set the composite's readiness, it decides. If not, all composed resources must be ready.

    Args:
        composite: The composite's readiness: a value of the enum Ready.
        ready: Whether each composed resource is ready, by name.
    """
    unready = [name for name, is_ready in ready.items() if not is_ready]
    if composite == _view.READY_TRUE or (composite != _view.READY_FALSE and not unready):
        return {"type": "Ready", "status": "True", "reason": "Available"}
    creating = {"type": "Ready", "status": "False", "reason": "Creating"}
    if composite != _view.READY_FALSE:
        creating["message"] = f"Unready resources: {some_names(unready)}"
    return creating
