"""What the API requires of a resource is checked when the answer is made: missing fields, and values it refuses."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from crossplane_lite.table import load
from tests.behaviour.test_operations import run as operated
from tests.support import Response
from tests.support import run as answered

API = "shop.example.org/v1"
get, _ = load(
    "tests.behaviour.shop",
    {
        "Shop": f"@{API} !spec >spec spec:ShopSpec status:ShopStatus",
        "ShopSpec": "!forProvider >forProvider,owner ?size_,zone forProvider:ForProvider initProvider:InitProvider "
        "managementPolicies:[s owner:Owner",
        "ForProvider": "!region >rules,named &mode=Fast,Slow &port~1..65535 &rules^..2 &name^2..3 &tags=a,b "
        "mode:s name:s named:{Rule port:i region:s rules:[Rule size_=size:i tags:[s zone:s free:o",
        "InitProvider": "size_=size:i zone:s",
        "Owner": "!name name:s",
        "Rule": "!action action:s",
        "ShopStatus": "atProvider:AtProvider",
        "AtProvider": "id:s zone:s",
    },
)
Shop: Any = get("Shop")
WHOLE = {"region": "r", "size": 1, "zone": "z"}


def run(body: Any, **given: Any) -> Response:
    """Return the answer of a function to a request."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        body(ctx)

    return answered(compose, **given)


def without(*names: str, **more: Any) -> dict[str, Any]:
    """Return the fields of a right resource without some of them, and with others."""
    return {**{key: value for key, value in WHOLE.items() if key not in names}, **more}


def answer_to(spec: Any, **given: Any) -> Any:
    """Return the answer of a function that composes a shop with this spec."""
    return run(lambda ctx: ctx.resource("shop", Shop() if spec is None else Shop(spec=spec)), **given)


def fatals(answer: Any) -> list[str]:
    """Return the fatal results of an answer without the line of the author's code."""
    return [text.rpartition(" (")[0] for severity, text in answer.results if severity == "fatal"]


MISSING = "is required, and nothing sets it"


@pytest.mark.parametrize(
    ("spec", "paths"),
    [
        (None, ["spec"]),
        ({}, ["spec.forProvider"]),
        ({"forProvider": without("region")}, ["spec.forProvider.region"]),
        ({"forProvider": without("region", "zone")}, ["spec.forProvider.region", "spec.forProvider.zone"]),
        ({"forProvider": without("size")}, ["spec.forProvider.size"]),
        ({"forProvider": without(region=None)}, ["spec.forProvider.region"]),
        ({"forProvider": without(rules=[{"action": "a"}, {}])}, ["spec.forProvider.rules[1].action"]),
        ({"forProvider": without(named={"x": {}})}, ["spec.forProvider.named.x.action"]),
        ({"forProvider": WHOLE, "owner": {}}, ["spec.owner.name"]),
    ],
)
def test_a_missing_field_is_told(spec: Any, paths: list[str]) -> None:
    """Each required field that nothing sets is a fatal result with its path, and no other field is one."""
    answer = answer_to(spec)
    assert fatals(answer) == [f"shop.{path}: {MISSING}" for path in paths]
    assert ("shop" in answer.resources) == (not paths)


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({"mode": "Fats"}, "mode"),
        ({"port": 0}, "port"),
        ({"port": 65_536}, "port"),
        ({"rules": [{"action": "a"}] * 3}, "rules"),
        ({"name": "a"}, "name"),
        ({"name": "abcd"}, "name"),
        ({"tags": ["a", "c"]}, "tags"),
        ({"mode": "Fast", "port": 65_535, "name": "abc", "tags": ["a"], "rules": [{"action": "a"}] * 2}, ""),
    ],
)
def test_values_that_are_not_allowed(more: dict[str, Any], path: str) -> None:
    """A value outside of its choices or limits is a fatal result; values within them are none."""
    found = fatals(answer_to({"forProvider": without(**more)}))
    assert [text.partition(":")[0] for text in found] == ([f"shop.spec.forProvider.{path}"] if path else [])


@pytest.mark.parametrize("policies", [["Observe"], ["Observe", "LateInitialize"], ["Delete"], []])
def test_parameters_without_writing(policies: list[str]) -> None:
    """Parameters may be missing where the policies keep the provider from writing; required fields may not."""
    spec = {"forProvider": {}, "managementPolicies": policies}
    assert fatals(answer_to(spec)) == [f"shop.spec.forProvider.region: {MISSING}"]


@pytest.mark.parametrize("policies", [["*"], ["Create"], ["Observe", "Update"]])
def test_parameters_with_writing(policies: list[str]) -> None:
    """Parameters are required where the provider may write, in `forProvider` or in `initProvider`."""
    spec = {"forProvider": without("size", "zone"), "managementPolicies": policies}
    assert len(fatals(answer_to(spec))) == 2
    assert not fatals(answer_to({**spec, "initProvider": {"size": 1, "zone": "z"}}))


def test_the_line_is_named() -> None:
    """The result names the file and the line that registered the resource."""

    def compose(ctx: Any) -> None:
        ctx.resource("shop", Shop(spec={"forProvider": without("region")}))

    line = inspect.getsourcelines(compose)[1] + 1
    assert run(compose).results == [("fatal", f"shop.spec.forProvider.region: {MISSING} (test_rules.py:{line})")]


