"""Connection details: of observed resources, of legacy composites, and the Secret of others (design sections 3, 4)."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Observable, Unstructured, apply, composition
from crossplane_lite.errors import UsageError
from tests.behaviour import samples
from tests.behaviour.helpers import CONDITION, b64, path
from tests.behaviour.models import Bucket, XStorageBucket
from tests.support import DEFAULT_XR, call, request, run

Json = dict[str, Any]

OBSERVED = {"bucket": samples.bucket(ready=True)}
OWNED = {"f:spec": {"f:forProvider": {"f:project": {}}}}
DETAILS = {"user": b"admin", "password": b"correct-horse-battery", "ca": b"\xff\x00\xfe"}
NAMESPACED: Json = {**DEFAULT_XR, "metadata": {**DEFAULT_XR["metadata"], "namespace": "team-a"}}
TYPE = "connection.crossplane.io/v1alpha1"


def with_ref(xr: Json = NAMESPACED, **ref: str) -> Json:
    """Return the composite whose author asks for a connection secret."""
    return {**xr, "spec": {"writeConnectionSecretToRef": ref}}


def secret(data: Json, **more: Any) -> Json:
    """Return a connection secret as it is composed, or observed."""
    return {"apiVersion": "v1", "kind": "Secret", "type": TYPE, "data": data, **more}


# --- of observed resources -------------------------------------------------------------------------------------------


def test_details_of_an_observed_resource() -> None:
    """Details are text, and bytes where `raw` is asked."""

    def compose(ctx: Any) -> None:
        details = ctx.resource("bucket", Bucket()).observed.connection_details
        assert details["user"] == "admin"
        assert details.get("user") == "admin"
        assert dict(details.raw) == DETAILS
        assert sorted(details) == sorted(DETAILS)
        assert len(details) == 3
        assert "user" in details
        assert "host" not in details
        assert "correct-horse" not in repr(details)
        with pytest.raises(UsageError, match=r'bucket.connection_details\["ca"\] isn\'t UTF-8; use .*raw'):
            details["ca"]

    call(compose, observed=OBSERVED, connection={"bucket": DETAILS})


@pytest.mark.parametrize("observed", [{}, OBSERVED])
def test_details_that_are_not_there_yet(observed: Json) -> None:
    """A missing detail reads as an Observable, as text and as bytes, whether the resource exists or not."""

    def compose(ctx: Any) -> None:
        details = ctx.resource("bucket", Bucket()).observed.connection_details
        for missing in (details["host"], details.get("host"), details.raw["host"], details.raw.get("host")):
            assert path(missing) == 'bucket.connection_details["host"]'
        assert details.get("host", "none") == "none"
        assert details.raw.get("host", b"none") == b"none"
        assert list(details) == []
        assert list(details.raw) == []

    call(compose, observed=observed)


USES: dict[str, Callable[[Any], Any]] = {
    "items": lambda details: {key: value for key, value in details.items()},  # noqa: C416
    "dict": dict,
    "**": lambda details: {**details},
    "for": lambda details: [key for key in details],  # noqa: C416
    "sorted": sorted,
    "keys": lambda details: list(details.keys()),
    "values": lambda details: list(details.values()),
    "list": list,
    "set": set,
    "*": lambda details: [*details],
    "next": lambda details: next(iter(details), None),
    "len": len,
    "!=": lambda details: details != {},
    "bool": bool,
    "in": lambda details: "user" in details,
    "get": lambda details: details.get("user", ""),
}


@pytest.mark.sample(8)
@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("use", USES)
def test_what_was_made_from_details_stays_while_they_are_missing(use: str, raw: bool) -> None:
    """Every use of details as a plain value is a guess, so a resource that exists because of them isn't lost."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        details = ctx.resource("vpc", Bucket()).observed.connection_details
        if USES[use](details.raw if raw else details):
            ctx.resource("bucket", Bucket())

    observed = {"bucket": samples.bucket(ours="step"), "vpc": samples.bucket(ready=True)}
    answer = run(compose, observed=observed)
    assert "bucket" in answer.resources or "bucket" in answer.fatal[0]
    assert "bucket" in run(compose, observed=observed, connection={"vpc": DETAILS | {"ca": b"text"}}).resources


