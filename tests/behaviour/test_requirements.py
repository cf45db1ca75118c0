"""Required resources and schemas (design section 6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Observable, Unstructured, composition
from crossplane_lite.errors import ReadOnlyError, UsageError
from tests.behaviour import samples
from tests.behaviour.helpers import VPC_API, ask
from tests.behaviour.models import VPC, Bucket, BucketSpec, ForProvider
from tests.support import ALL_CAPABILITIES, call, run

# --- requirements ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ({"match_name": "n"}, {"match_name": "n"}),
        ({"match_labels": {"env": "prod"}}, {"match_labels": {"labels": {"env": "prod"}}}),
        ({"match_name": "n", "namespace": "ns"}, {"match_name": "n", "namespace": "ns"}),
    ],
)
@pytest.mark.parametrize("answered", [True, False])
def test_requirements_are_in_every_answer(selector: dict[str, Any], expected: dict[str, Any], answered: bool) -> None:
    """A required resource is declared in every answer, also when the request has it already."""

    def compose(ctx: Any) -> None:
        ask(ctx, **selector)

    _, answer = call(compose, required={"vpcs": []} if answered else None)
    sent = answer.requirements.resources["vpcs"]
    assert (sent.api_version, sent.kind) == (VPC_API, "VPC")
    assert sent.match_name == expected.get("match_name", "")
    assert dict(sent.match_labels.labels) == expected.get("match_labels", {}).get("labels", {})
    assert sent.namespace == expected.get("namespace", "")
    assert sent.HasField("namespace") is ("namespace" in expected)


def test_an_empty_label_selector_is_sent_as_one() -> None:
    """match_labels={} selects everything and is told apart from no selector."""

    def compose(ctx: Any) -> None:
        ask(ctx, match_labels={})

    assert call(compose)[1].requirements.resources["vpcs"].WhichOneof("match") == "match_labels"


def test_required_resources_read_like_observed_ones() -> None:
    """Required resources are read through `.observed`, with Observables where a field is unset."""

    def compose(ctx: Any) -> Any:
        ask(ctx, match_labels={"env": "prod"})
        vpcs = ctx.required_resources.get("vpcs", VPC)
        assert len(vpcs) == 2
        assert [vpc.observed.spec.forProvider.region for vpc in vpcs] == ["r1", "r2"]
        assert all(isinstance(vpc, VPC) for vpc in vpcs)
        missing = vpcs[1].observed.status.atProvider.vpcId
        assert isinstance(missing, Observable)
        with pytest.raises(ReadOnlyError):
            vpcs[0].observed.spec.forProvider.region = "x"
        return missing.source_path

    path, _ = call(compose, required={"vpcs": [samples.vpc({"region": "r1"}), samples.vpc({"region": "r2"})]})
    assert path == "required.vpcs[1].status.atProvider.vpcId"


def test_unanswered_required_resources_read_observable() -> None:
    """A required resource that isn't answered yet reads Observable, and holds back what is made of it."""

    def compose(ctx: Any) -> Any:
        ask(ctx, match_name="main")
        vpc = ctx.required_resources.get("vpcs", VPC)[0]
        project = vpc.observed.spec.forProvider.project
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(project=project))))
        assert isinstance(project, Observable)
        return project.source_path

    path, answer = call(compose)
    assert path == "required.vpcs[0].spec.forProvider.project"
    assert not answer.resources
    assert not answer.fatal
    _, answer = call_with(samples.vpc({"project": "p"}))
    assert answer.resources["bucket"]["spec"]["forProvider"] == {"project": "p"}


def call_with(vpc: dict[str, Any]) -> tuple[Any, Any]:
    """Return the answer of the same function when the VPC is found."""

    def compose(ctx: Any) -> None:
        ask(ctx, match_name="main")
        project = ctx.required_resources.get("vpcs", VPC)[0].observed.spec.forProvider.project
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(project=project))))

    return call(compose, required={"vpcs": [vpc]})


def test_a_resource_asked_for_by_name_and_not_found_reads_observable() -> None:
    """A resource that was asked for by name and doesn't exist is waited for."""

    def compose(ctx: Any) -> None:
        ask(ctx, match_name="main")
        vpc = ctx.required_resources.get("vpcs", VPC)[0]
        ctx.resource("bucket", Bucket()).spec.forProvider.project = vpc.observed.spec.forProvider.project

    _, answer = call(compose, required={"vpcs": []})
    assert not answer.resources
    assert not answer.fatal
    expected = "bucket waits for required.vpcs[0].spec.forProvider.project"
    assert expected in answer.conditions["DependenciesResolved"][2]


