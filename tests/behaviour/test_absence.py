"""One protocol of absence: every way of using an observed mapping or list, for every container that ctx gives.

A container is there, or isn't there yet, or was there and is gone. What is there is used as a dict or a list is. What
may still come is never just empty: using it is remembered, so a resource that was made because of it stays, or the use
is an error. What is known to be absent is empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition, json_dumps
from crossplane_lite.model import to_dict
from tests.behaviour import samples
from tests.behaviour.helpers import VPC_API, ask
from tests.behaviour.models import Bucket, XStorageBucket
from tests.support import Response, run

TEXTS = {"a": "1", "b": "2"}
LIST = ["x", "y"]


def _kwargs(**values: Any) -> dict[str, Any]:
    return values


def _loop(value: Any) -> list[Any]:
    found = []
    for one in value:
        found.append(one)
    return found


MAPPING_USES: dict[str, Callable[[Any], Any]] = {
    "bool": bool,
    "not": lambda m: not m,
    "len": len,
    "for": _loop,
    "list": lambda m: len(list(m)),
    "sorted": sorted,
    "set": set,
    "in": lambda m: "a" in m,
    "any": any,
    "next": lambda m: next(iter(sorted(m)), None),
    "keys": lambda m: sorted(m.keys()),
    "values": lambda m: sorted(map(str, m.values())),
    "items": lambda m: sorted(map(str, m.items())),
    "dict": lambda m: dict(m),
    "**": lambda m: _kwargs(**m),
    "{**}": lambda m: {**m},
    "comprehension": lambda m: {key: value for key, value in m.items()},  # noqa: C416
    "join": lambda m: ",".join(f"{key}={value}" for key, value in sorted(m.items())),
    "==": lambda m: m == {},
    "!=": lambda m: m != {},
    "get with a default": lambda m: m.get("a", "default"),
    "max": lambda m: max(m, default=None),
    "zip": lambda m: sorted(zip(m, m.values(), strict=True)),
    "enumerate": lambda m: [at for at, _ in enumerate(m)],
}
LIST_USES: dict[str, Callable[[Any], Any]] = {
    "bool": bool,
    "not": lambda v: not v,
    "len": len,
    "for": _loop,
    "list": lambda v: list(v),
    "tuple": tuple,
    "sorted": lambda v: sorted(v, key=str),
    "in": lambda v: "x" in v,
    "any": any,
    "all": lambda v: all(one == "nope" for one in v),
    "==": lambda v: v == [],
    "!=": lambda v: v != [],
    "*": lambda v: [*v],
    "unpack": lambda v: (lambda *args: len(args))(*v),
    "comprehension": lambda v: [one for one in v],  # noqa: C416
    "enumerate": lambda v: [at for at, _ in enumerate(v)],
    "zip": lambda v: list(zip(v, range(9), strict=False)),
    "map": lambda v: list(map(str, v)),
    "slice": lambda v: v[:1],
    "max": lambda v: max(v, key=str, default=None),
    "count": lambda v: v.count("x"),
    "reversed": lambda v: list(reversed(v)),
}
NEEDS_THE_VALUE = ("slice", "count", "reversed")


def _bucket(ctx: Any) -> Any:
    return ctx.resource("bucket", Bucket())


def _thing(ctx: Any) -> Any:
    return ctx.resource("bucket", Unstructured("storage.gcp.upbound.io/v1beta1", "Bucket"))


SEEN = samples.bucket(
    {"labels": TEXTS, "zones": LIST}, status={"tags": TEXTS, "extra": {"m": TEXTS, "l": LIST}, "names": LIST}
)
SEEN["metadata"] = {"labels": TEXTS, "annotations": TEXTS}
BARE = samples.bucket()
THERE = {"observed": {"bucket": SEEN}}
GONE = {"observed": {"bucket": BARE}}

# How to read a container that may still come, the request in which it is there, and the one in which it is gone.
COMING: dict[str, tuple[Callable[[Any], Any], dict[str, Any], dict[str, Any]]] = {
    "connection details": (
        lambda ctx: _bucket(ctx).observed.connection_details,
        {**GONE, "connection": {"bucket": {"a": b"1", "b": b"2"}}},
        GONE,
    ),
    "details of ctx.observed": (
        lambda ctx: (_bucket(ctx), ctx.observed["bucket"].connection_details)[1],
        {**GONE, "connection": {"bucket": {"a": b"1", "b": b"2"}}},
        GONE,
    ),
    "raw details": (
        lambda ctx: _bucket(ctx).observed.connection_details.raw,
        {**GONE, "connection": {"bucket": {"a": b"1", "b": b"2"}}},
        GONE,
    ),
    "labels": (lambda ctx: _bucket(ctx).observed.metadata.labels, THERE, {}),
    "annotations": (lambda ctx: _bucket(ctx).observed.metadata.annotations, THERE, {}),
    "a map": (lambda ctx: _bucket(ctx).observed.status.atProvider.tags, THERE, GONE),
    "a map of the spec": (lambda ctx: _bucket(ctx).observed.spec.forProvider.labels, THERE, GONE),
    "an object of any shape": (lambda ctx: _bucket(ctx).observed.status.atProvider.extra.m, THERE, GONE),
    "an object without a schema": (lambda ctx: _thing(ctx).observed.status.atProvider.tags, THERE, GONE),
    "labels without a schema": (lambda ctx: _thing(ctx).observed.metadata.labels, THERE, {}),
    "the composite's status": (
        lambda ctx: ctx.composite(Unstructured).observed.status.info,
        {"xr": samples.xr(status={"info": TEXTS})},
        {"xr": samples.xr()},
    ),
    "a list of the composite's status": (
        lambda ctx: ctx.composite(XStorageBucket).observed.status.names,
        {"xr": samples.xr(status={"names": LIST})},
        {"xr": samples.xr()},
    ),
    "a list": (lambda ctx: _bucket(ctx).observed.spec.forProvider.zones, THERE, GONE),
    "a list of any shape": (lambda ctx: _bucket(ctx).observed.status.atProvider.extra.l, THERE, GONE),
    "a list without a schema": (lambda ctx: _thing(ctx).observed.status.atProvider.names, THERE, GONE),
    "a list of ctx.observed": (
        lambda ctx: (_bucket(ctx), ctx.observed["bucket"].spec.forProvider.zones)[1],
        THERE,
        GONE,
    ),
    "a required resource's map": (
        lambda ctx: (ask(ctx), ctx.required_resources["vpcs"][0].status.tags)[1],
        {"required": {"vpcs": [{"apiVersion": VPC_API, "kind": "VPC", "status": {"tags": TEXTS}}]}},
        {"required": {"vpcs": [{"apiVersion": VPC_API, "kind": "VPC"}]}},
    ),
    "required resources": (
        lambda ctx: (ask(ctx), ctx.required_resources["vpcs"])[1],
        {"required": {"vpcs": [{"apiVersion": VPC_API, "kind": "VPC"}]}},
        {},
    ),
}
# What is known to be absent: how to read it, the request in which it is there, and the one in which it isn't.
KNOWN: dict[str, tuple[Callable[[Any], Any], dict[str, Any], dict[str, Any]]] = {
    "the composite's labels": (
        lambda ctx: ctx.composite(XStorageBucket).observed.metadata.labels,
        {"xr": {**samples.xr(), "metadata": {"name": "x", "labels": TEXTS}}},
        {},
    ),
    "a map of the composite's spec": (
        lambda ctx: ctx.composite(XStorageBucket).observed.spec.parameters.labels,
        {"xr": samples.xr({"labels": TEXTS})},
        {},
    ),
    "a list of the composite's spec": (
        lambda ctx: ctx.composite(XStorageBucket).observed.spec.parameters.zones,
        {"xr": samples.xr({"zones": LIST})},
        {},
    ),
    "labels of what exists": (lambda ctx: _bucket(ctx).observed.metadata.labels, THERE, GONE),
    "the context": (lambda ctx: ctx.context, {"context": TEXTS}, {}),
    "the environment": (
        lambda ctx: ctx.environment,
        {"context": {"apiextensions.crossplane.io/environment": TEXTS}},
        {},
    ),
    "credentials": (lambda ctx: ctx.credentials, {"credentials": {"a": {"k": b"1"}, "b": {"k": b"2"}}}, {}),
    "an empty answer to a requirement": (
        lambda ctx: (ask(ctx), ctx.required_resources["vpcs"])[1],
        {"required": {"vpcs": [{"apiVersion": VPC_API, "kind": "VPC"}]}},
        {"required": {"vpcs": []}},
    ),
}
# Without an answer to its requirements, Crossplane calls again before it does anything.
ANSWER = "required resources"
LISTS = {name for name in (*COMING, *KNOWN) if "list" in name or "requi" in name and "map" not in name}


def _uses(name: str) -> dict[str, Callable[[Any], Any]]:
    return LIST_USES if name in LISTS else MAPPING_USES


def _cases(containers: Mapping[str, Any]) -> list[Any]:
    return [
        pytest.param(container, use, id=f"{container}-{use}")
        for container in containers
        for use in _uses(container)
        if "requirement" not in container and container != "required resources" or use not in ("in", "count")
    ]  # no text is a resource


def _plain(value: Any) -> Any:
    """Return a container that is there as a dict or list."""
    if isinstance(value, Mapping):
        return dict(value)
    return list(value) if isinstance(value, list) else to_dict(value)


def _used(read: Callable[[Any], Any], use: Callable[[Any], Any], **request: Any) -> tuple[list[Any], Response]:
    """Run a function that registers `made` if what `use` gives isn't what it gives for something empty.

    Returns:
        What was given in the real run, and the answer. Empty if the use raised.
    """
    given: list[Any] = []

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        value = read(ctx)
        result = use(value)
        given.append(result)
        empty: Any = [] if isinstance(_shape, list) else {}
        if result != use(empty):
            ctx.resource("made", Unstructured("example.org/v1", "Made"))

    _shape: Any = LIST if any(use is one for one in LIST_USES.values()) else TEXTS
    answer = run(compose, **request)
    return given, answer


@pytest.mark.sample(50)
@pytest.mark.parametrize(("name", "use"), _cases({**COMING, **KNOWN}))
def test_what_is_there(name: str, use: str) -> None:
    """A container that is there answers as a dict or a list of the same content."""
    read, there, _ = COMING.get(name) or KNOWN[name]
    function = _uses(name)[use]
    compared = []

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        value = read(ctx)
        if use == "in" and name not in LISTS:
            compared.append((function(value), True))
        elif use in ("==", "!="):
            compared.append((function(value), use == "!="))
        else:
            compared.append((function(value), function(_plain(value))))

    assert not run(compose, **there).fatal
    assert compared[0][0] == compared[0][1]


@pytest.mark.sample(50)
@pytest.mark.parametrize(("name", "use"), _cases({key: one for key, one in COMING.items() if key != ANSWER}))
def test_what_is_gone(name: str, use: str) -> None:
    """What was made because a container was there isn't deleted when it is gone, or the call is Fatal."""
    read, there, gone = COMING[name]
    function = _uses(name)[use]
    given, answer = _used(read, function, **there)
    assert not answer.fatal
    if "made" not in answer.emitted:  # this use gives the same for something empty
        pytest.fail("the samples must differ from something empty")
    made = {"made": answer.emitted["made"]}
    _, answer = _used(read, function, **{**gone, "observed": {**gone.get("observed", {}), **made}})
    assert answer.fatal or "made" in answer.resources, given


