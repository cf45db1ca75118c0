"""What the caller supports, and what happens to uses of what it doesn't (function-capabilities; design section 6)."""

from __future__ import annotations

import gc
import logging
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import composition
from crossplane_lite.errors import CrossplaneLiteError, UsageError
from tests.behaviour import samples
from tests.behaviour.helpers import CONDITION, ask
from tests.behaviour.models import VPC, Bucket
from tests.support import ALL_CAPABILITIES, call, run, with_conditions


def without(*missing: str) -> list[str]:
    """Return what a caller advertises that supports everything but these."""
    return [capability for capability in ALL_CAPABILITIES if capability.removeprefix("CAPABILITY_") not in missing]


# What callers advertise: everything but the capability in question; everything; nothing at all.
STATES: dict[str, Callable[[str], list[str]]] = {
    "lacks it": without,
    "has it": lambda capability: list(ALL_CAPABILITIES),
    "says nothing": lambda capability: [],
}


# --- the capabilities themselves ---------------------------------------------------------------------------------


def test_three_states() -> None:
    """Advertised, known to be missing, and unknown because the caller advertises nothing, are told apart."""

    def compose(ctx: Any) -> Any:
        capabilities = ctx.capabilities
        return capabilities.advertised, capabilities.has("CONDITIONS"), capabilities.lacks("CONDITIONS")

    assert call(compose)[0] == (True, True, False)
    assert call(compose, capabilities=without("CONDITIONS"))[0] == (True, False, True)
    assert call(compose, capabilities=[])[0] == (False, False, False)
    # Without the first one, nothing can be said of the others.
    assert call(compose, capabilities=without("CAPABILITIES", "CONDITIONS"))[0] == (False, False, False)


@pytest.mark.parametrize("name", ["CAPABILITY_REQUIRED_SCHEMAS", "REQUIRED_SCHEMAS", 5])
def test_names_of_capabilities(name: Any) -> None:
    """A capability may be named with and without its prefix, and by its number."""

    def compose(ctx: Any) -> Any:
        assert (name in ctx.capabilities) is ctx.capabilities.has(name)
        return ctx.capabilities.has(name), ctx.capabilities.lacks(name)

    assert call(compose)[0] == (True, False)
    assert call(compose, capabilities=without("REQUIRED_SCHEMAS"))[0] == (False, True)


@pytest.mark.parametrize("name", [0, 99, None, 1.5])
def test_what_is_no_capability(name: Any) -> None:
    """What is no capability isn't advertised."""

    def compose(ctx: Any) -> Any:
        return ctx.capabilities.has(name)

    assert call(compose)[0] is False


def test_a_capability_that_came_later() -> None:
    """A capability that this version doesn't know is found by its number."""
    from tests.support import Response, build

    req = build()
    seen: list[Any] = []

    @composition.function
    def compose(ctx: Any) -> None:
        seen.append((ctx.capabilities.has(77), ctx.capabilities.lacks(78), "CAPABILITY_77" in ctx.capabilities))

    data = req.SerializeToString() + b"\x0a\x03\x12\x01\x4d"  # meta.capabilities, one more: 77
    assert not Response(compose.run(data)).fatal
    assert seen == [(True, True, True)]


@pytest.mark.parametrize("name", [4, "4", "CAPABILITY_4", "CONDITIONS", "CAPABILITY_CONDITIONS"])
def test_names_of_one_capability(name: Any) -> None:
    """A capability is found by its name and by its number, also where the number is a string."""

    def compose(ctx: Any) -> Any:
        return ctx.capabilities.has(name), ctx.capabilities.lacks(name)

    assert call(compose)[0] == (True, False)
    assert call(compose, capabilities=without("CONDITIONS"))[0] == (False, True)


def test_falling_back() -> None:
    """A function can ask only those that support it, and do without otherwise."""

    @composition.function
    def compose(ctx: Any) -> None:
        if ctx.capabilities.has("REQUIRED_SCHEMAS"):
            ctx.schema("v1", "Pod")

    assert run(compose).requirements.schemas
    for state in ("lacks it", "says nothing"):
        answer = run(compose, capabilities=STATES[state]("REQUIRED_SCHEMAS"))
        assert not answer.requirements.schemas
        assert not answer.results
        assert not answer.conditions


