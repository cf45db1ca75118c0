"""Reads and sets the comments of a resource: above a value, behind it and below it.

    resource.comments("spec.replicas").line = "kpt-set: ${replicas}"
    for one in resource.all_comments():
        print(one.path, one.head, one.line, one.foot)

A comment is a string without the `#` signs: `# why` is "why". Line breaks separate its lines. An empty string means
that there is no comment.
"""

from __future__ import annotations

from .._base.type_names import value_in_words
from .._paths.text import show
from ..errors import UsageError
from ._text._comments import FOOT, HEAD, LINE, PLACES, check_place, comment
from ._text._nodes import ALIAS, FRESH, MAPPING, YamlNode

TYPE_CHECKING = False  # type checkers take it for typing's, which would take longer to import than this module
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Protocol, TypeAlias

    Steps: TypeAlias = tuple[str | int, ...]

    class Commented(Protocol):
        """The attributes and methods of a `Resource` that this module uses."""

        @property
        def _node(self) -> YamlNode | None: ...

        @property
        def _lists(self) -> Any: ...

        @property
        def _notes(self) -> Notes | None: ...

        @property
        def _where(self) -> str: ...

        def _now(self) -> dict[str, Any]: ...

        def _content(self) -> dict[str, Any]: ...

        def _own_content(self) -> dict[str, Any]: ...

        def _touch(self) -> None: ...

        def _check_open(self) -> None: ...

        def get(self, path: Any, default: Any = None) -> Any: ...

        def set(self, path: Any, value: Any) -> None: ...


__all__ = ["Comments", "Notes", "every"]


class Comments:
    """The comments of one value of a resource; they can be read and set.

    Setting a comment to None or an empty string removes it. If the value was removed meanwhile, all its comments are
    empty.

    Attributes:
        path: The value's field path; empty for the resource as a whole.

    Raises:
        UsageError: When a comment is set: it isn't a string, begins with `# `, or has control characters or, for
            `line`, a line break. Or the resource can't be changed, YAML allows no comment there, as in JSON, or the
            value was removed.
    """

    __slots__ = ("_resource", "_steps")

    def __init__(self, resource: Commented, steps: Steps) -> None:
        self._resource = resource
        self._steps = steps

    @property
    def path(self) -> str:
        return show(self._steps)

    @property
    def value(self) -> Any:
        """The value; None if it was removed. Setting it changes the resource, as `Resource.set` does.

        An object or a list is a live view. The value of the resource as a whole is the resource.
        """
        return self._resource.get(self._steps) if self._steps else self._resource

    @value.setter
    def value(self, value: Any) -> None:
        self._resource.set(self._steps, value)

    @property
    def head(self) -> str:
        """The comment lines directly above the value, except those that are indented more than its key or dash.

        It is empty if there are none. For a resource these are the comment lines above its first field.
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
        """The comment lines below the value that are indented more than its key, or than its dash in a list.

        It is empty if there are none. For a resource these are the comment lines at its end.
        """
        return self._read(FOOT)

    @foot.setter
    def foot(self, text: str | None) -> None:
        self._write(FOOT, text)

    def _read(self, place: str) -> str:
        return _notes(self._resource).read(self._steps, place)

    def _write(self, place: str, text: str | None) -> None:
        self._resource._check_open()
        if text is not None and not isinstance(text, str):
            raise UsageError(
                f"{self._resource._where}: a comment must be a string (got {value_in_words(text, repr(text)[:60])})"
            )
        _notes(self._resource).write(self._steps, place, text or "")

    def __bool__(self) -> bool:
        return any(self._read(place) for place in PLACES)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Comments) and all(self._read(one) == other._read(one) for one in PLACES)

    __hash__ = None  # type: ignore[assignment]  # mutable, and compared by their text

    def __repr__(self) -> str:
        said = ", ".join(f"{place}={self._read(place)!r}" for place in PLACES if self._read(place))
        return f"<comments of {self.path or 'the resource'}: {said or 'none'}>"


def every(resource: Commented) -> Iterator[Comments]:
    """Yield a `Comments` for the resource as a whole, and then one for each value in it, in the order of the fields.

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


def _notes(resource: Commented) -> Notes:
    if resource._notes is None:
        object.__setattr__(resource, "_notes", Notes(resource))
    notes: Notes = resource._notes  # type: ignore[assignment]  # just made
    return notes


class _Note:
    """The comments that the KRM function has set for one value, which aren't in the text yet.

    Attributes:
        holder: The dict or list that contains the value; None for the resource as a whole.
        step: The value's key or index in `holder` when the first comment was set.
        value: The value at that time. It is used to find an element again after its list has changed: an object or list
            by its identity as a Python object, another value by equality.
        texts: The comments, by `head`, `line` and `foot`. An empty string means that the comment is removed.
    """

    __slots__ = ("holder", "step", "texts", "value")

    def __init__(self, holder: Any, step: Any, value: Any) -> None:
        self.holder = holder
        self.step = step
        self.value = value
        self.texts: dict[str, str] = {}

    def step_now(self) -> str | int | None:
        """Return the key or index that the value has in `holder` now; None if the value was removed.

        A string or number in a list whose index has changed is only found if no other element is equal to it. Otherwise
        its old index counts.
        """
        if isinstance(self.holder, dict):
            return self.step if self.step in self.holder else None
        if isinstance(self.value, (dict, list)):
            return next((at for at, one in enumerate(self.holder) if one is self.value), None)
        at: int = self.step
        if at < len(self.holder) and self.holder[at] == self.value:
            return at
        found = [index for index, one in enumerate(self.holder) if one == self.value]
        return found[0] if len(found) == 1 else at if at < len(self.holder) else None


