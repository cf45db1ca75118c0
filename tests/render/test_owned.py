"""Who owns which field."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite._tools.render.owned import Owned, owned_fields

OURS = "apiextensions.crossplane.io/composed/1f2e"


def managed(*entries: tuple[str, dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Return an object with managedFields."""
    fields = [{"manager": manager, "fieldsV1": fields, **more} for manager, fields in entries]
    return {"apiVersion": "v1", "kind": "Thing", "metadata": {"name": "a", "managedFields": fields}}


def owned(*entries: tuple[str, dict[str, Any]]) -> Owned:
    """Return who owns what of such an object."""
    found = owned_fields(managed(*entries))
    assert found is not None
    return found


@pytest.mark.parametrize(
    "metadata", [{}, {"managedFields": None}, {"managedFields": []}, {"managedFields": "x"}], ids=str
)
def test_nobody_says(metadata: dict[str, Any]) -> None:
    """An object without managedFields says nothing of its owners."""
    assert owned_fields({"metadata": metadata}) is None


def test_ours_and_others() -> None:
    """What Crossplane alone owns goes; what somebody else owns too, or alone, stays."""
    found = owned((OURS, {"f:spec": {"f:a": {}, "f:b": {}}}), ("provider", {"f:spec": {"f:b": {}, "f:c": {}}}))
    spec = found.field("spec")
    assert [spec.field(name).goes for name in "abcd"] == [True, False, False, False]
    assert [spec.field(name).is_parts for name in "abcd"] == [False, False, False, False]
    assert spec.is_parts


def test_items_of_two_managers() -> None:
    """An item goes with the fields that others have set below it, if only Crossplane owns the item itself."""
    item = {".": {}, "f:a": {}}
    assert owned((OURS, {"f:m": item}), ("other", {"f:m": {"f:b": {}}})).field("m").goes
    assert not owned((OURS, {"f:m": item}), ("other", {"f:m": {".": {}, "f:b": {}}})).field("m").goes
    assert not owned((OURS, {"f:m": {"f:a": {}}}), ("other", {"f:m": {"f:b": {}}})).field("m").goes


def test_entries_of_ours_are_one() -> None:
    """Several entries of Crossplane's managers count as one; that of a subresource doesn't."""
    found = owned((OURS, {"f:spec": {"f:a": {}}}), (f"{OURS}x", {"f:spec": {"f:b": {}}}))
    assert [found.field("spec").field(name).goes for name in "ab"] == [True, True]
    only_status = owned_fields(managed((OURS, {"f:status": {"f:a": {}}}), subresource="status"))
    assert only_status is not None
    assert only_status.field("status").ours is None


def test_elements() -> None:
    """Elements of lists are known by their keys, which managedFields name."""
    ports = {'k:{"port":80,"protocol":"TCP"}': {".": {}, "f:port": {}}, "k:broken": {}}
    place = owned((OURS, {"f:ports": ports})).field("ports")
    assert place.list_keys() == ("port", "protocol")
    assert place.element({"port": 80, "protocol": "TCP"}).field("port").goes
    assert place.element({"port": 81, "protocol": "TCP"}).ours is None
    assert not place.is_set()


def test_sets() -> None:
    """A set is told by its values."""
    place = owned((OURS, {"f:finalizers": {'v:"a"': {}}})).field("finalizers")
    assert place.is_set()
    assert place.list_keys() is None


def test_nonsense_is_left_out() -> None:
    """Entries that are none say nothing."""
    found = owned_fields({"metadata": {"managedFields": ["x", {"manager": OURS}, {"manager": OURS, "fieldsV1": 3}]}})
    assert found == Owned(None, ())
