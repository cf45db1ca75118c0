"""What is concluded from runs: for each place by itself, whatever asks, and told to people."""

from __future__ import annotations

import ast
import functools
import gc
import hashlib
import ipaddress
from collections.abc import Callable
from typing import Any

import pytest

from tests.safety.plain import make
from tests.safety.stories import cluster_of, evolved, lose, nothing_changes, replaced, step
from tests.safety.values import FULL, LOST, provide
from tests.safety.zones import READY, spec, using

# All forms of each test run with the slow ones.
pytestmark = pytest.mark.sample(3)

NOT_READY = 2


# --- a text that only another run makes -------------------------------------------------------------------------------

NAMES: dict[str, Callable[[Any], Any]] = {
    "in a list": lambda s: "a" in [str(zone) for zone in s.zones],
    "first": lambda s: str(next(iter(s.zones), "")) == "a",
    "join": lambda s: ",".join(f"{zone}" for zone in s.zones) == "a,b",
    "sorted": lambda s: sorted(str(zone) for zone in s.zones)[:1] == ["a"],
    "set": lambda s: {str(zone) for zone in s.zones} >= {"a"},
    "any": lambda s: any(str(zone).startswith("a") for zone in s.zones),
    "dict": lambda s: bool({str(zone): True for zone in s.zones}.get("a")),
    "count": lambda s: [f"{subnet.zone}" for subnet in s.subnets].count("a") == 1,
    "items": lambda s: "core" in [f"{value}" for _, value in s.tags.items()],
    "length": lambda s: [len(f"{subnet.id}") for subnet in s.subnets] == [8, 8],
}


@READY
@pytest.mark.parametrize("form", NAMES)
def test_a_text_in_a_loop_over_a_missing_list(form: str, ready: bool) -> None:
    """A question about texts of elements that are missing overwrites no live field, and deletes nothing."""

    def use(ctx: Any, status: Any) -> None:
        make(ctx, "s", x="yes" if NAMES[form](status) else "no", fixed=1)
        if NAMES[form](status):
            make(ctx, "t", fixed=1)

    cluster = evolved(using(use))
    assert spec(cluster)["x"] == "yes"
    for status in (LOST, None, LOST):
        provide(cluster, status, ready=ready)
        nothing_changes(step(cluster))
    provide(cluster)
    nothing_changes(step(cluster))


# --- one field doesn't hide another -----------------------------------------------------------------------------------

FIELDS: dict[str, Callable[[Any], Any]] = {
    "or": lambda s: s.id or "none",
    "reference": lambda s: s.id,
    "text": lambda s: f"net/{s.id}",
    "hash": lambda s: hashlib.sha256(f"{s.id}".encode()).hexdigest(),
    "length of a text": lambda s: len(f"{s.id}"),
    "joined": lambda s: ",".join(f"{subnet.id}" for subnet in s.subnets),
    "names": lambda s: "yes" if "a" in [str(zone) for zone in s.zones] else "no",
    "other value": lambda s: s.arn or "none",
}


@READY
@pytest.mark.parametrize("first", FIELDS)
@pytest.mark.parametrize("second", FIELDS)
def test_one_explained_field_hides_no_other(first: str, second: str, ready: bool) -> None:
    """Each field of a resource is looked at by itself: all of them keep what lost values have given them."""
    cluster = evolved(using(lambda ctx, s: make(ctx, "s", x=FIELDS[first](s), y=FIELDS[second](s), fixed=1)))
    for _ in range(2):
        nothing_changes(lose(cluster, ready=ready))
    provide(cluster)
    nothing_changes(step(cluster))


# --- both branches are never made -------------------------------------------------------------------------------------


def _network(ctx: Any, status: Any) -> None:
    try:
        network = ipaddress.ip_network(status.cidr)
    except ValueError:
        make(ctx, "no", fixed=1)
    else:
        make(ctx, "yes", prefix=network.prefixlen)


