"""Numbers, text and errors (design section 7)."""

from __future__ import annotations

import contextlib
import inspect
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite import Unstructured, composition, errors
from crossplane_lite.errors import CrossplaneLiteError, WireError
from tests.behaviour import samples
from tests.behaviour.models import VPC, Bucket, BucketSpec, ForProvider, Rule, XStorageBucket
from tests.support import call, request, run

SETTINGS = settings(max_examples=60, deadline=None, derandomize=True)


# --- reading ---------------------------------------------------------------------------------------------------


TEXTS: dict[str, tuple[Callable[[Any], str], str]] = {
    "f-string": (lambda port: f"h:{port}/app", "h:5432/app"),
    "str": (str, "5432"),
    "percent": (lambda port: "%s" % port, "5432"),  # noqa: UP031
    "format": ("{}".format, "5432"),
    "width": (lambda port: f"{port:>6}", "  5432"),
    "integer": (lambda port: f"{port:d}", "5432"),
    "thousands": (lambda port: f"{port:,}", "5,432"),
    "digits": (lambda port: f"{port:.2f}", "5432.00"),
    "share": (lambda port: f"{port:%}", "543200.000000%"),
    "json": (json.dumps, "5432"),
    "default": (lambda port: f"sg-{port or 0}", "sg-5432"),
}


@pytest.mark.parametrize("text", TEXTS)
def test_the_text_of_a_whole_number(text: str) -> None:
    """A whole number has no `.0` in a text, also where its schema says `number`."""
    make, wanted = TEXTS[text]

    def compose(ctx: Any) -> None:
        ratio = ctx.resource("bucket", Bucket()).observed.spec.forProvider.ratio
        rules = ctx.resource("inherited", Bucket()).spec.forProvider.ratio
        ctx.composite(XStorageBucket).status.names = [make(ratio), make(rules)]

    provider = {"ratio": 5432}
    _, answer = call(
        compose, observed={"bucket": samples.bucket(provider)}, desired={"inherited": samples.bucket(provider)}
    )
    assert answer.composite["status"]["names"] == [wanted] * 2


def test_a_whole_number_is_emitted_as_an_integer() -> None:
    """A whole number that was read as a float can be set in fields of integers, numbers and any type."""

    def compose(ctx: Any) -> None:
        ratio = ctx.resource("bucket", Bucket()).observed.spec.forProvider.ratio
        target = ctx.resource("target", Bucket()).spec.forProvider
        target.size = target.ratio = target.extra = target.port = ratio
        target.anything = {"a": ratio, "b": [ratio, ratio + 0.5]}
        assert (type(target.size), type(target.extra)) == (int, int)

    _, answer = call(compose, observed={"bucket": samples.bucket({"ratio": 5432})})
    assert answer.resources["target"]["spec"]["forProvider"] == {
        **dict.fromkeys(("size", "ratio", "extra", "port"), 5432),
        "anything": {"a": 5432, "b": [5432, 5432.5]},
    }


