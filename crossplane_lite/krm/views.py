"""Typed views: an instance of a generated model over a resource's content.

A view reads the resource as it was when the view was made. Setting or deleting a field in it changes the resource at
once: every read of the resource, and writing it, brings the views' changes into it first. If a field is set both
through a view and in the resource, the last value counts. Only differences change the resource, so that the rest of the
item keeps its text.
"""

from __future__ import annotations

from typing import Any, TypeVar

from .. import _wire
from .._base.api_version import group_of
from .._models.kinds import check_class
from .._models.model import to_dict
from .._models.node import LAID, Node
from .._models.resource import Resource as Model
from ..errors import EncodeError, InputError
from ._text._match import matched
from ._text._nodes import copied
from ._text._values import same
from .annotations import check
from .resource import Resource

__all__ = ["Views", "is_for", "view_of"]

M = TypeVar("M", bound=Model)


def is_for(model: type[Model], resource: Resource) -> bool:
    """Say whether a resource is of a model's group and kind, in any version.

    `Unstructured` accepts all kinds.

    Raises:
        UsageError: The model isn't a class of resources.
    """
    check_class(model, "items.of()")
    if not model._fixed:
        return True
    fixed: Any = model
    api_version = resource._peek("apiVersion")
    if resource._peek("kind") != fixed.kind or not isinstance(api_version, str):
        return False
    return group_of(api_version) == group_of(fixed.apiVersion)


def view_of(model: type[M], resource: Resource) -> M:
    """Return a view of `resource` as an instance of `model`: the same view until the resource is changed elsewhere.

    Raises:
        InputError: The resource has an integer beyond 2**53, which models can't hold.
        UsageError: A change that was made through an older view of the resource isn't allowed.
    """
    if resource._typed is None:
        object.__setattr__(resource, "_typed", Views(resource))
    assert resource._typed is not None
    return resource._typed.view(model)


class _View:
    """One view, and its state when its changes were last brought into the resource.

    Attributes:
        model: The view.
        before: The view's content at that time.
        edits: The number of changes that the resource had had by that time.
    """

    __slots__ = ("before", "edits", "model")

    def __init__(self, model: Model, before: dict[str, Any], edits: int) -> None:
        self.model = model
        self.before = before
        self.edits = edits


class Views:
    """The typed views of one resource."""

    def __init__(self, resource: Resource) -> None:
        self._resource = resource
        self._views: list[_View] = []
        self._is_busy = False

    def __contains__(self, model: object) -> bool:
        return any(one.model is model for one in self._views)

    def view(self, model: type[M]) -> M:
        """Return a view that shows the present content as an instance of `model`; a new one if the content has changed.

        Raises:
            InputError: The resource has an integer beyond 2**53, which models can't hold.
        """
        self.take_over()
        edits = self._resource._edits
        for one in reversed(self._views):
            if type(one.model) is model and one.edits == edits:
                return one.model
        made = _made(model, self._resource)
        self._views.append(_View(made, to_dict(made), edits))
        return made

    def take_over(self) -> None:
        """Bring the fields that were set or deleted in the views into the resource's content.

        Raises:
            UsageError: The resource can't be changed, or must keep a value.
            DuplicateResourceError: The changes give an item the group, kind, namespace and name of another item.
        """
        if self._is_busy:
            return
        self._is_busy = True
        try:
            for one in self._views:
                after = to_dict(one.model)
                if same(one.before, after):
                    continue
                up_to_date = one.edits == self._resource._edits
                self._resource._check_open()
                self._check_deleted(one.model)
                _Difference(self._resource).apply(self._resource._content(), one.before, after)
                one.before = after
                if up_to_date:
                    one.edits = self._resource._edits
        finally:
            self._is_busy = False

    def _check_deleted(self, model: Any) -> None:
        """Raise UsageError if a reserved annotation was deleted by its name through the view `model`.

        If all annotations were replaced, the reserved ones are kept instead.
        """
        found = getattr(getattr(model, "metadata", None), "annotations", None)
        for key in getattr(found, "deleted", None) or ():
            check(key, None, {}, self._resource._where)


def _made(model: type[M], resource: Resource) -> M:
    try:
        raw = _wire.encode_struct(resource._content())
    except EncodeError as error:
        raise InputError(f"{resource._where} can't be read through {model.__name__}: {error}") from None
    made = model.__new__(model)
    model._set_node(made, Node(LAID, raw))
    Model._set_state(made, None)
    return made


class _Difference:
    """Brings the differences between two states of a view into the content of a resource."""

    def __init__(self, resource: Resource) -> None:
        self._resource = resource

    def apply(self, holder: Any, before: dict[str, Any], after: dict[str, Any]) -> None:
        """Apply the changes of one object of a view to the resource's content.

        Reserved annotations that were removed from the view's object stay in the content.

        Args:
            holder: The object in the content, which is changed.
            before: The view's object at the last `apply`, or when the view was made.
            after: The view's object now.
        """
        for key in before:
            if key not in after and key in holder and not self._resource._is_guarded(holder, key):
                self._resource._remove(holder, key)
        for key, value in after.items():
            if key not in before or not same(before[key], value):
                self._put(holder, key, before.get(key), value)

    def _put(self, holder: dict[str, Any], key: str, before: Any, value: Any) -> None:
        found = holder.get(key)
        if isinstance(found, dict) and isinstance(before, dict) and isinstance(value, dict):
            self.apply(found, before, value)
        elif isinstance(found, list) and isinstance(before, list) and isinstance(value, list):
            self._put_list(found, before, value)
        else:
            self._resource._assign(holder, key, copied(value))

    def _put_list(self, found: list[Any], before: list[Any], value: list[Any]) -> None:
        """Apply the changes of one list of a view. Elements that stay are the same objects, and keep their text."""
        known = [_Element(one, found[at] if at < len(found) else None) for at, one in enumerate(before)]
        made = []
        pairs: list[Any] = matched(known, value)  # type: ignore[arg-type]  # it asks for nothing but value()
        for one, pair in zip(value, pairs, strict=True):
            if not isinstance(pair, _Element) or not isinstance(pair.found, dict) or not isinstance(one, dict):
                made.append(copied(one))
                continue
            self.apply(pair.found, pair.before, one)
            made.append(pair.found)
        found[:] = made
        self._resource._touch()


class _Element:
    """An element of a list as a view showed it, and as it is in the content (None if it isn't there any more)."""

    __slots__ = ("before", "found")

    def __init__(self, before: Any, found: Any) -> None:
        self.before = before
        self.found = found

    def value(self) -> Any:
        """Return the element's old content in the view. `matched` takes these elements in place of nodes."""
        return self.before
