"""Recorded requests, answered by other versions."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from crossplane_lite import testing
from crossplane_lite._tools.recorder.messages import as_json
from crossplane_lite._tools.recorder.recording import OPERATION, Subject
from crossplane_lite._tools.render.operation import WATCHED_RESOURCE
from crossplane_lite.cli import main
from crossplane_lite.proto import _view
from crossplane_lite.runtime.tls import Certificates
from tests import support
from tests.recorder import functions
from tests.recorder.recordings import NETWORK, event, network, play, record_all, write_call, writer
from tests.runtime.certificates import CrossplaneAuthority, write
from tests.runtime.serving import in_process, serving

TARGET = "tests.recorder.functions"


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Three composites from birth on, two of them with a zone c."""
    return record_all(tmp_path / "r", functions.first, network("a"), network("b", "abc"), network("c", "abc"))


def _replayed(capsys: pytest.CaptureFixture[str], *argv: str | Path) -> tuple[int, dict[str, Any]]:
    status = main(["replay", *map(str, argv), "--format", "json"])
    return status, json.loads(capsys.readouterr().out)


def _changes(found: dict[str, Any], **fields: str) -> list[dict[str, Any]]:
    return [
        one
        for difference in found["differences"]
        for one in difference.get("resources", ())
        if all(one[key] == value for key, value in fields.items())
    ]


