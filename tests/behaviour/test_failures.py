"""Exceptions, violations and other failures are answers (design section 5)."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from tests.behaviour import samples
from tests.behaviour.helpers import selector
from tests.behaviour.models import (
    VPC,
    AtProvider,
    Bucket,
    BucketSpec,
    BucketStatus,
    ForProvider,
    XStorageBucket,
)
from tests.support import build, call, run

# --- fatal answers keep the desired state ------------------------------------------------------------------------


def _user(ctx: Any) -> None:
    ctx.results.fatal("no")


def _exception(ctx: Any) -> None:
    raise ValueError("no")


def _violation(ctx: Any) -> None:
    ctx.composite(XStorageBucket).spec.parameters.location = "x"


@pytest.mark.parametrize("problem", [_user, _exception, _violation])
def test_a_fatal_answer_keeps_the_incoming_desired_state(problem: Callable[[Any], None]) -> None:
    """With a fatal result the desired state is what came in, readiness and connection details included."""

    @composition.function
    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        xr.status.x = "new"
        xr.ready = True
        ctx.resource("new", Bucket())
        ctx.resource("old", Bucket(spec=BucketSpec(forProvider=ForProvider(location="new"))))
        ctx.remove("gone")
        problem(ctx)

    kwargs: dict[str, Any] = {
        "desired": {"old": samples.bucket({"location": "US"}), "gone": samples.bucket()},
        "desired_ready": {"old": True},
        "desired_xr": {"apiVersion": "example.org/v1alpha1", "kind": "XStorageBucket", "status": {"y": "1"}},
        "desired_xr_ready": False,
        "desired_xr_connection": {"k": b"\xff"},
    }
    answer = run(compose, **kwargs)
    assert len(answer.fatal) == 1
    assert answer.message.desired == build(**kwargs).desired


# --- exceptions --------------------------------------------------------------------------------------------------


def test_an_exception_is_a_fatal_result() -> None:
    """An exception gives type, text and place in the result, and its traceback in the log."""

    @composition.function
    def compose(ctx: Any) -> None:
        raise LookupError("boom went the function")

    answer = run(compose)
    assert len(answer.fatal) == 1
    assert "LookupError" in answer.fatal[0]
    assert "boom went the function" in answer.fatal[0]
    assert re.search(r"test_failures\.py:\d+", answer.fatal[0])


def test_an_exceptions_traceback_goes_to_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """The log has the traceback."""

    def helper() -> None:
        raise LookupError("boom")

    @composition.function
    def compose(ctx: Any) -> None:
        helper()

    with caplog.at_level(logging.DEBUG):
        run(compose)
    assert "Traceback" in caplog.text
    assert "in helper" in caplog.text


def test_a_type_error_after_observables_lists_them() -> None:
    """If Observables were handed out before a TypeError, the result lists them and names apply()."""

    @composition.function
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        value = vpc.observed.status.atProvider.vpcId
        if not value:
            "".join([value])

    ((severity, text),) = run(compose).results
    assert severity == "warning"
    assert "TypeError" in text
    assert "vpc.status.atProvider.vpcId" in text
    assert "apply(" in text


def test_an_exception_without_observables_does_not_talk_about_them() -> None:
    """Without Observables the result doesn't name apply()."""

    @composition.function
    def compose(ctx: Any) -> None:
        raise ValueError("boom")

    assert "apply(" not in run(compose).fatal[0]


def test_an_assertion_without_text_is_still_clear() -> None:
    """An exception with no text gives its type and place."""

    @composition.function
    def compose(ctx: Any) -> None:
        raise AssertionError

    (text,) = run(compose).fatal
    assert "AssertionError" in text
    assert "test_failures.py:" in text


def test_deep_recursion_in_compose_is_a_fatal_result() -> None:
    """Runaway recursion in the author's code is a fatal result like any exception."""

    @composition.function
    def compose(ctx: Any) -> None:
        def again() -> None:
            again()

        again()

    assert "RecursionError" in run(compose).fatal[0]


@pytest.mark.parametrize("error", [SystemExit, asyncio.CancelledError])
def test_exceptions_that_would_end_more_than_the_call(error: type[BaseException]) -> None:
    """What a library raises to end the program or a task is a fatal result as well."""

    @composition.function
    def compose(ctx: Any) -> None:
        raise error("the end")

    (text,) = run(compose).fatal
    assert error.__name__ in text