def test_the_type_of_a_number_follows_the_model() -> None:
    """Integral doubles read as int, whatever the model says: providers have ports of the type `number`."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        provider = bucket.observed.spec.forProvider
        assert (provider.size, type(provider.size)) == (5, int)
        assert (provider.ratio, type(provider.ratio)) == (5, int)
        assert (provider.extra["i"], type(provider.extra["i"])) == (5, int)
        assert (provider.extra["f"], type(provider.extra["f"])) == (5.5, float)
        assert (provider.port, type(provider.port)) == (80, int)
        assert provider.public is True
        assert [type(x) for row in provider.matrix for x in row] == [int, int]
        thing = ctx.resource("thing", Unstructured("v1", "Thing"))
        assert type(thing.observed.spec.number) is int
        inherited = ctx.resource("inherited", Bucket())
        assert type(inherited.spec.forProvider.size) is int
        assert type(inherited.spec.forProvider.ratio) is int

    provider = {
        "size": 5,
        "ratio": 5,
        "extra": {"i": 5, "f": 5.5},
        "port": 80,
        "public": True,
        "matrix": [[1, 2]],
    }
    call(
        compose,
        observed={
            "bucket": samples.bucket(provider),
            "thing": {"apiVersion": "v1", "kind": "Thing", "spec": {"number": 3}},
        },
        desired={"inherited": samples.bucket(provider)},
    )


def test_numbers_of_the_composites_parameters_are_ints() -> None:
    """An integer parameter can be used where Python wants an int."""

    def compose(ctx: Any) -> None:
        size = ctx.composite(XStorageBucket).observed.spec.parameters.size
        assert list(range(size)) == [0, 1, 2]
        assert f"{size}" == "3"

    call(compose, xr=samples.xr({"size": 3}))


def test_int_or_string_reads_both() -> None:
    """An int-or-string field reads what is there."""

    def compose(ctx: Any) -> None:
        assert ctx.resource("a", Bucket()).observed.spec.forProvider.port == "http"
        assert ctx.resource("b", Bucket()).observed.spec.forProvider.port == 80

    call(compose, observed={"a": samples.bucket({"port": "http"}), "b": samples.bucket({"port": 80})})


# --- writing ---------------------------------------------------------------------------------------------------


@SETTINGS
@given(st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_are_emitted_exactly(number: float) -> None:
    """Integers up to 2^53 and all finite floats are emitted exactly."""

    def compose(ctx: Any) -> None:
        provider = ForProvider(extra=number, ratio=float(number), matrix=[[int(number)]] if abs(number) < 2**53 else [])
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=provider)))

    _, answer = call(compose)
    assert answer.resources["bucket"]["spec"]["forProvider"]["extra"] == number


def test_booleans_stay_booleans() -> None:
    """True and False aren't numbers."""

    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(extra=[True, 1, False, 0], public=True))))

    provider = call(compose)[1].resources["bucket"]["spec"]["forProvider"]
    assert [isinstance(x, bool) for x in provider["extra"]] == [True, False, True, False]
    assert provider["extra"] == [1, 1, 0, 0]
    assert provider["public"] is True


class Weird:
    """Something that isn't JSON."""


@pytest.mark.parametrize(
    "value",
    [
        2**53 + 1,
        -(2**53) - 1,
        10**400,
        float("nan"),
        float("inf"),
        float("-inf"),
        b"bytes",
        bytearray(b"x"),
        {1, 2},
        frozenset({1}),
        pytest.param(Weird(), id="Weird()"),
        1j,
        pytest.param(lambda: None, id="lambda"),
        {1: "int key"},
        "lone surrogate \ud800",
    ],
    ids=repr,
)
@pytest.mark.parametrize(
    ("place", "path"),
    [
        (lambda v: ForProvider(extra=v), "spec.forProvider.extra"),
        (lambda v: ForProvider(extra={"deep": [0, {"er": v}]}), "spec.forProvider.extra.deep[1].er"),
        (lambda v: ForProvider(anything={"k": [v]}), "spec.forProvider.anything.k[0]"),
    ],
)
def test_what_json_can_not_carry_is_refused_with_its_path(value: Any, place: Callable[[Any], Any], path: str) -> None:
    """Integers beyond 2^53, NaN, infinities, bytes, sets and other foreign values are fatal, with the field's path."""

    @composition.function
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        bucket.spec.forProvider = place(value)

    answer = run(compose)
    assert len(answer.fatal) == 1
    assert path.removeprefix("spec.forProvider.") in answer.fatal[0]
    assert not answer.resources


