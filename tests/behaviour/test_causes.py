"""Messages that name the cause: what an owner's own conditions say, and a chain from its end."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from tests.behaviour.helpers import CONDITION
from tests.support import Json, Response, run, with_conditions

SINCE = "2026-01-01T00:00:00Z"
DENIED = "create failed: api error InvalidClientTokenId: The security token is invalid."


def thing(ctx: Any, name: str, *sources: Any, **kwargs: Any) -> Any:
    """Register a resource that needs the values."""
    spec = {f"x{at}": source for at, source in enumerate(sources)}
    return ctx.resource(name, Unstructured("example.org/v1", "Thing", spec=spec), **kwargs)


def id_of(resource: Any) -> Any:
    """Return the value that others wait for."""
    return resource.observed.status.id


@composition.function(name="net")
def net(ctx: Any) -> None:
    """A subnet that waits for its VPC."""
    thing(ctx, "subnet", id_of(thing(ctx, "vpc")))


def condition(
    type_: str = "Synced", status: str = "False", message: Any = DENIED, since: Any = SINCE
) -> dict[str, Any]:
    """Return a condition of a resource; parts that are None are left out."""
    found = {"type": type_, "status": status, "reason": "X", "message": message, "lastTransitionTime": since}
    return {key: value for key, value in found.items() if value is not None}


def vpc(*conditions: Json, **status: Any) -> Json:
    """Return an observed VPC with these conditions."""
    return {
        "apiVersion": "example.org/v1",
        "kind": "Thing",
        "metadata": {"name": "v"},
        "status": {"conditions": list(conditions), **status},
    }


def told(answer: Response, name: str = "net") -> str:
    """Return the condition's message without the function's name."""
    status, _, message = answer.conditions[CONDITION]
    assert status is False
    assert message.startswith(f"{name}: ")
    return str(message.removeprefix(f"{name}: "))


def reason(*conditions: Json, **kwargs: Any) -> str:
    """Return why the subnet waits for a VPC with these conditions."""
    start, _, why = told(run(net, observed={"vpc": vpc(*conditions)}, **kwargs)).partition(" (")
    assert start == "subnet waits for vpc.status.id"
    return why.removesuffix(")")


# --- what conditions say -----------------------------------------------------------------------------------------


def test_the_owners_condition_is_quoted() -> None:
    """The message has what the owner's condition says, and since when; the result and the entry have the same."""
    answer = run(net, observed={"vpc": vpc(condition())})
    why = f"vpc isn't Synced since {SINCE}: {DENIED}"
    assert told(answer) == f"subnet waits for vpc.status.id ({why})"
    ((severity, text),) = answer.results
    assert severity == "normal"
    assert why in text
    (need,) = answer.context["crossplane-lite/held-back"]["net"]["waits"]
    assert need["why"] == why


@pytest.mark.parametrize(
    ("conditions", "wanted"),
    [
        ([condition("Ready"), condition("Synced", "True")], f"vpc isn't Ready since {SINCE}: {DENIED}"),
        ([condition("Ready", message="later"), condition()], f"vpc isn't Synced since {SINCE}: {DENIED}"),
        ([condition("Ready", message=None), condition("LastAsyncOperation")], "vpc has a failed LastAsyncOperation"),
        ([condition("LastAsyncOperation"), condition("Ready", "True")], "vpc has a failed LastAsyncOperation"),
        ([condition("Other")], "vpc is observed, isn't Ready and doesn't have it"),
        ([condition(status="Unknown")], "vpc is observed, isn't Ready and doesn't have it"),
        ([condition(status="Unknown"), condition("Ready", "True")], "vpc is Ready and doesn't have it"),
        ([condition(message=None)], "vpc is observed, isn't Ready and doesn't have it"),
        ([condition(message=" \n")], "vpc is observed, isn't Ready and doesn't have it"),
        ([condition(message=5)], "vpc is observed, isn't Ready and doesn't have it"),
        ([condition(since=None)], f"vpc isn't Synced: {DENIED}"),
        ([condition(since="soon")], f"vpc isn't Synced: {DENIED}"),
        ([condition(since=5)], f"vpc isn't Synced: {DENIED}"),
    ],
)
def test_which_condition_is_quoted(conditions: list[Json], wanted: str) -> None:
    """The first of Synced, Ready and LastAsyncOperation that is False with a message; a time only if it is one."""
    assert reason(*conditions).startswith(wanted)