BAD_TEXT = "lone surrogate \ud800"


def _raise(text: str) -> None:
    raise ValueError(text)


MISTAKES: dict[str, Callable[[Any], Any]] = {
    "result": lambda ctx: ctx.results.warning(BAD_TEXT),
    "fatal result": lambda ctx: ctx.results.fatal(BAD_TEXT),
    "exception": lambda ctx: _raise(BAD_TEXT),
    "condition message": lambda ctx: ctx.conditions.set("Type", True, "Reason", BAD_TEXT),
    "condition type": lambda ctx: ctx.conditions.set(BAD_TEXT, True, "Reason"),
    "condition status": lambda ctx: ctx.conditions.set("Type", "True", "Reason"),
    "resource name": lambda ctx: ctx.resource(BAD_TEXT, Bucket()),
    "map key": lambda ctx: ctx.resource("bucket", Bucket()).metadata.labels.__setitem__(BAD_TEXT, "x"),
    "context key": lambda ctx: ctx.context.__setitem__(BAD_TEXT, "x"),
    "context value": lambda ctx: ctx.context.__setitem__("x", BAD_TEXT),
    "context key of another type": lambda ctx: ctx.context.__setitem__(5, "x"),
    "output value": lambda ctx: ctx.output.__setitem__("x", BAD_TEXT),
    "output key of another type": lambda ctx: ctx.output.__setitem__(5, "x"),
    "output value of another type": lambda ctx: ctx.output.__setitem__("x", object()),
    "connection detail": lambda ctx: ctx.composite(XStorageBucket).connection_details.__setitem__("x", BAD_TEXT),
    "connection detail key": lambda ctx: ctx.composite(XStorageBucket).connection_details.__setitem__(BAD_TEXT, "x"),
    "match_name": lambda ctx: ctx.requirements.resources.__setitem__("x", selector(match_name=BAD_TEXT)),
    "match_labels": lambda ctx: ctx.requirements.resources.__setitem__("x", selector(match_labels={"a": 1})),
    "requirement key": lambda ctx: ctx.requirements.resources.__setitem__(BAD_TEXT, selector(match_name="x")),
    "requirement key of another type": lambda ctx: ctx.requirements.resources.__setitem__(5, selector(match_name="x")),
    "requirement of another type": lambda ctx: ctx.requirements.resources.__setitem__("x", "no selector"),
    "schema requirement of another type": lambda ctx: ctx.requirements.schemas.__setitem__("x", {"kind": "y"}),
    "readiness": lambda ctx: setattr(ctx.resource("bucket", Bucket()), "ready", "yes"),
    "readiness of the composite": lambda ctx: setattr(ctx.composite(XStorageBucket), "ready", [1]),
    "ttl": lambda ctx: setattr(ctx, "ttl", "5s"),
    "result of another type": lambda ctx: ctx.results.warning(None),
    "remove": lambda ctx: ctx.remove(None),
    "depends_on": lambda ctx: ctx.resource("bucket", Bucket(), depends_on=["nothing"]),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_of_the_author_never_crash(name: str) -> None:
    """Whatever compose() does wrong, the caller gets an answer: every failure but malformed bytes is in it."""

    @composition.function
    def compose(ctx: Any) -> None:
        MISTAKES[name](ctx)

    assert run(compose).message.meta.tag == "a-tag"


@pytest.mark.parametrize("name", ["bucket", "xr"])
def test_an_unresolved_readiness_never_crashes(name: str) -> None:
    """Readiness that is set to an unresolved value isn't ready, and the answer is one."""

    @composition.function
    def compose(ctx: Any) -> None:
        vpc = ctx.resource("vpc", VPC())
        target = ctx.composite(XStorageBucket) if name == "xr" else ctx.resource("bucket", Bucket())
        target.ready = vpc.observed.status.atProvider.isDefault

    answer = run(compose)
    assert answer.composite_ready is not True
    assert answer.ready.get("bucket") is not True


# --- violations --------------------------------------------------------------------------------------------------


def _xr_spec(ctx: Any) -> None:
    ctx.composite(XStorageBucket).spec.parameters.location = "x"


def _xr_labels(ctx: Any) -> None:
    ctx.composite(XStorageBucket).metadata.labels["a"] = "b"


def _xr_unstructured_spec(ctx: Any) -> None:
    ctx.composite(Unstructured).spec.parameters.location = "x"


def _composed_status(ctx: Any) -> None:
    ctx.resource("bucket", Bucket(status=BucketStatus(atProvider=AtProvider(id="x"))))


def _composed_status_later(ctx: Any) -> None:
    ctx.resource("bucket", Bucket()).status.atProvider.id = "x"


def _unstructured_status(ctx: Any) -> None:
    ctx.resource("bucket", Unstructured("v1", "Thing")).status.id = "x"


@pytest.mark.parametrize(
    ("violate", "words"),
    [
        (_xr_spec, ["spec"]),
        (_xr_labels, ["metadata"]),
        (_xr_unstructured_spec, ["spec"]),
        (_composed_status, ["bucket", "status"]),
        (_composed_status_later, ["bucket", "status"]),
        (_unstructured_status, ["bucket", "status"]),
    ],
)
def test_violations_are_fatal(violate: Callable[[Any], None], words: list[str]) -> None:
    """Desired composite spec or metadata and composed status are fatal results that say which field."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.resource("other", Bucket())
        violate(ctx)

    answer = run(compose)
    assert len(answer.fatal) == 1
    assert all(word in answer.fatal[0] for word in words)
    assert not answer.resources


def test_what_earlier_functions_left_passes_through() -> None:
    """Composite spec and composed status that came in aren't this function's errors: they pass through."""
    desired_xr = {
        "apiVersion": "example.org/v1alpha1",
        "kind": "XStorageBucket",
        "metadata": {"labels": {"a": "b"}},
        "spec": {"parameters": {"location": "US"}},
        "status": {"y": "1"},
    }
    earlier = samples.bucket({"location": "US"}, status={"id": "i"})

    def compose(ctx: Any) -> None:
        ctx.composite(XStorageBucket).status.x = "2"
        ctx.resource("bucket", Bucket(spec=BucketSpec(forProvider=ForProvider(project="p"))))

    _, answer = call(compose, desired_xr=desired_xr, desired={"bucket": earlier})
    assert not answer.fatal
    assert answer.composite == {**desired_xr, "status": {"y": "1", "x": "2"}}
    assert answer.resources["bucket"]["status"] == {"atProvider": {"id": "i"}}


def test_reading_what_must_not_be_set_is_no_violation() -> None:
    """Reading the desired composite's status, and spec and status as objects, is fine."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        _ = xr.spec.parameters
        assert xr.status.bucketName is None
        _ = ctx.resource("bucket", Bucket()).status.atProvider

    assert not call(compose)[1].fatal


def test_an_observed_object_of_another_kind_is_fatal() -> None:
    """An observed object whose kind or group isn't the model's is fatal, another version is not."""

    @composition.function
    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        _ = bucket.observed.spec.forProvider.location

    for change in ({"kind": "Other"}, {"apiVersion": "other.org/v1beta1"}):
        answer = run(compose, observed={"bucket": {**samples.bucket({"location": "US"}), **change}})
        assert len(answer.fatal) == 1
        assert "bucket" in answer.fatal[0].lower()
    other_version = {**samples.bucket({"location": "US"}), "apiVersion": "storage.gcp.upbound.io/v1"}
    assert not run(compose, observed={"bucket": other_version}).fatal


def test_a_composite_of_another_kind_is_fatal() -> None:
    """The same for the composite."""

    @composition.function
    def compose(ctx: Any) -> None:
        _ = ctx.composite(VPC).observed.spec.forProvider.region

    answer = run(compose)
    assert len(answer.fatal) == 1
    assert "XStorageBucket" in answer.fatal[0]


def test_the_log_of_a_failing_async_function_shows_its_own_error_only(caplog: pytest.LogCaptureFixture) -> None:
    """The traceback in the log has no error in it that compose() didn't raise."""

    @composition.function
    async def compose(ctx: Any) -> None:
        raise ValueError("boom")

    assert "boom" in run(compose).fatal[0]
    (record,) = [one for one in caplog.records if "boom" in one.getMessage()]
    assert "During handling" not in record.getMessage()
