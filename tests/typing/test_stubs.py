"""The stubs against what they describe: attrs' fields and the tables of models, the descriptors of messages."""

from __future__ import annotations

import ast
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.models.tables import table_of
from tests.typing.checkers import ROOT

ALLOWLIST = Path(__file__).parent / "stubtest_allowlist.txt"
MODEL_STUBS = sorted(
    path
    for folder in (
        "crossplane_lite/models",
        "examples/storage_bucket/model",
        "examples/network/model",
        "tests/typing/model",
    )
    for path in (ROOT / folder).rglob("*.pyi")
)
MODEL_MODULES = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in MODEL_STUBS]
MESSAGE_MODULES = ["crossplane_lite.proto.v1.run_function_pb2", "crossplane_lite.proto.v1beta1.run_function_pb2"]

SCALARS = {"s": "str", "i": "int", "f": "float", "b": "bool", "q": "int | str", "x": "Any"}


def stub_of(module: str) -> Path:
    """Return the stub beside a module."""
    return ROOT.joinpath(*module.split(".")).with_suffix(".pyi")


def classes_of(path: Path) -> dict[str, ast.ClassDef]:
    """Return the classes that a stub defines, by name, without those of observed objects."""
    defined = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)]
    return {node.name: node for node in defined if not node.name.startswith("_Observed")}


def observed_classes(tree: ast.Module) -> dict[str, str]:
    """Return what a stub says of the classes of observed objects: their bases, or the shipped class that they are."""
    said = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name.startswith("_Observed"):
            said[node.name] = ", ".join(map(ast.unparse, node.bases))
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).startswith("_Observed"):
            said[ast.unparse(node.targets[0])] = ast.unparse(node.value)
    return said


def annotations_of(cls: ast.ClassDef) -> dict[str, ast.AnnAssign]:
    """Return the annotated names of a stub's class, in order."""
    annotated = (node for node in cls.body if isinstance(node, ast.AnnAssign))
    return {node.target.id: node for node in annotated if isinstance(node.target, ast.Name)}


def plain_type(text: str) -> str:
    """Return the Python type of a table's type, as it stands inside of `Values` and `Map`."""
    text = text.partition("#")[0]
    if text[0] == "[":
        return f"list[{plain_type(text[1:])}]"
    if text[0] == "{":
        return f"dict[str, {plain_type(text[1:])}]"
    return SCALARS.get(text) or class_name(text)


def class_name(text: str) -> str:
    """Return the name under which a stub refers to a class of a table."""
    return text.replace("meta.", "metav1.")


def field_type(text: str, leaf: str) -> str:
    """Return what a stub must say of a field of this type in the table."""
    text = text.partition("#")[0]
    if text in ("o", "x"):
        return {"o": "FreeForm", "x": "Any"}[text]
    if text in SCALARS:
        return f"{leaf}[{SCALARS[text]}]"
    if text[0] not in "[{":
        return f"Nested[{with_observed(class_name(text))}]"
    of_values = text[1] in "[{" or text[1:] in SCALARS
    kinds = {("[", True): "Values", ("[", False): "Items", ("{", True): "Map", ("{", False): "ItemMap"}
    item = plain_type(text[1:])
    return f"{kinds[text[0], of_values]}[{item if of_values else with_observed(item)}]"


def with_observed(name: str) -> str:
    """Return a class and the class of its observed objects, as a field's descriptor has them."""
    module, dot, last = name.rpartition(".")
    return f"{name}, {module}{dot}_Observed{last}"


def only_in_status(table: dict[str, str]) -> set[str]:
    """Return the classes of a module that lie in its kind's status and nowhere else."""
    below = {
        name: [(part.partition(":")[0], part.rpartition(":")[2].partition("#")[0].lstrip("[{")) for part in parts]
        for name, text in table.items()
        for parts in [[part for part in text.split(" ") if ":" in part]]
    }
    kinds = [name for name, text in table.items() if text.startswith("@")]
    if not kinds:
        return {"Condition"}  # of the shipped types the one that nobody sets
    work = [type_ for kind in kinds for field, type_ in below[kind] if field != "status"]
    elsewhere = set(kinds)
    while work:
        name = work.pop()
        if name in below and name not in elsewhere:
            elsewhere.add(name)
            work += [type_ for _, type_ in below[name]]
    return set(table) - elsewhere


