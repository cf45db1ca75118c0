"""Gives a resource's content another value, field by field: what is equal stays as it is, and keeps
its text.
"""

from __future__ import annotations

from ._text._nodes import copied, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .resource import Resource

__all__ = ["arrange", "settle"]


def settle(
    resource: Resource, holder: dict[str, Any], before: dict[str, Any], after: dict[str, Any]
) -> None:
    """Make the changes between two versions of an object in the object as it is in a resource's
    content.

    What is equal in both versions isn't changed, so it keeps its text. Reserved annotations aren't
    removed.

    Args:
        resource: The resource.
        holder: The object in the content, which is changed.
        before: The object as it was; `holder` itself if `after` is all that counts.
        after: The object as it should be.

    Raises:
        UsageError: The resource can't be changed, or can't hold a value.
    """
    for key in list(before):
        if key not in after and key in holder and not resource._is_guarded(holder, key):
            resource._change(holder, key)
    for key, value in after.items():
        if key not in before or not same(before[key], value):
            found, was = holder.get(key), before.get(key)
            if isinstance(found, dict) and isinstance(was, dict) and isinstance(value, dict):
                settle(resource, found, was, value)
            elif isinstance(found, list) and isinstance(was, list) and isinstance(value, list):
                _settle_list(resource, found, was, value)
            else:
                resource._change(holder, key, copied(value))


def arrange(resource: Resource, holder: Any, content: Any) -> None:
    """Give the fields of an object, and of the objects in it, the order that they have in an equal
    content.
    """
    if isinstance(holder, dict) and isinstance(content, dict):
        if [key for key in holder if key in content] != [key for key in content if key in holder]:
            resource._touch()
            for key in content:
                if key in holder:
                    holder[key] = holder.pop(key)
        for key, one in holder.items():
            arrange(resource, one, content.get(key))
    elif isinstance(holder, list) and isinstance(content, list):
        for one, other in zip(holder, content, strict=False):
            arrange(resource, one, other)


def _settle_list(resource: Resource, found: list[Any], before: list[Any], value: list[Any]) -> None:
    """Make the changes between two versions of a list, as `settle` does; objects that stay keep
    their text.
    """
    from ._text._edit import paired

    made = []
    for one, at in zip(value, paired(before, value), strict=True):
        if (
            at is None
            or at >= len(found)
            or not isinstance(found[at], dict)
            or not isinstance(one, dict)
        ):
            made.append(copied(one))
        else:
            settle(resource, found[at], before[at], one)
            made.append(found[at])
    found[:] = made
    resource._touch(found)
