"""The command that records: a real process, a real socket."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest
import yaml

from crossplane_lite._tools.recorder.inspector import EMIT_REQUEST, EMIT_RESPONSE
from crossplane_lite._tools.recorder.receiving import Choice, Queue, receive
from crossplane_lite._tools.recorder.record import Recorder
from crossplane_lite._tools.recorder.recording import OPERATION, Recording, Subject
from crossplane_lite._tools.recorder.writing import Writer
from crossplane_lite.cli import main
from tests.recorder.costs import measured
from tests.recorder.recordings import NETWORK, event, write_call, writer
from tests.recorder.sending import Sender, emit_request, emit_response

Start = Callable[..., "subprocess.Popen[bytes]"]


class InThread:
    """A recorder in this process, as long as it isn't stopped."""

    def __init__(self, folder: Path, transport: str) -> None:
        self._writer = Writer(folder / "out", 64 << 20, 256 << 20)
        self._recorder = Recorder(self._writer, Choice(), transport)
        self._recorder.listen(str(folder / "socket"))
        self._recorder.start()

    def stop(self) -> list[dict[str, object]]:
        """Stop it, and return what the command's last line of the log has."""
        self._recorder.stop()
        return [{"dropped": self._writer.dropped}]


@pytest.fixture(params=["grpcio", "h2"])
def transport(request: pytest.FixtureRequest) -> str:
    """Each transport."""
    name: str = request.param
    return name


@pytest.fixture
def start(tmp_path: Path, transport: str) -> Iterator[Start]:
    """Starts a recorder."""
    processes = []

    def begin(*flags: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "crossplane_lite", "record", str(tmp_path / "out"), *flags]
        command += ["--socket", str(tmp_path / "socket"), "--transport", transport]
        processes.append(subprocess.Popen(command, stderr=subprocess.PIPE))
        return processes[-1]

    yield begin
    for one in processes:
        one.kill()
        one.communicate()


@pytest.fixture(params=["thread", pytest.param("process", marks=pytest.mark.slow)])
def started(tmp_path: Path, transport: str, request: pytest.FixtureRequest) -> InThread | subprocess.Popen[bytes]:
    """A recorder that records everything: in this process, whose start costs nothing, or in one of its own."""
    if request.param == "thread":
        return InThread(tmp_path, transport)
    process: subprocess.Popen[bytes] = request.getfixturevalue("start")()
    return process


def _stopped(process: InThread | subprocess.Popen[bytes]) -> list[dict[str, object]]:
    if isinstance(process, InThread):
        return process.stop()
    process.send_signal(signal.SIGTERM)
    _, log = process.communicate(timeout=30)
    assert process.returncode == 0
    return [json.loads(line) for line in log.decode().splitlines() if line.startswith("{")]


def _ready(sender: Sender) -> None:
    sender.send(EMIT_REQUEST, emit_request(event("request", trace="first", span="first"), b"{}"), 30, wait=True)


@pytest.mark.slow
def test_fifty_composites_at_once(tmp_path: Path, started: InThread | subprocess.Popen[bytes]) -> None:
    """All calls of fifty composites that come at the same time are there, each with its answer."""
    with Sender(tmp_path / "socket") as sender, ThreadPoolExecutor(16) as threads:
        _ready(sender)

        def one(number: int) -> None:
            subject = NETWORK._replace(name=f"xr-{number % 50}")
            asked = event("request", trace=f"t{number}", span=f"s{number}", subject=subject)
            request = {"meta": {"tag": f"{number}"}, "text": "x" * 5_000}
            response = {"meta": {"tag": f"{number}"}}
            sender.call(asked, json.dumps(request).encode(), json.dumps(response).encode(), timeout=10)

        list(threads.map(one, range(500)))
    assert _stopped(started)[-1]["dropped"] == 0
    calls = [call for call in Recording(tmp_path / "out").calls if call.event.trace != "first"]
    assert len(calls) == 500
    assert len({call.subject for call in calls}) == 50
    assert all(call.request["meta"] == call.response["meta"] for call in calls)
    assert all(call.ended >= call.event.time[:19] for call in calls)


