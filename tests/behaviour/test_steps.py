"""Several steps of one pipeline that all use this SDK (design section 5, "Several steps")."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import composition
from tests.behaviour import samples
from tests.behaviour.models import VPC, Bucket, BucketACL, BucketSpec, ForProvider, Subnet
from tests.support import ALL_CAPABILITIES, HELD_BACK, Response, run, run_steps, with_conditions

CONDITION = "DependenciesResolved"
VPC_READY = {"vpc": samples.vpc(status={"vpcId": "v"})}


def held(answer: Response) -> str:
    """Return the context entry as text."""
    return json.dumps(answer.context.get(HELD_BACK))


def step(name: str, *buckets: str) -> Any:
    """Return a step that composes the VPC, and buckets that wait for it."""

    @composition.function(name=name)
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        for bucket in buckets:
            provider = ForProvider(project=vpc.observed.status.atProvider.vpcId)
            ctx.resource(bucket, Bucket(spec=BucketSpec(forProvider=provider)))

    return compose


def test_a_step_that_holds_something_back_says_so_in_the_context() -> None:
    """What a step holds back is listed in the context, beside what is in there already."""
    answer = run(step("first", "waiting-bucket"), context={"other": 1})
    assert "waiting-bucket" in held(answer)
    assert answer.context["other"] == 1


def test_a_step_that_never_holds_back_adds_nothing() -> None:
    """A step that never holds anything back adds no context entry and no condition."""
    answer = run(step("first", "bucket"), observed=VPC_READY)
    assert HELD_BACK not in answer.context
    assert not answer.conditions
    answer = run(step("first"), context={"other": 1})
    assert answer.context == {"other": 1}


def test_each_step_keeps_its_own_list() -> None:
    """Two steps that hold something back have both their lists in the context."""
    first, second = run_steps([step("first", "bucket-one"), step("second", "bucket-two")])
    assert "bucket-one" in held(first)
    assert "bucket-two" not in held(first)
    assert "bucket-one" in held(second)
    assert "bucket-two" in held(second)


def test_a_step_replaces_its_list() -> None:
    """A step that is called again with its own answer's context replaces its list and doesn't append to it."""
    fn = step("first", "bucket-one", "bucket-two")
    once = run(fn)
    again = run(fn, context=once.context)
    assert again.context == once.context
    resolved = run(fn, context=once.context, observed=VPC_READY)
    assert sorted(resolved.resources) == ["bucket-one", "bucket-two", "vpc"]
    assert "bucket-one" not in held(resolved)
    assert "bucket-two" not in held(resolved)


def test_a_step_that_resolves_leaves_other_lists_alone() -> None:
    """A step's change of its own list doesn't touch another step's."""

    @composition.function(name="other")
    def other(ctx: Any) -> None:
        subnet = ctx.resource("subnet", Subnet())
        ctx.resource("acl", BucketACL()).spec.forProvider.bucket = subnet.observed.status.atProvider.id

    fn = step("first", "bucket-one")
    both = run_steps([fn, other])[1]
    resolved = run(fn, context=both.context, observed=VPC_READY)
    assert "bucket-one" not in held(resolved)
    assert "acl" in held(resolved)


def test_the_list_does_not_depend_on_conditions() -> None:
    """Where the caller knows no conditions, steps still tell each other what they hold back."""
    supported = [c for c in ALL_CAPABILITIES if c != "CAPABILITY_CONDITIONS"]
    first, second = run_steps([step("first", "shared"), registering("second")], capabilities=supported)
    assert "shared" in held(first)
    assert list(second.resources) == ["vpc"]


def registering(name: str, **fields: Any) -> Any:
    """Return a step that registers the resolved bucket "shared"."""

    @composition.function(name=name)
    def compose(ctx: Any) -> None:
        ctx.resource("shared", Bucket(spec=BucketSpec(forProvider=ForProvider(**fields))))

    return compose


def test_a_name_that_another_step_holds_back_is_held_back_here() -> None:
    """A resource that a previous step holds back isn't created by a later one that has nothing unresolved."""
    first, second = run_steps([step("first", "shared"), registering("second", location="US")])
    assert list(first.resources) == ["vpc"]
    assert list(second.resources) == ["vpc"]
    assert second.composite_ready is False
    assert not second.fatal


