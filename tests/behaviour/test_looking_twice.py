"""Other runs of compose() after a guess: how many there are, and what they show (design section 5a)."""

from __future__ import annotations

import contextlib
import hashlib
import logging
import re
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import composition
from crossplane_lite.errors import UsageError
from tests.behaviour import samples
from tests.behaviour.helpers import CONDITION, provider_of
from tests.behaviour.models import VPC, Bucket, BucketSpec, ForProvider, XStorageBucket
from tests.support import Response, run

OWNED = {"f:spec": {"f:forProvider": {"f:location": {}, "f:project": {}}}}
BUCKET = samples.bucket({"location": "EU", "project": "p"}, ours="step", owned=OWNED)


def _id(ctx: Any) -> Any:
    return ctx.resource("vpc", VPC()).observed.status.atProvider.vpcId


def _bucket(ctx: Any, **fields: Any) -> Any:
    return ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(**fields))))


def counted(body: Callable[[Any], Any], **kwargs: Any) -> tuple[int, Response]:
    """Return how often a function ran for a request, and its answer."""
    runs = []

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        runs.append(ctx)
        body(ctx)

    answer = run(compose, **kwargs)
    return len(runs), answer


# The result that shows the graph takes a run of its own; a composite that has the condition already gets none.
def settled(body: Callable[[Any], Any], **kwargs: Any) -> int:
    """Return how often a function runs for a request that it has answered in the same way before."""
    _, answer = counted(body, **kwargs)
    conditions = [
        {"type": type_, "status": str(status), "reason": reason, "message": message}
        for type_, (status, reason, message) in answer.conditions.items()
    ]
    return counted(body, xr=samples.xr({}, {"conditions": conditions}), **kwargs)[0]


class TestHowOften:
    """How often compose() runs for one request."""

    def test_resolved(self) -> None:
        """Where everything is resolved it runs once."""
        found = {"vpc": samples.vpc(status={"vpcId": "v"})}
        assert counted(lambda ctx: _bucket(ctx, location=f"x-{_id(ctx)}"), observed=found)[0] == 1

    def test_a_direct_reference(self) -> None:
        """A direct reference needs no other run."""
        assert settled(lambda ctx: _bucket(ctx, location=_id(ctx))) == 1

    @pytest.mark.parametrize(
        "body",
        [
            lambda ctx: _bucket(ctx, location=f"x-{_id(ctx)}"),
            lambda ctx: bool(_id(ctx)) and None,
            lambda ctx: _bucket(ctx, location="a" if _id(ctx) else "b"),
        ],
        ids=["text", "question", "decision"],
    )
    def test_where_the_value_was_never_there(self, body: Callable[[Any], Any]) -> None:
        """A question about a value that was never there, and a text that is found again, take no other run."""
        assert settled(body) == 1

    @pytest.mark.parametrize(
        "body",
        [
            lambda ctx: _bucket(ctx, location=f"{_id(ctx)}"[:3]),
            lambda ctx: _bucket(ctx, location=hashlib.sha256(f"{_id(ctx)}".encode()).hexdigest()),
        ],
        ids=["cut", "hashed"],
    )
    def test_where_a_text_is_cut(self, body: Callable[[Any], Any]) -> None:
        """A text that isn't found again in what is new takes one run more."""
        assert settled(body) == 2


def _id_of(ctx: Any) -> Any:
    return ctx.resources["vpc"].observed.status.atProvider.vpcId


def test_other_runs_are_muted(caplog: pytest.LogCaptureFixture) -> None:
    """Results, conditions, context and log lines come from the real run alone."""
    log = logging.getLogger("author")

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        found = bool(_id(ctx))
        ctx.results.normal(f"found: {found}")
        ctx.conditions.set("Found", found, "Looked")
        ctx.context["found"] = found
        ctx.log.warning("found: %s", found)
        log.warning("found: %s", found)

    answer = run(compose)
    assert [text for _, text in answer.results if text.startswith("found")] == ["found: False"]
    assert answer.conditions["Found"][0] is False
    assert answer.context["found"] is False
    assert [record.getMessage() for record in caplog.records if "found" in record.getMessage()] == ["found: False"] * 2


