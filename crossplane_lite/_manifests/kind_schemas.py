"""Finds the OpenAPI schemas of kinds in OpenAPI v3 documents and in definitions (CRDs and XRDs), as Crossplane does.

Crossplane asks the API server for the document of the apiVersion (Crossplane's design "Required schemas",
"Implementation"), and takes the component whose `x-kubernetes-group-version-kind` has only the wanted kind.

References (`$ref`) in properties, additional properties and items are inlined. The schema that a reference leads to
replaces the reference and everything beside it. A reference in an `allOf` counts as a reference of the schema around
it, because Kubernetes writes a reference with a description in this way. A reference to a schema that contains the
reference becomes `{type: object}`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from .._base.api_version import joined
from .._terminal.excerpts import short_repr, short_text
from ..errors import InputError
from .api_versions import split_api_version
from .reading import read_bytes
from .yaml import Document

__all__ = ["Schemas", "scopes_in"]

_REF: Final = "#/components/schemas/"
_KINDS: Final = "x-kubernetes-group-version-kind"
_METHODS: Final = ("get", "post", "put", "patch", "delete")
_SCOPES: Final = ("Namespaced", "Cluster")
# The largest known kinds have 10,000 parts. Components that refer to each other could have more than fit into memory.
_MOST_PARTS: Final = 1_000_000
# Matches escapes of YAML and JSON for letters and digits, which a search for words wouldn't find. Real files have none.
_HIDDEN: Final = re.compile(rb"\\(?:x|u00|U000000)(?:2[DdEe]|3[0-9]|[4-7])")


class _Kind(NamedTuple):
    """A kind that was found in a document.

    Attributes:
        where: The place of the kind's schema for messages, such as `crds.yaml, document 2 (line 14)`.
        schema: The schema, in which references aren't inlined yet.
        scope: The kind's scope, `Namespaced` or `Cluster`; None if the document doesn't show it.
        components: The schemas that `$ref` leads to, by name; None if the document is a CRD or an XRD, which has no
            references.
    """

    where: str
    schema: Mapping[str, Any]
    scope: str | None
    components: Mapping[str, Any] | None = None


_Kinds = dict[tuple[str, str], _Kind]


class Schemas:
    """Finds the schemas of kinds in sources: documents, files and folders.

    Files are read when a kind is looked for. A file that doesn't contain the words of the wanted group, version and
    kind isn't parsed. If several sources define a kind, the source that was added first counts. `find` returns the same
    dict for each call with the same kind: don't change the dict.
    """

    def __init__(self) -> None:
        self._sources: list[_Source] = []
        self._found: dict[tuple[str, str], dict[str, Any] | None] = {}

    @classmethod
    def of_paths(cls, paths: Iterable[str | os.PathLike[str]]) -> Schemas:
        """Return a new `Schemas` with files and folders as sources.

        Raises:
            InputError: A file or folder doesn't exist.
        """
        schemas = cls()
        for path in paths:
            schemas.add_path(path)
        return schemas

    def add_path(self, path: str | os.PathLike[str]) -> None:
        """Add a file or package as a source, or the files in a folder and the folders below it.

        From these, definitions and OpenAPI documents are read when a kind is looked for. Other documents are ignored.
        `_manifests.sources` says which files of a folder are read.

        Raises:
            InputError: The file or folder doesn't exist. Mistakes in a file are found only when a kind is looked for.
        """
        text = os.fspath(path)
        if not os.path.exists(text):
            raise InputError(f"there is no file or folder {text}")
        self._add(_Folder(text) if os.path.isdir(text) else _File(text))

    def add_openapi(self, document: Mapping[str, Any], where: str) -> None:
        """Add an OpenAPI v3 document of an API server as a source.

        Args:
            document: The document, such as that at `/openapi/v3/apis/apps/v1`. It may have several apiVersions.
            where: The document's file or URL, for messages.

        Raises:
            InputError: The document isn't an OpenAPI v3 document, or has no schemas.
        """
        self._add(_Given(dict(_of_openapi(where, document))))

    def add_crd(self, document: Mapping[str, Any], where: str) -> None:
        """Add the kind of a CustomResourceDefinition, or the composite and the claim of a CompositeResourceDefinition.

        Only served versions are added, because an API server has no schemas of other versions.

        Args:
            document: The definition.
            where: The definition's file or URL, for messages.

        Raises:
            InputError: The document is of another kind, or a field is missing or wrong.
        """
        kinds = _of_definition(where, document)
        if kinds is None:
            kind = document.get("kind")
            raise InputError(
                f"{where} is neither a CustomResourceDefinition nor a CompositeResourceDefinition "
                f"({'it has no kind' if kind is None else f'its kind is {short_repr(kind)}'})"
            )
        self._add(_Given(kinds))

    def find(self, api_version: str, kind: str) -> dict[str, Any] | None:
        """Return the schema of a kind with its references inlined; None if no source has the kind.

        Raises:
            ApiVersionError: `api_version` isn't an apiVersion.
            InputError: A file can't be read, a field in it is wrong, the schema refers to a schema that the document
                doesn't have, or the schema has more than a million parts.
            MissingExtraError: A file is YAML, and PyYAML isn't installed.
        """
        key = api_version, kind
        if key not in self._found:
            entry = self._entry(api_version, kind)
            self._found[key] = None if entry is None else _inlined(entry, api_version, kind)
        return self._found[key]

    def scope(self, api_version: str, kind: str) -> str | None:
        """Return the scope of a kind, `Namespaced` or `Cluster`, from the first source that has the kind.

        None if no source has the kind, or this source doesn't show the kind's scope.

        Raises:
            InputError: `api_version` isn't an apiVersion, a file can't be read, or a field in it is wrong.
            MissingExtraError: A file is YAML, and PyYAML isn't installed.
        """
        entry = self._entry(api_version, kind)
        return None if entry is None else entry.scope

    def where(self, api_version: str, kind: str) -> str | None:
        """Return where a kind's schema is, such as `crds.yaml, document 2 (line 14)`; None if no source has the kind.

        Raises:
            InputError: `api_version` isn't an apiVersion, a file can't be read, or a field in it is wrong.
            MissingExtraError: A file is YAML, and PyYAML isn't installed.
        """
        entry = self._entry(api_version, kind)
        return None if entry is None else entry.where

    def kinds(self) -> list[tuple[str, str]]:
        """Return the sorted pairs of apiVersion and kind of all kinds in the sources. This parses all files.

        Raises:
            InputError: A file can't be read, or a field in it is wrong.
            MissingExtraError: A file is YAML, and PyYAML isn't installed.
        """
        return sorted({key for source in self._sources for key in source.kinds()})

    def _add(self, source: _Source) -> None:
        self._sources.append(source)
        self._found.clear()

    def _entry(self, api_version: str, kind: str) -> _Kind | None:
        group, version = split_api_version(api_version)
        # Only OpenAPI documents have kinds of the core group. Definitions often mention these kinds, so look for the
        # word `openapi` instead of the empty group.
        words = [word.encode(errors="surrogatepass") for word in (group or "openapi", version, kind)]
        found = (source.find((api_version, kind), words) for source in self._sources)
        return next((entry for entry in found if entry is not None), None)


class _Given:
    """A source of kinds that were read already. `_File` and `_Folder` read files only when asked for kinds."""

    def __init__(self, kinds: _Kinds) -> None:
        self._kinds = kinds

    def kinds(self) -> _Kinds:
        return self._kinds

    def find(self, key: tuple[str, str], words: list[bytes]) -> _Kind | None:
        return self._kinds.get(key)


class _File:
    """A source of the kinds in one file: definitions or OpenAPI documents. The file is parsed at most once.

    `kinds` needs the file parsed. `find` parses it only if it may define the wanted kind.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._kinds: _Kinds | None = None
        self._lacks: set[bytes] = set()  # words that aren't in the file

    def kinds(self) -> _Kinds:
        if self._kinds is None:
            from .sources import read_sources

            kinds: _Kinds = {}
            # A file may have the name `-`, which read_sources takes for standard input.
            for document in read_sources(["./-" if self._path == "-" else self._path]):
                for key, kind in (_of_document(document) or {}).items():
                    kinds.setdefault(key, kind)
            self._kinds = kinds
        return self._kinds

    def find(self, key: tuple[str, str], words: list[bytes]) -> _Kind | None:
        return self.kinds().get(key) if self._kinds is not None or self._may_have(words) else None

    def _may_have(self, words: list[bytes]) -> bool:
        """Return whether the file may define a kind, which it does only if it contains all of `words`.

        Searching takes a fiftieth of the time of parsing. For files that can't be searched, such as archives, the
        answer is True.

        Raises:
            InputError: The file can't be read.
        """
        if any(word in self._lacks for word in words):
            return False
        if not os.path.isfile(self._path):
            return True  # an OCI layout, or a pipe, which can be read only once
        data = read_bytes(self._path)
        head = data[:512]
        if b"\0" in head or not head.isascii() or _HIDDEN.search(data):
            return True  # an archive, or a text in which the search may miss words
        self._lacks.update(word for word in words if word not in data)
        return all(word not in self._lacks for word in words)