def test_a_name_that_was_held_back_is_released() -> None:
    """Once the previous step emits it, the later one merges into it."""
    _, second = run_steps([step("first", "shared"), registering("second", location="US")], observed=VPC_READY)
    assert second.resources["shared"]["spec"]["forProvider"] == {"location": "US", "project": "v"}
    assert second.composite_ready is None


def test_an_own_entry_does_not_hold_back() -> None:
    """A step's own list of an earlier call doesn't hold anything back."""
    fn = step("first", "bucket")
    answer = run(fn, context=run(fn).context, observed=VPC_READY)
    assert "bucket" in answer.resources


def test_two_steps_use_two_condition_types() -> None:
    """The first step uses the plain condition type, one that finds another's entry adds its name."""
    first, second = run_steps([step("first", "bucket-one"), step("second", "bucket-two")])
    assert list(first.conditions) == [CONDITION]
    assert list(second.conditions) == [f"{CONDITION}-second"]
    assert first.conditions[CONDITION][0] is False
    assert second.conditions[f"{CONDITION}-second"][0] is False
    assert "bucket-two waits for vpc.status.atProvider.vpcId" in second.conditions[f"{CONDITION}-second"][2]


def test_a_step_keeps_its_condition_type_in_the_requirements_loop() -> None:
    """A step that only finds its own entry in the context keeps the plain type."""
    fn = step("first", "bucket-one")
    answer = run(fn, context=run(fn).context)
    assert list(answer.conditions) == [CONDITION]


def test_conditions_of_two_steps_settle() -> None:
    """Reconciling again with the stored conditions gives the same conditions: nothing changes in turn."""
    steps = [step("first", "bucket-one"), step("second", "bucket-two")]
    once = run_steps(steps)
    again = run_steps(steps, xr=with_conditions(None, *once))
    assert [a.conditions for a in again] == [a.conditions for a in once]
    assert all(not a.results for a in again)


SAME = "same"


@composition.function(name=SAME)
def by_input(ctx: Any) -> None:
    """Compose a bucket that is called as the input says."""
    vpc = ctx.resource(f"vpc-{ctx.input['bucket']}", VPC())
    provider = ForProvider(project=vpc.observed.status.atProvider.vpcId)
    ctx.resource(ctx.input["bucket"], Bucket(spec=BucketSpec(forProvider=provider)))


INPUTS = [{"bucket": "bucket-one"}, {"bucket": "bucket-two"}]


def test_the_same_function_twice() -> None:
    """One function in two steps with different inputs keeps two lists and uses two condition types."""
    first, second = run_steps([by_input, by_input], INPUTS)
    assert "bucket-one" in held(second)
    assert "bucket-two" in held(second)
    assert list(first.conditions) == [CONDITION]
    (type_,) = second.conditions
    assert type_.startswith(f"{CONDITION}-{SAME}")


def test_the_same_function_three_times() -> None:
    """Steps of one function never write the same condition, because that would change it in turn forever."""
    answers = run_steps([by_input] * 3, [*INPUTS, {"bucket": "bucket-three"}])
    types = [type_ for answer in answers for type_ in answer.conditions]
    assert len(types) == len(set(types)) == 3


def test_the_same_function_twice_resolves_by_step() -> None:
    """With two steps of one function, one step's resolving leaves the other's list."""
    observed = {"vpc-bucket-one": samples.vpc(status={"vpcId": "v"})}
    first, second = run_steps([by_input, by_input], INPUTS, observed=observed)
    assert "bucket-one" in first.resources
    assert "bucket-one" not in held(second)
    assert "bucket-two" in held(second)
    assert sorted(second.resources) == ["bucket-one", "vpc-bucket-one", "vpc-bucket-two"]


@pytest.mark.parametrize("later_resolved", [True, False])
def test_an_earlier_steps_ready_false_stays(later_resolved: bool) -> None:
    """Whatever a later step holds back or not, the composite isn't ready while the first one waits."""
    later = registering("second") if later_resolved else step("second", "bucket-two")
    assert run_steps([step("first", "bucket-one"), later])[1].composite_ready is False