def test_a_hash_is_as_unresolved_as_the_value() -> None:
    """A new resource with a hash of a missing value is held back; an existing one keeps the value that it has."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        _bucket(ctx, location=hashlib.sha256(f"{_id(ctx)}".encode()).hexdigest(), project="q")

    assert list(run(compose).resources) == ["vpc"]
    answer = run(compose, observed={"bucket": BUCKET})
    assert provider_of(answer) == {"location": "EU", "project": "q"}
    assert "bucket keeps what it has until vpc.status.atProvider.vpcId" in answer.conditions[CONDITION][2]


def test_a_hash_in_a_name() -> None:
    """A name that is made from a hash of a missing value isn't emitted, and nothing of the step goes in that call."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        ctx.resource("b-" + hashlib.sha256(f"{_id(ctx)}".encode()).hexdigest()[:8], Bucket())

    answer = run(compose, observed={"b-12345678": BUCKET})
    assert sorted(answer.resources) == ["b-12345678", "vpc"]
    assert answer.composite_ready is False


def test_a_field_that_a_guess_decides() -> None:
    """Fields of new and of existing resources follow the code where the value was never noted."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        _bucket(ctx, location=_id(ctx) or "none", project="q")

    assert provider_of(run(compose)) == {"location": "none", "project": "q"}
    assert provider_of(run(compose, observed={"bucket": BUCKET})) == {"location": "none", "project": "q"}


def test_branches_never_exist_both() -> None:
    """A new resource of the falsy branch is held back while the resource of the other one is kept."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        ctx.resource("bucket" if _id(ctx) else "init", Bucket())

    assert sorted(run(compose).resources) == ["init", "vpc"]
    answer = run(compose, observed={"bucket": BUCKET})
    assert sorted(answer.resources) == ["bucket", "vpc"]
    assert answer.composite_ready is False


def test_isinstance_protects_all() -> None:
    """After isinstance() nothing of the step goes."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        value = _id(ctx)
        ctx.resource("other", Bucket(spec=BucketSpec(forProvider=ForProvider(location="new", storageClass="added"))))
        if isinstance(value, str):
            _bucket(ctx, location="x")

    other = samples.bucket({"location": "old"}, ours="step", owned=OWNED)
    answer = run(compose, observed={"bucket": BUCKET, "other": other})
    assert sorted(answer.resources) == ["bucket", "other", "vpc"]


@pytest.mark.parametrize("use", [lambda i: i is True, lambda i: type(i) is str], ids=["is", "type"])
def test_uses_that_nobody_sees(use: Callable[[Any], bool]) -> None:
    """`value is True` and `type(value)` can't be noticed; nothing of the step goes where a value was read in vain."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        if use(_id(ctx)):
            _bucket(ctx, location="x")

    assert sorted(run(compose, observed={"bucket": BUCKET}).resources) == ["bucket", "vpc"]