# --- uses of what the caller doesn't support ---------------------------------------------------------------------


def _asks(ctx: Any) -> None:
    for key in ("a", "b"):
        ask(ctx, key, match_name="x")


def _asks_for_schemas(ctx: Any) -> None:
    ctx.schema("v1", "Pod")
    ctx.requirements.schemas["x"] = composition.SchemaSelector(api_version="v1", kind="Secret")


def _validates(ctx: Any) -> None:
    for model in (ctx.resource("bucket", Bucket()), ctx.resource("vpc", VPC())):
        assert ctx.schema(model.apiVersion, model.kind).validate(model) == []


def _reads_credentials(ctx: Any) -> None:
    assert ctx.credentials.get("cloud") is None
    assert not ctx.credentials


def _sets_conditions(ctx: Any) -> None:
    ctx.conditions.set("DatabaseReady", True, "Ready")
    ctx.conditions.set("BucketReady", False, "Waiting", "A text.")


USES: dict[str, tuple[str, str, Callable[[Any], None]]] = {
    "resources": ("REQUIRED_RESOURCES", "required resources", _asks),
    "schemas": ("REQUIRED_SCHEMAS", "required schemas", _asks_for_schemas),
    "validation": ("REQUIRED_SCHEMAS", "required schemas", _validates),
    "credentials": ("CREDENTIALS", "credentials", _reads_credentials),
    "conditions": ("CONDITIONS", "conditions", _sets_conditions),
}


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("use", USES)
def test_uses_are_reported(use: str, state: str, caplog: pytest.LogCaptureFixture) -> None:
    """A use of what the caller is known not to support is logged once in a call, any other isn't."""
    capability, words, body = USES[use]
    compose = composition.function(name="step")(body)
    with caplog.at_level(logging.WARNING, logger="crossplane_lite"):
        answer = run(compose, capabilities=STATES[state](capability))
    assert not answer.fatal
    logged = [record.getMessage() for record in caplog.records]
    # Schemas came with the capabilities themselves: who advertises none doesn't have them.
    known = state == "lacks it" or (state == "says nothing" and capability == "REQUIRED_SCHEMAS")
    assert len(logged) == known
    assert all(f"doesn't support {words}, which compose() uses" in text for text in logged)


@pytest.mark.parametrize("capability", ["REQUIRED_RESOURCES", "REQUIRED_SCHEMAS"])
def test_requirements_are_reported_in_the_condition_too(capability: str) -> None:
    """People see in the composite's condition which requirements a caller can't answer."""
    body = {"REQUIRED_RESOURCES": _asks, "REQUIRED_SCHEMAS": _asks_for_schemas}[capability]
    keys = {"REQUIRED_RESOURCES": ["a", "b"], "REQUIRED_SCHEMAS": ["v1/Pod", "x"]}[capability]
    _, answer = call(body, capabilities=without(capability))
    what = capability.lower().replace("_", " ")
    status, reason, message = answer.conditions[CONDITION]
    assert (status, reason) == (False, "WaitingForDependencies")
    assert message == f"{body.__module__}.{body.__name__}: " + "; ".join(
        f"{key} isn't available (this Crossplane doesn't support {what})" for key in keys
    )
    assert CONDITION not in call(body)[1].conditions
    assert CONDITION not in call(body, capabilities=[])[1].conditions


def test_both_missing_is_still_reported(caplog: pytest.LogCaptureFixture) -> None:
    """Where the caller doesn't support conditions either, the log has it."""
    with caplog.at_level(logging.WARNING, logger="crossplane_lite"):
        _, answer = call(_asks, capabilities=without("REQUIRED_RESOURCES", "CONDITIONS"))
    assert not answer.conditions
    assert "doesn't support required resources" in caplog.text


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize(
    ("capability", "asking"), [("REQUIRED_RESOURCES", _asks), ("REQUIRED_SCHEMAS", _asks_for_schemas)]
)
def test_only_those_who_can_answer_are_waited_for(capability: str, asking: Callable[[Any], None], state: str) -> None:
    """A problem waits for an answer that can come, and is Fatal at once where none can."""

    @composition.function
    def compose(ctx: Any) -> None:
        asking(ctx)
        raise ValueError("boom")

    answer = run(compose, capabilities=STATES[state](capability))
    can = state == "has it" or (state == "says nothing" and capability == "REQUIRED_RESOURCES")
    assert bool(answer.fatal) is not can


