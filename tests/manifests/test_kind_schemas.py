"""Schemas are found and inlined as Crossplane does it, whether a server's document or a definition has them."""

from __future__ import annotations

import copy
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite._tools.manifests import kind_schemas as module
from crossplane_lite._tools.manifests.api_versions import ApiVersionError
from crossplane_lite._tools.manifests.kind_schemas import Schemas
from crossplane_lite.errors import InputError
from tests.codegen.generated import component, crd, needs_data, obj, openapi, published, real_documents, thing
from tests.models.tables import DATA, ROOT

Json = dict[str, Any]

GROUP, VERSION, KIND = THING = "example.org", "v1", "Thing"
API_VERSION = "example.org/v1"


def ref(name: str) -> Json:
    """Return a reference to a component."""
    return {"$ref": f"#/components/schemas/{name}"}


def found(schema: Any, **components: Any) -> Any:
    """Return what is found of a Thing with this schema, in a document with these components as well."""
    schemas = Schemas()
    schemas.add_openapi(openapi(Thing=component(schema, *THING), **components), "file")
    schema = schemas.find(API_VERSION, KIND)
    assert schema is not None
    marks = schema.pop("x-kubernetes-group-version-kind")
    assert marks == [{"group": GROUP, "version": VERSION, "kind": KIND}]
    return schema


# --- Inlining ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrapped", [False, True])
def test_references_are_inlined(wrapped: bool) -> None:
    """A reference is replaced in properties, additional properties and items; what stands beside it goes."""
    to_part: Json = {"allOf": [ref("Part")]} if wrapped else ref("Part")
    to_part = {**to_part, "description": "mine", "default": {}}
    schema = obj(
        a=to_part, b={"type": "array", "items": to_part}, c={"type": "object", "additionalProperties": to_part}
    )
    part = {**obj(x="s"), "description": "its own"}
    before = copy.deepcopy(part)
    assert found(schema, Part=part) == obj(
        a=part, b={"type": "array", "items": part}, c={"type": "object", "additionalProperties": part}
    )
    assert part == before


def test_references_in_references() -> None:
    """What a reference means can have references itself, or be one."""
    parts = {"A": obj(b=ref("B")), "B": ref("C"), "C": {"allOf": [{"allOf": [{}, ref("D")]}]}, "D": obj(x="i")}
    assert found(obj(a=ref("A")), **parts) == obj(a=obj(b=obj(x="i")))


def test_cycles() -> None:
    """A reference to what it lies in is any object; the same component twice side by side is no cycle."""
    parts = {"A": obj(b=ref("B"), again=ref("B")), "B": obj(a=ref("A"), top=ref("Thing"), x="s")}
    inner = obj(a={"type": "object"}, top={"type": "object"}, x="s")
    assert found(obj(a=ref("A")), **parts) == obj(a=obj(b=inner, again=inner))
    assert found(obj(a=ref("A")), A=ref("B"), B=ref("A")) == obj(a={"type": "object"})


def test_names_that_are_escaped() -> None:
    """A reference is a pointer in JSON, in which `/` and `~` of a name are escaped."""
    assert found(obj(a=ref("x~1y~0z")), **{"x/y~z": obj(x="s")}) == obj(a=obj(x="s"))


def test_references_elsewhere_stay() -> None:
    """References in `oneOf`, `anyOf` and `not` aren't followed, for Crossplane doesn't follow them."""
    schema = {**obj(a="s"), "oneOf": [ref("A")], "anyOf": [ref("A")], "not": ref("A")}
    assert found(schema) == schema


@pytest.mark.parametrize("to", ["#/components/schemas/Gone", "other.json#/A", "", "#/components/schemas/Three"])
def test_references_that_lead_nowhere(to: str) -> None:
    """A reference to what the document doesn't have is an error that names both."""
    with pytest.raises(InputError, match=r"^file: components.schemas.Thing: a schema refers to "):
        found(obj(a={"$ref": to}), Three=3)


