"""Definitions made of schemas, and what is generated from them, as modules and as text."""

from __future__ import annotations

import ast
import copy
import functools
import importlib
import itertools
import json
import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from crossplane_lite._tools.codegen.definitions import definitions
from crossplane_lite._tools.codegen.generate import Output, generate, select
from crossplane_lite._tools.manifests.yaml import Document, load_documents
from crossplane_lite.model import Model
from tests.models.tables import DATA

__all__ = [
    "CORE",
    "META",
    "SCALARS",
    "THING",
    "Classes",
    "Package",
    "annotated",
    "component",
    "crd",
    "fields",
    "items",
    "merged",
    "needs_data",
    "obj",
    "openapi",
    "output",
    "package",
    "published",
    "real_documents",
    "real_output",
    "stub_classes",
    "table",
    "thing",
    "undocumented",
    "without_docstrings",
]

Json = dict[str, Any]

META = "io.k8s.apimachinery.pkg.apis.meta.v1."
CORE = "io/k8s/api/core/v1"
THING = "org/example/thing/v1"
"""The module of the kind that `crd` defines unless it is told otherwise, without its suffix."""

needs_data = pytest.mark.skipif(not DATA.is_dir(), reason="the public API definitions are not there")

SCALARS: Mapping[str, Json] = {
    "s": {"type": "string"},
    "i": {"type": "integer"},
    "f": {"type": "number"},
    "b": {"type": "boolean"},
    "x": {},
    "o": {"type": "object"},
    "q": {"x-kubernetes-int-or-string": True},
    "f|s": {"oneOf": [{"type": "string"}, {"type": "number"}]},
}
"""A schema of each scalar type, by its letter in a table."""


def obj(**properties: Any) -> Json:
    """Return the schema of an object; a letter stands for a scalar."""
    return merged({"type": "object"}, properties)


def items(**properties: Any) -> Json:
    """Return the schema of a list of objects; a letter stands for a scalar."""
    return {"type": "array", "items": obj(**properties)}


def merged(schema: Mapping[str, Any], properties: Mapping[str, Any]) -> Json:
    """Return a schema with properties, in which a letter stands for a scalar."""
    return {**schema, "properties": {k: SCALARS[v] if isinstance(v, str) else v for k, v in properties.items()}}


def crd(
    *schemas: Mapping[str, Any], group: str = "example.org", kind: str = "Thing", versions: Sequence[str] = ()
) -> Json:
    """Return a CustomResourceDefinition whose versions have these schemas; the last one is stored, all are served."""
    names = versions or [f"v{number + 1}" for number in range(len(schemas))]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.lower()}s.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": kind, "plural": f"{kind.lower()}s"},
            "scope": "Namespaced",
            "versions": [
                {
                    "name": name,
                    "served": True,
                    "storage": schema is schemas[-1],
                    "schema": {"openAPIV3Schema": schema},
                }
                for name, schema in zip(names, schemas, strict=True)
            ],
        },
    }


def thing(**properties: Any) -> Json:
    """Return the definition of a kind `Thing` with these fields at its top."""
    return crd(obj(**properties))


def component(schema: Mapping[str, Any], group: str, version: str, kind: str) -> Json:
    """Return the component of a kind, as an API server marks it."""
    return {**schema, "x-kubernetes-group-version-kind": [{"group": group, "version": version, "kind": kind}]}


def openapi(**schemas: Any) -> Json:
    """Return an OpenAPI document with these components."""
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": "v1.33.0"},
        "paths": {},
        "components": {"schemas": schemas},
    }


def output(
    *contents: Mapping[str, Any],
    previous: Mapping[str, str] | Output | None = None,
    versions: str = "all",
    only: Sequence[str] = (),
    recorded: Mapping[str, Mapping[str, str]] | None = None,
) -> Output:
    """Return what is generated from these documents; their places are `file 1`, `file 2` and so on."""
    documents = [Document(f"file {number}", dict(content)) for number, content in enumerate(contents, 1)]
    kinds = select(definitions(documents).kinds, versions, only)
    earlier = previous.modules if isinstance(previous, Output) else previous or {}
    return generate(kinds, earlier.get, recorded)


def undocumented(made: Output) -> Output:
    """Return the same without descriptions, for comparisons of sources that describe fields differently."""
    stubs = {path: without_docstrings(text) for path, text in made.stubs.items()}
    return made._replace(stubs=stubs)


