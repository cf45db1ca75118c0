"""`Function.dependencies`: what compose() shows for a request, and that nothing else comes of it."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite import Unstructured, apply, composition
from crossplane_lite.errors import WireError
from tests.behaviour.models import Bucket
from tests.behaviour.test_usages import EVERY_NAME, VALUES, everything
from tests.behaviour.usages_models import XStorageBucket, existing
from tests.support import Response, build, request, run, to_plain

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)

CONFIG = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "config"},
    "data": {"region": "eu", "zones": ["a", "b"], "count": "2", "on": True},
}


def shown(body: Callable[[Any], Any], options: dict[str, Any] | None = None, **kwargs: Any) -> list[tuple[str, ...]]:
    """Return the dependencies of `body(ctx)` for a request."""
    return [tuple(one) for one in composition.function(**(options or {}))(body).dependencies(request(**kwargs))]


def chain(ctx: Any) -> None:
    """`b` needs `a` after it; `c` reads a field of the composite that is set from `b`."""
    xr = ctx.composite(XStorageBucket)
    a = ctx.resource("a", Bucket())
    b = ctx.resource("b", Bucket(), depends_on=[a])
    b.spec.forProvider.location = f"x-{a.observed.status.atProvider.id}"
    xr.status.values = {"url": b.observed.status.atProvider.url}
    c = ctx.resource("c", Bucket())
    c.spec.forProvider.location = xr.observed.status.values["url"]


CHAIN = [
    ("b", "a", "a"),
    ("b", "a", "a.status.atProvider.id"),
    ("c", "xr.status.values.url", 'xr.status.values["url"]'),
    ("xr.status.values.url", "b", "b.status.atProvider.url"),
]


@pytest.mark.parametrize("names", [(), ("a",), ("a", "b"), ("a", "b", "c")])
def test_the_same_whatever_exists(names: tuple[str, ...]) -> None:
    """A dependency is there before its value has come, and afterwards."""
    assert shown(chain, **existing(*names).request) == CHAIN


def test_status_of_the_composite_that_has_its_value() -> None:
    """A field of the composite is passed through also where it is observed."""
    xr = {**existing().xr, "status": {"values": {"url": "https://b"}}}
    assert shown(chain, **{**existing("a", "b", "c").request, "xr": xr}) == CHAIN


@pytest.mark.parametrize("value", VALUES)
def test_every_kind_of_value(value: str) -> None:
    """Whatever a value goes through, its dependencies are those of which Usages are made."""
    make = VALUES[value]
    count = make.__code__.co_argcount

    def compose(ctx: Any) -> None:
        needed = [ctx.resource(name, Bucket()) for name in "abc"[:count]]
        ctx.resource("z", Unstructured("example.org/v1", "Thing")).spec.value = make(*needed)

    for observed in ((), "abc"[:count]):
        found = shown(compose, **existing(*observed).request)
        assert {edge[:2] for edge in found} == {("z", name) for name in "abc"[:count]}


def test_everything_at_once() -> None:
    """What the function that shows every kind of edge has Usages for is among its dependencies."""
    function = composition.function(name="step")(everything)
    before = function.dependencies(request(**existing().request))
    assert function.dependencies(request(**existing(*EVERY_NAME).request)) == before
    assert len(before) > len(EVERY_NAME)


def test_nothing() -> None:
    """What takes everything from the composite's spec has no dependencies."""

    def compose(ctx: Any) -> None:
        ctx.resource("a", Bucket()).spec.forProvider.location = "eu"

    assert shown(compose) == []


def test_reading_oneself() -> None:
    """A resource that initialises a field late from itself, and a status that keeps its value, depend on nobody."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        xr.status.values = {"x": xr.observed.status.values["x"]}
        a = ctx.resource("a", Bucket())
        a.spec.forProvider.location = a.observed.spec.forProvider.location

    assert shown(compose) == []


def test_cycles() -> None:
    """What can never be resolved is shown like anything else."""

    def compose(ctx: Any) -> None:
        a, b = (ctx.resource(name, Bucket()) for name in "ab")
        a.spec.forProvider.location = b.observed.external_name
        b.spec.forProvider.location = a.observed.external_name

    assert shown(compose) == [("a", "b", "b.external_name"), ("b", "a", "a.external_name")]


# --- fields of the composite -------------------------------------------------------------------------------------


def test_fields_are_told_apart() -> None:
    """Who reads one field of the composite depends on no other field."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        a, b, c = (ctx.resource(name, Bucket()) for name in "abc")
        xr.status.values = {"a": a.observed.external_name, "b": b.observed.external_name}
        c.spec.forProvider.location = xr.observed.status.values["a"]

    assert shown(compose) == [
        ("c", "xr.status.values.a", 'xr.status.values["a"]'),
        ("xr.status.values.a", "a", "a.external_name"),
        ("xr.status.values.b", "b", "b.external_name"),
    ]


