"""The definitions of composites and claims are those that Crossplane makes."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from crossplane_lite._tools.manifests.xrd import crds_of
from crossplane_lite.errors import InputError

WHERE = "xrd.yaml, document 2 (line 14)"

SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "A bucket.",
    "required": ["banana"],
    "x-kubernetes-validations": [{"rule": "self.metadata.name != 'x'"}],
    "additionalProperties": True,
    "properties": {
        "metadata": {"type": "object", "properties": {"name": {"type": "string", "maxLength": 5}}},
        "spec": {
            "type": "object",
            "description": "What is asked for.",
            "required": ["location"],
            "properties": {
                "location": {"type": "string"},
                "compositionRef": {"type": "integer"},
                "crossplane": {"type": "integer"},
                "claimRef": {"type": "integer"},
            },
            "x-kubernetes-preserve-unknown-fields": True,
            "x-kubernetes-validations": [{"rule": "true"}],
            "oneOf": [{"required": ["location"]}],
            "anyOf": [{}],
            "additionalProperties": False,
        },
        "status": {
            "type": "object",
            "description": "What there is.",
            "required": ["bucketName"],
            "properties": {"bucketName": {"type": "string"}, "conditions": {"type": "string"}},
            "x-kubernetes-preserve-unknown-fields": True,
            "x-kubernetes-validations": [{"rule": "false"}],
            "oneOf": [{}],
            "anyOf": [{}],
        },
        "banana": {"type": "object"},
    },
}


def xrd(version: str = "v2", **spec: Any) -> dict[str, Any]:
    """Return an XRD; None leaves a field of its spec out."""
    fields = {
        "group": "platform.example.org",
        "names": {"kind": "XBucket", "plural": "xbuckets", "categories": ["storage"]},
        "versions": [
            {"name": "v1alpha1", "served": True, "referenceable": False, "deprecated": True, "schema": {}},
            {"name": "v1", "served": False, "referenceable": True, "schema": {"openAPIV3Schema": {"type": "object"}}},
        ],
    }
    fields["versions"][0]["schema"] = {"openAPIV3Schema": copy.deepcopy(SCHEMA)}  # type: ignore[index]
    fields.update(spec)
    return {
        "apiVersion": f"apiextensions.crossplane.io/{version}",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": "xbuckets.platform.example.org"},
        "spec": {key: value for key, value in fields.items() if value is not None},
    }


def schema_of(crd: dict[str, Any], number: int = 0) -> dict[str, Any]:
    """Return the schema of a version."""
    schema: dict[str, Any] = crd["spec"]["versions"][number]["schema"]["openAPIV3Schema"]
    return schema


def outline(schema: dict[str, Any]) -> Any:
    """Return a schema without descriptions: types as words, objects as their properties, `!` behind required names."""
    extra = {key: value for key, value in schema.items() if key in ("format", "enum", "default")}
    extra.update((key, value) for key, value in schema.items() if key.startswith("x-kubernetes-list"))
    if schema["type"] == "object" and "additionalProperties" in schema:
        return {"*": outline(schema["additionalProperties"])}
    if schema["type"] == "object":
        required, properties = schema.get("required", ()), schema.get("properties", {})
        assert set(required) <= set(properties)
        return {name + "!" * (name in required): outline(one) for name, one in properties.items()}
    if schema["type"] == "array":
        return [outline(schema["items"]), extra]
    return (schema["type"], *extra.values()) if extra else schema["type"]


TIME = ("string", "date-time")
NAMED = {"name!": "string"}
SELECTOR = {"matchLabels!": {"*": "string"}}
CHOICE = {
    "compositionRef": NAMED,
    "compositionSelector": SELECTOR,
    "compositionRevisionRef": NAMED,
    "compositionRevisionSelector": SELECTOR,
}
ATOMIC = {"x-kubernetes-list-type": "atomic"}
REFERENCE = {"apiVersion!": "string", "kind!": "string", "name": "string"}
MODERN = {
    **CHOICE,
    "compositionUpdatePolicy": ("string", ["Automatic", "Manual"], "Automatic"),
    "resourceRefs": [{**REFERENCE, "namespace": "string"}, ATOMIC],
}
FULL_REFERENCE = {"apiVersion!": "string", "kind!": "string", "namespace!": "string", "name!": "string"}
SPECS: dict[str, Any] = {
    "Namespaced": {"crossplane": {**MODERN, "resourceRefs": [REFERENCE, ATOMIC]}},
    "Cluster": {"crossplane": MODERN},
    "LegacyCluster": {
        **MODERN,
        "claimRef": FULL_REFERENCE,
        "writeConnectionSecretToRef": {"name!": "string", "namespace!": "string"},
    },
}
CLAIM = {
    **CHOICE,
    "compositionUpdatePolicy": ("string", ["Automatic", "Manual"]),
    "compositeDeletePolicy": ("string", ["Background", "Foreground"], "Background"),
    "resourceRef": {"apiVersion!": "string", "kind!": "string", "name!": "string"},
    "writeConnectionSecretToRef": NAMED,
}
CONDITION = {
    "lastTransitionTime!": TIME,
    "message": "string",
    "reason!": "string",
    "status!": "string",
    "type!": "string",
    "observedGeneration": ("integer", "int64"),
}
CONDITIONS = [CONDITION, {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]}]
MODERN_STATUS = {"conditions": CONDITIONS}
LEGACY_STATUS = {
    "conditions": CONDITIONS,
    "connectionDetails": {"lastPublishedTime": TIME},
    "claimConditionTypes": ["string", {"x-kubernetes-list-type": "set"}],
}
STATUSES = {"Namespaced": MODERN_STATUS, "Cluster": MODERN_STATUS, "LegacyCluster": LEGACY_STATUS}


@pytest.mark.parametrize("version", ["v1", "v2"])
@pytest.mark.parametrize("scope", SPECS)
def test_own_fields(version: str, scope: str) -> None:
    """Each scope has the fields that Crossplane adds for it, with an XRD of either version."""
    (crd,) = crds_of(WHERE, xrd(version, scope=scope))
    assert crd["spec"]["scope"] == ("Namespaced" if scope == "Namespaced" else "Cluster")
    assert outline(schema_of(crd, 1)) == {
        "apiVersion": "string",
        "kind": "string",
        "metadata": {"name": "string"},
        "spec!": SPECS[scope],
        "status": STATUSES[scope],
    }


@pytest.mark.parametrize(("version", "scope"), [("v1", "LegacyCluster"), ("v2", "Namespaced")])
def test_scope_that_is_left_out(version: str, scope: str) -> None:
    """An XRD that names no scope has that of its version, as one that names it."""
    assert crds_of(WHERE, xrd(version)) == crds_of(WHERE, xrd(version, scope=scope))


def test_definition() -> None:
    """Group, names and versions are those of the XRD; the version that can be referred to is the stored one."""
    (crd,) = crds_of(WHERE, xrd())
    assert (crd["apiVersion"], crd["kind"]) == ("apiextensions.k8s.io/v1", "CustomResourceDefinition")
    assert crd["metadata"] == {"name": "xbuckets.platform.example.org"}
    assert crd["spec"]["group"] == "platform.example.org"
    assert crd["spec"]["names"] == {"kind": "XBucket", "plural": "xbuckets", "categories": ["storage"]}
    first, second = ({**version, "schema": None} for version in crd["spec"]["versions"])
    assert first == {"name": "v1alpha1", "served": True, "storage": False, "deprecated": True, "schema": None}
    assert second == {"name": "v1", "served": False, "storage": True, "schema": None}


def test_what_is_taken() -> None:
    """Descriptions, and of spec and status their properties and some of their rules; other fields vanish."""
    (crd,) = crds_of(WHERE, xrd("v1"))
    schema = schema_of(crd)
    spec, status = schema["properties"].pop("spec"), schema["properties"].pop("status")
    strings = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}}
    name = {"type": "string", "maxLength": 5}
    assert schema == {
        "type": "object",
        "description": "A bucket.",
        "required": ["spec"],
        "x-kubernetes-validations": [{"rule": "self.metadata.name != 'x'"}],
        "properties": {**strings, "metadata": {"type": "object", "properties": {"name": name}}},
    }
    given = {"location": {"type": "string"}, "crossplane": {"type": "integer"}}
    properties = spec.pop("properties")
    assert {name: properties.pop(name) for name in given} == given
    assert outline({"type": "object", "properties": properties}) == SPECS["LegacyCluster"]
    assert spec == {
        "type": "object",
        "description": "What is asked for.",
        "required": ["location"],
        "x-kubernetes-preserve-unknown-fields": True,
        "x-kubernetes-validations": [{"rule": "true"}],
        "oneOf": [{"required": ["location"]}],
    }
    properties = status.pop("properties")
    assert properties.pop("bucketName") == {"type": "string"}
    assert outline({"type": "object", "properties": properties}) == LEGACY_STATUS
    assert status == {
        "type": "object",
        "description": "What there is.",
        "required": ["bucketName"],
        "x-kubernetes-validations": [{"rule": "false"}],
        "oneOf": [{}],
    }


def test_own_fields_win() -> None:
    """What Crossplane calls its own replaces the author's, where it has such a field in that scope."""
    (crd,) = crds_of(WHERE, xrd("v2"))
    properties = schema_of(crd)["properties"]["spec"]["properties"]
    assert list(properties) == ["location", "compositionRef", "crossplane", "claimRef"]
    assert properties["compositionRef"] == properties["claimRef"] == {"type": "integer"}
    assert outline(properties["crossplane"]) == SPECS["Namespaced"]["crossplane"]
    assert schema_of(crd)["properties"]["status"]["properties"]["conditions"]["type"] == "array"