@pytest.mark.slow
def test_depth() -> None:
    """However deep a chain of references goes, it is inlined."""
    parts = {f"C{number}": obj(a=ref(f"C{number + 1}")) for number in range(5000)}
    schema = found(obj(a=ref("C0")), **parts, C5000=obj(x="s"))
    for _ in range(5001):
        schema = schema["properties"]["a"]
    assert schema == obj(x="s")


def test_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Components that refer to each other a thousand million times are refused."""
    monkeypatch.setattr(module, "_MOST_PARTS", 10_000)
    parts = {f"C{number}": obj(a=ref(f"C{number + 1}"), b=ref(f"C{number + 1}")) for number in range(30)}
    with pytest.raises(InputError, match="the schema of example.org/v1 Thing has more than 10,000 parts"):
        found(obj(a=ref("C0")), **parts, C30=obj(x="s"))


VALUES: list[Any] = [None, 3, True, "x", [], {}, [3], [{}], {"a": 3}]


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("key", ["properties", "items", "additionalProperties", "allOf", "$ref", "type"])
def test_schemas_of_wrong_types(key: str, value: Any) -> None:
    """Whatever stands in a schema, it is passed on, or the error is one of input."""
    try:
        found(obj(a={key: value}))
    except InputError as e:
        assert str(e).startswith("file: ")


names = st.sampled_from("ABC")
schemas_ = st.recursive(
    st.one_of(st.just({"type": "string"}), st.builds(ref, names), st.booleans(), st.none()),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(names, inner, max_size=3),
            "items": inner,
            "additionalProperties": inner,
            "allOf": st.lists(inner, max_size=2),
            "description": st.just("text"),
        },
    ),
    max_leaves=10,
)


def slow(schema: Any, components: Mapping[str, Any], outer: tuple[str, ...]) -> Any:
    """Inline by recursion, as the rules are written down."""

    def ref_of(one: Any) -> str | None:
        if not isinstance(one, dict):
            return None
        if "$ref" in one:
            return str(one["$ref"])
        return next((ref for member in one.get("allOf", ()) if (ref := ref_of(member))), None)

    to = ref_of(schema)
    if to is not None:
        name = to.rpartition("/")[2]
        return {"type": "object"} if name in outer else slow(components[name], components, (*outer, name))
    if not isinstance(schema, dict):
        return schema
    made = dict(schema)
    for key in ("items", "additionalProperties"):
        if key in made:
            made[key] = slow(made[key], components, outer)
    if "properties" in made:
        made["properties"] = {key: slow(value, components, outer) for key, value in made["properties"].items()}
    return made


@pytest.mark.slow
@given(st.fixed_dictionaries({name: schemas_.filter(lambda one: isinstance(one, dict)) for name in "ABC"}))
@settings(max_examples=200, deadline=None)
def test_any_components(components: Json) -> None:
    """What comes of any components is what the rules say, and the document stays as it was."""
    before = copy.deepcopy(components)
    assert found(obj(a=ref("A")), **components) == obj(a=slow(ref("A"), components, ("Thing",)))
    assert components == before


# --- Finding -----------------------------------------------------------------------------------------------------


def test_the_component_of_a_kind() -> None:
    """Of components with the same mark none but those with one mark count; other versions and groups are others."""
    schemas = Schemas()
    mark = {"group": GROUP, "version": VERSION, "kind": KIND}
    schemas.add_openapi(
        openapi(
            Options={**obj(a="s"), "x-kubernetes-group-version-kind": [mark, {**mark, "group": "other.org"}]},
            Odd={**obj(b="s"), "x-kubernetes-group-version-kind": mark},
            Thing=component(obj(c="s"), *THING),
            Old=component(obj(d="s"), GROUP, "v1alpha1", KIND),
            Pod=component(obj(e="s"), "", "v1", "Pod"),
            Three=3,
        ),
        "file",
    )

    def fields(api_version: str, kind: str) -> list[str] | None:
        schema = schemas.find(api_version, kind)
        return None if schema is None else list(schema["properties"])

    assert fields(API_VERSION, KIND) == ["c"]
    assert fields("example.org/v1alpha1", KIND) == ["d"]
    assert fields("v1", "Pod") == ["e"]
    assert schemas.where("v1", "Pod") == "file: components.schemas.Pod"
    assert schemas.kinds() == [(API_VERSION, KIND), ("example.org/v1alpha1", KIND), ("v1", "Pod")]
    for api_version, kind in [
        (API_VERSION, "thing"),
        ("other.org/v1", KIND),
        ("v1", KIND),
        ("/v1", KIND),
        ("", ""),
        ("example.org/", KIND),
    ]:
        assert schemas.find(api_version, kind) is None
        assert schemas.scope(api_version, kind) is None
        assert schemas.where(api_version, kind) is None


def test_what_is_no_api_version() -> None:
    """An apiVersion of three parts is refused, as Crossplane refuses it."""
    with pytest.raises(ApiVersionError, match="cannot parse apiVersion 'a/b/c'"):
        Schemas().find("a/b/c", "A")


def test_schemas_are_kept() -> None:
    """A kind is inlined once; what is added later counts all the same."""
    schemas = Schemas()
    assert schemas.find(API_VERSION, KIND) is None
    schemas.add_crd(thing(a="s"), "first")
    first = schemas.find(API_VERSION, KIND)
    assert schemas.find(API_VERSION, KIND) is first
    schemas.add_crd(thing(b="s"), "second")
    assert schemas.find(API_VERSION, KIND) == first
    assert schemas.where(API_VERSION, KIND) == "first"


def paths(**operations: Any) -> Json:
    """Return a document with Thing that has these paths."""
    return {**openapi(Thing=component(obj(a="s"), *THING)), "paths": operations}


def operation(mark: Any = ...) -> Json:
    """Return a path that is for Things."""
    given = {"group": GROUP, "version": VERSION, "kind": KIND} if mark is ... else mark
    return {"get": {"x-kubernetes-group-version-kind": given}}


@pytest.mark.parametrize(
    ("document", "scope"),
    [
        (paths(**{"/apis/example.org/v1/things": operation()}), "Cluster"),
        (
            paths(
                **{
                    "/apis/example.org/v1/namespaces/{namespace}/things": operation(),
                    "/apis/example.org/v1/things": operation(),
                }
            ),
            "Namespaced",
        ),
        (paths(**{"/api/v1/namespaces/{name}": operation()}), "Cluster"),
        (paths(), None),
        (paths(a=3, b={"get": 3}, c=operation(3), d=operation({"kind": 3})), None),
        ({**paths(), "paths": 3}, None),
    ],
)
def test_scopes_of_documents(document: Json, scope: str | None) -> None:
    """A document tells by its paths whether a kind is namespaced."""
    schemas = Schemas()
    schemas.add_openapi(document, "file")
    assert schemas.scope(API_VERSION, KIND) == scope


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({}, "only OpenAPI v3 documents"),
        ({"swagger": "2.0"}, "'2.0'"),
        ({"openapi": 3}, "only OpenAPI v3 documents"),
        ({"openapi": "3.0.0", "paths": {}}, "no components.schemas"),
        ({"openapi": "3.0.0", "components": 3}, "no components.schemas"),
        ({"openapi": "3.0.0", "components": {"schemas": []}}, "no components.schemas"),
    ],
)
def test_what_is_no_document(content: Json, problem: str) -> None:
    """What isn't an OpenAPI v3 document is refused with its place."""
    with pytest.raises(InputError, match=f"^file: .*{problem}"):
        Schemas().add_openapi(content, "file")