def test_a_field_that_is_set_whole() -> None:
    """Who reads below a field of the composite that is set as a whole depends on that field."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        a, b = (ctx.resource(name, Bucket()) for name in "ab")
        xr.status.owner = a.observed.status.atProvider.owner
        b.spec.forProvider.location = xr.observed.status.owner.name

    assert shown(compose) == [
        ("b", "xr.status.owner", "xr.status.owner.name"),
        ("xr.status.owner", "a", "a.status.atProvider.owner"),
    ]


def test_a_field_of_another_step() -> None:
    """A field of the composite that this function doesn't set is shown as it is read."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        ctx.resource("a", Bucket()).spec.forProvider.location = xr.observed.status.network.id

    assert shown(compose) == [("a", "xr.status.network.id", "xr.status.network.id")]


def test_connection_details() -> None:
    """Connection details of the composite are among its fields."""

    def compose(ctx: Any) -> None:
        a = ctx.resource("a", Bucket())
        ctx.composite(XStorageBucket).connection_details["password"] = a.observed.connection_details["password"]

    expected = [("xr.connection_details.password", "a", 'a.connection_details["password"]')]
    assert shown(compose) == shown(compose, **existing("a").request) == expected


# --- required resources ------------------------------------------------------------------------------------------


def configured(ctx: Any) -> None:
    """Everything is made as a required resource says; another is asked for by the name of what is made."""
    select = composition.ResourceSelector
    wanted = ctx.requirements.resources
    wanted["config"] = select(api_version="v1", kind="ConfigMap", match_name="config")
    config = ctx.required_resources["config"][0]
    if config.data.on:
        for zone in config.data.zones:
            a = ctx.resource(f"a-{zone}", Bucket())
            a.spec.forProvider.location = f"{config.data.region}-{zone}"
        b = ctx.resource("b", Bucket())
        b.spec.forProvider.location = a.observed.external_name
        wanted[f"by {b.name}"] = select(api_version="v1", kind="ConfigMap", match_name=b.observed.external_name)


def test_required_resource_that_is_found() -> None:
    """Values of a required resource are dependencies though they are there, and the path taken is the real one."""
    found = shown(configured, required={"config": [CONFIG]}, **existing("b").request)
    assert found == [
        ("a-a", "required.config", "required.config[0].data.region"),
        ("a-a", "required.config", "required.config[0].data.zones[0]"),
        ("a-b", "required.config", "required.config[0].data.region"),
        ("a-b", "required.config", "required.config[0].data.zones[1]"),
        ("b", "a-b", "a-b.external_name"),
        ("required.by b", "b", "b.external_name"),
    ]


def test_required_resource_that_is_missing() -> None:
    """What waits for a required resource that doesn't exist, or hasn't come yet, depends on it."""

    def compose(ctx: Any) -> None:
        ctx.requirements.resources["config"] = composition.ResourceSelector(api_version="v1", kind="C", match_name="c")
        ctx.resource("a", Bucket()).spec.forProvider.location = ctx.required_resources["config"][0].data.region

    expected = [("a", "required.config", "required.config[0].data.region")]
    assert shown(compose) == shown(compose, required={"config": []}) == expected
    assert shown(compose, required={"config": [CONFIG]}) == expected
    assert shown(compose, extra={"config": [CONFIG]}, capabilities=()) == expected


def test_questions_about_required_values() -> None:
    """Branches that the required resources don't lead to make no dependency of values that are there."""

    def compose(ctx: Any) -> None:
        config = ctx.required_resources["config"][0].data
        a = ctx.resource("a", Bucket()).spec.forProvider
        a.location = config.region if config.count == "2" and int(config.count) < 3 else config.other

    assert shown(compose, required={"config": [CONFIG]}) == [
        ("a", "required.config", "required.config[0].data.region"),
    ]


def test_questions_about_other_values() -> None:
    """A question about a missing value of another resource hides no dependency on a required resource's value."""

    def compose(ctx: Any) -> None:
        other = ctx.resource("other", Bucket())
        if not other.observed.external_name:
            region = ctx.required_resources["config"][0].data.region
            ctx.resource("a", Bucket()).spec.forProvider.location = region

    assert shown(compose, required={"config": [CONFIG]}) == [
        ("a", "required.config", "required.config[0].data.region"),
    ]


# --- what goes wrong, and what must not come of it ---------------------------------------------------------------


def test_compose_that_raises() -> None:
    """What was shown before compose() raised is there."""

    def compose(ctx: Any) -> None:
        chain(ctx)
        raise ValueError("so it ends")

    assert shown(compose) == CHAIN
    assert shown(compose, **existing("a", "b", "c").request) == CHAIN


