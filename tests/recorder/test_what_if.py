"""Observed values are taken away, one at a time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import testing
from crossplane_lite._core import codec
from crossplane_lite._tools.recorder.asking import Known, Question
from crossplane_lite._tools.recorder.recording import OPERATION, Subject
from crossplane_lite._tools.recorder.what_if import Report, losses, what_if
from crossplane_lite._tools.render.functions import InProcess, OfMessages
from crossplane_lite.cli import main
from crossplane_lite.proto import _view
from crossplane_lite.runtime._message_functions import runner_of
from tests.recorder import functions
from tests.recorder.recordings import grown, network, record_all, write_call, writer
from tests.runtime.serving import in_process

TARGET = "tests.recorder.functions"


def _grown(function: Any, **spec: Any) -> bytes:
    return list(grown(function, network("a", "abc", **spec), 3))[-1]


def _report(function: Any, request: bytes, **limits: int) -> Report:
    question = Question(Subject(), "compose", "it", _view.RunFunctionRequest.FromString(request), Known())
    runner = InProcess if hasattr(function, "run") else OfMessages
    return what_if(question, lambda: runner(function), **limits)


def test_everything_that_is_observed_is_taken_away_once() -> None:
    """Each resource, status, condition and leaf of a status is there, the large things first, and no two are equal."""
    xr = {**network(), "status": {"list": [1, {"a": 2}], "conditions": [{"type": "Ready", "status": "False"}]}}
    vpc = {
        "apiVersion": "example.org/v1", "kind": "VPC", "metadata": {"name": "v"},
        "status": {"id": "x", "deep": {"a.b": {}}, "conditions": [{"type": "Ready", "status": "True"}]},
    }  # fmt: skip
    request = _view.RunFunctionRequest.FromString(
        testing.request(xr, observed={"vpc": vpc}, required={"given": [vpc], "none": []})
    )
    assert [what for what, _ in losses(request)] == [
        "vpc missing",
        "vpc.status missing",
        "xr.status missing",
        "vpc.status.conditions[type=Ready] False",
        "vpc.status.conditions[type=Ready] missing",
        "required.given missing",
        'vpc.status.deep["a.b"] missing',
        "vpc.status.id missing",
        "xr.status.list[0] missing",
        "xr.status.list[1].a missing",
    ]
    seen = {request.SerializeToString(deterministic=True)}
    for what, take in losses(request):
        copy = _view.RunFunctionRequest.FromString(request.SerializeToString())
        take(copy)
        seen.add(copy.SerializeToString(deterministic=True))
        if what == "vpc.status.id missing":
            status = codec.decode_struct(copy.observed.resources["vpc"].resource)["status"]
            assert status == {key: value for key, value in vpc["status"].items() if key != "id"}  # type: ignore[attr-defined]
        if what.endswith("False"):
            status = codec.decode_struct(copy.observed.resources["vpc"].resource)["status"]
            assert status["conditions"] == [{"type": "Ready", "status": "False"}]
    assert len(seen) == 11


def test_a_careless_function_loses_resources() -> None:
    """A function that asks for a value with `if` loses what stands behind it, whichever way the value is missing."""
    report = _report(functions.careless_function, _grown(functions.careless_function))
    assert [(one.what, one.deleted) for one in report.losses] == [
        (what, ("subnet-a", "subnet-b", "subnet-c"))
        for what in ("vpc missing", "vpc.status missing", "vpc.status.id missing")
    ]
    assert report.losses[0].text(report.existing) == "3 of 4 resources deleted (subnet-a, subnet-b, subnet-c)"


def test_a_function_of_ours_loses_nothing() -> None:
    """With the same composition, made with this package, nothing goes or changes."""
    report = _report(functions.first, _grown(functions.first))
    assert report.losses == []
    assert report.tried == 4 + 4 + 4 * 2 + 4


def test_what_only_changes_is_told_with_its_paths() -> None:
    """A default that takes the place of a lost value is a change, and named by its path."""
    report = _report(functions.defaults_function, _grown(functions.defaults_function))
    assert [(one.what, one.deleted, one.changed) for one in report.losses] == [
        (what, (), (("subnet-a", ("spec.vpcId",)), ("subnet-b", ("spec.vpcId",)), ("subnet-c", ("spec.vpcId",))))
        for what in ("vpc missing", "vpc.status missing", "vpc.status.id missing")
    ]
    assert report.losses[0].text(4).startswith("subnet-a changed (spec.vpcId); ")


def test_a_failing_call_changes_nothing() -> None:
    """A call that fails without a value is told as such, after what deletes something."""
    report = _report(functions.strict_function, _grown(functions.strict_function))
    assert [bool(one.error) for one in report.losses] == [True, True, True]
    assert report.deletes == []
    assert "no id" in report.losses[0].text(4)


def test_what_differs_by_itself_isnt_counted() -> None:
    """A field that is another one at every call is told once, and isn't a loss."""
    report = _report(functions.random_function, _grown(functions.random_function))
    assert report.losses == []
    assert report.unstable == ("vpc: spec.text",)


def test_a_budget_of_calls() -> None:
    """Beyond the limit nothing is tried, and the report says how much that is."""
    function = functions.careless_function
    whole = _report(function, _grown(function))
    report = _report(function, _grown(function), calls=7)
    assert (report.tried, report.left_out) == (5, whole.tried - 5)
    assert [one.what for one in report.losses] == ["vpc missing"]


