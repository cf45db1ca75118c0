"""Comparing runs of compose(): what is compared, and how little of it is decoded (design section 5a)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from types import CodeType, FrameType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite import _wire, composition
from crossplane_lite._call.own_secrets import OwnSecrets
from crossplane_lite._models.walker import tree_of
from crossplane_lite._observed.observable import Observable
from crossplane_lite._observed.owned import as_owned
from crossplane_lite._observed.tracker import Tracker
from crossplane_lite._rehearsal.differences import differences
from crossplane_lite.errors import WireError
from tests.behaviour import samples
from tests.behaviour.models import VPC, Bucket
from tests.support import Response, run, with_conditions

KEYS = st.sampled_from(["a", "b", "c"])
VALUES = st.recursive(
    st.sampled_from(["x", "y", "", 1, 1.5, True, None]),
    lambda below: st.dictionaries(KEYS, below, max_size=3) | st.lists(below, max_size=2),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=3)


@settings(max_examples=300, deadline=None)
@given(OBJECTS, OBJECTS, st.booleans(), st.booleans())
def test_bytes_are_compared_as_plain_data(one: Any, other: Any, partial: bool, forms: bool) -> None:
    """The differences of two objects are the same, whether their bytes are compared or their plain data."""
    both = [Tracker(), Tracker()]
    plain = differences(one, other, *both, partial=partial, forms=forms)
    encoded = [_wire.encode_struct(value) for value in (one, other)]
    assert set(differences(*encoded, *both, partial=partial, forms=forms)) == set(plain)


def test_maps_with_missing_keys_have_the_same_places() -> None:
    """A map's key that is an Observable is the same key in both runs, whatever its hash is."""
    value = Observable("vpc.status.id")
    assert differences({value: 1, "a": 1}, {Observable("vpc.status.id"): 1, "a": 1}, Tracker(), Tracker()) == []


def _calls(of: CodeType, body: Any) -> int:
    """Return how often a function is called while `body` runs."""
    count = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call" and frame.f_code is of

    sys.setprofile(note)
    try:
        body()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("number", [5, 20])
def test_a_guess_that_decides_a_field_makes_one_tree_of_each_resource(number: int) -> None:
    """Runs are compared by their bytes; only the answer needs the trees of resources with a field to keep."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        found = bool(ctx.resource("vpc", VPC()).observed.status.atProvider.vpcId)
        for at in range(number):
            ctx.resource(f"bucket-{at}", Bucket()).spec.forProvider.location = "EU" if found else "US"

    names = [f"bucket-{at}" for at in range(number)]
    owned = {"f:spec": {"f:forProvider": {"f:location": {}}}}
    observed = {name: samples.bucket({"location": "EU"}, ours="step", owned=owned) for name in names}
    xr = with_conditions(None, run(compose, observed=observed))  # the first call also shows the graph
    answers: list[Response] = []
    assert _calls(tree_of.__code__, lambda: answers.append(run(compose, observed=observed, xr=xr))) == number
    assert {answers[0].resources[name]["spec"]["forProvider"]["location"] for name in names} == {"EU"}


def test_only_crossplanes_managed_fields_are_decoded() -> None:
    """The entries of other managers aren't decoded for a resource that is kept, nor is its status."""
    there = samples.bucket({"project": "p"}, status={"id": "unread-1"}, owned={"f:spec": {"f:forProvider": {}}})
    there["metadata"]["managedFields"][0]["fieldsV1"] = {"f:unread-2": {}}
    raw = _wire.encode_struct(there)
    for unread in (b"unread-1", b"unread-2"):
        raw = raw.replace(unread, b"\xff" * len(unread))  # no text at all
    with pytest.raises(WireError):
        _wire.decode_struct(raw)
    kept = as_owned(raw)
    assert kept is not None
    assert _wire.decode_struct(kept)["spec"] == {"forProvider": {"project": "p"}}


def test_secrets_among_many_resources_are_looked_for_once() -> None:
    """Each text that is masked looks only at the resources that were registered since the last one."""
    seen = []

    class Resources(dict[str, Any]):
        def values(self) -> Any:
            return self

        def __iter__(self) -> Iterator[Any]:
            raise AssertionError("a walk from the beginning")

        def __reversed__(self) -> Iterator[Any]:
            for key in reversed(dict.keys(self)):
                seen.append(key)
                yield self[key]

    secrets, resources = OwnSecrets(), Resources()
    for at in range(300):
        resources[f"bucket-{at}"] = Bucket()
        assert list(secrets.values(resources)) == []
    assert len(seen) == 300
