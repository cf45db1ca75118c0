"""Ways of touching a value that decide nothing about the zones that the user asks for."""

from __future__ import annotations

__all__ = ["ASKED", "QUIET", "TOUCHES", "Touch", "grown_zones", "zones_of"]

import base64
import contextlib
import hashlib
import ipaddress
import json
import re
from collections.abc import Callable, Sequence
from typing import Any, Final

import jinja2

from crossplane_lite import Unstructured, apply
from tests.safety.cluster import Cluster
from tests.safety.plain import make
from tests.safety.stories import cluster_of
from tests.safety.values import FULL, LOST, provide

Touch = Callable[[Any, Any, Any], Any]
"""Called with the context, the composite and the observed status of the network."""

TOUCHES: Final[dict[str, Touch]] = {}
ASKED: Final[list[str]] = []
"""The ways that only ask: no text with a placeholder comes of them."""


def touch(function: Touch) -> Touch:
    TOUCHES[function.__name__] = function
    return function


def asked(function: Touch) -> Touch:
    ASKED.append(function.__name__)
    return touch(function)


# --- nothing is made of it --------------------------------------------------------------------------------------------


@asked
def unused_read(ctx: Any, xr: Any, status: Any) -> None:
    status.id  # noqa: B018


@asked
def unused_question(ctx: Any, xr: Any, status: Any) -> None:
    bool(status.id)


@asked
def is_none(ctx: Any, xr: Any, status: Any) -> None:
    if status.id is None:
        ctx.log.info("nothing yet")


@asked
def is_instance(ctx: Any, xr: Any, status: Any) -> None:
    isinstance(status.id, str)


@asked
def type_of(ctx: Any, xr: Any, status: Any) -> None:
    if type(status.id) is not str:
        ctx.log.info("nothing yet")


@asked
def length(ctx: Any, xr: Any, status: Any) -> None:
    len(status.id)


@asked
def hashed(ctx: Any, xr: Any, status: Any) -> None:
    {status.id: 1}.get("a")


@asked
def equal(ctx: Any, xr: Any, status: Any) -> None:
    _ = status.id == "a"


@asked
def contained(ctx: Any, xr: Any, status: Any) -> None:
    "a" in status.id  # noqa: B015


@asked
def matched(ctx: Any, xr: Any, status: Any) -> None:
    match status.id:
        case str():
            ctx.log.info("there it is")


@asked
def has_attribute(ctx: Any, xr: Any, status: Any) -> None:
    hasattr(status.id, "upper")


@asked
def number_that_fails(ctx: Any, xr: Any, status: Any) -> None:
    with contextlib.suppress(ValueError):
        int(status.id)


@asked
def compared(ctx: Any, xr: Any, status: Any) -> None:
    with contextlib.suppress(TypeError, ValueError):
        status.id > 3  # noqa: B015


@touch
def log_line(ctx: Any, xr: Any, status: Any) -> None:
    ctx.log.info(f"the network is {status.id}")


@touch
def printed(ctx: Any, xr: Any, status: Any) -> None:
    print(f"the network is {status.id}")


@touch
def result_text(ctx: Any, xr: Any, status: Any) -> None:
    ctx.results.normal(f"the network is {status.id}")


@touch
def result_by_question(ctx: Any, xr: Any, status: Any) -> None:
    ctx.results.normal("there" if status.id else "not there")


@touch
def condition_text(ctx: Any, xr: Any, status: Any) -> None:
    ctx.conditions.set("NetworkReady", bool(status.id), reason="Id", message=f"it is {status.id}")


@touch
def hashed_and_logged(ctx: Any, xr: Any, status: Any) -> None:
    ctx.log.info(hashlib.sha256(f"{status.id}".encode()).hexdigest())


@touch
def searched(ctx: Any, xr: Any, status: Any) -> None:
    re.search(r"\d+", str(status.id))


@touch
def text_that_is_no_network(ctx: Any, xr: Any, status: Any) -> None:
    with contextlib.suppress(ValueError):
        ipaddress.ip_network(f"{status.id}")