@pytest.mark.slow
def test_it_is_the_same_every_time() -> None:
    """The report doesn't depend on how many calls run at the same time."""
    request = _grown(functions.careless_function)
    reports = [_report(functions.careless_function, request, jobs=jobs) for jobs in (1, 8)]
    assert reports[0].losses == reports[1].losses


@pytest.mark.parametrize("how", ["in process", "server"])
def test_a_recording(how: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The last reconcile of each composite of a recording is taken, and functions are called here or on a server."""
    record_all(tmp_path, functions.careless_function, network("a"), network("b", "abc"))
    target = f"{TARGET}:careless_function"
    if how == "server":
        with in_process(runner_of(functions.careless_function).run, "grpcio") as (_, address):
            status = main(["what-if", str(tmp_path), "--against", address, "--format", "json"])
    else:
        status = main(["what-if", str(tmp_path), "--function", target, "--format", "json"])
    found = json.loads(capsys.readouterr().out)
    assert status == 3
    assert [one["existing"] for one in found["composites"]] == [3, 4]
    assert found["composites"][1]["losses"][2] == {
        "missing": "vpc.status.id missing",
        "deleted": ["subnet-a", "subnet-b", "subnet-c"],
        "changed": {},
    }
    assert found["notes"] == []


def test_an_operation_is_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Operations have no observed resources: what-if doesn't ask them, and other commands than replay say so, too."""
    made = writer(tmp_path)
    write_call(made, {"meta": {"tag": "1"}}, {}, subject=Subject(*OPERATION, "", "nightly", "3"))
    made.close()
    for argv in (["what-if", str(tmp_path)], ["render", "--from", f"{tmp_path}#nightly"]):
        assert main([*argv, "--function", f"{TARGET}:first"]) == 2
        assert "only replay" in capsys.readouterr().err


@pytest.mark.slow
def test_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files as for render take the place of a recording."""
    request = _view.RunFunctionRequest.FromString(_grown(functions.careless_function))
    xr = codec.decode_struct(request.observed.composite.resource)
    (tmp_path / "xr.yaml").write_text(json.dumps(xr))
    observed = [codec.decode_struct(one.resource) for one in request.observed.resources.values()]
    (tmp_path / "observed.yaml").write_text("\n---\n".join(map(json.dumps, observed)))
    argv = ["what-if", str(tmp_path / "xr.yaml"), "--function", f"{TARGET}:careless_function"]
    assert main([*argv, "-o", str(tmp_path / "observed.yaml")]) == 3
    assert "vpc.status.id missing: 3 of 4 resources deleted" in capsys.readouterr().out
    assert main(argv) == 0  # nothing exists yet


def test_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A project file gives the files that aren't named, but none beside a recording; without one, XR is missing."""
    target = ["--function", f"{TARGET}:careless_function"]
    record_all(tmp_path / "recording", functions.careless_function, network("a"))
    (tmp_path / "xr.yaml").write_text(json.dumps(network("a")))
    (tmp_path / "composition.yaml").touch()
    (tmp_path / "observed.yaml").write_text(json.dumps(_named_vpc()))
    monkeypatch.chdir(tmp_path)
    for argv in (["what-if"], ["what-if", "-o", "observed.yaml"]):
        with pytest.raises(SystemExit):
            main([*argv, *target])
        assert "give XR: the current folder has no crossplane-lite.toml" in capsys.readouterr().err
    Path("crossplane-lite.toml").write_text('[preview]\nxr = "xr.yaml"\n')
    assert main(["what-if", *target]) == 0
    assert main(["what-if", "-o", "observed.yaml", *target]) == 0
    assert "careless_function: 1 resources exist" in capsys.readouterr().out
    Path("crossplane-lite.toml").write_text('[preview]\nxr = "xr.yaml"\ncomposition = "composition.yaml"\n')
    assert main(["what-if", "recording", *target]) == 3


def _named_vpc() -> dict[str, Any]:
    annotations = {"crossplane.io/composition-resource-name": "vpc"}
    metadata = {"name": "v", "namespace": "team", "annotations": annotations}
    return {"apiVersion": "example.org/v1", "kind": "VPC", "metadata": metadata}


def test_the_text_is_short_and_whole(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table has a line for each loss, the worst first, and says what was left out."""
    record_all(tmp_path, functions.careless_function, network("a"))
    argv = ["what-if", f"{tmp_path}#team/a", "--function", f"{TARGET}:careless_function", "--calls", "7"]
    assert main(argv) == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("XNetwork team/a, function-network: 3 resources exist; ")
    assert lines[1] == "  vpc missing: 2 of 3 resources deleted (subnet-a, subnet-b)"
    assert lines[-1].endswith("weren't tried: --calls 17")


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        ([], "say who answers"),
        (["--function", f"{TARGET}:first", "--calls", "2"], "--calls"),
        (["--function", f"{TARGET}:first", "--xr", "nobody"], "for XNetwork team/a"),
        (["--function", f"{TARGET}:fails"], "without any loss, the call fails already"),
    ],
)
def test_mistakes_are_told(argv: list[str], text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What can't be used ends with status 2, and says what to do."""
    record_all(tmp_path, functions.first, network("a", "abc"))
    assert main(["what-if", str(tmp_path), *argv]) == 2
    assert text in capsys.readouterr().err
