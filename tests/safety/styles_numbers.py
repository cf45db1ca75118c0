"""Styles that compute: numbers, parsers, and what raises where a value is missing."""

from __future__ import annotations

import datetime
import decimal
import fractions
import ipaddress
import json
import math
import re
from base64 import b64decode
from typing import Any

import yaml

from crossplane_lite import apply
from tests.safety.plain import make
from tests.safety.style import INTERRUPTED, OPEN, UNCHANGED, falls, style

# --- what raises --------------------------------------------------------------------------------------------------


@style(INTERRUPTED)
def int_of(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=int(status.port))


@style(INTERRUPTED, kind="Net")
def int_of_without_types(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=int(status.port))


@style(INTERRUPTED, is_number=True)
def float_of(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=float(status.ratio))


@style(INTERRUPTED, is_number=True)
def plus(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.count + 1)


@style(INTERRUPTED, is_number=True)
def minus(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=10 - status.count)


@style(INTERRUPTED, is_number=True)
def times(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=2 * status.count)


@style(INTERRUPTED, is_number=True)
def divided(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.count / 2)


@style(INTERRUPTED, is_number=True)
def divided_with_rest(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=list(divmod(status.count, 2)))


@style(INTERRUPTED, is_number=True)
def negative(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=abs(-status.count))


@style(INTERRUPTED, is_number=True)
def rounded(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=round(status.ratio))


@style(INTERRUPTED, is_number=True)
def rounded_up(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=math.ceil(status.ratio))


@style(INTERRUPTED, is_number=True)
def more_than(ctx: Any, status: Any) -> None:
    if status.count > 2:
        make(ctx, "s", fixed=1)


@style(INTERRUPTED, is_number=True)
def between(ctx: Any, status: Any) -> None:
    if 1 < status.count < 10:
        make(ctx, "s", fixed=1)


@style(INTERRUPTED, is_number=True)
def at_least_one(ctx: Any, status: Any) -> None:
    make(ctx, "s", size=max(status.count, 1))


@style(INTERRUPTED, is_number=True)
def sum_of_values(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=sum([status.count, status.ratio]))


@style(INTERRUPTED, wrong=OPEN, is_number=True)
def as_an_index(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=["a", "b", "c", "d"][status.count])


@style(INTERRUPTED, wrong=OPEN, is_number=True)
def range_of(ctx: Any, status: Any) -> None:
    for number in range(status.count):
        make(ctx, f"s-{number}", at=number)


@style(INTERRUPTED)
def method_of_a_string(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.id.upper().replace("-", "_"))


@style(INTERRUPTED)
def split_string(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.arn.split("/")[-1])


@style(OPEN)
def sliced_value(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.id[:3])


@style(OPEN, lost=UNCHANGED)
def join_of_values(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=",".join([status.id, status.arn]))


@style(INTERRUPTED, wrong=OPEN)
def network_or_empty(ctx: Any, status: Any) -> None:
    network = ipaddress.ip_network(status.cidr or "")
    make(ctx, "s", cidr=str(next(network.subnets(new_prefix=24))))


@style(INTERRUPTED, wrong=OPEN)
def network(ctx: Any, status: Any) -> None:
    make(ctx, "s", cidr=str(ipaddress.ip_network(status.cidr)))


@style(INTERRUPTED, wrong=OPEN)
def network_of_text(ctx: Any, status: Any) -> None:
    make(ctx, "s", cidr=str(ipaddress.ip_network(f"{status.cidr}").network_address))


@style(INTERRUPTED, wrong=OPEN)
def parsed_json(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=json.loads(status.doc)["k"])


@style(INTERRUPTED, wrong=OPEN)
def parsed_json_of_text(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=json.loads(str(status.doc))["k"])


@style(OPEN, wrong=OPEN)
def parsed_yaml_of_text(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=yaml.safe_load(str(status.doc))["k"])


@style(INTERRUPTED, wrong=OPEN)
def required_pattern(ctx: Any, status: Any) -> None:
    found = re.search(r"vpc-(\d+)", f"{status.id}")
    assert found is not None
    make(ctx, "s", x=found.group(1))


@style(OPEN, lost=UNCHANGED, wrong=OPEN)
def date(ctx: Any, status: Any) -> None:
    created = datetime.datetime.fromisoformat(status.created)
    make(ctx, "s", year=created.year)


@style(INTERRUPTED, wrong=OPEN)
def decoded(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=len(b64decode(status.id.replace("-", "") + "A", validate=True)))


@style(INTERRUPTED, wrong=OPEN)
def exact_number(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=str(decimal.Decimal(str(status.port)) * 2))


@style(INTERRUPTED, wrong=OPEN)
def fraction(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=str(fractions.Fraction(f"{status.port}")))


@style(INTERRUPTED, wrong=OPEN, is_answer=True)
def first_of_a_sorted_list(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=sorted(status.zones)[0])


@style(INTERRUPTED, wrong=OPEN, is_answer=True)
def unpacked_pair(ctx: Any, status: Any) -> None:
    first, second = status.zones
    make(ctx, "s", first=first, second=second)


@style(INTERRUPTED, wrong=OPEN, is_answer=True)
def key_of_a_copy(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=dict(status.tags)["team"])


@style(INTERRUPTED, wrong=OPEN)
def raised_between_two(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1)
    make(ctx, "t", x=int(status.port))


@style(OPEN, wrong=OPEN)
def own_exception(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1)
    if not status.id:
        raise RuntimeError("the network has no id yet")
    make(ctx, "t", x=status.id)


@style(INTERRUPTED)
def own_exception_about_a_value(ctx: Any, status: Any) -> None:
    if not status.id:
        raise ValueError(f"not an id: {status.id}")
    make(ctx, "s", x=status.id)


# --- what falls back ----------------------------------------------------------------------------------------------


@falls(x=0)
def int_or_zero(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=int(status.port or 0))


@falls(x=1, answer=True)
def plus_or_zero(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=(status.count or 0) + 1)


@falls(x=0.0, answer=True, wrong=OPEN)
def float_or_zero(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=round(float(status.ratio or 0), 1))


@falls(x=False, answer=True, wrong=OPEN)
def compared_or_zero(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=(status.count or 0) > 2)


@falls(x={}, wrong=OPEN)
def parsed_json_or_empty(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=json.loads(status.doc or "{}"))


@falls(cidr="10.1.0.0/16", wrong=OPEN)
def network_or_default(ctx: Any, status: Any) -> None:
    make(ctx, "s", cidr=str(ipaddress.ip_network(status.cidr or "10.1.0.0/16")))


@style({"s": {"x": "unknown"}}, is_number=True)
def exception_for_a_field(ctx: Any, status: Any) -> None:
    try:
        value = "many" if status.count > 2 else "few"
    except TypeError:
        value = "unknown"
    make(ctx, "s", x=value)


@style(OPEN, wrong=OPEN)
def arithmetic_by_apply(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=apply(lambda n: n + 1, status.count))