def test_a_dependency_that_is_not_ready() -> None:
    """`depends_on` names the cause, too."""

    @composition.function(name="net")
    def compose(ctx: Any) -> None:
        thing(ctx, "subnet", depends_on=[thing(ctx, "vpc")])

    assert "InvalidClientTokenId" in told(run(compose, observed={"vpc": vpc(condition())}))
    assert told(run(compose, observed={"vpc": vpc()})) == "subnet waits for vpc (vpc isn't ready)"


def test_an_existing_resource_that_waits() -> None:
    """A resource that keeps its value while it waits tells the cause as well."""
    observed = {"vpc": vpc(condition()), "subnet": {**vpc(), "spec": {"x0": "v-1"}}}
    answer = run(net, observed=observed)
    assert answer.resources["subnet"]["spec"] == {"x0": "v-1"}
    assert "InvalidClientTokenId" in told(answer)


def test_a_long_message_is_cut() -> None:
    """A quote has two hundred characters: its beginning, and its end, where the reason stands as a rule."""
    why = reason(condition(message=f"begins {'x ' * 500_000} ends"))
    quoted = why.removeprefix(f"vpc isn't Synced since {SINCE}: ")
    assert len(quoted) == 200
    assert quoted.startswith("begins x x ")
    assert quoted.endswith(" x x ends")


def test_a_message_becomes_one_line() -> None:
    """Line breaks become spaces, and other characters that aren't printable are shown as escapes."""
    why = reason(condition(message="first\n\n\tsecond\r\x1b[31m \u202ethird\x00"))
    assert why.endswith(": first second \\x1b[31m \\u202ethird\\x00")


@pytest.mark.parametrize("before", [0, 95, 190, 20_000])
def test_secrets_in_a_quote_are_masked(before: int) -> None:
    """A secret value is masked wherever the quote is cut; half of one is never shown."""
    secret = "hunter2-AKIAIOSFODNN7EXAMPLE-" + "q" * 60
    for after in (0, 95, 20_000):
        message = f"{'a' * before} {secret} {'b' * after}"
        answer = run(
            net, observed={"vpc": vpc(condition(message=message))}, credentials={"aws": {"key": secret.encode()}}
        )
        assert "vpc isn't Synced" in told(answer)
        assert "hunter2" not in answer.texts
        assert "qqqq" not in answer.texts


def test_names_in_a_quote_are_not_masked() -> None:
    """The name of a resource stays, also if it is a secret value."""
    why = reason(condition(message="subnet is needed"), credentials={"db": {"user": b"subnet"}})
    assert why.endswith(": subnet is needed")


def test_many_wait_for_one_cause() -> None:
    """A long reason is told once."""

    @composition.function(name="net")
    def compose(ctx: Any) -> None:
        owner = thing(ctx, "vpc")
        for at in range(3):
            thing(ctx, f"subnet-{at}", id_of(owner))

    message = told(run(compose, observed={"vpc": vpc(condition())}))
    assert message.count("InvalidClientTokenId") == 1
    first, *others = message.split("; ")
    assert first.startswith("subnet-0 waits for vpc.status.id (vpc isn't Synced")
    assert others == [f"subnet-{at} waits for vpc.status.id (for the same reason)" for at in (1, 2)]


# --- at rest -----------------------------------------------------------------------------------------------------


def attempt(number: int, **kwargs: Any) -> Json:
    """Return a VPC whose provider has tried once more: another time, and another id of the request."""
    message = (
        f"create failed: StatusCode: 403, RequestID: 72b05c5e-0000-4000-8000-{number:012}, HostID: x{number}=, "
        "api error InvalidClientTokenId"
    )
    return vpc(condition(message=message, since=f"2026-01-01T00:0{number}:00Z", **kwargs))


def test_nothing_is_written_again_at_rest() -> None:
    """While nothing changes, the message stays, and there is no result."""
    xr, before = with_conditions(None, run(net, observed={"vpc": vpc(condition())})), None
    for _ in range(3):
        answer = run(net, xr=xr, observed={"vpc": vpc(condition())})
        assert not answer.results
        assert before in (None, answer.conditions)
        xr, before = with_conditions(xr, answer), answer.conditions


