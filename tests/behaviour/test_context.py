"""What the context offers (design section 6)."""

from __future__ import annotations

import asyncio
import copy
import datetime
import logging
import pickle
from collections.abc import Callable
from typing import Any

import attrs
import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from crossplane_lite import composition
from crossplane_lite.errors import CrossplaneLiteError, UsageError
from tests.behaviour import samples
from tests.behaviour.models import VPC, Bucket, ForProvider, XStorageBucket
from tests.support import ALL_CAPABILITIES, DEFAULT_XR, Response, build, call, run

# --- what the request carries ------------------------------------------------------------------------------------


def test_credentials() -> None:
    """Credentials are bytes by name and key."""

    def compose(ctx: Any) -> None:
        assert ctx.credentials["cloud"]["token"] == b"\xff secret"
        assert set(ctx.credentials) == {"cloud"}

    call(compose, credentials={"cloud": {"token": b"\xff secret", "user": b"u"}})


def test_input_is_a_dict() -> None:
    """The input reads as plain data."""

    def compose(ctx: Any) -> None:
        assert ctx.input["region"] == "r"
        assert ctx.input == {"region": "r", "deep": {"list": [1, None, 2.5]}}

    call(compose, input={"region": "r", "deep": {"list": [1, None, 2.5]}})


@attrs.define
class Zone:
    """A part of the input."""

    name: str
    weight: int = 1


@attrs.define
class Input:
    """The input of a function."""

    region: str
    zones: list[Zone] = attrs.Factory(list)
    public: bool = False


def test_input_as_a_class() -> None:
    """The input can be structured into an attrs class."""

    def compose(ctx: Any) -> None:
        value = ctx.input_as(Input)
        assert value == Input(region="r", zones=[Zone("a", 2), Zone("b")])
        assert type(value.zones[0].weight) is int

    call(compose, input={"region": "r", "zones": [{"name": "a", "weight": 2}, {"name": "b"}]})


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"region": "r", "regoin": "x"}, ["regoin"]),
        ({"region": "r", "zones": [{"name": "a"}, {"name": "b", "wieght": 1}]}, ["zones[1]", "wieght"]),
        ({"region": "r", "zones": [{"weight": 1}]}, ["zones[0]", "name"]),
        ({"zones": []}, ["region"]),
        ({"region": "r", "zones": [{"name": "a", "weight": "heavy"}]}, ["zones[0].weight"]),
    ],
)
def test_errors_in_the_input_have_their_path(value: dict[str, Any], words: list[str]) -> None:
    """Unknown keys, missing ones and wrong types of the input are errors that say where."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.input_as(Input)

    answer = run(compose, input=value)
    assert len(answer.fatal) == 1
    assert all(word in answer.fatal[0] for word in words), answer.fatal


def test_every_error_of_the_input_is_reported() -> None:
    """Several errors in the input are all in the one result."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.input_as(Input)

    (text,) = run(compose, input={"regoin": "x", "zones": [{"name": "a", "wieght": 1}]}).fatal
    assert "regoin" in text
    assert "zones[0]" in text


def test_context_reads_and_writes() -> None:
    """Context entries read as plain data; written ones go out, untouched ones pass through."""

    def compose(ctx: Any) -> None:
        assert ctx.context["a"] == {"b": [1, None]}
        assert ctx.context.get("missing") is None
        assert "a" in ctx.context
        ctx.context["new"] = {"x": [1, "y", True, 2.5]}
        ctx.context["changed"] = "after"
        del ctx.context["gone"]

    _, answer = call(compose, context={"a": {"b": [1, None]}, "changed": "before", "gone": 1, "kept": [None]})
    assert answer.context == {
        "a": {"b": [1, None]},
        "changed": "after",
        "kept": [None],
        "new": {"x": [1, "y", True, 2.5]},
    }


def test_the_context_is_a_mapping() -> None:
    """Its keys, length and repr are those of what was there and what was set; a deleted key is missing."""

    def compose(ctx: Any) -> None:
        ctx.context["new"] = 3
        del ctx.context["gone"]
        assert sorted(ctx.context) == ["kept", "new"]
        assert len(ctx.context) == 2
        assert dict(ctx.context) == {"kept": 1, "new": 3}
        assert repr(ctx.context) in ("{'kept': 1.0, 'new': 3}", "{'kept': 1, 'new': 3}")
        for missing in ("gone", "never"):
            with pytest.raises(KeyError, match=missing):
                del ctx.context[missing]
            with pytest.raises(KeyError, match=missing):
                ctx.context[missing]

    _, answer = call(compose, context={"kept": 1, "gone": 2})
    assert answer.context == {"kept": 1, "new": 3}


def test_a_context_entry_is_replaced_and_not_merged() -> None:
    """Setting a context entry puts the new value in the place of the old one, as in a dict."""

    def compose(ctx: Any) -> None:
        ctx.context["a"] = {"new": 1}
        ctx.context["b"] = {}

    _, answer = call(compose, context={"a": {"old": 1}, "b": {"old": 1}, "c": {"old": 1}})
    assert answer.context == {"a": {"new": 1}, "b": {}, "c": {"old": 1}}