def test_fields_may_be_set_after_registering() -> None:
    """What counts is the resource when compose() has ended."""

    def compose(ctx: Any) -> None:
        shop = ctx.resource("shop", Shop())
        shop.spec.forProvider.region = "r"
        shop.spec.forProvider.zone = "z"
        shop.spec.forProvider.size_ = 1

    answer = run(compose)
    assert not answer.results
    assert answer.resources["shop"]["spec"] == {"forProvider": WHOLE}


def test_a_deleted_field_is_missing() -> None:
    """A field that is removed again, or from a previous function's resource, is missing."""

    def compose(ctx: Any) -> None:
        shop = ctx.resource("shop", Shop(spec={"forProvider": WHOLE}))
        del shop.spec.forProvider.region

    before = {"shop": {"apiVersion": API, "kind": "Shop", "spec": {"forProvider": WHOLE}}}
    for desired in ({}, before):
        assert fatals(run(compose, desired=desired)) == [f"shop.spec.forProvider.region: {MISSING}"]


def test_fields_of_previous_functions_count() -> None:
    """What a previous function desires needn't be set again."""
    before = {"shop": {"apiVersion": API, "kind": "Shop", "spec": {"forProvider": without("size")}}}
    assert not fatals(answer_to({"forProvider": {"size": 2}}, desired=before))
    assert fatals(answer_to({"forProvider": {"mode": "Fast"}}, desired=before)) == [
        f"shop.spec.forProvider.size: {MISSING}"
    ]


def test_missing_values_are_set() -> None:
    """A field that waits for a value counts as set, whether the value is a reference, a part of a text, or a field."""

    def compose(ctx: Any) -> None:
        other = ctx.resource("other", Unstructured("v1", "ConfigMap"))
        status = other.observed.status
        fields = {"region": f"r-{status.a}", "zone": status.b, "size": status.c, "mode": f"{status.d}"}
        ctx.resource("shop", Shop(spec={"forProvider": {**fields, "name": status.e, "rules": status.f}}))

    answer = run(compose)
    assert not fatals(answer)
    assert list(answer.resources) == ["other"]


def test_a_copy_of_observed_state_counts() -> None:
    """Fields that are copied from observed state are set."""
    live = {"apiVersion": API, "kind": "Shop", "spec": {"forProvider": WHOLE}}

    def compose(ctx: Any) -> None:
        shop = ctx.resource("shop", Shop())
        shop.spec = shop.observed.spec

    assert not fatals(run(compose, observed={"shop": live}))


def test_a_field_that_a_guess_leaves_out() -> None:
    """Where code asks for a value that may still come, a missing field is a warning: the value needs the answer."""

    def compose(ctx: Any) -> None:
        other = ctx.resource("other", Unstructured("v1", "ConfigMap"))
        fields = without("zone")
        if other.observed.status.zone:
            fields["zone"] = other.observed.status.zone
        ctx.resource("shop", Shop(spec={"forProvider": fields}))

    answer = run(compose)
    assert not fatals(answer)
    assert "other" in answer.resources
    assert any(severity == "warning" and "shop.spec.forProvider.zone" in text for severity, text in answer.results)


def test_requirements_come_first() -> None:
    """As long as a requirement is unanswered, a missing field isn't fatal, because it may come with the answer."""

    def compose(ctx: Any) -> None:
        ctx.requirements.resources["maps"] = composition.ResourceSelector(
            api_version="v1", kind="ConfigMap", match_labels={"a": "b"}
        )
        found = ctx.required_resources.get("maps", Unstructured)
        ctx.resource("shop", Shop(spec={"forProvider": WHOLE if found else {}}))

    assert not fatals(run(compose))


def test_an_operation_may_patch() -> None:
    """What an Operation desires is a patch of an object that exists, so that required fields may be missing."""

    def compose(ctx: Any) -> None:
        ctx.resource("shop", Shop(spec={"forProvider": {"mode": "Fast"}}))

    answer = operated(compose)
    assert not answer.fatal
    assert "shop" in answer.resources


def test_an_exception_is_told_alone() -> None:
    """After an exception, what compose() didn't come to isn't reported as missing."""

    def compose(ctx: Any) -> None:
        ctx.resource("shop", Shop())
        raise ValueError("no")

    (result,) = run(compose).results
    assert "ValueError: no" in result[1]


def test_tables_without_rules_check_nothing() -> None:
    """Tables of earlier versions, and kinds without a schema, have no rules."""
    old, _ = load("tests.behaviour.old_shop", {"Shop": f"@{API} spec:Spec", "Spec": "region:s"})
    for made in (old("Shop"), lambda: Unstructured(API, "Shop")):
        assert "shop" in run(lambda ctx, made=made: ctx.resource("shop", made())).resources


def test_a_function_that_is_called_again() -> None:
    """The check doesn't depend on what earlier calls did."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        ctx.resource(
            "shop", Shop(spec={"forProvider": WHOLE if ctx.composite(Unstructured).observed.spec.whole else {}})
        )

    for whole in (True, False, True):
        answer = answered(
            compose, xr={"apiVersion": "a/v1", "kind": "X", "metadata": {"name": "x"}, "spec": {"whole": whole}}
        )
        assert ("shop" in answer.resources) == whole


def test_only_right_contents_are_remembered() -> None:
    """A resource that breaks a rule is told in each call, also after one of the same fields that keeps it."""
    for _ in range(2):
        assert not fatals(answer_to({"forProvider": WHOLE}))
        assert fatals(answer_to({"forProvider": without("zone")})) == [f"shop.spec.forProvider.zone: {MISSING}"]
