"""What documents define: kinds and their versions of CustomResourceDefinitions and of OpenAPI documents."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite._tools.codegen.definitions import Definitions, OpenAPI, definitions
from crossplane_lite._tools.codegen.shapes import ClassRef
from crossplane_lite._tools.manifests.yaml import Document
from crossplane_lite.errors import InputError
from tests.codegen.generated import component, crd, obj, openapi, output, published, thing

Json = dict[str, Any]


def of(*contents: Any) -> Definitions:
    """Return what documents define; their places are `file 1`, `file 2` and so on."""
    return definitions([Document(f"file {number}", content) for number, content in enumerate(contents, 1)])


def failure(content: Any) -> str:
    """Return the one line that says what is wrong with a document."""
    with pytest.raises(InputError) as caught:
        of(content)
    line = str(caught.value)
    assert "\n" not in line
    assert line.startswith("file 1: ")
    return line.removeprefix("file 1: ")


def changed(content: Json, path: str, value: Any = ...) -> Json:
    """Return a document in which something else stands at a path of keys and indexes, or nothing."""
    content = copy.deepcopy(content)
    *above, last = (int(step) if step.isdigit() else step for step in path.split("."))
    place: Any = content
    for step in above:
        place = place[step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return content


BUCKET = crd(
    obj(spec="x"), obj(spec="s"), group="storage.gcp.upbound.io", kind="Bucket", versions=["v1beta1", "v1beta2"]
)


# --- CustomResourceDefinitions -----------------------------------------------------------------------------------


def test_a_definition_has_all_its_versions() -> None:
    """Every version of a CustomResourceDefinition is a kind with its own schema and module."""
    first, second = of(BUCKET).kinds
    assert (first.group, first.version, first.kind, first.name) == (
        "storage.gcp.upbound.io",
        "v1beta1",
        "Bucket",
        "Bucket",
    )
    assert first.api_version == "storage.gcp.upbound.io/v1beta1"
    assert first.module == ("io", "upbound", "gcp", "storage", "bucket", "v1beta1")
    assert second.module == ("io", "upbound", "gcp", "storage", "bucket", "v1beta2")
    assert second.schema == obj(spec="s")
    assert [kind.storage for kind in (first, second)] == [False, True]
    assert first.where == "file 1"


def test_scopes() -> None:
    """A kind's scope is told by its definition, or by the paths of an OpenAPI document; otherwise it isn't known."""
    assert {kind.scope for kind in of(BUCKET).kinds} == {"Namespaced"}
    for scope, known in (("Cluster", "Cluster"), ("a b", ""), (None, ""), ([], "")):
        (kind,) = of(changed(crd(obj(a="s")), "spec.scope", scope)).kinds
        assert kind.scope == known
    document = openapi(**{"io.k8s.api.core.v1.Node": component(obj(spec="x"), "", "v1", "Node")})
    assert [kind.scope for kind in of(document).kinds] == [""]
    operation = {"x-kubernetes-group-version-kind": {"group": "", "version": "v1", "kind": "Node"}}
    document["paths"] = {"/api/v1/nodes/{name}": {"get": operation}}
    assert [kind.scope for kind in of(document).kinds] == ["Cluster"]
    document["paths"] |= {"/api/v1/namespaces/{namespace}/nodes": {"post": operation}}
    assert [kind.scope for kind in of(document).kinds] == ["Namespaced"]


def test_served_and_stored_versions_are_told_apart() -> None:
    """What a version says of itself is kept."""
    content = changed(BUCKET, "spec.versions.0.served", False)
    assert [(kind.served, kind.storage) for kind in of(content).kinds] == [(False, False), (True, True)]


@pytest.mark.parametrize(("word", "value"), [("yes", True), ("On", True), ("n", False), ("OFF", False)])
def test_words_that_are_booleans(word: str, value: bool) -> None:
    """Where a version needs a boolean, the words of YAML 1.1 are taken as Kubernetes reads them."""
    content = changed(changed(BUCKET, "spec.versions.0.served", word), "spec.versions.1.storage", word)
    first, second = of(content).kinds
    assert (first.served, second.storage) == (value, value)


def test_many_documents() -> None:
    """Documents define what they define together, in their order; what defines nothing is listed."""
    found = of(
        thing(a="s"),
        {"apiVersion": "v1", "kind": "ConfigMap"},
        {"apiVersion": "apiextensions.crossplane.io/v1", "kind": "Composition"},
        BUCKET,
        {"a": "b"},
        {"kind": "CustomResourceDefinition", "apiVersion": "other.io/v1"},
    )
    assert [kind.kind for kind in found.kinds] == ["Thing", "Bucket", "Bucket"]
    assert found.others == {
        "file 2": "ConfigMap",
        "file 3": "Composition",
        "file 5": "no kind",
        "file 6": "CustomResourceDefinition",
    }


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        ("apiVersion", "apiextensions.k8s.io/v1beta1", "apiextensions.k8s.io/v1"),
        ("spec", ..., "spec is missing"),
        ("spec", 3, "spec must be an object"),
        ("spec", [], "spec must be an object"),
        ("spec.group", ..., "spec.group is missing"),
        ("spec.group", 3, "spec.group"),
        ("spec.group", "", "spec.group"),
        ("spec.group", "a b", "spec.group"),
        ("spec.names", ..., "spec.names is missing"),
        ("spec.names", "Thing", "spec.names must be an object"),
        ("spec.names.kind", None, "spec.names.kind"),
        ("spec.names.kind", "", "spec.names.kind"),
        ("spec.names.kind", "a\nb", "spec.names.kind"),
        ("spec.versions", ..., "spec.versions is missing"),
        ("spec.versions", {}, "spec.versions"),
        ("spec.versions.1", "v1", "spec.versions[1]"),
        ("spec.versions.1.name", ..., "spec.versions[1]: name is missing"),
        ("spec.versions.1.name", 1, "spec.versions[1]: name"),
        ("spec.versions.1.name", "", "spec.versions[1]: name"),
        ("spec.versions.1.served", ..., "spec.versions[1]: served is missing"),
        ("spec.versions.1.served", "true", "spec.versions[1]: served"),
        ("spec.versions.1.served", "maybe", "spec.versions[1]: served must be true or false"),
        ("spec.versions.1.storage", 1, "spec.versions[1]: storage"),
        ("spec.versions.1.schema", ..., "spec.versions[1]: schema is missing"),
        ("spec.versions.1.schema.openAPIV3Schema", ..., "spec.versions[1]: schema.openAPIV3Schema is missing"),
        ("spec.versions.1.schema.openAPIV3Schema", True, "spec.versions[1]: schema.openAPIV3Schema"),
    ],
)
def test_what_is_no_definition(path: str, value: Any, named: str) -> None:
    """What is missing, or isn't what it should be, is named with the file and its place."""
    assert failure(changed(BUCKET, path, value)).startswith(named) or named in failure(changed(BUCKET, path, value))


