"""One mistake of each kind that an API server refuses, through `render` with --crds or --xrd."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition, testing
from crossplane_lite.errors import InputError

Json = dict[str, Any]
TEXT: Json = {"type": "string"}
KEPT = "x-kubernetes-preserve-unknown-fields"
SPEC: Json = {
    "type": "object",
    "properties": {
        "name": TEXT,
        "choice": {"type": "string", "enum": ["a"], "nullable": True},
        "filled": {"type": "string", "default": "x"},
        "items": {"type": "array", "items": TEXT},
        "words": {"type": "object", "additionalProperties": TEXT},
        "bare": {"type": "object"},
        "free": {"type": "object", KEPT: True},
        "ttl": {"type": "string", "format": "duration"},
        "short": {"type": "string", "format": "k8s-short-name"},
        "letters": {"type": "string", "pattern": "^[[:alpha:]]+$"},
        "quoted": {"type": "string", "pattern": r"^\Qa.b\E$"},
        "size": {"type": "integer", "format": "int32"},
        "replicas": {"type": "integer", "minimum": 1},
        "inner": {"type": "object", **dict.fromkeys(("x-kubernetes-embedded-resource", KEPT), True)},
        "either": {
            "type": "object",
            "properties": {"a": TEXT, "b": TEXT},
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
        },
    },
}
INNER: Json = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}


def crd(spec: Json = SPEC, name: Json | None = None) -> Json:
    """Return the definition of Thing."""
    metadata = {"type": "object", "properties": {"name": {"type": "string", **(name or {})}}}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"metadata": metadata, "spec": spec}}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.org"},
        "spec": {
            "group": "example.org",
            "scope": "Namespaced",
            "names": {"kind": "Thing", "plural": "things"},
            "versions": [version],
        },
    }


XR: Json = {
    "apiVersion": "example.org/v1",
    "kind": "XThing",
    "metadata": {"name": "a", "namespace": "team"},
    "spec": {},
}


class Composer:
    """Desires one object, as it is."""

    def __init__(self, one: Json) -> None:
        self._one = one

    def RunFunction(self, request: Any, context: Any) -> Any:
        from google.protobuf import json_format

        from crossplane_lite.proto.v1 import run_function_pb2

        response = run_function_pb2.RunFunctionResponse()
        json_format.ParseDict(self._one, response.desired.resources["x"].resource)
        return response


def rendered(one: Json, definition: Json, observed: Json | None = None) -> None:
    """Render a composition of one object, with a definition of its kind."""
    step = {"step": "x", "functionRef": {"name": "x"}}
    steps: Json = {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "Composition",
        "metadata": {"name": "x"},
        "spec": {
            "compositeTypeRef": {key: XR[key] for key in ("apiVersion", "kind")},
            "mode": "Pipeline",
            "pipeline": [step],
        },
    }
    there = {} if observed is None else {"x": observed}
    testing.render(XR, steps, functions={"x": Composer(one)}, observed=there, crds=[definition])


def thing(**spec: Any) -> Json:
    """Return a Thing."""
    return {"apiVersion": "example.org/v1", "kind": "Thing", "metadata": {"name": "x"}, "spec": spec}


WRONG: dict[str, tuple[Json, str]] = {
    "null": (thing(name=None), "x.spec.name: "),
    "null in a list": (thing(items=["a", None]), "x.spec.items[1]: "),
    "null in a map": (thing(words={"a": None}), "x.spec.words.a: "),
    "null against an enum": (thing(choice=None), "x.spec.choice: must be one of 'a' (got null)"),
    "field of a bare object": (thing(bare={"a": "x"}), "x.spec.bare.a: isn't a field"),
    "duration": (thing(ttl="x"), "x.spec.ttl: must be a duration"),
    "short name": (thing(short="A"), "x.spec.short: "),
    "class of a pattern": (thing(letters="a1"), "x.spec.letters: must match the pattern '^[[:alpha:]]+$'"),
    "quoted pattern": (thing(quoted="axb"), "x.spec.quoted: "),
    "scale": (thing(replicas=0), "x.spec.replicas: must be at least 1"),
    "upper end of scale": (thing(replicas=2**31), "x.spec.replicas: must be at most 2147483647"),
    "name inside": (thing(inner={**INNER, "metadata": {"name": "a/b"}}), "x.spec.inner.metadata.name: "),
    "label inside": (thing(inner={**INNER, "metadata": {"labels": {"a": "-"}}}), "x.spec.inner.metadata.labels.a: "),
    "kind inside": (thing(inner={**INNER, "kind": "a b"}), "x.spec.inner.kind: "),
    "apiVersion inside": (thing(inner={**INNER, "apiVersion": "a/b/c"}), "x.spec.inner.apiVersion: "),
    "top": ({**thing(), "sepc": {}}, "x.sepc: isn't a field of the schema; did you mean 'spec'?"),
    "field of metadata": ({**thing(), "metadata": {"name": "x", "label": {}}}, "x.metadata.label: isn't a field"),
    "letters": ({**thing(), "kind": "Tihgn"}, "x.kind: Tihgn isn't a kind of example.org/v1; did you mean 'Thing'?"),
    "plural": ({**thing(), "kind": "things"}, "x.kind: things isn't a kind of example.org/v1; did you mean 'Thing'?"),
}
RIGHT: dict[str, Json] = {
    "nullable": thing(filled=None),
    "anything": thing(free={"a": [None]}),
    "duration in words": thing(ttl="5 minutes"),
    "large number": thing(size=2**40),
    "letters": thing(letters="ab", quoted="a.b"),
    "inside": thing(inner={**INNER, "metadata": None}),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str) -> None:
    """What an API server refuses is a mistake with its place."""
    one, text = WRONG[name]
    with pytest.raises(testing.InvalidResourceError) as caught:
        rendered(one, crd())
    assert text in str(caught.value)


@pytest.mark.parametrize("name", RIGHT)
def test_accepted(name: str) -> None:
    """What an API server accepts is none."""
    rendered(RIGHT[name], crd())


def test_names_that_a_definition_limits() -> None:
    """A definition's limits of names count, also for the name that Crossplane generates."""
    for metadata in ({"name": "abc"}, {}):
        with pytest.raises(testing.InvalidResourceError, match="x.metadata.name: "):
            rendered({**thing(), "metadata": metadata}, crd(name={"maxLength": 2}))
    rendered(thing(), crd(name={"pattern": "^x"}))


