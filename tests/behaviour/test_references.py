"""Names of desired resources that nobody has set: references to the observed ones (design section 4)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import NULL, Observable, Unstructured, apply, composition
from crossplane_lite.errors import UnresolvedError
from crossplane_lite.model import to_dict
from tests.behaviour import samples
from tests.behaviour.models import VPC, Bucket, BucketACL, XStorageBucket
from tests.support import call, run

EXISTING = {
    **samples.bucket({"location": "US"}, external_name="the-external"),
}
EXISTING["metadata"] = {**EXISTING["metadata"], "name": "the-name", "uid": "u"}

READS: dict[str, tuple[Callable[[Any], Any], str, str]] = {
    "metadata.name": (lambda b: b.metadata.name, "bucket.metadata.name", "the-name"),
    "external_name": (lambda b: b.external_name, "bucket.external_name", "the-external"),
}
MAKERS: dict[str, Callable[[], Any]] = {
    "typed": Bucket,
    "typed, metadata set": lambda: Bucket(metadata={"labels": {"a": "b"}}),
    "unstructured": lambda: Unstructured("storage.gcp.upbound.io/v1beta1", "Bucket"),
    "unstructured, metadata set": lambda: Unstructured(
        "storage.gcp.upbound.io/v1beta1", "Bucket", metadata={"labels": {"a": "b"}}
    ),
}


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("read", READS)
def test_an_unset_name_is_a_reference(read: str, maker: str) -> None:
    """It is an Observable before the resource exists and after, and is emitted as the observed value."""
    get, path, value = READS[read]

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", MAKERS[maker]())
        found = get(bucket)
        assert type(found) is Observable
        assert found.source_path == path
        acl = ctx.resource("acl", BucketACL())
        acl.spec.forProvider.bucket = found
        assert to_dict(acl)["spec"]["forProvider"]["bucket"] is found

    _, answer = call(compose)
    assert "acl" not in answer.resources
    assert f"acl waits for {path}" in answer.conditions["DependenciesResolved"][2]
    _, answer = call(compose, observed={"bucket": EXISTING})
    assert answer.resources["acl"]["spec"]["forProvider"] == {"bucket": value}
    assert not answer.conditions
    # Reading sets nothing in the resource itself.
    assert set(answer.resources["bucket"].get("metadata", {})) <= {"labels"}


@pytest.mark.parametrize("read", READS)
def test_a_reference_over_what_an_earlier_function_desires(read: str) -> None:
    """The same where the resource that refers, or the one that is referred to, lies over a previous function's."""
    get, _, value = READS[read]

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        acl = ctx.resource("acl", BucketACL())
        acl.spec.forProvider.bucket = get(bucket)

    desired = {
        "bucket": samples.bucket({"location": "US"}) | {"metadata": {"labels": {"a": "b"}}},
        "acl": samples.acl({"predefinedAcl": "x"}),
    }
    answer = call(compose, observed={"bucket": EXISTING}, desired=desired)[1]
    assert answer.resources["acl"]["spec"]["forProvider"] == {"bucket": value, "predefinedAcl": "x"}


def test_a_name_that_is_set_reads_as_it_is() -> None:
    """A name that this function or an earlier one sets is that name, and a deleted one reads None."""

    def compose(ctx: Any) -> None:
        own = ctx.resource("own", Bucket(metadata={"name": "n"}))
        own.external_name = "e"
        assert (own.metadata.name, own.external_name) == ("n", "e")
        earlier = ctx.resource("earlier", Bucket())
        assert (earlier.metadata.name, earlier.external_name) == ("n", "e")
        del earlier.metadata.name
        del earlier.metadata.annotations[samples.EXTERNAL_NAME]
        assert (earlier.metadata.name, earlier.external_name) == (None, None)
        null = ctx.resource("null", Bucket())
        null.metadata.name = NULL
        assert null.metadata.name is NULL

    earlier = samples.bucket({"location": "US"}, external_name="e")
    earlier["metadata"]["name"] = "n"
    call(compose, desired={"earlier": earlier}, observed={"own": EXISTING, "earlier": EXISTING})


def test_what_is_not_registered_has_no_references() -> None:
    """An instance that isn't registered reads None there."""

    def compose(ctx: Any) -> None:
        assert (Bucket().metadata.name, Bucket().external_name) == (None, None)

    assert not call(compose)[1].fatal