class Notes:
    """All comments that the KRM function has set in one resource."""

    def __init__(self, resource: Commented) -> None:
        self._resource = resource
        self._notes: list[_Note] = []

    def read(self, steps: Steps, place: str) -> str:
        """Return a comment of a value: the one that was set, else the one in the text.

        It is empty if there is none, or if the value was removed.

        Args:
            steps: The path of the value.
            place: Which comment: `head`, `line` or `foot`.
        """
        found = self._found(steps)
        if found is None:
            return ""
        note = self._note(*found[:2])
        if note is not None and place in note.texts:
            return note.texts[place]
        node = self._node(steps)
        return "" if node is None else comment(node, place)

    def write(self, steps: Steps, place: str, text: str) -> None:
        """Set a comment.

        Args:
            steps: The path of the value.
            place: Which comment: `head`, `line` or `foot`.
            text: The comment without the `#` signs; empty to remove it.

        Raises:
            UsageError: `text` can't be a comment, YAML allows no comment there, or the value was removed.
        """
        if self.read(steps, place) == text:
            return
        found = self._found(steps)
        if found is None:
            raise UsageError(f"{self._resource._where}: {show(steps)} isn't there any more, so it can't have a comment")
        name = f"{show(steps)} of {self._resource._where}" if steps else self._resource._where
        for line in text.split("\n"):
            if line.startswith("# "):
                raise UsageError(f"{name}: a comment must not begin with '# ': give its text alone (got {line!r:.60})")
            if not line.isprintable() and any(not one.isprintable() and one not in "\t\xa0" for one in line):
                raise UsageError(f"{name}: a comment must not hold control characters (got {line!r:.60})")
        if place == LINE and "\n" in text:
            raise UsageError(
                f"{name}: the comment behind a value must be one line; for several lines set .head (got {text!r:.60})"
            )
        node = self._node(steps)
        if node is not None:
            check_place(node, place, name)
        note = self._note(*found[:2])
        if note is None:
            note = _Note(*found)
            self._notes.append(note)
        note.texts[place] = text
        self._resource._touch()

    def now(self) -> list[tuple[Steps, str, str]]:
        """Return all comments that the KRM function has set, without those of values that were removed.

        Each one is a tuple: the path that the value has now; `head`, `line` or `foot`; and the text, which is empty to
        remove the comment.
        """
        paths: dict[int, Steps] = {}
        content = self._resource._content()
        work: list[tuple[Steps, Any]] = [((), content)]
        while work:
            steps, value = work.pop()
            paths[id(value)] = steps
            children = value.items() if isinstance(value, dict) else enumerate(value)
            work += [((*steps, key), one) for key, one in children if isinstance(one, (dict, list))]
        found: list[tuple[Steps, str, str]] = []
        for note in self._notes:
            if note.holder is None:
                found += [((), place, text) for place, text in note.texts.items()]
                continue
            above, step = paths.get(id(note.holder)), note.step_now()
            if above is not None and step is not None:
                found += [((*above, step), place, text) for place, text in note.texts.items()]
        return found

    def _note(self, holder: Any, step: Any) -> _Note | None:
        for note in self._notes:
            if note.holder is holder and (holder is None or note.step_now() == step):
                return note
        return None

    def _found(self, steps: Steps) -> tuple[Any, Any, Any] | None:
        """Return the dict or list that contains a value, the value's key or index there, and the value.

        For the resource itself the first two are None. If the value was removed, return None.
        """
        holder: Any = None
        value: Any = self._resource._now()
        for step in steps:
            holder = value
            if isinstance(holder, dict) and step in holder:
                value = holder[step]
            elif isinstance(holder, list) and isinstance(step, int) and 0 <= step < len(holder):
                value = holder[step]
            else:
                return None
        return holder, steps[-1] if steps else None, value

    def _node(self, steps: Steps) -> YamlNode | None:
        """Return the node of the text from which the value at a path was read.

        An alias has a node, but a value inside of it has none: then the result is None, as for a new value, or in a
        resource without text.

        Args:
            steps: The path of a value that exists.
        """
        resource = self._resource
        node: YamlNode | None = resource._node
        value: Any = resource._now()
        for step in steps:
            if node is None or node.kind in (ALIAS, FRESH):
                return None
            if node.kind == MAPPING:
                node = node.content.get(step)
            else:
                node = self._element(node, value, int(step))
            value = value[step]
        return node

    def _element(self, node: YamlNode, now: list[Any], at: int) -> YamlNode | None:
        """Return the node from which an element of a list was read; None for a new element.

        The list may have changed since then. Elements that aren't objects or lists are found by their index only.

        Args:
            node: The list's node.
            now: The list as it is now.
            at: The element's present index.
        """
        children = node.children()
        before = self._resource._lists.get(id(now))
        if before is None:
            return children[at] if at < len(children) else None
        found = [index for index, one in enumerate(before[1]) if one is now[at]]
        if isinstance(now[at], (dict, list)):
            return children[found[0]] if found else None
        return children[at] if at < len(children) else None