def applied(spec: Json, fields: Json, others: Json | None = None) -> Json:
    """Return a Thing that exists, with the fields that Crossplane and another manager own."""
    owned = {"apiextensions.crossplane.io/composed/1": fields, "other": others}
    entries = [
        {"manager": manager, "operation": "Apply", "fieldsV1": {"f:spec": one}}
        for manager, one in owned.items()
        if one is not None
    ]
    metadata = {"name": "x", "namespace": "team", "managedFields": entries}
    return {**thing(**spec), "metadata": metadata}


def test_what_exists_is_merged() -> None:
    """What only Crossplane owns and no longer desires is gone; what others own is there."""
    one = {"either": {"a": "x"}}
    ours = applied(one, {"f:either": {"f:a": {}}})
    theirs = applied(one, {}, {"f:either": {"f:a": {}}})
    rendered(thing(either={"b": "x"}), crd(), ours)
    rendered(thing(either={}), crd(), theirs)
    for desired, old in (({"a": "x", "b": "x"}, ours), ({}, ours), ({"b": "x"}, theirs)):
        with pytest.raises(testing.InvalidResourceError, match="x.spec.either: must have exactly one of a, b"):
            rendered(thing(either=desired), crd(), old)


def test_lists_that_exist_are_merged_by_keys() -> None:
    """Elements of maps and sets stay that others own, and go that Crossplane no longer desires."""
    element = {"type": "object", "required": ["k"], "properties": {"k": TEXT, "v": TEXT}}
    keyed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}
    spec = {
        "type": "object",
        "properties": {
            "map": {"type": "array", "maxItems": 1, "items": element, **keyed},
            "set": {"type": "array", "maxItems": 1, "items": TEXT, "x-kubernetes-list-type": "set"},
        },
    }
    fields = {"f:map": {'k:{"k":"a"}': {".": {}, "f:k": {}}}, "f:set": {'v:"a"': {}}}
    old = {"map": [{"k": "a"}], "set": ["a"]}
    new = thing(map=[{"k": "b"}], set=["b"])
    rendered(new, crd(spec), applied(old, fields))
    with pytest.raises(testing.InvalidResourceError) as caught:
        rendered(new, crd(spec), applied(old, {}, fields))
    assert [text.partition(":")[0] for text in caught.value.errors] == ["x.spec.map", "x.spec.set"]