def test_what_is_made_of_an_answer_that_can_not_come() -> None:
    """A resource that needs what can't be had is held back, and the condition says why."""

    def compose(ctx: Any) -> None:
        ask(ctx, match_name="main")
        vpc = ctx.required_resources.get("vpcs", VPC)[0]
        ctx.resource("bucket", Bucket()).spec.forProvider.project = vpc.observed.spec.forProvider.project

    _, answer = call(compose, capabilities=without("REQUIRED_RESOURCES"))
    assert not answer.resources
    assert "(this Crossplane doesn't support required resources)" in answer.conditions[CONDITION][2]


def test_conditions_are_sent_all_the_same() -> None:
    """Conditions that compose() sets are in the answer, whatever the caller advertises."""
    for state in STATES:
        _, answer = call(_sets_conditions, capabilities=STATES[state]("CONDITIONS"))
        assert set(answer.conditions) == {"DatabaseReady", "BucketReady"}


def test_credentials_that_came_are_not_reported(caplog: pytest.LogCaptureFixture) -> None:
    """Credentials that are there are used, whatever the caller advertises."""

    def compose(ctx: Any) -> None:
        assert ctx.credentials["cloud"].text("token") == "t"

    with caplog.at_level(logging.WARNING, logger="crossplane_lite"):
        call(compose, credentials={"cloud": {"token": b"t"}}, capabilities=without("CREDENTIALS"))
    assert not caplog.records


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (lambda ctx: ctx.credentials["aws"], "no credentials 'aws' came with the request (it has cloud)"),
        (lambda ctx: ctx.credentials["cloud"]["tokn"], "the credential has no key 'tokn' (it has token, user)"),
        (lambda ctx: ctx.credentials["cloud"].text("tokn"), "the credential has no key 'tokn' (it has token, user)"),
    ],
)
def test_missing_credentials(read: Callable[[Any], Any], words: str) -> None:
    """A credential that isn't there is an error that says which there are, and shows no value."""

    def compose(ctx: Any) -> None:
        with pytest.raises(KeyError) as caught:
            read(ctx)
        assert isinstance(caught.value, CrossplaneLiteError)
        assert words in str(caught.value)
        assert "hunter2" not in str(caught.value)

    call(compose, credentials={"cloud": {"token": b"hunter2", "user": b"hunter2"}})


