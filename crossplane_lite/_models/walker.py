"""Loops over nested values of models and plain data: to convert, search, compare and show them.

None of them is recursive, because the data decides how deeply values are nested. The source of a model is the encoded
object that its unset fields are read from. A placeholder is the text of an unresolved Observable in a string.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from .. import _wire
from .._base.sentinels import NULL, TOMBSTONE, UNSET, Replaced
from .._observed.observable import Observable, make
from .._observed.tracker import Tracker
from .._observed.uses import known, sources
from .._paths.text import show as join_path
from ..errors import DEEPEST, EncodeError, UsageError
from .node import COPY, WAIT, Became, refuse_whole
from .shape import DesiredMap, ModelShape

__all__ = [
    "Found",
    "Tree",
    "canonical",
    "equal",
    "leaves",
    "plain_and_waits",
    "plain_data",
    "represent",
    "show_path",
    "tree_of",
    "unresolved_in",
    "whole_tree",
    "with_nulls",
    "with_references",
]

# A path while walking: (path of the holder, step, depth), formatted only when it is shown.
Path = tuple[Any, Any, int]
_TOP: Final[Path] = ((), None, 0)


def _steps_of(path: Path) -> list[str | int]:
    """Return the steps of `path`, from the top of the data."""
    steps = []
    while path[1] is not None:
        steps.append(path[1])
        path = path[0]
    return steps[::-1]


def show_path(steps: list[Any]) -> str:
    """Join the steps of a path to text, such as `spec.ports[2]["a/b"]`. An Observable in it is shown as its path."""
    return join_path([step.source_path if type(step) is Observable else step for step in steps])


def _shown(path: Path) -> str:
    return show_path(_steps_of(path))


def _model_items(model: ModelShape, *, whole: bool) -> dict[str, Any]:
    """Return the values of a model's fields by their names in Kubernetes.

    Args:
        model: The model.
        whole: If True, the set fields and the other fields of the source, without deleted fields. If False, only the
            set fields, and TOMBSTONE for each deleted field.
    """
    cls = type(model)
    node = model._node
    known = cls.__wire_fields__
    items: dict[str, Any] = {name: getattr(cls, name) for name in sorted(cls._fixed)}
    if whole and node is not None and node.raw is not None:
        items = with_nulls(_wire.decode_struct(node.raw)) | items
    if node is not None and node.deleted:
        for name in node.deleted:
            if whole:
                items.pop(known[name].wire, None)
            else:
                items[known[name].wire] = TOMBSTONE
    for name, value in model.__dict__.items():
        items[known[name].wire] = value
    return items


class Found:
    """An unresolved value in a tree.

    Attributes:
        steps: Its path from the top, as a list: names of fields, keys of maps and indexes.
        waits_for: The Observables that the value is made from.
        is_key: True if the last step is a key of a map and the key is unresolved. False if the value there is
            unresolved.
    """

    __slots__ = ("is_key", "steps", "waits_for")

    def __init__(self, steps: list[str | int], waits_for: list[Observable[Any]], is_key: bool) -> None:
        self.steps = steps
        self.waits_for = waits_for
        self.is_key = is_key


class Tree:
    """A model or another value as plain data, with a list of the unresolved values in it.

    Attributes:
        data: Dicts, lists and scalars, with the names that fields have in Kubernetes. TOMBSTONE marks fields to remove,
            and None is an explicit null. An unresolved Observable stays. An Observable that has a value meanwhile is
            replaced by the value.
        found: The unresolved values in `data`.
        list_keys: The merge keys of lists in `data`, by the id of the list. Lists without merge keys are left out.
        refers: Whether an Observable in `data` was replaced by its value.
    """

    __slots__ = ("data", "found", "list_keys", "refers")

    def __init__(self) -> None:
        self.data: Any = None
        self.found: list[Found] = []
        self.list_keys: dict[int, tuple[str, ...]] = {}
        self.refers = False


def plain_data(value: Any) -> Any:
    """Return a model, or a value from one, as plain data: the set fields, and the other fields of the source.

    Raises:
        EncodeError: A list holds UNSET, or the value contains itself.
    """
    return _convert(value, None, whole=True).data


def tree_of(value: Any, call: Tracker | None) -> Tree:
    """Return a model as a tree: its set fields, and TOMBSTONE for each deleted field, but no others of its source.

    Models that were copied from observed state, and models in lists, have all their fields. Only with a `call` are its
    placeholders searched in strings. Raises EncodeError if a list holds None or UNSET, or the value contains itself;
    and UsageError if a whole observed resource, or its whole metadata or status, would be copied.
    """
    return _convert(value, call, whole=False)


def _convert(top: Any, call: Tracker | None, *, whole: bool) -> Tree:
    tree = Tree()
    box: list[Any] = [None]
    replacing: set[int] = set()  # ids of values set in the place of something deleted
    texts = call is not None and call.searches
    work: list[tuple[Any, Any, Any, Path, bool]] = [(top, box, 0, _TOP, whole)]
    while work:
        value, target, key, path, all_of_it = work.pop()
        if path[2] > DEEPEST:
            raise EncodeError(
                f"{show_path(_steps_of(path)[:8])}…", f"contains itself, or has more than {DEEPEST:,} levels"
            )
        kind = type(value)
        if kind is str or issubclass(kind, str):
            target[key] = value
            if texts and call is not None and (waits_for := call.tokens_in(value)):
                tree.found.append(Found(_steps_of(path), waits_for, False))
        elif kind is Observable:
            if call is not None and (there := known(value)) is not UNSET:
                target[key] = there
                tree.refers = True
                continue
            target[key] = value
            tree.found.append(Found(_steps_of(path), list(sources(value)), False))
        elif value is NULL:
            target[key] = None
        elif issubclass(kind, ModelShape):
            if value._node is not None and type(value._node.owner) is Became:
                work.append((value._node.owner.values, target, key, path, all_of_it))
                continue
            if value._node is not None and value._node.state == COPY:
                all_of_it = True
            if not whole and value._node is not None and value._node.state >= WAIT:
                refuse_whole(value._node, _shown, path)
                all_of_it = True
            if value._node is not None and value._node.place is not None and path is not _TOP and value._absent:
                value._node.place.used(value._node)
            if path is not _TOP and value._absent and value._node is not None and value._node.state >= WAIT:
                target[key] = waiting = make(value._node.path, value._node.root)
                tree.found.append(Found(_steps_of(path), [waiting], False))
                continue
            made: dict[str, Any] = Replaced() if id(value) in replacing else {}
            target[key] = made
            types = {field.wire: field.type for field in type(value).__wire_fields__.values()}
            items = _model_items(value, whole=all_of_it)
            if not all_of_it and value._node is not None and value._node.deleted:
                replacing.update(id(value.__dict__[name]) for name in value._node.deleted if name in value.__dict__)
            for name, item in items.items():
                made[name] = None  # keeps the order of the fields: the stack gives the last one first
                step = (path, name, path[2] + 1)
                work.append((item, made, name, step, all_of_it))
                type_ = types.get(name)
                if type_ is None:  # a field of an open class, whose name compose() may have made
                    if texts and call is not None and (waits_for := call.tokens_in(name)):
                        tree.found.append(Found(_steps_of(step), waits_for, True))
                elif type_.keys and isinstance(item, list):
                    tree.list_keys[id(item)] = type_.keys
        elif issubclass(kind, Mapping):
            made = Replaced() if id(value) in replacing else {}
            target[key] = made
            for name, item in value.items():
                if item is UNSET or (item is None and not whole):
                    continue
                if type(name) is Observable and call is not None and (there := known(name)) is not UNSET:
                    tree.refers = True
                    text = str(there)
                    made[text] = None
                    step = (path, text, path[2] + 1)
                    work.append((item, made, text, step, all_of_it or not isinstance(value, DesiredMap)))
                    continue
                made[name] = None
                step = (path, name, path[2] + 1)
                if texts and call is not None and isinstance(name, str) and (waits_for := call.tokens_in(name)):
                    tree.found.append(Found(_steps_of(step), waits_for, True))
                elif type(name) is Observable:
                    tree.found.append(Found(_steps_of(step), list(sources(name)), True))
                # A model in a plain mapping has no other place, so it is taken with the fields of its source.
                work.append((item, made, name, step, all_of_it or not isinstance(value, DesiredMap)))
                if isinstance(value, DesiredMap) and value.deleted and name in value.deleted:
                    replacing.add(id(item))
            if not all_of_it and isinstance(value, DesiredMap):
                for name in value.deleted or ():
                    made.setdefault(name, TOMBSTONE)
        elif issubclass(kind, (list, tuple)):
            values = [None] * len(value)
            target[key] = values
            if id(value) in tree.list_keys:
                tree.list_keys[id(values)] = tree.list_keys[id(value)]
            for at, item in enumerate(value):
                if item is UNSET or (item is None and not whole):
                    raise EncodeError(
                        show_path(_steps_of((path, at, 0))),
                        f"{item} can't be in a list; leave the element out, or use crossplane_lite.NULL for a null",
                    )
                # A list replaces the inherited list, so each element needs the fields of its source too.
                work.append((item, values, at, (path, at, path[2] + 1), True))
        else:
            target[key] = value
    tree.data = box[0]
    return tree


def whole_tree(value: Any, call: Tracker | None) -> Tree:
    """Return a value as a tree, in which models have their set fields and the other fields of their source.

    Only with a `call` are its placeholders searched in strings. Raises EncodeError if a list holds UNSET, or the value
    contains itself.
    """
    return _convert(value, call, whole=True)


def unresolved_in(value: Any, call: Tracker | None) -> list[Observable[Any]]:
    """Return the unresolved Observables in a value, and those whose placeholders are in its strings.

    If `call` is None, every Observable in the value is returned, and strings aren't searched. Raises EncodeError like
    `whole_tree`.
    """
    return [observable for found in _convert(value, call, whole=True).found for observable in found.waits_for]


def with_references(value: Any, call: Tracker | None) -> Any:
    """Return a value in which each Observable that has a value meanwhile is replaced by that value.

    If there is such an Observable, the result is plain data. Otherwise it is `value` itself. Raises EncodeError like
    `whole_tree`.
    """
    tree = whole_tree(value, call)
    return tree.data if tree.refers else value


def plain_and_waits(value: Any, call: Tracker | None) -> tuple[Any, list[Observable[Any]]]:
    """Return a value as plain data, and the unresolved Observables that are in it or in its strings' placeholders.

    The `call` and the errors are as in `whole_tree`.
    """
    tree = _convert(value, call, whole=True)
    return tree.data, [observable for found in tree.found for observable in found.waits_for]


def with_nulls(value: Any, opened: Callable[[Any], Any] | None = None) -> Any:
    """Return plain data in which each None is replaced by NULL. In plain data, None means an explicit null.

    The result of `opened` takes the place of an item, such as the content of a protobuf message. Raises UsageError if
    the data contains itself, or is nested too deep.
    """
    box: list[Any] = [None]
    work: list[tuple[Any, Any, Any, int]] = [(value, box, 0, 0)]
    while work:
        item, target, key, depth = work.pop()
        if depth > DEEPEST:
            raise UsageError(f"the data contains itself, or has more than {DEEPEST:,} levels")
        if opened is not None:
            item = opened(item)
        if item is None:
            target[key] = NULL
        elif isinstance(item, Mapping):
            made: dict[Any, Any] = dict.fromkeys(item)
            target[key] = made
            work.extend((child, made, name, depth + 1) for name, child in item.items())
        elif isinstance(item, (list, tuple)):
            values = [None] * len(item)
            target[key] = values
            work.extend((child, values, at, depth + 1) for at, child in enumerate(item))
        else:
            target[key] = item
    return box[0]


def leaves(value: Any) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """Yield each scalar, empty object and empty list in plain data, after the steps of its path."""
    work: list[tuple[Any, Path]] = [(value, _TOP)]
    while work:
        item, path = work.pop()
        if isinstance(item, dict) and item:
            work.extend((child, (path, name, 0)) for name, child in item.items())
        elif isinstance(item, list) and item:
            work.extend((child, (path, at, 0)) for at, child in enumerate(item))
        else:
            yield tuple(_steps_of(path)), item


def canonical(value: Any) -> str:
    """Return a text of plain data. Equal data gives the same text, whatever the order of its keys."""
    parts: list[str] = []
    work: list[tuple[bool, Any]] = [(False, value)]
    while work:
        is_text, item = work.pop()
        if is_text:
            parts.append(item)
        elif isinstance(item, dict):
            parts.append("{")
            work.append((True, "}"))
            for name in sorted(item, reverse=True):
                work += [(False, item[name]), (True, f"{name!r}:")]
        elif isinstance(item, list):
            parts.append("[")
            work.append((True, "]"))
            work += [(False, child) for child in reversed(item)]
        else:
            parts.append(f"{item!r},")
    return "".join(parts)


def equal(one: Any, other: Any) -> bool:
    """Return whether two values of plain data are equal. Unlike in Python, True and 1 aren't equal.

    Observables are equal if their paths are.
    """
    work = [(one, other)]
    while work:
        left, right = work.pop()
        if isinstance(left, dict) and isinstance(right, dict):
            if left.keys() != right.keys():
                return False
            work.extend((left[key], right[key]) for key in left)
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return False
            work.extend(zip(left, right, strict=True))
        elif type(left) is Observable or type(right) is Observable:
            if type(left) is not type(right) or left.source_path != right.source_path:
                return False
        elif left is not right and (isinstance(left, bool) is not isinstance(right, bool) or left != right):
            return False
    return True


def represent(value: Any, depth: int = 0) -> str:
    """Return the repr of a model: its class, and the fields that are set or in its source.

    Values that are nested more than eight levels deep are shown as `...`. `depth` is the depth of `value` itself.
    """
    if isinstance(value, ModelShape):
        if depth > 8:
            return f"{type(value).__name__}(...)"
        by_wire = {field.wire: field.name for field in type(value).__wire_fields__.values()}
        fixed = type(value)._fixed
        shown = []
        for wire, item in _present(value).items():
            name = by_wire.get(wire, wire)
            if name not in fixed:
                shown.append(f"{name}={represent(item, depth + 1)}")
        return f"{type(value).__name__}({', '.join(shown)})"
    if isinstance(value, dict):
        if depth > 8:
            return "{...}"
        return "{" + ", ".join(f"{key!r}: {represent(item, depth + 1)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[...]" if depth > 8 else "[" + ", ".join(represent(item, depth + 1) for item in value) + "]"
    return repr(value)


def _present(model: ModelShape) -> dict[str, Any]:
    """Return the fields of a model that are set or in its source, by their names in Kubernetes.

    Nested models stay models. Fields of the source that the class doesn't have are left out, and so are nulls of the
    source.
    """
    node = model._node
    known = type(model).__wire_fields__
    present = {known[name].wire: value for name, value in model.__dict__.items()}
    if node is not None and node.raw is not None:
        by_wire = {field.wire: field.name for field in known.values()}
        for wire in sorted(node.fields):
            name = by_wire.get(wire, wire)
            if wire not in present and name not in (node.deleted or ()) and known.get(name) is not None:
                value = getattr(model, name)
                if value is not None and type(value) is not Observable:
                    present[wire] = value
    return present
