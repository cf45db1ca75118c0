"""Reads and sets the comments of a resource: above a value, behind it and below it.

    resource.comments("spec.replicas").line = "kpt-set: ${replicas}"
    for one in resource.all_comments():
        print(one.path, one.head, one.line, one.foot)

A comment is a string without the `#` signs: `# why` is "why". Line breaks separate its lines. An
empty string means that there is no comment.

Comments that are set wait, by their values, until the item is written, or one of its values is
removed or moved. Then the item gets a text of its own that has them, and later edits are made in
this text.
"""

from __future__ import annotations

from .._core.base.texts import value_in_words
from .._core.paths.text import show
from .._core.paths.trees import lookup
from ..errors import UsageError
from ._text._comments import FOOT, HEAD, LINE, PLACES, check_new, check_place, comment
from ._text._nodes import MAPPING, YamlNode

# type checkers take it for typing's, which would take longer to import than this module
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    Resource: TypeAlias = Any  # it imports this module

    Steps: TypeAlias = tuple[str | int, ...]

__all__ = ["Comments", "every"]


class Comments:
    """The comments of one value of a resource; they can be read and set.

    Setting a comment to None or an empty string removes it. If the value was removed meanwhile, all
    its comments are empty.

    Attributes:
        path: The value's field path; empty for the resource as a whole.

    Raises:
        UsageError: When a comment is set: it isn't a string, begins with `# `, or has control
            characters or, for `line`, a line break. Or the resource can't be changed, YAML allows
            no comment there, as in JSON, or the value was removed.
    """

    __slots__ = ("_resource", "_steps")

    def __init__(self, resource: Resource, steps: Steps) -> None:
        self._resource = resource
        self._steps = steps

    @property
    def path(self) -> str:
        return show(self._steps)

    @property
    def value(self) -> Any:
        """The value; None if it was removed. Setting it changes the resource, as `Resource.set`
        does.

        An object or a list is a live view. The value of the resource as a whole is the resource.
        """
        return self._resource.get(self._steps) if self._steps else self._resource

    @value.setter
    def value(self, value: Any) -> None:
        self._resource.set(self._steps, value)

    @property
    def head(self) -> str:
        """The comment lines directly above the value, except those that are indented more than its
        key or dash.

        It is empty if there are none. For a resource these are the comment lines above its first
        field.
        """
        return self._read(HEAD)

    @head.setter
    def head(self, text: str | None) -> None:
        self._write(HEAD, text)

    @property
    def line(self) -> str:
        """The comment behind the value, on the same line; empty if there is none.

        For an object or a list this is the comment behind its key.
        """
        return self._read(LINE)

    @line.setter
    def line(self, text: str | None) -> None:
        self._write(LINE, text)

    @property
    def foot(self) -> str:
        """The comment lines below the value that are indented more than its key, or than its dash
        in a list.

        It is empty if there are none. For a resource these are the comment lines at its end.
        """
        return self._read(FOOT)

    @foot.setter
    def foot(self, text: str | None) -> None:
        self._write(FOOT, text)

    def _read(self, place: str) -> str:
        return _read(self._resource, self._steps, place)

    def _write(self, place: str, text: str | None) -> None:
        if self._resource._frozen:
            self._resource._check_open()
        if text is not None and not isinstance(text, str):
            raise UsageError(
                f"{self._resource._where}: a comment must be a string (got"
                f" {value_in_words(text, repr(text)[:60])})"
            )
        # spaces at a line's end can't be seen
        lines = [line.rstrip(" \t") for line in (text or "").split("\n")]
        _write(self._resource, self._steps, place, "\n".join(lines))

    def __bool__(self) -> bool:
        return any(self._read(place) for place in PLACES)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Comments) and all(
            self._read(one) == other._read(one) for one in PLACES
        )

    __hash__ = None  # type: ignore[assignment]  # mutable, and compared by their text

    def __repr__(self) -> str:
        said = ", ".join(f"{place}={self._read(place)!r}" for place in PLACES if self._read(place))
        return f"<comments of {self.path or 'the resource'}: {said or 'none'}>"