def test_no_credentials_at_all() -> None:
    """Without any credentials the error says where they come from."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.credentials["aws"].text("key")

    (text,) = run(compose).fatal
    assert "no credentials 'aws' came with the request; list them under 'credentials' of this function's step" in text


def test_reporting_keeps_no_call_alive() -> None:
    """What reports uses doesn't tie a call's objects into a circle that only the garbage collector could free."""
    kept: list[weakref.ref[Any]] = []

    def compose(ctx: Any) -> None:
        _asks(ctx)
        _asks_for_schemas(ctx)
        kept.append(weakref.ref(ctx.requirements))

    gc.collect()
    gc.disable()
    try:
        call(compose, observed={"bucket": samples.bucket()})
        assert kept[0]() is None
    finally:
        gc.enable()


def test_a_use_is_reported_where_it_is_the_only_sign(caplog: pytest.LogCaptureFixture) -> None:
    """Without conditions, nothing but the log can say what waits: the use as a warning, the lines as information."""

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        ctx.resource("other", Bucket()).spec.forProvider.project = bucket.observed.status.atProvider.id

    with caplog.at_level(logging.INFO, logger="crossplane_lite"):
        _, answer = call(compose, capabilities=without("CONDITIONS"))
    assert not answer.conditions and not answer.results and answer.composite_ready is False
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        (
            "WARNING",
            "this Crossplane doesn't support conditions, which compose() uses: "
            "the conditions that compose() sets get lost",
        ),
        ("INFO", "other waits for bucket.status.atProvider.id (bucket isn't observed yet)"),
    ]
    caplog.clear()
    with caplog.at_level(logging.INFO, logger="crossplane_lite"):
        call(compose)
        call(lambda ctx: None, capabilities=without("CONDITIONS"))
        # Nor is there anything to say once nothing waits any more.
        xr = with_conditions(None, call(compose)[1])
        call(lambda ctx: ctx.resource("other", Bucket()), xr=xr, capabilities=without("CONDITIONS"))
    assert not caplog.records


@pytest.mark.parametrize(
    ("asking", "capability"), [(_asks, "REQUIRED_RESOURCES"), (_asks_for_schemas, "REQUIRED_SCHEMAS")]
)
def test_capabilities_without_the_first_one(
    asking: Callable[[Any], None], capability: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A capability that is named counts, also where the one that says that there are any is missing."""

    @composition.function
    def compose(ctx: Any) -> None:
        asking(ctx)
        raise ValueError("boom")

    with caplog.at_level(logging.WARNING, logger="crossplane_lite"):
        answer = run(compose, capabilities=[f"CAPABILITY_{capability}"])
    assert not answer.fatal
    assert "doesn't support" not in caplog.text


def test_what_waits_and_what_can_not_come_together() -> None:
    """While something can still come, the condition's reason is that it is waited for."""

    def compose(ctx: Any) -> None:
        _asks(ctx)
        bucket = ctx.resource("bucket", Bucket())
        ctx.resource("other", Bucket()).spec.forProvider.project = bucket.observed.status.atProvider.id

    _, reason, message = call(compose, capabilities=without("REQUIRED_RESOURCES"))[1].conditions[CONDITION]
    assert reason == "WaitingForDependencies"
    assert "a isn't available" in message and "other waits for" in message


def test_what_is_supported_later() -> None:
    """Once the caller can answer, the condition becomes True."""

    @composition.function(name="asking")
    def compose(ctx: Any) -> None:
        _asks(ctx)

    before = run(compose, capabilities=without("REQUIRED_RESOURCES"))
    xr = with_conditions(None, before)
    assert run(compose, xr=xr, required={"a": [], "b": []}).conditions[CONDITION][:2] == (True, "AllResolved")
    assert CONDITION not in run(composition.function(name="other")(lambda ctx: None), xr=xr).conditions


@pytest.mark.sample(12)
@pytest.mark.parametrize("ask", ["has", "lacks", "in"])
@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("REQUIRED_SCHEMA", "did you mean 'REQUIRED_SCHEMAS'"),
        ("CAPABILITY_REQUIRED_RESOURCE", "did you mean 'REQUIRED_RESOURCES'"),
        ("conditions", "did you mean 'CONDITIONS'"),
        ("xyz", "there are CAPABILITIES, CONDITIONS, CREDENTIALS, REQUIRED_RESOURCES, REQUIRED_SCHEMAS"),
        ("", "there are CAPABILITIES"),
        ("capability_conditions", "did you mean 'CONDITIONS'"),
    ],
)
@pytest.mark.parametrize("capabilities", [ALL_CAPABILITIES, ()], ids=["all", "none"])
def test_a_misspelt_capability(ask: str, name: str, near: str, capabilities: Any) -> None:
    """Asking for a capability that there is none of is an error with the near name, and not False for ever."""

    def compose(ctx: Any) -> None:
        found = ctx.capabilities
        with pytest.raises(UsageError, match=near):
            _ = name in found if ask == "in" else getattr(found, ask)(name)

    call(compose, capabilities=capabilities)


def test_a_capability_without_a_name() -> None:
    """One that this version has no name for can be asked for by its number, and by the name that it has here."""

    def compose(ctx: Any) -> None:
        assert not ctx.capabilities.has(99)
        assert ctx.capabilities.lacks("CAPABILITY_99")
        assert None not in ctx.capabilities

    call(compose)
