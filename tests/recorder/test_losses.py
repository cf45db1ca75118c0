"""Observed values are taken away, one at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import testing
from crossplane_lite._core import codec
from crossplane_lite._tools.recorder.asking import Known, Question
from crossplane_lite._tools.recorder.losses import without
from crossplane_lite._tools.recorder.recording import OPERATION, Subject
from crossplane_lite.cli import main
from crossplane_lite.proto import _view
from crossplane_lite.runtime._message_functions import runner_of
from tests.recorder import functions
from tests.recorder.recordings import network, record_all, write_call, writer
from tests.runtime.serving import in_process

TARGET = "tests.recorder.functions"
ALL = ("--drop", "*", "--degrade", "*")
OF_THE_VPC = ["--degrade vpc.status", "--degrade vpc.status.id", "--drop vpc"]
SUBNETS = ["subnet-a", "subnet-b", "subnet-c"]


@pytest.fixture
def record(tmp_path: Path) -> Any:
    """A function that records a function of the tests' functions, from the composite's birth on."""
    return lambda name: record_all(tmp_path / "r", getattr(functions, name), network("a", "abc"))


def _replayed(capsys: pytest.CaptureFixture[str], recording: Path, *argv: str) -> tuple[int, dict[str, Any]]:
    status = main(["replay", str(recording), *argv, "--format", "json"])
    return status, json.loads(capsys.readouterr().out)


def _target(name: str) -> tuple[str, str]:
    return "--function", f"{TARGET}:{name}"


def test_everything_that_is_observed_is_taken_away_once() -> None:
    """Each resource, status, condition and value in a status is there, and no two requests are equal."""
    xr = {
        **network(),
        "status": {"list": [1, {"a": 2}], "conditions": [{"type": "Ready", "status": "False"}]},
    }
    vpc = {
        "apiVersion": "example.org/v1", "kind": "VPC", "metadata": {"name": "v"},
        "status": {"id": "x", "deep": {"a.b": {}}, "conditions": [{"type": "Ready", "status": "True"}]},
    }  # fmt: skip
    request = _view.RunFunctionRequest.FromString(
        testing.request(xr, observed={"vpc": vpc}, required={"given": [vpc], "none": []})
    )
    question = Question(Subject(), "compose", "it", request, Known())
    lost = {one.lost: one.request for one in without(question, ["*"], ["*"])}
    assert sorted(lost) == [
        "--degrade vpc.status",
        "--degrade vpc.status.conditions[0]",
        '--degrade vpc.status.deep["a.b"]',
        "--degrade vpc.status.id",
        "--degrade xr.status",
        "--degrade xr.status.conditions[0]",
        "--degrade xr.status.list[0]",
        "--degrade xr.status.list[1].a",
        "--drop required.given",
        "--drop vpc",
    ]
    seen = {one.SerializeToString(deterministic=True) for one in (request, *lost.values())}
    assert len(seen) == 11
    left = lost["--degrade vpc.status.id"].observed.resources["vpc"].resource
    kept = {"deep": {"a.b": {}}, "conditions": [{"type": "Ready", "status": "True"}]}
    assert codec.decode_struct(left)["status"] == kept


@pytest.mark.parametrize("how", ["in process", "server"])
def test_a_careless_function_loses_resources(how: str, record: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A function that asks for a value with `if` loses what stands behind it, whichever way the value is missing."""
    recording = record("careless_function")
    if how == "server":
        runner = runner_of(functions.careless_function)
        with in_process(runner.run, "grpcio") as (_, address):
            status, found = _replayed(capsys, recording, "--against", address, *ALL)
    else:
        status, found = _replayed(capsys, recording, *_target("careless_function"), *ALL)
    deleted = {
        one["loss"]: [entry["name"] for entry in one["resources"] if entry["action"] == "delete"]
        for one in found["differences"]
    }
    assert status == 3
    assert deleted == dict.fromkeys(OF_THE_VPC, SUBNETS)
    assert found["losses"] == found["requests"] == found["equal"] + 3
    assert found["notes"] == []