def test_another_attempt_changes_nothing() -> None:
    """The message stays, with its first time, while only times and ids of attempts change; another error is news."""
    first = run(net, observed={"vpc": attempt(1)})
    xr = with_conditions(None, first)
    second = run(net, xr=xr, observed={"vpc": attempt(2)})
    assert (second.conditions, second.results) == (first.conditions, [])
    assert "2026-01-01T00:01:00Z" in told(second)
    third = run(net, xr=xr, observed={"vpc": vpc(condition(message="quota"))})
    assert told(third).endswith(": quota)")
    assert len(third.results) == 1


def test_the_way_through_a_failure() -> None:
    """The cause comes, goes when the value is there, and comes again with its own time."""
    xr = with_conditions(None, run(net, observed={"vpc": attempt(1)}))
    there = run(net, xr=xr, observed={"vpc": vpc(id="v-1")})
    assert there.conditions[CONDITION][0] is True
    again = run(net, xr=with_conditions(xr, there), observed={"vpc": attempt(3)})
    assert "since 2026-01-01T00:03:00Z" in told(again)


# --- required resources ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("selector", "named"),
    [
        ({"match_name": "env", "namespace": "acme"}, "ConfigMap acme/env"),
        ({"match_name": "env"}, "ConfigMap env"),
        ({"match_labels": {"b": "2", "a": "1"}}, "ConfigMap with labels a=1, b=2"),
        ({"match_labels": {"a": "1"}, "namespace": "acme"}, "ConfigMap with labels a=1 in namespace acme"),
        (
            {"match_labels": {f"k{at}": "v" for at in range(9)}},
            "ConfigMap with labels k0=v, k1=v, k2=v, k3=v, k4=v and 4 more",
        ),
        ({}, "any ConfigMap"),
        ({"namespace": "acme"}, "any ConfigMap in namespace acme"),
    ],
)
def test_a_required_resource_has_its_name(selector: Json, named: str) -> None:
    """It is named as the function asked for it: while it isn't sent, isn't there, or lacks the value."""

    @composition.function(name="net")
    def compose(ctx: Any) -> None:
        ctx.requirements.resources["env"] = composition.ResourceSelector(api_version="v1", kind="ConfigMap", **selector)
        thing(ctx, "app", ctx.required_resources["env"][0].data.region)

    start = "app waits for required.env[0].data.region"
    assert told(run(compose)) == f"{start} (Crossplane hasn't sent {named} yet)"
    assert told(run(compose, required={"env": []})) == f"{start} ({named} doesn't exist)"
    found = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "env"}, "data": {"x": "y"}}
    assert told(run(compose, required={"env": [found]})) == f"{start} ({named} doesn't have it)"


def test_a_selector_with_a_secret_is_masked() -> None:
    """A secret value in a label is masked."""

    @composition.function(name="net")
    def compose(ctx: Any) -> None:
        ctx.requirements.resources["env"] = composition.ResourceSelector(
            api_version="v1", kind="ConfigMap", match_labels={"token": "hunter2hunter2"}
        )
        thing(ctx, "app", ctx.required_resources["env"][0].data.region)

    answer = run(compose, required={"env": []}, credentials={"db": {"token": b"hunter2hunter2"}})
    assert told(answer).endswith("(ConfigMap with labels token=[secret] doesn't exist)")


def test_a_lost_value_of_a_required_resource() -> None:
    """A value that counts as it last was has the name of its required resource beside its path, too."""

    @composition.function(name="net")
    def compose(ctx: Any) -> None:
        ctx.requirements.resources["env"] = composition.ResourceSelector(
            api_version="v1", kind="ConfigMap", match_name="env", namespace="acme"
        )
        if ctx.required_resources["env"][0].data.region:
            thing(ctx, "app", "x")
        thing(ctx, "other", ctx.required_resources["env"][0].data.region)

    found = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "env"}}
    before = run(compose, required={"env": [{**found, "data": {"region": "eu"}}]})
    answer = run(compose, required={"env": [found]}, observed=before.emitted)
    assert answer.resources == before.resources
    path = "required.env[0].data.region (ConfigMap acme/env)"
    assert told(answer) == f"{path} is missing and counts as it last was"


