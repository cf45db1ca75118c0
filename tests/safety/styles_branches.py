"""Styles that decide by a value: whether something is composed, which of two things, or what a field says."""

from __future__ import annotations

import contextlib
from collections import ChainMap, Counter
from collections.abc import Iterator
from typing import Any

from crossplane_lite import Observable
from crossplane_lite.errors import UnresolvedError
from tests.safety.plain import make
from tests.safety.style import ABSENT, HELD, OPEN, falls, style

# --- whether something is composed --------------------------------------------------------------------------------


@style(ABSENT)
def if_value(ctx: Any, status: Any) -> None:
    if status.id:
        make(ctx, "s", x=status.id)


@style(ABSENT, kind="Net")
def if_value_without_types(ctx: Any, status: Any) -> None:
    if status.id:
        make(ctx, "s", x=status.id)


@style(ABSENT)
def if_value_and_nothing_of_it(ctx: Any, status: Any) -> None:
    if status.id:
        make(ctx, "s", fixed=1)


@style(ABSENT)
def if_not_return(ctx: Any, status: Any) -> None:
    if not status.id:
        return
    make(ctx, "s", x=status.id)


@style(ABSENT)
def early_returns(ctx: Any, status: Any) -> None:
    if not status.id:
        return
    s = make(ctx, "s", x=status.id)
    if not s.observed.status.arn:
        return
    t = make(ctx, "t", x=s.observed.status.arn)
    if not t.observed.status.arn:
        return
    make(ctx, "u", x=t.observed.status.arn)


@style(ABSENT)
def walrus(ctx: Any, status: Any) -> None:
    if found := status.id:
        make(ctx, "s", x=found)


@style(ABSENT)
def bool_of(ctx: Any, status: Any) -> None:
    is_there = bool(status.id)
    if is_there is True:
        make(ctx, "s", fixed=1)


@style(ABSENT)
def all_of(ctx: Any, status: Any) -> None:
    if all([status.id, status.arn, status.phase]):
        make(ctx, "s", x=status.id)


@style(ABSENT)
def any_of(ctx: Any, status: Any) -> None:
    if any(value for value in (status.id, status.arn)):
        make(ctx, "s", fixed=1)


@style(ABSENT)
def and_of(ctx: Any, status: Any) -> None:
    if status.id and status.endpoint.host:
        make(ctx, "s", x=f"{status.id}/{status.endpoint.host}")


@style(HELD)
def is_not_none(ctx: Any, status: Any) -> None:
    if status.id is not None:
        make(ctx, "s", x=status.id)


@style(HELD)
def unless_none_return(ctx: Any, status: Any) -> None:
    if status.id is None:
        return
    make(ctx, "s", x=status.id)


@style(ABSENT)
def isinstance_str(ctx: Any, status: Any) -> None:
    if isinstance(status.id, str):
        make(ctx, "s", x=status.id)


@style(ABSENT, is_answer=True)
def isinstance_of_several(ctx: Any, status: Any) -> None:
    if isinstance(status.count, (int, float)):
        make(ctx, "s", x=status.count)


@style(ABSENT)
def not_an_observable(ctx: Any, status: Any) -> None:
    if not isinstance(status.id, Observable):
        make(ctx, "s", x=status.id)


@style(ABSENT)
def type_is(ctx: Any, status: Any) -> None:
    if type(status.id) is str:
        make(ctx, "s", x=status.id)


@style(OPEN)
def has_attribute(ctx: Any, status: Any) -> None:
    if hasattr(status.id, "upper"):
        make(ctx, "s", fixed=1)


@style(ABSENT)
def match_type(ctx: Any, status: Any) -> None:
    match status.id:
        case str():
            make(ctx, "s", x=status.id)


@style(ABSENT)
def match_type_and_capture(ctx: Any, status: Any) -> None:
    match status.id:
        case str(found):
            make(ctx, "s", x=found)
        case _:
            return


@style(ABSENT)
def match_value(ctx: Any, status: Any) -> None:
    match status.phase:
        case "Available" | "Active":
            make(ctx, "s", fixed=1)


@style(ABSENT, wrong=OPEN, is_answer=True)
def match_guard(ctx: Any, status: Any) -> None:
    match status.count:
        case int(n) if n > 2:
            make(ctx, "s", x=n)


@style(ABSENT, is_answer=True)
def match_sequence(ctx: Any, status: Any) -> None:
    match status.zones:
        case [first, *_]:
            make(ctx, "s", x=first)


@style(ABSENT, is_answer=True)
def match_mapping(ctx: Any, status: Any) -> None:
    match status.tags:
        case {"team": team}:
            make(ctx, "s", x=team)


@style(ABSENT)
def equal(ctx: Any, status: Any) -> None:
    if status.phase == "Available":
        make(ctx, "s", fixed=1)


@style(ABSENT)
def equal_reversed(ctx: Any, status: Any) -> None:
    if "Available" == status.phase:  # noqa: SIM300
        make(ctx, "s", fixed=1)