def test_status_field_that_modern_composites_keep() -> None:
    """Crossplane 2 takes no name in the status of a composite that isn't a legacy one, but conditions."""
    fields = {"crossplane": {"type": "string"}, "connectionDetails": {"type": "string"}}
    made = xrd()
    made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"] = fields
    (crd,) = crds_of(WHERE, made)
    properties = schema_of(crd)["properties"]["status"]["properties"]
    assert {name: properties[name] for name in fields} == fields


def test_claim() -> None:
    """A claim is a namespaced kind of its own, with the versions of the composite."""
    names = {"kind": "Bucket", "plural": "buckets"}
    composite, claim = crds_of(WHERE, xrd("v1", claimNames=names))
    assert composite == crds_of(WHERE, xrd("v1"))[0]
    assert claim["metadata"] == {"name": "buckets.platform.example.org"}
    assert (claim["spec"]["scope"], claim["spec"]["names"]) == ("Namespaced", names)
    assert [version["name"] for version in claim["spec"]["versions"]] == ["v1alpha1", "v1"]
    assert outline(schema_of(claim, 1)["properties"]["spec"]) == CLAIM
    assert outline(schema_of(claim, 1)["properties"]["status"]) == LEGACY_STATUS
    properties = schema_of(claim)["properties"]["spec"]["properties"]
    assert properties["location"] == {"type": "string"}
    assert properties["claimRef"] == {"type": "integer"}