@given(
    st.sampled_from(
        [
            *(
                "spec",
                "spec.group",
                "spec.names",
                "spec.names.kind",
                "spec.versions",
                "spec.versions.0",
                "apiVersion",
                "kind",
            ),
            *(f"spec.versions.0.{key}" for key in ("name", "served", "storage", "schema", "schema.openAPIV3Schema")),
        ]
    ),
    st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.lists(st.none()) | st.just({}),
)
def test_any_value_in_a_definition_is_taken_or_named(path: str, value: Any) -> None:
    """Whatever stands somewhere: it is a definition, or none, or an error of one line."""
    try:
        of(changed(BUCKET, path, value))
    except InputError as error:
        assert "\n" not in str(error)
        assert str(error).startswith("file 1: ")


# --- OpenAPI documents -------------------------------------------------------------------------------------------


def native(**kinds: Json) -> Json:
    """Return the document of a group `parts.k8s.io` with these kinds and an object that is none."""
    prefix = "io.k8s.api.parts.v1."
    schemas = {f"{prefix}{kind}": component(schema, "parts.k8s.io", "v1", kind) for kind, schema in kinds.items()}
    return openapi(**{**schemas, f"{prefix}Part": obj(a="s")})


def test_the_kinds_of_an_openapi_document() -> None:
    """Components with one group, version and kind are kinds; they are served, and in the module of their group."""
    (one, two) = of(native(Widget=obj(spec="x"), Gadget=obj(spec="x"))).kinds
    assert (one.group, one.version, one.kind, one.module) == (
        "parts.k8s.io",
        "v1",
        "Widget",
        ("io", "k8s", "api", "parts", "v1"),
    )
    assert (one.served, one.storage) == (True, True)
    assert two.kind == "Gadget"