def without_literals(annotation: str) -> str:
    """Return an annotation with `str` in place of a Literal of strings, which is an enum's closer type."""
    return re.sub(r"Literal\[(?:'[^']*'(?:, )?)+\]", "str", annotation)


@pytest.mark.parametrize("name", MODEL_MODULES)
def test_every_class_of_a_model_module_has_a_stub(name: str) -> None:
    """Stub and table have the same classes, and `__all__` names them."""
    module = importlib.import_module(name)
    tree = ast.parse(stub_of(name).read_text())
    exported, *others = [node for node in tree.body if isinstance(node, ast.Assign)]
    table = table_of(module)
    shared = {name for name, text in table.items() if text.startswith("=")}
    assert set(classes_of(stub_of(name))) == set(table) - shared
    assert {ast.unparse(node.targets[0]) for node in others} - observed_classes(tree).keys() == shared
    assert observed_classes(tree).keys() == {f"_Observed{name}" for name in table}
    assert sorted(ast.literal_eval(exported.value)) == sorted(table)
    assert all(hasattr(module, cls) for cls in table_of(module))


@pytest.mark.parametrize("name", MODEL_MODULES)
def test_stub_classes_have_the_fields_of_the_attrs_classes(name: str) -> None:
    """`attrs.fields` of each class, which stubtest doesn't see, are the stub's annotated names in the same order."""
    module = importlib.import_module(name)
    for class_, node in classes_of(stub_of(name)).items():
        cls: Any = getattr(module, class_)
        assert [field.name for field in attrs.fields(cls)] == list(annotations_of(node)), class_
        assert all(field.kw_only for field in attrs.fields(cls)), class_
        assert all(annotation.value is not None for annotation in annotations_of(node).values()), class_
        (base,) = cls.__bases__
        (declared,) = (ast.unparse(one).partition("[")[0] for one in node.bases)
        assert ("Model" if declared == "ManagedSpec" else declared) == base.__name__, class_


@pytest.mark.parametrize("name", MODEL_MODULES)
def test_stub_fields_have_the_types_of_the_table(name: str) -> None:
    """Each field is declared by the descriptor and the type that its type in the table calls for."""
    module = importlib.import_module(name)
    table = table_of(module)
    seen = only_in_status(table)
    for class_, node in classes_of(stub_of(name)).items():
        fields = [part for part in table[class_].split(" ") if part[:1] not in "~!>?&"]
        found = {field: ast.unparse(one.annotation) for field, one in annotations_of(node).items()}
        if fields[0].startswith("@"):
            api_version, _, kind = fields.pop(0)[1:].partition(";")[0].partition("=")
            for field, value in (("apiVersion", api_version), ("kind", kind or class_)):
                declared = annotations_of(node)[field]
                assert found.pop(field) == f"Literal[{value!r}]"
                assert declared.value is not None
                assert ast.literal_eval(declared.value) == value
        wanted = {}
        for field in fields:
            names, _, text = field.rpartition(":")
            wanted[names.partition("=")[0]] = field_type(text, "Seen" if class_ in seen else "Leaf")
        # Values that every composite has are `Given`, which the table doesn't say.
        declared_as = {field: without_literals(text).replace("Given[", "Leaf[") for field, text in found.items()}
        assert declared_as == wanted, class_


