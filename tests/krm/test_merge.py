"""Merging and replacing: strategic merge patches, and other content with the smallest change of the text."""

from __future__ import annotations

import re
from typing import Any

import pytest

from crossplane_lite.errors import UsageError
from crossplane_lite.krm.resource import Resource
from tests.krm.lists import DEPLOYMENT, output, read

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "p", "finalizers": ["a"], "labels": {"a": "1", "b": "2"}},
    "spec": {
        "containers": [
            {"name": "web", "image": "web:1", "args": ["x", "y"], "ports": [{"containerPort": 80, "protocol": "TCP"}]},
            {"name": "proxy", "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]},
        ],
        "volumes": [{"name": "v", "emptyDir": {}}],
        "tolerations": [{"key": "a"}],
    },
}


@pytest.mark.parametrize(
    ("patch", "path", "expected"),
    [
        ({"metadata": {"labels": {"a": None, "c": "3"}}}, "metadata.labels", {"b": "2", "c": "3"}),
        ({"metadata": {"finalizers": ["b", "a"]}}, "metadata.finalizers", ["a", "b"]),
        ({"metadata": {"$deleteFromPrimitiveList/finalizers": ["a"]}}, "metadata.finalizers", []),
        ({"spec": {"containers": [{"name": "web", "image": "web:2"}]}}, "spec.containers[0].image", "web:2"),
        ({"spec": {"containers": [{"name": "web", "image": "web:2"}]}}, "spec.containers[1].name", "proxy"),
        ({"spec": {"containers": [{"name": "web", "args": ["z"]}]}}, "spec.containers[0].args", ["z"]),
        ({"spec": {"containers": [{"name": "new"}]}}, "spec.containers[2]", {"name": "new"}),
        ({"spec": {"containers": [{"name": "web", "$patch": "delete"}]}}, "spec.containers[0].name", "proxy"),
        ({"spec": {"containers": [{"name": "gone", "$patch": "delete"}]}}, "spec.containers[2]", None),
        ({"spec": {"containers": [{"$patch": "replace"}, {"name": "x"}]}}, "spec.containers", [{"name": "x"}]),
        (
            {"spec": {"containers": [{"name": "web", "$patch": "replace", "image": "i"}]}},
            "spec.containers[0]",
            {"image": "i", "name": "web"},
        ),
        (
            {"spec": {"containers": [{"name": "proxy", "env": [{"name": "B", "value": "3"}]}]}},
            "spec.containers[1].env",
            [{"name": "A", "value": "1"}, {"name": "B", "value": "3"}],
        ),
        (
            {"spec": {"containers": [{"name": "web", "ports": [{"containerPort": 80, "name": "http"}]}]}},
            "spec.containers[0].ports",
            [{"containerPort": 80, "protocol": "TCP", "name": "http"}],
        ),
        (
            {"spec": {"containers": [{"name": "web", "ports": [{"containerPort": 80, "protocol": "UDP"}]}]}},
            "spec.containers[0].ports[1].protocol",
            "UDP",
        ),
        ({"spec": {"tolerations": [{"key": "b"}]}}, "spec.tolerations", [{"key": "b"}]),
        (
            {"spec": {"volumes": [{"name": "v", "$retainKeys": ["name", "secret"], "secret": {"secretName": "s"}}]}},
            "spec.volumes",
            [{"name": "v", "secret": {"secretName": "s"}}],
        ),
        (
            {"spec": {"$setElementOrder/containers": [{"name": "proxy"}, {"name": "web"}], "containers": []}},
            "spec.containers[0].name",
            "proxy",
        ),
        ({"spec": {"$patch": "replace", "nodeName": "n"}}, "spec", {"nodeName": "n"}),
        ({"metadata": {"labels": {"$patch": "delete"}}}, "metadata.labels", None),
        ({"data": {"a": {"b": None, "c": 1}}}, "data", {"a": {"c": 1}}),
    ],
)
def test_patches(patch: dict[str, Any], path: str, expected: Any) -> None:
    """Objects are merged, None removes, and lists follow Kubernetes' merge keys and directives."""
    one = Resource(POD)
    one.merge(patch)
    assert one.get(path) == expected


