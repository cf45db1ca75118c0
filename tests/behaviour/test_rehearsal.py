"""The runs of compose() that look for dependencies: what they find, and that nothing else comes of them."""

from __future__ import annotations

import asyncio
import functools
import logging
import math
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite import Unstructured, apply, composition
from crossplane_lite.errors import UsageError
from crossplane_lite.proto import _view
from tests.behaviour import samples
from tests.behaviour.models import Bucket
from tests.behaviour.test_usages import EVERY_NAME, everything
from tests.behaviour.usages_models import Cluster, edges, existing, function, usages
from tests.support import ALL_CAPABILITIES, READY, Response, request, run, to_plain, with_conditions

SETTINGS = settings(max_examples=40, deadline=None, derandomize=True)


def pair(ctx: Any) -> tuple[Any, Any]:
    """Register the bucket "b", which needs the bucket "a"."""
    a, b = (ctx.resource(name, Bucket()) for name in "ab")
    b.spec.forProvider.location = a.observed.status.atProvider.id
    return a, b


def complete(body: Callable[[Any], Any], *names: str) -> tuple[Any, Cluster]:
    """Return a function, and a cluster in which these resources exist."""
    return function()(body), existing(*names)


# --- what the runs find ------------------------------------------------------------------------------------------

# Each asks a question about a value that is there in the end, and says whether the answer was yes.
QUESTIONS: dict[str, Callable[[Any], bool]] = {
    "bool": lambda a: bool(a.observed.status.atProvider.id),
    "not": lambda a: not (not a.observed.status.atProvider.id),
    "==": lambda a: a.observed.status.atProvider.id == "id-of-a",
    "!=": lambda a: not (a.observed.status.atProvider.id != "id-of-a"),
    "in": lambda a: "id" in a.observed.status.atProvider.id,
    "len": lambda a: len(a.observed.status.atProvider.endpoints) > 0,
    "for": lambda a: any(True for _ in a.observed.status.atProvider.endpoints),
    "text": lambda a: bool(a.observed.external_name),
    "nested": lambda a: bool(a.observed.status.atProvider.owner),
    "existence": lambda a: bool(a.observed),
    "condition": lambda a: a.condition("Ready").status == "True",
    "ready": lambda a: bool(a.observed.ready),
    "connection details": lambda a: bool(a.observed.connection_details["password"]),
    "status of the composite": lambda a: True,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_is_composed_behind_a_question(question: str) -> None:
    """A resource that is only registered once another has a value has its Usages like any other."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(Unstructured)
        a = ctx.resource("a", Bucket())
        xr.status.a = a.observed.external_name
        if QUESTIONS[question](a) and xr.observed.status.a:
            b = ctx.resource("b", Bucket())
            b.spec.forProvider.location = f"x-{a.observed.external_name}"

    cluster = Cluster(function()(compose))
    assert edges(cluster.until_complete("ab")) == {("b", "a")}
    assert edges(cluster.reconcile()) == {("b", "a")}


def test_each_answer_of_a_chain_of_comparisons() -> None:
    """What is composed for the first and for the last answer of a comparison has its Usages."""

    def compose(ctx: Any) -> None:
        mode, x, y, z, target = (ctx.resource(name, Bucket()) for name in ("mode", "x", "y", "z", "target"))
        if mode.observed.status.atProvider.id == "one":
            target.spec.forProvider.location = x.observed.external_name
        elif mode.observed.status.atProvider.id == "two":
            target.spec.forProvider.location = y.observed.external_name
        else:
            target.spec.forProvider.location = z.observed.external_name

    fn, cluster = complete(compose, "mode", "x", "y", "z", "target")
    assert edges(run(fn, **cluster.request)) == {("target", "x"), ("target", "z")}


def test_many_resources_behind_questions() -> None:
    """However many resources are composed behind questions, all of them are found."""
    names = [f"r{i}" for i in range(40)]

    def compose(ctx: Any) -> None:
        made = [ctx.resource(name, Bucket()) for name in names]
        for before, resource in zip(made, made[1:], strict=False):
            if before.observed.status.atProvider.id:
                resource.spec.forProvider.location = before.observed.status.atProvider.id

    fn, cluster = complete(compose, *names)
    assert edges(run(fn, **cluster.request)) == set(zip(names[1:], names, strict=False))


def test_resources_behind_each_other() -> None:
    """Resources that are each composed once the one before has a value are found, in however long a row."""
    names = [f"r{i}" for i in range(20)]

    def compose(ctx: Any) -> None:
        before = ctx.resource(names[0], Bucket())
        for name in names[1:]:
            if not before.observed.status.atProvider.id:
                return
            location = before.observed.status.atProvider.id
            before = ctx.resource(name, Bucket())
            before.spec.forProvider.location = location

    fn, cluster = complete(compose, *names)
    assert edges(run(fn, **cluster.request)) == set(zip(names[1:], names, strict=False))


def test_questions_in_threads_of_the_author() -> None:
    """A thread that compose() starts has the same answers."""

    def compose(ctx: Any) -> None:
        a, b = (ctx.resource(name, Bucket()) for name in "ab")

        def work() -> None:
            if a.observed.status.atProvider.id:
                b.spec.forProvider.location = a.observed.external_name

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()

    fn, cluster = complete(compose, "a", "b")
    assert edges(run(fn, **cluster.request)) == {("b", "a")}


# --- values that are used like ones that are there ---------------------------------------------------------------

THING = {"apiVersion": "example.org/v1", "kind": "Thing"}
STATUS: dict[str, Any] = {
    "id": "arn/x/vpc-1",
    "count": 3,
    "share": 2.5,
    "zones": ["a", "b"],
    "rows": [{"name": "p", "at": 1}, {"name": "q", "at": 2}],
    "tags": {"k1": "v1", "k2": "v2"},
    "names": "m,n",
    "conditions": [READY],
}


def needing_vpc(body: Callable[[Callable[..., Any], Any], Any], status: dict[str, Any] = STATUS) -> set[str]:
    """Return what has a Usage of "vpc" once all is there that `body(resource, status)` composes.

    `body` is called with a function that registers a resource with a spec, and the observed status of "vpc".
    """

    def compose(ctx: Any) -> None:
        def resource(name: str, depends_on: Any = (), **spec: Any) -> Any:
            return ctx.resource(name, Unstructured("example.org/v1", "Thing", spec=spec), depends_on=depends_on)

        body(resource, resource("vpc").observed.status)

    observed: dict[str, Any] = {}
    for _ in range(3):
        answer = run(function()(compose), observed=observed)
        assert not answer.fatal
        composed = answer.resources.keys() - usages(answer).keys()
        observed = {name: {**THING, "metadata": {"name": name}, "status": status} for name in composed}
    found = edges(run(function()(compose), observed=observed))
    assert {dependency for _, dependency in found} <= {"vpc"}
    return {dependent for dependent, _ in found}


def _numbered(resource: Any, status: Any) -> None:
    for at, zone in enumerate(status.zones):
        resource(f"rt-{at}", zone=zone)


def _named(resource: Any, status: Any) -> None:
    for zone in status.zones:
        resource(f"rt-{zone}", zone=zone)


def _named_by_what_is_computed(resource: Any, status: Any) -> None:
    for zone in status.zones:
        resource(f"rt-{zone.upper()}-{len(status.zones):02}-{status.rows[-1].at:03}", zone=zone)
    if status.id:
        resource(f"{apply(str.title, status.zones[0])}-{apply('/'.join, [status.id, 'x'])[-1]}", id=status.id)


def _rows(resource: Any, status: Any) -> None:
    for row in reversed(status.rows or []):
        resource(f"rt-{row.name}", at=row.at)


def _keys(resource: Any, status: Any) -> None:
    for key in status.tags:
        resource(f"rt-{key}", value=status.tags[key])


def _parts(resource: Any, status: Any) -> None:
    for name in status.names.split(",") if status.names else ():
        resource(f"rt-{name}", value=name)


def _counted(resource: Any, status: Any) -> None:
    for at in range(int(status.count or 0)):
        resource(f"rt-{at}", id=status.id)


def _gated(resource: Any, status: Any) -> None:
    for zone in status.zones:
        resource(f"rt-{zone}", depends_on=["vpc"])


LOOPS: dict[str, tuple[Callable[[Any, Any], None], set[str]]] = {
    "numbered": (_numbered, {"rt-0", "rt-1"}),
    "named": (_named, {"rt-a", "rt-b"}),
    "computed names": (_named_by_what_is_computed, {"rt-A-02-002", "rt-B-02-002", "A-x"}),
    "objects, backwards": (_rows, {"rt-p", "rt-q"}),
    "keys": (_keys, {"rt-k1", "rt-k2"}),
    "parts of a text": (_parts, {"rt-m", "rt-n"}),
    "count": (_counted, {"rt-0", "rt-1", "rt-2"}),
    "depends_on": (_gated, {"rt-a", "rt-b"}),
}


@pytest.mark.parametrize("loop", LOOPS)
def test_loops_over_what_is_observed(loop: str) -> None:
    """Each resource that a loop over an observed value composes has its Usage, whatever its name is made from."""
    body, expected = LOOPS[loop]
    assert needing_vpc(body) == expected


@pytest.mark.parametrize("method", ["items", "keys", "values"])
def test_loops_over_an_observed_map(method: str) -> None:
    """The methods of a map give its keys and values also where nothing is observed."""

    def compose(ctx: Any) -> None:
        tags = ctx.resource("a", Bucket()).observed.status.atProvider.tags
        for at, one in enumerate(getattr(tags, method)()):
            key, value = one if method == "items" else (f"{method}-{at}", one)
            ctx.resource(f"b-{key}", Bucket()).spec.forProvider.location = value

    names = {"items": ["b-team", "b-cost"], "keys": ["b-keys-0", "b-keys-1"], "values": ["b-values-0", "b-values-1"]}
    cluster = existing("a", *names[method])
    for observed in cluster.observed.values():
        observed["status"]["atProvider"]["tags"] = {"team": "x", "cost": "y"}
    assert edges(run(function()(compose), **cluster.request)) == {(name, "a") for name in names[method]}


def test_a_loop_over_nothing() -> None:
    """A loop over a list that is missing or empty in the real call hides nothing that comes after it."""

    def body(resource: Any, status: Any) -> None:
        if status.id:
            for zone in status.nothing:
                resource(f"rt-{zone}", zone=zone)
            resource("late", id=status.id)

    assert needing_vpc(body) == {"late"}
    assert needing_vpc(body, {**STATUS, "nothing": []}) == {"late"}


# What is computed with a value below a question about it, and whether the result shows what it was made from.
COMPUTED: dict[str, tuple[Callable[[Any], Any], bool]] = {
    "part": (lambda s: s.id.split("/")[-1], True),
    "method": (lambda s: s.id.upper(), True),
    "method with another value": (lambda s: "x-y".replace("x", f"{s.id}").upper(), True),
    "slice": (lambda s: s.id[:3], True),
    "of each": (lambda s: [zone.upper() for zone in s.zones], True),
    "plus": (lambda s: 1 + (s.count + 1), True),
    "minus": (lambda s: 10 - (s.count - 1), True),
    "times": (lambda s: 2 * s.share * s.count, True),
    "negative": (lambda s: abs(-s.count), True),
    "rounded": (lambda s: [round(s.share), round(s.share, 1), math.floor(s.share), math.trunc(s.share)], True),
    "division": (lambda s: list(divmod(s.count, 2)), True),
    "lookup": (lambda s: s.tags[s.tags.k1 and "k1"], True),
    "int": (lambda s: int(s.count), False),
    "float": (lambda s: float(s.share), False),
    "index": (lambda s: ["x", "y", "z", "w"][s.count], False),
}


@pytest.mark.parametrize("kind", COMPUTED)
def test_values_below_a_question(kind: str) -> None:
    """A value that is used as one that is there, below a question about it, has its Usage, and so has what follows."""
    compute, seen = COMPUTED[kind]

    def body(resource: Any, status: Any) -> None:
        if status.id:
            resource("early", value=compute(status))
            resource("late", id=status.id)

    assert needing_vpc(body) >= {"late"}
    assert ("early" in needing_vpc(body)) is seen


# --- how many there are ------------------------------------------------------------------------------------------


def questions(count: int) -> Callable[[Any], None]:
    """Return a compose() whose bucket "b" needs one value of `a and a.x and ...`, with so many questions."""

    def compose(ctx: Any) -> None:
        a, b = pair(ctx)
        for at in range(count):
            if not a.observed.status.atProvider.endpoints[at].url:
                return
        b.spec.forProvider.project = a.observed.external_name

    return compose


def of_a_required_resource(ctx: Any) -> None:
    """Ask for what a required resource lacks, which no run knows better."""
    pair(ctx)
    ctx.requirements.resources["x"] = composition.ResourceSelector(api_version="v1", kind="Pod", match_name="x")
    if ctx.required_resources.get("x") and ctx.required_resources["x"][0].observed.spec.missing == "x":
        ctx.resource("never", Bucket())


RUNS: list[tuple[Callable[[Any], None], int]] = [
    (questions(0), 1),
    (of_a_required_resource, 1),
    (questions(1), 2),
    (questions(99), 2),
]


@pytest.mark.parametrize(("body", "runs"), RUNS)
def test_how_often_compose_runs(body: Callable[[Any], None], runs: int) -> None:
    """Without a question there is one run more, and with questions, however many, there are two."""
    ran = []

    def compose(ctx: Any) -> None:
        ran.append(ctx)
        body(ctx)

    fn, cluster = complete(compose, "a", "b")
    required = {"x": [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}]}
    assert edges(run(fn, required=required, **cluster.request)) == {("b", "a")}
    assert len(ran) == 1 + runs


def test_no_run_where_no_usage_can_be() -> None:
    """While fewer than two resources are observed, and after a fatal result, compose() doesn't run for Usages."""
    ran = []

    def compose(ctx: Any) -> None:
        ran.append(ctx)
        pair(ctx)
        if ctx.input:
            ctx.results.fatal("no")

    fn, cluster = complete(compose, "a", "b")
    answer = run(fn)
    assert len(ran) == 1
    run(fn, observed={"a": cluster.observed["a"]}, xr=with_conditions(None, answer))
    assert len(ran) == 2
    run(fn, input={"x": 1}, **cluster.request)
    assert len(ran) == 3


def _follow(value: Any) -> Any:
    while value:
        value = value.next
    return value


def _wait(value: Any) -> None:
    while value != "there":
        try:
            assert value
        except Exception:  # catches every error of its own
            continue


def _descend(value: Any) -> None:
    for child in value.children:
        _descend(child)


def _count(value: Any) -> None:
    while int(value.at) < 5:
        value = value.next


ENDLESS: dict[str, Callable[[Any], Any]] = {
    "while there is one": lambda value: _follow(value),
    "until it is there": lambda value: _wait(value),
    "down a tree": lambda value: _descend(value),
    "up to a number": lambda value: _count(value),
}


@pytest.mark.slow
@pytest.mark.parametrize("loop", ENDLESS)
def test_loops_end(loop: str) -> None:
    """A loop over a value, which would go on for ever if the answer were always the same, ends."""

    def compose(ctx: Any) -> None:
        a, b = (ctx.resource(name, Unstructured("example.org/v1", "Thing")) for name in "ab")
        b.spec.x = a.observed.status.x
        if a.observed.status.root:
            ENDLESS[loop](a.observed.status.root)

    observed = {name: {**THING, "metadata": {"name": name}, "status": {"x": "y"}} for name in "ab"}
    assert edges(run(function()(compose), observed=observed)) == {("b", "a")}


# --- what they are run on ----------------------------------------------------------------------------------------


def test_what_compose_sees() -> None:
    """Everything that compose() decides by is as in the real run; what comes from composed resources is missing."""
    seen: list[dict[str, Any]] = []
    there: list[dict[str, Any]] = []

    def compose(ctx: Any) -> None:
        a, _ = pair(ctx)
        xr = ctx.composite(Unstructured).observed
        ctx.requirements.schemas["schema"] = composition.SchemaSelector(api_version="v1", kind="Pod")
        message = ctx.request
        seen.append(
            {
                "spec": xr.spec.x,
                "metadata": xr.metadata.labels["team"],
                "input": ctx.input,
                "context": ctx.context["key"],
                "environment": ctx.environment,
                "credentials": ctx.credentials["login"].text("user"),
                "required": ctx.required_resources.get("thing")[0].observed.spec.x,
                "schema": dict(ctx.required_schemas["schema"]),
                "capabilities": ctx.capabilities.lacks("CAPABILITY_CONDITIONS"),
                "desired": ctx.desired["earlier"].spec.forProvider.location,
                "raw": to_plain(message.observed.composite.resource)["spec"],
            }
        )
        there.append(
            {
                "resource": str(a.observed.metadata.name) == "my-xr-a",
                "status": str(xr.status.x) == "y",
                "details": str(xr.connection_details["key"]) == "detail",
                "raw resources": sorted(message.observed.resources) == ["a", "b"],
                "raw status": "status" in to_plain(message.observed.composite.resource),
            }
        )

    fn, cluster = complete(compose, "a", "b")
    xr = samples.xr(status={"x": "y"})
    xr["spec"] = {"x": "spec"}
    xr["metadata"]["labels"] = {"team": "t"}
    answer = run(
        fn,
        xr=xr,
        observed=cluster.observed,
        xr_connection={"key": b"detail"},
        input={"x": 1},
        context={"key": [1], "apiextensions.crossplane.io/environment": {"e": 1}},
        credentials={"login": {"user": b"me"}},
        required={"thing": [{"apiVersion": "v1", "kind": "Thing", "spec": {"x": "required"}}]},
        schemas={"schema": {"type": "object"}},
        capabilities=[one for one in ALL_CAPABILITIES if one != "CAPABILITY_CONDITIONS"],
        desired={"earlier": samples.bucket({"location": "d"})},
    )
    assert edges(answer) == {("b", "a")}
    assert len(seen) == 2
    assert seen[0] == seen[1]
    assert [set(values.values()) for values in there] == [{True}, {False}]


# --- what comes of them ------------------------------------------------------------------------------------------


def without_usages(answer: Response) -> Any:
    """Return the answer's message without the Usages."""
    message = type(answer.message).FromString(answer.data)
    for name in usages(answer):
        del message.desired.resources[name]
    for key in asked_for_usages(answer):
        for asked in (message.requirements.resources, message.requirements.extra_resources):
            asked.pop(key, None)
    if not message.requirements.ByteSize():
        message.ClearField("requirements")
    return message


def asked_for_usages(answer: Response) -> list[str]:
    """Return the keys under which dependents that aren't observed are asked for."""
    return [key for key in answer.message.requirements.resources if key.startswith("usage-")]


@pytest.mark.slow
@SETTINGS
@given(st.sets(st.sampled_from(sorted(EVERY_NAME))), st.sets(st.sampled_from(sorted(EVERY_NAME))), st.booleans())
def test_the_answer_but_for_the_usages_is_that_of_the_real_run(
    missing: set[str], unsettled: set[str], with_status: bool
) -> None:
    """Whatever is observed, usages=True adds the Usages and nothing else."""
    cluster = _steady()
    observed = {name: value for name, value in cluster.observed.items() if name not in missing}
    for name in unsettled & observed.keys():
        observed[name] = {key: value for key, value in observed[name].items() if key != "status"}
    arguments = {**cluster.request, "observed": observed, "context": {"key": 1}}
    arguments["connection"] = {name: value for name, value in arguments["connection"].items() if name in observed}
    if not with_status:
        arguments["xr"] = {key: value for key, value in arguments["xr"].items() if key != "status"}
    on = run(everything, **arguments)
    keys = asked_for_usages(on)
    if keys:  # Crossplane answers, and calls again
        required = {**arguments.get("required", {}), **dict.fromkeys(keys, [])}
        on = run(everything, **{**arguments, "required": required})
    off = run(composition.function(name="step")(everything._compose), **arguments)
    ours, theirs = without_usages(on), off.message
    assert ours == theirs
    assert not usages(off)


@functools.cache
def _steady() -> Cluster:
    cluster = Cluster(everything)
    cluster.until_complete(EVERY_NAME)
    cluster.reconcile()
    return cluster


def test_nothing_else_comes_of_them() -> None:
    """Results, conditions, requirements, context, output and so on are those of the real run alone."""

    def compose(ctx: Any) -> None:
        a, _ = pair(ctx)
        if a.observed.status.atProvider.id == "id-of-a":
            ctx.results.normal("real")
            return
        ctx.results.warning("not real")
        ctx.conditions.set("Extra", True, "NotReal")
        ctx.requirements.resources["extra"] = composition.ResourceSelector(
            api_version="v1", kind="ConfigMap", match_name="x"
        )
        ctx.context["extra"] = 1
        ctx.output["extra"] = 1
        ctx.remove("a")
        ctx.auto_ready()
        ctx.resource("extra", Bucket())
        ctx.composite(Unstructured).status.extra = 1
        ctx.composite(Unstructured).connection_details["extra"] = "x"
        ctx.composite(Unstructured).ready = True

    fn, cluster = complete(compose, "a", "b")
    on = run(fn, **cluster.request)
    off = run(composition.function(name="step")(compose), **cluster.request)
    assert on.results == [("normal", "real")]
    ours, theirs = without_usages(on), off.message
    assert ours == theirs


def test_nothing_is_logged_twice(caplog: pytest.LogCaptureFixture) -> None:
    """What compose() logs is logged once, with the context's logger and with its own."""

    def compose(ctx: Any) -> None:
        a, _ = pair(ctx)
        ctx.log.warning("with the context: %s", a.observed.external_name)
        ctx.log.extra["key"] = "value"  # the logger is of the same kind in all runs
        logging.getLogger("authors.own").warning("with its own: %s", a.observed.external_name)

    fn, cluster = complete(compose, "a", "b")
    caplog.set_level(logging.DEBUG)
    own: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: own.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("crossplane_lite").addHandler(handler)
    try:
        assert edges(run(fn, **cluster.request)) == {("b", "a")}
    finally:
        logging.getLogger("crossplane_lite").removeHandler(handler)
    assert own == ["with the context: external-a"]
    assert caplog.messages == ["with the context: external-a", "with its own: external-a"]
    logging.getLogger("authors.own").warning("later")
    assert caplog.messages[2:] == ["later"]


def test_schemas_are_checked_once() -> None:
    """What a schema checks with is decoded once."""
    schemas: list[Any] = []

    def compose(ctx: Any) -> None:
        a, _ = pair(ctx)
        schemas.append(ctx.schema(a.apiVersion, a.kind, key="bucket"))
        schemas[-1].validate(a)

    fn, cluster = complete(compose, "a", "b")
    answer = run(fn, schemas={"bucket": {"type": "object", "required": ["missing"]}}, **cluster.request)
    assert edges(answer) == {("b", "a")}
    assert schemas[0] is schemas[1]


ERRORS = [ValueError("x"), UsageError("x"), SystemExit(1), asyncio.CancelledError(), RecursionError(), GeneratorExit()]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("at", ["beginning", "end"])
def test_an_exception_where_nothing_is_observed(error: BaseException, at: str) -> None:
    """An exception in a run that looks for dependencies breaks nothing; what was set before it counts."""

    def compose(ctx: Any) -> None:
        gone = "a" not in ctx.request.observed.resources
        if at == "beginning" and gone:
            raise error
        pair(ctx)
        if gone:
            raise error

    fn, cluster = complete(compose, "a", "b")
    on = run(fn, **cluster.request)
    off = run(composition.function(name="step")(compose), **cluster.request)
    assert not on.fatal
    ours, theirs = without_usages(on), off.message
    assert ours == theirs
    assert edges(on) == (set() if at == "beginning" else {("b", "a")})


def test_what_the_real_run_saw_counts_after_an_exception() -> None:
    """Where the run that looks for dependencies fails, the edges that the real run shows still have their Usages."""

    def compose(ctx: Any) -> None:
        if "a" not in ctx.request.observed.resources:
            raise ValueError("nothing is observed")
        pair(ctx)

    fn, cluster = complete(compose, "a", "b")
    for name in "ab":
        del cluster.observed[name]["status"]
    assert edges(run(fn, **cluster.request)) == {("b", "a")}
    for name in "ab":
        cluster.settle(name)
    assert edges(run(fn, **cluster.request)) == set()


def test_an_existing_usage_outlives_an_exception() -> None:
    """A Usage that exists stays where the run that looks for dependencies fails."""
    fails = False

    def compose(ctx: Any) -> None:
        if fails and "a" not in ctx.request.observed.resources:
            raise ValueError("nothing is observed")
        pair(ctx)

    fn, cluster = complete(compose, "a", "b")
    cluster.steps = [fn]
    assert edges(cluster.reconcile()) == {("b", "a")}
    fails = True
    assert [edges(cluster.reconcile()) for _ in range(2)] == [{("b", "a")}] * 2


def test_an_interrupt_ends_the_call() -> None:
    """Ctrl-C in a run that looks for dependencies ends what Ctrl-C is to end."""

    def compose(ctx: Any) -> None:
        if "a" not in ctx.request.observed.resources:
            raise KeyboardInterrupt

    fn, cluster = complete(compose, "a", "b")
    with pytest.raises(KeyboardInterrupt):
        fn.run(request(**cluster.request))


def test_malformed_bytes_that_only_they_read() -> None:
    """Bytes that come to light only where nothing is observed don't matter, because the answer isn't made of them."""

    def compose(ctx: Any) -> None:
        a, _ = pair(ctx)
        if not a.observed.status.atProvider.id == "id-of-a":
            assert ctx.required_resources.get("broken")[0].observed.spec.x

    fn, cluster = complete(compose, "a", "b")
    message = _view.RunFunctionRequest.FromString(request(**cluster.request))
    message.required_resources["broken"].items.add().resource = b"\xff\xff"
    assert edges(Response(fn.run(message.SerializeToString()))) == {("b", "a")}


def test_models_that_outlive_a_call() -> None:
    """What compose() keeps outside of the call, and changes in it, doesn't change the answer that is made already."""
    kept: dict[str, Any] = {}

    def compose(ctx: Any) -> None:
        a = ctx.resource("a", Bucket())
        b = kept.setdefault("b", Bucket())
        registered = ctx.resource("b", b)
        for one in (b, registered):
            one.spec.forProvider.location = a.observed.status.atProvider.id

    fn, cluster = complete(compose, "a", "b")
    for _ in range(2):
        answer = run(fn, **cluster.request)
        assert answer.resources["b"]["spec"]["forProvider"] == {"location": "id-of-a"}
        assert edges(answer) == {("b", "a")}
        kept.clear()


def test_a_resource_that_cannot_be_looked_at() -> None:
    """A resource with a value that can't be carried, where nothing is observed, hides no other resource's edges."""

    def compose(ctx: Any) -> None:
        a, _ = pair(ctx)
        c = ctx.resource("c", Bucket())
        c.spec.forProvider.location = a.observed.external_name
        if a.observed.status.atProvider.id != "id-of-a":
            c.spec.forProvider.zones = [None]

    fn, cluster = complete(compose, "a", "b", "c")
    answer = run(fn, **cluster.request)
    assert not answer.fatal
    assert ("b", "a") in edges(answer)


def test_requests_are_not_changed() -> None:
    """The message that a caller hands in is the same afterwards."""
    from crossplane.function.proto.v1 import run_function_pb2 as fnv1

    def compose(ctx: Any) -> None:
        pair(ctx)

    fn, cluster = complete(compose, "a", "b")
    data = request(**cluster.request)
    req = fnv1.RunFunctionRequest.FromString(data)
    fn(req, fnv1.RunFunctionResponse())
    assert req == fnv1.RunFunctionRequest.FromString(data)
