"""What becomes of a desired composed resource."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Mapping
from typing import Any

import pytest

from crossplane_lite._tools.render.composed import Owner, composed_resource
from crossplane_lite._tools.render.rendered import RenderError, Result
from tests.render.scripted import XR, Objects, thing

HASH = hashlib.sha256(b"an-uidbucket").hexdigest()[:12]
REFERENCE = {
    "apiVersion": "example.org/v1",
    "blockOwnerDeletion": True,
    "controller": True,
    "kind": "XBucket",
    "name": "photos",
    "uid": "an-uid",
}
MINE = {"crossplane.io/composition-resource-name": "bucket"}


def owner(**metadata: Any) -> Owner:
    """Return the composite with more metadata."""
    return Owner.of({**XR, "metadata": {**XR["metadata"], **metadata}})


def composed(
    resource: Mapping[str, Any], by: Owner | None = None, observed: Mapping[str, Any] | None = None, cluster: Any = None
) -> dict[str, Any]:
    """Return the resource named bucket as it is applied."""
    return composed_resource("bucket", copy.deepcopy(dict(resource)), by or owner(), observed, cluster)


def test_metadata() -> None:
    """A resource gets the name annotation, the composite's label, an owner, and a generated name; the rest stays."""
    resource = {**thing(labels={"a": "b"}, annotations={"c": "d"}, finalizers=["e"]), "spec": {"f": 1}}
    assert composed(resource) == {
        "apiVersion": "example.org/v1",
        "kind": "Thing",
        "metadata": {
            "annotations": {"c": "d", **MINE},
            "finalizers": ["e"],
            "generateName": "photos-",
            "labels": {"a": "b", "crossplane.io/composite": "photos"},
            "name": f"photos-{HASH}",
            "ownerReferences": [REFERENCE],
        },
        "spec": {"f": 1},
    }


def test_status() -> None:
    """A desired status isn't applied."""
    assert "status" not in composed({**thing(), "status": {"a": 1}})


@pytest.mark.parametrize("metadata", [{}, None])
def test_no_metadata(metadata: Any) -> None:
    """Metadata that is missing or null is made."""
    assert composed({**thing(), "metadata": metadata})["metadata"]["name"] == f"photos-{HASH}"


@pytest.mark.parametrize(
    ("desired", "observed", "expected"),
    [
        ({"name": "mine"}, None, {"name": "mine"}),
        ({"name": "mine", "generateName": "x-"}, None, {"name": "mine", "generateName": "x-"}),
        ({"generateName": "x-"}, None, {"name": f"x-{HASH}", "generateName": "x-"}),
        ({"name": "", "generateName": ""}, None, {"name": f"photos-{HASH}", "generateName": "photos-"}),
        ({"name": None}, None, {"name": f"photos-{HASH}", "generateName": "photos-"}),
        ({}, {"name": "there"}, {"name": "there"}),
        ({"name": "mine"}, {"name": "there"}, {"name": "there"}),
        ({"namespace": "a"}, None, {"name": f"photos-{HASH}", "generateName": "photos-", "namespace": "a"}),
        ({"namespace": "a"}, {"name": "there", "namespace": "b"}, {"name": "there", "namespace": "b"}),
        ({"namespace": "a"}, {"name": "there"}, {"name": "there"}),
    ],
)
def test_names_and_namespaces(
    desired: dict[str, Any], observed: dict[str, Any] | None, expected: dict[str, Any]
) -> None:
    """An observed resource keeps its name and namespace; otherwise the desired ones count, and a name is generated."""
    seen = None if observed is None else {**thing(), "metadata": observed}
    metadata = composed(thing(**desired), observed=seen)["metadata"]
    assert {key: metadata[key] for key in ("name", "generateName", "namespace") if key in metadata} == expected


@pytest.mark.parametrize("desired", [{}, {"namespace": "team"}, {"namespace": ""}])
def test_namespaced_composite(desired: dict[str, Any]) -> None:
    """What a namespaced composite composes is in its namespace."""
    assert composed(thing(**desired), owner(namespace="team"))["metadata"]["namespace"] == "team"


