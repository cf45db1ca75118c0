"""Asking for the OpenAPI schemas of kinds, and checking the composite's status against its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ...errors import MissingExtraError
from .. import codec
from ..schemas.translate import SchemaError
from .requirements import SchemaSelector

if TYPE_CHECKING:
    from ..schemas.schema import FieldError, Schema
    from .call import Call

_REASON: Final = "InvalidResource"
_MOST_RESULTS: Final = 50


def schema_of(call: Call, api_version: str, kind: str, key: str | None = None) -> Schema:
    """Ask for a schema, and return it; the schema is empty until Crossplane has answered.

    The default of `key` is the one under which this call asks for the schema already, else
    `apiVersion/kind`. Raises UsageError for a wrong argument, and WireError for a malformed schema.
    """
    selector = SchemaSelector(api_version=api_version, kind=kind)
    if key is None:
        key = call.requirements.key_of(selector)
    call.requirements.schemas[key] = selector
    schema = call.required_schemas.answer(key)
    schema.wanted = (api_version, kind)
    return schema


def check_status(call: Call) -> None:
    """Add a fatal result for each mistake in the composite's status, if compose() asks for the
    composite's schema.

    The API server refuses a status with a mistake in every reconcile. Mistakes of previous steps
    don't count. Neither do missing fields, which the next steps may set. Nothing is checked if the
    extra `schemas` isn't installed, or if compose() used missing values as plain ones: then the
    status may be right once they exist, and they wouldn't come to exist after a fatal result.
    compose() has returned before. Raises WireError if the schema is malformed.
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
        errors = [
            one for one in schema.validate(composite) if (one.path, one.problem) not in before
        ]
    except (MissingExtraError, SchemaError) as error:
        call.log.debug("the composite's status isn't checked: %s", error)
        return
    for text in _texts(errors):
        call.log.error("%s", text)
        call.results.fatal(text, reason=_REASON)


def _texts(errors: list[FieldError]) -> list[str]:
    texts = [str(error) for error in errors[:_MOST_RESULTS]]
    more = len(errors) - _MOST_RESULTS
    return [*texts, f"and {more} more fields are wrong"] if more > 0 else texts