def test_the_core_group() -> None:
    """The core group has no name."""
    document = openapi(**{"io.k8s.api.core.v1.Pod": component(obj(spec="x"), "", "v1", "Pod")})
    (pod,) = of(document).kinds
    assert (pod.api_version, pod.module) == ("v1", ("io", "k8s", "api", "core", "v1"))


def test_kinds_of_every_group_are_none() -> None:
    """Options, events and the machinery's own types, which belong to many groups, are not what people compose."""
    many = {
        "type": "object",
        "x-kubernetes-group-version-kind": [{"group": g, "kind": "A", "version": "v1"} for g in "ab"],
    }
    machinery = component(obj(a="s"), "", "v1", "Status")
    document = openapi(
        **{"io.k8s.api.x.v1.A": many, "io.k8s.apimachinery.pkg.apis.meta.v1.Status": machinery, "io.k8s.B": obj(a="s")}
    )
    assert of(document).kinds == []


def test_published_definitions_are_in_the_modules_of_the_definitions() -> None:
    """What an API server publishes for a CustomResourceDefinition has the module of the definition, and no list."""
    for document, defined in zip(published(BUCKET, meta={}), of(BUCKET).kinds, strict=True):
        (kind,) = of(document).kinds
        assert (kind.module, kind.name, kind.api_version) == (defined.module, defined.name, defined.api_version)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ({"openapi": "2.0"}, "2.0"),
        ({"swagger": "2.0", "definitions": {}}, "2.0"),
        ({"openapi": None}, "OpenAPI v3"),
        ({"openapi": "3.0.0", "paths": {"api/v1": {"serverRelativeURL": "/openapi/v3/api/v1"}}}, "components"),
        ({"openapi": "3.0.0", "components": 3}, "components must be an object"),
        ({"openapi": "3.0.0", "components": {"schemas": []}}, "components.schemas"),
        (openapi(A="a"), "components.schemas.A"),
        (openapi(A={"x-kubernetes-group-version-kind": [3]}), "components.schemas.A"),
        (openapi(A={"x-kubernetes-group-version-kind": [{"kind": "A", "group": 3, "version": "v1"}]}), "group"),
        (openapi(A={"x-kubernetes-group-version-kind": [{"kind": "A", "group": ""}]}), "version"),
        (openapi(A={"x-kubernetes-group-version-kind": [{"kind": "", "group": "", "version": "v1"}]}), "kind"),
        (openapi(A=component({}, "a", "v1", "A b")), "kind"),
    ],
)
def test_what_is_no_openapi_document(content: Json, named: str) -> None:
    """A document of another version, the index of documents and wrong places are named."""
    assert named in failure(content)


def places(value: Any, path: tuple[str, ...] = ()) -> list[str]:
    """Return the paths of everything in a document."""
    found = [".".join(path)] if path else []
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, below in steps:
        if "." not in str(step):
            found += places(below, (*path, str(step)))
    return found


DOCUMENT = openapi(
    A=component(
        obj(metadata={"allOf": [{"$ref": "#/components/schemas/M"}]}, spec={"$ref": "#/components/schemas/B"}), *"ghA"
    ),
    AList=component(obj(items={"type": "array", "items": {"allOf": [{"$ref": "#/components/schemas/A"}]}}), *"ghL"),
    B={"allOf": [{"$ref": "#/components/schemas/C"}, obj(x="s")], "required": ["x"]},
    C={
        **obj(y={"type": "array", "items": {"$ref": "#/components/schemas/B"}}),
        "additionalProperties": {"type": "string"},
    },
    M=obj(name="s"),
)


@settings(max_examples=300)
@given(
    st.sampled_from(places(DOCUMENT)),
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=3)
    | st.sampled_from([[], {}, [None], [[]], [{}], {"a": 3}]),
)
def test_any_value_in_an_openapi_document_is_taken_or_named(path: str, value: Any) -> None:
    """Whatever stands somewhere in a document: models are made of it, or it is an error of one line."""
    try:
        output(changed(DOCUMENT, path, value))
    except InputError as error:
        assert "\n" not in str(error)


def test_documents_of_any_depth_are_safe() -> None:
    """A component whose items are thousands of levels deep is a kind or a clean error."""
    deep: Json = {"type": "string"}
    for _ in range(5000):
        deep = {"allOf": [deep]}
    items = {"type": "array", "items": {"allOf": [{"type": "object", "additionalProperties": deep}]}}
    document = openapi(**{"org.example.v1.Thing": component(obj(items=items), "example.org", "v1", "Thing")})
    (kind,) = of(document).kinds
    assert kind.kind == "Thing"


