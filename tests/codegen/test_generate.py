"""From definitions to files: what is chosen, what modules share, and what contradicts itself."""

from __future__ import annotations

import copy
import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossplane_lite._tools.codegen.definitions import Kind, definitions
from crossplane_lite._tools.codegen.generate import Output, difference, generate, select
from crossplane_lite._tools.codegen.schema import read
from crossplane_lite._tools.manifests.xrd import crds_of
from crossplane_lite._tools.manifests.yaml import Document
from crossplane_lite.errors import InputError
from crossplane_lite.model import Resource, from_dict, to_dict
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta import v1 as metav1
from tests.codegen.generated import (
    META,
    SCALARS,
    THING,
    component,
    crd,
    fields,
    merged,
    obj,
    openapi,
    output,
    package,
    published,
    stub_classes,
    table,
    thing,
    undocumented,
)
from tests.codegen.strategies import object_schemas, shuffled

Json = dict[str, Any]
META_FILE = "io/k8s/apimachinery/pkg/apis/meta/v1.py"


def from_table(classes: dict[str, str]) -> Json:
    """Return the components that a table of shipped models stands for."""

    def type_of(text: str) -> Any:
        text, _, keys = text.partition("#")
        if text[0] == "[":
            merged = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys.split(",")} if keys else {}
            return {"type": "array", "items": type_of(text[1:]), **merged}
        if text[0] == "{":
            return {"type": "object", "additionalProperties": type_of(text[1:])}
        if text in SCALARS:
            return SCALARS[text]
        return {"allOf": [{"$ref": f"#/components/schemas/{META}{text}"}], "default": {}}

    return {
        META + name: obj(**{wire: type_of(type_) for wire, (_, type_) in fields(text).items()})
        for name, text in classes.items()
    }


def machinery(**more: Any) -> Json:
    """Return the components of meta/v1 as they are shipped, ObjectMeta with these properties besides."""
    assert metav1.__file__ is not None
    found = from_table(table(Path(metav1.__file__).read_text()))
    found[f"{META}ObjectMeta"]["properties"].update(more)
    return found


def native(
    *kinds: str, meta: Json | None = None, group: str = "", package: str = "core", parts: Json | None = None
) -> Json:
    """Return a document with these kinds, whose only field beside metadata is a Spec that they share."""
    spec = "#/components/schemas/io.k8s.api.core.v1.Spec"
    schemas = {
        f"io.k8s.api.{package}.v1.{kind}": component(
            obj(
                apiVersion="s",
                kind="s",
                metadata={"allOf": [{"$ref": f"#/components/schemas/{META}ObjectMeta"}], "default": {}},
                spec={"allOf": [{"$ref": spec}], "default": {}},
            ),
            group,
            "v1",
            kind,
        )
        for kind in kinds
    }
    return openapi(**{**schemas, "io.k8s.api.core.v1.Spec": obj(a="s"), **(parts or {}), **(meta or machinery())})


def failure(*contents: Json) -> str:
    """Return the one line that says what is wrong with definitions."""
    with pytest.raises(InputError) as caught:
        output(*contents)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- what is chosen ----------------------------------------------------------------------------------------------


def kinds() -> list[Kind]:
    """Return kinds of three groups: a Bucket of three versions, a Network, and a Pod."""
    bucket = crd(obj(), obj(), obj(), group="storage.gcp.upbound.io", kind="Bucket", versions=["v1", "v2", "v3"])
    bucket["spec"]["versions"][0]["served"] = False
    contents = [bucket, crd(obj(), group="compute.gcp.upbound.io", kind="Network"), native("Pod")]
    return definitions([Document(f"file {number}", one) for number, one in enumerate(contents)]).kinds


def chosen(*args: Any) -> list[str]:
    """Return what is chosen, as `Kind/version`."""
    return [f"{kind.kind}/{kind.version}" for kind in select(kinds(), *args)]


def test_versions() -> None:
    """Served versions are the default; `storage` is the one that is stored, `all` those no longer served as well."""
    assert chosen() == chosen("served") == ["Bucket/v2", "Bucket/v3", "Network/v1", "Pod/v1"]
    assert chosen("storage") == ["Bucket/v3", "Network/v1", "Pod/v1"]
    assert chosen("all") == ["Bucket/v1", "Bucket/v2", "Bucket/v3", "Network/v1", "Pod/v1"]


