"""By which fields the elements of lists are told apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite._tools.diff.fields import ABSENT, changes, keys_of
from crossplane_lite._tools.manifests.kind_schemas import Schemas
from crossplane_lite._tools.render.owned import Owned
from crossplane_lite.cli import main
from crossplane_lite.table import load
from tests.codegen.generated import crd, items, obj

PORTS = {
    **items(
        containerPort={"type": "integer"},
        protocol={"type": "string", "default": "TCP"},
        hostPort={"type": "integer"},
    ),
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["containerPort", "protocol"],
}
BY_NAME = {"type": "object", "additionalProperties": obj(parts={"type": "array", "items": PORTS})}
CRD = crd(obj(spec=obj(ports=PORTS, plain=items(), byName=BY_NAME)))


@pytest.fixture
def schemas(tmp_path: Path) -> Schemas:
    """The schemas of a CustomResourceDefinition."""
    (tmp_path / "crd.json").write_text(json.dumps(CRD), encoding="utf-8")
    return Schemas([tmp_path / "crd.json"])


def test_schemas(schemas: Schemas) -> None:
    """A schema says the keys of a list that is a map, with their defaults, and of no other list."""
    keys = keys_of(schemas, "example.org/v1", "Thing")
    assert keys(("spec", "ports")) == {"containerPort": None, "protocol": "TCP"}
    assert keys(("spec", "byName", "a/b", "parts", 3)) == {"containerPort": None, "protocol": "TCP"}
    for steps in (("spec", "plain"), ("spec",), ("spec", "nowhere"), ("spec", "ports", 0, "hostPort", "x"), ()):
        assert keys(steps) == {}
    assert keys_of(schemas, "example.org/v2", "Thing")(("spec", "ports")) == {}


def test_models() -> None:
    """What no schema knows, the model of the kind does."""
    table = {
        "KeyedThing": "@example.org/v1 spec:Spec",
        "Spec": "ports:[Port#containerPort,protocol zones:[s",
        "Port": "containerPort:i protocol:s",
    }
    make, _ = load("keyed_things", table)
    kept = make("KeyedThing")
    assert keys_of(None, "example.org/v1", "KeyedThing")(("spec", "ports")) == {"containerPort": None, "protocol": None}
    assert keys_of(None, "example.org/v1", "KeyedThing")(("spec", "zones")) == {}
    assert keys_of(None, "example.org/v1", "NobodysThing")(("spec", "ports")) == {}
    assert kept.__name__ == "KeyedThing"


def spec(*ports: dict[str, Any]) -> dict[str, Any]:
    """Return an object with ports."""
    return {"apiVersion": "example.org/v1", "kind": "Thing", "spec": {"ports": list(ports)}}


def test_defaults_are_part_of_a_key(schemas: Schemas) -> None:
    """An element that leaves a key with a default out is the one that the API server filled it in."""
    keys = keys_of(schemas, "example.org/v1", "Thing")
    old = spec({"containerPort": 53, "protocol": "TCP"}, {"containerPort": 53, "protocol": "UDP", "hostPort": 1})
    new = spec({"containerPort": 53, "protocol": "UDP", "hostPort": 2}, {"containerPort": 53})
    assert [tuple(one) for one in changes(old, new, keys=keys)] == [
        ("spec.ports[containerPort=53,protocol=UDP].hostPort", 1, 2)
    ]


def test_keys_that_the_function_leaves_out() -> None:
    """A key without a known default that elements lack doesn't keep the others from telling them apart."""
    owned = Owned({"f:spec": {"f:ports": {'k:{"containerPort":80,"protocol":"TCP"}': {".": {}, "f:name": {}}}}}, ())

    def keys(_steps: Any) -> dict[str, Any]:
        return dict.fromkeys(("containerPort", "protocol"))

    old = spec({"containerPort": 80, "protocol": "TCP", "name": "a"}, {"containerPort": 81, "protocol": "TCP"})
    found = changes(old, spec({"containerPort": 80, "name": "b"}), owned, keys=keys)
    assert [tuple(one) for one in found] == [("spec.ports[containerPort=80].name", "a", "b")]
    # What Crossplane owns in an element goes when the element does.
    found = changes(old, spec({"containerPort": 82}), owned, keys=keys)
    assert [(one.path, one.new is ABSENT) for one in found] == [
        ("spec.ports[containerPort=80]", True),
        ("spec.ports[containerPort=82]", False),
    ]


def test_the_command_takes_them_from_crds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With --crds elements are shown by their keys, in whatever order they stand."""
    xr = {"apiVersion": "example.org/v1", "kind": "XBucket", "metadata": {"name": "photos"}, "spec": {"size": 3}}
    exists = spec({"containerPort": 2, "protocol": "TCP"}, {"containerPort": 1, "protocol": "TCP", "hostPort": 5})
    exists["metadata"] = {"name": "a", "annotations": {"crossplane.io/composition-resource-name": "ports"}}
    for name, content in (("xr", xr), ("observed", exists), ("crd", CRD)):
        (tmp_path / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    files = [str(tmp_path / "xr.json"), "-o", str(tmp_path / "observed.json")]
    function = ["--function", "tests.diff.functions:ports"]
    main(["diff", *files, *function, "--crds", str(tmp_path / "crd.json")])
    assert "spec.ports[containerPort=1,protocol=TCP].hostPort: 5 -> 3\n" in capsys.readouterr().out
    main(["diff", *files, *function])
    assert "[containerPort=1,protocol=TCP]" not in capsys.readouterr().out
