"""Checks and converts values that are set in desired state: each is kept as it is, converted, copied or refused.

This module calls that adopting a value. A model that "stands nowhere" isn't in a field, list or map yet. The source of
a model is the encoded object that its unset fields are read from.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from .._base.near_name import near_name
from .._base.sentinels import NULL, TOMBSTONE, UNSET
from .._base.type_names import articled, class_in_words, value_in_words
from .._observed.observable import Observable
from .._observed.tracker import current
from .._paths.text import show as show_path
from ..errors import DEEPEST, UnknownFieldError, UsageError
from . import kin
from . import types as _types
from .containers import ModelList, ModelMap, ObservedList, ObservedMap
from .node import COPY, FACT, HELD, HELD_NODE, LAID, LOOSE, OUTSIDE, TEMPLATE, VIEW, WAIT, Became, Node, refuse_whole
from .place import place_of
from .shape import ModelShape
from .walker import plain_data, tree_of, with_nulls
from .written import as_written

if TYPE_CHECKING:
    from typing import TypeAlias

    # The place of a value, for messages: a string, a model, a list, a map, or a pair of such a place and a step below
    # it. It becomes a string only for a message.
    Place: TypeAlias = object | tuple["Place", str | int]

__all__ = ["adopt", "check_keys", "fill", "own_copy", "shell_of"]

S = TypeVar("S", bound=ModelShape)

# The types of plain data that are kept as they are; values of all others are looked at.
_KEPT = frozenset({*_types.SCALARS, Observable, type(None), type(NULL)})


def adopt(type_: _types.Type, value: Any, name: Place) -> Any:
    """Return `value` as a field, list or map of desired state keeps it: as it is, converted or copied.

    None and UNSET give None, which means that nothing is set. A missing list, map or model (read from an unset field)
    gives None too. But a missing model of observed state gives an Observable if its value may still come. Raises
    UsageError if the value isn't allowed there, contains itself or is nested too deep, and UnknownFieldError if a
    mapping for a model has a key that the model doesn't have.
    """
    work = _Work()
    kept = _adopt_one(type_, value, name, work)
    work.finish()
    return kept


class _Work:
    """Nested values that aren't adopted yet: a stack in place of recursion, because values can be nested deeply.

    Args:
        is_copy: Whether the values come from another model. Then the types of scalars aren't checked.
    """

    __slots__ = ("_depth", "_items", "is_copy")

    def __init__(self, *, is_copy: bool = False) -> None:
        self.is_copy = is_copy
        self._items: list[tuple[Any, Any, _types.Type, Any, Place, int]] = []
        self._depth = 0

    def add(self, holder: Any, key: Any, type_: _types.Type, value: Any, name: Place) -> None:
        """Add `value` to the stack. `finish` adopts it later and puts it into `holder` under `key`."""
        self._items.append((holder, key, type_, value, name, self._depth + 1))

    def finish(self) -> None:
        """Adopt all values on the stack, and those that are added meanwhile.

        Raises:
            UsageError: A value isn't allowed at its place, or is nested too deep.
            UnknownFieldError: A mapping for a model has a key that the model does not have.
        """
        while self._items:
            holder, key, type_, value, name, self._depth = self._items.pop()
            if self._depth > DEEPEST:
                raise _too_deep(name)
            kept = _adopt_one(type_, value, name, self)
            if kept is None and isinstance(holder, dict):
                dict.pop(holder, key)
            else:
                (dict if isinstance(holder, dict) else list).__setitem__(holder, key, kept)


def _adopt_one(type_: _types.Type, value: Any, name: Place, work: _Work) -> Any:
    kind = type(value)
    if kind in type_.takes:
        return value
    if kind in _types.SCALARS:
        return _converted(type_, value, name, work)
    if kind is Observable or value is NULL:
        return value
    if value is None or value is UNSET:
        return None
    if isinstance(value, ModelShape):
        return _adopt_model(type_, value, name)
    if isinstance(value, Mapping):
        return _adopt_mapping(type_, value, name, work)
    if isinstance(value, (list, tuple)):
        return _adopt_list(type_, value, name, work)
    plain = as_written(value, lambda problem: UsageError(f"{_label(name)}: {problem}"))
    if plain is not value:
        return _adopt_one(type_, plain, name, work)
    if type_.code == _types.ANY or type_.code == _types.DYNAMIC:
        return value  # one that JSON can't carry is refused when the resource is encoded, with its whole path
    if any(issubclass(kind, one) for one in type_.takes):
        return value
    raise _unfit(type_, value, name)


def _converted(type_: _types.Type, value: Any, name: Place, work: _Work) -> Any:
    """Return a scalar of another class than the field's, if it is allowed there.

    A whole float, such as 2.0, becomes an integer if the field takes integers. A scalar that comes from another model
    is returned unchanged. In a rehearsal (a run of compose() whose results are thrown away), a field of scalars takes
    every scalar. Raises UsageError if the scalar isn't allowed in the field.
    """
    if type(value) is float and int in type_.takes and value.is_integer():
        return int(value)
    if work.is_copy:
        return value
    call = current()
    if call is not None and call.oracle is not None and type_.takes:
        return value  # it may come from an answer that the rehearsal made up, and the run must go on
    raise _unfit(type_, value, name)


def _adopt_list(type_: _types.Type, value: list[Any] | tuple[Any, ...], name: Place, work: _Work) -> Any:
    code = type_.code
    if code != _types.LIST and code != _types.ANY and code != _types.DYNAMIC:
        raise _unfit(type_, value, name)
    observed = isinstance(value, ObservedList) and value._node is not None
    if isinstance(value, (ObservedList, ModelList)) and _is_absent(value):
        return None
    if observed:
        refuse_whole(value._node, _label, name)  # type: ignore[union-attr]  # `observed` says which of the two it is
    elif code == _types.ANY:
        return _deep(value, name)
    values = [NULL if element is None else element for element in value] if observed else list(value)
    if type_.probe is not None and code == _types.LIST and _all_fit(type_, values):
        return ModelList(values, None, type_) if type_.is_item else values
    if code == _types.DYNAMIC or type_.is_item or (code == _types.LIST and type_.item.code >= _types.MODEL):
        values = ModelList(values, None, type_)
        made = type_.item.made
        if all(type(element) is made and element._node is None for element in values):
            for element in values:
                _take(element)
            return values
    item = type_.item if code == _types.LIST else type_
    for at, element in enumerate(values):
        work.add(values, at, item, element, (name, at))
    return values


def _all_fit(type_: _types.Type, items: Iterable[Any]) -> bool:
    """Say whether all items of a list or map of scalars can be kept as they are. `type_.probe` must not be None."""
    assert type_.probe is not None
    try:
        type_.probe(items)
    except TypeError:
        return False
    return True


def _adopt_model(type_: _types.Type, value: ModelShape, name: Place) -> Any:
    code = type_.code
    node = value._node
    state = LOOSE if node is None else node.state
    if node is not None and state >= WAIT:
        refuse_whole(node, _label, name)
    if node is not None and value._absent:
        if type(node.owner) is Became:
            return adopt(type_, node.owner.values, name)
        if not _is_status(name):  # as `attrs.evolve` hands it on
            node.used()
        # Reading a missing value gives an empty view: a dependency if it can still come, no opinion if it can't.
        return node.observable() if state == WAIT else None
    if code == _types.MAP and value._is_open():
        return adopt(type_, plain_data(value), name)  # an object without a schema, such as a composite's labels
    is_other = code == _types.MODEL and not isinstance(value, type_.made or type_.cls)
    if is_other and state >= WAIT:
        value = _copied(value, type_.cls)  # the same shape in another class: observed values go by their wire names
        is_other = False
    elif is_other and not kin.are_kin(type(value), type_.cls):
        raise _unfit(type_, value, name)
    elif code in (_types.LIST, _types.MAP) or type_.words:
        raise _unfit(type_, value, name)
    elif state in (LAID, TEMPLATE) or (state == HELD and (node is None or node.raw is None)):
        # The copy lacks fields that another resource inherits, and changes to it don't show there.
        value = own_copy(value)
    elif state == OUTSIDE and current() is not None:
        value = own_copy(value)  # a call must not change objects that were made outside of every call
    elif state not in (LOOSE, OUTSIDE):
        value = _copied(value, type(value))
    if is_other:
        kin.become(value, type_, name, _refuse, _label)
    _take(value)
    return value


def _refuse(type_: _types.Type, value: Any, name: Place) -> None:
    """Raise UsageError for a value that doesn't fit into a kin class (see `kin`), unless `_converted` lets it pass."""
    if type(value) not in _types.SCALARS:
        raise _unfit(type_, value, name)
    _converted(type_, value, name, _Work())


