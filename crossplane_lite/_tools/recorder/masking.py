"""Masks secret values in contents, before they are written: those of Secrets, credentials and
connection details.

Crossplane has taken most of them out already. What is left are Secrets inside of other objects, in
the context and in JSON in strings, and what other senders have not taken out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from ..._core.observed.secret_parts import Secret
from ..._core.observed.secrets import MASK, Masker, maps_in, secret_value
from .recording import REDACTED

_HIDDEN: Final = REDACTED.encode()
# The kinds in JSON in a string, where a quote has an escape.
_IN_TEXTS: Final = (b"Secret\\", b"SecretList\\")
# Only a content with one of these can have secret values.
_SIGNS: Final = (
    b'"Secret"',
    b'"SecretList"',
    b'"credentialData"',
    b'"connectionDetails"',
    *_IN_TEXTS,
)
# They are in maps with these keys, and there is nothing to do for a map from which all were taken
# out before.
_KEY: Final = re.compile(rb'"(?:connectionDetails|data|stringData)"\s*:\s*')
_TAKEN_OUT: Final = re.compile(
    rb'\{\s*(?:"(?:[^"\\]|\\.)*"\s*:\s*"%s"\s*(?:,\s*)?)*\}|[^{\s]' % re.escape(_HIDDEN), re.DOTALL
)

# kubectl keeps the whole object in this annotation, the data of a Secret too.
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"

_ESCAPED_LETTER: Final = re.compile(rb"\\u00[4-7]")


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

    A content in one line that has no secret values is returned as it is. It isn't parsed, because
    that would take most of the time that a recorder needs; the reader of a recording says if it is
    no JSON.

    Raises:
        ValueError: The content isn't a JSON object.
    """
    is_line = (
        content[:1] == b"{"
        and content[-1:] == b"}"
        and b"\n" not in content
        and b"\r" not in content
    )
    # it could hide a key
    if b"\\" in content and b"\\u00" in content and _ESCAPED_LETTER.search(content):
        is_line = False
    if is_line and (not any(sign in content for sign in _SIGNS) or _has_nothing_to_take(content)):
        return content
    return masked([plain(content)])[0]


def _has_nothing_to_take(content: bytes) -> bool:
    if any(sign in content for sign in (_LAST_APPLIED.encode(), *_IN_TEXTS)):
        return False
    return all(_TAKEN_OUT.match(content, key.end()) for key in _KEY.finditer(content))


def masked(contents: Sequence[dict[str, Any]]) -> list[bytes]:
    """Return contents in JSON, each with the secret values of all of them masked. The plain data is
    changed.
    """
    objects = [one for content in contents for one in _objects(content)]
    secrets = [one for one in _taken(contents, objects) if one[1] != _HIDDEN]
    shown: Sequence[Any] = contents
    if secrets:
        names = set(_names(objects))
        mask = Masker(secrets, names.__contains__)
        try:
            shown = [hidden(content, mask) for content in contents]
        except RecursionError:
            raise ValueError("the JSON is nested too deeply") from None
    return [
        json.dumps(content, ensure_ascii=False).encode(errors="surrogatepass") for content in shown
    ]


def hidden(value: Any, mask: Callable[[str], str]) -> Any:
    """Return plain data with the secret values in its strings and keys masked; so are numbers that
    are secret values.

    The values are masked one by one, and not their JSON or YAML, which would be broken where a
    secret value is a number or holds quotes.
    """
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        found = {}  # no comprehension, which would take a frame more for each level
        for key, one in value.items():
            found[mask(str(key))] = hidden(one, mask)
        return found
    if isinstance(value, list):
        elements = []
        for one in value:
            elements.append(hidden(one, mask))
        return elements
    if value is None or isinstance(value, bool):
        return value
    text = json.dumps(value)
    return value if mask(text) == text else MASK


def _taken(
    contents: Sequence[dict[str, Any]], objects: Sequence[dict[str, Any]]
) -> Iterator[Secret]:
    """Yield the secret values of contents and their objects, and put `**REDACTED**` in their
    places.
    """
    for values, is_text in _secret_maps(contents, objects):
        for key, text in values.items():
            if isinstance(text, str):
                yield key, secret_value(text, is_text)
        values.update(dict.fromkeys(values, REDACTED))
    for one in objects:
        annotations = (
            one["metadata"].get("annotations") if isinstance(one.get("metadata"), dict) else None
        )
        if (
            one.get("kind") == "Secret"
            and isinstance(annotations, dict)
            and _LAST_APPLIED in annotations
        ):
            annotations[_LAST_APPLIED] = REDACTED


def _secret_maps(contents: Any, objects: Sequence[dict[str, Any]]) -> Iterator[tuple[Any, bool]]:
    """Yield each map of secret values in contents and their objects, and whether they are text, and
    not base64.
    """
    for one in objects:
        credentials = one.get("credentialData")
        for values in (
            one.get("connectionDetails"),
            isinstance(credentials, dict) and credentials.get("data"),
        ):
            if isinstance(values, dict):
                yield values, False
    yield from maps_in(list(contents))


def _names(objects: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the names and kinds of resources in objects, which are never masked."""
    for one in objects:
        for field in ("resources", "requiredResources", "extraResources"):
            if isinstance(one.get(field), dict):
                yield from one[field]
        metadata = one.get("metadata")
        for value in (
            one.get("kind"),
            metadata.get("name") if isinstance(metadata, dict) else None,
        ):
            if isinstance(value, str):
                yield value


def _objects(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    work: list[Any] = [content]
    while work:
        one = work.pop()
        if isinstance(one, dict):
            yield one
            work += [value for value in one.values() if isinstance(value, (dict, list))]
        else:
            work += [value for value in one if isinstance(value, (dict, list))]
