"""Metadata is as Kubernetes takes it, or Fatal with the path, for kinds with and without a schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import NULL, Unstructured, composition
from crossplane_lite._core.resources import object_meta
from crossplane_lite.errors import UsageError
from tests.behaviour import samples
from tests.behaviour.models import VPC, Bucket
from tests.support import call, run

KINDS: dict[str, Callable[[], Any]] = {
    "typed": Bucket,
    "without a schema": lambda: Unstructured("storage.gcp.upbound.io/v1beta1", "Bucket"),
}
BUCKET = ("storage.gcp.upbound.io/v1beta1", "Bucket")
LONG = "a" * 64

WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "label, int": ({"labels": {"port": 8080}}, "metadata.labels.port: must be a string (got 8080 that is an integer)"),
    "label, bool": ({"labels": {"on": True}}, "metadata.labels.on: must be a string (got True that is a boolean)"),
    "label, float": ({"labels": {"a": 1.5}}, "metadata.labels.a: must be a string (got 1.5 that is a float)"),
    "label, list": ({"labels": {"a": ["b"]}}, "metadata.labels.a: must be a string"),
    "label, null": ({"labels": {"a": NULL}}, "metadata.labels.a: must be a string (got null)"),
    "label, space": ({"labels": {"a": "b c"}}, "metadata.labels.a: 'b c' can't be a label's value: use up to 63"),
    "label, end": ({"labels": {"a": "b-"}}, "metadata.labels.a: 'b-' can't be a label's value"),
    "label, new line": ({"labels": {"a": "b\n"}}, "metadata.labels.a: 'b\\n' can't be a label's value"),
    "label, other digits": ({"labels": {"a": "\u0663"}}, "metadata.labels.a"),
    "label, long": ({"labels": {"a": LONG}}, f"metadata.labels.a: '{LONG}' can't be a label's value"),
    "label, very long": ({"labels": {"a": "b" * 90}}, "metadata.labels.a: a string of 90 characters can't be"),
    "label key, empty": ({"labels": {"": "b"}}, "'' can't be a label's key"),
    "label key, space": ({"labels": {"a b": "c"}}, "metadata.labels[\"a b\"]: 'a b' can't be a label's key"),
    "label key, no name": ({"labels": {"example.org/": "c"}}, 'metadata.labels["example.org/"]'),
    "label key, two": ({"labels": {"example.org/a/b": "c"}}, 'metadata.labels["example.org/a/b"]'),
    "label key, upper-case prefix": ({"labels": {"Example.org/a": "c"}}, 'metadata.labels["Example.org/a"]'),
    "label key, long": ({"labels": {LONG: "c"}}, f"metadata.labels.{LONG}"),
    "labels, later ones": ({"labels": {"a": "b", "c": 1}}, "metadata.labels.c"),
    "annotation, int": (
        {"annotations": {"n": 3}},
        "metadata.annotations.n: must be a string (got 3 that is an integer)",
    ),
    "annotation, object": ({"annotations": {"n": {"a": "b"}}}, "metadata.annotations.n: must be a string"),
    "annotation, null": ({"annotations": {"n": NULL}}, "metadata.annotations.n: must be a string (got null)"),
    "annotation key": ({"annotations": {"a b": "c"}}, "'a b' can't be an annotation's key"),
    "annotations, size": (
        {"annotations": {"a": "x" * 262144}},
        "metadata.annotations: must have at most 262,144 bytes together (got 262,145)",
    ),
    "name, int": ({"name": 5}, "metadata.name: must be a string (got 5 that is an integer); write str(...)"),
    "name, form": ({"name": "My_Bucket"}, "metadata.name: 'My_Bucket' can't be an object's name: use up to 253"),
    "name, empty": ({"name": ""}, "metadata.name: '' can't be an object's name"),
    "name, long": ({"name": "a" * 254}, "metadata.name: a string of 254 characters can't be an object's name"),
    "generateName": ({"generateName": "AB-"}, "metadata.generateName: 'AB-' can't be the beginning"),
    "namespace": ({"namespace": "a.b"}, "metadata.namespace: 'a.b' can't be a namespace: use up to 63 lower-case"),
    "namespace, int": ({"namespace": 1}, "metadata.namespace: must be a string"),
    "finalizer": ({"finalizers": ["example.org/a", "b c"]}, "metadata.finalizers[1]: 'b c' can't be a finalizer"),
    "owner": (
        {"ownerReferences": [{"apiVersion": "v1", "kind": "A", "name": "a", "uid": ""}]},
        "metadata.ownerReferences[0].uid: '' can't be an owner's uid",
    ),
}
SOUND: dict[str, dict[str, Any]] = {
    "labels": {"labels": {"a": "b", "example.org/B_c.d": "", "A": "a-b_c.d", "a" * 63: "b" * 63, "9": "9"}},
    "annotations": {"annotations": {"a": "any text\n\u00fc", "Example.org/A": "", f"{'a.' * 100}b/c": "{}"}},
    "names": {"name": "a.b-c.9", "namespace": "a-9", "generateName": "abc-"},
    "long name": {"name": "a" * 253},
    "finalizers": {"finalizers": ["crossplane.io", "example.org/a"]},
    "owners": {"ownerReferences": [{"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u", "controller": False}]},
    "nothing": {},
    "nulls": {"name": NULL, "labels": NULL},
}


@pytest.mark.sample(24)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", WRONG)
def test_what_kubernetes_does_not_take(case: str, kind: str) -> None:
    """It is Fatal with the whole path, set in a constructor or later, new or over a previous function's resource."""
    metadata, text = WRONG[case]

    @composition.function
    def compose(ctx: Any) -> None:
        bucket = KINDS[kind]()
        if ctx.input:
            bucket = ctx.resource("bucket", bucket)
        for field, value in metadata.items():
            setattr(bucket.metadata, field, value)
        if not ctx.input:
            ctx.resource("bucket", bucket)
        ctx.resource("other", VPC())

    for kwargs in (
        {},
        {"input": {"later": True}},
        {"desired": {"bucket": samples.bucket({})}},
        {"observed": {"bucket": samples.bucket({})}},
    ):
        answer = run(compose, **kwargs)
        (fatal,) = answer.fatal
        # A wrong type is refused where it is set, where nobody knows the resource's name yet.
        names = ("bucket", "Bucket", "Unstructured") if "must be a string (got " in fatal else ("bucket",)
        assert any(f"{name}.{text}" in fatal for name in names) or (text[0] == "'" and text in fatal)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", SOUND)