def without_docstrings(stub: str) -> str:
    """Return the lines of a stub that are no docstrings and not blank."""
    lines = stub.splitlines()
    for node in ast.walk(ast.parse(stub)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and node.value.value is not ...:
            for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                lines[number] = ""
    return "\n".join(line for line in lines if line.strip())


def table(source: str) -> dict[str, str]:
    """Return the table of a generated module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Dict):
            found: dict[str, str] = ast.literal_eval(node)
            return found
    raise AssertionError("the module has no table")


def fields(text: str) -> dict[str, tuple[str, str]]:
    """Return attribute and type of each field of a table's class, by wire name; wire names must need no escapes."""
    found = {}
    for part in text.split(" "):
        names, _, type_ = part.rpartition(":")
        if names and not names.startswith("@"):
            attribute, _, wire = names.partition("=")
            found[wire or attribute] = (attribute, type_)
    return found


def stub_classes(stub: str) -> dict[str, ast.ClassDef]:
    """Return the classes of a stub by name, without those of observed objects."""
    defined = [node for node in ast.parse(stub).body if isinstance(node, ast.ClassDef)]
    return {node.name: node for node in defined if not node.name.startswith("_Observed")}


def annotated(cls: ast.ClassDef) -> dict[str, str]:
    """Return the annotation of each name that a stub's class declares, in order."""
    declared = (node for node in cls.body if isinstance(node, ast.AnnAssign))
    return {node.target.id: ast.unparse(node.annotation) for node in declared if isinstance(node.target, ast.Name)}


class Classes:
    """The classes of one generated module that needs none beside it, made without writing a file."""

    def __init__(self, source: str) -> None:
        self.table = table(source)
        self._namespace: dict[str, Any] = {"__name__": "a_generated_module"}
        exec(compile(source, "a generated module", "exec"), self._namespace)

    def __getitem__(self, name: str) -> Any:
        return self._namespace["__getattr__"](name)

    def __iter__(self) -> Iterator[type[Model]]:
        return (self[name] for name in self.table)


class Package(NamedTuple):
    """A generated package that has been written and can be imported."""

    name: str
    output: Output

    def module(self, file: str) -> Any:
        """Import a module by its path in the output, without the suffix."""
        return importlib.import_module(".".join([self.name, *file.split("/")]))

    def files(self) -> list[str]:
        """Return the paths of all modules of models, without suffix."""
        return [file.removesuffix(".py") for file, text in self.output.modules.items() if text]


_names = (f"generated_models_{number}" for number in itertools.count())


def package(folder: Path, made: Output) -> Package:
    """Write what was generated into a new package below a folder."""
    name = next(_names)
    for file, text in {**made.modules, **made.stubs}.items():
        path = folder / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    root = types.ModuleType(name)
    root.__path__ = [str(folder / name)]
    sys.modules[name] = root
    importlib.invalidate_caches()
    return Package(name, made)


@functools.lru_cache(maxsize=1)
def real_documents() -> tuple[Document, ...]:
    """Return the public API definitions: the CustomResourceDefinitions, then the OpenAPI documents."""
    found: list[Document] = []
    for path in sorted((DATA / "crds").glob("*.yaml")):
        found += load_documents(path)
    for path in sorted((DATA / "openapi").glob("*.json")):
        found.append(Document(str(path), json.loads(path.read_text())))
    return tuple(found)


@functools.lru_cache(maxsize=1)
def real_output() -> Output:
    """Return what is generated from the public API definitions, all versions of them."""
    return generate(select(definitions(real_documents()).kinds, "all"))


def published(definition: Mapping[str, Any], *, meta: Mapping[str, Any], wrapped: bool = True) -> Iterator[Json]:
    """Yield the OpenAPI documents that an API server publishes for a CustomResourceDefinition, one for each version.

    Args:
        definition: The CustomResourceDefinition.
        meta: Components of the API machinery, ObjectMeta and ListMeta among them.
        wrapped: Whether references that have a description are in an `allOf`.
    """
    spec = definition["spec"]
    group, kind = spec["group"], spec["names"]["kind"]

    def to_meta(name: str) -> Json:
        ref = {"$ref": f"#/components/schemas/{META}{name}"}
        text = "Standard object's metadata."
        return {"description": text, "allOf": [ref]} if wrapped else ref

    type_meta = {
        "apiVersion": {"type": "string", "description": "APIVersion defines the versioned schema."},
        "kind": {"type": "string", "description": "Kind is a string value."},
    }

    def embed(schema: Any) -> Any:
        if isinstance(schema, list):
            return [embed(one) for one in schema]
        if not isinstance(schema, dict):
            return schema
        schema = {key: embed(value) for key, value in sorted(schema.items())}
        if schema.get("x-kubernetes-embedded-resource") is True:
            added = {**schema.get("properties", {}), **type_meta, "metadata": to_meta("ObjectMeta")}
            schema["properties"] = dict(sorted(added.items()))
            schema["required"] = sorted({*schema.get("required", ()), "apiVersion", "kind"})
        return schema

    for version in spec["versions"]:
        name = version["name"]
        prefix = ".".join((*reversed(group.split(".")), name, kind))
        schema = embed(copy.deepcopy(version["schema"]["openAPIV3Schema"]))
        top = {**schema.get("properties", {}), **type_meta, "metadata": to_meta("ObjectMeta")}
        items = {"type": "array", "items": {"allOf": [{"$ref": f"#/components/schemas/{prefix}"}], "default": {}}}
        of_list = {**type_meta, "items": items, "metadata": to_meta("ListMeta")}
        document = openapi(
            **{
                prefix: component({**schema, "properties": dict(sorted(top.items()))}, group, name, kind),
                f"{prefix}List": component(
                    {"type": "object", "required": ["items"], "properties": of_list}, group, name, f"{kind}List"
                ),
                **meta,
            }
        )
        place = "/namespaces/{namespace}" if spec["scope"] == "Namespaced" else ""
        operation = {"x-kubernetes-group-version-kind": {"group": group, "version": name, "kind": kind}}
        document["paths"] = {f"/apis/{group}/{name}{place}/{spec['names']['plural']}": {"post": operation}}
        yield document