def every(resource: Resource) -> Iterator[Comments]:
    """Yield a `Comments` for the resource as a whole, and then one for each value in it, in the
    order of the fields.

    Values without a comment are included. Annotations that only show the item's file are not.
    """
    work: list[tuple[Steps, Any]] = [((), resource._own_content())]
    while work:
        steps, value = work.pop()
        yield Comments(resource, steps)
        if isinstance(value, dict):
            work += [((*steps, key), one) for key, one in reversed(value.items())]
        elif isinstance(value, list):
            work += [((*steps, at), one) for at, one in reversed(list(enumerate(value)))]


def _key(resource: Resource, steps: Steps, place: str) -> tuple[Any, Any, str]:
    """Return by what a comment waits: an object or list itself, or what holds another value, and
    the key there.
    """
    value = lookup(resource._now(), steps)
    if isinstance(value, (dict, list)):
        return value, None, place
    return lookup(resource._now(), steps[:-1]), steps[-1], place


def _read(resource: Resource, steps: Steps, place: str) -> str:
    """Return a comment of a value: the one that was set, else the one in the text; empty if the
    value was removed.
    """
    if resource._pending:
        holder, step, _ = _key(resource, steps, place)
        if (id(holder), step, place) in resource._pending:
            return str(resource._pending[id(holder), step, place][1])
    node = _node(resource, steps)
    return "" if node is None else comment(node, place)


def _write(resource: Resource, steps: Steps, place: str, text: str) -> None:
    """Set a comment.

    Raises:
        UsageError: `text` can't be a comment, YAML allows no comment there, or the value was
            removed.
    """
    if _read(resource, steps, place) == text:
        return
    if lookup(resource._now(), steps, resource) is resource:
        raise UsageError(
            f"{resource._where}: {show(steps)} isn't there any more, so it can't have a comment"
        )
    name = f"{show(steps)} of {resource._where}" if steps else resource._where
    for line in text.split("\n"):
        if line.startswith("# "):
            raise UsageError(
                f"{name}: a comment must not begin with '# ': give its text alone (got"
                f" {line!r:.60})"
            )
        if not line.isprintable() and any(
            not one.isprintable() and one not in "\t\xa0" for one in line
        ):
            raise UsageError(
                f"{name}: a comment must not hold control characters (got {line!r:.60})"
            )
    if place == LINE and "\n" in text:
        raise UsageError(
            f"{name}: the comment behind a value must be one line; for several lines set .head (got"
            f" {text!r:.60})"
        )
    _check_place(resource, steps, place, name)
    holder, step, _ = _key(resource, steps, place)
    resource._pending[id(holder), step, place] = holder, text
    resource._touch()


def _check_place(resource: Resource, steps: Steps, place: str, name: str) -> None:
    """Check that there is a place for a comment of a value; a new one isn't in the text yet, but
    what is around it.
    """
    node = _node(resource, steps)
    if node is not None:
        check_place(node, place, name)
        return
    at = len(steps)
    while node is None and at:
        at -= 1
        node = _node(resource, steps[:at])
    if node is not None:
        check_new(node, place, name)


def _node(resource: Resource, steps: Steps) -> YamlNode | None:
    """Return the node of the text from which the value at a path was read.

    A value inside of an alias, a new one and one that was removed have none.
    """
    node: YamlNode | None = resource._base
    value: Any = resource._now()
    known = resource._nodes | resource._moved()
    step: Any
    for step in steps:
        inner = lookup(value, (step,), resource)
        if inner is resource:
            return None
        is_whole = isinstance(inner, (dict, list))
        if is_whole and id(inner) in known:
            node = known[id(inner)][1]
        elif node is not None and (node.kind == MAPPING or not is_whole):
            node = node.content.get(step) if node.kind == MAPPING else node.child(step)
        else:
            node = None
        value = inner
    return node
