"""Is an object of the group and kind that a model is for?"""

from __future__ import annotations

from typing import Any

from . import _wire
from .errors import UsageError
from .model import Resource

__all__ = ["check_kind", "check_same_kind", "group_of"]


def group_of(api_version: str) -> str:
    """Return the group of an apiVersion; the core group is the empty text."""
    group, slash, _ = api_version.rpartition("/")
    return group if slash else ""


def check_kind(model: type[Resource], raw: bytes, where: str) -> None:
    """Refuse an object of another group or kind than the model's; the version may differ.

    Raises:
        UsageError: It is another one.
    """
    if not model._fixed:  # Unstructured is for all kinds
        return
    fixed: Any = model
    _compare(fixed.apiVersion, fixed.kind, model.__name__, raw, where)


def check_same_kind(instance: Resource, raw: bytes, where: str) -> None:
    """Refuse to put an instance together with an object of another group or kind.

    Raises:
        UsageError: It is another one.
    """
    fixed: Any = instance
    _compare(fixed.apiVersion, fixed.kind, type(instance).__name__, raw, where)


def _compare(api_version: Any, kind: Any, name: str, raw: bytes, where: str) -> None:
    fields = _wire.split(raw)
    observed = []
    for key in ("apiVersion", "kind"):
        value = fields.get(key)
        observed.append("" if value is None else _wire.open_value(value)[1])
    if observed == [api_version, kind]:
        return
    found_version, found_kind = observed
    if found_kind != kind or group_of(str(found_version)) != group_of(str(api_version)):
        raise UsageError(
            f"{where} is a {found_kind or '(no kind)'} of {found_version or '(no apiVersion)'}, and {name} is for {kind} of {api_version}"
        )
