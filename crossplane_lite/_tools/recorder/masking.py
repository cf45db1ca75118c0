"""Masks secret values in contents, before they are written: those of Secrets, credentials and connection details.

Crossplane has taken most of them out already. What is left are Secrets inside of other objects, and what other senders
have not taken out.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from ..._core.observed.masking import Masker, Secret
from .recording import REDACTED

__all__ = ["masked", "plain", "prepared"]

_HIDDEN: Final = REDACTED.encode()
# Only a content with one of these can have secret values.
_SIGNS: Final = (b'"Secret"', b'"credentialData"', b'"connectionDetails"')


def plain(content: bytes) -> dict[str, Any]:
    """Return a content as plain data.

    Raises:
        ValueError: The content isn't a JSON object.
    """
    try:
        found = json.loads(content)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("the content must be a JSON object")
    return found


def prepared(content: bytes) -> bytes:
    """Return a content as recordings have it: JSON in one line, with secret values masked.

    A content in one line without a sign of secret values is returned as it is. It isn't parsed, because that takes most
    of the time that a recorder needs; the reader of a recording says if it is no JSON.

    Raises:
        ValueError: The content isn't a JSON object.
    """
    if not any(sign in content for sign in _SIGNS) and content[:1] == b"{" and content[-1:] == b"}":
        if b"\n" not in content and b"\r" not in content:
            return content
    return masked([plain(content)])[0]


def masked(contents: Sequence[dict[str, Any]]) -> list[bytes]:
    """Return contents in JSON, each with the secret values of all of them masked. The plain data is changed."""
    names = {name for content in contents for name in _names(content)}
    secrets = [one for content in contents for one in _taken(content) if one[1] != _HIDDEN]
    mask = Masker(secrets, names.__contains__)
    texts = [json.dumps(content, ensure_ascii=False) for content in contents]
    return [(mask(text) if secrets else text).encode(errors="surrogatepass") for text in texts]


def _taken(content: dict[str, Any]) -> Iterator[Secret]:
    """Yield the secret values of a content, and put `**REDACTED**` in their places."""
    for values, is_text in _secret_maps(content):
        for key, text in values.items():
            if isinstance(text, str):
                try:
                    yield key, text.encode() if is_text else base64.b64decode(text, validate=True)
                except ValueError:
                    yield key, text.encode(errors="replace")
        values.update(dict.fromkeys(values, REDACTED))


def _secret_maps(content: dict[str, Any]) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield each map of secret values in a content, and whether the values are text, and not base64."""
    for one in _objects(content):
        maps = [(one.get("connectionDetails"), False)]
        if isinstance(one.get("credentialData"), dict):
            maps.append((one["credentialData"].get("data"), False))
        if one.get("kind") == "Secret":
            maps += [(one.get("data"), False), (one.get("stringData"), True)]
        yield from ((values, is_text) for values, is_text in maps if isinstance(values, dict))


def _names(content: dict[str, Any]) -> Iterator[str]:
    """Yield the names and kinds of resources in a content, which are never masked."""
    for one in _objects(content):
        for field in ("resources", "requiredResources", "extraResources"):
            if isinstance(one.get(field), dict):
                yield from one[field]
        metadata = one.get("metadata")
        for value in (one.get("kind"), metadata.get("name") if isinstance(metadata, dict) else None):
            if isinstance(value, str):
                yield value


def _objects(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    work: list[Any] = [content]
    while work:
        one = work.pop()
        if isinstance(one, dict):
            yield one
            work += one.values()
        elif isinstance(one, list):
            work += one
