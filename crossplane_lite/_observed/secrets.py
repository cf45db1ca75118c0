"""The secret values of a request."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .. import _wire
from ..errors import WireError
from .masking import Masker
from .secret_forms import Secret

__all__ = ["masker_for", "names_of", "secrets_in", "secrets_of"]


def masker_for(request: Any, is_name: Callable[[str], bool] | None = None) -> Masker:
    """Return the masker of all secret values of a request.

    Credentials, connection details and the data of Secrets are secret, also data of Secrets inside of other objects.
    Names are never masked: those in the request, and the words that `is_name` finds.
    """
    return Masker(secrets_of(request), _Names(request, is_name).has)


class _Names:
    """The names that are never masked: the names in a request, and all words for which `more` is true.

    The names in the request are read when `has` first needs them.
    """

    def __init__(self, request: Any, more: Callable[[str], bool] | None) -> None:
        self._request = request
        self._more = more
        self._found: set[str] | None = None

    def has(self, name: str) -> bool:
        if self._more is not None and self._more(name):
            return True
        if self._found is None:
            self._found = names_of(self._request)
        return name in self._found


def names_of(request: Any) -> set[str]:
    """Return the names and kinds of all resources in a request, and the keys of its required resources.

    A name or kind is left out if it can't be read, because the resource's bytes are malformed.
    """
    found: set[str] = {*request.required_resources, *request.extra_resources}
    for state in (request.observed, request.desired):
        found.update(state.resources)
    for resource in _all_resources(request):
        for path in (("kind",), ("metadata", "name")):
            value = _at(resource.resource, path)
            if isinstance(value, str):
                found.add(value)
    return found


def secrets_of(request: Any) -> Iterator[Secret]:
    """Yield the secret values in `request`, each with its key. Secrets in malformed bytes are left out."""
    for name in request.credentials:
        yield from request.credentials[name].credential_data.data.items()
    for resource in _all_resources(request):
        yield from resource.connection_details.items()
        # The byte before the word is its length, or the end of a length that is written in more bytes than it needs.
        if b"\x06Secret" in resource.resource or b"\x00Secret" in resource.resource:
            try:
                yield from secrets_in(_wire.decode_struct(resource.resource))
            except WireError:  # reported where the resource is read
                pass


def secrets_in(content: Any) -> Iterator[Secret]:
    """Yield the secret values of each Secret in `content`. The plain data `content` may be a Secret itself."""
    work = [content]
    while work:
        one = work.pop()
        if isinstance(one, Mapping):
            if one.get("kind") == "Secret":
                yield from _values(one)
            work += one.values()
        elif isinstance(one, list):
            work += one


def _values(secret: Mapping[str, Any]) -> Iterator[Secret]:
    data, plain = secret.get("data"), secret.get("stringData")
    for key, encoded in data.items() if isinstance(data, Mapping) else ():
        if isinstance(encoded, str):
            try:
                yield str(key), base64.b64decode(encoded, validate=True)
            except ValueError:
                yield str(key), encoded.encode(errors="replace")
    for key, text in plain.items() if isinstance(plain, Mapping) else ():
        if isinstance(text, str):
            yield str(key), text.encode(errors="replace")


def _at(raw: bytes, path: tuple[str, ...]) -> Any:
    try:
        return _wire.get_path(raw, path)
    except WireError:
        return None


def _all_resources(request: Any) -> Iterator[Any]:
    for state in (request.observed, request.desired):
        yield state.composite
        for name in state.resources:
            yield state.resources[name]
    for answers in (request.required_resources, request.extra_resources):
        for key in answers:
            yield from answers[key].items