@pytest.mark.parametrize(
    ("only", "found"),
    [
        (["storage.gcp.upbound.io/Bucket"], ["Bucket/v2", "Bucket/v3"]),
        (["*.gcp.upbound.io/*"], ["Bucket/v2", "Bucket/v3", "Network/v1"]),
        (["*/Pod"], ["Pod/v1"]),
        (["core/Pod"], ["Pod/v1"]),
        (["core/*"], ["Pod/v1"]),
        (["/Pod"], ["Pod/v1"]),
        (["*/[BN]*", "core/Pod"], ["Bucket/v2", "Bucket/v3", "Network/v1", "Pod/v1"]),
        (["core/Pod", "*/Pod", "*/Network"], ["Network/v1", "Pod/v1"]),
        (["Storage.GCP.upbound.io/bucket"], ["Bucket/v2", "Bucket/v3"]),
        (["*/NETWORK", "CORE/pod"], ["Network/v1", "Pod/v1"]),
    ],
)
def test_only_some_kinds(only: list[str], found: list[str]) -> None:
    """Patterns of group and kind choose, in any case, in the order of the definitions and each kind once."""
    assert chosen("served", only) == found


@pytest.mark.parametrize(
    "pattern", ["storage.gcp.upbound.io/Buckit", "Bucket", "nothing/*", "", "*/buckit", "core/Bucket"]
)
def test_a_pattern_that_chooses_nothing(pattern: str) -> None:
    """A pattern without a kind is an error that says what there is, also beside one that has some."""
    with pytest.raises(InputError) as caught:
        select(kinds(), "served", ["core/Pod", pattern])
    assert f"--only {pattern} " in str(caught.value)
    assert "\n" not in str(caught.value)
    assert "Bucket" in str(caught.value)


def test_a_pattern_where_there_is_nothing() -> None:
    """Without any kinds the error still names the pattern."""
    with pytest.raises(InputError, match="--only a/B"):
        select([], "served", ["a/B"])


def test_only_what_is_chosen_is_generated() -> None:
    """Modules of other kinds are left out, and what a chosen kind refers to comes along."""
    document = native("Pod", parts={"io.k8s.api.other.v1.Unused": obj(a="s")})
    made = output(document, thing(a="s"), only=["core/Pod"])
    assert [file for file, text in made.modules.items() if text] == ["io/k8s/api/core/v1.py"]
    assert set(table(made.modules["io/k8s/api/core/v1.py"])) == {"Pod", "Spec"}


def test_progress_and_numbers() -> None:
    """`progress` is called with every kind and every module, and the output says how many classes there are."""
    seen: list[tuple[str, str, int, int]] = []
    made = generate(kinds(), progress=lambda *step: seen.append(step))
    named = [f"{kind.kind} {kind.api_version}" for kind in kinds()]
    assert seen[: len(named)] == [("resolving", name, at, len(named)) for at, name in enumerate(named, 1)]
    files = [file.removesuffix(".py") for file, text in made.modules.items() if text]
    assert [of for what, of, _, _ in seen if what == "making"] == files
    assert [seen[-1][2:], len(seen)] == [(len(files), len(files)), len(named) + len(files)]
    assert made.classes == sum(len(table(text)) for text in made.modules.values() if text) == 6


# --- native kinds ------------------------------------------------------------------------------------------------


def test_native_kinds_share_modules(tmp_path: Path) -> None:
    """The kinds of a group and version are in one module, and several documents share the modules of others."""
    made = package(tmp_path, output(native("Deployment", "ReplicaSet", group="apps", package="apps"), native("Pod")))
    apps, core = made.module("io/k8s/api/apps/v1"), made.module("io/k8s/api/core/v1")
    assert apps.__all__ == ["Deployment", "ReplicaSet"]
    assert core.__all__ == ["Pod", "Spec"]
    assert issubclass(apps.Deployment, Resource)
    deployment = apps.Deployment(metadata={"name": "d"}, spec={"a": "b"})
    assert type(deployment.spec) is core.Spec
    assert to_dict(deployment) == {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d"},
        "spec": {"a": "b"},
    }