def _is_status(name: Place) -> bool:
    return type(name) is tuple and name[1] == "status" and type(name[0]) is not tuple


def _take(model: ModelShape) -> None:
    if model._node is None:
        model._set_node(model, HELD_NODE)
    elif model._node.state in (LOOSE, OUTSIDE):  # instances in other states stay what they are
        model._node.state = HELD if model._node.state == LOOSE else TEMPLATE


def own_copy(model: S) -> S:
    """Return a copy of a model with the fields that are set or deleted in it, without other fields of its source."""
    cls = type(model)
    return fill(cls.__new__(cls), with_nulls(tree_of(model, None).data), is_copy=True)


def _copied(value: ModelShape, cls: type[ModelShape]) -> ModelShape:
    """Return a copy of a model as class `cls`, with its set fields and those of its source. It stands nowhere yet."""
    node = value._node
    if cls is type(value) and node is not None and node.raw is not None:
        # Over the same bytes, so that fields that the class doesn't know come along.
        made = shell_of(value)
        place = Node(COPY, node.raw)
        place.deleted = None if node.deleted is None else set(node.deleted)
        cls._set_node(made, place)
        return made
    return fill(cls.__new__(cls), plain_data(value))


def _deep(value: Any, name: Place) -> Any:
    """Return a deep copy of plain lists and mappings, so that the call shares none of them with other code.

    Enum members and times in them are replaced by strings or numbers, as in Kubernetes.

    Raises:
        UsageError: The value contains itself or is nested too deep, or a time in it has no time zone.
    """
    box: list[Any] = [None]
    work: list[tuple[Any, Any, Any, int]] = [(value, box, 0, 0)]
    while work:
        item, holder, key, depth = work.pop()
        if depth > DEEPEST:
            raise _too_deep(name)
        kind = type(item)
        copy: Any = item
        if kind is dict:
            copy = dict(item)
            work.extend((child, copy, at, depth + 1) for at, child in item.items() if type(child) not in _KEPT)
        elif kind is list or kind is tuple or kind is ModelList:
            copy = list(item)
            work.extend((child, copy, at, depth + 1) for at, child in enumerate(item) if type(child) not in _KEPT)
        else:
            copy = as_written(item, lambda problem: UsageError(f"{_label(name)}: {problem}"))
        holder[key] = copy
    return box[0]


