"""`crossplane-lite report`, and `crossplane-lite simulate --html`."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite.cli import main
from tests.recorder.report.pages import record
from tests.runtime.serving import ROOT
from tests.simulate.simulating import chain
from tests.simulate.simulating import simulated as simulation

VPC = [f"examples/vpc/{name}.yaml" for name in ("xr", "composition", "functions")]


@pytest.fixture(autouse=True)
def as_from_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    """The current directory is the project's."""
    monkeypatch.chdir(ROOT)


def data_of(file: Path) -> Any:
    """Return what a page shows."""
    found = re.search(r'id="recording">([^<]*)<', file.read_text())
    assert found is not None
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def test_a_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`report` writes the page of a recording, and says where it is."""
    recording = record(tmp_path / "recording", simulation(chain))
    assert main(["report", str(recording), "-o", str(tmp_path / "page.html")]) == 0
    data = data_of(tmp_path / "page.html")
    assert data["title"] == "recording" and data["xrs"] == [["XNetwork", "net"]]
    assert "page.html" in capsys.readouterr().err


def test_a_recording_that_is_cut_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A recording whose end is cut off is shown, and both the page and the terminal say so."""
    recording = record(tmp_path / "recording", simulation(chain))
    (file,) = recording.iterdir()
    file.write_bytes(file.read_bytes()[:-20])
    assert main(["report", str(recording), "-o", str(tmp_path / "page.html")]) == 0
    assert "cut off" in capsys.readouterr().err
    assert "cut off" in data_of(tmp_path / "page.html")["notes"][0]


def test_a_recording_with_a_function(tmp_path: Path) -> None:
    """With --function, fields have lines."""
    recording = record(tmp_path / "recording", simulation(chain))
    target = "tests.recorder.report.functions:composed"
    assert main(["report", str(recording), "-o", str(tmp_path / "page.html"), "--function", target]) == 0
    assert "simulating.py:" in json.dumps(data_of(tmp_path / "page.html")["facts"])


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--function", "other=a:b"], "no step calls a function 'other'"),
        (["--function", "f0=tests.no_such_module:x"], "no_such_module"),
        (["-o", "no/such/folder/page.html"], "no/such/folder/page.html"),
    ],
)
def test_what_cant_be_used(tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], text: str) -> None:
    """A function that can't be used, and a file that can't be written, are errors that name them."""
    recording = record(tmp_path / "recording", simulation(chain))
    assert main(["report", str(recording), "-o", str(tmp_path / "page.html"), *arguments]) == 2
    assert text in capsys.readouterr().err


def test_no_recording(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that isn't a recording is an error that names it, and no page is written."""
    (tmp_path / "x.jsonl").write_text("hello\n")
    assert main(["report", str(tmp_path / "x.jsonl"), "-o", str(tmp_path / "page.html")]) == 2
    assert "x.jsonl" in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()


@pytest.mark.slow
def test_a_simulation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`simulate --html` writes the page beside what it prints."""
    function = "function-network=examples.vpc.function:compose"
    page = tmp_path / "page.html"
    assert main(["simulate", *VPC, "--function", function, "--fixtures", "examples/vpc/fixtures.yaml"]) == 0
    before = capsys.readouterr()
    assert (
        main(
            ["simulate", *VPC, "--function", function, "--fixtures", "examples/vpc/fixtures.yaml", "--html", str(page)]
        )
        == 0
    )
    assert capsys.readouterr() == before
    data = data_of(page)
    assert data["title"] == "Network office"
    assert [time for time, *_ in data["reconciles"]] == [f"round {number}" for number in range(1, 8)]


@pytest.mark.parametrize(("side", "gone"), [("ours", []), ("official", ["gateway", "group", "subnet-a"])])
def test_a_simulation_with_a_loss(tmp_path: Path, side: str, gone: list[str]) -> None:
    """The page of a simulation with --degrade has the reconcile after the loss: what it keeps, and what it deletes."""
    if side == "official":
        pytest.importorskip("crossplane.function", reason="the official SDK needs Python 3.11")
    page, example = tmp_path / "page.html", ROOT / "examples" / "lost_field"
    files = [str(example / "xr.yaml"), "--fixtures", str(example / "fixtures.yaml"), "--html", str(page)]
    loss = ["--degrade", "vpc.status.atProvider.id"]
    status = main(["simulate", *files, "--function", f"examples.lost_field.{side}:compose", *loss])
    assert status == (1 if gone else 0)
    data = data_of(page)
    (*rounds, (time, _, number, is_loss)) = data["reconciles"]
    assert not any(one[3] for one in rounds) and is_loss
    assert time == f"round {len(rounds)} without vpc.status.atProvider.id"
    fact = data["facts"][number]
    effects = [data["facts"][one] for one in fact["effects"]]
    assert [one["name"] for one in effects if one["action"] == "deletes"][:3] == gone
    assert fact["keeps"] == ([] if gone else ["gateway", "group", "subnet-a", "subnet-b", "table"])


def test_a_simulation_that_fails(tmp_path: Path) -> None:
    """The page of a simulation that fails shows its failure as the last reconcile."""
    page = tmp_path / "page.html"
    failing = "function-network=tests.recorder.report.functions:failing"
    assert main(["simulate", *VPC, "--function", failing, "--html", str(page)]) == 1
    data = data_of(page)
    assert "there is no zone" in data["facts"][data["reconciles"][-1][2]]["error"]