# --- Definitions -------------------------------------------------------------------------------------------------


def of_crd(content: Json) -> Schemas:
    """Return the schemas of a definition."""
    schemas = Schemas()
    schemas.add_crd(content, "file")
    return schemas


def bare(value: Any) -> Any:
    """Return a schema without descriptions, its sets in order."""
    if isinstance(value, list):
        return [bare(one) for one in value]
    if not isinstance(value, dict):
        return value
    made = {k: bare(v) for k, v in value.items() if not (k == "description" and isinstance(v, str))}
    if isinstance(made.get("required"), list):
        made["required"] = sorted(made["required"])
    return made


def machinery() -> Json:
    """Return the components of a real server that every document has."""
    document = json.loads((DATA / "openapi" / "apps_v1.json").read_text())
    schemas: Json = document["components"]["schemas"]
    return {name: schema for name, schema in schemas.items() if name.startswith("io.k8s.apimachinery.")}


def assert_as_published(definition: Json) -> None:
    """Check that both ways to the schemas of a definition give the same."""
    spec = definition["spec"]
    schemas = of_crd(definition)
    for number, document in enumerate(published(definition, meta=machinery())):
        version = spec["versions"][number]
        api_version = f"{spec['group']}/{version['name']}"
        server = Schemas()
        server.add_openapi(document, "server")
        expected = server.find(api_version, spec["names"]["kind"]) if version["served"] else None
        assert bare(schemas.find(api_version, spec["names"]["kind"])) == bare(expected)


