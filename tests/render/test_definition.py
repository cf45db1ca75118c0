"""What an XRD says of a composite."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from crossplane_lite import composition, testing
from crossplane_lite._core.base import extras
from crossplane_lite._tools.manifests.yaml import Document
from crossplane_lite._tools.render.definition import admitted, check_defines, is_legacy, steering
from crossplane_lite.errors import InputError
from tests.real.corpus import XRDS


@composition.function
def nothing(ctx: composition.Context) -> None:
    """Composes nothing."""


SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "required": ["region"],
            "properties": {
                "region": {"type": "string"},
                "size": {"type": "string", "enum": ["small", "large"], "default": "small"},
                "nodes": {"type": "array", "items": {"type": "object", "properties": {"count": {"type": "integer"}}}},
            },
        },
        "status": {"type": "object", "properties": {"address": {"type": "string"}}},
    },
}


def xrd(**spec: Any) -> Document:
    """Return an XRD."""
    made = copy.deepcopy(XRDS["v2 Cluster"])
    made["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = SCHEMA
    made["spec"].update(spec)
    return Document("xrd.yaml", made)


def xr(spec: Any, **more: Any) -> Document:
    """Return a composite."""
    return Document(
        "xr.yaml",
        {"apiVersion": "example.org/v1", "kind": "XBucket", "metadata": {"name": "a"}, "spec": spec, **more},
    )


@pytest.mark.parametrize("name", [None, *XRDS])
def test_which_are_of_crossplane_1(name: str | None) -> None:
    """The scope LegacyCluster says so, also where an XRD of version 1 names none; without an XRD nothing does."""
    assert is_legacy(None if name is None else XRDS[name]) is (name in ("v1", "v1 LegacyCluster", "v2 LegacyCluster"))


def test_what_steers() -> None:
    """What steers a composition is in spec.crossplane, or in the spec of a composite of Crossplane 1."""
    composite = {"spec": {"a": 1, "crossplane": {"b": 2}}}
    assert steering(composite, False) == {"b": 2}
    assert steering(composite, True) == composite["spec"]
    assert [steering(one, False) for one in ({}, {"spec": 1}, {"spec": {"crossplane": 1}})] == [{}, {}, {}]


def test_admitted() -> None:
    """A composite that fits gets its defaults, and isn't changed itself."""
    given = xr({"region": "eu", "crossplane": {"compositionRef": {"name": "c"}}}, status={"unknown": 1})
    before = copy.deepcopy(given)
    found, notes = admitted(given, xrd())
    assert (found.content["spec"]["size"], notes) == ("small", [])
    assert given == before


@pytest.mark.parametrize(
    ("spec", "problem"),
    [
        ({"region": "eu", "sizze": "small"}, "spec.sizze: isn't a field of the schema; did you mean 'size'?"),
        ({"region": 3}, "spec.region: must be a string (got 3 that is an integer)"),
        ({}, "spec.region: is required"),
        ({"region": "eu", "size": "huge"}, "spec.size: must be one of 'small', 'large' (got 'huge')"),
        ({"region": "eu", "nodes": [{"cuont": 1}]}, "spec.nodes[0].cuont: isn't a field of the schema; did you mean"),
        (
            {"region": "eu", "nodes": [{"count": "x"}]},
            "spec.nodes[0].count: must be an integer (got 'x' that is a string)",
        ),
    ],
)
def test_refused(spec: Any, problem: str) -> None:
    """What an API server refuses or drops is an error with the field, both files, and the near name."""
    with pytest.raises(InputError) as caught:
        admitted(xr(spec), xrd())
    text = str(caught.value)
    assert text.startswith("xr.yaml doesn't fit its definition in xrd.yaml: ")
    assert problem in text


@pytest.mark.parametrize("scope", ["Cluster", "LegacyCluster", "Namespaced"])
def test_a_namespace_of_a_cluster_scoped_composite(scope: str) -> None:
    """A composite has a namespace only where its XRD says so; else it is left out, as by an API server, and told."""
    given = xr({"region": "eu"})
    given.content["metadata"] = {"name": "x", "namespace": "team"}
    stored, notes = admitted(given, xrd(scope=scope))
    is_in_one = scope == "Namespaced"
    assert stored.content["metadata"] == ({"name": "x", "namespace": "team"} if is_in_one else {"name": "x"})
    assert [scope in note and "metadata.namespace" in note for note in notes] == ([] if is_in_one else [True])


def test_all_problems_are_told() -> None:
    """Not only the first."""
    with pytest.raises(InputError, match=r"spec\.size: .*; spec\.x: |spec\.x: .*; spec\.size: "):
        admitted(xr({"region": "eu", "size": "huge", "x": 1}), xrd())


def test_a_schema_that_cannot_be_used() -> None:
    """A schema that no validator understands is named once, with its file and the place in it."""
    broken = xrd()
    broken.content["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = {
        "type": "object",
        "properties": {"spec": {"type": "object", "properties": {"region": {"type": "strin"}}}},
    }
    with pytest.raises(InputError) as caught:
        admitted(xr({"region": "eu"}), broken)
    assert str(caught.value).startswith("xrd.yaml: the schema can't be used: ")
    assert str(caught.value).count("can't be used") == 1
    assert "spec.properties.region: 'type'" in str(caught.value) or "spec.region: 'type'" in str(caught.value)


def test_without_the_validator(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the extra isn't installed, that nothing is checked is told; defaults come all the same."""
    from crossplane_lite.errors import MissingExtraError

    def missing(_name: str, extra: str) -> Any:
        raise MissingExtraError(f"install crossplane-lite[{extra}]")

    monkeypatch.setattr(extras, "load", missing)
    definition = xrd()
    # What was checked by before is kept.
    schema = definition.content["spec"]["versions"][0]["schema"]
    schema["openAPIV3Schema"] = {**SCHEMA, "description": "never seen before"}
    found, notes = admitted(xr({"region": 3}), definition)
    assert found.content["spec"]["size"] == "small"
    assert notes == ["the composite isn't checked against xrd.yaml: install crossplane-lite[schemas]"]
    for call in (testing.render, testing.simulate):
        with pytest.warns(UserWarning, match="the composite isn't checked against") as caught:
            call(found.content, nothing, xrd=definition.content)
        assert [warning.filename for warning in caught] == [__file__]


def test_other_kinds() -> None:
    """A claim, another kind and what is no XRD are refused."""
    claimed = xrd(claimNames={"kind": "Bucket", "plural": "buckets"}).content
    composite = xr({}).content
    check_defines(composite, claimed, "x")
    with pytest.raises(InputError, match="^x: Bucket is the kind of the claim, .* composite of kind XBucket$"):
        check_defines({**composite, "kind": "Bucket"}, claimed, "x")
    with pytest.raises(
        InputError,
        match="^x defines the composite XBucket of example.org, and the composite is a Y of example.org: give",
    ):
        check_defines({**composite, "kind": "Y"}, claimed, "x")
    with pytest.raises(InputError, match="^x is not a CompositeResourceDefinition of apiextensions.crossplane.io"):
        check_defines(composite, composite, "x")
