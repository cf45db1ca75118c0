"""Depth and size that data decides (design section 5: one walk, iterative)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition, testing
from crossplane_lite.errors import UsageError
from tests.behaviour import samples
from tests.behaviour.helpers import provider_of, unresolved
from tests.behaviour.models import (
    VPC,
    Branch,
    Bucket,
    BucketSpec,
    ForProvider,
    Tree,
)
from tests.support import call, message_fields, request, run


def value_of_struct(data: Any, key: bytes) -> Any:
    """Return the bytes of the Value under `key` of a Struct's bytes."""
    for entry in message_fields(data, 1):
        if bytes(message_fields(entry, 1)[0]) == key:
            return message_fields(entry, 2)[0]
    raise KeyError(key)


def desired_struct(data: bytes, name: str) -> Any:
    """Return the bytes of a desired composed resource's Struct."""
    (state,) = message_fields(data, 2)
    for entry in message_fields(state, 2):
        if bytes(message_fields(entry, 1)[0]).decode() == name:
            return message_fields(message_fields(entry, 2)[0], 1)[0]
    raise KeyError(name)


def depth_of(struct: Any, *path: bytes) -> int:
    """Return how often the key "a" can be followed below `path`."""
    value = value_of_struct(struct, path[0])
    for key in path[1:]:
        value = value_of_struct(message_fields(value, 5)[0], key)
    depth = 0
    while inner := message_fields(value, 5):
        value = value_of_struct(inner[0], b"a")
        depth += 1
    return depth


LEVELS = 10_000


def deep(leaf: Any) -> Any:
    """Return dicts nested ten thousand deep."""
    value = leaf
    for _ in range(LEVELS):
        value = {"a": value}
    return value


@pytest.mark.slow
def test_ten_thousand_levels_of_free_form_data_are_emitted() -> None:
    """Deep dicts are emitted whole."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(extra=deep("leaf")))))

    data = compose.run(request())
    assert depth_of(desired_struct(data, "bucket"), b"spec", b"forProvider", b"extra") == LEVELS


@pytest.mark.slow
@pytest.mark.parametrize("make", [lambda o: o, lambda o: f"x{o}"])
def test_an_observable_ten_thousand_levels_down_holds_back(make: Callable[[Any], Any]) -> None:
    """The walk finds what is unresolved at any depth of dicts."""

    def compose(ctx: Any) -> None:
        vpc_id = unresolved(ctx)
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(extra=deep(make(vpc_id))))))

    _, answer = call(compose)
    assert not answer.fatal
    assert list(answer.resources) == ["vpc"]


@pytest.mark.slow
def test_lists_nested_ten_thousand_deep() -> None:
    """Deep lists are walked and emitted as well."""

    @composition.function
    def compose(ctx: Any) -> None:
        value: Any = "leaf"
        for _ in range(LEVELS):
            value = [value]
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(extra=value))))

    data = compose.run(request())
    value = value_of_struct(desired_struct(data, "bucket"), b"spec")
    for key in (b"forProvider", b"extra"):
        value = value_of_struct(message_fields(value, 5)[0], key)
    depth = 0
    while inner := message_fields(value, 6):
        value = message_fields(inner[0], 1)[0]
        depth += 1
    assert depth == LEVELS


@pytest.mark.slow
def test_recursive_models_ten_thousand_deep() -> None:
    """Models that contain each other ten thousand deep are emitted, and what is unresolved in them is found."""

    def tree(leaf: Any) -> Any:
        branch = Branch(value=leaf)
        for _ in range(LEVELS):
            branch = Branch(child=branch)
        return Tree(spec=branch)

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.resource("tree", tree("leaf"))

    data = compose.run(request())
    value = value_of_struct(desired_struct(data, "tree"), b"spec")
    for _ in range(LEVELS):
        value = value_of_struct(message_fields(value, 5)[0], b"child")
    assert bytes(message_fields(value_of_struct(message_fields(value, 5)[0], b"value"), 3)[0]) == b"leaf"

    def waiting(ctx: Any) -> None:
        ctx.resource("tree", tree(unresolved(ctx)))

    _, answer = call(waiting)
    assert list(answer.resources) == ["vpc"]


def deep_struct(levels: int) -> bytes:
    """Return the bytes of a Struct whose key "a" leads `levels` down."""

    def varint(number: int) -> bytes:
        out = bytearray()
        while number >= 0x80:
            out.append(number & 0x7F | 0x80)
            number >>= 7
        out.append(number)
        return bytes(out)

    def nest(content: bytes, tag: int) -> bytes:
        return bytes([tag]) + varint(len(content)) + content

    value = b"\x1a\x04leaf"
    struct = b""
    for _ in range(levels):
        struct = nest(b"\x0a\x01a" + nest(value, 0x12), 0x0A)
        value = nest(struct, 0x2A)
    return struct


@pytest.mark.parametrize("where", ["observed", "desired"])
def test_deep_requests_are_no_problem(where: str) -> None:
    """Resources nested far deeper than protobuf allows pass through, and can stand beside others."""
    struct = deep_struct(3000)

    def varint(number: int) -> bytes:
        return bytes([number]) if number < 0x80 else bytes([number & 0x7F | 0x80]) + varint(number >> 7)

    resource = b"\x0a" + varint(len(struct)) + struct
    entry = b"\x0a\x04deep\x12" + varint(len(resource)) + resource
    state = b"\x12" + varint(len(entry)) + entry
    number = b"\x12" if where == "observed" else b"\x1a"
    data = request(observed={"vpc": samples.vpc(status={"vpcId": "v"})}) + number + varint(len(state)) + state

    @composition.function
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        bucket = ctx.resource("bucket", Bucket())
        bucket.spec.forProvider.project = vpc.observed.status.atProvider.vpcId

    answer = compose.run(data)
    assert value_of_struct(desired_struct(answer, "bucket"), b"kind")
    if where == "desired":
        assert bytes(desired_struct(answer, "deep")) == struct


@pytest.mark.slow
def test_many_nodes() -> None:
    """A wide resource of a hundred thousand values is emitted."""

    @composition.function
    def compose(ctx: Any) -> None:
        extra = {"list": list(range(50_000)), "map": {f"k{i}": i for i in range(50_000)}}
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(extra=extra))))

    answer = run(compose)
    extra = provider_of(answer)["extra"]
    assert extra["list"] == list(range(50_000))
    assert extra["map"]["k49999"] == 49_999


@pytest.mark.slow
def test_deep_observed_lists_are_copied_at_once() -> None:
    """Copying a deep list of observed state takes time in proportion to its depth, also where a leaf is expected."""

    @composition.function
    def compose(ctx: Any) -> None:
        found = ctx.composite(Unstructured).observed.spec.zones
        ctx.resource("copy", Unstructured("example.org/v1", "Copy", spec={"zones": found}))
        with pytest.raises(UsageError, match="labels: must be "):
            ForProvider(labels=found)

    value: Any = []
    for _ in range(LEVELS):
        value = [value]
    start = time.process_time()
    data = compose.run(testing.request({"apiVersion": "a/v1", "kind": "A", "spec": {"zones": value}}))
    assert time.process_time() - start < 10
    assert len(desired_struct(data, "copy")) > 4 * LEVELS