@pytest.mark.parametrize(
    ("desired", "observed", "wanted"),
    [("other", None, "other"), ("other", "team", None), ("other", "third", "third"), ("team", None, None)],
)
def test_other_namespace(desired: str, observed: str | None, wanted: str | None) -> None:
    """A namespace that isn't a namespaced composite's is put right with a warning, which isn't said once it exists."""
    results: list[Result] = []
    before = None if observed is None else thing(name="there", namespace=observed)
    made = composed_resource(
        "bucket", thing(namespace=desired), owner(namespace="team"), before, cluster=None, results=results
    )
    assert made["metadata"]["namespace"] == "team"
    text = f'cannot create composed resource "bucket" in namespace "{wanted}", using XR namespace "team" instead'
    assert results == ([Result("Warning", "NamespaceOverridden", text, "")] if wanted else [])


def test_prefix_and_claim() -> None:
    """A composite's own label is handed on and begins generated names; so are the labels of its claim."""
    labels = {
        "crossplane.io/composite": "top",
        "crossplane.io/claim-name": "c",
        "crossplane.io/claim-namespace": "ns",
        "other": "x",
    }
    metadata = composed(thing(), owner(labels=labels))["metadata"]
    del labels["other"]
    assert metadata["labels"] == labels
    assert (metadata["generateName"], metadata["name"]) == ("top-", f"top-{HASH}")


def test_labels_are_crossplanes() -> None:
    """A function can't give the composite's label or the name annotation another value."""
    resource = thing(labels={"crossplane.io/composite": "x"}, annotations=dict.fromkeys(MINE, "x"))
    metadata = composed(resource)["metadata"]
    assert (metadata["labels"], metadata["annotations"]) == ({"crossplane.io/composite": "photos"}, MINE)