def _text_network(ctx: Any, status: Any) -> None:
    try:
        network = ipaddress.ip_network(f"{status.cidr}")
    except ValueError:
        make(ctx, "no", fixed=1)
    else:
        make(ctx, "yes", prefix=network.prefixlen)


def _number(ctx: Any, status: Any) -> None:
    try:
        make(ctx, "yes", port=int(status.port))
    except ValueError:
        make(ctx, "no", fixed=1)


def _starts(ctx: Any, status: Any) -> None:
    make(ctx, "yes" if f"{status.id}".startswith("vpc-") else "no", fixed=1)


def _type(ctx: Any, status: Any) -> None:
    make(ctx, "yes" if type(status.id) is str else "no", fixed=1)


def _match(ctx: Any, status: Any) -> None:
    match status.id:
        case str(found):
            make(ctx, "yes", x=found)
        case _:
            make(ctx, "no", fixed=1)


def _list(ctx: Any, status: Any) -> None:
    make(ctx, "yes" if "a" in [str(zone) for zone in status.zones] else "no", fixed=1)


def _hash(ctx: Any, status: Any) -> None:
    known = {hashlib.sha256(FULL["id"].encode()).hexdigest()}
    make(ctx, "yes" if hashlib.sha256(f"{status.id}".encode()).hexdigest() in known else "no", fixed=1)


EITHER = [_network, _text_network, _number, _starts, _type, _match, _list, _hash]


@READY
@pytest.mark.parametrize("use", EITHER, ids=lambda use: use.__name__)
def test_both_branches_are_never_made(use: Any, ready: bool) -> None:
    """The fallback for a missing value doesn't come beside what was made while the value was there."""
    cluster = evolved(using(use))
    assert cluster.objects.keys() == {"vpc", "yes"}
    for status in (LOST, None, LOST):
        provide(cluster, status, ready=ready)
        done = step(cluster)
        nothing_changes(done)
        assert done.after.keys() == {"vpc", "yes"}
    provide(cluster)
    assert step(cluster).after.keys() == {"vpc", "yes"}


# --- every mapping asks -----------------------------------------------------------------------------------------------

DETAILS: dict[str, Callable[[Any], Any]] = {
    "items": lambda d: sorted(f"{key}={value}" for key, value in d.items()),
    "dict": lambda d: dict(d),
    "stars": lambda d: {**d},
    "for": lambda d: [key for key in d],  # noqa: C416
    "sorted": lambda d: sorted(d),
    "keys": lambda d: list(d.keys()),
    "values": lambda d: list(d.values()),
    "list": lambda d: list(d),
    "equal": lambda d: "no" if d == {} else "yes",
    "unequal": lambda d: "yes" if d != {} else "no",
    "length": lambda d: len(d),
    "bool": lambda d: bool(d),
    "in": lambda d: "password" in d,
    "get": lambda d: d.get("password", "none"),
    "raw": lambda d: sorted(d.raw),
    "raw bytes": lambda d: [value.decode() for value in dict(d.raw).values()],
}


@pytest.mark.parametrize("form", DETAILS)
def test_connection_details_that_are_lost(form: str) -> None:
    """What is made of connection details in any way stays while they are gone."""

    def use(ctx: Any, status: Any) -> None:
        make(ctx, "s", x=DETAILS[form](ctx.resources["vpc"].observed.connection_details), fixed=1)

    cluster = evolved(using(use))
    for _ in range(2):
        nothing_changes(lose(cluster))
    provide(cluster)
    nothing_changes(step(cluster))


# --- Fatal only where nothing can progress ----------------------------------------------------------------------------


def _number_of_the_context(ctx: Any) -> None:
    make(ctx, "s", port=int(ctx.context["port"]) + 1)