def _adopt_mapping(type_: _types.Type, value: Mapping[Any, Any], name: Place, work: _Work) -> Any:
    code = type_.code
    if code == _types.LIST or type_.words:
        raise _unfit(type_, value, name)
    observed = isinstance(value, ObservedMap) and value._node is not None
    if isinstance(value, (ObservedMap, ModelMap)) and _is_absent(value):
        return None
    if observed:
        refuse_whole(value._node, _label, name)  # type: ignore[attr-defined]  # `observed` says that it has one
    elif code == _types.ANY:
        return _deep(value, name)
    if observed:
        value = {key: NULL if element is None else element for key, element in value.items()}
    if code != _types.MAP and code != _types.ANY:
        cls = type_.cls
        made = _filled(cls.__new__(cls), value, work, name)
        _take(made)
        return made
    item = type_.item if code == _types.MAP else type_
    kept = dict(value)
    check_keys(kept, name)
    fits = type_.probe is not None and code == _types.MAP and _all_fit(type_, kept.values())
    if code == _types.MAP and (type_.is_item or item.code >= _types.MODEL):
        kept = ModelMap(kept, None, type_)
    if not fits:
        for key, element in kept.items():
            work.add(kept, key, item, element, (name, key))
    return kept


def check_keys(keys: Iterable[Any], name: Place) -> None:
    """Raise UsageError unless the keys of a map are strings or Observables. In a rehearsal, any keys are allowed."""
    try:
        _types.all_strings(keys)
    except TypeError:
        call = current()
        if call is not None and call.oracle is not None:
            return  # one may come from an answer that the rehearsal made up, and the run must go on
        for key in keys:
            if not isinstance(key, (str, Observable)):
                raise _no_key(key, name) from None


def _no_key(key: Any, name: Place) -> UsageError:
    return UsageError(f"{_label(name)}: keys must be strings (got {value_in_words(key)})")