@pytest.mark.slow
def test_many_signals_end_it_once(tmp_path: Path, start: Start) -> None:
    """A recorder that gets several signals at once ends as with one."""
    for _ in range(12):
        process = start()
        with Sender(tmp_path / "socket") as sender:
            _ready(sender)
        for _ in range(29):
            process.send_signal(signal.SIGTERM)
        assert _stopped(process)[-1]["msg"] == "stopped"


@pytest.mark.slow
def test_a_killed_recorder_has_what_came_a_second_before(tmp_path: Path, start: Start) -> None:
    """A crash loses at most the last second."""
    process = start()
    with Sender(tmp_path / "socket") as sender:
        _ready(sender)
        for number in range(20):
            sender.call(event("request", span=f"s{number}"), b'{"n": 1}', b"{}", timeout=10)
        time.sleep(1)
        process.kill()
    assert len(Recording(tmp_path / "out").calls) == 21


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the CPU time of other processes is read from /proc")
def test_recording_costs_little_beside_grpc(tmp_path: Path, transport: str) -> None:
    """An event of 8 KB takes at most 0.3 ms more than a server needs that only answers, and all of it 60 MB."""
    made = writer(tmp_path)
    for number in range(5):
        write_call(made, {"text": ["some text"] * 600}, {"text": ["some text"] * 600}, span=f"s{number}")
    made.close()
    record, alone = measured(transport, tmp_path, 1000)
    assert record.microseconds - alone.microseconds < 300
    assert record.megabytes < 60


@pytest.mark.slow
def test_a_socket_in_use_is_told(tmp_path: Path, start: Start) -> None:
    """A second recorder at the same socket ends with an error, and the first one goes on."""
    first = start()
    with Sender(tmp_path / "socket") as sender:
        _ready(sender)
        second = start()
        _, log = second.communicate(timeout=30)
        assert second.returncode == 2
        assert b"another server listens there" in log
        sender.call(event("request"), b"{}", b"{}", timeout=10)
    _stopped(first)
    assert len(Recording(tmp_path / "out").calls) == 2


@pytest.mark.slow
def test_a_socket_that_a_crash_has_left_is_replaced(tmp_path: Path, start: Start) -> None:
    """A recorder starts again after a crash, and writes to a new file."""
    first = start()
    with Sender(tmp_path / "socket") as sender:
        _ready(sender)
    first.kill()
    first.wait()
    second = start()
    with Sender(tmp_path / "socket") as sender:
        _ready(sender)
    _stopped(second)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["000001.jsonl", "000002.jsonl"]


@pytest.mark.slow
@pytest.mark.sample(1)
def test_only_what_was_chosen_is_recorded(tmp_path: Path, start: Start) -> None:
    """Patterns choose composites, Operations and functions."""
    process = start("--xr", "XNetwork/team/*", "--xr", "nightly", "--function", "function-n*")
    subjects = {
        "a": NETWORK,
        "b": NETWORK._replace(namespace="other"),
        "c": Subject(*OPERATION, "", "nightly", "3"),
        "d": Subject(*OPERATION, "", "daily", "4"),
    }
    with Sender(tmp_path / "socket") as sender:
        _ready(sender)
        for span, subject in subjects.items():
            sender.call(event("request", span=span, subject=subject), b"{}", b"{}", timeout=10)
        sender.call(event("request", span="e", function="function-other"), b"{}", b"{}", timeout=10)
    _stopped(process)
    assert {call.event.span for call in Recording(tmp_path / "out").calls} == {"first", "a", "c"}


def test_errors_and_operations_come_back(tmp_path: Path, started: InThread | subprocess.Popen[bytes]) -> None:
    """The error of a call and the Operation that it was for are recorded."""
    operation = Subject(*OPERATION, "", "nightly", "3")
    with Sender(tmp_path / "socket") as sender:
        _ready(sender)
        asked = event("request", subject=operation, iteration=2, number=1)
        sender.call(asked, b'{"n": 1}', b"", "no connection", timeout=10)
    _stopped(started)
    call = next(one for one in Recording(tmp_path / "out").calls if one.error)
    assert call.error == "no connection"
    assert call.subject == operation
    assert (call.event.iteration, call.event.number) == (2, 1)
    assert call.answered is None


