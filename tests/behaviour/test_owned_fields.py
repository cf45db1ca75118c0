"""What desired bytes change of an observed object."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite._core import codec
from crossplane_lite._core.call.mark import digest_of
from crossplane_lite._core.observed.owned import as_owned, live_values, with_live_values, with_owned_fields
from crossplane_lite.errors import EncodeError, WireError
from tests.behaviour import samples

KEYS = st.sampled_from(["a", "b", "crossplane-lite/function", "name"])
LEAVES = st.sampled_from(
    ["x", "y", "a text that is so long that it takes more than a byte of length" * 2, 1, True, None]
)
VALUES = st.recursive(
    LEAVES,
    lambda below: st.dictionaries(KEYS, below, max_size=3) | st.lists(below, max_size=2),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=3)


def owned_by(value: Any, draw: Any) -> Any:
    """Return a set of fields, as managedFields have it, with some of those that an object has."""
    if isinstance(value, dict):
        return {f"f:{key}": owned_by(below, draw) for key, below in value.items() if draw(st.booleans())}
    if isinstance(value, list):
        return {'k:{"name":"x"}': {".": {}}} if draw(st.booleans()) else {}
    return {}


@st.composite
def pairs(draw: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a desired and an observed object that have much in common."""
    parts = {"labels": st.dictionaries(KEYS, LEAVES), "annotations": st.dictionaries(KEYS, LEAVES), "name": LEAVES}
    metadata = st.fixed_dictionaries({}, optional=parts)
    wanted = {"apiVersion": "v1", "kind": "Thing", "metadata": draw(metadata), "spec": draw(OBJECTS)}
    there = {
        "apiVersion": "v1",
        "kind": "Thing",
        "metadata": draw(st.just(wanted["metadata"]) | metadata),
        "spec": draw(st.just(wanted["spec"]) | OBJECTS),
        "status": draw(OBJECTS),
    }
    fields = owned_by({key: there[key] for key in ("metadata", "spec")}, draw)
    manager = draw(st.sampled_from(["apiextensions.crossplane.io/composed/1", "provider"]))
    entry = {"manager": manager, "apiVersion": draw(st.sampled_from(["v1", "v2"])), "fieldsV1": fields}
    return wanted, {**there, "metadata": {**there["metadata"], "managedFields": [entry]}}


def reordered(value: Any, chance: random.Random) -> Any:
    """Return plain data with the entries of its objects in another order."""
    if isinstance(value, dict):
        return {key: reordered(value[key], chance) for key in chance.sample(sorted(value), len(value))}
    return [reordered(one, chance) for one in value] if isinstance(value, list) else value


def changes(wanted: bytes, there: bytes) -> bool:
    """Return whether desired bytes change something of an observed object."""
    return digest_of(with_live_values(wanted, there)) != digest_of(wanted)


