"""Pieces of compositions, each in one style, with names and sources of their own: what the machine puts together."""

from __future__ import annotations

__all__ = ["EXCLUSIVE", "FRAGMENTS", "TELLERS", "Fragment"]

import base64
import gzip
import hashlib
import ipaddress
from collections.abc import Callable
from typing import Any, Final

from crossplane_lite import apply, composition
from tests.safety.plain import make

Fragment = Callable[[Any, Any, Any, str], None]
"""Called with the context, the composite, the registered source and the name of what it composes."""

FRAGMENTS: Final[dict[str, Fragment]] = {}

TELLERS: Final[dict[str, Fragment]] = {}
"""What the first step of the pipeline does for the fragment of the same name, in whichever step that one is."""

EXCLUSIVE: Final = ("-replica", "-init")
"""The endings of names of which never both exist."""


def fragment(function: Fragment) -> Fragment:
    FRAGMENTS[function.__name__] = function
    return function


def teller(style: str) -> Callable[[Fragment], Fragment]:
    def decorate(function: Fragment) -> Fragment:
        TELLERS[style] = function
        return function

    return decorate


@fragment
def direct(ctx: Any, xr: Any, source: Any, name: str) -> None:
    make(ctx, name, x=source.observed.status.id, fixed=1)


@fragment
def text(ctx: Any, xr: Any, source: Any, name: str) -> None:
    make(ctx, name, x=f"{xr.observed.spec.region}/{source.observed.status.id}").metadata.labels["l"] = "x"


@fragment
def hashed(ctx: Any, xr: Any, source: Any, name: str) -> None:
    s = make(ctx, name, region=xr.observed.spec.region)
    s.metadata.annotations["checksum"] = hashlib.sha256(f"{source.observed.status.id}".encode()).hexdigest()


@fragment
def cut(ctx: Any, xr: Any, source: Any, name: str) -> None:
    make(ctx, name, x=f"name-{source.observed.status.id}"[:9], fixed=1)


@fragment
def twice(ctx: Any, xr: Any, source: Any, name: str) -> None:
    once = base64.b64encode(f"id={source.observed.status.id}".encode())
    make(ctx, name, x=base64.b64encode(once).decode())


@fragment
def zipped(ctx: Any, xr: Any, source: Any, name: str) -> None:
    packed = gzip.compress(f"id={source.observed.status.id}".encode(), mtime=0)
    make(ctx, name, x=base64.b64encode(packed).decode())


@fragment
def gated(ctx: Any, xr: Any, source: Any, name: str) -> None:
    if source.observed.status.id:
        make(ctx, name, x=source.observed.status.id)


@fragment
def gated_by_type(ctx: Any, xr: Any, source: Any, name: str) -> None:
    if isinstance(source.observed.status.arn, str):
        make(ctx, name, fixed=1)


@fragment
def gated_by_match(ctx: Any, xr: Any, source: Any, name: str) -> None:
    match source.observed.status.id:
        case str(found):
            make(ctx, name, x=found)


@fragment
def gated_by_try(ctx: Any, xr: Any, source: Any, name: str) -> None:
    try:
        port = int(source.observed.status.port)
    except ValueError:
        return
    make(ctx, name, port=port)


@fragment
def gated_by_comparison(ctx: Any, xr: Any, source: Any, name: str) -> None:
    if source.observed.status.phase == "Available":
        make(ctx, name, fixed=1)


@fragment
def gated_by_the_user_too(ctx: Any, xr: Any, source: Any, name: str) -> None:
    if xr.observed.spec.flag and source.observed.status.id:
        make(ctx, name, x=source.observed.status.id)


@fragment
def only_by_the_user(ctx: Any, xr: Any, source: Any, name: str) -> None:
    if xr.observed.spec.flag:
        make(ctx, name, x=xr.observed.spec.region)


