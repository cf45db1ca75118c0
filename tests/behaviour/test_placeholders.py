"""Where a placeholder must not get through (design section 4, "Text")."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from crossplane_lite.errors import CrossplaneLiteError
from tests.behaviour import samples
from tests.behaviour.helpers import PATH, b64
from tests.behaviour.models import Bucket, BucketACL, XStorageBucket
from tests.support import call, run

Text = Callable[[Any], Any]


def test_a_token_in_a_resource_name_raises() -> None:
    """A resource can't be registered under a name that isn't known yet."""

    def compose(ctx: Any) -> None:
        value = ctx.resource("bucket", Bucket()).observed.status.atProvider.id
        with pytest.raises(CrossplaneLiteError):
            ctx.resource(f"acl-{value}", BucketACL())

    _, answer = call(compose)
    assert list(answer.resources) == ["bucket"]


@pytest.mark.parametrize(
    "selector",
    [
        lambda o: {"match_name": f"x-{o}"},
        lambda o: {"match_name": o},
        lambda o: {"match_labels": {"a": f"{o}"}},
        lambda o: {"match_labels": {"a": o}},
        lambda o: {"match_labels": {f"{o}": "a"}},
        lambda o: {"match_name": "x", "namespace": f"{o}"},
    ],
)
def test_a_selector_with_an_unresolved_value_is_not_sent(selector: Callable[[Any], dict[str, Any]]) -> None:
    """A requirement whose selector isn't known yet stays out of the answer, and the others are sent."""

    def compose(ctx: Any) -> None:
        value = ctx.resource("bucket", Bucket()).observed.status.atProvider.id
        ctx.requirements.resources["late"] = composition.ResourceSelector(
            api_version="v1", kind="ConfigMap", **selector(value)
        )
        ctx.requirements.resources["now"] = composition.ResourceSelector(
            api_version="v1", kind="ConfigMap", match_name="known"
        )

    _, answer = call(compose)
    assert list(answer.requirements.resources) == ["now"]


def test_a_schema_selector_with_an_unresolved_value_is_not_sent() -> None:
    """A schema requirement that isn't known yet stays out of the answer."""

    def compose(ctx: Any) -> None:
        value = ctx.resource("bucket", Bucket()).observed.status.atProvider.id
        ctx.requirements.schemas["late"] = composition.SchemaSelector(api_version="v1", kind=f"{value}")

    _, answer = call(compose)
    assert not answer.requirements.schemas


@pytest.mark.parametrize(
    "make",
    [
        lambda o: f"waiting for {o}",
        lambda o: "waiting for " + o,
        lambda o: f"{o}".upper(),
        lambda o: o,
        lambda o: json.dumps({"a": f"{o}"}),
        lambda o: b64(f"waiting for {o}"),
    ],
)
def test_results_show_the_path(make: Text) -> None:
    """A result made of an unresolved value shows the path instead of what stands in for it."""
    tokens: list[str] = []

    def compose(ctx: Any) -> None:
        value = ctx.resource("bucket", Bucket()).observed.status.atProvider.id
        tokens.append(str(value))
        ctx.results.warning(make(value))
        ctx.results.normal(make(value))

    _, answer = call(compose)
    texts = [text for severity, text in answer.results if PATH in text]
    assert len(texts) == 2, answer.results
    assert tokens[0].lower() not in answer.texts.lower()


@pytest.mark.parametrize("cut", [slice(0, 15), slice(5, None), slice(3, -3)])
def test_a_part_of_a_token_is_in_no_result(cut: slice) -> None:
    """A token that was cut short doesn't get into a result or a condition either."""
    parts: list[str] = []

    def compose(ctx: Any) -> None:
        value = ctx.resource("bucket", Bucket()).observed.status.atProvider.id
        parts.append(str(value)[cut])
        ctx.results.warning(f"name: {parts[0]}")
        ctx.conditions.set("Custom", True, "Reason", f"name: {parts[0]}")

    _, answer = call(compose)
    assert parts[0] not in answer.texts


def test_a_condition_with_an_unresolved_reason() -> None:
    """A condition's reason shows the path as well."""

    def compose(ctx: Any) -> None:
        value = ctx.resource("bucket", Bucket()).observed.status.atProvider.id
        ctx.conditions.set("Custom", False, f"{value}", value)

    assert call(compose)[1].conditions["Custom"] == (False, PATH, PATH)


def test_conditions_show_the_path() -> None:
    """A condition's message made of an unresolved value shows the path."""
    tokens: list[str] = []

    def compose(ctx: Any) -> None:
        value = ctx.resource("bucket", Bucket()).observed.status.atProvider.id
        tokens.append(str(value))
        ctx.conditions.set("Custom", False, "Waiting", f"for {value}")

    _, answer = call(compose)
    assert answer.conditions["Custom"] == (False, "Waiting", f"for {PATH}")
    assert tokens[0] not in answer.texts