def test_what_makes_no_sense_is_counted(tmp_path: Path, started: InThread | subprocess.Popen[bytes]) -> None:
    """Malformed messages are answered like others, dropped and counted, and unknown methods are refused."""
    with Sender(tmp_path / "socket") as sender:
        _ready(sender)
        for path in (EMIT_REQUEST, EMIT_RESPONSE):
            assert sender.send(path, b"\xff\xff", 10) == b""
        for content in (b"not json", b"[1]", b'{"a":\n', b"{" * 100_000):
            sender.send(EMIT_REQUEST, emit_request(event("request"), content), 10)
        channel = grpc.insecure_channel(f"unix:{tmp_path / 'socket'}")
        with channel, pytest.raises(grpc.RpcError) as raised:
            channel.unary_unary("/crossplane.pipeline.v1alpha1.PipelineInspectorService/Other")(b"", timeout=10)
        assert raised.value.code() is grpc.StatusCode.UNIMPLEMENTED
    assert _stopped(started)[-1]["dropped"] == 6
    assert Recording(tmp_path / "out").dropped == 6


def test_a_full_queue_drops_and_counts(tmp_path: Path) -> None:
    """Where more comes than can be written, the answer comes at once, and what is left out is counted."""
    made = writer(tmp_path)
    queue = Queue(made, most_bytes=1_000)
    answer = receive(queue, Choice())(EMIT_RESPONSE)
    assert answer is not None
    message = emit_response(event("response"), b"{}")
    for _ in range(100):  # nothing is written yet
        assert answer(message) == b""
    queue.start()
    while queue._bytes:
        time.sleep(0.01)
    assert answer(message) == b""
    queue.close()
    found = Recording(tmp_path)
    assert 80 < found.dropped < 100
    assert found.dropped == made.dropped
    assert found.notes[0] == f"the recorder dropped {found.dropped} events"


@pytest.mark.parametrize(
    "flags",
    [
        *([], ["out", "--file-size", "0"], ["out", "--file-size", "9", "--total-size", "9"], ["file/out"]),
        *(["out", "--file-size", "nan"], ["out", "--file-size", "inf", "--total-size", "inf"], ["--socket", "/tmp"]),
        *(["--sidecar", "r", "--total-size", "inf"], ["--sidecar", "r", "--socket", "here"], ["out", "--sidecar", "r"]),
    ],
)
def test_wrong_flags(
    flags: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Sizes that can't be, and folders that are missing or can't be used are told, and nothing is recorded."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    assert main(["record", *flags]) == 2
    assert capsys.readouterr().err.startswith("crossplane-lite record: ")
    assert os.listdir(tmp_path) == ["file"]


def test_the_sidecar(capsys: pytest.CaptureFixture[str]) -> None:
    """The values for Crossplane's chart start the recorder with its flags, at the socket of Crossplane."""
    flags = ["--xr", "team/*", "--total-size", "100", "--transport", "grpcio"]
    assert main(["record", "/here", "--sidecar", "registry.example.com/r:v1", *flags]) == 0
    values = yaml.safe_load(capsys.readouterr().out)
    sidecar = values["sidecarsCrossplane"][0]
    assert sidecar["image"] == "registry.example.com/r:v1"
    assert {"--xr=team/*", "--total-size=100", "--transport=grpcio"} <= set(sidecar["command"])
    socket = sidecar["command"][5].removeprefix("--socket=")
    assert values["args"][1] == f"--pipeline-inspector-socket={socket}"
    mounts = {one["name"]: one["mountPath"] for one in sidecar["volumeMounts"]}
    assert values["extraVolumeMountsCrossplane"] == [
        {"name": "pipeline-inspector", "mountPath": os.path.dirname(socket)}
    ]
    assert mounts.keys() == {one["name"] for one in values["extraVolumesCrossplane"]}
    assert sidecar["command"][4] == mounts["recordings"] == "/here"
