"""What `-k` chooses, and what is in the JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from benchmarks.rows import ROWS

pytest.importorskip("pytest_benchmark", reason="pytest-benchmark is not installed (extra [bench])")

_FOLDER = Path(__file__).resolve().parent
_BESIDE = {"competitor", "ratio", "ratio_of_means", "target", "reached"}


def _pytest(*arguments: str) -> str:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "no:cacheprovider",
        *arguments,
        str(_FOLDER / "test_rows.py"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def _chosen(expression: str) -> dict[str, set[str]]:
    """Return the sides that `-k` chooses, by row."""
    timed = {
        f"test_time[{row.name}-{side}]": (row.name, side) for row in ROWS for side in row.sides
    }
    found: dict[str, set[str]] = defaultdict(set)
    for line in _pytest("--collect-only", "-q", "-k", expression).splitlines():
        name = line.partition("::")[2]
        if name in timed:
            row, side = timed[name]
            found[row].add(side)
    return found


@pytest.mark.parametrize("expression", ["ours and not floor", "nodes-ours]"])
def test_all_sides_of_a_row_are_chosen(expression: str) -> None:
    """Whatever `-k` chooses by, a row's name or one side's, it chooses all sides of a row, and not
    all rows.
    """
    found = _chosen(expression)
    assert found == {row.name: set(row.sides) for row in ROWS if row.name in found}
    assert 0 < len(found) < len(ROWS)


def test_a_side_chooses_its_rows() -> None:
    """The name of a side chooses the rows that have it, and no others."""
    assert set(_chosen("ruamel")) == {
        row.name for row in ROWS if "ruamel.yaml" in row.sides and row.unit == "s"
    }


def test_json_holds_ratio_target_and_competitor(tmp_path: Path) -> None:
    """In the JSON, ours has its ratio, its target and the competitor; rows of times and of bytes
    are all listed.
    """
    file = tmp_path / "benchmarks.json"
    _pytest("-k", "Struct and 185", f"--benchmark-json={file}")
    found = json.loads(file.read_text(encoding="utf-8"))
    ours = {one["group"]: one for one in found["benchmarks"] if one["name"] == "ours"}
    chosen = {row.name: row for row in ROWS if "Struct" in row.name}
    assert set(ours) == set(chosen)
    for name, row in chosen.items():
        info = ours[name]["extra_info"]
        (reach,) = row.reach
        theirs = next(
            one
            for one in found["benchmarks"]
            if (one["group"], one["name"]) == (name, reach.against)
        )
        assert info["competitor"] == reach.against
        assert info["target"] == reach.factor
        assert info["ratio"] == pytest.approx(
            ours[name]["stats"]["median"] / theirs["stats"]["median"], rel=1e-3
        )
        means = [one["stats"]["mean"] for one in (ours[name], theirs)]
        assert info["ratio_of_means"] == pytest.approx(means[0] / means[1], rel=1e-3)
        assert {one["competitor"] for one in info["beside"]} == set(row.sides) - {"ours"}
        assert all(set(one) == _BESIDE for one in info["beside"])
    assert [one["row"] for one in found["rows"]] == list(chosen)
    assert found["definitions"]