def test_the_same_version_is_equal(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A function gives the same answers again."""
    status, found = _replayed(capsys, recording, "--function", f"{TARGET}:first")
    assert (status, found["composites"], found["equal"], found["requests"]) == (0, 3, 3, 9)
    assert found["differences"] == found["notes"] == []


def test_a_changed_field(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each composite's change is there, with the old and the new value."""
    status, found = _replayed(capsys, recording, "--function", f"{TARGET}:sized")
    assert (status, found["equal"]) == (1, 0)
    changes = _changes(found, action="change")
    assert {one["name"] for one in changes} == {"vpc"}
    assert changes[0]["changes"] == [{"path": "spec.forProvider.size", "old": "small", "new": "large"}]


def test_a_deleted_resource(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Deletions are grouped over composites, existing resources first, and make the status 3."""
    status, found = _replayed(capsys, recording, "--function", f"{TARGET}:moved")
    assert (status, found["equal"]) == (3, 1)
    assert {one["name"] for one in _changes(found, action="delete")} == {"subnet-c"}
    assert main(["replay", str(recording), "--function", f"{TARGET}:moved"]) == 3
    text = capsys.readouterr().out
    assert text.startswith("1 of 3 composites are equal (9 requests of function-network)\n")
    assert "2: XNetwork team/b, XNetwork team/c\n" in text
    assert "- delete subnet-c" in text
    assert "it doesn't exist yet" not in text


def test_a_new_fatal_result(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A call that fails newly is told with its line, and makes the status 4."""
    status, found = _replayed(capsys, recording, "--function", f"{TARGET}:fails")
    assert (status, found["equal"]) == (4, 1)
    assert all("ValueError: there is no zone c (functions.py:" in one["error"] for one in found["differences"])


def test_a_new_wait(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A resource that waits for a value now, and didn't before, is a difference."""
    status, found = _replayed(capsys, recording, "--function", f"{TARGET}:waits")
    assert (status, found["equal"]) == (1, 0)
    assert found["differences"][0]["newlyWaiting"] == ["subnet-a", "subnet-b"]


def test_what_failed_before_and_fails_again_is_equal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same Fatal result is no news, and its end is."""
    made = writer(tmp_path)
    play(made, functions.fails, testing.request(network("b", "abc")))
    made.close()
    status, found = _replayed(capsys, tmp_path, "--function", f"{TARGET}:fails")
    assert (status, found["equal"]) == (0, 1)
    status, found = _replayed(capsys, tmp_path, "--function", f"{TARGET}:first")
    assert (status, found["equal"]) == (1, 0)
    assert any("there is no zone c" in note for note in found["differences"][0]["notes"])


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("version", ["address", "folder"])
def test_two_versions(recording: Path, version: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With another version, the answers of the two are compared, and the recorded ones don't count."""
    with serving(f"{TARGET}:sized", "--insecure") as server:
        against = server.address if version == "address" else Path(__file__).parents[2]
        status, found = _replayed(capsys, recording, "--function", f"{TARGET}:sized", "--against", str(against))
    assert (status, found["equal"]) == (0, 3)


@pytest.mark.slow
def test_a_server_in_any_language(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The server at an address answers, and its answers are compared with the recorded ones."""
    with serving(f"{TARGET}:moved", "--insecure") as server:
        status, found = _replayed(capsys, recording, "--against", server.address)
    assert (status, found["equal"]) == (3, 1)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("transport", ["grpcio", "h2"])
def test_a_server_with_crossplanes_certificates(
    recording: Path, transport: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A server that Crossplane calls is called with Crossplane's own certificate, and the printed line says so."""
    authority = CrossplaneAuthority()
    there, here = (write(tmp_path / name, authority.issue(name), authority) for name in ("server", "client"))
    with in_process(functions.moved.run, transport, certificates=Certificates(str(there))) as (_, address):
        address = address.replace("127.0.0.1", "localhost")
        assert main(["replay", str(recording), "--against", address, "--tls-certs-dir", str(here)]) == 3
    text = capsys.readouterr().out
    assert text.startswith("1 of 3 composites are equal ")
    assert f" --against {address} --tls-certs-dir={here}" in text


def test_required_resources_are_followed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The further calls of a function get the resources that the recording has."""
    made = writer(tmp_path)
    given = {"apiVersion": "example.org/v1", "kind": "Given", "metadata": {"name": "one", "labels": {"for": "network"}}}
    xr = network()
    play(made, functions.needs, testing.request(xr))
    required = {"given": [{**given, "spec": {"text": "hello"}}]}
    play(made, functions.needs, testing.request(xr, required=required), 0, iteration=1, span="s2")
    made.close()
    status, found = _replayed(capsys, tmp_path, "--function", f"{TARGET}:needs")
    assert (status, found["requests"], found["notes"]) == (0, 1, [])
    status, found = _replayed(capsys, tmp_path, "--function", f"{TARGET}:first")
    assert {one["name"] for one in _changes(found, action="delete")} == {"copy-one"}


def test_required_resources_that_were_not_recorded_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A first request with the last answer, as Crossplane sends them of an Operation, lacks what was required."""
    given = {"apiVersion": "example.org/v1", "kind": "Given", "metadata": {"name": "one", "labels": {"for": "network"}}}
    xr = network()
    answer = functions.needs.run(testing.request(xr, required={"given": [{**given, "spec": {"text": "hello"}}]}))
    messages = (_view.RunFunctionRequest.FromString(testing.request(xr)), _view.RunFunctionResponse.FromString(answer))
    made = writer(tmp_path)
    write_call(made, *map(as_json, messages))
    made.close()
    status, found = _replayed(capsys, tmp_path, "--function", f"{TARGET}:needs")
    assert status == 3
    assert any("not in the recording" in note and "example.org/v1 Given" in note for note in found["notes"])


@pytest.mark.slow
def test_what_isnt_recorded_is_told(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A requirement that the recording can't answer, and resources of a function with another name, are notes."""
    _, found = _replayed(capsys, recording, "--function", f"{TARGET}:slower")
    assert any("example.org/v1 Other named 'one'" in note for note in found["notes"])
    _, found = _replayed(capsys, recording, "--function", "tests.diff.functions:bucket")
    assert any("@composition.function(name=...)" in note for note in found["notes"])


def test_what_was_taken_out_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Values that were taken out of a request are named."""
    made = writer(tmp_path)
    request = {
        "observed": {"composite": {"resource": network()}},
        "credentials": {"aws": {"credentialData": {"data": {"key": "**REDACTED**"}}}},
    }
    write_call(made, request, {"desired": {}})
    made.close()
    _, found = _replayed(capsys, tmp_path, "--function", f"{TARGET}:first")
    assert any("credentials.aws.credentialData.data" in note for note in found["notes"])


def test_an_operation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An Operation is asked again. What isn't applied any more is told, and isn't said to be deleted."""
    made = writer(tmp_path)
    subject = Subject(*OPERATION, "", "nightly", "3")
    given = {"apiVersion": "example.org/v1", "kind": "Given", "metadata": {"name": "one"}, "spec": {"text": "hello"}}
    play(made, functions.backup, support.request(required={WATCHED_RESOURCE: [given]}), 1, subject)
    play(made, functions.first, testing.request(network()), 2)
    made.close()
    status, found = _replayed(capsys, tmp_path, "--function", f"{TARGET}:backup", "--xr", "nightly")
    assert (status, found["equal"], found["notes"]) == (0, 1, [])
    status, found = _replayed(capsys, tmp_path, "--function", f"{TARGET}:other_backup", "--xr", "nightly")
    assert status == 1
    (difference,) = found["differences"]
    assert difference["composite"] == "Operation nightly"
    assert [(one["action"], one["name"]) for one in difference["resources"]] == [("create", "other")]
    assert any("an Operation deletes nothing): copy" in note for note in difference["notes"])
    assert main(["replay", str(tmp_path), "--function", f"{TARGET}:other_backup", "--xr", "nightly"]) == 1
    text = capsys.readouterr().out
    assert text.startswith("0 of 1 composites and Operations are equal ")
    assert "replay '" in text and "#Operation/nightly@" in text


@pytest.mark.slow
def test_a_request_that_nobody_sends_is_left_out(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A request without a composite costs only itself, and is noted; if there is no other, it is the error."""
    made = writer(recording)
    write_call(made, {"meta": {"tag": "1"}}, {}, 9, subject=NETWORK._replace(name="odd"))
    made.close()
    given = ("--function", f"{TARGET}:first")
    status, found = _replayed(capsys, recording, *given)
    assert (status, found["composites"], len(found["notes"])) == (2, 3, 1)
    assert main(["replay", str(recording), *given, "--xr", "odd"]) == 2
    assert "XNetwork team/odd" in capsys.readouterr().err


def test_open_calls_are_left_out(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A call without an answer isn't compared, and is counted in the notes; if there is no other, it is the error."""
    made = writer(recording)
    request = {"observed": {"composite": {"resource": network("z")}}}
    made.write(event("request", 9, trace="t9", span="s9"), json.dumps(request).encode())
    made.close()
    status, found = _replayed(capsys, recording, "--function", f"{TARGET}:first")
    assert (status, found["composites"]) == (0, 3)
    assert len(found["notes"]) == 1
    assert main(["replay", str(recording), "--function", f"{TARGET}:first", "--xr", "example"]) == 2
    assert "--against" in capsys.readouterr().err


def test_names_dont_reach_the_terminal_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Control characters in what somebody has sent to the recorder are escaped."""
    made = writer(tmp_path)
    subject = Subject("example.org/v1", "XNetwork\x1b[2J", "team", "evil\rname")
    request = testing.request({**network("b", "abc"), "kind": "XNetwork\x1b[2J"})
    play(made, functions.first, request, 1, subject)
    made.close()
    assert main(["replay", str(tmp_path), "--function", f"{TARGET}:fails"]) == 4
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert "\r" not in text


@pytest.mark.slow
def test_a_damaged_request_is_left_out(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A content that is no JSON costs its own request, and is noted; the others are asked."""
    made = writer(recording)
    made.write(event("request", 9, trace="t9", span="s9"), b'{"meta": }')
    made.write(event("response", 9, trace="t9", span="s9"), b"{}")
    made.close()
    status, found = _replayed(capsys, recording, "--function", f"{TARGET}:first")
    assert (status, found["composites"], len(found["notes"])) == (0, 3, 1)


@pytest.mark.slow
def test_requests_are_chosen(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A composite, a time, patterns, and the last reconcile choose what is asked."""
    given = ("--function", f"{TARGET}:first")
    assert _replayed(capsys, f"{recording}#team/b", *given)[1]["requests"] == 1
    assert _replayed(capsys, recording, "--xr", "team/[ab]", *given)[1]["composites"] == 2
    assert _replayed(capsys, recording, "--last", *given)[1]["requests"] == 3
    made = writer(recording)
    play(made, functions.first, testing.request(network("d")), 9, function="function-other")
    made.close()
    assert _replayed(capsys, recording, "--function", f"function-network={TARGET}:first")[1]["composites"] == 3
    assert _replayed(capsys, recording, "--name", "function-other", *given)[1]["composites"] == 1


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        ([], "say who answers"),
        (["--function", f"{TARGET}:first", "--name", "function-nobody"], "function-network"),
        (["--function", f"{TARGET}:first", "--xr", "nobody"], "XNetwork team/a"),
        (["--function", f"{TARGET}:nothing"], "nothing"),
        (["--against", "127.0.0.1:1", "--pdb"], "--pdb needs --function"),
        (["--function", f"{TARGET}:first", "--against", "no-such-revision"], "no-such-revision"),
        (["--function", f"{TARGET}:first", "--against", "127.0.0.1:1"], "the other version can't be called"),
    ],
)
def test_mistakes_are_told(argv: list[str], text: str, recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong command line ends with status 2 and says what to do."""
    assert main(["replay", str(recording), *argv]) == 2
    assert text in capsys.readouterr().err


def test_damaged_lines_are_told_where_nothing_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A recording of which no request can be read says which lines are damaged."""
    (tmp_path / "r.jsonl").write_text('{"recording": 1}\n{"event": 5}\n')
    assert main(["replay", str(tmp_path / "r.jsonl"), "--function", f"{TARGET}:first"]) == 2
    assert "the line at byte 17 is cut off or damaged" in capsys.readouterr().err


def test_a_call_of_an_unknown_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the recorder didn't know the name of the step, messages have the function's name."""
    made = writer(tmp_path)
    play(made, functions.first, testing.request(network("b", "abc")), step="")
    made.close()
    _, found = _replayed(capsys, tmp_path, "--function", f"{TARGET}:fails")
    assert 'step "function-network"' in found["differences"][0]["error"]


def test_several_functions_need_a_name(recording: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of several functions in a recording, the command line must name one."""
    made = writer(recording)
    play(made, functions.first, testing.request(network("d")), 9, function="function-other")
    made.close()
    assert main(["replay", str(recording), "--function", f"{TARGET}:first"]) == 2
    assert "function-network, function-other" in capsys.readouterr().err


@pytest.mark.slow
def test_the_line_that_is_printed_opens_a_debugger(recording: Path) -> None:
    """The command that a difference shows stops at the first line of compose(), with the recorded request."""
    command = [sys.executable, "-m", "crossplane_lite", "replay", f"{recording}#team/b", "--function"]
    command += [f"{TARGET}:moved", "--pdb"]
    typed = "p ctx.composite(Unstructured).observed.metadata.name\nc\n"
    done = subprocess.run(command, input=typed, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "functions.py" in done.stderr
    assert "_zones(ctx, *(zone for zone" in done.stderr
    assert "'b'" in done.stderr