@pytest.mark.parametrize("name", MESSAGE_MODULES)
def test_message_stubs_have_the_fields_of_the_descriptors(name: str) -> None:
    """Each message has its descriptor's fields with their types, the numbers, and a constructor that takes them."""
    module = importlib.import_module(name)
    classes = {class_: node for class_, node in classes_of(stub_of(name)).items() if not class_.startswith("_")}
    messages = module.DESCRIPTOR.message_types_by_name
    enums = module.DESCRIPTOR.enum_types_by_name
    assert set(classes) == {*messages, *enums}
    for message, descriptor in messages.items():
        node = classes[message]
        found = {field: ast.unparse(one.annotation) for field, one in annotations_of(node).items()}
        numbers = {field: found.pop(field) for field in list(found) if field.endswith("_FIELD_NUMBER")}
        assert numbers == {f"{field.name.upper()}_FIELD_NUMBER": "ClassVar[int]" for field in descriptor.fields}
        arguments: list[str] = []
        for method in (one for one in node.body if isinstance(one, ast.FunctionDef)):
            if method.name == "__init__":
                arguments = [argument.arg for argument in method.args.kwonlyargs]
            else:
                assert method.returns is not None
                found[method.name] = ast.unparse(method.returns)
        assert arguments == [field.name for field in descriptor.fields], message
        assert found == {field.name: message_type(field) for field in descriptor.fields}, message


def message_type(field: Any) -> str:
    """Return what a stub must say of a field of a message."""
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        value = field.message_type.fields_by_name["value"]
        return f"{'_MessageMap' if value.message_type is not None else '_ScalarMap'}[{single_type(value)}]"
    repeated = field.is_repeated if hasattr(field, "is_repeated") else field.label == field.LABEL_REPEATED
    if repeated:
        return f"{'_RepeatedMessage' if field.message_type is not None else '_RepeatedScalar'}[{single_type(field)}]"
    return single_type(field)


def single_type(field: Any) -> str:
    """Return the type of one value of a field."""
    if field.enum_type is not None:
        return str(field.enum_type.name)
    if field.message_type is not None:
        google = field.message_type.full_name.startswith("google.protobuf.")
        return f"{'_' if google else ''}{field.message_type.name}"
    return {field.TYPE_STRING: "str", field.TYPE_BYTES: "bytes"}[field.type]


@pytest.mark.parametrize("name", MESSAGE_MODULES)
def test_message_stubs_have_the_values_of_the_enums(name: str) -> None:
    """Each enum has its values, in the class and in the module."""
    module = importlib.import_module(name)
    classes = classes_of(stub_of(name))
    tree = ast.parse(stub_of(name).read_text())
    constants = {
        node.target.id: ast.unparse(node.annotation)
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }
    wanted = {"DESCRIPTOR": "FileDescriptor"}
    for enum, descriptor in module.DESCRIPTOR.enum_types_by_name.items():
        values = [value.name for value in descriptor.values]
        assert list(annotations_of(classes[enum])) == values
        wanted.update(dict.fromkeys(values, enum))
        assert all(getattr(module, value) == descriptor.values_by_name[value].number for value in values)
    assert constants == wanted


def test_both_versions_of_the_protocol_have_the_same_stubs() -> None:
    """v1 and v1beta1 differ in nothing but the package."""
    first, second = (
        [ast.dump(node) for node in classes_of(stub_of(name)).values() if not node.name.startswith("_")]
        for name in MESSAGE_MODULES
    )
    assert first == second


def stubtest(modules: list[str], config: Path) -> str:
    """Return what mypy's stubtest says of modules, nothing where it agrees."""
    pytest.importorskip("mypy", reason="mypy is not installed")
    command = [sys.executable, "-m", "mypy.stubtest", *modules, "--concise", "--mypy-config-file", str(config)]
    command += ["--allowlist", str(ALLOWLIST), "--ignore-unused-allowlist"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False)
    return done.stdout + done.stderr if done.returncode else ""


@pytest.mark.slow
def test_stubtest_agrees_with_the_stubs_of_models(tmp_path: Path) -> None:
    """mypy's stubtest finds no difference between the model modules and their stubs."""
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\nfollow_imports = silent\n")
    assert stubtest(MODEL_MODULES, config) == ""


@pytest.mark.slow
def test_stubtest_agrees_with_the_package() -> None:
    """mypy's stubtest finds no difference between the package and its types, inline or in stubs."""
    assert stubtest(["crossplane_lite"], ROOT / "setup.cfg") == ""