def test_an_exception_text_shows_the_path() -> None:
    """The result of an exception whose text has a token shows the path."""
    tokens: list[str] = []

    @composition.function
    def compose(ctx: Any) -> None:
        value = ctx.resource("bucket", Bucket()).observed.status.atProvider.id
        tokens.append(str(value))
        raise ValueError(f"bad {value}")

    ((severity, text),) = run(compose).results
    assert severity == "warning"
    assert PATH in text
    assert tokens[0] not in text


@pytest.mark.parametrize(
    "value",
    [lambda o: o, lambda o: f"x{o}", lambda o: {"deep": [o]}, lambda o: {f"{o}": 1}, lambda o: b64(f"{o}")],
)
def test_context_and_output_keys_with_a_token_are_left_out(value: Text) -> None:
    """Context and output entries made of unresolved values are left out, the others are there."""

    def compose(ctx: Any) -> None:
        unresolved = ctx.resource("bucket", Bucket()).observed.status.atProvider.id
        ctx.context["late"] = value(unresolved)
        ctx.context["now"] = {"a": 1}
        ctx.output["late"] = value(unresolved)
        ctx.output["now"] = "x"

    _, answer = call(compose)
    assert "late" not in answer.context
    assert answer.context["now"] == {"a": 1}
    assert answer.output == {"now": "x"}


def test_unresolved_connection_details_keep_their_observed_value() -> None:
    """Composite connection details that aren't known yet keep the observed value, or are left out."""

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        provider = ctx.resource("bucket", Bucket()).observed.status.atProvider
        xr.connection_details["url"] = f"https://{provider.url}"
        xr.connection_details["id"] = provider.id
        xr.connection_details["new"] = f"{provider.id}"
        xr.connection_details["user"] = "admin"

    _, answer = call(compose, xr_connection={"url": b"https://old", "id": b"\xff", "unrelated": b"x"})
    assert answer.composite_connection == {"url": b"https://old", "id": b"\xff", "user": b"admin"}


def test_no_placeholder_ever_leaves() -> None:
    """With tokens in every place at once, none of them is in the answer's bytes."""
    tokens: list[str] = []

    def compose(ctx: Any) -> None:
        xr = ctx.composite(XStorageBucket)
        bucket = ctx.resource("bucket", Bucket())
        value = bucket.observed.status.atProvider.id
        tokens.append(str(value))
        kept = ctx.resource("kept", Bucket())
        kept.spec.forProvider.location = f"x{value}"
        kept.spec.forProvider.labels = {f"{value}": "x", "y": f"{value}"}
        kept.spec.forProvider.extra = {"a": [b64(f"{value}"), {f"k{value}": 1}]}
        earlier = ctx.resource("earlier", Bucket())
        earlier.spec.forProvider.zones = ["a", f"{value}"]
        xr.status.url = f"{value}"
        xr.status.names = [f"{value}", "b"]
        xr.connection_details["a"] = f"{value}"
        ctx.context["k"] = f"{value}"
        ctx.output["k"] = f"{value}"
        ctx.results.warning(f"{value}")
        ctx.conditions.set("Custom", None, "Reason", f"{value}")

    _, answer = call(
        compose,
        observed={"kept": samples.bucket({"location": "US"})},
        desired={"earlier": samples.bucket({"zones": ["q"]})},
    )
    assert {"kept", "earlier"} <= set(answer.resources)
    assert tokens[0].lower().encode() not in answer.data.lower()
    assert b"Observable(" not in answer.data
    for shift in range(3):
        assert base64.b64encode(b"x" * shift + tokens[0].encode())[4:-4] not in answer.data


@pytest.mark.parametrize("deep", [{"value": {"{key}": "v"}}, {"{key}": "v"}, {"list": [{"{key}": {"a": 1}}]}])
def test_a_token_in_a_key_of_an_object_without_a_schema(deep: dict[str, Any]) -> None:
    """A key made of an unknown value keeps a resource without a schema back, and out of the composite's status."""

    def filled(value: Any, key: str) -> Any:
        if isinstance(value, dict):
            return {name.replace("{key}", key): filled(below, key) for name, below in value.items()}
        return [filled(below, key) for below in value] if isinstance(value, list) else value

    def compose(ctx: Any) -> None:
        bucket = ctx.resource("bucket", Bucket())
        content = filled(deep, f"key-{bucket.observed.status.atProvider.id}")
        ctx.composite(Unstructured).status["deep"] = content
        ctx.resource("other", Unstructured("example.org/v1", "Thing", data=content))

    _, first = call(compose)
    assert list(first.resources) == ["bucket"]
    assert "key-" not in json.dumps(first.composite)
    _, then = call(compose, observed={"bucket": samples.bucket(status={"id": "b"})})
    assert "key-b" in json.dumps(then.resources["other"])
    assert "key-b" in json.dumps(then.composite["status"])
