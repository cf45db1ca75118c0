"""Tools see what a call does through its observer, and patch nothing."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import Unstructured, composition
from crossplane_lite._core.observed.tracker import Observer, observed_calls
from crossplane_lite._tools.render.explain import explain
from crossplane_lite._tools.render.pipeline import Step
from crossplane_lite.render import render
from crossplane_lite.testing import request
from tests.import_graph import ROOT, imports_in, uncollected

TOOLS = ("_tools", "testing", "render")
# What a command sets up for its process.
_OF_TERMINALS = ("crossplane_lite._core.base.stdio", "crossplane_lite._core.base.terminal")
XR: dict[str, Any] = {"apiVersion": "example.org/v1", "kind": "XThing", "metadata": {"name": "a"}, "spec": {"a": 1}}


@composition.function
def compose(ctx: composition.Context) -> None:
    """Read, set, make and register."""
    xr = ctx.composite(Unstructured)
    thing = ctx.resource("a", Unstructured("example.org/v1", "Thing", spec={"a": xr.observed.spec.a}))
    thing.metadata.labels["b"] = "c"
    xr.status.b = thing.observed.status.b
    assert ctx.request is not None
    PATCHED.append(state())


PATCHED: list[dict[str, dict[str, Any]]] = []


def state() -> dict[str, dict[str, Any]]:
    """Return what every module and class of the core has, by the name of the module or class."""
    found = {}
    for name, module in list(sys.modules.items()):
        room = name.removeprefix("crossplane_lite.").partition(".")[0]
        if name.startswith("crossplane_lite.") and room not in TOOLS and not name.startswith(_OF_TERMINALS):
            for key, value in list(vars(module).items()):
                if callable(value):
                    found[f"{name}.{key}"] = {"": value, **(vars(value) if isinstance(value, type) else {})}
    return found


def stores(path: Path) -> Iterator[str]:
    """Yield each assignment to an attribute of a name that a module imports from this package."""
    imported = {
        alias.asname or alias.name
        for node, _, _ in imports_in(path)
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        target: Any = node
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("setattr", "delattr"):
            target = node.args[0]
        elif not (isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)):
            continue
        while isinstance(target, ast.Attribute):
            target = target.value
        if isinstance(target, ast.Name) and target.id in imported:
            yield f"{path.name}:{node.lineno}"


@pytest.mark.parametrize("room", ["testing", *sorted(str(p.relative_to(ROOT)) for p in ROOT.glob("_tools/*/"))])
def test_no_tool_assigns_attributes_of_others(room: str) -> None:
    """No tool sets or deletes attributes of a module or class of the package that it imports."""
    paths = sorted((ROOT / room).rglob("*.py"))
    with uncollected():
        assert [found for path in paths for found in stores(path)] == []


def test_previews_patch_nothing() -> None:
    """While render and --explain run compose(), all functions and classes of the core are what they are in a server."""
    PATCHED.clear()
    compose.run(request(XR))
    rendered = render(XR, [Step("s", "f")], {"f": compose})
    explain(rendered.steps, "a")
    before, *others = PATCHED
    assert len(others) > 3
    for now in others:
        assert {key: now[key] for key in before} == before


def test_the_observer_is_told() -> None:
    """An observer is told of what compose() does, in order, and of nothing after the end."""
    said: list[str] = []

    class Told(Observer):
        def made(self, model: Any) -> None:
            said.append(f"made {type(model).__name__}")

        def has_set(self, holder: Any, key: Any) -> None:
            said.append(f"set {key}")

        def read(self, node: Any, field: Any, value: Any) -> None:
            said.append(f"read {field.name} {type(value).__name__}")

        def composite(self, model: Any) -> None:
            said.append("composite")

        def took_request(self) -> None:
            said.append("request")

        def registered(self, name: str, model: Any) -> None:
            said.append(f"registered {name}")

        def ended(self, call: Any, error: BaseException | None) -> None:
            said.append(f"ended {error}")
            Unstructured("example.org/v1", "Thing")

    compose.run(request(XR), Told())
    wanted = "composite", "read a int", "registered a", "read status Observable", "set b", "request"
    assert sorted(wanted, key=lambda one: len(said) - said[::-1].index(one)) == list(wanted)
    assert "made Unstructured" in said
    assert said[-1] == "ended None"
    assert not observed_calls


def test_the_observer_is_told_of_errors() -> None:
    """An observer is told of a name that is registered twice, and of the exception that ends compose()."""
    refused: list[str] = []
    errors: list[BaseException | None] = []

    class Told(Observer):
        def refused(self, name: str) -> None:
            refused.append(name)

        def ended(self, call: Any, error: BaseException | None) -> None:
            errors.append(error)

    @composition.function
    def twice(ctx: composition.Context) -> None:
        for _ in range(2):
            ctx.resource("a", Unstructured("example.org/v1", "Thing"))

    twice.run(request(XR), Told())
    assert refused == ["a"]
    assert [type(one).__name__ for one in errors] == ["DuplicateResourceError"]