def test_a_loop_over_missing_details_deletes_nothing() -> None:
    """A resource for each detail stays while the details are missing, and goes with its detail."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        details = ctx.resource("vpc", Bucket()).observed.connection_details
        for key, value in details.items():
            ctx.resource(f"bucket-{key}", Bucket()).spec.forProvider.project = value

    bucket = samples.bucket({"project": "a"}, ours="step", owned=OWNED)
    observed = {"bucket-user": bucket, "vpc": samples.bucket(ready=True)}
    assert sorted(run(compose, observed=observed).resources) == ["bucket-user", "vpc"]
    assert sorted(run(compose, observed=observed, connection={"vpc": {"host": b"h"}}).resources) == [
        "bucket-host",
        "vpc",
    ]


def test_showing_missing_details_is_no_guess() -> None:
    """The repr of details, as in a log line, asks nothing."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        repr(ctx.resource("vpc", Bucket()).observed.connection_details)

    observed = {"bucket": samples.bucket(ours="step")}
    assert sorted(run(compose, observed=observed).resources) == ["vpc"]


def test_observed_details_are_read_only() -> None:
    """Only those of the desired composite can be set."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        for details in (bucket.observed.connection_details, bucket.connection_details):
            with pytest.raises(AttributeError, match="set the details of the composite that ctx.composite"):
                details["user"] = "x"
        with pytest.raises(AttributeError, match="xr.connection_details can't be set"):
            ctx.composite(XStorageBucket).observed.connection_details["user"] = "x"

    call(compose, observed=OBSERVED, connection={"bucket": DETAILS})


def test_a_resource_that_needs_a_detail_waits_for_it() -> None:
    """A detail that isn't there is a dependency like any other."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        user = Unstructured("example.org/v1", "User")
        user.spec.login = f"{bucket.observed.connection_details['user']}@example.org"
        ctx.resource("user", user)

    _, answer = call(compose, observed=OBSERVED)
    assert list(answer.resources) == ["bucket"]
    assert 'user waits for bucket.connection_details["user"]' in answer.conditions[CONDITION][2]
    _, answer = call(compose, observed=OBSERVED, connection={"bucket": DETAILS})
    assert answer.resources["user"]["spec"] == {"login": "admin@example.org"}


def test_details_of_required_resources() -> None:
    """Details that come with a required resource can be read too."""
    from crossplane.function.proto.v1 import run_function_pb2 as fnv1

    req = fnv1.RunFunctionRequest.FromString(request(required={"db": [samples.bucket()]}))
    req.required_resources["db"].items[0].connection_details["user"] = b"root"
    seen = []

    @composition.function
    def compose(ctx: Any) -> None:
        details = ctx.required_resources.get("db", Bucket)[0].connection_details
        seen.append((details["user"], details.raw["user"], path(details["host"])))

    compose.run(req.SerializeToString())
    assert seen == [("root", b"root", 'required.db[0].connection_details["host"]')]


# --- of legacy composites --------------------------------------------------------------------------------------------