class _Folder:
    """A source of the kinds in the files of a folder. The folder is listed when kinds are first asked for."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._listed: list[_File] | None = None

    def kinds(self) -> _Kinds:
        kinds: _Kinds = {}
        for file in self._files():
            for key, kind in file.kinds().items():
                kinds.setdefault(key, kind)
        return kinds

    def find(self, key: tuple[str, str], words: list[bytes]) -> _Kind | None:
        found = (file.find(key, words) for file in self._files())
        return next((kind for kind in found if kind is not None), None)

    def _files(self) -> list[_File]:
        if self._listed is None:
            from . import sources

            self._listed = [_File(path) for path in sources.files_below(self._path)]
        return self._listed


_Source = _Given | _File | _Folder


def _of_document(document: Document) -> _Kinds | None:
    where, content = document
    if "openapi" in content or "swagger" in content:
        return dict(_of_openapi(where, content))
    return _of_definition(where, content)


def _of_definition(where: str, content: Mapping[str, Any]) -> _Kinds | None:
    """Return the served kinds of a CRD or an XRD; None if the document is neither.

    Raises:
        InputError: A field of the definition is missing or wrong.
    """
    from .crd import crds_in, versions_of
    from .published import published

    crds = crds_in(where, content)
    if crds is None:
        return None
    kinds: _Kinds = {}
    for crd in crds:
        for found in versions_of(where, crd):
            if found.served:
                schema = published(found.schema, found.group, found.version, found.kind)
                scope = crd["spec"].get("scope")
                key = joined(found.group, found.version), found.kind
                kinds[key] = _Kind(where, schema, scope if scope in _SCOPES else None)
    return kinds


def _of_openapi(where: str, document: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], _Kind]]:
    if not str(document.get("openapi", "")).startswith("3."):
        version = document.get("openapi", document.get("swagger"))
        raise InputError(
            f"{where}: only OpenAPI v3 documents can be read (this one has "
            f"{'no version' if version is None else f'the version {short_repr(version)}'}): get one for each group and "
            "version, as in `kubectl get --raw /openapi/v3/apis/apps/v1`"
        )
    components = document.get("components")
    schemas = components.get("schemas") if isinstance(components, Mapping) else None
    if not isinstance(schemas, Mapping):
        raise InputError(
            f"{where}: the document has no components.schemas; if it is an index, get the document of each group and "
            "version, as in `kubectl get --raw /openapi/v3/apis/apps/v1`"
        )
    scopes = scopes_in(document.get("paths"))
    for name, schema in schemas.items():
        marks = schema.get(_KINDS) if isinstance(schema, Mapping) else None
        # Only components that name a single kind: DeleteOptions and WatchEvent have an entry for each group.
        key = _key(marks[0]) if isinstance(marks, list) and len(marks) == 1 else None
        if key is not None:
            place = f"{where}: components.schemas.{short_text(name)}"
            yield key, _Kind(place, {"$ref": _REF + name}, scopes.get(key), schemas)


def _key(mark: Any) -> tuple[str, str] | None:
    """Return the apiVersion and kind in an entry of `x-kubernetes-group-version-kind`; None if the entry is wrong."""
    if not isinstance(mark, Mapping):
        return None
    group, version, kind = mark.get("group", ""), mark.get("version"), mark.get("kind")
    if not isinstance(group, str) or not isinstance(version, str) or not isinstance(kind, str):
        return None
    return joined(group, version), kind


def scopes_in(paths: Any) -> dict[tuple[str, str], str]:
    """Return a dict from (apiVersion, kind) to the scope, for the kinds that have paths in an OpenAPI document.

    A kind is `Namespaced` if one of the kind's paths has a namespace, and `Cluster` otherwise.

    Args:
        paths: The value of the document's field `paths`. Anything but a mapping counts as an empty mapping.
    """
    scopes: dict[tuple[str, str], str] = {}
    for path, item in paths.items() if isinstance(paths, Mapping) else ():
        for method in _METHODS:
            operation = item.get(method) if isinstance(item, Mapping) else None
            key = _key(operation.get(_KINDS)) if isinstance(operation, Mapping) else None
            if key is not None and "/namespaces/{namespace}/" in path:
                scopes[key] = "Namespaced"
            elif key is not None:
                scopes.setdefault(key, "Cluster")
    return scopes


def _inlined(entry: _Kind, api_version: str, kind: str) -> dict[str, Any]:
    """Return a copy of a kind's schema in which the references are inlined (see the module's description).

    Args:
        entry: The kind.
        api_version: The kind's apiVersion, for messages.
        kind: The kind's name, for messages.

    Raises:
        InputError: The document doesn't have a schema that is referred to, or the schema has more than a million parts.
    """
    if entry.components is None:
        return dict(entry.schema)
    box: dict[str, Any] = {}
    # For each schema to copy: the schema, the references around it, and the object and key that get the copy.
    work: list[tuple[Any, frozenset[str], dict[str, Any], str]] = [(entry.schema, frozenset(), box, "root")]
    parts = 0
    while work:
        source, outer, target, key = work.pop()
        parts += 1
        if parts > _MOST_PARTS:
            raise InputError(
                f"{entry.where}: with its references inlined the schema of {short_text(api_version)} "
                f"{short_text(kind)} has more than {_MOST_PARTS:,} parts: give its CustomResourceDefinition instead"
            )
        while (ref := _ref_of(source)) is not None:
            if ref in outer:
                source = {"type": "object"}
                break
            outer |= {ref}
            source = _component(entry, ref)
        target[key] = source
        if isinstance(source, Mapping):
            made = target[key] = dict(source)
            for part in ("items", "additionalProperties"):
                if isinstance(source.get(part), Mapping):
                    work.append((source[part], outer, made, part))
            properties = source.get("properties")
            if isinstance(properties, Mapping):
                inner = made["properties"] = dict(properties)
                work.extend((value, outer, inner, name) for name, value in properties.items())
    root: dict[str, Any] = box["root"]
    return root


def _component(entry: _Kind, ref: str) -> Mapping[str, Any]:
    name = ref.removeprefix(_REF).replace("~1", "/").replace("~0", "~")
    found = (entry.components or {}).get(name)
    if not isinstance(found, Mapping):
        raise InputError(
            f"{entry.where}: a schema refers to {short_repr(ref, 120)}, which the document doesn't have; give the "
            "whole document"
        )
    return found


def _ref_of(schema: Any) -> str | None:
    """Return the `$ref` of a schema, else the first `$ref` of the elements of its `allOf`; None without a `$ref`."""
    work = [schema]
    while work:
        one = work.pop()
        if not isinstance(one, Mapping):
            continue
        if isinstance(one.get("$ref"), str):
            ref: str = one["$ref"]
            return ref
        members = one.get("allOf")
        work.extend(reversed(members) if isinstance(members, list) else ())
    return None