def test_compose_that_exits() -> None:
    """Not even sys.exit() in compose() ends the caller."""

    def compose(ctx: Any) -> None:
        chain(ctx)
        raise SystemExit(3)

    assert shown(compose) == CHAIN


def test_asynchronous() -> None:
    """An `async def` compose() is waited for."""

    async def compose(ctx: Any) -> None:
        chain(ctx)

    assert shown(compose) == CHAIN


def test_operation() -> None:
    """In an Operation, which has no composite, dependencies are found as well."""

    def compose(ctx: Any) -> None:
        a, b = (ctx.resource(name, Bucket()) for name in "ab")
        b.spec.forProvider.location = a.observed.external_name

    message = build()
    message.observed.Clear()
    found = composition.function()(compose).dependencies(message.SerializeToString())
    assert [tuple(one) for one in found] == [("b", "a", "a.external_name")]


def test_malformed() -> None:
    """Bytes that are no request are refused as in a call."""
    with pytest.raises(WireError, match="not a RunFunctionRequest"):
        composition.function()(chain).dependencies(b"\xff\xff")


def test_computed_values_and_keys() -> None:
    """Paths and keys that are made from values show the values, and where there are none their paths."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        a, b = (ctx.resource(name, Bucket()) for name in "ab")
        xr.status.values = {f"of {a.observed.external_name}": b.observed.status.atProvider.url}
        b.spec.forProvider.location = a.observed.status.atProvider.tags[f"{a.observed.external_name}"]
        b.spec.forProvider.project = apply(str.upper, a.observed.external_name)

    ends = {edge[:2] for edge in shown(compose)}
    assert ends == {('xr.status.values["of a.external_name"]', name) for name in "ab"} | {("b", "a")}
    paths = {edge[2] for edge in shown(compose)}
    assert 'a.status.atProvider.tags["a.external_name"]' in paths
    assert {"a.external_name", "b.status.atProvider.url"} < paths


def test_always_the_same() -> None:
    """The same request has the same dependencies, in the same order."""
    function = composition.function()(configured)
    data = request(required={"config": [CONFIG]})
    assert function.dependencies(data) == function.dependencies(data)


@pytest.mark.slow
@SETTINGS
@given(st.sets(st.sampled_from(sorted(EVERY_NAME))))
def test_no_trace_in_answers(names: set[str]) -> None:
    """An answer is the same whether the dependencies were asked for before or not."""
    function = composition.function(name="step")(everything)
    kwargs = existing(*names).request
    before = run(function, **kwargs)
    function.dependencies(request(**kwargs))
    after = run(function, **kwargs)
    assert plain(after) == plain(before)


def plain(answer: Response) -> Any:
    """Return an answer as plain values, in which the order of map entries doesn't count."""
    message = answer.message
    return answer.emitted, answer.results, answer.conditions, to_plain(message.context), answer.composite


def test_no_log_lines(caplog: pytest.LogCaptureFixture) -> None:
    """Neither the context's log nor the root logger gets lines of these runs."""

    def compose(ctx: Any) -> None:
        ctx.log.warning("said by the context")
        logging.getLogger().warning("said by compose()")
        chain(ctx)

    function = composition.function()(compose)
    function.dependencies(request())
    assert caplog.messages == []
    function.run(request())
    assert {"said by the context", "said by compose()"} <= set(caplog.messages)


def test_within_a_call() -> None:
    """A call that is going on isn't disturbed when another function's dependencies are asked for in it."""
    inner = composition.function()(chain)

    def compose(ctx: Any) -> None:
        a, b = (ctx.resource(name, Bucket()) for name in "ab")
        text = f"{a.observed.external_name}"
        inner.dependencies(request())
        b.spec.forProvider.location = text

    answer = run(composition.function()(compose))
    assert set(answer.resources) == {"a"}
    assert "b waits for a.external_name" in answer.texts


def test_secrets() -> None:
    """A path or a field that is made from a connection detail shows no secret."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        a, b = (ctx.resource(name, Bucket()) for name in "ab")
        password = a.observed.connection_details["password"]
        xr.status.values = {f"of {password}": b.observed.status.atProvider.url}
        b.spec.forProvider.location = a.observed.status.atProvider.tags[f"{password}"]

    found = shown(compose, **existing("a").request)
    assert "secret-of-a" not in str(found)
    assert 'a.status.atProvider.tags["[secret]"]' in {path for _, _, path in found}


def test_calls_don_t_pay() -> None:
    """A process that answers calls has imported nothing of this."""
    program = (
        "import sys\n"
        "from crossplane_lite import composition\n"
        "from tests.support import request\n"
        "composition.function(lambda ctx: None).run(request())\n"
        "print([name for name in sys.modules if name.endswith(('waits.dependencies', 'waits.rehearse'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"


def test_export() -> None:
    """The type can be had from the module of the decorator."""
    assert composition.Dependency("a", "b", "c") == ("a", "b", "c")