def test_references_are_resolved() -> None:
    """A reference names a component: its schema, and its class where it has properties, directly or through others."""
    document = OpenAPI(
        "a file",
        {
            "a.v1.Object": obj(a="s"),
            "a.v1.Alias": {"$ref": "#/components/schemas/a.v1.Object"},
            "a.v1.Wrapped": {"allOf": [{"$ref": "#/components/schemas/a.v1.Alias"}]},
            "a.v1.Text": {"type": "string"},
            "a.v1.One": {"$ref": "#/components/schemas/a.v1.Two"},
            "a.v1.Two": {"$ref": "#/components/schemas/a.v1.One"},
            "a/b~c.Odd": {"type": "integer"},
        },
    )
    refs = {
        name: document.resolve(f"#/components/schemas/a.v1.{name}") for name in "Object Alias Wrapped Text One".split()
    }
    assert {name: found and found[1] for name, found in refs.items()} == {
        "Object": ClassRef(("a", "v1"), "Object"),
        "Alias": ClassRef(("a", "v1"), "Alias"),
        "Wrapped": ClassRef(("a", "v1"), "Wrapped"),
        "Text": None,
        "One": None,
    }
    assert document.resolve("#/components/schemas/a~1b~0c.Odd") == ({"type": "integer"}, None)
    for wrong in ("#/components/schemas/a.v1.Missing", "a.v1.Object", "", "#", "#/definitions/a.v1.Object"):
        assert document.resolve(wrong) is None


def test_a_dangling_reference_is_no_place_to_go() -> None:
    """A component that isn't an object can't be referred to."""
    assert (
        OpenAPI("a file", {"A": "text", "B": {"$ref": "#/components/schemas/A"}}).resolve("#/components/schemas/A")
        is None
    )


def test_references_to_odd_names_are_followed_through_aliases() -> None:
    """A component that only refers to another one is the class that that one is, also where its name is escaped."""
    schemas = {
        "org.a.v1.Alias": {"$ref": "#/components/schemas/org.a.v1.Odd~1Name"},
        "org.a.v1.Odd/Name": {"type": "object", "properties": {"a": {"type": "string"}}},
    }
    document = OpenAPI("a.json", schemas)
    for name in ("org.a.v1.Alias", "org.a.v1.Odd~1Name"):
        found = document.resolve(f"#/components/schemas/{name}")
        assert found is not None
        assert found[1] is not None
    assert document.resolve("#/definitions/org.a.v1.Alias") is None


def test_an_openapi_document_without_schemas() -> None:
    """The document of an API without objects, such as /logs, defines no kind and is counted among the others."""
    found = definitions([Document("logs", {"openapi": "3.0.0", "components": {"securitySchemes": {}}})])
    assert found.kinds == []
    assert found.others == {"logs": "OpenAPI without kinds"}


def test_the_index_of_openapi_documents() -> None:
    """What `kubectl get --raw /openapi/v3` prints is told apart, and the next command is named."""
    paths = {
        path: {"serverRelativeURL": f"/openapi/v3/{path}?hash=A"} for path in ("api/v1", "apis/apps/v1", "version")
    }
    line = failure({"paths": paths})
    assert "this is the index of an API server's OpenAPI documents, not one of them" in line
    assert "`kubectl get --raw /openapi/v3/apis/apps/v1` prints one, and generate --kube-context reads all" in line
    del paths["apis/apps/v1"]
    assert "`kubectl get --raw /openapi/v3/api/v1`" in failure({"paths": paths})


def test_what_installs_a_package() -> None:
    """The packages that documents install are known, by where they are; other documents have none."""
    provider = {
        "apiVersion": "pkg.crossplane.io/v1",
        "kind": "Provider",
        "spec": {"package": "xpkg.example.org/a/b:v1"},
    }
    other = {"apiVersion": "example.org/v1", "kind": "Provider", "spec": {"package": "xpkg.example.org/a/b:v1"}}
    found = definitions([Document("one", provider), Document("two", other)])
    assert found.packages == {"one": "xpkg.example.org/a/b:v1"}
    assert found.others == {"one": "Provider", "two": "Provider"}
