"""What gets imported, and which way (design section 2, "Packages and layers")."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import crossplane_lite

ROOT = Path(crossplane_lite.__file__).parent
# What a function that only composes must not load.
NEVER = {"pydantic", "yaml", "cattrs", "unittest", "argparse", "grpc", "asyncio"}
RUNTIME = {"runtime", "logging", "cli", "__main__", "krm"}
DEVELOPMENT = {"_tools", "krm", "render", "testing"}


def loaded(code: str) -> set[str]:
    """Return the top-level modules that a fresh process has loaded after `code`."""
    script = f"{code}\nimport sys\nprint(*sorted({{m.partition('.')[0] for m in sys.modules}}))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT.parent)
    return set(result.stdout.split())


def package_modules(code: str) -> set[str]:
    """Return this package's modules that a fresh process has loaded after `code`."""
    script = f"{code}\nimport sys\nprint(*sorted(m for m in sys.modules if m.startswith('crossplane_lite')))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT.parent)
    return set(result.stdout.split())


CALL = """
from crossplane_lite import composition
from tests.behaviour.models import Bucket, VPC

@composition.function
def compose(ctx):
    vpc = ctx.resource("vpc", VPC())
    ctx.resource("bucket", Bucket()).spec.forProvider.location = f"{vpc.observed.status.atProvider.vpcId}"

assert compose.run(b"")
"""


@pytest.mark.parametrize(
    "code",
    [
        "import crossplane_lite",
        "from crossplane_lite import Observable, UNSET, NULL, Unstructured, apply, composition",
        CALL,
    ],
    ids=["package", "public names", "a call"],
)
def test_the_core_is_light(code: str) -> None:
    """Importing the package, its public names, and calling a function load none of the heavy modules."""
    assert not loaded(code) & NEVER


def test_the_package_imports_lazily() -> None:
    """Importing the package alone doesn't load protobuf, attrs or most of its own modules."""
    assert not loaded("import crossplane_lite") & {"attr", "google"}
    modules = package_modules("import crossplane_lite")
    assert "crossplane_lite.composition" not in modules


def test_a_call_loads_no_outer_ring() -> None:
    """A function that is called loads nothing of runtime or development."""
    outer = {m for m in package_modules(CALL) if m.split(".")[1:2] and m.split(".")[1] in RUNTIME | DEVELOPMENT}
    assert not outer


def test_the_public_names_are_there() -> None:
    """Every public name of the package can be imported and listed."""
    names = ["NULL", "UNSET", "Observable", "Unstructured", "apply", "composition"]
    for name in names:
        assert getattr(crossplane_lite, name) is not None
        assert name in dir(crossplane_lite)
    with pytest.raises(AttributeError):
        _ = crossplane_lite.no_such_name


def ring(module: str) -> int:
    """Return the ring of a module of the package: 1 core, 2 runtime, 3 development."""
    part = (module.split(".") + [""])[1]
    # The table of commands belongs to the command line, though commands of development stand beside it.
    table = {"_tools", "_tools.commands", "_tools.commands.suggesting", "_tools.commands.table"}
    if module.removeprefix("crossplane_lite.") in table or module.startswith("crossplane_lite._tools.commands.table."):
        return 2
    return 3 if part in DEVELOPMENT else 2 if part in RUNTIME else 1


def module_name(path: Path) -> str:
    """Return the dotted name of a source file."""
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Yield (module of this package, whether the import runs when the module is loaded)."""
    package = module_name(path).split(".")
    if path.name != "__init__.py":
        package = package[:-1]

    def visit(node: ast.AST, at_load: bool) -> Iterator[tuple[str, bool]]:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for child in node.orelse:
                yield from visit(child, at_load)
            return
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, at_load
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = [*base, *(node.module.split(".") if node.module else [])]
            yield ".".join(base), at_load
            for alias in node.names:
                yield ".".join([*base, alias.name]), at_load
        inner = at_load and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, inner)

    for found, at_load in visit(ast.parse(path.read_text(encoding="utf-8")), True):
        if found.partition(".")[0] == "crossplane_lite":
            yield found, at_load


# The one door from the core outwards, opened by compose.main() only.
DOORS = {("crossplane_lite.composition", "crossplane_lite.runtime.flags")}


def test_inner_rings_never_import_outer_ones() -> None:
    """The core imports neither runtime nor development, the runtime imports no development; cli only when asked."""
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        name = module_name(path)
        for found, at_load in imports(path):
            if ring(found) <= ring(name):
                continue
            lazy_command = name in ("crossplane_lite.cli", "crossplane_lite.__main__") and not at_load
            door = not at_load and any(
                name == inner and (f"{outer}.".startswith(f"{found}.") or found.startswith(f"{outer}."))
                for inner, outer in DOORS
            )
            if not lazy_command and not door:
                wrong.append(f"{name} imports {found}")
    assert not wrong


def test_the_core_imports_nothing_heavy_when_loaded() -> None:
    """No module of the core imports grpc, asyncio, yaml, argparse or cattrs at its top level."""
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        name = module_name(path)
        if ring(name) > 1:
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names = [node.module]
            wrong += [f"{name} imports {found}" for found in names if found.partition(".")[0] in NEVER]
    assert not wrong
