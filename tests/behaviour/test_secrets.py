"""Known secret values stay out of what people read (design section 5, "Exceptions")."""

from __future__ import annotations

import base64
import logging
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from tests.behaviour import samples
from tests.behaviour.models import (
    XStorageBucket,
)
from tests.support import call, run

PASSWORD = "correct-horse-battery-staple"  # noqa: S105
ENCODED = base64.b64encode(PASSWORD.encode()).decode()
SECRET = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"password": ENCODED}}
SOURCES: dict[str, dict[str, Any]] = {
    "credentials": {"credentials": {"cloud": {"password": PASSWORD.encode()}}},
    "connection details": {"observed": {"b": samples.bucket()}, "connection": {"b": {"p": PASSWORD.encode()}}},
    "composite connection details": {"xr_connection": {"p": PASSWORD.encode()}},
    "observed secret": {"observed": {"s": SECRET}},
    "desired secret": {"desired": {"s": SECRET}},
    "required secret": {"required": {"s": [SECRET]}},
}


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
