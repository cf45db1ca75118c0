"""Styles that go over lists and maps, or count them."""

from __future__ import annotations

import itertools
from functools import reduce
from typing import Any

import jinja2

from tests.safety.plain import make
from tests.safety.style import ABSENT, HELD, OPEN, falls, style

# --- resources ----------------------------------------------------------------------------------------------------


@style(ABSENT, is_answer=True, wrong=OPEN)
def loop(ctx: Any, status: Any) -> None:
    for zone in status.zones:
        make(ctx, f"s-{zone}", zone=zone)


@style(ABSENT, kind="Net", wrong=OPEN)
def loop_without_types(ctx: Any, status: Any) -> None:
    for zone in status.zones:
        make(ctx, f"s-{zone}", zone=zone)


@style(ABSENT, is_answer=True, wrong=OPEN)
def loop_by_number(ctx: Any, status: Any) -> None:
    for number, subnet in enumerate(status.subnets):
        make(ctx, f"s-{number}", id=subnet.id)


@style(ABSENT, is_answer=True, wrong=OPEN)
def loop_over_indexes(ctx: Any, status: Any) -> None:
    for number in range(len(status.zones)):
        make(ctx, f"s-{number}", zone=status.zones[number])


@style(ABSENT, is_answer=True, wrong=OPEN)
def loop_over_a_map(ctx: Any, status: Any) -> None:
    for key, value in status.tags.items():
        make(ctx, f"s-{key}", x=value)


@style(ABSENT, is_answer=True, wrong=OPEN)
def loop_over_keys(ctx: Any, status: Any) -> None:
    for key in status.tags:
        make(ctx, f"s-{key}", x=status.tags[key])


@style(ABSENT, is_answer=True, wrong=OPEN)
def loop_over_pairs(ctx: Any, status: Any) -> None:
    for zone, number in zip(status.zones, range(5), strict=False):
        make(ctx, f"s-{zone}", at=number)


@style(ABSENT, is_answer=True, wrong=OPEN)
def loop_backwards(ctx: Any, status: Any) -> None:
    for zone in reversed(list(status.zones)):
        make(ctx, f"s-{zone}", zone=zone)


@style(ABSENT, is_answer=True, wrong=OPEN)
def loop_with_condition(ctx: Any, status: Any) -> None:
    for subnet in status.subnets:
        if subnet.zone == "a":
            make(ctx, "s", id=subnet.id)


@style(ABSENT, is_answer=True, wrong=OPEN)
def loop_with_break(ctx: Any, status: Any) -> None:
    for subnet in status.subnets:
        make(ctx, "s", id=subnet.id)
        break


@style({"none": {"fixed": 1}, "s-a": ABSENT, "s-b": ABSENT}, is_answer=True, wrong=OPEN)
def loop_with_else(ctx: Any, status: Any) -> None:
    found = False
    for zone in status.zones:
        found = True
        make(ctx, f"s-{zone}", zone=zone)
    if not found:
        make(ctx, "none", fixed=1)


@style(ABSENT, wrong=OPEN)
def loop_over_parts_of_text(ctx: Any, status: Any) -> None:
    for name in (status.names or "").split(","):
        if name:
            make(ctx, f"s-{name}", x=name)


@style(ABSENT, wrong=OPEN, is_answer=True)
def while_loop(ctx: Any, status: Any) -> None:
    number = 0
    while status.count and number < int(status.count):
        make(ctx, f"s-{number}", at=number)
        number += 1


@style(ABSENT, wrong=OPEN, is_answer=True)
def range_of_count(ctx: Any, status: Any) -> None:
    for number in range(status.count or 0):
        make(ctx, f"s-{number}", at=number)


@style(ABSENT, wrong=OPEN, is_answer=True)
def product(ctx: Any, status: Any) -> None:
    for zone, side in itertools.product(status.zones, ("left", "right")):
        make(ctx, f"s-{zone}-{side}", zone=zone)


@style(ABSENT, is_answer=True)
def if_list(ctx: Any, status: Any) -> None:
    if status.zones:
        make(ctx, "s", fixed=1)


@style(ABSENT, is_answer=True)
def if_length(ctx: Any, status: Any) -> None:
    if len(status.zones) > 1:
        make(ctx, "s", fixed=1)


@style(ABSENT, kind="Net")
def if_length_without_types(ctx: Any, status: Any) -> None:
    if len(status.zones) > 1:
        make(ctx, "s", fixed=1)


@style(ABSENT, is_answer=True, wrong=OPEN)
def loop_in_a_loop(ctx: Any, status: Any) -> None:
    for zone in status.zones:
        s = make(ctx, f"s-{zone}", zone=zone)
        for inner in s.observed.status.zones:
            make(ctx, f"t-{zone}-{inner}", zone=inner)


# --- fields -------------------------------------------------------------------------------------------------------


@style(OPEN, is_answer=True, wrong=OPEN)
def ids_of_each(ctx: Any, status: Any) -> None:
    make(ctx, "s", "Balancer", subnetIds=[subnet.id for subnet in status.subnets])