def test_what_the_composition_asks_for_has_no_name() -> None:
    """Of a required resource that the function didn't ask for only the key is known."""

    @composition.function(name="net")
    def compose(ctx: Any) -> None:
        thing(ctx, "app", ctx.required_resources["env"][0].data.region)

    assert "(the required resource doesn't exist)" in told(run(compose, required={"env": []}))


# --- chains ------------------------------------------------------------------------------------------------------


def graph(edges: dict[str, str], *, reverse: bool = False) -> Any:
    """Return a function with a resource for each key, which needs an id of each resource in its value."""

    @composition.function(name="net")
    def compose(ctx: Any) -> None:
        names = sorted({*edges, *" ".join(edges.values()).split()}, reverse=reverse)
        made = {name: thing(ctx, name) for name in names}
        for name, owners in edges.items():
            made[name].spec = {f"x{owner}": id_of(made[owner]) for owner in owners.split()}

    return compose


def lines(edges: dict[str, str], **kwargs: Any) -> list[str]:
    """Return the clauses of the condition's message, which are the same in whatever order resources are registered."""
    first, second = (run(graph(edges, reverse=way), **kwargs) for way in (False, True))
    assert first.conditions == second.conditions
    return told(first).split("; ")


NOT_YET = "a.status.id (a isn't observed yet)"


def test_a_chain_of_twelve() -> None:
    """Only the resource at the end of a chain has its reason; the others are counted."""
    names = "abcdefghijkl"
    edges = {after: before for before, after in zip(names, names[1:], strict=False)}
    assert lines(edges) == [f"b waits for {NOT_YET}", "10 more wait for b"]
    observed = {name: vpc(id="i") for name in "abcde"}
    wanted = ["g waits for f.status.id (f isn't observed yet)", "5 more wait for g"]
    assert lines(edges, observed=observed) == wanted
    broken = {**observed, "f": vpc(condition())}
    first, second = lines(edges, observed=broken)
    assert "InvalidClientTokenId" in first
    assert second == wanted[1]


def test_a_chain_is_whole_in_the_data_and_the_graph() -> None:
    """The entry has every wait, and the result every dependency."""
    answer = run(graph({"b": "a", "c": "b", "d": "c"}))
    assert len(answer.context["crossplane-lite/held-back"]["net"]["waits"]) == 3
    ((_, text),) = answer.results
    assert "Dependencies: a -> b (a.status.id); b -> c (b.status.id); c -> d (c.status.id)" in text


def test_chains_with_two_ends() -> None:
    """Each end has its own clause, and the resources behind them are counted."""
    edges = {"b": "a", "c": "b", "n": "m", "o": "n", "p": "o", "z": "c p"}
    assert lines(edges) == [
        f"b waits for {NOT_YET}",
        "n waits for m.status.id (m isn't observed yet)",
        "4 more wait for these",
    ]


def test_a_diamond() -> None:
    """What waits for both sides of a diamond is counted once."""
    assert lines({"b": "a", "c": "a", "d": "b c"}) == [
        f"b waits for {NOT_YET}",
        f"c waits for {NOT_YET}",
        "1 more waits for these",
    ]


def test_what_also_waits_directly_has_its_clause() -> None:
    """A resource that waits for a cause and for a held resource tells the cause."""
    assert lines({"b": "a", "c": "a b"}) == [f"b waits for {NOT_YET}", f"c waits for {NOT_YET}"]


def test_a_cycle_is_told_in_full() -> None:
    """Where resources only wait for each other, each has its clause."""
    found = lines({"b": "c", "c": "b", "d": "c"})
    assert [line.partition(" (")[0] for line in found] == [
        "b waits for c.status.id",
        "c waits for b.status.id",
        "d waits for c.status.id",
    ]


def test_what_waits_for_another_steps_resource() -> None:
    """What another step holds back is an end of a chain, too."""
    context = {"crossplane-lite/held-back": {"other": {"held": ["b"]}}}
    answer = run(graph({"b": "a", "c": "b", "d": "c"}), context=context, observed={"a": vpc(id="i")})
    (message,) = (text for _, _, text in answer.conditions.values())
    assert message == "net: b is held back by another step; 2 more wait for these"