# --- as a plain value --------------------------------------------------------------------------------------------

QUESTIONS: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "bool": (bool, False),
    "in a set": (lambda name: name in {"the-external"}, False),
    "or": (lambda name: name or "other", "other"),
}


@pytest.mark.parametrize("observed", [None, {"bucket": EXISTING}], ids=["unknown", "known"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_a_reference_answers_as_a_name_that_nobody_sets(question: str, observed: Any) -> None:
    """Whether it is set can be asked, whether there is a value or not; that is no guess, so nothing is guarded."""
    ask, expected = QUESTIONS[question]

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        assert ask(bucket.external_name) == expected
        if ctx.input is None:
            ctx.resource("other", VPC())

    other = run(compose).emitted["other"]
    # After a guess, losing a resource that exists would be fatal.
    answer = run(compose, observed={**(observed or {}), "other": other}, input={"lose": "it"})
    assert not answer.fatal


OTHER_USES: dict[str, Callable[[Any], Any]] = {
    "==": lambda name: name == "the-external",
    "== None": lambda name: name == None,  # noqa: E711
    "!=": lambda name: name != "the-external",
    "in a tuple": lambda name: name in ("the-external",),
    "contains": lambda name: "the" in name,
    "len": len,
    "iteration": list,
    "a method": lambda name: name.upper(),
    "order": lambda name: name < "a",
}


@pytest.mark.parametrize("observed", [None, {"bucket": EXISTING}], ids=["unknown", "known"])
@pytest.mark.parametrize("use", OTHER_USES)
def test_every_other_use_of_a_reference_is_an_error(use: str, observed: Any) -> None:
    """What needs the name itself names `.observed`, whether there is a value or not."""

    def compose(ctx: Any) -> None:
        name = ctx.resource("bucket", Bucket()).external_name
        with pytest.raises(UnresolvedError, match=r"bucket\.observed\.external_name"):
            OTHER_USES[use](name)

    assert not call(compose, observed=observed)[1].fatal


def test_setting_an_external_name_that_is_not_set_does_not_alternate() -> None:
    """`if not b.external_name: b.external_name = n` sets it in every call, before and after it is observed."""

    @composition.function
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        if not bucket.external_name:
            bucket.external_name = "mine"
        other = ctx.resource("other", Bucket())
        other.external_name = other.external_name or "mine"

    observed: dict[str, Any] = {}
    emitted = []
    for _ in range(4):
        answer = run(compose, observed=observed)
        assert not answer.fatal
        emitted.append(answer.resources)
        observed = answer.emitted
    assert all(one == emitted[0] for one in emitted)
    assert emitted[0]["bucket"]["metadata"]["annotations"][samples.EXTERNAL_NAME] == "mine"


@pytest.mark.parametrize(
    "use", [int, lambda n: n.lower(), lambda n: n[:3], lambda n: n > "a", lambda n: hashlib.sha256(n.encode())]
)
@pytest.mark.parametrize("observed", [None, {"bucket": EXISTING}], ids=["unknown", "known"])
def test_what_needs_the_value_itself(use: Callable[[Any], Any], observed: Any) -> None:
    """What computes with a reference is an error in every call, and the text names `.observed` and apply."""

    def compose(ctx: Any) -> None:
        with pytest.raises(UnresolvedError, match=r"use bucket\.observed\.external_name.*or crossplane_lite\.apply"):
            use(ctx.resource("bucket", Bucket()).external_name)

    call(compose, observed=observed)


# --- what is made from them --------------------------------------------------------------------------------------


def _selector(ctx: Any, name: Any) -> None:
    ctx.requirements.resources["r"] = composition.ResourceSelector(
        api_version="v1", kind="ConfigMap", match_labels={"of": name}, namespace=name
    )


def test_everything_that_is_made_from_a_reference() -> None:
    """Text, keys, lists, apply, selectors, results, conditions, context and status get the value where it is known."""

    @composition.function
    def compose(ctx: Any) -> None:
        name = ctx.resource("bucket", Bucket()).metadata.name
        thing = ctx.resource("thing", Unstructured("v1", "Thing"))
        thing.spec.text = f"x-{name}" + name + "%s" % name + f"{name:>10}"  # noqa: UP031
        thing.spec.listed = [name, {"deep": [name]}]
        thing.spec.keys = {name: "x"}
        thing.spec.hashed = apply(lambda v: v.upper(), name)
        thing.spec.nested = apply(lambda v: sorted(v["a"]), {"a": [name]})
        typed = ctx.resource("typed", Bucket())
        typed.spec.forProvider.extra = {"any": [name]}
        typed.spec.forProvider.labels = {"label": name, "text": f"{name}"}
        xr = ctx.composite(XStorageBucket)
        xr.status.bucketName = name
        if ctx.input is not None:
            xr.connection_details["name"] = name
        _selector(ctx, name)
        ctx.results.normal(name)
        ctx.conditions.set("Named", True, "Named", name)
        ctx.context["name"] = {"of": name}

    answer = run(compose, observed={"bucket": EXISTING})
    assert not answer.fatal
    value = "the-name"
    assert answer.resources["thing"]["spec"] == {
        "text": f"x-{value}{value}{value}  {value}",
        "listed": [value, {"deep": [value]}],
        "keys": {value: "x"},
        "hashed": value.upper(),
        "nested": [value],
    }
    assert answer.resources["typed"]["spec"]["forProvider"] == {
        "extra": {"any": [value]},
        "labels": {"label": value, "text": value},
    }
    assert answer.composite["status"]["bucketName"] == value
    selector = answer.requirements.resources["r"]
    assert (dict(selector.match_labels.labels), selector.namespace) == ({"of": value}, value)
    assert ("normal", value) in answer.results
    assert answer.conditions["Named"] == (True, "Named", value)
    assert answer.context["name"] == {"of": value}

    assert run(compose, observed={"bucket": EXISTING}, input={}).composite_connection == {"name": value.encode()}

    waiting = run(compose)
    assert not waiting.fatal
    assert list(waiting.resources) == ["bucket"]
    assert "bucketName" not in waiting.composite.get("status", {})
    assert not waiting.requirements.resources
    assert ("normal", "bucket.metadata.name") in waiting.results


def test_a_resource_named_after_another() -> None:
    """A composition resource name may be made from a reference once it has a value; before, it is an error."""

    @composition.function
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        ctx.resource(bucket.metadata.name, VPC())

    answer = run(compose)
    assert "has no value yet" in answer.texts
    assert list(answer.resources) == ["bucket"]
    assert "the-name" in run(compose, observed={"bucket": EXISTING}).resources


def test_a_reference_is_seen_as_a_dependency() -> None:
    """`usages=True` and `Function.dependencies` see a reference that has its value already."""

    @composition.function
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        acl = ctx.resource("acl", BucketACL())
        acl.spec.forProvider.bucket = bucket.external_name

    from tests.support import request

    for observed in (None, {"bucket": EXISTING}):
        found = compose.dependencies(request(observed=observed))
        assert found == [("acl", "bucket", "bucket.external_name")]


def test_a_reference_to_the_resource_itself() -> None:
    """A resource that refers to its own name doesn't wait for itself: the field comes once there is a value."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        bucket.spec.forProvider.project = bucket.metadata.name

    _, answer = call(compose)
    assert "spec" not in answer.resources["bucket"]
    _, answer = call(compose, observed={"bucket": EXISTING})
    assert answer.resources["bucket"]["spec"] == {"forProvider": {"project": "the-name"}}


def test_references_of_earlier_functions_resources() -> None:
    """Names of what `ctx.desired` has are references to the observed ones too, where nobody sets them."""

    def compose(ctx: Any) -> None:
        bucket = ctx.desired["bucket"]
        acl = ctx.resource("acl", BucketACL())
        acl.spec.forProvider.bucket = bucket.metadata.name
        assert not bucket.external_name
        acl.spec.forProvider.predefinedAcl = bucket.external_name
        assert ctx.desired["named"].metadata.name == "n"
        assert ctx.desired["named"].external_name == "e"

    named = samples.bucket({}, external_name="e")
    named["metadata"]["name"] = "n"
    desired = {"bucket": samples.bucket({"location": "US"}), "named": named}
    _, answer = call(compose, desired=desired)
    assert "acl" not in answer.resources
    _, answer = call(compose, desired=desired, observed={"bucket": EXISTING})
    assert answer.resources["acl"]["spec"]["forProvider"] == {"bucket": "the-name", "predefinedAcl": "the-external"}