def test_a_guess_of_one_step_does_not_concern_the_other() -> None:
    """Resources of a step that didn't guess are free to go, though another step of the pipeline guessed."""

    @composition.function(name="guesses")
    def guesses(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        if vpc.observed.status.atProvider.vpcId:
            ctx.resource("never", Bucket())

    answers = run_steps([guesses, registering("second")], observed={"theirs": samples.bucket(ours="second")})
    assert not answers[0].fatal
    assert not answers[1].fatal


def test_steps_wait_for_each_others_resources() -> None:
    """A later step can wait for a resource that an earlier one composes."""

    @composition.function(name="first")
    def first(ctx: Any) -> None:
        ctx.resource("vpc", VPC())

    @composition.function(name="second")
    def second(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        ctx.resource("subnet", Subnet()).spec.forProvider.vpcId = vpc.observed.status.atProvider.vpcId

    assert sorted(run_steps([first, second])[1].resources) == ["vpc"]
    answer = run_steps([first, second], observed=VPC_READY)[1]
    assert answer.resources["subnet"]["spec"]["forProvider"] == {"vpcId": "v"}


@composition.function(name="first")
def only_a_vpc(ctx: Any) -> None:
    """Compose a VPC, and wait for nothing."""
    ctx.resource("vpc", VPC())


@composition.function(name="second")
def a_subnet_too(ctx: Any) -> None:
    """Compose a subnet that waits for the VPC."""
    vpc = ctx.resource("vpc", VPC())
    ctx.resource("subnet", Subnet()).spec.forProvider.vpcId = vpc.observed.status.atProvider.vpcId


@pytest.mark.parametrize("observed", [{}, {"vpc": samples.vpc()}, VPC_READY], ids=["nothing", "a VPC", "a ready VPC"])
def test_a_step_does_not_take_over_another_steps_condition(observed: dict[str, Any]) -> None:
    """A step that waits for nothing stays silent when the XR has the condition of a step that does."""
    before = run_steps([only_a_vpc, a_subnet_too])
    assert list(before[1].conditions) == [CONDITION]
    xr = with_conditions(None, *before)
    first, second = run_steps([only_a_vpc, a_subnet_too], xr=xr, observed=observed)
    assert not first.conditions
    assert not first.results
    assert HELD_BACK not in first.context
    assert list(second.conditions) == [CONDITION]
    assert second.conditions[CONDITION][0] is (observed is VPC_READY)
    if observed is not VPC_READY:
        why = "vpc is observed, isn't Ready and doesn't have it" if observed else "vpc isn't observed yet"
        need = {"name": "subnet", "of": "vpc", "path": "vpc.status.atProvider.vpcId", "why": why}
        entry = json.loads(held(second))["second"]
        assert (entry["held"], entry["waits"]) == (["subnet"], [need])


def test_the_conditions_of_two_steps_settle() -> None:
    """Once nothing changes any more, reconciles with stored conditions give the same conditions and no results."""
    xr = with_conditions(None, *run_steps([only_a_vpc, a_subnet_too], observed=VPC_READY))
    for observed in ({}, VPC_READY):
        xr = with_conditions(xr, *run_steps([only_a_vpc, a_subnet_too], xr=xr, observed=observed))
        again = run_steps([only_a_vpc, a_subnet_too], xr=xr, observed=observed)
        assert with_conditions(xr, *again) == xr
        assert not [result for answer in again for result in answer.results]


# --- the step's name ---------------------------------------------------------------------------------------------

PROGRAM = """
from crossplane_lite import composition

@composition.function
def compose(ctx):
    pass

if __name__ == "__main__":
    print(compose.name)
"""


@pytest.mark.parametrize(
    ("path", "command", "expected"),
    [
        ("network.py", ["network.py"], "network.compose"),
        ("network.py", ["-m", "network"], "network.compose"),
        ("network.py", ["-c", "import network; print(network.compose.name)"], "network.compose"),
        ("package/network.py", ["-m", "package.network"], "package.network.compose"),
        ("package/network.py", ["-c", "import package.network as n; print(n.compose.name)"], "package.network.compose"),
        ("package/__main__.py", ["-m", "package"], "package.compose"),
    ],
    ids=["file", "module", "import", "module of a package", "import from a package", "package"],
)
def test_a_steps_name_is_the_same_however_it_is_started(
    tmp_path: Path, path: str, command: list[str], expected: str
) -> None:
    """The default name is the one of the module, whether it is imported or run as the program."""
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text(PROGRAM)
    root = Path(composition.__file__).parents[1]
    ran = subprocess.run(
        [sys.executable, *command],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root), str(tmp_path)])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == expected