def test_fields_and_requirements_are_not_counted() -> None:
    """A field of the composite or a requirement that waits for a held resource is no resource that waits for it."""

    @composition.function(name="net")
    def compose(ctx: Any) -> None:
        held = thing(ctx, "b", id_of(thing(ctx, "a")))
        ctx.composite(Unstructured).status.b = id_of(held)
        ctx.requirements.resources["env"] = composition.ResourceSelector(
            api_version="v1", kind="ConfigMap", match_name=id_of(held)
        )

    assert told(run(compose)) == f"b waits for {NOT_YET}"


def test_in_an_operation() -> None:
    """The fatal result of an Operation has the same clauses."""

    @composition.function(name="net")
    def compose(ctx: Any) -> None:
        thing(ctx, "c", id_of(thing(ctx, "b", id_of(thing(ctx, "a")))))

    (text,) = run(compose, xr={}).fatal
    assert f"b waits for {NOT_YET}; 1 more waits for b: give" in text


def test_several_steps_tell_their_own() -> None:
    """Each step has a condition of its own with the cause of what it holds back."""

    @composition.function(name="second")
    def second(ctx: Any) -> None:
        thing(ctx, "route", id_of(ctx.observed["vpc"]))

    observed = {"vpc": vpc(condition())}
    first = run(net, observed=observed)
    after = run(second, observed=observed, desired=first.emitted, context=first.context)
    for answer, name in ((first, "subnet"), (after, "route")):
        ((_, _, message),) = answer.conditions.values()
        assert f"{name} waits for vpc.status.id (vpc isn't Synced since {SINCE}" in message


# --- another function --------------------------------------------------------------------------------------------


def made_by(*names: str) -> dict[str, Json]:
    """Return the existing VPC and subnet that functions of these names have made."""
    mark = {"annotations": {"crossplane-lite/function": ",".join(names)}} if names else {}
    return {name: {**vpc(id="v-1"), "metadata": {"name": name, **mark}} for name in ("vpc", "subnet")}


def warnings(answer: Response) -> list[str]:
    """Return the texts of the warnings."""
    assert not answer.fatal
    return [text for severity, text in answer.results if severity == "warning"]


def test_what_another_function_has_made() -> None:
    """A warning names the resources, who has made them, and both cures; the next call has none."""
    answer = run(net, observed=made_by("old-1a2b3c4d;1AAAAAAAA"))
    (text,) = warnings(answer)
    assert text.startswith("old has made subnet, vpc, and is no previous step")
    assert "formerly=['old']" in text
    assert "image" in text
    applied = {name: {**one, "status": {"id": "v-1"}} for name, one in answer.emitted.items()}
    assert not warnings(run(net, observed=applied))


@pytest.mark.parametrize("marks", [(), ("net",), ("net-1a2b3c4d",), ("old", "net")])
def test_what_is_ours_or_nobodys(marks: tuple[str, ...]) -> None:
    """There is no warning about own resources, those of another input, and those without a mark."""
    assert not warnings(run(net, observed=made_by(*marks)))


def test_what_a_previous_step_desires() -> None:
    """A resource that a previous step desires in this pipeline is that step's, and has no warning."""
    found = made_by("old")
    desired = {name: {key: one[key] for key in ("apiVersion", "kind", "metadata")} for name, one in found.items()}
    assert not warnings(run(net, observed=found, desired=desired))
    (text,) = warnings(run(net, observed=found, desired={"vpc": desired["vpc"]}))
    assert "has made subnet, and" in text


def test_a_former_name() -> None:
    """The cure works: a function with `formerly` takes the resources for its own."""
    renamed = composition.function(name="net", formerly=["old"])(net._compose)
    assert not warnings(run(renamed, observed=made_by("old")))


def test_another_kind_of_another_function() -> None:
    """An object of another kind that another function has made needs these cures, not another name in this code."""
    found = made_by("old")
    found["vpc"]["kind"] = "Gateway"
    (text,) = run(net, observed=found).fatal
    assert "'vpc' is a Gateway" in text
    assert "formerly=['old']" in text
    assert "another name" not in text
    (own,) = run(net, observed={"vpc": {**made_by("net")["vpc"], "kind": "Gateway"}}).fatal
    assert "give the new resource another name" in own
