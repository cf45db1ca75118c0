"""Loops over nested values of models and plain data: to convert, search, compare, show and compute
with them.

None of them is recursive, because the data decides how deeply values are nested. The source of a
model is the encoded object that its unset fields are read from. A placeholder is the text of an
unresolved Observable in a string.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from ...errors import DEEPEST, EncodeError, UsageError
from .. import codec
from ..base.sentinels import NULL, TOMBSTONE, UNSET, Replaced
from ..observed.observable import Observable, call_of, known, make, root_of, sources
from ..observed.root import Computed
from ..observed.tracker import Tracker, current
from ..paths import trees
from ..paths.text import show as join_path
from ..paths.trees import canonical as canonical
from ..paths.trees import copied, steps_of
from ..paths.trees import leaves as leaves
from .node import COPY, WAIT, Became, ModelShape, PlacedMap

if TYPE_CHECKING:
    from typing import TypeAlias

    from ..observed.root import Root
    from ..paths.trees import Way

    Later: TypeAlias = "T | Observable[T]"
    Maybe: TypeAlias = "T | Observable[T] | None"

T = TypeVar("T")
D = TypeVar("D")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
E = TypeVar("E")


def show_path(steps: list[Any]) -> str:
    """Join the steps of a path to text, such as `spec.ports[2]["a/b"]`. An Observable in it is
    shown as its path.
    """
    return join_path([step.source_path if type(step) is Observable else step for step in steps])


def _model_items(model: ModelShape, *, whole: bool) -> dict[str, Any]:
    """Return a model's set fields and TOMBSTONEs by wire name; with `whole`, also the source's, and
    no TOMBSTONEs.
    """
    cls = type(model)
    node = model._node
    known = cls.__wire_fields__
    items: dict[str, Any] = {name: getattr(cls, name) for name in sorted(cls._fixed)}
    if whole and node is not None and node.raw is not None:
        items = with_nulls(codec.decode_struct(node.raw)) | items
    if node is not None and node.deleted:
        for name in node.deleted:
            if whole:
                items.pop(known[name].wire, None)
            else:
                items[known[name].wire] = TOMBSTONE
    for name, value in model.__dict__.items():
        items[known[name].wire] = value
    return items


class Found(NamedTuple):
    """An unresolved value in a tree.

    Attributes:
        steps: Its path from the top, as a list: names of fields, keys of maps and indexes.
        waits_for: The Observables that the value is made from.
        is_key: True if the last step is a key of a map and the key is unresolved. False if the
            value there is unresolved.
        in_text: Whether the value is a text with placeholders.
    """

    steps: list[str | int]
    waits_for: list[Observable[Any]]
    is_key: bool
    in_text: bool = False


class Tree:
    """A model or another value as plain data, with a list of the unresolved values in it.

    Attributes:
        data: Dicts, lists and scalars, with the names that fields have in Kubernetes. TOMBSTONE
            marks fields to remove, and None is an explicit null. An unresolved Observable stays. An
            Observable that has a value meanwhile is replaced by the value.
        found: The unresolved values in `data`.
        list_keys: The merge keys of lists in `data`, by the id of the list. Lists without merge
            keys are left out.
        refers: Whether an Observable in `data` was replaced by its value.
    """

    __slots__ = ("data", "found", "list_keys", "refers")

    def __init__(self) -> None:
        self.data: Any = None
        self.found: list[Found] = []
        self.list_keys: dict[int, tuple[str, ...]] = {}
        self.refers = False


def plain_data(value: Any) -> Any:
    """Return a model, or a value from one, as plain data: the set fields, and the other fields of
    the source.

    Raises:
        EncodeError: A list holds UNSET, or the value contains itself.
    """
    return _convert(value, None, whole=True).data


def tree_of(value: Any, call: Tracker | None) -> Tree:
    """Return a model as a tree: its set fields, and TOMBSTONE for each deleted field, but no others
    of its source.

    Models that were copied from observed state, and models in lists, have all their fields. Only
    with a `call` are its placeholders searched in strings. Raises EncodeError if a list holds None
    or UNSET, or the value contains itself; and UsageError if a whole observed resource, or its
    whole metadata or status, would be copied.
    """
    return _convert(value, call, whole=False)


def _convert(top: Any, call: Tracker | None, *, whole: bool) -> Tree:
    tree = Tree()
    box: list[Any] = [None]
    replacing: set[int] = set()  # ids of values set in the place of something deleted
    # The strings that may have placeholders, each with its path, and whether it is a key.
    texts: list[tuple[str, Way, bool]] = []
    work: list[tuple[Any, Any, Any, Way, int, bool]] = [(top, box, 0, (), 0, whole)]
    while work:
        value, target, key, path, depth, all_of_it = work.pop()
        if depth > DEEPEST:
            raise EncodeError(
                f"{show_path(steps_of(path)[:8])}…",
                f"contains itself, or has more than {DEEPEST:,} levels",
            )
        kind = type(value)
        if kind is str or issubclass(kind, str):
            target[key] = value
            texts.append((value, path, False))
        elif kind is Observable:
            if call is not None and (there := known(value)) is not UNSET:
                target[key] = there
                tree.refers = True
                continue
            target[key] = value
            tree.found.append(Found(steps_of(path), list(sources(value)), False))
        elif value is NULL:
            target[key] = None
        elif issubclass(kind, ModelShape):
            node = value._node
            if node is not None and type(node.owner) is Became:
                work.append((node.owner.values, target, key, path, depth, all_of_it))
                continue
            if node is not None and node.state >= COPY:
                if not whole and node.state >= WAIT:
                    node.refuse_whole(lambda way: show_path(steps_of(way)), path)
                all_of_it = True
            if path and node is not None and value._absent:
                node.used()
                if node.state >= WAIT:
                    target[key] = waiting = make(node.path, node.root)
                    tree.found.append(Found(steps_of(path), [waiting], False))
                    continue
            made: dict[str, Any] = Replaced() if id(value) in replacing else {}
            target[key] = made
            types = {field.wire: field.type for field in type(value).__wire_fields__.values()}
            items = _model_items(value, whole=all_of_it)
            if not all_of_it and node is not None and node.deleted:
                replacing.update(
                    id(value.__dict__[name]) for name in node.deleted if name in value.__dict__
                )
            for wire, item in items.items():
                # keeps the order of the fields: the stack gives the last one first
                made[wire] = None
                step: Way = (path, wire)
                work.append((item, made, wire, step, depth + 1, all_of_it))
                type_ = types.get(wire)
                if type_ is None:  # a field of an open class, whose name compose() may have made
                    texts.append((wire, step, True))
                elif type_.keys and isinstance(item, list):
                    tree.list_keys[id(item)] = type_.keys
        elif issubclass(kind, Mapping):
            made = Replaced() if id(value) in replacing else {}
            target[key] = made
            # A model in a plain mapping has no other place, so it is taken with the fields of its
            # source.
            all_below = all_of_it or not isinstance(value, PlacedMap)
            node = value._node if isinstance(value, PlacedMap) else None
            deleted = () if node is None or node.deleted is None else node.deleted
            for name, item in value.items():
                if item is UNSET or (item is None and not whole):
                    continue
                if (
                    type(name) is Observable
                    and call is not None
                    and (there := known(name)) is not UNSET
                ):
                    tree.refers = True
                    name = str(there)
                made[name] = None
                step = (path, name)
                if isinstance(name, str):
                    texts.append((name, step, True))
                elif type(name) is Observable:
                    tree.found.append(Found(steps_of(step), list(sources(name)), True))
                work.append((item, made, name, step, depth + 1, all_below))
                if deleted and name in deleted:
                    replacing.add(id(item))
            for name in () if all_of_it else deleted:
                made.setdefault(name, TOMBSTONE)
        elif issubclass(kind, (list, tuple)):
            values = [None] * len(value)
            target[key] = values
            if id(value) in tree.list_keys:
                tree.list_keys[id(values)] = tree.list_keys[id(value)]
            for at, item in enumerate(value):
                if item is UNSET or (item is None and not whole):
                    raise EncodeError(
                        show_path(steps_of((path, at))),
                        f"{item} can't be in a list; leave the element out, or use"
                        " crossplane_lite.NULL for a null",
                    )
                # A list replaces the inherited list, so each element needs the fields of its source
                # too.
                work.append((item, values, at, (path, at), depth + 1, True))
        else:
            target[key] = value
    tree.data = box[0]
    if call is not None and call.searches:
        tree.found += _with_tokens(texts, call)
    return tree


def _with_tokens(texts: list[tuple[str, Way, bool]], call: Tracker) -> list[Found]:
    """Return the places of the strings that have placeholders. Halves without any are left out at
    once.
    """
    if len(texts) < 3:
        waits = [(call.tokens_in(text), path, is_key) for text, path, is_key in texts]
        return [
            Found(steps_of(path), waits_for, is_key, True)
            for waits_for, path, is_key in waits
            if waits_for
        ]
    if not call.has_token("\n".join([text for text, _, _ in texts]).encode(errors="replace")):
        return []
    half = len(texts) // 2
    return _with_tokens(texts[:half], call) + _with_tokens(texts[half:], call)


def whole_tree(value: Any, call: Tracker | None) -> Tree:
    """Return a value as a tree, in which models have their set fields and the other fields of their
    source.

    Only with a `call` are its placeholders searched in strings. Raises EncodeError if a list holds
    UNSET, or the value contains itself.
    """
    return _convert(value, call, whole=True)


def unresolved_in(value: Any, call: Tracker | None) -> list[Observable[Any]]:
    """Return the unresolved Observables in a value, and those whose placeholders are in its
    strings.

    If `call` is None, every Observable in the value is returned, and strings aren't searched.
    Raises EncodeError like `whole_tree`.
    """
    return [
        observable
        for found in _convert(value, call, whole=True).found
        for observable in found.waits_for
    ]


def with_references(value: Any, call: Tracker | None) -> Any:
    """Return a value in which each Observable that has a value meanwhile is replaced by that value.

    If there is such an Observable, the result is plain data. Otherwise it is `value` itself. Raises
    EncodeError like `whole_tree`.
    """
    tree = whole_tree(value, call)
    return tree.data if tree.refers else value


def plain_and_waits(value: Any, call: Tracker | None) -> tuple[Any, list[Observable[Any]]]:
    """Return a value as plain data, and the unresolved Observables that are in it or in its
    strings' placeholders.

    The `call` and the errors are as in `whole_tree`.
    """
    tree = _convert(value, call, whole=True)
    return tree.data, [observable for found in tree.found for observable in found.waits_for]


def with_nulls(value: Any, opened: Callable[[Any], Any] | None = None) -> Any:
    """Return plain data in which each None is replaced by NULL. In plain data, None means an
    explicit null.

    The result of `opened` takes the place of an item, such as the content of a protobuf message.
    Raises UsageError if the data contains itself, or is nested too deep.
    """

    def changed(item: Any) -> Any:
        if opened is not None:
            item = opened(item)
        if item is None:
            return NULL
        if isinstance(item, Mapping):
            return dict(item)
        return list(item) if isinstance(item, list) else item

    return copied(
        value,
        changed,
        lambda: UsageError(f"the data contains itself, or has more than {DEEPEST:,} levels"),
        DEEPEST,
    )


def equal(one: Any, other: Any) -> bool:
    """Return whether two values of plain data are equal. True and 1 aren't; Observables are if
    their paths are.
    """
    return trees.equal(one, other, _same)


def _same(one: Any, other: Any) -> bool:
    if type(one) is Observable or type(other) is Observable:
        return type(one) is type(other) and bool(one.source_path == other.source_path)
    return one is other or (isinstance(one, bool) is isinstance(other, bool) and bool(one == other))


def represent(value: Any, depth: int = 0) -> str:
    """Return the repr of a model: its class, and the fields that are set or in its source.

    Nulls of the source are left out. Values that are nested more than eight levels deep are shown
    as `...`. `depth` is the depth of `value` itself.
    """
    if isinstance(value, ModelShape):
        shown = shown_fields(value) if depth <= 8 else []
        fields = [f"{name}={represent(item, depth + 1)}" for name, item in shown]
        return f"{type(value).__name__}({', '.join(fields) if depth <= 8 else '...'})"
    if isinstance(value, dict):
        if depth > 8:
            return "{...}"
        return (
            "{"
            + ", ".join(f"{key!r}: {represent(item, depth + 1)}" for key, item in value.items())
            + "}"
        )
    if isinstance(value, list):
        return (
            "[...]"
            if depth > 8
            else "[" + ", ".join(represent(item, depth + 1) for item in value) + "]"
        )
    return repr(value)


def shown_fields(model: ModelShape) -> list[tuple[str, Any]]:
    """Return the fields that a model's repr shows, each with its value: those that are set, and
    those of its source.

    Fields of the source are left out if the class doesn't have them, or if they are null, deleted
    or always the same.
    """
    shown = list(model.__dict__.items())
    node = model._node
    if node is not None and node.raw is not None:
        known = type(model).__wire_fields__
        by_wire = {field.wire: field.name for field in known.values()}
        left_out = {*model.__dict__, *type(model)._fixed, *(node.deleted or ())}
        for name in [by_wire.get(wire, wire) for wire in sorted(node.fields)]:
            if name not in left_out and known.get(name) is not None:
                item = getattr(model, name)
                if item is not None and type(item) is not Observable:
                    shown.append((name, item))
    return shown


@overload
def apply(function: Callable[[], T], /) -> Later[T]: ...
@overload
def apply(function: Callable[[A], T], a: Observable[A], /) -> Later[T]: ...
@overload
def apply(function: Callable[[list[A]], T], a: list[A | Observable[A]], /) -> Later[T]: ...
@overload
def apply(
    function: Callable[[dict[str, A]], T], a: dict[str, A | Observable[A]], /
) -> Later[T]: ...
@overload
def apply(function: Callable[[A], T], a: Maybe[A], /) -> Later[T]: ...
@overload
def apply(function: Callable[[list[Any]], T], a: list[Any], /) -> Later[T]: ...
@overload
def apply(function: Callable[[dict[str, Any]], T], a: dict[str, Any], /) -> Later[T]: ...
@overload
def apply(function: Callable[[A, B], T], a: Observable[A], b: Observable[B], /) -> Later[T]: ...
@overload
def apply(function: Callable[[A, B], T], a: Maybe[A], b: Maybe[B], /) -> Later[T]: ...
@overload
def apply(
    function: Callable[[A, B, C], T], a: Maybe[A], b: Maybe[B], c: Maybe[C], /
) -> Later[T]: ...
@overload
def apply(
    function: Callable[[A, B, C, E], T], a: Maybe[A], b: Maybe[B], c: Maybe[C], d: Maybe[E], /
) -> Later[T]: ...
@overload
def apply(
    function: Callable[..., T], a: Any, b: Any, c: Any, d: Any, e: Any, /, *more: Any
) -> Later[T]: ...
def apply(function: Callable[..., T], *values: Any) -> T | Observable[T]:
    """Compute with values that may not exist yet.

    Args:
        function: The computation. It is called with `values` as its arguments, once all of them are
            resolved.
        *values: Plain values, Observables, strings that are made from Observables, or lists and
            mappings of these.

    Returns:
        The result of `function`. If a value is unresolved, an Observable that waits for all
        unresolved values.

    Raises:
        Exception: `function` raised it.
        EncodeError: A list among the values holds None or UNSET, or a value contains itself.
    """
    call = current()
    tree = whole_tree(values, call)
    waiting = [observable for found in tree.found for observable in found.waits_for]
    if not waiting:
        return function(
            *([with_references(value, call) for value in values] if tree.refers else values)
        )
    deps: dict[str, Observable[Any]] = {}
    for observable in waiting:
        for source in sources(observable):
            deps.setdefault(source.__cl_path__, source)
    name = getattr(function, "__name__", None) or type(function).__name__
    call = call_of(waiting[0])
    if call is None or call.oracle is None:
        return make(f"{name}({', '.join(deps)})", None, tuple(deps.values()))
    # The path has the function and its values in it, because the oracle tells questions apart by
    # their paths.
    root = Computed(call, f"{name}{values!r}", function, values)
    return make(root.prefix, root, tuple(deps.values()))


@overload
def value_or(value: None, default: D) -> D: ...
@overload
def value_or(value: Observable[T], default: D) -> T | D | Observable[T]: ...
@overload
def value_or(value: T | Observable[T] | None, default: D) -> T | D | Observable[T]: ...
def value_or(value: Any, default: Any) -> Any:
    """Return a value, or `default` if the value is missing for good.

    Using `default` doesn't count as a guess (see `Observable`).

    Args:
        value: A value that was read from `.observed`, from the composite or from a required
            resource.
        default: The value to return in place of a missing one.

    Returns:
        The value, if it exists, and `default` for None. A missing value of the composite or of a
        required resource gives `default` at once. A missing value of a composed resource gives
        `default` once that resource is ready by the rules of its kind. Until then, the missing
        value itself is returned, so that everything that needs it waits.
    """
    if value is None:
        return default
    if type(value) is Observable:
        there = known(value)
        if there is not UNSET:
            return there
        if not all(_is_final(root_of(source)) for source in sources(value)):
            return value
        call = call_of(value)
        if call is not None:
            call.answered[value.__cl_path__] = value
        return default
    if (
        isinstance(value, ModelShape)
        and value._absent
        and value._node is not None
        and value._node.state >= WAIT
    ):
        return default if _is_final(value._node.root) else value
    return value


def _is_final(root: Root | None) -> bool:
    """Say whether a field that the object `root` lacks is missing for good; False for None."""
    return root is not None and (root.kind in ("xr", "required") or root.settled)
