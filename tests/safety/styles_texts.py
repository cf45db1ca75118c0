"""Styles that use a value, and ask besides what it is: its text, or its type. No Observable notices such a question."""

from __future__ import annotations

import base64
import collections
import hashlib
import json
import re
from typing import Any

from tests.safety.plain import make
from tests.safety.style import ABSENT, HELD, OPEN, falls, style

USED = {"a": HELD, "s": ABSENT}


@style(USED, wrong=OPEN)
def used_and_starts_with(ctx: Any, status: Any) -> None:
    make(ctx, "a", x=f"{status.id}")
    if f"{status.id}".startswith("vpc-"):
        make(ctx, "s", fixed=1)


@style(USED, wrong=OPEN)
def used_and_matched(ctx: Any, status: Any) -> None:
    make(ctx, "a", x=f"id: {status.id}.")
    if re.fullmatch(r"vpc-\d+", str(status.id)):
        make(ctx, "s", fixed=1)


@style(USED, wrong=OPEN)
def used_and_short(ctx: Any, status: Any) -> None:
    make(ctx, "a", x=f"{status.id}")
    if len(f"{status.id}") < 12:
        make(ctx, "s", fixed=1)


@style(USED, wrong=OPEN)
def used_and_parsed(ctx: Any, status: Any) -> None:
    make(ctx, "a", x=f"{status.doc}")
    try:
        parsed = json.loads(f"{status.doc}")
    except ValueError:
        return
    make(ctx, "s", x=parsed["k"])


@style({"a": HELD, "s": ABSENT, "waiting": {"fixed": 1}}, wrong=OPEN)
def used_and_one_of_two(ctx: Any, status: Any) -> None:
    make(ctx, "a", x=str(status.phase))
    if str(status.phase) == "Available":
        make(ctx, "s", fixed=1)
    else:
        make(ctx, "waiting", fixed=1)


@style({"a": HELD, "s": {"x": "down"}}, wrong=OPEN)
def used_and_a_field_says_it(ctx: Any, status: Any) -> None:
    make(ctx, "a", x=str(status.phase))
    make(ctx, "s", x="up" if str(status.phase) == "Available" else "down")


@style({"a": HELD, "s": {"x": "small", "port": 80}}, wrong=OPEN)
def used_and_looked_up(ctx: Any, status: Any) -> None:
    make(ctx, "a", x=str(status.phase), y=str(status.port))
    sizes = {"Available": "large"}
    port = str(status.port)
    make(ctx, "s", x=sizes.get(str(status.phase), "small"), port=int(port) if port.isdigit() else 80)


@style(USED, wrong=OPEN)
def used_and_its_type(ctx: Any, status: Any) -> None:
    make(ctx, "a", x=status.id)
    if type(status.id) is str:
        make(ctx, "s", fixed=1)


@style(USED, wrong=OPEN)
def used_encoded_and_starts_with(ctx: Any, status: Any) -> None:
    make(ctx, "a", x=base64.b64encode(f"{status.id}".encode()).decode())
    if f"{status.id}".startswith("vpc-"):
        make(ctx, "s", fixed=1)


@style(USED, wrong=OPEN)
def used_hashed_and_starts_with(ctx: Any, status: Any) -> None:
    make(ctx, "a", x=hashlib.sha256(f"{status.id}".encode()).hexdigest())
    if f"{status.id}".startswith("vpc-"):
        make(ctx, "s", fixed=1)


@style(USED, wrong=OPEN)
def used_side_by_side_and_starts_with(ctx: Any, status: Any) -> None:
    make(ctx, "a", x=f"{status.id}{status.phase}")
    if f"{status.id}".startswith("vpc-"):
        make(ctx, "s", fixed=1)


@style(ABSENT, wrong=OPEN)
def in_the_context_and_starts_with(ctx: Any, status: Any) -> None:
    ctx.context["id"] = f"{status.id}"
    if f"{status.id}".startswith("vpc-"):
        make(ctx, "s", fixed=1)


@style(OPEN, wrong=OPEN)
def in_the_status_and_equal(ctx: Any, xr: Any, status: Any) -> None:
    xr.status.phase = f"{status.phase}"
    if f"{status.phase}" == "Available":
        make(ctx, "s", fixed=1)


@style(USED, wrong=OPEN)
def removed_unless_it_starts_with(ctx: Any, status: Any) -> None:
    make(ctx, "a", x=f"{status.id}")
    make(ctx, "s", fixed=1)
    if not f"{status.id}".startswith("vpc-"):
        ctx.remove("s")


@falls(answer=True, wrong=OPEN)
def keys_that_are_counted(ctx: Any, status: Any) -> None:
    zones = collections.Counter(f"{subnet.zone}" for subnet in status.subnets)
    make(ctx, "s", **{f"zone-{zone}": number for zone, number in zones.items()})
