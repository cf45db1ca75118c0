"""Secret values of a request, and how they are kept out of results and logs."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

from .. import _wire

__all__ = ["Masker", "masker_for"]

# Shorter values would be found in the middle of words, and masking those tells more than it hides.
_SHORTEST: Final = 4
_MASK: Final = "[secret]"


def masker_for(request: Any) -> Masker:
    """Return a function that masks every secret value of the request in a text.

    Secret are credentials, connection details and the data of Secrets, as they are and in base64; values of fewer
    than four characters are left as they are.
    """
    return Masker(_secret_values(request))


class Masker:
    """Masks secret values in texts.

    Args:
        values: The values.
    """

    __slots__ = ("_longest_first", "_texts")

    def __init__(self, values: Iterable[bytes] = ()) -> None:
        self._texts: set[str] = set()
        self._longest_first: list[str] = []
        self.add(values)

    def add(self, values: Iterable[bytes]) -> None:
        """Mask these values too."""
        for value in values:
            if len(value) >= _SHORTEST:
                self._texts.update(_shapes(value))
        self._longest_first = sorted(self._texts, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        for secret in self._longest_first:
            text = text.replace(secret, _MASK)
        return text


def _shapes(value: bytes) -> Iterator[str]:
    """Yield the texts that a value may stand in."""
    yield base64.b64encode(value).decode()
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return
    yield text
    # A log line or a traceback shows the repr of a text, with its line ends escaped, and single lines of it.
    yield repr(text)[1:-1]
    yield json.dumps(text)[1:-1]
    yield json.dumps(text, ensure_ascii=False)[1:-1]
    yield from (line for line in text.splitlines() if len(line.strip()) >= 2 * _SHORTEST)


def _secret_values(request: Any) -> Iterator[bytes]:
    for name in request.credentials:
        yield from request.credentials[name].credential_data.data.values()
    for resource in _all_resources(request):
        yield from resource.connection_details.values()
        if _wire.get_path(resource.resource, ("kind",)) != "Secret":
            continue
        for encoded in _texts(resource.resource, "data"):
            try:
                yield base64.b64decode(encoded, validate=True)
            except ValueError:
                yield encoded.encode()
        for text in _texts(resource.resource, "stringData"):
            yield text.encode()


def _texts(raw: bytes, field: str) -> list[str]:
    values = _wire.get_path(raw, (field,))
    return [text for text in values.values() if isinstance(text, str)] if isinstance(values, dict) else []


def _all_resources(request: Any) -> Iterator[Any]:
    for state in (request.observed, request.desired):
        yield state.composite
        for name in state.resources:
            yield state.resources[name]
    for answers in (request.required_resources, request.extra_resources):
        for key in answers:
            yield from answers[key].items
