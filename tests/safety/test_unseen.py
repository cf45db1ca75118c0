"""What later steps, connection details and ctx.remove make of questions that nobody sees, and of steps that raise."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured
from tests.safety.cluster import Cluster
from tests.safety.plain import make
from tests.safety.stories import evolved
from tests.safety.values import FULL, LOST, provide
from tests.safety.zones import READY

# All forms of each test run with the slow ones.
pytestmark = pytest.mark.sample(5)


def vpc(ctx: Any) -> Any:
    return make(ctx, "vpc", "Net", cidr="10.0.0.0/16").observed.status


def seen(ctx: Any) -> Any:
    """The same status in a later step."""
    return ctx.observed["vpc"].status


def xr(ctx: Any) -> Any:
    return ctx.composite(Unstructured)


def specs(cluster: Cluster) -> dict[str, Any]:
    return {name: copy.deepcopy(found.live.get("spec")) for name, found in cluster.objects.items()}


def stays(cluster: Cluster, ready: bool = False, status: Any = LOST) -> None:
    before, details = specs(cluster), dict(cluster.connection)
    provide(cluster, status, ready=ready)
    for _ in range(3):
        done = cluster.reconcile()
        assert not done.fatal, done.fatal
        assert (specs(cluster), cluster.connection) == (before, details)


# Each is true for FULL. The code looks into a string, so no answer to a question about the value makes it true.
UNSEEN: dict[str, Callable[[Any], Any]] = {
    "startswith": lambda s: f"{s.id}".startswith("vpc"),
    "length": lambda s: len(f"{s.id}") == 8,
    "equal": lambda s: f"{s.id}" == FULL["id"],
    "in": lambda s: "vpc" in f"{s.id}",
    "split": lambda s: len(f"{s.arn}".split(":")) > 3,
    "digits": lambda s: f"{s.port}".isdigit(),
    "key": lambda s: bool({FULL["id"]: 1}.get(f"{s.id}")),
}
# These are seen: what the same step makes of them stays.
ASKED: dict[str, Callable[[Any], Any]] = {
    "key of a value": lambda s: bool({FULL["id"]: 1}.get(s.id)),
    "set": lambda s: s.id in {FULL["id"]},
    "isinstance": lambda s: isinstance(s.id, str),
    "hash": lambda s: hash(s.id) == hash(FULL["id"]),
    "len": lambda s: len(s.zones) == 2,
}
RAISES: dict[str, Callable[[Any], Any]] = {
    "lookup": lambda s: {"Available": 1}[f"{s.phase}"],
    "parse": lambda s: int(f"{s.port}"),
}


@READY
@pytest.mark.parametrize("question", UNSEEN)
def test_context_of_an_unseen_question(question: str, ready: bool) -> None:
    """What a later step makes of a key of the context stays where the key hangs on an unseen question."""

    def first(ctx: Any) -> None:
        ctx.context["has"] = UNSEEN[question](vpc(ctx))

    def later(ctx: Any) -> None:
        make(ctx, "a" if ctx.context["has"] else "b", x=1)

    stays(evolved(first, later), ready)


@READY
@pytest.mark.parametrize("question", UNSEEN)
@pytest.mark.parametrize("observed", [False, True], ids=["desired", "observed"])
def test_status_of_an_unseen_question(question: str, observed: bool, ready: bool) -> None:
    """The same through the composite's status."""

    def first(ctx: Any) -> None:
        xr(ctx).status.has = UNSEEN[question](vpc(ctx))

    def later(ctx: Any) -> None:
        if (xr(ctx).observed if observed else xr(ctx)).status.has:
            make(ctx, "a", x=1)

    stays(evolved(first, later), ready)


@READY
@pytest.mark.parametrize("question", [*UNSEEN, *ASKED])
def test_connection_detail_of_an_unseen_question(question: str, ready: bool) -> None:
    """A connection detail keeps its value where an unseen question decides it; it does for `if status.id`."""

    def compose(ctx: Any) -> None:
        is_true = {**UNSEEN, **ASKED}[question](vpc(ctx))
        xr(ctx).connection_details["x"] = b"1" if is_true else b"0"

    stays(evolved(compose), ready)


