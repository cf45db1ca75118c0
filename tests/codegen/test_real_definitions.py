"""What is generated from public API definitions: Crossplane's providers and Kubernetes itself."""

from __future__ import annotations

import functools
import keyword
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

from crossplane_lite._core.models import types
from crossplane_lite._tools.codegen.definitions import Kind, definitions
from crossplane_lite._tools.codegen.generate import generate
from crossplane_lite._tools.manifests.yaml import Document
from crossplane_lite.model import Model, Resource, from_dict, to_dict
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta import v1 as metav1
from tests.codegen.generated import (
    CORE,
    META,
    Package,
    annotated,
    needs_data,
    output,
    package,
    published,
    real_documents,
    real_output,
    stub_classes,
    table,
    undocumented,
)
from tests.codegen.strategies import Instances

pytestmark = needs_data

Json = dict[str, Any]
_OF_RESOURCES = {"observed", "external_name", "ready", "connection_details", "condition", "name"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Package:
    """Return the generated package, written and ready to be imported."""
    return package(tmp_path_factory.mktemp("real"), real_output())


def sample(type_: types.Type) -> Any:
    """Return a value of a field's type."""
    if type_.code == types.MODEL:
        return type_.cls()
    if type_.code == types.LIST:
        return [sample(type_.item)]
    if type_.code == types.MAP:
        return {"k": sample(type_.item)}
    if type_.code == types.OBJECT:
        return {"k": 1}
    return "a" if str in type_.takes else True if bool in type_.takes else 1


def attribute(wire: str, *, of_resource: bool) -> str:
    """Return the attribute that the design gives to a wire name."""
    name = re.sub(r"\W", "_", wire)
    own = {"self"} | (_OF_RESOURCES if of_resource else set())
    return f"{name}_" if keyword.iskeyword(name) or name in own else name


# --- modules and classes -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_module_can_be_imported(made: Package) -> None:
    """Each module has the classes of its table, and nothing is missing where one refers to another."""
    count = 0
    for file in made.files():
        module = made.module(file)
        texts = table(made.output.modules[f"{file}.py"])
        assert module.__all__ == sorted(texts)
        assert {*texts} <= {*dir(module)}
        for name, text in texts.items():
            cls = getattr(module, name)
            assert issubclass(cls, Model)
            if text.startswith("="):
                assert cls.__module__.startswith("crossplane_lite.models.io.")
                assert cls.__name__ == text.split(" ")[0].rpartition(".")[2]
            else:
                assert (cls.__module__, cls.__name__) == (module.__name__, name)
                count += 1
    assert count == made.output.classes > 900


@pytest.mark.slow
def test_every_class_can_be_built(made: Package) -> None:
    """Each class can be called without arguments, and with each of its fields set, alone and all together."""
    for file in made.files():
        module = made.module(file)
        for name in module.__all__:
            cls = getattr(module, name)
            fixed = {"apiVersion": cls.apiVersion, "kind": cls.kind} if issubclass(cls, Resource) else {}
            assert to_dict(cls()) == fixed
            whole = {}
            for field in cls.__wire_fields__.values():
                if field.name in fixed:
                    continue
                value = whole[field.name] = sample(field.type)
                model = cls(**{field.name: value})
                assert set(to_dict(model)) == {field.wire, *fixed}, (file, name, field.name)
            assert len(to_dict(cls(**whole))) == len(whole) + len(fixed)


@pytest.mark.slow
def test_stubs_have_the_fields_of_the_classes(made: Package) -> None:
    """`attrs.fields` of each class are the annotated names of the stub in the same order, all keyword-only."""
    for file in made.files():
        module = made.module(file)
        classes = stub_classes(made.output.stubs[f"{file}.pyi"])
        shared = {name for name, text in table(made.output.modules[f"{file}.py"]).items() if text.startswith("=")}
        assert sorted({*classes, *shared}) == module.__all__
        for name, node in classes.items():
            fields = attrs.fields(getattr(module, name))
            assert [field.name for field in fields] == list(annotated(node)), (file, name)
            assert all(field.kw_only for field in fields)


@pytest.mark.slow
def test_every_stub_is_python(made: Package) -> None:
    """Stubs are UTF-8 that parses, with the descriptions of the definitions."""
    for file, text in made.output.stubs.items():
        if text:
            stub_classes(text.encode().decode())
            assert file == "__init__.pyi" or '"""' in text.partition("class ")[2]


# --- the classes against the schemas -----------------------------------------------------------------------------


def kinds() -> Iterator[tuple[Kind, Instances]]:
    """Yield all kinds, and what reads their schemas without the code under test."""
    for kind in definitions(real_documents()).kinds:
        yield kind, Instances(dict(kind.schema), functools.partial(component_of, kind))


def component_of(kind: Kind, ref: str) -> Json:
    """Return the component of a kind's document that a reference names."""
    assert kind.document is not None
    schema: Json = kind.document.schemas[ref.rpartition("/")[2]]
    return schema


def expected(schema: Json) -> int:
    """Return the code of the type that a schema stands for."""
    if schema.get("properties"):
        return types.MODEL
    kind = schema.get("type")
    if kind == "object":
        has_items = isinstance(schema.get("additionalProperties"), dict)
        return types.MAP if has_items and not schema.get("x-kubernetes-embedded-resource") else types.OBJECT
    if kind is None and not schema.get("oneOf"):
        return types.ANY
    return types.LIST if kind == "array" else types.LEAF


@pytest.mark.slow
def test_classes_have_the_fields_of_the_schemas(made: Package) -> None:
    """At every place of every schema the class has the same fields, with attributes, types and list-map keys."""
    compared = 0
    for kind, reader in kinds():
        cls = getattr(made.module("/".join(kind.module)), kind.name)
        assert (cls.apiVersion, cls.kind) == (kind.api_version, kind.kind)
        work: list[tuple[Json, Any, bool]] = [(reader.flat(kind.schema), cls, True)]
        seen = set()
        while work:
            schema, one, is_kind = work.pop()
            properties = dict(schema["properties"])
            is_kind = (
                is_kind or len(schema.get("x-kubernetes-group-version-kind", ())) == 1 and issubclass(one, Resource)
            )
            if is_kind:
                properties |= {"apiVersion": {"type": "string"}, "kind": {"type": "string"}}
                properties.setdefault("metadata", {})
            fields = {field.wire: field for field in one.__wire_fields__.values()}
            assert set(fields) == set(properties), (kind.api_version, one.__name__)
            for wire, below in properties.items():
                type_ = fields[wire].type
                assert fields[wire].name == attribute(wire, of_resource=is_kind)
                below = reader.flat(below)
                if is_kind and wire == "metadata" and "properties" not in below:
                    assert type_.cls is metav1.ObjectMeta
                    continue
                while True:
                    compared += 1
                    assert type_.code == expected(below), (kind.api_version, one.__name__, wire)
                    if type_.code == types.LIST:
                        keys = below.get("x-kubernetes-list-map-keys", ())
                        assert type_.keys == tuple(keys if below.get("x-kubernetes-list-type") == "map" else ())
                        below, type_ = reader.flat(below["items"]), type_.item
                    elif type_.code == types.MAP:
                        below, type_ = reader.flat(below["additionalProperties"]), type_.item
                    else:
                        break
                if type_.code == types.MODEL and (type_.cls, str(sorted(below["properties"]))) not in seen:
                    seen.add((type_.cls, str(sorted(below["properties"]))))
                    work.append((below, type_.cls, False))
    assert compared > 8000


# --- names and homes ---------------------------------------------------------------------------------------------


def test_the_names_of_the_seed(made: Package) -> None:
    """Buckets of GCP have the names that the seed's example uses."""
    for version in ("v1beta2", "v1beta3"):
        bucket = made.module(f"io/upbound/gcp/storage/bucket/{version}")
        assert {"Bucket", "BucketSpec", "BucketStatus", "ForProvider", "AtProvider", "InitProvider"} <= {
            *bucket.__all__
        }
        one = bucket.Bucket(spec=bucket.BucketSpec(forProvider=bucket.ForProvider(location="US")))
        assert to_dict(one)["spec"] == {"forProvider": {"location": "US"}}
    acl = made.module("io/upbound/gcp/storage/bucketacl/v1beta1")
    assert {"BucketACL", "BucketACLSpec", "ForProvider"} <= {*acl.__all__}


def test_native_kinds_are_in_the_modules_of_their_groups(made: Package) -> None:
    """apps/v1 has Deployment and the rest of its group, and takes what it shares from core/v1."""
    apps, core, batch = (made.module(f"io/k8s/api/{name}/v1") for name in ("apps", "core", "batch"))
    assert {"Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"} <= {*apps.__all__}
    assert {"Job", "CronJob"} <= {*batch.__all__}
    assert {"Pod", "PodSpec", "Container", "Service", "ConfigMap"} <= {*core.__all__}
    template = apps.Deployment(spec={"template": {"spec": {"containers": [{"name": "c"}]}}}).spec.template
    assert type(template) is core.PodTemplateSpec
    assert type(template.spec.containers[0]) is core.Container
    assert type(batch.Job(spec={"template": {}}).spec.template) is core.PodTemplateSpec


def test_all_models_share_the_shipped_metadata(made: Package) -> None:
    """The metadata of every kind is THE shipped ObjectMeta, and the output has no meta/v1 of its own."""
    assert not [file for file in made.files() if "apimachinery" in file]
    for kind, _ in kinds():
        cls = getattr(made.module("/".join(kind.module)), kind.name)
        wanted = metav1.ListMeta if kind.kind.endswith("List") else metav1.ObjectMeta
        assert type(cls().metadata) is wanted, kind


def test_recursive_schemas(made: Package) -> None:
    """JSONSchemaProps holds itself in lists, maps and fields, whose names Python wants for itself."""
    props = made.module("io/k8s/apiextensions_apiserver/pkg/apis/apiextensions/v1").JSONSchemaProps
    value: Json = {"type": "object", "$ref": "a", "$schema": "b", "x-kubernetes-list-map-keys": ["c"]}
    value = {"allOf": [value], "not": value, "properties": {"class": value}, "items": {"anything": [1]}}
    value = {"anyOf": [value, value], "definitions": {"d": {"not": {"not": value}}}}
    model = from_dict(props, value)
    assert to_dict(model) == value
    inner = model.anyOf[0]
    assert (inner.not_._ref, inner.properties["class"]._schema) == ("a", "b")
    assert inner.allOf[0].x_kubernetes_list_map_keys == ["c"]


# --- the same again ----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_order_of_files_changes_nothing() -> None:
    """Backwards, and with the first output as the earlier one, all files are the same."""
    assert generate(definitions(real_documents()[::-1]).kinds) == real_output()
    assert generate(definitions(real_documents()).kinds, real_output().modules.get) == real_output()


@pytest.mark.slow
def test_definitions_and_what_is_published_for_them() -> None:
    """Each provider's definition and the OpenAPI documents of an API server for it give the same models."""
    (core,) = (one for one in real_documents() if Path(one.where).name == "core_v1.json")
    schemas = core.content["components"]["schemas"]
    meta = {name: schema for name, schema in schemas.items() if name.startswith((META, "io.k8s.apimachinery"))}
    for document in real_documents():
        if document.content.get("kind") == "CustomResourceDefinition":
            other = undocumented(output(*published(document.content, meta=meta)))
            assert undocumented(output(document.content)) == other, document.where


@pytest.mark.slow
def test_files_alone_and_together() -> None:
    """What a definition gives doesn't depend on what else is generated."""
    whole = real_output()
    for document in real_documents():
        if document.content.get("kind") == "CustomResourceDefinition":
            alone = generate(definitions([Document(document.where, document.content)]).kinds)
            assert alone.modules.items() <= whole.modules.items()
            assert alone.stubs.items() <= whole.stubs.items()


def test_list_map_keys_of_containers(made: Package) -> None:
    """Ports of containers are merged by containerPort and protocol, as the API server does."""
    container = made.module(CORE).Container
    assert container._by_wire("ports").type.keys == ("containerPort", "protocol")
