"""A function records its own calls where it is served."""

from __future__ import annotations

import resource
import time
from pathlib import Path

import pytest

from crossplane_lite import testing
from crossplane_lite._tools.recorder.recording import OPERATION, REDACTED, Recording
from crossplane_lite.cli import main
from tests.recorder.recordings import network
from tests.runtime.serving import Serving, channel, raw_call, serving

TARGET = "tests.recorder.functions"
SECRET = "a-very-secret-value"


def _called(server: Serving, *requests: bytes) -> None:
    with channel(server.address) as opened:
        for request in requests:
            raw_call(opened, request)


@pytest.mark.parametrize("transport", ["grpcio", "h2"])
def test_calls_are_recorded(transport: str, tmp_path: Path) -> None:
    """Each call is there with its answer, and can be replayed."""
    with serving(f"{TARGET}:first", "--insecure", "--record", str(tmp_path), "--transport", transport) as server:
        _called(server, testing.request(network("a")), testing.request(network("b")), testing.request(network("a")))
    recording = Recording(tmp_path)
    assert [call.subject.title for call in recording.calls] == [f"XNetwork team/{name}" for name in "aba"]
    assert [call.event.function for call in recording.calls] == ["network"] * 3
    assert recording.calls[0].asked == recording.calls[2].asked
    assert "vpc" in recording.calls[0].response["desired"]["resources"]
    assert recording.notes == []
    assert main(["replay", str(tmp_path), "--function", f"{TARGET}:first"]) == 0


@pytest.mark.slow
def test_secret_values_are_masked(tmp_path: Path) -> None:
    """What a request brings as credentials is masked there, and in the answer that repeats it."""
    with serving(f"{TARGET}:repeats", "--insecure", "--record", str(tmp_path)) as server:
        _called(server, testing.request(network(), credentials={"aws": {"key": SECRET}}))
    call = Recording(tmp_path).calls[0]
    assert call.request["credentials"]["aws"]["credentialData"]["data"] == {"key": REDACTED}
    assert call.response["desired"]["resources"]["copy"]["resource"]["spec"]["forProvider"] == {"text": "[secret]"}
    assert SECRET not in (tmp_path / "000001.jsonl").read_text()


@pytest.mark.slow
def test_an_operation_is_recorded(tmp_path: Path) -> None:
    """A call without a composite is one of an Operation, whose name a function doesn't know."""
    with serving(f"{TARGET}:needs", "--insecure", "--record", str(tmp_path)) as server:
        _called(server, testing.request(None))
    assert Recording(tmp_path).calls[0].subject[:2] == OPERATION


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="the limit is set from outside, which only Linux can")
def test_a_full_disk_is_told_once(tmp_path: Path) -> None:
    """While nothing can be written, the log says why once, and not for each call; afterwards how many were dropped."""
    dropping, dropped = "events are dropped, because the recording can't be written", "events were dropped"

    def limit(size: int) -> None:
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    with serving(f"{TARGET}:first", "--insecure", "--record", str(tmp_path)) as server:
        limit(100)
        for number in range(4):
            _called(server, testing.request(network(f"a{number}")))
            server.record(dropping)
            time.sleep(0.3)  # longer than the pause between batches
        limit(resource.RLIM_INFINITY)
        _called(server, testing.request(network("b")))
        assert server.record(dropped)["dropped"] == 8
    told = [(one["level"], one.get("error")) for one in server.records if one["msg"] in (dropping, dropped)]
    assert told == [("error", "File too large"), ("warning", None)]
    recording = Recording(tmp_path)
    assert recording.notes == ["the recorder dropped 8 events: File too large"]
    assert [call.subject.title for call in recording.calls] == ["XNetwork team/b"]


def test_a_folder_that_cant_be_made_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder for recordings that can't be made is told before the server starts."""
    (tmp_path / "file").touch()
    assert main(["serve", f"{TARGET}:first", "--insecure", "--record", str(tmp_path / "file")]) == 2
    assert "file" in capsys.readouterr().err
