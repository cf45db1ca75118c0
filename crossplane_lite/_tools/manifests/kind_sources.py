"""Reads the kinds that OpenAPI v3 documents and definitions (CRDs and XRDs) have, and files of
them.

Files are read when a kind is looked for, and parsed only if they contain the words of the kind.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..._core.base.api_version import joined
from ..._core.base.texts import short_repr, short_text, some
from ..._core.paths.schema import kinds_in
from ...errors import InputError
from .. import kubernetes
from .files import read_bytes

REF: Final = "#/components/schemas/"
_METHODS: Final = ("get", "post", "put", "patch", "delete")
_SCOPES: Final = ("Namespaced", "Cluster")
# Matches escapes of YAML and JSON for letters and digits, which a search for words wouldn't find.
# Real files have none.
_HIDDEN: Final = re.compile(rb"\\(?:x|u00|U000000)(?:2[DdEe]|3[0-9]|[4-7])")
CHART: Final = "Chart.yaml"
"""The name of the file that makes a folder a chart of Helm."""

DEFINES: Final = re.compile(
    rb"""\bkind["']?\s*:\s*["']?(?:Custom|Composite)ResourceDefinition|\b(?:openapi|swagger)["']?\s*:"""
)
"""Matches the beginning of a definition or of an OpenAPI document."""


class Kind(NamedTuple):
    """A kind that was found in a document.

    Attributes:
        where: The place of the kind's schema for messages, such as
            `crds.yaml, document 2 (line 14)`.
        schema: The schema, in which references aren't inlined yet.
        scope: The kind's scope, `Namespaced` or `Cluster`; None if the document doesn't show it.
        components: The schemas that `$ref` leads to, by name; None if the document is a CRD or an
            XRD, which has no references.
        served: Whether an API server serves the kind in this version.
    """

    where: str
    schema: Mapping[str, Any]
    scope: str | None
    components: Mapping[str, Any] | None = None
    served: bool = True


Kinds = dict[tuple[str, str], Kind]


class Source:
    """The kinds of one file with definitions or OpenAPI documents, or kinds that were read already.

    A file is parsed at most once, and by `matching` and `find` only if it may define the wanted
    kinds.

    Attributes:
        passed_over: Why the file or documents in it were passed over, if the file was found in a
            folder; else None.
    """

    def __init__(
        self, path: str = "", kinds: Kinds | None = None, *, is_in_folder: bool = False
    ) -> None:
        self._path = path
        self.passed_over: list[str] | None = [] if is_in_folder else None
        self._kinds = kinds
        self._lacks: set[bytes] = set()  # words that aren't in the file

    def kinds(self) -> Kinds:
        if self._kinds is None:
            from .sources import read_sources

            kinds: Kinds = {}
            # A file may have the name `-`, which read_sources takes for standard input.
            path = "./-" if self._path == "-" else self._path
            for where, content in read_sources([path], passed_over=self.passed_over):
                is_openapi = "openapi" in content or "swagger" in content
                found = (
                    dict(of_openapi(where, content))
                    if is_openapi
                    else of_definition(where, content)
                )
                # the first definition of a kind that is served counts
                for key, kind in (found or {}).items():
                    if path == str(kubernetes.PATH):
                        kind = kind._replace(where=kubernetes.TITLE)
                    if key not in kinds or (kind.served and not kinds[key].served):
                        kinds[key] = kind
            self._kinds = kinds
        return self._kinds

    def matching(self, words: list[bytes]) -> Kinds:
        """Return the kinds of the file, among them all whose definitions contain all of `words`.

        Raises InputError if the file can't be read, or a field in it is wrong, and
        MissingExtraError if it is YAML and PyYAML isn't installed.
        """
        return self.kinds() if self._kinds is not None or self._may_have(words) else {}

    def find(self, key: tuple[str, str], words: list[bytes]) -> Kind | None:
        kind = self.matching(words).get(key)
        return kind if kind is not None and kind.served else None

    def is_empty(self) -> bool:
        """Return whether there are no kinds. A file is parsed only if it can't be searched."""
        data = self._searchable() if self._kinds is None else None
        return not self.kinds() if data is None else DEFINES.search(data) is None

    def _may_have(self, words: list[bytes]) -> bool:
        """Return whether the file may define a kind, which it does only if it contains all of
        `words`.

        Searching takes a fiftieth of the time of parsing. For files that can't be searched, such as
        archives, the answer is True. Raises InputError if the file can't be read.
        """
        if any(word in self._lacks for word in words):
            return False
        data = self._searchable()
        if data is None:
            return True
        self._lacks.update(word for word in words if word not in data)
        return all(word not in self._lacks for word in words)

    def _searchable(self) -> bytes | None:
        """Return the file's content; None if a search for words in it may miss some.

        Raises:
            InputError: The file can't be read.
        """
        if not os.path.isfile(self._path):
            return None  # an OCI layout, or a pipe, which can be read only once
        data = read_bytes(self._path)
        head = data[:512]
        # Archives, files with escapes and files in another encoding may have a word in another
        # form.
        return None if b"\0" in head or not head.isascii() or _HIDDEN.search(data) else data