def test_a_function_of_ours_loses_nothing(record: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """With the same composition, made with this package, nothing goes or changes."""
    status, found = _replayed(capsys, record("first"), *_target("first"), *ALL)
    assert (status, found["losses"], found["differences"]) == (0, found["equal"], [])
    assert found["losses"] > 10


def test_what_only_changes_is_told_with_its_paths(record: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A default that takes the place of a lost value is a change, and named by its path."""
    recording = record("defaults_function")
    status, found = _replayed(capsys, recording, *_target("defaults_function"), *ALL)
    assert status == 1
    assert sorted(one["loss"] for one in found["differences"]) == OF_THE_VPC
    for one in found["differences"]:
        changes = {entry["name"]: [change["path"] for change in entry["changes"]] for entry in one["resources"]}
        assert changes == dict.fromkeys(SUBNETS, ["spec.vpcId"])


def test_a_failing_call_is_told(record: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A call that fails without a value has a status of its own: nothing is deleted then."""
    recording = record("strict_function")
    status, found = _replayed(capsys, recording, *_target("strict_function"), *ALL)
    assert status == 4
    assert sorted(one["loss"] for one in found["differences"]) == OF_THE_VPC
    assert all("no id" in one["error"] for one in found["differences"])


def test_single_values(record: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the values that are named go; the line that asks again names the one that is lost."""
    argv = ["replay", str(record("careless_function")), *_target("careless_function")]
    assert main([*argv, "--drop", "subnet-*", "--degrade", "vpc.status.id"]) == 3
    text = capsys.readouterr().out
    assert text.startswith("3 of 4 losses change nothing that exists (4 requests of ")
    assert "\n1: XNetwork team/a --degrade vpc.status.id\n" in text
    assert "- delete subnet-a" in text
    assert " --pdb --degrade vpc.status.id\n" in text
    assert main([*argv, "--degrade", "subnet-a.metadata.labels"]) == 2
    assert "there is no request with a value for --degrade subnet-a.metadata.labels" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        (["--drop", "vpc"], "say who answers"),
        ([*_target("first"), "--drop", "vpcs"], "--drop vpcs"),
        ([*_target("first"), "--degrade", "vpc"], "--degrade vpc"),
        ([*_target("first"), "--drop", "vpc", "--against", "localhost:1"], "give one of"),
        ([*_target("fails"), "--drop", "vpc"], "without any loss, the call fails already"),
    ],
)
def test_mistakes_are_told(argv: list[str], text: str, record: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """A value that no request has, and a function that can't be asked, end with status 2."""
    assert main(["replay", str(record("first")), *argv]) == 2
    assert text in capsys.readouterr().err


def test_an_operation_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Operations have no observed resources, so nothing can be taken away; `render` doesn't ask them either."""
    made = writer(tmp_path)
    write_call(made, {"meta": {"tag": "1"}}, {}, subject=Subject(*OPERATION, "", "nightly", "3"))
    made.close()
    replay = ["replay", str(tmp_path), "--drop", "*"]
    for argv in (replay, ["render", "--from", f"{tmp_path}#nightly"]):
        assert main([*argv, *_target("first")]) == 2
        assert "only replay" in capsys.readouterr().err


def test_a_loss_in_a_test(record: Any) -> None:
    """A check takes values away, too: it passes if nothing goes or changes, and else says what does."""
    (found,) = testing.recorded(record("careless_function"), last=True)
    found.check(functions.careless_function, drop=["subnet-*"])
    found.check(functions.first, drop=["other"])
    with pytest.raises(AssertionError) as raised:
        found.check(functions.careless_function, degrade=["vpc.status.*"])
    lines = str(raised.value).splitlines()
    assert lines[0].endswith("--degrade vpc.status.id")
    assert sum(line.startswith("- delete subnet-") for line in lines) == 3
