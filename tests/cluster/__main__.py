"""Runs all scenarios, and prints the table of what they measured: `python -m tests.cluster [arguments of pytest]`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

__all__ = ["main", "table"]

_WORKERS: Final = 8  # scenarios mostly wait
_COLUMNS: Final = {
    "ready_after": "Ready after (s)",
    "calls": "calls",
    "calls_a_minute": "calls a minute at rest",
    "writes_by_crossplane": "writes per resource by Crossplane",
    "writes_by_provider": "by the provider",
    "conflicts": "409 and 422",
    "lost": "lost",
    "recreated": "recreated",
    "spec_changes": "spec changes",
}


_GUARD_COLUMNS: Final = (
    "deleted",
    "recreated",
    "changed",
    "stuck",
    "writes",
    "calls of the function",
    "milliseconds of a call",
    "kilobytes of the guard",
)


def main(arguments: list[str]) -> int:
    """Run the scenarios, print the table, and return pytest's exit status.

    Scenarios that fail beside the others run once more with the machine to themselves, because they have time limits.
    """
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder, "rows")
        status = _run(rows, _WORKERS, arguments)
        if status == 1:
            print("\nthe scenarios that have failed run once more, one after the other", flush=True)
            status = _run(rows, 1, [*arguments, "--last-failed"])
        if rows.exists():
            print(table([json.loads(line) for line in rows.read_text().splitlines()]))
    return status


def _run(rows: Path, workers: int, arguments: list[str]) -> int:
    command = [sys.executable, "-m", "pytest", "tests/cluster", "-m", "cluster", "-n", str(workers)]
    return subprocess.run(
        [*command, "--dist", "loadscope", "--durations", "10", *arguments],
        env={**os.environ, "CROSSPLANE_SCENARIOS": str(rows)},
        cwd=Path(__file__).resolve().parents[2],
        check=False,
    ).returncode


def table(rows: list[dict[str, Any]]) -> str:
    """Return the measurements as a table, a line for each scenario and transport; others' functions come last."""
    lines = [["scenario", "transport", *_COLUMNS.values()]]
    last = []
    for row in sorted(rows, key=lambda one: (one["scenario"], one["transport"])):
        cells = [str(row.get(key, "")) for key in _COLUMNS]
        lines.append([row["scenario"] + ("" if row["passed"] else " (failed)"), row["transport"], *cells])
        if "official_lost" in row:
            text = f"the official SDK loses {row['official_lost']} of {row['official_of']} resources"
            last.append(f"{text} when one value of {row['scenario']} goes; this one {row['lost']}")
    return "\n".join([*_aligned(lines), *last, *_aligned(guard_lines(rows))])


def guard_lines(rows: list[dict[str, Any]]) -> list[list[str]]:
    """Return a line for each function and loss, with each figure without the guard and with it."""
    lines = [["function", "lost", *_GUARD_COLUMNS]]
    for row in sorted(rows, key=lambda one: one["scenario"]):
        for lost, figures in row.get("guard", {}).items():
            cells = [" -> ".join(map(str, figures.get(column, ""))) for column in _GUARD_COLUMNS]
            lines.append([row["scenario"], lost, *cells])
    return lines if lines[1:] else []


def _aligned(lines: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