@READY
@pytest.mark.parametrize("question", [*UNSEEN, *ASKED])
def test_remove_in_a_later_step_of_an_unseen_question(question: str, ready: bool) -> None:
    """ctx.remove waits while nobody can see what a lost value decides, as the page says, also in a later step."""

    def first(ctx: Any) -> None:
        vpc(ctx)
        make(ctx, "s", x=1)

    def later(ctx: Any) -> None:
        if not {**UNSEEN, **ASKED}[question](seen(ctx)):
            ctx.remove("s")

    stays(evolved(first, later), ready)


@READY
def test_a_text_in_a_key_of_the_context(ready: bool) -> None:
    """A name of a key that is made of a lost value reaches no later step, and what was made of it stays."""

    def first(ctx: Any) -> None:
        ctx.context[f"net-{vpc(ctx).id}"] = 1

    def later(ctx: Any) -> None:
        for key in ctx.context:
            if key.startswith("net-"):
                make(ctx, key, x=1)

    stays(evolved(first, later), ready)


@READY
@pytest.mark.parametrize("raises", RAISES)
def test_context_of_a_step_that_raises(raises: str, ready: bool) -> None:
    """What a later step makes of a key of the context stays while the earlier one raises before it sets the key."""

    def first(ctx: Any) -> None:
        RAISES[raises](vpc(ctx))
        ctx.context["k"] = 1

    def later(ctx: Any) -> None:
        if ctx.context.get("k"):
            make(ctx, "s", x=1)

    stays(evolved(first, later), ready)


@READY
@pytest.mark.parametrize("raises", ["number", "assert"])
def test_status_of_a_step_that_raises(raises: str, ready: bool) -> None:
    """The same for the composite's desired status, also where a guess lets compose() get to its end."""

    def first(ctx: Any) -> None:
        status = vpc(ctx)
        if raises == "number":
            status.count + 1
        else:
            assert status.id
        xr(ctx).status.k = 1

    def later(ctx: Any) -> None:
        if xr(ctx).status.k:
            make(ctx, "s", x=1)

    stays(evolved(first, later), ready)


@READY
@pytest.mark.parametrize("raises", RAISES)
def test_a_later_step_that_raises_over_an_earlier_steps_resource(raises: str, ready: bool) -> None:
    """Fields that a later step sets in an earlier step's resource stay while the later one raises (second call)."""

    def first(ctx: Any) -> None:
        vpc(ctx)
        make(ctx, "s", fixed=1)

    def later(ctx: Any) -> None:
        RAISES[raises](seen(ctx))
        make(ctx, "s", extra=1)

    stays(evolved(first, later), ready)


@READY
@pytest.mark.parametrize("raises", RAISES)
def test_a_step_that_raises_before_a_resource_of_two_steps(raises: str, ready: bool) -> None:
    """A resource of two steps that an earlier one keeps doesn't look as if both steps had one name (Fatal)."""

    def first(ctx: Any) -> None:
        RAISES[raises](vpc(ctx))
        make(ctx, "s", fixed=1)

    def later(ctx: Any) -> None:
        make(ctx, "s", extra=1)

    stays(evolved(first, later), ready)


@READY
def test_a_stale_key_of_a_step_that_raises(ready: bool) -> None:
    """A key that a step sets again after the line that raises doesn't change a later field with its first value."""

    def first(ctx: Any) -> None:
        ctx.context["size"] = "small"
        int(f"{vpc(ctx).port}")
        ctx.context["size"] = "large"

    def later(ctx: Any) -> None:
        make(ctx, "db", size=ctx.context["size"])

    stays(evolved(first, later), ready)


@READY
def test_a_middle_step_that_raises(ready: bool) -> None:
    """The same where the value comes by the context, and a step in the middle raises."""

    def first(ctx: Any) -> None:
        ctx.context["phase"] = vpc(ctx).phase

    def middle(ctx: Any) -> None:
        ctx.context["class"] = {"Available": "gold"}[f"{ctx.context['phase']}"]

    def later(ctx: Any) -> None:
        make(ctx, "db", size=ctx.context.get("class") or "none")

    stays(evolved(first, middle, later), ready)