def test_an_exception_for_want_of_a_value() -> None:
    """What was registered before goes out; the rest that exists stays, and a warning says what was missing, once."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        length = int(_id(ctx))
        _bucket(ctx, location=str(length))

    answer = run(compose, observed={"bucket": BUCKET})
    assert sorted(answer.resources) == ["bucket", "vpc"]
    ((severity, text),) = answer.results
    assert severity == "warning"
    assert "UnresolvedError: vpc.status.atProvider.vpcId has no value yet" in text
    assert "test_looking_twice.py" in text
    status, reason, message = answer.conditions[CONDITION]
    assert (status, reason) == (False, "WaitingForDependencies")
    xr = samples.xr({}, {"conditions": [{"type": CONDITION, "status": "False", "reason": reason, "message": message}]})
    assert run(compose, observed={"bucket": BUCKET}, xr=xr).results == []


def test_an_exception_in_the_middle_of_a_resource() -> None:
    """New resources wait, for compose() may not have finished them; but the value's own resource goes out."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        _bucket(ctx, location="x")
        half = ctx.resource("half", Bucket(spec=BucketSpec(forProvider=ForProvider(location="x"))))
        half.spec.forProvider.size = 1 + int(vpc.observed.status.atProvider.vpcId)
        half.spec.forProvider.project = "p"
        vpc.spec.forProvider.project = "p"

    answer = run(compose)
    assert sorted(answer.resources) == ["vpc"]
    assert "half waits for vpc.status.atProvider.vpcId" in answer.texts
    both = run(compose, observed={"half": samples.bucket({"location": "y"}, ours="step")})
    assert both.resources["half"]["spec"]["forProvider"]["location"] == "y"


