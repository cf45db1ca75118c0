"""Builds requests as Crossplane would send them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from .._core import codec
from .._core.base.texts import short_repr, type_in_words
from .._tools.manifests.objects import applied
from .._tools.manifests.yaml import Document
from ..errors import UsageError
from ..proto import _view
from ._sources import named, one, one_document, resources

_NUMBERS: Final = {
    name.removeprefix("CAPABILITY_"): getattr(_view, name)
    for name in dir(_view)
    if name.startswith("CAPABILITY_") and name != "CAPABILITY_UNSPECIFIED"
}

ALL_CAPABILITIES: Final = tuple(_NUMBERS)
"""The capabilities that Crossplane 2.2 and later advertise."""


def build(folder: Path, given: Mapping[str, Any]) -> bytes:
    """Return the bytes of a RunFunctionRequest.

    Args:
        folder: The folder that relative paths start from.
        given: All arguments of `Folder.request`, by name.

    Raises:
        InputError, UsageError: An argument can't be used. The message names it.
        UnresolvedError: An argument is a model that contains a value that doesn't exist yet.
        MissingExtraError: An argument is YAML, and PyYAML isn't installed.
    """
    request = _view.RunFunctionRequest()
    request.meta.tag = given["tag"]
    advertised = _advertised(given["capabilities"])
    request.meta.capabilities.extend(advertised)
    for state, composite in (("observed", given["xr"]), ("desired", given["desired_xr"])):
        if composite is not None:
            what = "xr" if state == "observed" else "desired_xr"
            getattr(request, state).composite.resource = _encoded(one(composite, folder, what))
        for name, document in named(
            given[state], folder, state, marked=state == "observed"
        ).items():
            content = applied(document.content) if state == "observed" else document.content
            getattr(request, state).resources[name].resource = codec.encode_struct(content)
    _add_details(request.observed, given["connection_details"], given["xr_connection_details"])
    _set_ready(request.desired, given["desired_ready"])
    _add_required(
        request,
        given["required"],
        folder,
        deprecated=_view.CAPABILITY_REQUIRED_RESOURCES not in advertised,
    )
    for key, schema in _items(given["schemas"], "schemas"):
        entry = request.required_schemas[key]  # empty: Crossplane doesn't know the kind
        if schema is not None:
            entry.openapi_v3 = _encoded(one_document(schema, folder, f"schemas[{key!r}]"))
    for name, data in _items(given["credentials"], "credentials"):
        _fill_details(
            request.credentials[name].credential_data.data, data, f"credentials[{name!r}]"
        )
    for name in ("context", "input"):
        if given[name] is not None:
            setattr(request, name, _encoded(one_document(given[name], folder, name)))
    made: bytes = request.SerializeToString()
    return made


def _add_required(request: Any, required: Any, folder: Path, *, deprecated: bool) -> None:
    # A function asks an old Crossplane, which advertises no capability, by both fields, and gets
    # answers in both.
    fields = [request.required_resources, *([request.extra_resources] if deprecated else [])]
    for key, sources in _items(required, "required"):
        answers = resources(sources if sources is not None else (), folder, f"required[{key!r}]")
        for field in fields:
            items = field[key].items  # empty: nothing matches
            for document in answers:
                items.add().resource = _encoded(document)


def _add_details(observed: Any, details: Any, of_composite: Any) -> None:
    for name, data in _items(details, "connection_details"):
        if name not in observed.resources:
            raise UsageError(
                f"connection_details has {short_repr(name)}, which is not among the observed"
                " resources"
            )
        _fill_details(
            observed.resources[name].connection_details, data, f"connection_details[{name!r}]"
        )
    _fill_details(observed.composite.connection_details, of_composite, "xr_connection_details")


def _set_ready(desired: Any, ready: Any) -> None:
    for name, value in _items(ready, "desired_ready"):
        if name not in desired.resources:
            raise UsageError(
                f"desired_ready has {short_repr(name)}, which is not among the desired resources"
            )
        if not isinstance(value, bool):
            raise UsageError(
                f"desired_ready[{name!r}] must be True or False (got {short_repr(value)})"
            )
        desired.resources[name].ready = _view.READY_TRUE if value else _view.READY_FALSE


def _fill_details(into: Any, data: Any, what: str) -> None:
    for key, value in _items(data, what):
        if not isinstance(value, (str, bytes)):
            raise UsageError(
                f"{what}[{key!r}] must be a string or bytes (got {type_in_words(value)})"
            )
        into[key] = value.encode() if isinstance(value, str) else value


def _advertised(capabilities: Iterable[str]) -> list[int]:
    if isinstance(capabilities, str):
        raise UsageError(
            f"'capabilities' must be a list of names (got the string {short_repr(capabilities)})"
        )
    numbers = []
    for name in capabilities:
        number = _NUMBERS.get(name.removeprefix("CAPABILITY_")) if isinstance(name, str) else None
        if number is None:
            raise UsageError(
                f"there is no capability {short_repr(name)}; there are"
                f" {', '.join(sorted(_NUMBERS))}"
            )
        numbers.append(number)
    # CAPABILITY_CAPABILITIES says that the caller advertises its capabilities at all.
    return sorted({*numbers, _view.CAPABILITY_CAPABILITIES}) if numbers else []


def _items(mapping: Any, what: str) -> Iterable[tuple[str, Any]]:
    """Return the items of an argument that must be a mapping with strings as keys.

    Raises:
        UsageError: The argument isn't such a mapping.
    """
    if not isinstance(mapping, Mapping) or not all(isinstance(key, str) for key in mapping):
        raise UsageError(
            f"{what} must be a mapping with strings as keys (got {short_repr(mapping)})"
        )
    return mapping.items()


def _encoded(document: Document) -> bytes:
    return codec.encode_struct(document.content)