def test_environment() -> None:
    """The environment is the context entry that Crossplane puts it in."""

    def compose(ctx: Any) -> None:
        assert ctx.environment["region"] == "r"

    call(compose, context={"apiextensions.crossplane.io/environment": {"region": "r"}})


def test_no_environment_is_an_empty_one() -> None:
    """Without an environment there is an empty one, and reading it adds no context."""

    def compose(ctx: Any) -> None:
        assert dict(ctx.environment) == {}

    assert not call(compose)[1].context


def test_output() -> None:
    """What is put into the output goes into the answer; nothing put in leaves it absent."""

    def compose(ctx: Any) -> None:
        ctx.output["a"] = {"b": 1}

    assert call(compose)[1].output == {"a": {"b": 1}}
    assert not call(lambda ctx: None)[1].message.HasField("output")


@pytest.mark.parametrize("seconds", [0, 1, 300, 0.5])
def test_ttl(seconds: float) -> None:
    """The TTL that compose() sets is in the answer."""

    def compose(ctx: Any) -> None:
        assert ctx.ttl is None
        ctx.ttl = datetime.timedelta(seconds=seconds)

    _, answer = call(compose)
    assert answer.ttl == seconds
    assert answer.message.meta.HasField("ttl")


def test_the_ttl_of_the_function() -> None:
    """The function's own TTL is in each answer, unless compose() sets one."""

    @composition.function(ttl=datetime.timedelta(minutes=5))
    def compose(ctx: Any) -> None:
        assert ctx.ttl == datetime.timedelta(minutes=5)
        if ctx.composite(XStorageBucket).observed.metadata.name == "other":
            ctx.ttl = datetime.timedelta(seconds=7)

    assert run(compose).ttl == 300
    assert run(compose, xr={**DEFAULT_XR, "metadata": {"name": "other"}}).ttl == 7


@pytest.mark.parametrize("ttl", [60, "1m", datetime.timedelta(seconds=-1), datetime.timedelta.max])
def test_a_wrong_ttl(ttl: Any) -> None:
    """The function's TTL must be a timedelta that isn't negative."""
    with pytest.raises(UsageError, match="timedelta"):
        composition.function(ttl=ttl)(lambda ctx: None)


def test_capabilities() -> None:
    """Capabilities can be asked for by name."""

    def compose(ctx: Any) -> list[bool]:
        return [name in ctx.capabilities for name in ALL_CAPABILITIES]

    assert call(compose)[0] == [True] * 5
    assert call(compose, capabilities=[])[0] == [False] * 5
    assert call(compose, capabilities=ALL_CAPABILITIES[:1])[0] == [True, False, False, False, False]


def test_request_is_the_raw_message() -> None:
    """The raw request message can be read."""

    def compose(ctx: Any) -> None:
        assert ctx.request.meta.tag == "my-tag"
        assert ctx.request.observed.composite.resource["kind"] == "XStorageBucket"

    call(compose, tag="my-tag")


def test_resources_are_those_registered() -> None:
    """`ctx.resources` has what this call registered, by name."""

    def compose(ctx: Any) -> None:
        assert len(ctx.resources) == 0
        bucket = ctx.resource("bucket", Bucket())
        assert ctx.resources["bucket"] is bucket
        assert list(ctx.resources) == ["bucket"]

    call(compose, desired={"earlier": samples.bucket()})


def test_desired_is_what_earlier_functions_want() -> None:
    """`ctx.desired` reads previous functions' resources."""

    def compose(ctx: Any) -> None:
        assert set(ctx.desired) == {"earlier", "bucket"}
        assert ctx.desired["earlier"].spec.forProvider.region == "r"
        assert ctx.desired["earlier"].kind == "VPC"

    call(compose, desired={"earlier": samples.vpc({"region": "r"}), "bucket": samples.bucket()})


def test_log(caplog: pytest.LogCaptureFixture) -> None:
    """`ctx.log` is a logger."""

    def compose(ctx: Any) -> None:
        ctx.log.info("composing %s", "things")

    with caplog.at_level(logging.DEBUG):
        call(compose)
    assert "composing things" in caplog.text


def test_the_composite_can_be_asked_for_again() -> None:
    """Asking for the composite twice gives one composite."""

    def compose(ctx: Any) -> None:
        ctx.composite(XStorageBucket).status.x = "1"
        ctx.composite(XStorageBucket).status.y = "2"

    assert call(compose)[1].composite["status"] == {"x": "1", "y": "2"}


# --- the function ------------------------------------------------------------------------------------------------


def test_compose_may_be_async() -> None:
    """An `async def` function works like a plain one, exceptions included."""

    @composition.function(name="async")
    async def compose(ctx: Any) -> None:
        await asyncio.sleep(0)
        vpc = ctx.resource("vpc", VPC())
        bucket = ctx.resource("bucket", Bucket())
        bucket.spec.forProvider.project = f"x-{vpc.observed.status.atProvider.vpcId}"

    assert list(run(compose).resources) == ["vpc"]
    answer = run(compose, observed={"vpc": samples.vpc(status={"vpcId": "v"})})
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"project": "x-v"}

    @composition.function
    async def failing(ctx: Any) -> None:
        await asyncio.sleep(0)
        raise ValueError("boom")

    assert "boom" in run(failing).fatal[0]


