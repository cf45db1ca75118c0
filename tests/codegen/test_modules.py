"""Modules of models as text: tables that give the classes that the schema calls for, and references between modules."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossplane_lite.errors import InputError
from crossplane_lite.model import Model, Resource, from_dict, to_dict
from crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta import v1 as metav1
from tests.codegen.generated import (
    THING,
    Classes,
    component,
    crd,
    merged,
    obj,
    openapi,
    output,
    package,
    published,
    table,
    thing,
)
from tests.codegen.strategies import wire_names
from tests.models.tables import ROOT

Json = dict[str, Any]
REF = "#/components/schemas/"


def ref(name: str) -> Json:
    """Return a reference to a component."""
    return {"$ref": f"{REF}{name}"}


def kind_with(**components: Any) -> Json:
    """Return a document whose kind has a field `r0`, `r1`, ... for each component."""
    fields = {f"r{number}": ref(name) for number, name in enumerate(components)}
    return openapi(**{"example.v1.Thing": component(merged({}, fields), "example.org", "v1", "Thing")}, **components)


# --- the table ---------------------------------------------------------------------------------------------------


def test_a_module_is_a_table_and_nothing_else() -> None:
    """A module imports `load` alone, and holds one string for each class."""
    source = output(thing(spec=obj(a="s"), value="i")).modules[f"{THING}.py"]
    body = ast.parse(source).body
    assert [type(node) for node in body] == [ast.Expr, ast.ImportFrom, ast.Assign]
    assert table(source) == {
        "Thing": "@example.org/v1;Namespaced metadata:metav1.ObjectMeta spec:ThingSpec value:i",
        "ThingSpec": "a:s",
    }


def test_importing_a_module_makes_no_class(tmp_path: Path) -> None:
    """After the import of a generated module none of its classes exists, and no other module of models is loaded."""
    made = package(tmp_path, output(thing(spec=obj(a="s"))))
    name = f"{made.name}.org.example.thing.v1"
    code = f"import sys, {name} as m; print(*vars(m)); print(*sys.modules)"
    path = f"{ROOT}:{tmp_path}"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": path}, capture_output=True, text=True, check=True
    )
    names, modules = (line.split() for line in done.stdout.splitlines())
    assert "__getattr__" in names
    assert not {"Thing", "ThingSpec"} & {*names}
    assert metav1.__name__ not in modules
    assert not {"attr", "attrs", "yaml", "cattrs", "crossplane_lite._tools.codegen"} & {*modules}


def test_a_kind_of_another_name_than_its_class() -> None:
    """Where the class can't have the kind's name, its objects still have the kind."""
    source = output(crd(obj(spec="x"), kind="None")).modules["org/example/none/v1.py"]
    assert table(source)["None_"].startswith("@example.org/v1=None;Namespaced ")
    assert to_dict(Classes(source)["None_"]()) == {"apiVersion": "example.org/v1", "kind": "None"}


VALUES: dict[str, Any] = {"s": "a", "i": 3, "f": 1.5, "b": True, "x": {"k": [1]}, "o": {"k": [1]}, "q": "b"}


@given(st.dictionaries(wire_names, st.sampled_from(sorted(VALUES)), min_size=1, max_size=8), st.booleans())
def test_fields_of_any_name_can_be_used(fields: dict[str, str], is_open: bool) -> None:
    """Each field can be set in the constructor and by its attribute, read, deleted, and has its wire name outside.

    This is so at the top of a kind and below, and in open classes as well.
    """
    more = {"x-kubernetes-preserve-unknown-fields": True} if is_open else {}
    schema = {**obj(**{wire: kind for wire, kind in fields.items() if wire != "metadata"}), **more}
    wires = [wire for wire in fields if wire not in ("metadata", "apiVersion", "kind")]
    if not schema["properties"]:
        return
    top = Classes(output(crd(schema)).modules[f"{THING}.py"])["Thing"]
    below = Classes(output(thing(value=schema)).modules[f"{THING}.py"])["ThingValue"]
    head = {"apiVersion": "example.org/v1", "kind": "Thing"}
    for cls, around, used in ((top, head, wires), (below, {}, list(schema["properties"]))):
        names = {wire: cls._by_wire(wire).name for wire in used}
        assert len({*names.values()}) == len(used)
        assert {*names.values()} <= {field.name for field in attrs.fields(cls)}
        for wire, name in names.items():
            value = VALUES[fields[wire]]
            built, assigned = cls(**{name: value}), cls()
            assert not getattr(assigned, name)
            setattr(assigned, name, value)
            for model in (built, assigned):
                read = getattr(model, name)
                assert (to_dict(read) if isinstance(read, Model) else read) == value
                assert to_dict(model) == {**around, wire: value}
            assert built == assigned
            assert from_dict(cls, {wire: value}) == built
            delattr(assigned, name)
            assert to_dict(assigned) == around
        whole = {wire: VALUES[fields[wire]] for wire in used}
        assert to_dict(cls(**{names[wire]: value for wire, value in whole.items()})) == {**around, **whole}


@pytest.mark.parametrize(
    "text", ["on", "=", "a b", "#", "\\", "'", '"', "\n", "\u4e2d", "\u2028", "\u00a0", "{x", "[s", "@"]
)
def test_wire_names_of_the_tables_own_signs(text: str) -> None:
    """A wire name may hold anything that means something in a table, in Python or in YAML."""
    for wire in (text, f"{text}a", f"a{text}", f"a{text}{text}b"):
        classes = Classes(output(thing(value=obj(**{wire: "s"}))).modules[f"{THING}.py"])
        assert [field.wire for field in classes["ThingValue"].__wire_fields__.values()] == [wire]


# --- references between modules ----------------------------------------------------------------------------------


def test_metadata_is_the_class_that_is_shipped(tmp_path: Path) -> None:
    """All models share one ObjectMeta, that of `crossplane_lite.models`."""
    made = package(tmp_path, output(thing(spec=obj(a="s")), crd(obj(), kind="Other")))
    one = made.module(THING).Thing()
    other = made.module("org/example/other/v1").Other()
    assert type(one.metadata) is type(other.metadata) is metav1.ObjectMeta
    assert not [file for file in made.output.modules if "meta" in file]


@pytest.mark.parametrize(
    "names",
    [
        ["a.b.v1.One", "c.b.v1.Two"],
        ["b.v1.One", "a.b.v1.Two"],
        ["v1.One", "a.v1.Two"],
        ["One"],
        ["table.One", "module.Two", "alias.Three"],
        ["list.One", "str.Two", "dict.Three", "int.Four", "load.Five"],
        ["im.port.One", "cl.ass.Two", "import.One", "class.lambda.Two"],
        ["example.v1.Other"],
        ["example.v2.Other", "example.deep.er.v1.Other"],
        ["3a.4b.One", "a-b.c-d.Two", "a.b-c.d.Three"],
        ["io.k8s.apimachinery.pkg.apis.meta.v1.Own"],
        ["crossplane_lite._core.models.model.One", "typing.Two", "builtins.Three"],
    ],
)
def test_modules_refer_to_each_other(tmp_path: Path, names: list[str]) -> None:
    """Whatever the modules are called: the class of a reference is the class of the other module."""
    components = {name: obj(**{f"a{number}": "s"}, again=ref(name)) for number, name in enumerate(names)}
    made = package(tmp_path, output(kind_with(**components)))
    cls = made.module("example/v1").Thing
    for number in range(len(names)):
        value = {f"r{number}": {f"a{number}": "x", "again": {"again": {f"a{number}": "y"}}}}
        model = from_dict(cls, value)
        assert to_dict(model) == {"apiVersion": "example.org/v1", "kind": "Thing", **value}
        part = getattr(model, f"r{number}")
        assert type(part) is getattr(sys.modules[type(part).__module__], names[number].rpartition(".")[2])
        assert type(part).__module__.startswith(made.name)


def test_modules_that_refer_to_each_other_in_a_circle(tmp_path: Path) -> None:
    """Two modules may need each other; neither import comes first."""
    components = {"a.v1.One": obj(two=ref("b.v1.Two")), "b.v1.Two": obj(one=ref("a.v1.One"))}
    made = package(tmp_path, output(kind_with(**components)))
    value: Json = {"two": {"one": {"two": {}}}}
    assert to_dict(from_dict(made.module("a/v1").One, value)) == value


def test_modules_stay_where_the_package_is_put(tmp_path: Path) -> None:
    """References are relative, so that the package may have any name and place."""
    made = output(kind_with(**{"a.v1.One": obj(x="s")}))
    for folder in ("one", "two"):
        moved = package(tmp_path / folder, made)
        part = moved.module("example/v1").Thing().r0
        assert type(part).__module__ == f"{moved.name}.a.v1"
    assert all("generated_models" not in text for text in made.modules.values())


# --- files -------------------------------------------------------------------------------------------------------


def test_every_package_has_an_init() -> None:
    """Each folder on the way to a module is a package, the output folder itself among them."""
    made = output(crd(obj(), group="storage.gcp.upbound.io", kind="Bucket", versions=["v1beta1"]))
    folders = ["", "io/", "io/upbound/", "io/upbound/gcp/", "io/upbound/gcp/storage/", "io/upbound/gcp/storage/bucket/"]
    module = "io/upbound/gcp/storage/bucket/v1beta1.py"
    assert set(made.modules) == {f"{folder}__init__.py" for folder in folders} | {module}
    assert set(made.stubs) == {f"{module}i"}


def test_the_import_of_the_seed(tmp_path: Path) -> None:
    """`from models.io.upbound.gcp.storage.bucket import v1beta1 as bucketv1beta1` works."""
    made = package(tmp_path, output(crd(obj(), group="storage.gcp.upbound.io", kind="Bucket", versions=["v1beta1"])))
    names: dict[str, Any] = {}
    exec(f"from {made.name}.io.upbound.gcp.storage.bucket import v1beta1 as bucketv1beta1", names)
    bucket = names["bucketv1beta1"].Bucket(metadata={"name": "b"})
    assert isinstance(bucket, Resource)
    assert bucket.apiVersion == "storage.gcp.upbound.io/v1beta1"


@pytest.mark.parametrize(("group", "kind"), [("lambda.aws.upbound.io", "Function"), ("a.b", "Import"), ("is", "None")])
def test_names_of_groups_and_kinds_that_python_wants(tmp_path: Path, group: str, kind: str) -> None:
    """Modules of groups and kinds that are keywords can be imported by an import statement."""
    made = package(tmp_path, output(crd(obj(spec="x"), group=group, kind=kind)))
    (file,) = made.files()
    names: dict[str, Any] = {}
    exec(f"from {made.name}.{file.rpartition('/')[0].replace('/', '.')} import v1", names)
    (cls,) = (getattr(names["v1"], name) for name in names["v1"].__all__)
    assert to_dict(cls()) == {"apiVersion": f"{group}/v1", "kind": kind}


def test_a_module_that_would_also_be_a_package() -> None:
    """Where one path is a module and a folder, the error names both."""
    one = crd(obj(), group="b.a", kind="C", versions=["v1"])
    two = openapi(**{"a.b.c.One": component(obj(x="s"), "other", "v1", "One")})
    with pytest.raises(InputError) as caught:
        output(one, two)
    assert "a/b/c.py" in str(caught.value)
    assert "a/b/c/v1.py" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_nothing_of_a_definition_is_run(tmp_path: Path) -> None:
    """A definition can't put code into the modules, whichever of its texts it tries."""
    marker = tmp_path / "marker"
    bad = f'"""\nopen({str(marker)!r}, "w")\n"""'
    quote = f'"], open({str(marker)!r}, "w")]#'
    base = obj(spec=obj(a={"type": "string", "description": bad, "enum": [bad, quote], "default": quote}))
    made = []
    for text in (bad, quote):
        made.append(output(crd({**base, "description": text, "properties": {**base["properties"], text: {}}})))
        for more in ({"group": text}, {"kind": text}, {"versions": [text]}):
            try:
                made.append(output(crd(base, **more)))
            except InputError:
                continue
        for args in ((text, "v1", "K"), ("g", text, "K"), ("g", "v1", text)):
            try:
                made.append(output(openapi(**{text: component(base, *args)})))
            except InputError:
                continue
    for one in made:
        for text in one.modules.values():
            exec(compile(text, "a module", "exec"), {"__name__": "a_module"})
        for text in one.stubs.values():
            assert not [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    assert not marker.exists()


def test_published_lists_are_no_modules() -> None:
    """The list of a kind that a definition defines is none of its own models."""
    (document,) = published(thing(value="s"), meta={})
    schemas = document["components"]["schemas"]
    assert len(schemas) == 2
    for metadata in (one["properties"]["metadata"] for one in schemas.values()):
        del metadata["allOf"]
    made = output(document)
    assert [file for file, text in made.modules.items() if text] == [f"{THING}.py"]
