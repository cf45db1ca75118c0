"""Reads and checks fixtures: facts that a user gives about simulated resources, such as their
status.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from ..._core.base.texts import articled, class_in_words, json_type_in_words, short_repr, short_text
from ...errors import InputError
from ..manifests.objects import merged, resource_name
from ..manifests.yaml import load_documents
from ..render.inputs import files_of
from .merging import copied

DETAILS: Final = "connectionDetails"

_PARTS: Final = ("metadata", "spec", "status", DETAILS)
_BELOW_STATUS: Final = ("atProvider", "conditions")

_TEXTS: Final = {...: str}
# The fields that people give, and their types; see _check.
_TYPES: Final[dict[str, Any]] = {
    "apiVersion": str,
    "kind": str,
    "metadata": {
        **dict.fromkeys(
            ("name", "generateName", "namespace", "uid", "creationTimestamp", "deletionTimestamp"),
            str,
        ),
        "generation": int,
        **dict.fromkeys(("labels", "annotations"), _TEXTS),
        "finalizers": [str],
        **dict.fromkeys(("ownerReferences", "managedFields"), [{}]),
    },
    "spec": {},
    "status": {
        "conditions": [
            dict.fromkeys(("type", "status", "reason", "message", "lastTransitionTime"), str)
        ]
    },
    DETAILS: _TEXTS,
}


class Fixture(NamedTuple):
    """The facts that a user gives about one resource, from all fixtures for it.

    Attributes:
        content: Parts of the resource, such as its status. A field that is null never gets a value.
        details: The resource's connection details, by key. A detail that is None never gets a
            value.
    """

    content: dict[str, Any]
    details: dict[str, str | None]


class Fixtures:
    """All fixtures, by composition resource name, by `apiVersion/kind`, or by kind.

    If several fixtures fit a resource, they are merged. If they set the same field, the fixture by
    name wins, then the one by `apiVersion/kind`.

    Raises:
        InputError: A fixture isn't a mapping; or has a misspelt key, or one that belongs below
            `status`, such as `atProvider`; or has a value of a type that no resource has there.
    """

    def __init__(self, fixtures: Mapping[str, Mapping[str, Any]]) -> None:
        self._all = {key: _checked(key, fixture) for key, fixture in fixtures.items()}
        self._used: set[str] = set()

    def of(self, name: str, api_version: str, kind: str) -> Fixture:
        """Return the merged fixtures of a resource, and count them as used. Return an empty fixture
        if there are none.

        Args:
            name: The composition resource name.
            api_version: The resource's apiVersion.
            kind: The resource's kind.

        Raises:
            InputError: One of the fixtures is for another kind.
        """
        content: dict[str, Any] = {}
        details: dict[str, str | None] = {}
        for key in (kind, f"{api_version}/{kind}", name):
            fixture = self._all.get(key)
            if fixture is None:
                continue
            self._used.add(key)
            found = fixture.content.get("kind", kind)
            if found != kind:
                raise InputError(
                    f"the fixture {short_repr(key)} is for {articled(short_text(found))}, but the"
                    f" resource {short_text(name)} is"
                    f" {articled(short_text(kind), short_text(api_version))}; change the fixture's"
                    " kind"
                )
            content = copied(merged(content, fixture.content))
            details.update(fixture.details)
        return Fixture(content, details)

    def unused(self) -> list[str]:
        """Return the sorted keys of the fixtures that haven't been used for any resource."""
        return sorted(set(self._all) - self._used)