def test_mistakes_that_were_there_do_not_count() -> None:
    """An API server takes what is stored as it is."""
    old = applied({"name": 5}, {}, {"f:name": {}})
    rendered(thing(ttl="1h"), crd(), old)
    with pytest.raises(testing.InvalidResourceError, match="x.spec.ttl"):
        rendered(thing(ttl="x"), crd(), old)


# -- composites

XRD: Json = {
    "apiVersion": "apiextensions.crossplane.io/v2",
    "kind": "CompositeResourceDefinition",
    "metadata": {"name": "xthings.example.org"},
    "spec": {
        "group": "example.org",
        "names": {"kind": "XThing", "plural": "xthings"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "referenceable": True,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": SPEC}}},
            }
        ],
    },
}


@composition.function()
def compose(ctx: composition.Context) -> None:
    """Compose a ConfigMap."""
    ctx.resource("x", Unstructured("v1", "ConfigMap", data={}))


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"metadata": {"name": "a" * 64}}, "metadata.name: must have at most 63 characters"),
        ({"metadata": {"name": "A"}}, "metadata.name: 'A' can't be an object's name"),
        ({"metadata": {"name": "a", "labels": {"a": "-"}}}, "metadata.labels.a: "),
        ({"metadata": {"name": "a", "annotations": {"a b": "-"}}}, 'metadata.annotations["a b"]: '),
        ({"metadata": {"name": "a", "finalizers": ["/"]}}, "metadata.finalizers[0]: "),
        ({"metadata": {"name": "a", "ownerReferences": [{"kind": "Pod"}]}}, "metadata.ownerReferences[0]"),
        ({"metadata": {"name": "a", "namespace": "a.b"}}, "metadata.namespace: "),
        ({"metadata": {"name": "a", "label": {}}}, "metadata.label: isn't a field of the schema"),
        ({"sepc": {}}, "sepc: isn't a field of the schema; did you mean 'spec'?"),
        ({"spec": {"name": None}}, "spec.name: must be a string (got null)"),
    ],
)
def test_composites(changes: Json, text: str) -> None:
    """The metadata of a composite, and the fields beside it, are checked with its spec."""
    with pytest.raises(InputError) as caught:
        testing.render({**copy.deepcopy(XR), **changes}, compose, xrd=XRD)
    assert text in str(caught.value)


def test_the_names_of_an_xrd() -> None:
    """An XRD's own limit of names counts if it is lower than Crossplane's, and its pattern doesn't."""
    for limit, is_right in ((2, False), (200, True)):
        definition = copy.deepcopy(XRD)
        names = {"type": "object", "properties": {"name": {"type": "string", "maxLength": limit, "pattern": "^x"}}}
        definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["metadata"] = names
        xr = {**XR, "metadata": {"name": "abc", "namespace": "team"}}
        if is_right:
            testing.render(xr, compose, xrd=definition)
            continue
        with pytest.raises(InputError, match="metadata.name: must have at most 2 characters"):
            testing.render(xr, compose, xrd=definition)


def test_a_composite_without_a_namespace() -> None:
    """With an XRD of the scope Namespaced it is in the namespace default, as with kubectl, and that is said."""
    with pytest.warns(UserWarning, match="has no metadata.namespace: it is default"):
        found = testing.render({**XR, "metadata": {"name": "a"}}, compose, xrd=XRD)
    assert found.composed["x"]["metadata"]["namespace"] == "default"
    assert found.composite["metadata"]["namespace"] == "default"
