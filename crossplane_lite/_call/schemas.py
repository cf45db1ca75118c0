"""Asking for the OpenAPI schemas of kinds, and checking all registered resources against them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from .._validation.check import library
from ..proto import _view
from .requirements import SchemaSelector

if TYPE_CHECKING:
    from .._validation.schema import FieldError, Schema
    from .call import Call

__all__ = ["schema_of", "validate_desired"]

_REASON: Final = "InvalidResource"
_MOST_RESULTS: Final = 50


def schema_of(call: Call, api_version: str, kind: str, key: str | None = None) -> Schema:
    """Ask for a schema, and return it; the schema is empty until Crossplane has answered.

    Args:
        call: The call.
        api_version: The kind's apiVersion.
        kind: The kind.
        key: The requirement's key. None stands for the key under which this call already asks for the schema, else for
            `apiVersion/kind`.

    Raises:
        UsageError: `api_version` or `kind` is empty or isn't a string, or `key` isn't a string.
        WireError: The schema that Crossplane has sent is malformed.
    """
    selector = SchemaSelector(api_version=api_version, kind=kind)
    if key is None:
        key = call.requirements.key_of(selector)
    call.requirements.schemas[key] = selector
    schema = call.required_schemas.answer(key)
    schema.wanted = (api_version, kind)
    return schema


def validate_desired(call: Call, *, fatal: bool, warning: bool) -> list[FieldError]:
    """Ask for the schemas of all registered resources, and check the resources whose schemas have arrived.

    The errors can become results: one for each of the first 50 errors, and one with the number of all others.

    Args:
        call: The call.
        fatal: Whether the errors become Fatal results.
        warning: Whether the errors become Warnings, once all schemas have arrived. It has no effect if `fatal` is true.

    Returns:
        All errors.

    Raises:
        MissingExtraError: The extra `schemas` isn't installed.
        SchemaError: A schema can't be used.
    """
    library()  # if the validator isn't installed, that shows now and not when the first schema comes
    errors: list[FieldError] = []
    complete = True
    for model in call.resources.values():
        schema = schema_of(call, model.apiVersion, model.kind)
        complete = complete and schema.answered
        errors += schema.validate(model)
    if fatal:
        for text in _texts(errors):
            call.results.fatal(text, reason=_REASON)
    elif warning and complete:
        _warn(call, errors)
    return errors


def _texts(errors: list[FieldError]) -> list[str]:
    texts = [str(error) for error in errors[:_MOST_RESULTS]]
    more = len(errors) - _MOST_RESULTS
    return [*texts, f"and {more} more fields are wrong"] if more > 0 else texts


def _warn(call: Call, errors: list[FieldError]) -> None:
    """Report errors as Warnings if they weren't reported before: a function must not warn in every call.

    A condition of the composite remembers the texts. Its type ends with the step's name: if two steps wrote the same
    condition in turn, Crossplane would reconcile for ever. If the caller doesn't support conditions, the errors are
    only logged. An Operation has no conditions, so all errors are reported.
    """
    texts = _texts(errors)
    if not call.supports(_view.CAPABILITY_CONDITIONS):  # then nothing remembers the texts, and they are only logged
        for text in texts:
            call.log.warning("%s", text)
        return
    if not call.in_operation:  # an Operation has no conditions, and runs once
        type_ = "DesiredStateValid-" + re.sub("[^A-Za-z0-9_.-]+", "-", call.step).strip("-_.")
        before = call.observed_condition(type_)
        if not errors and before is None:
            return
        message = call.show("; ".join(texts)) or "Every composed resource fits its schema."
        call.conditions.set(type_, not errors, _REASON if errors else "Valid", message)
        if before is not None and before.get("message") == message:
            return
    for text in texts:
        call.results.warning(text, reason=_REASON)
