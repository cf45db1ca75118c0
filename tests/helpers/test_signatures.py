"""The names and parameters of the official SDK's helpers, all of which are here too."""

from __future__ import annotations

import enum
import importlib
import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from tests.helpers.families import ROOT, official

MODULES = ["logging", "request", "resource", "response", "runtime"]


def public(module: Any) -> dict[str, Any]:
    """Return the public functions and classes that a module defines itself."""
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and callable(value) and getattr(value, "__module__", None) == module.__name__
    }


def parameters(value: Any) -> list[tuple[str, Any, Any]]:
    """Return name, kind and default of each parameter; members of enums by their names, which are comparable."""
    try:
        signature = inspect.signature(value)
    except ValueError:  # an enum's constructor has none that counts
        return []
    return [
        (one.name, one.kind, one.default.name if isinstance(one.default, enum.Enum) else one.default)
        for one in signature.parameters.values()
    ]


def differences(name: str, theirs: Any, ours: Any) -> Iterator[str]:
    """Yield where one of our helpers can't be called as the official one."""
    wanted, got = parameters(theirs), parameters(ours)
    if got[: len(wanted)] != wanted:
        yield f"{name}: {wanted} wanted, got {got}"
    for more, kind, default in got[len(wanted) :]:
        if default is inspect.Parameter.empty or (
            kind is not inspect.Parameter.KEYWORD_ONLY and kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD
        ):
            yield f"{name}: {more} isn't optional"
    if inspect.isclass(theirs):
        if not inspect.isclass(ours):
            yield f"{name}: must be a class"
        for method, value in vars(theirs).items():
            if not method.startswith("_") and callable(value):
                yield from differences(f"{name}.{method}", value, getattr(ours, method))


@pytest.mark.parametrize("module", MODULES)
def test_every_official_helper_is_here_with_the_same_parameters(module: str) -> None:
    """Names, order, kinds and defaults are those of the official SDK; ours may take more, if it is optional."""
    theirs = public(official(module))
    ours = importlib.import_module(f"crossplane_lite.{module}")
    assert theirs
    assert sorted(name for name in theirs if not hasattr(ours, name)) == []
    assert [line for name, value in theirs.items() for line in differences(name, value, getattr(ours, name))] == []


@pytest.mark.parametrize("module", [*MODULES, "cli"])
def test_the_reference_has_every_official_helper(module: str) -> None:
    """The reference's table of the official SDK's helpers has a row for each of them, under the module's name."""
    page = (ROOT / "docs" / "reference" / "helpers.rst").read_text(encoding="utf-8")
    table = page[page.index("   * - Official SDK\n") :]
    rows = [" ".join(row.split()) for row in table[: table.index("\n\n\n")].split("   * - ")]
    of_module = [row for row in rows if row.startswith(f"``{module}.")]
    missing = [name for name in public(official(module)) if not any(f"{name}``" in row for row in of_module)]
    assert missing == []
    assert of_module


@pytest.mark.parametrize("module", MODULES)
def test_every_official_constant_is_here(module: str) -> None:
    """Constants have the names of the official SDK; those that are no implementation detail, its values too."""
    theirs = {name: value for name, value in vars(official(module)).items() if name.isupper() and name[0] != "_"}
    ours = importlib.import_module(f"crossplane_lite.{module}")
    assert [name for name in theirs if not hasattr(ours, name)] == []
    assert {name: getattr(ours, name) for name in theirs} == theirs or module == "runtime"


def test_runtime_constants() -> None:
    """Both services are served, as in the official SDK; running calls get longer than its five seconds."""
    from crossplane_lite import runtime

    theirs = official("runtime")
    assert set(runtime.SERVICE_NAMES) == {name for name in theirs.SERVICE_NAMES if "reflection" not in name}
    assert runtime.SHUTDOWN_GRACE_PERIOD_SECONDS > theirs.SHUTDOWN_GRACE_PERIOD_SECONDS


def test_levels() -> None:
    """The levels of logging are those of the official SDK."""
    from crossplane_lite.logging import Level

    assert [(level.name, level.value) for level in Level] == [
        (level.name, level.value) for level in official("logging").Level
    ]


@pytest.mark.parametrize("module", [*MODULES, "proto.v1.run_function_pb2_grpc", "proto.v1beta1.run_function_pb2_grpc"])
def test_everything_exported_is_there_and_documented(module: str) -> None:
    """`__all__` is sorted as the linter sorts it and complete, and every function and class in it has a docstring."""
    ours = importlib.import_module(f"crossplane_lite.{module}")
    assert [name for name in ours.__all__ if not hasattr(ours, name)] == []
    assert sorted(public(ours)) == sorted(name for name in ours.__all__ if name in public(ours))
    for name in ours.__all__:
        value = getattr(ours, name)
        assert not callable(value) or inspect.getdoc(value), name


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_the_grpc_modules_have_the_official_names(version: str) -> None:
    """Base class, client and registration have the names that generated code has."""
    theirs = official(f"proto.{version}.run_function_pb2_grpc")
    ours = importlib.import_module(f"crossplane_lite.proto.{version}.run_function_pb2_grpc")
    assert set(public(theirs)) == set(ours.__all__)


def test_logging_shadows_nothing() -> None:
    """Inside of the package `import logging` is the standard library's, not our module of that name."""
    import logging

    import crossplane_lite.logging
    import crossplane_lite.runtime.log
    import crossplane_lite.runtime.server

    assert crossplane_lite.logging is not logging
    for module in (crossplane_lite.logging, crossplane_lite.runtime.log, crossplane_lite.runtime.server):
        assert vars(module)["logging"] is logging


def test_the_package_runtime_loads_its_helpers_late() -> None:
    """Importing `crossplane_lite.runtime` loads no gRPC; its names are listed and an unknown one is refused."""
    import subprocess
    import sys

    program = (
        "import sys, crossplane_lite.runtime as r, crossplane_lite.logging\n"
        "assert {'serve', 'load_credentials'} <= set(dir(r)) and not hasattr(r, 'no_such_name')\n"
        "assert 'grpc' not in sys.modules and 'asyncio' not in sys.modules\n"
        "assert callable(r.serve) and 'grpc' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True, timeout=60)