@pytest.mark.sample(50)
@pytest.mark.parametrize(("name", "use"), _cases(COMING))
def test_what_is_not_there_yet(name: str, use: str) -> None:
    """Before it has come, it is empty, or the use is one that needs the value, and says how to write it."""
    read, _, gone = COMING[name]
    function = _uses(name)[use]
    given, answer = _used(read, function, **gone)
    if use in NEEDS_THE_VALUE:
        assert all("crossplane_lite.apply(function, value)" in text for text in answer.fatal)
    else:
        assert not answer.fatal
        assert given[0] == function([] if name in LISTS else {})


@pytest.mark.sample(40)
@pytest.mark.parametrize(("name", "use"), _cases(KNOWN))
def test_what_is_known_to_be_absent(name: str, use: str) -> None:
    """It answers as something empty, and code follows: what was made while it was there goes."""
    read, there, absent = KNOWN[name]
    function = _uses(name)[use]
    _, answer = _used(read, function, **there)
    made = {"made": answer.emitted["made"]}
    given, answer = _used(read, function, **{**absent, "observed": {**absent.get("observed", {}), **made}})
    assert not answer.fatal
    assert given[0] == function([] if name in LISTS else {})
    assert "made" not in answer.resources


@pytest.mark.parametrize("name", COMING)
def test_text_of_what_may_come(name: str) -> None:
    """JSON of a container that may come waits for it."""
    read, there, gone = COMING[name]
    if name in ("raw details", "required resources"):
        return  # bytes and resources are no JSON

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        ctx.resource("made", Unstructured("v1", "Made", spec={"json": json_dumps(read(ctx))}))

    assert run(compose, **there).resources["made"]["spec"]["json"]
    assert "made" not in run(compose, **gone).resources
