"""Names in Python for names in Kubernetes (design, section 3: field names)."""

from __future__ import annotations

import keyword
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite._core.resources.of_schema import attributes, class_name, identifier
from crossplane_lite._tools.codegen.definitions import group_path, segment
from crossplane_lite.model import Model, Resource
from tests.codegen.strategies import wire_names

OF_RESOURCES = ["observed", "name", "ready", "external_name", "connection_details", "condition"]
texts = st.text(max_size=6)


def usable(name: str) -> bool:
    """Say whether Python takes a name as it is, wherever it stands."""
    return name.isidentifier() and not keyword.iskeyword(name) and unicodedata.normalize("NFKC", name) == name


def attribute(wire: str, *, of_resource: bool = False) -> str:
    """Return the attribute of a field that stands alone."""
    return attributes([wire], of_resource=of_resource)[wire]


@pytest.mark.parametrize("wire", ["location", "forProvider", "vpcId", "_private", "type", "match", "IPv4", "h\u00e9"])
def test_attributes_are_the_wire_names(wire: str) -> None:
    """Where Python takes the wire name it is the attribute, soft keywords included."""
    assert attribute(wire) == wire
    assert attribute(wire, of_resource=True) == wire


@pytest.mark.parametrize("wire", keyword.kwlist)
def test_keywords_get_an_underscore_behind(wire: str) -> None:
    """A keyword can't be an attribute, so it gets a trailing underscore."""
    assert attribute(wire) == f"{wire}_"


@pytest.mark.parametrize(
    ("wire", "name"),
    [
        ("x-kubernetes-validations", "x_kubernetes_validations"),
        ("$ref", "_ref"),
        ("$schema", "_schema"),
        ("3d", "_3d"),
        ("a.b/c", "a_b_c"),
        ("a b", "a_b"),
        ("a:b=c#d%e,f", "a_b_c_d_e_f"),
        ("'\"\\\n", "____"),
        ("\ufb01eld", "field"),
        ("\U0001f600", "_"),
    ],
)
def test_what_python_does_not_take_becomes_an_underscore(wire: str, name: str) -> None:
    """`_` stands for each character that can't be in an identifier, and before a digit at the start."""
    assert attribute(wire).strip("_") == name.strip("_")
    assert usable(attribute(wire))
    if not name.startswith("__"):
        assert attribute(wire) == name


@pytest.mark.parametrize("wire", OF_RESOURCES)
def test_names_of_the_sdk_at_the_top_of_a_kind(wire: str) -> None:
    """What a resource uses itself gets a trailing underscore there, and stays as it is in nested objects."""
    assert attribute(wire, of_resource=True) == f"{wire}_"
    assert attribute(wire) == wire


@pytest.mark.sample(20)
@pytest.mark.parametrize("wire", sorted({*dir(Model), *dir(Resource), "self"}))
def test_no_attribute_hides_what_models_need(wire: str) -> None:
    """A field never gets a name that the base classes use, nor `self`, which a constructor has already."""
    name = attribute(wire, of_resource=True)
    assert name not in {*dir(Model), *dir(Resource), "self"}
    assert usable(name)
    assert not name.startswith("__")


@pytest.mark.parametrize(
    "wires",
    [["x-y", "x.y"], ["x_y", "x-y", "x.y"], ["class", "class_"], ["name", "name_"], ["\ufb01", "fi"], ["-", "--"]],
)
def test_two_wire_names_never_share_an_attribute(wires: list[str]) -> None:
    """Names that would become one are told apart, and the one that can be an attribute as it is stays."""
    for order in (wires, wires[::-1]):
        found = attributes(order, of_resource=True)
        assert len({*found.values()}) == len(wires)
        assert all(found[wire] == wire for wire in ("x_y", "class_", "name_", "fi") if wire in wires)


@pytest.mark.slow
@given(st.lists(wire_names, unique=True, max_size=12), st.booleans())
def test_attributes_of_any_wire_names(wires: list[str], of_resource: bool) -> None:
    """Whatever the wire names are: every one has an attribute of its own that Python and the SDK leave to it."""
    found = attributes(wires, of_resource=of_resource)
    own = {*dir(Model), "self"} | ({*dir(Resource), "apiVersion", "kind"} if of_resource else set())
    assert list(found) == wires
    assert len({*found.values()}) == len(wires)
    for wire, name in found.items():
        assert usable(name)
        assert name not in own
        assert not name.startswith("__")
        if usable(wire) and wire not in own and not wire.startswith("__"):
            assert name == wire


@pytest.mark.parametrize(
    ("group", "path"),
    [
        ("storage.gcp.upbound.io", ("io", "upbound", "gcp", "storage")),
        ("lambda.aws.upbound.io", ("io", "upbound", "aws", "lambda_")),
        ("import.class.example.org", ("org", "example", "class_", "import_")),
        ("my-group.example.org", ("org", "example", "my_group")),
        ("3scale.net", ("net", "_3scale")),
        ("apps", ("apps",)),
    ],
)
def test_groups_are_reversed_packages(group: str, path: tuple[str, ...]) -> None:
    """The parts of a group are packages in reverse, each of them a name that an import statement takes."""
    assert group_path(group) == path


@pytest.mark.parametrize(
    ("text", "name"),
    [("Bucket", "bucket"), ("BucketACL", "bucketacl"), ("Import", "import_"), ("Lambda", "lambda_"), ("v1beta1",) * 2],
)
def test_modules_of_kinds_and_versions(text: str, name: str) -> None:
    """Kinds and versions are modules in lower case."""
    assert segment(text) == name


@given(texts)
def test_any_text_is_a_segment(text: str) -> None:
    """Whatever the text is, the segment is a name that an import statement takes."""
    assert usable(segment(text))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Bucket", "Bucket"),
        ("bucket", "Bucket"),
        ("forProvider", "ForProvider"),
        ("IPv4", "IPv4"),
        ("None", "None_"),
        ("true", "True_"),
        ("import", "Import"),
        ("x-kubernetes-map-type", "XKubernetesMapType"),
        ("snake_case", "SnakeCase"),
        ("$ref", "Ref"),
        ("3d", "_3d"),
    ],
)
def test_class_names(text: str, name: str) -> None:
    """A class has the field's name, each part of it with a capital letter."""
    assert class_name(text) == name


@given(texts | wire_names)
def test_any_text_is_a_class_name(text: str) -> None:
    """Whatever the text is, the class name is one that can be imported."""
    name = class_name(text)
    assert usable(name)
    assert not name.startswith("__")
    assert name[0].upper() == name[0]


def test_letters_as_python_reads_them() -> None:
    """A letter that Python takes for others in a name is these in the attribute, which `getattr` finds then."""
    assert identifier("\ufb01eld") == "field"
    assert identifier("straße") == "straße"
