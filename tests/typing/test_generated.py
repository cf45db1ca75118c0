"""Generated models as mypy and pyright see them, and their stubs against their tables and definitions."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import attrs
import pytest

from crossplane_lite._tools.codegen.definitions import definitions
from crossplane_lite._tools.codegen.generate import Output, generate, select
from crossplane_lite._tools.manifests.yaml import Document, load_documents
from tests.models.tables import DATA
from tests.typing import checkers
from tests.typing.table_types import Table, Types, Whole, docs_of, is_container, only_in_status, table_of, values_of
from tests.typing.test_checkers import compare
from tests.typing.test_stubs import ALLOWLIST, annotations_of, classes_of, observed_classes

FOLDER = Path(__file__).parent / "generated"
OWN = sorted(FOLDER.glob("*.yaml"))
PUBLIC = sorted([*(DATA / "crds").glob("*.yaml"), *(DATA / "openapi").glob("*.json")])
# Where each case stands in a user's project. The last of them need models of public definitions.
PLACES = {
    "absolute": "absolute.py",
    "names": "names.py",
    "relative": "team/compose.py",
    "given": "given.py",
    "shared": "shared.py",
}
OF_PUBLIC = {"function": "function.py", "reads": "reads.py", "writes": "writes.py", "wrong": "wrong.py"}
LAYOUTS = {"absolute": "absolute.py", "installed": "use_installed.py", "relative": "team/compose.py"}

Reports = Mapping[Path, checkers.Report]

needs_data = pytest.mark.skipif(not PUBLIC, reason="the public API definitions are not beside the project")
CASES = [*PLACES, *(pytest.param(name, marks=needs_data) for name in OF_PUBLIC)]


def read(path: Path) -> list[Document]:
    """Return the documents of a file; JSON is read as such, because it takes YAML long."""
    if path.suffix == ".json":
        return [Document(path.name, json.loads(path.read_text()))]
    return load_documents(path)


def generated(paths: list[Path]) -> Output:
    """Return what is generated from files."""
    return generate(select(definitions(document for path in paths for document in read(path)).kinds, "all"))


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write files into a folder."""
    for file, text in files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text, encoding="utf-8")


def run(command: list[str], folder: Path, **environment: str) -> str:
    """Run a command that must succeed, and return what it prints."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


class Project(NamedTuple):
    """A user's project.

    Attributes:
        root: Its folder.
        output: What its package `models` is made from.
        cases: Where each case stands.
    """

    root: Path
    output: Output
    cases: dict[str, Path]


def make_project(root: Path, output: Output, cases: Mapping[str, str], **config: str) -> Project:
    """Make what all projects have: the cases, a package of the user's, and the settings of pyright."""
    write(root / "team", {"__init__.py": ""})
    write(root, {"pyrightconfig.json": json.dumps({"extraPaths": [str(checkers.ROOT)], **config})})
    for name, place in cases.items():
        shutil.copy(FOLDER / f"{name}.py", root / place)
    return Project(root, output, {name: root / place for name, place in cases.items()})