def test_default_policies() -> None:
    """The XRD's policies are the defaults of the fields."""
    policies = {"defaultCompositionUpdatePolicy": "Manual", "defaultCompositeDeletePolicy": "Foreground"}
    made = xrd("v1", claimNames={"kind": "Bucket", "plural": "buckets"}, **policies)
    composite, claim = (schema_of(crd)["properties"]["spec"]["properties"] for crd in crds_of(WHERE, made))
    assert composite["compositionUpdatePolicy"]["default"] == "Manual"
    assert "default" not in claim["compositionUpdatePolicy"]
    assert claim["compositeDeletePolicy"]["default"] == "Foreground"


def fields(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield all fields of a schema with their paths."""
    for name, one in schema.get("properties", {}).items():
        yield f"{path}{name}", one
        yield from fields(one, f"{path}{name}.")
    if "items" in schema:
        yield from fields(schema["items"], path)


@pytest.mark.parametrize("scope", SPECS)
def test_descriptions(scope: str) -> None:
    """Every field that Crossplane adds has a description, which becomes a docstring."""
    names = {"kind": "Bucket", "plural": "buckets"} if scope == "LegacyCluster" else None
    for crd in crds_of(WHERE, xrd("v1", scope=scope, claimNames=names)):
        properties = schema_of(crd, 1)["properties"]
        found = [*fields(properties["spec"]), *fields(properties["status"])]
        assert len(found) > 20
        assert [path for path, one in found if not one.get("description", "").endswith(".")] == []


def replaced(made: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return an XRD with another value at a path."""
    place: Any = made
    *parents, last = path.replace("[", ".[").split(".")
    for key in parents:
        place = place[int(key[1:-1]) if key[0] == "[" else key]
    place[int(last[1:-1]) if last[0] == "[" else last] = value
    return made


SCHEMA_PATH = "spec.versions[0].schema.openAPIV3Schema"
REQUIRED = [
    *("apiVersion", "spec", "spec.group", "spec.names", "spec.names.kind", "spec.names.plural", "spec.versions"),
    *("spec.versions[1].name", "spec.versions[1].served", "spec.versions[1].referenceable"),
    *("spec.versions[0].schema", SCHEMA_PATH, "spec.claimNames.kind", "spec.claimNames.plural"),
]


@pytest.mark.parametrize("path", REQUIRED)
def test_missing_field(path: str) -> None:
    """A field that is missing, or null, is named with its path."""
    made = replaced(xrd("v1", claimNames={"kind": "Bucket", "plural": "buckets"}), path, None)
    with pytest.raises(InputError) as caught:
        crds_of(WHERE, made)
    assert str(caught.value) == f"{WHERE}: {path} is missing"


WRONG = [
    ("spec", [], "must be an object (got [] that is a list)"),
    ("spec.group", "", "must be letters, digits, '-' and '.', and begin and end with a letter or digit (got '')"),
    ("spec.group", 5, "must be a string (got 5 that is an integer)"),
    ("spec.names", "XBucket", "must be an object (got 'XBucket' that is a string)"),
    ("spec.names.kind", True, "must be a string (got True that is a boolean)"),
    ("spec.names.kind", "", "must be letters, digits, '-' and '.', and begin and end with a letter or digit (got '')"),
    ("spec.versions", {}, "must be a list (got {} that is an object)"),
    ("spec.versions", [], "is empty"),
    ("spec.versions[1]", "v1", "must be an object (got 'v1' that is a string)"),
    ("spec.versions[1]", None, "is missing"),
    ("spec.versions[1].name", 1, "must be a string (got 1 that is an integer)"),
    ("spec.versions[1].served", "maybe", "must be true or false (got 'maybe' that is a string)"),
    ("spec.versions[0].referenceable", "true", "must be true or false (got 'true' that is a string)"),
    (
        f"{SCHEMA_PATH}.properties.spec.x-kubernetes-preserve-unknown-fields",
        "maybe",
        "must be true or false (got 'maybe' that is a string)",
    ),
    ("spec.versions[0].deprecated", 1, "must be true or false (got 1 that is an integer)"),
    (SCHEMA_PATH, "object", "must be an object (got 'object' that is a string)"),
    (f"{SCHEMA_PATH}.description", 5, "must be a string (got 5 that is an integer)"),
    (f"{SCHEMA_PATH}.properties", [], "must be an object (got [] that is a list)"),
    (f"{SCHEMA_PATH}.properties.spec", "x" * 100, f"must be an object (got '{'x' * 29}…{'x' * 28}' that is a string)"),
    (f"{SCHEMA_PATH}.properties.spec.properties", 1, "must be an object (got 1 that is an integer)"),
    (f"{SCHEMA_PATH}.properties.status.required", "a", "must be a list (got 'a' that is a string)"),
    ("spec.scope", "Global", "must be Namespaced, Cluster or LegacyCluster (got 'Global')"),
    ("spec.defaultCompositionUpdatePolicy", "Never", "must be Automatic or Manual (got 'Never')"),
    ("spec.defaultCompositeDeletePolicy", "Never", "must be Background or Foreground (got 'Never')"),
    ("spec.claimNames", [], "must be an object (got [] that is a list)"),
    ("spec.claimNames.kind", "XBucket", "must differ from spec.names.kind (both are 'XBucket')"),
    ("spec.claimNames.plural", "xbuckets", "must differ from spec.names.plural (both are 'xbuckets')"),
    ("spec.scope", "Cluster", "claim"),
    (
        "apiVersion",
        "apiextensions.crossplane.io/v1beta1",
        "must be apiextensions.crossplane.io/v1 or apiextensions.crossplane.io/v2 "
        "(got 'apiextensions.crossplane.io/v1beta1')",
    ),
]


@pytest.mark.parametrize(("path", "value", "problem"), WRONG)
def test_wrong_field(path: str, value: Any, problem: str) -> None:
    """A field of another form is named with its path and what it should be."""
    made = replaced(xrd("v1", claimNames={"kind": "Bucket", "plural": "buckets"}), path, value)
    with pytest.raises(InputError) as caught:
        crds_of(WHERE, made)
    if problem == "claim":
        path = "spec.claimNames"
        problem = "can be given with the scope LegacyCluster only (the scope is Cluster): remove it"
    assert str(caught.value) == f"{WHERE}: {path} {problem}"


def test_words_that_are_booleans() -> None:
    """The words of YAML 1.1 are booleans where an XRD needs one, as Kubernetes reads them."""
    spec = f"{SCHEMA_PATH}.properties.spec.x-kubernetes-preserve-unknown-fields"
    made = xrd()
    for path, value in (("spec.versions[0].served", "off"), ("spec.versions[1].referenceable", "Yes"), (spec, "on")):
        made = replaced(made, path, value)
    (crd,) = crds_of(WHERE, made)
    first, second = crd["spec"]["versions"]
    assert (first["served"], second["storage"]) == (False, True)
    assert schema_of(crd)["properties"]["spec"]["x-kubernetes-preserve-unknown-fields"] is True


@pytest.mark.parametrize("path", ["", ".properties", ".properties.spec", ".properties.spec.properties"])
def test_parts_that_may_be_left_out(path: str) -> None:
    """A schema without spec or status, or with null for them, has Crossplane's fields."""
    (crd,) = crds_of(WHERE, replaced(xrd(), f"{SCHEMA_PATH}{path}", None if path else {}))
    assert (
        outline(schema_of(crd)["properties"]["spec"]["properties"]["crossplane"]) == SPECS["Namespaced"]["crossplane"]
    )