def _nothing_but_an_exception(ctx: Any) -> None:
    if not ctx.context["port"]:
        raise ValueError(f"a port is needed, not {ctx.context['port']}")
    make(ctx, "s", port=int(ctx.context["port"]) + 1)


@pytest.mark.parametrize("second", [_number_of_the_context, _nothing_but_an_exception], ids=["number", "exception"])
def test_a_pipeline_whose_second_step_waits_starts(second: Any) -> None:
    """What the first step composes is composed while the second can't go on, and then the second goes on."""

    def first(ctx: Any) -> None:
        ctx.context["port"] = make(ctx, "vpc", "Net", cidr="10.0.0.0/16").observed.status.port

    cluster = cluster_of(first, second)
    for _ in range(2):
        done = step(cluster)
        assert not done.fatal, done.fatal
        assert done.after.keys() == {"vpc"}
        provide(cluster, LOST, ready=True)
    provide(cluster)
    step(cluster)
    assert spec(cluster) == {"port": 5433}


def test_a_kind_that_switches_with_a_guess_is_not_fatal_for_ever() -> None:
    """Where the value decides the kind of what exists, everything else goes on when it comes."""

    def use(ctx: Any, status: Any) -> None:
        make(ctx, "s", "Replica" if status.id else "Primary", fixed=1)
        make(ctx, "t", x=status.id)

    cluster = cluster_of(using(use))
    for _ in range(2):
        assert not step(cluster).fatal
        provide(cluster, LOST, ready=True)
    provide(cluster)
    done = [cluster.reconcile() for _ in range(3)][-1]
    assert not done.fatal, done.fatal
    assert spec(cluster, "t") == {"x": FULL["id"]}


# --- nothing changes in each call -------------------------------------------------------------------------------------


@READY
def test_texts_with_addresses_say_the_same_in_each_call(ready: bool) -> None:
    """The address of an object in a result, a condition or an exception doesn't make each answer another one."""

    def use(ctx: Any, status: Any) -> None:
        node = ast.parse(f"x = {'1' if status.id else '2'}").body[0]
        make(ctx, "s", fixed=1)
        raise ValueError(f"{node!r} in {object()!r}")

    def first(ctx: Any) -> None:
        using(lambda ctx, status: bool(status.cidr) or use(ctx, status))(ctx)

    cluster = cluster_of(first)
    for _ in range(3):
        done = cluster.reconcile()
        provide(cluster, LOST, ready=ready)
    kept = [object() for _ in range(100)]
    again = cluster.reconcile()
    assert again.told == done.told
    assert kept and " at 0x" not in done.told


@pytest.mark.slow  # the collector goes through all that there is
def test_a_cache_of_the_author_holds_no_calls() -> None:
    """What `functools.lru_cache` keeps of a missing value doesn't hold the call that it is from."""

    @functools.cache
    def is_known(value: Any) -> bool:
        return bool(value)

    cluster = cluster_of(using(lambda ctx, status: make(ctx, "s", x=is_known(status.id))))
    cluster.reconcile()
    provide(cluster, LOST, ready=True)
    request = cluster.request().SerializeToString()
    counts = []
    for _ in range(3):
        for _ in range(10):
            cluster.functions[0].run(request)
        gc.collect()
        counts.append(len(gc.get_objects()))
    assert counts[2] - counts[1] < 10 * 20


# --- births are told --------------------------------------------------------------------------------------------------

BIRTHS: dict[str, tuple[Callable[[Any, Any], Any], list[str]]] = {
    "field": (lambda ctx, s: make(ctx, "s", note=s.id or "unset"), ["s", "spec.note", "vpc.status.id"]),
    "two values": (
        lambda ctx, s: make(ctx, "s", note=s.domain or s.id or "unset"),
        ["s", "spec.note", "vpc.status.domain"],
    ),
    "text": (lambda ctx, s: make(ctx, "s", note=f"a-{s.id or 'unset'}"), ["s", "spec.note", "vpc.status.id"]),
    "kind": (lambda ctx, s: make(ctx, "s", "Replica" if s.id else "Primary"), ["s", "kind", "vpc.status.id"]),
    "existence": (lambda ctx, s: None if s.id else make(ctx, "s", fixed=1), ["s", "vpc.status.id"]),
    "equal": (lambda ctx, s: make(ctx, "s", note="up" if s.phase == "up" else "?"), ["spec.note", "vpc.status.phase"]),
}