def composite(body: Any, **kwargs: Any) -> dict[str, bytes]:
    """Return the composite's desired connection details after `body(details, bucket)`."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        body(ctx.composite(XStorageBucket).connection_details, bucket.observed)

    answer = call(compose, **{"desired_xr": {}, "observed": OBSERVED, **kwargs})[1]
    assert not answer.fatal
    return answer.composite_connection


def test_details_of_the_composite() -> None:
    """Text, bytes and whole numbers go into the desired composite, beside those of previous functions."""

    def body(details: Any, bucket: Any) -> None:
        details["user"] = bucket.connection_details["user"]
        details["ca"] = bucket.connection_details.raw["ca"]
        details["url"] = f"https://{bucket.connection_details['user']}:443"
        details["port"] = 443
        details["other_port"] = 8443.0  # as a field of type `number` reads
        details["mine"] = "new"
        assert details["theirs"] == "kept"

    earlier = {"theirs": b"kept", "mine": b"old"}
    assert composite(body, connection={"bucket": DETAILS}, desired_xr_connection=earlier) == {
        "theirs": b"kept",
        "mine": b"new",
        "user": b"admin",
        "ca": b"\xff\x00\xfe",
        "url": b"https://admin:443",
        "port": b"443",
        "other_port": b"8443",
    }


@pytest.mark.parametrize(
    "value",
    [
        lambda bucket: None,
        lambda bucket: bucket.connection_details["user"],
        lambda bucket: bucket.connection_details.raw["user"],
        lambda bucket: bucket.connection_details.raw.get("user"),
        lambda bucket: f"{bucket.connection_details['user']}!",
        lambda bucket: b64(f"{bucket.connection_details['user']}!"),
        lambda bucket: f"{bucket.connection_details['user']}!".encode(),
        lambda bucket: apply(str.upper, bucket.connection_details["user"]),
    ],
    ids=["None", "Observable", "raw", "raw.get", "text", "base64", "bytes", "apply"],
)
@pytest.mark.parametrize(
    ("seen", "earlier", "expected"),
    [
        ({}, {}, {}),
        ({"key": b"seen"}, {}, {"key": b"seen"}),
        ({}, {"key": b"earlier"}, {"key": b"earlier"}),
    ],
    ids=["nowhere", "observed", "earlier"],
)
def test_details_of_the_composite_without_a_value(value: Any, seen: Any, earlier: Any, expected: Any) -> None:
    """A detail without a value keeps the observed one, or that of previous functions; without either it is left out."""

    def body(details: Any, bucket: Any) -> None:
        details["key"] = value(bucket)

    assert composite(body, xr_connection=seen, desired_xr_connection=earlier) == expected


def test_deleting_details_of_the_composite() -> None:
    """`del` takes away what a previous function desires, and setting None afterwards doesn't bring it back."""

    def body(details: Any, bucket: Any) -> None:
        del details["theirs"]
        details["theirs"] = None
        assert "theirs" not in details
        with pytest.raises(KeyError):
            details["theirs"]
        with pytest.raises(KeyError):
            del details["never"]

    assert composite(body, desired_xr_connection={"theirs": b"x"}, xr_connection={"theirs": b"x"}) == {}


def test_a_detail_that_is_set_again() -> None:
    """What is set last counts."""

    def body(details: Any, bucket: Any) -> None:
        details["a"] = None
        details["a"] = "1"
        details["b"] = "1"
        details["b"] = None

    assert composite(body, xr_connection={"a": b"0", "b": b"0"}) == {"a": b"1", "b": b"0"}


@pytest.mark.parametrize(
    "value", [1.5, float("inf"), True, ["a"], {"a": "b"}, pytest.param(object(), id="object()")], ids=repr
)
def test_details_of_other_types(value: Any) -> None:
    """What is neither text, bytes nor a whole number is refused, without showing it."""

    def body(details: Any, bucket: Any) -> None:
        message = f"'key' must be a string, bytes or a whole number .*{type(value).__name__}"
        with pytest.raises(UsageError, match=message):
            details["key"] = value

    assert composite(body) == {}


def test_details_are_not_touched_unless_they_are_set() -> None:
    """A function that doesn't look at them passes previous functions' details through."""
    answer = call(lambda ctx: None, desired_xr={}, desired_xr_connection={"a": b"\xff"})[1]
    assert answer.composite_connection == {"a": b"\xff"}


# --- the composed secret ---------------------------------------------------------------------------------------------