def passed_over_text(reasons: Sequence[str]) -> str:
    """Return a line about what `read_sources` passed over; empty for nothing."""
    return f"passed over: {some(reasons, 3, '; ')}" if reasons else ""


def of_definition(where: str, content: Mapping[str, Any]) -> Kinds | None:
    """Return the kinds of a CRD or an XRD, also those that aren't served; None if the document is
    neither.

    Raises:
        InputError: A field of the definition is missing or wrong.
    """
    from .crd import crds_in, versions_of
    from .published import published, with_replicas

    crds = crds_in(where, content)
    if crds is None:
        return None
    kinds: Kinds = {}
    for crd in crds:
        for found in versions_of(where, crd):
            source = with_replicas(found.schema, found.replicas)
            schema = published(source, found.group, found.version, found.kind)
            scope = crd["spec"].get("scope")
            key = joined(found.group, found.version), found.kind
            kinds[key] = Kind(
                where, schema, scope if scope in _SCOPES else None, served=found.served
            )
    return kinds


def of_openapi(where: str, document: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Kind]]:
    """Yield the kinds of an OpenAPI v3 document.

    Raises:
        InputError: The document isn't an OpenAPI v3 document, or has no schemas.
    """
    check_version(where, document)
    components = document.get("components")
    schemas = components.get("schemas") if isinstance(components, Mapping) else None
    if not isinstance(schemas, Mapping):
        raise InputError(
            f"{where}: the document has no components.schemas; if it is an index, get the document"
            " of each group and version, as in `kubectl get --raw /openapi/v3/apis/apps/v1`"
        )
    scopes = scopes_in(document.get("paths"))
    for name, schema in schemas.items():
        kinds = kinds_in(schema) if isinstance(schema, Mapping) else []
        if len(kinds) == 1:  # DeleteOptions and WatchEvent have an entry for each group
            key = kinds[0]
            place = f"{where}: components.schemas.{short_text(name)}"
            yield key, Kind(place, {"$ref": REF + name}, scopes.get(key), schemas)


def check_version(where: str, document: Mapping[str, Any]) -> None:
    """Check that a document is an OpenAPI v3 document; InputError if it isn't."""
    if not str(document.get("openapi", "")).startswith("3."):
        version = document.get("openapi", document.get("swagger"))
        raise InputError(
            f"{where}: only OpenAPI v3 documents can be read (this one has"
            f" {'no version' if version is None else f'the version {short_repr(version)}'}): get"
            " one for each group and version, as in `kubectl get --raw /openapi/v3/apis/apps/v1`"
        )


def scopes_in(paths: Any) -> dict[tuple[str, str], str]:
    """Return a dict from (apiVersion, kind) to the scope, for the kinds that have paths in an
    OpenAPI document.

    A kind is `Namespaced` if one of the kind's paths has a namespace, and `Cluster` otherwise.

    Args:
        paths: The value of the document's field `paths`. Anything but a mapping counts as an empty
            mapping.
    """
    scopes: dict[tuple[str, str], str] = {}
    for path, item in paths.items() if isinstance(paths, Mapping) else ():
        for method in _METHODS:
            operation = item.get(method) if isinstance(item, Mapping) else None
            key = next(iter(kinds_in(operation)), None) if isinstance(operation, Mapping) else None
            if key is not None and "/namespaces/{namespace}/" in path:
                scopes[key] = "Namespaced"
            elif key is not None:
                scopes.setdefault(key, "Cluster")
    return scopes
