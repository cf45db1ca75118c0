"""`--explain` of a network on AWS: which parameters and observed values each field is made from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crossplane_lite.cli import main
from tests.render import network


@pytest.mark.slow
@pytest.mark.parametrize("command", ["render", "simulate"])
def test_fields_of_a_network(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All fields are told exactly, while values are missing and when all of them are there."""
    (tmp_path / "xr.yaml").write_text(json.dumps(network.XR), encoding="utf-8")
    (tmp_path / "crd.yaml").write_text(json.dumps(network.DEFINITION), encoding="utf-8")
    fields = list(network.truth())
    names = [f"--explain={name}" for name in dict.fromkeys(name for name, *_ in fields)]
    arguments = [str(tmp_path / "xr.yaml"), "-s", str(tmp_path / "crd.yaml"), "--format", "json", *names]
    assert main([command, *arguments, "--function", "tests.render.network:compose"]) == 0
    out = json.loads(capsys.readouterr().out)
    told = {
        (one["name"], field["path"]): field
        for one in (out if command == "render" else out["explained"])
        for field in one["fields"]
    }
    wrong = []
    for name, path, parameters, observed in fields:
        field = told[name, path]
        sources, waits = set(field["madeFrom"]), set(field.get("waitsFor", ()))
        # What waits says so; what doesn't wait any more is made from the value.
        expected = (parameters, observed) if command == "render" else (parameters | observed, set())
        if (sources, waits) != expected:
            wrong.append(f"{name}: {path}: {sources} {waits}, not {expected}")
    assert len(fields) == 218
    assert wrong == []
