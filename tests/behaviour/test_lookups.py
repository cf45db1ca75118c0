"""Guesses by look-up and by comparison (design section 4, "Plain-value use")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from tests.behaviour import samples
from tests.behaviour.helpers import VPC_API, ask
from tests.behaviour.models import VPC, AtProvider, Bucket, Endpoint, Owner, VPCAtProvider
from tests.support import run

EXISTING = samples.bucket(ours="step")


def deciding(decide: Callable[[Any], Any]) -> Any:
    """Return a function that composes the bucket only if `decide(ctx)` says so."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        if decide(ctx):
            ctx.resource("bucket", Bucket())

    return compose


def check_guess(decide: Callable[[Any], Any], named: str, **kwargs: Any) -> None:
    """Assert that deciding so lets an existing bucket go only with a fatal result that names the guess."""
    kwargs["observed"] = {**kwargs.get("observed", {}), "bucket": EXISTING}
    answer = run(deciding(decide), **kwargs)
    assert len(answer.fatal) == 1, answer.fatal
    assert "bucket exists and would be deleted" in answer.fatal[0]
    assert named in answer.fatal[0]
    assert not answer.resources


def _id(ctx: Any) -> Any:
    return ctx.resource("vpc", VPC()).observed.status.atProvider.vpcId


LOOKUPS: dict[str, Callable[[Any], Any]] = {
    "in a set": lambda value: value in {"us", "eu"},
    "in a frozen set": lambda value: value in frozenset({"us"}),
    "in a dict": lambda value: value in {"us": 1},
    "get of a dict": lambda value: {"us": 1}.get(value),
    "get of a dict with a default": lambda value: {"us": 1}.get(value, 0),
    "in a list": lambda value: value in ["us", "eu"],
    "in a tuple": lambda value: value in ("us",),
    "in dict keys": lambda value: value in {"us": 1}.keys(),  # noqa: SIM118
    "setdefault": lambda value: dict.fromkeys(["us"], 1).setdefault(value, 0),
    "pop": lambda value: {"us": 1}.pop(value, None),
    "intersection": lambda value: {value} & {"us", "eu"},
    "subset": lambda value: {value} <= {"us", "eu"},
    "match": lambda value: _matches(value),
    "count": lambda value: ["us"].count(value),
}


def _matches(value: Any) -> bool:
    match value:
        case "us":
            return True
        case _:
            return False


@pytest.mark.parametrize("lookup", LOOKUPS)
@pytest.mark.parametrize("exists", [True, False])
def test_looking_an_observable_up_is_a_guess(lookup: str, exists: bool) -> None:
    """Looking an unresolved value up in a set, dict or list finds nothing, and is remembered with its path."""
    observed = {"vpc": samples.vpc(status={"arn": "a"})} if exists else {}
    check_guess(lambda ctx: LOOKUPS[lookup](_id(ctx)), "vpc.status.atProvider.vpcId", observed=observed)


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_looking_a_known_value_up_is_no_guess(lookup: str) -> None:
    """Looking up a value that is there is a decision, whatever it finds."""
    found = {"vpc": samples.vpc(status={"vpcId": "other"})}
    answer = run(deciding(lambda ctx: LOOKUPS[lookup](_id(ctx))), observed={**found, "bucket": EXISTING})
    assert not answer.fatal
    assert list(answer.resources) == ["vpc"]


def test_a_key_that_is_missing_in_a_dict_names_the_guess() -> None:
    """Item access with an unresolved key fails, and the result names the value."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        _ = {"us": 1}[_id(ctx)]

    answer = run(compose)
    assert list(answer.resources) == ["vpc"]
    ((severity, text),) = answer.results
    assert severity == "warning"
    assert "KeyError" in text
    assert "vpc.status.atProvider.vpcId" in text


# --- objects -----------------------------------------------------------------------------------------------------

PRESENT = {"vpc": samples.vpc(status={"arn": "a"})}


def _unstructured(ctx: Any) -> Any:
    return ctx.resource("vpc", Unstructured(VPC_API, "VPC")).observed


@pytest.mark.parametrize("observed", [{}, PRESENT], ids=["unobserved", "observed"])
def test_in_an_object_without_a_schema_is_a_guess(observed: dict[str, Any]) -> None:
    """Asking an observed object without a schema for a key that it doesn't have yet is remembered."""
    check_guess(lambda ctx: "vpcId" in _unstructured(ctx).status.atProvider, "vpc.status.atProvider", observed=observed)


def test_in_an_object_without_a_schema_finds_what_is_there() -> None:
    """A key that is there is found, and is no guess."""

    def decide(ctx: Any) -> bool:
        assert "arn" in _unstructured(ctx).status.atProvider
        return False

    answer = run(deciding(decide), observed={**PRESENT, "bucket": EXISTING})
    assert not answer.fatal, answer.fatal
    assert list(answer.resources) == ["vpc"]


def test_a_missing_key_of_a_ready_resource_is_no_answer() -> None:
    """A key without a type that a ready resource doesn't have may have moved: asking for it is a guess."""
    ready = {"vpc": samples.vpc(status={"arn": "a"}, ready=True)}
    check_guess(lambda ctx: "vpcId" in _unstructured(ctx).status.atProvider, "vpc.status.atProvider", observed=ready)