@style(OPEN)
def not_empty(ctx: Any, status: Any) -> None:
    if status.id != "":
        make(ctx, "s", fixed=1)


@style(ABSENT)
def one_of(ctx: Any, status: Any) -> None:
    if status.phase in ("Available", "Active"):
        make(ctx, "s", fixed=1)


@style(ABSENT)
def one_of_a_set(ctx: Any, status: Any) -> None:
    if status.phase in {"Available", "Active"}:
        make(ctx, "s", fixed=1)


@style(ABSENT, is_answer=True)
def contains(ctx: Any, status: Any) -> None:
    if "a" in status.zones:
        make(ctx, "s", fixed=1)


@style(ABSENT, is_answer=True)
def has_key(ctx: Any, status: Any) -> None:
    if "team" in status.tags:
        make(ctx, "s", fixed=1)


@style(ABSENT, is_answer=True)
def if_flag(ctx: Any, status: Any) -> None:
    if status.isDefault:
        make(ctx, "s", fixed=1)


@style(ABSENT, kind="Net")
def if_flag_without_types(ctx: Any, status: Any) -> None:
    if status.isDefault:
        make(ctx, "s", fixed=1)


@style(ABSENT, is_answer=True)
def flag_is_true(ctx: Any, status: Any) -> None:
    if status.isDefault == True:  # noqa: E712
        make(ctx, "s", fixed=1)


@style(OPEN, is_answer=True)
def flag_is_the_object_true(ctx: Any, status: Any) -> None:
    if status.isDefault is True:
        make(ctx, "s", fixed=1)


@style(ABSENT)
def if_object(ctx: Any, status: Any) -> None:
    if status.endpoint:
        make(ctx, "s", host=status.endpoint.host)


@style(ABSENT)
def if_in_object(ctx: Any, status: Any) -> None:
    if status.endpoint.host:
        make(ctx, "s", host=status.endpoint.host)


@style(ABSENT)
def suppressed(ctx: Any, status: Any) -> None:
    with contextlib.suppress(Exception):
        make(ctx, "s", port=int(status.port))


@style(ABSENT)
def except_value_error(ctx: Any, status: Any) -> None:
    try:
        port = int(status.port)
    except (TypeError, ValueError):
        return
    make(ctx, "s", port=port)


@style(ABSENT)
def except_unresolved(ctx: Any, status: Any) -> None:
    try:
        port = int(status.port)
    except UnresolvedError:
        return
    make(ctx, "s", port=port)


@style(ABSENT, is_number=True)
def except_anything_else(ctx: Any, status: Any) -> None:
    try:
        number = float(status.ratio)
    except Exception:
        number = 0.0
    else:
        make(ctx, "s", ratio=number)


@style(ABSENT, wrong=OPEN, is_answer=True)
def except_key_error(ctx: Any, status: Any) -> None:
    try:
        team = dict(status.tags)["team"]
    except KeyError:
        return
    make(ctx, "s", x=team)


@style(ABSENT)
def generator(ctx: Any, status: Any) -> None:
    def wanted() -> Iterator[tuple[str, Any]]:
        if status.id:
            yield "s", status.id

    for name, value in wanted():
        make(ctx, name, x=value)


@style(ABSENT)
def table_of_conditions(ctx: Any, status: Any) -> None:
    for name, condition in {"s": status.id, "t": status.arn}.items():
        if condition:
            make(ctx, name, fixed=1)


@style(ABSENT)
def filtered(ctx: Any, status: Any) -> None:
    for number, value in enumerate(filter(None, [status.id, status.arn])):
        make(ctx, f"s-{number}", x=value)


@style(ABSENT)
def next_of(ctx: Any, status: Any) -> None:
    found = next((value for value in (status.id, status.arn) if value), None)
    if found:
        make(ctx, "s", x=found)


@style(ABSENT)
async def if_in_a_coroutine(ctx: Any, status: Any) -> None:
    if status.id:
        make(ctx, "s", x=status.id)


@style(ABSENT)
def through_a_predicate(ctx: Any, vpc: Any) -> None:
    def is_usable(resource: Any) -> bool:
        return bool(resource.observed.status.id) and resource.observed.status.phase == "Available"

    if is_usable(vpc):
        make(ctx, "s", fixed=1)


@style(ABSENT)
def exists(ctx: Any, vpc: Any) -> None:
    if vpc.observed.status.id and vpc.observed:
        make(ctx, "s", fixed=1)


@style(ABSENT)
def removed_in_a_branch(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1)
    if not status.id:
        ctx.remove("s")


@style({"s": {"fixed": 1}})
def removed_after_all(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1)
    if status.id:
        make(ctx, "t", fixed=2)
        ctx.remove("t")


# --- which of two -------------------------------------------------------------------------------------------------


@style({"init": {"fixed": 1}, "s": ABSENT})
def replica_or_init(ctx: Any, status: Any) -> None:
    if status.id:
        make(ctx, "s", x=status.id)
    else:
        make(ctx, "init", fixed=1)


