"""Facts about Kubernetes objects."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite._tools.manifests import objects
from crossplane_lite.errors import InputError
from tests.render.scripted import Objects


def test_uid_of_its_own() -> None:
    """A composite that has a uid keeps it."""
    assert objects.composite_uid({"apiVersion": "a/v1", "kind": "X", "metadata": {"uid": "u", "name": "n"}}) == "u"


@pytest.mark.parametrize(
    ("api_version", "text"),
    [("example.org/v1", "example.org/v1, Kind=XBucket\0any\0photos"), ("v1", "/v1, Kind=XBucket\0any\0photos")],
)
def test_uid(api_version: str, text: str) -> None:
    """A composite without a uid gets the version 5 UUID of its kind, namespace and name in the nil namespace."""
    digest = bytearray(hashlib.sha1(bytes(16) + text.encode()).digest()[:16])
    digest[6] = digest[6] & 0x0F | 0x50
    digest[8] = digest[8] & 0x3F | 0x80
    composite = {"apiVersion": api_version, "kind": "XBucket", "metadata": {"name": "photos", "namespace": "any"}}
    assert objects.composite_uid(composite).replace("-", "") == digest.hex()


@pytest.mark.parametrize(
    ("api_version", "kind", "namespace", "name", "uid"),
    [
        ("platform.example.com/v1alpha1", "WebApp", "default", "podinfo", "88356664-76da-5ea5-a715-b1bde80fe0a5"),
        ("example.crossplane.io/v1", "XR", None, "example-xr", "0749c14a-4f6a-5a82-a298-88e58db51cf6"),
    ],
)
def test_uids_of_crossplane(api_version: str, kind: str, namespace: str | None, name: str, uid: str) -> None:
    """The uid is the one in the published output of Crossplane's own render, in a namespace and in none."""
    metadata = {"name": name} if namespace is None else {"name": name, "namespace": namespace}
    assert objects.composite_uid({"apiVersion": api_version, "kind": kind, "metadata": metadata}) == uid


@pytest.mark.parametrize(
    ("prefix", "cut"),
    [
        ("photos-", "photos-"),
        ("photos", "photos-"),
        ("", ""),
        ("a" * 50, "a" * 50 + "-"),
        ("a" * 51, "a" * 50 + "-"),
        ("b" * 52, "b" * 50 + "-"),
        ("c" * 300 + "-", "c" * 50 + "-"),
        ("d" * 50 + "-dd", "d" * 50 + "-"),
    ],
)
def test_child_name(prefix: str, cut: str) -> None:
    """A generated name is its prefix, cut so that 63 characters are the most, a hyphen, and a hash of uid and name."""
    name = objects.child_name(prefix, "an-uid", "bucket")
    assert name == cut + hashlib.sha256(b"an-uidbucket").hexdigest()[:12]
    assert len(name) <= 63
    assert name != objects.child_name(prefix, "an-uid", "bucket2")


@pytest.mark.parametrize(
    ("api_version", "kind", "expected"),
    [
        ("v1", "Namespace", True),
        ("v1", "ConfigMap", False),
        ("rbac.authorization.k8s.io/v1", "ClusterRole", True),
        ("rbac.authorization.k8s.io/v1beta1", "Role", False),
        ("example.org/v1", "Namespace", False),
        ("pkg.crossplane.io/v1", "Provider", True),
        ("example.org/v1", "Known", True),
        ("v1", "Node", False),
    ],
)
def test_scopes(api_version: str, kind: str, expected: bool) -> None:
    """A cluster that knows a kind's scope decides; builtin kinds are known, and others are taken for namespaced."""
    cluster = Objects(scopes={"Known": "Cluster", "Node": "Namespaced"})
    assert objects.is_cluster_scoped(api_version, kind, cluster) is expected


def test_scopes_without_a_look_up() -> None:
    """A cluster that can't tell scopes, or none at all, leaves it to the builtin kinds."""
    assert objects.is_cluster_scoped("v1", "Node")
    assert objects.is_cluster_scoped("v1", "Node", object())


