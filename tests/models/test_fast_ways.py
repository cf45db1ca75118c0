"""Short ways through the models, each beside the long one that it stands for."""

from __future__ import annotations

import copy
import gc
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite import NULL, Observable, Unstructured
from crossplane_lite._core import codec
from crossplane_lite._core.base.sentinels import UNSET
from crossplane_lite._core.models.node import COPY, FACT, HELD, LAID, LOOSE, VIEW, WAIT, ModelShape, Node
from crossplane_lite._core.models.reader import _map_over, present
from crossplane_lite._core.models.types import ANY_TYPE
from crossplane_lite._core.models.walker import tree_of
from crossplane_lite._core.observed import tracker
from crossplane_lite._core.observed.root import Root
from crossplane_lite._core.resources.object_meta import check_metadata, is_sound
from crossplane_lite._core.resources.registered import Registered
from crossplane_lite._core.resources.resource import Resource
from crossplane_lite.errors import CrossplaneLiteError, EncodeError, UsageError
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1 import ObjectMeta
from tests.behaviour.models import AtProvider, Bucket, BucketSpec, Endpoint, ForProvider, Owner, Rule, VersioningItem
from tests.wire.oddities import EXAMPLES, JSON_OBJECTS, LEAVES

_VALUES = LEAVES | JSON_OBJECTS | st.lists(LEAVES | JSON_OBJECTS, max_size=3)