@style({"a": ABSENT, "b": ABSENT, "c": {"fixed": 3}})
def elif_chain(ctx: Any, status: Any) -> None:
    if status.phase == "Available":
        make(ctx, "a", fixed=1)
    elif status.phase == "Creating":
        make(ctx, "b", fixed=2)
    else:
        make(ctx, "c", fixed=3)


@falls(mode="init")
def one_with_two_bodies(ctx: Any, status: Any) -> None:
    if status.id:
        make(ctx, "s", mode="replica")
    else:
        make(ctx, "s", mode="init")


@style(OPEN)
def kind_by_value(ctx: Any, status: Any) -> None:
    make(ctx, "s", "Replica" if status.id else "Primary", fixed=1)


@style(OPEN)
def name_by_value(ctx: Any, status: Any) -> None:
    make(ctx, "s-full" if status.id else "s-bare", fixed=1)


# --- what a field says --------------------------------------------------------------------------------------------


@falls(x="none")
def or_default(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.id or "none")


@falls(x="none", kind="Net")
def or_default_without_types(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.id or "none")


@falls(x="none")
def conditional_expression(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.id if status.id else "none")


@falls(x="no")
def conditional_expression_without_it(ctx: Any, status: Any) -> None:
    make(ctx, "s", x="yes" if status.id else "no")


@falls(x="none")
def or_chain(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.id or status.arn or "none")


@falls(x="", wrong=OPEN)
def or_then_method(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=(status.id or "").upper())


@falls(size=1, answer=True)
def number_or_default(ctx: Any, status: Any) -> None:
    make(ctx, "s", size=status.count or 1)


@falls(public=False, answer=True)
def flag_or_default(ctx: Any, status: Any) -> None:
    make(ctx, "s", public=status.isDefault or False)


@falls(private=True, answer=True)
def not_flag(ctx: Any, status: Any) -> None:
    make(ctx, "s", private=not status.isDefault)


@falls(fixed=1)
def field_in_a_branch(ctx: Any, status: Any) -> None:
    s = make(ctx, "s", fixed=1)
    if status.id:
        s.spec.x = status.id
        s.metadata.labels["vpc"] = "yes"


@falls(fixed=1)
def unpacked_in_a_branch(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, **({"x": status.id} if status.id else {}))


@falls(fixed=1)
def or_none(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=status.id or None)


@falls(fixed=1)
def isinstance_for_a_field(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=status.id if isinstance(status.id, str) else None)


@falls(fixed=1, x="unknown")
def match_for_a_field(ctx: Any, status: Any) -> None:
    match status.id:
        case str(found):
            value = found
        case _:
            value = "unknown"
    make(ctx, "s", fixed=1, x=value)


@falls(fixed=1, port=80)
def try_for_a_field(ctx: Any, status: Any) -> None:
    try:
        port = int(status.port)
    except (TypeError, ValueError):
        port = 80
    make(ctx, "s", fixed=1, port=port)


@falls(fixed=1, rules=[{"name": "always", "target": "x"}])
def element_in_a_branch(ctx: Any, status: Any) -> None:
    rules = [{"name": "always", "target": "x"}]
    if status.id:
        rules.append({"name": "vpc", "target": "fixed"})
    make(ctx, "s", fixed=1, rules=rules)


@falls(fixed=1, x="b")
def looked_up_by_truth(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x={True: "a", False: "b"}[bool(status.id)])


@falls(fixed=1, x="b")
def indexed_by_truth(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, x=("b", "a")[status.phase == "Available"])


@falls(x="none")
def default_of_get(ctx: Any, status: Any) -> None:
    make(ctx, "s", x={"Available": "up"}.get(status.phase, "none"))


@falls(x="none", answer=True, wrong=OPEN)
def get_of_a_map(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=dict(status.tags).get("team", "none"))


@falls(x="base", answer=True, wrong=OPEN)
def chained_maps(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=ChainMap(dict(status.tags), {"team": "base"})["team"])


@falls(x=0, answer=True)
def counted(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=Counter(zone for zone in status.zones)["a"])


@style({}, open=("resource-gone-Ready", "resource-gone-NotReady"))
def phase_of_the_composite(ctx: Any, xr: Any, status: Any) -> None:
    xr.status.phase = "Ready" if status.id else "Pending"


@style({})
def condition_of_the_composite(ctx: Any, status: Any) -> None:
    if status.id:
        ctx.conditions.set("NetworkReady", True, reason="HasId")
    else:
        ctx.conditions.set("NetworkReady", False, reason="NoId")


@falls(fixed=1)
def ready_in_a_branch(ctx: Any, status: Any) -> None:
    s = make(ctx, "s", fixed=1)
    s.ready = bool(status.id)


@falls(fixed=1)
def deleted_field(ctx: Any, status: Any) -> None:
    s = make(ctx, "s", fixed=1, x="y")
    if not status.id:
        del s.spec.x