@pytest.mark.slow
@needs_data
def test_real_definitions_are_as_published() -> None:
    """The schema of a real definition is the one that a server's document gives for it."""
    crds = [content for _, content in real_documents() if content.get("kind") == "CustomResourceDefinition"]
    assert len(crds) > 10
    for content in crds:
        assert_as_published(content)


@needs_data
def test_embedded_resources_are_as_published() -> None:
    """An embedded resource has what every object has, and needs its type."""
    embedded = {**obj(spec="x", metadata={"type": "object"}), "x-kubernetes-embedded-resource": True}
    content = thing(a=embedded, b={"type": "array", "items": {"x-kubernetes-embedded-resource": True}})
    assert_as_published(content)
    schema = of_crd(content).find(API_VERSION, KIND)
    assert schema is not None
    assert schema["properties"]["a"]["required"] == ["kind", "apiVersion"]
    assert "labels" in schema["properties"]["a"]["properties"]["metadata"]["properties"]


EITHER = {"anyOf": [{"type": "integer"}, {"type": "string"}]}


@pytest.mark.parametrize(
    ("given", "more"),
    [
        ({}, EITHER),
        ({"anyOf": [{"maximum": 3}]}, {"allOf": [EITHER]}),
        ({"anyOf": [{"maximum": 3}], "allOf": [{"minimum": 1}]}, {"allOf": [EITHER, {"minimum": 1}]}),
        (EITHER, {}),
        ({"allOf": [EITHER]}, {}),
    ],
)
def test_integers_or_strings(given: Json, more: Json) -> None:
    """A server spells out what is an integer or a string, unless the definition does."""
    field = {"x-kubernetes-int-or-string": True, **given}
    schema = of_crd(crd(merged_in(field))).find(API_VERSION, KIND)
    assert schema is not None
    assert schema["properties"]["a"] == {**field, **more}


def merged_in(field: Json) -> Json:
    """Return the schema of an object with this field."""
    return {"type": "object", "properties": {"a": field}}


def test_a_version_that_is_not_served() -> None:
    """A version that the server doesn't serve has no schema, as it is in no document."""
    content = crd(obj(a="s"), obj(b="s"))
    content["spec"]["versions"][0]["served"] = False
    schemas = of_crd(content)
    assert schemas.find("example.org/v1", KIND) is None
    assert schemas.find("example.org/v2", KIND) is not None
    assert schemas.kinds() == [("example.org/v2", KIND)]


def test_versions_of_definitions(tmp_path: Path) -> None:
    """The versions of a kind are those of all definitions, served or not; documents of one version don't count."""
    content = crd(obj(a="s"), obj(b="s"))
    content["spec"]["versions"][0]["served"] = False
    schemas = of_crd(content)
    schemas.add_crd(crd(obj(), versions=["v3"]), "other.yaml")
    schemas.add_crd(crd(obj(), kind="Part"), "part.yaml")
    schemas.add_openapi(openapi(Pod=component(obj(), GROUP, "v4", KIND)), "file")
    assert schemas.versions(GROUP, KIND) == {"file": {"v1": False, "v2": True}, "other.yaml": {"v3": True}}
    assert schemas.versions(GROUP, "Pod") == schemas.versions("", "Pod") == {}
    assert schemas.kinds_of(GROUP) == ["Part", KIND]
    assert schemas.kinds_of("other.org") == []