def test_other_kinds() -> None:
    """Lists of other kinds are replaced, unless a schema or a definition says how they are merged."""
    own = {"apiVersion": "x.org/v1", "kind": "A", "metadata": {"name": "a"}, "spec": {"containers": [{"name": "a"}]}}
    patch = {"spec": {"containers": [{"name": "b"}], "set": ["x"]}}
    one = Resource(own)
    one.merge(patch)
    assert one.spec.containers == [{"name": "b"}]
    by_name = {"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    spec = {"properties": {"containers": by_name, "set": {"x-kubernetes-list-type": "set"}}}
    schema = {"properties": {"spec": spec}}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "spec": {
            **{"group": "x.org", "names": {"kind": "A", "plural": "as"}, "scope": "Namespaced"},
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}],
        },
    }
    for given in (schema, crd, Resource(crd)):
        one = Resource({**own, "spec": {**own["spec"], "set": ["w"]}})  # type: ignore[dict-item]
        one.merge(patch, schema=given)
        assert one.spec == {"containers": [{"name": "a"}, {"name": "b"}], "set": ["w", "x"]}
    with pytest.raises(UsageError, match="has no version 'v2'"):
        Resource({**own, "apiVersion": "x.org/v2"}).merge(patch, schema=crd)


@pytest.mark.parametrize(
    ("patch", "problem"),
    [
        ({"spec": {"$patch": "x"}}, r"\$patch.* must be delete, merge or replace \(got 'x'\)"),
        ({"spec": {"containers": [{"image": "x"}]}}, "must be an object with the merge key name"),
        ({"metadata": {"name": 3}}, "metadata.name must be a string"),
        ({"metadata": {"annotations": {"config.k8s.io/id": "7"}}}, "annotation config.k8s.io/id can't be changed"),
        (["a"], "a patch must be a mapping"),
        ({"a": {1}}, "a set is not a value of JSON"),
    ],
)
def test_refused_patches(patch: Any, problem: str) -> None:
    """A patch that isn't one changes nothing, and the message names the resource or the value."""
    rl = read(DEPLOYMENT)
    rl.items[0].api_version = "apps/v1"
    with pytest.raises(UsageError, match=problem):
        rl.items[0].set("spec.containers", [{"name": "a"}]) if "containers" in str(patch) else None
        rl.items[0].merge(patch)
    assert rl.items[0].get("spec.replicas") == 2 and rl.items[0].name == "web"


def test_the_text_of_a_patch() -> None:
    """Only the lines that the patch is about change."""
    rl = read(DEPLOYMENT)
    patch = {"name": "proxy", "image": "proxy:3"}, {"name": "web", "ports": [{"containerPort": 81}]}
    rl.items[0].merge({"spec": {"replicas": None, "template": {"spec": {"containers": list(patch)}}}})
    expected = DEPLOYMENT.replace("    replicas: 2\n", "").replace("proxy:2", "proxy:3")
    assert output(rl) == expected.replace("protocol: TCP\n", "protocol: TCP\n          - containerPort: 81\n")


def test_replacing() -> None:
    """Other content keeps the text of what is the same in it, and the annotations of orchestrators."""
    rl = read(DEPLOYMENT)
    content = rl.items[0].to_dict()
    del content["metadata"]["annotations"]
    content["spec"]["template"]["spec"]["containers"].reverse()
    content["spec"]["template"]["spec"]["containers"][0]["image"] = "proxy:3"
    rl.items[0].replace(content)
    assert rl.items[0].path == "app/web.yaml"
    text = output(rl)
    assert "# the second\n        - name: proxy  # beside it\n          image: proxy:3\n        # the first\n" in text
    rl.items[0].replace({"apiVersion": "v1", "kind": "B"})
    assert rl.items[0].to_dict().keys() == {"apiVersion", "kind", "metadata"}
    for wrong in (3, [], {"metadata": []}):
        with pytest.raises(UsageError, match=re.escape("must be")):
            rl.items[0].replace(wrong)  # type: ignore[arg-type]
