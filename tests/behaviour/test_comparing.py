"""Comparing runs of compose(): what is compared, and how little of it is decoded (design section 5a)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite._core import codec
from crossplane_lite._core.answer.comparing import differences
from crossplane_lite._core.observed.observable import Observable
from crossplane_lite._core.observed.owned import as_owned
from crossplane_lite._core.observed.tracker import Tracker
from crossplane_lite.errors import WireError
from tests.behaviour import samples

KEYS = st.sampled_from(["a", "b", "c"])
VALUES = st.recursive(
    st.sampled_from(["x", "y", "", 1, 1.5, True, None]),
    lambda below: st.dictionaries(KEYS, below, max_size=3) | st.lists(below, max_size=2),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=3)


@settings(max_examples=300, deadline=None)
@given(OBJECTS, OBJECTS, st.booleans())
def test_bytes_are_compared_as_plain_data(one: Any, other: Any, partial: bool) -> None:
    """The differences of two objects are the same, whether their bytes are compared or their plain data."""
    both = [Tracker(), Tracker()]
    plain = differences(one, other, *both, partial=partial)
    encoded = [codec.encode_struct(value) for value in (one, other)]
    assert set(differences(*encoded, *both, partial=partial)) == set(plain)


def test_maps_with_missing_keys_have_the_same_places() -> None:
    """A map's key that is an Observable is the same key in both runs, whatever its hash is."""
    value = Observable("vpc.status.id")
    assert differences({value: 1, "a": 1}, {Observable("vpc.status.id"): 1, "a": 1}, Tracker(), Tracker()) == []


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
