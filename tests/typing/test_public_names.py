"""The names that a module makes public: the same for checkers, in a stub or in the module itself, and at run time."""

from __future__ import annotations

import ast
import functools
import importlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.typing.checkers import ROOT

PACKAGE = ROOT / "crossplane_lite"
FOR_CHECKERS = (PACKAGE / "_core" / "models" / "fields.pyi", PACKAGE / "_core" / "compat" / "protocols.pyi")
STUBS = sorted(
    path
    for folder in (PACKAGE, ROOT / "examples", ROOT / "tests" / "typing" / "model")
    for path in folder.rglob("*.pyi")
    if path not in FOR_CHECKERS  # they have no modules
)
# Modules that users may import: nothing on the way to them is private.
MODULES = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if not any(part.startswith("_") for part in path.relative_to(PACKAGE).with_suffix("").parts[:-1])
    and (not path.stem.startswith("_") or path.stem == "__init__")
)


def module_name(path: Path) -> str:
    """Return the dotted name of a module or of a stub's module."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements at the top of a module, those below `if` and `try` too."""
    for node in body:
        if isinstance(node, (ast.If, ast.Try)):
            yield from statements(node.body)
            yield from statements(node.orelse)
        else:
            yield node


def names_of(node: ast.stmt) -> Iterator[tuple[str, bool]]:
    """Yield the names that a statement binds, and whether checkers hand them on without `__all__`."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name, True
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, True
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            yield from ((one.id, True) for one in ast.walk(target) if isinstance(one, ast.Name))
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name, alias.asname == alias.name


@functools.cache
def bound(source: str) -> dict[str, bool]:
    """Return the names that a module's source binds, and whether checkers hand each on without `__all__`."""
    return dict(one for node in statements(ast.parse(source).body) for one in names_of(node))


def exported(source: str) -> list[str] | None:
    """Return the names of `__all__` in a source, None where it has none."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    return None


def declared(source: str) -> set[str]:
    """Return the names that a stub makes public."""
    return {name for name, handed_on in bound(source).items() if handed_on and not name.startswith("_")}


def at_run_time(module: ModuleType) -> set[str]:
    """Return the names that a module makes public at run time: `__all__`, else all that it hasn't imported itself."""
    names = getattr(module, "__all__", None)
    if names is not None:
        return set(names)
    assert module.__file__ is not None
    imported = {name for name, handed_on in bound(Path(module.__file__).read_text("utf-8")).items() if not handed_on}
    # pytest binds names that no source can have in modules that it rewrites.
    return {name for name in dir(module) if not name.startswith("_") and name.isidentifier()} - imported


@pytest.mark.sample(8)
@pytest.mark.parametrize("path", STUBS, ids=module_name)
def test_a_stub_and_its_module_have_the_same_public_names(path: Path) -> None:
    """What a stub declares is what its module has, and `__all__` of both names all of it and nothing else."""
    module = importlib.import_module(module_name(path))
    source = path.read_text(encoding="utf-8")
    assert declared(source) == at_run_time(module)
    if exported(source) is not None or hasattr(module, "__all__"):
        assert sorted(exported(source) or ()) == sorted(module.__all__)
    assert [name for name in declared(source) if not hasattr(module, name)] == []


def test_there_are_stubs() -> None:
    """The stubs of the messages, of the shipped models and of the examples are among those that are compared."""
    names = {module_name(path) for path in STUBS}
    assert {f"crossplane_lite.proto.{version}.run_function_pb2" for version in ("v1", "v1beta1")} <= names
    assert "crossplane_lite.models.io.k8s.apimachinery.pkg.apis.meta.v1" in names
    with_models = {path.parent.name for path in ROOT.glob("examples/*/model")}
    assert with_models == {name.split(".")[1] for name in names if name.startswith("examples.")}


@pytest.mark.slow  # it imports all of the package
def test_modules_without_stubs_have_what_they_export() -> None:
    """Each name of a public module's `__all__` is there at run time, and bound where checkers see it."""
    wrong = []
    for path in MODULES:
        source = path.read_text(encoding="utf-8")
        names = exported(source)
        if names is None:
            continue
        name = module_name(path)
        module = importlib.import_module(name)
        wrong += [f"{name}.{one} isn't there at run time" for one in names if not hasattr(module, one)]
        wrong += [f"{name}.{one} isn't known to checkers" for one in names if one not in bound(source)]
    assert wrong == []


def test_doors_export_what_they_define() -> None:
    """`__all__` of a module at the top of the package has each public class and function that it defines."""
    wrong = []
    for path in sorted(PACKAGE.glob("*.py")):
        source = path.read_text(encoding="utf-8")
        names = exported(source) or []
        defined = [node.name for node in ast.parse(source).body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
        wrong += [f"{path.stem}.{one}" for one in defined if not one.startswith("_") and one not in names]
    assert wrong == []


def test_stubs_get_the_types_of_fields_from_the_door() -> None:
    """`crossplane_lite.model` hands each type of a field on to checkers, the base of open classes too, and no more."""
    names = exported(FOR_CHECKERS[0].read_text(encoding="utf-8"))
    door = (PACKAGE / "model.py").read_text(encoding="utf-8")
    of_checkers = {name for name, handed_on in bound(door).items() if handed_on and not name.startswith("_")}
    assert names is not None
    assert of_checkers == {*names, "DynamicModel", *(exported(door) or ())}


def test_names_are_read_as_checkers_read_them() -> None:
    """Definitions and imports under their own name are public, other imports and private names are not."""
    source = "import os\nfrom a import b as b, c\nif d:\n    from e import f as f\nx: int\n_y = 1\nclass Z: ...\n"
    assert declared(source) == {"b", "f", "x", "Z"}
    assert bound(source)["c"] is False
    assert exported("__all__ = ['a']\n") == ["a"]
    assert exported(source) is None