def test_an_empty_answer_to_a_label_query_is_a_fact() -> None:
    """Finding nothing by labels is an answer: deciding on it is no guess."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        ask(ctx, match_labels={"env": "prod"})
        for i, _vpc in enumerate(ctx.required_resources.get("vpcs", VPC)):
            ctx.resource(f"bucket-{i}", Bucket())

    answer = run(compose, required={"vpcs": []}, observed={"bucket-0": samples.bucket(ours="step")})
    assert not answer.fatal
    assert not answer.resources


def test_required_resources_as_unstructured() -> None:
    """Required resources can be read without a generated class."""

    def compose(ctx: Any) -> None:
        ask(ctx, match_name="main")
        (vpc,) = ctx.required_resources.get("vpcs", Unstructured)
        assert vpc.observed.spec.forProvider.region == "r"

    call(compose, required={"vpcs": [samples.vpc({"region": "r"})]})


def test_old_callers_are_asked_in_the_deprecated_field() -> None:
    """Where no capabilities are advertised, extra_resources is filled and read as well."""

    def compose(ctx: Any) -> list[Any]:
        ask(ctx, match_labels={"env": "prod"})
        return [vpc.observed.spec.forProvider.region for vpc in ctx.required_resources.get("vpcs", VPC)]

    _, answer = call(compose, capabilities=[])
    assert dict(answer.requirements.extra_resources["vpcs"].match_labels.labels) == {"env": "prod"}
    assert "vpcs" in answer.requirements.resources
    regions, _ = call(compose, capabilities=[], extra={"vpcs": [samples.vpc({"region": "r"})]})
    assert regions == ["r"]


def test_new_callers_are_not_asked_in_the_deprecated_field() -> None:
    """Where capabilities are advertised, extra_resources stays empty."""

    def compose(ctx: Any) -> None:
        ask(ctx, match_name="n")

    assert not call(compose)[1].requirements.extra_resources


@pytest.mark.parametrize("missing", ["CAPABILITY_REQUIRED_RESOURCES", "CAPABILITY_REQUIRED_SCHEMAS"])
def test_asking_for_what_the_caller_lacks_is_reported(missing: str) -> None:
    """Where a capability is advertised as missing, asking for it is reported instead of waiting forever."""

    @composition.function
    def compose(ctx: Any) -> None:
        if missing == "CAPABILITY_REQUIRED_RESOURCES":
            ask(ctx, match_name="n")
            vpc = ctx.required_resources.get("vpcs", VPC)[0]
            ctx.resource("bucket", Bucket()).spec.forProvider.project = vpc.observed.spec.forProvider.project
        else:
            ctx.requirements.schemas["xr"] = composition.SchemaSelector(api_version="example.org/v1", kind="XR")

    answer = run(compose, capabilities=[c for c in ALL_CAPABILITIES if c != missing])
    words = missing.removeprefix("CAPABILITY_").replace("_", " ").lower()
    assert words in answer.texts.lower().replace("_", " ")


@pytest.mark.parametrize("match", ["name", "text", "labels", "namespace"])
def test_a_requirement_that_waits_is_the_reason(match: str) -> None:
    """What waits for a requirement that isn't sent yet says in the condition what the selector waits for."""

    def compose(ctx: Any) -> None:
        vpc_id = ctx.resource("vpc", VPC()).observed.status.atProvider.vpcId
        selectors: dict[str, dict[str, Any]] = {
            "name": {"match_name": vpc_id},
            "text": {"match_name": f"vpc-{vpc_id}"},
            "labels": {"match_labels": {"vpc": vpc_id}},
            "namespace": {"match_name": "main", "namespace": vpc_id},
        }
        ask(ctx, **selectors[match])
        project = ctx.required_resources.get("vpcs", VPC)[0].observed.spec.forProvider.project
        ctx.resource("bucket", Bucket()).spec.forProvider.project = project

    _, answer = call(compose)
    assert list(answer.resources) == ["vpc"]
    assert not answer.requirements.resources
    message = answer.conditions["DependenciesResolved"][2]
    assert "bucket waits for required.vpcs[0].spec.forProvider.project" in message
    assert "selector waits for vpc.status.atProvider.vpcId" in message
    _, answer = call(compose, observed={"vpc": samples.vpc(status={"vpcId": "v"})})
    assert "vpcs" in answer.requirements.resources
    assert "selector waits" not in answer.conditions["DependenciesResolved"][2]


@pytest.mark.parametrize(
    ("match", "named"),
    [
        ({"match_labels": {"app": None}}, "app"),
        ({"match_labels": {"env": "prod", "app": None}}, "app"),
        ({"match_name": ""}, "match_name"),
        ({"match_labels": {"app": 5}}, "5"),
    ],
)
def test_a_selector_that_would_match_everything_is_refused(match: dict[str, Any], named: str) -> None:
    """An empty name and a label without a value are refused when the selector is made, naming the field."""
    with pytest.raises(UsageError, match=named):
        composition.ResourceSelector(api_version="v1", kind="ConfigMap", **match)