@pytest.mark.parametrize("value", [float("nan"), 2**60, b"x", {1}])
def test_the_composites_status_is_checked_as_well(value: Any) -> None:
    """The same values are refused in the composite's status."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.composite(Unstructured).status.number = value

    answer = run(compose)
    assert len(answer.fatal) == 1
    assert "status.number" in answer.fatal[0]


@pytest.mark.parametrize("where", ["context", "output"])
def test_context_and_output_are_checked_as_well(where: str) -> None:
    """The same values are refused in context and output."""

    @composition.function
    def compose(ctx: Any) -> None:
        getattr(ctx, where)["key"] = {"deep": [float("nan")]}

    answer = run(compose)
    assert len(answer.fatal) == 1
    assert "key" in answer.fatal[0]
    assert "deep[0]" in answer.fatal[0]


def test_a_value_that_contains_itself_is_refused() -> None:
    """A dict that contains itself is an error, not a hang."""

    @composition.function
    def compose(ctx: Any) -> None:
        value: dict[str, Any] = {}
        value["self"] = value
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(extra=value))))

    assert len(run(compose).fatal) == 1


# --- text ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@SETTINGS
@given(st.text(max_size=20))
def test_any_text_survives(text: str) -> None:
    """Any Unicode text is read and emitted as it is, as a value and as a key."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        copy = ctx.resource("copy", Bucket())
        copy.spec.forProvider.location = bucket.observed.spec.forProvider.location
        copy.spec.forProvider.labels[text] = bucket.observed.spec.forProvider.labels[text]

    provider = {"location": text, "labels": {text: text}}
    _, answer = call(compose, observed={"bucket": samples.bucket(provider)})
    assert answer.resources["copy"]["spec"]["forProvider"] == provider


# --- malformed requests ----------------------------------------------------------------------------------------


@composition.function
def reads(ctx: Any) -> None:
    """Read a field of the VPC."""
    vpc = ctx.resource("vpc", VPC())
    ctx.results.normal(str(vpc.observed.spec.forProvider.region))


@composition.function
def hides(ctx: Any) -> None:
    """Read a field of the VPC, and hide every error."""
    vpc = ctx.resource("vpc", VPC())
    with contextlib.suppress(Exception):
        ctx.results.normal(str(vpc.observed.spec.forProvider.region))


READERS = pytest.mark.parametrize("fn", [reads, hides], ids=["reads", "hides"])


@pytest.mark.parametrize("data", [b"\xff", b"\x0a\x05abc", b"\x12\x03\x0a\x05a", b"\x80" * 20, b"\x0b"])
def test_malformed_bytes_are_a_wire_error(data: bytes) -> None:
    """Bytes that are no request raise WireError."""
    with pytest.raises(WireError):
        reads.run(data)


def with_region(value: bytes) -> bytes:
    """Return a request with these bytes in the place of the VPC's region, which is seven bytes long."""
    assert len(value) == 7
    data = request(observed={"vpc": samples.vpc({"region": "REGION-"})})
    assert data.count(b"REGION-") == 1
    return data.replace(b"REGION-", value)


@READERS
def test_invalid_text_is_a_wire_error_when_it_is_read(fn: Any) -> None:
    """Invalid UTF-8 that comes to light while compose() reads is a WireError, even when compose() hides it."""
    with pytest.raises(WireError):
        fn.run(with_region(b"\xff\xfe\xfd\xfc\xfb\xfa\xf9"))


@READERS
def test_a_malformed_struct_is_a_wire_error_when_it_is_read(fn: Any) -> None:
    """Illegal bytes inside a Struct that come to light while compose() reads are a WireError."""
    data = request(observed={"vpc": samples.vpc({"region": "REGION-"})})
    # The string's length now points past the end of everything around it.
    broken = data.replace(b"\x1a\x07REGION-", b"\x1a\x7fREGION-")
    assert broken != data
    with pytest.raises(WireError):
        fn.run(broken)


def test_what_is_not_read_is_not_checked() -> None:
    """Illegal bytes inside a resource that nobody reads don't matter."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(rules=[Rule(name="x")]))))

    assert b"bucket" in compose.run(with_region(b"\xff\xfe\xfd\xfc\xfb\xfa\xf9"))


def test_an_empty_request_is_legal() -> None:
    """No bytes at all are an empty request."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket())

    assert b"bucket" in compose.run(b"")


# --- errors ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", errors.__all__)
def test_errors_derive_from_the_base_and_a_builtin(name: str) -> None:
    """All errors derive from CrossplaneLiteError and also from a builtin exception that fits."""
    error = getattr(errors, name)
    assert issubclass(error, CrossplaneLiteError)
    if error is not CrossplaneLiteError:
        builtins = {base for base in inspect.getmro(error) if base.__module__ == "builtins"}
        assert builtins - {Exception, BaseException, object}
