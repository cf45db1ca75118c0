"""Objects without a schema are containers: items and attributes at any depth, models and missing values in them."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import NULL, Observable, Unstructured, composition
from crossplane_lite.errors import ReadOnlyError, UsageError
from crossplane_lite.model import from_dict, to_dict
from crossplane_lite.table import load
from tests.behaviour.models import Bucket, ConfigMap
from tests.support import call, run

TABLE = {
    "Release": "@helm.crossplane.io/v1beta1;Cluster metadata:meta.ObjectMeta spec:Spec status:o",
    "Spec": "forProvider:ForProvider",
    "ForProvider": "values:o set:[o named:{o count:i",
    "XR": "@example.org/v1 metadata:meta.ObjectMeta spec:XSpec status:XStatus",
    "XSpec": "values:o",
    "XStatus": "free:o",
}
made, _names = load("free_form", TABLE, meta="crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1")
Release, ForProvider, XR = map(made, ("Release", "ForProvider", "XR"))
HEAD = {"apiVersion": "helm.crossplane.io/v1beta1", "kind": "Release"}


def release(values: Any, **status: Any) -> dict[str, Any]:
    """Return a release as plain data."""
    return {**HEAD, "spec": {"forProvider": {"values": values}}, **({"status": status} if status else {})}


def emitted(answer: Any, name: str = "release") -> Any:
    """Return the values of an emitted release."""
    return answer.resources[name]["spec"]["forProvider"]["values"]


def test_items_and_attributes_at_any_depth() -> None:
    """What isn't set reads as an empty object, and attaches itself when something is set in it."""
    values = ForProvider().values
    assert not values
    one = ForProvider()
    one.values["a"] = 1
    one.values.b.c["d/e"].f = "g"
    one.values["list"].append({"h": 1})
    one.values["list"][0]["i"]["j"] = 2
    assert to_dict(one) == {"values": {"a": 1, "b": {"c": {"d/e": {"f": "g"}}}, "list": [{"h": 1, "i": {"j": 2}}]}}
    assert one.values["b"].c == {"d/e": {"f": "g"}}
    assert dict(one.values.items()).keys() == {"a", "b", "list"}
    del one.values["a"]
    assert "a" not in one.values


def test_what_was_only_read_is_not_emitted() -> None:
    """An object that nobody wrote to isn't emitted; one that was set to an empty one is."""

    @composition.function
    def compose(ctx: Any) -> None:
        provider = ctx.resource("release", Release()).spec.forProvider
        assert not provider.values.image.tag
        assert not provider.values["other"]
        provider.count = 1
        ctx.resource("empty", Release(spec={"forProvider": {"values": {}}}))

    answer = run(compose)
    assert answer.resources["release"] == {**HEAD, "spec": {"forProvider": {"count": 1}}}
    assert answer.resources["empty"] == release({})


def test_constructors_and_copies() -> None:
    """A mapping is copied, so that changing it later changes nothing; objects in lists and maps are the same."""
    given = {"a": {"b": [1, {"c": None, "d": NULL}]}}
    one = ForProvider(values=given, set=[{"name": "n"}], named={"k": {"v": 1}})
    given["a"]["b"].append(5)  # type: ignore[attr-defined]
    one.set[0].value.deep = True
    one.set.append({"name": "m"})
    one.named["l"] = {}
    one.named["l"]["x"] = 1
    assert to_dict(one) == {
        "values": {"a": {"b": [1, {"d": None}]}},
        "set": [{"name": "n", "value": {"deep": True}}, {"name": "m"}],
        "named": {"k": {"v": 1}, "l": {"x": 1}},
    }
    other = ForProvider(values=one.values)
    other.values["z"] = 1
    assert "z" not in one.values


def test_models_as_values() -> None:
    """A typed model can be the object, or lie in it, with its apiVersion and kind; each place has its own."""
    config = ConfigMap(data={"a": "b"})
    one = ForProvider(values=config, set=[ConfigMap()], named={"k": Unstructured("v1", "Secret")})
    one.values.data["c"] = "d"
    two = ForProvider(values={"manifest": config, "list": [Bucket()]})
    assert to_dict(one)["values"] == {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "b", "c": "d"}}
    assert to_dict(one)["set"] == [{"apiVersion": "v1", "kind": "ConfigMap"}]
    assert to_dict(one)["named"] == {"k": {"apiVersion": "v1", "kind": "Secret"}}
    assert to_dict(two)["values"]["list"][0]["kind"] == "Bucket"
    two.values["manifest"].data["e"] = "f"
    assert "e" not in one.values.data


@pytest.mark.parametrize("value", [5, "a", ["a"], True, 1.5])
def test_what_is_no_object(value: Any) -> None:
    """A scalar or a list is refused, and so is a key that is no string."""
    with pytest.raises(UsageError, match=r"^ForProvider.values: must be a mapping or a model \(got "):
        ForProvider(values=value)
    with pytest.raises(UsageError, match=r"^ForProvider.values.a: keys must be strings \(got 1 that is an integer\)"):
        ForProvider(values={"a": {1: value}})


