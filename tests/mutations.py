"""Changes one place of the core at a time, and says which changes no test finds.

    python -m tests.mutations                    30 places, chosen by today's date
    python -m tests.mutations --count 40 --seed 7

It works on a copy of the checkout. A change survives if the tests of the core pass with it. The exit status is 1 if
more than one in ten survive.
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
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "crossplane_lite"
CORE = [f"_core/{room}" for room in "answer base call codec models observed paths resources schemas waits".split()]
# The tests of the core's rooms, those that fail soonest first.
TESTS = "behaviour models wire paths safety helpers codegen render test_status.py test_stdio.py".split()
SECONDS = 600
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
    """A change of one expression in a file of the checkout; the places are of the expression's first line."""

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


def survives(mutation: Mutation, copy: Path) -> bool:
    """Say whether the tests pass in a copy of the checkout with this change."""
    file = copy / mutation.file.relative_to(ROOT)
    before = file.read_bytes()
    file.write_bytes(before[: mutation.begin] + mutation.new.encode() + before[mutation.end :])
    # The copy's package has to be the one that servers and commands in processes of their own import.
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-n",
        "auto",
        "-p",
        "no:cacheprovider",
        *(f"tests/{one}" for one in TESTS),
    ]
    try:
        done = subprocess.run(command, cwd=copy, env=_environment(copy), capture_output=True, timeout=SECONDS)
        return done.returncode == 0
    except subprocess.TimeoutExpired:
        return False
    finally:
        file.write_bytes(before)


def _environment(copy: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}


def main() -> int:
    """Try a sample, and print the changes that survive."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=30)
    parser.add_argument("--seed", default=datetime.date.today().isoformat())
    arguments = parser.parse_args()
    files = [file for room in CORE for file in sorted((PACKAGE / room).rglob("*.py"))]
    candidates = [one for file in files for one in mutations(file)]
    sample = random.Random(arguments.seed).sample(candidates, arguments.count)
    survivors = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
        for name in filter(None, names.split("\0")):
            if (ROOT / name).exists():
                (copy / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, copy / name, follow_symlinks=False)
        if (ROOT.parent / "shared").exists():
            (Path(folder) / "shared").symlink_to((ROOT.parent / "shared").resolve())
        for number, mutation in enumerate(sample, 1):
            alive = survives(mutation, copy)
            survivors += alive
            print(f"{number:>3} {'SURVIVES' if alive else 'found':<9}{mutation}", flush=True)
    print(f"{len(sample) - survivors} of {len(sample)} found, of {len(candidates)} places; seed {arguments.seed}")
    return int(survivors * 10 > len(sample))


if __name__ == "__main__":
    sys.exit(main())