def test_versions_in_files(tmp_path: Path) -> None:
    """Only files that have the words of the group and the kind are parsed for the versions of a kind."""
    put(tmp_path / "b.yaml", thing(a="s"))
    (tmp_path / "a.yaml").write_text("kind: CustomResourceDefinition\ngroup: example.org\n}{")
    schemas = Schemas([tmp_path])
    assert schemas.versions(GROUP, KIND) == {
        f"{tmp_path}/b.yaml, document 1 (line 1), things.example.org": {"v1": True}
    }
    with pytest.raises(InputError, match=f"^{tmp_path}/a.yaml"):
        schemas.kinds_of(GROUP)


def test_a_version_that_another_file_serves(tmp_path: Path) -> None:
    """A definition that serves the version counts, though another one comes first."""
    content = thing(a="s")
    content["spec"]["versions"][0]["served"] = False
    put(tmp_path / "a.yaml", content)
    put(tmp_path / "b.yaml", content, thing(b="s"))
    assert "b" in (Schemas([tmp_path]).find(API_VERSION, KIND) or {})["properties"]
    assert "b" in (Schemas([tmp_path / "b.yaml"]).find(API_VERSION, KIND) or {})["properties"]


def test_definitions_are_not_changed() -> None:
    """The definition stays as it was."""
    content = thing(a={"x-kubernetes-int-or-string": True}, b={"x-kubernetes-embedded-resource": True})
    before = copy.deepcopy(content)
    of_crd(content).find(API_VERSION, KIND)
    assert content == before


def xrd(**spec: Any) -> Json:
    """Return the definition of a composite."""
    schema = obj(spec=obj(size="i"), status=obj(id="s"))
    version = {"name": "v1", "served": True, "referenceable": True, "schema": {"openAPIV3Schema": schema}}
    names = {"kind": "XThing", "plural": "xthings"}
    return {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": "xthings.example.org"},
        "spec": {"group": GROUP, "names": names, "versions": [version], **spec},
    }


def test_composites_and_claims() -> None:
    """The definition of a composite gives its schema and the claim's, with Crossplane's fields and scopes."""
    schemas = of_crd(xrd(claimNames={"kind": "Thing", "plural": "things"}))
    assert schemas.kinds() == [(API_VERSION, "Thing"), (API_VERSION, "XThing")]
    assert (schemas.scope(API_VERSION, "XThing"), schemas.scope(API_VERSION, "Thing")) == ("Cluster", "Namespaced")
    schema = schemas.find(API_VERSION, "XThing")
    assert schema is not None
    assert {"size", "resourceRefs"} <= set(schema["properties"]["spec"]["properties"])
    assert "name" in schema["properties"]["metadata"]["properties"]
    modern = of_crd({**xrd(), "apiVersion": "apiextensions.crossplane.io/v2"})
    assert modern.scope(API_VERSION, "XThing") == "Namespaced"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({}, "file is neither"),
        (thing(a="s") | {"kind": "Thing"}, "file is neither"),
        (thing(a="s") | {"apiVersion": "apiextensions.k8s.io/v1beta1"}, "file: only CustomResourceDefinitions of"),
        (thing(a="s") | {"spec": 3}, "file: spec must be an object"),
        (xrd() | {"spec": 3}, "file: spec must be"),
        (xrd() | {"apiVersion": "apiextensions.crossplane.io/v3"}, "file: apiVersion must be"),
    ],
)
def test_what_is_no_definition(content: Json, problem: str) -> None:
    """What isn't a definition is refused with its place."""
    with pytest.raises(InputError, match=f"^{problem}"):
        of_crd(content)


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize(
    "path",
    [
        *("spec.scope", "spec.versions.0.schema", "spec.versions.0.schema.openAPIV3Schema"),
        *(f"spec.versions.0.schema.openAPIV3Schema.{key}" for key in ("properties", "required", "anyOf", "allOf")),
        "spec.versions.0.schema.openAPIV3Schema.properties.a",
    ],
)
def test_definitions_of_wrong_types(path: str, value: Any) -> None:
    """Whatever stands in a definition, a schema comes of it or an error of input."""
    mark = {"x-kubernetes-embedded-resource": True, "x-kubernetes-int-or-string": True, "anyOf": [{}]}
    content = crd({**obj(a=obj(b="s")), **mark})
    *above, last = path.split(".")
    place: Any = content
    for step in above:
        place = place[int(step) if step.isdigit() else step]
    place[last] = value
    try:
        of_crd(content).find(API_VERSION, KIND)
    except InputError as e:
        assert str(e).startswith("file: ")