MISTAKES: dict[str, Callable[[Any, Any], object]] = {
    "a misspelt field": lambda provider, value: setattr(provider, "locatoin", "x"),
    "a misspelt variable": lambda provider, value: locatoin,  # type: ignore[name-defined]  # noqa: F821
    "a module that isn't there": lambda provider, value: __import__("no_such_module"),
    "a value of another type": lambda provider, value: setattr(provider, "location", 5432),
    "a reference of another type": lambda provider, value: setattr(provider, "size", value),
    "a key that is no text": lambda provider, value: setattr(provider, "labels", {5: "x"}),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_after_a_guess_is_fatal(mistake: str) -> None:
    """A mistake in the code that no missing value explains is Fatal, also where a value was missed before."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        value = _id(ctx)
        bool(value)
        MISTAKES[mistake](_bucket(ctx, location="x").spec.forProvider, value)

    (fatal,) = run(compose).fatal
    assert "Error: " in fatal
    assert not run(compose).resources


def test_mistakes_that_compose_goes_on_after_are_no_guesses() -> None:
    """Values of another type that compose() is refused and goes on without are refused in each run, however many."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        bucket = _bucket(ctx, location="x")
        for wrong in (5, 5.5, True):
            with contextlib.suppress(UsageError):
                bucket.spec.forProvider.location = wrong
        bool(_id(ctx))

    answer = run(compose)
    assert answer.resources["bucket"]["spec"]["forProvider"]["location"] == "x"
    assert "with a guess" not in answer.texts


def test_the_place_of_a_mistake_is_no_use_of_values() -> None:
    """The path in an error's message is found without a use of the missing values beside the field."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        value = _id(ctx)
        _bucket(ctx, location=value, project="" if value else "p").spec.forProvider.size = "large"

    (fatal,) = run(compose).fatal
    assert fatal.startswith("UsageError: bucket.spec.forProvider.size: must be an integer")


def test_an_empty_name_after_a_guess_is_fatal() -> None:
    """A resource's name that is empty whatever the missing values are is Fatal."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        bool(_id(ctx))
        ctx.resource("", Bucket())

    (fatal,) = run(compose).fatal
    assert fatal.startswith("UsageError: a composed resource's name must not be empty")


BUGS: dict[str, Callable[[Any], object]] = {
    "after a reading": lambda value: {"eu": 1}["us"],
}
CAUSES: dict[str, Callable[[Any], object]] = {
    "a text as the key": lambda value: {"eu": 1}[f"{value}"],
    "the value as the key": lambda value: {"eu": 1}[value],
    "a lookup in vain": lambda value: {"eu": {"a": 1}}.get(value)["a"],  # type: ignore[index]
    "a question": lambda value: None if value else {"eu": 1}["us"],
    "a loop": lambda value: list(value)[0],
    "a number": lambda value: 1 + int(value),
    "a number of a text": lambda value: int(f"{value}"),
}


@pytest.mark.parametrize("bug", BUGS)
def test_a_bug_beside_a_missing_value_is_fatal(bug: str) -> None:
    """An exception of code that asked for no missing value is Fatal, at its line, and names no missing value."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        BUGS[bug](_id(ctx))

    (fatal,) = run(compose).fatal
    assert re.fullmatch(r"KeyError: 'us' \(test_looking_twice.py:\d+\)", fatal)
    assert not run(compose).resources


@pytest.mark.parametrize("ready", [None, True])
@pytest.mark.parametrize("cause", CAUSES)
def test_an_exception_that_a_missing_value_causes(cause: str, ready: bool | None) -> None:
    """What was registered goes out, and the composite isn't ready, whatever compose() said before it ended."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        ctx.composite(XStorageBucket).ready = ready
        CAUSES[cause](_id(ctx))

    answer = run(compose, observed={"vpc": samples.vpc(ready=True)})
    assert (answer.fatal, list(answer.resources)) == ([], ["vpc"])
    assert answer.composite_ready is False


def test_an_exception_before_anything_is_registered() -> None:
    """Where nothing is registered the exception is Fatal."""

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        int(ctx.composite(XStorageBucket).observed.status.x)

    assert len(run(compose).fatal) == 1


WITHOUT = {"vpc": samples.vpc()}
# Where a value was that is missing now, and what is observed beside the bucket that has it.
GONE: dict[str, tuple[Callable[[Any], Any], dict[str, Any]]] = {
    "a field": (_id, {"observed": WITHOUT}),
    "an element": (
        lambda ctx: ctx.resource("vpc", VPC()).observed.status.atProvider.subnets[1].id,
        {"observed": {"vpc": samples.vpc(status={"subnets": [{"id": "s"}]})}},
    ),
    "a connection detail": (
        lambda ctx: ctx.resource("vpc", VPC()).observed.connection_details["key"],
        {"observed": WITHOUT},
    ),
    "a resource that is gone": (_id, {}),
    "the composite": (lambda ctx: ctx.composite(XStorageBucket).observed.status.x, {"xr": samples.xr({}, {})}),
    "a required resource": (
        lambda ctx: ctx.required_resources.get("vpcs", VPC)[0].observed.status.atProvider.vpcId,
        {"required": {"vpcs": [samples.vpc()]}},
    ),
}


@pytest.mark.parametrize("case", GONE)
def test_a_text_that_is_used_and_asked(case: str) -> None:
    """What the text of a lost value may have decided stays, whatever the value was read from."""
    source, given = GONE[case]

    @composition.function(name="step")
    def compose(ctx: Any) -> None:
        if "required" in given:
            ctx.requirements.resources["vpcs"] = composition.ResourceSelector(api_version="v1", kind="VPC")
        text = f"{source(ctx)}"
        _bucket(ctx, location="EU", project=text)
        for name in ("p", "q"):
            if text == name:
                ctx.resource(name, Bucket(spec=BucketSpec(forProvider=ForProvider(location="EU", project="p"))))

    observed = {**given.get("observed", {}), "bucket": BUCKET, "p": BUCKET, "q": BUCKET}
    answer = run(compose, **{**given, "observed": observed})
    assert not answer.fatal
    assert {"p", "q"} <= answer.resources.keys()
    assert provider_of(answer) == {"location": "EU", "project": "p"}


def test_allowed_removal() -> None:
    """protect=False lets what a guess leaves out go, and a hash is still no value."""

    @composition.function(name="step", protect=False)
    def compose(ctx: Any) -> None:
        if _id(ctx):
            _bucket(ctx, location="x")
        else:
            hashed = hashlib.sha256(f"{_id_of(ctx)}".encode()).hexdigest()
            ctx.resource("hashed", Bucket(spec=BucketSpec(forProvider=ForProvider(location=hashed))))

    assert sorted(run(compose, observed={"bucket": BUCKET}).resources) == ["vpc"]
