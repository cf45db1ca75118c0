"""The definitions that the benchmarks make where there are no real ones."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from benchmarks import definitions, models
from crossplane_lite.cli import main


def _schema(crd: dict[str, Any]) -> dict[str, Any]:
    (version,) = crd["spec"]["versions"]
    schema: dict[str, Any] = version["schema"]["openAPIV3Schema"]
    return schema


@pytest.mark.parametrize("crd", [definitions.bucket(), definitions.cluster()], ids=["Bucket", "Cluster"])
def test_made_definitions_have_the_declared_numbers_of_classes(
    crd: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The generator makes as many classes of a made definition as are declared for it."""
    file = tmp_path / "crd.json"
    file.write_text(json.dumps(crd), encoding="utf-8")
    assert main(["generate", str(file), "--output", str(tmp_path / "models")]) == 0
    declared = definitions.CLASSES[crd["spec"]["names"]["kind"]]
    output = "".join(capsys.readouterr())
    assert f"1 kind, {declared} classes in " in output
    (module,) = (found for found in (tmp_path / "models").rglob("*.py") if found.name != "__init__.py")
    names = re.findall(r'^        "(\w+)": "(?!=)', module.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(set(names)) == declared


@pytest.mark.parametrize(
    ("crd", "levels"),
    [
        (definitions.bucket(), [1, 2, 6, 37, 21]),
        (definitions.cluster(), [1, 2, 6, 138, 225, 119, 44, 27, 22, 8]),
    ],
    ids=["Bucket", "Cluster"],
)
def test_made_definitions_are_as_deep_as_the_real_ones(crd: dict[str, Any], levels: list[int]) -> None:
    """A made definition has its objects on as many levels as the real one, with about as many on each."""
    assert definitions.objects(_schema(crd)) == levels


def test_made_definitions_are_always_the_same() -> None:
    """Two definitions that are made one after the other are equal, the order of their fields included."""
    assert repr(definitions.cluster()) == repr(definitions.cluster())
    assert repr(definitions.bucket()) == repr(definitions.bucket())


def test_a_directory_without_the_definitions_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory that BENCHMARK_CRDS names must have the files; nothing is made in their place."""
    monkeypatch.setenv("BENCHMARK_CRDS", str(tmp_path))
    models.find_real.cache_clear()
    try:
        with pytest.raises(FileNotFoundError, match=f"BENCHMARK_CRDS: {re.escape(str(tmp_path))} must have the files"):
            models.source()
    finally:
        models.find_real.cache_clear()


def _run(ratio: float | None, ours: float) -> dict[str, Any]:
    """Return what a run of the benchmarks writes, as far as it is compared."""
    beside = [{"competitor": "official", "ratio": ratio}]
    return {
        "rows": [
            {"row": "p50", "medians": {"ours": 1.0, "official": 2.0}, "beside": beside},
            {"row": "alone", "medians": {"ours": ours}, "beside": []},
            {"row": "left out", "skipped": "no Go"},
        ]
    }


@pytest.mark.parametrize(
    ("after", "status", "worse"),
    [
        (_run(0.5, 1.1), 0, []),
        (_run(0.7, 1.0), 1, ["  1.40  0.5 -> 0.7  p50, beside official  worse"]),
        (_run(0.1, 2.0), 1, ["  2.00  1 -> 2  alone  worse"]),
        (_run(None, 1.0), 0, []),
    ],
)
def test_two_runs_are_compared(
    after: dict[str, Any], status: int, worse: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Rows whose ratio, or whose own median where nothing is beside it, is a quarter worse are named."""
    from benchmarks.compare import main as compare

    files = [tmp_path / "before.json", tmp_path / "after.json"]
    for file, run in zip(files, (_run(0.5, 1.0), after), strict=True):
        file.write_text(json.dumps(run))
    assert compare([str(file) for file in files]) == status
    assert [line for line in capsys.readouterr().out.splitlines() if line.endswith("worse")] == worse
