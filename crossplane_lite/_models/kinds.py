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

    Args:
        model: The argument.
        what: The name of the called function, for the message.

    Raises:
        UsageError: The argument isn't a subclass of `Resource`.
    """
    if not (isinstance(model, type) and issubclass(model, Resource)):
        raise UsageError(f"{what} takes the class of a resource, such as Unstructured (got {model!r:.80})")


def check_kind(model: type[Resource], fields: Mapping[str, bytes], where: str) -> None:
    """Check that an object has the group and kind of a model class. Its version may differ.

    Args:
        model: The model class. A class for all kinds, such as `Unstructured`, accepts every object.
        fields: The object's top-level fields, each as encoded bytes.
        where: The object's name in the message.

    Raises:
        UsageError: The object has another group or kind.
    """
    if not model._fixed:
        return
    head = model._head_fields
    # Usually the bytes are equal; they differ too where only the version does.
    if fields.get("apiVersion") != head["apiVersion"] or fields.get("kind") != head["kind"]:
        fixed: Any = model
        _compare(fixed.apiVersion, fixed.kind, model.__name__, fields, where)


def check_same_kind(instance: Resource, fields: Mapping[str, bytes], where: str) -> None:
    """Check that an object has the group and kind of an instance, which may be one of `Unstructured`.

    Args:
        instance: The instance. Its version may be another one than the object's.
        fields: The object's top-level fields, each as encoded bytes.
        where: The object's name in the message.

    Raises:
        UsageError: The object has another group or kind.
    """
    if instance._fixed:
        check_kind(type(instance), fields, where)
    else:
        _compare(instance.apiVersion, instance.kind, type(instance).__name__, fields, where)


def _compare(api_version: Any, kind: Any, name: str, fields: Mapping[str, bytes], where: str) -> None:
    found = []
    for key in ("apiVersion", "kind"):
        value = fields.get(key)
        found.append("" if value is None else str(_wire.open_value(value)[1]))
    found_version, found_kind = found
    if found_kind != kind or group_of(found_version) != group_of(str(api_version)):
        raise UsageError(
            f"{where} is {articled(found_kind or '(no kind)', found_version or '(no apiVersion)')}, "
            f"and {name} is for {kind} of {api_version}"
        )
