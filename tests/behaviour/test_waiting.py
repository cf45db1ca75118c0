"""Who waits, as data for other steps, and the messages that are made from it (design section 5, "Waits are data")."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from tests.behaviour.helpers import CONDITION, ask
from tests.support import ALL_CAPABILITIES, HELD_BACK, Response, run, with_conditions

FOUND = {"bucket": {"apiVersion": "example.org/v1", "kind": "Bucket", "status": {"id": "i"}}}


def release(*waiting: str, name: str = "fn") -> Any:
    """Return a function that composes a bucket, and what waits for it."""

    @composition.function(name=name)
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Unstructured("example.org/v1", "Bucket"))
        for one in waiting:
            ctx.resource(one, Unstructured("example.org/v1", "Thing", spec={"id": bucket.observed.status.id}))

    return compose


def entry(answer: Response, step: str = "fn") -> Any:
    """Return what a step leaves in the context."""
    found = answer.context[HELD_BACK][step]
    return {key: value for key, value in found.items() if key not in ("unsure", "lacking")}


# --- the entry ---------------------------------------------------------------------------------------------------


@composition.function(name="fn")
def everything(ctx: Any) -> None:
    """Resources, a field of the composite and a requirement that wait."""
    a = ctx.resource("a", Unstructured("example.org/v1", "Thing"))
    xr = ctx.composite(Unstructured)
    xr.status.login.user = a.observed.status.user
    ctx.resource("b", Unstructured("example.org/v1", "Thing", spec={"x": xr.observed.status.login}))
    ctx.resource("c", Unstructured("example.org/v1", "Thing"), depends_on=[a])
    ask(ctx, "vpcs", match_name=f"vpc-{a.observed.status.id}")


def test_the_entry() -> None:
    """An entry says what waits, for what, why, and what is held back: resources, fields and requirements."""
    why = "a isn't observed yet"
    assert entry(run(everything)) == {
        "held": ["b", "c"],
        "waits": [
            {
                "name": "b",
                "of": "xr.status.login.user",
                "path": "xr.status.login",
                "why": "the composite doesn't have it",
            },
            {"name": "c", "of": "a", "path": "a", "why": why},
            {"name": "required.vpcs", "of": "a", "path": "a.status.id", "why": why},
            {"name": "xr.status.login.user", "of": "a", "path": "a.status.user", "why": why},
        ],
    }


@pytest.mark.parametrize("name", ["xr.bucket", "required.bucket"])
def test_names_that_read_like_something_else(name: str) -> None:
    """A resource can't be called like a field of the composite or a requirement."""

    @composition.function(name="fn")
    def compose(ctx: Any) -> None:
        ctx.resource(name, Unstructured("example.org/v1", "Thing"))

    (text,) = run(compose).fatal
    assert "must not begin with 'xr.' or 'required.'" in text and name in text


def test_what_cannot_be_had() -> None:
    """A requirement that the caller doesn't support is in the entry, with the reason."""

    @composition.function(name="fn")
    def compose(ctx: Any) -> None:
        ask(ctx)

    supported = [one for one in ALL_CAPABILITIES if one != "CAPABILITY_REQUIRED_RESOURCES"]
    why = "this Crossplane doesn't support required resources"
    assert entry(run(compose, capabilities=supported)) == {"held": [], "cutOff": [{"name": "vpcs", "why": why}]}


def test_the_entry_is_whole() -> None:
    """The message is cut after fifty lines, and the data is not."""
    answer = run(release(*(f"r{at}" for at in range(60))))
    assert answer.conditions[CONDITION][2].endswith("; and 10 more")
    assert len(entry(answer)["waits"]) == len(entry(answer)["held"]) == 60


def test_the_entry_is_not_masked_and_has_no_placeholders() -> None:
    """Paths are data for the next steps: as they are, values that aren't there yet by their paths."""

    @composition.function(name="fn")
    def compose(ctx: Any) -> None:
        a = ctx.resource("a", Unstructured("example.org/v1", "Thing"))
        key = f"x-{a.observed.status.key}"
        spec = {"x": a.observed.status.hunter2, "y": a.observed.status[key]}
        ctx.resource("b", Unstructured("example.org/v1", "Thing", spec=spec))

    answer = run(compose, credentials={"db": {"password": b"hunter2"}})
    paths = [one["path"] for one in entry(answer)["waits"]]
    assert "a.status.hunter2" in paths
    assert "a.status.x-a.status.key" in paths or 'a.status["x-a.status.key"]' in paths
    assert "hunter2" not in answer.conditions[CONDITION][2]
    assert "a waits" not in answer.conditions[CONDITION][2]


@pytest.mark.parametrize("before", ["x", 1, None, ["a"], {"fn": 1}, {"fn": ["a"]}, {"fn": {"held": 1, "x": {"y": 1}}}])
def test_an_entry_of_another_shape_is_replaced(before: Any) -> None:
    """Whatever stands in the place of the entry, it is the new one afterwards."""
    answer = run(release("acl"), context={HELD_BACK: before, "k": 1})
    assert answer.context == {"k": 1, HELD_BACK: run(release("acl")).context[HELD_BACK]}
    assert CONDITION in answer.conditions