@given(st.text())
def test_quoted(text: str) -> None:
    """Text in quotes is a string of JSON, in one line."""
    quoted = objects.quoted(text)
    assert json.loads(quoted) == text
    assert "\n" not in quoted


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ("a", "a"),
        ("ba", "a, b"),
        ("cba", "a, b, and c"),
        ("dcba", "a, b, c, and 1 more"),
        ("fedcba", "a, b, c, and 3 more"),
    ],
)
def test_some_names(names: str, text: str) -> None:
    """The first three names in order are listed, and the others counted."""
    assert objects.some_names(names) == text


def test_conditions() -> None:
    """A condition takes the place of the one of its type and has the fixed time, and another one goes to the end."""
    conditions: list[dict[str, Any]] = [
        {"type": "A", "status": "True", "observedGeneration": 1},
        {"type": "B", "status": "True"},
    ]
    objects.with_condition(conditions, {"type": "A", "status": "False"})
    objects.with_condition(conditions, {"type": "C", "status": "True", "lastTransitionTime": "1999-01-01T00:00:00Z"})
    assert conditions == [
        {"type": "A", "status": "False", "lastTransitionTime": "2024-01-01T00:00:00Z"},
        {"type": "B", "status": "True"},
        {"type": "C", "status": "True", "lastTransitionTime": "1999-01-01T00:00:00Z"},
    ]


def test_secret() -> None:
    """A Secret's data is decoded, line breaks allowed, and stringData counts over it."""
    plain = bytes(range(256))
    text = base64.encodebytes(plain).decode()
    secret = {"data": {"a": text, "b": "Yg=="}, "stringData": {"b": "ü"}}
    assert objects.secret_data(secret, "it") == {"a": plain, "b": "ü".encode()}
    assert objects.secret_data({}, "it") == {}


@pytest.mark.parametrize(
    ("secret", "text"),
    [
        ({"data": []}, "it: data must be a mapping (got a list)"),
        ({"stringData": "x"}, "it: stringData must be a mapping (got a string)"),
        ({"data": {"a": 1}}, "it: data.a must be a string (got an integer)"),
        ({"data": {"a": "hunter2!"}}, "it: data.a is not base64; use stringData for plain text"),
        ({"data": {"a": "ü"}}, "it: data.a is not base64; use stringData for plain text"),
    ],
)
def test_bad_secret(secret: dict[str, Any], text: str) -> None:
    """What isn't a Secret's data is an error that names the key and doesn't show the value."""
    with pytest.raises(InputError) as caught:
        objects.secret_data(secret, "it")
    assert str(caught.value) == text


@pytest.mark.parametrize(
    "metadata", [None, 1, [], {"ownerReferences": 1}, {"ownerReferences": [1]}, {"annotations": 1}]
)
def test_odd_metadata(metadata: Any) -> None:
    """Metadata of any shape has no controller and no name, and breaks nothing."""
    resource = {"metadata": metadata}
    assert objects.controller_of(resource) is None
    assert objects.resource_name(resource) == ""


def test_encode() -> None:
    """What a Struct can't carry is an error that says where it stands."""
    with pytest.raises(InputError, match=r"^the XR: spec.size: "):
        objects.encode({"spec": {"size": 2**60}}, "the XR")


def test_merged() -> None:
    """Mappings are merged at every depth, anything else is replaced, and the arguments stay as they are."""
    under = {"a": {"b": 1, "c": [1]}, "d": 1}
    over = {"a": {"c": [2], "e": {"f": None}}, "d": {"g": 1}}
    assert objects.merged(under, over) == {"a": {"b": 1, "c": [2], "e": {"f": None}}, "d": {"g": 1}}
    assert (under["a"], under["d"]) == ({"b": 1, "c": [1]}, 1)
    assert objects.merged({}, over) == over
