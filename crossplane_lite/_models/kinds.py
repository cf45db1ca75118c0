"""Checks that an object has the group and the kind that a model class is for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import _wire
from .._base.api_version import group_of
from .._base.type_names import articled
from ..errors import UsageError
from .resource import Resource

__all__ = ["check_class", "check_kind", "check_same_kind"]


def check_class(model: object, what: str) -> None:
    """Check that an argument is a class of resources.

    `what` is the name of the called function. Raises UsageError.
    """
    if not (isinstance(model, type) and issubclass(model, Resource)):
        raise UsageError(
            f"{what} takes the class of a resource: a generated model, or Unstructured for any kind (got {model!r:.80})"
        )


def check_kind(model: type[Resource], fields: Mapping[str, bytes], where: str) -> None:
    """Check that an object has the group and kind of a model class. Its version may differ.

    A class for all kinds, such as `Unstructured`, accepts every object. Raises UsageError.
    """
    if not model._fixed or _has_head(model, fields):
        return
    fixed: Any = model
    found = _other(fixed.apiVersion, fixed.kind, fields)
    if found:
        raise UsageError(
            f"{where} is {found}, and the class {model.__name__} is for {fixed.kind} of {fixed.apiVersion}: "
            "use the class of its kind"
        )


def check_same_kind(instance: Resource, fields: Mapping[str, bytes], where: str) -> None:
    """Check that an object has the group and kind of an instance, which may be one of `Unstructured`.

    Its version may be another one. Raises UsageError.
    """
    if instance._fixed and _has_head(type(instance), fields):
        return
    found = _other(instance.apiVersion, instance.kind, fields)
    if found:
        new = articled(str(instance.kind), str(instance.apiVersion))
        raise UsageError(f"{where} is {found}, and the new one is {new}: give the new resource another name")


def _has_head(model: type[Resource], fields: Mapping[str, bytes]) -> bool:
    """Return whether an object's apiVersion and kind are encoded as those of a model class, as they usually are."""
    head = model._head_fields
    return fields.get("apiVersion") == head["apiVersion"] and fields.get("kind") == head["kind"]


def _other(api_version: Any, kind: Any, fields: Mapping[str, bytes]) -> str:
    """Return an object's kind and apiVersion in words, such as `a Bucket of v1`; empty if group and kind fit."""
    found = []
    for key in ("apiVersion", "kind"):
        value = fields.get(key)
        found.append("" if value is None else str(_wire.open_value(value)[1]))
    found_version, found_kind = found
    if found_kind == kind and group_of(found_version) == group_of(str(api_version)):
        return ""
    return articled(found_kind or "(no kind)", found_version or "(no apiVersion)")
