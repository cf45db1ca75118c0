"""Finds the OpenAPI schemas of kinds in OpenAPI v3 documents and in definitions (CRDs and XRDs), as
Crossplane does.

Crossplane asks the API server for the document of the apiVersion (Crossplane's design "Required
schemas", "Implementation"), and takes the component whose `x-kubernetes-group-version-kind` has
only the wanted kind.

References (`$ref`) in properties, additional properties and items are inlined. The schema that a
reference leads to replaces the reference and everything beside it. A reference in an `allOf` counts
as a reference of the schema around it, because Kubernetes writes a reference with a description in
this way. A reference to a schema that contains the reference becomes `{type: object}`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from ..._core.base.api_version import split
from ..._core.base.texts import short_repr, short_text
from ...errors import InputError
from .. import kubernetes
from ..registry.references import is_package
from .api_versions import split_api_version
from .files import near_file
from .kind_sources import REF, Kind, Source, of_definition, of_openapi

# The largest known kinds have 10,000 parts. Components that refer to each other could have more
# than fit into memory.
_MOST_PARTS: Final = 1_000_000


class Schemas:
    """Finds the schemas of kinds in sources: documents, files and folders.

    Files are read when a kind is looked for. A file that doesn't contain the words of the wanted
    group, version and kind isn't parsed. If several sources define a kind, the source that was
    added first counts. `find` returns the same dict for each call with the same kind: don't change
    the dict. Raises InputError if one of `paths`, which are added as by `add_path`, doesn't exist.
    """

    def __init__(self, paths: Iterable[str | os.PathLike[str]] = ()) -> None:
        self._own: Source | None = None
        self._sources: list[Source] = []
        self._found: dict[tuple[str, str], dict[str, Any] | None] = {}
        for path in paths:
            self.add_path(path)

    def add_path(self, path: str | os.PathLike[str], *, is_in_folder: bool = False) -> None:
        """Add a file or package, or one in a registry, as a source, or the files in a folder and
        the folders below it.

        From these, definitions and OpenAPI documents are read when a kind is looked for. Other
        documents are ignored. `manifests.sources` says which files of a folder are read. Raises
        InputError if the file or folder doesn't exist, or the folder has no such file. Mistakes in
        a file are found only when a kind is looked for; with `is_in_folder`, a file without a
        definition is passed over, as one of a folder is.
        """
        self._add(self._sources_of(path, is_in_folder=is_in_folder))

    def add_definitions(self, path: str | os.PathLike[str]) -> None:
        """Add a file or folder as `add_path` does, and refuse one that defines no kinds.

        Raises MissingExtraError if a file that must be parsed for that is YAML, and PyYAML isn't
        installed.
        """
        sources = self._sources_of(path)
        if all(source.is_empty() for source in sources):
            raise InputError(
                f"{os.fspath(path)} has no definition of a kind: give CustomResourceDefinitions, "
                "CompositeResourceDefinitions or OpenAPI v3 documents"
            )
        self._add(sources)

    def add_kubernetes(self) -> None:
        """Add the definitions of Kubernetes' own kinds that come with the tools, for kinds that no
        source has.
        """
        self._own = Source(str(kubernetes.PATH))

    def add_openapi(self, document: Mapping[str, Any], where: str) -> None:
        """Add an OpenAPI v3 document of an API server as a source.

        It may have several apiVersions. Raises InputError if it isn't an OpenAPI v3 document, or
        has no schemas.
        """
        self._add([Source(kinds=dict(of_openapi(where, document)))])

    def add_crd(self, document: Mapping[str, Any], where: str) -> None:
        """Add the kind of a CustomResourceDefinition, or the composite and the claim of a
        CompositeResourceDefinition.

        Only served versions have schemas, because an API server has none of other versions. Raises
        InputError if the document is of another kind, or a field is missing or wrong.
        """
        kinds = of_definition(where, document)
        if kinds is None:
            kind = document.get("kind")
            raise InputError(
                f"{where} is neither a CustomResourceDefinition nor a CompositeResourceDefinition "
                f"({'it has no kind' if kind is None else f'its kind is {short_repr(kind)}'})"
            )
        self._add([Source(kinds=kinds)])

    def find(self, api_version: str, kind: str) -> dict[str, Any] | None:
        """Return the schema of a kind with its references inlined; None if no source has the kind.

        Like the methods below, it raises InputError for a file that can't be read or has a wrong
        field, and MissingExtraError for a YAML file without PyYAML. It also raises InputError for a
        wrong apiVersion, a reference that leads nowhere, and a schema of more than a million parts.
        """
        key = api_version, kind
        if key not in self._found:
            entry = self._entry(api_version, kind)
            self._found[key] = None if entry is None else _inlined(entry, api_version, kind)
        return self._found[key]

    def scope(self, api_version: str, kind: str) -> str | None:
        """Return the scope of a kind, `Namespaced` or `Cluster`, from the first source that has the
        kind.

        None if no source has the kind, or this source doesn't show the kind's scope.
        """
        entry = self._entry(api_version, kind)
        return None if entry is None else entry.scope

    def where(self, api_version: str, kind: str) -> str | None:
        """Return where the schema is, such as `crds.yaml, document 2 (line 14)`; None if no source
        has the kind.
        """
        entry = self._entry(api_version, kind)
        return None if entry is None else entry.where

    def kinds(self) -> list[tuple[str, str]]:
        """Return the sorted pairs of apiVersion and kind of all kinds in the sources. This parses
        all files.
        """
        return sorted(
            {key for source in self._sources for key, kind in source.kinds().items() if kind.served}
        )

    def versions(self, group: str, kind: str) -> dict[str, dict[str, bool]]:
        """Return the versions of a kind that definitions (CRDs and XRDs) have, by the place of the
        definition.

        An OpenAPI document has one version, and doesn't say whether there are others. So these
        documents don't count. Each place is such as `crds.yaml, document 2 (line 14)`; its dict
        says of each version whether it is served.
        """
        found: dict[str, dict[str, bool]] = {}
        for version, name, entry in self._defined(group, kind):
            if name == kind:
                found.setdefault(entry.where, {}).setdefault(version, entry.served)
        return found

    def kinds_of(self, group: str) -> list[str]:
        """Return the sorted kinds of a group that definitions (CRDs and XRDs) have. See `versions`
        for the errors.
        """
        return sorted({kind for _, kind, _ in self._defined(group)})

    def api_versions_of(self, kind: str) -> list[str]:
        """Return the sorted apiVersions in which the added sources have a kind. See `versions` for
        the errors.
        """
        words = [kind.encode(errors="surrogatepass")]
        found = (item for source in self._sources for item in source.matching(words).items())
        return sorted(
            {api_version for (api_version, name), entry in found if name == kind and entry.served}
        )

    def passed_over(self) -> list[str]:
        """Return why files and documents in folders were passed over, of those that were parsed so
        far.
        """
        return [reason for source in self._sources for reason in source.passed_over or ()]

    def _sources_of(
        self, path: str | os.PathLike[str], *, is_in_folder: bool = False
    ) -> list[Source]:
        text = os.fspath(path)
        if is_package(text):
            return [Source(text)]
        if not os.path.exists(text):
            raise InputError(f"there is no file or folder {text}{near_file(text)}")
        if not os.path.isdir(text):
            return [Source(text, is_in_folder=is_in_folder)]
        from .sources import files_below

        return [Source(file, is_in_folder=True) for file in files_below(text)]

    def _add(self, sources: Iterable[Source]) -> None:
        self._sources += sources
        self._found.clear()

    def _entry(self, api_version: str, kind: str) -> Kind | None:
        group, version = split_api_version(api_version)
        # Only OpenAPI documents have kinds of the core group. Definitions often mention these
        # kinds, so look for the word `openapi` instead of the empty group.
        words = [
            word.encode(errors="surrogatepass") for word in (group or "openapi", version, kind)
        ]
        sources = self._sources
        if self._own is not None and kubernetes.has_group(group):
            sources = [*sources, self._own]
        found = (source.find((api_version, kind), words) for source in sources)
        return next((entry for entry in found if entry is not None), None)

    def _defined(self, group: str, *more: str) -> Iterator[tuple[str, str, Kind]]:
        """Yield the version, the kind and the entry of each definition of a group.

        Definitions that don't have the words `more` may be left out.
        """
        if self._own is not None and kubernetes.has_group(group):
            for (api_version, kind), entry in self._own.kinds().items():
                its_group, version = split(api_version)
                if its_group == group:
                    yield version, kind, entry
        if "." not in group:
            # A group of Kubernetes itself: many descriptions in definitions have words such as
            # `apps`.
            return
        words = [word.encode(errors="surrogatepass") for word in (group, *more)]
        for source in self._sources:
            for (api_version, kind), entry in source.matching(words).items():
                its_group, version = split(api_version)
                if its_group == group and entry.components is None:
                    yield version, kind, entry


def _inlined(entry: Kind, api_version: str, kind: str) -> dict[str, Any]:
    """Return a copy of a kind's schema in which the references are inlined (see the module's
    description).

    Raises InputError if a reference leads nowhere, or the schema has more than a million parts.
    """
    if entry.components is None:
        return dict(entry.schema)
    box: dict[str, Any] = {}
    # For each schema to copy: the schema, the references around it, and the object and key that get
    # the copy.
    work: list[tuple[Any, frozenset[str], dict[str, Any], str]] = [
        (entry.schema, frozenset(), box, "root")
    ]
    parts = 0
    while work:
        source, outer, target, key = work.pop()
        parts += 1
        if parts > _MOST_PARTS:
            raise InputError(
                f"{entry.where}: with its references inlined the schema of"
                f" {short_text(api_version)} {short_text(kind)} has more than {_MOST_PARTS:,}"
                " parts: give its CustomResourceDefinition instead"
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


def _component(entry: Kind, ref: str) -> Mapping[str, Any]:
    name = ref.removeprefix(REF).replace("~1", "/").replace("~0", "~")
    found = (entry.components or {}).get(name)
    if not isinstance(found, Mapping):
        raise InputError(
            f"{entry.where}: a schema refers to {short_repr(ref, 120)}, which the document doesn't"
            " have; give the whole document"
        )
    return found


def _ref_of(schema: Any) -> str | None:
    """Return the `$ref` of a schema, else the first `$ref` of the elements of its `allOf`; None
    without a `$ref`.
    """
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