def read_fixtures(path: Path) -> dict[str, dict[str, Any]]:
    """Read fixtures from a file or a directory.

    Each YAML document is either a mapping or a whole resource. Each key of a mapping is a
    composition resource name, `apiVersion/kind` or a kind, and its value has the facts about the
    resources that the key fits. A whole resource is the fixture for the composed resource that its
    annotation `crossplane.io/composition-resource-name` names; without the annotation, for all
    resources of its apiVersion and kind.

    Args:
        path: A file or a directory. Of a directory, the files that end in .yaml, .yml and .json are
            read.

    Returns:
        The fixtures by composition resource name, `apiVersion/kind` or kind.

    Raises:
        InputError: A file can't be read, or its content isn't a fixture; or two fixtures have the
            same key.
        MissingExtraError: PyYAML isn't installed.
    """
    found: dict[str, dict[str, Any]] = {}
    places: dict[str, str] = {}
    for file in files_of(path):
        for where, content in load_documents(file):
            for key, fixture in _fixtures_in(content).items():
                if key in places:
                    raise InputError(
                        f"{where} and {places[key]} both have a fixture {short_repr(key)}; merge"
                        " them"
                    )
                try:
                    _checked(key, fixture)
                except InputError as e:
                    raise InputError(f"{where}: {e}") from None
                places[key] = where
                found[key] = fixture
    return found


def _fixtures_in(content: dict[str, Any]) -> dict[str, Any]:
    api_version, kind = content.get("apiVersion"), content.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return content
    return {resource_name(content) or f"{api_version}/{kind}": content}


def _checked(key: str, fixture: Any) -> Fixture:
    what = f"the fixture {short_repr(key)}"
    if not isinstance(key, str):
        raise InputError(
            "a fixture's key must be a string, which is a composition resource name, a kind or"
            f" apiVersion/kind (got {short_repr(key)})"
        )
    if not isinstance(fixture, Mapping):
        raise InputError(
            f"{what} must be a mapping with status, metadata, {DETAILS} or other fields of a"
            f" resource (got {json_type_in_words(fixture)})"
        )
    for name in fixture:
        if not isinstance(name, str):
            raise InputError(f"the keys of {what} must be strings (got {short_repr(name)})")
        meant = _meant(name)
        if meant is not None:
            raise InputError(f"{what} has {short_repr(name)}; did you mean {meant!r}?")
    for name, wanted in _TYPES.items():
        _check(what, name, fixture.get(name), wanted)
    content = {name: value for name, value in fixture.items() if name != DETAILS}
    for name in _TYPES:
        if content.get(name) is None:
            content.pop(name, None)
    return Fixture(content, dict(fixture.get(DETAILS) or {}))


def _check(what: str, path: str, value: Any, wanted: Any) -> None:
    """Check that a value has the type that this field has in every resource.

    None is allowed, but not as an element of a list. `wanted` is a type such as `str`; for an
    object, a dict with the type of each key's value, in which `...` stands for all keys and keys
    that it lacks aren't checked; for a list, a list with the elements' type. Raises InputError.
    """
    if value is None:
        return
    # Messages don't show the value itself, which may be a secret.
    if isinstance(wanted, type):
        if not isinstance(value, wanted) or isinstance(value, bool):
            hint = "; quote it" if wanted is str and isinstance(value, (bool, int, float)) else ""
            raise InputError(
                f"{what}: {path} must be {class_in_words(wanted)} (got"
                f" {json_type_in_words(value)}){hint}"
            )
    elif isinstance(wanted, list):
        if not isinstance(value, list):
            raise InputError(f"{what}: {path} must be a list (got {json_type_in_words(value)})")
        for at, element in enumerate(value):
            if element is None:
                raise InputError(f"{what}: {path}[{at}] must not be null")
            _check(what, f"{path}[{at}]", element, wanted[0])
    elif not isinstance(value, Mapping):
        raise InputError(f"{what}: {path} must be a mapping (got {json_type_in_words(value)})")
    elif ... in wanted:
        for name, inner in value.items():
            _check(what, f"{path}[{short_text(name)}]", inner, wanted[...])
    else:
        for name, type_ in wanted.items():
            _check(what, f"{path}.{name}", value.get(name), type_)


def _meant(name: str) -> str | None:
    """Return the right key for a misspelt or misplaced key of a fixture; None if the key may be
    right.
    """
    if name in _BELOW_STATUS:
        return f"status.{name}"
    if name in _PARTS:
        return None
    import difflib

    return next(iter(difflib.get_close_matches(name, _PARTS, n=1, cutoff=0.8)), None)