def test_missing_values_in_them() -> None:
    """An Observable at any depth, as itself or in text, holds a new resource back, and is emitted once it is there."""

    @composition.function
    def compose(ctx: Any) -> None:
        first = ctx.resource("first", Release())
        seen = first.observed.status.address
        second = ctx.resource("release", Release(spec={"forProvider": {"values": {"host": seen}}}))
        second.spec.forProvider.values.deep["url"] = f"http://{seen.name}"

    assert set(run(compose).resources) == {"first"}
    observed = {"first": release({}, address={"name": "x"})}
    assert emitted(run(compose, observed=observed)) == {"host": {"name": "x"}, "deep": {"url": "http://x"}}


def test_over_an_earlier_function() -> None:
    """What a previous function set shows through and is merged at every depth; what is deleted goes."""

    @composition.function
    def compose(ctx: Any) -> None:
        own = Release(spec={"forProvider": {"values": {"a": {"own": 1}}}})
        values = ctx.resource("release", own).spec.forProvider.values
        assert values["a"]["left"] == 2
        values.a.more = 3
        del values["gone"]

    earlier = release({"a": {"left": 2}, "gone": 1, "kept": [1, {"b": 2}]})
    assert emitted(run(compose, desired={"release": earlier})) == {
        "a": {"left": 2, "own": 1, "more": 3},
        "kept": [1, {"b": 2}],
    }


def test_observed_state_is_as_before() -> None:
    """Observed, what is there is a mapping that can't be changed; what isn't there is an Observable."""

    def compose(ctx: Any) -> None:
        observed = ctx.resource("release", Release()).observed
        values = observed.spec.forProvider.values
        assert isinstance(values, dict)
        assert values == {"a": {"b": [1]}}
        assert values["a"]["b"] == [1]
        with pytest.raises(ReadOnlyError):
            values["a"] = 1
        missing = ctx.resource("other", Release()).observed.spec.forProvider.values
        assert type(missing) is Observable
        assert missing.a["b"].source_path == 'other.spec.forProvider.values.a["b"]'

    call(compose, observed={"release": release({"a": {"b": [1]}})})


def test_of_the_composite() -> None:
    """The composite's own is never None; an unset one is no opinion where it is passed on. Its status can be set."""

    @composition.function
    def compose(ctx: Any) -> None:
        xr = ctx.composite(XR)
        given = xr.observed.spec.values
        assert given is not None
        assert given.get("a") == (1 if ctx.input else None)
        ctx.resource("release", Release()).spec.forProvider.values = given
        xr.status.free.deep["a"] = 1

    head = {"apiVersion": "example.org/v1", "kind": "XR", "metadata": {"name": "x"}}
    answer = run(compose, xr={**head, "spec": {}})
    assert answer.resources["release"] == HEAD
    assert answer.composite["status"]["free"] == {"deep": {"a": 1}}
    assert emitted(run(compose, xr={**head, "spec": {"values": {"a": 1}}}, input={"there": True})) == {"a": 1}


def test_the_empty_status_that_kubectl_prints() -> None:
    """`kubectl create --dry-run -o yaml` prints `status: {}` and a null time: both are fine; no status is emitted."""
    printed = {**HEAD, "metadata": {"creationTimestamp": None}, "spec": {}, "status": {}}
    typed = {"apiVersion": "storage.gcp.upbound.io/v1beta1", "kind": "Bucket", "status": {}}

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.resource("release", from_dict(Release, printed))
        bucket = ctx.resource("bucket", from_dict(Bucket, typed))
        bucket.spec.forProvider.location = f"{bucket.observed.status.atProvider.id}"  # so that compose() runs again

    answer = run(compose)
    assert not answer.fatal
    assert "status" not in answer.resources["release"]
    assert "status" not in run(compose, observed={"bucket": typed}).resources["bucket"]


def test_a_cluster_scoped_kind_in_a_namespaced_composite() -> None:
    """It is said at once, with the line: Crossplane would refuse it. Composites without a namespace may."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.resource("release", Release())

    head = {"apiVersion": "example.org/v1", "kind": "XR"}
    namespaced = {**head, "metadata": {"name": "x", "namespace": "team"}}
    (text,) = run(compose, xr=namespaced).fatal
    assert text.startswith(
        "UsageError: ctx.resource('release'): Release of helm.crossplane.io/v1beta1 is cluster-scoped, and the "
        "composite is in namespace 'team': take the provider's kind that is in a namespace, or an XRD with scope: "
        "Cluster and a composite without metadata.namespace (test_free_form.py:"
    )
    claimed = {**head, "metadata": {"name": "x"}, "spec": {"claimRef": {"namespace": "team"}}}
    for composite in ({**head, "metadata": {"name": "x"}}, claimed):
        assert not run(compose, xr=composite).fatal
