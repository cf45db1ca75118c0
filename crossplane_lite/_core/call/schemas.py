"""Asking for the OpenAPI schemas of kinds, and checking the desired state against them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ...errors import MissingExtraError
from ...proto import _view
from .. import codec
from ..schemas.check import library
from ..schemas.translate import SchemaError
from .requirements import SchemaSelector

if TYPE_CHECKING:
    from ..schemas.schema import FieldError, Schema
    from .call import Call

_REASON: Final = "InvalidResource"
_MOST_RESULTS: Final = 50


def schema_of(call: Call, api_version: str, kind: str, key: str | None = None) -> Schema:
    """Ask for a schema, and return it; the schema is empty until Crossplane has answered.

    The default of `key` is the one under which this call asks for the schema already, else `apiVersion/kind`. Raises
    UsageError for a wrong argument, and WireError for a malformed schema.
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

    The errors can become results: one for each of the first 50 errors, and one with the number of all others. The
    schema of the composite is asked for, too: `check_status` uses it when compose() has ended. Warnings come once all
    schemas have arrived, and not if `fatal` is true. Raises MissingExtraError without the extra `schemas`, and
    SchemaError if a schema can't be used.
    """
    library()  # if the validator isn't installed, that shows now and not when the first schema comes
    errors: list[FieldError] = []
    complete = True
    for model in call.resources.values():
        schema = schema_of(call, model.apiVersion, model.kind)
        complete = complete and schema.answered
        errors += schema.validate(model)
    composite = call.composite
    if composite is not None and not call.in_operation:
        complete = schema_of(call, composite.apiVersion, composite.kind).answered and complete
    if fatal:
        for text in _texts(errors):
            call.results.fatal(text, reason=_REASON)
    elif warning and complete:
        _warn(call, errors)
    return errors


def check_status(call: Call) -> None:
    """Add a fatal result for each mistake in the composite's status, if compose() asks for the composite's schema.

    The API server refuses a status with a mistake in every reconcile. Mistakes of previous steps don't count. Neither
    do missing fields, which the next steps may set. Nothing is checked if the extra `schemas` isn't installed, or if
    compose() used missing values as plain ones: then the status may be right once they exist, and they wouldn't come to
    exist after a fatal result. compose() has returned before. Raises WireError if the schema is malformed.
    """
    composite = call.composite
    if composite is None or "status" not in composite.__dict__ or call.guesses:
        return
    selector = SchemaSelector(api_version=composite.apiVersion, kind=composite.kind)
    schema = call.required_schemas.get(call.requirements.key_of(selector))
    if not schema:
        return
    inherited = {"apiVersion": composite.apiVersion, "kind": composite.kind}
    if composite._state is not None:
        inherited["status"] = codec.get_path(composite._state.base or b"", ("status",), {})
    try:
        before = {(one.path, one.problem) for one in schema.validate(inherited)}
        errors = [one for one in schema.validate(composite) if (one.path, one.problem) not in before]
    except (MissingExtraError, SchemaError) as error:
        call.log.debug("the composite's status isn't checked: %s", error)
        return
    for text in _texts(errors):
        call.results.fatal(text, reason=_REASON)


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
