"""What gets imported, and which way (design section 2, "Packages and layers")."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import crossplane_lite
from tests.import_graph import ROOT, imports_in, module_name

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


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Yield (module of this package, whether the import runs when the module is loaded)."""
    package = module_name(path).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    for node, at_load, for_checkers in imports_in(path):
        if for_checkers:
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            base = package[: len(package) - node.level + 1] if node.level else []
            base = [*base, *(node.module.split(".") if node.module else [])]
            names = [".".join(base), *(".".join([*base, alias.name]) for alias in node.names)]
        for name in names:
            if name.partition(".")[0] == "crossplane_lite":
                yield name, at_load


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
        for node, at_load, for_checkers in imports_in(path):
            if not at_load or for_checkers:
                continue
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif not node.level and node.module:
                names = [node.module]
            wrong += [f"{name} imports {found}" for found in names if found.partition(".")[0] in NEVER]
    assert not wrong