def test_the_shipped_types_are_used(tmp_path: Path) -> None:
    """A document whose ObjectMeta is the shipped one makes no meta/v1 of its own: the models have the shipped class."""
    made = package(tmp_path, output(native("Pod")))
    assert META_FILE not in made.output.modules
    pod = made.module("io/k8s/api/core/v1").Pod()
    assert type(pod.metadata) is metav1.ObjectMeta
    assert type(pod.metadata.ownerReferences) is type(metav1.ObjectMeta().ownerReferences)


def older(**removed: None) -> Json:
    """Return the components of meta/v1 as older libraries have them: without a field, and with one that is gone."""
    found = machinery(clusterName=SCALARS["s"])
    del found[f"{META}ObjectMeta"]["properties"]["selfLink"]
    for name in removed:
        del found[f"{META}{name}"]
    return found


def test_the_types_of_the_machinery_are_the_shipped_ones(tmp_path: Path) -> None:
    """Where a document has them otherwise, all models have the class that is shipped."""
    documents = [
        native("Pod", meta=older(Condition=None)),
        thing(a="s", m={**obj(b="s"), "x-kubernetes-embedded-resource": True}),
    ]
    for order in (documents, documents[::-1]):
        made = package(tmp_path, output(*order))
        pod, one = made.module("io/k8s/api/core/v1").Pod(), made.module(THING).Thing()
        assert type(pod.metadata) is type(one.metadata) is type(one.m.metadata) is metav1.ObjectMeta
        assert META_FILE not in made.output.modules


def test_one_older_component_refuses_nothing(tmp_path: Path) -> None:
    """Documents of an API server that is built with older libraries go beside those of newer ones, in any order."""
    metrics = component(
        obj(apiVersion="s", kind="s", metadata={"$ref": f"#/components/schemas/{META}ObjectMeta"}), "m.io", "v1", "Use"
    )
    documents = [
        native("Pod"),
        openapi(**{"io.k8s.metrics.v1.Use": metrics, **older()}),
        native("Job", meta=machinery(shard=SCALARS["s"])),
    ]
    texts = {frozenset(output(*order).modules.items()) for order in itertools.permutations(documents)}
    assert len(texts) == 1
    made = package(tmp_path, output(*documents))
    kinds = made.module("io/k8s/api/core/v1").Pod, made.module("io/k8s/metrics/v1").Use
    assert all(type(kind().metadata) is metav1.ObjectMeta for kind in kinds)


def test_what_only_documents_have_of_the_machinery(tmp_path: Path) -> None:
    """A type of the machinery that isn't shipped is made as any other, and refers to those that are."""
    patch = {f"{META}Late": obj(when="s", owner={"$ref": f"#/components/schemas/{META}OwnerReference"})}
    spec = obj(
        late={"$ref": f"#/components/schemas/{META}Late"},
        selector={"$ref": f"#/components/schemas/{META}LabelSelector"},
    )
    document = native("Pod", parts={"io.k8s.api.core.v1.Spec": spec}, meta={**machinery(), **patch})
    made = package(tmp_path, output(document))
    assert set(table(made.output.modules[META_FILE])) == {"Late"}
    pod = made.module("io/k8s/api/core/v1").Pod()
    assert type(pod.spec.late.owner) is metav1.OwnerReference
    assert type(pod.spec.selector) is metav1.LabelSelector


def test_a_kind_that_another_one_holds_is_one_class(tmp_path: Path) -> None:
    """A component that is a kind and a part of another kind is the kind's class in both places."""
    spec = obj(claim={"$ref": "#/components/schemas/io.k8s.api.core.v1.Claim"})
    document = native("Claim", "Pod")
    claim = document["components"]["schemas"]["io.k8s.api.core.v1.Claim"]
    other = native("Set", group="apps", package="apps", parts={"io.k8s.api.core.v1.Claim": copy.deepcopy(claim)})
    other["components"]["schemas"]["io.k8s.api.apps.v1.Set"]["properties"]["spec"] = spec
    unmarked = copy.deepcopy(other)  # a document needn't say that a part of its kinds is a kind elsewhere
    del unmarked["components"]["schemas"]["io.k8s.api.core.v1.Claim"]["x-kubernetes-group-version-kind"]
    for order in [*itertools.permutations([document, other]), *itertools.permutations([document, unmarked])]:
        made = package(tmp_path, output(*order))
        assert table(made.output.modules["io/k8s/api/core/v1.py"])["Claim"].startswith("@v1 ")
        inner = made.module("io/k8s/api/apps/v1").Set(spec={"claim": {"metadata": {"name": "n"}}}).spec.claim
        assert type(inner) is made.module("io/k8s/api/core/v1").Claim


