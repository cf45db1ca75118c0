"""Finds the definitions of APIs in documents: kinds with their versions and schemas, and
components.

A definition is a CustomResourceDefinition, a CompositeResourceDefinition or an OpenAPI v3 document.
A component is a schema that an OpenAPI document lists under `components.schemas`, and to which a
`$ref` can point.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from ..._core.base.api_version import group_of, joined
from ..._core.base.texts import json_type_in_words
from ..._core.resources.of_schema import class_name, identifier
from ...errors import InputError
from ..manifests.crd import crds_in, versions_of
from ..manifests.kind_sources import check_version, scopes_in
from ..manifests.values import check_name, typed_at
from ..manifests.yaml import Document
from .shapes import ClassRef

_REF: Final = "#/components/schemas/"
_SCOPES: Final = ("Namespaced", "Cluster")
# The group of the kinds that install Crossplane packages.
_PACKAGES: Final = "pkg.crossplane.io"
# Types of the API machinery, such as Status, are kinds too, but nobody composes them.
_MACHINERY: Final = "io.k8s.apimachinery."


class Kind(NamedTuple):
    """One version of a kind.

    Attributes:
        where: The file and the document in it, for messages.
        path: The place of the schema in the document, for messages: `components.schemas.NAME`, or
            the version's name.
        group: The API group; empty for the core group.
        version: The name of the version, such as `v1`.
        kind: The name of the kind, such as `Pod`.
        schema: The schema of the kind's objects.
        module: The module of the kind's class, as a path in the output folder: the packages, then
            the module.
        name: The name of the kind's class.
        served: Whether the API server serves this version.
        storage: Whether this version is stored. In an XRD: whether compositions refer to it.
        document: The OpenAPI document with the schemas that `$ref`s lead to; None for a kind of a
            CRD or XRD.
        scope: `Namespaced` or `Cluster`; empty if the definition doesn't say.
        stored: The version in which the API server stores the kind; empty if the definition isn't a
            CRD.
        is_composite: Whether the definition is an XRD.
    """

    where: str
    path: str
    group: str
    version: str
    kind: str
    schema: Mapping[str, Any]
    module: tuple[str, ...]
    name: str
    served: bool = True
    storage: bool = True
    document: OpenAPI | None = None
    scope: str = ""
    stored: str = ""
    is_composite: bool = False

    @property
    def api_version(self) -> str:
        return joined(self.group, self.version)


class Component(NamedTuple):
    """A component of an OpenAPI document from which a class is made. The attributes are as in
    `Kind`.
    """

    where: str
    path: str
    schema: Mapping[str, Any]
    module: tuple[str, ...]
    name: str
    document: OpenAPI


class OpenAPI:
    """An OpenAPI v3 document.

    Args:
        where: The file and the document in it, for messages.
        schemas: The document's `components.schemas`.
    """

    def __init__(self, where: str, schemas: Mapping[str, Any]) -> None:
        self.where = where
        self.schemas = schemas
        self._classes = {name: _class_of(name) for name in schemas}
        self._names = {ref: name for name, ref in self._classes.items()}
        self._kinds: dict[ClassRef, Kind] = {}

    def add(self, name: str, kind: Kind) -> None:
        """Register that the component `name` defines `kind`, so that each `$ref` to it leads to the
        kind's class.
        """
        ref = self._classes[name] = ClassRef(kind.module, kind.name)
        self._names[ref] = name
        self._kinds[ref] = kind

    def component(self, ref: ClassRef) -> Kind | Component | None:
        """Return the kind or component in this document from which the class `ref` is made; None if
        there is none.
        """
        name = self._names.get(ref)
        if name is None or ref in self._kinds:
            return self._kinds.get(ref)
        return Component(
            self.where, f"components.schemas.{name}", self.schemas[name], ref.module, ref.name, self
        )

    def resolve(self, ref: str) -> tuple[Mapping[str, Any], ClassRef | None] | None:
        """Look up a `$ref`, such as `#/components/schemas/io.k8s.api.core.v1.PodSpec`.

        Returns:
            The schema, and the class that is made from it; the class is None if the schema has no
            properties. A single None instead of both if the document has no such schema.
        """
        name = _component_of(ref)
        schema = self.schemas.get(name)
        if not name or not isinstance(schema, Mapping):
            return None
        return schema, self._classes[name] if self._has_properties(schema) else None

    def _has_properties(self, schema: Mapping[str, Any]) -> bool:
        seen: list[Mapping[str, Any]] = []
        work = [schema]
        while work:
            one = work.pop()
            if any(one is other for other in seen):
                continue
            seen.append(one)
            if one.get("properties"):
                return True
            ref, members = one.get("$ref"), one.get("allOf")
            below = [self.schemas.get(_component_of(ref))] if isinstance(ref, str) else []
            below += members if isinstance(members, list) else []
            work += [schema for schema in below if isinstance(schema, Mapping)]
        return False


class Definitions(NamedTuple):
    """The definitions in the documents of a run.

    Attributes:
        kinds: All kinds, with one entry for each version.
        others: The kind of each document that defines no API, such as `Composition`, by the
            document's file and place in the file.
        packages: The image of each Crossplane package that a document installs, such as that of a
            Provider, by the document's file and place in the file.
        passed_over: Why files and documents were passed over, a line for each.
    """

    kinds: list[Kind]
    others: dict[str, str]
    packages: dict[str, str]
    passed_over: list[str]


def definitions(documents: Iterable[Document], passed_over: list[str] | None = None) -> Definitions:
    """Return the definitions in documents. Documents that define no API are listed in `others`.

    Args:
        documents: The documents.
        passed_over: A list that gets a line for each later definition of a kind that differs from
            the first, and is left out; None if these are returned, too.

    Raises:
        InputError: A definition isn't valid for its apiVersion and kind, an OpenAPI document isn't
            of version 3 or has no components, or a document only lists OpenAPI documents. The
            message names the place.
    """
    found = Definitions([], {}, {}, [] if passed_over is None else passed_over)
    first: dict[tuple[str, str], Kind] = {}
    for where, content in documents:
        if "openapi" in content or "swagger" in content:
            kinds = list(_of_openapi(where, content))
            found.kinds.extend(kinds)
            if not kinds:
                found.others[where] = "OpenAPI without kinds"
            continue
        _refuse_index(where, content)
        crds = crds_in(where, content)
        if crds is None:
            found.others[where] = str(content.get("kind") or "no kind")
            spec = content.get("spec")
            package = spec.get("package") if isinstance(spec, Mapping) else None
            if isinstance(package, str) and group_of(str(content.get("apiVersion"))) == _PACKAGES:
                found.packages[where] = package
        for crd in crds or ():
            for kind in _of_crd(where, crd, is_xrd=crd is not content):
                key = (kind.api_version, kind.kind)
                known = first.setdefault(key, kind)
                if passed_over is None or known.schema == kind.schema:
                    found.kinds.append(kind)
                    continue
                reason = f"{where}: {kind.kind} is defined differently in {known.where}"
                if reason not in passed_over[-1:]:  # once for all versions
                    passed_over.append(reason)
    return found


def _refuse_index(where: str, content: Mapping[str, Any]) -> None:
    """Raise InputError if `content` is an API server's answer to /openapi/v3, a mere list of its
    OpenAPI documents.
    """
    paths = content.get("paths")
    if "kind" in content or not isinstance(paths, Mapping) or not paths:
        return
    if all(isinstance(one, Mapping) and "serverRelativeURL" in one for one in paths.values()):
        path = "apis/apps/v1" if "apis/apps/v1" in paths else min(map(str, paths))
        raise InputError(
            f"{where}: this is the index of an API server's OpenAPI documents, not one of them:"
            f" `kubectl get --raw /openapi/v3/{path}` prints one, and generate --kube-context"
            " reads all"
        )


def _of_crd(where: str, crd: Mapping[str, Any], *, is_xrd: bool) -> Iterable[Kind]:
    versions = list(versions_of(where, crd))
    for found in versions:
        scope = crd["spec"].get("scope")
        module = (*group_path(found.group), segment(found.kind), segment(found.version))
        name = class_name(found.kind)
        yield Kind(
            *(
                where,
                found.version,
                found.group,
                found.version,
                found.kind,
                found.schema,
                module,
                name,
            ),
            served=found.served,
            storage=found.storage,
            scope=scope if scope in _SCOPES else "",
            stored="" if is_xrd else next((one.version for one in versions if one.storage), ""),
            is_composite=is_xrd,
        )


def _of_openapi(where: str, content: Mapping[str, Any]) -> Iterable[Kind]:
    check_version(where, content)
    if "components" not in content:
        raise InputError(
            f"{where}: the OpenAPI document has no components: give the document of one group and"
            " version, as in `kubectl get --raw /openapi/v3/apis/apps/v1`"
        )
    if isinstance(content["components"], Mapping) and "schemas" not in content["components"]:
        return  # the document of an API without objects, such as /logs
    document = OpenAPI(where, typed_at(where, content, "components.schemas", dict))
    scopes = scopes_in(content.get("paths"))
    for name, schema in document.schemas.items():
        if not isinstance(schema, Mapping):
            raise InputError(
                f"{where}: components.schemas.{name} must be an object (got"
                f" {json_type_in_words(schema)})"
            )
        kinds = schema.get("x-kubernetes-group-version-kind")
        if not isinstance(kinds, list) or len(kinds) != 1 or name.startswith(_MACHINERY):
            continue  # this isn't a kind, or it belongs to many groups, such as DeleteOptions
        path = f"components.schemas.{name}"
        at = f"{where}: {path}: x-kubernetes-group-version-kind[0]"
        if not isinstance(kinds[0], Mapping):
            raise InputError(f"{at} must be an object (got {json_type_in_words(kinds[0])})")
        mark = {"group": "", **kinds[0]}
        group, version, kind = (
            typed_at(at, mark, key, str) for key in ("group", "version", "kind")
        )
        for key, text in (("group", group or "core"), ("version", version), ("kind", kind)):
            check_name(at, key, text)
        ref = _class_of(name)
        scope = scopes.get((joined(group, version), kind), "")
        found = Kind(
            where,
            path,
            group,
            version,
            kind,
            schema,
            ref.module,
            ref.name,
            document=document,
            scope=scope,
        )
        if group and name == ".".join((*reversed(group.split(".")), version, kind)):
            # Published for a CustomResourceDefinition. The kind is the same as from the definition
            # itself; its list is left out, because the definition has none.
            if _is_list(schema):
                continue
            found = found._replace(
                module=(*group_path(group), segment(kind), segment(version)), name=class_name(kind)
            )
        document.add(name, found)
        yield found


def _is_list(schema: Mapping[str, Any]) -> bool:
    properties = schema.get("properties")
    items = properties.get("items") if isinstance(properties, Mapping) else None
    item = items.get("items") if isinstance(items, Mapping) else None
    members = item.get("allOf") if isinstance(item, Mapping) else None
    parts = [item, *members] if isinstance(members, list) else [item]
    return any(isinstance(one, Mapping) and "$ref" in one for one in parts)


def _component_of(ref: str) -> str:
    """Return the name of the component that a `$ref` points to; empty if the `$ref` points to
    anything else.
    """
    return (
        ref.removeprefix(_REF).replace("~1", "/").replace("~0", "~") if ref.startswith(_REF) else ""
    )


def _class_of(component: str) -> ClassRef:
    """Return the class for a component: Pod in io/k8s/api/core/v1 for `io.k8s.api.core.v1.Pod`.

    The class of a component without dots in its name is in the module `components`.
    """
    *packages, name = component.split(".")
    return ClassRef(
        tuple(segment(part) for part in packages if part) or ("components",), class_name(name)
    )


def segment(text: str) -> str:
    """Return the name of the package or module for a kind, a version or one part of a group.

    For example `v1` for `v1`, `bucket` for `Bucket`, and `import_` for `Import`, because `import`
    is a Python keyword.
    """
    name = identifier(text.lower())
    return name + "_" if keyword.iskeyword(name) else name


def group_path(group: str) -> tuple[str, ...]:
    """Return the package names for a group, its last part first: `io`, `upbound`, `gcp` for
    `gcp.upbound.io`.
    """
    return tuple(segment(part) for part in reversed(group.split(".")))