@pytest.mark.parametrize("selector", [composition.ResourceSelector, composition.SchemaSelector])
@pytest.mark.parametrize(
    ("api_version", "kind", "named"), [("", "A", "api_version"), ("v1", "", "kind"), ("v1", 5, "kind")]
)
def test_a_selector_needs_a_kind(selector: Any, api_version: Any, kind: Any, named: str) -> None:
    """An apiVersion or a kind that is empty, or no string, is refused when the selector is made, naming the field."""
    with pytest.raises(UsageError, match=f"{named!r} must be a string that isn't empty"):
        selector(api_version=api_version, kind=kind)


def test_a_selector_by_name_and_labels() -> None:
    """A name and labels together are refused, because the protocol has a place for one of them."""
    with pytest.raises(UsageError, match="give 'match_name' or 'match_labels', not both"):
        composition.ResourceSelector(api_version="v1", kind="ConfigMap", match_name="a", match_labels={"b": "c"})


def test_several_requirements_at_once() -> None:
    """`update`, `|=` and `setdefault` take selectors as those of dict do, and refuse what is none."""

    def compose(ctx: Any) -> None:
        made = {name: composition.ResourceSelector(api_version="v1", kind=name) for name in ("A", "B", "C", "D")}
        resources = ctx.requirements.resources
        resources.update({"a": made["A"]}, b=made["B"])
        ctx.requirements.resources |= {"c": made["C"]}
        assert ctx.requirements.resources is resources
        assert resources.setdefault("d", made["D"]) is resources.setdefault("d", "not looked at")
        with pytest.raises(UsageError):
            resources.update(e="E")
        with pytest.raises(UsageError):
            ctx.requirements.resources |= {"e": "E"}
        with pytest.raises(UsageError):
            resources.setdefault("e")

    _, answer = call(compose)
    assert {name: one.kind for name, one in answer.requirements.resources.items()} == {
        "a": "A",
        "b": "B",
        "c": "C",
        "d": "D",
    }


def test_the_name_of_a_required_resource() -> None:
    """`.name` of a required resource is its metadata.name."""

    def compose(ctx: Any) -> None:
        ask(ctx)
        for model in (VPC, Unstructured):
            assert [vpc.name for vpc in ctx.required_resources.get("vpcs", model)] == ["one", "two"]
            assert ctx.required_resources.get("vpcs", model)[0].observed.name == "one"

    vpcs = [{**samples.vpc(), "metadata": {"name": name}} for name in ("one", "two")]
    call(compose, required={"vpcs": vpcs})


@pytest.mark.parametrize("observed", [True, False])
@pytest.mark.parametrize(
    "write",
    [
        lambda vpc: setattr(vpc.spec.forProvider, "region", "x"),
        lambda vpc: setattr(vpc, "spec", None),
        lambda vpc: setattr(vpc, "external_name", "x"),
        lambda vpc: delattr(vpc.spec.forProvider, "region"),
        lambda vpc: vpc.metadata.labels.__setitem__("a", "b"),
        lambda vpc: setattr(vpc, "ready", True),
    ],
)
def test_writing_to_a_required_resource_says_that_it_is_for_reading(
    write: Callable[[Any], Any], observed: bool
) -> None:
    """Writing to a required resource is refused with a text that doesn't send people to a desired side of it."""

    def compose(ctx: Any) -> None:
        ask(ctx)
        vpc = ctx.required_resources.get("vpcs", VPC)[0]
        with pytest.raises(ReadOnlyError, match="required resources are only for reading") as caught:
            write(vpc.observed if observed else vpc)
        assert "without .observed" not in str(caught.value)

    vpc = samples.vpc({"region": "r"})
    vpc["metadata"] = {"labels": {"x": "y"}}
    call(compose, required={"vpcs": [vpc]})


# --- schemas -----------------------------------------------------------------------------------------------------


def test_required_schemas_have_three_states() -> None:
    """Not answered yet, not found and found are told apart, and the requirement is in every answer."""

    def compose(ctx: Any) -> Any:
        ctx.requirements.schemas["xr"] = composition.SchemaSelector(api_version="example.org/v1", kind="XR")
        schema = ctx.required_schemas.get("xr")
        if schema is None:
            return "waiting"
        return schema["type"] if schema else "not found"

    value, answer = call(compose)
    assert value == "waiting"
    assert answer.requirements.schemas["xr"].api_version == "example.org/v1"
    assert answer.requirements.schemas["xr"].kind == "XR"
    value, answer = call(compose, schemas={"xr": None})
    assert value == "not found"
    assert "xr" in answer.requirements.schemas
    value, answer = call(compose, schemas={"xr": {"type": "object"}})
    assert value == "object"
    assert "xr" in answer.requirements.schemas


def test_a_field_of_a_misspelt_key() -> None:
    """What waits for resources under a misspelt key says that they aren't asked for, and names the near key."""

    def compose(ctx: Any) -> None:
        ask(ctx, match_labels={})
        ctx.resource("b", Bucket()).spec.forProvider.project = ctx.required_resources.get("vpc", VPC)[
            0
        ].observed.metadata.uid

    assert (
        "(this call of compose() doesn't ask for it; did you mean 'vpcs'?)"
        in call(compose, required={"vpcs": []})[1].texts
    )