def test_a_kind_that_is_not_chosen_is_still_a_kind() -> None:
    """What a chosen kind holds is made as it would be if it were chosen itself."""
    document = native("Claim", "Pod")
    schemas = document["components"]["schemas"]
    schemas["io.k8s.api.core.v1.Spec"] = obj(claim={"$ref": "#/components/schemas/io.k8s.api.core.v1.Claim"})
    schemas["io.k8s.api.core.v1.Claim"]["properties"]["spec"] = SCALARS["x"]
    whole = table(output(document).modules["io/k8s/api/core/v1.py"])
    assert table(output(document, only=["core/Pod"]).modules["io/k8s/api/core/v1.py"]) == whole


def test_a_published_kind_that_another_one_holds(tmp_path: Path) -> None:
    """A reference to a kind of a CustomResourceDefinition is to the class of its own module."""
    (document,) = published(thing(spec=obj(a="s")), meta={})
    schemas = document["components"]["schemas"]
    for schema in schemas.values():
        schema["properties"]["metadata"] = {"type": "object"}
    ref = {"$ref": "#/components/schemas/org.example.v1.Thing"}
    schemas["org.example.v1.Holder"] = component(
        obj(one=ref, many={"type": "array", "items": ref}), "x", "v1", "Holder"
    )
    for only in ([], ["x/Holder"]):
        made = package(tmp_path, output(document, only=only))
        holder = made.module("org/example/v1").Holder(one={"spec": {"a": "b"}})
        assert type(holder.one) is made.module(THING).Thing
        assert set(made.files()) == {"org/example/v1", THING}


# --- definitions and what is published for them ------------------------------------------------------------------


