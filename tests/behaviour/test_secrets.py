"""Known secret values stay out of what people read (design section 5, "Exceptions")."""

from __future__ import annotations

import base64
import json
import logging
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from crossplane_lite._core.observed.secrets import secrets_of
from tests.behaviour import samples
from tests.behaviour.growth import calls_during
from tests.behaviour.models import XStorageBucket
from tests.support import call, request, run

PASSWORD = "correct-horse-battery-staple"  # noqa: S105
ENCODED = base64.b64encode(PASSWORD.encode()).decode()
EXTRA = "apiextensions.crossplane.io/extra-resources"  # where function-extra-resources puts what it has fetched
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def _secret(value: str) -> dict[str, Any]:
    data = {"password": base64.b64encode(value.encode()).decode()}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": data}


def _annotated(of: dict[str, Any]) -> dict[str, Any]:
    annotations = {LAST_APPLIED: json.dumps(of)}
    return {"apiVersion": "v1", "kind": of["kind"], "metadata": {"name": "a", "annotations": annotations}}


def _config_map(text: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"objects.json": text}}


def sources_of(value: str) -> dict[str, dict[str, Any]]:
    """Return the arguments of requests that have a secret value, by where it is."""
    secret = _secret(value)
    listed = {"apiVersion": "v1", "kind": "SecretList", "items": [{"metadata": {"name": "s"}, "data": secret["data"]}]}
    of_provider = {"apiVersion": "kubernetes.crossplane.io/v1alpha2", "kind": "Object", "spec": {"manifest": secret}}
    text = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"password": value}}
    xr = samples.xr({}, {})
    details = {"p": value.encode()}
    return {
        "credentials": {"credentials": {"cloud": {"password": value.encode()}}},
        "connection details": {"observed": {"b": samples.bucket()}, "connection": {"b": details}},
        "composite connection details": {"xr_connection": details},
        "desired connection details": {"desired_xr": xr, "desired_xr_connection": details},
        "observed secret": {"observed": {"s": secret}},
        "observed secret with text": {"observed": {"s": text}},
        "desired secret": {"desired": {"s": secret}},
        "required secret": {"required": {"s": [secret]}},
        "extra secret": {"extra": {"s": [secret]}},
        "secret in an object": {"observed": {"o": of_provider}},
        "secret in the composite": {"xr": {**xr, "status": {"made": [secret]}}},
        "secret in the context": {"context": {EXTRA: {"all": [secret]}}},
        "secret deep in the context": {"context": {"a": {"b": [{"c": of_provider}]}}},
        "secret with text in the context": {"context": {EXTRA: {"all": [text]}}},
        "secret in the input": {"input": {"apiVersion": "v1", "kind": "Input", "template": secret}},
        "list of secrets": {"required": {"s": [listed]}},
        "list of secrets in the context": {"context": {"all": listed}},
        "JSON in a field": {"observed": {"o": {"apiVersion": "v1", "kind": "A", "spec": {"of": json.dumps(secret)}}}},
        "JSON in a config map": {"required": {"c": [_config_map(json.dumps([secret], indent=2))]}},
        "JSON in JSON": {"required": {"c": [_config_map(json.dumps({"a": json.dumps(text)}))]}},
        "list in JSON in the context": {"context": {"text": json.dumps(listed)}},
        "annotation of a secret": {"observed": {"s": _annotated(secret)}},
        "annotation of an object": {"observed": {"s": _annotated(of_provider)}},
        "JSON in the input": {"input": {"apiVersion": "v1", "kind": "Input", "text": json.dumps(secret)}},
    }


SECRET = _secret(PASSWORD)
SOURCES = sources_of(PASSWORD)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("shape", [PASSWORD, ENCODED, f"url://user:{PASSWORD}@host", f"{{'p': '{ENCODED}'}}"])
def test_secrets_are_masked_in_results(source: str, shape: str) -> None:
    """Known secret values, plain or base64, are in no result, whoever wrote it."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.results.warning(f"trying {shape}")
        ctx.results.normal(shape)

    answer = run(compose, **SOURCES[source])
    assert len(answer.results) == 2
    assert PASSWORD not in answer.texts
    assert ENCODED not in answer.texts
    assert "trying" in answer.texts


@pytest.mark.parametrize("source", SOURCES)
def test_secrets_are_masked_in_exceptions(source: str) -> None:
    """An exception's text is masked in the result."""

    @composition.function
    def compose(ctx: Any) -> None:
        raise ValueError(f"can't log in with {PASSWORD} or {ENCODED}")

    answer = run(compose, **SOURCES[source])
    assert "can't log in" in answer.fatal[0]
    assert PASSWORD not in answer.fatal[0]
    assert ENCODED not in answer.fatal[0]