def sources(cls: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Return what objects of a class may look like, of the right types and of wrong ones."""
    fitting: dict[str, Any] = {
        "conditions": [{"type": "Ready", "status": "True"}],
        "metadata": {"name": "n", "labels": {"a": "b"}, "annotations": {"crossplane.io/external-name": "x"}},
        "status": {"atProvider": {"id": "i"}},
        "spec": {"forProvider": {"location": "EU"}},
        "forProvider": {"labels": {"a": "b"}},
        "labels": {"a": "b", "c": "d"},
        "rules": [{"name": "r", "age": 3}, {}],
        "byName": {"x": {"name": "r"}},
        "zones": ["a", "b"],
        "matrix": [[1, 2], []],
        "owner": {"name": "o"},
        "ratio": 2,
    }
    fields = {
        field.wire: st.just(fitting[field.wire]) | _VALUES if field.wire in fitting else _VALUES
        for field in cls.__wire_fields__.values()
    }
    return st.fixed_dictionaries({}, optional=fields)


def shown(value: Any) -> Any:
    """Return what can be told of a value that was read: what it is, where it stands, and what is in it."""
    if type(value) is Observable:
        return "observable", value.source_path
    if isinstance(value, (ModelShape, dict, list)):
        node = getattr(value, "_node", None)
        place = None
        if node is not None:
            place = (node.state, node.path, node.raw, node.key, node.shows, type(node.place), type(node.owner))
        data = tree_of(value, None).data if isinstance(value, ModelShape) else copy.copy(value)
        return type(value), place, repr(data)
    return type(value), value


def outcome(get: Callable[[], Any]) -> Any:
    """Return what can be told of what a function returns or raises."""
    try:
        return shown(get())
    except CrossplaneLiteError as error:
        return type(error), str(error)


def instance(cls: Any, state: int, raw: bytes, root: Root, *, registered: bool) -> Any:
    """Return an instance over bytes."""
    made = cls.__new__(cls)
    cls._set_node(made, Node(state, raw, root, root.prefix))
    if issubclass(cls, Resource):
        cls._set_state(made, Registered(root) if registered else None)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("cls", [Bucket, BucketSpec, ForProvider, AtProvider, ObjectMeta], ids=lambda cls: cls.__name__)
@EXAMPLES
@given(data=st.data(), state=st.sampled_from([LOOSE, HELD, VIEW, LAID, COPY, WAIT, FACT]), registered=st.booleans())
def test_a_field_of_the_class_reads_as_by_its_name(cls: Any, data: Any, state: int, registered: bool) -> None:
    """What Python finds on the class reads what `_read_field` reads, once and again."""
    raw = codec.encode_struct(data.draw(sources(cls)))
    root = Root(tracker.Tracker(), "resource", "one", "one", raw)
    found, expected = (instance(cls, state, raw, root, registered=registered) for _ in range(2))
    for name, field in cls.__wire_fields__.items():
        if name in cls._fixed:
            continue
        by_name = outcome(lambda name=name: expected._read_field(name))  # type: ignore[misc]
        assert outcome(lambda name=name: getattr(found, name)) == by_name  # type: ignore[misc]
        if by_name[0] not in ("observable",) and by_name[0] is not None and issubclass(by_name[0], Exception):
            continue
        kept = getattr(found, name) is getattr(found, name)
        assert kept == (expected._read_field(name) is expected._read_field(name)), field.wire


@pytest.mark.parametrize("cls", [Bucket, ForProvider, ObjectMeta], ids=lambda cls: cls.__name__)
def test_a_field_of_a_new_instance_reads_as_by_its_name(cls: Any) -> None:
    """The same of what was just made, in a call and outside of it."""
    for call in (None, tracker.Tracker()):
        before = None if call is None else tracker.enter(call)
        for name in cls.__wire_fields__.keys() - cls._fixed:
            one, other = cls(), cls()
            assert outcome(lambda one=one, name=name: getattr(one, name)) == outcome(  # type: ignore[misc]
                lambda other=other, name=name: other._read_field(name)  # type: ignore[misc]
            )
        if before is not None:
            tracker.go_back(before)


# Each makes a value; two of one kind are equal and share nothing.
_GIVEN: dict[str, Callable[[], Any]] = {
    "text": lambda: "EU",
    "int": lambda: 3,
    "float": lambda: 2.5,
    "bool": lambda: True,
    "none": lambda: None,
    "unset": lambda: UNSET,
    "null": lambda: NULL,
    "observable": lambda: Observable("other.status.x"),
    "dict": lambda: {"a": "b", "n": 1},
    "nested dict": lambda: {"x": {"name": "r", "age": 1}},
    "list": lambda: ["a", "b"],
    "tuple": lambda: ("a", "b"),
    "list of lists": lambda: [[1], [2, 3]],
    "list of dicts": lambda: [{"name": "r"}, {"name": "s"}],
    "list of models": lambda: [Rule(name="r"), Rule(name="s")],
    "models of two classes": lambda: [VersioningItem(enabled=True), {"enabled": False}],
    "model": lambda: Owner(name="o"),
    "another model": lambda: ForProvider(location="EU", labels={"a": "b"}),
    "unstructured": lambda: Unstructured("example.org/v1", "X", spec={"a": 1}).spec,
    "map of models": lambda: {"x": Rule(name="r"), "y": {"name": "s"}},
    "endpoints": lambda: [Endpoint(url="u", port=1)],
    "spec": lambda: BucketSpec(forProvider=ForProvider(zones=["a"])),
    "metadata": lambda: ObjectMeta(labels={"a": "b"}),
    "set": lambda: {"a"},
}
_PLAIN = {"dict", "nested dict", "list", "tuple", "list of lists", "list of dicts"}
_OF_OTHERS = {
    *("nested dict", "list of lists", "list of dicts", "list of models", "models of two classes", "endpoints"),
    "map of models",
}


def told(make: Callable[[], Any]) -> Any:
    """Return what can be told of a model that a function makes."""
    try:
        model = make()
    except CrossplaneLiteError as error:
        return type(error), str(error)
    return {name: shown(value) for name, value in model.__dict__.items()}


def assigned(cls: Any, fields: dict[str, Any]) -> Any:
    """Return a model whose fields are set one after the other."""
    made = cls()
    for name, value in fields.items():
        setattr(made, name, value)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("cls", [Bucket, BucketSpec, ForProvider, AtProvider], ids=lambda cls: cls.__name__)
@EXAMPLES
@given(data=st.data(), in_a_call=st.booleans())
def test_a_constructor_does_what_assigning_does(cls: Any, data: Any, in_a_call: bool) -> None:
    """A constructor takes, converts, copies and refuses what setting one field after the other does."""
    names = sorted(cls.__wire_fields__.keys() - cls._fixed)
    chosen = data.draw(st.dictionaries(st.sampled_from(names), st.sampled_from(sorted(_GIVEN)), max_size=4))
    for name, kind in chosen.items():
        # What stands in a list or map of scalars is looked at when the resource is encoded.
        if cls.__wire_fields__[name].copied is not None and kind in _OF_OTHERS:
            chosen[name] = "dict"
    before = tracker.enter(tracker.Tracker()) if in_a_call else None
    try:
        ways = [{name: _GIVEN[kind]() for name, kind in chosen.items()} for _ in range(2)]
        constructed = told(lambda: cls(**ways[0]))
        assert constructed == told(lambda: assigned(cls, ways[1]))
        if isinstance(constructed, dict):
            plain = {name: _GIVEN[kind]() for name, kind in chosen.items() if kind in _PLAIN}
            model = cls(**plain)
            assert not any(plain[name] is value for name, value in model.__dict__.items())  # containers are copied
    finally:
        if before is not None:
            tracker.go_back(before)


_KEYS = st.sampled_from(["a", "b", "c", "team", "é"])


@pytest.mark.slow
@EXAMPLES
@given(st.dictionaries(_KEYS, _VALUES), st.dictionaries(_KEYS, st.text(max_size=3) | st.dictionaries(_KEYS, LEAVES)))
def test_entries_that_are_replaced_are_not_missed(inherited: dict[str, Any], own: dict[str, Any]) -> None:
    """A map over another one is that whole one with the own entries put in."""
    raw = codec.encode_struct(inherited)
    root = Root(tracker.Tracker(), "resource", "one", "one", None)
    found = _map_over(ANY_TYPE, own, raw, root)
    whole = present(ANY_TYPE, codec.STRUCT, raw, LOOSE, Node(LOOSE, None, root), "")
    for key, value in own.items():
        dict.__setitem__(whole, key, value)
    assert {key: shown(value) for key, value in found.items()} == {key: shown(value) for key, value in whole.items()}
    assert set(found) == {*inherited, *own}


_LABEL = st.sampled_from(["team", "example.org/team", "a" * 63, "a" * 64, "-a", "", "A_b.c", "é", "x/y/z", "/a", "İ"])


@EXAMPLES
@given(
    st.dictionaries(_LABEL, _LABEL | st.none() | st.integers()),
    st.dictionaries(_LABEL, _LABEL | st.integers()),
    _LABEL | st.none(),
    _LABEL | st.none(),
)
def test_sound_metadata_has_nothing_to_refuse(labels: Any, annotations: Any, name: Any, namespace: Any) -> None:
    """Metadata that `is_sound` takes is what `check_metadata` takes, asked once and again."""
    given = {"labels": labels, "annotations": annotations, "name": name, "namespace": namespace}
    model = Unstructured("example.org/v1", "X")
    model.__dict__["metadata"] = ObjectMeta()
    model.metadata.__dict__.update({key: value for key, value in given.items() if value is not None})
    data = {"apiVersion": "example.org/v1", "kind": "X", "metadata": {k: v for k, v in given.items() if v is not None}}
    sound = is_sound(model, 100)
    assert is_sound(model, 100) == sound
    try:
        check_metadata(data, [], None, "a")
    except EncodeError:
        assert not sound


def test_dicts_for_models() -> None:
    """A dict becomes a model, like any other mapping, and models in it stay the same."""
    made = []
    for wrapped in (dict, MappingProxyType):
        rule = Rule(action="Delete")
        values = {"location": "EU", "rules": [rule], "labels": {"a": "b"}, "project": None}
        spec = BucketSpec(forProvider=wrapped(values))
        rule.action = "Keep"
        assert spec.forProvider.rules[0] is rule
        made.append(spec)
    assert made[0] == made[1]
    with pytest.raises(UsageError, match=r"^BucketSpec\.forProvider\.rules\[0\]\.action"):
        BucketSpec(forProvider={"location": "EU", "rules": [{"action": 5}]})


def test_views_do_not_refer_to_their_owners() -> None:
    """What is read from observed state knows its path, and nothing that leads back to the object that it is in."""
    raw = codec.encode_struct({"status": {"atProvider": {"id": "i"}}})
    top = Bucket.__new__(Bucket)
    Bucket._set_node(top, Node(WAIT, raw, None, "bucket"))
    view = top.status.atProvider
    assert view._node.path == "bucket.status.atProvider"
    seen, work = set(), [view._node]
    while work:
        one = work.pop()
        if id(one) not in seen and not isinstance(one, type):
            seen.add(id(one))
            work += gc.get_referents(one)
    assert not {id(top), id(top._node), id(top.status)} & seen