def odd_bucket() -> Json:
    """Return a definition with all that a definition may hold."""
    item = obj(name="s", port={"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]})
    spec = obj(
        zone={"type": "string", "enum": ["a", "b"], "default": "a", "description": "A zone."},
        manifest={
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        },
        template={**obj(spec=obj(a="s"), zeta="i"), "x-kubernetes-embedded-resource": True},
        rules={
            "type": "array",
            "items": item,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["name"],
        },
        open={**obj(a="s"), "x-kubernetes-preserve-unknown-fields": True},
        labels={"type": "object", "additionalProperties": {"type": "string"}},
        alternatives={**obj(a="s", b="s"), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    )
    top = obj(spec=spec, status=obj(template=obj(b="i")), apiVersion="s", kind="s", metadata={"type": "object"})
    return crd(top, obj(spec=spec), group="storage.gcp.upbound.io", kind="Bucket", versions=["v1beta1", "v1beta2"])


@pytest.mark.parametrize("wrapped", [True, False])
def test_a_definition_and_what_is_published_for_it(wrapped: bool) -> None:
    """The CustomResourceDefinition and the OpenAPI documents of the API server give the same models."""
    definition = odd_bucket()
    documents = list(published(definition, meta=machinery(), wrapped=wrapped))
    assert len(documents) == 2
    one = undocumented(output(definition))
    other = undocumented(output(*documents))
    assert one == other
    assert one.classes == other.classes


@pytest.mark.slow
@settings(max_examples=30)
@given(object_schemas(), st.data())
def test_the_order_of_keys_changes_nothing(schema: Json, data: st.DataObject) -> None:
    """API servers sort the keys of what they serve; a definition in another order gives the same models."""
    assert output(crd(data.draw(shuffled(schema)))) == output(crd(schema))


# --- order -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("each", [30, pytest.param(1, marks=pytest.mark.slow)])
def test_the_order_of_documents_changes_nothing(each: int) -> None:
    """Files may come in any order, with documents that share modules, types and kinds."""
    one, two = native("Pod", "Claim"), native("Claim", "Job", group="", package="core")
    for document, text in ((one, "One."), (two, "Two.")):
        for schema in document["components"]["schemas"].values():
            schema["description"] = text
    documents = [one, two, odd_bucket(), thing(a="s"), native("Deployment", group="apps", package="apps")]
    places = [Document(f"file {number}", document) for number, document in enumerate(documents)]
    made: list[Output] = []
    for order in list(itertools.permutations(places))[::each]:
        found = generate(definitions(order).kinds)
        made.append(found)
        assert found == made[0]
        assert list(found.modules) == list(made[0].modules)


# --- what contradicts itself -------------------------------------------------------------------------------------


def test_the_same_definition_twice() -> None:
    """A definition may occur in several files, also with other descriptions and in another order."""
    again = crd({"properties": {"b": {**SCALARS["i"], "description": "B."}, "a": SCALARS["s"]}, "type": "object"})
    assert output(thing(a="s", b="i"), thing(a="s", b="i")) == output(thing(a="s", b="i"))
    assert output(thing(a="s", b="i"), again).modules == output(thing(a="s", b="i")).modules


def test_two_definitions_of_one_kind() -> None:
    """Two that differ are an error that names the kind, both places and the field."""
    line = failure(thing(spec=obj(a="s", b="s")), thing(spec=obj(a="s", b="i")))
    assert line == (
        "file 2: Thing of example.org/v1 is also defined in file 1, differently at spec.b; give only one of the two"
    )
    whole = crd({**obj(a="s"), "x-kubernetes-preserve-unknown-fields": True})
    assert "differently at its top;" in failure(thing(a="s"), whole)


ONE = obj(a="s")


def differing(one: Any, other: Any) -> str:
    """Return the path of the first difference of two kinds with these fields."""
    shapes: dict[Any, int] = {}
    nodes = [read("file", merged({"type": "object"}, fields), "Thing", shapes, is_kind=True) for fields in (one, other)]
    found = {difference(nodes[0][0], nodes[1][0]), difference(nodes[1][0], nodes[0][0])}
    (path,) = found  # whichever comes first
    return path


@pytest.mark.parametrize(
    ("one", "other", "path"),
    [
        ({"a": "s"}, {"a": "i"}, "a"),
        ({"a": "s"}, {"a": "s", "b": "s"}, "b"),
        ({"a": "s", "z": "i"}, {"b": "s", "z": "s"}, "a"),
        ({"a": ONE, "b": "s"}, {"a": obj(a="s", c="s"), "b": "i"}, "a.c"),
        ({"a": "s"}, {"a": ONE}, "a"),
        ({"a": ONE}, {"a": {"type": "array", "items": ONE}}, "a"),
        ({"a": {"type": "array", "items": ONE}}, {"a": {"type": "array", "items": obj(a="i")}}, "a[].a"),
        ({"a": {"additionalProperties": {"items": ONE}}}, {"a": {"additionalProperties": {"items": obj()}}}, "a"),
        (
            {"a": {"additionalProperties": {"items": ONE}}},
            {"a": {"additionalProperties": {"items": obj(b="s")}}},
            "a{}[].a",
        ),
        ({"a": obj(b=ONE)}, {"a": obj(b={**ONE, "additionalProperties": True})}, "a.b"),
        ({"a": {"type": "string", "enum": ["a"]}}, {"a": {"type": "string", "enum": ["b"]}}, "a"),
        (
            {"a": {"type": "array", "items": ONE}},
            {
                "a": {
                    "type": "array",
                    "items": ONE,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["a"],
                }
            },
            "a",
        ),
    ],
)
def test_the_first_difference_of_two_objects(one: Any, other: Any, path: str) -> None:
    """The path leads as deep as both have the same lists, maps and objects, and is the first in the order of names."""
    assert differing(one, other) == path


@settings(max_examples=40)
@given(object_schemas(), object_schemas())
def test_objects_of_different_shapes_differ_somewhere(one: Json, other: Json) -> None:
    """Two objects differ at a path exactly where their shapes are different."""
    shapes: dict[Any, int] = {}
    (first, *_), (second, *_) = (read("file", schema, "Thing", shapes) for schema in (one, other))
    if first.shape != second.shape:
        top = difference(first, second).replace("[]", "").replace("{}", "").split(".")[0]
        assert top in {*one["properties"], *other["properties"]}
        assert one["properties"].get(top) != other["properties"].get(top)


def xrd(**spec: Any) -> Json:
    """Return the XRD of a composite with these fields."""
    schema = {"openAPIV3Schema": obj(spec=obj(**spec))}
    return {
        "apiVersion": "apiextensions.crossplane.io/v2",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": "things.example.org"},
        "spec": {
            "group": "example.org",
            "names": {"kind": "Thing", "plural": "things"},
            "versions": [{"name": "v1", "served": True, "referenceable": True, "schema": schema}],
        },
    }


def test_an_xrd_and_the_definition_that_crossplane_made_of_it() -> None:
    """Both together are one kind, unless another Crossplane made the definition: then the first difference is named."""
    (made,) = crds_of("file", xrd(a="s"))
    made = copy.deepcopy(made)
    assert output(xrd(a="s"), made) == output(made, xrd(a="s")) == output(xrd(a="s"))
    spec = made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]
    spec["properties"]["crossplane"]["properties"]["resourceRefs"]["items"]["properties"]["more"] = SCALARS["s"]
    line = failure(made, xrd(a="s"))
    assert line == (
        "file 2: Thing of example.org/v1 is also defined in file 1, "
        "differently at spec.crossplane.resourceRefs[].more; give only one of the two"
    )


def test_two_versions_of_kubernetes() -> None:
    """Of a type of Kubernetes that two documents have differently the one with more fields counts, in any order."""
    first = native("Pod", parts={"io.k8s.api.core.v1.Spec": obj(a="s")})
    second = native("Pod", "Job", parts={"io.k8s.api.core.v1.Spec": obj(a="s", b="s")})
    second["components"]["schemas"]["io.k8s.api.core.v1.Pod"]["properties"]["status"] = obj(c="s")
    found = [output(*order) for order in ((first, second), (second, first))]
    assert found[0].modules == found[1].modules == output(second).modules
    (spec, pod) = sorted(found[0].preferred)[1], sorted(found[0].preferred)[0]
    assert pod == "Pod of v1 is taken from file 2, not from file 1: they differ at status"
    assert spec == "io.k8s.api.core.v1.Spec is taken from file 2, not from file 1: they differ at b"


def test_two_components_of_one_name() -> None:
    """Two that differ and are not of Kubernetes itself are an error that names both places and the field."""

    def document(type_: str) -> Json:
        ref = {"$ref": "#/components/schemas/org.a.v1.Part"}
        kind = component(obj(apiVersion="s", kind="s", spec=ref), "a.org", "v1", f"Thing{type_}")
        return openapi(**{f"org.a.v1.Thing{type_}": kind, "org.a.v1.Part": obj(a=type_)})

    line = failure(document("s"), document("i"))
    assert all(part in line for part in ("file 1", "file 2", "org.a.v1.Part", "differently at a;"))


def test_two_kinds_of_one_module() -> None:
    """Kinds whose names differ by case alone would be one class of one module: an error names both."""
    line = failure(crd(obj(a="s"), kind="Thing"), crd(obj(a="s"), kind="thing"))
    assert all(part in line for part in ("file 1", "file 2", "Thing", "thing"))


def test_deep_values_go_through_recursive_models(tmp_path: Path) -> None:
    """A recursive model holds as many levels as there are."""
    again = {"$ref": "#/components/schemas/io.k8s.api.core.v1.Spec"}
    document = native("Pod", parts={"io.k8s.api.core.v1.Spec": obj(again=again)})
    pod = package(tmp_path, output(document)).module("io/k8s/api/core/v1").Pod
    value: Json = {}
    for _ in range(2000):
        value = {"again": value}
    model = from_dict(pod, {"spec": value})
    found = to_dict(model)["spec"]
    depth = 0
    while found:
        found = found["again"]
        depth += 1
    assert depth == 2000


def test_stubs_name_the_types_of_other_modules() -> None:
    """In the stub of apps/v1 the types of core/v1 and of the shipped meta/v1 are imported."""
    made = output(native("Deployment", group="apps", package="apps"))
    text = made.stubs["io/k8s/api/apps/v1.pyi"]
    assert "from ..core import v1 as corev1" in text
    assert "from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta import v1 as metav1" in text
    assert set(stub_classes(text)) == {"Deployment"}