@pytest.mark.parametrize("form", ["field", "text", "two values"])
def test_a_birth_is_not_told_any_more_once_it_is_resolved(form: str) -> None:
    """When the value has come the condition doesn't speak of it."""
    cluster = cluster_of(using(BIRTHS[form][0]))
    step(cluster)
    provide(cluster, {**FULL, "domain": "d"})
    step(cluster)
    assert "vpc.status" not in step(cluster).waiting


# --- a compose() that doesn't end -------------------------------------------------------------------------------------


UNFINISHED: dict[str, Callable[[Any], Any]] = {
    "network": lambda s: ipaddress.ip_network(s.cidr),
    "text network": lambda s: ipaddress.ip_network(f"{s.cidr}"),
    "number": lambda s: int(s.port),
    "sum": lambda s: s.count + 1,
    "lookup": lambda s: {"Available": 1}[f"{s.phase}"],
    "first": lambda s: next(zone for zone in s.zones),
}


@READY
@pytest.mark.parametrize("form", UNFINISHED)
def test_an_unfinished_compose_is_not_ready(form: str, ready: bool) -> None:
    """Where a missing value ends compose(), the composite isn't Ready, and nothing new is made but its owner."""

    def use(ctx: Any, status: Any) -> None:
        make(ctx, "r", fixed=1)
        UNFINISHED[form](status)
        make(ctx, "s", fixed=1)

    cluster = cluster_of(using(use))
    for _ in range(3):
        done = step(cluster)
        assert not done.fatal, done.fatal
        assert done.after.keys() == {"vpc"}
        assert done.final.desired.composite.ready == NOT_READY
        provide(cluster, LOST, ready=ready)
    provide(cluster)
    assert step(cluster).after.keys() == {"vpc", "r", "s"}


BUGS: dict[str, Callable[[Any, Any], Any]] = {
    "unasked": lambda ctx, s: {}["typo"],
    "type": lambda ctx, s: (make(ctx, "s", x=s.id), 1 + "a"),  # type: ignore[operator]
    "argument": lambda ctx, s: (bool(s.id), make(ctx, "s", x=1), make(ctx, "s", x=1)),
}


@pytest.mark.parametrize("form", BUGS)
def test_a_bug_is_fatal_beside_a_missing_value(form: str) -> None:
    """An exception is the author's, and no wait, where no missing value was asked for, or the SDK refuses something."""

    def use(ctx: Any, status: Any) -> None:
        make(ctx, "r", fixed=1)
        BUGS[form](ctx, status)

    cluster = cluster_of(using(use))
    for _ in range(2):
        done = cluster.reconcile()
        assert done.fatal, done.told
        if "vpc" not in cluster.objects:
            cluster.seed("vpc", {"apiVersion": "example.org/v1", "kind": "Net", "spec": {"cidr": "10.0.0.0/16"}})
        provide(cluster, LOST, ready=True)


def test_a_bug_is_fatal_beside_a_lost_value() -> None:
    """A release with a bug is told as such also while a value is lost, and changes nothing."""

    def sound(ctx: Any, status: Any) -> None:
        if status.id:
            make(ctx, "s", fixed=1)

    def broken(ctx: Any, status: Any) -> None:
        sound(ctx, status)
        {}["typo"]

    cluster = evolved(using(sound))
    provide(cluster, LOST, ready=True)
    done = replaced(cluster, using(broken)).reconcile()
    assert done.fatal
    assert done.before == done.after