@pytest.mark.parametrize("other", [["held"], {"held": ["held", 1]}, {"held": ["held"], "waits": "x"}])
def test_names_that_others_hold_back(other: Any) -> None:
    """A list of names, as earlier releases write it, holds back like an entry of today; it is passed on as it came."""
    answer = run(release("held"), observed=FOUND, context={HELD_BACK: {"other": other}})
    assert list(answer.resources) == ["bucket"]
    assert answer.context[HELD_BACK]["other"] == other
    assert entry(answer) == {"held": ["held"]}
    assert answer.conditions[f"{CONDITION}-fn"][2] == "fn: held is held back by another step"


@pytest.mark.parametrize("other", ["held", {"held": "held"}, {"held": {"held": 1}}, None])
def test_what_is_no_list_of_names_holds_nothing_back(other: Any) -> None:
    """An entry that isn't of a known shape holds nothing back."""
    answer = run(release("held"), observed=FOUND, context={HELD_BACK: {"other": other}})
    assert sorted(answer.resources) == ["bucket", "held"]


# --- whose a condition is ----------------------------------------------------------------------------------------


def test_what_waited_is_not_composed_any_more() -> None:
    """A later release without the resource that waited says that every dependency is resolved."""
    xr = with_conditions(None, run(release("acl")))
    answer = run(release(), xr=xr)
    assert answer.conditions == {CONDITION: (True, "AllResolved", "fn: every dependency is resolved")}
    assert [text for _, text in answer.results] == ["every dependency is resolved"]
    again = run(release(), xr=with_conditions(xr, answer))
    assert (again.conditions, again.results) == (answer.conditions, [])


SECRETS = {"db": {"username": b"postgres"}}


@pytest.mark.parametrize("function", ["fn", "postgres.compose"])
@pytest.mark.parametrize("later", [True, False])
def test_names_that_are_secret_values_too(function: str, later: bool) -> None:
    """A secret value that is part of a name neither masks the name, nor hides whose the condition is."""
    first = release("postgres-grant", name=function)
    answer = run(first, credentials=SECRETS)
    line = "postgres-grant waits for bucket.status.id (bucket isn't observed yet)"
    assert answer.conditions == {CONDITION: (False, "WaitingForDependencies", f"{function}: {line}")}
    assert answer.results == [("normal", f"{line}. Dependencies: bucket -> postgres-grant (bucket.status.id)")]
    xr = with_conditions(None, answer)
    again = run(first, xr=xr, credentials=SECRETS)
    assert (again.conditions, again.results) == (answer.conditions, [])
    second = release("postgres-grant" if later else "other", name=function)
    resolved = run(second, xr=xr, observed=FOUND, credentials=SECRETS)
    assert resolved.conditions[CONDITION][:2] == (True, "AllResolved")


def test_a_second_step_with_a_secret_in_its_name() -> None:
    """The type of a second step's condition has its name in it, which isn't masked either."""
    fn = release("acl", name="postgres.compose")
    context = {HELD_BACK: {"other": {"held": ["x"]}}}
    answer = run(fn, context=context, credentials=SECRETS)
    assert list(answer.conditions) == [f"{CONDITION}-postgres.compose"]
    assert not run(fn, xr=with_conditions(None, answer), context=context, credentials=SECRETS).results


def test_paths_are_masked_and_what_they_begin_with_is_not() -> None:
    """A secret value in a path or in a reason is masked, but for the name of the resource it belongs to."""

    @composition.function(name="fn")
    def compose(ctx: Any) -> None:
        grant = ctx.resource("postgres-grant", Unstructured("example.org/v1", "Grant"))
        ctx.resource("a", Unstructured("example.org/v1", "Thing", spec={"x": grant.observed.status.postgres.id}))

    for key, shown in (("password", "[secret]"), ("username", "postgres")):  # a user is masked as a word by itself
        answer = run(compose, credentials={"db": {key: b"postgres"}})
        wanted = f"fn: a waits for postgres-grant.status.{shown}.id (postgres-grant isn't observed yet)"
        assert answer.conditions[CONDITION][2] == wanted


def test_a_condition_of_another_function() -> None:
    """The condition of a function of another name is left alone, whatever it says."""
    xr = with_conditions(None, run(release("acl", name="other")))
    assert not run(release("acl"), xr=xr, observed=FOUND).conditions


def test_the_wording_does_not_say_whose_a_condition_is() -> None:
    """Of a stored message only the function's name and a colon are read."""
    xr = with_conditions(None, run(release("acl")))
    (condition,) = xr["status"]["conditions"]
    condition["message"] = "fn: in quite other words"
    assert run(release(), xr=xr).conditions[CONDITION][:2] == (True, "AllResolved")