@touch
def text_that_is_no_json(ctx: Any, xr: Any, status: Any) -> None:
    try:
        json.loads(f"{status.id}")
    except ValueError:
        ctx.log.info("not yet")


@touch
def looped_and_logged(ctx: Any, xr: Any, status: Any) -> None:
    for item in status.ports:
        ctx.log.info(f"{item}")


QUIET: Final = [*TOUCHES]
"""The ways of which nothing comes that anybody could miss."""


# --- another resource, the composite's status or the context is made of it --------------------------------------------


@asked
def gate(ctx: Any, xr: Any, status: Any) -> None:
    if status.id:
        make(ctx, "other", x=status.id)


@asked
def fallback(ctx: Any, xr: Any, status: Any) -> None:
    make(ctx, "other", x=status.id or "none")


@asked
def conditional(ctx: Any, xr: Any, status: Any) -> None:
    make(ctx, "other", x="yes" if status.id else "no")


@asked
def counted(ctx: Any, xr: Any, status: Any) -> None:
    make(ctx, "other", x=len(status.ports))


@asked
def loop(ctx: Any, xr: Any, status: Any) -> None:
    for port in status.ports:
        make(ctx, f"port-{port}", fixed=1)


@asked
def comprehension(ctx: Any, xr: Any, status: Any) -> None:
    make(ctx, "other", x=[port for port in status.ports])  # noqa: C416


@asked
def reference(ctx: Any, xr: Any, status: Any) -> None:
    make(ctx, "other", x=status.id)


@asked
def computed(ctx: Any, xr: Any, status: Any) -> None:
    make(ctx, "other", x=apply(lambda i: i[::-1], status.id))


@touch
def text(ctx: Any, xr: Any, status: Any) -> None:
    make(ctx, "other", x=f"net/{status.id}")


@touch
def checksum(ctx: Any, xr: Any, status: Any) -> None:
    make(ctx, "other", x=hashlib.sha256(f"{status.id}".encode()).hexdigest())


@touch
def packed(ctx: Any, xr: Any, status: Any) -> None:
    make(ctx, "other", x=base64.b64encode(base64.b64encode(f"id={status.id}".encode())).decode())


@touch
def template(ctx: Any, xr: Any, status: Any) -> None:
    make(ctx, "other", x=jinja2.Template("{% if id %}{{ id }}{% else %}none{% endif %}").render(id=status.id))


@touch
def starts_with(ctx: Any, xr: Any, status: Any) -> None:
    if str(status.id).startswith("vpc-"):
        make(ctx, "other", fixed=1)


@touch
def in_the_status(ctx: Any, xr: Any, status: Any) -> None:
    xr.status.networkId = f"{status.id}"
    xr.status.phase = "Ready" if status.id else "Pending"


@touch
def in_the_context(ctx: Any, xr: Any, status: Any) -> None:
    ctx.context["id"] = f"{status.id}"
    ctx.context["phase"] = "Ready" if status.id else "Pending"


@touch
def in_the_connection_details(ctx: Any, xr: Any, status: Any) -> None:
    xr.connection_details["id"] = f"{status.id}"


# --- the zones --------------------------------------------------------------------------------------------------------


def zones_of(use: Touch) -> Callable[[Any], None]:
    """Return a compose() that touches the network's status, and makes the zones of the composite's spec."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        use(ctx, xr, make(ctx, "vpc", "Net", cidr="10.0.0.0/16").observed.status)
        for zone in xr.observed.spec.zones:
            make(ctx, f"zone-{zone}", zone=zone)

    return compose


def grown_zones(use: Touch, *, status: Any = LOST, ready: bool = True, zones: Sequence[str] = "abc") -> Cluster:
    """Return a cluster at rest in which the network has this status; the zones come when it has it.

    With values in the status the zones are made while the values are there.
    """
    cluster = cluster_of(zones_of(use), spec={"region": "eu", "zones": [] if status is FULL else list(zones)})
    for _ in range(3):
        done = cluster.reconcile()
        assert not done.fatal, done.fatal
        provide(cluster, status, ready=ready)
    cluster.xr["spec"]["zones"] = list(zones)
    for _ in range(3):
        cluster.reconcile()
        provide(cluster, status, ready=ready)
    return cluster
