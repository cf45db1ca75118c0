"""Values that are put into a resource: they are copied, and checked for types that a manifest can't have."""

from __future__ import annotations

from collections.abc import Mapping

from .._paths.text import show
from ..errors import UsageError
from ._text._nodes import DEEPEST

TYPE_CHECKING = False  # type checkers take it for typing's, which would take longer to import than this module
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

__all__ = ["View", "check_types", "equal", "plain_data"]


class View:
    """Base class of live views: mappings and lists that read and change a part of a resource in place."""

    __slots__ = ()

    _up: View | None
    """The view that this view was read from; None for a resource."""

    _step: str | int
    """The key or index of this view in `_up`."""

    def _read(self) -> Any:
        """Return the plain data that the view shows, not a copy; None if the view's path doesn't exist any more."""
        raise NotImplementedError

    def _steps(self) -> list[str | int]:
        steps: list[str | int] = []
        one: View | None = self
        while one is not None and one._up is not None:
            steps.append(one._step)
            one = one._up
        return steps[::-1]

    @property
    def _path(self) -> str:
        return show(self._steps())


def plain_data(value: Any, view: View | None = None, step: Any = ()) -> Any:
    """Return a copy of a value as plain data: dicts, lists, strings, numbers, booleans and None.

    Args:
        value: A JSON value. Views, models, tuples and other mappings are allowed in it at any depth.
        view: The view that the value is put into, for messages; None if there is none.
        step: The value's key or index in `view`, or a tuple of several, for messages.

    Raises:
        UsageError: The value, or a part of it, isn't a JSON value or is nested too deep; or a view in it shows a field
            that doesn't exist.
    """
    if type(value) is str and value.isascii():  # the usual case
        return value
    from ._text._values import checked

    steps = step if isinstance(step, tuple) else (step,)
    where = "" if view is None else show([*view._steps(), *steps])
    return checked(_opened(value, where, 0), where)


def _opened(value: Any, where: str, depth: int) -> Any:
    """Return a value in which views, models and other mappings are replaced by plain data. Other types stay.

    Args:
        value: The value.
        where: The path that the value is put at, for messages; may be empty.
        depth: How deep `value` is nested in the value of the first call.

    Raises:
        UsageError: A view shows a field that doesn't exist, or the value is nested too deep.
    """
    if value is None or isinstance(value, (str, int, float)):
        return value
    if depth > DEEPEST:
        raise UsageError(f"{where or 'the value'} contains itself, or is nested more than {DEEPEST} levels deep")
    if isinstance(value, View):
        found = value._read()
        if found is None:
            raise UsageError(
                f"{value._path} isn't there, so it can't be put into {where or 'a resource'}; "
                f"resource.get({value._path!r}, default=...) returns a default"
            )
        return found
    if isinstance(value, Mapping):
        return {key: _opened(one, where, depth + 1) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_opened(one, where, depth + 1) for one in value]
    if hasattr(type(value), "__wire_fields__"):  # a model; its module is loaded then
        from .._models.model import to_dict

        return to_dict(value)
    return value


_TEXTS = {("metadata", "labels"), ("metadata", "annotations")}
_NAMES = {("metadata", "name"), ("metadata", "namespace"), ("metadata", "generateName"), ("apiVersion",), ("kind",)}


def check_types(steps: tuple[Any, ...], value: Any, what: Callable[[], str]) -> None:
    """Check that apiVersion, kind, names, labels and annotations are strings, as Kubernetes requires.

    The metadata must be an object, and so must its labels and annotations.

    Args:
        steps: The path in the resource that the value is put at; empty for the whole resource.
        value: The value, plain data. None is accepted everywhere except for the metadata.
        what: A function that returns the resource's name for the message.

    Raises:
        UsageError: The value, or a part of it, must be a string or an object.
    """
    if len(steps) > 3 or (steps and steps[0] not in ("metadata", "apiVersion", "kind")):
        return
    if steps in _NAMES or steps[:2] in _TEXTS and len(steps) == 3:
        if value is not None and not isinstance(value, str):
            shown = f"{value!r:.40}" if not isinstance(value, (dict, list)) else ""
            hint = f"; write str({shown}), or another string" if shown else ""
            if isinstance(value, bool):
                hint = f'; write str({shown}).lower(), which is "{str(value).lower()}", or another string'
            raise UsageError(f"{what()}: {show(steps)} must be a string (got {value!r:.60}){hint}")
    elif not isinstance(value, dict) and (steps == ("metadata",) or (steps in _TEXTS and value is not None)):
        raise UsageError(f"{what()}: {show(steps)} must be an object (got {value!r:.60})")
    elif isinstance(value, dict) and (steps == () or steps[:1] == ("metadata",)):
        for key, one in value.items():
            check_types((*steps, key), one, what)


def equal(one: object, other: object) -> bool:
    """Return whether two values are equal as JSON. True and 1 differ.

    Args:
        one: A view or plain data.
        other: Any object. If a manifest can't have it, such as a set, it equals nothing.
    """
    from ._text._values import same

    try:
        return same(one._read() if isinstance(one, View) else one, plain_data(other))
    except UsageError:  # it has a value that isn't JSON
        return False