def compose_secret(ctx: Any) -> None:
    """Compose a bucket, and a secret with its details in different shapes."""
    bucket = ctx.resource("bucket", Bucket())
    details = bucket.observed.connection_details
    ctx.connection_secret(
        {
            "username": details["user"],
            "ca.crt": details.raw["ca"],
            "url": f"https://{details['user']}:{details['password']}@host",
            "port": 5432,
            "static": "ümlaut",
            "blob": b"\xff",
        }
    )


DATA = {
    "username": b64("admin"),
    "ca.crt": base64.b64encode(b"\xff\x00\xfe").decode(),
    "url": b64("https://admin:correct-horse-battery@host"),
    "port": b64("5432"),
    "static": b64("ümlaut"),
    "blob": base64.b64encode(b"\xff").decode(),
}


def test_a_connection_secret() -> None:
    """One line composes a Secret of Crossplane's type, its data in base64, ready, under a stable name."""
    _, answer = call(compose_secret, xr=NAMESPACED, observed=OBSERVED, connection={"bucket": DETAILS})
    # Neither name nor namespace: Crossplane makes up a stable name, in the composite's namespace.
    assert answer.resources["connection-secret"] == secret(DATA)
    assert answer.ready == {"bucket": None, "connection-secret": True}
    assert answer.composite_ready is None


@pytest.mark.parametrize("known", [{}, {"user": b"admin"}, {"user": b"admin", "password": b"correct-horse-battery"}])
@pytest.mark.parametrize("observed", [{}, OBSERVED])
def test_a_connection_secret_waits(known: Any, observed: Json) -> None:
    """It is held back until every detail has a value, and the composite isn't ready before."""
    _, answer = call(compose_secret, xr=NAMESPACED, observed=observed, connection={"bucket": known} if observed else {})
    assert list(answer.resources) == ["bucket"]
    assert answer.composite_ready is False
    assert 'connection-secret waits for bucket.connection_details["ca"]' in answer.conditions[CONDITION][2]


def test_a_connection_secret_keeps_what_goes_missing() -> None:
    """Once composed, its values stay while their sources have none; the others go on following theirs."""
    observed = {**OBSERVED, "connection-secret": secret(DATA)}
    _, answer = call(compose_secret, xr=NAMESPACED, observed=observed)
    assert answer.resources["connection-secret"] == secret(DATA)
    rotated = {**DETAILS, "password": b"new-password-1"}
    del rotated["ca"]
    _, answer = call(compose_secret, xr=NAMESPACED, observed=observed, connection={"bucket": rotated})
    assert answer.resources["connection-secret"]["data"] == {**DATA, "url": b64("https://admin:new-password-1@host")}


@pytest.mark.parametrize("seen", [{}, {"a": b64("1"), "b": b64("2"), "c": b64("3")}])
def test_none_is_no_opinion(seen: Json) -> None:
    """None leaves a key as it is: out of a new Secret, and with its value in one that has it."""

    def compose(ctx: Any) -> None:
        ctx.connection_secret({"a": None, "b": "new"})

    observed = {"connection-secret": secret(seen)} if seen else {}
    _, answer = call(compose, xr=NAMESPACED, observed=observed)
    kept = {"a": b64("1")} if seen else {}
    assert answer.resources["connection-secret"]["data"] == {**kept, "b": b64("new")}


def test_all_details_of_a_resource() -> None:
    """The details of a resource can be given as a whole: awaited until there are any, kept when they vanish."""

    def compose(ctx: Any) -> None:
        ctx.connection_secret(ctx.resource("bucket", Bucket()).observed.connection_details)

    _, answer = call(compose, xr=NAMESPACED, observed=OBSERVED)
    assert list(answer.resources) == ["bucket"]
    assert "connection-secret waits for bucket.connection_details (" in answer.conditions[CONDITION][2]
    _, answer = call(compose, xr=NAMESPACED, observed=OBSERVED, connection={"bucket": DETAILS})
    data = {key: base64.b64encode(value).decode() for key, value in DETAILS.items()}
    assert answer.resources["connection-secret"]["data"] == data
    _, answer = call(compose, xr=NAMESPACED, observed={**OBSERVED, "connection-secret": secret(data)})
    assert answer.resources["connection-secret"]["data"] == data