def test_what_kubernetes_takes(case: str, kind: str) -> None:
    """It is emitted as it is, in the first call and in later ones."""
    metadata = SOUND[case]

    @composition.function
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", KINDS[kind]())
        for field, value in metadata.items():
            setattr(bucket.metadata, field, value)

    emitted = {field: value for field, value in metadata.items() if value is not NULL}
    for _ in range(2):
        answer = run(compose)
        assert not answer.fatal
        found = {k: v for k, v in answer.resources["bucket"].get("metadata", {}).items() if v is not None}
        assert found == emitted


def test_an_int_of_the_composite() -> None:
    """An int that is read from the composite is no exception; `str(...)` makes it one."""

    @composition.function
    def compose(ctx: Any) -> None:
        port = ctx.composite(Unstructured).observed.spec.port
        bucket = ctx.resource("bucket", Bucket())
        bucket.metadata.labels["port"] = str(port) if ctx.input else port

    xr = {"apiVersion": "example.org/v1", "kind": "XR", "spec": {"port": 8080}}
    (text,) = run(compose, xr=xr).fatal
    assert "bucket.metadata.labels.port: must be a string (got 8080 that is an integer); write str(...)" in text
    answer = run(compose, xr=xr, input={"text": True})
    assert answer.resources["bucket"]["metadata"] == {"labels": {"port": "8080"}}


@pytest.mark.parametrize("value", [12, 1.5, True, ["a"], b"a"])
def test_an_external_name_that_is_no_string(value: Any) -> None:
    """It is an error where it is set, with the line, and as an annotation when it is emitted."""

    def compose(ctx: Any) -> None:
        for bucket in (Bucket(), ctx.resource("bucket", Bucket())):
            with pytest.raises(UsageError, match="'external_name' must be a string"):
                bucket.external_name = value

    call(compose)