def test_owners() -> None:
    """Other owners stay, and a reference to the composite itself is put right."""
    other = {"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "other"}
    stale = {"apiVersion": "example.org/v1", "kind": "XBucket", "name": "photos", "uid": "an-uid", "controller": True}
    assert composed(thing(ownerReferences=[stale, other]))["metadata"]["ownerReferences"] == [other, REFERENCE]


BAD: dict[str, tuple[Any, str]] = {
    "no apiVersion": ({"kind": "Thing"}, " has no apiVersion"),
    "no kind": ({"apiVersion": "v1"}, " has no kind"),
    "apiVersion of another type": ({"apiVersion": 1, "kind": "Thing"}, " has no apiVersion"),
    "nothing": ({}, " has no apiVersion"),
    "metadata": ({**thing(), "metadata": "x"}, ": metadata must be an object (got a string)"),
    "labels": (thing(labels=["a"]), ": metadata.labels must be an object (got a list)"),
    "annotations": (thing(annotations=1), ": metadata.annotations must be an object (got an integer)"),
    "name of another type": (thing(name=1), ": metadata.name must be a string (got an integer)"),
    "owners": (thing(ownerReferences={}), ": metadata.ownerReferences must be a list (got an object)"),
    "owner": (thing(ownerReferences=[1]), ": metadata.ownerReferences[0] must be an object (got an integer)"),
    "name": (
        thing(name="My_Bucket"),
        ": metadata.name: 'My_Bucket' can't be an object's name: use up to 253 lower-case letters, digits, '-' and '.'",
    ),
    "long name": (thing(name="x" * 300), ": metadata.name: a string of 300 characters can't be an object's name"),
    "generateName": (thing(generateName="My-"), ": metadata.generateName: 'My-' can't be the beginning"),
    "generateName's begin": (thing(generateName="-"), ": metadata.generateName: '-' can't be the beginning"),
    "label's key": (thing(labels={"a/b/c": "x"}), ': metadata.labels["a/b/c"]: '),
    "label's value": (thing(labels={"a": "-x"}), ": metadata.labels.a: "),
    "annotation's key": (thing(annotations={"a b": "x"}), ': metadata.annotations["a b"]: '),
    "annotations' size": (thing(annotations={"a": "x" * 262144}), ": metadata.annotations: must have at most 262,144"),
    "finalizer": (thing(finalizers=["a/"]), ": metadata.finalizers[0]: "),
    "finalizers": (thing(finalizers=["orphan", "foregroundDeletion"]), ": metadata.finalizers[0]: "),
    "owner's name": (
        thing(ownerReferences=[{"apiVersion": "v1", "kind": "Pod", "uid": "u"}]),
        ": metadata.ownerReferences[0].name: ",
    ),
    "event": (
        thing(ownerReferences=[{"apiVersion": "v1", "kind": "Event", "name": "x", "uid": "u"}]),
        ": metadata.ownerReferences[0]: an Event can't be an owner",
    ),
    "other controller": (
        thing(ownerReferences=[{"kind": "XOther", "name": "them", "uid": "theirs", "controller": True}]),
        ": cannot set controller reference: it is already controlled by XOther them (UID theirs)",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_refused(name: str) -> None:
    """What an API server would refuse is an error that names the composed resource."""
    resource, text = BAD[name]
    with pytest.raises(RenderError) as caught:
        composed(resource)
    assert str(caught.value).startswith('composed resource "bucket"')
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("name", "kind", "is_right"),
    [
        ("a", "Thing", True),
        ("a-b.c-1", "Thing", True),
        ("0", "Thing", True),
        ("x" * 253, "Thing", True),
        ("x" * 254, "Thing", False),
        ("Photos", "Thing", False),
        ("a_b", "Thing", False),
        ("a..b", "Thing", False),
        ("a.-b", "Thing", False),
        ("a\n", "Thing", False),
        ("größe", "Thing", False),
        ("a:b", "Thing", False),
        ("a:b", "Role", False),
        ("system:A", "ClusterRole", True),
        ("system/a", "ClusterRole", False),
    ],
)
def test_names(name: str, kind: str, is_right: bool) -> None:
    """Names are DNS subdomains, and those of RBAC's own kinds any part of a path."""
    group = "rbac.authorization.k8s.io" if kind == "ClusterRole" else "example.org"
    resource = {"apiVersion": f"{group}/v1", "kind": kind, "metadata": {"name": name}}
    if is_right:
        assert composed(resource)["metadata"]["name"] == name
        return
    with pytest.raises(RenderError, match="can't be an object's name"):
        composed(resource)


NAMESPACED: dict[str, tuple[Any, str]] = {
    "builtin": (
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole"},
        "a ClusterRole of rbac.authorization.k8s.io/v1 is cluster-scoped",
    ),
    "by look-up": (thing(), "a Thing of example.org/v1 is cluster-scoped"),
}


@pytest.mark.parametrize("name", NAMESPACED)
def test_refused_in_a_namespace(name: str) -> None:
    """A namespaced composite can't compose what is in no namespace."""
    resource, text = NAMESPACED[name]
    with pytest.raises(RenderError) as caught:
        composed(resource, owner(namespace="team"), cluster=Objects(scopes={"Thing": "Cluster"}))
    assert str(caught.value).startswith('composed resource "bucket": ')
    assert text in str(caught.value)


@pytest.mark.parametrize(
    ("resource", "scopes"), [({"apiVersion": "v1", "kind": "ConfigMap"}, {}), (thing(), {"Thing": "Namespaced"})]
)
def test_refused_in_no_namespace(resource: Any, scopes: dict[str, str]) -> None:
    """A cluster-scoped composite can't compose a resource that needs a namespace and has none."""
    cluster, text = Objects(scopes=scopes), "needs a namespace, and neither it nor the composite has one"
    with pytest.raises(RenderError, match=f'^composed resource "bucket": .* {text}'):
        composed(copy.deepcopy(resource), owner()._replace(scope="Cluster"), cluster=cluster)
    placed = {**resource, "metadata": {"namespace": "team"}}
    assert composed(placed, owner()._replace(scope="Cluster"), cluster=cluster)["metadata"]["namespace"] == "team"
    # kubectl puts a composite of another scope into a namespace.
    assert composed(copy.deepcopy(resource), owner(), cluster=cluster)["kind"] == resource["kind"]


def test_cluster_scoped_composite() -> None:
    """A composite in no namespace can compose resources of any namespace and of none."""
    assert composed({"apiVersion": "v1", "kind": "Namespace"})["kind"] == "Namespace"
    assert composed(thing(namespace="other"))["metadata"]["namespace"] == "other"
