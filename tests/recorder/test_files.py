"""A recorded request in the place of files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crossplane_lite import testing
from crossplane_lite.cli import main
from tests.recorder import functions
from tests.recorder.recordings import network, play, record_all, subject_of, write_call, writer

TARGET = "tests.recorder.functions"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Two composites from birth on."""
    return record_all(tmp_path / "r", functions.first, network("a"), network("b", "abc"))


def _out(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert main(list(argv)) == 0
    return capsys.readouterr().out


def test_graph(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The graph shows the states of that moment."""
    given = ("--function", f"{TARGET}:first", "--format", "text")
    assert "2 held back" in _out(capsys, "graph", "--from", f"{recording}#a@2026-11-24T18:30:00", *given)
    assert "3 not ready" in _out(capsys, "graph", "--from", f"{recording}#a", *given)


def test_diff(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A rollout is compared with what existed then."""
    assert main(["diff", f"--from={recording}#b", "--function", f"{TARGET}:moved", "--format", "json"]) == 3
    found = json.loads(capsys.readouterr().out)["composites"][0]
    assert [one["name"] for one in found["resources"] if one["action"] == "delete"] == ["subnet-c"]


def test_explain(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Values are explained with what was observed then."""
    given = ("--function", f"function-network={TARGET}:first", "--explain", "subnet-a")
    assert "vpc.status.id" in _out(capsys, "render", "--from", f"{recording}#a", *given)


def test_simulate(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A simulation goes on from there."""
    assert "subnet-a" in _out(capsys, "simulate", "--from", f"{recording}#a", "--function", f"{TARGET}:first")


def test_all_of_a_request_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Required resources, the input, credentials and the context reach the function as they were."""
    made = writer(tmp_path)
    given = {"apiVersion": "example.org/v1", "kind": "Given", "metadata": {"name": "one", "labels": {"for": "network"}}}
    more = {"input": {"apiVersion": "x/v1", "kind": "I", "text": "in"}, "credentials": {"aws": {"key": "k"}}}
    request = testing.request(
        network(),
        required={"given": [{**given, "spec": {"text": "hello"}}]},
        context={"example.org/c": {"x": "con"}},
        **more,  # type: ignore[arg-type]
    )
    play(made, functions.tells, request)
    made.close()
    out = _out(capsys, "render", "--from", str(tmp_path), "--function", f"{TARGET}:tells")
    assert "text: hello in con k" in out


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        (["--from", ""], "--from needs a value"),
        (["--from", "{r}#nobody"], "XNetwork/team/a"),
        (["--from", "{r}"], "name one of several: XNetwork/team/a, XNetwork/team/b"),
        (["--from", "{r}#z"], "function-other, function-third"),
        (["--from", "/no/such/recording"], "/no/such/recording"),
    ],
)
def test_mistakes_are_told(argv: list[str], text: str, recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What isn't in the recording, and a reconcile of several functions, are told."""
    made = writer(recording)
    for number, name in enumerate(("function-other", "function-third")):
        content = {"observed": {"composite": {"resource": network("z")}}}
        subject = subject_of(network("z"))
        write_call(made, content, {}, 9, trace="z", span=name, number=number, function=name, subject=subject)
    made.close()
    assert main(["render", *(one.format(r=recording) for one in argv), "--function", f"{TARGET}:first"]) == 2
    assert text in capsys.readouterr().err
