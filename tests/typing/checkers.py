"""Runs mypy and pyright over files, and reads what the files themselves expect of both."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = ["ROOT", "CheckerMissing", "Expected", "Report", "expected", "mypy", "normal", "pyright"]

ROOT = Path(__file__).resolve().parents[2]

_EXPECTATION = re.compile(r"  # (reveal|error): (.+)$")
_MYPY_LINE = re.compile(
    r"^(?P<file>[^:]+\.pyi?):(?P<line>\d+): (?P<severity>error|note): (?P<text>.*?)(?:  \[(?P<code>[\w-]+)\])?$"
)
_MYPY_REVEAL = re.compile(r'^Revealed type is "(.*)"$')
_PYRIGHT_REVEAL = re.compile(r'^Type of ".*" is "(.*)"$', re.DOTALL)


class CheckerMissing(Exception):
    """The checker can't run here; the text says why."""


class Report:
    """What a checker said of one file.

    Attributes:
        reveals: Line to revealed type, in normal form.
        errors: Line to the codes (mypy) or rules (pyright) of its errors.
    """

    def __init__(self) -> None:
        self.reveals: dict[int, str] = {}
        self.errors: dict[int, set[str]] = {}


class Expected:
    """What a file expects.

    Attributes:
        reveals: Line to type, in normal form.
        errors: Line to the codes that mypy may use and the rules that pyright may use.
    """

    def __init__(self) -> None:
        self.reveals: dict[int, str] = {}
        self.errors: dict[int, tuple[set[str], set[str]]] = {}


def expected(path: Path) -> Expected:
    """Read the comments `# reveal: TYPE` and `# error: CODE RULE` (alternatives with a bar between them)."""
    found = Expected()
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = _EXPECTATION.search(line)
        if match is None:
            assert "reveal_type(" not in line, f"{path.name}:{number} doesn't say what it expects"
        elif match[1] == "reveal":
            found.reveals[number] = normal(match[2])
        else:
            code, rule = match[2].split()
            found.errors[number] = (set(code.split("|")), set(rule.split("|")))
    return found


class _Names(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        return ast.Name(node.attr)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        return _union([self.visit(node.left), self.visit(node.right)])

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Tuple):
            if node.value.id == "Union":
                return _union(node.slice.elts)
            if node.value.id == "Literal":
                return _union([ast.Subscript(node.value, value, ast.Load()) for value in node.slice.elts])
        return node


def _union(members: list[ast.expr]) -> ast.expr:
    flat: dict[str, ast.expr] = {}
    for member in members:
        for one in member.elts if isinstance(member, ast.Set) else [member]:
            flat[ast.unparse(one)] = one
    return ast.Set([flat[text] for text in sorted(flat)])


def normal(type_: str) -> str:
    """Return a type in a form that both checkers share: no module names, unions and Literals as sorted sets."""
    try:
        parsed = ast.parse(type_, mode="eval")
    except SyntaxError:  # what a checker writes of functions is no expression
        return type_
    return ast.unparse(_Names().visit(parsed))


def _run(
    arguments: Iterable[str], root: Path = ROOT, mypy_path: Iterable[Path] = (), seconds: float = 300
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", "NO_COLOR": "1"}
    environment["MYPYPATH"] = os.pathsep.join(map(str, mypy_path))
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(
        command, cwd=root, env=environment, capture_output=True, text=True, timeout=seconds, check=False
    )


def _collect(paths: Iterable[Path]) -> dict[Path, Report]:
    return {path: Report() for path in paths}


def mypy(
    paths: Iterable[Path], cache: Path, *options: str, root: Path = ROOT, mypy_path: Iterable[Path] = ()
) -> Mapping[Path, Report]:
    """Run `mypy --strict` without any configuration file.

    Args:
        paths: Files, and folders of packages, under the root.
        cache: A folder for mypy's cache.
        options: More options.
        root: The folder of the project that is checked.
        mypy_path: More folders in which mypy looks for modules.

    Returns:
        A report for each file, and for each file in a folder of which something is said.

    Raises:
        CheckerMissing: mypy is not installed.
    """
    reports = _collect(paths)
    names = [str(path.relative_to(root)) for path in reports]
    # Imported modules are read for their types and not reported on: the package has a check of its own.
    fixed = ["--strict", "--config-file=", "--follow-imports=silent", "--no-pretty", f"--cache-dir={cache}"]
    result = _run(["mypy", *fixed, *options, *names], root, mypy_path)
    if "No module named mypy" in result.stderr:
        raise CheckerMissing("mypy is not installed")
    assert re.search(r"^(Found|Success)", result.stdout, re.MULTILINE), result.stdout + result.stderr
    for line in result.stdout.splitlines():
        match = _MYPY_LINE.match(line)
        if match is None:  # the summary
            assert ": error: " not in line, line
            continue
        report = reports.setdefault(root / match["file"], Report())
        number = int(match["line"])
        reveal = _MYPY_REVEAL.match(match["text"])
        if reveal is not None:
            report.reveals[number] = normal(reveal[1])
        elif match["severity"] == "error":
            report.errors.setdefault(number, set()).add(match["code"])
    return reports


def pyright(paths: Iterable[Path], *, root: Path = ROOT, python: str = sys.executable) -> Mapping[Path, Report]:
    """Run pyright; a file says itself, in its first line, how strict it is to be checked.

    Args:
        paths: Files, and folders of packages, under the root.
        root: The folder of the project that is checked; a pyrightconfig.json in it counts.
        python: The interpreter whose installed packages count.

    Returns:
        A report for each file, and for each file in a folder of which something is said.

    Raises:
        CheckerMissing: pyright is not installed, or has no Node.js and can't fetch one.
    """
    reports = _collect(paths)
    try:
        version = _run(["pyright", "--version"], seconds=120)
    except subprocess.TimeoutExpired:
        raise CheckerMissing("pyright did not start within two minutes") from None
    if version.returncode:
        reason = (version.stderr or version.stdout).strip().rpartition("\n")[2]
        raise CheckerMissing(f"pyright can't run: {reason}")
    result = _run(["pyright", "--outputjson", "--pythonpath", python, *map(str, reports)], root)
    assert result.returncode in (0, 1), result.stdout + result.stderr
    for diagnostic in json.loads(result.stdout)["generalDiagnostics"]:
        report = reports.setdefault(Path(diagnostic["file"]), Report())
        number = diagnostic["range"]["start"]["line"] + 1
        reveal = _PYRIGHT_REVEAL.match(diagnostic["message"])
        if reveal is not None and diagnostic["severity"] == "information":
            report.reveals[number] = normal(reveal[1])
        else:
            report.errors.setdefault(number, set()).add(diagnostic.get("rule", diagnostic["message"]))
    return reports