@pytest.mark.parametrize("source", SOURCES)
def test_secrets_are_masked_in_the_log(source: str, caplog: pytest.LogCaptureFixture) -> None:
    """Log lines and tracebacks are masked."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.log.warning("using %s", PASSWORD)
        ctx.log.error("using " + ENCODED)
        raise ValueError(f"no {PASSWORD}")

    with caplog.at_level(logging.DEBUG):
        run(compose, **SOURCES[source])
    assert "using" in caplog.text
    assert PASSWORD not in caplog.text
    assert ENCODED not in caplog.text


@pytest.mark.parametrize("source", SOURCES)
def test_secrets_are_masked_in_conditions(source: str) -> None:
    """A condition's message is masked."""

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.conditions.set("Connected", False, reason="No", message=f"tried {PASSWORD} and {ENCODED}")

    message = run(compose, **SOURCES[source]).conditions["Connected"][2]
    assert message == "tried [secret] and [secret]"


def test_nothing_is_looked_for_where_nothing_is_told() -> None:
    """A call without results, conditions and log lines reads no Secret of its context."""

    def looks(told: bool) -> int:
        @composition.function
        def compose(ctx: Any) -> None:
            if told:
                ctx.results.normal("told")

        data = request(**SOURCES["secret in the context"])
        return calls_during(lambda: compose.run(data), of=lambda code: code.co_name == secrets_of.__name__)

    assert looks(told=True) > 0
    assert looks(told=False) == 0


def test_secrets_stay_whole_where_they_belong() -> None:
    """Masking is for people's eyes: desired state and connection details carry the values."""

    def compose(ctx: Any) -> None:
        secret = ctx.resource("secret", Unstructured("v1", "Secret"))
        secret.data = {"password": ENCODED}
        ctx.composite(XStorageBucket).connection_details["password"] = PASSWORD

    _, answer = call(compose, credentials={"cloud": {"password": PASSWORD.encode()}})
    assert answer.resources["secret"]["data"] == {"password": ENCODED}
    assert answer.composite_connection == {"password": PASSWORD.encode()}


@pytest.mark.parametrize(
    "odd",
    [
        {"data": "abc"},
        {"data": ["abc", {"a": 1}]},
        {"data": {"a": 5, "b": None, "c": ["x"], "d": {"e": "f"}, "g": "not base64!"}},
        {"data": {"a": "////", "b": "", "c": "YQ"}},
        {"stringData": 5},
        {"stringData": "abc"},
        {"stringData": {"a": 5, "b": None, "c": ["x"]}},
        {"data": None, "stringData": None},
        {"data": True, "stringData": [1]},
    ],
    ids=str,
)
@pytest.mark.parametrize("where", ["observed", "desired", "required"])
def test_odd_data_of_a_secret_does_not_stop_the_masking(odd: dict[str, Any], where: str) -> None:
    """Whatever stands in a Secret's data, there is an answer, and what can be read of other Secrets is masked."""
    secrets = {"a-odd": {"apiVersion": "v1", "kind": "Secret", **odd}, "s": SECRET}
    kwargs: dict[str, Any] = {where: {"r": list(secrets.values())} if where == "required" else secrets}

    @composition.function
    def compose(ctx: Any) -> None:
        ctx.results.warning(f"trying {PASSWORD}")
        raise ValueError(f"no {ENCODED}")

    answer = run(compose, **kwargs)
    assert "trying" in answer.texts
    assert "ValueError: no" in answer.fatal[0]
    assert PASSWORD not in answer.texts
    assert ENCODED not in answer.texts


@pytest.mark.slow
@pytest.mark.parametrize("where", ["result", "condition", "exception", "log"])
def test_long_texts_are_cut_behind_the_masking(where: str, caplog: pytest.LogCaptureFixture) -> None:
    """Of 5 MB of text, the beginning and the end are shown, and how much there was; no part of a secret is left."""
    huge = "begin " + f"{PASSWORD} " * 180_000 + "end"

    @composition.function
    def compose(ctx: Any) -> None:
        if where == "result":
            ctx.results.warning(huge)
        elif where == "condition":
            ctx.conditions.set("Huge", True, reason="Huge", message=huge)
        elif where == "exception":
            raise ValueError(huge)
        else:
            ctx.log.warning(huge)

    with caplog.at_level(logging.DEBUG):
        answer = run(compose, credentials={"cloud": {"password": PASSWORD.encode()}})
    text = caplog.text if where == "log" else answer.texts
    assert len(text) < 60_000
    assert "begin [secret]" in text
    assert "end" in text[-200:]
    assert "(5,220,0" in text
    assert not [part for part in PASSWORD.split("-") if part in text]