# --- Files -------------------------------------------------------------------------------------------------------


def put(path: Path, *contents: Json) -> Path:
    """Write documents as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(content) for content in contents))
    return path


def test_files(tmp_path: Path) -> None:
    """Files and folders are read, with folders in them; the first file that defines a kind counts."""
    file = put(tmp_path / "one.yaml", thing(a="s"), {"kind": "Composition"})
    put(tmp_path / "folder" / "a.yaml", thing(b="s"))
    put(tmp_path / "folder" / "in" / "b.json", openapi(Other=component(obj(c="s"), GROUP, VERSION, "Other")))
    put(tmp_path / "folder" / "in" / "x.yaml", xrd())
    put(tmp_path / "folder" / "in" / "c.json", openapi(Other=component(obj(d="s"), GROUP, VERSION, "Other")))
    schemas = Schemas([file, str(tmp_path / "folder")])
    assert "a" in (schemas.find(API_VERSION, KIND) or {})["properties"]
    assert "c" in (schemas.find(API_VERSION, "Other") or {})["properties"]
    assert schemas.scope(API_VERSION, "XThing") == "Cluster"
    assert schemas.where(API_VERSION, KIND) == f"{file}, document 1 (line 1), things.example.org"
    assert schemas.kinds() == [(API_VERSION, name) for name in ("Other", "Thing", "XThing")]
    assert schemas.find(API_VERSION, "Nothing") is None


def test_a_missing_file(tmp_path: Path) -> None:
    """A path that isn't there is told at once."""
    with pytest.raises(InputError, match=f"^there is no file or folder {tmp_path}/x$"):
        Schemas([tmp_path / "x"])


def test_a_file_that_is_not_needed(tmp_path: Path) -> None:
    """A file in which the kind doesn't stand isn't parsed, so what is wrong with it doesn't matter."""
    put(tmp_path / "b.yaml", thing(a="s"))
    (tmp_path / "a.yaml").write_text("kind: CustomResourceDefinition\n}{")
    schemas = Schemas([tmp_path])
    assert schemas.find(API_VERSION, KIND) is not None
    assert schemas.find(API_VERSION, "Other") is None
    with pytest.raises(InputError, match=f"^{tmp_path}/a.yaml"):
        schemas.kinds()


def test_files_that_are_no_definitions(tmp_path: Path) -> None:
    """In a folder, files that can't be read, patches and old definitions are passed over, and told; a file isn't."""
    put(tmp_path / "b.yaml", thing(a="s"))
    patch = thing(a="s")
    del patch["spec"]["versions"]
    put(tmp_path / "patch.yaml", patch)
    put(tmp_path / "old.yaml", {**thing(a="s"), "apiVersion": "apiextensions.k8s.io/v1beta1"})
    (tmp_path / "a.yaml").write_text("}{")
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("name: chart\n")
    (tmp_path / "templates" / "crd.yaml").write_text("{{ if .Values.crds }}\nkind: CustomResourceDefinition\n")
    schemas = Schemas([tmp_path])
    assert schemas.kinds() == [(API_VERSION, KIND)]
    files = [reason.removeprefix(f"{tmp_path}/").split(",")[0] for reason in schemas.passed_over()]
    assert sorted(files) == ["a.yaml", "old.yaml", "patch.yaml", "templates/crd.yaml"]
    for name in ("a.yaml", "patch.yaml", "old.yaml"):
        with pytest.raises(InputError, match=f"^{tmp_path}/{name}"):
            Schemas([tmp_path / name]).kinds()


def test_nothing_is_read_without_a_question(tmp_path: Path) -> None:
    """Files are opened only when a kind is asked for."""
    fifo = tmp_path / "a.yaml"
    os.mkfifo(fifo)  # opening it would wait for ever
    Schemas([fifo])