def test_details_of_the_composite_as_a_whole() -> None:
    """What a function has collected in the composite's details can go into a Secret too."""

    def compose(ctx: Any) -> None:
        details = ctx.composite(XStorageBucket).connection_details
        details["a"] = "1"
        ctx.connection_secret(details)

    _, answer = call(compose, xr=NAMESPACED)
    assert answer.resources["connection-secret"]["data"] == {"a": b64("1")}


@pytest.mark.parametrize(
    ("xr", "arguments", "metadata"),
    [
        (NAMESPACED, {}, None),
        (with_ref(name="mine"), {}, {"name": "mine"}),
        (with_ref(name="mine", namespace="team-b"), {}, {"name": "mine", "namespace": "team-b"}),
        (with_ref(DEFAULT_XR, name="mine", namespace="team-b"), {}, {"name": "mine", "namespace": "team-b"}),
        (with_ref(DEFAULT_XR, name="mine", namespace="b"), {"namespace": "a"}, {"name": "mine", "namespace": "b"}),
        (with_ref(DEFAULT_XR, name="mine"), {"namespace": "a"}, {"name": "mine", "namespace": "a"}),
        (DEFAULT_XR, {"namespace": "a"}, {"namespace": "a"}),
        ({**NAMESPACED, "spec": {"writeConnectionSecretToRef": "odd"}}, {}, None),
        ({**NAMESPACED, "spec": {"writeConnectionSecretToRef": {"name": ""}}}, {}, None),
    ],
)
def test_where_the_secret_goes(xr: Json, arguments: Json, metadata: Json | None) -> None:
    """The composite's author says name and namespace; otherwise the function, and otherwise Crossplane does."""
    _, answer = call(lambda ctx: ctx.connection_secret({"a": "b"}, **arguments), xr=xr)
    assert answer.resources["connection-secret"].get("metadata") == metadata


def test_a_composite_in_no_namespace() -> None:
    """Where nothing says a namespace, Crossplane could not apply the Secret, so it is an error that says what to do."""
    answer = run(composition.function(lambda ctx: ctx.connection_secret({"a": "b"}) and None))
    assert "the composite has no metadata.namespace; if its kind has one, give it there" in answer.fatal[0]
    assert "namespace=..." in answer.fatal[0]
    assert "spec.writeConnectionSecretToRef.namespace" in answer.fatal[0]


def test_a_namespace_that_comes_later() -> None:
    """The namespace can be an Observable."""

    def compose(ctx: Any) -> None:
        space = ctx.resource("space", Unstructured("v1", "Namespace"))
        ctx.connection_secret({"a": "b"}, namespace=space.observed.metadata.name)

    assert list(call(compose)[1].resources) == ["space"]
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "made-up"}}
    _, answer = call(compose, observed={"space": space})
    assert answer.resources["connection-secret"]["metadata"] == {"namespace": "made-up"}


def test_the_secret_is_a_resource_like_any_other() -> None:
    """What is returned is registered, and can be changed; several Secrets need several names."""

    def compose(ctx: Any) -> None:
        made = ctx.connection_secret({"a": "b"}, name="for-readers")
        assert made.name == "for-readers"
        assert ctx.resources["for-readers"] is made
        made.metadata.labels["team"] = "a"
        made.ready = False
        ctx.connection_secret({"c": "d"})
        with pytest.raises(ValueError, match="registered already"):
            ctx.connection_secret({"e": "f"})

    _, answer = call(compose, xr=NAMESPACED)
    assert answer.resources["for-readers"]["metadata"] == {"labels": {"team": "a"}}
    assert answer.resources["for-readers"]["data"] == {"a": b64("b")}
    assert answer.ready == {"for-readers": False, "connection-secret": True}


