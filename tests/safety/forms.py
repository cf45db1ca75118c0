"""Ways of using a value that decide something: a field, a resource, or more than can be seen."""

from __future__ import annotations

__all__ = ["ALL", "BORN", "DECIDED", "HIDDEN", "NAMED", "SEALED", "SEEN", "TEXTS", "both", "either", "hashed", "logged"]

import base64
import hashlib
import ipaddress
from collections.abc import Callable
from typing import Any

from crossplane_lite import apply
from tests.safety.plain import make


def _matched(value: Any) -> Any:
    match value:
        case str(found):
            return found
    return "unset"


def _number(value: Any) -> Any:
    try:
        return int(value)
    except ValueError:
        return 80


BORN: dict[str, tuple[Callable[[Any], Any], Any, Any]] = {
    "or": (lambda s: s.domain or s.id or "unset", "unset", "vpc-1234"),
    "conditional": (lambda s: s.id if s.id else "unset", "unset", "vpc-1234"),
    "bool": (lambda s: bool(s.id), False, True),
    "is instance": (lambda s: s.id if isinstance(s.id, str) else "unset", "unset", "vpc-1234"),
    "equal": (lambda s: "up" if s.phase == "Available" else "down", "down", "up"),
    "length": (lambda s: len(s.zones), 0, 2),
    "loop": (lambda s: [zone for zone in s.zones], [], ["a", "b"]),  # noqa: C416
    "text of a default": (lambda s: f"net-{s.id or 'unset'}", "net-unset", "net-vpc-1234"),
    "hash of a default": (lambda s: len(hashlib.sha256((s.id or "").encode()).hexdigest()) - len(s.id), 64, 56),
    "lookup": (lambda s: {"Available": "up"}.get(s.phase, "down"), "down", "up"),
    "join": (lambda s: ",".join(zone for zone in s.zones), "", "a,b"),
    "match": (lambda s: _matched(s.id), "unset", "vpc-1234"),
    "exception": (lambda s: _number(s.port), 80, 5432),
}
"""How a field is made, what it is without the value, and what it is with it."""

TEXTS: dict[str, Callable[[Any], Any]] = {
    "reference": lambda i: i,
    "f-string": lambda i: f"vpc/{i}",
    "format": lambda i: "vpc/{}".format(i),  # noqa: UP032
    "percent": lambda i: "vpc/%s" % i,  # noqa: UP031
    "sum": lambda i: "vpc/" + i,
    "join": lambda i: ",".join(["a", str(i)]),
    "base64": lambda i: base64.b64encode(f"vpc/{i}".encode()).decode(),
    "upper": lambda i: f"{i}".upper(),
    "apply": lambda i: apply(lambda found: found[::-1], i),
    "in a list": lambda i: ["a", i],
    "in a map": lambda i: {"a": {"b": i}},
    "map key": lambda i: {f"{i}": "a"},
}
"""References to a value, and texts made from it."""


def either(ctx: Any, status: Any) -> None:
    """Compose one resource with the value, and another without it."""
    if status.id:
        make(ctx, "replica", x=status.id)
    else:
        make(ctx, "init", fixed=1)


DECIDED: dict[str, Callable[[Any, Any], Any]] = {
    "if": lambda ctx, s: s.id and make(ctx, "s", fixed=1),
    "if not": lambda ctx, s: None if not s.id else make(ctx, "s", x=s.id),
    "two": lambda ctx, s: s.id and s.arn and make(ctx, "s", fixed=1),
    "either": either,
    "is instance": lambda ctx, s: make(ctx, "s", x=s.id) if isinstance(s.id, str) else None,
    "equal": lambda ctx, s: make(ctx, "s", fixed=1) if s.phase == "Available" else None,
    "match": lambda ctx, s: make(ctx, "s", x=s.id) if _matched(s.id) != "unset" else None,
    "or": lambda ctx, s: make(ctx, "s", x=s.id or "none", fixed=1),
    "conditional": lambda ctx, s: make(ctx, "s", x="yes" if s.id else "no"),
    "default in a text": lambda ctx, s: make(ctx, "s", x=f"net-{s.id or 'none'}"),
    "lookup": lambda ctx, s: make(ctx, "s", x={"Available": "up"}.get(s.phase, "down")),
    "length": lambda ctx, s: make(ctx, "s", x=len(s.id)),
    "field in a branch": lambda ctx, s: make(ctx, "s", **({"x": 1} if s.id else {"y": 1})),
    "number": lambda ctx, s: make(ctx, "s", port=_number(s.port)),
    "list": lambda ctx, s: make(ctx, "s", ids=[*([s.id] if s.id else []), "fixed"]),
    "label": lambda ctx, s: make(ctx, "s").metadata.labels.update(has="id") if s.id else make(ctx, "s"),
}
"""What hangs on a value so that another answer shows it."""


def _checksum(ctx: Any, status: Any) -> None:
    checksum = hashlib.sha256(f"{status.id}".encode()).hexdigest()
    make(ctx, "s", fixed=1).metadata.annotations["checksum"] = checksum


def _hashed_name(ctx: Any, status: Any) -> None:
    make(ctx, f"s-{hashlib.sha256(f'{status.id}'.encode()).hexdigest()[:6]}", fixed=1)


def _loop(ctx: Any, status: Any) -> None:
    for subnet in status.subnets:
        make(ctx, f"s-{subnet.zone}", subnet=subnet.id)


def _parsed(ctx: Any, status: Any) -> None:
    make(ctx, "s", prefix=ipaddress.ip_network(status.cidr or "").prefixlen)


def _text_compared(ctx: Any, status: Any) -> None:
    if f"{status.id}".startswith("vpc-"):
        make(ctx, "s", fixed=1)


def _typed(ctx: Any, status: Any) -> None:
    if status.id.__class__ is str:
        make(ctx, "s", fixed=1)


HIDDEN: dict[str, Callable[[Any, Any], None]] = {
    "hash": _checksum,
    "hash in a name": _hashed_name,
    "loop": _loop,
    "exception": _parsed,
    "text": _text_compared,
    "type": _typed,
}
"""What hangs on a value so that it can hardly be seen."""

SEALED = ["hash", "hash in a name"]
"""The ways that no run can see through."""


# --- one of each ------------------------------------------------------------------------------------------------------


def gated(ctx: Any, status: Any) -> None:
    if status.id:
        make(ctx, "s", x=status.id)


def defaulted(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=status.id or "none", fixed=1)


def hashed(ctx: Any, status: Any) -> None:
    make(ctx, "s", x=hashlib.sha256(f"{status.id}".encode()).hexdigest())


def logged(ctx: Any, status: Any) -> None:
    make(ctx, "s", fixed=1)
    ctx.log.info(hashlib.sha256(f"{status.id}".encode()).hexdigest())


def looped(ctx: Any, status: Any) -> None:
    for subnet in status.subnets:
        make(ctx, f"s-{subnet.zone}", x=subnet.id)


def both(ctx: Any, status: Any) -> None:
    if status.id:
        make(ctx, "s", x=status.id)
    make(ctx, "t", x=status.id or "none", fixed=1)


SEEN = {"if": gated, "or": defaulted}
NAMED = {**SEEN, "hash": hashed}
"""The names of their resources are always the same."""

ALL = {**NAMED, "loop": looped}
