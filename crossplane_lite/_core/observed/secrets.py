"""The secret values of a request, and the names in it that are never masked."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import Any

from ...errors import WireError
from .. import codec
from .masking import Masker, Secret

__all__ = ["masker_for", "names_of", "secrets_in", "secrets_of"]


def masker_for(request: Any) -> Masker:
    """Return the masker of all secret values of a request; names in the request are never masked.

    Credentials, connection details and the data of Secrets are secret, also data of Secrets inside of other objects.
    """
    names: set[str] = set()

    def is_name(word: str) -> bool:
        nonlocal names
        names = names or names_of(request)  # read when it is first needed
        return word in names

    return Masker(secrets_of(request), is_name)


def names_of(request: Any) -> set[str]:
    """Return the names and kinds of all resources in a request, and the keys of its required resources.

    A name or kind is left out if it can't be read, because the resource's bytes are malformed.
    """
    found: set[str] = {*request.required_resources, *request.extra_resources}
    for state in (request.observed, request.desired):
        found.update(state.resources)
    for resource in _all_resources(request):
        for path in (("kind",), ("metadata", "name")):
            try:
                value = codec.get_path(resource.resource, path)
            except WireError:
                continue
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
                yield from secrets_in(codec.decode_struct(resource.resource))
            except WireError:  # reported where the resource is read
                pass


def secrets_in(content: Any) -> Iterator[Secret]:
    """Yield the secret values of each Secret in `content`. The plain data `content` may be a Secret itself."""
    work = [content]
    while work:
        one = work.pop()
        # Not isinstance(): reading the class of a missing value would count as a use of it.
        if issubclass(type(one), Mapping):
            if one.get("kind") == "Secret":
                yield from _values(one)
            work += one.values()
        elif type(one) is list:
            work += one


def _values(secret: Mapping[str, Any]) -> Iterator[Secret]:
    for field in ("data", "stringData"):
        values: Any = secret.get(field)
        for key, text in values.items() if issubclass(type(values), Mapping) else ():
            if issubclass(type(text), str):
                value = text.encode(errors="replace")
                try:
                    yield str(key), base64.b64decode(value, validate=True) if field == "data" else value
                except ValueError:
                    yield str(key), value


def _all_resources(request: Any) -> Iterator[Any]:
    for state in (request.observed, request.desired):
        yield state.composite
        for name in state.resources:
            yield state.resources[name]
    for answers in (request.required_resources, request.extra_resources):
        for key in answers:
            yield from answers[key].items
