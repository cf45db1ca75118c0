"""Checks and converts values that are set in desired state: each is kept as it is, converted,
copied or refused.

This module calls that adopting a value. A model that "stands nowhere" isn't in a field, list or map
yet. The source of a model is the encoded object that its unset fields are read from.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ...errors import DEEPEST, CrossplaneLiteError, UnknownFieldError, UsageError
from ..base.sentinels import NULL, TOMBSTONE, UNSET, NullType, UnsetType
from ..base.texts import articled, class_in_words, near_name, value_in_words
from ..observed.observable import Observable
from ..observed.tracker import current
from ..paths.text import show as show_path
from ..paths.trees import copied
from . import types as _types
from .containers import ModelList, ModelMap, PlacedList, PlacedMap
from .node import (
    COPY,
    HELD,
    HELD_NODE,
    LAID,
    LOOSE,
    OUTSIDE,
    TEMPLATE,
    VIEW,
    WAIT,
    Became,
    ModelShape,
    Node,
    place_of,
)
from .walker import plain_data, tree_of, with_nulls

if TYPE_CHECKING:
    from typing import TypeAlias

    # The place of a value, for messages: a string, a model, a list, a map, or a pair of such a
    # place and a step below it. It becomes a string only for a message.
    Place: TypeAlias = object | tuple["Place", str | int]

# The codes of types whose values are objects.
_OBJECTS: Final = (_types.MODEL, _types.OBJECT)

S = TypeVar("S", bound=ModelShape)

# The types of plain data that are kept as they are; values of all others are looked at.
_KEPT = frozenset({*_types.SCALARS, Observable, type(None), type(NULL)})

_OF_KUBERNETES: Final = ".io.k8s."  # in the names of modules
_OF_CROSSPLANE: Final = "crossplane_lite.models.io.crossplane."

# Not through the property `Model.__class__`, which is for attrs. It works because all models have
# the same slots.
_set_class: Any = object.__dict__["__class__"].__set__


def adopt(type_: _types.Type, value: Any, name: Place) -> Any:
    """Return `value` as a field, list or map of desired state keeps it: as it is, converted or
    copied.

    None and UNSET give None, which means that nothing is set. A missing list, map or model (read
    from an unset field) gives None too. But a missing model of observed state gives an Observable
    if its value may still come. Raises UsageError if the value isn't allowed there, contains itself
    or is nested too deep, and UnknownFieldError if a mapping for a model has a key that the model
    doesn't have.
    """
    work = _Work()
    kept = _adopt_one(type_, value, name, work)
    work.finish()
    return kept


class _Work:
    """Nested values that aren't adopted yet: a stack in place of recursion, because values can be
    nested deeply.

    Args:
        is_copy: Whether the values come from another model. Then the types of scalars aren't
            checked.
    """

    __slots__ = ("_depth", "_items", "is_copy")

    def __init__(self, *, is_copy: bool = False) -> None:
        self.is_copy = is_copy
        self._items: list[tuple[Any, Any, _types.Type, Any, Place, int]] = []
        self._depth = 0

    def add(self, holder: Any, key: Any, type_: _types.Type, value: Any, name: Place) -> None:
        """Add `value` to the stack. `finish` adopts it later and puts it into `holder` under
        `key`.
        """
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
    if kind is Observable:
        given = value.__cl_type__
        if given is not None and not work.is_copy and type_.excludes(given):
            _reject(_not_of_type(type_, value, name))
        return value
    if value is NULL:
        return value
    if value is None or value is UNSET:
        return None
    if kind is dict and type_.code == _types.MODEL and not work.is_copy:
        made = constructed(type_, value)
        if made is not None:
            return made
    if isinstance(value, ModelShape):
        return _adopt_model(type_, value, name)
    is_map = kind is dict or isinstance(value, Mapping)
    if is_map or isinstance(value, (list, tuple)):
        return _adopt_container(type_, value, is_map, name, work)
    plain = _as_written(value, lambda problem: UsageError(f"{_label(name)}: {problem}"))
    if plain is not value:
        return _adopt_one(type_, plain, name, work)
    if type_.code == _types.ANY or type_.code == _types.DYNAMIC:
        # one that JSON can't carry is refused when the resource is encoded, with its whole path
        return value
    if any(issubclass(kind, one) for one in type_.takes):
        return value
    raise _unfit(type_, value, name)


def constructed(type_: _types.Type, values: dict[Any, Any]) -> Any:
    """Return a model that its constructor makes from a dict, which is faster; None if `adopt` must
    decide.
    """
    cls: Any = type_.made or type_.cls
    try:
        _types.all_strings(values)
        if not cls._plain.issuperset(values):
            return None
        made = cls(**values)
    except (TypeError, CrossplaneLiteError, RecursionError):
        # `_filled` gives errors with the whole path
        return None
    _take(made)
    return made


def _converted(type_: _types.Type, value: Any, name: Place, work: _Work) -> Any:
    """Return a scalar of another class than the field's, if it is allowed there.

    A whole float, such as 2.0, becomes an integer if the field takes integers. A scalar that comes
    from another model is returned unchanged. In a dry run, a field of scalars takes every scalar.
    Raises UsageError if the scalar isn't allowed in the field.
    """
    if type(value) is float and int in type_.takes and value.is_integer():
        return int(value)
    if work.is_copy:
        return value
    error = _unfit(type_, value, name)
    if not type_.takes:
        raise error
    _reject(error)
    return value


def _reject(error: UsageError) -> None:
    """Raise the error for a wrong value. A dry run goes on: the value may come from an answer that
    it made up.
    """
    call = current()
    if call is None or call.oracle is None:
        raise error


def _adopt_container(type_: _types.Type, value: Any, is_map: bool, name: Place, work: _Work) -> Any:
    code = type_.code
    if (
        type_.words
        or code == (_types.LIST if is_map else _types.MAP)
        or (not is_map and code in _OBJECTS)
    ):
        raise _unfit(type_, value, name)
    node = value._node if isinstance(value, (PlacedList, PlacedMap)) else None
    observed = node is not None and node.state >= WAIT
    if (
        node is not None
        and (observed or node.state == VIEW)
        and node.raw is None
        and node.path != ""
        and not value
    ):
        return None  # it was read from an unset field, and nothing was put into it
    if observed:
        node.refuse_whole(_label, name)  # type: ignore[union-attr]  # `observed` says that it is one
    elif code == _types.ANY:
        return _deep(value, name)
    values: Any = dict(value) if is_map else list(value)
    if observed:
        for key, element in value.items() if is_map else enumerate(value):
            values[key] = NULL if element is None else element
    if is_map and code != _types.MAP and code != _types.ANY:
        made = _filled(type_.cls, values, work, name)
        _take(made)
        return made
    if is_map:
        check_keys(values, name)
    typed = code == _types.LIST or code == _types.MAP
    item = type_.item if typed else type_
    fits = (
        typed and type_.probe is not None and _all_fit(type_, values.values() if is_map else values)
    )
    if code == _types.DYNAMIC or type_.is_item or (typed and item.code >= _types.MODEL):
        values = ModelMap(values, None, type_) if is_map else ModelList(values, None, type_)
        if not is_map and all(
            type(element) is item.made and element._node is None for element in values
        ):
            for element in values:
                _take(element)
            return values
    if not fits:
        for key, element in values.items() if is_map else enumerate(values):
            work.add(values, key, item, element, (name, key))
    return values


def _all_fit(type_: _types.Type, items: Iterable[Any]) -> bool:
    """Say whether all items of a list or map of scalars can be kept as they are. `type_.probe` must
    not be None.
    """
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
        node.refuse_whole(_label, name)
    if node is not None and value._absent:
        if type(node.owner) is Became:
            return adopt(type_, node.owner.values, name)
        if not _is_status(name):  # as `attrs.evolve` hands it on
            node.used()
        # Reading a missing value gives an empty view: a dependency if it can still come, no opinion
        # if it can't.
        return node.observable() if state == WAIT else None
    if code == _types.MAP and value._is_open():
        # an object without a schema, such as a composite's labels
        return adopt(type_, plain_data(value), name)
    is_other = code == _types.MODEL and not isinstance(value, type_.made or type_.cls)
    if is_other and state >= WAIT:
        # the same shape in another class: observed values go by their wire names
        value = _copied(value, type_.cls)
        is_other = False
    elif is_other and not _are_kin(type(value), type_.cls):
        raise _unfit(type_, value, name)
    elif code in (_types.LIST, _types.MAP) or type_.words:
        raise _unfit(type_, value, name)
    elif state in (LAID, TEMPLATE) or (state == HELD and (node is None or node.raw is None)):
        # The copy lacks fields that another resource inherits, and changes to it don't show there.
        value = own_copy(value)
    elif state == OUTSIDE and current() is not None:
        # a call must not change objects that were made outside of every call
        value = own_copy(value)
    elif state not in (LOOSE, OUTSIDE):
        value = _copied(value, type(value))
    if is_other:
        _become(value, type_, name)
    _take(value)
    return value


def _is_status(name: Place) -> bool:
    return type(name) is tuple and name[1] == "status" and type(name[0]) is not tuple


def _take(model: ModelShape) -> None:
    if model._node is None:
        model._set_node(model, HELD_NODE)
    elif model._node.state in (LOOSE, OUTSIDE):  # instances in other states stay what they are
        model._node.state = HELD if model._node.state == LOOSE else TEMPLATE


def own_copy(model: S) -> S:
    """Return a copy of a model with the fields that are set or deleted in it, without other fields
    of its source.
    """
    return fill(type(model), with_nulls(tree_of(model, None).data), is_copy=True)


def _copied(value: ModelShape, cls: type[ModelShape]) -> ModelShape:
    """Return a copy of a model as class `cls`, with its set fields and those of its source. It
    stands nowhere yet.
    """
    node = value._node
    if cls is type(value) and node is not None and node.raw is not None:
        # Over the same bytes, so that fields that the class doesn't know come along.
        made: ModelShape = value._shell()
        place = Node(COPY, node.raw)
        place.deleted = None if node.deleted is None else set(node.deleted)
        cls._set_node(made, place)
        return made
    return fill(cls, plain_data(value))


def _deep(value: Any, name: Place) -> Any:
    """Return a deep copy of plain lists and mappings, so that the call shares none of them with
    other code.

    Enum members and times in them are replaced by strings or numbers, as in Kubernetes.

    Raises:
        UsageError: The value contains itself or is nested too deep, or a time in it has no time
            zone.
    """

    def changed(item: Any) -> Any:
        kind = type(item)
        if kind in _KEPT or kind is dict or kind is list or kind is tuple:
            return item
        if kind is ModelList:
            return list(item)
        return _as_written(item, lambda problem: UsageError(f"{_label(name)}: {problem}"))

    return copied(value, changed, lambda: _too_deep(name), DEEPEST)


def _as_written(value: Any, fault: Callable[[str], Exception]) -> Any:
    """Return a member of an enum as its value, and a time or date as the string that Kubernetes
    uses.

    Any other value is returned as it is. A time is converted to UTC. The value must not be an
    Observable: the checks made here would count as uses of it. Raises the error that `fault` makes
    from a text for a time without a time zone.
    """
    if isinstance(value, Enum):
        return value if isinstance(value, (NullType, UnsetType)) else value.value
    datetime = sys.modules.get("datetime")  # a date can only exist once it is imported
    if datetime is None or not isinstance(value, datetime.date):
        return value
    if not isinstance(value, datetime.datetime):
        return value.isoformat()
    if value.utcoffset() is None:
        raise fault(
            f"a time must have a time zone (got {value!r}); write datetime.now(timezone.utc), or"
            " replace(tzinfo=...)"
        )
    text: str = value.astimezone(datetime.timezone.utc).replace(tzinfo=None).isoformat()
    return text + "Z"


def check_keys(keys: Iterable[Any], name: Place) -> None:
    """Raise UsageError unless the keys of a map are strings or Observables."""
    wrong: list[Any] = []
    try:
        _types.all_strings(keys)
    except TypeError:
        wrong = [key for key in keys if not isinstance(key, (str, Observable))]
    for key in wrong:
        _reject(_no_key(key, name))


def _no_key(key: Any, name: Place) -> UsageError:
    return UsageError(f"{_label(name)}: keys must be strings (got {value_in_words(key)})")


def _unknown_key(cls: type[ModelShape], key: str, values: Mapping[Any, Any], place: str) -> str:
    """Return the message for a key of a mapping at a place that is no field of the model's
    class.
    """
    from .mistakes import meant

    hint = meant(cls, key)
    if hint == near_name(key, [one for one in values if isinstance(one, str) and one != key]):
        hint = ""  # the field that it resembles is given beside it
    if key == "namespace" and place.endswith("Ref"):
        hint = "; what it refers to is in the resource's own namespace: leave it out"
    where = place if place == cls.__name__ else f"{place} ({articled(cls.__name__)})"
    return f"{where} has no field {key!r}{hint}"


def fill(cls: type[S], values: Mapping[Any, Any], *, is_copy: bool = False) -> S:
    """Return a new model with the fields of a mapping.

    The model is made without its constructor. A key is a field's name in Kubernetes or its
    attribute; an Observable counts as its text. With `is_copy` the types of scalars aren't checked.
    Raises UnknownFieldError for a key without a field, and UsageError for a value that doesn't fit.
    """
    work = _Work(is_copy=is_copy)
    model = _filled(cls, values, work, cls.__name__)
    work.finish()
    return model


def _filled(cls: type[S], values: Mapping[Any, Any], work: _Work, name: Place) -> S:
    model = cls.__new__(cls)
    model._stand_nowhere()
    target = model.__dict__
    for key, value in values.items():
        if type(key) is Observable:
            key = str(key)  # if unresolved its placeholder, which is found again
        if not isinstance(key, str):
            raise _no_key(key, name)
        field = cls.__wire_fields__.get(key)
        # the attribute of one field may be the wire name of another
        if field is None or field.wire != key:
            field = cls._by_wire(key) or field
        if field is None:
            raise UnknownFieldError(_unknown_key(cls, key, values, _label(name)), (cls, key))
        if field.name in cls._fixed:
            cls._check_fixed(field.name, value)
        elif value is TOMBSTONE:  # a copy removes the same fields as its original
            delattr(model, field.name)
        else:
            # keeps the order; replaced, or taken out again, when the work is done
            target[field.name] = None
            work.add(target, field.name, field.type, value, (name, field.wire))
    return model


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
    # such as that of another version
    is_namesake = type_.code == _types.MODEL and type_.name == kind.__name__
    try:
        shown = repr(value)
    except RecursionError:
        shown = ""
    # Nothing is cut: half a secret would not be recognised any more.
    what = f"{shown} that is " if shown and len(shown) <= 60 else ""
    what += class_in_words(kind, with_module=is_namesake)
    wanted = type_.describe(with_module=is_namesake)
    return UsageError(f"{_label(name)}: must be {wanted} (got {what}){_hint(type_, value)}")


def _not_of_type(type_: _types.Type, value: Observable[Any], name: Place) -> UsageError:
    given: Any = value.__cl_type__
    hint = ""
    if type_.code == given.code == _types.LEAF:
        makes = next((cls.__name__ for cls in (str, int, float) if cls in type_.takes), "")
        hint = f"; write crossplane_lite.apply({makes}, value)" if makes else ""
        hint = "; write str(...)" if makes == "str" else hint
    elif type_.code == _types.LIST and not type_.item.excludes(given):
        hint = "; write [...] around it"
    items = ""
    # then it is the items whose types differ
    while type_.code == given.code in (_types.LIST, _types.MAP):
        type_, given, items = type_.item, given.item, "each item "
    got = f"{value.__cl_path__}, {'where it' if items else 'which'} is {given.describe()}"
    return UsageError(f"{_label(name)}: {items}must be {type_.describe()} (got {got}){hint}")


def _hint(type_: _types.Type, value: Any) -> str:
    """Return the end of the message for a refused value: what to write instead. Empty if that isn't
    clear.
    """
    takes = type_.takes
    if type_.code == _types.LIST:
        if isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping)):
            return "; use list(...)"
        return "; write [...] around it" if type(value) in type_.item.takes else ""
    if isinstance(value, bool):
        return f'; write "{str(value).lower()}"' if str in takes else ""
    if isinstance(value, (bytes, bytearray)):
        return "; write value.decode()" if str in takes else ""
    if str in takes and not isinstance(value, str):
        own: Any = type(value).__str__
        has_text = own is not object.__str__  # a network, a path and a UUID have one of their own
        return "; write str(...)" if has_text or isinstance(value, (int, float)) else ""
    if isinstance(value, str):
        if bool in takes:
            return "; write True or False"
        call = current()
        if takes and call is not None and call.tokens_in(value):
            return "; give the value itself, not a string that is made from it"
        if takes and value.strip().lstrip("+-").isdigit():
            return "; write int(...)"
    return ""


# Fields of the same name share a class where their schemas are equal. A new version of the schemas
# may make them differ: then one field keeps the class, and the other fields get classes with longer
# names. All these classes are kin. Older code still uses the old class for all these fields. So a
# field takes a model of a kin class, as it takes a mapping with the same content: the model becomes
# one of the field's class, if all fields that are set in it fit there.


def _are_kin(one: type[ModelShape], other: type[ModelShape]) -> bool:
    """Say whether a field of the class `other` takes models of `one`.

    It does if both are made for fields of the same name, in the same module. And Kubernetes' own
    types, such as LabelSelector and EnvVar, are written out anew in the definitions of other kinds,
    so models of them fit there. A field's class may be a shared type of Crossplane with one version
    of a definition, and one of its own with another.
    """
    if one._kin == "" or other._kin == "":
        return False
    shared = [_OF_CROSSPLANE in cls.__module__ for cls in (one, other)]
    if any(shared):
        return all(
            found or cls._kin.endswith(_types.MACHINERY)
            for cls, found in zip((one, other), shared, strict=True)
        )
    if one.__module__ == other.__module__:
        return one._kin == other._kin
    return _OF_KUBERNETES in f".{one.__module__}" and _OF_KUBERNETES not in f".{other.__module__}"


def _become(model: ModelShape, type_: _types.Type, name: Place) -> None:
    """Change the class of a model, and of the models in it, to kin classes that fit into a field.

    If anything in the model doesn't fit, an error is raised and nothing has changed. `model` isn't
    in a field, list or map yet. Raises UnknownFieldError if the new class lacks a field, and
    UsageError if a field can't hold its value.
    """
    # all is checked before anything changes
    for one, its, names in list(_changes(type_, model, name)):
        if not isinstance(one, ModelShape):
            one._type = its  # it checks values that are put into it
            continue
        kept = {names[attribute]: value for attribute, value in one.__dict__.items()}
        one.__dict__.clear()
        one.__dict__.update(kept)
        if one._node is not None and one._node.deleted is not None:
            one._node.deleted = {names[attribute] for attribute in one._node.deleted}
        _set_class(one, its.cls)


def _changes(
    type_: _types.Type, value: Any, place: Place
) -> Iterator[tuple[Any, _types.Type, dict[str, str]]]:
    """Yield the models, lists and maps that `_become` changes, each with its new type and its
    attributes' new names.
    """
    if type_.code in (_types.ANY, _types.DYNAMIC):
        return
    if isinstance(value, ModelShape):
        if type_.code == _types.OBJECT or (
            type_.code == _types.MODEL and isinstance(value, type_.cls)
        ):
            return
        has_views = value._node is not None and bool(value._node.views)  # code may hold them
        if type_.code != _types.MODEL or has_views or not _are_kin(type(value), type_.cls):
            raise _unfit(type_, value, place)
        fields = _fields(value, type_.cls, place)
        yield value, type_, {attribute: field.name for attribute, field in fields.items()}
        for attribute, item in value.__dict__.items():
            yield from _changes(fields[attribute].type, item, (place, fields[attribute].wire))
    elif isinstance(value, (list, dict)):
        if type_.code != (_types.LIST if isinstance(value, list) else _types.MAP):
            raise _unfit(type_, value, place)
        if hasattr(value, "_type"):
            yield value, type_, {}
        for step, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _changes(type_.item, item, (place, step))
    elif type(value) in _types.SCALARS and type(value) not in type_.takes:
        _converted(type_, value, place, _Work())


def _fields(model: ModelShape, cls: type[ModelShape], place: Place) -> dict[str, _types.Field]:
    """Return, for each attribute that is set or deleted in a model, the field of `cls` with the
    same Kubernetes name.

    Raises UnknownFieldError if there is no such field.
    """
    node = model._node
    deleted = () if node is None or node.deleted is None else node.deleted
    found = {}
    for attribute in (*model.__dict__, *deleted):
        wire = type(model).__wire_fields__[attribute].wire
        field = cls._by_wire(wire) or cls.__wire_fields__.get(wire)
        if field is None:
            raise UnknownFieldError(
                f"{_label(place)} ({articled(cls.__name__)}) has no field {wire!r}, which is set in"
                f" the {type(model).__name__} that is put"
                f" there{near_name(wire, cls.__wire_fields__)}"
            )
        found[attribute] = field
    return found
