"""Typed views: instances of generated models that read and change the content of a resource.

A view reads the resource as it was when the view was made. Setting or deleting a field of the view
changes the resource at once: before the resource is read or written, the changes of all its views
are copied into it. If a field is set both through a view and in the resource, the last value
counts. Only what differs is changed in the resource, so the rest of the item keeps its text.
"""

from __future__ import annotations

from typing import Any, TypeVar

from .._core import codec
from .._core.base.api_version import group_of
from .._core.models.model import to_dict
from .._core.models.node import LAID, Node
from .._core.resources.resource import Resource as Model
from .._core.resources.resource import check_class
from ..errors import EncodeError, InputError
from ._differences import settle
from ._text._nodes import same
from .annotations import check
from .resource import Resource

__all__ = ["Views", "is_for", "view_of"]

M = TypeVar("M", bound=Model)


def is_for(model: type[Model], resource: Resource) -> bool:
    """Return whether a resource has the group and kind of a model, in any version; always True for
    `Unstructured`.

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

    The same view is returned again, unless the resource was changed in another way than through
    this view.

    Raises:
        InputError: The resource has an integer beyond 2**53, which models can't hold.
        UsageError: A change that was made through an older view of the resource isn't allowed.
    """
    if resource._typed is None:
        object.__setattr__(resource, "_typed", Views(resource))
    assert resource._typed is not None
    return resource._typed.view(model)


class Views:
    """The typed views of one resource."""

    def __init__(self, resource: Resource) -> None:
        self._resource = resource
        # Each view with its content and the resource's number of changes at the time when the two
        # were last the same.
        self._views: list[tuple[Model, dict[str, Any], int]] = []
        self._is_busy = False

    def view(self, model: type[M]) -> M:
        """Return a view that shows the present content, an instance of `model`.

        It is a new one if no view of this class shows the present content.

        Raises:
            InputError: The resource has an integer beyond 2**53, which models can't hold.
            UsageError: As in `take_over`.
        """
        self.take_over()
        edits = self._resource._edits
        for one, _, known in reversed(self._views):
            if type(one) is model and known == edits:
                return one
        made = _made(model, self._resource)
        self._views.append((made, to_dict(made), edits))
        if self._resource._owner is not None:
            self._resource._owner._views[id(made)] = made, self._resource
        return made

    def take_over(self) -> None:
        """Copy the fields that were set or deleted in the views into the resource's content.

        Raises:
            UsageError: The resource can't be changed, can't hold a value, or must keep a reserved
                annotation.
        """
        if self._is_busy:
            return
        self._is_busy = True
        try:
            for at, (model, before, edits) in enumerate(self._views):
                after = to_dict(model)
                if same(before, after):
                    continue
                is_new = edits == self._resource._edits
                self._resource._check_open()
                self._check_deleted(model)
                settle(self._resource, self._resource._content(), before, after)
                self._views[at] = model, after, self._resource._edits if is_new else edits
        finally:
            self._is_busy = False

    def _check_deleted(self, model: Any) -> None:
        """Check that no reserved annotation was deleted through a view, as by
        `del view.metadata.annotations[...]`.

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
        raw = codec.encode_struct(resource._content())
    except EncodeError as error:
        raise InputError(
            f"{resource._where} can't be read through {model.__name__}: {error}"
        ) from None
    made = model.__new__(model)
    model._set_node(made, Node(LAID, raw))
    Model._set_state(made, None)
    return made