def test_a_secret_over_an_earlier_function() -> None:
    """It is put over what a previous function desires under that name, whose readiness stays."""

    def compose(ctx: Any) -> None:
        ctx.connection_secret({"a": "new", "b": None})

    earlier = secret({"a": b64("old"), "b": b64("theirs")}, metadata={"name": "theirs"})
    _, answer = call(
        compose,
        xr=NAMESPACED,
        desired={"connection-secret": earlier},
        desired_ready={"connection-secret": False},
    )
    data = {"a": b64("new"), "b": b64("theirs")}
    assert answer.resources["connection-secret"] == secret(data, metadata={"name": "theirs"})
    assert answer.ready == {"connection-secret": False}


def test_a_secret_of_another_type_keeps_it() -> None:
    """A Secret's type can't be changed, so one that exists with another keeps that."""
    opaque = {**secret({"a": b64("b")}), "type": "Opaque"}
    _, answer = call(
        lambda ctx: ctx.connection_secret({"a": "c"}), xr=NAMESPACED, observed={"connection-secret": opaque}
    )
    assert answer.resources["connection-secret"] == {**opaque, "data": {"a": b64("c")}}


@pytest.mark.parametrize(
    ("details", "problem"),
    [
        ("a", "takes connection details by key"),
        ([("a", "b")], "takes connection details by key"),
        (None, "takes connection details by key"),
        ({"a": 1.5}, "'a' must be a string, bytes or a whole number"),
        ({"a": ["b"]}, "'a' must be a string, bytes or a whole number"),
        ({"a b": "c"}, "must be 1 to 253 letters, digits"),
        ({"a/b": "c"}, "must be 1 to 253 letters, digits"),
        ({"": "c"}, "must be 1 to 253 letters, digits"),
        ({1: "c"}, "must be 1 to 253 letters, digits"),
    ],
    ids=repr,
)
def test_what_can_not_be_in_a_secret(details: Any, problem: str) -> None:
    """Details that a Secret can't have are an error with the key, and never with the value."""

    def compose(ctx: Any) -> None:
        with pytest.raises(UsageError, match=problem):
            ctx.connection_secret(details)
        assert not ctx.resources

    call(compose, xr=NAMESPACED)


def test_values_that_compose_has_made_are_masked(caplog: pytest.LogCaptureFixture) -> None:
    """What goes into connection details is masked in results and logs, also before any request has had it."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.connection_secret({"password": "made-up-password", "key": b"made-up-key", "port": 5432})
        ctx.composite(XStorageBucket).connection_details["token"] = "made-up-token"
        for value in ("made-up-password", "made-up-key", "made-up-token", b64("made-up-password")):
            ctx.results.warning(f"trying {value} on port 5432")
            ctx.log.warning("trying %s", value)
        raise ValueError("not made-up-password")

    answer = run(compose, xr=NAMESPACED)
    assert "made-up" not in answer.texts
    assert b64("made-up-password") not in answer.texts
    assert "made-up" not in caplog.text
    assert "trying [secret]" in caplog.text
    assert "ValueError: not [secret]" in answer.fatal[0]
    assert "trying [secret] on port [secret]" in answer.texts


def test_masking_of_own_values_adds_to_that_of_the_request() -> None:
    """A value that holds a known secret is masked as a whole, and the known secret by itself too."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.results.warning("before: known-secret")
        ctx.connection_secret({"url": "https://known-secret@host"})
        ctx.results.warning("after: https://known-secret@host and known-secret")

    answer = run(compose, xr=NAMESPACED, credentials={"c": {"p": b"known-secret"}})
    assert [text for _, text in answer.results] == ["before: [secret]", "after: [secret] and [secret]"]


