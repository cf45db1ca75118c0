"""Checking everything that compose() has registered against the schemas of its kinds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from .._answer import report
from .._validation.check import library
from ..proto import _view

if TYPE_CHECKING:
    from .._validation.schema import FieldError
    from ..context import Context

__all__ = ["validate_desired"]

_REASON: Final = "InvalidResource"
_MOST_RESULTS: Final = 50


def validate_desired(ctx: Context, *, fatal: bool, warning: bool) -> list[FieldError]:
    """Ask for the schemas of all registered kinds, and check the resources whose schema has come.

    Args:
        ctx: The call.
        fatal: Whether each error is to be a Fatal result.
        warning: Whether each error is to be a Warning.
    """
    library()  # that it is missing had better not come to light only when the first schema does
    errors: list[FieldError] = []
    complete = True
    for model in ctx.resources.values():
        schema = ctx.schema(model.apiVersion, model.kind)
        complete = complete and schema.answered
        errors += schema.validate(model)
    if fatal:
        for text in _texts(errors):
            ctx.results.fatal(text, reason=_REASON)
    elif warning and complete:
        _warn(ctx, errors)
    return errors


def _texts(errors: list[FieldError]) -> list[str]:
    texts = [str(error) for error in errors[:_MOST_RESULTS]]
    more = len(errors) - _MOST_RESULTS
    return [*texts, f"and {more} more fields are wrong"] if more > 0 else texts


def _warn(ctx: Context, errors: list[FieldError]) -> None:
    """Report errors as Warnings, but only when they are news: a function must not warn in every call.

    What was known before is in a condition of the composite. It has the step's name, because two steps that write one
    condition in turn would keep Crossplane reconciling.
    """
    texts = _texts(errors)
    if not ctx._supports(_view.CAPABILITY_CONDITIONS):  # so that nobody knows what is news
        for text in texts:
            ctx.log.warning("%s", text)
        return
    if not ctx.in_operation:  # which has no conditions, and is run once
        type_ = "DesiredStateValid-" + re.sub("[^A-Za-z0-9_.-]+", "-", ctx._function.step(ctx)).strip("-_.")
        before = report.observed_condition(ctx, type_)
        if not errors and before is None:
            return
        message = ctx._call.show("; ".join(texts)) or "Every composed resource fits its schema."
        ctx.conditions.set(type_, not errors, _REASON if errors else "Valid", message)
        if before is not None and before.get("message") == message:
            return
    for text in texts:
        ctx.results.warning(text, reason=_REASON)
