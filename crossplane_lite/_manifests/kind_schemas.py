"""Schemas of kinds from OpenAPI v3 documents and from definitions, found as Crossplane finds them.

Crossplane asks the API server for the document of the apiVersion (Crossplane's design "Required schemas",
"Implementation") and takes the component whose `x-kubernetes-group-version-kind` has that kind and nothing else.
References are inlined: one counts instead of all that stands beside it, in an `allOf` too, which is how Kubernetes
gives a reference a description. It is looked for in properties, additional properties and items. A reference to the
schema that it lies in becomes `{type: object}`.
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
# The largest kinds known have 10,000 parts. Some components that refer to each other could have more than any memory.
_MOST_PARTS: Final = 1_000_000
# Letters and digits that YAML or JSON escapes hide from a search for words. Real writers escape other characters.
_HIDDEN: Final = re.compile(rb"\\(?:x|u00|U000000)(?:2[DdEe]|3[0-9]|[4-7])")


class _Kind(NamedTuple):
    """One document's part about a kind.

    Attributes:
        where: File and place, for messages.
        schema: The schema, with its references.
        scope: Namespaced, Cluster, or None where the document doesn't tell.
        components: The schemas that references point to; None for a definition, which can't refer.
    """

    where: str
    schema: Mapping[str, Any]
    scope: str | None
    components: Mapping[str, Any] | None = None


_Kinds = dict[tuple[str, str], _Kind]


class Schemas:
    """The schemas of kinds, from documents and from files.

    Files are read when they are needed: a file in which group, version and kind of the wanted schema don't stand is
    not parsed, and without any question nothing is read. Where several define a kind, the first one counts. Schemas
    that were found are kept, and shared: they must not be changed.
    """

    def __init__(self) -> None:
        self._sources: list[_Source] = []
        self._found: dict[tuple[str, str], dict[str, Any] | None] = {}

    @classmethod
    def of_paths(cls, paths: Iterable[str | os.PathLike[str]]) -> Schemas:
        """Return the schemas in files and folders; see `add_path`."""
        schemas = cls()
        for path in paths:
            schemas.add_path(path)
        return schemas

    def add_path(self, path: str | os.PathLike[str]) -> None:
        """Add a file or a folder, with its folders, of definitions and OpenAPI documents; in packages too.

        Which files are read, and how, is said in `_manifests.sources`; documents that define no kind are passed over.

        Raises:
            InputError: A file or folder doesn't exist. Mistakes in one come to light when it is read.
        """
        text = os.fspath(path)
        if not os.path.exists(text):
            raise InputError(f"there is no file or folder {text}")
        self._add(_Folder(text) if os.path.isdir(text) else _File(text))

    def add_openapi(self, document: Mapping[str, Any], where: str) -> None:
        """Add an OpenAPI v3 document of an API server.

        Args:
            document: The document of one group and version, or of several.
            where: Where it is from, for messages.

        Raises:
            InputError: It isn't one.
        """
        self._add(_Given(dict(_of_openapi(where, document))))

    def add_crd(self, document: Mapping[str, Any], where: str) -> None:
        """Add a CustomResourceDefinition, or a CompositeResourceDefinition with its composite and its claim.

        Only versions that are served count, as for the API server.

        Raises:
            InputError: It isn't one.
        """
        kinds = _of_definition(where, document)
        if kinds is None:
            raise InputError(f"{where} is neither a CustomResourceDefinition nor a CompositeResourceDefinition")
        self._add(_Given(kinds))

    def find(self, api_version: str, kind: str) -> dict[str, Any] | None:
        """Return the schema of a kind with its references inlined, None where the kind isn't known.

        Raises:
            ApiVersionError: It isn't an apiVersion.
            InputError: A file can't be read, has a wrong form, or refers to a schema that it lacks.
        """
        key = api_version, kind
        if key not in self._found:
            entry = self._entry(api_version, kind)
            self._found[key] = None if entry is None else _inlined(entry, api_version, kind)
        return self._found[key]

    def scope(self, api_version: str, kind: str) -> str | None:
        """Return `Namespaced` or `Cluster`; None where the kind isn't known, or its document doesn't tell.

        Raises:
            InputError: As of `find`.
        """
        entry = self._entry(api_version, kind)
        return None if entry is None else entry.scope

    def where(self, api_version: str, kind: str) -> str | None:
        """Return the file and place of a kind's schema, for messages; None where the kind isn't known.

        Raises:
            InputError: As of `find`.
        """
        entry = self._entry(api_version, kind)
        return None if entry is None else entry.where

    def kinds(self) -> list[tuple[str, str]]:
        """Return apiVersion and kind of all that is known, sorted. Every file is read for this.

        Raises:
            InputError: A file can't be read, or has a wrong form.
        """
        return sorted({key for source in self._sources for key in source.kinds()})

    def _add(self, source: _Source) -> None:
        self._sources.append(source)
        self._found.clear()

    def _entry(self, api_version: str, kind: str) -> _Kind | None:
        group, version = split_api_version(api_version)
        # Definitions can't be of the core group, and many speak of its kinds.
        words = [word.encode(errors="surrogatepass") for word in (group or "openapi", version, kind)]
        found = (source.find((api_version, kind), words) for source in self._sources)
        return next((entry for entry in found if entry is not None), None)


class _Given:
    """Kinds that are known."""

    def __init__(self, kinds: _Kinds) -> None:
        self._kinds = kinds

    def kinds(self) -> _Kinds:
        return self._kinds

    def find(self, key: tuple[str, str], words: list[bytes]) -> _Kind | None:
        return self._kinds.get(key)


class _File:
    """The kinds of a file, which is parsed when one of them may be meant."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._kinds: _Kinds | None = None
        self._lacks: set[bytes] = set()  # words that don't stand in it

    def kinds(self) -> _Kinds:
        if self._kinds is None:
            from .sources import read_sources

            kinds: _Kinds = {}
            # A file can be called `-`, which means standard input there.
            for document in read_sources(["./-" if self._path == "-" else self._path]):
                for key, kind in (_of_document(document) or {}).items():
                    kinds.setdefault(key, kind)
            self._kinds = kinds
        return self._kinds

    def find(self, key: tuple[str, str], words: list[bytes]) -> _Kind | None:
        return self.kinds().get(key) if self._kinds is not None or self._may_have(words) else None

    def _may_have(self, words: list[bytes]) -> bool:
        """Say whether the file is worth parsing: searching it for words takes a fiftieth of the time."""
        if any(word in self._lacks for word in words):
            return False
        if not os.path.isfile(self._path):
            return True  # an OCI layout; or a pipe, which can be read once
        data = read_bytes(self._path)
        head = data[:512]
        if b"\0" in head or not head.isascii() or _HIDDEN.search(data):
            return True  # an archive, or no text that can be searched like this
        self._lacks.update(word for word in words if word not in data)
        return all(word not in self._lacks for word in words)