def test_values_of_one_call_are_forgotten() -> None:
    """What one call masks is plain text in the next."""

    @composition.function
    def compose(ctx: Any) -> None:
        if ctx.input is not None:
            ctx.connection_secret({"a": "plain-text"})
        ctx.results.warning("plain-text")

    assert run(compose, xr=NAMESPACED, input={"x": 1}).results == [("warning", "[secret]")]
    assert run(compose, xr=NAMESPACED).results == [("warning", "plain-text")]


def test_an_observable_stays_one() -> None:
    """Details that wait are Observables in the registered Secret, so that others can read what waits."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        made = ctx.connection_secret({"a": bucket.observed.connection_details["user"]})
        assert isinstance(made.data["a"], Observable)

    call(compose, xr=NAMESPACED)


def test_a_whole_that_loses_keys() -> None:
    """Keys that go missing from a resource's details stay in the Secret with their values; the others are followed."""

    def compose(ctx: Any) -> None:
        ctx.connection_secret(ctx.resource("bucket", Bucket()).observed.connection_details)

    seen = {key: base64.b64encode(value).decode() for key, value in DETAILS.items()}
    _, answer = call(
        compose,
        xr=NAMESPACED,
        observed={**OBSERVED, "connection-secret": secret(seen)},
        connection={"bucket": {"user": b"root"}},
    )
    assert answer.resources["connection-secret"]["data"] == {**seen, "user": b64("root")}


@pytest.mark.parametrize(
    ("details", "type_"),
    [
        (lambda password: [password + "x" * 40], "a list"),
        (lambda password: {f"{password} {'x' * 300}": "a"}, "another string, not shown because it may be secret"),
        (lambda password: {password.encode() + b" ": "a"}, "bytes"),
    ],
)
def test_messages_about_a_secret_show_nothing_of_it(details: Any, type_: str) -> None:
    """What is said of wrong details and keys names their type, for half a secret would not be masked."""
    password = "p" * 50 + "-and-more-of-it" * 3

    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket())
        ctx.connection_secret(details(password))

    answer = run(
        composition.function(compose),
        xr=NAMESPACED,
        observed=OBSERVED,
        connection={"bucket": {"password": password.encode()}},
    )
    assert f"(got {type_})" in answer.fatal[0]
    assert "ppp" not in answer.fatal[0]


PUBLISHED: dict[str, Callable[[Any, Any], object]] = {
    "get with a default": lambda own, details: own.update({k: details.get(k, "none") for k in ("host", "port")}),
    "if": lambda own, details: own.update(host=details["host"], port="1") if "host" in details else None,
    "or": lambda own, details: own.update(host=str(details.get("host") or "none"), port="5432"),
}


@pytest.mark.parametrize("publish", PUBLISHED)
def test_details_of_the_composite_outlive_a_missing_value(publish: str) -> None:
    """A detail that the composite has keeps its value while the details that it is made from are missing."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        database = ctx.resource("db", Bucket())
        PUBLISHED[publish](ctx.composite(XStorageBucket).connection_details, database.observed.connection_details)

    there = {"host": b"h", "port": b"5432"}
    known = run(compose, observed={"db": samples.bucket()}, connection={"db": there}, xr_connection={"host": b"old"})
    assert known.composite_connection["host"] == b"h"
    observed = {"db": {**samples.bucket(), "metadata": known.emitted["db"]["metadata"]}}
    answer = run(compose, observed=observed, xr_connection={"host": b"old", "port": b"5432"})
    assert answer.composite_connection == {"host": b"old", "port": b"5432"}


def test_a_detail_that_no_guess_decides_changes() -> None:
    """A guess about something else leaves a detail as compose() sets it."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        ctx.composite(XStorageBucket).connection_details["mode"] = "new"
        if bucket.observed.status.atProvider.url:
            ctx.resource("other", Bucket())

    assert run(compose, xr_connection={"mode": b"old"}).composite_connection == {"mode": b"new"}
