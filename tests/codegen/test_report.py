"""The report of a run, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

from crossplane_lite._tools.codegen.changes import Change, ModuleChanges
from crossplane_lite._tools.codegen.definitions import Definitions
from crossplane_lite._tools.codegen.output import Summary
from crossplane_lite._tools.codegen.report import Report
from crossplane_lite._tools.codegen.uses import Use

EMPTY = Report(1, 1, 0.04, Path("models"), Summary(3, 2, 1), False, None, None, [], Definitions([], {}, {}, []), [])


def lines(report: Report) -> list[str]:
    """Return the lines that people read, without the count and the folder."""
    return report.text().splitlines()[2:]


def test_counts() -> None:
    """The first line has the counts and the time, the second one what was written to the folder."""
    assert EMPTY.text() == "1 kind, 1 class in 0.0 s\nmodels: 3 files written, 2 unchanged, 1 removed"
    two = EMPTY._replace(kinds=2065, classes=12345, seconds=61.26, folder=Path("m"), summary=None)
    assert two.text() == "2,065 kinds, 12,345 classes in 61.3 s\nm is out of date: run generate again"
    assert two._replace(is_current=True).text().endswith("m is up to date")


def test_documents_without_an_api() -> None:
    """Documents that define nothing are counted, and packages have the name that fetches them."""
    found = Definitions([], {"a": "Provider", "b": "ConfigMap", "c": "ConfigMap"}, {"a": "x.org/y/z:v1"}, [])
    assert lines(EMPTY._replace(found=found)) == [
        "3 documents define no API, so nothing was made of them: ConfigMap, Provider",
        "a installs a package: give xpkg://x.org/y/z:v1",
    ]


def test_changes() -> None:
    """A change that may break code has a line of its own; removed classes and additions have one for each module."""
    changes = [
        Change("field removed", "Spec", "spec", "old", "str", ""),
        Change("field renamed", "Spec", "spec", "x_y", "x", "x_y"),
        Change("type changed", "Spec", "", "n", "int", "list[int]"),
        *(Change("class removed", f"C{number}", "", "", f"C{number}", "") for number in range(14)),
        Change("field added", "Spec", "spec", "new", "", "str"),
    ]
    modules = [
        *(ModuleChanges(f"m{number}", f"Kind{number}", "added", []) for number in range(13)),
        ModuleChanges("gone", "Gone", "removed", []),
        ModuleChanges("a", "A of b/v1", "changed", changes),
    ]
    assert lines(EMPTY._replace(modules=modules)) == [
        f"13 modules added: {', '.join(f'Kind{number}' for number in range(12))} and 1 more",
        "1 module removed: Gone",
        "1 module changed, 1 in a way that may break code",
        "  A of b/v1",
        "    field removed: Spec.old at spec",
        "    field renamed: Spec.x to x_y at spec",
        "    type changed: Spec.n from int to list[int]",
        f"    14 classes removed: {', '.join(f'C{number}' for number in range(12))} and 2 more",
        "    1 field added: Spec.new",
    ]


def test_uses_and_imports() -> None:
    """Lines of code are counted once, whatever is wrong in them; import lines are cut at eight."""
    uses = [Use("a.py", 3, 1, "one"), Use("a.py", 3, 9, "two"), Use("b.py", 1, 1, "three")]
    assert lines(EMPTY._replace(uses=uses)) == [
        *("the new models break 2 lines of the code:", "  a.py:3:1: one", "  a.py:3:9: two", "  b.py:1:1: three")
    ]
    assert lines(EMPTY._replace(uses=[])) == ["the new models break no line of the code"]
    imports = [f"from m import v{number}" for number in range(10)]
    assert lines(EMPTY._replace(imports=imports)) == [
        *("import them with", *(f"    {line}" for line in imports[:8]), "    and 2 more modules")
    ]


def test_for_programs() -> None:
    """All of it is one object, with null for what nobody asked for."""
    report = EMPTY._replace(uses=[Use("a.py", 3, 1, "one")], preferred=["p"], imports=["i"])
    assert json.loads(report.json()) == {
        "kinds": 1,
        "classes": 1,
        "seconds": 0.04,
        "is_current": False,
        "folder": {"path": "models", "written": 3, "unchanged": 2, "removed": 1},
        "modules": None,
        "uses": [{"path": "a.py", "line": 3, "column": 1, "text": "one"}],
        "imports": ["i"],
        "passed_over": [],
        "without_api": {},
        "preferred": ["p"],
    }