@fragment
def field_by_the_user(ctx: Any, xr: Any, source: Any, name: str) -> None:
    s = make(ctx, name, x=source.observed.status.id, region=xr.observed.spec.region)
    if xr.observed.spec.flag:
        s.spec.flagged = True


@fragment
def default(ctx: Any, xr: Any, source: Any, name: str) -> None:
    make(ctx, name, x=source.observed.status.id or "none", region=xr.observed.spec.region)


@fragment
def conditional(ctx: Any, xr: Any, source: Any, name: str) -> None:
    make(ctx, name, x="yes" if source.observed.status.id else "no", fixed=1)


@fragment
def field_in_a_branch(ctx: Any, xr: Any, source: Any, name: str) -> None:
    s = make(ctx, name, fixed=1)
    if source.observed.status.arn:
        s.spec.y = source.observed.status.arn
        s.metadata.labels["has"] = "arn"


@fragment
def comprehension(ctx: Any, xr: Any, source: Any, name: str) -> None:
    make(ctx, name, "Balancer", subnetIds=[zone for zone in source.observed.status.zones])  # noqa: C416


@fragment
def loop(ctx: Any, xr: Any, source: Any, name: str) -> None:
    for zone in source.observed.status.zones:
        make(ctx, f"{name}-{zone}", zone=zone)


@fragment
def length(ctx: Any, xr: Any, source: Any, name: str) -> None:
    make(ctx, name, x=len(source.observed.status.zones), fixed=1)


@fragment
def joined(ctx: Any, xr: Any, source: Any, name: str) -> None:
    make(ctx, name, x=",".join(zone for zone in source.observed.status.zones), fixed=1)


@fragment
def label_key(ctx: Any, xr: Any, source: Any, name: str) -> None:
    make(ctx, name, fixed=1).metadata.labels[f"{source.observed.status.id}"] = "x"


@fragment
def replica_or_init(ctx: Any, xr: Any, source: Any, name: str) -> None:
    if source.observed.status.id:
        make(ctx, f"{name}-replica", x=source.observed.status.id)
    else:
        make(ctx, f"{name}-init", fixed=1)


@fragment
def gated_by_condition(ctx: Any, xr: Any, source: Any, name: str) -> None:
    if source.condition("Ready").status == "True":
        make(ctx, name, fixed=1)


@fragment
def depending(ctx: Any, xr: Any, source: Any, name: str) -> None:
    make(ctx, name, depends_on=[source], fixed=1)


@fragment
def chain(ctx: Any, xr: Any, source: Any, name: str) -> None:
    if not source.observed.status.id:
        return
    first = make(ctx, name, x=source.observed.status.id)
    make(ctx, f"{name}-next", y=first.observed.status.arn, fixed=1)


@fragment
def computed(ctx: Any, xr: Any, source: Any, name: str) -> None:
    make(ctx, name, x=apply(lambda i: i[::-1], source.observed.status.id))


@fragment
def smallest(ctx: Any, xr: Any, source: Any, name: str) -> None:
    make(ctx, name, x=min(f"{source.observed.status.id}", "m"), all=sorted([f"{source.observed.status.id}", "k"]))


@fragment
def through_the_composite(ctx: Any, xr: Any, source: Any, name: str) -> None:
    setattr(xr.status, name, source.observed.status.id)
    if getattr(xr.observed.status, name):
        make(ctx, name, fixed=1)


@fragment
def parsed(ctx: Any, xr: Any, source: Any, name: str) -> None:
    network = ipaddress.ip_network(source.observed.status.cidr or "")
    make(ctx, name, prefix=network.prefixlen)


@fragment
def used_and_equal(ctx: Any, xr: Any, source: Any, name: str) -> None:
    make(ctx, f"{name}-used", x=f"{source.observed.status.phase}")
    if f"{source.observed.status.phase}" == "Available":
        make(ctx, name, fixed=1)