def test_an_async_compose_inside_a_running_event_loop() -> None:
    """Called with messages from inside a running event loop, as by another runtime, an `async def` function works."""

    @composition.function
    async def compose(ctx: Any) -> None:
        await asyncio.sleep(0)
        vpc = ctx.resource("vpc", VPC())
        bucket = ctx.resource("bucket", Bucket())
        bucket.spec.forProvider.project = f"x-{vpc.observed.status.atProvider.vpcId}"
        ctx.composite(XStorageBucket).status.x = "1"
        if ctx.input:
            raise ValueError("boom")

    async def serve(**kwargs: Any) -> Response:
        rsp = fnv1.RunFunctionResponse()
        compose(build(**kwargs), rsp)
        await asyncio.sleep(0)
        return Response(rsp.SerializeToString())

    async def several() -> Any:
        found = {"vpc": samples.vpc(status={"vpcId": "v"})}
        return await asyncio.gather(serve(), serve(observed=found), serve(input={"a": "b"}))

    waiting, answer, failed = asyncio.run(several())
    assert list(waiting.resources) == ["vpc"]
    assert "bucket waits for vpc.status.atProvider.vpcId" in waiting.conditions["DependenciesResolved"][2]
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"project": "x-v"}
    assert answer.composite["status"] == {"x": "1"}
    assert "ValueError: boom" in failed.texts
    assert list(failed.resources) == ["vpc"]


@pytest.mark.slow
def test_calls_do_not_share_state() -> None:
    """Concurrent calls keep their Observables, results and guesses apart."""
    from concurrent.futures import ThreadPoolExecutor

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        bucket = ctx.resource(f"bucket-{ctx.input['n']}", Bucket())
        bucket.spec.forProvider.project = f"{ctx.input['n']}-{vpc.observed.status.atProvider.vpcId}"
        ctx.results.normal(f"call {ctx.input['n']} for {vpc.observed.status.atProvider.vpcId}")

    def one(n: int) -> bool:
        found = {"vpc": samples.vpc(status={"vpcId": "v"})} if n % 2 else None
        answer = run(compose, input={"n": str(n)}, observed=found)
        value = "v" if n % 2 else "vpc.status.atProvider.vpcId"
        assert ("normal", f"call {n} for {value}") in answer.results
        assert (f"bucket-{n}" in answer.resources) is bool(n % 2)
        return True

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(one, range(200)))


# --- wrong use ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "use",
    [
        lambda ctx: ctx.resource("", Bucket()),
        lambda ctx: ctx.resource("x", {"spec": {}}),
        lambda ctx: ctx.resource("x", ForProvider()),
    ],
)
def test_wrong_use_of_resource_is_an_error(use: Callable[[Any], Any]) -> None:
    """What can't be registered raises an error of the package."""

    def compose(ctx: Any) -> None:
        with pytest.raises(CrossplaneLiteError):
            use(ctx)

    call(compose)


# --- after the call ----------------------------------------------------------------------------------------------


def test_a_context_that_was_kept() -> None:
    """Whoever keeps the context has what compose() made in it after the call, too."""
    kept: list[Any] = []

    def compose(ctx: Any) -> None:
        kept.append(ctx)
        kept.append(ctx.composite(XStorageBucket))
        ctx.resource("bucket", Bucket())
        ctx.results.normal("done")
        ctx.conditions.set("Done", True, "Done")
        ctx.output["a"] = 1
        ctx.context["b"] = 2
        ctx.requirements.resources["vpcs"] = composition.ResourceSelector(api_version="a/v1", kind="A")

    call(compose)
    ctx, composite = kept
    assert list(ctx.resources) == ["bucket"]
    assert ctx.composite(XStorageBucket) is composite
    assert (len(ctx.results), "Done" in ctx.conditions) == (1, True)
    assert (ctx.output, ctx.context["b"], list(ctx.requirements.resources)) == ({"a": 1}, 2, ["vpcs"])


def test_copies_of_what_belongs_to_a_call() -> None:
    """Copies and pickles of what belongs to a call can be made; elsewhere they belong to no call."""

    def compose(ctx: Any) -> None:
        found = ctx.required_resources.get("vpcs", VPC)
        assert copy.deepcopy(found)[0].spec.forProvider.region == "EU"
        assert pickle.loads(pickle.dumps(found))[0].spec.forProvider.region == "EU"
        assert copy.deepcopy(ctx.composite(XStorageBucket).observed) == ctx.composite(XStorageBucket).observed

    call(compose, required={"vpcs": [samples.vpc({"region": "EU"})]})


def test_names_of_functions() -> None:
    """A name says whose a condition is: it has no comma, and no colon before a space."""
    for name in ("", "a,b", "a: b"):
        with pytest.raises(CrossplaneLiteError, match="a name must be a non-empty string"):
            composition.function(name=name)(lambda ctx: None)
    assert composition.function(name="a:b")(lambda ctx: None).name == "a:b"