def test_nothing_is_loaded_without_a_question(tmp_path: Path) -> None:
    """What reads YAML, and what knows definitions, is imported only when a kind is asked for."""
    put(tmp_path / "a.json", thing(a="s"))
    code = (
        "import sys\n"
        "from crossplane_lite._tools.manifests.kind_schemas import Schemas\n"
        f"Schemas([{str(tmp_path / 'a.json')!r}])\n"
        "unwanted = {'yaml', 'tarfile', 'crossplane_lite._tools.manifests.sources', 'crossplane_lite._tools.codegen'}\n"
        "assert not unwanted & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_a_file_that_is_called_like_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file `-` is a file."""
    put(tmp_path / "-", thing(a="s"))
    monkeypatch.chdir(tmp_path)
    assert Schemas(["-"]).find(API_VERSION, KIND) is not None


@pytest.mark.parametrize("text", ["Th\\u0069ng", "\\x54hing", "\\U00000054hing"])
def test_a_name_that_is_escaped(tmp_path: Path, text: str) -> None:
    """A kind whose name is written with escapes is found all the same."""
    (tmp_path / "a.yaml").write_text(json.dumps(thing(a="s")).replace('"Thing"', f'"{text}"'))
    assert Schemas([tmp_path]).find(API_VERSION, KIND) is not None


def test_a_file_that_is_not_plain_text(tmp_path: Path) -> None:
    """A file that can't be searched for words is read, and what it is comes to light."""
    (tmp_path / "a.yaml").write_bytes(gzip.compress(b"a: b\0"))
    with pytest.raises(InputError, match=f"^{tmp_path}/a.yaml"):
        Schemas([tmp_path]).find(API_VERSION, KIND)


def test_text_that_is_not_english(tmp_path: Path) -> None:
    """A file that begins with other letters than those of ASCII is read like any other."""
    (tmp_path / "a.yaml").write_text("# Größe\n" + json.dumps(thing(a="s")))
    assert Schemas([tmp_path]).find(API_VERSION, KIND) is not None


@pytest.mark.slow
@needs_data
def test_real_files() -> None:
    """Kinds of real definitions and documents are found with their scopes, however deep they are."""
    schemas = Schemas([DATA / "crds", DATA / "openapi"])
    for api_version, kind, scope in [
        ("v1", "Pod", "Namespaced"),
        ("v1", "Namespace", "Cluster"),
        ("apps/v1", "Deployment", "Namespaced"),
        ("apiextensions.k8s.io/v1", "CustomResourceDefinition", "Cluster"),
        ("appmesh.aws.upbound.io/v1beta2", "VirtualNode", "Cluster"),
        ("s3.aws.m.upbound.io/v1beta1", "Bucket", "Namespaced"),
    ]:
        schema = schemas.find(api_version, kind)
        assert schema is not None
        assert "labels" in schema["properties"]["metadata"]["properties"]
        assert '"$ref": "' not in json.dumps(schema)
        assert schemas.scope(api_version, kind) == scope
    assert schemas.find("v1", "DeleteOptions") is None
    validation = (schemas.find("apiextensions.k8s.io/v1", "CustomResourceDefinition") or {})["properties"]["spec"]
    version = validation["properties"]["versions"]["items"]["properties"]["schema"]
    assert version["properties"]["openAPIV3Schema"]["properties"]["not"] == {"type": "object"}


@pytest.mark.slow
@needs_data
def test_a_thousand_definitions(tmp_path: Path) -> None:
    """Of a thousand definitions only the one that is meant is parsed, which saves nearly all of the time."""
    text = (DATA / "crds" / "s3.aws.upbound.io_buckets.yaml").read_text()
    for number in range(1000):
        (tmp_path / f"{number}.yaml").write_text(text.replace("Bucket\n", f"Bucket{number:04}\n"))
    schemas = Schemas([tmp_path])
    assert schemas.find("s3.aws.upbound.io/v1beta1", "Bucket0500") is not None
    assert sum(file._kinds is not None for file in schemas._sources) == 1