def _is_absent(container: ObservedList | ObservedMap | ModelList | ModelMap) -> bool:
    """Say whether a list or map is missing: it was read from an unset field, and nothing was put into it.

    Setting a field to a missing list or map sets nothing.
    """
    node = container._node
    if node is None:
        return False
    return node.raw is None and node.up is not None and not len(container) and node.state in (VIEW, WAIT, FACT)


def fill(model: S, values: Mapping[Any, Any], *, is_copy: bool = False) -> S:
    """Set the fields of a new model from a mapping, and return the model.

    The model is made without its constructor. A key is a field's name in Kubernetes or its attribute; an Observable
    counts as its text. With `is_copy` the types of scalars aren't checked. Raises UnknownFieldError for a key without a
    field, and UsageError for a value that doesn't fit.
    """
    work = _Work(is_copy=is_copy)
    _filled(model, values, work, type(model).__name__)
    work.finish()
    return model


def _filled(model: S, values: Mapping[Any, Any], work: _Work, name: Place) -> S:
    cls = type(model)
    model._stand_nowhere()
    target = model.__dict__
    for key, value in values.items():
        if type(key) is Observable:
            key = str(key)  # if unresolved its placeholder, which is found again
        if not isinstance(key, str):
            raise _no_key(key, name)
        field = cls.__wire_fields__.get(key)
        if field is None or field.wire != key:  # the attribute of one field may be the wire name of another
            field = cls._by_wire(key) or field
        if field is None:
            raise UnknownFieldError(
                f"{_unknown_in(cls, name)} has no field {key!r}{near_name(key, cls.__wire_fields__)}"
            )
        if field.name in cls._fixed:
            cls._check_fixed(field.name, value)
        elif value is TOMBSTONE:  # a copy removes the same fields as its original
            delattr(model, field.name)
        else:
            target[field.name] = None  # keeps the order; replaced, or taken out again, when the work is done
            work.add(target, field.name, field.type, value, (name, field.wire))
    return model


def _unknown_in(cls: type[ModelShape], name: Place) -> str:
    place = _label(name)
    return cls.__name__ if place == cls.__name__ else f"{place} ({articled(cls.__name__)})"


def _label(name: Place) -> str:
    steps: list[Any] = []
    while type(name) is tuple:
        name, step = name
        steps.append(step)
    top = name if isinstance(name, str) else place_of(name)
    below = show_path(reversed(steps))
    return f"{top}{'' if below.startswith('[') or not below or not top else '.'}{below}"


def _too_deep(name: Place) -> UsageError:
    way = []
    while type(name) is tuple:
        way.append(name)
        name = name[0]
    # Only the first step: nobody could read thousands of them.
    return UsageError(f"{_label(way[-1])} contains itself, or has more than {DEEPEST:,} levels")


def _unfit(type_: _types.Type, value: Any, name: Place) -> UsageError:
    kind = type(value)
    is_namesake = type_.code == _types.MODEL and type_.name == kind.__name__  # such as that of another version
    try:
        shown = repr(value)
    except RecursionError:
        shown = ""
    # Nothing is cut: half a secret would not be recognised any more.
    what = f"{shown} that is " if shown and len(shown) <= 60 else ""
    what += class_in_words(kind, with_module=is_namesake)
    wanted = type_.describe(with_module=is_namesake)
    return UsageError(f"{_label(name)}: must be {wanted} (got {what}){_hint(type_, value)}")


def _hint(type_: _types.Type, value: Any) -> str:
    """Return the end of the message for a refused value: what to write instead. Empty if that isn't clear."""
    takes = type_.takes
    if type_.code == _types.LIST:
        if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
            return "; use list(...)"
        return "; write [...] around it" if type(value) in type_.item.takes else ""
    if isinstance(value, bool):
        return f'; write "{str(value).lower()}"' if str in takes else ""
    if str in takes and isinstance(value, (int, float)):
        return "; write str(...)"
    if isinstance(value, str):
        if bool in takes:
            return "; write True or False"
        call = current()
        if takes and call is not None and call.tokens_in(value):
            return "; give the value itself, not a string that is made from it"
        if takes and value.strip().lstrip("+-").isdigit():
            return "; write int(...)"
    return ""


def shell_of(model: S) -> S:
    """Return a shallow copy of a model: the same set fields, without a source. The copy stands nowhere yet."""
    cls = type(model)
    made = cls.__new__(cls)
    made._stand_nowhere()
    made.__dict__.update(model.__dict__)
    return made
