"""The forms in which a secret value is masked, wherever it comes from: the lists of the page about serving."""

from __future__ import annotations

import base64
import html
import json
import shlex
from collections.abc import Callable
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from crossplane_lite import composition
from crossplane_lite._core.observed.secrets import MASK
from tests.behaviour.test_masking import HIDDEN, STRUCTURED
from tests.behaviour.test_secrets import sources_of
from tests.support import run

# Each character that some form escapes.
HARD = "Qw\"7\\<zz>&'é%/ +=Second"


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _go(text: str) -> str:
    escaped = json.dumps(text, ensure_ascii=False)
    return escaped.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


MASKED: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in a word": lambda value: f"x{value}x",
    "repr": repr,
    "repr of bytes": lambda value: repr(value.encode()),
    "repr of a dict": lambda value: repr({"a": [value]}),
    "JSON": json.dumps,
    "JSON with letters": lambda value: json.dumps(value, ensure_ascii=False),
    "JSON of Go": _go,
    "JSON in JSON": lambda value: json.dumps(json.dumps({"a": value})),
    "JSON in repr": lambda value: repr(json.dumps({"a": value})),
    "JSON of Go in JSON": lambda value: json.dumps(_go(value)),
    "repr in JSON": lambda value: json.dumps(repr(value)),
    "base64": _base64,
    "base64 without =": lambda value: _base64(value).rstrip("="),
    "base64 for URLs": lambda value: base64.urlsafe_b64encode(value.encode()).decode(),
    "base64 with a user": lambda value: _base64(f"joe-x:{value}"),
    "data of a Secret": lambda value: json.dumps({"kind": "Secret", "data": {"a": _base64(value)}}),
    "path": quote,
    "query": lambda value: quote(value, safe=""),
    "form": quote_plus,
    "URL": lambda value: f"https://joe:{quote(value, safe='')}@h/",
}
SHOWN: dict[str, Callable[[str], str]] = {
    "upper case": str.upper,
    "hexadecimal": lambda value: value.encode().hex(),
    "bytes": lambda value: str(list(value.encode())),
    "shell": shlex.quote,
    "YAML": lambda value: "'" + value.replace("'", "''") + "'",
    "HTML": html.escape,
    "URL in a URL": lambda value: quote(quote(value)),
    "lower case in a URL": lambda value: quote(value).replace("%3C", "%3c"),
    "three escapes": lambda value: json.dumps(json.dumps(json.dumps(value))),
    "base64 of base64": lambda value: _base64(_base64(value)),
    "base64 of JSON": lambda value: _base64(json.dumps(value)),
}


def _told(source: dict[str, Any], texts: list[str]) -> list[str]:
    @composition.function
    def compose(ctx: Any) -> None:
        for number, text in enumerate(texts):
            ctx.results.warning(f"{number}: {text}")

    return [text for _, text in run(compose, **source).results]


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", sources_of(HARD))
def test_a_value_is_masked_in_each_form(name: str) -> None:
    """Wherever the request has a value, and whatever characters it has, it is masked in all forms of the page."""
    texts = _told(sources_of(HARD)[name], [form(HARD) for form in MASKED.values()])
    assert [form for form, text in zip(MASKED, texts, strict=True) if MASK not in text] == []


@pytest.mark.sample(12)
@pytest.mark.parametrize("name", STRUCTURED)
def test_a_part_is_masked_in_each_form(name: str) -> None:
    """A password in a structured value is masked in all forms; users and short ones only as words."""
    value, password = STRUCTURED[name]
    is_word = len(password) < 8 or name == "a token as the user"
    forms = MASKED.keys() - ({"in a word", "base64 with a user"} if is_word else set())
    texts = _told(sources_of(value)["credentials"], [MASKED[form](password) for form in forms])
    assert [form for form, text in zip(forms, texts, strict=True) if MASK not in text] == []


@pytest.mark.parametrize("form", SHOWN)
def test_what_the_page_says_is_not_masked(form: str) -> None:
    """The page tells no forms as shown that are masked."""
    [text] = _told(sources_of(HARD)["credentials"], [SHOWN[form](HARD)])
    assert text == f"0: {SHOWN[form](HARD)}"


UNKNOWN: dict[str, str] = {
    "XML": f"<password>{HIDDEN}</password>",
    ".pgpass": f"host:5432:db:joe:{HIDDEN}",
    "-p": f"mysql -u joe -p{HIDDEN}",
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_formats_that_are_not_taken_apart(name: str) -> None:
    """A value in a format that the page doesn't name is masked whole, and not alone."""
    source = sources_of(UNKNOWN[name])["credentials"]
    assert _told(source, [HIDDEN, f"it is {UNKNOWN[name]}"]) == [f"0: {HIDDEN}", f"1: it is {MASK}"]


ELSEWHERE: dict[str, str] = {
    "YAML": f"apiVersion: v1\nkind: Secret\nstringData:\n  password: {HIDDEN}\n",
    "base64": _base64(json.dumps({"kind": "Secret", "stringData": {"password": HIDDEN}})),
    "JSON behind text": "the Secret is " + json.dumps({"kind": "Secret", "stringData": {"password": HIDDEN}}),
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_secrets_that_are_not_found(name: str) -> None:
    """A Secret in a string that isn't JSON isn't found, as the page says."""
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}, "data": {"a": ELSEWHERE[name]}}
    assert _told({"required": {"c": [config_map]}}, [HIDDEN]) == [f"0: {HIDDEN}"]