def _bucket_status(ctx: Any) -> Any:
    return ctx.resource("source", Bucket()).observed.status


def _provider(ctx: Any) -> Any:
    return _bucket_status(ctx).atProvider


ID = AtProvider(id="x")
PORT = Endpoint(port=1)
COMPARISONS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "model": (lambda ctx: _provider(ctx) == ID, "source.status.atProvider"),
    "model, reversed": (lambda ctx: ID == _provider(ctx), "source.status.atProvider"),  # noqa: SIM300
    "model, !=": (lambda ctx: not _provider(ctx) != ID, "source.status.atProvider"),  # noqa: SIM202
    "nested model": (lambda ctx: _provider(ctx).owner == Owner(name="n"), "source.status.atProvider.owner"),
    "model in a list": (lambda ctx: _provider(ctx) in [ID], "source.status.atProvider"),
    "list": (lambda ctx: _provider(ctx).endpoints == [PORT], "source.status.atProvider.endpoints"),
    "element": (lambda ctx: _provider(ctx).endpoints[0] == PORT, "source.status.atProvider.endpoints[0]"),
    "map": (lambda ctx: _provider(ctx).tags == {"a": "b"}, "source.status.atProvider.tags"),
    "other resource": (
        lambda ctx: ctx.resource("vpc", VPC()).observed.status.atProvider == VPCAtProvider(vpcId="v"),
        "vpc.status.atProvider",
    ),
}


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_comparing_what_is_not_there_is_a_guess(comparison: str) -> None:
    """Comparing an observed object, list or map that isn't there yet is unequal, and remembered."""
    decide, named = COMPARISONS[comparison]
    check_guess(decide, named)


def test_comparing_what_is_there_is_no_guess() -> None:
    """Comparing an observed model that is there compares values and is a decision."""

    def decide(ctx: Any) -> bool:
        assert _bucket_status(ctx).atProvider == AtProvider(id="x")
        return False

    answer = run(deciding(decide), observed={"source": samples.bucket(status={"id": "x"}), "bucket": EXISTING})
    assert not answer.fatal, answer.fatal


# --- required resources ------------------------------------------------------------------------------------------

REQUIRED_USES: dict[str, Callable[[Any], Any]] = {
    "bool": lambda vpcs: bool(vpcs),
    "len": lambda vpcs: len(vpcs),
    "for": lambda vpcs: [vpc.name for vpc in vpcs],
    "== []": lambda vpcs: not vpcs == [],  # noqa: SIM201
    "[] ==": lambda vpcs: not [] == vpcs,  # noqa: SIM201
    "!= []": lambda vpcs: vpcs != [],
    "in": lambda vpcs: 1 in vpcs,
}


@pytest.mark.parametrize("use", REQUIRED_USES)
@pytest.mark.parametrize("asked_before", [True, False])
def test_deciding_on_a_resource_that_was_not_found_by_name_is_a_guess(use: str, asked_before: bool) -> None:
    """A resource that was asked for by name and isn't there may still come, also if the list is read before asking."""

    def decide(ctx: Any) -> Any:
        if asked_before:
            ask(ctx, match_name="main")
        vpcs = ctx.required_resources.get("vpcs", VPC)
        if not asked_before:
            ask(ctx, match_name="main")
        return REQUIRED_USES[use](vpcs)

    check_guess(decide, "required.vpcs", required={"vpcs": []})


@pytest.mark.parametrize("use", REQUIRED_USES)
@pytest.mark.parametrize("asked_before", [True, False])
def test_deciding_on_an_empty_answer_to_a_query_by_labels_is_none(use: str, asked_before: bool) -> None:
    """An empty answer to a query by labels is a fact, also if the list is read before asking."""

    def decide(ctx: Any) -> Any:
        if asked_before:
            ask(ctx)
        vpcs = ctx.required_resources.get("vpcs", VPC)
        if not asked_before:
            ask(ctx)
        return REQUIRED_USES[use](vpcs)

    answer = run(deciding(decide), required={"vpcs": []}, observed={"bucket": EXISTING})
    assert not answer.fatal, answer.fatal


@pytest.mark.parametrize("asked_before", [True, False])
def test_required_resources_can_be_read_before_they_are_asked_for(asked_before: bool) -> None:
    """The order of asking and reading doesn't matter: what was found is in the list either way."""

    @composition.function
    def compose(ctx: Any) -> None:
        if asked_before:
            ask(ctx, match_name="main")
        vpcs = ctx.required_resources.get("vpcs", VPC)
        if not asked_before:
            ask(ctx, match_name="main")
        project = vpcs[0].observed.spec.forProvider.project
        ctx.resource("bucket", Bucket()).spec.forProvider.project = project

    assert not run(compose).resources
    answer = run(compose, required={"vpcs": [samples.vpc({"project": "p"})]})
    assert not answer.fatal
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"project": "p"}
    assert "vpcs" in answer.requirements.resources