@pytest.mark.slow
@given(pairs(), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_live_values_are_put_in_once(pair: tuple[dict[str, Any], dict[str, Any]], chance: random.Random) -> None:
    """Live values that were put in change nothing again; whether they did doesn't depend on the order of keys."""
    wanted, there = (codec.encode_struct(one) for one in pair)
    once = codec.encode_over(live_values(wanted, there), wanted)
    assert digest_of(codec.encode_over(live_values(once, there), once)) == digest_of(once)
    other = [codec.encode_struct(reordered(one, chance)) for one in pair]
    assert changes(*other) is changes(wanted, there)


@pytest.mark.parametrize(
    ("wanted", "there", "changed"),
    [
        ({"spec": {"a": 1}}, {"spec": {"a": 1, "b": 2}}, False),
        ({"spec": {"a": 1}}, {"spec": {"a": 2}}, True),
        ({"spec": {"a": 1}}, {"spec": {"b": 2}}, False),
        ({"spec": {"a": [{"x": 1, "y": 2}]}}, {"spec": {"a": [{"y": 2, "x": 1}]}}, False),
        ({"spec": {"a": [True]}}, {"spec": {"a": [1]}}, True),
        ({"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}, False),
        ({"metadata": {"labels": {"a": "1"}}}, {"metadata": {"labels": {"a": "2"}}}, True),
        ({"status": {"a": 1}}, {"status": {"a": 2}}, False),
    ],
)
def test_what_changes(wanted: dict[str, Any], there: dict[str, Any], changed: bool) -> None:
    """A field that both have changes where the values differ; names and the status are not a function's."""
    assert changes(codec.encode_struct(wanted), codec.encode_struct(there)) is changed


def test_an_owned_field_that_is_not_desired() -> None:
    """A field that goes because it isn't desired any more is a change, too."""
    fields = {"f:spec": {"f:a": {}, "f:b": {}}}
    entry = {"manager": "apiextensions.crossplane.io/composed/1", "apiVersion": "v1", "fieldsV1": fields}
    there = {"apiVersion": "v1", "metadata": {"managedFields": [entry]}, "spec": {"a": 1, "b": 2}}
    assert changes(codec.encode_struct({"spec": {"a": 1}}), codec.encode_struct(there))
    assert not changes(codec.encode_struct({"spec": {"a": 1, "b": 2}}), codec.encode_struct(there))


def _nested(leaf: Any, levels: int, *, key: str = "a", element: bool = False) -> Any:
    for _ in range(levels):
        leaf = [leaf] if element else {key: leaf}
    return leaf


@pytest.mark.parametrize("element", [False, True])
def test_too_deep_objects_are_refused_with_the_path(element: bool) -> None:
    """An object of 400 levels is compared; maps of 600 are refused with the path, lists are put in as they are."""
    for levels, is_refused in ((400, False), (600, not element)):
        wanted, there = (
            codec.encode_struct({"spec": {"b": _nested(leaf, levels, element=element)}}) for leaf in (1, 2)
        )
        if is_refused:
            with pytest.raises(EncodeError, match=r"^spec\.b[.…]"):
                changes(wanted, there)
        else:
            assert changes(wanted, there)


def test_deep_owned_fields() -> None:
    """Fields that are owned 400 levels down are kept; 600 levels are refused."""
    for levels, is_refused in ((400, False), (600, True)):
        entry = {
            "manager": "apiextensions.crossplane.io/composed/1",
            "fieldsV1": {"f:spec": _nested({}, levels, key="f:a")},
        }
        spec = _nested(1, levels)
        there = codec.encode_struct({"kind": "Thing", "metadata": {"managedFields": [entry]}, "spec": spec})
        if is_refused:
            with pytest.raises(EncodeError):
                as_owned(there)
        else:
            assert codec.decode_struct(as_owned(there) or b"") == {"kind": "Thing", "spec": spec}
            lacking = codec.encode_struct({"kind": "Thing", "spec": _nested({"b": 1}, levels - 1)})
            completed = _nested({"a": 1, "b": 1}, levels - 1)
            assert codec.decode_struct(with_owned_fields(lacking, there)) == {"kind": "Thing", "spec": completed}


def test_only_crossplanes_managed_fields_are_decoded() -> None:
    """The entries of other managers aren't decoded for a resource that is kept, nor is its status."""
    there = samples.bucket({"project": "p"}, status={"id": "unread-1"}, owned={"f:spec": {"f:forProvider": {}}})
    there["metadata"]["managedFields"][0]["fieldsV1"] = {"f:unread-2": {}}
    raw = codec.encode_struct(there)
    for unread in (b"unread-1", b"unread-2"):
        raw = raw.replace(unread, b"\xff" * len(unread))  # no text at all
    with pytest.raises(WireError):
        codec.decode_struct(raw)
    kept = as_owned(raw)
    assert kept is not None
    assert codec.decode_struct(kept)["spec"] == {"forProvider": {"project": "p"}}
