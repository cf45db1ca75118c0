"""Changes one place of the core at a time, and says which changes no test finds.

    python -m tests.mutations                    30 places, chosen by today's date
    python -m tests.mutations --count 40 --seed 7

It works on a copy of the checkout, whose tests must pass without a change. A change is found if a test of the core
fails with it; it isn't if they pass, or take five times as long. The exit status is 1 if more than one in ten aren't
found.
"""

from __future__ import annotations

import argparse
import ast
import datetime
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "crossplane_lite"
_ROOMS = "answer base call codec dependencies known models observed paths resources schemas"
CORE = [f"_core/{room}" for room in _ROOMS.split()]
# The tests of the core's rooms, those that fail soonest first.
TESTS = "behaviour models wire paths krm safety helpers codegen render test_status.py test_stdio.py".split()
_OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


class Mutation(NamedTuple):
    """A change of one expression, which stands at `line` and in the bytes from `begin` to `end` of a file."""

    file: Path
    line: int
    begin: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)}:{self.line}: {self.old} -> {self.new}"


def mutations(file: Path) -> list[Mutation]:
    """Return the changes that can be made in a file, one for each expression that has any."""
    text = file.read_text(encoding="utf-8")
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = []
    for node, changed in _changes(ast.parse(text)):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        new = f"({ast.unparse(changed)})"
        found.append(Mutation(file, node.lineno, begin, end, ast.unparse(node), new))
    return found


def _changes(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
        return
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield node, ast.Compare(node.left, [_OPPOSITES[type(node.ops[0])]()], node.comparators)
    elif isinstance(node, ast.BoolOp):
        yield node, ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, node.operand
    elif isinstance(node, ast.IfExp):
        yield node, ast.IfExp(node.test, node.orelse, node.body)
    elif isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Constant):
        yield node.value, ast.Constant(None)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _changes(child)


def failure(copy: Path, seconds: float | None = None) -> str:
    """Return pytest's line about the first test of the core that fails in a copy of the checkout; "" if none does."""
    # The copy's package has to be the one that servers and commands in processes of their own import.
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [
        sys.executable,
        *"-m pytest -x -q -n auto -p no:cacheprovider".split(),
        *(f"tests/{one}" for one in TESTS),
    ]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, timeout=seconds)
    if done.returncode == 0:
        return ""
    lines = (done.stdout + done.stderr).splitlines()
    return next((line for line in lines if line.startswith(("FAILED tests", "ERROR tests"))), lines[-1])


def outcome(mutation: Mutation, copy: Path, seconds: float) -> str:
    """Return what becomes of the tests in a copy of the checkout with this change: "found by ..." if one fails."""
    file = copy / mutation.file.relative_to(ROOT)
    before = file.read_bytes()
    file.write_bytes(before[: mutation.begin] + mutation.new.encode() + before[mutation.end :])
    try:
        failed = failure(copy, seconds)
        return f"found by {failed}" if failed else "SURVIVES"
    except subprocess.TimeoutExpired:
        return "NO END"
    finally:
        file.write_bytes(before)


def main() -> int:
    """Try a sample, and print the changes that survive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", default=datetime.date.today().isoformat())
    arguments = parser.parse_args()
    files = [file for room in CORE for file in sorted((PACKAGE / room).rglob("*.py"))]
    candidates = [one for file in files for one in mutations(file)]
    sample = random.Random(arguments.seed).sample(candidates, arguments.count)
    found = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
        for name in filter(None, names.split("\0")):
            if (ROOT / name).exists():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy / name, follow_symlinks=False)
        if (ROOT.parent / "shared").exists():
            (Path(folder) / "shared").symlink_to((ROOT.parent / "shared").resolve())
        began = time.monotonic()
        if failed := failure(copy):
            sys.exit(f"the tests fail without a change: {failed}")
        seconds = 5 * (time.monotonic() - began)
        for number, mutation in enumerate(sample, 1):
            text = outcome(mutation, copy, seconds)
            found += text.startswith("found")
            print(f"{number:>3} {mutation}\n    {text}", flush=True)
    print(f"{found} of {len(sample)} found, of {len(candidates)} places; seed {arguments.seed}")
    return int(found * 10 < len(sample) * 9)


if __name__ == "__main__":
    sys.exit(main())
