"""Whose a resource is: names of steps, their inputs, and names that they had (design section 5a g)."""

from __future__ import annotations

from typing import Any

import pytest

from crossplane_lite import composition
from crossplane_lite._core.call.mark import NO_MARK, OTHERS, OUR_NAME, OURS, whose
from crossplane_lite.errors import UsageError
from tests.behaviour import samples
from tests.behaviour.helpers import CONDITION
from tests.behaviour.models import VPC, Bucket
from tests.support import run, run_steps


@pytest.mark.parametrize(
    ("mark", "expected"),
    [
        (None, NO_MARK),
        ("", NO_MARK),
        ("fn-01234567", OURS),
        ("other,fn-01234567", OURS),
        ("fn", OUR_NAME),
        ("fn-89abcdef", OUR_NAME),
        ("old", OURS),
        ("old-01234567", OURS),
        ("older", OTHERS),
        ("fn-012345678", OTHERS),
        ("fn-0123456g", OTHERS),
        ("other", OTHERS),
    ],
)
def test_whose(mark: str | None, expected: str) -> None:
    """A mark says whose a resource is, by name, hash of the input and former names."""
    assert whose(mark, "fn-01234567", "fn", ["old"]) == expected


@pytest.mark.parametrize("formerly", ["old", ["new"], ["a,b"], [""], [1]])
def test_former_names_are_checked(formerly: Any) -> None:
    """Former names that can't be names, the present one and a plain string are errors."""
    with pytest.raises(UsageError):
        composition.function(name="new", formerly=formerly)(lambda ctx: None)


def test_two_steps_of_one_name() -> None:
    """Two steps of one name in a pipeline are told so, with the fix."""

    def one(ctx: Any) -> None:
        ctx.resource("vpc", VPC())

    def two(ctx: Any) -> None:
        ctx.resource("bucket", Bucket())

    steps = [composition.function(name="function.compose")(body) for body in (one, two)]
    first, second = run_steps(steps)
    assert not first.fatal
    (text,) = second.fatal
    assert "'function.compose'" in text
    assert "@composition.function(name=...)" in text
    first, second = run_steps(steps, inputs=[{"a": 1}, {"a": 2}])
    assert not second.fatal
    assert sorted(second.resources) == ["bucket", "vpc"]


def test_the_condition_of_a_former_name() -> None:
    """A condition that the function wrote under a former name becomes True under the new one."""

    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        ctx.resource("bucket", Bucket()).external_name = vpc.observed.status.atProvider.vpcId

    answer = run(composition.function(name="old")(compose))
    status, reason, message = answer.conditions[CONDITION]
    assert message.startswith("old: ")
    xr = samples.xr({}, {"conditions": [{"type": CONDITION, "status": "False", "reason": reason, "message": message}]})
    found = {"vpc": samples.vpc(status={"vpcId": "v"})}
    assert run(composition.function(name="new")(compose), xr=xr, observed=found).conditions == {}
    renamed = composition.function(name="new", formerly=["old"])(compose)
    status, reason, message = run(renamed, xr=xr, observed=found).conditions[CONDITION]
    assert (status, reason) == (True, "AllResolved")
    assert message.startswith("new: ")