@pytest.fixture(scope="session")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with the stubs beside the modules, in which pyright is strict with all files."""
    root = tmp_path_factory.mktemp("beside")
    output, small = generated([*OWN, *PUBLIC]), generated([FOLDER / "platform.yaml"])
    write(root / "models", output.files)
    write(root / "team" / "model", small.files)
    return make_project(root, output, PLACES | OF_PUBLIC if PUBLIC else PLACES, typeCheckingMode="strict")


@pytest.fixture(scope="session")
def layouts(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project with models in a folder of their own and in a package, which imports them relatively."""
    root = tmp_path_factory.mktemp("layouts")
    output = generated([FOLDER / "platform.yaml"])
    write(root / "models", output.files)
    write(root / "team" / "model", output.files)
    return make_project(root, output, LAYOUTS)


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The interpreter of an environment that has a user's package with models: what setuptools puts into its wheel."""
    source, environment = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("environment")
    venv.create(environment, with_pip=False, symlinks=os.name != "nt")
    python = str(environment / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    library = run([python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"], source).strip()
    write(Path(library), {"here.pth": f"{sysconfig.get_path('purelib')}\n{checkers.ROOT}\n"})
    if importlib.util.find_spec("setuptools") is not None:
        made = generated([FOLDER / "platform.yaml"])
        package = source / "installed"
        write(package / "model", made.files)
        write(package, {"__init__.py": "", "py.typed": "", "compose.py": (FOLDER / "relative.py").read_text()})
        data = "[options.package_data]\n* = *.pyi, py.typed\n"
        write(source, {"setup.cfg": f"[metadata]\nname = installed\n[options]\npackages = find:\n{data}"})
        build = "import setuptools; setuptools.setup()"
        run([sys.executable, "-c", build, "-q", "build", "--build-lib", library], source)
    return python


def checked(checker: Any, *arguments: Any, **options: Any) -> Reports:
    """Return what a checker reports, or skip where it can't run."""
    try:
        reports: Reports = checker(*arguments, **options)
    except checkers.CheckerMissing as missing:
        pytest.skip(str(missing))
    return reports


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for mypy's cache, so that its runs share what they learnt of the package."""
    return tmp_path_factory.mktemp("mypy-cache")


@pytest.fixture(scope="session")
def mypy(beside: Project, cache: Path) -> Reports:
    """What mypy says of all models and cases."""
    paths = [beside.root / "models", *beside.cases.values()]
    return checked(checkers.mypy, paths, cache, root=beside.root, mypy_path=[checkers.ROOT])


@pytest.fixture(scope="session")
def pyright(beside: Project) -> Reports:
    """What pyright says of all models and cases."""
    paths = [beside.root / "models", *beside.cases.values()]
    return checked(checkers.pyright, paths, root=beside.root)


@pytest.fixture(scope="session")
def mypy_layouts(layouts: Project, python: str, cache: Path) -> Reports:
    """What mypy says of the cases that import models in several ways."""
    mypy_path = [layouts.root, checkers.ROOT]
    option = f"--python-executable={python}"
    return checked(checkers.mypy, layouts.cases.values(), cache, option, root=layouts.root, mypy_path=mypy_path)


@pytest.fixture(scope="session")
def pyright_layouts(layouts: Project, python: str) -> Reports:
    """What pyright says of the cases that import models in several ways."""
    return checked(checkers.pyright, layouts.cases.values(), root=layouts.root, python=python)


def errors_elsewhere(project: Project, reports: Reports) -> dict[str, dict[int, set[str]]]:
    """Return the errors in files of a project that aren't cases."""
    return {
        str(path.relative_to(project.root)): report.errors
        for path, report in reports.items()
        if report.errors and path not in project.cases.values() and project.root in path.parents
    }


@pytest.mark.slow
def test_mypy_passes_over_all_generated_models(beside: Project, mypy: Reports) -> None:
    """mypy --strict finds no error in any generated stub or module."""
    assert errors_elsewhere(beside, mypy) == {}


@pytest.mark.slow
def test_pyright_passes_over_all_generated_models(beside: Project, pyright: Reports) -> None:
    """Strict pyright finds no error in any generated stub or module."""
    assert errors_elsewhere(beside, pyright) == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_mypy_sees_the_expected_types_and_errors(name: str, beside: Project, mypy: Reports) -> None:
    """mypy --strict reveals the types that the case states, and reports errors where it says so and nowhere else."""
    path = beside.cases[name]
    assert compare(path, mypy[path], 0) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_pyright_sees_the_expected_types_and_errors(name: str, beside: Project, pyright: Reports) -> None:
    """Strict pyright reveals the types that the case states, and reports errors where it says so and nowhere else."""
    path = beside.cases[name]
    assert compare(path, pyright[path], 1) == []


needs_setuptools = pytest.mark.skipif(
    importlib.util.find_spec("setuptools") is None, reason="setuptools is not installed"
)
LAYOUT_CASES = ["absolute", "relative", pytest.param("installed", marks=needs_setuptools)]


@pytest.mark.slow
@pytest.mark.parametrize("name", LAYOUT_CASES)
def test_mypy_finds_stubs_however_models_are_imported(name: str, layouts: Project, mypy_layouts: Reports) -> None:
    """Models are typed, imported relatively or not, and so are installed ones."""
    path = layouts.cases[name]
    assert compare(path, mypy_layouts[path], 0) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", LAYOUT_CASES)
def test_pyright_finds_stubs_however_models_are_imported(name: str, layouts: Project, pyright_layouts: Reports) -> None:
    """Models are typed, imported relatively or not, and so are installed ones."""
    path = layouts.cases[name]
    assert compare(path, pyright_layouts[path], 1) == []


def module_names(output: Output) -> list[str]:
    """Return the names of the modules that have models."""
    return [f"models.{file[:-3].replace('/', '.')}" for file in output.modules if not file.endswith("__init__.py")]


@pytest.mark.slow
def test_stubtest_agrees_with_generated_stubs(beside: Project, tmp_path: Path) -> None:
    """mypy's stubtest finds no difference between the generated modules and their stubs."""
    pytest.importorskip("mypy", reason="mypy is not installed")
    config = tmp_path / "mypy.ini"
    config.write_text("[mypy]\nfollow_imports = silent\n")
    # One of each kind of source, and the nasty names; the other tests here compare all stubs with their modules.
    wanted = ("models.org.", "models.io.upbound.gcp.container.", "models.io.k8s.api.apps.")
    modules = [name for name in module_names(beside.output) if name.startswith(wanted)]
    assert len(modules) == (8 if PUBLIC else 6)
    command = [sys.executable, "-m", "mypy.stubtest", *modules, "--concise"]
    command += ["--mypy-config-file", str(config), "--allowlist", str(ALLOWLIST), "--ignore-unused-allowlist"]
    path = os.pathsep.join(map(str, (checkers.ROOT, beside.root)))
    run(command, tmp_path, PYTHONPATH=path, MYPYPATH=path)


@pytest.fixture(scope="module")
def importable(beside: Project) -> Iterator[Project]:
    """The project, with its root on sys.path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(beside.root))
        forget("function", "models")
        yield beside
        forget("function", "models")


def forget(*packages: str) -> None:
    """Let packages be imported anew."""
    for name in [name for name in sys.modules if name.partition(".")[0] in packages]:
        del sys.modules[name]


def tables(output: Output) -> list[Table]:
    """Return the tables of all modules that have models."""
    return [table_of(name, output.modules[f"{name.replace('.', '/')[7:]}.py"]) for name in module_names(output)]


def stub_path(project: Project, name: str) -> Path:
    """Return the stub of a module."""
    return project.root.joinpath(*name.split(".")).with_suffix(".pyi")


@pytest.mark.slow
def test_stub_classes_are_those_of_the_tables(importable: Project) -> None:
    """Each module has the classes of its stub, with the same fields in order, all keyword-only, and the same bases."""
    for table in tables(importable.output):
        path = stub_path(importable, table.name)
        classes = classes_of(path)
        stub = ast.parse(path.read_text())
        whole = Whole(table.name, stub)
        module = importlib.import_module(table.name)
        exported = next(node.value for node in stub.body if isinstance(node, ast.Assign))
        assert list(classes) == [one for one in table.classes if one not in table.shared], table.name
        assert ast.literal_eval(exported) == sorted(table.classes) == module.__all__, table.name
        assert observed_classes(stub).keys() == {f"_Observed{one}" for one in table.classes}, table.name
        for class_, ref in table.shared.items():
            home, _, shared = ref.rpartition(".")
            assert getattr(module, class_) is getattr(importlib.import_module(home), shared)
            assert whole.names[class_] == ref
        for class_, node in classes.items():
            cls: Any = getattr(module, class_)
            where = f"{table.name}.{class_}"
            assert [field.name for field in attrs.fields(cls)] == list(annotations_of(node)), where
            assert all(field.kw_only for field in attrs.fields(cls)), where
            bases = [f"{base.__name__}" for base in cls.__bases__]
            declared = [whole.names[ast.unparse(base).partition("[")[0]] for base in node.bases]
            # Only checkers know the common spec of managed resources.
            assert ["Model" if base == "ManagedSpec" else base for base in declared] == bases, where
            assert all(isinstance(one.value, ast.Constant) for one in annotations_of(node).values()), where


@pytest.mark.slow
def test_stub_fields_have_the_types_of_the_tables(beside: Project) -> None:
    """Each field is declared by the descriptor and type that its type in the table calls for, heads by Literals."""
    differences = []
    seen = only_in_status(list(tables(beside.output)))
    for table in tables(beside.output):
        path = stub_path(beside, table.name)
        whole = Whole(table.name, ast.parse(path.read_text()))
        for class_, node in classes_of(path).items():
            annotated = annotations_of(node)
            types = Types(table, "Seen" if f"{table.name}.{class_}" in seen else "Leaf")
            wanted = {field.attribute: field for field in table.classes[class_]}
            for head in (head for head in table.heads[class_] if head.startswith("@")):
                api_version, _, kind = head[1:].partition(";")[0].partition("=")
                for name, value in {"apiVersion": api_version, "kind": kind or class_}.items():
                    declared = annotated.pop(name)
                    annotation = declared.annotation
                    assert isinstance(annotation, ast.Subscript)
                    assert ast.unparse(whole.visit(ast.Name(ast.unparse(annotation.value)))) == "Literal"
                    assert values_of(annotation.slice) == [value]
                    assert declared.value is not None
                    assert ast.literal_eval(declared.value) == value
            assert list(annotated) == list(wanted), f"{table.name}.{class_}"
            for name, one in annotated.items():
                found = ast.unparse(whole.visit(one.annotation))
                if ".given." in table.name:  # tables don't say what each composite has
                    found = found.replace("Given[", "Leaf[")
                if found != types.field(wanted[name].type):
                    differences.append(f"{table.name}.{class_}.{name}: {found}, not {types.field(wanted[name].type)}")
    assert differences == []


def words(text: object) -> str:
    """Return a text without its line breaks and indentation."""
    return " ".join(text.split()) if isinstance(text, str) else ""


def described(table: Table, class_: str, schema: Mapping[str, Any]) -> dict[tuple[str, str], list[str]]:
    """Return the descriptions that a schema has for each class and field of a module; those of a class under ''."""
    found: dict[tuple[str, str], list[str]] = {}
    work = [(class_, schema)]
    for name, here in work:
        found.setdefault((name, ""), []).append(words(here.get("description")))
        for field in table.classes[name]:
            below = here["properties"].get(field.wire, {})  # there is none for what Kubernetes adds
            found.setdefault((name, field.attribute), []).append(words(below.get("description")))
            while is_container(field.type):
                below = below["items" if field.type[0] == "[" else "additionalProperties"]
                field = field._replace(type=field.type[1:])
            if field.type in table.classes and "$ref" not in below and "allOf" not in below:
                work.append((field.type, below))
    return found


def schemas(path: Path) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield module, class and schema of what a file defines: kinds, or the components of an OpenAPI document."""
    for document in read(path):
        if path.suffix == ".json":
            for component, schema in document.content["components"]["schemas"].items():
                packages, _, class_ = component.rpartition(".")
                yield f"models.{packages.replace('-', '_')}", class_, schema
        else:
            spec = document.content["spec"]
            group = ".".join(reversed(spec["group"].split(".")))
            for version in spec["versions"]:
                kind = spec["names"]["kind"]
                yield f"models.{group}.{kind.lower()}.{version['name']}", kind, version["schema"]["openAPIV3Schema"]


# An XRD doesn't have the fields that Crossplane adds.
CRDS = [path for path in OWN if path.stem != "given"]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "path", [*CRDS, *(pytest.param(path, marks=pytest.mark.slow) for path in PUBLIC)], ids=lambda path: path.stem
)
def test_descriptions_are_docstrings(path: Path, beside: Project) -> None:
    """Each described field is followed by a docstring with its description, and so is the head of each class."""
    by_name = {table.name: table for table in tables(beside.output)}
    stubs: dict[str, dict[str, dict[str, str]]] = {}
    compared = 0
    for name, class_, schema in schemas(path):
        table = by_name.get(name)
        if table is None or class_ not in table.classes or class_ in table.shared:  # shipped, or no class
            continue
        if name not in stubs:
            stubs[name] = {one: docs_of(node) for one, node in classes_of(stub_path(beside, name)).items()}
        for (owner, field), texts in described(table, class_, schema).items():
            if any(texts) and owner not in table.shared:
                doc = words(stubs[name][owner].get(field))
                # Objects of one shape share a class, which has the description of the first.
                assert doc and any(doc.startswith(text) for text in texts), f"{name}.{owner}.{field}: {doc!r}"
                compared += 1
    assert compared


@needs_data
def test_the_example_function_runs(importable: Project) -> None:
    """What the checkers were shown also runs: the network first, and all of it once the values are there."""
    support = pytest.importorskip("tests.support", reason="the official SDK is not installed")
    function = importlib.import_module("function")
    xr = {
        "apiVersion": "platform.example.org/v1alpha1",
        "kind": "XPlatform",
        "metadata": {"name": "p", "uid": "u"},
        "spec": {
            "parameters": {
                "region": "eu-west-1",
                "cidrBlock": "10.0.0.0/16",
                "labels": {"team": "a", "internal": "b"},
                "readers": ["ann"],
                "replicas": 2,
                "zones": [{"name": "a", "cidrBlock": "10.0.0.0/24", "public": True}],
            }
        },
    }
    first = support.run(function.compose, xr=xr)
    assert first.fatal == []
    assert set(first.resources) == {"cluster", "vpc"}
    assert first.resources["vpc"]["spec"]["forProvider"]["tags"] == {"team": "a"}

    observed = {
        "vpc": ("ec2.aws.upbound.io/v1beta1", "VPC", "vpc-1", {"arn": "arn:vpc"}),
        "subnet-0": ("ec2.aws.upbound.io/v1beta1", "Subnet", "subnet-1", {}),
        "security-group": ("ec2.aws.upbound.io/v1beta1", "SecurityGroup", "sg-1", {"id": "sg-1"}),
        "database": ("rds.aws.upbound.io/v1beta3", "Instance", "d", {"arn": "arn:d", "address": "d.example"}),
        "bucket": ("s3.aws.upbound.io/v1beta2", "Bucket", "b-1", {}),
    }
    values = {
        name: {
            "apiVersion": api_version,
            "kind": kind,
            "metadata": {"annotations": {"crossplane.io/external-name": external_name}},
            "status": {"atProvider": at_provider},
        }
        for name, (api_version, kind, external_name, at_provider) in observed.items()
    }
    second = support.run(function.compose, xr=xr, observed=values)
    assert second.fatal == []
    assert set(second.resources) == {*observed, "acl", "cluster", "deployment"}
    specs = {name: resource["spec"] for name, resource in second.resources.items()}
    assert specs["subnet-0"]["forProvider"]["tags"] == {"Name": "vpc-1-a"}
    assert specs["subnet-0"]["forProvider"]["availabilityZone"] == "eu-west-1a"
    assert specs["database"]["forProvider"]["vpcSecurityGroupIds"] == ["sg-1"]
    assert specs["database"]["providerConfigRef"] == {"name": "aws", "policy": None}
    assert specs["bucket"]["forProvider"]["tags"] == {"team": "a", "database": "arn:d", "legacy": None}
    assert specs["acl"]["forProvider"] == {"bucket": "b-1-mirror", "roleEntity": ["READER:ann"]}
    assert specs["deployment"]["template"]["spec"]["containers"][0]["env"] == [
        {"name": "DATABASE", "value": "postgres://d.example/main"}
    ]
    assert second.composite["status"] == {
        "vpcId": "vpc-1",
        "databaseEndpoint": "d.example",
        "subnetIds": ["subnet-1"],
        "fingerprint": function.fingerprint("vpc-1", "d.example"),
    }
