"""What becomes of each resource."""

from __future__ import annotations

from typing import Any

from crossplane_lite._tools.diff.compare import ACTIONS, against_cluster, against_version, failed
from crossplane_lite._tools.diff.fields import ABSENT, Change
from crossplane_lite.render import Rendered
from tests.render.scripted import XR, thing

OWNER = [{"uid": "an-uid", "controller": True}]


def rendered(status: Any = None, deleted: Any = None, **composed: Any) -> Rendered:
    """Return what a reconcile came to."""
    composite = {**XR, "status": status or {}}
    return Rendered(composite, composed, dict.fromkeys(composed, True), deleted or {}, [], {}, {}, [])


def actions(found: Any) -> dict[str, str]:
    """Return what becomes of each resource."""
    return {one.name: one.action for one in found.entries}


def test_actions_in_order() -> None:
    """Deletions come first, then what is created, changed and kept."""
    observed = [thing("same"), {**thing("other"), "spec": {"a": 1}}, thing("gone"), thing("left", ownerReferences=[])]
    new = rendered(
        deleted={"gone": thing("gone")},
        same=thing("same"),
        other={**thing("other"), "spec": {"a": 2}},
        new=thing("new"),
    )
    found = against_cluster(XR, observed, new)
    assert [(one.action, one.name) for one in found.entries] == [
        ("delete", "gone"),
        ("create", "new"),
        ("change", "other"),
        ("kept", "left"),
        ("kept", "same"),
    ]
    assert found.counts == {"delete": 1, "create": 1, "change": 1, "held back": 0, "kept": 2}
    assert tuple(found.counts) == ACTIONS
    assert not found.is_empty
    assert against_cluster(XR, [thing("same")], rendered(same=thing("same"))).is_empty


def test_another_kind_leaves_the_old_one_behind() -> None:
    """A resource that becomes one of another kind is created; Crossplane doesn't delete the one that was."""
    found = against_cluster(XR, [{**thing("a"), "kind": "Other"}], rendered(a=thing("a")))
    (entry,) = found.entries
    assert (entry.action, entry.note) == (
        "create",
        "the Other of example.org/v1 photos-a stays, but the composite no longer manages it",
    )
    # Another version of the same kind is the same object.
    newer = {**thing("a"), "apiVersion": "example.org/v2"}
    (entry,) = against_cluster(XR, [thing("a")], rendered(a=newer)).entries
    assert [tuple(one) for one in entry.changes] == [("apiVersion", "example.org/v1", "example.org/v2")]


def test_status() -> None:
    """Fields of the composite's status are told, and of its conditions whether it is ready."""
    old = {"a": 1, "conditions": [{"type": "Ready", "status": "True"}, {"type": "Mine", "status": "True"}]}
    new = {"a": 2, "conditions": [{"type": "Ready", "status": "False"}, {"type": "Mine", "status": "False"}]}
    found = against_cluster({**XR, "status": old}, [], rendered(new))
    assert found.status == [
        Change("status.conditions[type=Ready].status", "True", "False"),
        Change("status.a", 1, 2),
    ]
    assert against_version(XR, [], rendered(old), rendered(new)).status == found.status


def test_versions() -> None:
    """Of two versions all of what each desires is compared; what only the other desires is deleted."""
    old = rendered(a={**thing(), "spec": {"x": 1, "y": 1}}, b=thing(), c=thing())
    new = rendered(a={**thing(), "spec": {"x": 2}}, c=thing(), d={**thing(), "kind": "Other"})
    found = against_version(XR, [thing("b")], old, new)
    assert actions(found) == {"b": "delete", "d": "create", "a": "change", "c": "kept"}
    assert next(one for one in found.entries if one.name == "a").changes == [
        Change("spec.x", 1, 2),
        Change("spec.y", 1, ABSENT),
    ]
    assert [one.note for one in found.entries if one.name == "b"] == [""]
    found = against_version(XR, [], old, new)
    assert [one.note for one in found.entries if one.name == "b"] == ["it doesn't exist yet"]


def test_what_is_deleted_and_in_use() -> None:
    """A deletion has a note on what still refers to the resource, and on new resources of its kind."""
    gone = {**thing("gone"), "status": {"id": "an-id"}}
    user = {**thing("user"), "spec": {"of": "an-id"}}
    added = {"kind": "Other", "apiVersion": "example.org/v1", "metadata": {"name": "x"}}
    hint = "if new is the same resource under a new name, give it formerly=['gone']"
    for composed, expected in (
        ({"user": user}, "still used in user.spec.of"),
        ({"user": thing("user"), "other": added}, "still used in user.spec.of"),
        ({"user": {**user, "spec": {"of": "another"}}}, ""),
        ({"user": user, "new": thing()}, f"still used in user.spec.of; {hint}"),
        ({"new": {**thing(), "apiVersion": "example.org/v2"}}, hint),
    ):
        new = rendered(deleted={"gone": gone}, **composed)
        for found in (
            against_cluster(XR, [gone, user], new),
            against_version(XR, [gone, user], rendered(gone=thing()), new),
            against_version(XR, [gone, user], None, new),
        ):
            assert [one.note for one in found.entries if one.name == "gone"] == [expected]


def test_what_both_versions_delete_is_no_difference() -> None:
    """What neither version desires is no difference between them; without the other version it is deleted."""
    gone = {"gone": thing("gone")}
    new = rendered(deleted=gone)
    assert against_version(XR, [thing("gone")], rendered(deleted=gone), new).is_empty
    assert actions(against_version(XR, [thing("gone")], None, new)) == {"gone": "delete"}


def test_what_the_other_version_deletes_is_created_again() -> None:
    """A resource that exists, and that the other version would delete, is told as such."""
    found = against_version(XR, [thing("a")], rendered(deleted={"a": thing("a")}), rendered(a=thing("a")))
    assert [(one.action, one.note) for one in found.entries] == [("create", "it exists; the other version deletes it")]


def test_a_failure() -> None:
    """A composite whose reconcile fails has an error, and no resources."""
    found = failed(XR, "no")
    assert (found.composite, found.error, found.entries) == ("XBucket photos", "no", [])


def test_notes() -> None:
    """Resources without a controller are adopted, and what isn't known without managedFields is said: once for all."""
    names = ["a", "b", "c", "d"]
    found = against_cluster(
        XR, [thing(name, ownerReferences=[]) for name in names], rendered(**{name: thing(name) for name in names})
    )
    assert found.notes == [
        "these have no controller yet, and the composite becomes their controller: a, b, c, and 1 more",
        "these have no managedFields, so it isn't known which of their fields are removed, and which stay because "
        "others have set them: a, b, c, and 1 more",
    ]
