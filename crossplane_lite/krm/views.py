"""Typed views: instances of generated models that read and change the content of a resource.

A view reads the resource as it was when the view was made. Setting or deleting a field of the view changes the resource
at once: before the resource is read or written, the changes of all its views are copied into it. If a field is set both
through a view and in the resource, the last value counts. Only what differs is changed in the resource, so the rest of
the item keeps its text.
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
    """Return whether a resource has the group and kind of a model, in any version; always True for `Unstructured`.

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
    """Return a typed view of `resource`, an instance of `model`.

    The same view is returned again, unless the resource was changed in another way than through this view.

    Raises:
        InputError: The resource has an integer beyond 2**53, which models can't hold.
        UsageError: A change that was made through an older view of the resource isn't allowed.
        DuplicateResourceError: Such a change gives an item the group, kind, namespace and name of another item.
    """
    if resource._typed is None:
        object.__setattr__(resource, "_typed", Views(resource))
    assert resource._typed is not None
    return resource._typed.view(model)


class _View:
    """One typed view of a resource.

    Attributes:
        model: The view, an instance of a model.
        before: The view's content when its changes were last copied into the resource, or when it was made.
        edits: The number of changes that the resource had when the view last showed its present content. If the
            resource has had more by now, the view is outdated.
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
        """Return a view that shows the present content, an instance of `model`.

        It is a new one if no view of this class shows the present content.

        Raises:
            InputError: The resource has an integer beyond 2**53, which models can't hold.
            UsageError: As in `take_over`.
            DuplicateResourceError: As in `take_over`.
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
        """Copy the fields that were set or deleted in the views into the resource's content.

        Raises:
            UsageError: The resource can't be changed, can't hold a value, or must keep a reserved annotation.
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
        """Check that no reserved annotation was deleted through a view, as by `del view.metadata.annotations[...]`.

        Replacing all annotations is allowed: the resource keeps the reserved ones.

        Args:
            model: The view, an instance of a model.

        Raises:
            UsageError: A reserved annotation was deleted.
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
    """Applies the changes that were made in a typed view to the content of the view's resource."""

    def __init__(self, resource: Resource) -> None:
        self._resource = resource

    def apply(self, holder: Any, before: dict[str, Any], after: dict[str, Any]) -> None:
        """Apply the changes of one object of a view to the resource's content.

        Reserved annotations that were removed from the view's object stay in the content.

        Args:
            holder: The object in the content, which is changed.
            before: The view's object at the last `take_over`, or when the view was made.
            after: The view's object now.

        Raises:
            UsageError: As in `take_over`.
            DuplicateResourceError: As in `take_over`.
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
        """Apply the changes of one list of a view to the list in the resource's content.

        Objects in the list that the view has kept stay the same Python objects, so that they keep their text.

        Args:
            found: The list in the content, which is changed.
            before: The view's list at the last `take_over`, or when the view was made.
            value: The view's list now.
        """
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
    """An element of a list in a typed view, made for `matched`, which needs only the method `value` of a node.

    Attributes:
        before: The element as it was in the view at the last `take_over`, or when the view was made.
        found: The element at the same index in the resource's content; None if the list is shorter by now.
    """

    __slots__ = ("before", "found")

    def __init__(self, before: Any, found: Any) -> None:
        self.before = before
        self.found = found

    def value(self) -> Any:
        """Return `before`."""
        return self.before