@style(OPEN, kind="Net", wrong=OPEN)
def ids_of_each_without_types(ctx: Any, status: Any) -> None:
    make(ctx, "s", subnetIds=[subnet.id for subnet in status.subnets])


@style(OPEN, is_answer=True, wrong=OPEN)
def copied_list(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, zones=list(status.zones))


@style(OPEN, is_answer=True, wrong=OPEN)
def unpacked_list(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, zones=["first", *status.zones])


@style(OPEN, is_answer=True, wrong=OPEN)
def extended_list(ctx: Any, status: Any) -> None:
    zones = ["first"]
    zones.extend(status.zones)
    make(ctx, "s", fixed=1, zones=zones)


@style(OPEN, is_answer=True, wrong=OPEN)
def appended_list(ctx: Any, status: Any) -> None:
    s = make(ctx, "s", "Balancer", subnetIds=["first"])
    for subnet in status.subnets:
        s.spec.subnetIds.append(subnet.id)


@style(OPEN, is_answer=True, wrong=OPEN)
def comprehended_map(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, zones={zone: {"name": zone} for zone in status.zones})


@style(OPEN, is_answer=True, wrong=OPEN)
def copied_map(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, tags=dict(status.tags))


@style(OPEN, is_answer=True, wrong=OPEN)
def merged_maps(ctx: Any, status: Any) -> None:
    make(ctx, "s", tags={"fixed": "x", **status.tags})


@falls(fixed=1, answer=True, wrong=OPEN)
def labels_of_tags(ctx: Any, status: Any) -> None:
    s = make(ctx, "s", fixed=1)
    for key, value in status.tags.items():
        s.metadata.labels[key] = value


@falls(x="", answer=True, wrong=OPEN)
def joined(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=",".join(zone for zone in status.zones))


@style(OPEN, is_answer=True, wrong=OPEN)
def sorted_list(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, zones=sorted(status.zones))


@style(OPEN, is_answer=True, wrong=OPEN)
def set_of_zones(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, zones=sorted(set(status.zones)))


@style(OPEN, is_answer=True, wrong=OPEN)
def intersection(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1, zones=sorted({"a", "x"} & set(status.zones)))


@falls(x="none", answer=True, wrong=OPEN)
def largest(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=max(status.zones, default="none"))


@falls(x="none", answer=True, wrong=OPEN)
def first_of(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=next(iter(status.zones), "none"))


@falls(x="none", answer=True, wrong=OPEN)
def first_if_any(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.zones[0] if status.zones else "none")


@falls(x=0, answer=True)
def length(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=len(status.zones))


@falls(x=0, kind="Net")
def length_without_types(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=len(status.zones))


@falls(x=2, answer=True, wrong=OPEN)
def length_at_least(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=max(len(status.subnets), 2))


@falls(x=0, answer=True, wrong=OPEN)
def sum_of(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=sum(len(zone) for zone in status.zones))


@falls(x="", answer=True, wrong=OPEN)
def reduced(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=reduce(lambda text, zone: f"{text}{zone}", status.zones, ""))


@falls(x=[], answer=True, wrong=OPEN)
def mapped_to_nothing_of_it(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=["zone" for _ in status.zones])


@falls(fixed=1, answer=True, wrong=OPEN)
def numbered_fields(ctx: Any, status: Any) -> None:
    s = make(ctx, "s", fixed=1)
    for number, zone in enumerate(status.zones):
        setattr(s.spec, f"zone{number}", zone)


@falls(x="none", wrong=OPEN, answer=True)
def any_in_a_generator(ctx: Any, status: Any) -> None:
    make(ctx, "s", x="some" if any(subnet.id for subnet in status.subnets) else "none")


@style({}, is_answer=True, open=("resource-gone-Ready", "resource-gone-NotReady"))
def status_of_a_loop(ctx: Any, xr: Any, status: Any) -> None:
    xr.status.zones = [zone for zone in status.zones]  # noqa: C416


@style({}, is_answer=True, open=("resource-gone-Ready", "resource-gone-NotReady"))
def count_in_the_status(ctx: Any, xr: Any, status: Any) -> None:
    xr.status.zones = len(status.zones)


@style(HELD, wrong=OPEN)
def unpacked_into_names(ctx: Any, status: Any) -> None:
    first, second = status.zones[0], status.zones[1]
    make(ctx, "s", first=first, second=second)


# --- Jinja2 --------------------------------------------------------------------------------------------------------

JINJA = jinja2.Environment(autoescape=False)


@style(HELD)
def jinja_text(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=JINJA.from_string("vpc: {{ id }}").render(id=status.id))


@falls(x="none")
def jinja_if(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=JINJA.from_string("{% if id %}some{% else %}none{% endif %}").render(id=status.id))


@falls(x="[]", answer=True, wrong=OPEN)
def jinja_loop(ctx: Any, status: Any) -> None:
    text = JINJA.from_string("[{% for zone in zones %}{{ zone }},{% endfor %}]").render(zones=status.zones)
    make(ctx, "s", x=text)


@falls(x="none")
def jinja_default(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=JINJA.from_string("{{ id or 'none' }}").render(id=status.id))