@fragment
def used_and_starts_with(ctx: Any, xr: Any, source: Any, name: str) -> None:
    text = str(source.observed.status.id)
    make(ctx, f"{name}-used", x=f"<{text}>")
    if text.startswith("vpc"):
        make(ctx, name, x=text)


@fragment
def unset(ctx: Any, xr: Any, source: Any, name: str) -> None:
    status = source.observed.status
    make(ctx, name, x=status.id or status.arn or "unset", region=xr.observed.spec.region)


@fragment
def touched(ctx: Any, xr: Any, source: Any, name: str) -> None:
    status = source.observed.status
    ctx.log.info("there" if status.id is not None and isinstance(status.arn, str) else "not yet")
    ctx.log.info(f"{len(status.zones)} {status.phase}")
    for number in range(2 if xr.observed.spec.flag else 1):
        make(ctx, f"{name}-{number}", region=xr.observed.spec.region)


@fragment
def logged_hash(ctx: Any, xr: Any, source: Any, name: str) -> None:
    ctx.log.info(hashlib.sha256(f"{source.observed.status.id}".encode()).hexdigest())
    if xr.observed.spec.flag:
        make(ctx, name, fixed=1)


@fragment
def names_in_a_list(ctx: Any, xr: Any, source: Any, name: str) -> None:
    names = [str(zone) for zone in source.observed.status.zones]
    make(ctx, name, x="yes" if "a" in names else "no", y=source.observed.status.id or "none")


@fragment
def parsed_or_fallback(ctx: Any, xr: Any, source: Any, name: str) -> None:
    try:
        network = ipaddress.ip_network(f"{source.observed.status.cidr}")
    except ValueError:
        make(ctx, f"{name}-init", fixed=1)
    else:
        make(ctx, f"{name}-replica", prefix=network.prefixlen)


@fragment
def measured(ctx: Any, xr: Any, source: Any, name: str) -> None:
    make(ctx, name, cpu="1000m", x=source.observed.status.id or "none", region=xr.observed.spec.region)


# --- what the first step tells this one -------------------------------------------------------------------------------


@teller("told_by_key")
def _tell_by_key(ctx: Any, xr: Any, source: Any, name: str) -> None:
    ctx.context[name] = "large" if source.observed.status.id else "small"


@fragment
def told_by_key(ctx: Any, xr: Any, source: Any, name: str) -> None:
    make(ctx, name, size=ctx.context.get(name))
    if ctx.context.get(name) == "large":
        make(ctx, f"{name}-more", fixed=1)


@teller("told_by_some_key")
def _tell_by_some_key(ctx: Any, xr: Any, source: Any, name: str) -> None:
    if source.observed.status.arn:
        ctx.context[name] = "there"


@fragment
def told_by_some_key(ctx: Any, xr: Any, source: Any, name: str) -> None:
    if ctx.context.get(name) == "there":
        make(ctx, name, region=xr.observed.spec.region)


@teller("told_by_status")
def _tell_by_status(ctx: Any, xr: Any, source: Any, name: str) -> None:
    setattr(xr.status, name, "large" if source.observed.status.id else "small")


@fragment
def told_by_status(ctx: Any, xr: Any, source: Any, name: str) -> None:
    make(ctx, name, size="large" if getattr(xr.observed.status, name) == "large" else "small")


# --- objects of others ------------------------------------------------------------------------------------------------


def _required(ctx: Any) -> Any:
    ctx.requirements.resources["ref"] = composition.ResourceSelector(
        api_version="example.org/v1", kind="Ref", match_name="ref"
    )
    return ctx.required_resources.get("ref")


@fragment
def required_gate(ctx: Any, xr: Any, source: Any, name: str) -> None:
    for ref in _required(ctx) or []:
        if ref.observed.status.id:
            make(ctx, name, x=ref.observed.status.id)


@fragment
def required_default(ctx: Any, xr: Any, source: Any, name: str) -> None:
    found = _required(ctx)
    if found:
        make(ctx, name, x=found[0].observed.status.arn or "none", y=source.observed.status.id)