def test_an_external_name_by_its_annotation() -> None:
    """The annotation is checked as every other one."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket()).metadata.annotations[samples.EXTERNAL_NAME] = 12

    assert 'bucket.metadata.annotations["crossplane.io/external-name"]: must be' in run(compose).fatal[0]


NAMES: dict[tuple[str, str], tuple[list[str], list[str]]] = {
    ("v1", "ConfigMap"): (["a.b", "kube-root-ca.crt"], ["a:b", "a_b", ".", "a..b"]),
    ("v1", "Service"): (["my-service"], ["a.b", "My", LONG]),
    ("v1", "Namespace"): (["a-b"], ["a.b"]),
    ("rbac.authorization.k8s.io/v1", "ClusterRole"): (["system:node", "A_b", "a b"], ["a/b", "50%", ".", "..", ""]),
    ("image.openshift.io/v1", "ImageStreamTag"): (["app:latest"], ["a/b"]),
    ("networking.k8s.io/v1", "IPAddress"): (["2001:db8::1"], []),
    ("example.org/v1", "Thing"): (["a.b"], ["a:b"]),
}


@pytest.mark.parametrize("kind", NAMES, ids="/".join)
def test_names_by_kind(kind: tuple[str, str]) -> None:
    """Names have the form that their kind has."""
    good, bad = NAMES[kind]

    def compose(ctx: Any) -> None:
        ctx.resource("one", Unstructured(*kind)).metadata.name = ctx.input["name"]

    for name in good:
        assert call(compose, input={"name": name})[1].resources["one"]["metadata"] == {"name": name}
    for name in bad:
        assert "one.metadata.name" in call(compose, input={"name": name})[1].fatal[0]


def test_what_earlier_functions_left_passes_through() -> None:
    """Only what this function sets is checked."""
    left = samples.bucket({})
    left["metadata"] = {"labels": {"theirs": 5, "a b": "c"}, "name": "Their_Name", "finalizers": ["x y"]}

    @composition.function
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        bucket.metadata.labels["ours"] = ctx.input["value"]
        bucket.metadata.annotations["ours"] = "a"

    answer = run(compose, desired={"bucket": left}, input={"value": "fine"})
    assert not answer.fatal
    metadata = answer.resources["bucket"]["metadata"]
    labels = {"theirs": 5, "a b": "c", "ours": "fine"}
    assert metadata == {**left["metadata"], "labels": labels, "annotations": {"ours": "a"}}
    assert "bucket.metadata.labels.ours" in run(compose, desired={"bucket": left}, input={"value": 5}).fatal[0]
    # A value of theirs that this function sets to another wrong one is this function's.
    again = samples.bucket({})
    again["metadata"] = {"labels": {"ours": 5}}
    assert "bucket.metadata.labels.ours" in run(compose, desired={"bucket": again}, input={"value": 6}).fatal[0]


def test_unresolved_metadata() -> None:
    """Nothing is said of a value that isn't there; what stands beside it is checked, and it itself once it is there."""

    @composition.function
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        bucket = ctx.resource("bucket", Bucket())
        value = vpc.observed.status.atProvider.vpcId
        bucket.metadata.labels = {"direct": value, "text": f"{'x' * 40}-{value}", f"{value}": "key", value: "key"}
        bucket.metadata.name = f"{'X' if ctx.input else 'x'}-{value}"
        if ctx.input:
            bucket.metadata.annotations["wrong one"] = "1"

    waiting = run(compose)
    assert not waiting.fatal
    assert "bucket" not in waiting.resources
    assert 'bucket.metadata.annotations["wrong one"]' in run(compose, input={"wrong": True}).fatal[0]
    there = {"vpc": samples.vpc(status={"vpcId": "vpc-1"})}
    assert run(compose, observed=there).resources["bucket"]["metadata"]["labels"]["direct"] == "vpc-1"
    odd = {"vpc": samples.vpc(status={"vpcId": "vpc 1"})}
    assert "bucket.metadata." in run(compose, observed=odd).fatal[0]


def test_a_secret_is_masked() -> None:
    """A value of the request that is secret isn't shown by the error."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket()).metadata.labels["a"] = ctx.credentials["c"]["key"].decode()

    (text,) = run(compose, credentials={"c": {"key": b"top secret words"}}).fatal
    assert "bucket.metadata.labels.a" in text
    assert "top secret words" not in text


@pytest.mark.parametrize("field", ["apiVersion", "kind"])
@pytest.mark.parametrize("name", ["", "b", "unresolved"])
def test_an_object_without_its_kind(field: str, name: str) -> None:
    """It is Fatal with the resource's name, whether the kind is deleted from the new resource or a previous one."""

    @composition.function
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Unstructured(*BUCKET))
        if name:
            bucket.metadata.name = name if name == "b" else bucket.observed.status.name
        del bucket[field]

    for kwargs in ({}, {"desired": {"bucket": samples.bucket({})}}, {"observed": {"bucket": samples.bucket({})}}):
        (text,) = run(compose, **kwargs).fatal
        assert text.startswith(f"bucket.{field}: "), text


@pytest.mark.slow
def test_what_is_kept_of_sound_texts_is_bounded() -> None:
    """Labels that are made from data don't fill the memory."""

    @composition.function
    def compose(ctx: Any) -> None:
        for at in range(3000):
            labels = {f"k{at}": f"v{at}"}
            annotations = {f"a{at}": "x" * 1000}
            ctx.resource(f"r{at}", Bucket(metadata={"labels": labels, "annotations": annotations, "name": f"n{at}"}))

    for _ in range(2):
        assert not run(compose).fatal
    assert 0 < len(object_meta._sound) <= 8192


def test_the_names_that_a_composition_has_itself() -> None:
    """An unset name stays unset, and a reference to another's name is checked as the value that it is."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket(metadata={"labels": {"a": "b"}}))
        ctx.resource("other", VPC()).metadata.labels["of"] = bucket.metadata.name

    observed = samples.bucket({})
    observed["metadata"] = {"name": "n"}
    assert call(compose, observed={"bucket": observed})[1].resources["other"]["metadata"] == {"labels": {"of": "n"}}
    observed["metadata"] = {"name": "n" * 64}
    assert "other.metadata.labels.of" in call(compose, observed={"bucket": observed})[1].fatal[0]