class _Folder:
    """The files of a folder, listed when one is needed."""

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
    """Return the kinds of a definition, None for another object."""
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
        raise InputError(f"{where}: only OpenAPI v3 documents can be read (this one is {short_repr(version)})")
    components = document.get("components")
    schemas = components.get("schemas") if isinstance(components, Mapping) else None
    if not isinstance(schemas, Mapping):
        raise InputError(
            f"{where}: the document has no components.schemas; one for each group and version is behind the index, "
            "as in `kubectl get --raw /openapi/v3/apis/apps/v1`"
        )
    scopes = scopes_in(document.get("paths"))
    for name, schema in schemas.items():
        marks = schema.get(_KINDS) if isinstance(schema, Mapping) else None
        # Options and events, which every group has, are marked with all of them.
        key = _key(marks[0]) if isinstance(marks, list) and len(marks) == 1 else None
        if key is not None:
            place = f"{where}: components.schemas.{short_text(name)}"
            yield key, _Kind(place, {"$ref": _REF + name}, scopes.get(key), schemas)


def _key(mark: Any) -> tuple[str, str] | None:
    """Return the apiVersion and kind in the mark of a component or an operation."""
    if not isinstance(mark, Mapping):
        return None
    group, version, kind = mark.get("group", ""), mark.get("version"), mark.get("kind")
    if not isinstance(group, str) or not isinstance(version, str) or not isinstance(kind, str):
        return None
    return joined(group, version), kind


def scopes_in(paths: Any) -> dict[tuple[str, str], str]:
    """Return the scopes of the kinds that have paths in an OpenAPI document, by apiVersion and kind.

    What can be listed in one namespace is namespaced.
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
    """Return a kind's schema with its references inlined."""
    if entry.components is None:
        return dict(entry.schema)
    box: dict[str, Any] = {}
    # Schemas with the references that they lie in, and the object that gets each, with its key there.
    work: list[tuple[Any, frozenset[str], dict[str, Any], str]] = [(entry.schema, frozenset(), box, "root")]
    parts = 0
    while work:
        source, outer, target, key = work.pop()
        parts += 1
        if parts > _MOST_PARTS:
            raise InputError(
                f"{entry.where}: with its references inlined the schema of {short_text(api_version)} "
                f"{short_text(kind)} has more than {_MOST_PARTS:,} parts"
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
        raise InputError(f"{entry.where}: it refers to {short_repr(ref, 120)}, which the document doesn't have")
    return found


def _ref_of(schema: Any) -> str | None:
    """Return the reference that a schema is, directly or in an `allOf`."""
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
